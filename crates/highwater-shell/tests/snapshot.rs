//! Snapshots of a cluster: what a view can compare by pointer, and what it needs of controllers, paused
//! brokers and commands that wait.

use std::rc::Rc;

use highwater_core::controller::records::ConfigResource;
use highwater_core::ids::{BrokerId, NodeId};
use highwater_core::mutation::Mutation;
use highwater_core::net::message::Body;
use highwater_core::time::SimDuration;
use highwater_core::world::cluster_view::ClusterView;
use highwater_core::world::input::{Input, InputKind};
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::Snapshot;
use highwater_core::world::step::Step;
use highwater_core::world::world::World;
use highwater_shell::process::ShellProcess;
use highwater_shell::session::Session;
use highwater_shell::simulation::Plan;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Seeds of each kind of plan, and the most steps that are looked at of each.
const SEEDS: u64 = 30;
const STEPS: u32 = 1_500;

/// The node that a step is for; `None`: a process, which may do something to all of them.
fn node_of(step: &Step) -> Option<NodeId> {
    match step {
        Step::Deliver(message) => Some(message.to),
        Step::FireTimer(node, ..) => Some(*node),
        Step::Notify(..) | Step::Command(..) => None,
    }
}

/// What a step of another node has left as it was keeps its pointer, and so does what this node's step has
/// not changed; those that are the same all the same are `copied`. How many replicas have changed.
fn compare(
    (before, after): (&Snapshot, &Snapshot),
    node: NodeId,
    context: &str,
    copied: &mut Vec<String>,
) -> u32 {
    let mut changed = 0;
    let (here, there) = (before.cluster.known(), after.cluster.known());
    for (one, two) in here.brokers.iter().zip(&there.brokers) {
        let is_its = node == NodeId::Broker(one.id);
        if !is_its {
            assert_eq!(one.replicas.len(), two.replicas.len(), "{context}");
        }
        for (which, replica) in &one.replicas {
            let Some(now) = two.replica(which).filter(|now| !Rc::ptr_eq(now, replica)) else {
                continue;
            };
            assert!(is_its, "{context}: {which} on {}", one.id);
            changed += 1;
            if format!("{now:?}") == format!("{replica:?}") {
                copied.push(format!("{which} on {}, {context}", one.id));
            }
        }
        for ((_, one), (_, two)) in one.groups.iter().zip(&two.groups) {
            assert!(is_its || Rc::ptr_eq(one, two), "{context}: a shard of groups");
        }
    }
    for topic in &before.topics {
        let Some(now) = after.topic(topic.name.as_str()) else { continue };
        if Rc::ptr_eq(&now.image, &topic.image) {
            continue;
        }
        assert_eq!(node, NodeId::Controller, "{context}");
        assert_ne!(now.image, topic.image, "{context}: {} is the same", topic.name);
        for (one, two) in topic.image.partitions.iter().zip(&now.image.partitions) {
            assert!(Rc::ptr_eq(one, two) || one != two, "{context}: {} is the same", topic.name);
        }
    }
    compare_flights(here, there, context);
    changed
}

/// Messages on their way and what terminals have shown.
fn compare_flights(here: &ClusterView, there: &ClusterView, context: &str) {
    let mut arrived = 0;
    for message in &here.in_flight {
        match there.in_flight.iter().find(|other| other.id == message.id) {
            Some(other) => assert!(Rc::ptr_eq(message, other), "{context}: {message:?}"),
            None => arrived += 1,
        }
    }
    assert!(arrived <= 1, "{context}: {arrived} messages have arrived in one step");
    for (one, two) in here.terminals.iter().zip(&there.terminals) {
        let pairs = one.output.iter().zip(&two.output);
        assert!(one.output.len() <= two.output.len());
        assert!(pairs.into_iter().all(|(one, two)| Rc::ptr_eq(one, two)), "{context}: output");
    }
}

