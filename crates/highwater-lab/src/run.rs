//! A run: a cluster with its terminals, the way back and forth through its story, and lines typed at it.

use std::rc::Rc;

use highwater_core::error::CommandError;
use highwater_core::ids::{EventId, TerminalId};
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::Snapshot;
use highwater_core::world::stream::{OutputKind, TerminalState};
use highwater_core::world::timeline::Timeline;
use highwater_shell::link::{SessionLog, replay};
use highwater_shell::process::ShellProcess;
use highwater_shell::session::Session;

use crate::story::{Stop, Story};
use crate::totals::Sample;

/// How far a step looks for something that happens.
const FAR: SimDuration = SimDuration::from_millis(15 * 60_000);
/// How long what the last stop has begun goes on behind it.
const REST: SimDuration = SimDuration::from_millis(2_000);
/// How long a reader may be silent before the person gets the word again.
const QUIET: SimDuration = SimDuration::from_millis(4_000);
/// How much time passes at once while a command runs.
const SLICE: SimDuration = SimDuration::from_millis(100);
/// How long it may go on altogether.
const READS_ON: SimDuration = SimDuration::from_millis(10_000);
/// How long a command may run before the reader gets the word again.
const LONG: SimDuration = SimDuration::from_millis(120_000);
/// How long a tool that reads on may take for a line: the console producer sends after a second.
const READS: SimDuration = SimDuration::from_millis(1_500);
/// What follows a command at once still belongs to it.
const AT_ONCE: SimDuration = SimDuration::from_millis(300);

/// A run. A copy is another future of the same past.
#[derive(Clone, Debug)]
pub struct Run {
    session: Session,
    story: Story,
    /// Inputs that came from a touch, as the events that say so, in order.
    touched: Vec<EventId>,
    beginning: Beginning,
}

/// Where what is shown of a run begins. What prepares it was played, and is neither told nor gone back to.
#[derive(Clone, Copy, Debug, Default)]
struct Beginning {
    /// So many stops come before it,
    stops: usize,
    /// so many steps of the world,
    step: u64,
    /// and so much output of the first terminal.
    chunks: usize,
}

