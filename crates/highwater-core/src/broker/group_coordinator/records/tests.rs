//! The bytes of records, compared with those that Kafka wrote.

use super::*;
use crate::ids::Bytes;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Keys and values that Kafka 4.4 wrote: groups with the range, sticky (static, with a rack) and
/// cooperative assignors, from their first member to their deletion; `-` is null.
const RECORDED: &str = include_str!("recorded.txt");

fn bytes(hex: &str) -> Bytes {
    let digits: Vec<u8> =
        hex.chars().filter_map(|digit| u8::try_from(digit.to_digit(16)?).ok()).collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

fn recorded() -> Vec<Record> {
    let records = RECORDED.lines().map(|line| {
        let (key, value) = line.split_once(' ').expect("a key and a value");
        let value = (value != "-").then(|| bytes(value));
        Record { key: Some(bytes(key)), value, timestamp: 7, headers: Vec::new() }
    });
    records.collect()
}

/// Every recorded record is read, and written again with the same bytes.
#[test]
fn kafkas_own_records() {
    let recorded = recorded();
    assert_eq!(recorded.len(), 26);
    for record in recorded {
        let change = GroupRecord::decode(&record).expect("it is known");
        assert_eq!(change.encode(7), record, "{change:?}");
    }
}

/// What they say is what Kafka's own dump said of them.
#[test]
fn what_they_say() {
    let all: Vec<GroupRecord> = recorded().iter().filter_map(GroupRecord::decode).collect();
    let group = |name: &str| GroupId(Rc::from(name));
    let part = |number| TopicPartition::new(&TopicName::new("t0"), PartitionId(number));
    let Some(GroupRecord::Group(id, Some(stable))) = all.get(1) else { panic!("a group") };
    assert_eq!(*id, group("g"));
    assert_eq!((&*stable.protocol_type, stable.generation), ("consumer", 1));
    assert_eq!(stable.state_timestamp, 1_796_014_798_328);
    let member = stable.members.first().expect("a member");
    assert_eq!(&*member.id.0, "c-e8f871da-9379-4ad0-be46-a6d0edcf5cc9");
    assert_eq!(stable.leader.as_ref(), Some(&member.id));
    assert_eq!((member.rebalance_timeout_ms, member.session_timeout_ms), (300_000, 45_000));
    assert_eq!(member.subscription.topics, [TopicName::new("t0")]);
    assert_eq!(member.assignment.as_deref(), Some(&vec![part(0), part(1)]));
    let Some(GroupRecord::Offset(_, which, Some(offset))) = all.get(2) else { panic!("an offset") };
    assert_eq!((which, offset.committed.offset), (&part(1), Offset(0)));
    assert_eq!(offset.topic_id.to_string(), "qpcBGsu5QfeJTxdzApuEYg");
    let Some(GroupRecord::Group(_, Some(stable))) = all.get(6) else { panic!("a group") };
    let member = stable.members.first().expect("a member");
    assert_eq!(member.instance.as_deref(), Some("a"));
    assert_eq!(member.subscription.rack.as_deref(), Some("r1"));
    assert_eq!(all.last(), Some(&GroupRecord::Group(group("payments"), None)));
}

/// Values of old versions are read: an offset with its time to expire, a group that knows one timeout.
#[test]
fn old_versions() {
    let key = Some(bytes("000000016700017400000002"));
    let value = "000100000000000000070001780000000000000001ffffffffffffffff";
    let record = Record { key, value: Some(bytes(value)), timestamp: 0, headers: Vec::new() };
    let Some(GroupRecord::Offset(_, which, Some(offset))) = GroupRecord::decode(&record) else {
        panic!("an offset")
    };
    assert_eq!(which.to_string(), "t-2");
    assert_eq!((offset.committed.offset, &*offset.committed.metadata), (Offset(7), "x"));
    assert_eq!((offset.commit_timestamp, offset.expire_timestamp), (1, None));
    let lasting = "0003000000000000000700000002000178000000000000000a";
    let record = Record { value: Some(bytes(lasting)), ..record };
    let Some(GroupRecord::Offset(_, _, Some(offset))) = GroupRecord::decode(&record) else {
        panic!("an offset")
    };
    assert_eq!((offset.committed.leader_epoch, offset.commit_timestamp), (2, 10));
}

/// What the sticky assignor owns travels as its own data, what the cooperative one owns in the protocol's
/// words; both come back.
#[test]
fn owned_partitions() {
    let part = |topic, number| TopicPartition::new(&TopicName::new(topic), PartitionId(number));
    let subscription = Subscription {
        topics: vec![TopicName::new("a"), TopicName::new("b")],
        owned: vec![part("a", 0), part("a", 2), part("b", 1)],
        generation: 5,
        rack: None,
    };
    for protocol in ["range", "sticky", "cooperative-sticky"] {
        let written = write_subscription(protocol, &subscription);
        assert_eq!(read_subscription(protocol, &written), Some(subscription.clone()), "{protocol}");
    }
    let sticky = write_subscription("sticky", &subscription);
    let data = "00000002 0001610000000200000000 00000002 00016200000001 00000001 00000005";
    let data = bytes(&data.replace(' ', ""));
    assert!(sticky.windows(data.len()).any(|window| *window == *data));
}

/// Bytes that are cut anywhere, and keys of other protocols, are nothing, and do no harm.
#[test]
fn what_is_no_record() {
    for record in recorded() {
        let value = record.value.clone().unwrap_or_default();
        for end in 0..value.len() {
            let cut = Record { value: Some(Rc::from(&value[..end])), ..record.clone() };
            assert_eq!(GroupRecord::decode(&cut), None, "{end} of {record:?}");
        }
        let key = record.key.clone().unwrap_or_default();
        for end in 0..key.len() {
            let cut = Record { key: Some(Rc::from(&key[..end])), ..record.clone() };
            assert_eq!(GroupRecord::decode(&cut), None);
        }
    }
    let consumer = Record { key: Some(bytes("0003000167")), ..recorded()[0].clone() };
    assert_eq!(GroupRecord::decode(&consumer), None);
}
