//! Every kind of event has its reasons: whatever happens in random clusters, the chain of causes ends at
//! what a person did.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use highwater_core::ids::EventId;
use highwater_core::mutation::Mutation;
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::{Event, EventKind};
use highwater_shell::simulation::{Plan, Run, SERVERS};

use crate::seeds;

/// Seeds of the normal test run, and as many with groups.
const SEEDS: u64 = 120;

/// Kinds of events by name, as they were met.
type Kinds = BTreeSet<String>;

/// Every kind there is. One that is not met, or that is met and not named here, is found.
const ALL: &[&str] = &[
    "AppendRefused",
    "AssignmentChanged",
    "BatchAppended",
    "BrokerCordoned",
    "BrokerFenced",
    "BrokerRegistered",
    "BrokerStopped",
    "BrokerUnfenced",
    "ConfigsAltered",
    "ControlledShutdownStarted",
    "CoordinatorLoaded",
    "CoordinatorLoading",
    "CoordinatorUnloaded",
    "DuplicateAppended",
    "DuplicateFound",
    "FaultInjected",
    "GenerationBegan",
    "GroupRemoved",
    "HighWatermarkAdvanced",
    "InputApplied",
    "IsrProposed",
    "LogCleaned",
    "LogStartMoved",
    "LogTruncated",
    "MemberExpired",
    "MemberFenced",
    "MemberIdGiven",
    "MemberJoined",
    "MemberLeft",
    "MessageDropped",
    "MessageSent",
    "OffsetsCommitted",
    "OffsetsRemoved",
    "PartitionChanged",
    "PartitionsAdded",
    "PositionMoved",
    "ProcessExited",
    "ProcessStarted",
    "ProducersExpired",
    "RebalanceStarted",
    "RecordPartitioned",
    "RecordsLost",
    "RecordsRedelivered",
    "RecordsSkipped",
    "ReplicaAppended",
    "SegmentDeleted",
    "SegmentRolled",
    "StateChanged",
    "StaticMemberReplaced",
    "TopicCreated",
    "TopicDeleted",
    "TopicRefused",
    "UnansweredLost",
    "WorkedTooLate",
];

/// The name of what happened.
fn kind(event: &Event) -> String {
    let told = match &event.kind {
        EventKind::Cluster(news) => match news.event() {
            Some(ClusterEvent::Group(of_group)) => format!("{of_group:?}"),
            Some(other) => format!("{other:?}"),
            None => "nothing".to_owned(),
        },
        other => format!("{other:?}"),
    };
    let end = told.find(|c: char| !c.is_alphanumeric()).unwrap_or(told.len());
    told[..end].to_owned()
}

/// Plays a plan; every event's chain of causes must end at an input, and its moments never go back.
fn check_reasons(plan: &Plan, met: &mut Kinds) {
    let mut run = Run::new(plan.options()).expect("a cluster");
    let first = run.world().next_event();
    run.story = Some(Vec::new());
    for line in &plan.lines {
        run.line(line).unwrap_or_else(|failure| panic!("{failure:?}\n{}", plan.transcript()));
    }
    run.heal().unwrap_or_else(|failure| panic!("{failure:?}\n{}", plan.transcript()));
    let events = run.story.take().expect("it is kept");
    let mut reasons: BTreeMap<EventId, &Rc<Event>> = BTreeMap::new();
    for event in events.iter().filter(|event| event.id >= first) {
        let is_input = matches!(event.kind, EventKind::InputApplied { .. });
        let cause = event.cause.and_then(|cause| reasons.get(&cause));
        let has_reason = if is_input {
            event.cause.is_none()
        } else {
            cause.is_some_and(|cause| (cause.at, cause.step) <= (event.at, event.step))
        };
        assert!(has_reason, "{event:?} comes from {:?}\n{}", event.cause, plan.transcript());
        reasons.insert(event.id, event);
        met.insert(kind(event));
    }
}

/// What random clusters do not come to: settings, old records and producers, offsets and groups that go.
const SELDOM: &[&str] = &[
    "kafka-topics.sh S --create --topic a --replica-assignment 1:2:3 --config segment.bytes=1048576 \
     --config retention.bytes=1048576",
    "kafka-topics.sh S --create --topic c --replica-assignment 3:1 --config cleanup.policy=compact \
     --config segment.ms=1000 --config min.cleanable.dirty.ratio=0.01",
    "kafka-producer-perf-test.sh --topic a --num-records 3000 --record-size 1000 --throughput -1 S \
     >/dev/null",
    "for i in 1 2 3; do hw produce --topic c --key k --value v$i; sleep 2; done",
    "kafka-console-consumer.sh S --topic a --group g --timeout-ms 8000 2>/dev/null",
    "kafka-console-consumer.sh S --topic c --group h --from-beginning --timeout-ms 8000 2>/dev/null",
    "echo '{\"partitions\":[{\"topic\":\"a\",\"partition\":0,\"offset\":2500}]}' > d.json",
    "sleep 400",
    "kafka-delete-records.sh S --offset-json-file d.json",
    "kafka-configs.sh S --alter --broker 3 --add-config cordoned.log.dirs=/tmp/kafka-logs-3",
    "kafka-consumer-groups.sh S --delete-offsets --group g --topic a",
    "kafka-consumer-groups.sh S --delete --group h",
    "kafka-topics.sh S --delete --topic c",
    "sleep 400",
];

#[test]
fn every_kind_of_event_comes_from_an_input() {
    let mut met = Kinds::new();
    for seed in seeds(SEEDS) {
        check_reasons(&Plan::random(seed, Mutation::None), &mut met);
        check_reasons(&Plan::with_groups(seed, false), &mut met);
    }
    let lines = SELDOM.iter().map(|line| line.replace(" S ", &format!(" {SERVERS} "))).collect();
    let settings: &[_] = &[
        ("producer.id.expiration.ms", "20000"),
        ("producer.id.expiration.check.interval.ms", "5000"),
    ];
    check_reasons(&Plan { lines, settings, ..Plan::of(1, 3, &[]) }, &mut met);
    let all: Kinds = ALL.iter().map(|name| (*name).to_owned()).collect();
    let strange: Vec<_> = met.symmetric_difference(&all).collect();
    assert!(strange.is_empty(), "not met, or not named: {strange:?}");
}
