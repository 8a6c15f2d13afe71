//! What a batch weighs once it is compressed, and what becomes of one that is too large for its leader
//! (`RecordAccumulator.splitAndReenqueue`, `ProducerBatch.split`).

use super::Producer;
use super::open_batch::{CompressionRatio, OpenBatch};
use super::sender::{Batch, Room};
use crate::error::KafkaError;
use crate::ids::TopicName;
use crate::log::record::{BATCH_OVERHEAD, Record};
use crate::log::record_batch::Compression;
use crate::time::SimTime;
use crate::world::outbox::Outbox;

impl Producer {
    /// What to expect of compression; `None`: there is none.
    pub(super) fn expected_ratio(&self, topic: &TopicName) -> Option<CompressionRatio> {
        if self.config.delivery().codec.compression == Compression::None {
            return None;
        }
        let known = self.accumulator.ratios.get(topic).copied();
        Some(known.unwrap_or(CompressionRatio::ONE))
    }

    /// A batch is about to be sent for the first time: it is compressed, and that tells how well the next one
    /// will be.
    pub(super) fn compress(&mut self, batch: &mut Batch) {
        let codec = self.config.delivery().codec;
        if codec.compression == Compression::None || batch.proposal.compressed_size.is_some() {
            return;
        }
        let size = codec.size_of(&batch.proposal.records);
        batch.proposal.compression = codec.compression;
        batch.proposal.compressed_size = Some(size);
        batch.room.known_mut().size = size;
        let observed = batch.ratio();
        let expected = self.accumulator.ratios.get(&batch.to.topic).copied();
        let expected = expected.unwrap_or(CompressionRatio::ONE).after(observed);
        self.accumulator.ratios.insert(batch.to.topic.clone(), expected);
    }

    /// A batch of several records is too large for its leader: it is sent in parts that have not been tried
    /// yet. A part that is still too large is halved.
    pub(super) fn split(&mut self, batch: &Batch, error: &KafkaError, out: &mut Outbox) {
        let left = self.config.retries.saturating_sub(batch.attempts);
        self.warn(&self.got_error("in", "splitting and retrying", batch, left, error), out);
        let mut ratio = None;
        if self.config.delivery().codec.compression != Compression::None {
            let seen = batch.ratio();
            let seen = if seen.0 > CompressionRatio::ONE.0 { seen } else { CompressionRatio::ONE };
            self.accumulator.ratios.insert(batch.to.topic.clone(), seen);
            ratio = Some(seen);
        }
        let records = &batch.proposal.records;
        let target = if batch.room.known().is_split {
            let largest = records.iter().map(Record::batch_limit).max().unwrap_or(0);
            largest.max(batch.room.known().size / 2)
        } else {
            self.config.batch_size
        };
        let mut parts = parts(records, target, batch.created, ratio);
        let mut parts: Vec<Batch> = parts.iter_mut().map(|part| part.close(&batch.to)).collect();
        let mut begin = 0;
        for part in &mut parts {
            // Parts stand among the batches of their producer where the whole did.
            let mut origin = batch.proposal.origin.clone();
            if let Some(origin) = origin.known_mut() {
                origin.number.1 = origin.number.1.saturating_add(begin);
            }
            begin += part.count();
            part.proposal.origin = origin;
        }
        if let Some(stamp) = batch.proposal.producer {
            let counts: Vec<u32> = parts.iter().map(Batch::count).collect();
            let stamps = self.accumulator.transactions.split(&batch.to, stamp, &counts);
            for (part, stamp) in parts.iter_mut().zip(stamps) {
                part.proposal.producer = Some(stamp);
            }
        }
        self.accumulator.memory.deallocate(batch.room.known().allocated);
        for part in parts.into_iter().rev() {
            self.accumulator.reenqueue(part, SimTime(0));
        }
    }
}

/// The records in batches of about that size.
fn parts(
    records: &[Record],
    target: u32,
    created: SimTime,
    ratio: Option<CompressionRatio>,
) -> Vec<OpenBatch> {
    let mut parts: Vec<OpenBatch> = Vec::new();
    for record in records {
        let open = parts.last_mut().filter(|part| part.has_room_for(record));
        if let Some(open) = open {
            open.push(record.clone());
        } else {
            let mut part = OpenBatch::new(created, target.max(record.batch_limit()), ratio);
            part.is_split = true;
            part.push(record.clone());
            parts.push(part);
        }
    }
    parts
}

impl Batch {
    /// How large its records are against plain ones. The header is never compressed.
    fn ratio(&self) -> CompressionRatio {
        let body = |size: u32| size.saturating_sub(BATCH_OVERHEAD);
        let Room { size, plain_size, .. } = *self.room.known();
        CompressionRatio::of(body(size), body(plain_size))
    }
}
