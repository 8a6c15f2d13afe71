//! Sentences: what is said at a stop, why, and the arithmetic of a key.

mod driver;

use std::rc::Rc;

use driver::{Run, SIX, puzzle};
use highwater_core::broker::group_coordinator::GroupState;
use highwater_core::client::partitioner::{Choice, Why, java, kafka_go, librdkafka};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{
    BrokerId, EventId, GroupId, MemberId, Offset, PartitionId, TopicName, TopicPartition,
};
use highwater_core::log::segment::RollReason;
use highwater_core::scope::{Always, Lab};
use highwater_core::time::SimTime;
use highwater_core::world::event::{Event, EventKind, Rolled};
use highwater_core::world::group_event::{GroupEvent, Missed, RebalanceReason, Removal};
use highwater_scene::arithmetic::{self, StepKind};
use highwater_scene::narration::narrate;
use highwater_scene::node::to_string;
use highwater_scene::why::{reasons, sentence};
use highwater_scene::words;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const VECTORS: &str = include_str!("../../../tests/vectors/partition-vectors.json");

/// What is said after a line.
fn said(run: &mut Run, line: &str) -> String {
    let events = run.line(line);
    narrate(&events, &run.snapshot())
}

/// A story in sentences.
#[test]
fn one_sentence_a_stop() {
    let mut run = Run::new();
    let mut say = |line: &str| said(&mut run, line);
    assert_eq!(say("create parcel-events 3"), "Topic parcel-events now exists, with 3 partitions.");
    assert_eq!(
        say("create parcel-events 3"),
        "Kafka refused topic parcel-events: Topic 'parcel-events' already exists."
    );
    let all = ["send java parcel-events ", &SIX.join(" ")].concat();
    assert_eq!(say(&all), "6 records: partition 0 has 3, 1 has 2, 2 has 1.");
    assert_eq!(
        say("send java parcel-events locker-4=PARCEL_DROPPED"),
        "locker-4 hashes to partition 0; its record is now offset 3 there."
    );
    assert_eq!(
        say("send java parcel-events locker-4=A locker-2=B"),
        "2 records came in: partition 0 now has 5, 1 now has 3."
    );
    assert_eq!(
        say("send java parcel-events 2!locker-7=A"),
        "The sender named partition 2; the record is now offset 1 there."
    );
    assert_eq!(
        say("send kafka-go parcel-events -=A"),
        "Without a key it was the turn of partition 0; the record is now offset 5 there."
    );
    assert_eq!(
        say("read analytics parcel-events 0 100"),
        "analytics has read offsets 0 to 5 of partition 0; its next is 6. Nothing was removed."
    );
    assert_eq!(
        say("read billing parcel-events 0 1"),
        "billing has read offset 0 of partition 0; its next is 1. Nothing was removed."
    );
    assert_eq!(say("nonsense"), "Nothing changed in the log.");
    assert_eq!(
        say("send java other locker-7=A"),
        "Topic other now exists, with 1 partition; locker-7 hashes to partition 0 of other; its \
         record is now offset 0 there."
    );
}

/// Why is it there? From the line that was entered to the append, each a sentence.
#[test]
fn a_chain_of_reasons() {
    let mut run = puzzle("java");
    let events = run.line("send java parcel-events locker-4=PARCEL_DROPPED");
    let appended =
        events.iter().find(|event| matches!(event.kind, EventKind::BatchAppended { .. })).unwrap();
    let reasons = reasons(&run.timeline.why(appended.id), &run.snapshot());
    let sentences: Vec<&str> = reasons.iter().map(|reason| reason.sentence.as_str()).collect();
    assert_eq!(
        sentences.first(),
        Some(&"You entered: send java parcel-events locker-4=PARCEL_DROPPED")
    );
    assert_eq!(sentences.last(), Some(&"Broker 2 appended it as parcel-events-0, offset 3."));
    assert!(reasons.iter().all(|reason| !reason.at.is_empty() && !reason.sentence.is_empty()));
    let put = events.iter().map(|event| sentence(&event.kind)).find(|text| text.contains("put"));
    assert_eq!(
        put.as_deref(),
        Some(
            "Kafka's Java client put the record with key locker-4 into parcel-events-0, since the \
             murmur2 hash of the key divided by 3 leaves 0."
        )
    );
}

