//! Batches of records as they stand in a log (`DefaultRecordBatch`, record format v2): offsets with
//! or without gaps, the timestamp that counts, who sent them, how large they are on disk.

use std::rc::Rc;

use crate::ids::{ClientId, EventId, LeaderEpoch, Offset, TopicId};
use crate::log::record::{BATCH_OVERHEAD, Record};
use crate::net::message::Acks;
use crate::scope::Always;

/// A record or batch without timestamp (`RecordBatch.NO_TIMESTAMP`).
pub const NO_TIMESTAMP: i64 = -1;

/// What stands in the place of a batch's first sequence number if no idempotent producer sent it
/// (`RecordBatch.NO_SEQUENCE`).
pub const NO_SEQUENCE: i32 = -1;

/// Whose clock gives a topic's timestamps (`message.timestamp.type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TimestampType {
    /// The producer's.
    CreateTime,
    /// The leader's at the append; it overrides those of the records.
    LogAppendTime,
}

impl TimestampType {
    /// Kafka's name, as the configuration and `kafka-dump-log.sh` write it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::CreateTime => "CreateTime",
            Self::LogAppendTime => "LogAppendTime",
        }
    }
}

/// How a batch is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// Not at all.
    None,
    /// gzip
    Gzip,
    /// snappy
    Snappy,
    /// lz4
    Lz4,
    /// zstd
    Zstd,
}

impl Compression {
    /// All of them, in Kafka's order.
    pub const ALL: [Self; 5] = [Self::None, Self::Gzip, Self::Snappy, Self::Lz4, Self::Zstd];

    /// The one of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|compression| compression.name() == name)
    }

    /// Kafka's name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Snappy => "snappy",
            Self::Lz4 => "lz4",
            Self::Zstd => "zstd",
        }
    }
}

/// Who sent a batch and as which of its batches (idempotent producers, KIP-98).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProducerStamp {
    /// The id that the producer was given.
    pub producer_id: i64,
    /// How often the producer began anew.
    pub producer_epoch: i16,
    /// The sequence number of the batch's first record.
    pub base_sequence: i32,
}

/// An id that a producer was given, and how often it began anew with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProducerIdAndEpoch {
    /// The id.
    pub producer_id: i64,
    /// The epoch.
    pub producer_epoch: i16,
}

impl ProducerIdAndEpoch {
    /// The next epoch; `None`: there is none, another id is needed.
    #[must_use]
    pub fn bumped(self) -> Option<Self> {
        let producer_epoch = self.producer_epoch.checked_add(1)?;
        Some(Self { producer_epoch, ..self })
    }

    /// A batch that begins with that sequence number.
    #[must_use]
    pub fn stamp(self, base_sequence: i32) -> ProducerStamp {
        let Self { producer_id, producer_epoch } = self;
        ProducerStamp { producer_id, producer_epoch, base_sequence }
    }
}

impl ProducerStamp {
    /// The id and epoch in it.
    #[must_use]
    pub fn id(&self) -> ProducerIdAndEpoch {
        let Self { producer_id, producer_epoch, .. } = *self;
        ProducerIdAndEpoch { producer_id, producer_epoch }
    }

    /// The sequence number of the record that far after the first; after 2^31 - 1 comes 0
    /// (`DefaultRecordBatch.incrementSequence`).
    #[must_use]
    pub fn sequence_at(&self, delta: u32) -> i32 {
        let sum = i64::from(self.base_sequence) + i64::from(delta);
        i32::try_from(sum & i64::from(i32::MAX)).unwrap_or(0)
    }
}

/// What a control batch says. Transactions are not built; this keeps their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlKind {
    /// A transaction was aborted.
    Abort,
    /// A transaction was committed.
    Commit,
}

/// Which of whose batches one is. No broker of Kafka knows that; it is here so that somebody notices what
/// is lost, what comes twice, and what comes in another order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Who sends it.
    pub client: ClientId,
    /// Its number among all batches of that producer, and where it begins in the one that was split for it.
    pub number: (u32, u32),
    /// From how many replicas the producer wants to hear.
    pub acks: Acks,
}

