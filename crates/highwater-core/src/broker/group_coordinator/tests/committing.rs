//! Committed offsets: who may commit, what is kept, what is deleted and when.

use std::rc::Rc;

use crate::broker::group_coordinator::GroupState;
use crate::broker::group_coordinator::tests::driver::{Client, Driver, code, offset, partition};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{GroupId, TopicName, TopicPartition};
use crate::net::admin::AdminRequest;
use crate::net::group::{
    FetchedOffset, GroupRequest, GroupResponse, OffsetAndMetadata, OffsetOutcomes,
};
use crate::net::message::Request;
use crate::scope::Lab;
use crate::world::group_event::{GroupEvent, Removal};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

impl Driver {
    fn fetch(&mut self, partitions: &[TopicPartition]) -> Vec<FetchedOffset> {
        let (group, partitions) = (self.group.clone(), Some(partitions.to_vec()));
        match self.ask(0, GroupRequest::OffsetFetch { group, partitions }) {
            GroupResponse::OffsetFetch(Ok(found)) => found,
            other => panic!("{other:?}"),
        }
    }

    fn delete_offsets(
        &mut self,
        partitions: &[TopicPartition],
    ) -> Result<OffsetOutcomes, KafkaError> {
        let (group, partitions) = (self.group.clone(), partitions.to_vec());
        match self.ask(0, GroupRequest::OffsetDelete { group, partitions }) {
            GroupResponse::OffsetDelete(result) => result,
            other => panic!("{other:?}"),
        }
    }

    fn delete_group(&mut self) -> Option<ErrorCode> {
        let groups = vec![self.group.clone()];
        match self.ask(0, GroupRequest::DeleteGroups(groups)) {
            GroupResponse::DeleteGroups(results) => {
                results.first().and_then(|(_, result)| code(result))
            }
            other => panic!("{other:?}"),
        }
    }
}

/// A member commits in its generation, and only in it; in a rebalance until parts are to be given out.
#[test]
fn members_commit() {
    let mut driver = Driver::new(3, &[]);
    let mut clients = [Client::new(1), Client::new(2)];
    driver.stabilise(&mut clients);
    let [one, two] = &mut clients;
    assert_eq!(driver.commit(one, 1), None);
    let old = Client { generation: 0, ..one.clone() };
    assert_eq!(driver.commit(&old, 2), Some(ErrorCode::IllegalGeneration));
    let stranger = Client { id: "c-x".to_owned(), ..one.clone() };
    assert_eq!(driver.commit(&stranger, 2), Some(ErrorCode::UnknownMemberId));
    assert_eq!(driver.commit(&Client::new(9), 2), Some(ErrorCode::UnknownMemberId), "a tool");
    let join = driver.post_join(one);
    driver.probe.run(10);
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    assert_eq!(driver.commit(two, 3), None, "before it joins again");
    let follows = driver.post_join(two);
    driver.probe.run(10);
    driver.take_joined(one, join);
    assert_eq!(driver.commit(two, 4), Some(ErrorCode::IllegalGeneration));
    driver.take_joined(two, follows);
    assert_eq!(driver.commit(two, 4), Some(ErrorCode::RebalanceInProgress));
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 3)]);
}

/// Who is no member commits to a group that is empty or not there, and is refused by one that is there.
#[test]
fn others_commit() {
    let mut driver = Driver::new(3, &[]);
    let tool = Client::new(9);
    assert_eq!(driver.fetch_all(), []);
    assert_eq!(driver.commit(&tool, 1), None);
    assert_eq!(
        (driver.state(), driver.fetch_all()),
        (GroupState::Empty, vec![(partition("t", 0), 1)])
    );
    let late = Client { generation: 3, id: "c-x".to_owned(), ..Client::new(8) };
    assert_eq!(driver.commit(&late, 2), Some(ErrorCode::UnknownMemberId));
    driver.group = GroupId(Rc::from("nobody's"));
    driver.coordinator = driver.find_coordinator(driver.coordinator).expect("there is one");
    assert_eq!(driver.commit(&late, 2), Some(ErrorCode::IllegalGeneration), "no such group");
    driver.coordinator = crate::ids::BrokerId(driver.coordinator.0 % 3 + 1);
    assert_eq!(driver.commit(&tool, 2), Some(ErrorCode::NotCoordinator));
}

