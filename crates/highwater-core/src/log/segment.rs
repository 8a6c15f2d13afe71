//! One file of a log: batches from a base offset on (Kafka's `LogSegment`).

use std::rc::Rc;

use crate::ids::Offset;
use crate::log::record::RecordBatch;

/// A run of batches. A sealed segment is shared between a log and its copies, never changed.
#[derive(Clone, Debug)]
pub struct Segment {
    base_offset: Offset,
    batches: Vec<Rc<RecordBatch>>,
    size_in_bytes: u64,
    max_timestamp: Option<(i64, Offset)>,
}

impl Segment {
    /// An empty segment; its first record will have `base_offset`.
    #[must_use]
    pub fn new(base_offset: Offset) -> Self {
        Self { base_offset, batches: Vec::new(), size_in_bytes: 0, max_timestamp: None }
    }

    /// The offset in its file name.
    #[must_use]
    pub fn base_offset(&self) -> Offset {
        self.base_offset
    }

    /// Bytes of all its batches.
    #[must_use]
    pub fn size_in_bytes(&self) -> u64 {
        self.size_in_bytes
    }

    /// Its largest timestamp and the first offset that has it; `None` while it is empty.
    #[must_use]
    pub fn max_timestamp(&self) -> Option<(i64, Offset)> {
        self.max_timestamp
    }

    /// Its batches, oldest first.
    #[must_use]
    pub fn batches(&self) -> &[Rc<RecordBatch>] {
        &self.batches
    }

    /// The timestamp of its first record.
    #[must_use]
    pub fn first_timestamp(&self) -> Option<i64> {
        Some(self.batches.first()?.records.first()?.timestamp)
    }

    /// Adds a batch at the end. The log has made sure that it follows the last one.
    pub(super) fn append(&mut self, batch: Rc<RecordBatch>) {
        self.size_in_bytes = self.size_in_bytes.saturating_add(u64::from(batch.size_in_bytes));
        if let Some((timestamp, offset)) = batch.max_timestamp()
            && self.max_timestamp.is_none_or(|(newest, _)| timestamp > newest)
        {
            self.max_timestamp = Some((timestamp, offset));
        }
        self.batches.push(batch);
    }

    /// The batches that hold `offset` and what follows, found by binary search.
    #[must_use]
    pub fn batches_from(&self, offset: Offset) -> &[Rc<RecordBatch>] {
        let first = self.batches.partition_point(|batch| batch.next_offset() <= offset);
        &self.batches[first..]
    }
}
