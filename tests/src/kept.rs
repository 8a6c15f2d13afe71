//! How much a timeline holds: a count that is the same on every machine.

use std::collections::HashSet;
use std::rc::Rc;

use highwater_core::log::record_batch::RecordBatch;
use highwater_core::world::process::Process;
use highwater_core::world::timeline::Timeline;

/// What is held at one moment, the present and all checkpoints together; what they share counts once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Batches of records in logs.
    pub batches: u64,
    /// Records in these.
    pub records: u64,
    /// Bytes of these.
    pub bytes: u64,
    /// Bodies of events.
    pub events: u64,
    /// Moments that one can go back to without playing everything again.
    pub checkpoints: u64,
    /// Steps that are planned.
    pub pending: u64,
}

impl Kept {
    /// Counts what a timeline holds.
    #[must_use]
    pub fn of<P: Process>(timeline: &Timeline<P>) -> Self {
        let mut seen: HashSet<*const RecordBatch> = HashSet::new();
        let (mut records, mut bytes, mut pending) = (0, 0, 0);
        for world in timeline.checkpoints().iter().chain([timeline.world()]) {
            pending += world.pending().count() as u64;
            let partitions = world.brokers().values().flat_map(|it| it.partitions().values());
            let segments = partitions.flat_map(|partition| partition.log().segments());
            for batch in segments.flat_map(|segment| segment.batches()) {
                if seen.insert(Rc::as_ptr(batch)) {
                    records += u64::from(batch.count());
                    bytes += u64::from(batch.size_in_bytes);
                }
            }
        }
        Self {
            batches: seen.len() as u64,
            records,
            bytes,
            events: timeline.events_kept() as u64,
            checkpoints: timeline.checkpoints().len() as u64,
            pending,
        }
    }

    /// The larger of each number.
    #[must_use]
    pub fn max_of(&self, other: &Self) -> Self {
        Self {
            batches: self.batches.max(other.batches),
            records: self.records.max(other.records),
            bytes: self.bytes.max(other.bytes),
            events: self.events.max(other.events),
            checkpoints: self.checkpoints.max(other.checkpoints),
            pending: self.pending.max(other.pending),
        }
    }
}
