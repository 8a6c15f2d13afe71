//! Which partitions went from whom to whom while a group is balanced (`PartitionMovements`), so that two
//! partitions of a topic are not exchanged where none had to move.

use crate::client::assignor::group::{Group, Member, Partition, Topic, number};
use crate::java::hash_map::{Made, iteration_order, partition_hash};
use crate::sorted_map::SortedMap;

/// From whom to whom, over all moves of a partition.
type Pair = (Member, Member);

/// The moves so far.
#[derive(Debug)]
pub(super) struct Movements {
    /// Of each partition.
    of: Vec<Option<Pair>>,
    /// Of each topic and pair; never empty.
    between: SortedMap<(Topic, Pair), JavaSet>,
}

/// A hash set of Java's, of partitions: which of them comes first depends on how many it once held.
#[derive(Debug, Default)]
struct JavaSet {
    /// In the order in which they came.
    partitions: Vec<Partition>,
    /// How many it held at most.
    most: u32,
}

impl Movements {
    /// Nothing has moved.
    pub(super) fn new(group: &Group<'_>) -> Self {
        Self { of: vec![None; group.partitions().len()], between: SortedMap::new() }
    }

    /// A partition goes from one member to another.
    pub(super) fn add(&mut self, group: &Group<'_>, partition: Partition, pair: Pair) {
        let topic = group.topic_of(partition);
        let (mut from, to) = pair;
        if let Some(before) = self.of[partition as usize].take() {
            self.forget(topic, before, partition);
            from = before.0;
            if from == to {
                return;
            }
        }
        self.of[partition as usize] = Some((from, to));
        let set = self.between.get_or_insert_with((topic, (from, to)), JavaSet::default);
        set.partitions.push(partition);
        set.most = set.most.max(number(set.partitions.len()));
    }

    fn forget(&mut self, topic: Topic, pair: Pair, partition: Partition) {
        if let Some(set) = self.between.get_mut(&(topic, pair)) {
            set.partitions.retain(|&other| other != partition);
            if set.partitions.is_empty() {
                self.between.remove(&(topic, pair));
            }
        }
    }

    /// The partition that goes when this one should: if another one of its topic has come the opposite
    /// way, that one goes back instead.
    pub(super) fn actual(&self, group: &Group<'_>, partition: Partition, pair: Pair) -> Partition {
        let (from, to) = pair;
        let from = self.of[partition as usize].map_or(from, |before| before.0);
        let back = self.between.get(&(group.topic_of(partition), (to, from)));
        back.and_then(|set| set.first(group)).unwrap_or(partition)
    }
}

impl JavaSet {
    fn first(&self, group: &Group<'_>) -> Option<Partition> {
        let hashes: Vec<i32> =
            self.partitions.iter().map(|&which| partition_hash(&group.name(which))).collect();
        // A table of 16 that has doubled whenever it was filled to more than three quarters.
        let made = Made::WithCapacity((self.most * 4).div_ceil(3).max(16));
        let place = *iteration_order(&hashes, made).first()?;
        self.partitions.get(place as usize).copied()
    }
}
