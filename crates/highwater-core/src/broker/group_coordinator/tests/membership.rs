//! Who is a member, and in which generation?

use crate::broker::group_coordinator::GroupState;
use crate::broker::group_coordinator::tests::driver::{Client, Driver, code, partition};
use crate::error::ErrorCode;
use crate::ids::BrokerId;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Whoever asks first makes the topic; until it has a leader, there is no coordinator.
#[test]
fn the_first_question_makes_the_topic() {
    for brokers in [1, 3, 5] {
        let mut driver = Driver::new(brokers, &[]);
        let topic = crate::ids::TopicName::new("__consumer_offsets");
        let image = driver.probe.world.controller().image();
        let made = image.topics.get(&topic).expect("it was made");
        assert_eq!(made.partitions.len(), 50);
        let replicas = made.partitions.iter().map(|partition| partition.replicas.len());
        assert!(replicas.min() == Some(brokers.min(3) as usize));
        let config = |key: &str| {
            made.configs.iter().find(|(known, _)| known == key).map(|(_, value)| value.clone())
        };
        assert_eq!(config("cleanup.policy").as_deref(), Some("compact"));
        assert_eq!(config("compression.type").as_deref(), Some("producer"));
        assert_eq!(config("segment.bytes").as_deref(), Some("104857600"));
        let leader = made.partitions.get(3).and_then(|partition| partition.leader);
        for broker in 1..=brokers {
            let broker = BrokerId(i32::try_from(broker).expect("small"));
            assert_eq!(driver.find_coordinator(broker).ok(), leader, "the group g is in 3");
        }
    }
}

/// The times of the facts (05-groups.md, 5.2): an id at once, generation 1 after 3 s, which only those who
/// join meanwhile make longer; then all get their parts from the leader.
#[test]
fn a_first_generation() {
    let mut driver = Driver::new(3, &[]);
    let (mut one, mut two) = (Client::new(1), Client::new(2));
    let began = driver.probe.world.now();
    let first = driver.begin_join(&mut one);
    assert!(one.id.starts_with("c1-") && one.id.len() == 3 + 36, "{}", one.id);
    driver.probe.run(1_000);
    let second = driver.begin_join(&mut two);
    driver.probe.run(2_500);
    assert!(driver.join_answer(first).is_none(), "somebody came: the wait is longer");
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    driver.probe.run(3_000);
    let joined = driver.take_joined(&mut one, first);
    let took = driver.came_at(first).map_or(0, |at| at.0 - began.0) / 1_000;
    assert!((6_000..6_020).contains(&took), "{took}");
    assert_eq!((joined.generation, &*joined.protocol), (1, "range"));
    assert_eq!(*joined.leader.0, *one.id);
    assert_eq!(joined.members.len(), 2);
    let followed = driver.take_joined(&mut two, second);
    assert!(followed.members.is_empty() && followed.generation == 1);
    assert_eq!(driver.state(), GroupState::CompletingRebalance);
    let waits = driver.post_sync(&two, &[]);
    driver.probe.run(100);
    assert!(driver.synced(waits).is_none(), "the leader has not assigned");
    let part = [partition("t", 1)];
    let leads = driver.post_sync(&one, &[(&two, &part)]);
    driver.probe.run(20);
    assert_eq!(driver.state(), GroupState::Stable);
    let partitions = |request| driver.synced(request).and_then(Result::ok).map(|it| it.partitions);
    assert_eq!(partitions(waits), Some(part.to_vec()));
    assert_eq!(partitions(leads), Some(Vec::new()));
}

/// A member that leaves makes the others join again; whoever stays hears of it with a heartbeat.
#[test]
fn somebody_leaves() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1), Client::new(2)];
    driver.stabilise(&mut clients);
    let [one, two] = &mut clients;
    assert_eq!(driver.heartbeat(two), Ok(()));
    assert!(driver.leave(one).is_ok_and(|all| all == [Ok(())]));
    assert_eq!(code(&driver.heartbeat(two)), Some(ErrorCode::RebalanceInProgress));
    let join = driver.post_join(two);
    driver.probe.run(10);
    let joined = driver.take_joined(two, join);
    assert_eq!((joined.generation, &*joined.leader.0), (2, two.id.as_str()));
    assert_eq!(code(&driver.heartbeat(one)), Some(ErrorCode::UnknownMemberId));
}

/// What members commit is there for whoever asks.
#[test]
fn offsets_are_kept() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 7), None);
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 7)]);
}
