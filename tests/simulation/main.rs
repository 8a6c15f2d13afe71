//! Random sessions under all invariants: lines are typed, time is moved, futures are replaced. A
//! failing seed is printed with the lines that replay it.

mod after_append;
mod bounds;
mod cluster;
mod groups;
mod hazards;
mod limits;
mod lines;
mod load;
mod meetings;
mod quiet;
mod quiet_groups;
mod reasons;
mod rolls;
mod travel;

use highwater_core::draw::{Purpose, draw_below};
use highwater_core::invariant::check;
use highwater_core::world::event::EventKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::process::Process;
use highwater_core::world::world::World;
use highwater_shell::process::ShellProcess;
use highwater_shell::session::{RUN_LIMIT, Session};

use crate::lines::random_line;

const SEEDS: u64 = 400;
const LINES: u64 = 14;

/// The seeds of a test: from 1 on, or those of `HIGHWATER_SEEDS=A..B`.
fn seeds(count: u64) -> std::ops::RangeInclusive<u64> {
    let Ok(given) = std::env::var("HIGHWATER_SEEDS") else { return 1..=count };
    let (first, last) = given.split_once("..").expect("HIGHWATER_SEEDS is like 1..500");
    first.parse().expect("a number")..=last.parse().expect("a number")
}

/// A draw of the test itself; its `who` keeps it apart from the simulator's.
fn choose(seed: u64, count: u64, bound: u32) -> u32 {
    draw_below(seed, Purpose::Placement, 0xfeed, count, bound)
}

fn options(seed: u64) -> ClusterOptions {
    let brokers = 1 + choose(seed, 1_000, 3);
    ClusterOptions { seed, brokers, ..ClusterOptions::default() }
}

/// Plays all that is queued, one step at a time, and looks at every invariant after each.
fn step_through<P: Process>(world: &mut World<P>, context: &dyn Fn() -> String) {
    for _ in 0..100_000 {
        let violations = check(world);
        assert!(violations.is_empty(), "{violations:?}\n{}", context());
        if !world.step() {
            return;
        }
    }
    panic!("the world never rests\n{}", context());
}

fn transcript(seed: u64, lines: &[String]) -> String {
    let brokers = options(seed).brokers;
    let commands: String = lines.iter().map(|line| format!("$ {line}\n")).collect();
    format!(
        "seed {seed}; replay with `highwater run --seed {seed}`:\n#! brokers {brokers}\n{commands}"
    )
}

/// Every invariant holds after every single step of random sessions.
#[test]
fn invariants_hold_after_every_step() {
    for seed in 1..=SEEDS {
        let mut world: World<ShellProcess> = World::new(options(seed)).expect("valid options");
        let terminal = world.open_terminal(ShellProcess::shell());
        let mut typed = Vec::new();
        for n in 0..LINES {
            let line = random_line(seed, n);
            typed.push(line.clone());
            let at = world.now();
            let kind = highwater_core::world::input::InputKind::Line(line);
            let input = highwater_core::world::input::Input { at, terminal, kind };
            world.apply(&input).expect("the line is taken");
            step_through(&mut world, &|| transcript(seed, &typed));
        }
    }
}

/// Moving through time changes nothing: whatever the order of seeks, a moment has one trace, and
/// the end is that of a run without seeks.
#[test]
fn moments_are_the_same_however_they_are_reached() {
    for seed in 1..=SEEDS / 4 {
        let mut session = Session::new(options(seed)).expect("valid options");
        let mut straight = Vec::new();
        for n in 0..LINES {
            session.type_line(&random_line(seed, n), RUN_LIMIT).expect("the line is taken");
            straight.push(session.timeline().world().trace_hash());
        }
        for n in 0..40 {
            let stop = 1 + choose(seed, 2_000 + n, u32::try_from(LINES).expect("few lines"));
            session.timeline_mut().seek_stop(stop);
            let hash = session.timeline().world().trace_hash();
            assert_eq!(hash, straight[stop as usize - 1], "seed {seed}, stop {stop}");
        }
        let last = session.timeline().stops().last().expect("there are stops").last_event;
        for id in [1, last.0 / 2, last.0] {
            let id = highwater_core::ids::EventId(id.max(1));
            if let Some(event) = session.timeline().event(id) {
                assert_eq!(event.id, id);
            }
        }
    }
}

