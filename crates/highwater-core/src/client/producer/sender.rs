//! A producer's batches on their way: one request to each leader, tried again after errors that may
//! pass, given up after `delivery.timeout.ms` (Kafka's `Sender`).

use std::rc::Rc;

use super::{Producer, size};
use crate::client::{ClientReply, Sent};
use crate::draw::{Purpose, draw_below};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, Offset, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::Proposal;
use crate::net::message::{Acks, ProducerBatch, Request};
use crate::scope;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// `retry.backoff.ms`
pub(super) const RETRY_BACKOFF: SimDuration = SimDuration::from_millis(100);
/// `retry.backoff.max.ms`
const RETRY_BACKOFF_MAX: SimDuration = SimDuration::from_millis(1_000);
/// `request.timeout.ms`
const REQUEST_TIMEOUT_MS: u64 = 30_000;
pub(super) const REQUEST_TIMEOUT: SimDuration = SimDuration::from_millis(REQUEST_TIMEOUT_MS);
/// `delivery.timeout.ms`
const DELIVERY_TIMEOUT_MS: u64 = 120_000;

/// A batch that is closed.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    to: TopicPartition,
    proposal: Proposal,
    created: SimTime,
    /// How often it has failed.
    attempts: u32,
}

/// A request that waits for its answer.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    batches: Rc<Vec<Batch>>,
    deadline: SimTime,
}

impl Batch {
    pub(super) fn new(to: TopicPartition, records: Rc<[Record]>, created: SimTime) -> Self {
        Self { to, proposal: Proposal::from(records), created, attempts: 0 }
    }
}

/// Whether trying again may help.
fn is_retriable(code: ErrorCode) -> bool {
    is_wrong_leader(code)
        || matches!(
            code,
            ErrorCode::NotEnoughReplicas
                | ErrorCode::NotEnoughReplicasAfterAppend
                | ErrorCode::Timeout
                | ErrorCode::CorruptMessage
        )
}

/// Whether what the producer knows of the topic is out of date (`InvalidMetadataException`).
fn is_wrong_leader(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::NotLeaderOrFollower
            | ErrorCode::LeaderNotAvailable
            | ErrorCode::FencedLeaderEpoch
            | ErrorCode::UnknownLeaderEpoch
            | ErrorCode::UnknownTopicOrPartition
            | ErrorCode::Network
    )
}

impl Producer {
    /// One `Produce` to each leader.
    pub(super) fn send(&mut self, batches: Vec<Batch>, out: &mut Outbox) {
        let mut by_leader: SortedMap<BrokerId, Vec<Batch>> = SortedMap::new();
        for batch in batches {
            match self.leader(&batch.to) {
                Some(leader) => by_leader.get_or_insert_with(leader, Vec::new).push(batch),
                None if scope::CLUSTER => {
                    self.mark_stale(&batch.to.topic);
                    self.put_off(batch, RETRY_BACKOFF, out);
                }
                None => {
                    report(&batch, &Err(KafkaError::plain(ErrorCode::NotLeaderOrFollower)), out);
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
                batches.push(batch.close(to));
            }
            stays
        });
        for (leader, batches) in by_leader {
            self.send_to(leader, batches, out);
        }
    }

    fn leader(&self, to: &TopicPartition) -> Option<BrokerId> {
        self.topics.get(&to.topic)?.image.leader(to.partition)
    }

    fn mark_stale(&mut self, topic: &TopicName) {
        if let Some(topic) = self.topics.get_mut(topic) {
            topic.stale = true;
        }
    }

    fn send_to(&mut self, leader: BrokerId, batches: Vec<Batch>, out: &mut Outbox) {
        let mut contents: Vec<ProducerBatch> = Vec::new();
        for batch in &batches {
            contents.push((batch.to.clone(), batch.proposal.clone()));
        }
        let acks = self.config.acks;
        let request =
            Request::Produce { acks, timeout_ms: REQUEST_TIMEOUT_MS, batches: Rc::new(contents) };
        let id = out.request(NodeId::Broker(leader), request);
        if acks == Acks::None {
            for batch in &batches {
                report(batch, &Ok(None), out);
            }
            return;
        }
        let deadline = out.now() + REQUEST_TIMEOUT;
        self.in_flight.insert(id, InFlight { batches: Rc::new(batches), deadline });
        self.watch(out);
    }

    /// Sees to it that no request waits forever.
    pub(super) fn watch(&mut self, out: &mut Outbox) {
        if scope::CLUSTER && !self.watching {
            self.watching = true;
            out.timer(REQUEST_TIMEOUT, Timer::InFlightExpiry);
        }
    }

    /// Requests that have waited too long count as lost.
    pub(super) fn expire_in_flight(&mut self, out: &mut Outbox) {
        self.watching = false;
        let now = out.now();
        let late = self.in_flight.iter().filter(|(_, request)| request.deadline <= now);
        let late: Vec<MessageId> = late.map(|(id, _)| *id).collect();
        for id in late {
            self.handle_disconnect(id, false, out);
        }
        if let Some((id, _)) = self.asked_with.filter(|(_, deadline)| *deadline <= now) {
            self.handle_disconnect(id, false, out);
        }
        let asked = self.asked_with.map(|(_, deadline)| deadline);
        let deadlines = self.in_flight.values().map(|request| request.deadline);
        let next = deadlines.chain(asked).min();
        if let Some(next) = next {
            self.watching = true;
            out.timer(SimDuration(next.0 - now.0), Timer::InFlightExpiry);
        }
    }