fn play(plan: &Plan, copied: &mut Vec<String>) -> u32 {
    let mut world: World<ShellProcess> = World::new(plan.options()).expect("valid options");
    let terminal = world.open_terminal(ShellProcess::shell());
    let (mut changed, mut steps) = (0, 0);
    for line in &plan.lines {
        let (at, kind) = (world.now(), InputKind::Line(line.clone()));
        world.apply(&Input { at, terminal, kind }).expect("it is taken");
        let mut before = world.snapshot();
        let end = at + SimDuration::from_millis(6_000);
        while steps < STEPS && world.next_due().is_some_and(|due| due <= end) {
            steps += 1;
            let step = world.next_step().cloned().expect("there is one");
            world.step();
            let after = world.snapshot();
            if let Some(node) = node_of(&step) {
                let context = format!("seed {}, {line}: {step:?}", plan.seed);
                changed += compare((&before, &after), node, &context, copied);
            }
            before = after;
        }
        while world.next_due().is_some_and(|due| due <= world.now()) {
            world.step();
        }
    }
    changed
}

#[test]
fn what_a_step_does_not_change_keeps_its_pointer() {
    let (mut changed, mut copied) = (0, Vec::new());
    for seed in 1..=SEEDS {
        changed += play(&Plan::random(seed, Mutation::None), &mut copied);
        changed += play(&Plan::with_groups(seed, false), &mut copied);
    }
    for c in &copied {
        println!("{c}");
    }
    assert!(copied.is_empty(), "{} of {changed} are the same: {:#?}", copied.len(), copied.first());
    assert!(changed > 500, "only {changed} replicas have changed");
}

fn session(lines: &[&str]) -> Session {
    let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
    for line in lines {
        session.run(line).expect("it runs");
    }
    session
}

/// The controller's part: the quorum, settings of brokers, ids of producers.
#[test]
fn the_controller_is_shown() {
    let servers = "--bootstrap-server localhost:9092";
    let session = session(&[
        &format!("kafka-topics.sh {servers} --create --topic t --replica-assignment 1:2:3"),
        &format!("kafka-configs.sh {servers} --alter --broker 2 --add-config log.retention.ms=5"),
        &format!("echo v | kafka-console-producer.sh {servers} --topic t"),
    ]);
    let snapshot = session.timeline().snapshot();
    let controller = &snapshot.cluster.known().controller;
    assert_eq!((controller.quorum.leader_id, controller.quorum.leader_epoch), (100, 1));
    let observers = controller.quorum.observers.iter().map(|observer| observer.id);
    let mut observers: Vec<i32> = observers.collect();
    observers.sort_unstable();
    assert_eq!(observers, [1, 2, 3]);
    let of_broker = ConfigResource::Broker(BrokerId(2));
    let set = controller.broker_configs.iter().find(|(resource, _)| *resource == of_broker);
    let set = set.map(|(_, entries)| entries.as_slice()).unwrap_or_default();
    assert_eq!(set, [("log.retention.ms".to_owned(), "5".to_owned())]);
    assert_eq!(controller.next_producer_id, 1_000);
}

/// What waits for a broker that hangs is shown with all that it carries, and so is who waits for time to
/// pass.
#[test]
fn what_waits_is_shown() {
    let mut session = session(&[
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic t --replica-assignment 1",
        "hw pause 1",
        "sleep 1000 &",
    ]);
    let line = "hw produce --topic t --value held";
    session.type_line(line, SimDuration::from_millis(3_000)).expect("it is taken");
    let snapshot = session.timeline().snapshot();
    let view = snapshot.cluster.known();
    let [paused, others @ ..] = &view.brokers[..] else { panic!("three brokers") };
    assert!(others.iter().all(|broker| broker.held.is_empty() && broker.paused.is_none()));
    assert!(paused.paused >= Some(paused.held.len() as u64), "{paused:?}");
    let asked = paused.held.iter().filter(|message| matches!(message.body, Body::Request(_)));
    assert!(asked.count() > 0, "somebody asks broker 1");
    let name = |process| view.processes.iter().find(|(id, _)| *id == process);
    let sleeper = view
        .sleepers
        .iter()
        .find(|sleeper| name(sleeper.process).is_some_and(|(_, name)| name == "sleep"));
    let sleeper = sleeper.expect("the sleep waits");
    assert!(sleeper.due > snapshot.now + SimDuration::from_millis(900_000), "{sleeper:?}");
    let since = sleeper.cause.expect("somebody started it");
    assert!(session.timeline().why(since).len() > 1);
}
