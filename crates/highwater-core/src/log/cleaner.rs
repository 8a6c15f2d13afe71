//! Which records does compaction remove, and when? Kafka's `LogCleanerManager` (which part of a log
//! is dirty, and is that enough?) and `Cleaner` (two passes: the newest offset of each key, then
//! new segments without the older ones).

use std::rc::Rc;

use crate::ids::Offset;
use crate::log::log_config::LogConfig;
use crate::log::offset_map::OffsetMap;
use crate::log::producer_state::ProducerStateEntry;
use crate::log::record::Record;
use crate::log::record_batch::RecordBatch;
use crate::log::segment::Segment;
use crate::log::unified_log::UnifiedLog;
use crate::scope;

/// What of a log could be cleaned now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogToClean {
    /// Where the last pass ended: what follows is dirty.
    pub first_dirty_offset: Offset,
    /// Where the first segment begins that may not be cleaned.
    pub first_uncleanable_offset: Offset,
    /// Bytes before the dirty part.
    pub clean_bytes: u64,
    /// Bytes of the dirty part that may be cleaned.
    pub cleanable_bytes: u64,
    /// Whether a dirty record is older than `max.compaction.lag.ms`.
    pub needs_compaction_now: bool,
}

impl LogToClean {
    /// Whether it is due: dirty enough, or `max.compaction.lag.ms` is over.
    #[must_use]
    pub fn is_due(&self, config: &LogConfig) -> bool {
        (self.needs_compaction_now && self.cleanable_bytes > 0)
            || config
                .min_cleanable_dirty_ratio
                .is_exceeded_by(self.cleanable_bytes, self.total_bytes())
    }

    /// Whether a larger share of it is dirty than of the other; the cleaner takes the filthiest.
    #[must_use]
    pub fn is_filthier_than(&self, other: &Self) -> bool {
        u128::from(self.cleanable_bytes) * u128::from(other.total_bytes())
            > u128::from(other.cleanable_bytes) * u128::from(self.total_bytes())
    }

    fn total_bytes(&self) -> u64 {
        self.clean_bytes.saturating_add(self.cleanable_bytes)
    }
}

/// How much a pass has read and kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CleanerStats {
    /// Records that were there.
    pub messages_read: u64,
    /// Records that stayed.
    pub messages_retained: u64,
    /// Bytes that were there.
    pub bytes_read: u64,
    /// Bytes that stayed.
    pub bytes_retained: u64,
}

/// Segments that one takes the place of.
#[derive(Clone, Debug)]
pub struct CleanedGroup {
    /// Base offsets of the segments that go.
    pub replaced: Vec<Offset>,
    /// What comes in their place; the same as before if nothing changed.
    pub segment: Rc<Segment>,
}

/// The result of a pass over a log, which is not changed yet.
#[derive(Clone, Debug)]
pub struct Cleaned {
    /// The part of the log that was dirty: from here...
    pub first_dirty_offset: Offset,
    /// ...up to here; the next pass begins here.
    pub end_offset: Offset,
    /// New segments for all up to there, oldest first.
    pub groups: Vec<CleanedGroup>,
    /// How much was read and kept.
    pub stats: CleanerStats,
}

/// What of this log could be cleaned; `None`: its policy is another, or nothing is there.
#[must_use]
pub fn log_to_clean(log: &UnifiedLog, now_ms: i64, high_watermark: Offset) -> Option<LogToClean> {
    if !scope::CLUSTER || !log.config().compact {
        return None;
    }
    let first_dirty_offset = first_dirty_offset(log);
    let bound = first_uncleanable_bound(log, first_dirty_offset, now_ms, high_watermark);
    // Whole segments only: the one that holds the bound is not cleaned.
    let first_uncleanable_offset =
        non_active_segments_from(log, bound).next().unwrap_or(&log.active).base_offset();
    let bytes = |from: Offset, to: Offset| {
        segments_between(log, from, to)
            .fold(0u64, |sum, segment| sum.saturating_add(segment.size_in_bytes()))
    };
    let dirty_from = first_dirty_offset.min(first_uncleanable_offset);
    let to_clean = LogToClean {
        first_dirty_offset,
        first_uncleanable_offset,
        clean_bytes: bytes(Offset(-1), first_dirty_offset),
        cleanable_bytes: bytes(dirty_from, first_uncleanable_offset),
        needs_compaction_now: needs_compaction_now(log, first_dirty_offset, now_ms),
    };
    (to_clean.total_bytes() > 0).then_some(to_clean)
}

