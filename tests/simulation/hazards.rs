//! What producers risk, shown: each hazard happens with the setting that allows it, and does not with the
//! safe one. The same lines on a real cluster do the same (tests/transcripts/recorded).

use std::rc::Rc;

use highwater_core::error::ErrorCode;
use highwater_core::ids::{BrokerId, EventId};
use highwater_core::world::cluster_event::{ClusterEvent, Promise};
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::fault::Fault;
use highwater_core::world::hazard::{HazardCounts, Unanswered};
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;
use highwater_shell::simulation::{Outcome, Plan, play};

const SERVERS: &str = "--bootstrap-server localhost:9092,localhost:9093";

fn outcome(lines: &[&str]) -> Outcome {
    let lines = lines.iter().map(|line| line.replace("SERVERS", SERVERS)).collect();
    let plan = Plan { lines, ..Plan::of(1, 3, &[]) };
    play(&plan).unwrap_or_else(|failure| panic!("{failure:?}\n{}", plan.transcript()))
}

/// How many records stand in partition 0 of topic `a` in the end.
fn count_line() -> &'static str {
    "kafka-get-offsets.sh SERVERS --topic a"
}

/// The leader hangs with a record on its way: the producer sends it again, and both are appended.
fn hanging_leader(properties: &str) -> Outcome {
    outcome(&[
        "kafka-topics.sh SERVERS --create --topic a --replica-assignment 1",
        &format!(
            "(echo one; sleep 4; echo two; sleep 9) | kafka-console-producer.sh --bootstrap-server \
             localhost:9093 --topic a --timeout 0 {properties} 2>/dev/null &"
        ),
        "sleep 3",
        "hw pause 1",
        "sleep 4",
        "hw resume 1",
        "wait",
        count_line(),
    ])
}

/// A learner asks for the counts with a command.
#[test]
fn the_counts_are_told() {
    let counted = outcome(&[
        "kafka-topics.sh SERVERS --create --topic a --replica-assignment 1",
        "(echo one; sleep 4; echo two; sleep 9) | kafka-console-producer.sh --bootstrap-server \
         localhost:9093 --topic a --timeout 0 --request-required-acks 1 2>/dev/null &",
        "sleep 3",
        "hw pause 1",
        "sleep 4",
        "hw resume 1",
        "wait",
        "hw hazards | grep -v ' 0 '",
    ]);
    assert_eq!(
        counted.output,
        "        1 records appended once more because they were sent again\n"
    );
}

/// Without idempotence a record that is sent again may stand in the log twice.
#[test]
fn duplicates() {
    let risky = hanging_leader("--command-property enable.idempotence=false");
    assert_eq!(risky.counted.duplicate_records, 1, "{risky:?}");
    assert_eq!(risky.hazards.duplicate_records, 1, "{risky:?}");
    assert_eq!(risky.output, "a:0:3\n");
    let risky = hanging_leader("--request-required-acks 1");
    assert_eq!(risky.hazards.duplicate_records, 1, "{risky:?}");
    let safe = hanging_leader("");
    assert_eq!(safe.counted.duplicate_records, 0, "{safe:?}");
    assert_eq!(safe.hazards.duplicate_records, 0, "{safe:?}");
    assert_eq!(safe.output, "a:0:2\n");
}

/// The leader appends what no follower gets, answers, and dies.
fn lonely_leader(properties: &str) -> Outcome {
    outcome(&[
        "kafka-topics.sh SERVERS --create --topic a --replica-assignment 1:2",
        &format!(
            "(echo one; sleep 4; echo two; sleep 1; sleep 20) | kafka-console-producer.sh SERVERS --topic \
             a --timeout 0 {properties} 2>/dev/null &"
        ),
        "sleep 3",
        "hw cut 1 2",
        "sleep 2",
        "hw crash 1",
        "wait",
        "hw heal",
        count_line(),
    ])
}

/// With acks=1 what the leader alone had is lost with it, though it was acknowledged.
#[test]
fn acknowledged_and_lost() {
    let risky = lonely_leader("--request-required-acks 1");
    assert_eq!(risky.counted.acknowledged_records_lost, 1, "{risky:?}");
    assert_eq!(risky.hazards.acknowledged_records_lost, 1, "{risky:?}");
    assert_eq!(risky.output, "a:0:1\n");
    let safe = lonely_leader("--message-send-max-retries 100");
    assert_eq!(safe.counted.acknowledged_records_lost, 0, "{safe:?}");
    assert_eq!(safe.hazards.acknowledged_records_lost, 0, "{safe:?}");
    assert_eq!(safe.output, "a:0:2\n");
}

