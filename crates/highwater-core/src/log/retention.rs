//! Which old segments go? The rules of `UnifiedLog.deleteOldSegments`: whole segments, oldest
//! first, up to the first that does not qualify, and none that reaches beyond the high watermark.

use std::rc::Rc;

use crate::ids::Offset;
use crate::log::segment::Segment;
use crate::log::unified_log::UnifiedLog;
use crate::scope;

/// Why a segment was removed, with the numbers that decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SegmentDeletionReason {
    /// The segment after it begins at or before the log's start, which was moved past it.
    LogStartOffsetBreached {
        /// Where the segment after it begins.
        next_base_offset: Offset,
        /// The log's start.
        log_start_offset: Offset,
    },
    /// Without it the log still has `retention.bytes` or more.
    RetentionSizeBreached {
        /// Bytes of the log with it.
        size_before: u64,
        /// Its own.
        segment_size: u64,
        /// `retention.bytes`
        retention_bytes: u64,
    },
    /// Its newest record is older than `retention.ms`.
    RetentionMsBreached {
        /// The timestamp of that record.
        largest_timestamp: i64,
        /// The clock.
        now_ms: i64,
        /// `retention.ms`
        retention_ms: i64,
    },
}

/// A segment that was removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeletedSegment {
    /// Its base offset.
    pub base_offset: Offset,
    /// The offset after its last batch.
    pub end_offset: Offset,
    /// Bytes of its batches.
    pub size_in_bytes: u64,
    /// Why it went.
    pub reason: SegmentDeletionReason,
    /// The base offset of the empty segment that was opened first because this was the active one.
    pub rolled: Option<Offset>,
}

/// One of the three rules: says of a segment and of where the next one begins whether it goes.
type Rule<'a> = &'a mut dyn FnMut(&Segment, Option<Offset>) -> Option<SegmentDeletionReason>;

impl UnifiedLog {
    /// Removes what the configuration no longer keeps; returns what went, oldest first.
    pub fn delete_old_segments(
        &mut self,
        now_ms: i64,
        high_watermark: Offset,
    ) -> Vec<DeletedSegment> {
        let mut deleted = Vec::new();
        if !scope::CLUSTER {
            return deleted;
        }
        let log_start_offset = self.log_start_offset;
        let mut by_start =
            |_: &Segment, next: Option<Offset>| is_before_log_start(next, log_start_offset);
        self.delete_while(now_ms, high_watermark, &mut by_start, &mut deleted);
        if self.config.delete {
            let (mut size, retention_bytes) = (self.size_in_bytes, self.config.retention_bytes);
            let mut by_size = |segment: &Segment, _: Option<Offset>| {
                let reason = is_beyond_retention_bytes(segment, size, retention_bytes)?;
                size = size.saturating_sub(segment.size_in_bytes());
                Some(reason)
            };
            self.delete_while(now_ms, high_watermark, &mut by_size, &mut deleted);
            let retention_ms = self.config.retention_ms;
            let mut by_time = |segment: &Segment, _: Option<Offset>| {
                is_beyond_retention_ms(segment, now_ms, retention_ms)
            };
            self.delete_while(now_ms, high_watermark, &mut by_time, &mut deleted);
        }
        deleted
    }

    fn delete_while(
        &mut self,
        now_ms: i64,
        high_watermark: Offset,
        rule: Rule<'_>,
        deleted: &mut Vec<DeletedSegment>,
    ) {
        let already = deleted.len();
        let segments: Vec<&Rc<Segment>> = self.segments().collect();
        for (number, segment) in segments.iter().enumerate() {
            let next = segments.get(number + 1).map(|next| next.base_offset());
            let upper_bound = next.unwrap_or(self.log_end_offset());
            let is_last_and_empty = next.is_none() && segment.is_empty();
            if high_watermark < upper_bound || is_last_and_empty {
                break;
            }
            let Some(reason) = rule(segment, next) else { break };
            deleted.push(DeletedSegment {
                base_offset: segment.base_offset(),
                end_offset: segment.end_offset(),
                size_in_bytes: segment.size_in_bytes(),
                reason,
                rolled: None,
            });
        }
        let count = deleted.len() - already;
        if count == segments.len() {
            let base_offset = self.log_end_offset();
            self.roll(base_offset, now_ms);
            if let Some(last) = deleted.last_mut() {
                last.rolled = Some(base_offset);
            }
        }
        self.remove_oldest(count);
    }

