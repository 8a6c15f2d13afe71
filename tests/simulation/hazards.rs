//! What producers risk, shown: each hazard happens with the setting that allows it, and does not with the
//! safe one. The same lines on a real cluster do the same (tests/transcripts/recorded).

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
    assert_eq!(risky.unanswered_missing, 1, "{risky:?}");
    assert_eq!(risky.output, "one\nthree\n");
    for properties in ["", "--request-required-acks 1"] {
        let safe = lost_request(properties);
        assert_eq!(safe.unanswered_missing, 0, "{safe:?}");
        assert_eq!(safe.output.lines().count(), 3, "{safe:?}");
    }
}

/// Without idempotence a record that is sent again stands behind those that were sent meanwhile, unless
/// only one request is in flight.
#[test]
fn order() {
    let risky = lost_request("--command-property enable.idempotence=false");
    assert_eq!(risky.hazards.reordered_records, 1, "{risky:?}");
    assert_eq!(risky.output, "one\nthree\ntwo\n");
    let one_in_flight = "--command-property enable.idempotence=false --command-property \
        max.in.flight.requests.per.connection=1";
    for properties in ["", one_in_flight] {
        let safe = lost_request(properties);
        assert_eq!(safe.hazards.reordered_records, 0, "{safe:?}");
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
    assert_eq!(risky.output, "one\nthree\ntwo\n");
    let one_in_flight = "--command-property enable.idempotence=false --command-property \
        max.in.flight.requests.per.connection=1";
    for properties in ["", one_in_flight] {
        let safe = lose_two(properties);
        assert_eq!(safe.hazards.reordered_records, 0, "{safe:?}");
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
