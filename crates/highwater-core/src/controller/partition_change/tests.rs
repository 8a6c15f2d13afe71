//! The sentences of 03-replication.md, 3.6 and 3.8: who is elected, who stays eligible, which epochs begin.

use super::*;
use crate::ids::{LeaderEpoch, PartitionEpoch};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn ids(ids: &[i32]) -> Vec<BrokerId> {
    ids.iter().map(|id| BrokerId(*id)).collect()
}

/// Replicas 1, 2, 3 in the fifth epoch of leaders; so many must be in sync.
#[derive(Clone)]
struct Case {
    image: PartitionImage,
    active: Vec<i32>,
    min_isr: u32,
    election: Election,
}

impl Case {
    fn new(isr: &[i32], leader: Option<i32>, active: &[i32]) -> Self {
        let mut image = PartitionImage::new(ids(&[1, 2, 3]), |_| true, None);
        (image.isr, image.leader) = (ids(isr), leader.map(BrokerId));
        image.leader_epoch = LeaderEpoch(5);
        Self { image, active: active.to_vec(), min_isr: 1, election: Election::Online }
    }

    fn eligible(mut self, elr: &[i32], last_known: &[i32]) -> Self {
        (self.image.elr, self.image.last_known_elr) = (ids(elr), ids(last_known));
        self
    }

    fn by(self, election: Election) -> Self {
        Self { election, ..self }
    }

    fn with_min_isr(self, min_isr: u32) -> Self {
        Self { min_isr, ..self }
    }

    /// The partition after those that are not active, and `gone`, have left the in-sync replicas.
    fn without(&self, gone: &[i32], unclean_shutdown: Option<i32>) -> PartitionImage {
        let is_active = |id: BrokerId| self.active.contains(&id.0);
        let mut builder = PartitionChangeBuilder::new(&self.image, &is_active, self.min_isr);
        builder.election = self.election;
        builder.unclean_shutdown = unclean_shutdown.map(BrokerId);
        builder.target_isr.retain(|id| !gone.contains(&id.0));
        let mut after = self.image.clone();
        if let Some(change) = builder.build() {
            after.merge(&change, None);
        }
        after
    }

    fn elected(&self) -> (Option<i32>, Vec<i32>, bool) {
        let after = self.without(&[], None);
        (after.leader.map(|id| id.0), numbers(&after.isr), after.recovering)
    }
}

fn numbers(ids: &[BrokerId]) -> Vec<i32> {
    ids.iter().map(|id| id.0).collect()
}

/// Whoever leads goes on while it is there and in sync; else the first of the list that is; else nobody.
#[test]
fn clean_elections() {
    for (isr, leader, active, expected) in [
        (&[1, 2, 3][..], Some(2), &[1, 2, 3][..], Some(2)),
        (&[1, 2, 3], Some(2), &[1, 3], Some(1)),
        (&[2, 3], Some(2), &[1, 3], Some(3)),
        (&[3, 2], Some(1), &[1, 2, 3], Some(2)),
        (&[2], Some(2), &[1, 3], None),
        (&[2], None, &[1, 3], None),
        (&[2], None, &[1, 2, 3], Some(2)),
    ] {
        let case = Case::new(isr, leader, active);
        assert_eq!(
            case.elected(),
            (expected, isr.to_vec(), false),
            "{isr:?} {leader:?} {active:?}"
        );
    }
    let preferred = Case::new(&[1, 2, 3], Some(2), &[1, 2, 3]).by(Election::Preferred);
    assert_eq!(preferred.elected().0, Some(1));
    let not_in_sync = Case::new(&[2, 3], Some(2), &[1, 2, 3]).by(Election::Preferred);
    assert_eq!(not_in_sync.elected().0, Some(2));
}

