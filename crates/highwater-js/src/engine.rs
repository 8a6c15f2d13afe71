//! What each call of a `Cluster` does, without JavaScript: lines, steps, moments, links and transcripts.

use std::rc::Rc;

use highwater_core::ids::EventId;
use highwater_core::time::SimTime;
use highwater_core::world::event::Event;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions as Kind;
use highwater_core::world::snapshot::Snapshot;
use highwater_core::world::timeline::Timeline;
use highwater_scene::names::event_by_name;
use highwater_shell::link::{SessionLog, decode, encode, replay, transcript};
use highwater_shell::process::ShellProcess;
use highwater_shell::session::{Session, options_of, session_of};
use highwater_shell::transcript::Transcript;

use crate::failure::Failure;
use crate::options::ClusterOptions;
use crate::value::{Options, Value, short};
use crate::wire::{ClusterEvent, Moment, Outcome, SeekTarget};
use crate::{kind, time};

/// A cluster with one terminal, and the way through its time. A copy is another future of the same past.
#[derive(Clone, Debug)]
pub(crate) struct Engine {
    session: Session,
    /// The first inputs that came out of a link: each was given without waiting for what comes of it.
    replayed: usize,
    /// The furthest moment, and how many steps have been taken there.
    furthest: (SimTime, u64),
    /// What a link has to say for itself.
    notes: Vec<String>,
}

impl Engine {
    /// A new cluster.
    pub(crate) fn new(options: Value) -> Result<Self, Failure> {
        let kind = ClusterOptions::read(options)?.kind()?;
        Ok(Self::of(Session::new(kind)?, 0, Vec::new()))
    }

    /// The cluster in which a transcript's commands have been run. What it says that they print does not count.
    pub(crate) fn from_transcript(text: &str, options: Value) -> Result<Self, Failure> {
        let (transcript, kind) = read_transcript(text, options)?;
        let (session, _) = session_of(&transcript, kind)?;
        Ok(Self::of(session, 0, Vec::new()))
    }

    /// The cluster of a link, at the moment to which it leads.
    pub(crate) fn from_link(link: &str) -> Result<Self, Failure> {
        let (before, link) = link.split_at(link.find("play=").unwrap_or(0));
        let step = before.rsplit(['#', '&', '?']).find_map(|pair| pair.strip_prefix("step="));
        let opened = decode(link)?;
        let played = replay(&opened.log)?;
        let notes = opened.notes.iter().chain(&played.notes).map(ToString::to_string).collect();
        let replayed = played.session.timeline().stops().len();
        let mut engine = Self::of(played.session, replayed, notes);
        if let Some(step) = step.and_then(highwater_core::number::unsigned) {
            engine.session.timeline_mut().seek(step);
        }
        Ok(engine)
    }

    fn of(session: Session, replayed: usize, notes: Vec<String>) -> Self {
        let mut engine = Self { session, replayed, furthest: (SimTime(0), 0), notes };
        engine.note_furthest();
        engine
    }

    fn timeline(&self) -> &Timeline<ShellProcess> {
        self.session.timeline()
    }

    /// The cluster now.
    pub(crate) fn snapshot(&self) -> Snapshot {
        self.timeline().snapshot()
    }

    /// What a link has to say for itself.
    pub(crate) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The newest events that are kept, up to the present.
    pub(crate) fn events(&self) -> Vec<Rc<Event>> {
        self.events_since(EventId(0))
    }

    fn events_since(&self, first: EventId) -> Vec<Rc<Event>> {
        let next = self.next_event();
        let last = next.0.checked_sub(1).map(EventId);
        last.map_or_else(Vec::new, |last| {
            self.timeline().events_between(first, last).cloned().collect()
        })
    }

    fn next_event(&self) -> EventId {
        self.timeline().world().next_event()
    }

    /// Why it happened: the event, its cause, and so on to where it began.
    pub(crate) fn why(&self, event: EventId) -> Vec<Rc<Event>> {
        self.timeline().why(event)
    }

