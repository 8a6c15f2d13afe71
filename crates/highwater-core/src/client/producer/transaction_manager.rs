//! Which sequence number does a batch get, and what follows when one got lost? The part of Kafka's
//! `TransactionManager` that an idempotent producer needs (KIP-98, KIP-360).
//!
//! A batch that was given a sequence number is *in flight* until it is acknowledged or given up, also
//! while it waits to be sent again.

use crate::error::ErrorCode;
use crate::ids::{MessageId, TopicPartition};
use crate::log::record_batch::{ProducerIdAndEpoch, ProducerStamp};
use crate::mutation::Mutation;
use crate::sorted_map::SortedMap;
use crate::time::SimTime;

/// A batch with its sequence number: what is kept of it here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sequenced {
    stamp: ProducerStamp,
    count: u32,
}

impl Sequenced {
    fn last_sequence(&self) -> i32 {
        self.stamp.sequence_at(self.count.saturating_sub(1))
    }
}

/// A stamp that another one takes the place of.
pub(super) type Restamped = (ProducerStamp, ProducerStamp);

/// What is known of one partition (`TxnPartitionEntry`).
#[derive(Clone, Debug)]
struct TxnPartition {
    id: ProducerIdAndEpoch,
    next_sequence: i32,
    last_acked_sequence: Option<i32>,
    /// In the order of their sequence numbers.
    in_flight: Vec<Sequenced>,
}

impl TxnPartition {
    fn new(id: ProducerIdAndEpoch) -> Self {
        Self { id, next_sequence: 0, last_acked_sequence: None, in_flight: Vec::new() }
    }

    /// Whether that is the sequence number after the last one that was acknowledged.
    fn is_next_sequence(&self, sequence: i32) -> bool {
        let expected = self.last_acked_sequence.map_or(0, |last| after(last, 1));
        sequence == expected
    }

    /// Gives every batch in flight a new number, from 0 on.
    fn start_sequences_at_beginning(&mut self, id: ProducerIdAndEpoch) -> Vec<Restamped> {
        let mut restamped = Vec::new();
        let mut sequence = 0;
        for batch in &mut self.in_flight {
            let stamp = id.stamp(sequence);
            restamped.push((batch.stamp, stamp));
            batch.stamp = stamp;
            sequence = after(sequence, batch.count);
        }
        self.id = id;
        self.next_sequence = sequence;
        self.last_acked_sequence = None;
        restamped
    }
}

/// The sequence number so many records later; after 2^31 - 1 comes 0.
fn after(sequence: i32, count: u32) -> i32 {
    let sum = i64::from(sequence) + i64::from(count);
    i32::try_from(sum & i64::from(i32::MAX)).unwrap_or(0)
}

/// The producer's id and its sequence numbers.
#[derive(Clone, Debug, Default)]
pub(super) struct TransactionManager {
    id: Option<ProducerIdAndEpoch>,
    /// The `InitProducerId` that waits for its answer, and until when.
    pub(super) asked: Option<(MessageId, SimTime)>,
    /// The earliest moment for the next one.
    pub(super) not_before: SimTime,
    epoch_bump_required: bool,
    to_rewrite: Vec<TopicPartition>,
    /// Partitions of which a batch was given up that may stand in the log, each with the sequence number
    /// after it.
    unresolved: SortedMap<TopicPartition, i32>,
    partitions: SortedMap<TopicPartition, TxnPartition>,
}

impl TransactionManager {
    /// Whether it is time to ask for a producer id.
    pub(super) fn needs_producer_id(&self, now: SimTime) -> bool {
        self.id.is_none() && self.asked.is_none() && self.not_before <= now
    }

    /// A broker gave it an id. Batches that had one of before get new numbers.
    pub(super) fn set_producer_id(
        &mut self,
        id: ProducerIdAndEpoch,
    ) -> Vec<(TopicPartition, Vec<Restamped>)> {
        self.asked = None;
        self.id = Some(id);
        self.rewrite(id)
    }

