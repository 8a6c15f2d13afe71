//! How long does `send` block? A record waits for its topic, then for memory, `max.block.ms` in all; those
//! behind it wait for it (Kafka's `KafkaProducer.doSend`, `BufferPool`).

use std::rc::Rc;

use super::{Producer, RETRY_BACKOFF, reply_failed, reply_failed_because};
use crate::client::partitioner::ClientFamily;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{PartitionId, TopicName};
use crate::net::message::ProducerRecord;
use crate::scope;
use crate::time::SimTime;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// The producer's memory, and who waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct BufferPool {
    /// How much of it batches hold.
    used: u64,
    /// What the first of the blocked records needs, if it is memory that it waits for.
    wanted: Option<Wanted>,
}

#[derive(Clone, Copy, Debug)]
struct Wanted {
    bytes: u32,
    /// The timestamp that the record got before it had to wait.
    timestamp: i64,
}

impl BufferPool {
    /// A batch needs its memory no more.
    pub(super) fn deallocate(&mut self, bytes: u32) {
        self.used = self.used.saturating_sub(bytes.into());
    }

    /// Whether somebody waits for what is there by now.
    fn has_enough(&self, total: u64) -> bool {
        self.wanted.is_some_and(|wanted| self.used.saturating_add(wanted.bytes.into()) <= total)
    }

    /// Whether somebody waits: then what there is is sent, full or not.
    pub(super) fn is_exhausted(&self) -> bool {
        self.wanted.is_some()
    }
}

impl Producer {
    /// When the first of the blocked records has waited long enough.
    pub(super) fn block_deadline(&self) -> Option<SimTime> {
        let max_block = self.config.delivery().max_block;
        self.blocked.first().map(|first| first.0 + max_block)
    }

    /// The timestamp of the record that is given its place next.
    pub(super) fn timestamp_of_next(&self, now: SimTime) -> i64 {
        let wanted = self.accumulator.memory.wanted;
        wanted.map_or_else(|| now.epoch_millis(), |wanted| wanted.timestamp)
    }

    /// Takes memory for a batch; `false`: there is not enough now.
    pub(super) fn allocate(&mut self, bytes: u32, timestamp: i64) -> Result<bool, KafkaError> {
        let total = self.config.delivery().buffer_memory;
        let memory = &mut self.accumulator.memory;
        // The other clients have limits of another kind.
        let is_limited = self.config.family == ClientFamily::Java;
        if is_limited && u64::from(bytes) > total {
            memory.wanted = None;
            let text = format!(
                "Attempt to allocate {bytes} bytes, but there is a hard limit of {total} on memory \
                 allocations."
            );
            return Err(KafkaError::new(ErrorCode::IllegalArgument, text));
        }
        if is_limited && memory.used.saturating_add(bytes.into()) > total {
            memory.wanted = Some(Wanted { bytes, timestamp });
            return Ok(false);
        }
        memory.wanted = None;
        memory.used = memory.used.saturating_add(bytes.into());
        Ok(true)
    }

    /// What comes when nothing waits need not wait: the usual case.
    pub(super) fn handle_send(&mut self, record: &Rc<ProducerRecord>, out: &mut Outbox) {
        let waits = !self.blocked.is_empty() || self.closing || !self.knows_place(record);
        if waits || !self.place(record, out) {
            self.block(record, out);
        }
    }

    /// A record has to wait.
    fn block(&mut self, record: &Rc<ProducerRecord>, out: &mut Outbox) {
        let is_first = self.blocked.is_empty();
        self.blocked.push(Rc::new((out.now(), Rc::clone(record))));
        if is_first {
            self.place_blocked(out);
            self.give_up_blocked(out);
            self.drain(out);
            self.place_what_has_room(out);
        }
    }

    /// Gives those of the blocked records their places that need not wait any more, in order; asks about the
    /// topic of the first other one.
    pub(super) fn place_some_blocked(&mut self, out: &mut Outbox) {
        let mut count = 0;
        while let Some(next) = self.blocked.get(count).cloned() {
            let topic = &next.1.topic;
            if self.accumulator.invalid.contains(topic) {
                // Whoever comes later hears only the name (`Cluster.invalidTopics`).
                let error = KafkaError::new(ErrorCode::InvalidTopic, topic.as_str());
                reply_failed(&next.1, error, out);
            } else if !self.knows_place(&next.1) || !self.place(&next.1, out) {
                break;
            }
            self.accumulator.memory.wanted = None;
            count += 1;
        }
        self.forget_first_blocked(count, out.now());
        match self.blocked.first() {
            Some(first) if !self.knows_place(&first.1) => {
                let topic = first.1.topic.clone();
                self.ask_about(topic, out);
            }
            Some(_) => {}
            None if self.closing => {
                self.send_all(out);
                self.maybe_close(out);
            }
            None => {}
        }
    }