/// What is sent meanwhile does not reach the leader.
fn lost_request(properties: &str) -> Outcome {
    outcome(&[
        "kafka-topics.sh SERVERS --create --topic a --replica-assignment 2",
        &format!(
            "(echo one; sleep 4; echo two; sleep 0.2; echo three; sleep 9) | kafka-console-producer.sh \
             SERVERS --topic a --timeout 0 {properties} 2>/dev/null &"
        ),
        "sleep 3.9",
        "hw cut clients 2 --one-way",
        "sleep 0.2",
        "hw heal",
        "wait",
        "kafka-console-consumer.sh SERVERS --topic a --partition 0 --offset earliest --timeout-ms 3000 \
         2>/dev/null",
    ])
}

/// With acks=0 nobody hears of a record that was lost on its way.
#[test]
fn sent_and_lost() {
    let risky = lost_request("--request-required-acks 0");
    assert_eq!(risky.hazards.unanswered_records_lost, 1, "{risky:?}");
    assert_eq!(risky.counted.unanswered_records_lost, 1, "{risky:?}");
    assert_eq!(risky.output, "one\nthree\n");
    for properties in ["", "--request-required-acks 1"] {
        let safe = lost_request(properties);
        assert_eq!(safe.hazards.unanswered_records_lost, 0, "{safe:?}");
        assert_eq!(safe.counted.unanswered_records_lost, 0, "{safe:?}");
        assert_eq!(safe.output.lines().count(), 3, "{safe:?}");
    }
}

/// Without idempotence a record that is sent again stands behind those that were sent meanwhile, unless
/// only one request is in flight.
#[test]
fn order() {
    let risky = lost_request("--command-property enable.idempotence=false");
    assert_eq!(risky.hazards.reordered_records, 1, "{risky:?}");
    assert_eq!(risky.counted.reordered_records, 1, "{risky:?}");
    assert_eq!(risky.output, "one\nthree\ntwo\n");
    let one_in_flight = "--command-property enable.idempotence=false --command-property \
        max.in.flight.requests.per.connection=1";
    for properties in ["", one_in_flight] {
        let safe = lost_request(properties);
        assert_eq!(safe.hazards.reordered_records, 0, "{safe:?}");
        assert_eq!(safe.counted.reordered_records, 0, "{safe:?}");
        assert_eq!(safe.output, "one\ntwo\nthree\n");
    }
}

/// Two requests in flight get lost together: the younger one is sent again first, as each goes to the front of
/// what waits. Sequence numbers keep the order.
#[test]
fn order_of_several_in_flight() {
    let lose_two = |properties: &str| {
        outcome(&[
            "kafka-topics.sh SERVERS --create --topic a --replica-assignment 2",
            &format!(
                "(echo one; sleep 4; echo two; sleep 0.2; echo three; sleep 9) | \
                 kafka-console-producer.sh SERVERS --topic a --timeout 0 {properties} 2>/dev/null &"
            ),
            "sleep 3.9",
            "hw cut clients 2 --one-way",
            "sleep 0.5",
            "hw heal",
            "wait",
            "kafka-console-consumer.sh SERVERS --topic a --partition 0 --offset earliest --timeout-ms \
             3000 2>/dev/null",
        ])
    };
    let risky = lose_two("--command-property enable.idempotence=false");
    assert_eq!(risky.hazards.reordered_records, 1, "{risky:?}");
    assert_eq!(risky.counted.reordered_records, 1, "{risky:?}");
    assert_eq!(risky.output, "one\nthree\ntwo\n");
    let one_in_flight = "--command-property enable.idempotence=false --command-property \
        max.in.flight.requests.per.connection=1";
    for properties in ["", one_in_flight] {
        let safe = lose_two(properties);
        assert_eq!(safe.hazards.reordered_records, 0, "{safe:?}");
        assert_eq!(safe.counted.reordered_records, 0, "{safe:?}");
        assert_eq!(safe.output, "one\ntwo\nthree\n");
    }
}

/// Records that are committed are lost when somebody leads who did not have them.
#[test]
fn unclean() {
    let lose = |setting: &str| {
        outcome(&[
            &format!(
                "kafka-topics.sh SERVERS --create --topic a --replica-assignment 1:2 --config \
                 unclean.leader.election.enable={setting}"
            ),
            "hw stop 2",
            "echo one | kafka-console-producer.sh SERVERS --topic a",
            "hw crash 1",
            "hw start 2",
            "sleep 12",
            "hw start 1",
            "sleep 12",
            count_line(),
        ])
    };
    let risky = lose("true");
    assert_eq!(risky.counted.committed_records_lost, 1, "{risky:?}");
    assert_eq!(risky.hazards.committed_records_lost, 1, "{risky:?}");
    assert_eq!(risky.output, "a:0:0\n");
    let safe = lose("false");
    assert_eq!(safe.counted.committed_records_lost, 0, "{safe:?}");
    assert_eq!(safe.hazards.committed_records_lost, 0, "{safe:?}");
    assert_eq!(safe.output, "a:0:1\n");
}

