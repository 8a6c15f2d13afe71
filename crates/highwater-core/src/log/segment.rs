//! One file of a log: batches from a base offset on, and when it is closed (Kafka's `LogSegment`).

use std::rc::Rc;

use crate::ids::Offset;
use crate::log::log_config::LogConfig;
use crate::log::producer_state::ProducerStateManager;
use crate::log::record_batch::{NO_TIMESTAMP, RecordBatch};
use crate::scope;
use crate::shared::Shared;

/// Batches in one chunk. A copy of a log that grows copies one chunk, not the segment.
const CHUNK: usize = 256;

/// Bytes of one entry of the offset index and of the time index.
pub(crate) const OFFSET_INDEX_ENTRY: u32 = 8;
pub(crate) const TIME_INDEX_ENTRY: u32 = 12;

/// A run of batches within a segment.
#[derive(Clone, Debug, Default)]
struct Chunk {
    batches: Vec<Rc<RecordBatch>>,
    max_timestamp: i64,
}

impl Chunk {
    fn new() -> Self {
        Self { batches: Vec::new(), max_timestamp: NO_TIMESTAMP }
    }

    fn ends_by(&self, offset: Offset) -> bool {
        self.batches.last().is_none_or(|batch| batch.next_offset() <= offset)
    }

    fn batches_from(&self, offset: Offset) -> &[Rc<RecordBatch>] {
        if scope::CLUSTER
            && let [others @ .., last] = &*self.batches
            && others.last().is_none_or(|other| other.next_offset() <= offset)
        {
            // All but the last one, or all: what most readers have.
            let first = others.len() + usize::from(last.next_offset() <= offset);
            return self.batches.get(first..).unwrap_or_default();
        }
        let first = self.batches.partition_point(|batch| batch.next_offset() <= offset);
        &self.batches[first..]
    }
}

/// How full the two indexes of a segment are. What is in them is not kept: offsets and timestamps
/// are found without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct IndexFill {
    offset_entries: u32,
    time_entries: u32,
    last_time_entry: i64,
    bytes_since_last_entry: u64,
}

/// What stands in the two indexes of a segment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexEntries {
    /// The last offset of a batch, and where in the file it begins.
    pub offsets: Vec<(Offset, u64)>,
    /// The largest timestamp up to a batch, and the last offset of the batch that had it first.
    pub times: Vec<(i64, Offset)>,
}

/// Why a segment was closed: before a batch (`LogSegment.shouldRoll`), or to be deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RollReason {
    /// The batch would have made it larger than `segment.bytes`.
    SegmentBytes {
        /// Its bytes with the batch.
        bytes: u64,
        /// `segment.bytes`
        most: u64,
    },
    /// The batch is later than its first one by more than `segment.ms`.
    SegmentMs {
        /// So much later.
        waited_ms: i64,
        /// `segment.ms`, or less where the cleaner must come earlier.
        most_ms: i64,
    },
    /// Its offset index or time index has no room for an entry.
    IndexFull {
        /// `segment.index.bytes`
        most: u32,
    },
    /// The batch's last offset lies more than 2^31 - 1 after its base offset.
    RelativeOffset {
        /// So much after it.
        distance: i64,
    },
    /// All that the log has is too old or too much: the active segment is closed, and goes too.
    Retention,
}

/// What is known of a segment without looking into it; copied as a whole.
#[derive(Clone, Copy, Debug)]
struct Known {
    base_offset: Offset,
    end_offset: Offset,
    size_in_bytes: u64,
    max_timestamp: (i64, Option<Offset>),
    /// The largest timestamp of the first batch (`rollingBasedTimestamp`).
    first_timestamp: i64,
    /// When its first batch was appended.
    created_ms: i64,
    last_modified_ms: i64,
    index: IndexFill,
}