/// Where the last pass ended; where the log begins if that is not known or no longer makes sense.
fn first_dirty_offset(log: &UnifiedLog) -> Offset {
    let start = log.log_start_offset();
    match log.clean_offset() {
        Some(clean) if clean >= start && clean <= log.log_end_offset() => clean,
        _ => start,
    }
}

/// What is not yet committed, the active segment, and what is younger than
/// `min.compaction.lag.ms` is not cleaned.
fn first_uncleanable_bound(
    log: &UnifiedLog,
    first_dirty_offset: Offset,
    now_ms: i64,
    high_watermark: Offset,
) -> Offset {
    let mut bound = high_watermark.min(log.active.base_offset());
    let lag_ms = log.config().min_compaction_lag_ms;
    if lag_ms > 0 {
        let young = non_active_segments_from(log, first_dirty_offset)
            .find(|segment| segment.largest_timestamp() > now_ms.saturating_sub(lag_ms));
        bound = young.map_or(bound, |segment| bound.min(segment.base_offset()));
    }
    bound.max(first_dirty_offset)
}

/// Whether the first batch of a dirty segment is older than `max.compaction.lag.ms`; strictly.
fn needs_compaction_now(log: &UnifiedLog, first_dirty_offset: Offset, now_ms: i64) -> bool {
    let until = now_ms.saturating_sub(log.config().max_compaction_lag_ms.max(0));
    non_active_segments_from(log, first_dirty_offset)
        .filter_map(|segment| segment.first_batch_timestamp())
        .any(|timestamp| timestamp > 0 && timestamp < until)
}

/// The earliest moment at which a log could become due for cleaning because time passes; `None`:
/// not by time alone. May be early, never late; `now_ms` if it is due already. Ask again after
/// an append, a move of the high watermark and a cleaning.
#[must_use]
pub fn earliest_cleaning_ms(log: &UnifiedLog, now_ms: i64, high_watermark: Offset) -> Option<i64> {
    let config = log.config();
    if !scope::CLUSTER || !config.compact {
        return None;
    }
    if log_to_clean(log, now_ms, high_watermark).is_some_and(|to_clean| to_clean.is_due(config)) {
        return Some(now_ms);
    }
    let mut earliest: Option<i64> = None;
    let mut consider = |moment: Option<i64>| {
        if let Some(moment) = moment.filter(|moment| *moment > now_ms) {
            earliest = Some(earliest.map_or(moment, |known| known.min(moment)));
        }
    };
    let committed = non_active_segments_from(log, first_dirty_offset(log))
        .take_while(|segment| segment.end_offset() <= high_watermark);
    for segment in committed {
        if config.min_compaction_lag_ms > 0 {
            consider(segment.largest_timestamp().checked_add(config.min_compaction_lag_ms));
        }
        let over = segment
            .first_batch_timestamp()
            .filter(|timestamp| *timestamp > 0)
            .and_then(|timestamp| timestamp.checked_add(config.max_compaction_lag_ms.max(0)));
        consider(over.and_then(|moment| moment.checked_add(1)));
    }
    earliest
}

/// One pass over everything up to the first uncleanable offset. Offsets, timestamps and order of
/// what stays do not change.
#[must_use]
pub fn clean(
    log: &UnifiedLog,
    to_clean: &LogToClean,
    now_ms: i64,
    high_watermark: Offset,
) -> Cleaned {
    let (start, end) = (to_clean.first_dirty_offset, to_clean.first_uncleanable_offset);
    let map = build_offset_map(log, start, end);
    let pass = Pass { log, map, end_offset: end, now_ms, high_watermark };
    let mut stats = CleanerStats::default();
    let segments: Vec<&Rc<Segment>> = segments_between(log, Offset(-1), end).collect();
    let groups = group_segments_by_size(&segments, log.config(), end)
        .into_iter()
        .map(|group| pass.clean_group(group, &mut stats))
        .collect();
    Cleaned { first_dirty_offset: start, end_offset: end, groups, stats }
}

