//! The menu of what can happen next: what will happen by itself, in order, and what a person can do
//! about it.

use crate::error::CommandError;
use crate::ids::{EventId, MessageId, TerminalId};
use crate::scope::{self, Lab};
use crate::time::{END_OF_TIME, SimTime};
use crate::world::fault::{Fault, Impossible};
use crate::world::input::{Input, InputKind};
use crate::world::process::Process;
use crate::world::step::Step;
use crate::world::stream::TerminalState;
use crate::world::world::World;

/// The most bytes that a terminal takes at once.
const MOST_INPUT_BYTES: u64 = 1 << 20;

/// Something that can happen next.
#[derive(Clone, Debug)]
pub enum Choice {
    /// A step that will be taken: a message arrives, a timer fires, a process gets something or asks
    /// something. The first of these is what `World::step` takes.
    Take {
        /// When.
        due: SimTime,
        /// The event that led to it.
        cause: Option<EventId>,
        /// What.
        step: Step,
    },
    /// This message, which is on its way, is lost (`hw drop ID`).
    Drop(MessageId),
    /// Something is typed here.
    ApplyInput {
        /// At this terminal.
        terminal: TerminalId,
        /// It waits for this.
        state: TerminalState,
    },
}

impl Choice {
    /// What a person gives a timeline to choose it; `None`: it happens by itself, or the person has
    /// something to type.
    #[must_use]
    pub fn input(&self) -> Option<InputKind> {
        match self {
            Self::Drop(message) => Some(InputKind::fault(Fault::Drop(*message))),
            Self::Take { .. } | Self::ApplyInput { .. } => None,
        }
    }
}

impl<P: Process> World<P> {
    /// Everything that can happen next: the steps in the order in which they will be taken, each
    /// message followed by its loss; then the terminals.
    #[must_use]
    pub fn menu(&self) -> Vec<Choice> {
        if scope::CLUSTER
            && let Some(awake) = self.awake()
        {
            return awake.menu();
        }
        let mut menu = Vec::new();
        for (due, cause, step) in self.queued() {
            menu.push(Choice::Take { due, cause, step: step.clone() });
            if let Step::Deliver(message) = step {
                menu.push(Choice::Drop(message.id));
            }
        }
        for terminal in self.terminal_views() {
            menu.push(Choice::ApplyInput { terminal: terminal.id, state: terminal.state });
        }
        menu
    }

    /// Whether there is such a terminal, and it takes that.
    pub(super) fn accepts(&self, input: &Input) -> Result<(), CommandError> {
        if scope::CLUSTER && input.at > END_OF_TIME {
            return Err(CommandError::Impossible(Lab::new(Impossible::AfterTheEnd)));
        }
        if !self.terminals.contains_key(&input.terminal) && !self.can_open(input.terminal) {
            return Err(CommandError::NoSuchTerminal(input.terminal.0));
        }
        if let InputKind::Line(line) = &input.kind
            && line.len() as u64 > MOST_INPUT_BYTES
        {
            let bytes = line.len() as u64;
            return Err(CommandError::InputTooLong { bytes, most: MOST_INPUT_BYTES });
        }
        if let InputKind::Fault(fault) = &input.kind
            && let Some(fault) = fault.get()
        {
            self.check(*fault).map_err(|why| CommandError::Impossible(Lab::new(why)))?;
        }
        Ok(())
    }

    /// Lets time pass in which nothing happens: nothing may be due until then.
    pub(super) fn wait_until(&mut self, moment: SimTime) {
        let moment = if scope::CLUSTER { moment.min(END_OF_TIME) } else { moment };
        self.now = self.now.max(moment);
    }
}
