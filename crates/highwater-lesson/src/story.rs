//! A figure's story: the run that it shows, where in it the reader is, and what the reader adds.
//!
//! The page builder asks it for the first frame and the page for every other one, so both show the
//! same. It knows no DOM and holds no rule of Kafka.

use std::rc::Rc;

use highwater_core::error::CommandError;
use highwater_core::ids::{Bytes, EventId};
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::Snapshot;
use highwater_core::world::stream::TerminalState;
use highwater_core::world::timeline::Stop;
use highwater_scene::frame::StepMark;
use highwater_scene::keys::Keys;
use highwater_shell::session::{ENTER_LIMIT, RUN_LIMIT, Session};

use crate::script::Script;

/// The run of one figure.
#[derive(Clone, Debug)]
pub struct Story {
    scripts: Vec<Script>,
    /// The script that was played from the start.
    base: String,
    session: Session,
    /// Stops that prepare the scene: before the first record.
    setup: u32,
    topic: String,
    keys: Keys,
    /// Whether the reader has typed something since the script was played.
    is_own: bool,
    /// The reader's own run, which a button in the text has replaced.
    kept: Option<Box<Kept>>,
}

/// A run that can be returned to.
#[derive(Clone, Debug)]
struct Kept {
    base: String,
    session: Session,
    setup: u32,
}

impl Story {
    /// Plays the first script to its end and goes back to the moment when `at` steps of it have
    /// happened.
    ///
    /// # Errors
    /// There is no script, or its cluster cannot be made.
    pub fn new(scripts: Vec<Script>, at: u32) -> Result<Self, String> {
        let first = scripts.iter().find(|script| script.continues.is_none());
        let Some(first) = first.cloned() else {
            return Err("this figure has no transcript to play".to_owned());
        };
        let mut story = Self {
            session: session(&first)?,
            base: first.name.clone(),
            scripts,
            setup: 0,
            topic: String::new(),
            keys: Keys::default(),
            is_own: false,
            kept: None,
        };
        story.load(&first)?;
        story.seek(at);
        Ok(story)
    }

    /// The session: cluster, terminal and timeline.
    #[must_use]
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// The topic that the figure draws.
    #[must_use]
    pub fn topic(&self) -> &str {
        &self.topic
    }

    /// The letters of the keys: the same whichever client places the records.
    #[must_use]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Keeps letters that a drawing has given to new keys.
    pub fn keep_keys(&mut self, keys: Keys) {
        self.keys = keys;
    }