/// A line typed in the past gives the run that it would have given without the future it replaces,
/// and the replaced one can be had back.
#[test]
fn forks_are_independent() {
    for seed in 1..=SEEDS / 4 {
        let half = LINES / 2;
        let mut session = Session::new(options(seed)).expect("valid options");
        let mut other = session.clone();
        for n in 0..LINES {
            session.type_line(&random_line(seed, n), RUN_LIMIT).expect("the line is taken");
            if n < half {
                other.type_line(&random_line(seed, n), RUN_LIMIT).expect("the line is taken");
            }
        }
        session.timeline_mut().seek_stop(u32::try_from(half).expect("few lines"));
        for n in 0..3 {
            let line = random_line(seed ^ 0xabcd, n);
            session.type_line(&line, RUN_LIMIT).expect("the line is taken");
            other.type_line(&line, RUN_LIMIT).expect("the line is taken");
        }
        let (mine, theirs) = (session.timeline().world(), other.timeline().world());
        assert_eq!(mine.trace_hash(), theirs.trace_hash(), "seed {seed}");
        session.timeline_mut().seek_stop(u32::try_from(half).expect("few lines"));
        session.type_line("echo again", RUN_LIMIT).expect("the line is taken");
        session.timeline_mut().return_to_left_branch();
        assert_eq!(session.timeline().world().trace_hash(), other.timeline().world().trace_hash());
    }
}

/// Causes come before effects, and every chain ends at what a person did.
#[test]
fn every_event_has_its_reasons() {
    for seed in 1..=20 {
        let mut session = Session::new(options(seed)).expect("valid options");
        for n in 0..LINES {
            session.type_line(&random_line(seed, n), RUN_LIMIT).expect("the line is taken");
        }
        let stops = session.timeline().stops().to_vec();
        for stop in stops {
            let events: Vec<_> =
                session.timeline().events_between(stop.input, stop.last_event).cloned().collect();
            for event in events {
                let chain = session.timeline().why(event.id);
                assert_eq!(chain.first().map(|first| first.id), Some(event.id));
                assert!(chain.windows(2).all(|pair| pair[1].id < pair[0].id));
                let origin = chain.last().expect("the event itself");
                let is_input = matches!(origin.kind, EventKind::InputApplied { .. });
                assert!(is_input && origin.cause.is_none(), "seed {seed}: {origin:?}");
            }
        }
    }
}

/// So it is with what faults and the time lead to: fencing, elections, in-sync replicas.
#[test]
fn what_faults_lead_to_has_its_reasons() {
    let mut session = Session::new(ClusterOptions::default()).expect("valid options");
    let servers = "--bootstrap-server localhost:9092";
    for line in [
        &format!(
            "kafka-topics.sh {servers} --create --topic t --partitions 3 --replication-factor 3"
        ),
        "hw produce --topic t --value v",
        "hw crash 2",
        "sleep 20",
        "hw start 2",
        "hw pause 3",
        "sleep 50",
        "hw resume 3",
        "sleep 400",
        "hw stop 1",
        "hw start 1",
        "hw cut 1 controller",
        "sleep 30",
        "hw heal",
        "sleep 400",
    ] {
        session.run(line).expect("the line is taken");
    }
    let mut changes = 0;
    for stop in session.timeline().stops().to_vec() {
        let events: Vec<_> =
            session.timeline().events_between(stop.input, stop.last_event).cloned().collect();
        for event in events {
            let chain = session.timeline().why(event.id);
            let origin = chain.last().expect("the event itself");
            assert!(matches!(origin.kind, EventKind::InputApplied { .. }), "{event:?}: {origin:?}");
            changes += u32::from(format!("{:?}", event.kind).contains("PartitionChanged"));
        }
    }
    assert!(changes > 10, "only {changes} changes");
}