impl Run {
    /// A new cluster.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn new(options: ClusterOptions) -> Result<Self, CommandError> {
        Session::new(options).map(Self::of)
    }

    /// What was played already.
    #[must_use]
    pub fn of(session: Session) -> Self {
        let (story, beginning) = (Story::default(), Beginning::default());
        let mut run = Self { session, story, touched: Vec::new(), beginning };
        run.note();
        run
    }

    /// A run that was written down, at the moment up to which it was played, and what went otherwise.
    ///
    /// # Errors
    /// An option of the cluster is out of range.
    pub fn replay(log: &SessionLog) -> Result<(Self, Vec<String>), CommandError> {
        let played = replay(log)?;
        let notes = played.notes.iter().map(ToString::to_string).collect();
        Ok((Self::of(played.session), notes))
    }

    /// The timeline.
    #[must_use]
    pub fn timeline(&self) -> &Timeline<ShellProcess> {
        self.session.timeline()
    }

    /// The session: what a terminal waits for.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The present moment.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.timeline().snapshot()
    }

    /// When that is.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.timeline().world().now()
    }

    /// How many steps the world has taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.timeline().world().steps()
    }

    /// The stops of the story, the future ones too.
    #[must_use]
    pub fn stops(&self) -> &[Stop] {
        self.story.stops().get(self.beginning.stops..).unwrap_or_default()
    }

    /// Lets what is shown begin at the present: what has happened so far prepares it.
    pub fn begin_here(&mut self) {
        let step = self.steps();
        let chunks = self.timeline().world().output(TerminalId(1)).len();
        self.beginning = Beginning { stops: self.story.passed(step), step, chunks };
    }

    /// How many steps the world had taken where it begins.
    #[must_use]
    pub fn begins_at(&self) -> u64 {
        self.beginning.step
    }

    /// How much of a terminal's output came before that.
    #[must_use]
    pub fn hidden_output(&self, terminal: TerminalId) -> usize {
        if terminal == TerminalId(1) { self.beginning.chunks } else { 0 }
    }

    /// The totals at each stop, the future ones too.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        self.story.samples().get(self.beginning.stops..).unwrap_or_default()
    }

    /// How many stops have happened.
    #[must_use]
    pub fn position(&self) -> usize {
        self.story.passed(self.steps()).saturating_sub(self.beginning.stops)
    }

    /// Whether there is a future that was played already.
    #[must_use]
    pub fn has_future(&self) -> bool {
        self.position() < self.stops().len()
    }

    /// Whether an input came from a touch.
    #[must_use]
    pub fn is_touched(&self, input: EventId) -> bool {
        self.touched.binary_search(&input).is_ok()
    }

    /// The stop that has just happened.
    #[must_use]
    pub fn last_stop(&self) -> Option<&Stop> {
        self.position().checked_sub(1).and_then(|index| self.stops().get(index))
    }

    /// What of a stop the story tells, oldest first; nothing, if it was too long ago.
    #[must_use]
    pub fn events_of(&self, stop: &Stop) -> Vec<Rc<Event>> {
        let events = self.timeline().events_between(stop.first, stop.last);
        let told = Story::default();
        events.filter(|event| told.kind_of(&event.kind).is_some()).cloned().collect()
    }

    /// The last record that got its partition since the world had taken so many steps.
    #[must_use]
    pub fn last_placed(&self, step: u64) -> Option<EventId> {
        let is_one = |event: &&Rc<Event>| matches!(event.kind, EventKind::RecordPartitioned { .. });
        let events = self.events();
        let since = events.iter().rev().take_while(|event| event.step > step);
        since.clone().find(is_one).map(|event| event.id)
    }

    /// The newest events that are kept, up to the present.
    #[must_use]
    pub fn events(&self) -> Vec<Rc<Event>> {
        let last = EventId(self.timeline().world().next_event().0.saturating_sub(1));
        self.timeline().events_between(EventId(0), last).cloned().collect()
    }

    /// What went wrong with records up to the present, newest first, as far as it is still known.
    #[must_use]
    pub fn last_hazards(&self, most: usize) -> Vec<Rc<Event>> {
        let newest = self.story.hazards(self.steps()).rev().take(most);
        newest.filter_map(|event| self.timeline().event(event)).collect()
    }

    /// Goes to a moment, as far as this future was played.
    pub fn seek_time(&mut self, at: SimTime) {
        self.session.timeline_mut().seek_time(at);
    }

    /// Goes to the moment after so many stops; 0 is the beginning. Behind the last one lies what was played of its
    /// consequences, such as the output of the last command.
    pub fn seek(&mut self, stops: usize) {
        let is_last = stops >= self.stops().len();
        let stop = stops.checked_sub(1).and_then(|index| self.stops().get(index));
        let step = stop.filter(|_| !is_last).map_or(u64::MAX, |stop| stop.step);
        self.session.timeline_mut().seek(if stops == 0 { self.beginning.step } else { step });
    }

    /// Goes to the moment after so many steps of the world, as far as this future was played.
    pub fn seek_step(&mut self, step: u64) {
        self.session.timeline_mut().seek(step);
    }

    /// Goes to the moment right after an event. Whether there is such an event.
    pub fn seek_event(&mut self, event: EventId) -> bool {
        let found = self.session.timeline_mut().seek_event(event);
        self.note();
        found
    }

    /// One stop on. Whether there is one: else the present stays, because nothing happens for long.
    pub fn forward(&mut self) -> bool {
        let position = self.position();
        if position < self.stops().len() {
            self.seek(position + 1);
            return true;
        }
        // Time that was only looked through must leave nothing behind.
        let here = self.clone();
        let found = self.run_to_stop(self.now() + FAR);
        if !found {
            *self = here;
            // But what is under way comes to its end: other brokers hear of what has happened.
            let rest = self.last_stop().map_or(self.now(), |stop| stop.at + REST);
            if rest > self.now() {
                self.session.timeline_mut().run_until(rest);
                self.note();
            }
        }
        found
    }

    /// One stop back. Whether there is one.
    pub fn back(&mut self) -> bool {
        let position = self.position();
        // Between two stops, the way back leads to the one before; behind the last one, one further.
        let is_between = position < self.stops().len()
            && self.last_stop().is_some_and(|stop| stop.step < self.steps());
        match if is_between { Some(position) } else { position.checked_sub(1) } {
            Some(before) => self.seek(before),
            None => return false,
        }
        true
    }

    /// One message or timer on. Whether there is one.
    pub fn detail_forward(&mut self) -> bool {
        let moved = self.session.timeline_mut().step();
        self.note();
        moved
    }

    /// One message or timer back.
    pub fn detail_back(&mut self) -> bool {
        let before = self.steps();
        self.session.timeline_mut().step_back();
        self.steps() < before
    }

    /// Lets time pass up to the next stop, or to that moment. Whether there was one.
    fn run_to_stop(&mut self, end: SimTime) -> bool {
        let story = &self.story;
        let wanted = |event: &EventKind| story.kind_of(event).is_some();
        let found = self.session.timeline_mut().run_to(&wanted, end).is_some();
        self.note();
        found
    }

    /// Types a line at a terminal, which is opened if it is the next one, and lets happen what comes of it. In the
    /// past this begins another future.
    ///
    /// # Errors
    /// The line is refused; nothing changes.
    pub fn type_line(
        &mut self,
        terminal: TerminalId,
        line: &str,
        touched: bool,
    ) -> Result<(), CommandError> {
        let input = self.input(terminal, InputKind::Line(line.to_owned()))?;
        if touched {
            self.touched.push(input);
        }
        self.settle(terminal);
        Ok(())
    }

    /// Presses a key at a terminal.
    ///
    /// # Errors
    /// It is refused; nothing changes.
    pub fn press(&mut self, terminal: TerminalId, key: InputKind) -> Result<(), CommandError> {
        self.input(terminal, key)?;
        self.settle(terminal);
        Ok(())
    }

    fn input(&mut self, terminal: TerminalId, kind: InputKind) -> Result<EventId, CommandError> {
        let (steps, next) = (self.steps(), self.timeline().world().next_event());
        let before = self.timeline().world().clone();
        let timeline = self.session.timeline_mut();
        timeline.input(terminal, kind, SimDuration(0))?;
        let input = timeline.stops().last().map_or(next, |stop| stop.input);
        self.story.forget_after(steps, next, || before.snapshot());
        self.touched.retain(|event| *event < input);
        self.note();
        Ok(input)
    }

    /// Lets happen what comes of an input: until the terminal waits, or nothing more comes of it for a while.
    fn settle(&mut self, terminal: TerminalId) {
        let is_endless = self.is_endless(terminal);
        let end = self.now() + if is_endless { READS_ON } else { LONG };
        let mut heard = self.now();
        while let Some(TerminalState::Busy) = self.state(terminal)
            && self.now() < end
        {
            // In small pieces: that a tool waits for a line, or that the shell is back, is no event.
            let until = (self.now() + SLICE).min(end);
            let story = &self.story;
            let wanted = |event: &EventKind| {
                story.kind_of(event).is_some() || matches!(event, EventKind::ProcessExited { .. })
            };
            let found = self.session.timeline_mut().run_to(&wanted, until).is_some();
            // The shell hears of the end of a command at the same moment.
            let now = self.now();
            self.session.timeline_mut().run_until(now);
            self.note();
            heard = if found { now } else { heard };
            if is_endless && now >= heard + QUIET {
                break;
            }
        }
        if self.state(terminal) == Some(TerminalState::ToolReads) {
            let until = self.now() + READS;
            self.session.timeline_mut().run_until(until);
            self.note();
        }
        let end = self.now() + SimDuration(4 * AT_ONCE.0);
        while self.run_to_stop((self.now() + AT_ONCE).min(end)) {}
    }

    /// The tool that runs in a terminal, as it was typed last: `kafka-console-consumer.sh`, `hw work`.
    #[must_use]
    pub fn foreground(&self, terminal: TerminalId) -> Option<String> {
        let chunks = self.timeline().world().output(terminal);
        let command = chunks.iter().rev().find(|chunk| chunk.kind == OutputKind::Command)?;
        let text = String::from_utf8_lossy(&command.bytes);
        let mut words = text.split_whitespace();
        let first = words.next()?;
        let second = if first == "hw" { words.next() } else { None };
        Some(second.map_or_else(|| first.to_owned(), |second| format!("{first} {second}")))
    }

    /// Whether what runs in a terminal reads until it is stopped.
    fn is_endless(&self, terminal: TerminalId) -> bool {
        let name = self.foreground(terminal).unwrap_or_default();
        matches!(name.as_str(), "kafka-console-consumer.sh" | "hw work" | "tail")
    }

    /// What a terminal waits for; `None`: it is not open.
    #[must_use]
    pub fn state(&self, terminal: TerminalId) -> Option<TerminalState> {
        self.timeline().world().terminal_state(terminal)
    }

    /// Whether a command that was begun there is not whole yet.
    #[must_use]
    pub fn is_unfinished(&self, terminal: TerminalId) -> bool {
        self.session.missing_at(terminal).is_some()
    }

    /// Looks at what has happened since the last time.
    fn note(&mut self) {
        let last = self.session.timeline().world().next_event();
        let timeline = self.session.timeline();
        for event in timeline.events_between(self.story.next(), last) {
            self.story.note(event);
        }
    }
}