/// A run of batches. A sealed segment is shared between a log and its copies, never changed.
#[derive(Clone, Debug)]
pub struct Segment {
    known: Known,
    full: Shared<Vec<Rc<Chunk>>>,
    open: Rc<Chunk>,
    /// What was known of producers when the segment was opened: its `.snapshot` file.
    pub(super) producers_before: Shared<ProducerStateManager>,
}

impl Segment {
    /// An empty segment; its first record will have `base_offset`.
    #[must_use]
    pub fn new(base_offset: Offset, now_ms: i64) -> Self {
        let known = Known {
            base_offset,
            end_offset: base_offset,
            size_in_bytes: 0,
            max_timestamp: (NO_TIMESTAMP, None),
            first_timestamp: NO_TIMESTAMP,
            created_ms: now_ms,
            last_modified_ms: now_ms,
            index: IndexFill::new(),
        };
        Self {
            known,
            full: Shared::default(),
            open: Rc::new(Chunk::new()),
            producers_before: Shared::default(),
        }
    }

    /// The offset in its file name.
    #[must_use]
    pub fn base_offset(&self) -> Offset {
        self.known.base_offset
    }

    /// The offset after its last batch; the base offset while it is empty.
    #[must_use]
    pub fn end_offset(&self) -> Offset {
        self.known.end_offset
    }

