//! Which partitions a consumer has, and where it stands in each (`SubscriptionState`).

use crate::client::StartAt;
use crate::client::kafka_consumer::config::OffsetReset;
use crate::ids::{Offset, TopicPartition};
use crate::sorted_map::SortedMap;
use crate::time::SimTime;

/// Where it stands in a partition.
#[derive(Clone, Debug)]
pub(super) struct PartitionState {
    /// The next offset that the application gets; `None`: it is being looked up.
    pub(super) position: Option<Offset>,
    /// How it is looked up.
    pub(super) reset: OffsetReset,
    /// A person named the offset: it need not be in the log.
    pub(super) is_named: bool,
    /// When the lookup may be tried next.
    pub(super) retry_at: SimTime,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct SubscriptionState {
    partitions: SortedMap<TopicPartition, PartitionState>,
}

impl SubscriptionState {
    /// Takes a partition in, unless it is there already.
    pub(super) fn assign(&mut self, partition: TopicPartition, reset: OffsetReset, now: SimTime) {
        self.partitions.get_or_insert_with(partition, || PartitionState {
            position: None,
            reset,
            is_named: false,
            retry_at: now,
        });
    }

    /// Takes a partition in and goes to a place in it.
    pub(super) fn seek(&mut self, partition: TopicPartition, start: StartAt, now: SimTime) {
        let (position, reset) = match start {
            StartAt::Earliest => (None, OffsetReset::Earliest),
            StartAt::Latest => (None, OffsetReset::Latest),
            StartAt::Offset(offset) => (Some(offset), OffsetReset::None),
        };
        let is_named = position.is_some();
        let state = PartitionState { position, reset, is_named, retry_at: now };
        self.partitions.insert(partition, state);
    }

    /// Keeps only the partitions that are still there.
    pub(super) fn retain(&mut self, is_there: impl Fn(&TopicPartition) -> bool) {
        self.partitions.retain(|partition, _| is_there(partition));
    }

    /// The next offset to hand out there.
    pub(super) fn position(&self, partition: &TopicPartition) -> Option<Offset> {
        self.partitions.get(partition)?.position
    }

    /// Moves to an offset; returns where it was.
    pub(super) fn move_to(&mut self, partition: &TopicPartition, to: Offset) -> Option<Offset> {
        self.partitions.get_mut(partition)?.position.replace(to)
    }

    /// Looks the position up anew.
    pub(super) fn reset(&mut self, partition: &TopicPartition, reset: OffsetReset, now: SimTime) {
        if let Some(state) = self.partitions.get_mut(partition) {
            *state = PartitionState { position: None, reset, is_named: false, retry_at: now };
        }
    }

    /// A lookup is under way, or has failed: not again before that time.
    pub(super) fn retry_at(&mut self, partition: &TopicPartition, at: SimTime) {
        if let Some(state) = self.partitions.get_mut(partition) {
            state.retry_at = at;
        }
    }

    /// Each partition, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&TopicPartition, &PartitionState)> {
        self.partitions.iter()
    }
}