/// What a producer asks a leader to append.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Proposal {
    /// The records.
    pub records: Rc<[Record]>,
    /// Who sends them, if the producer is idempotent.
    pub producer: Option<ProducerStamp>,
    /// How the producer compressed them.
    pub compression: Compression,
    /// The size of the compressed batch, header included; `None`: as large as uncompressed.
    pub compressed_size: Option<u32>,
    /// Which of whose batches it is.
    pub origin: Always<Option<Origin>>,
    /// Which topic of that name is meant (KIP-516); `None`: whichever has it.
    pub topic_id: Always<Option<TopicId>>,
}

impl From<Rc<[Record]>> for Proposal {
    fn from(records: Rc<[Record]>) -> Self {
        Self {
            records,
            producer: None,
            compression: Compression::None,
            compressed_size: None,
            origin: Always::of(|| None),
            topic_id: Always::of(|| None),
        }
    }
}

/// What one look at the records of a proposal tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// The size of the uncompressed batch.
    pub(super) size_in_bytes: u32,
    /// The largest timestamp, and the number of the first record that has it.
    pub(super) max_timestamp: (i64, u32),
    /// The smallest timestamp of those that have one.
    pub(super) min_timestamp: i64,
    pub(super) has_null_key: bool,
}

/// Measures records; the only place where an append goes over all of them.
pub(crate) fn measure(records: &[Record]) -> Measured {
    let base_timestamp = records.first().map_or(0, |record| record.timestamp);
    let mut measured = Measured {
        size_in_bytes: BATCH_OVERHEAD,
        max_timestamp: (NO_TIMESTAMP, 0),
        min_timestamp: NO_TIMESTAMP,
        has_null_key: false,
    };
    for (delta, record) in (0u32..).zip(records) {
        let size = record.size_in_bytes(base_timestamp, delta);
        measured.size_in_bytes = measured.size_in_bytes.saturating_add(size);
        if record.timestamp > measured.max_timestamp.0 {
            measured.max_timestamp = (record.timestamp, delta);
        }
        let is_earliest =
            measured.min_timestamp == NO_TIMESTAMP || record.timestamp < measured.min_timestamp;
        if record.timestamp != NO_TIMESTAMP && is_earliest {
            measured.min_timestamp = record.timestamp;
        }
        measured.has_null_key |= record.key.is_none();
    }
    measured
}

/// The size of an uncompressed batch of these records.
#[must_use]
pub fn batch_size_in_bytes(records: &[Record]) -> u32 {
    measure(records).size_in_bytes
}

/// Records that a producer sent together and the leader appended together. Never changed after;
/// the cleaner puts another in its place.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordBatch {
    /// The offset of the first record it was appended with.
    pub base_offset: Offset,
    /// How far after it the last of those has its offset.
    pub last_offset_delta: u32,
    /// The epoch of the leader that appended it.
    pub leader_epoch: LeaderEpoch,
    /// The records that are in it; all of one append share them.
    pub records: Rc<[Record]>,
    /// How far after the base offset each record has its offset; `None`: the n-th has n.
    offset_deltas: Option<Rc<[u32]>>,
    /// The largest timestamp and the number of the first record that has it.
    max_timestamp: (i64, u32),
    /// Whose clock it is; `LogAppendTime`: all records have the largest timestamp.
    pub timestamp_type: TimestampType,
    /// Who sent it, if the producer is idempotent.
    pub producer: Option<ProducerStamp>,
    /// Which of whose batches it is.
    pub origin: Always<Option<Origin>>,
    /// When a later pass of the cleaner may remove its tombstones; set by the first that sees them.
    pub delete_horizon_ms: Option<i64>,
    /// What it says, if it holds no data but the end of a transaction.
    pub control: Option<ControlKind>,
    /// How it is compressed.
    pub compression: Compression,
    /// Its size on disk.
    pub size_in_bytes: u32,
    /// The event of its append: asked "why is this here?", the chain starts there.
    pub appended_by: Option<EventId>,
}

