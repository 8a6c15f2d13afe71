//! The client's assignors against what Kafka's own classes made: chains of rebalances, and random groups.

use std::collections::BTreeMap;
use std::rc::Rc;

use highwater_core::client::assignor::{
    AssignorKind, MemberSubscription, PartitionRacks, RebalanceProtocol, assign, assign_in_racks,
};
use highwater_core::ids::{PartitionId, TopicName, TopicPartition};
use highwater_core::java::hash_map::{in_set_order, string_hash};
use highwater_core::sorted_map::SortedMap;
use serde_json::Value;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const VECTORS: &str = include_str!("../../../tests/vectors/assignment-vectors.json");
const CASES: &str = include_str!("../../../tests/vectors/assignor-cases.json");

/// What each member holds, as the vectors write it.
type Held = BTreeMap<String, Vec<String>>;

/// All 46 rebalances of each of the four assignors agree, each member's partitions in Kafka's order. A
/// cooperative one is a list of rounds: each starts from what the one before has left to the members, and
/// the last one changes nothing more.
#[test]
fn all_vectors_of_the_client_agree() {
    for kind in AssignorKind::ALL {
        let mut rebalances = 0;
        for scenario in list(&vectors()["scenarios"]) {
            let mut held = Held::new();
            let mut generation = 0;
            for step in list(&scenario["steps"]) {
                let told = &step["expected"][kind.name()];
                let one = [told.clone()];
                let rounds = told.as_array().map_or(&one[..], Vec::as_slice);
                for (round, expected) in rounds.iter().enumerate() {
                    let next = rebalance(kind, step, &held, generation);
                    generation += 1;
                    let expected: Held = serde_json::from_value(expected.clone()).unwrap();
                    assert_eq!(next, expected, "{kind:?} {} round {round}", scenario["id"]);
                    held = next;
                }
                if kind == AssignorKind::CooperativeSticky {
                    let again = rebalance(kind, step, &held, generation);
                    assert_eq!(sorted(&again), sorted(&held), "settled: {}", scenario["id"]);
                }
                rebalances += 1;
            }
        }
        assert_eq!(rebalances, 46, "{kind:?}");
    }
}

/// Random groups agree too: unequal subscriptions, topics that are named twice or are not there, claims of
/// older generations and of two members at once, racks.
#[test]
fn all_random_cases_agree() {
    let cases: Value = serde_json::from_str(CASES).unwrap();
    for case in list(&cases["cases"]) {
        for kind in AssignorKind::ALL {
            let members: Vec<MemberSubscription> =
                list(&case["members"]).iter().map(|member| random_member(kind, member)).collect();
            let held = assign_in_racks(kind, &sizes(&case["topics"]), &racks(case), &members);
            let held: Vec<Vec<String>> = held.iter().map(|(_, held)| names(held)).collect();
            let expected = case["expected"].get(kind.name()).unwrap_or(&case["expected"]["sticky"]);
            assert_eq!(serde_json::json!(held), *expected, "{kind:?} {case}");
        }
    }
    assert_eq!(list(&cases["cases"]).len(), 291);
}

/// Who the vectors are about: the client's four assignors, whose vectors are run above, and the two of the
/// server (KIP-848), which are not built yet and whose 90 vectors are not run.
#[test]
fn kinds_of_vectors() {
    let mut counted = BTreeMap::new();
    for scenario in list(&vectors()["scenarios"]) {
        for step in list(&scenario["steps"]) {
            for name in step["expected"].as_object().unwrap().keys() {
                *counted.entry(name.clone()).or_insert(0) += 1;
            }
        }
    }
    let expected = [
        ("cooperative-sticky", 46),
        ("range", 46),
        ("roundrobin", 46),
        ("server-range", 45),
        ("server-uniform", 45),
        ("sticky", 46),
    ];
    assert!(
        counted.iter().map(|(name, count)| (name.as_str(), *count)).eq(expected),
        "{counted:?}"
    );
}

