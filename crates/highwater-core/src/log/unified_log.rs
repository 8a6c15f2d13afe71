//! The log of one replica (Kafka's `UnifiedLog`): gives offsets, rolls segments, reads, truncates.
//!
//! It knows neither followers nor the high watermark: `replication` does. Old segments go by the
//! rules in `retention`, old records by those in `cleaner`.

use std::fmt::Display;
use std::rc::Rc;

use crate::error::{ErrorCode, KafkaError};
use crate::ids::{EventId, LeaderEpoch, Offset};
use crate::log::leader_epoch_cache::LeaderEpochFileCache;
pub use crate::log::log_config::LogConfig;
use crate::log::producer_state::{ProducerStateManager, Verdict};
use crate::log::record_batch::{NO_TIMESTAMP, Proposal, RecordBatch, TimestampType};
use crate::log::segment::{RollReason, Segment, SegmentBatches};
use crate::log::validator::validate;
use crate::scope::{self, Always};
use crate::shared::Shared;

/// What an append did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendInfo {
    /// The batch as it stands in the log; of a duplicate, with the offsets it was given then.
    pub batch: Rc<RecordBatch>,
    /// The segment that was opened for it, if one was.
    pub rolled: Option<Roll>,
    /// Whether the batch had been appended before, so that nothing was appended now.
    pub is_duplicate: bool,
    /// What the answer says of the time of the append: that time with `LogAppendTime`, the largest
    /// timestamp of a duplicate, otherwise -1.
    pub log_append_time_ms: i64,
}

/// A segment that was opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roll {
    /// Its base offset.
    pub base_offset: Offset,
    /// Why the one before was closed; a page about one broker does not tell.
    pub reason: Always<RollReason>,
}

impl AppendInfo {
    /// The base offset of the segment that was opened for the batch, if one was.
    #[must_use]
    pub fn rolled_at(&self) -> Option<Offset> {
        self.rolled.as_ref().map(|roll| roll.base_offset)
    }
}

/// A replica's log: at least one segment, the last one active.
#[derive(Clone, Debug)]
pub struct UnifiedLog {
    pub(super) config: Rc<LogConfig>,
    pub(super) sealed: Rc<Vec<Rc<Segment>>>,
    pub(super) active: Rc<Segment>,
    pub(super) log_start_offset: Offset,
    log_end_offset: Offset,
    /// What a power loss keeps: everything before it has been flushed.
    recovery_point: Offset,
    pub(super) size_in_bytes: u64,
    pub(super) leader_epoch_cache: Shared<LeaderEpochFileCache>,
    pub(super) producer_state: Shared<ProducerStateManager>,
    /// The offset up to which the cleaner has cleaned (`cleaner-offset-checkpoint`).
    pub(super) clean_offset: Option<Offset>,
    /// `.snapshot` files of producers beside those of segments.
    pub(super) stray_snapshots: Shared<Vec<(Offset, Shared<ProducerStateManager>)>>,
}

impl UnifiedLog {
    /// An empty log.
    #[must_use]
    pub fn new(config: impl Into<Rc<LogConfig>>) -> Self {
        Self {
            config: config.into(),
            sealed: Rc::default(),
            active: Rc::new(Segment::new(Offset(0), 0)),
            log_start_offset: Offset(0),
            log_end_offset: Offset(0),
            recovery_point: Offset(0),
            size_in_bytes: 0,
            leader_epoch_cache: Shared::default(),
            producer_state: Shared::default(),
            clean_offset: None,
            stray_snapshots: Shared::default(),
        }
    }

    /// Its configuration.
    #[must_use]
    pub fn config(&self) -> &LogConfig {
        &self.config
    }

    /// Gives it another configuration; what stands in the log stays as it is.
    pub fn set_config(&mut self, config: impl Into<Rc<LogConfig>>) {
        self.config = config.into();
    }

    /// The first offset that can be read.
    #[must_use]
    pub fn log_start_offset(&self) -> Offset {
        self.log_start_offset
    }

    /// The offset that the next record will get.
    #[must_use]
    pub fn log_end_offset(&self) -> Offset {
        self.log_end_offset
    }

    /// The first offset that a power loss would take.
    #[must_use]
    pub fn recovery_point(&self) -> Offset {
        self.recovery_point
    }

