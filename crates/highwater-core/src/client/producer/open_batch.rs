//! Batches that may still grow: how much fits into one, and how large it will be once it is compressed
//! (`MemoryRecordsBuilder`, `ProducerBatch`, `CompressionRatioEstimator`).

use std::rc::Rc;

use super::sender::{Batch, Room};
use crate::ids::TopicPartition;
use crate::log::record::{BATCH_OVERHEAD, Record};
use crate::log::record_batch::Origin;
use crate::scope::{self, Always};
use crate::time::SimTime;

/// How large compressed records are against plain ones, in millionths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CompressionRatio(pub(super) u32);

impl CompressionRatio {
    /// Nothing gained: what is taken for a topic of which nothing is known.
    pub(super) const ONE: Self = Self(1_000_000);

    /// Of a batch whose records take so many bytes plain and so many compressed.
    pub(super) fn of(compressed: u32, plain: u32) -> Self {
        let ratio = u64::from(compressed) * 1_000_000 / u64::from(plain).max(1);
        Self(u32::try_from(ratio).unwrap_or(u32::MAX))
    }

    /// What to expect after one more batch: worse ones count soon, better ones slowly.
    pub(super) fn after(self, observed: Self) -> Self {
        if observed.0 > self.0 {
            Self(self.0.saturating_add(50_000).max(observed.0))
        } else if observed.0 < self.0 {
            Self(self.0.saturating_sub(5_000).max(observed.0))
        } else {
            self
        }
    }

    /// How many bytes so many plain ones may become: five hundredths more than expected.
    fn estimate(self, plain: u32) -> u32 {
        let bytes = u64::from(plain) * u64::from(self.0) * 105 / 100_000_000;
        u32::try_from(bytes).unwrap_or(u32::MAX)
    }
}

/// Records that wait to be sent together.
#[derive(Clone, Debug)]
pub(super) struct OpenBatch {
    pub(super) records: Vec<Record>,
    pub(super) opened: SimTime,
    /// Bytes so far, not compressed.
    size: u32,
    /// How large it may grow: `batch.size`, or more if its first record needs more.
    pub(super) limit: u32,
    /// What is expected of compression; `None`: there is none.
    ratio: Option<CompressionRatio>,
    /// How much of the producer's memory it holds.
    pub(super) allocated: u32,
    /// Whether it was part of one that was too large.
    pub(super) is_split: bool,
    /// Which of whose batches it is.
    pub(super) origin: Always<Option<Origin>>,
}

impl OpenBatch {
    /// An empty one.
    pub(super) fn new(opened: SimTime, limit: u32, ratio: Option<CompressionRatio>) -> Self {
        let origin = Always::of(|| None);
        let (records, size, allocated, is_split) = (Vec::new(), 0, 0, false);
        Self { records, opened, size, limit, ratio, allocated, is_split, origin }
    }

    /// One that was closed, and not sent.
    pub(super) fn reopened(batch: &Batch, ratio: Option<CompressionRatio>) -> Self {
        let Room { plain_size: size, limit, allocated, is_split, .. } = *batch.room.known();
        let records = batch.proposal.records.to_vec();
        let (opened, origin) = (batch.created, batch.proposal.origin.clone());
        Self { records, opened, size, limit, ratio, allocated, is_split, origin }
    }

    /// Its size with one more record, not compressed.
    fn size_with(&self, record: &Record) -> u32 {
        let base = self.records.first().map_or(record.timestamp, |first| first.timestamp);
        let delta = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        let before = if delta == 0 { BATCH_OVERHEAD } else { self.size };
        before.saturating_add(record.size_in_bytes(base, delta))
    }

    /// How large it will be when it is sent, as far as one can tell (`estimatedBytesWritten`).
    pub(super) fn estimated_size(&self) -> u32 {
        match self.ratio.filter(|_| scope::CLUSTER) {
            Some(ratio) if self.size > 0 => {
                BATCH_OVERHEAD.saturating_add(ratio.estimate(self.size - BATCH_OVERHEAD))
            }
            _ => self.size,
        }
    }

    /// Whether one more record fits; that it will be compressed does not count yet
    /// (`MemoryRecordsBuilder.hasRoomFor`).
    pub(super) fn has_room_for(&self, record: &Record) -> bool {
        if !scope::CLUSTER {
            return self.size_with(record) <= self.limit;
        }
        if self.records.is_empty() {
            return true;
        }
        let more = self.size_with(record) - self.size;
        !self.is_full() && self.estimated_size().saturating_add(more) <= self.limit
    }

    /// Whether nothing more fits.
    pub(super) fn is_full(&self) -> bool {
        self.estimated_size() >= self.limit
    }

    /// Adds a record. Returns by how many bytes it grew.
    pub(super) fn push(&mut self, record: Record) -> u32 {
        let before = self.estimated_size();
        self.size = self.size_with(&record);
        self.records.push(record);
        self.estimated_size().saturating_sub(before)
    }

    /// Nothing is added any more.
    pub(super) fn close(&mut self, to: &TopicPartition) -> Batch {
        let records = Rc::from(std::mem::take(&mut self.records));
        let mut batch = Batch::new(to.clone(), records, self.opened);
        if scope::CLUSTER {
            batch.proposal.origin = self.origin.clone();
            batch.room = Always::new(Room {
                size: self.estimated_size(),
                plain_size: self.size,
                limit: self.limit,
                allocated: self.allocated,
                is_split: self.is_split,
            });
        }
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::Bytes;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// What is expected follows what is seen, as Kafka's estimator does: up at once, down slowly.
    #[test]
    fn ratios() {
        let mut ratio = CompressionRatio::ONE;
        for expected in [995_000, 990_000, 985_000] {
            ratio = ratio.after(CompressionRatio::of(50, 100));
            assert_eq!(ratio.0, expected);
        }
        assert_eq!(ratio.after(CompressionRatio::of(984, 1_000)).0, 984_000);
        assert_eq!(ratio.after(CompressionRatio::of(986, 1_000)).0, 1_035_000);
        assert_eq!(ratio.after(CompressionRatio::of(3, 1)).0, 3_000_000);
        assert_eq!(ratio.after(ratio), ratio);
        assert_eq!(CompressionRatio::of(1, 0).0, 1_000_000);
    }

    /// A batch takes more records than its size says, once it is known that they compress well.
    #[test]
    fn compressed_batches_take_more() {
        let record = || Record {
            key: None,
            value: Some(Bytes::from(&[b'x'; 93][..])),
            timestamp: 0,
            headers: Vec::new(),
        };
        let count = |ratio: Option<CompressionRatio>| {
            let mut batch = OpenBatch::new(SimTime(0), 1_061, ratio);
            while batch.has_room_for(&record()) {
                batch.push(record());
            }
            batch.records.len()
        };
        assert_eq!(count(None), 9);
        assert_eq!(count(Some(CompressionRatio::ONE)), 9);
        assert_eq!(count(Some(CompressionRatio(500_000))), 17);
    }
}