impl RecordBatch {
    /// What a leader makes of a proposal. `log_append_time` is given when it overrides the
    /// timestamps of the records.
    pub(crate) fn of_proposal(
        proposal: &Proposal,
        measured: &Measured,
        base_offset: Offset,
        leader_epoch: LeaderEpoch,
        log_append_time: Option<i64>,
        cause: Option<EventId>,
    ) -> Self {
        let count = u32::try_from(proposal.records.len()).unwrap_or(u32::MAX);
        let (timestamp_type, max_timestamp) = match log_append_time {
            None => (TimestampType::CreateTime, measured.max_timestamp),
            Some(now_ms) => (TimestampType::LogAppendTime, (now_ms, 0)),
        };
        Self {
            base_offset,
            last_offset_delta: count.saturating_sub(1),
            leader_epoch,
            records: Rc::clone(&proposal.records),
            offset_deltas: None,
            max_timestamp,
            timestamp_type,
            producer: proposal.producer,
            origin: proposal.origin.clone(),
            delete_horizon_ms: None,
            control: None,
            compression: proposal.compression,
            size_in_bytes: proposal.compressed_size.unwrap_or(measured.size_in_bytes),
            appended_by: cause,
        }
    }

    /// The same with these records, so many offsets and milliseconds later.
    pub(crate) fn later(&self, records: Rc<[Record]>, offsets: u32, later_ms: i64) -> Self {
        let (timestamp, nth) = self.max_timestamp;
        Self {
            base_offset: self.base_offset.plus(offsets),
            records,
            max_timestamp: (timestamp.saturating_add(later_ms), nth),
            ..self.clone()
        }
    }

    /// Number of records in it.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    /// Which of whose batches it is, if a producer has sent it.
    #[must_use]
    pub fn origin(&self) -> Option<Origin> {
        self.origin.get().copied().flatten()
    }

    /// The offset of the last record it was appended with.
    #[must_use]
    pub fn last_offset(&self) -> Offset {
        self.base_offset.plus(self.last_offset_delta)
    }

    /// The offset after that.
    #[must_use]
    pub fn next_offset(&self) -> Offset {
        self.last_offset().plus(1)
    }

    /// The sequence number of its last record; -1 without producer id.
    #[must_use]
    pub fn last_sequence(&self) -> i32 {
        self.producer.map_or(-1, |stamp| stamp.sequence_at(self.last_offset_delta))
    }

    /// The largest timestamp, also of records that the cleaner has removed if it left none;
    /// `NO_TIMESTAMP` if they had none.
    #[must_use]
    pub fn max_timestamp_ms(&self) -> i64 {
        self.max_timestamp.0
    }

    /// The largest timestamp in it, with the offset of the first record that has it.
    #[must_use]
    pub fn max_timestamp(&self) -> Option<(i64, Offset)> {
        let (timestamp, nth) = self.max_timestamp;
        if timestamp <= NO_TIMESTAMP || self.records.is_empty() {
            return None;
        }
        Some((timestamp, self.offset_of(nth)))
    }

    /// The timestamp of a record of this batch.
    #[must_use]
    pub fn timestamp_of(&self, record: &Record) -> i64 {
        match self.timestamp_type {
            TimestampType::CreateTime => record.timestamp,
            TimestampType::LogAppendTime => self.max_timestamp.0,
        }
    }

    /// Its records with their offsets.
    pub fn iter(&self) -> impl Iterator<Item = (Offset, &Record)> {
        (0u32..).zip(&*self.records).map(|(nth, record)| (self.offset_of(nth), record))
    }

    /// Its records from an offset on; those before it are not looked at.
    pub fn iter_from(&self, offset: Offset) -> impl Iterator<Item = (Offset, &Record)> {
        let delta = offset.0.saturating_sub(self.base_offset.0).max(0);
        let first = match &self.offset_deltas {
            None => usize::try_from(delta).unwrap_or(usize::MAX),
            Some(deltas) => deltas.partition_point(|known| i64::from(*known) < delta),
        };
        let records = self.records.get(first..).unwrap_or_default();
        (u32::try_from(first).unwrap_or(u32::MAX)..)
            .zip(records)
            .map(|(nth, record)| (self.offset_of(nth), record))
    }

    fn offset_of(&self, nth: u32) -> Offset {
        self.base_offset.plus(self.delta_of(nth))
    }