/// Each partition has its own outcome; what is not there, or says too much, is left out.
#[test]
fn each_partition_for_itself() {
    let mut driver = Driver::new(1, &[("offset.metadata.max.bytes", "5")]);
    let noted = |text: &str| OffsetAndMetadata { metadata: Rc::from(text), ..offset(4) };
    let offsets = [
        (partition("t", 0), noted("12345")),
        (partition("t", 1), noted("123456")),
        (partition("t", 3), noted("")),
        (partition("u", 0), noted("")),
        (partition("t", 2), noted("\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}")),
    ];
    let id = driver.post_commit(&Client::new(1), &offsets);
    driver.probe.run(10);
    let outcomes = driver.commit_answer(id).expect("it is answered");
    let codes: Vec<_> = outcomes.iter().map(|(_, outcome)| code(outcome)).collect();
    let unknown = Some(ErrorCode::UnknownTopicOrPartition);
    assert_eq!(codes, [None, Some(ErrorCode::OffsetMetadataTooLarge), unknown, unknown, None]);
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 4), (partition("t", 2), 4)]);
    let found = driver.fetch(&[partition("t", 1), partition("t", 0)]);
    let found: Vec<_> = found.into_iter().map(|(_, found)| found.expect("no error")).collect();
    assert_eq!(found, [None, Some(noted("12345"))]);
}

/// Offsets that consumers of the group use cannot be deleted, others can.
#[test]
fn offsets_are_deleted() {
    let mut driver = Driver::new(3, &[]);
    driver.create_topic("u");
    assert_eq!(
        code(&driver.delete_offsets(&[partition("t", 0)])),
        Some(ErrorCode::GroupIdNotFound)
    );
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    let both = [(partition("t", 0), offset(1)), (partition("u", 0), offset(2))];
    driver.post_commit(&clients[0], &both);
    driver.probe.run(10);
    let all = [partition("t", 0), partition("u", 0), partition("u", 2), partition("v", 0)];
    let outcomes = driver.delete_offsets(&all).expect("there is a group");
    let codes: Vec<_> = outcomes.iter().map(|(_, outcome)| code(outcome)).collect();
    let subscribed = Some(ErrorCode::GroupSubscribedToTopic);
    assert_eq!(codes, [subscribed, None, None, Some(ErrorCode::UnknownTopicOrPartition)]);
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 1)]);
    driver.leave(&clients[0]).expect("it is a member");
    let outcomes = driver.delete_offsets(&all[..1]).expect("there is a group");
    assert_eq!(outcomes.first().map(|(_, outcome)| outcome.clone()), Some(Ok(())));
    assert_eq!(driver.fetch_all(), []);
}

/// A group can be deleted when nobody is in it; then nothing of it is left.
#[test]
fn groups_are_deleted() {
    let mut driver = Driver::new(3, &[]);
    assert_eq!(driver.delete_group(), Some(ErrorCode::GroupIdNotFound));
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 5), None);
    assert_eq!(driver.delete_group(), Some(ErrorCode::NonEmptyGroup));
    driver.leave(&clients[0]).expect("it is a member");
    assert_eq!(driver.delete_group(), None);
    assert!(driver.entry().is_none());
    assert_eq!(driver.fetch_all(), []);
    assert_eq!(driver.delete_group(), Some(ErrorCode::GroupIdNotFound));
}

