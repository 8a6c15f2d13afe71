//! What the panel answers in clusters that were played: exact answers at named moments, whole panels as they were
//! looked at, settings as Kafka's own tool has them, and something for everything in random clusters.

mod moments;
mod panels;
mod random;
mod settings;

use std::rc::Rc;

use highwater_core::ids::EventId;
use highwater_core::time::SimDuration;
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::ask::{Answer, ask};
use highwater_scene::thing::Thing;
use highwater_scene::why::{Reason, reasons};
use highwater_shell::session::Session;

/// A cluster that is asked.
struct Asked {
    session: Session,
}

impl Asked {
    /// A new cluster of three in which these lines were run.
    fn after(lines: &[&str]) -> Self {
        let mut asked =
            Self { session: Session::new(ClusterOptions::default()).expect("a cluster") };
        asked.run(lines);
        asked
    }

    fn run(&mut self, lines: &[&str]) {
        for line in lines {
            self.session.run(&with_servers(line)).expect("it is taken");
        }
    }

    /// Types a line and stops right after the first event of that kind.
    fn until(&mut self, line: &str, wanted: &dyn Fn(&EventKind) -> bool) {
        self.session.type_line(&with_servers(line), SimDuration(0)).expect("it is taken");
        let end = self.session.timeline().world().now() + SimDuration::from_millis(120_000);
        self.session.timeline_mut().run_to(wanted, end).expect("it happens");
    }

    fn wait(&mut self, millis: u64) {
        self.session.timeline_mut().run_for(SimDuration::from_millis(millis));
    }

    fn snapshot(&self) -> Snapshot {
        self.session.timeline().snapshot()
    }

    /// What is kept of the past.
    fn events(&self) -> Vec<Rc<Event>> {
        let last = EventId(self.session.timeline().world().next_event().0 - 1);
        self.session.timeline().events_between(EventId(0), last).cloned().collect()
    }

    fn ask(&self, thing: &str) -> Option<Answer> {
        ask(&Thing::parse(thing).expect("a thing"), &self.snapshot(), &self.events())
    }

    /// The answer, which is there.
    fn answer(&self, thing: &str) -> Answer {
        self.ask(thing).unwrap_or_else(|| panic!("nothing is said of {thing}"))
    }

    fn chain(&self, answer: &Answer) -> Vec<Reason> {
        let timeline = self.session.timeline();
        let why = |id| reasons(&timeline.why(id), &self.snapshot());
        answer.because.map_or_else(Vec::new, why)
    }

    /// The sentence of the event that made it so.
    fn because(&self, thing: &str) -> String {
        let chain = self.chain(&self.answer(thing));
        chain.last().map(|reason| reason.sentence.clone()).unwrap_or_default()
    }
}

fn with_servers(line: &str) -> String {
    line.replace(" S ", " --bootstrap-server localhost:9092 ")
}

fn is_append(kind: &EventKind) -> bool {
    matches!(kind, EventKind::BatchAppended { .. })
}

/// The sentences of an answer.
fn says(answer: &Answer) -> Vec<&str> {
    answer.says.iter().map(|sentence| sentence.text.as_str()).collect()
}

/// A number of an answer.
fn fact<'a>(answer: &'a Answer, name: &str) -> &'a str {
    let found = answer.facts.iter().find(|fact| fact.name == name);
    found.map_or_else(|| panic!("no {name} in {answer:?}"), |fact| fact.value.as_str())
}

/// What a number of an answer leads to.
fn leads_to(answer: &Answer, name: &str) -> String {
    let found = answer.facts.iter().find(|fact| fact.name == name);
    found.and_then(|fact| fact.thing.as_ref()).map(Thing::text).unwrap_or_default()
}