/// Every event of a run has a sentence that ends, and names no inner name of the program.
#[test]
fn every_event_has_a_sentence() {
    let mut run = Run::new();
    for line in ["create t 2", "create t 2", "send java t a=b -=c", "read r t 0 9", "nonsense"] {
        for event in run.line(line) {
            let text = sentence(&event.kind);
            let typed = matches!(event.kind, EventKind::InputApplied { .. });
            assert!(typed || text.ends_with('.'), "{text}");
            assert!(!text.contains('{') && !text.contains(".."), "{text}");
        }
    }
}

/// What a short run does not do: a refused append, a new segment, a high watermark, a way back.
#[test]
fn rare_events() {
    let partition = TopicPartition::new(&TopicName::new("parcel-events"), PartitionId(0));
    let error = KafkaError::plain(ErrorCode::MessageTooLarge);
    let event = |kind: EventKind| {
        let at = SimTime(12_310_000);
        Rc::new(Event { id: EventId(7), step: 3, at, cause: None, kind })
    };
    let snapshot = puzzle("java").snapshot();
    let refused = event(EventKind::AppendRefused { partition: partition.clone(), error });
    let said = "Kafka refused a write to parcel-events-0: The request included a message larger \
                than the max message size the server will accept.";
    assert_eq!(narrate(&[Rc::clone(&refused)], &snapshot), said);
    assert!(sentence(&refused.kind).starts_with("The leader of parcel-events-0 refused the"));
    assert_eq!(reasons(&[refused], &snapshot)[0].at, "12.31 s");
    let (broker, base_offset) = (BrokerId(2), Offset(6));
    let reason = RollReason::SegmentBytes { bytes: 1_048_600, most: 1_048_576 };
    let why = Always::new(Rolled { reason, copied_from: Some(BrokerId(1)) });
    let rolled =
        EventKind::SegmentRolled { partition: partition.clone(), broker, base_offset, why };
    assert_eq!(
        sentence(&rolled),
        "Broker 2 opened a new segment of parcel-events-0 at offset 6. The last one would have had \
         1048600 bytes, and segment.bytes is 1048576. It copied the batch from broker 1 and closes \
         its segments by itself."
    );
    let (from, to, held_by) = (Offset(3), Offset(6), BrokerId(3));
    let rose = EventKind::HighWatermarkAdvanced { partition: partition.clone(), from, to, held_by };
    assert_eq!(
        sentence(&rose),
        "Readers of parcel-events-0 see up to offset 5: all in-sync replicas have it, and the log \
         of broker 3 ends at 6."
    );
    assert_eq!(
        narrate(&[event(rose)], &snapshot),
        "Readers of partition 0 now see up to offset 5."
    );
    let (reader, from, to) = ("billing".to_owned(), Some(Offset(3)), Offset(0));
    let back =
        event(EventKind::PositionMoved { reader, member: Lab::default(), partition, from, to });
    assert_eq!(narrate(&[back], &snapshot), "billing went back to offset 0 of partition 0.");
}

