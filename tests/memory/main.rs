//! Memory is bounded: old segments go on every replica, and then what a timeline holds does not grow
//! with time.

use highwater_core::ids::Offset;
use highwater_core::time::SimDuration;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::timeline::Timeline;
use highwater_shell::session::Session;
use highwater_tests::kept::Kept;
use highwater_tests::load::{self, Load, WITH_RETENTION};

/// The most that is held at any of some moments, 7 seconds apart: the tide of retention comes and goes.
fn most(timeline: &mut Timeline<Load>) -> Kept {
    let mut most = Kept::of(timeline);
    for _ in 0..20 {
        timeline.run_for(SimDuration::from_millis(7_000));
        most = most.max_of(&Kept::of(timeline));
    }
    most
}

/// What is held after an hour is what was held after 25 minutes, when many checkpoints have come and gone.
#[test]
fn what_is_held_does_not_grow() {
    let begun = Timeline::begin(WITH_RETENTION.options(), || Load::begin(&WITH_RETENTION));
    let (mut timeline, _) = begun.expect("valid options");
    timeline.run_for(SimDuration::from_millis(25 * 60_000));
    let (early, written) = (most(&mut timeline), load::written(timeline.world()));
    timeline.run_for(SimDuration::from_millis(30 * 60_000));
    let late = most(&mut timeline);
    println!("{early:?}\n{late:?}");
    assert!(load::written(timeline.world()) > 2 * written, "nothing was written meanwhile");
    let allowed = |early: u64| early + early / 20;
    assert!(late.batches <= allowed(early.batches), "{early:?} {late:?}");
    assert!(late.bytes <= allowed(early.bytes), "{early:?} {late:?}");
    assert!(late.events <= allowed(early.events), "{early:?} {late:?}");
    assert!(late.checkpoints <= allowed(early.checkpoints), "{early:?} {late:?}");
    assert!(late.pending <= allowed(early.pending), "{early:?} {late:?}");
}

/// Every replica removes its old segments itself, the followers' as well as the leader's, and those of
/// a broker that was started again and to whose log nothing was added since.
#[test]
fn every_replica_lets_old_segments_go() {
    let mut session = Session::new(ClusterOptions::default()).expect("valid options");
    for line in [
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events \
         --partitions 1 --replication-factor 3 --config retention.ms=600000",
        "seq 300 | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic \
         parcel-events --reader-property parse.key=false",
        "hw crash 2",
        "hw start 2",
    ] {
        let outcome = session.run(line).expect("the line is taken");
        assert_eq!(outcome.exit, 0, "{line}: {:?}", outcome.output);
    }
    let ends = |session: &Session| -> Vec<(Offset, Offset, u64)> {
        let brokers = session.timeline().world().brokers().values();
        let partitions = brokers.flat_map(|broker| broker.partitions().values());
        let logs = partitions.map(|partition| partition.log());
        logs.map(|log| (log.log_start_offset(), log.log_end_offset(), log.size_in_bytes()))
            .collect()
    };
    let before = ends(&session);
    assert_eq!(before.len(), 3);
    assert!(before.iter().all(|(start, _, size)| *start == Offset(0) && *size > 0), "{before:?}");
    for _ in 0..3 {
        session.run("sleep 500").expect("the line is taken");
    }
    let after = ends(&session);
    assert!(after.iter().all(|(start, end, size)| start == end && *size == 0), "{after:?}");
}
