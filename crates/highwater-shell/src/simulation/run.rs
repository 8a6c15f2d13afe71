//! A plan being played: lines are typed, and all invariants are looked at after each step.

use std::rc::Rc;

use highwater_core::ids::TerminalId;
use highwater_core::invariant::{Hazards, Watch};
use highwater_core::world::event::Event;
use highwater_core::world::input::{Input, InputKind};
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::power::Power;
use highwater_core::world::stream::{OutputKind, TerminalState};
use highwater_core::world::world::World;

use crate::process::ShellProcess;
use crate::simulation::{Failure, failed};

/// The longest that one command may take, in virtual microseconds.
const LONGEST: u64 = 600_000_000;
/// Steps after which a command counts as one that never ends.
const MOST_STEPS: u32 = 2_000_000;

/// A plan being played.
#[derive(Debug)]
pub struct Run {
    world: World<ShellProcess>,
    terminal: TerminalId,
    watch: Watch,
    /// Records that `hw produce` was told are committed: the place and the value.
    acknowledged: Vec<(i32, i64, String)>,
    /// What has happened, if it is to be remembered.
    pub story: Option<Vec<Rc<Event>>>,
}

impl Run {
    /// A cluster with a terminal.
    ///
    /// # Errors
    /// There is no such cluster.
    pub fn new(options: ClusterOptions) -> Result<Self, Failure> {
        let world = World::new(options);
        let mut world = world.map_err(|error| failed("ClusterIsMade", &error.to_string()))?;
        let terminal = world.open_terminal(ShellProcess::shell());
        let (watch, acknowledged) = (Watch::default(), Vec::new());
        Ok(Self { world, terminal, watch, acknowledged, story: None })
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World<ShellProcess> {
        &self.world
    }

    /// The terminal.
    #[must_use]
    pub fn terminal(&self) -> TerminalId {
        self.terminal
    }

    /// What was allowed to go wrong, and did.
    #[must_use]
    pub fn watched(&self) -> Hazards {
        self.watch.hazards()
    }

    /// Records that `hw produce` was told are committed: partition, offset, value.
    pub(super) fn acknowledged(&self) -> impl Iterator<Item = &(i32, i64, String)> {
        self.acknowledged.iter()
    }

    /// Types a line and takes steps until it is done; looks at all invariants after each step.
    ///
    /// # Errors
    /// A rule is broken, or the line never ends.
    pub fn line(&mut self, line: &str) -> Result<(), Failure> {
        let before = self.world.output(self.terminal).len();
        while self.world.next_due().is_some_and(|due| due <= self.world.now()) {
            self.step()?;
        }
        let (at, terminal) = (self.world.now(), self.terminal);
        let input = Input { at, terminal, kind: InputKind::Line(line.to_owned()) };
        self.world.apply(&input).map_err(|error| failed("InputTaken", &error.to_string()))?;
        for _ in 0..MOST_STEPS {
            let ready = self.world.terminal_state(terminal) == Some(TerminalState::Ready);
            let late = self.world.now().0 - at.0 > LONGEST;
            if ready && self.world.next_due().is_none_or(|due| due > self.world.now()) {
                self.note_acknowledged(line, before);
                return Ok(());
            }
            if late || self.world.next_due().is_none() {
                return Err(failed("CommandsEnd", line));
            }
            self.step()?;
        }
        Err(failed("TheWorldComesToRest", line))
    }

    fn step(&mut self) -> Result<(), Failure> {
        self.world.step();
        let events = self.world.take_events();
        if let Some(story) = self.story.as_mut() {
            story.extend(events);
        }
        match self.watch.observe(&self.world).into_iter().next() {
            Some(violation) => Err(failed(violation.rule, &violation.found)),
            None => Ok(()),
        }
    }

    /// `hw produce` prints where its record is.
    fn note_acknowledged(&mut self, line: &str, before: usize) {
        let Some((_, value)) = line.split_once("--value ") else { return };
        for chunk in self.world.output(self.terminal).iter().skip(before) {
            let text = String::from_utf8_lossy(&chunk.bytes);
            let place =
                text.trim().strip_prefix("a-").and_then(|rest| rest.split_once(", offset "));
            if let Some((partition, offset)) = place
                && let (Ok(partition), Ok(offset)) = (partition.parse(), offset.parse())
            {
                self.acknowledged.push((partition, offset, value.to_owned()));
            }
        }
    }

    /// Everything is put right; then there is time to come to rest.
    ///
    /// # Errors
    /// A rule is broken.
    pub fn heal(&mut self) -> Result<(), Failure> {
        self.line("hw heal 2>/dev/null")?;
        let ids: Vec<_> = self.world.brokers().keys().copied().collect();
        for id in ids {
            match self.world.power(id) {
                Some(Power::Paused(_)) => self.line(&format!("hw resume {id}"))?,
                Some(Power::Off) => self.line(&format!("hw start {id}"))?,
                _ => {}
            }
        }
        self.line("sleep 200")
    }

    /// How many pieces of output there are so far.
    pub(super) fn printed(&self) -> usize {
        self.world.output(self.terminal).len()
    }

    /// What was printed after so many pieces.
    pub(super) fn printed_since(&self, chunk: usize) -> String {
        let chunks = self.world.output(self.terminal).iter().skip(chunk);
        let chunks = chunks.filter(|chunk| chunk.kind == OutputKind::Stdout);
        chunks.map(|chunk| String::from_utf8_lossy(&chunk.bytes).into_owned()).collect()
    }
}