/// Members come out of Java's map in the order that the vectors name. Put in in that order, too, since
/// those that meet in one bucket come out as they were put in.
#[test]
fn order_of_members() {
    let mut orders = 0;
    for scenario in list(&vectors()["scenarios"]) {
        for step in list(&scenario["steps"]) {
            if let Some(expected) = step["java_hashmap_member_order"].as_array() {
                let order = in_set_order(expected, |member| string_hash(member.as_str().unwrap()));
                assert_eq!(order, *expected, "{}", scenario["id"]);
                assert_eq!(order.len(), entries(&step["members"]).count());
                orders += 1;
            }
        }
    }
    assert_eq!(orders, 45);
}

/// Names of assignors and classes lead to each other, and protocols are Kafka's.
#[test]
fn names_and_protocols() {
    use RebalanceProtocol::{Cooperative, Eager};
    for kind in AssignorKind::ALL {
        assert_eq!(AssignorKind::from_class(kind.class_name()), Some(kind));
    }
    assert_eq!(AssignorKind::from_class("range"), None);
    assert_eq!(AssignorKind::CooperativeSticky.protocols(), [Cooperative, Eager]);
    assert_eq!(AssignorKind::Sticky.protocols(), [Eager]);
}

fn rebalance(kind: AssignorKind, step: &Value, held: &Held, generation: i32) -> Held {
    let members: Vec<MemberSubscription> = entries(&step["members"])
        .map(|(id, member)| MemberSubscription {
            member_id: Rc::from(id.as_str()),
            group_instance_id: member["instance"].as_str().map(Rc::from),
            topics: topics(member),
            owned: held.get(id).into_iter().flatten().map(|name| partition(name)).collect(),
            generation: if held.contains_key(id) { generation } else { -1 },
            rack: None,
        })
        .collect();
    assign(kind, &sizes(&step["topics"]), &members)
        .into_iter()
        .map(|(id, held)| (id.to_string(), names(&held)))
        .collect()
}

fn random_member(kind: AssignorKind, member: &Value) -> MemberSubscription {
    let sent = if kind == AssignorKind::Sticky { member.get("user_data") } else { None };
    let owned = sent.or(member.get("owned")).map(list);
    MemberSubscription {
        member_id: Rc::from(member["id"].as_str().expect("a text")),
        group_instance_id: member["instance"].as_str().map(Rc::from),
        topics: topics(member),
        owned: owned
            .into_iter()
            .flatten()
            .map(|name| partition(name.as_str().expect("a text")))
            .collect(),
        generation: member["generation"]
            .as_i64()
            .map_or(-1, |number| number.try_into().expect("a generation")),
        rack: member["rack"].as_str().map(Rc::from),
    }
}

fn racks(case: &Value) -> PartitionRacks {
    let of_replicas =
        |racks: &Value| list(racks).iter().filter_map(Value::as_str).map(Rc::from).collect();
    let of_topic = |racks: &Value| list(racks).iter().map(of_replicas).collect();
    let racks = case["racks"].as_object().into_iter().flatten();
    racks.map(|(name, racks)| (TopicName::new(name), of_topic(racks))).collect()
}

fn sizes(topics: &Value) -> SortedMap<TopicName, u32> {
    let size =
        |count: &Value| count.as_u64().and_then(|size| size.try_into().ok()).expect("a number");
    entries(topics).map(|(name, count)| (TopicName::new(name), size(count))).collect()
}

fn topics(member: &Value) -> Vec<TopicName> {
    list(&member["topics"])
        .iter()
        .map(|name| TopicName::new(name.as_str().expect("a text")))
        .collect()
}

fn names(held: &[TopicPartition]) -> Vec<String> {
    held.iter().map(TopicPartition::to_string).collect()
}

fn sorted(held: &Held) -> Held {
    let mut held = held.clone();
    held.values_mut().for_each(|partitions| partitions.sort());
    held
}

fn partition(name: &str) -> TopicPartition {
    let (topic, number) = name.rsplit_once('-').expect("topic-number");
    TopicPartition::new(&TopicName::new(topic), PartitionId(number.parse().expect("a number")))
}

fn vectors() -> Value {
    serde_json::from_str(VECTORS).expect("JSON")
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn entries(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().expect("an object").iter()
}