    pub(super) fn handle_produced(
        &mut self,
        correlation: MessageId,
        answers: &[(TopicPartition, Result<Offset, KafkaError>)],
        out: &mut Outbox,
    ) {
        let Some(sent) = self.in_flight.remove(&correlation) else { return };
        for batch in sent.batches.iter() {
            let answer = answers.iter().find(|(which, _)| *which == batch.to);
            match answer {
                Some((_, Ok(base))) => report(batch, &Ok(Some(*base)), out),
                Some((_, Err(error))) => self.handle_failure(batch, error, out),
                None => {
                    let error = KafkaError::plain(ErrorCode::UnknownTopicOrPartition);
                    self.handle_failure(batch, &error, out);
                }
            }
        }
        self.maybe_close(out);
    }

    /// There will be no answer to that request.
    pub(super) fn handle_disconnect(
        &mut self,
        request: MessageId,
        refused: bool,
        out: &mut Outbox,
    ) {
        if self.asked_with.is_some_and(|(asked, _)| asked == request) {
            self.asked_with = None;
            let failure = self.connection.failure();
            let next = self.connection.note_failure();
            self.warn(&failure, out);
            let pause = if next { SimDuration(0) } else { RETRY_BACKOFF_MAX };
            return out.timer(pause, Timer::MetadataBackoff);
        }
        let Some(lost) = self.in_flight.remove(&request) else { return };
        let error = KafkaError::new(
            ErrorCode::Network,
            "The server disconnected before a response was received.",
        );
        for batch in lost.batches.iter() {
            if refused {
                // It was never sent: it waits until somebody else leads, or the broker is back.
                self.mark_stale(&batch.to.topic);
                self.put_off(batch.clone(), RETRY_BACKOFF, out);
            } else {
                self.handle_failure(batch, &error, out);
            }
        }
        self.maybe_close(out);
    }

    /// A batch was not taken: it is tried again, or its records fail.
    fn handle_failure(&mut self, batch: &Batch, error: &KafkaError, out: &mut Outbox) {
        let retries = self.config.retries;
        let is_late = batch.created + SimDuration::from_millis(DELIVERY_TIMEOUT_MS) <= out.now();
        let again =
            scope::CLUSTER && is_retriable(error.code) && batch.attempts < retries && !is_late;
        if !again {
            return report(batch, &Err(error.clone()), out);
        }
        let left = retries - batch.attempts - 1;
        let (to, name) = (&batch.to, error.code.name());
        // The number that Kafka counts on each connection.
        let number = self.asked;
        self.warn(
            &format!(
                "Got error produce response with correlation id {number} on topic-partition {to}, \
                 retrying ({left} attempts left). Error: {name} \
                 (org.apache.kafka.clients.producer.internals.Sender)"
            ),
            out,
        );
        if is_wrong_leader(error.code) {
            self.mark_stale(&to.topic);
        }
        let pause = self.backoff(batch.attempts);
        self.put_off(Batch { attempts: batch.attempts + 1, ..batch.clone() }, pause, out);
    }

    /// Twice as long after each failure, within a fifth more or less (KIP-580).
    fn backoff(&self, attempts: u32) -> SimDuration {
        let doubled = RETRY_BACKOFF.0.checked_shl(attempts.min(16)).unwrap_or(u64::MAX);
        let base = doubled.min(RETRY_BACKOFF_MAX.0);
        let jitter = draw_below(self.seed, Purpose::RetryJitter, self.who, attempts.into(), 401);
        SimDuration(base * (800 + u64::from(jitter)) / 1_000)
    }

    fn put_off(&mut self, batch: Batch, pause: SimDuration, out: &mut Outbox) {
        self.retries.push((out.now() + pause, batch));
        out.timer(pause, Timer::RetryBackoff);
    }

    /// Sends what has waited long enough, once the leaders are known again.
    pub(super) fn send_again(&mut self, out: &mut Outbox) {
        let now = out.now();
        let limit = SimDuration::from_millis(DELIVERY_TIMEOUT_MS);
        let (mut due, mut waiting) = (Vec::new(), Vec::new());
        let mut unknown: Option<TopicName> = None;
        for (at, batch) in std::mem::take(&mut self.retries) {
            let stale = self.topics.get(&batch.to.topic).is_none_or(|topic| topic.stale);
            if batch.created + limit <= now {
                expire(&batch, out);
            } else if at > now || stale {
                if stale && at <= now {
                    unknown.get_or_insert_with(|| batch.to.topic.clone());
                }
                waiting.push((at, batch));
            } else {
                due.push(batch);
            }
        }
        self.retries = waiting;
        self.send(due, out);
        if let Some(topic) = unknown {
            self.ask_about(topic, out);
        }
        self.maybe_close(out);
    }
}

/// A batch has waited longer than `delivery.timeout.ms`.
fn expire(batch: &Batch, out: &mut Outbox) {
    let (count, to) = (batch.proposal.records.len(), &batch.to);
    let text = format!(
        "Expiring {count} record(s) for {to}:{DELIVERY_TIMEOUT_MS} ms has passed since batch \
         creation. The request has not been sent, or no server response has been received yet."
    );
    report(batch, &Err(KafkaError::new(ErrorCode::Timeout, text)), out);
}

/// Tells the process about each record of a batch. `base` is the offset of the first one; nothing
/// with acks=0, where nobody knows it.
fn report(batch: &Batch, base: &Result<Option<Offset>, KafkaError>, out: &mut Outbox) {
    for (n, record) in (0u32..).zip(&*batch.proposal.records) {
        let offset = |base: Option<Offset>| base.map_or(Offset(-1), |base| base.plus(n));
        let result = base.clone().map(|base| (batch.to.partition, offset(base)));
        out.reply(ClientReply::Sent(Sent {
            topic: batch.to.topic.clone(),
            key_size: size(record.key.as_ref()),
            value_size: size(record.value.as_ref()),
            result,
        }));
    }
}
