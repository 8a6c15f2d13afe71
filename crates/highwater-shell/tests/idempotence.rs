//! The idempotent producer and the leader that remembers it, end to end: sequence numbers in the log, what
//! follows when one is missing, new epochs, and producers that are forgotten. And what is counted when
//! something goes wrong: events with causes, numbers in the snapshot.

use std::rc::Rc;

use highwater_core::error::ErrorCode;
use highwater_core::ids::{BrokerId, EventId, PartitionId, TopicName, TopicPartition};
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::cluster_event::{ClusterEvent, Promise};
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::fault::Fault;
use highwater_core::world::hazard::HazardCounts;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const SERVERS: &str = "--bootstrap-server localhost:9093,localhost:9094";

fn session_with(settings: &[(&str, &str)], lines: &[&str]) -> Session {
    let broker_settings =
        settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let options = ClusterOptions {
        tool_start: SimDuration::from_millis(0),
        broker_settings: Rc::new(broker_settings),
        ..ClusterOptions::default()
    };
    let mut session = Session::new(options).expect("a cluster");
    for line in lines {
        session.run(&line.replace("SERVERS", SERVERS)).expect("it is taken");
    }
    session
}

fn session(lines: &[&str]) -> Session {
    session_with(&[], lines)
}

/// Each batch of `t-0` on that broker: value of its first record, producer epoch, sequence number.
fn log(session: &Session, broker: i32) -> Vec<(String, Option<(i16, i32)>)> {
    let which = TopicPartition::new(&TopicName::new("t"), PartitionId(0));
    let world = session.timeline().world();
    let held = world.brokers().get(&BrokerId(broker)).and_then(|it| it.partitions().get(&which));
    let log = held.expect("it holds it").log();
    let batches = log.read(log.log_start_offset(), log.log_end_offset(), u64::MAX);
    let row = batches.map(|batch| {
        let first = batch.iter().next().and_then(|(_, record)| record.value.clone());
        let value = String::from_utf8_lossy(first.as_deref().unwrap_or_default()).into_owned();
        (value, batch.producer.map(|stamp| (stamp.producer_epoch, stamp.base_sequence)))
    });
    row.collect()
}

fn row(expected: &[(&str, Option<(i16, i32)>)]) -> Vec<(String, Option<(i16, i32)>)> {
    expected.iter().map(|(value, stamp)| ((*value).to_owned(), *stamp)).collect()
}

/// What happened to the cluster, with what this makes of it.
fn found<T>(session: &Session, look: impl Fn(&Event) -> Option<T>) -> Vec<T> {
    let last = session.timeline().world().next_event();
    let all = session.timeline().events_between(EventId(0), last);
    all.filter_map(|event| look(event)).collect()
}

fn of_cluster(event: &Event) -> Option<&ClusterEvent> {
    match &event.kind {
        EventKind::Cluster(news) => news.event(),
        _ => None,
    }
}

fn refusals(session: &Session) -> Vec<ErrorCode> {
    found(session, |event| match &event.kind {
        EventKind::AppendRefused { error, .. } => Some(error.code),
        _ => None,
    })
}

fn duplicates_found(session: &Session) -> usize {
    let is_it = |event: &Event| {
        matches!(of_cluster(event)?, ClusterEvent::DuplicateFound { .. }).then_some(())
    };
    found(session, is_it).len()
}

fn counts(session: &Session) -> HazardCounts {
    session.timeline().snapshot().cluster.known().hazards
}

const CREATE: &str = "kafka-topics.sh SERVERS --create --topic t --replica-assignment 1";

/// The answer of the leader is lost: the batch comes again.
fn lost_answer(settings: &str) -> Session {
    let producer = format!(
        "(echo one; sleep 2; echo two; sleep 9) | kafka-console-producer.sh SERVERS --topic t --timeout 0 \
         {settings} 2>/dev/null &"
    );
    let cut = "sleep 1; hw cut 1 clients --one-way; sleep 2; hw heal; wait";
    session(&[CREATE, &producer, cut])
}