/// The line of the look book, for each family.
#[test]
fn the_arithmetic_of_a_key() {
    let line = |choice: &Choice| arithmetic::line(&arithmetic::steps(Some(b"locker-7"), choice));
    assert_eq!(
        line(&java::choose_by_key(b"locker-7", 3)),
        "\"locker-7\" → 8 bytes → murmur2 = −713338313 → & 0x7fffffff = 1434145335 → mod 3 = 0 → \
         partition 0"
    );
    assert_eq!(
        line(&librdkafka::choose_by_key(b"locker-7", 3)),
        "\"locker-7\" → 8 bytes → CRC-32 = 1006643670 → mod 3 = 0 → partition 0"
    );
    assert_eq!(
        line(&kafka_go::choose_by_key(b"locker-7", 3)),
        "\"locker-7\" → 8 bytes → FNV-1a = −979866771 → without its sign 979866771 → mod 3 = 0 → \
         partition 0"
    );
    let keyless = |why| {
        arithmetic::line(&arithmetic::steps(None, &Choice { partition: PartitionId(2), why }))
    };
    assert_eq!(
        keyless(Why::Sticky),
        "no key → the client stays with one partition for a while → partition 2"
    );
    assert_eq!(keyless(Why::Turn), "no key → the partitions take turns → partition 2");
    assert_eq!(keyless(Why::Given), "no key → the sender named the partition → partition 2");
}

/// Every recorded vector: the numbers shown are those of the real libraries.
#[test]
fn all_vectors_are_shown() {
    let vectors: serde_json::Value = serde_json::from_str(VECTORS).unwrap();
    let minus = |text: &str| text.replace('-', "\u{2212}");
    for row in vectors["vectors"].as_array().unwrap() {
        let hex = row["key_hex"].as_str().unwrap();
        let key: Vec<u8> = (0..hex.len())
            .step_by(2)
            .map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap())
            .collect();
        let shown = |choice: &Choice, kind: StepKind| {
            let steps = arithmetic::steps(Some(&key), choice);
            steps.into_iter().find(|step| step.kind == kind).map(|step| step.text)
        };
        let ends = |text: Option<String>, number: &serde_json::Value| {
            let number = minus(&number.to_string());
            text.unwrap().split_whitespace().last() == Some(number.as_str())
        };
        let java = java::choose_by_key(&key, 3);
        assert!(ends(shown(&java, StepKind::Hash), &row["murmur2"]["signed"]), "{row}");
        assert!(ends(shown(&java, StepKind::Sign), &row["murmur2"]["masked"]), "{row}");
        assert!(ends(shown(&java, StepKind::Remainder), &row["murmur2"]["partitions"][2]), "{row}");
        assert!(
            ends(
                shown(&java, StepKind::Bytes).map(|t| t.replace(" bytes", "").replace(" byte", "")),
                &row["bytes"]
            ),
            "{row}"
        );
        let crc32 = librdkafka::choose_by_key(&key, 3);
        assert!(ends(shown(&crc32, StepKind::Hash), &row["crc32"]["unsigned"]), "{row}");
        assert!(ends(shown(&crc32, StepKind::Partition), &row["crc32"]["partitions"][2]), "{row}");
        let fnv1a = kafka_go::choose_by_key(&key, 3);
        assert!(ends(shown(&fnv1a, StepKind::Hash), &row["fnv1a_abs"]["signed"]), "{row}");
        assert!(
            ends(shown(&fnv1a, StepKind::Partition), &row["fnv1a_abs"]["partitions"][2]),
            "{row}"
        );
    }
}

/// An event brings its arithmetic with it, also as an element.
#[test]
fn the_arithmetic_comes_from_the_event() {
    let mut run = puzzle("java");
    let events = run.line("send java parcel-events locker-4=PARCEL_DROPPED");
    let steps = events.iter().find_map(|event| arithmetic::of_event(&event.kind)).unwrap();
    assert_eq!(steps.last().unwrap().text, "partition 0");
    let html = to_string(&arithmetic::node(&steps));
    assert!(
        html.starts_with("<p class=\"hw-sum\"><span class=\"hw-sum-step\">&quot;locker-4&quot;")
    );
}

fn group() -> GroupId {
    GroupId(Rc::from("billing"))
}

fn member(id: &str) -> MemberId {
    MemberId(Rc::from(id))
}

