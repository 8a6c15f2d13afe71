//! The timeline: the inputs of one run, and the way back and forth through it.
//!
//! Only inputs are history; everything else follows from them. A seek clones the nearest checkpoint
//! before the moment and plays on from there. An input in the past makes another future; the one
//! that it replaces is kept, so that the reader can go back to it.

use std::rc::Rc;

use crate::error::CommandError;
use crate::ids::{EventId, TerminalId};
use crate::time::{SimDuration, SimTime};
use crate::world::event::Event;
use crate::world::input::{Input, InputKind};
use crate::world::process::Process;
use crate::world::snapshot::Snapshot;
use crate::world::stream::TerminalState;
use crate::world::world::World;

/// Steps between two checkpoints.
const CHECKPOINT_EVERY: u64 = 2_000;
/// So many of the newest event bodies are kept, at most twice as many; older ones are recomputed.
const EVENTS_KEPT: usize = 10_000;
/// How long time goes on after an input while a tool waits for the next line.
const SETTLE: SimDuration = SimDuration::from_millis(1_500);
/// Steps that one call may take: a run that never rests must not hang the page.
const MOST_STEPS: u64 = 5_000_000;

/// A moment at which a reader wants to stop: an input and what came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The input's event.
    pub input: EventId,
    /// The world has taken so many steps when all that came of the input has happened.
    pub step: u64,
    /// When that is.
    pub at: SimTime,
    /// The last event that has happened then.
    pub last_event: EventId,
}

/// A run that was left behind by an input in the past.
#[derive(Clone, Debug)]
pub struct Branch {
    inputs: Vec<(u64, Input)>,
    stops: Vec<Stop>,
    head: u64,
    /// The steps that both runs share.
    pub shared_steps: u64,
}

/// A world with its past and, after a seek back, its future.
#[derive(Clone, Debug)]
pub struct Timeline<P: Process> {
    world: World<P>,
    /// Each input with the number of steps that the world had taken before it.
    inputs: Vec<(u64, Input)>,
    stops: Vec<Stop>,
    checkpoints: Vec<World<P>>,
    /// The furthest step that was reached on this branch.
    head: u64,
    events: Vec<Rc<Event>>,
    left: Option<Branch>,
}

impl<P: Process> Timeline<P> {
    /// Begins at the world's present.
    #[must_use]
    pub fn new(mut world: World<P>) -> Self {
        world.take_events();
        let head = world.steps();
        Self {
            checkpoints: vec![world.clone()],
            world,
            inputs: Vec::new(),
            stops: Vec::new(),
            head,
            events: Vec::new(),
            left: None,
        }
    }

    /// The world at the present moment.
    #[must_use]
    pub fn world(&self) -> &World<P> {
        &self.world
    }