/// The newest offset of each key in the dirty part.
fn build_offset_map(log: &UnifiedLog, start: Offset, end: Offset) -> OffsetMap<'_> {
    let batches = || segments_between(log, start, end).flat_map(|s| s.batches_from(start));
    let mut map = OffsetMap::with_room_for(batches().map(|batch| u64::from(batch.count())).sum());
    for batch in batches().filter(|batch| batch.control.is_none()) {
        for (offset, record) in batch.iter_from(start) {
            if let Some(key) = &record.key {
                map.put(key, offset);
            }
        }
    }
    map
}

/// Neighbours that fit one segment, with their indexes, become one (`groupSegmentsBySize`).
fn group_segments_by_size<'a, 'b>(
    segments: &'b [&'a Rc<Segment>],
    config: &LogConfig,
    first_uncleanable_offset: Offset,
) -> Vec<&'b [&'a Rc<Segment>]> {
    let mut groups = Vec::new();
    let mut begin = 0;
    while begin < segments.len() {
        let sizes = |segment: &Segment| {
            let (offset_index, time_index) = segment.index_sizes();
            (segment.size_in_bytes(), u64::from(offset_index), u64::from(time_index))
        };
        let mut sum = sizes(segments[begin]);
        let mut end = begin + 1;
        while let Some(next) = segments.get(end) {
            let more = sizes(next);
            sum = (
                sum.0.saturating_add(more.0),
                sum.1.saturating_add(more.1),
                sum.2.saturating_add(more.2),
            );
            let last_offset = segments
                .get(end + 1)
                .map_or(first_uncleanable_offset, |after| after.base_offset())
                .0
                .saturating_sub(1);
            let distance = last_offset.saturating_sub(segments[begin].base_offset().0);
            let fits = sum.0 <= config.segment_bytes
                && sum.1 <= u64::from(config.segment_index_bytes)
                && sum.2 <= u64::from(config.segment_index_bytes)
                && (next.is_empty() || distance <= i64::from(i32::MAX));
            if !fits {
                break;
            }
            end += 1;
        }
        groups.push(&segments[begin..end]);
        begin = end;
    }
    groups
}

/// What the second pass knows.
struct Pass<'a> {
    log: &'a UnifiedLog,
    map: OffsetMap<'a>,
    end_offset: Offset,
    now_ms: i64,
    high_watermark: Offset,
}