/// With nobody in sync, an eligible replica leads, and is in sync alone; with nobody eligible, whoever led
/// last, which may lack records. Who asked for the preferred replica does not get that one.
#[test]
fn elections_without_anybody_in_sync() {
    let eligible = Case::new(&[], None, &[3]).eligible(&[2, 3], &[1]).with_min_isr(2);
    assert_eq!(eligible.elected(), (Some(3), vec![3], false));
    let after = eligible.without(&[], None);
    assert_eq!((numbers(&after.elr), numbers(&after.last_known_elr)), (vec![2], vec![]));
    let waits = Case::new(&[], None, &[1]).eligible(&[2, 3], &[1]).with_min_isr(2);
    assert_eq!(waits.elected(), (None, vec![], false));
    let last_known = Case::new(&[], None, &[1, 2]).eligible(&[], &[2]).with_min_isr(2);
    assert_eq!(last_known.elected(), (Some(2), vec![2], true));
    assert_eq!(last_known.clone().by(Election::Unclean).elected(), (Some(2), vec![2], true));
    assert_eq!(last_known.by(Election::Preferred).elected(), (None, vec![], false));
}

/// An unclean election takes the first that is there. In sync is it alone, nobody is eligible, and it has to
/// settle; a clean one is preferred.
#[test]
fn unclean_elections() {
    let case = Case::new(&[2], Some(2), &[3, 1]).by(Election::Unclean).with_min_isr(2);
    assert_eq!(case.elected(), (Some(1), vec![1], true));
    let after = case.clone().eligible(&[3], &[]).without(&[], None);
    assert_eq!((numbers(&after.elr), numbers(&after.isr)), (vec![], vec![1]));
    let clean = Case::new(&[2, 3], Some(2), &[3, 1]).by(Election::Unclean);
    assert_eq!(clean.elected(), (Some(3), vec![2, 3], false));
    assert_eq!(Case::new(&[2], Some(2), &[]).by(Election::Unclean).elected().0, None);
}

/// Who leaves while too few are in sync stays eligible, unless it may have lost something; when enough are
/// in sync, nobody need be eligible. While nobody leads, the last leader is remembered.
#[test]
fn eligible_replicas() {
    let case = Case::new(&[1, 2, 3], Some(1), &[1, 2]).with_min_isr(2);
    let two_left = case.without(&[3], None);
    assert_eq!((numbers(&two_left.isr), numbers(&two_left.elr)), (vec![1, 2], vec![]));
    let case = Case { image: two_left, active: vec![1], ..case };
    let one_left = case.without(&[2], None);
    assert_eq!((numbers(&one_left.isr), numbers(&one_left.elr)), (vec![1], vec![2]));
    let case = Case { image: one_left, active: vec![], ..case };
    let none_left = case.without(&[1], None);
    assert_eq!((numbers(&none_left.isr), numbers(&none_left.elr)), (vec![], vec![1, 2]));
    assert_eq!((none_left.leader, numbers(&none_left.last_known_elr)), (None, vec![1]));
    // 2 has crashed: it is eligible no more, and 1 is not there.
    let case = Case { image: none_left, active: vec![3], ..case };
    let unclean = case.without(&[2], Some(2));
    assert_eq!((unclean.leader, numbers(&unclean.elr)), (None, vec![1]));
    // So has 1, but it led last.
    let case = Case { image: unclean, active: vec![1, 3], ..case };
    let back = case.without(&[1], Some(1));
    assert_eq!((back.leader, numbers(&back.isr)), (Some(BrokerId(1)), vec![1]));
    assert!(back.recovering);
    assert_eq!((numbers(&back.elr), numbers(&back.last_known_elr)), (vec![], vec![]));
    assert_eq!(back.leader_epoch, LeaderEpoch(7));
    assert_eq!(back.partition_epoch, PartitionEpoch(5));
}

/// Every change of the leader begins an epoch, also to nobody; a change of the in-sync replicas does not. Both
/// are changes of the partition.
#[test]
fn epochs() {
    let epochs = |image: &PartitionImage| (image.leader_epoch.0, image.partition_epoch.0);
    let shrunk = Case::new(&[1, 2, 3], Some(1), &[1, 2]).without(&[3], None);
    assert_eq!(epochs(&shrunk), (5, 1));
    let moved = Case::new(&[1, 2, 3], Some(1), &[2, 3]).without(&[1], None);
    assert_eq!(epochs(&moved), (6, 1));
    let nobody = Case::new(&[1], Some(1), &[2, 3]).without(&[], None);
    assert_eq!(epochs(&nobody), (6, 1));
    let unchanged = Case::new(&[1, 2, 3], Some(1), &[1, 2, 3]).without(&[], None);
    assert_eq!(epochs(&unchanged), (5, 0));
}
