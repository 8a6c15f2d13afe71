//! What is offered while a line is typed.

use highwater_core::world::options::ClusterOptions;
use highwater_shell::complete::complete;
use highwater_shell::session::Session;
use highwater_shell::tool::catalogue;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn session() -> Session {
    let mut session = Session::new(ClusterOptions::default()).expect("a cluster");
    for line in [
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic parcel-events --partitions 2",
        "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic payments",
        "echo a | kafka-console-producer.sh --bootstrap-server localhost:9092 --topic payments",
        "kafka-console-consumer.sh --bootstrap-server localhost:9092 --topic payments --group billing \
         --from-beginning --max-messages 1",
    ] {
        session.run(line).expect("it runs");
    }
    session
}

/// Where the word begins, and what fits.
fn offered(session: &Session, line: &str) -> (usize, Vec<String>) {
    let found = complete(line, &session.timeline().snapshot());
    (found.start, found.candidates.into_iter().map(|candidate| candidate.text).collect())
}

#[test]
fn commands_options_and_names() {
    let session = session();
    let fits = |line: &str| offered(&session, line).1;
    assert_eq!(fits("kafka-g"), ["kafka-get-offsets.sh", "kafka-groups.sh"]);
    assert_eq!(fits("echo a | kafka-console-p"), ["kafka-console-producer.sh"]);
    assert_eq!(fits("(sleep 1; kafka-console-p"), ["kafka-console-producer.sh"]);
    assert_eq!(fits("kafka-topics.sh --replication"), ["--replication-factor"]);
    assert_eq!(fits("kafka-topics --boot"), ["--bootstrap-server"]);
    assert_eq!(fits("kafka-producer-perf-test.sh --num"), ["--num-records"]);
    assert_eq!(fits("kafka-topics.sh --topic pa"), ["parcel-events", "payments"]);
    assert_eq!(fits("kafka-topics.sh --topic=pay"), ["--topic=payments"]);
    assert_eq!(
        fits("kafka-get-offsets.sh --topic-partitions parcel"),
        ["parcel-events:0", "parcel-events:1"]
    );
    assert_eq!(fits("kafka-consumer-groups.sh --group "), ["billing"]);
    assert_eq!(
        fits("x --bootstrap-server localhost:909"),
        ["localhost:9092", "localhost:9093", "localhost:9094"]
    );
    assert_eq!(fits("kafka-topics.sh --config retention.m"), ["retention.ms="]);
    assert_eq!(fits("hw cr"), ["crash"]);
    assert_eq!(fits("hw crash "), ["1", "2", "3"]);
    assert_eq!(fits("hw crash 1 --power"), ["--power-loss"]);
}

#[test]
fn the_word_that_is_replaced() {
    let session = session();
    assert_eq!(
        offered(&session, "kafka-topics.sh  --topic pay"),
        (25, vec!["payments".to_owned()])
    );
    assert_eq!(offered(&session, "ä; hw cra").0, 7);
}

/// Nothing is offered where anything could stand, and no line makes it panic.
#[test]
fn nothing_to_say() {
    let session = session();
    for line in [
        "kafka-topics.sh --topic 'pa",
        "echo pa",
        "nope --to",
        "a \\",
        "hw crash 1 2",
        "\u{1f980}|\u{1f980}",
    ] {
        assert_eq!(offered(&session, line).1, [] as [&str; 0], "{line}");
    }
}

/// Every command of Kafka's offers its options.
#[test]
fn all_tools_tell_their_options() {
    let session = session();
    for command in catalogue::commands() {
        if command.name.starts_with("kafka-") {
            let options = offered(&session, &format!("{} --", command.name)).1;
            assert!(options.len() >= 2, "{}: {options:?}", command.name);
        }
    }
}