/// A leader knows the batch that comes again. It says so, and where it is; nothing is appended, or counted.
#[test]
fn a_lost_answer() {
    let safe = lost_answer("");
    assert_eq!(log(&safe, 1), row(&[("one", Some((0, 0))), ("two", Some((0, 1)))]));
    assert!(duplicates_found(&safe) >= 1);
    assert_eq!(counts(&safe), HazardCounts::default());
}

/// Without sequence numbers it cannot know. The copy is an event that the producer's line led to, and
/// counted, also after going back in time.
#[test]
fn a_lost_answer_without_idempotence() {
    let mut risky = lost_answer("--command-property enable.idempotence=false");
    let values: Vec<String> = log(&risky, 1).into_iter().map(|(value, _)| value).collect();
    let copies = values.len() - 2;
    assert!(copies >= 1 && values[0] == "one" && values[1..].iter().all(|it| it == "two"));
    assert_eq!(duplicates_found(&risky), 0);
    let expected = HazardCounts { duplicate_records: copies as u64, ..HazardCounts::default() };
    assert_eq!(counts(&risky), expected);
    let events = found(&risky, |event| match of_cluster(event)? {
        ClusterEvent::DuplicateAppended { first, again, .. } => Some((event.id, first.0, again.0)),
        _ => None,
    });
    assert_eq!(events.len(), copies);
    assert_eq!((events[0].1, events[0].2), (1, 2));
    let chain = risky.timeline().why(events[0].0);
    let begins = &chain
        .iter()
        .map(|event| &event.kind)
        .find(|kind| matches!(kind, EventKind::InputApplied { .. }));
    assert!(begins.is_some(), "{chain:?}");
    let end = risky.timeline().world().now();
    risky.timeline_mut().seek_event(events[0].0);
    let seen = counts(&risky).duplicate_records;
    risky.timeline_mut().seek_time(SimTime(1_000_000));
    assert_eq!(counts(&risky), HazardCounts::default());
    risky.timeline_mut().seek_time(end);
    assert_eq!((counts(&risky), seen.max(1)), (expected, 1));
}

/// A batch is lost while the next one is on its way: the leader refuses that one, since a number is missing,
/// until the lost one has come.
#[test]
fn a_gap_is_refused() {
    let producer = "(echo one; sleep 2; echo two; sleep 0.3; echo three; sleep 5) | \
        kafka-console-producer.sh SERVERS --topic t --timeout 0 2>/dev/null &";
    let cut = "sleep 1.9; hw cut clients 1 --one-way; sleep 0.3; hw heal; wait";
    let lost = session(&[CREATE, producer, cut]);
    assert!(refusals(&lost).contains(&ErrorCode::OutOfOrderSequenceNumber));
    let expected = [("one", Some((0, 0))), ("two", Some((0, 1))), ("three", Some((0, 2)))];
    assert_eq!(log(&lost, 1), row(&expected));
    assert_eq!(counts(&lost), HazardCounts::default());
}

/// A batch is given up that may stand in the log: what follows begins a new epoch of the producer with number
/// 0, so that nothing is taken for something else.
#[test]
fn a_new_epoch_begins_after_a_loss() {
    let producer = "(echo one; sleep 2; echo two; sleep 8; echo three; sleep 5) | \
        kafka-console-producer.sh SERVERS --topic t --timeout 0 --command-property \
        delivery.timeout.ms=2000 2>/dev/null &";
    // Once the batch never arrives, once only the answer does not.
    for (cut, expected) in [
        ("hw cut clients 1 --one-way", vec![("one", Some((0, 0))), ("three", Some((1, 0)))]),
        (
            "hw cut 1 clients --one-way",
            vec![("one", Some((0, 0))), ("two", Some((0, 1))), ("three", Some((1, 0)))],
        ),
    ] {
        let faults = format!("sleep 1; {cut}; sleep 6; hw heal; wait");
        let lost = session(&[CREATE, producer, &faults]);
        assert_eq!(log(&lost, 1), row(&expected), "{cut}");
    }
}

