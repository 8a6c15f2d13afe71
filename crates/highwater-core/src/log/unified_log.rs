//! The log of one replica (Kafka's `UnifiedLog`): gives offsets, rolls segments, reads.
//!
//! It knows neither followers nor the high watermark: `replication` does.

use std::rc::Rc;

use crate::ids::{EventId, LeaderEpoch, Offset};
use crate::log::record::{Record, RecordBatch, batch_size_in_bytes};
use crate::log::segment::Segment;

/// When a segment is closed (`segment.bytes`, `segment.ms`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogConfig {
    /// A batch that would make the active segment larger than this goes to a new one.
    pub segment_bytes: u64,
    /// Milliseconds between the first record of a segment and a record that opens the next.
    pub segment_ms: i64,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self { segment_bytes: 1 << 30, segment_ms: 604_800_000 }
    }
}

/// What an append did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppendInfo {
    /// The batch as it now stands in the log.
    pub batch: Rc<RecordBatch>,
    /// The base offset of the segment that was opened for it, if one was.
    pub rolled: Option<Offset>,
}

/// A replica's log: at least one segment, the last one active.
#[derive(Clone, Debug)]
pub struct UnifiedLog {
    config: LogConfig,
    sealed: Vec<Rc<Segment>>,
    active: Rc<Segment>,
    log_start_offset: Offset,
    log_end_offset: Offset,
}

impl UnifiedLog {
    /// An empty log.
    #[must_use]
    pub fn new(config: LogConfig) -> Self {
        Self {
            config,
            sealed: Vec::new(),
            active: Rc::new(Segment::new(Offset(0))),
            log_start_offset: Offset(0),
            log_end_offset: Offset(0),
        }
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

    /// All segments, oldest first; the last one is the active one.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &Rc<Segment>> {
        self.sealed.iter().chain(std::iter::once(&self.active))
    }

    /// Appends as leader: offsets are given here.
    pub fn append_as_leader(
        &mut self,
        records: Rc<[Record]>,
        leader_epoch: LeaderEpoch,
        cause: Option<EventId>,
    ) -> AppendInfo {
        let batch = Rc::new(RecordBatch {
            base_offset: self.log_end_offset,
            leader_epoch,
            size_in_bytes: batch_size_in_bytes(&records),
            records,
            appended_by: cause,
        });
        let rolled = self.maybe_roll(&batch);
        self.log_end_offset = batch.next_offset();
        Rc::make_mut(&mut self.active).append(Rc::clone(&batch));
        AppendInfo { batch, rolled }
    }

    /// Opens a new segment when this batch needs one (`LogSegment.shouldRoll`).
    fn maybe_roll(&mut self, next: &RecordBatch) -> Option<Offset> {
        if !self.needs_roll(next) {
            return None;
        }
        let opened = Rc::new(Segment::new(self.log_end_offset));
        self.sealed.push(std::mem::replace(&mut self.active, opened));
        Some(self.log_end_offset)
    }

    fn needs_roll(&self, next: &RecordBatch) -> bool {
        let Some(first_timestamp) = self.active.first_timestamp() else { return false };
        let size = self.active.size_in_bytes().saturating_add(u64::from(next.size_in_bytes));
        let newest = next.max_timestamp().map_or(first_timestamp, |(timestamp, _)| timestamp);
        let distance = next.next_offset().0.saturating_sub(self.active.base_offset().0);
        size > self.config.segment_bytes
            || newest.saturating_sub(first_timestamp) > self.config.segment_ms
            || distance > i64::from(i32::MAX)
    }

    /// The batches from the one that holds `from` up to but without `end`. Found by binary search.
    pub fn read(&self, from: Offset, end: Offset) -> impl Iterator<Item = &Rc<RecordBatch>> {
        let first =
            self.sealed.partition_point(|segment| last_end(segment).is_some_and(|e| e <= from));
        self.sealed[first..]
            .iter()
            .chain(std::iter::once(&self.active))
            .flat_map(move |segment| segment.batches_from(from))
            .take_while(move |batch| batch.base_offset < end)
    }

