//! Which partitions a consumer has, and where it stands in each (`SubscriptionState`).

use crate::client::StartAt;
use crate::client::kafka_consumer::config::OffsetReset;
use crate::ids::{LeaderEpoch, Offset, TopicPartition};
use crate::java::hash_map;
use crate::net::group::OffsetAndMetadata;
use crate::sorted_map::SortedMap;
use crate::time::SimTime;

/// How far the search for a position is (`FetchState`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FetchState {
    /// The group's committed offset comes first.
    Initializing,
    /// The leader is asked where to go.
    AwaitReset(OffsetReset),
    /// The leader is asked whether its log still holds what was read (KIP-320).
    AwaitValidation,
    /// It is known.
    Fetching,
}

/// Where it stands in a partition.
#[derive(Clone, Debug)]
pub(super) struct PartitionState {
    /// The next offset that the application gets; `None`: it is being looked up.
    pub(super) position: Option<Offset>,
    /// The leader epoch of the record before it.
    pub(super) offset_epoch: Option<LeaderEpoch>,
    /// The leader epoch in which it was last found to fit the log.
    pub(super) validated: Option<LeaderEpoch>,
    /// How far the search for it is.
    pub(super) fetch_state: FetchState,
    /// A person named the offset, or the group has committed it: it need not be in the log.
    pub(super) is_named: bool,
    /// When the lookup may be tried next.
    pub(super) retry_at: SimTime,
    /// Nothing is fetched (`pause`).
    pub(super) is_paused: bool,
    /// It is about to be given up: nothing more is handed out (KAFKA-14024).
    pub(super) is_leaving: bool,
    /// What the group has committed, as far as this member knows.
    pub(super) committed: Option<Offset>,
}

impl PartitionState {
    fn new(now: SimTime) -> Self {
        Self {
            position: None,
            offset_epoch: None,
            validated: None,
            fetch_state: FetchState::Initializing,
            is_named: false,
            retry_at: now,
            is_paused: false,
            is_leaving: false,
            committed: None,
        }
    }

    fn reset(&mut self, reset: OffsetReset, now: SimTime) {
        self.position = None;
        self.offset_epoch = None;
        self.validated = None;
        self.fetch_state = FetchState::AwaitReset(reset);
        self.is_named = false;
        self.retry_at = now;
    }

    fn seek(&mut self, to: Offset, epoch: Option<LeaderEpoch>, now: SimTime) {
        self.position = Some(to);
        self.offset_epoch = epoch;
        self.validated = None;
        let is_dated = epoch.is_some();
        self.fetch_state =
            if is_dated { FetchState::AwaitValidation } else { FetchState::Fetching };
        self.is_named = true;
        self.retry_at = now;
    }

    /// Whether its position is good.
    pub(super) fn is_fetching(&self) -> bool {
        self.fetch_state == FetchState::Fetching
    }

    /// Whether it may be asked for records.
    pub(super) fn is_fetchable(&self) -> bool {
        self.is_fetching() && !self.is_paused && !self.is_leaving
    }
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub(super) struct SubscriptionState {
    partitions: SortedMap<TopicPartition, PartitionState>,
}

impl SubscriptionState {
    /// Has exactly these partitions. Those it had already stay where they are.
    pub(super) fn assign(&mut self, partitions: &[TopicPartition], now: SimTime) {
        let mut old = std::mem::take(&mut self.partitions);
        for partition in partitions {
            let state = old.remove(partition).unwrap_or_else(|| PartitionState::new(now));
            self.partitions.insert(partition.clone(), state);
        }
    }

    /// Goes to a place in a partition that it has.
    pub(super) fn start(&mut self, partition: &TopicPartition, start: StartAt, now: SimTime) {
        let Some(state) = self.partitions.get_mut(partition) else { return };
        match start {
            StartAt::Earliest => state.reset(OffsetReset::Earliest, now),
            StartAt::Latest => state.reset(OffsetReset::Latest, now),
            StartAt::Offset(offset) => state.seek(offset, None, now),
        }
    }

    /// Goes where the group has committed.
    pub(super) fn restore(
        &mut self,
        partition: &TopicPartition,
        committed: &OffsetAndMetadata,
        now: SimTime,
    ) {
        let Some(state) = self.partitions.get_mut(partition) else { return };
        let epoch = (committed.leader_epoch >= 0).then_some(LeaderEpoch(committed.leader_epoch));
        state.seek(committed.offset, epoch, now);
        state.committed = Some(committed.offset);
    }

    /// The next offset to hand out there.
    pub(super) fn position(&self, partition: &TopicPartition) -> Option<Offset> {
        self.partitions.get(partition)?.position
    }

    /// What is known of a partition that it has.
    pub(super) fn get(&self, partition: &TopicPartition) -> Option<&PartitionState> {
        self.partitions.get(partition)
    }

    /// The same, to change it.
    pub(super) fn get_mut(&mut self, partition: &TopicPartition) -> Option<&mut PartitionState> {
        self.partitions.get_mut(partition)
    }

    /// Moves to an offset that is in the log of that leader; returns where it was.
    pub(super) fn move_to(
        &mut self,
        partition: &TopicPartition,
        to: Offset,
        leader: Option<LeaderEpoch>,
    ) -> Option<Offset> {
        let state = self.partitions.get_mut(partition)?;
        if state.fetch_state != FetchState::Fetching {
            // What was found now was found in the log of the leader that is known now.
            state.fetch_state = FetchState::Fetching;
            state.validated = leader;
        }
        state.is_named = false;
        state.position.replace(to)
    }

    /// Looks the position up anew.
    pub(super) fn reset(&mut self, partition: &TopicPartition, reset: OffsetReset, now: SimTime) {
        if let Some(state) = self.partitions.get_mut(partition) {
            state.reset(reset, now);
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

    /// The same, to change them.
    pub(super) fn iter_mut(
        &mut self,
    ) -> impl Iterator<Item = (&TopicPartition, &mut PartitionState)> {
        self.partitions.iter_mut()
    }

    /// The partitions that it has.
    pub(super) fn assigned(&self) -> Vec<TopicPartition> {
        self.partitions.keys().cloned().collect()
    }

    /// What has been read of each partition whose position is known (`allConsumed`), in the order of the map
    /// that it is in Java.
    pub(super) fn all_consumed(&self) -> Vec<(TopicPartition, OffsetAndMetadata)> {
        let mut consumed = Vec::new();
        for (partition, state) in self.partitions.iter() {
            let Some(offset) = state.position else { continue };
            if state.fetch_state == FetchState::Fetching {
                let leader_epoch = state.offset_epoch.map_or(-1, |epoch| epoch.0);
                let metadata = "".into();
                let offset = OffsetAndMetadata { offset, leader_epoch, metadata };
                consumed.push((partition.clone(), offset));
            }
        }
        hash_map::in_set_order(&consumed, |(partition, _)| hash_map::partition_hash(partition))
    }
}