/// Several groups at once: each for itself, wherever its coordinator is.
#[test]
fn several_groups_are_deleted() {
    let mut driver = Driver::new(3, &[]);
    let tool = Client::new(9);
    let mut ids = Vec::new();
    for number in 0..12 {
        driver.group = GroupId(Rc::from(format!("group-{number}")));
        let coordinator = driver.find_coordinator(driver.coordinator).expect("there is one");
        if coordinator == driver.coordinator {
            assert_eq!(driver.commit(&tool, 1), None);
        }
        ids.push((driver.group.clone(), coordinator == driver.coordinator));
    }
    let groups = ids.iter().map(|(id, _)| id.clone()).collect();
    let GroupResponse::DeleteGroups(results) = driver.ask(0, GroupRequest::DeleteGroups(groups))
    else {
        panic!("another answer")
    };
    for ((id, here), (answered, result)) in ids.iter().zip(&results) {
        assert_eq!(id, answered);
        let expected = if *here { None } else { Some(ErrorCode::NotCoordinator) };
        assert_eq!(code(result), expected, "{id}");
    }
    assert!(ids.iter().any(|(_, here)| *here) && ids.iter().any(|(_, here)| !*here));
}

/// With a topic go its offsets.
#[test]
fn a_topic_is_deleted() {
    let mut driver = Driver::new(3, &[]);
    driver.create_topic("u");
    let both = [(partition("t", 0), offset(1)), (partition("u", 0), offset(2))];
    driver.post_commit(&Client::new(1), &both);
    driver.probe.run(10);
    assert_eq!(driver.fetch_all().len(), 2);
    let request = AdminRequest::DeleteTopics(Lab::new(vec![TopicName::new("t")]));
    driver.probe.send(0, driver.coordinator, Request::Admin(Rc::new(request)));
    driver.probe.run(20);
    assert_eq!(driver.fetch_all(), [(partition("u", 0), 2)]);
    let removed = |event: &GroupEvent| {
        matches!(event, GroupEvent::OffsetsRemoved { why: Removal::TopicDeleted, .. })
    };
    assert_eq!(driver.group_events().iter().filter(|event| removed(event)).count(), 1);
}

/// Offsets of a group without members are kept as long as is set, counted from when the last one left;
/// those of somebody who is no member, from each commit. What is left of the group goes with them.
#[test]
fn offsets_expire() {
    const HOUR: u64 = 3_600_000;
    let mut driver = Driver::new(3, &[("offsets.retention.minutes", "120")]);
    let mut clients = [Client::new(1)];
    driver.stabilise(&mut clients);
    assert_eq!(driver.commit(&clients[0], 5), None);
    for _ in 0..360 {
        driver.probe.run(40_000);
        assert_eq!(driver.heartbeat(&clients[0]), Ok(()));
    }
    assert_eq!(driver.fetch_all().len(), 1, "it was committed four hours ago and is in use");
    driver.leave(&clients[0]).expect("it is a member");
    driver.probe.run(2 * HOUR - 60_000);
    assert_eq!(driver.fetch_all().len(), 1);
    driver.probe.run(60_000 + 600_000);
    assert_eq!(driver.fetch_all(), []);
    assert!(driver.entry().is_none(), "neither members nor offsets");

    let tool = Client::new(9);
    assert_eq!(driver.commit(&tool, 1), None);
    driver.probe.run(HOUR);
    assert_eq!(driver.commit(&tool, 2), None);
    driver.probe.run(HOUR + 600_000);
    assert_eq!(driver.fetch_all().len(), 1, "the last commit counts");
    driver.probe.run(HOUR);
    assert!(driver.entry().is_none());
}

