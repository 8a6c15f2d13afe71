//! Has this batch come before, and is it the next one? What a log knows of idempotent producers
//! (Kafka's `ProducerStateManager`, `ProducerAppendInfo`; KIP-98, KIP-360).

use std::rc::Rc;

use crate::error::{ErrorCode, KafkaError};
use crate::ids::Offset;
use crate::log::record_batch::{NO_TIMESTAMP, ProducerStamp, RecordBatch};
use crate::sorted_map::SortedMap;

/// How many batches of a producer are remembered (`NUM_BATCHES_TO_RETAIN`).
const BATCHES_TO_RETAIN: usize = 5;

/// A batch that was appended for a producer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BatchMetadata {
    /// The sequence number of its first record.
    pub first_sequence: i32,
    /// That of its last.
    pub last_sequence: i32,
    /// The offset of its first record.
    pub first_offset: Offset,
    /// That of its last.
    pub last_offset: Offset,
    /// Its largest timestamp.
    pub timestamp: i64,
}

/// What is known of one producer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProducerStateEntry {
    /// The newest epoch it has written in.
    pub producer_epoch: i16,
    /// The largest timestamp of its last batch; its expiry counts from there.
    pub last_timestamp: i64,
    /// Its last batches in that epoch, at most five, oldest first.
    batches: Vec<BatchMetadata>,
}

impl ProducerStateEntry {
    /// Its last batches, at most five, oldest first.
    #[must_use]
    pub fn batches(&self) -> &[BatchMetadata] {
        &self.batches
    }

    /// The offset of the last record that it wrote.
    #[must_use]
    pub fn last_data_offset(&self) -> Option<Offset> {
        self.batches.last().map(|batch| batch.last_offset)
    }

    /// The remembered batch with exactly these sequence numbers.
    fn find_duplicate(&self, stamp: ProducerStamp, last_sequence: i32) -> Option<BatchMetadata> {
        let same = |batch: &&BatchMetadata| {
            batch.first_sequence == stamp.base_sequence && batch.last_sequence == last_sequence
        };
        self.batches.iter().find(same).copied()
    }

    fn is_next(&self, base_sequence: i32) -> bool {
        let Some(last) = self.batches.last() else { return base_sequence == 0 };
        match last.last_sequence.checked_add(1) {
            Some(next) => base_sequence == next,
            None => base_sequence == 0,
        }
    }
}

/// What to do with a batch that a producer sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is to be appended.
    Append,
    /// It was appended before: the answer is that of then.
    Duplicate(BatchMetadata),
}

/// All producers that have written to a log, by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProducerStateManager {
    producers: SortedMap<i64, Rc<ProducerStateEntry>>,
}

impl ProducerStateManager {
    /// Its producers, by id.
    pub fn producers(&self) -> impl Iterator<Item = (i64, &ProducerStateEntry)> {
        self.producers.iter().map(|(id, entry)| (*id, &**entry))
    }

    /// What is known of a producer.
    #[must_use]
    pub fn last_entry(&self, producer_id: i64) -> Option<&ProducerStateEntry> {
        self.producers.get(&producer_id).map(|entry| &**entry)
    }

    /// Judges a batch of a client. A producer that is not known may begin anywhere.
    ///
    /// # Errors
    /// `INVALID_PRODUCER_EPOCH` for an epoch older than the newest; `OUT_OF_ORDER_SEQUENCE_NUMBER`
    /// when a new epoch does not begin with 0 or the batch does not follow the last one.
    pub fn check(
        &self,
        stamp: ProducerStamp,
        last_offset_delta: u32,
    ) -> Result<Verdict, KafkaError> {
        let Some(known) = self.last_entry(stamp.producer_id) else { return Ok(Verdict::Append) };
        if stamp.producer_epoch < known.producer_epoch {
            return Err(KafkaError::plain(ErrorCode::InvalidProducerEpoch));
        }
        let is_in_order = if stamp.producer_epoch > known.producer_epoch {
            stamp.base_sequence == 0
        } else {
            let last_sequence = stamp.sequence_at(last_offset_delta);
            if let Some(duplicate) = known.find_duplicate(stamp, last_sequence) {
                return Ok(Verdict::Duplicate(duplicate));
            }
            known.is_next(stamp.base_sequence)
        };
        if is_in_order {
            Ok(Verdict::Append)
        } else {
            Err(KafkaError::plain(ErrorCode::OutOfOrderSequenceNumber))
        }
    }

    /// Takes in a batch that was appended. No checks: the leader has made them.
    pub fn update(&mut self, batch: &RecordBatch) {
        let Some(stamp) = batch.producer else { return };
        if batch.control.is_some() {
            return;
        }
        let entry = self.producers.get_or_insert_with(stamp.producer_id, || {
            Rc::new(ProducerStateEntry {
                producer_epoch: stamp.producer_epoch,
                last_timestamp: NO_TIMESTAMP,
                batches: Vec::new(),
            })
        });
        let entry = Rc::make_mut(entry);
        if entry.producer_epoch != stamp.producer_epoch {
            entry.producer_epoch = stamp.producer_epoch;
            entry.batches.clear();
        }
        if entry.batches.len() >= BATCHES_TO_RETAIN {
            entry.batches.remove(0);
        }
        entry.last_timestamp = batch.max_timestamp_ms();
        entry.batches.push(BatchMetadata {
            first_sequence: stamp.base_sequence,
            last_sequence: batch.last_sequence(),
            first_offset: batch.base_offset,
            last_offset: batch.last_offset(),
            timestamp: batch.max_timestamp_ms(),
        });
    }

    /// The producers whose last batch is older than `producer.id.expiration.ms` or as old.
    #[must_use]
    pub fn expired(&self, now_ms: i64, expiration_ms: i64) -> Vec<i64> {
        let is_expired = |entry: &ProducerStateEntry| {
            now_ms.saturating_sub(entry.last_timestamp) >= expiration_ms
        };
        self.producers().filter(|(_, entry)| is_expired(entry)).map(|(id, _)| id).collect()
    }

    /// Forgets producers.
    pub fn remove(&mut self, producer_ids: &[i64]) {
        for id in producer_ids {
            self.producers.remove(id);
        }
    }

    /// The earliest moment at which a producer expires.
    #[must_use]
    pub fn earliest_expiration(&self, expiration_ms: i64) -> Option<i64> {
        let oldest = self.producers().map(|(_, entry)| entry.last_timestamp).min()?;
        Some(oldest.saturating_add(expiration_ms))
    }
}

#[cfg(test)]
mod tests;