    /// Settles what the last answers have left open: whether the sequence numbers of batches that were
    /// given up are missing, and whether a new epoch must begin (`maybeResolveSequences`,
    /// `bumpIdempotentEpochAndResetIdIfNeeded`).
    pub(super) fn settle(&mut self) -> Vec<(TopicPartition, Vec<Restamped>)> {
        let mut missing = Vec::new();
        let partitions = &self.partitions;
        self.unresolved.retain(|which, _| {
            let known = partitions.get(which);
            if known.is_some_and(|known| !known.in_flight.is_empty()) {
                return true;
            }
            if !known.is_some_and(|known| known.is_next_sequence(known.next_sequence)) {
                missing.push(which.clone());
            }
            false
        });
        for which in missing {
            self.request_epoch_bump(&which);
        }
        if !std::mem::take(&mut self.epoch_bump_required) {
            return Vec::new();
        }
        self.id = self.id.and_then(ProducerIdAndEpoch::bumped);
        self.id.map_or_else(Vec::new, |id| self.rewrite(id))
    }

    fn rewrite(&mut self, id: ProducerIdAndEpoch) -> Vec<(TopicPartition, Vec<Restamped>)> {
        let mut restamped = Vec::new();
        for which in std::mem::take(&mut self.to_rewrite) {
            self.unresolved.remove(&which);
            if let Some(partition) = self.partitions.get_mut(&which) {
                restamped.push((which, partition.start_sequences_at_beginning(id)));
            }
        }
        restamped
    }

    fn request_epoch_bump(&mut self, which: &TopicPartition) {
        self.epoch_bump_required = true;
        if !self.to_rewrite.contains(which) {
            self.to_rewrite.push(which.clone());
        }
    }

    /// Whether this batch may be sent now (`RecordAccumulator.shouldStopDrainBatchesForPartition`): a new
    /// one not while the fate of earlier ones is unknown or belongs to another epoch; one that is tried
    /// again only as the first of those in flight.
    pub(super) fn may_send(&self, which: &TopicPartition, stamp: Option<ProducerStamp>) -> bool {
        let Some(id) = self.id else { return false };
        let partition = self.partitions.get(which);
        let first = partition.and_then(|partition| partition.in_flight.first());
        match stamp {
            None => {
                let of_other_epoch = partition.is_some_and(|partition| partition.id != id);
                !(self.unresolved.contains_key(which) || first.is_some() && of_other_epoch)
            }
            Some(stamp) => first.is_none_or(|first| first.stamp == stamp),
        }
    }

    /// Gives a batch of so many records its sequence number.
    pub(super) fn assign(&mut self, which: &TopicPartition, count: u32) -> Option<ProducerStamp> {
        let id = self.id?;
        let partition = self.partitions.get_or_insert_with(which.clone(), || TxnPartition::new(id));
        if partition.id != id {
            *partition = TxnPartition::new(id);
        }
        let stamp = id.stamp(partition.next_sequence);
        partition.next_sequence = after(partition.next_sequence, count);
        partition.in_flight.push(Sequenced { stamp, count });
        Some(stamp)
    }

    /// A batch that was given the newest number was not sent: the number is free again. Returns whether it is
    /// the newest.
    pub(super) fn take_back(&mut self, which: &TopicPartition, stamp: ProducerStamp) -> bool {
        let Some(partition) = self.partitions.get_mut(which) else { return false };
        let newest = partition.in_flight.pop_if(|newest| newest.stamp == stamp);
        if newest.is_some() {
            partition.next_sequence = stamp.base_sequence;
        }
        newest.is_some()
    }

    /// A batch is sent in parts, of so many records each: their numbers.
    pub(super) fn split(
        &mut self,
        which: &TopicPartition,
        stamp: ProducerStamp,
        counts: &[u32],
    ) -> Vec<ProducerStamp> {
        let Some(partition) = self.partitions.get_mut(which) else { return Vec::new() };
        let in_flight = &mut partition.in_flight;
        let Some(place) = in_flight.iter().position(|batch| batch.stamp == stamp) else {
            return Vec::new();
        };
        let mut sequence = stamp.base_sequence;
        let mut parts = Vec::new();
        for &count in counts {
            parts.push(Sequenced { stamp: stamp.id().stamp(sequence), count });
            sequence = after(sequence, count);
        }
        in_flight.splice(place..=place, parts.iter().copied());
        parts.into_iter().map(|part| part.stamp).collect()
    }

