//! What the panel answers, in clusters that were played.

use std::rc::Rc;

use highwater_core::ids::EventId;
use highwater_core::time::SimDuration;
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::options::ClusterOptions;
use highwater_scene::ask::{Answer, ask, text};
use highwater_scene::thing::Thing;
use highwater_scene::why::{Reason, reasons};
use highwater_shell::session::Session;

const S: &str = "--bootstrap-server localhost:9092";

fn session(lines: &[&str]) -> Session {
    let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
    run(&mut session, lines);
    session
}

fn run(session: &mut Session, lines: &[&str]) {
    for line in lines {
        session.run(&line.replace(" S ", &format!(" {S} "))).expect("it is taken");
    }
}

fn events(session: &Session) -> Vec<Rc<Event>> {
    let last = EventId(session.timeline().world().next_event().0 - 1);
    session.timeline().events_between(EventId(0), last).cloned().collect()
}

fn answer(session: &Session, thing: &str) -> Option<Answer> {
    let thing = Thing::parse(thing).expect("a thing");
    ask(&thing, &session.timeline().snapshot(), &events(session))
}

fn chain(session: &Session, answer: &Answer) -> Vec<Reason> {
    answer.because.map_or_else(Vec::new, |id| reasons(&session.timeline().why(id)))
}


fn show(s: &Session, things: &[&str]) {
    for thing in things {
        match answer(s, thing) { Some(a) => println!("== {thing}\n{}", text::render(&a, &chain(s, &a)).split("Why?").next().unwrap()), None => println!("== {thing}: none") }
    }
}

fn until(s: &mut Session, line: &str, wanted: &dyn Fn(&EventKind) -> bool) {
    let line = line.replace(" S ", &format!(" {S} "));
    s.type_line(&line, SimDuration(0)).expect("it is taken");
    let end = s.timeline().world().now() + SimDuration::from_millis(120_000);
    s.timeline_mut().run_to(wanted, end).expect("it happens");
}

#[test]
fn explore() {
    let mut s = session(&["kafka-topics.sh S --create --topic one --replica-assignment 1:3 --config min.insync.replicas=2",
        "seq 2 | kafka-console-producer.sh S --topic one", "hw slow --disk 3 2000"]);
    until(&mut s, "echo A | kafka-console-producer.sh S --topic one", &|kind| matches!(kind, EventKind::BatchAppended{..}));
    show(&s, &["record:one-0:2", "record:one-0:1", "record:one-0:3", "record:one-0:4", "tide:one-0", "partition:one-0", "replica:one-0@3"]);
    println!("######## a second later");
    let t = s.timeline().world().now() + SimDuration::from_millis(1000);
    s.timeline_mut().run_until(t);
    show(&s, &["record:one-0:2", "replica:one-0@3", "replica:one-0@1"]);
    for m in s.timeline().snapshot().cluster.get().unwrap().in_flight.iter() { show(&s, &[&format!("request:{}", m.id)]); }
    run(&mut s, &["hw heal", "sleep 3", "hw crash 3", "sleep 1"]);
    println!("######## crashed 3");
    show(&s, &["broker:3", "partition:one-0", "record:one-0:3"]);
    run(&mut s, &["sleep 12"]);
    println!("######## fenced 3");
    show(&s, &["broker:3", "partition:one-0", "record:one-0:3", "topic:one"]);
    run(&mut s, &["hw crash 1"]);
    println!("######## crashed 1");
    show(&s, &["broker:1", "partition:one-0", "record:one-0:2", "record:one-0:3", "tide:one-0", "replica:one-0@1"]);
    run(&mut s, &["hw start 3", "sleep 15"]);
    println!("######## fenced 1");
    show(&s, &["broker:3", "partition:one-0", "record:one-0:2", "record:one-0:3", "tide:one-0", "replica:one-0@3"]);
    println!("######## GROUPS");
    let mut s = session(&["kafka-topics.sh S --create --topic g --partitions 1", "seq 5 | kafka-console-producer.sh S --topic g",
      "kafka-console-consumer.sh S --topic g --group billing --from-beginning >a &", "sleep 9"]);
    let names = |s: &Session| { let snap = s.timeline().snapshot(); let c = snap.cluster.get().unwrap();
        c.members.iter().flat_map(|m| vec![format!("reader:{}", m.reader), Thing::Member{group: m.group.to_string(), member: m.member.to_string()}.text()]).collect::<Vec<_>>() };
    show(&s, &["group:billing"]); for n in names(&s) { show(&s, &[&n]); }
    until(&mut s, "kafka-console-consumer.sh S --topic g --group billing >b &", &|kind| format!("{kind:?}").contains("RebalanceStarted"));
    show(&s, &["group:billing"]); for n in names(&s) { show(&s, &[&n]); }
    run(&mut s, &["sleep 9"]);
    show(&s, &["group:billing"]); for n in names(&s) { show(&s, &[&n]); }
    run(&mut s, &["hw pause 1", "hw pause 2", "hw pause 3", "sleep 2"]);
    for b in &s.timeline().snapshot().cluster.get().unwrap().brokers { for m in &b.held { show(&s, &[&format!("request:{}", m.id)]); } }
    show(&s, &["broker:1"]);
}