    /// The world's snapshot.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.world.snapshot()
    }

    /// Where a reader may stop, in order; also those that lie in the future.
    #[must_use]
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// How many stops lie behind the present.
    #[must_use]
    pub fn stops_passed(&self) -> u32 {
        let here = self.world.steps();
        let passed = self.stops.partition_point(|stop| stop.step <= here);
        u32::try_from(passed).unwrap_or(u32::MAX)
    }

    /// The inputs of this branch, the future ones too.
    pub fn inputs(&self) -> impl Iterator<Item = &Input> {
        self.inputs.iter().map(|(_, input)| input)
    }

    /// The run that the last input in the past has replaced.
    #[must_use]
    pub fn left_branch(&self) -> Option<&Branch> {
        self.left.as_ref()
    }

    /// Gives an input now and runs until the terminal waits again, `limit` at most. What is due at
    /// this very moment happens first. In the past this replaces the future.
    ///
    /// # Errors
    /// The input is refused; nothing changes.
    pub fn input(
        &mut self,
        terminal: TerminalId,
        kind: InputKind,
        limit: SimDuration,
    ) -> Result<(), CommandError> {
        let mut world = self.world.clone();
        let mut events = Vec::new();
        while world.next_due().is_some_and(|due| due <= world.now()) {
            world.step();
            events.append(&mut world.take_events());
        }
        let input = Input { at: world.now(), terminal, kind };
        let at_step = world.steps();
        let input_event = world.next_event();
        world.apply(&input)?;
        self.forget_future();
        self.world = world;
        self.inputs.push((at_step, input));
        events.append(&mut self.world.take_events());
        self.keep(events);
        self.run_until_waiting(terminal, limit);
        self.head = self.world.steps();
        self.stops.push(Stop {
            input: input_event,
            step: self.head,
            at: self.world.now(),
            last_event: EventId(self.world.next_event().0 - 1),
        });
        Ok(())
    }

    /// Lets time pass without input, `span` at most; the queue may end before.
    pub fn run_for(&mut self, span: SimDuration) {
        let end = self.world.now() + span;
        let mut steps = 0;
        while steps < MOST_STEPS && self.world.next_due().is_some_and(|due| due <= end) {
            self.advance();
            steps += 1;
        }
        self.head = self.head.max(self.world.steps());
    }

    /// Goes to the moment after so many steps, at most to the furthest that was reached.
    pub fn seek(&mut self, step: u64) {
        let first = self.checkpoints.first().map_or(0, World::steps);
        let step = step.clamp(first, self.head);
        if step < self.world.steps() || self.checkpoint_before(step) > self.world.steps() {
            let before = self.checkpoint_before(step);
            if let Some(world) = self.checkpoints.iter().find(|world| world.steps() == before) {
                self.world = world.clone();
            }
        }
        while self.world.steps() < step {
            self.advance();
        }
    }

    /// Goes to a stop; 0 is the beginning, n the moment after the n-th input.
    pub fn seek_stop(&mut self, number: u32) {
        let stop = number.checked_sub(1).and_then(|index| self.stops.get(index as usize));
        match stop {
            Some(stop) => self.seek(stop.step),
            None if number == 0 => self.seek(0),
            None => self.seek(self.head),
        }
    }

    /// Goes back to the run that the last input in the past has replaced; that input is what is
    /// left behind now.
    pub fn return_to_left_branch(&mut self) {
        let Some(branch) = self.left.take() else { return };
        let shared = branch.shared_steps;
        self.seek(shared);
        let mine = Branch {
            inputs: std::mem::take(&mut self.inputs),
            stops: std::mem::take(&mut self.stops),
            head: self.head,
            shared_steps: shared,
        };
        self.drop_after_present();
        self.inputs = branch.inputs;
        self.stops = branch.stops;
        self.head = branch.head;
        self.left = Some(mine);
        self.seek(self.head);
    }

    /// An event of this branch, by its number. Old bodies are recomputed.
    #[must_use]
    pub fn event(&self, id: EventId) -> Option<Rc<Event>> {
        let oldest = self.events.first().map(|event| event.id);
        if oldest.is_some_and(|oldest| oldest <= id) {
            let index = self.events.partition_point(|event| event.id < id);
            return self.events.get(index).filter(|event| event.id == id).cloned();
        }
        self.recompute(id)
    }

    /// Why did it happen? The event, its cause, the cause of that, and so on to where it began.
    #[must_use]
    pub fn why(&self, id: EventId) -> Vec<Rc<Event>> {
        let mut chain = Vec::new();
        let mut next = Some(id);
        while let Some(event) = next.and_then(|id| self.event(id)) {
            // Causes come before their effects; anything else would be a loop.
            next = event.cause.filter(|cause| *cause < event.id);
            chain.push(event);
        }
        chain
    }

    /// Events from `first` to `last`, oldest first, as far as they are still kept.
    pub fn events_between(
        &self,
        first: EventId,
        last: EventId,
    ) -> impl Iterator<Item = &Rc<Event>> {
        let begin = self.events.partition_point(|event| event.id < first);
        self.events.iter().skip(begin).take_while(move |event| event.id <= last)
    }

    /// One step of the present: the recorded input if one belongs here, else the queue's next.
    fn advance(&mut self) {
        let here = self.world.steps();
        let next = self.inputs.partition_point(|(step, _)| *step < here);
        let recorded = self.inputs.get(next).filter(|(step, _)| *step == here);
        let moved = match recorded {
            Some((_, input)) => self.world.apply(input).is_ok(),
            None => self.world.step(),
        };
        if !moved {
            // Nothing is left to do: the head was reached.
            self.head = here;
        }
        let events = self.world.take_events();
        self.keep(events);
        let steps = self.world.steps();
        let newest = self.checkpoints.last().map_or(0, World::steps);
        if steps >= newest + CHECKPOINT_EVERY {
            self.checkpoints.push(self.world.clone());
            self.thin_checkpoints();
        }
    }

    fn run_until_waiting(&mut self, terminal: TerminalId, limit: SimDuration) {
        let end = self.world.now() + limit;
        let mut since = None;
        for _ in 0..MOST_STEPS {
            let now = self.world.now();
            // What happens at this very moment still belongs to the input. So does what a tool that
            // reads on makes of a line within `SETTLE`: the console producer sends after a second.
            let until = match self.world.terminal_state(terminal) {
                Some(TerminalState::Busy) => {
                    since = None;
                    end
                }
                Some(TerminalState::ToolReads) => (*since.get_or_insert(now) + SETTLE).min(end),
                Some(TerminalState::Ready) | None => now,
            };
            if self.world.next_due().is_none_or(|due| due > until) {
                break;
            }
            self.advance();
        }
    }

    fn keep(&mut self, events: Vec<Rc<Event>>) {
        let newest = self.events.last().map(|event| event.id);
        for event in events {
            if newest.is_none_or(|newest| event.id > newest) {
                self.events.push(event);
            }
        }
        if self.events.len() > 2 * EVENTS_KEPT {
            self.events.drain(..self.events.len() - EVENTS_KEPT);
        }
    }

    fn checkpoint_before(&self, step: u64) -> u64 {
        let after = self.checkpoints.partition_point(|world| world.steps() <= step);
        after.checked_sub(1).and_then(|i| self.checkpoints.get(i)).map_or(0, World::steps)
    }

    /// Keeps few of the old checkpoints: each gap may be as long as its distance to the newest.
    fn thin_checkpoints(&mut self) {
        let newest = self.checkpoints.last().map_or(0, World::steps);
        let mut index = 1;
        while index + 1 < self.checkpoints.len() {
            let gap = self.checkpoints[index + 1].steps() - self.checkpoints[index - 1].steps();
            let age = newest - self.checkpoints[index].steps();
            if gap * 4 <= age {
                self.checkpoints.remove(index);
            } else {
                index += 1;
            }
        }
    }

    /// The future of this branch becomes the branch that was left.
    fn forget_future(&mut self) {
        let here = self.world.steps();
        if self.head > here {
            self.left = Some(Branch {
                inputs: self.inputs.clone(),
                stops: self.stops.clone(),
                head: self.head,
                shared_steps: here,
            });
        }
        self.drop_after_present();
    }

    fn drop_after_present(&mut self) {
        let here = self.world.steps();
        let next_event = self.world.next_event();
        self.inputs.retain(|(step, _)| *step < here);
        self.stops.retain(|stop| stop.step <= here);
        self.checkpoints.retain(|world| world.steps() <= here);
        self.events.retain(|event| event.id < next_event);
        self.head = here;
    }

    fn recompute(&self, id: EventId) -> Option<Rc<Event>> {
        let before = self.checkpoints.iter().rev().find(|world| world.next_event() <= id)?;
        let mut replay = Self {
            world: before.clone(),
            inputs: self.inputs.clone(),
            stops: Vec::new(),
            checkpoints: vec![before.clone()],
            head: self.head,
            events: Vec::new(),
            left: None,
        };
        while replay.world.next_event() <= id && replay.world.steps() < self.head {
            replay.advance();
        }
        replay.events.iter().find(|event| event.id == id).cloned()
    }
}