    /// Bytes of all its batches.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.known.size_in_bytes
    }

    /// Whether it holds no batch.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.known.size_in_bytes == 0
    }

    /// Its largest timestamp and the first offset that has it; `None` while it has none.
    #[must_use]
    pub fn max_timestamp(&self) -> Option<(i64, Offset)> {
        let (timestamp, offset) = self.known.max_timestamp;
        offset.map(|offset| (timestamp, offset))
    }

    /// The largest timestamp of its records; if none has one, when the file was last written
    /// (`LogSegment.largestTimestamp`).
    #[must_use]
    pub fn largest_timestamp(&self) -> i64 {
        let timestamp = self.known.max_timestamp.0;
        if timestamp > NO_TIMESTAMP { timestamp } else { self.known.last_modified_ms }
    }

    /// The largest timestamp of its first batch; `None` if that has none
    /// (`LogSegment.getFirstBatchTimestamp`).
    #[must_use]
    pub fn first_batch_timestamp(&self) -> Option<i64> {
        (self.known.first_timestamp > NO_TIMESTAMP).then_some(self.known.first_timestamp)
    }

    /// Bytes of its offset index and of its time index.
    #[must_use]
    pub fn index_sizes(&self) -> (u32, u32) {
        (
            self.known.index.offset_entries.saturating_mul(OFFSET_INDEX_ENTRY),
            self.known.index.time_entries.saturating_mul(TIME_INDEX_ENTRY),
        )
    }

    /// What was known of producers when it was opened.
    #[must_use]
    pub fn snapshot(&self) -> &ProducerStateManager {
        &self.producers_before
    }

    /// What stands in its indexes, if a batch has an entry after that many bytes. A closed one also has an
    /// entry for its largest timestamp (`LogSegment.onBecomeInactiveSegment`).
    #[must_use]
    pub fn index_entries(&self, index_interval_bytes: u32, is_closed: bool) -> IndexEntries {
        let mut entries = IndexEntries::default();
        let mut fill = IndexFill::new();
        let mut latest = (NO_TIMESTAMP, self.known.base_offset);
        let mut position = 0;
        for batch in self.batches() {
            if batch.max_timestamp_ms() > latest.0 {
                latest = (batch.max_timestamp_ms(), batch.last_offset());
            }
            let before = fill;
            fill.grow(latest.0, batch.size_in_bytes, index_interval_bytes);
            if fill.offset_entries > before.offset_entries {
                entries.offsets.push((batch.last_offset(), position));
            }
            if fill.time_entries > before.time_entries {
                entries.times.push(latest);
            }
            position += u64::from(batch.size_in_bytes);
        }
        if is_closed && latest.0 > fill.last_time_entry {
            entries.times.push(latest);
        }
        entries
    }

    pub(super) fn last_modified_ms(&self) -> i64 {
        self.known.last_modified_ms
    }

    /// Sets when it was last written; the cleaner keeps the time of the files that it replaces.
    pub(super) fn set_last_modified_ms(&mut self, last_modified_ms: i64) {
        self.known.last_modified_ms = last_modified_ms;
    }

    /// An empty one in its place, for the cleaner to fill.
    pub(super) fn emptied(&self) -> Self {
        let mut cleaned = Self::new(self.known.base_offset, self.known.last_modified_ms);
        cleaned.producers_before = self.producers_before.clone();
        cleaned
    }

    fn chunks(&self) -> impl Iterator<Item = &Rc<Chunk>> {
        self.full().iter().chain(std::iter::once(&self.open))
    }

    /// Its batches, oldest first.
    #[must_use]
    pub fn batches(&self) -> SegmentBatches<'_> {
        self.batches_from(self.known.base_offset)
    }

    /// The batches that hold `offset` and what follows, found by binary search.
    #[must_use]
    pub fn batches_from(&self, offset: Offset) -> SegmentBatches<'_> {
        let full = self.full();
        let first = full.partition_point(|chunk| chunk.ends_by(offset));
        SegmentBatches {
            in_chunk: [].iter(),
            full: full.get(first..).unwrap_or_default(),
            open: Some(&self.open),
            from: offset,
        }
    }

    /// Its first record at or after `start` that is as late as `timestamp` or later. Chunks and
    /// batches without such a record are not looked into.
    #[must_use]
    pub fn offset_for_timestamp(&self, timestamp: i64, start: Offset) -> Option<(i64, Offset)> {
        for chunk in self.chunks() {
            if chunk.max_timestamp < timestamp {
                continue;
            }
            for batch in chunk.batches_from(start) {
                if batch.max_timestamp_ms() < timestamp {
                    continue;
                }
                for (offset, record) in batch.iter_from(start) {
                    let at = batch.timestamp_of(record);
                    if at >= timestamp {
                        return Some((at, offset));
                    }
                }
            }
        }
        None
    }

    /// The chunks that take no more batches. A page about one broker has so few batches that one chunk
    /// holds them all.
    fn full(&self) -> &[Rc<Chunk>] {
        if scope::CLUSTER { &self.full } else { &[] }
    }

    /// Adds a batch at the end. The log has made sure that it follows the last one.
    pub(super) fn append(
        &mut self,
        batch: Rc<RecordBatch>,
        now_ms: i64,
        index_interval_bytes: u32,
    ) {
        let timestamp = batch.max_timestamp_ms();
        if self.is_empty() {
            self.known.first_timestamp = timestamp;
            self.known.created_ms = now_ms;
        }
        if timestamp > self.known.max_timestamp.0 {
            self.known.max_timestamp = (timestamp, batch.max_timestamp().map(|(_, offset)| offset));
        }
        if scope::CLUSTER {
            self.known.index.grow(
                self.known.max_timestamp.0,
                batch.size_in_bytes,
                index_interval_bytes,
            );
        }
        self.known.size_in_bytes =
            self.known.size_in_bytes.saturating_add(u64::from(batch.size_in_bytes));
        self.known.end_offset = batch.next_offset();
        self.known.last_modified_ms = now_ms;
        if scope::CLUSTER && self.open.batches.len() >= CHUNK {
            let full = std::mem::replace(&mut self.open, Rc::new(Chunk::new()));
            self.full.push(full);
        }
        let open = Rc::make_mut(&mut self.open);
        open.max_timestamp = open.max_timestamp.max(timestamp);
        open.batches.push(batch);
    }

    /// Why this segment must be closed before `next` is appended, if it must
    /// (`LogSegment.shouldRoll`).
    #[must_use]
    pub fn needs_roll(
        &self,
        next: &RecordBatch,
        config: &LogConfig,
        now_ms: i64,
    ) -> Option<RollReason> {
        let size = self.known.size_in_bytes.saturating_add(u64::from(next.size_in_bytes));
        if size > config.segment_bytes {
            Some(RollReason::SegmentBytes { bytes: size, most: config.segment_bytes })
        } else if !self.is_empty()
            && self.time_waited_for_roll(next, now_ms) > config.max_segment_ms()
        {
            let waited_ms = self.time_waited_for_roll(next, now_ms);
            Some(RollReason::SegmentMs { waited_ms, most_ms: config.max_segment_ms() })
        } else if scope::CLUSTER && self.known.index.is_full(config.segment_index_bytes) {
            Some(RollReason::IndexFull { most: config.segment_index_bytes })
        } else {
            let distance = next.last_offset().0.saturating_sub(self.known.base_offset.0);
            (distance > i64::from(i32::MAX)).then_some(RollReason::RelativeOffset { distance })
        }
    }

    /// Timestamps of records are compared; the clock only if the first batch has none.
    fn time_waited_for_roll(&self, next: &RecordBatch, now_ms: i64) -> i64 {
        match self.first_batch_timestamp() {
            Some(first) => next.max_timestamp_ms().saturating_sub(first),
            None => now_ms.saturating_sub(self.known.created_ms),
        }
    }

    /// This segment up to but without the batch that holds `offset`; the same pointer if that is
    /// all of it.
    pub(super) fn truncated(
        self: &Rc<Self>,
        offset: Offset,
        index_interval_bytes: u32,
    ) -> Rc<Self> {
        if self.known.end_offset <= offset {
            return Rc::clone(self);
        }
        let mut kept = self.emptied();
        for batch in self.batches().take_while(|batch| batch.next_offset() <= offset) {
            kept.append(Rc::clone(batch), self.known.last_modified_ms, index_interval_bytes);
        }
        kept.known.created_ms = self.known.created_ms;
        kept.known.index.bytes_since_last_entry = 0;
        Rc::new(kept)
    }
}