    /// The present moment.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.session.timeline().snapshot()
    }

    /// How many steps the run has, those in the future too.
    #[must_use]
    pub fn steps(&self) -> u32 {
        let stops = u32::try_from(self.session.timeline().stops().len()).unwrap_or(u32::MAX);
        stops.saturating_sub(self.setup)
    }

    /// How many steps have happened.
    #[must_use]
    pub fn position(&self) -> u32 {
        self.session.timeline().stops_passed().saturating_sub(self.setup)
    }

    /// The kind of each step of the run, the future ones too.
    #[must_use]
    pub fn marks(&self) -> Vec<StepMark> {
        let mut marks = Vec::new();
        for stop in self.session.timeline().stops().iter().skip(self.setup as usize) {
            let failed = self.events_of(stop).iter().any(|event| {
                let kind = &event.kind;
                matches!(kind, EventKind::AppendRefused { .. } | EventKind::TopicRefused { .. })
            });
            marks.push(if failed { StepMark::Failure } else { StepMark::Command });
        }
        marks
    }

    /// Goes to the moment after so many steps.
    pub fn seek(&mut self, step: u32) {
        let step = step.min(self.steps());
        self.session.timeline_mut().seek_stop(self.setup + step);
    }

    /// Whether there is a run to go back to: the one that the reader's last input in the past has
    /// replaced, or an own one that a button in the text has replaced.
    #[must_use]
    pub fn has_left_run(&self) -> bool {
        self.session.timeline().left_branch().is_some() || self.kept.is_some()
    }

    /// Goes back to that run.
    pub fn return_to_left_run(&mut self) {
        if self.session.timeline().left_branch().is_some() {
            self.session.timeline_mut().return_to_left_branch();
        } else if let Some(kept) = self.kept.take() {
            self.base = kept.base;
            self.session = kept.session;
            self.setup = kept.setup;
            self.is_own = true;
        }
    }

    /// The step that has just happened; `None` before the first one.
    #[must_use]
    pub fn last_stop(&self) -> Option<&Stop> {
        let passed = self.session.timeline().stops_passed();
        self.session.timeline().stops().get(passed.checked_sub(1)? as usize)
    }

    /// What happened in that step, oldest first.
    #[must_use]
    pub fn last_events(&self) -> Vec<Rc<Event>> {
        if self.position() == 0 {
            return Vec::new();
        }
        self.last_stop().map_or_else(Vec::new, |stop| self.events_of(stop))
    }

    /// What happened in a step, oldest first.
    #[must_use]
    pub fn events_of(&self, stop: &Stop) -> Vec<Rc<Event>> {
        let (first, last) = (stop.input, stop.last_event);
        let mut events = Vec::new();
        for event in self.session.timeline().events_between(first, last) {
            events.push(Rc::clone(event));
        }
        events
    }

    /// The last command that the reader, or the script, has given.
    #[must_use]
    pub fn last_command(&self) -> Option<String> {
        let stop = self.last_stop()?;
        match &self.session.timeline().event(stop.input)?.kind {
            EventKind::InputApplied { input: InputKind::Line(line), .. } => Some(line.clone()),
            _ => None,
        }
    }

    /// The event by which a record got its partition.
    #[must_use]
    pub fn partitioned_by(&self, appended_by: Option<EventId>, nth: u32) -> Option<Rc<Event>> {
        let appended = self.session.timeline().event(appended_by?)?;
        let EventKind::BatchAppended { partition: to, .. } = &appended.kind else { return None };
        let stops = self.session.timeline().stops();
        let index = stops.partition_point(|stop| stop.last_event < appended.id);
        let mut before = nth;
        for event in self.events_of(stops.get(index)?) {
            if matches!(&event.kind, EventKind::RecordPartitioned { partition, .. } if partition == to)
            {
                if before == 0 {
                    return Some(event);
                }
                before -= 1;
            }
        }
        None
    }

    /// Every command so far, one a line, for whoever wants to keep them.
    #[must_use]
    pub fn commands(&self) -> String {
        let mut text = String::new();
        for input in self.session.timeline().inputs() {
            if let InputKind::Line(line) = &input.kind {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }

    /// Types a line at the terminal. In the past this begins another future.
    ///
    /// # Errors
    /// The line is refused; nothing changes.
    pub fn type_line(&mut self, line: &str) -> Result<(), CommandError> {
        self.is_own = true;
        self.session.type_line(line, ENTER_LIMIT)
    }

    /// Presses Ctrl-C or Ctrl-D at the terminal.
    ///
    /// # Errors
    /// It is refused; nothing changes.
    pub fn press(&mut self, key: InputKind) -> Result<(), CommandError> {
        let terminal = self.session.terminal();
        self.session.timeline_mut().input(terminal, key, ENTER_LIMIT)
    }

    /// What a button in the text asks for: `replay-NAME` begins the script of that name from the
    /// start, any other name goes on with that script. Returns whether the figure is to be played.
    ///
    /// # Errors
    /// There is no such script, or one of its commands is refused.
    pub fn act(&mut self, action: &str) -> Result<bool, String> {
        let (name, replay) = match action.strip_prefix("replay-") {
            Some(name) => (name, true),
            None => (action, false),
        };
        let script = self.script(name)?;
        if replay {
            self.load(&script)?;
            self.seek(0);
            return Ok(true);
        }
        if let Some(before) = &script.continues
            && *before != self.base
        {
            let before = self.script(before)?;
            self.load(&before)?;
        }
        self.seek(u32::MAX - self.setup);
        // What the reader has left open at the terminal would take the commands for itself.
        let is_open = |session: &Session| {
            session.state() != TerminalState::Ready || session.missing().is_some()
        };
        if is_open(&self.session) {
            self.press(InputKind::Interrupt).map_err(|error| error.to_string())?;
        }
        for command in &script.commands {
            let result = self.session.type_line(command, ENTER_LIMIT);
            result.map_err(|error| error.to_string())?;
        }
        Ok(false)
    }

    /// What can be claimed about the last step, as the values of answers: `partition-N` for the
    /// partition of its record, `own` or `shares` for whether that partition held other keys,
    /// `refused` when nothing was appended.
    #[must_use]
    pub fn facts(&self) -> Vec<String> {
        let events = self.last_events();
        let mut facts = Vec::new();
        for event in &events {
            match &event.kind {
                EventKind::RecordPartitioned { partition, key, .. } => {
                    facts.push(["partition-", &partition.partition.to_string()].concat());
                    let others = self.holds_other_keys(partition.partition.0, key.as_ref());
                    facts.push(if others { "shares" } else { "own" }.to_owned());
                }
                EventKind::AppendRefused { .. } => facts.push("refused".to_owned()),
                _ => {}
            }
        }
        facts
    }

    fn holds_other_keys(&self, partition: i32, key: Option<&Bytes>) -> bool {
        let snapshot = self.snapshot();
        let views = snapshot.topic(&self.topic).map_or(&[][..], |topic| &topic.partitions);
        for view in views {
            let Some(replica) = &view.replica else { continue };
            let log = replica.log();
            for batch in log.read(log.log_start_offset(), log.log_end_offset(), u64::MAX) {
                if view.id.0 == partition
                    && batch.records.iter().any(|record| record.key.as_ref() != key)
                {
                    return true;
                }
            }
        }
        false
    }

    fn script(&self, name: &str) -> Result<Script, String> {
        let found = self.scripts.iter().find(|script| script.name == name);
        found.cloned().ok_or_else(|| format!("this figure has no script named {name}"))
    }

    /// Begins anew with a script and plays it to its end.
    fn load(&mut self, script: &Script) -> Result<(), String> {
        let mut session = session(script)?;
        for command in &script.commands {
            let result = session.type_line(command, RUN_LIMIT);
            result.map_err(|error| format!("{}: {error}", script.name))?;
        }
        let replaced = std::mem::replace(&mut self.session, session);
        let base = std::mem::replace(&mut self.base, script.name.clone());
        if std::mem::take(&mut self.is_own) {
            self.kept = Some(Box::new(Kept { base, session: replaced, setup: self.setup }));
        }
        let stops = self.session.timeline().stops();
        let first = stops.iter().position(|stop| {
            let events = self.events_of(stop);
            events.iter().any(|event| matches!(event.kind, EventKind::BatchAppended { .. }))
        });
        self.setup = first.and_then(|first| u32::try_from(first).ok()).unwrap_or(0);
        let snapshot = self.snapshot();
        self.topic =
            snapshot.topics.first().map(|topic| topic.name.to_string()).unwrap_or_default();
        self.learn_keys();
        Ok(())
    }

    /// Gives letters to keys in the order in which their records were sent.
    fn learn_keys(&mut self) {
        for stop in self.session.timeline().stops() {
            for event in self.events_of(stop) {
                if let EventKind::RecordPartitioned { key: Some(key), .. } = &event.kind {
                    self.keys.learn(Some(key));
                }
            }
        }
    }
}

fn session(script: &Script) -> Result<Session, String> {
    let options = ClusterOptions { brokers: script.brokers, ..ClusterOptions::default() };
    Session::new(options).map_err(|error| error.to_string())
}
