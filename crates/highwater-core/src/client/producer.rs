//! The producer: picks a partition for each record, gathers batches, sends them to the leaders
//! (Kafka's `KafkaProducer` and `RecordAccumulator`).
//!
//! Retries and idempotence come with faults; here every request is answered.

use crate::sorted_map::SortedMap;
use std::rc::Rc;

use crate::client::partitioner::{self, Choice, ClientFamily, Context, KeylessState, Why, java};
use crate::client::{Bootstrap, ClientCommand, ClientReply, LogLevel, Sent};
use crate::controller::records::TopicImage;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{
    BrokerId, Bytes, MessageId, NodeId, Offset, PartitionId, TopicName, TopicPartition,
};
use crate::log::record::{BATCH_OVERHEAD, Record};
use crate::net::message::{Acks, Body, Message, ProducerBatch, ProducerRecord, Request, Response};
use crate::time::{SimDuration, SimTime};
use crate::world::event::EventKind;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// `retry.backoff.ms`, between two questions for a topic that does not exist yet.
const RETRY_BACKOFF_MS: u64 = 100;
/// `max.block.ms`: how long a record waits for its topic.
const MAX_BLOCK_MS: u64 = 60_000;

/// How a producer behaves.
#[derive(Debug)]
pub struct ProducerConfig {
    /// The client family, which decides about partitions.
    pub family: ClientFamily,
    /// `client.id`.
    pub client_id: String,
    /// Where to begin.
    pub bootstrap: Bootstrap,
    /// `acks`.
    pub acks: Acks,
    /// `linger.ms`.
    pub linger_ms: u64,
    /// `batch.size`.
    pub batch_size: u32,
}

/// What is known of a topic.
#[derive(Clone, Debug)]
struct Topic {
    image: Rc<TopicImage>,
    keyless: KeylessState,
}

/// Records that wait to be sent together.
#[derive(Clone, Debug)]
struct OpenBatch {
    records: Vec<Record>,
    opened: SimTime,
    /// Bytes so far.
    size: u32,
    /// How large it may grow: `batch.size`, or more if its first record needs more.
    limit: u32,
}

impl OpenBatch {
    /// Its size with one more record.
    fn size_with(&self, record: &Record) -> u32 {
        let base = self.records.first().map_or(record.timestamp, |first| first.timestamp);
        let delta = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        let before = if delta == 0 { BATCH_OVERHEAD } else { self.size };
        before.saturating_add(record.size_in_bytes(base, delta))
    }

    /// Whether one more record fits (`MemoryRecordsBuilder.hasRoomFor`).
    fn has_room_for(&self, record: &Record) -> bool {
        self.size_with(record) <= self.limit
    }
}

/// A producer.
#[derive(Clone, Debug)]
pub struct Producer {
    config: Rc<ProducerConfig>,
    seed: u64,
    who: u64,
    topics: SortedMap<TopicName, Topic>,
    /// Records whose topic is not known yet, oldest first, each with the moment it came.
    blocked: Vec<Rc<(SimTime, Rc<ProducerRecord>)>>,
    asking: bool,
    /// Metadata requests so far: their correlation ids, as the log names them.
    asked: u32,
    open: SortedMap<TopicPartition, OpenBatch>,
    in_flight: SortedMap<MessageId, Rc<Vec<ProducerBatch>>>,
    closing: bool,
}

impl Producer {
    /// A producer that knows nothing but its bootstrap address.
    #[must_use]
    pub fn new(config: ProducerConfig, seed: u64, who: u64) -> Self {
        Self {
            config: Rc::new(config),
            seed,
            who,
            topics: SortedMap::new(),
            blocked: Vec::new(),
            asking: false,
            asked: 0,
            open: SortedMap::new(),
            in_flight: SortedMap::new(),
            closing: false,
        }
    }

    /// Handles `Send` and `Close`.
    pub fn handle_command(&mut self, command: &ClientCommand, out: &mut Outbox) {
        match command {
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
            Timer::Linger => self.send_ready(out),
            Timer::MetadataBackoff => {
                self.expire_blocked(out);
                self.place_blocked(out);
            }
            _ => {}
        }
    }

