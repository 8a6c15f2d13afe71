//! Every new segment is an event that says why: of the leader, of followers, of retention.

use highwater_core::ids::{BrokerId, Offset};
use highwater_core::log::segment::RollReason;
use highwater_core::world::event::{Event, EventKind, Rolled};
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;

const SERVERS: &str = "--bootstrap-server localhost:9092";

/// Broker, base offset of the new segment, and why.
type Roll = (BrokerId, Offset, Rolled);

fn rolls(lines: &[String]) -> Vec<Roll> {
    let mut session = Session::new(ClusterOptions::default()).expect("valid options");
    for line in lines {
        let outcome = session.run(line).expect("the line is taken");
        assert_eq!(outcome.exit, 0, "{line}: {outcome:?}");
    }
    let timeline = session.timeline();
    let mut rolls = Vec::new();
    for stop in timeline.stops() {
        for event in timeline.events_between(stop.input, stop.last_event) {
            let Event { kind: EventKind::SegmentRolled { broker, base_offset, why, .. }, .. } =
                &**event
            else {
                continue;
            };
            let chain = timeline.why(event.id);
            let by = chain.get(1).map(|cause| format!("{:?}", cause.kind)).unwrap_or_default();
            let is_retention = why.known().reason == RollReason::Retention;
            let copied = why.known().copied_from.is_some();
            assert!(is_retention || copied == by.contains("ReplicaAppended"), "{event:?}: {by}");
            rolls.push((*broker, *base_offset, *why.known()));
        }
    }
    rolls
}

fn create(configs: &str) -> String {
    format!("kafka-topics.sh {SERVERS} --create --topic a --replica-assignment 1:2 {configs}")
}

/// A full segment is closed by the leader, and by the follower for itself, with the same numbers.
#[test]
fn full_segments() {
    let produce = format!(
        "kafka-producer-perf-test.sh --topic a --num-records 2500 --record-size 1000 --throughput 500 \
         {SERVERS} > /dev/null"
    );
    let create = create("--config segment.bytes=1048576");
    let rolls = rolls(&[create, produce, "sleep 2".to_owned()]);
    let of =
        |id: i32| -> Vec<&Roll> { rolls.iter().filter(|roll| roll.0 == BrokerId(id)).collect() };
    let (leader, follower) = (of(1), of(2));
    assert_eq!((leader.len(), follower.len()), (2, 2), "{rolls:?}");
    for (mine, theirs) in leader.iter().zip(&follower) {
        assert_eq!((mine.1, mine.2.reason), (theirs.1, theirs.2.reason));
        assert_eq!((mine.2.copied_from, theirs.2.copied_from), (None, Some(BrokerId(1))));
        let RollReason::SegmentBytes { bytes, most: 1_048_576 } = mine.2.reason else {
            panic!("{mine:?}");
        };
        assert!(bytes > 1_048_576 && bytes < 1_048_576 + 20_000, "{bytes}");
    }
}

/// A segment is closed when it is too old for the next record; and when all shall go, the active one is
/// closed first, on each replica by itself.
#[test]
fn old_segments() {
    let produce = format!("echo x | kafka-console-producer.sh {SERVERS} --topic a");
    let rolls = rolls(&[
        create("--config segment.ms=5000 --config retention.ms=60000"),
        produce.clone(),
        "sleep 7".to_owned(),
        produce,
        "sleep 500".to_owned(),
    ]);
    let found: Vec<(i32, i64)> = rolls.iter().map(|roll| (roll.0.0, roll.1.0)).collect();
    assert_eq!(found, [(1, 1), (2, 1), (1, 2), (2, 2)], "{rolls:?}");
    for (_, _, why) in &rolls[..2] {
        let RollReason::SegmentMs { waited_ms, most_ms: 5_000 } = why.reason else {
            panic!("{why:?}");
        };
        assert!((7_000..12_000).contains(&waited_ms), "{waited_ms}");
    }
    assert!(rolls[2..].iter().all(|roll| roll.2.reason == RollReason::Retention), "{rolls:?}");
}