/// A leader that does not reach the controller is overtaken and does not know; its producer does not, either.
fn overtaken(setting: &str, properties: &str) -> Vec<String> {
    let topic = format!(
        "kafka-topics.sh SERVERS --create --topic a --replica-assignment 1:2 --config \
         unclean.leader.election.enable={setting}"
    );
    let producer = format!(
        "(echo one; sleep 30; echo two; sleep 9) | kafka-console-producer.sh SERVERS --topic a --timeout 0 \
         {properties} 2>/dev/null &"
    );
    let begin = [&topic, "hw stop 2", &producer, "sleep 3", "hw cut 1 controller", "hw start 2"];
    let end = ["wait", "hw heal", "sleep 20", count_line()];
    begin.into_iter().chain(end).map(str::to_owned).collect()
}

fn outcome_of(lines: &[String]) -> Outcome {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    outcome(&lines)
}

/// After an unclean election even what was acknowledged with acks=all may be lost: by whoever led before and
/// has not heard of it.
#[test]
fn overtaken_and_lost() {
    for (properties, all, leader, none) in [
        ("", 1, 0, 0),
        ("--request-required-acks 1", 0, 1, 0),
        ("--request-required-acks 0", 0, 0, 1),
    ] {
        let risky = outcome_of(&overtaken("true", properties));
        let HazardCounts {
            overtaken_records_lost,
            acknowledged_records_lost,
            unanswered_records_lost,
            ..
        } = risky.counted;
        let lost = (overtaken_records_lost, acknowledged_records_lost, unanswered_records_lost);
        assert_eq!(lost, (all, leader, none), "{properties}: {risky:?}");
        assert_eq!(risky.output, "a:0:1\n");
        let safe = outcome_of(&overtaken("false", properties));
        assert_eq!(safe.counted, HazardCounts::default(), "{properties}: {safe:?}");
        assert_eq!(safe.output, "a:0:2\n");
    }
}

/// A leader that comes back appends what its producer has sent to the new one meanwhile: nothing of that is
/// lost, whatever it says.
#[test]
fn what_was_sent_again_is_not_lost() {
    let again = outcome(&[
        "kafka-topics.sh SERVERS --create --topic a --replica-assignment 1:2 --config \
         unclean.leader.election.enable=true",
        "hw stop 2",
        "(sleep 4; echo one; sleep 40) | kafka-console-producer.sh SERVERS --topic a --timeout 0 \
         --message-send-max-retries 100 --request-required-acks 1 2>/dev/null &",
        "sleep 3",
        "hw pause 1",
        "hw start 2",
        "sleep 25",
        "hw resume 1",
        "wait",
        count_line(),
    ]);
    assert_eq!(again.counted.acknowledged_records_lost, 0, "{again:?}");
    assert_eq!(again.output, "a:0:1\n");
}

/// With acks=0 nobody hears of a record that a leader takes with it.
#[test]
fn unanswered_and_lost_with_the_leader() {
    let risky = lonely_leader("--request-required-acks 0");
    assert_eq!(risky.counted.unanswered_records_lost, 1, "{risky:?}");
    assert_eq!(risky.hazards.unanswered_records_lost, 1, "{risky:?}");
    assert_eq!(risky.output, "a:0:1\n");
    let safe = lonely_leader("--message-send-max-retries 100");
    assert_eq!(safe.counted.unanswered_records_lost, 0, "{safe:?}");
}

/// What has happened in a session, as far as it is about the cluster.
fn story(lines: &[&str]) -> (Session, Vec<(EventId, Rc<Event>)>) {
    let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
    for line in lines {
        session.run(&line.replace("SERVERS", SERVERS)).expect("it is taken");
    }
    let last = session.timeline().world().next_event();
    let events = session.timeline().events_between(EventId(0), last);
    let events = events.map(|event| (event.id, Rc::clone(event))).collect();
    (session, events)
}

fn of_cluster(event: &Event) -> Option<&ClusterEvent> {
    match &event.kind {
        EventKind::Cluster(news) => news.event(),
        _ => None,
    }
}