    fn delta_of(&self, nth: u32) -> u32 {
        match &self.offset_deltas {
            None => nth,
            Some(deltas) => deltas.get(nth as usize).copied().unwrap_or(self.last_offset_delta),
        }
    }

    /// This batch with only those of its records whose numbers are given, in order, and that
    /// delete horizon (`MemoryRecords.buildRetainedRecordsInto`). Offsets and times stay; the size
    /// is that of the records that stay, their times counted from the horizon if there is one.
    pub(super) fn rewritten(&self, kept: &[u32], delete_horizon_ms: Option<i64>) -> Self {
        let all = kept.len() == self.records.len();
        let (records, offset_deltas) = if all {
            (Rc::clone(&self.records), self.offset_deltas.clone())
        } else {
            let records = kept.iter().filter_map(|&nth| self.records.get(nth as usize)).cloned();
            let deltas = kept.iter().map(|&nth| self.delta_of(nth));
            (records.collect(), Some(deltas.collect()))
        };
        let mut rewritten =
            Self { records, offset_deltas, delete_horizon_ms, ..self.without_records() };
        if self.timestamp_type == TimestampType::CreateTime {
            rewritten.max_timestamp = measure(&rewritten.records).max_timestamp;
        } else {
            rewritten.max_timestamp = (self.max_timestamp.0, 0);
        }
        rewritten.compression = self.compression;
        rewritten.size_in_bytes = self.size_after(&rewritten);
        rewritten
    }

    /// The size on disk of what is left of this batch. How well the rest compresses nobody knows
    /// here: as well as the whole.
    fn size_after(&self, rewritten: &Self) -> u32 {
        let plain = rewritten.uncompressed_size();
        if self.compression == Compression::None {
            return plain;
        }
        let body = |size: u32| u64::from(size.saturating_sub(BATCH_OVERHEAD));
        let whole = body(self.uncompressed_size()).max(1);
        let share = body(self.size_in_bytes).saturating_mul(body(plain)) / whole;
        BATCH_OVERHEAD.saturating_add(u32::try_from(share).unwrap_or(u32::MAX))
    }

    /// Whether the cleaner has written it anew.
    pub(super) fn is_rewritten(&self) -> bool {
        self.offset_deltas.is_some() || self.delete_horizon_ms.is_some()
    }

    /// The timestamp that those of its records are counted from. Its place in the header holds the delete
    /// horizon once there is one.
    pub(super) fn base_timestamp(&self) -> i64 {
        let Some(first) = self.records.first() else {
            return self.delete_horizon_ms.unwrap_or(NO_TIMESTAMP);
        };
        self.delete_horizon_ms.unwrap_or(match self.timestamp_type {
            // A leader that stamps a batch changes its header only.
            TimestampType::LogAppendTime if self.is_rewritten() => self.max_timestamp.0,
            _ => first.timestamp,
        })
    }

    fn uncompressed_size(&self) -> u32 {
        let Some(first) = self.records.first() else { return BATCH_OVERHEAD };
        // The base timestamp's place in the header holds the delete horizon once there is one.
        let base = self.delete_horizon_ms.unwrap_or(match self.timestamp_type {
            TimestampType::CreateTime => first.timestamp,
            TimestampType::LogAppendTime => self.max_timestamp.0,
        });
        let mut size = BATCH_OVERHEAD;
        for (nth, record) in (0u32..).zip(&*self.records) {
            let timestamp_delta = self.timestamp_of(record).wrapping_sub(base);
            size = size.saturating_add(record.size_with(timestamp_delta, self.delta_of(nth)));
        }
        size
    }

    /// Only the header, which keeps what is known of the producer and of the last offset
    /// (`DefaultRecordBatch.writeEmptyHeader`).
    pub(super) fn without_records(&self) -> Self {
        Self {
            records: Rc::from([]),
            offset_deltas: None,
            max_timestamp: (self.max_timestamp.0, 0),
            delete_horizon_ms: None,
            compression: Compression::None,
            size_in_bytes: BATCH_OVERHEAD,
            ..self.clone()
        }
    }

    /// The same at another offset: the answer to a batch that came twice.
    pub(super) fn at(&self, base_offset: Offset) -> Self {
        Self { base_offset, ..self.clone() }
    }
}

#[cfg(test)]
mod tests;
