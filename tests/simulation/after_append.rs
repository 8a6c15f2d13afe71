//! What becomes of a record that was appended while enough replicas were in sync, when too few are before
//! it is committed: the high watermark stands still, the producer is told nothing but that time is up, tries
//! again, and an idempotent one finds its record there in the end.

use highwater_core::error::ErrorCode;
use highwater_core::ids::Offset;
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;

const SERVERS: &str = "--bootstrap-server localhost:9092";

/// One thing that the leader did with the record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Appended(Offset),
    Refused(ErrorCode),
    FoundAgain(Offset),
}

fn steps(producer: &str) -> (Vec<Step>, String) {
    let mut session = Session::new(ClusterOptions::default()).expect("valid options");
    let lines = [
        format!(
            "kafka-topics.sh {SERVERS} --create --topic a --replica-assignment 1:2 --config \
             min.insync.replicas=2"
        ),
        "hw cut 1 2".to_owned(),
        format!(
            "echo one | kafka-console-producer.sh {SERVERS} --topic a \
             --request-timeout-ms 20000 --message-send-max-retries 900 {producer} &"
        ),
        "sleep 75".to_owned(),
        "hw heal".to_owned(),
        "wait".to_owned(),
        "sleep 3".to_owned(),
        format!("kafka-get-offsets.sh {SERVERS} --topic a"),
    ];
    let mut output = Vec::new();
    for line in &lines {
        output = session.run(line).expect("the line is taken").output;
    }
    let timeline = session.timeline();
    let mut steps = Vec::new();
    for stop in timeline.stops() {
        for event in timeline.events_between(stop.input, stop.last_event) {
            match &event.kind {
                EventKind::BatchAppended { base_offset, .. } => {
                    steps.push(Step::Appended(*base_offset));
                }
                EventKind::AppendRefused { error, .. } => steps.push(Step::Refused(error.code)),
                EventKind::Cluster(news) => {
                    if let Some(ClusterEvent::DuplicateFound { base_offset, .. }) = news.event() {
                        steps.push(Step::FoundAgain(*base_offset));
                    }
                }
                _ => {}
            }
        }
    }
    // The same again and again is told once.
    steps.dedup();
    (steps, output.join("\n"))
}

/// The idempotent producer has its record in the log once, and is told so.
#[test]
fn an_idempotent_producer_finds_its_record() {
    let (steps, offsets) = steps("");
    let here = Step::FoundAgain(Offset(0));
    let refused = Step::Refused(ErrorCode::NotEnoughReplicas);
    assert_eq!(steps, [Step::Appended(Offset(0)), here, refused, here]);
    assert_eq!(offsets, "a:0:1");
}

/// Without idempotence each try that is taken appends another copy.
#[test]
fn another_producer_leaves_copies() {
    let (steps, offsets) = steps("--command-property enable.idempotence=false");
    let refused = Step::Refused(ErrorCode::NotEnoughReplicas);
    let appended = |offset| Step::Appended(Offset(offset));
    assert_eq!(steps, [appended(0), appended(1), appended(2), refused, appended(3)]);
    assert_eq!(offsets, "a:0:4");
}