/// A rebalance for every reason, and a member that was late for everything.
fn rebalances() -> Vec<GroupEvent> {
    let reasons = [
        RebalanceReason::MemberJoins(member("c-1")),
        RebalanceReason::LeaderRejoins(member("c-1")),
        RebalanceReason::MemberChanged(member("c-1")),
        RebalanceReason::ProtocolChanged(member("c-1")),
        RebalanceReason::StaticMemberReplaced(member("c-1")),
        RebalanceReason::MembersLeft(vec![member("c-1"), member("c-2")]),
        RebalanceReason::MemberExpired(member("c-1")),
        RebalanceReason::SyncExpired(vec![member("c-1")]),
        RebalanceReason::WriteFailed,
        RebalanceReason::OverCapacity,
    ];
    let started = |why| {
        let (group, generation) = (group(), 3);
        GroupEvent::RebalanceStarted { group, generation, was_empty: false, why }
    };
    let expired = |missed| {
        let (group, member) = (group(), member("c-1"));
        GroupEvent::MemberExpired { group, member, missed, timeout_ms: 45_000 }
    };
    let missed = [Missed::Heartbeat, Missed::Join, Missed::Rejoin, Missed::Sync];
    reasons.into_iter().map(started).chain(missed.into_iter().map(expired)).collect()
}

/// Everything about offsets and coordinators.
fn of_coordinators() -> Vec<GroupEvent> {
    let (broker, partition) = (BrokerId(2), PartitionId(9));
    let which = || TopicPartition::new(&TopicName::new("t"), PartitionId(1));
    let removed =
        |why| GroupEvent::OffsetsRemoved { group: group(), partitions: vec![which()], why };
    vec![
        GroupEvent::CoordinatorLoading { broker, partition, bytes: 12_345 },
        GroupEvent::CoordinatorLoaded { broker, partition, groups: 1 },
        GroupEvent::CoordinatorUnloaded { broker, partition, groups: 1 },
        GroupEvent::OffsetsCommitted {
            group: group(),
            member: member("c-1"),
            offsets: vec![(which(), Offset(7))],
        },
        GroupEvent::GroupRemoved { group: group(), why: Removal::Unused },
        removed(Removal::Asked),
        removed(Removal::Expired(SimTime(12_310_000))),
        removed(Removal::TopicDeleted),
    ]
}

/// What happens to a group has a sentence, whatever it is.
#[test]
fn groups() {
    let (instance, reason): (Rc<str>, Rc<str>) = (Rc::from("a"), Rc::from("it is closed"));
    let (from, to) = (GroupState::Empty, GroupState::PreparingRebalance);
    let mut events = rebalances();
    events.extend(of_coordinators());
    events.extend([
        GroupEvent::MemberIdGiven { group: group(), member: member("c-1") },
        GroupEvent::MemberJoined {
            group: group(),
            member: member("c-1"),
            instance: None,
            reason: Rc::clone(&reason),
        },
        GroupEvent::StaticMemberReplaced {
            group: group(),
            instance: Rc::clone(&instance),
            old: member("a-1"),
            new: member("a-2"),
        },
        GroupEvent::MemberLeft { group: group(), member: member("c-1"), reason },
        GroupEvent::MemberFenced {
            group: group(),
            member: member("a-1"),
            instance,
            by: member("a-2"),
        },
        GroupEvent::StateChanged { group: group(), from, to },
        GroupEvent::GenerationBegan {
            group: group(),
            generation: 4,
            protocol: Rc::from("range"),
            leader: member("c-1"),
            members: vec![member("c-1"), member("c-2")],
        },
    ]);
    let sentences: Vec<String> = events.iter().map(words::groups::sentence).collect();
    for (place, said) in sentences.iter().enumerate() {
        assert!(said.ends_with('.') && said.len() > 20 && !said.contains("  "), "{said}");
        assert!(!sentences[..place].contains(said), "{said}");
    }
    let last =
        "Generation 4 of group billing begins with 2 members: c-1 leads and assigns with range.";
    assert_eq!(sentences.last().map(String::as_str), Some(last));
}