/// While a group is stable, the offsets of topics that its members do not read are kept as long as is set from
/// each commit on; while it rebalances, all stay.
#[test]
fn offsets_of_topics_that_nobody_reads_expire() {
    const MINUTE: u64 = 60_000;
    let look = ("offsets.retention.check.interval.ms", "60000");
    let mut driver = Driver::new(1, &[("offsets.retention.minutes", "120"), look]);
    driver.create_topic("u");
    let mut clients = [Client::new(1), Client::new(2)];
    clients[0].rebalance_timeout_ms = 600 * MINUTE;
    driver.stabilise(&mut clients[..1]);
    let both = [(partition("t", 0), offset(3)), (partition("u", 0), offset(4))];
    driver.post_commit(&clients[0], &both);
    let live = |driver: &mut Driver, members: &[Client], minutes: u64| {
        for _ in 0..minutes * 2 {
            driver.probe.run(30_000);
            for member in members {
                // In a rebalance it is told so.
                drop(driver.heartbeat(member));
            }
        }
    };
    live(&mut driver, &clients[..1], 119);
    assert_eq!(driver.fetch_all().len(), 2);
    let second = driver.begin_join(&mut clients[1]);
    live(&mut driver, &clients[..1], 4);
    assert_eq!(driver.state(), GroupState::PreparingRebalance);
    assert_eq!(driver.fetch_all().len(), 2, "nobody knows what will be read");
    let first = driver.begin_join(&mut clients[0]);
    driver.probe.run(100);
    driver.complete(&mut clients, &[first, second]);
    assert_eq!(driver.state(), GroupState::Stable);
    live(&mut driver, &clients, 2);
    assert_eq!(driver.fetch_all(), [(partition("t", 0), 3)]);
}

/// A group that was only asked about leaves nothing behind.
#[test]
fn a_group_without_anything_goes() {
    let mut driver = Driver::new(1, &[]);
    driver.post_join(&Client::new(1));
    driver.probe.run(10);
    assert_eq!(driver.state(), GroupState::Empty);
    driver.probe.run(600_000);
    assert!(driver.entry().is_none());
    driver.probe.run(7 * 86_400_000);
    let steps = driver.probe.world.steps();
    driver.probe.run(7 * 86_400_000);
    assert_eq!(driver.probe.world.steps(), steps, "nothing is looked for where nothing is");
}

/// Groups are listed by state and type, and described; names of states are taken in any case.
#[test]
fn lists_and_descriptions() {
    let mut driver = Driver::new(1, &[]);
    assert_eq!(driver.commit(&Client::new(9), 1), None);
    driver.group = GroupId(Rc::from("h"));
    let mut clients = [Client::new(1), Client::of_instance(2, "b")];
    driver.stabilise(&mut clients);
    let mut list = |states: &[&str], types: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let request = GroupRequest::ListGroups { states: owned(states), types: owned(types) };
        let GroupResponse::ListGroups(Ok(listed)) = driver.ask(0, request) else {
            panic!("another answer")
        };
        let said = |listed: &crate::net::group::ListedGroup| {
            format!(
                "{} {} {} {}",
                listed.group, listed.protocol_type, listed.state, listed.group_type
            )
        };
        listed.iter().map(said).collect::<Vec<_>>()
    };
    assert_eq!(list(&[], &[]), ["g  Empty classic", "h consumer Stable classic"]);
    assert_eq!(list(&["stable"], &[]), ["h consumer Stable classic"]);
    assert_eq!(list(&["Empty", "Dead"], &["Classic"]), ["g  Empty classic"]);
    assert_eq!(list(&[], &["consumer"]), [""; 0]);
    let ids = ["h", "g", "x"].map(|id| GroupId(Rc::from(id)));
    let request = GroupRequest::DescribeGroups(ids.to_vec());
    let GroupResponse::DescribeGroups(described) = driver.ask(0, request) else {
        panic!("another answer")
    };
    let [(_, Ok(stable)), (_, Ok(empty)), (_, Err(unknown))] = &described[..] else {
        panic!("{described:?}")
    };
    assert_eq!((&*stable.state, &*stable.protocol, stable.members.len()), ("Stable", "range", 2));
    assert_eq!((&*empty.state, &*empty.protocol, empty.members.len()), ("Empty", "", 0));
    assert_eq!(unknown, &KafkaError::new(ErrorCode::GroupIdNotFound, "Group x not found."));
    let member = stable.members.iter().find(|member| member.instance.is_some());
    let member = member.expect("one is static");
    assert_eq!((&*member.host, &*member.client_id), ("/127.0.0.1", "c2"));
}