    /// Whether the topic of a record is known, and has the partition that it names: another one may be added.
    fn knows_place(&self, record: &ProducerRecord) -> bool {
        self.knows(&record.topic) && !self.lacks_partition(record)
    }

    /// Whether the record names a partition that its topic has not. The other clients do not wait for one.
    fn lacks_partition(&self, record: &ProducerRecord) -> bool {
        let Some(PartitionId(wanted)) = record.partition else { return false };
        let known = self.topics.get(&record.topic).filter(|topic| !topic.is_gone);
        self.config.family == ClientFamily::Java
            && known.is_some_and(|topic| topic.image.partition(PartitionId(wanted)).is_none())
    }

    /// An answer about topics has not brought the partition that the first of the blocked records waits for: it
    /// asks again after a while.
    pub(super) fn wait_for_partition(&mut self, out: &mut Outbox) {
        let first = self.blocked.first().cloned();
        if first.is_some_and(|first| self.lacks_partition(&first.1)) {
            self.asking = true;
            out.timer(RETRY_BACKOFF, Timer::MetadataBackoff);
        }
    }

    /// Goes on with the blocked records if there may be memory for them.
    pub(super) fn place_what_has_room(&mut self, out: &mut Outbox) {
        if !scope::CLUSTER {
            return;
        }
        let total = self.config.delivery().buffer_memory;
        while self.accumulator.memory.has_enough(total) {
            self.place_blocked(out);
            self.drain(out);
        }
    }

    /// The first records do not wait any more: the next one begins to, as its `send` is called now.
    fn forget_first_blocked(&mut self, count: usize, now: SimTime) {
        if count == 0 {
            return;
        }
        self.blocked.drain(..count);
        if let Some(first) = self.blocked.first_mut() {
            *first = Rc::new((now, Rc::clone(&first.1)));
        }
    }

    /// Gives up the first of the blocked records if it has waited for `max.block.ms`.
    pub(super) fn give_up_blocked(&mut self, out: &mut Outbox) {
        while self.block_deadline().is_some_and(|deadline| deadline <= out.now()) {
            let Some(first) = self.blocked.first().cloned() else { return };
            let error = self.blocked_too_long(&first.1);
            let cause = match error.code {
                ErrorCode::Timeout => self.accumulator.refused.get(&first.1.topic).copied(),
                _ => None,
            };
            reply_failed_because(&first.1, error, cause, out);
            self.accumulator.memory.wanted = None;
            self.forget_first_blocked(1, out.now());
            if self.connection.node().is_none() {
                self.asking = false;
            }
            self.place_blocked(out);
        }
    }

    /// The first of the blocked records cannot be sent, if it is one of that topic.
    pub(super) fn fail_first_blocked(
        &mut self,
        topic: &TopicName,
        error: KafkaError,
        out: &mut Outbox,
    ) {
        if let Some(first) = self.blocked.first().cloned()
            && first.1.topic == *topic
        {
            reply_failed(&first.1, error, out);
            self.forget_first_blocked(1, out.now());
        }
    }

    fn blocked_too_long(&self, record: &ProducerRecord) -> KafkaError {
        let topic = &record.topic;
        let delivery = self.config.delivery();
        let millis = delivery.max_block.0 / 1_000;
        let memory = &self.accumulator.memory;
        let Some(Wanted { bytes, .. }) = memory.wanted else {
            let known = self.topics.get(topic).filter(|_| self.lacks_partition(record));
            let text = match (known, record.partition) {
                (Some(known), Some(partition)) => format!(
                    "Partition {partition} of topic {topic} with partition count {} is not present in \
                     metadata after {millis} ms.",
                    known.image.partitions.len()
                ),
                _ => format!("Topic {topic} not present in metadata after {millis} ms."),
            };
            return KafkaError::new(ErrorCode::Timeout, text);
        };
        let (total, poolable) = (delivery.buffer_memory, self.config.batch_size);
        let available = total.saturating_sub(memory.used);
        let text = format!(
            "Failed to allocate {bytes} bytes within the configured max blocking time {millis} ms. Total \
             memory: {total} bytes. Available memory: {available} bytes. Poolable size: {poolable} bytes"
        );
        KafkaError::new(ErrorCode::BufferExhausted, text)
    }
}