    /// Whether one batch has its place before another: both were given a number.
    pub(super) fn is_before(
        &self,
        which: &TopicPartition,
        one: ProducerStamp,
        other: ProducerStamp,
    ) -> bool {
        let Some(partition) = self.partitions.get(which) else { return false };
        let place = |stamp| partition.in_flight.iter().position(|batch| batch.stamp == stamp);
        place(one) < place(other)
    }

    /// A batch was acknowledged.
    pub(super) fn handle_completed(&mut self, which: &TopicPartition, stamp: ProducerStamp) {
        let Some(batch) = self.remove(which, stamp) else { return };
        let Some(partition) = self.partitions.get_mut(which) else { return };
        let last = batch.last_sequence();
        let is_newer = |known: i32| (last.wrapping_sub(known) & i32::MAX) < i32::MAX / 2;
        if partition.last_acked_sequence.is_none_or(is_newer) {
            partition.last_acked_sequence = Some(last);
        }
    }

    /// A batch was given up. `adjusts` tells that it does not stand in the log for certain, so that its
    /// number is missing there.
    pub(super) fn handle_failed(
        &mut self,
        which: &TopicPartition,
        stamp: ProducerStamp,
        code: ErrorCode,
        adjusts: bool,
    ) {
        self.remove(which, stamp);
        let is_gap =
            matches!(code, ErrorCode::OutOfOrderSequenceNumber | ErrorCode::UnknownProducerId);
        if is_gap || adjusts {
            self.request_epoch_bump(which);
        }
    }

    /// A batch was given up that may stand in the log: nobody knows. New ones wait until the others have
    /// shown it.
    pub(super) fn handle_expired(
        &mut self,
        which: &TopicPartition,
        stamp: ProducerStamp,
        mutation: Mutation,
    ) {
        let Some(batch) = self.remove(which, stamp) else { return };
        if mutation.is(Mutation::SequenceReusedAfterExpiry) {
            if let Some(partition) = self.partitions.get_mut(which) {
                partition.next_sequence = stamp.base_sequence;
            }
            return;
        }
        let next = after(batch.last_sequence(), 1);
        let known = self.unresolved.get_or_insert_with(which.clone(), || next);
        *known = (*known).max(next);
    }

    fn remove(&mut self, which: &TopicPartition, stamp: ProducerStamp) -> Option<Sequenced> {
        let in_flight = &mut self.partitions.get_mut(which)?.in_flight;
        let place = in_flight.iter().position(|batch| batch.stamp == stamp)?;
        Some(in_flight.remove(place))
    }

    /// Whether a batch that failed because of its sequence number is tried again, after a new epoch has
    /// begun if need be; `None`: the error is not about that (`canRetry`). `has_been_reset` tells that
    /// the batch was sent under another number than it has now.
    pub(super) fn can_retry(
        &mut self,
        which: &TopicPartition,
        stamp: ProducerStamp,
        has_been_reset: bool,
        code: ErrorCode,
    ) -> Option<bool> {
        match code {
            ErrorCode::UnknownProducerId => {
                if !has_been_reset {
                    self.request_epoch_bump(which);
                }
                Some(true)
            }
            ErrorCode::OutOfOrderSequenceNumber => {
                let sequence = stamp.base_sequence;
                let partition = self.partitions.get(which);
                let is_next = partition.is_some_and(|it| it.is_next_sequence(sequence));
                let is_gap = match self.unresolved.get(which) {
                    None => !has_been_reset && is_next,
                    Some(next) => *next == sequence,
                };
                if is_gap {
                    self.request_epoch_bump(which);
                }
                Some(true)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests;