impl Pass<'_> {
    fn clean_group(&self, group: &[&Rc<Segment>], stats: &mut CleanerStats) -> CleanedGroup {
        let mut segment = group[0].emptied();
        let mut is_changed = group.len() > 1;
        for batch in group.iter().flat_map(|segment| segment.batches()) {
            stats.messages_read += u64::from(batch.count());
            stats.bytes_read = stats.bytes_read.saturating_add(u64::from(batch.size_in_bytes));
            let left = self.clean_batch(batch);
            is_changed |= !left.as_ref().is_some_and(|left| Rc::ptr_eq(left, batch));
            if let Some(left) = left {
                stats.messages_retained += u64::from(left.count());
                let bytes = u64::from(left.size_in_bytes);
                stats.bytes_retained = stats.bytes_retained.saturating_add(bytes);
                segment.append(left, self.now_ms, self.log.config().index_interval_bytes);
            }
        }
        segment.set_last_modified_ms(group[group.len() - 1].last_modified_ms());
        CleanedGroup {
            replaced: group.iter().map(|segment| segment.base_offset()).collect(),
            segment: if is_changed { Rc::new(segment) } else { Rc::clone(group[0]) },
        }
    }

    /// What is left of a batch; the same pointer if all of it, `None` if nothing.
    fn clean_batch(&self, batch: &Rc<RecordBatch>) -> Option<Rc<RecordBatch>> {
        if batch.control.is_some() {
            return Some(Rc::clone(batch));
        }
        let mut kept: Vec<u32> = Vec::new();
        let mut has_tombstone = false;
        for (nth, (offset, record)) in (0u32..).zip(batch.iter()) {
            if self.should_retain_record(batch, offset, record) {
                kept.push(nth);
                has_tombstone |= record.value.is_none();
            }
        }
        let is_whole = kept.len() == batch.records.len();
        if kept.is_empty() {
            let stays = self.must_stay_when_empty(batch);
            return stays.then(|| {
                if is_whole { Rc::clone(batch) } else { Rc::new(batch.without_records()) }
            });
        }
        let needs_horizon = has_tombstone && batch.delete_horizon_ms.is_none();
        if is_whole && !needs_horizon {
            return Some(Rc::clone(batch));
        }
        let delete_horizon_ms = if needs_horizon {
            Some(self.now_ms.saturating_add(self.log.config().delete_retention_ms))
        } else {
            batch.delete_horizon_ms
        };
        Some(Rc::new(batch.rewritten(&kept, delete_horizon_ms)))
    }

    /// A record stays if it is the newest of its key and no tombstone whose time is over.
    fn should_retain_record(&self, batch: &RecordBatch, offset: Offset, record: &Record) -> bool {
        if offset >= self.end_offset {
            return true;
        }
        let Some(key) = &record.key else { return false };
        let is_newest = self.map.get(key).is_none_or(|newest| offset >= newest);
        let is_kept = record.value.is_some()
            || batch.delete_horizon_ms.is_none_or(|horizon| self.now_ms < horizon);
        is_newest && is_kept
    }

    /// A batch without records stays if it holds the last sequence number of a producer, or tells
    /// where the log ends: Kafka 4.4 asks whether it ends at the high watermark.
    fn must_stay_when_empty(&self, batch: &RecordBatch) -> bool {
        let is_last_of_producer = batch.producer.is_some_and(|stamp| {
            let known = self.log.producer_state().last_entry(stamp.producer_id);
            known.and_then(ProducerStateEntry::last_data_offset) == Some(batch.last_offset())
        });
        is_last_of_producer || batch.next_offset() == self.high_watermark
    }
}

/// The segments from the one that holds `from` up to the last that begins before `to`
/// (`LogSegments.values`).
fn segments_between(
    log: &UnifiedLog,
    from: Offset,
    to: Offset,
) -> impl Iterator<Item = &Rc<Segment>> {
    let reached = log.sealed.partition_point(|segment| segment.base_offset() <= from);
    let is_in_active = log.active.base_offset() <= from;
    let first = if is_in_active { log.sealed.len() } else { reached.saturating_sub(1) };
    log.sealed[first..]
        .iter()
        .chain(std::iter::once(&log.active))
        .take_while(move |segment| from < to && segment.base_offset() < to)
}

/// The sealed segments from the one that holds `from` (`nonActiveLogSegmentsFrom`).
fn non_active_segments_from(log: &UnifiedLog, from: Offset) -> impl Iterator<Item = &Rc<Segment>> {
    segments_between(log, from, log.active.base_offset())
}

impl UnifiedLog {
    /// Cleans the log if that is due; returns what changed.
    pub fn maybe_clean(&mut self, now_ms: i64, high_watermark: Offset) -> Option<Cleaned> {
        let to_clean = log_to_clean(self, now_ms, high_watermark)?;
        if !to_clean.is_due(self.config()) {
            return None;
        }
        let cleaned = clean(self, &to_clean, now_ms, high_watermark);
        self.replace_segments(&cleaned);
        Some(cleaned)
    }

    /// Puts the segments of a pass in the place of those they were made of. Nothing happens if
    /// these are no longer all there. Returns whether it was done.
    pub fn replace_segments(&mut self, cleaned: &Cleaned) -> bool {
        let replaced = cleaned.groups.iter().flat_map(|group| &group.replaced);
        let count = replaced.clone().count();
        let Some(old) = self.sealed.get(..count) else { return false };
        if !replaced.copied().eq(old.iter().map(|segment| segment.base_offset())) {
            return false;
        }
        let rest = self.sealed.iter().skip(count);
        let segments =
            cleaned.groups.iter().map(|group| &group.segment).chain(rest).map(Rc::clone).collect();
        self.sealed = Rc::new(segments);
        self.clean_offset = Some(cleaned.end_offset);
        self.update_size();
        true
    }
}

#[cfg(test)]
mod tests;