/// A producer that has not written for `producer.id.expiration.ms` is forgotten at the next look, and what it
/// sends then is taken, whatever its number. One that has written is remembered.
#[test]
fn producers_are_forgotten() {
    let settings = [
        ("producer.id.expiration.ms", "60000"),
        ("producer.id.expiration.check.interval.ms", "10000"),
    ];
    let play = |pause: u32| {
        let producer = format!(
            "(echo one; sleep {pause}; echo two; sleep 1) | kafka-console-producer.sh SERVERS --topic t \
             --timeout 0 2>/dev/null"
        );
        let played = session_with(&settings, &[CREATE, &producer]);
        let expired = found(&played, |event| match of_cluster(event)? {
            ClusterEvent::ProducersExpired { producers, .. } => Some((event.at.0, producers.len())),
            _ => None,
        });
        assert_eq!(log(&played, 1), row(&[("one", Some((0, 0))), ("two", Some((0, 1)))]));
        expired
    };
    let expired = play(90);
    assert_eq!(expired.len(), 1);
    assert!((60_000_000..=80_000_000).contains(&expired[0].0) && expired[0].1 == 1, "{expired:?}");
    assert!(play(50).is_empty());
}

/// The leader appends what no follower gets, and dies. With acks=1 its producer has been told that all is
/// well.
#[test]
fn a_leader_takes_records_with_it() {
    let play = |acks: &str| {
        let producer = format!(
            "(echo one; sleep 3; echo two; sleep 1; sleep 20) | kafka-console-producer.sh SERVERS --topic t \
             --timeout 0 --request-required-acks {acks} --message-send-max-retries 100 2>/dev/null &"
        );
        session(&[
            "kafka-topics.sh SERVERS --create --topic t --replica-assignment 1:2",
            &producer,
            "sleep 2; hw cut 1 2; sleep 2; hw crash 1; wait",
        ])
    };
    let risky = play("1");
    let expected = HazardCounts { acknowledged_records_lost: 1, ..HazardCounts::default() };
    assert_eq!(counts(&risky), expected);
    let lost = found(&risky, |event| match of_cluster(event)? {
        ClusterEvent::RecordsLost { leader, promise, from, to, records, .. } => {
            Some((event.id, leader.0, *promise, from.0, to.0, *records))
        }
        _ => None,
    });
    assert_eq!(lost.len(), 1);
    let (id, leader, promise, from, to, records) = lost[0];
    assert_eq!((leader, promise, from, to, records), (2, Promise::LeaderHasIt, 1, 2, 1));
    // Why? Because somebody else leads now, since the leader was fenced.
    let chain = risky.timeline().why(id);
    let fenced = chain.iter().any(|event| {
        matches!(of_cluster(event), Some(ClusterEvent::BrokerFenced { broker: BrokerId(1), .. }))
    });
    assert!(fenced, "{chain:?}");
    let safe = play("-1");
    assert_eq!(counts(&safe), HazardCounts::default());
    assert_eq!(log(&safe, 2), row(&[("one", Some((0, 0))), ("two", Some((0, 1)))]));
}

/// The snapshot names the disks that are slow.
#[test]
fn slow_disks_are_seen() {
    let mut session = session(&["hw slow --disk 2 40"]);
    let delays = |session: &Session| -> Vec<u64> {
        let snapshot = session.timeline().snapshot();
        snapshot.cluster.known().brokers.iter().map(|broker| broker.disk_delay.0).collect()
    };
    assert_eq!(delays(&session), [0, 40_000, 0]);
    let fault = found(&session, |event| match of_cluster(event)? {
        ClusterEvent::FaultInjected { fault } => Some(*fault),
        _ => None,
    });
    assert_eq!(fault, [Fault::SlowDisk(BrokerId(2), SimDuration::from_millis(40))]);
    session.run("hw heal --disk 2").expect("it is taken");
    assert_eq!(delays(&session), [0, 0, 0]);
}
