//! Moves of one partition, decided on by the controller alone.

use super::*;
use crate::controller::alter_partition::alter_partition;
use crate::controller::records::{BrokerRegistration, MetadataRecord};
use crate::ids::{BrokerEpoch, LeaderEpoch, PartitionId, TopicId, TopicName};
use crate::net::internal::IsrProposal;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn ids(ids: &[i32]) -> Vec<BrokerId> {
    ids.iter().map(|id| BrokerId(*id)).collect()
}

fn which() -> TopicPartition {
    TopicPartition::new(&TopicName::new("t"), PartitionId(0))
}

/// Brokers 1 to 4 and one partition on these, with these in sync.
fn cluster(replicas: &[i32], isr: &[i32], leader: i32) -> MetadataImage {
    let mut image = MetadataImage::default();
    for id in 1..=4 {
        let registration = BrokerRegistration {
            port: 9_092,
            rack: Default::default(),
            epoch: BrokerEpoch(0),
            incarnation: 0,
            fenced: false,
            in_controlled_shutdown: false,
            cordoned: false,
        };
        image.replay(&MetadataRecord::RegisterBroker { id: BrokerId(id), registration });
    }
    let name = TopicName::new("t");
    image.replay(&MetadataRecord::Topic { name: name.clone(), id: TopicId(1), cause: None });
    let mut partition = PartitionImage::new(ids(replicas), |_| true, None);
    (partition.isr, partition.leader) = (ids(isr), Some(BrokerId(leader)));
    image.replay(&MetadataRecord::Partition { topic: name, image: Rc::new(partition) });
    image
}

fn fence(image: &mut MetadataImage, id: i32) {
    image.replay(&MetadataRecord::BrokerRegistrationChange {
        id: BrokerId(id),
        fenced: true,
        in_controlled_shutdown: false,
        cordoned: None,
    });
}

fn partition(image: &MetadataImage) -> PartitionImage {
    let which = which();
    PartitionImage::clone(image.partition(&which.topic, which.partition).unwrap())
}

fn take(image: &mut MetadataImage, change: Option<PartitionChange>) {
    if let Some(change) = change {
        let which = which();
        image.replay(&MetadataRecord::PartitionChange {
            topic: which.topic,
            partition: which.partition,
            change: crate::scope::Lab::new(change),
            cause: None,
        });
    }
}

fn ask(image: &mut MetadataImage, replicas: Option<&[i32]>) -> Result<(), KafkaError> {
    let replicas = replicas.map(ids);
    let wanted = Wanted { replicas: replicas.as_deref(), allow_replication_factor_change: true };
    let change = alter(image, Mutation::None, &which(), wanted)?;
    take(image, change);
    Ok(())
}

/// The leader says who is in sync.
fn in_sync(image: &mut MetadataImage, isr: &[i32]) {
    let now = partition(image);
    let proposal = IsrProposal {
        partition: which(),
        leader_epoch: now.leader_epoch,
        partition_epoch: now.partition_epoch,
        new_isr: ids(isr),
        broker_epochs: vec![None; isr.len()],
    };
    let leader = now.leader.unwrap();
    let change = alter_partition(image, Mutation::None, leader, &proposal).unwrap();
    take(image, change);
}

/// Replicas, those being added and removed, those in sync, leader and its epoch.
fn state(image: &MetadataImage) -> (Vec<i32>, Vec<i32>, Vec<i32>, Vec<i32>, i32, i32) {
    let numbers = |brokers: &[BrokerId]| brokers.iter().map(|broker| broker.0).collect();
    let now = partition(image);
    let leader = now.leader.map_or(-1, |leader| leader.0);
    let LeaderEpoch(epoch) = now.leader_epoch;
    (
        numbers(&now.replicas),
        numbers(&now.adding),
        numbers(&now.removing),
        numbers(&now.isr),
        leader,
        epoch,
    )
}

/// A move waits for all that it adds, then the old replica goes and another one leads.
#[test]
fn a_move_of_the_leader() {
    let mut image = cluster(&[1, 2], &[1, 2], 1);
    ask(&mut image, Some(&[3, 2])).unwrap();
    assert_eq!(state(&image), (vec![3, 2, 1], vec![3], vec![1], vec![1, 2], 1, 0));
    in_sync(&mut image, &[1, 2, 3]);
    assert_eq!(state(&image), (vec![3, 2], vec![], vec![], vec![2, 3], 3, 1));
}

/// More replicas: nobody goes, so the leader's epoch stays.
#[test]
fn more_replicas() {
    let mut image = cluster(&[1], &[1], 1);
    ask(&mut image, Some(&[1, 2, 3])).unwrap();
    in_sync(&mut image, &[1, 2]);
    assert_eq!(state(&image), (vec![1, 2, 3], vec![2, 3], vec![], vec![1, 2], 1, 0));
    in_sync(&mut image, &[1, 2, 3]);
    assert_eq!(state(&image), (vec![1, 2, 3], vec![], vec![], vec![1, 2, 3], 1, 0));
}