    /// Handles an answer.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        let Body::Response(response) = &message.body else { return };
        match response {
            Response::Metadata { topics, .. } => {
                self.asking = false;
                for (name, topic) in topics.iter() {
                    match topic {
                        Ok(image) => {
                            let image = Rc::clone(image);
                            let keyless = KeylessState::default();
                            self.topics.insert(name.clone(), Topic { image, keyless });
                        }
                        Err(error) => self.handle_unknown_topic(name, error, out),
                    }
                }
                self.place_blocked(out);
            }
            Response::Produce(answers) => {
                let Some(sent) = self.in_flight.remove(&message.correlation) else { return };
                for (partition, records) in sent.iter() {
                    let answer = answers.iter().find(|(which, _)| which == partition);
                    let answer = answer
                        .map_or_else(|| Err(unknown()), |(_, answer)| answer.clone().map(Some));
                    report(partition, records, answer, out);
                }
                self.maybe_close(out);
            }
            _ => {}
        }
    }

    /// Gives partitions to the records at the front whose topic is known; asks about the first
    /// other one. Order is kept, as `send` blocks.
    fn place_blocked(&mut self, out: &mut Outbox) {
        let known =
            |(_, record): &(SimTime, Rc<ProducerRecord>)| self.topics.contains_key(&record.topic);
        let ready = self.blocked.iter().take_while(|blocked| known(blocked)).count();
        let rest = self.blocked.split_off(ready);
        for blocked in std::mem::replace(&mut self.blocked, rest) {
            self.place(&blocked.1, out);
        }
        if let Some(first) = self.blocked.first() {
            let topic = first.1.topic.clone();
            return self.ask_about(topic, out);
        }
        if self.closing {
            self.send_all(out);
            self.maybe_close(out);
        }
    }

    fn ask_about(&mut self, topic: TopicName, out: &mut Outbox) {
        if self.asking {
            return;
        }
        self.asking = true;
        match &self.config.bootstrap {
            Bootstrap::Broker(broker) => {
                let topics = Some(vec![topic]);
                let request = Request::Metadata { topics, allow_auto_topic_creation: true };
                self.asked += 1;
                out.request(NodeId::Broker(*broker), request);
            }
            Bootstrap::Nobody(address) => {
                let text = format!(
                    "[Producer clientId={}] {}",
                    self.config.client_id,
                    super::admin::unreachable(address)
                );
                out.reply(ClientReply::Log(LogLevel::Warn, text));
                out.timer(SimDuration::from_millis(MAX_BLOCK_MS), Timer::MetadataBackoff);
            }
        }
    }

    fn handle_unknown_topic(&mut self, name: &TopicName, error: &KafkaError, out: &mut Outbox) {
        let (client_id, asked) = (&self.config.client_id, self.asked);
        let text = format!(
            "[Producer clientId={client_id}] The metadata response from the cluster reported a \
             recoverable issue with correlation id {asked} : {{{name}={}}} \
             (org.apache.kafka.clients.NetworkClient)",
            error.code.name()
        );
        out.reply(ClientReply::Log(LogLevel::Warn, text));
        if error.code == ErrorCode::InvalidTopic {
            let text = format!(
                "[Producer clientId={client_id}] Metadata response reported invalid topics \
                 [{name}] (org.apache.kafka.clients.Metadata)"
            );
            out.reply(ClientReply::Log(LogLevel::Error, text));
            let error = KafkaError::new(error.code, format!("Invalid topics: [{name}]"));
            self.fail_blocked(name, &error, out);
        } else {
            // The broker is creating it: ask again soon.
            self.asking = true;
            out.timer(SimDuration::from_millis(RETRY_BACKOFF_MS), Timer::MetadataBackoff);
        }
    }

    fn expire_blocked(&mut self, out: &mut Outbox) {
        self.asking = false;
        let limit = SimDuration::from_millis(MAX_BLOCK_MS);
        if let Some(first) = self.blocked.first()
            && first.0 + limit <= out.now()
        {
            let topic = first.1.topic.clone();
            let text = format!("Topic {topic} not present in metadata after {MAX_BLOCK_MS} ms.");
            let error = KafkaError::new(ErrorCode::Timeout, text);
            self.fail_blocked(&topic, &error, out);
        }
    }

    /// Gives up what waits for this topic.
    fn fail_blocked(&mut self, topic: &TopicName, error: &KafkaError, out: &mut Outbox) {
        self.blocked.retain(|blocked| {
            let fails = blocked.1.topic == *topic;
            if fails {
                reply_failed(&blocked.1, error.clone(), out);
            }
            !fails
        });
        self.maybe_close(out);
    }

    fn place(&mut self, record: &ProducerRecord, out: &mut Outbox) {
        let timestamp = out.now().epoch_millis();
        let appended = Record {
            key: record.key.clone(),
            value: record.value.clone(),
            timestamp,
            headers: record.headers.clone(),
        };
        let Some(choice) = self.choose(record, &appended, out) else { return };
        let to = TopicPartition::new(&record.topic, choice.partition);
        out.emit(EventKind::RecordPartitioned {
            family: self.config.family,
            partition: to.clone(),
            key: record.key.clone(),
            value: record.value.clone(),
            why: choice.why,
        });
        let bytes = self.append(&to, appended, out);
        self.count_sticky(&to, choice.why, bytes, out);
    }

    /// Picks the partition. A batch of it that has no room for the record is sent; it may have
    /// been what kept the producer with that partition (`RecordAccumulator.partitionChanged`).
    fn choose(
        &mut self,
        record: &ProducerRecord,
        appended: &Record,
        out: &mut Outbox,
    ) -> Option<Choice> {
        loop {
            let context = self.context(&record.topic, out)?;
            let partitions = context.partitions;
            let topic = self.topics.get_mut(&record.topic)?;
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
                None => partitioner::choose(
                    self.config.family,
                    record.key.as_ref(),
                    &mut topic.keyless,
                    &context,
                ),
            };
            let to = TopicPartition::new(&record.topic, choice.partition);
            if self.open.get(&to).is_some_and(|batch| batch.has_room_for(appended)) {
                return Some(choice);
            }
            if let Some(batch) = self.open.remove(&to) {
                self.send(vec![(to.clone(), batch.records)], out);
            }
            if !self.count_sticky(&to, choice.why, 0, out) {
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
        self.topics.get_mut(&to.topic).is_some_and(|topic| {
            let keyless = &mut topic.keyless;
            java::update_partition_info(keyless, bytes, batch_size, open_batch_waits, &context)
        })
    }

    /// Adds to the partition's open batch, which has room or is made; sends it if that fills it.
    /// Returns by how many bytes the batch grew.
    fn append(&mut self, to: &TopicPartition, record: Record, out: &mut Outbox) -> u32 {
        let opened = out.now();
        let linger = SimDuration::from_millis(self.config.linger_ms);
        let batch_size = self.config.batch_size;
        let batch = self.open.get_or_insert_with(to.clone(), || {
            out.timer(linger, Timer::Linger);
            let limit = batch_size.max(record.batch_limit());
            OpenBatch { records: Vec::new(), opened, size: 0, limit }
        });
        let before = batch.size;
        batch.size = batch.size_with(&record);
        batch.records.push(record);
        let grown = batch.size - before;
        if batch.size >= batch.limit
            && let Some(batch) = self.open.remove(to)
        {
            self.send(vec![(to.clone(), batch.records)], out);
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
                due.push((to.clone(), std::mem::take(&mut batch.records)));
            }
            waits
        });
        self.send(due, out);
    }

    fn send_all(&mut self, out: &mut Outbox) {
        let mut batches = Vec::new();
        for (to, batch) in std::mem::take(&mut self.open) {
            batches.push((to, batch.records));
        }
        self.send(batches, out);
    }

    /// One `Produce` to each leader.
    fn send(&mut self, batches: Vec<(TopicPartition, Vec<Record>)>, out: &mut Outbox) {
        let mut by_leader: SortedMap<BrokerId, Vec<ProducerBatch>> = SortedMap::new();
        for (to, records) in batches {
            let topic = self.topics.get(&to.topic);
            let leader = topic.and_then(|topic| topic.image.leader(to.partition));
            let batch = (to, Rc::from(records));
            match leader {
                Some(leader) => by_leader.get_or_insert_with(leader, Vec::new).push(batch),
                None => {
                    let error = KafkaError::plain(ErrorCode::NotLeaderOrFollower);
                    report(&batch.0, &batch.1, Err(error), out);
                }
            }
        }
        // What still lingers for the same leader goes along (`RecordAccumulator.drain`).
        let topics = &self.topics;
        self.open.retain(|to, batch| {
            let leader = topics.get(&to.topic).and_then(|topic| topic.image.leader(to.partition));
            let along = leader.and_then(|leader| by_leader.get_mut(&leader));
            let stays = along.is_none();
            if let Some(batches) = along {
                batches.push((to.clone(), Rc::from(std::mem::take(&mut batch.records))));
            }
            stays
        });
        let acks = self.config.acks;
        for (leader, batches) in by_leader {
            let sent = Rc::new(batches);
            let batches = Rc::clone(&sent);
            let id = out.request(NodeId::Broker(leader), Request::Produce { acks, batches });
            if acks == Acks::None {
                for (to, records) in sent.iter() {
                    report(to, records, Ok(None), out);
                }
            } else {
                self.in_flight.insert(id, sent);
            }
        }
    }

    fn maybe_close(&mut self, out: &mut Outbox) {
        if self.closing
            && self.blocked.is_empty()
            && self.open.is_empty()
            && self.in_flight.is_empty()
        {
            self.closing = false;
            out.reply(ClientReply::Closed);
        }
    }
}