    /// Bytes of all its segments.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.size_in_bytes
    }

    /// Up to where the cleaner has cleaned it; `None`: never.
    #[must_use]
    pub fn clean_offset(&self) -> Option<Offset> {
        self.clean_offset
    }

    /// Where each leader's part of it begins.
    #[must_use]
    pub fn leader_epoch_cache(&self) -> &LeaderEpochFileCache {
        &self.leader_epoch_cache
    }

    /// What it knows of idempotent producers.
    #[must_use]
    pub fn producer_state(&self) -> &ProducerStateManager {
        &self.producer_state
    }

    /// Forgets producers that have not written for so long; returns their ids
    /// (`producer.id.expiration.ms`).
    pub fn remove_expired_producers(&mut self, now_ms: i64, expiration_ms: i64) -> Vec<i64> {
        let expired = self.producer_state.expired(now_ms, expiration_ms);
        if !expired.is_empty() {
            self.producer_state.remove(&expired);
        }
        expired
    }

    /// Forgets all producers.
    pub(crate) fn forget_producers(&mut self) {
        self.producer_state = Shared::default();
    }

    /// All segments, oldest first; the last one is the active one.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &Rc<Segment>> {
        self.sealed.iter().chain(std::iter::once(&self.active))
    }

    /// Notes that an epoch begins at an offset: a replica that becomes the leader calls it with
    /// its log's end.
    pub fn assign_epoch_start_offset(&mut self, epoch: LeaderEpoch, start_offset: Offset) {
        if scope::CLUSTER {
            self.leader_epoch_cache.assign(epoch, start_offset);
        }
    }

    /// The largest epoch up to the requested one, and where it ends; `None`: not known here.
    #[must_use]
    pub fn end_offset_for_epoch(&self, requested: LeaderEpoch) -> Option<(LeaderEpoch, Offset)> {
        self.leader_epoch_cache.end_offset_for(requested, self.log_end_offset)
    }

    /// Appends as leader: offsets are given here. `partition` is the name that error texts use.
    ///
    /// # Errors
    /// What `validator` refuses, then what `producer_state` does. The log is then as before.
    pub fn append_as_leader(
        &mut self,
        proposal: &Proposal,
        leader_epoch: LeaderEpoch,
        now_ms: i64,
        partition: &dyn Display,
        cause: Option<EventId>,
    ) -> Result<AppendInfo, KafkaError> {
        let (measured, repacked) = validate(proposal, &self.config, now_ms, partition)?;
        let proposal = repacked.get().unwrap_or(proposal);
        let log_append_time = match self.config.message_timestamp_type {
            TimestampType::CreateTime => None,
            TimestampType::LogAppendTime => Some(now_ms),
        };
        let batch = RecordBatch::of_proposal(
            proposal,
            &measured,
            self.log_end_offset,
            leader_epoch,
            log_append_time,
            cause,
        );
        if scope::CLUSTER
            && let Some(stamp) = proposal.producer
            && let Verdict::Duplicate(first) =
                self.producer_state.check(stamp, batch.last_offset_delta)?
        {
            return Ok(AppendInfo {
                batch: Rc::new(batch.at(first.first_offset)),
                rolled: None,
                is_duplicate: true,
                log_append_time_ms: first.timestamp,
            });
        }
        Ok(self.append(Rc::new(batch), now_ms))
    }

    /// Appends a batch that the leader has given its offset. It may leave a gap: the leader's
    /// cleaner may have removed what was there.
    ///
    /// # Errors
    /// `CORRUPT_MESSAGE` when its offsets begin before this log's end;
    /// `RECORD_LIST_TOO_LARGE` when it is larger than `segment.bytes`. The log is then as before.
    pub fn append_as_follower(
        &mut self,
        batch: Rc<RecordBatch>,
        now_ms: i64,
    ) -> Result<AppendInfo, KafkaError> {
        if u64::from(batch.size_in_bytes) > self.config.segment_bytes {
            return Err(KafkaError::plain(ErrorCode::RecordListTooLarge));
        }
        if batch.base_offset < self.log_end_offset {
            if !self.may_begin_within(&batch) {
                return Err(KafkaError::plain(ErrorCode::CorruptMessage));
            }
            // The leader's log begins within a batch, and batches travel whole.
            let log_start_offset = self.log_start_offset;
            self.truncate_fully_and_start_at(batch.base_offset);
            self.log_start_offset = log_start_offset;
        }
        Ok(self.append(batch, now_ms))
    }

    /// Whether the log is empty and its end lies within this batch
    /// (`Partition.appendRecordsToFollowerOrFutureReplica`).
    fn may_begin_within(&self, batch: &RecordBatch) -> bool {
        self.log_start_offset == self.log_end_offset && batch.last_offset() >= self.log_end_offset
    }

    fn append(&mut self, batch: Rc<RecordBatch>, now_ms: i64) -> AppendInfo {
        let rolled = self.maybe_roll(&batch, now_ms);
        if scope::CLUSTER {
            self.leader_epoch_cache.assign(batch.leader_epoch, batch.base_offset);
        }
        self.log_end_offset = batch.next_offset();
        self.size_in_bytes = self.size_in_bytes.saturating_add(u64::from(batch.size_in_bytes));
        let interval = self.config.index_interval_bytes;
        Rc::make_mut(&mut self.active).append(Rc::clone(&batch), now_ms, interval);
        if scope::CLUSTER && batch.producer.is_some() {
            self.producer_state.update(&batch);
        }
        let log_append_time_ms = match batch.timestamp_type {
            TimestampType::CreateTime => NO_TIMESTAMP,
            TimestampType::LogAppendTime => batch.max_timestamp_ms(),
        };
        AppendInfo { batch, rolled, is_duplicate: false, log_append_time_ms }
    }

    /// How often batches like these surely fit into the active segment, so much time apart.
    pub(crate) fn rounds_left(&self, batches: &[Rc<RecordBatch>], apart_ms: i64) -> u64 {
        let (config, active) = (&*self.config, &self.active);
        let bytes: u64 = batches.iter().map(|batch| u64::from(batch.size_in_bytes)).sum();
        let by_bytes = config.segment_bytes.saturating_sub(active.size_in_bytes()) / bytes.max(1);
        let waited = match (active.first_batch_timestamp(), active.max_timestamp()) {
            (Some(first), Some((last, _))) => last.saturating_sub(first),
            _ => return 0,
        };
        let left = config.max_segment_ms().saturating_sub(waited).max(0) / apart_ms.max(1);
        let (offsets, times) = active.index_sizes();
        let index = config.segment_index_bytes.saturating_sub(offsets.max(times));
        let each = 12 * u64::try_from(batches.len()).unwrap_or(u64::MAX).max(1);
        let least = by_bytes.min(u64::try_from(left).unwrap_or(0)).min(u64::from(index) / each);
        least.saturating_sub(2)
    }

    /// Opens a new segment when this batch needs one.
    fn maybe_roll(&mut self, next: &RecordBatch, now_ms: i64) -> Option<Roll> {
        let reason = self.active.needs_roll(next, &self.config, now_ms)?;
        let base_offset = next.base_offset.max(self.log_end_offset);
        let roll = Roll { base_offset, reason: Always::new(reason) };
        self.roll(base_offset, now_ms).then_some(roll)
    }

    /// Closes the active segment and opens one that begins at `base_offset`; what is closed is
    /// flushed. An empty segment that begins there already stays: returns whether one was opened.
    pub(super) fn roll(&mut self, base_offset: Offset, now_ms: i64) -> bool {
        if self.active.is_empty() && self.active.base_offset() == base_offset {
            return false;
        }
        let mut opened = Segment::new(base_offset, now_ms);
        opened.producers_before = self.producer_state.clone();
        let closed = std::mem::replace(&mut self.active, Rc::new(opened));
        Rc::make_mut(&mut self.sealed).push(closed);
        self.recovery_point = base_offset;
        true
    }

    /// The batches from the one that holds `from`, or the next, up to but without `end`: as many
    /// as have `max_bytes` together, and the first in any case (KIP-74).
    #[must_use]
    pub fn read(&self, from: Offset, end: Offset, max_bytes: u64) -> Batches<'_> {
        // Most readers have all, or all but the newest.
        let is_over = scope::CLUSTER && from >= self.log_end_offset();
        let first = match self.sealed.as_slice() {
            [.., last] if scope::CLUSTER && last.end_offset() <= from => self.sealed.len(),
            sealed => sealed.partition_point(|segment| segment.end_offset() <= from),
        };
        Batches {
            sealed: if is_over { &[] } else { &self.sealed[first..] },
            active: if is_over { None } else { Some(&self.active) },
            in_segment: None,
            from,
            end,
            max_bytes,
            bytes: 0,
        }
    }

    /// The first offset whose record is as late as `timestamp` or later (`ListOffsets` by time).
    /// Only the first segment that has such a record is searched, as Kafka does.
    #[must_use]
    pub fn offset_for_timestamp(&self, timestamp: i64) -> Option<(i64, Offset)> {
        let late = |segment: &&Rc<Segment>| {
            segment.max_timestamp().is_some_and(|(most, _)| most >= timestamp)
        };
        self.segments().find(late)?.offset_for_timestamp(timestamp, self.log_start_offset)
    }

    /// The largest timestamp and the first offset that has it (`ListOffsets` max-timestamp).
    #[must_use]
    pub fn max_timestamp(&self) -> Option<(i64, Offset)> {
        let mut best: Option<(i64, Offset)> = None;
        for segment in self.segments() {
            let next = segment.max_timestamp();
            // A segment without records is `None`, which is less than any.
            if next.map(|(most, _)| most) > best.map(|(most, _)| most) {
                best = next;
            }
        }
        best
    }

    /// Removes everything from `offset` on; a batch that holds it goes as a whole, and the next
    /// record gets `offset` all the same. Returns whether the log reached that far.
    pub fn truncate_to(&mut self, offset: Offset) -> bool {
        let offset = offset.max(Offset(0));
        if offset >= self.log_end_offset {
            // This replica may have led without appending anything: that epoch is known to nobody else.
            self.leader_epoch_cache.truncate_from_end(self.log_end_offset);
            return false;
        }
        if self.segments().next().is_some_and(|first| first.base_offset() > offset) {
            self.truncate_fully_and_start_at(offset);
            return true;
        }
        if self.active.base_offset() > offset {
            let sealed = Rc::make_mut(&mut self.sealed);
            sealed.truncate(sealed.partition_point(|segment| segment.base_offset() <= offset));
            if let Some(last) = sealed.pop() {
                self.active = last;
            }
        }
        self.active = self.active.truncated(offset, self.config.index_interval_bytes);
        self.log_start_offset = self.log_start_offset.min(offset);
        self.end_at(offset);
        true
    }

    /// Removes everything and goes on at `offset`.
    pub fn truncate_fully_and_start_at(&mut self, offset: Offset) {
        let offset = offset.max(Offset(0));
        self.sealed = Rc::default();
        self.active = Rc::new(Segment::new(offset, self.active.last_modified_ms()));
        self.log_start_offset = offset;
        self.leader_epoch_cache.clear();
        self.end_at(offset);
    }

    /// What follows from a new, earlier end.
    fn end_at(&mut self, offset: Offset) {
        self.log_end_offset = offset;
        self.recovery_point = self.recovery_point.min(offset);
        self.clean_offset = self.clean_offset.map(|clean| clean.min(offset));
        self.update_size();
        self.leader_epoch_cache.truncate_from_end(offset);
        if scope::CLUSTER {
            self.stray_snapshots.retain(|(of, _)| *of <= offset);
        }
        self.rebuild_producer_state();
    }

    pub(super) fn update_size(&mut self) {
        self.size_in_bytes = self
            .segments()
            .fold(0, |size: u64, segment| size.saturating_add(segment.size_in_bytes()));
    }

    /// Learns again what the log says of producers: what was known when the active segment was
    /// opened, and its batches. A broker does so when it starts after a crash.
    pub fn rebuild_producer_state(&mut self) {
        if !scope::CLUSTER {
            return;
        }
        let mut rebuilt = self.active.producers_before.clone();
        for batch in self.active.batches() {
            rebuilt.update(batch);
        }
        self.producer_state = rebuilt;
    }

    /// Everything up to the end is on disk, as after a clean shutdown.
    pub fn flush(&mut self) {
        self.recovery_point = self.log_end_offset;
        self.take_snapshot();
    }

    /// The machine lost power: what was never flushed is gone. Returns whether something was.
    pub fn lose_unflushed(&mut self) -> bool {
        if self.recovery_point < self.log_start_offset {
            self.truncate_fully_and_start_at(self.log_start_offset);
            return true;
        }
        self.truncate_to(self.recovery_point)
    }

    /// Moves the log's start forward, not backward and not beyond its end; records before it can
    /// no longer be read. Returns whether it moved.
    pub fn maybe_increment_log_start_offset(&mut self, offset: Offset) -> bool {
        let moves = offset > self.log_start_offset && offset <= self.log_end_offset;
        if moves {
            self.log_start_offset = offset;
            self.leader_epoch_cache.truncate_from_start(offset);
        }
        moves
    }
}

/// What `UnifiedLog::read` finds. Written out, so that its code is on a page once.
#[derive(Clone, Debug)]
pub struct Batches<'a> {
    sealed: &'a [Rc<Segment>],
    active: Option<&'a Rc<Segment>>,
    in_segment: Option<SegmentBatches<'a>>,
    from: Offset,
    end: Offset,
    max_bytes: u64,
    bytes: u64,
}

impl<'a> Iterator for Batches<'a> {
    type Item = &'a Rc<RecordBatch>;

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.in_segment.as_mut().and_then(Iterator::next) {
                let is_first = self.bytes == 0;
                self.bytes = self.bytes.saturating_add(u64::from(batch.size_in_bytes));
                let fits = is_first || self.bytes <= self.max_bytes;
                return (batch.base_offset < self.end && fits).then_some(batch);
            }
            let segment = match self.sealed.split_first() {
                Some((first, rest)) => {
                    self.sealed = rest;
                    first
                }
                None => self.active.take()?,
            };
            self.in_segment = Some(segment.batches_from(self.from));
        }
    }
}

#[cfg(test)]
mod tests;