    /// Removes so many of the sealed segments; the log then begins where the next one does.
    fn remove_oldest(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let bytes: u64 = self.sealed[..count].iter().map(|segment| segment.size_in_bytes()).sum();
        Rc::make_mut(&mut self.sealed).drain(..count);
        self.size_in_bytes = self.size_in_bytes.saturating_sub(bytes);
        let first = self.sealed.first().unwrap_or(&self.active).base_offset();
        self.maybe_increment_log_start_offset(first);
    }

    /// The earliest moment at which the time rule may remove a segment; `None`: never, as the log
    /// stands. Only the oldest segment is looked at, so it may be asked after every change. Early
    /// when the high watermark holds the segment back, never late.
    #[must_use]
    pub fn earliest_retention_ms(&self) -> Option<i64> {
        if !scope::CLUSTER || !self.config.delete || self.config.retention_ms < 0 {
            return None;
        }
        let first = self.sealed.first().unwrap_or(&self.active);
        if self.sealed.is_empty() && first.is_empty() {
            return None;
        }
        let kept_until = first.largest_timestamp().saturating_add(self.config.retention_ms);
        kept_until.checked_add(1)
    }

    /// Whether a rule that does not depend on the time would remove a segment now.
    #[must_use]
    pub fn is_size_or_start_retention_due(&self, high_watermark: Offset) -> bool {
        if !scope::CLUSTER {
            return false;
        }
        let first = self.sealed.first().unwrap_or(&self.active);
        let next = match self.sealed.get(1) {
            Some(second) => Some(second.base_offset()),
            None if self.sealed.is_empty() => None,
            None => Some(self.active.base_offset()),
        };
        if high_watermark < next.unwrap_or(self.log_end_offset()) {
            return false;
        }
        let by_size = || {
            let has_data = next.is_some() || !first.is_empty();
            has_data
                && self.config.delete
                && is_beyond_retention_bytes(first, self.size_in_bytes, self.config.retention_bytes)
                    .is_some()
        };
        is_before_log_start(next, self.log_start_offset).is_some() || by_size()
    }
}

/// The log's start was moved past the whole segment.
fn is_before_log_start(
    next_base_offset: Option<Offset>,
    log_start_offset: Offset,
) -> Option<SegmentDeletionReason> {
    let next_base_offset = next_base_offset.filter(|next| *next <= log_start_offset)?;
    Some(SegmentDeletionReason::LogStartOffsetBreached { next_base_offset, log_start_offset })
}

/// Without the segment the log, now of that size, still has what it must keep.
fn is_beyond_retention_bytes(
    segment: &Segment,
    size_before: u64,
    retention_bytes: i64,
) -> Option<SegmentDeletionReason> {
    let retention_bytes = u64::try_from(retention_bytes).ok()?;
    let segment_size = segment.size_in_bytes();
    let too_much = size_before.checked_sub(retention_bytes)?;
    (too_much >= segment_size).then_some(SegmentDeletionReason::RetentionSizeBreached {
        size_before,
        segment_size,
        retention_bytes,
    })
}

/// The newest record is older than `retention.ms`; strictly.
fn is_beyond_retention_ms(
    segment: &Segment,
    now_ms: i64,
    retention_ms: i64,
) -> Option<SegmentDeletionReason> {
    let largest_timestamp = segment.largest_timestamp();
    let is_old = retention_ms >= 0 && now_ms.saturating_sub(largest_timestamp) > retention_ms;
    is_old.then_some(SegmentDeletionReason::RetentionMsBreached {
        largest_timestamp,
        now_ms,
        retention_ms,
    })
}

#[cfg(test)]
mod tests;