/// The one event that `look` finds, with what it makes of it, and the faults that led to it.
fn found<T>(lines: &[&str], look: impl Fn(&ClusterEvent) -> Option<T>) -> (T, Vec<Fault>) {
    let (session, events) = story(lines);
    let mut found = events.iter().filter_map(|(id, event)| Some((*id, look(of_cluster(event)?)?)));
    let (id, what) = found.next().expect("it has happened");
    assert!(found.next().is_none(), "it has happened twice");
    let chain = session.timeline().why(id);
    let faults = chain.iter().filter_map(|event| match of_cluster(event)? {
        ClusterEvent::FaultInjected { fault } => Some(*fault),
        _ => None,
    });
    assert!(
        matches!(chain.last().map(|last| &last.kind), Some(EventKind::InputApplied { .. })),
        "{chain:?}"
    );
    (what, faults.collect())
}

/// Records that were sent with acks=0 and get into no log: each way is told, with the fault that led to it.
#[test]
fn why_a_record_never_arrived() {
    let unanswered = |event: &ClusterEvent| match event {
        ClusterEvent::UnansweredLost { count, why, .. } => Some((*count, *why)),
        _ => None,
    };
    let create = "kafka-topics.sh SERVERS --create --topic a --replica-assignment 1";
    let producer = "(echo one; sleep 4; echo two; sleep 4) | kafka-console-producer.sh --bootstrap-server \
        localhost:9093 --topic a --timeout 0 --request-required-acks 0 2>/dev/null &";
    let one = BrokerId(1);
    let lines = [create, producer, "sleep 3", "hw cut clients 1 --one-way", "wait"];
    let ((count, why), faults) = found(&lines, unanswered);
    assert!(count == 1 && matches!(why, Unanswered::Dropped(_)), "{why:?}");
    assert!(matches!(faults[..], [Fault::AddRule(_)]), "{faults:?}");
    let lines = [create, producer, "sleep 3", "hw crash 1", "wait"];
    let what = found(&lines, unanswered);
    assert_eq!(what, ((1, Unanswered::NobodyListened(one)), vec![Fault::Crash(one)]));
    let lines = [create, producer, "sleep 3", "hw pause 1", "sleep 3", "hw crash 1", "wait"];
    let what = found(&lines, unanswered);
    assert_eq!(what, ((1, Unanswered::EndedBefore(one)), vec![Fault::Crash(one)]));
    let lines =
        [create, producer, "sleep 3", "hw slow --disk 1 9000", "sleep 3", "hw stop 1", "wait"];
    let what = found(&lines, unanswered);
    assert_eq!(what, ((1, Unanswered::EndedBefore(one)), vec![Fault::Stop(one)]));
    let once = producer.replace("echo two; ", "");
    let refusing = "kafka-topics.sh SERVERS --create --topic a --replica-assignment 1 --config \
        max.message.bytes=69";
    let (what, _) = found(&[refusing, &once, "wait"], unanswered);
    assert_eq!(what, (1, Unanswered::Refused(one, ErrorCode::MessageTooLarge)));
}

/// A record that is behind a later one of its producer: where both are, and the fault that kept it from
/// coming in time.
#[test]
fn why_the_order_changed() {
    let (places, faults) = found(
        &[
            "kafka-topics.sh SERVERS --create --topic a --replica-assignment 2",
            "(echo one; sleep 4; echo two; sleep 0.2; echo three; sleep 9) | kafka-console-producer.sh \
             SERVERS --topic a --timeout 0 --command-property enable.idempotence=false 2>/dev/null &",
            "sleep 3.9",
            "hw cut clients 2 --one-way",
            "sleep 0.2",
            "hw heal",
            "wait",
        ],
        |event| match event {
            ClusterEvent::OrderChanged { later, at, count, broker, .. } => {
                Some((later.0, at.0, *count, broker.0))
            }
            _ => None,
        },
    );
    assert_eq!(places, (1, 2, 1, 2));
    assert!(matches!(faults[..], [Fault::AddRule(_)]), "{faults:?}");
}

/// A record that a leader has acknowledged for all in-sync replicas after it was overtaken: who lacks it, and
/// the election that led to it, since the old leader was out of touch.
#[test]
fn why_an_acknowledged_record_is_lost() {
    let lines = overtaken("true", "");
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let (what, faults) = found(&lines, |event| match event {
        ClusterEvent::RecordsLost {
            promise: Promise::AllHaveIt,
            leader,
            from,
            to,
            records,
            ..
        } => Some((leader.0, from.0, to.0, *records)),
        _ => None,
    });
    assert_eq!(what, (2, 1, 2, 1));
    assert!(!faults.is_empty(), "nobody knows why");
}