    /// Runs a command line to its end.
    pub(crate) fn run(&mut self, line: &str) -> Result<Outcome, Failure> {
        let first = self.next_event();
        let before = self.timeline().past_inputs().count();
        let outcome = self.session.run(line)?;
        // What came after has made way.
        self.replayed = self.replayed.min(before);
        self.furthest = (SimTime(0), 0);
        self.note_furthest();
        Ok(Outcome {
            output: outcome.output,
            exit: outcome.exit,
            events: self.told(first),
            time: time::micros(self.timeline().world().now()),
        })
    }

    /// The events since one, as JavaScript has them.
    fn told(&self, first: EventId) -> Vec<ClusterEvent> {
        let events = self.events_since(first);
        told(events.iter(), &self.snapshot())
    }

    fn note_furthest(&mut self) {
        let world = self.timeline().world();
        self.furthest = self.furthest.max((world.now(), world.steps()));
    }

    /// Where it is.
    pub(crate) fn moment(&self) -> Moment {
        self.moved(false, Vec::new())
    }

    fn moved(&self, moved: bool, events: Vec<ClusterEvent>) -> Moment {
        let world = self.timeline().world();
        let lines = self.lines();
        let behind = self.timeline().past_inputs().filter(|input| is_line(&input.kind)).count();
        Moment {
            time: time::micros(world.now()),
            step: world.steps(),
            command: count(behind),
            commands: count(lines.len()),
            moved,
            events,
        }
    }

    /// The places of the command lines among the inputs.
    fn lines(&self) -> Vec<usize> {
        let inputs = self.timeline().inputs().enumerate();
        inputs.filter(|(_, input)| is_line(&input.kind)).map(|(place, _)| place).collect()
    }

    /// One step of the world on.
    pub(crate) fn step(&mut self) -> Moment {
        let first = self.next_event();
        let moved = self.session.timeline_mut().step();
        self.note_furthest();
        self.moved(moved, self.told(first))
    }

    /// One step back.
    pub(crate) fn back(&mut self) -> Moment {
        let before = self.timeline().world().steps();
        self.session.timeline_mut().step_back();
        let moved = self.timeline().world().steps() < before;
        self.moved(moved, Vec::new())
    }

    /// Goes to a moment that was played.
    pub(crate) fn seek(&mut self, target: Value) -> Result<Moment, Failure> {
        let before = (self.timeline().world().now(), self.timeline().world().steps());
        match SeekTarget::read(target)? {
            SeekTarget::Command(command) => self.seek_command(command)?,
            SeekTarget::Time(at) if at > self.furthest.0.0 => {
                let end = self.furthest.0.0;
                return Err(Failure::own(
                    format!("time: {at} was not played; the furthest moment is {end}"),
                    "Let time pass first: `run(\"sleep 5\")`, or `step()`.",
                ));
            }
            SeekTarget::Time(at) => self.session.timeline_mut().seek_time(SimTime(at)),
            SeekTarget::Step(step) if step > self.furthest.1 => {
                let end = self.furthest.1;
                return Err(Failure::own(
                    format!("step: {step} was not played; the furthest is {end}"),
                    "Let time pass first: `step()`, or `run(\"sleep 5\")`.",
                ));
            }
            SeekTarget::Step(step) => self.session.timeline_mut().seek(step),
        }
        let now = (self.timeline().world().now(), self.timeline().world().steps());
        Ok(self.moved(now != before, Vec::new()))
    }

    /// Goes to the end of a command line.
    fn seek_command(&mut self, command: u32) -> Result<(), Failure> {
        let lines = self.lines();
        if command > count(lines.len()) {
            return Err(Failure::own(
                format!("command: there is no line {command}, there are {}", lines.len()),
                format!("Give a number from 0 to {}; 0 is the beginning.", lines.len()),
            ));
        }
        // What was pressed while a line ran belongs to it: its end is where the next one begins.
        let next = lines.get(command as usize).copied();
        let all = self.timeline().stops().len();
        let last = next.unwrap_or(all).checked_sub(1);
        let stop = last.and_then(|place| self.timeline().stops().get(place));
        let step = match (command, last, stop) {
            (0, ..) | (_, None, _) | (.., None) => 0,
            (_, Some(last), Some(stop)) if last >= self.replayed => stop.step,
            // Out of a link: a line ends where the next one begins, or where the link leads.
            _ => next.map_or(self.furthest.1, |next| self.step_before_input(next)),
        };
        self.session.timeline_mut().seek(step);
        Ok(())
    }

