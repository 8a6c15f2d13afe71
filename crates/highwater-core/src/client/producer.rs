//! The producer: picks a partition for each record, gathers batches, sends them to the leaders
//! (Kafka's `KafkaProducer` and `RecordAccumulator`).
//!
//! What it is set to do is in `config`, how a batch grows in `open_batch`, what waits to be sent in
//! `accumulator`, when that is sent in `drain`, what happens to a batch on its way in `sender`, what to one
//! that failed in `retry`, what when a broker is late in `reconnect`, to one that is too large in `split`, which sequence number it has in
//! `transaction_manager`, what is known of topics in `topics`, how long a record waits for its topic or for
//! memory in `blocked`, what a partitioner sees of all that in `partitioning`.

mod accumulator;
mod blocked;
mod config;
mod drain;
mod open_batch;
mod partitioning;
mod reconnect;
mod retry;
mod sender;
mod split;
mod topics;
mod transaction_manager;

use crate::sorted_map::SortedMap;
use std::rc::Rc;

use crate::client::connection::Connection;
use crate::client::partitioner::{self, Choice, ClientFamily, Context, Why, java};
use crate::client::producer::accumulator::Accumulator;
pub use crate::client::producer::config::{Asked, ConfigConflict, Delivery, ProducerConfig};
use crate::client::producer::open_batch::OpenBatch;
use crate::client::producer::sender::{InFlight, Silence};
use crate::client::producer::topics::Topic;
use crate::client::{ClientCommand, ClientReply, Sent};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{Bytes, MessageId, PartitionId, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::mutation::Mutation;
use crate::net::message::{Acks, Body, Message, ProducerRecord, Response};
use crate::scope::{self, Always};
use crate::shared::Shared;
use crate::time::{SimDuration, SimTime};
use crate::world::event::EventKind;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// `max.block.ms`, where nobody can set it.
const MAX_BLOCK_MS: u64 = 60_000;
/// `retry.backoff.ms`, for whoever is told nothing else.
const RETRY_BACKOFF: SimDuration = SimDuration::from_millis(100);

/// A producer.
#[derive(Clone, Debug)]
pub struct Producer {
    config: Rc<ProducerConfig>,
    connection: Connection,
    seed: u64,
    who: u64,
    topics: SortedMap<TopicName, Topic>,
    /// Records whose topic is not known yet, or for which there is no memory, oldest first, each with the
    /// moment it came; the first with the moment since when it waits.
    blocked: Vec<Rc<(SimTime, Rc<ProducerRecord>)>>,
    asking: bool,
    /// The metadata request that waits for its answer, and until when.
    asked_with: Option<(MessageId, SimTime)>,
    /// Metadata requests so far: their correlation ids, as the log names them.
    asked: u32,
    open: SortedMap<TopicPartition, OpenBatch>,
    in_flight: SortedMap<MessageId, InFlight>,
    accumulator: Shared<Accumulator>,
    mutation: Mutation,
    closing: bool,
}

impl Producer {
    /// A producer that knows nothing but its bootstrap addresses.
    #[must_use]
    pub fn new(
        config: ProducerConfig,
        connection: Connection,
        (seed, who): (u64, u64),
        mutation: Mutation,
    ) -> Self {
        Self {
            config: Rc::new(config),
            connection,
            seed,
            who,
            topics: SortedMap::new(),
            blocked: Vec::new(),
            asking: false,
            asked_with: None,
            asked: 0,
            open: SortedMap::new(),
            in_flight: SortedMap::new(),
            accumulator: Shared::default(),
            mutation,
            closing: false,
        }
    }

    /// Handles `Send` and `Close`.
    pub fn handle_command(&mut self, command: &ClientCommand, out: &mut Outbox) {
        match command {
            ClientCommand::Send(record) if scope::CLUSTER => self.handle_send(record, out),
            ClientCommand::Send(record) => {
                self.blocked.push(Rc::new((out.now(), Rc::clone(record))));
                self.place_blocked(out);
            }
            ClientCommand::Close => {
                self.closing = true;
                self.send_all(out);
                self.maybe_close(out);
            }
            _ => {}
        }
    }

    /// Handles the end of a linger or of a wait for metadata.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        match timer {
            Timer::Linger if scope::CLUSTER => self.drain(out),
            Timer::Linger => self.send_ready(out),
            Timer::MetadataBackoff if scope::CLUSTER => {
                self.asking = false;
                self.place_blocked(out);
                self.drain(out);
            }
            Timer::MetadataBackoff => {
                self.expire_blocked(out);
                self.place_blocked(out);
            }
            Timer::RetryBackoff if scope::CLUSTER => self.drain(out),
            Timer::InFlightExpiry if scope::CLUSTER => self.handle_expiry(out),
            _ => {}
        }
        if scope::CLUSTER {
            self.place_what_has_room(out);
        }
    }

    /// Handles an answer.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        match &message.body {
            Body::Response(response) => self.handle_response(message.correlation, response, out),
            Body::Disconnect { refused } if scope::CLUSTER => {
                let silence = if *refused { Silence::Refused } else { Silence::Disconnected };
                self.handle_disconnect(message.correlation, silence, out);
            }
            _ => {}
        }
        if scope::CLUSTER {
            self.place_what_has_room(out);
        }
    }

    fn handle_response(&mut self, correlation: MessageId, response: &Response, out: &mut Outbox) {
        match response {
            Response::Metadata { brokers, topics } => {
                self.asking = false;
                if scope::CLUSTER {
                    self.accumulator.rounds = 0;
                    self.accumulator.nodes.clone_from(brokers);
                    self.asked_with = None;
                }
                self.connection.learn(brokers);
                for (name, topic) in topics.iter() {
                    match topic {
                        Ok(image) => self.learn(name, image, out.now()),
                        Err(error) => self.handle_unknown_topic(name, error, out),
                    }
                }
                if scope::CLUSTER {
                    self.note_refresh(out.now());
                    self.hurry();
                    self.wait_for_partition(out);
                }
                self.place_blocked(out);
                if scope::CLUSTER {
                    self.drain(out);
                }
            }
            Response::InitProducerId(result) if scope::CLUSTER => {
                self.handle_producer_id(correlation, result.known(), out);
            }
            Response::ApiVersions if scope::CLUSTER => {
                self.end_connecting(correlation);
                self.drain(out);
            }
            Response::Produce(answers, leaders) => {
                let answers = (answers.as_slice(), leaders.get());
                self.handle_produced(correlation, answers, out);
            }
            _ => {}
        }
    }

    /// Records that it sent and will never hear of again (acks=0).
    #[must_use]
    pub fn unanswered(&self) -> u64 {
        self.accumulator.unanswered
    }

    /// `acks`.
    #[must_use]
    pub fn acks(&self) -> Acks {
        self.config.acks
    }

    /// The requests that wait for an answer: how many answers each needs, and the records to each
    /// partition.
    pub fn requests(&self) -> impl Iterator<Item = (MessageId, Acks, Vec<SentBatch<'_>>)> {
        self.in_flight.iter().map(|(id, request)| {
            let batches = request.batches.iter();
            (*id, self.config.acks, batches.map(|b| (&b.to, &b.proposal.records)).collect())
        })
    }

    /// The closed batches that wait to be sent, in order within each partition.
    pub fn waiting(&self) -> impl Iterator<Item = SentBatch<'_>> {
        self.accumulator.batches().map(|batch| (&batch.to, &batch.proposal.records))
    }

    /// Gives a record its place. Returns whether its `send` is over: it may have to wait for memory.
    fn place(&mut self, record: &ProducerRecord, out: &mut Outbox) -> bool {
        let now = out.now();
        let timestamp =
            if scope::CLUSTER { self.timestamp_of_next(now) } else { now.epoch_millis() };
        let appended = Record {
            key: record.key.clone(),
            value: record.value.clone(),
            timestamp,
            headers: record.headers.clone(),
        };
        if scope::CLUSTER
            && let Some(error) = self.config.too_large(appended.batch_limit())
        {
            reply_failed(record, error, out);
            return true;
        }
        let Some(choice) = self.choose(record, &appended, out) else { return true };
        let to = TopicPartition::new(&record.topic, choice.partition);
        if scope::CLUSTER && !self.open.contains_key(&to) {
            let bytes = self.config.batch_size.max(appended.batch_limit());
            match self.allocate(bytes, timestamp) {
                Ok(true) => {}
                Ok(false) => return false,
                Err(error) => {
                    reply_failed(record, error, out);
                    return true;
                }
            }
        }
        out.emit(EventKind::RecordPartitioned {
            family: self.config.family,
            partition: to.clone(),
            key: record.key.clone(),
            value: record.value.clone(),
            why: choice.why,
        });
        let bytes = self.append(&to, appended, out);
        self.count_sticky(&to, choice.why, bytes, out);
        true
    }

    /// Picks the partition. A batch of it that has no room for the record is sent; it may have
    /// been what kept the producer with that partition (`RecordAccumulator.partitionChanged`).
    fn choose(
        &mut self,
        record: &ProducerRecord,
        appended: &Record,
        out: &mut Outbox,
    ) -> Option<Choice> {
        let mut asked_again = false;
        loop {
            let context = self.context(&record.topic, out)?;
            let partitions = context.partitions;
            if scope::CLUSTER {
                self.topics.get_mut(&record.topic)?.used = out.now();
            }
            let choice = match record.partition {
                Some(PartitionId(n)) if u32::try_from(n).is_ok_and(|n| n < partitions) => {
                    Choice { partition: PartitionId(n), why: Why::Given }
                }
                Some(n) => {
                    let text = format!(
                        "Invalid partition given with record: {n} is not in the range \
                         [0...{partitions})."
                    );
                    let error = KafkaError::new(ErrorCode::UnknownTopicOrPartition, text);
                    reply_failed(record, error, out);
                    return None;
                }
                None if scope::CLUSTER => self.choose_by_rule(&record.topic, appended, &context)?,
                None => partitioner::choose(
                    self.config.family,
                    record.key.as_ref(),
                    &mut self.topics.get_mut(&record.topic)?.keyless,
                    &context,
                ),
            };
            let to = TopicPartition::new(&record.topic, choice.partition);
            if self.open.get(&to).is_some_and(|batch| batch.has_room_for(appended)) {
                return Some(choice);
            }
            if let Some(mut batch) = self.open.remove(&to) {
                self.send(vec![batch.close(&to)], out);
            }
            if scope::CLUSTER && choice.why != Why::Given && !asked_again {
                asked_again = true;
                if self.on_new_batch(&record.topic, appended, &context) {
                    continue;
                }
            }
            if !self.count_sticky(&to, choice.why, 0, out) {
                if scope::CLUSTER {
                    self.note_batch(&to, &context);
                }
                return Some(choice);
            }
        }
    }

    fn context(&self, topic: &TopicName, out: &Outbox) -> Option<Context> {
        let partitions = self.topics.get(topic)?.image.partitions.len();
        let partitions = u32::try_from(partitions).unwrap_or(u32::MAX);
        Some(Context { seed: self.seed, who: self.who, partitions, now: out.now().0 })
    }

    /// Counts bytes for Java's sticky partition; whether that drew another one.
    fn count_sticky(&mut self, to: &TopicPartition, why: Why, bytes: u32, out: &Outbox) -> bool {
        let open_batch_waits = self.open.contains_key(to);
        if why != Why::Sticky || self.config.family != ClientFamily::Java {
            return false;
        }
        let batch_size = self.config.batch_size.max(1);
        let Some(context) = self.context(&to.topic, out) else { return false };
        if scope::CLUSTER {
            let bytes = (bytes, batch_size);
            return self.update_partition_info(&to.topic, bytes, open_batch_waits, &context);
        }
        self.topics.get_mut(&to.topic).is_some_and(|topic| {
            let keyless = &mut topic.keyless;
            java::update_partition_info(keyless, bytes, batch_size, open_batch_waits, |keyless| {
                keyless.draw(&context);
            })
        })
    }

    /// Adds to the partition's open batch, which has room or is made; sends it if that fills it.
    /// Returns by how many bytes the batch grew.
    fn append(&mut self, to: &TopicPartition, record: Record, out: &mut Outbox) -> u32 {
        let opened = out.now();
        let linger = SimDuration::from_millis(self.config.linger_ms);
        let batch_size = self.config.batch_size;
        let ratio = if scope::CLUSTER { self.expected_ratio(&to.topic) } else { None };
        let (accumulator, who, acks) = (&mut self.accumulator, self.who, self.config.acks);
        let batch = self.open.get_or_insert_with(to.clone(), || {
            out.timer(linger, Timer::Linger);
            let limit = batch_size.max(record.batch_limit());
            let mut batch = OpenBatch::new(opened, limit, ratio);
            if scope::CLUSTER {
                batch.allocated = limit;
                batch.origin = Always::new(Some(accumulator.origin_of_next(who, acks)));
            }
            batch
        });
        let grown = batch.push(record);
        if batch.is_full()
            && let Some(mut batch) = self.open.remove(to)
        {
            self.send(vec![batch.close(to)], out);
        }
        grown
    }

    /// Sends what has waited for `linger.ms`.
    fn send_ready(&mut self, out: &mut Outbox) {
        let linger = SimDuration::from_millis(self.config.linger_ms);
        let now = out.now();
        let mut due = Vec::new();
        self.open.retain(|to, batch| {
            let waits = batch.opened + linger > now;
            if !waits {
                due.push(batch.close(to));
            }
            waits
        });
        self.send(due, out);
    }

    fn send_all(&mut self, out: &mut Outbox) {
        let mut batches = Vec::new();
        for (to, mut batch) in std::mem::take(&mut self.open) {
            batches.push(batch.close(&to));
        }
        self.send(batches, out);
    }

    fn maybe_close(&mut self, out: &mut Outbox) {
        if self.closing
            && self.blocked.is_empty()
            && self.open.is_empty()
            && self.in_flight.is_empty()
            && (!scope::CLUSTER || self.accumulator.is_empty() && !self.awaits_answer())
        {
            self.closing = false;
            out.reply(ClientReply::Closed);
        }
    }
}

/// A batch: where it goes, and its records.
pub type SentBatch<'a> = (&'a TopicPartition, &'a Rc<[Record]>);

fn reply_failed(record: &ProducerRecord, error: KafkaError, out: &mut Outbox) {
    reply_failed_because(record, error, None, out);
}

fn reply_failed_because(
    record: &ProducerRecord,
    error: KafkaError,
    cause: Option<ErrorCode>,
    out: &mut Outbox,
) {
    out.reply(ClientReply::Sent(Sent {
        topic: record.topic.clone(),
        key_size: size(record.key.as_ref()),
        value_size: size(record.value.as_ref()),
        content: Always::of(|| (record.key.clone(), record.value.clone())),
        result: Err(error),
        cause: Always::new(cause),
    }));
}

fn size(bytes: Option<&Bytes>) -> Option<u32> {
    bytes.map(|bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests;