    /// The first offset whose record is as late as `timestamp` or later (`ListOffsets` by time).
    #[must_use]
    pub fn offset_for_timestamp(&self, timestamp: i64) -> Option<(i64, Offset)> {
        for segment in self.segments() {
            if segment.max_timestamp().is_none_or(|(most, _)| most < timestamp) {
                continue;
            }
            for batch in segment.batches() {
                for (offset, record) in batch.iter() {
                    if offset >= self.log_start_offset && record.timestamp >= timestamp {
                        return Some((record.timestamp, offset));
                    }
                }
            }
        }
        None
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
}

fn last_end(segment: &Segment) -> Option<Offset> {
    segment.batches().last().map(|batch| batch.next_offset())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Bytes;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn record(bytes: usize, timestamp: i64) -> Record {
        Record { key: None, value: Some(Bytes::from(vec![0; bytes])), timestamp, headers: vec![] }
    }

    fn append(log: &mut UnifiedLog, records: &[Record]) -> AppendInfo {
        log.append_as_leader(Rc::from(records), LeaderEpoch(0), None)
    }

    /// Ten records of 100 kB fit a segment of 1 MiB, the eleventh opens the next [run, 02-log.md].
    #[test]
    fn a_segment_rolls_before_it_would_grow_too_large() {
        let mut log = UnifiedLog::new(LogConfig { segment_bytes: 1 << 20, ..LogConfig::default() });
        for n in 0..10 {
            assert_eq!(append(&mut log, &[record(100_000, n)]).rolled, None);
        }
        assert_eq!(append(&mut log, &[record(100_000, 10)]).rolled, Some(Offset(10)));
        let sizes: Vec<u64> = log.segments().map(|segment| segment.size_in_bytes()).collect();
        assert_eq!(sizes, [1_000_720, 100_072]);
    }

    /// Record timestamps are compared, and "more than", not "as much as".
    #[test]
    fn a_segment_rolls_by_time_between_records() {
        let mut log = UnifiedLog::new(LogConfig { segment_ms: 10_000, ..LogConfig::default() });
        append(&mut log, &[record(1, 1_000)]);
        assert_eq!(append(&mut log, &[record(1, 11_000)]).rolled, None);
        assert_eq!(append(&mut log, &[record(1, 11_001)]).rolled, Some(Offset(2)));
    }

    /// Every offset is found in every shape of log, and nothing outside the range is returned.
    #[test]
    fn reads_find_each_offset() {
        let mut log = UnifiedLog::new(LogConfig { segment_bytes: 400, ..LogConfig::default() });
        for n in 0..30 {
            let count = usize::try_from(n % 4 + 1).unwrap();
            append(&mut log, &vec![record(10, n); count]);
        }
        let end = log.log_end_offset();
        assert!(log.segments().count() > 5);
        for from in 0..end.0 {
            let mut batches = log.read(Offset(from), end);
            let first = batches.next().unwrap();
            assert!(first.base_offset.0 <= from && from < first.next_offset().0);
            let rest: u32 = batches.map(|batch| batch.count()).sum();
            assert_eq!(first.next_offset().plus(rest), end);
        }
        assert_eq!(log.read(end, end).count(), 0);
    }

    /// Looking up by time gives the first record that is late enough.
    #[test]
    fn offsets_by_time() {
        let mut log = UnifiedLog::new(LogConfig::default());
        assert_eq!(log.offset_for_timestamp(0), None);
        for timestamp in [100, 300, 200, 300] {
            append(&mut log, &[record(1, timestamp)]);
        }
        assert_eq!(log.offset_for_timestamp(150), Some((300, Offset(1))));
        assert_eq!(log.offset_for_timestamp(301), None);
        assert_eq!(log.max_timestamp(), Some((300, Offset(1))));
    }
}