    /// So many steps had been taken before an input.
    fn step_before_input(&self, place: usize) -> u64 {
        let input = self.timeline().stops().get(place).map(|stop| stop.input);
        let event = input.and_then(|input| self.timeline().event(input));
        event.map_or(self.furthest.1, |event| event.step.saturating_sub(1))
    }

    /// The fragment of a link to this moment.
    pub(crate) fn link(&self) -> Result<String, Failure> {
        let fragment = encode(&SessionLog::of(self.timeline()))?;
        let world = self.timeline().world();
        // A link leads to a time. Where more happens at that time, the step says how far.
        let is_between = world.steps() < self.furthest.1
            || world.next_due().is_some_and(|due| due <= world.now());
        let step = if is_between { format!("step={}&", world.steps()) } else { String::new() };
        Ok(step + &fragment)
    }

    /// The commands so far as a transcript, with what they print.
    pub(crate) fn transcript(&self) -> Result<String, Failure> {
        let written = transcript(&SessionLog::of(self.timeline()));
        let written = written.map_err(|why| {
            Failure::own(why, "Keep `link()` instead: it carries all that was done.")
        })?;
        Ok(written.write())
    }
}

impl SeekTarget {
    /// Reads it.
    fn read(value: Value) -> Result<Self, Failure> {
        const NAMES: [&str; 3] = ["command", "time", "step"];
        let remedy = "Give one of { command }, { time } and { step }.";
        let given = match value {
            Value::Object(_) => Options::read(value, &NAMES)?,
            other => {
                let message = format!("where to go is an object, not {}", other.kind());
                return Err(Failure::own(message, remedy));
            }
        };
        let command = given.number("command", 0, u32::MAX.into())?.map(Self::Command);
        let time = given.number("time", 0, u64::MAX.into())?.map(Self::Time);
        let step = given.number("step", 0, u64::MAX.into())?.map(Self::Step);
        let mut targets = [command, time, step].into_iter().flatten();
        match (targets.next(), targets.next()) {
            (Some(target), None) => Ok(target),
            (None, _) => Err(Failure::own("this says nothing of where to go", remedy)),
            (Some(_), Some(_)) => Err(Failure::own("this says twice where to go", remedy)),
        }
    }
}

/// A transcript, and the cluster that it asks for.
pub(crate) fn read_transcript(text: &str, options: Value) -> Result<(Transcript, Kind), Failure> {
    let base = ClusterOptions::read_beside_transcript(options)?.kind()?;
    let transcript = Transcript::parse(text)?;
    if transcript.blocks.is_empty() {
        return Err(Failure::own(
            format!("there is no command in this transcript: \"{}\"", short(text)),
            "Begin each command with `$ `, as in `$ kafka-topics.sh --list ...`.",
        ));
    }
    let kind = options_of(&transcript, &base);
    Ok((transcript, kind))
}

/// Events as JavaScript has them, with the names of a moment.
pub(crate) fn told<'a>(
    events: impl Iterator<Item = &'a Rc<Event>>,
    moment: &Snapshot,
) -> Vec<ClusterEvent> {
    let one = |event: &Rc<Event>| ClusterEvent {
        id: event.id.0,
        step: event.step,
        time: time::micros(event.at),
        kind: kind::name(&event.kind).to_owned(),
        sentence: event_by_name(&event.kind, moment),
        cause: event.cause.map(|cause| cause.0),
        is_story: event.kind.is_story(),
    };
    events.map(one).collect()
}

fn is_line(kind: &InputKind) -> bool {
    matches!(kind, InputKind::Line(_))
}

fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}