/// Fewer replicas: at once, with a new epoch for the same leader, unless one of the target lags.
#[test]
fn fewer_replicas() {
    let mut image = cluster(&[1, 2, 3], &[1, 3], 1);
    ask(&mut image, Some(&[1])).unwrap();
    assert_eq!(state(&image), (vec![1], vec![], vec![], vec![1], 1, 1));
    let mut image = cluster(&[1, 2, 3], &[1, 3], 1);
    ask(&mut image, Some(&[1, 2])).unwrap();
    assert_eq!(state(&image), (vec![1, 2, 3], vec![], vec![3], vec![1, 3], 1, 0));
    in_sync(&mut image, &[1, 2, 3]);
    assert_eq!(state(&image), (vec![1, 2], vec![], vec![], vec![1, 2], 1, 1));
}

/// As many go as come: a replica of the target that lags holds nothing up (4.3 and later).
#[test]
fn the_target_need_not_be_whole() {
    let mut image = cluster(&[1, 2], &[1], 1);
    ask(&mut image, Some(&[2, 3])).unwrap();
    in_sync(&mut image, &[1, 3]);
    assert_eq!(state(&image), (vec![2, 3], vec![], vec![], vec![3], 3, 1));
}

/// The same replicas in another order need no copy; the leader stays.
#[test]
fn another_order() {
    let mut image = cluster(&[1, 2], &[1, 2], 1);
    ask(&mut image, Some(&[2, 1])).unwrap();
    assert_eq!(state(&image), (vec![2, 1], vec![], vec![], vec![1, 2], 1, 0));
    ask(&mut image, Some(&[2, 1])).unwrap();
    assert_eq!(partition(&image).partition_epoch.0, 1);
}

/// Called off: what was added goes, also from those in sync.
#[test]
fn called_off() {
    let mut image = cluster(&[1, 2], &[1, 2], 1);
    let none = ask(&mut image, None).unwrap_err();
    assert_eq!(none.code, ErrorCode::NoReassignmentInProgress);
    ask(&mut image, Some(&[3, 4])).unwrap();
    in_sync(&mut image, &[1, 2, 3]);
    ask(&mut image, None).unwrap();
    assert_eq!(state(&image), (vec![1, 2], vec![], vec![], vec![1, 2], 1, 1));
}

/// With nobody but new replicas in sync it would lose records: only where that is allowed.
#[test]
fn called_off_too_late() {
    let mut image = cluster(&[2], &[2], 2);
    ask(&mut image, Some(&[3, 1])).unwrap();
    in_sync(&mut image, &[1, 2]);
    let which = which();
    let change = PartitionChange {
        isr: Some(ids(&[1])),
        leader: Some(Some(BrokerId(1))),
        ..PartitionChange::default()
    };
    take(&mut image, Some(change));
    fence(&mut image, 2);
    let refused = ask(&mut image, None).unwrap_err();
    assert_eq!(refused.code, ErrorCode::InvalidReplicaAssignment);
    image.replay(&MetadataRecord::Config {
        resource: crate::controller::records::ConfigResource::Topic(which.topic),
        name: "unclean.leader.election.enable".to_owned(),
        value: Some("true".to_owned()),
    });
    ask(&mut image, None).unwrap();
    assert_eq!(state(&image), (vec![2], vec![], vec![], vec![2], -1, 2));
    assert_eq!(partition(&image).last_known_elr, ids(&[1]));
}

/// A second move replaces the first one; what the first one added and the second one removes is stuck
/// until it is called off (recorded/reassign.console).
#[test]
fn a_second_move() {
    let mut image = cluster(&[1, 2], &[1, 2], 1);
    ask(&mut image, Some(&[1, 3])).unwrap();
    ask(&mut image, Some(&[1, 2])).unwrap();
    assert_eq!(state(&image), (vec![1, 2, 3], vec![3], vec![3], vec![1, 2], 1, 0));
    in_sync(&mut image, &[1, 2, 3]);
    assert!(partition(&image).is_reassigning());
    ask(&mut image, None).unwrap();
    assert_eq!(state(&image), (vec![1, 2], vec![], vec![], vec![1, 2], 1, 1));
}

/// What Kafka refuses, and its words.
#[test]
fn refusals() {
    let mut image = cluster(&[1, 2], &[1, 2], 1);
    let mut text = |replicas: &[i32]| ask(&mut image, Some(replicas)).unwrap_err().message;
    assert_eq!(
        text(&[1, 9]),
        "The manual partition assignment includes broker 9, but no such broker is registered."
    );
    assert_eq!(text(&[]), "The manual partition assignment includes an empty replica list.");
    let three = ids(&[1, 2, 3]);
    let wanted = Wanted { replicas: Some(&three), allow_replication_factor_change: false };
    let refused = alter(&image, Mutation::None, &which(), wanted).unwrap_err();
    assert_eq!(refused.message, "The replication factor is changed from 2 to 3");
    let nowhere = TopicPartition::new(&TopicName::new("t"), PartitionId(5));
    let refused = alter(&image, Mutation::None, &nowhere, wanted).unwrap_err();
    assert_eq!(refused.message, "Unable to find partition t:5.");
}
