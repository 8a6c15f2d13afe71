//! What is done in one go, and what must wait for the next: answers to followers, rounds of elections; and
//! what an answer to a producer remembers of partitions that were done before the others.

use std::rc::Rc;

use highwater_core::ids::BrokerId;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::cluster_event::{ChangeReason, ClusterEvent};
use highwater_core::world::event::EventKind;
use highwater_core::world::options::ClusterOptions;
use highwater_shell::session::Session;

const SERVERS: &str = "--bootstrap-server localhost:9092";

/// Plays lines on a cluster with these lines in its server.properties.
fn session(brokers: u32, settings: &[(&str, &str)], lines: &[String]) -> (Session, Vec<String>) {
    let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
    let broker_settings = Rc::new(settings.collect());
    let options = ClusterOptions { brokers, broker_settings, ..ClusterOptions::default() };
    let mut session = Session::new(options).expect("valid options");
    let mut output = Vec::new();
    for line in lines {
        let outcome = session.run(line).expect("the line is taken");
        assert_eq!(outcome.exit, 0, "{line}: {outcome:?}");
        output = outcome.output;
    }
    (session, output)
}

/// The moments of the events that are wanted.
fn moments(session: &Session, wanted: impl Fn(&ClusterEvent) -> bool) -> Vec<SimTime> {
    let timeline = session.timeline();
    let mut moments = Vec::new();
    for stop in timeline.stops() {
        for event in timeline.events_between(stop.input, stop.last_event) {
            if let EventKind::Cluster(news) = &event.kind
                && news.event().is_some_and(&wanted)
            {
                moments.push(event.at);
            }
        }
    }
    moments
}

/// When a follower that comes back copies what it lacks of eight partitions, for each append.
fn copies(settings: &[(&str, &str)]) -> Vec<SimTime> {
    let records: String = (0..40).map(|n| format!("k{n}:v\n")).collect();
    let (session, output) = session(
        2,
        settings,
        &[
            format!(
                "kafka-topics.sh {SERVERS} --create --topic a --partitions 8 --replication-factor 2"
            ),
            "hw stop 2".to_owned(),
            format!(
                "kafka-console-producer.sh {SERVERS} --topic a --reader-property parse.key=true \
                 --reader-property key.separator=: <<X\n{records}X"
            ),
            "hw start 2".to_owned(),
            "sleep 20".to_owned(),
            format!("kafka-topics.sh {SERVERS} --describe --topic a --under-replicated-partitions"),
        ],
    );
    assert_eq!(output, [""; 0], "all has been copied");
    moments(&session, |event| {
        matches!(event, ClusterEvent::ReplicaAppended { broker: BrokerId(2), .. })
    })
}

/// An answer to a follower brings no more than it allows, but always one batch: what did not fit comes with
/// the next ones.
#[test]
fn answers_to_followers() {
    let together = copies(&[]);
    assert!(together.len() > 4, "{together:?}");
    assert!(together.iter().all(|at| *at == together[0]), "{together:?}");
    for limits in [
        [("replica.fetch.response.max.bytes", "1"), ("replica.fetch.max.bytes", "1048576")],
        [("replica.fetch.response.max.bytes", "0"), ("replica.fetch.max.bytes", "0")],
    ] {
        let apart = copies(&limits);
        assert_eq!(apart.len(), together.len(), "{apart:?}");
        assert!(apart.windows(2).all(|pair| pair[0] < pair[1]), "{apart:?}");
    }
}

/// No more than 1,000 leaders go back at once; the others follow after ten milliseconds.
#[test]
fn rounds_of_elections() {
    let create = "--create --topic a --partitions 2400 --replication-factor 2";
    let lines = [
        format!("kafka-topics.sh {SERVERS} {create}"),
        "hw stop 1".to_owned(),
        "hw start 1".to_owned(),
        "sleep 320".to_owned(),
    ];
    let (session, _) = session(2, &[], &lines);
    let rounds = moments(&session, |event| {
        matches!(event, ClusterEvent::PartitionChanged { reason: ChangeReason::Rebalance, .. })
    });
    assert_eq!(rounds.len(), 1_200);
    assert!(rounds[..1_000].iter().all(|at| *at == rounds[0]));
    let next = rounds[0] + SimDuration::from_millis(10);
    assert!(rounds[1_000..].iter().all(|at| *at == next));
}

/// One request brings records to two partitions. One of them is done at once and gets another leader while
/// the other still waits for its follower: it stays done, and is not sent again.
#[test]
fn what_is_done_stays_done() {
    let (_, output) = session(
        3,
        &[],
        &[
            format!("kafka-topics.sh {SERVERS} --create --topic a --replica-assignment 1:3,1:2"),
            "hw cut 1 2".to_owned(),
            format!(
                "kafka-console-producer.sh {SERVERS} --topic a --reader-property parse.key=true \
                 --reader-property key.separator=: --request-timeout-ms 60000 \
                 --command-property enable.idempotence=false <<X &\nk0:v\nk1:v\nk2:v\nk3:v\nX"
            ),
            "sleep 3".to_owned(),
            "echo '{\"version\":1,\"partitions\":[{\"topic\":\"a\",\"partition\":0,\"replicas\":[3]}]}' \
             > f"
                .to_owned(),
            format!("kafka-reassign-partitions.sh {SERVERS} --execute --reassignment-json-file f"),
            "sleep 3".to_owned(),
            "hw heal".to_owned(),
            "wait".to_owned(),
            format!("kafka-get-offsets.sh {SERVERS} --topic a"),
        ],
    );
    let counts: Vec<i64> = output
        .iter()
        .map(|line| line.rsplit(':').next().and_then(|end| end.parse().ok()).expect("a number"))
        .collect();
    assert!(counts.iter().all(|count| *count > 0), "{output:?}");
    assert_eq!(counts.iter().sum::<i64>(), 4, "{output:?}");
}
