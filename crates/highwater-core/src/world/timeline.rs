//! The timeline: the inputs of one run, and the way back and forth through it.
//!
//! Only inputs are history; everything else follows from them. A seek begins at the nearest checkpoint
//! before the moment and plays on from there. An input in the past makes another future; the one
//! that it replaces is kept, so that the reader can go back to it.

mod branch;

use std::rc::Rc;

use crate::error::CommandError;
use crate::ids::{EventId, TerminalId};
use crate::scope;
use crate::time::{SimDuration, SimTime};
use crate::world::checkpoints::Checkpoints;
use crate::world::event::{Event, EventKind};
use crate::world::input::{Input, InputKind};
use crate::world::lull::Wakes;
use crate::world::options::ClusterOptions;
use crate::world::process::Process;
use crate::world::snapshot::Snapshot;
use crate::world::stream::TerminalState;
use crate::world::world::World;

pub use self::branch::Branch;

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

/// A world with its past and, after a seek back, its future.
#[derive(Clone, Debug)]
pub struct Timeline<P: Process> {
    world: World<P>,
    /// Each input with the number of steps that the world had taken before it.
    inputs: Vec<(u64, Input)>,
    wakes: Wakes,
    stops: Vec<Stop>,
    checkpoints: Checkpoints<P>,
    /// The furthest step that was reached on this branch.
    head: u64,
    events: Vec<Rc<Event>>,
    left: Option<Branch>,
}

