//! Sequence numbers through errors, expiries and epochs.

use super::*;
use crate::ids::{PartitionId, TopicName};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn which() -> TopicPartition {
    TopicPartition::new(&TopicName::new("t"), PartitionId(0))
}

/// With an id, and batches of so many records in flight.
fn with_batches(counts: &[u32]) -> (TransactionManager, Vec<ProducerStamp>) {
    let mut manager = TransactionManager::default();
    assert!(manager.needs_producer_id(SimTime(0)));
    assert!(!manager.may_send(&which(), None));
    assert!(manager.assign(&which(), 1).is_none());
    let id = ProducerIdAndEpoch { producer_id: 7, producer_epoch: 0 };
    assert!(manager.set_producer_id(id).is_empty());
    let assign = |count: &u32| manager.assign(&which(), *count).expect("there is an id");
    let stamps = counts.iter().map(assign).collect();
    (manager, stamps)
}

fn sequences(stamps: &[ProducerStamp]) -> Vec<i32> {
    stamps.iter().map(|stamp| stamp.base_sequence).collect()
}

/// Every record counts, each partition for itself, and after 2^31 - 1 comes 0.
#[test]
fn numbers() {
    let (mut manager, stamps) = with_batches(&[3, 1, 2]);
    assert_eq!(sequences(&stamps), [0, 3, 4]);
    let other = TopicPartition::new(&TopicName::new("t"), PartitionId(1));
    assert_eq!(manager.assign(&other, 1).map(|stamp| stamp.base_sequence), Some(0));
    assert_eq!(after(i32::MAX - 1, 2), 0);
    assert_eq!(after(i32::MAX, 5), 4);
    // The numbers go round: the newest acknowledged one is known all the same.
    let partition = manager.partitions.get_mut(&which()).expect("it has batches");
    partition.next_sequence = i32::MAX;
    partition.last_acked_sequence = Some(i32::MAX - 1);
    partition.in_flight.clear();
    let last = manager.assign(&which(), 1).expect("there is an id");
    let first = manager.assign(&which(), 1).expect("there is an id");
    assert_eq!(sequences(&[last, first]), [i32::MAX, 0]);
    for stamp in [last, first] {
        manager.handle_completed(&which(), stamp);
    }
    assert!(manager.partitions.get(&which()).expect("it has batches").is_next_sequence(1));
}

/// New batches may be sent while others are in flight; of those that are sent again only the first.
#[test]
fn retries_are_sent_in_order() {
    let (mut manager, stamps) = with_batches(&[1, 1, 1]);
    assert!(manager.may_send(&which(), None));
    assert!(manager.may_send(&which(), Some(stamps[0])));
    assert!(!manager.may_send(&which(), Some(stamps[1])));
    manager.handle_completed(&which(), stamps[0]);
    assert!(manager.may_send(&which(), Some(stamps[1])));
    assert!(!manager.may_send(&which(), Some(stamps[2])));
    assert!(manager.is_before(&which(), stamps[1], stamps[2]));
    assert!(!manager.is_before(&which(), stamps[2], stamps[1]));
}

/// A batch that is refused because one before it is missing waits for that one; if it is itself the next
/// one, numbers are lost and a new epoch begins.
#[test]
fn out_of_order() {
    let (mut manager, stamps) = with_batches(&[2, 1]);
    let code = ErrorCode::OutOfOrderSequenceNumber;
    assert_eq!(manager.can_retry(&which(), stamps[1], false, code), Some(true));
    assert!(manager.settle().is_empty());
    assert_eq!(manager.can_retry(&which(), stamps[0], false, code), Some(true));
    let restamped = manager.settle();
    let [(partition, pairs)] = &restamped[..] else { panic!("one partition: {restamped:?}") };
    assert_eq!(*partition, which());
    let new: Vec<(i16, i32)> =
        pairs.iter().map(|(_, new)| (new.producer_epoch, new.base_sequence)).collect();
    assert_eq!(new, [(1, 0), (1, 2)]);
    // The second comes back from its journey under the old number: it is only sent again.
    assert_eq!(manager.can_retry(&which(), pairs[1].1, true, code), Some(true));
    assert!(manager.settle().is_empty());
    // Other errors are not about numbers.
    assert_eq!(manager.can_retry(&which(), pairs[0].1, false, ErrorCode::Network), None);
}

