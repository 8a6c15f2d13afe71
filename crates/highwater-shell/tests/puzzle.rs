//! The lesson's puzzle: six records of parcel lockers, as each client family places them.
//! The figures are those of the lesson (and for Java of 03-keys.console, recorded from Kafka).

use highwater_core::world::options::ClusterOptions;
use highwater_core::world::snapshot::Snapshot;
use highwater_shell::session::Session;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const RECORDS: [(&str, &str); 6] = [
    ("locker-7", "PARCEL_DROPPED"),
    ("locker-2", "PARCEL_DROPPED"),
    ("locker-7", "CODE_SENT"),
    ("locker-9", "PARCEL_DROPPED"),
    ("locker-7", "PARCEL_COLLECTED"),
    ("locker-2", "DOOR_JAMMED"),
];

fn session_with(client: &str) -> Session {
    let options = ClusterOptions { brokers: 1, ..ClusterOptions::default() };
    let mut session = Session::new(options).expect("the options are fine");
    run(
        &mut session,
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events \
         --partitions 3",
        &["Created topic parcel-events."],
    );
    for ((key, value), place) in RECORDS.iter().zip(places_of(client)) {
        let (partition, offset) = place;
        let line = format!(
            "hw produce --client {client} --topic parcel-events --key {key} --value {value}"
        );
        let printed = format!("parcel-events-{partition}, offset {offset}");
        run(&mut session, &line, &[&printed]);
    }
    session
}

fn places_of(client: &str) -> [(i32, i64); 6] {
    match client {
        "java" => [(0, 0), (1, 0), (0, 1), (2, 0), (0, 2), (1, 1)],
        "librdkafka" => [(0, 0), (0, 1), (0, 2), (1, 0), (0, 3), (0, 4)],
        _ => [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)],
    }
}

fn run(session: &mut Session, line: &str, expected: &[&str]) {
    let outcome = session.run(line).expect("the line is taken");
    assert_eq!(outcome.output, expected, "{line}");
    assert_eq!(outcome.exit, 0, "{line}");
}

fn values(snapshot: &Snapshot, partition: usize) -> Vec<String> {
    let topic = snapshot.topic("parcel-events").expect("the topic is there");
    let replica = topic.partitions[partition].replica.as_ref().expect("it has a leader");
    let log = replica.log();
    log.read(log.log_start_offset(), log.log_end_offset(), u64::MAX)
        .flat_map(|batch| batch.records.iter())
        .map(|record| String::from_utf8_lossy(record.value.as_deref().unwrap_or(b"")).into_owned())
        .collect()
}

/// Java, librdkafka and kafka-go place the six records as the lesson says.
#[test]
fn each_client_family_has_its_places() {
    for client in ["java", "librdkafka", "kafka-go"] {
        session_with(client);
    }
    let crc32 = session_with("librdkafka").timeline().snapshot();
    assert_eq!(
        values(&crc32, 0),
        ["PARCEL_DROPPED", "PARCEL_DROPPED", "CODE_SENT", "PARCEL_COLLECTED", "DOOR_JAMMED"]
    );
    assert_eq!(values(&crc32, 1), ["PARCEL_DROPPED"]);
    assert!(values(&crc32, 2).is_empty());
}

/// Keys share partitions: a fourth locker lands in partition 0.
#[test]
fn a_fourth_key_shares_a_partition() {
    let mut session = session_with("java");
    let line = "hw produce --topic parcel-events --key locker-4 --value PARCEL_DROPPED";
    run(&mut session, line, &["parcel-events-0, offset 3"]);
}

/// Two readers of partition 0 keep their own places, and reading removes nothing.
#[test]
fn two_readers_keep_their_own_places() {
    for (client, held, first) in [("librdkafka", 5, 5), ("java", 3, 3)] {
        let mut session = session_with(client);
        let analytics = "hw consume --as analytics --topic parcel-events --partition 0";
        let billing = "hw consume --as billing --topic parcel-events --partition 0 --max 1";
        let all = session.run(analytics).expect("the line is taken");
        assert_eq!(all.output.len(), held);
        run(&mut session, billing, &["Partition:0\tOffset:0\tlocker-7\tPARCEL_DROPPED"]);
        let snapshot = session.timeline().snapshot();
        let positions: Vec<(&str, i64)> = snapshot
            .readers
            .iter()
            .map(|reader| (reader.name.as_str(), reader.positions[0].1.0))
            .collect();
        assert_eq!(positions, [("analytics", first), ("billing", 1)]);
        assert_eq!(values(&snapshot, 0).len(), held);
        // Billing reads on where it was, not from the start.
        let second = session.run(billing).expect("the line is taken");
        assert!(second.output[0].starts_with("Partition:0\tOffset:1\t"), "{second:?}");
    }
}

/// Stepping back and forth shows the same moments again, and a command in the past forks.
#[test]
fn time_goes_back_and_forth() {
    let mut session = session_with("java");
    let end = session.timeline().world().trace_hash();
    let counts = |session: &Session| {
        let snapshot = session.timeline().snapshot();
        [0, 1, 2].map(|partition| values(&snapshot, partition).len())
    };
    assert_eq!(session.timeline().stops().len(), 7);
    session.timeline_mut().seek_stop(4);
    assert_eq!(counts(&session), [2, 1, 0]);
    session.timeline_mut().seek_stop(1);
    assert_eq!(counts(&session), [0, 0, 0]);
    session.timeline_mut().seek_stop(7);
    assert_eq!(counts(&session), [3, 2, 1]);
    assert_eq!(session.timeline().world().trace_hash(), end);

    session.timeline_mut().seek_stop(5);
    let line = "hw produce --topic parcel-events --key locker-4 --value PARCEL_DROPPED";
    run(&mut session, line, &["parcel-events-0, offset 2"]);
    assert_eq!(counts(&session), [3, 1, 1]);
    assert_eq!(session.timeline().stops().len(), 6);
    session.timeline_mut().return_to_left_branch();
    assert_eq!(counts(&session), [3, 2, 1]);
    assert_eq!(session.timeline().world().trace_hash(), end);
}