impl<P: Process> Timeline<P> {
    /// Begins with a new cluster that has one terminal with this shell in it.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn begin(
        options: ClusterOptions,
        shell: fn() -> P,
    ) -> Result<(Self, TerminalId), CommandError> {
        let (checkpoints, world, terminal) = Checkpoints::begin(options, shell)?;
        let timeline = Self {
            checkpoints,
            head: world.steps(),
            world,
            inputs: Vec::new(),
            wakes: Wakes::default(),
            stops: Vec::new(),
            events: Vec::new(),
            left: None,
        };
        Ok((timeline, terminal))
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

    /// The inputs that lie behind the present.
    pub fn past_inputs(&self) -> impl DoubleEndedIterator<Item = &Input> {
        let here = self.world.steps();
        let passed = self.inputs.partition_point(|(step, _)| *step < here);
        self.inputs.iter().take(passed).map(|(_, input)| input)
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
        let input = Input { at: self.world.now(), terminal, kind };
        if scope::CLUSTER
            && let Some(awake) = self.world.awake()
        {
            // Woken for this input, it goes another way from where it fell asleep.
            awake.accepts(&input)?;
            self.forget_future();
            self.wake(awake);
        } else {
            self.check(&input)?;
        }
        while self.is_due_by(input.at) {
            self.advance();
        }
        self.forget_future();
        let world = &mut self.world;
        let input_event = world.next_event();
        self.inputs.push((world.steps(), input.clone()));
        world.apply(&input)?;
        self.keep_new();
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

    fn is_due_by(&self, moment: SimTime) -> bool {
        self.world.next_due().is_some_and(|due| due <= moment)
    }

    /// Whether an input will be taken after all that is due at its moment, without letting that happen.
    fn check(&self, input: &Input) -> Result<(), CommandError> {
        if !scope::CLUSTER || !self.is_due_by(input.at) {
            // Without faults, what is refused is always refused.
            return self.world.accepts(input);
        }
        let mut ahead = self.world.clone();
        while ahead.next_due().is_some_and(|due| due <= input.at)
            && advance(&mut ahead, &self.inputs)
        {
            ahead.forget_events();
        }
        ahead.accepts(input)
    }

    /// Lets time pass without input, `span` at most; the queue may end before.
    pub fn run_for(&mut self, span: SimDuration) {
        self.run_until(self.world.now() + span);
    }

    /// Lets time pass up to a moment; what is recorded as input until then happens again.
    pub fn run_until(&mut self, end: SimTime) {
        self.run_to(&|_| false, end);
    }

    /// Lets time pass until nothing is left to happen. Whether it came to that: a consumer that waits
    /// for ever never rests.
    pub fn run_until_idle(&mut self) -> bool {
        self.run_until(SimTime(u64::MAX));
        self.next_at().is_none()
    }

    /// Lets time pass until something of this kind has happened, or until a moment. Which event it was.
    pub fn run_to(
        &mut self,
        is_wanted: &dyn Fn(&EventKind) -> bool,
        end: SimTime,
    ) -> Option<EventId> {
        let mut found = None;
        for _ in 0..MOST_STEPS {
            if found.is_some() || self.next_at().is_none_or(|next| next > end) {
                break;
            }
            let first = self.world.next_event();
            self.advance();
            let last = EventId(self.world.next_event().0 - 1);
            let wanted = |event: &&Rc<Event>| is_wanted(&event.kind);
            found = self.events_between(first, last).find(wanted).map(|event| event.id);
        }
        self.head = self.head.max(self.world.steps());
        if found.is_none() {
            self.wait_until(end);
        }
        found
    }

    /// Nothing happens until then, but time passes.
    fn wait_until(&mut self, moment: SimTime) {
        if moment < SimTime(u64::MAX) && self.next_at().is_none_or(|next| next > moment) {
            self.world.wait_until(moment);
        }
    }

    /// Takes the next step, recorded or new. Whether there was one.
    pub fn step(&mut self) -> bool {
        let is_there = self.next_at().is_some();
        if scope::CLUSTER
            && self.head <= self.world.steps()
            && let Some(awake) = self.world.awake()
        {
            // Whoever takes steps wants the next one, not the one that would wake the world.
            self.wake(awake);
        }
        self.advance();
        self.head = self.head.max(self.world.steps());
        is_there
    }

    /// Takes the last step back.
    pub fn step_back(&mut self) {
        self.seek(self.world.steps().saturating_sub(1));
    }

    /// When the next thing happens: a recorded input or a step of the queue.
    fn next_at(&self) -> Option<SimTime> {
        let recorded = recorded_at(&self.inputs, self.world.steps());
        if scope::CLUSTER
            && recorded.is_none()
            && let Some(at) = self.world.woken_at(&self.wakes)
        {
            return Some(at);
        }
        recorded.map(|input| input.at).or_else(|| self.world.next_due())
    }

    /// Goes to a moment, at most to the furthest step that was reached.
    pub fn seek_time(&mut self, at: SimTime) {
        let kept = self.checkpoints.before_time(at);
        if self.world.now() > at || kept > self.world.steps() {
            self.begin_at(kept);
        }
        while self.world.steps() < self.head && self.next_at().is_some_and(|next| next <= at) {
            self.advance();
        }
        self.wait_until(at);
    }

    /// Goes to the moment right after an event of this branch. Whether there is such an event.
    pub fn seek_event(&mut self, id: EventId) -> bool {
        let step = self.event(id).map(|event| event.step);
        if let Some(step) = step {
            self.seek(step);
        }
        step.is_some()
    }

    /// Goes to the moment after so many steps, at most to the furthest that was reached.
    pub fn seek(&mut self, step: u64) {
        let step = step.clamp(self.checkpoints.first_step(), self.head);
        if step < self.world.steps() || self.checkpoints.before_step(step) > self.world.steps() {
            self.begin_at(step);
        }
        while self.world.steps() < step {
            self.advance();
        }
    }

    /// Goes to the nearest moment that is kept before so many steps.
    #[inline(never)]
    fn begin_at(&mut self, step: u64) {
        self.world = self.checkpoints.at_step(step);
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

    /// An event of this branch, by its number. Old bodies are recomputed.
    #[must_use]
    pub fn event(&self, id: EventId) -> Option<Rc<Event>> {
        let oldest = self.events.first().map(|event| event.id);
        if oldest.is_some_and(|oldest| oldest <= id) {
            let found = self.events.get(self.place_of(id));
            return found.filter(|event| event.id == id).cloned();
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
        self.events.iter().skip(self.place_of(first)).take_while(move |event| event.id <= last)
    }

    /// How many kept events are older than that one. They are numbered one after another: a search at
    /// each step would cost as much as many a step.
    fn place_of(&self, id: EventId) -> usize {
        let [oldest, .., newest] = self.events.as_slice() else {
            return self.events.partition_point(|event| event.id < id);
        };
        if id > newest.id {
            return self.events.len();
        }
        let guess = usize::try_from(id.0.saturating_sub(oldest.id.0)).unwrap_or(usize::MAX);
        match self.events.get(guess) {
            Some(event) if event.id == id => guess,
            _ => self.events.partition_point(|event| event.id < id),
        }
    }

    /// The moments that it goes back to, oldest first.
    #[must_use]
    pub fn checkpoints(&self) -> &[World<P>] {
        self.checkpoints.kept()
    }

    /// How many event bodies are kept.
    #[must_use]
    pub fn events_kept(&self) -> usize {
        self.events.len()
    }

    /// One step of the present.
    fn advance(&mut self) {
        if scope::CLUSTER {
            self.world.wake_as_recorded(&self.wakes);
        }
        if !advance(&mut self.world, &self.inputs) {
            // Nothing is left to do: the head was reached.
            self.head = self.world.steps();
        }
        self.keep_new();
        self.checkpoints.note(&self.world);
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

    /// Keeps what has just happened, unless it is kept already: then it happens once more.
    fn keep_new(&mut self) {
        let newest = self.events.last().map(|event| event.id);
        for event in self.world.drain_events() {
            if newest.is_none_or(|newest| event.id > newest) {
                self.events.push(Rc::new(event));
            }
        }
        if self.events.len() > 2 * EVENTS_KEPT {
            self.events.drain(..self.events.len() - EVENTS_KEPT);
        }
    }

    /// The future of this branch becomes the branch that was left.
    fn forget_future(&mut self) {
        let is_past = self.head > self.world.steps();
        let future = self.leave_future();
        if is_past {
            self.left = Some(future);
        }
    }

    /// Ends this branch at the present; returns what came after it.
    fn leave_future(&mut self) -> Branch {
        let here = self.world.steps();
        let next_event = self.world.next_event();
        let inputs = self.inputs.partition_point(|(step, _)| *step < here);
        let stops = self.stops.partition_point(|stop| stop.step <= here);
        self.events.truncate(self.events.partition_point(|event| event.id < next_event));
        self.checkpoints.drop_after(here);
        Branch {
            inputs: self.inputs.split_off(inputs),
            wakes: self.wakes.split_off(here),
            stops: self.stops.split_off(stops),
            head: std::mem::replace(&mut self.head, here),
            shared_steps: here,
        }
    }

    /// The world sleeps no longer; this is what it is then. It will be woken there again.
    fn wake(&mut self, awake: World<P>) {
        self.wakes.note(self.world.steps(), self.world.now());
        self.world = awake;
        self.keep_new();
    }

    fn recompute(&self, id: EventId) -> Option<Rc<Event>> {
        let mut world = self.checkpoints.before_event(id);
        let follow = |world: &mut World<P>| {
            if scope::CLUSTER {
                world.wake_as_recorded(&self.wakes);
            }
            advance(world, &self.inputs)
        };
        while world.next_event() <= id && world.steps() < self.head && follow(&mut world) {
            let found = world.drain_events().find(|event| event.id == id).map(Rc::new);
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

/// One step of a world: the recorded input if one belongs here, else the queue's next. Whether there
/// was one.
fn advance<P: Process>(world: &mut World<P>, inputs: &[(u64, Input)]) -> bool {
    match recorded_at(inputs, world.steps()) {
        Some(input) => world.apply(input).is_ok(),
        None => world.step(),
    }
}

/// The input that comes after so many steps.
fn recorded_at(inputs: &[(u64, Input)], step: u64) -> Option<&Input> {
    let next = inputs.partition_point(|(before, _)| *before < step);
    inputs.get(next).filter(|(before, _)| *before == step).map(|(_, input)| input)
}