/// Tells the process about each record of a batch. `base` is the offset of the first one; nothing
/// with acks=0, where nobody knows it.
fn report(
    to: &TopicPartition,
    records: &[Record],
    base: Result<Option<Offset>, KafkaError>,
    out: &mut Outbox,
) {
    for (n, record) in (0u32..).zip(records) {
        let result =
            base.clone().map(|base| (to.partition, base.map_or(Offset(-1), |base| base.plus(n))));
        out.reply(ClientReply::Sent(Sent {
            topic: to.topic.clone(),
            key_size: size(record.key.as_ref()),
            value_size: size(record.value.as_ref()),
            result,
        }));
    }
}

fn reply_failed(record: &ProducerRecord, error: KafkaError, out: &mut Outbox) {
    out.reply(ClientReply::Sent(Sent {
        topic: record.topic.clone(),
        key_size: size(record.key.as_ref()),
        value_size: size(record.value.as_ref()),
        result: Err(error),
    }));
}

fn size(bytes: Option<&Bytes>) -> Option<u32> {
    bytes.map(|bytes| u32::try_from(bytes.len()).unwrap_or(u32::MAX))
}

fn unknown() -> KafkaError {
    KafkaError::plain(ErrorCode::UnknownTopicOrPartition)
}

#[cfg(test)]
mod tests;