/// The leader does not know the producer any more: a new epoch, once.
#[test]
fn unknown_producer() {
    let (mut manager, stamps) = with_batches(&[1, 1]);
    let code = ErrorCode::UnknownProducerId;
    assert_eq!(manager.can_retry(&which(), stamps[0], false, code), Some(true));
    let restamped = manager.settle();
    let second = restamped[0].1[1].1;
    assert_eq!((second.producer_epoch, second.base_sequence), (1, 1));
    assert_eq!(manager.can_retry(&which(), second, true, code), Some(true));
    assert!(manager.settle().is_empty());
}

/// A batch that is given up may stand in the log. Nothing new is sent until the later ones have shown it.
#[test]
fn expiry() {
    // The later one is acknowledged: the first was there.
    let (mut manager, stamps) = with_batches(&[1, 1]);
    manager.handle_expired(&which(), stamps[0], Mutation::None);
    assert!(manager.settle().is_empty());
    assert!(!manager.may_send(&which(), None));
    manager.handle_completed(&which(), stamps[1]);
    assert!(manager.settle().is_empty());
    assert!(manager.may_send(&which(), None));
    assert_eq!(manager.assign(&which(), 1).map(|stamp| stamp.base_sequence), Some(2));

    // The later one is refused: the first is missing.
    let (mut manager, stamps) = with_batches(&[1, 1]);
    manager.handle_expired(&which(), stamps[0], Mutation::None);
    let code = ErrorCode::OutOfOrderSequenceNumber;
    assert_eq!(manager.can_retry(&which(), stamps[1], false, code), Some(true));
    let restamped = manager.settle();
    assert_eq!(
        restamped[0].1,
        [(stamps[1], ProducerIdAndEpoch { producer_id: 7, producer_epoch: 1 }.stamp(0))]
    );
    assert!(manager.may_send(&which(), None));

    // Nothing is left that could show it: a new epoch.
    let (mut manager, stamps) = with_batches(&[1]);
    manager.handle_expired(&which(), stamps[0], Mutation::None);
    assert_eq!(manager.settle(), [(which(), Vec::new())]);
    let next = manager.assign(&which(), 1).expect("there is an id");
    assert_eq!((next.producer_epoch, next.base_sequence), (1, 0));
}

/// Another partition goes on with the old epoch until its batches are done, then begins anew.
#[test]
fn other_partitions_follow_later() {
    let (mut manager, stamps) = with_batches(&[1]);
    let other = TopicPartition::new(&TopicName::new("t"), PartitionId(1));
    let stamp = manager.assign(&other, 1).expect("there is an id");
    manager.handle_expired(&which(), stamps[0], Mutation::None);
    manager.settle();
    assert!(!manager.may_send(&other, None));
    assert!(manager.may_send(&other, Some(stamp)));
    manager.handle_completed(&other, stamp);
    assert!(manager.may_send(&other, None));
    let next = manager.assign(&other, 1).expect("there is an id");
    assert_eq!((next.producer_epoch, next.base_sequence), (1, 0));
}

/// After the last epoch of an id comes another id, and batches in flight get numbers of it.
#[test]
fn epochs_end() {
    let (mut manager, stamps) = with_batches(&[1]);
    manager.id = Some(ProducerIdAndEpoch { producer_id: 7, producer_epoch: i16::MAX });
    manager.can_retry(&which(), stamps[0], false, ErrorCode::UnknownProducerId);
    assert!(manager.settle().is_empty());
    assert!(manager.needs_producer_id(SimTime(0)));
    assert!(!manager.may_send(&which(), Some(stamps[0])));
    let id = ProducerIdAndEpoch { producer_id: 8, producer_epoch: 0 };
    let restamped = manager.set_producer_id(id);
    assert_eq!(restamped, [(which(), vec![(stamps[0], id.stamp(0))])]);
}