/// The batches of a segment from an offset on. Written out, so that its code is on a page once.
#[derive(Clone, Debug)]
pub struct SegmentBatches<'a> {
    in_chunk: std::slice::Iter<'a, Rc<RecordBatch>>,
    full: &'a [Rc<Chunk>],
    open: Option<&'a Rc<Chunk>>,
    from: Offset,
}

impl<'a> Iterator for SegmentBatches<'a> {
    type Item = &'a Rc<RecordBatch>;

    #[inline(never)]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(batch) = self.in_chunk.next() {
                return Some(batch);
            }
            let chunk = match self.full.split_first() {
                Some((first, rest)) => {
                    self.full = rest;
                    first
                }
                None => self.open.take()?,
            };
            self.in_chunk = chunk.batches_from(self.from).iter();
        }
    }
}

impl IndexFill {
    fn new() -> Self {
        Self {
            offset_entries: 0,
            time_entries: 0,
            last_time_entry: NO_TIMESTAMP,
            bytes_since_last_entry: 0,
        }
    }

    /// A batch of that size comes, the segment's largest timestamp being that one
    /// (`LogSegment.append`).
    fn grow(&mut self, max_timestamp: i64, bytes: u32, index_interval_bytes: u32) {
        if self.bytes_since_last_entry > u64::from(index_interval_bytes) {
            self.offset_entries = self.offset_entries.saturating_add(1);
            if max_timestamp > self.last_time_entry {
                self.time_entries = self.time_entries.saturating_add(1);
                self.last_time_entry = max_timestamp;
            }
            self.bytes_since_last_entry = 0;
        }
        self.bytes_since_last_entry = self.bytes_since_last_entry.saturating_add(u64::from(bytes));
    }

    /// No entry fits any more; the last of the time index is for the closing of the segment.
    fn is_full(&self, segment_index_bytes: u32) -> bool {
        self.offset_entries >= segment_index_bytes / OFFSET_INDEX_ENTRY
            || self.time_entries.saturating_add(1) >= segment_index_bytes / TIME_INDEX_ENTRY
    }
}
