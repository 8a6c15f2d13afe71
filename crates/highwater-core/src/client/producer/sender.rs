//! A producer's batches on their way: one request to each leader, tried again after errors that may
//! pass (Kafka's `Sender`). When that is, and when a batch is given up, is in `drain`.

use std::rc::Rc;

use super::transaction_manager::Restamped;
use super::{Producer, RETRY_BACKOFF, size};
use crate::client::{ClientReply, Sent};
use crate::draw::{Purpose, draw_below};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, Offset, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::Proposal;
use crate::mutation::Mutation;
use crate::net::message::{Acks, ProducerBatch, Request};
use crate::scope;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// A batch that is closed.
#[derive(Clone, Debug)]
pub(super) struct Batch {
    pub(super) to: TopicPartition,
    pub(super) proposal: Proposal,
    pub(super) created: SimTime,
    /// How often it has failed.
    attempts: u32,
    /// Whether its sequence number is another one than that under which it was sent.
    has_been_reset: bool,
}

/// A request that waits for its answer.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub(super) leader: BrokerId,
    pub(super) batches: Rc<Vec<Batch>>,
    pub(super) deadline: SimTime,
}

/// Why there will be no answer.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Silence {
    /// Nobody took the connection, so that the request was not sent.
    Refused,
    /// The connection was closed.
    Disconnected,
    /// The answer did not come in time.
    TimedOut,
}

impl Batch {
    pub(super) fn new(to: TopicPartition, records: Rc<[Record]>, created: SimTime) -> Self {
        let proposal = Proposal::from(records);
        Self { to, proposal, created, attempts: 0, has_been_reset: false }
    }

    fn count(&self) -> u32 {
        u32::try_from(self.proposal.records.len()).unwrap_or(u32::MAX)
    }

    /// Takes the new number in place of the old one, if it is among those.
    pub(super) fn restamp(&mut self, restamped: &[Restamped]) {
        let mine = restamped.iter().find(|(old, _)| Some(*old) == self.proposal.producer);
        if let Some((_, new)) = mine {
            self.proposal.producer = Some(*new);
            self.has_been_reset = true;
        }
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
    /// Sends closed batches, or lets them wait until they may be sent.
    pub(super) fn send(&mut self, batches: Vec<Batch>, out: &mut Outbox) {
        if scope::CLUSTER {
            for batch in batches {
                self.accumulator.push(batch);
            }
            return self.drain(out);
        }
        let mut by_leader: SortedMap<BrokerId, Vec<Batch>> = SortedMap::new();
        for batch in batches {
            match self.leader(&batch.to) {
                Some(leader) => by_leader.get_or_insert_with(leader, Vec::new).push(batch),
                None => {
                    report(&batch, &Err(KafkaError::plain(ErrorCode::NotLeaderOrFollower)), out);
                }
            }
        }
        self.send_by_leader(by_leader, out);
    }

    /// One `Produce` to each leader.
    pub(super) fn send_by_leader(
        &mut self,
        mut by_leader: SortedMap<BrokerId, Vec<Batch>>,
        out: &mut Outbox,
    ) {
        // What still lingers for the same leader goes along (`RecordAccumulator.drain`).
        let (topics, accumulator) = (&self.topics, &self.accumulator);
        let is_idempotent = self.config.is_idempotent();
        self.open.retain(|to, batch| {
            let leader = topics.get(&to.topic).and_then(|topic| topic.leader(to.partition));
            let mut along = leader.and_then(|leader| by_leader.get_mut(&leader));
            if scope::CLUSTER {
                along = along.filter(|_| {
                    accumulator.has_none_of(to)
                        && (!is_idempotent || accumulator.transactions.may_send(to, None))
                });
            }
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

    pub(super) fn leader(&self, to: &TopicPartition) -> Option<BrokerId> {
        self.topics.get(&to.topic)?.leader(to.partition)
    }

    pub(super) fn mark_stale(&mut self, topic: &TopicName) {
        if let Some(topic) = self.topics.get_mut(topic) {
            topic.stale = true;
        }
    }

    fn send_to(&mut self, leader: BrokerId, mut batches: Vec<Batch>, out: &mut Outbox) {
        if self.config.is_idempotent() {
            for batch in &mut batches {
                batch.has_been_reset = false;
                if batch.proposal.producer.is_none() {
                    let count = batch.count();
                    let stamp = self.accumulator.transactions.assign(&batch.to, count);
                    batch.proposal.producer = stamp;
                }
            }
        }
        let mut contents: Vec<ProducerBatch> = Vec::new();
        if scope::CLUSTER {
            contents.reserve_exact(batches.len());
        }
        for batch in &batches {
            contents.push((batch.to.clone(), batch.proposal.clone()));
        }
        let acks = self.config.acks;
        let timeout = self.request_timeout();
        let timeout_ms = timeout.0 / 1_000;
        let request = Request::Produce { acks, timeout_ms, batches: Rc::new(contents) };
        let id = out.request(NodeId::Broker(leader), request);
        if acks == Acks::None {
            for batch in &batches {
                if scope::CLUSTER {
                    self.accumulator.unanswered += u64::from(batch.count());
                }
                report(batch, &Ok(None), out);
            }
            return;
        }
        let deadline = self.deadline(out);
        self.in_flight.insert(id, InFlight { leader, batches: Rc::new(batches), deadline });
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
                Some((_, Ok(base))) => self.complete(batch, Some(*base), out),
                Some((_, Err(error))) => self.handle_failure(batch, error, out),
                None => {
                    let error = KafkaError::plain(ErrorCode::UnknownTopicOrPartition);
                    self.handle_failure(batch, &error, out);
                }
            }
        }
        if scope::CLUSTER {
            self.drain(out);
        }
        self.maybe_close(out);
    }

    /// A batch was acknowledged.
    fn complete(&mut self, batch: &Batch, base: Option<Offset>, out: &mut Outbox) {
        if scope::CLUSTER
            && let Some(stamp) = batch.proposal.producer
        {
            self.accumulator.transactions.handle_completed(&batch.to, stamp);
        }
        report(batch, &Ok(base), out);
    }

    /// There will be no answer to that request.
    pub(super) fn handle_disconnect(
        &mut self,
        request: MessageId,
        silence: Silence,
        out: &mut Outbox,
    ) {
        if self.asked_with.is_some_and(|(asked, _)| asked == request) {
            self.asked_with = None;
            let pause = self.give_up_node(silence, out);
            return out.timer(pause, Timer::MetadataBackoff);
        }
        let asked = &mut self.accumulator.transactions.asked;
        if asked.take_if(|(asked, _)| *asked == request).is_some() {
            let pause = self.give_up_node(silence, out);
            self.accumulator.transactions.not_before = out.now() + pause;
            return out.timer(pause, Timer::RetryBackoff);
        }
        if let Some(lost) = self.in_flight.remove(&request) {
            self.handle_lost(&lost, silence, out);
            self.drain(out);
        } else if self.config.acks == Acks::None {
            // What was sent is lost; what follows goes to whoever leads now (`handleServerDisconnect`).
            for topic in self.topics.values_mut() {
                topic.stale = true;
            }
            self.drain(out);
        }
    }

    /// The node that was asked cannot be reached; returns how long to wait before the next is.
    fn give_up_node(&mut self, silence: Silence, out: &mut Outbox) -> SimDuration {
        let failure = match silence {
            Silence::Refused => Some(self.connection.failure()),
            Silence::Disconnected | Silence::TimedOut => self.connection.disconnection(),
        };
        let next = self.connection.note_failure();
        if let Some(failure) = failure {
            self.warn(&failure, out);
        }
        if next { SimDuration(0) } else { self.config.delivery().retry_backoff_max }
    }

    /// A request will not be answered.
    pub(super) fn handle_lost(&mut self, lost: &InFlight, silence: Silence, out: &mut Outbox) {
        let reason = if silence == Silence::TimedOut { " due to timeout" } else { "" };
        let text = format!("Disconnected from node {}{reason}", lost.leader);
        let code = match silence {
            Silence::TimedOut => ErrorCode::Timeout,
            _ => ErrorCode::Network,
        };
        if silence == Silence::Refused {
            self.accumulator.latencies.note_refused(lost.leader);
        }
        let error = KafkaError::new(code, text);
        for batch in lost.batches.iter() {
            if silence == Silence::Refused {
                // It was never sent: it waits until somebody else leads, or the broker is back.
                self.mark_stale(&batch.to.topic);
                self.put_off(batch.clone(), RETRY_BACKOFF, out);
            } else {
                self.handle_failure(batch, &error, out);
            }
        }
    }

    /// A batch was not taken: it is tried again, or its records fail.
    fn handle_failure(&mut self, batch: &Batch, error: &KafkaError, out: &mut Outbox) {
        if scope::CLUSTER {
            if is_wrong_leader(error.code) {
                self.mark_stale(&batch.to.topic);
            }
            if self.may_retry(batch, error.code, out) {
                return self.retry(batch, error, out);
            }
            if error.code == ErrorCode::DuplicateSequenceNumber {
                // It stands in the log; the leader does not remember where.
                return self.complete(batch, None, out);
            }
            if let Some(stamp) = batch.proposal.producer {
                let adjusts = batch.attempts < self.config.retries;
                let transactions = &mut self.accumulator.transactions;
                transactions.handle_failed(&batch.to, stamp, error.code, adjusts);
            }
        }
        report(batch, &Err(error.clone()), out);
    }

    fn may_retry(&mut self, batch: &Batch, code: ErrorCode, out: &Outbox) -> bool {
        let is_late = batch.created + self.config.delivery().delivery_timeout <= out.now();
        if is_late || batch.attempts >= self.config.retries {
            return false;
        }
        let transactions = &mut self.accumulator.transactions;
        let about_sequences = batch
            .proposal
            .producer
            .and_then(|stamp| transactions.can_retry(&batch.to, stamp, batch.has_been_reset, code));
        about_sequences.unwrap_or_else(|| is_retriable(code))
    }

    fn retry(&mut self, batch: &Batch, error: &KafkaError, out: &mut Outbox) {
        let left = self.config.retries - batch.attempts - 1;
        let (to, name) = (&batch.to, error.code.name());
        let message = match error.code {
            _ if error.message == error.code.default_message() => String::new(),
            _ => format!(". Error Message: {}", error.message),
        };
        // The number that Kafka counts on each connection.
        let number = self.asked;
        self.warn(
            &format!(
                "Got error produce response with correlation id {number} on topic-partition {to}, \
                 retrying ({left} attempts left). Error: {name}{message} \
                 (org.apache.kafka.clients.producer.internals.Sender)"
            ),
            out,
        );
        let pause = self.backoff(batch.attempts);
        let mut again = Batch { attempts: batch.attempts + 1, ..batch.clone() };
        again.proposal.resent = true;
        if self.mutation.is(Mutation::RetriedWithNewSequence)
            && let Some(stamp) = again.proposal.producer.take()
        {
            self.accumulator.transactions.handle_completed(&again.to, stamp);
        }
        self.put_off(again, pause, out);
    }

    /// Twice as long after each failure, within a fifth more or less (KIP-580).
    fn backoff(&self, attempts: u32) -> SimDuration {
        let delivery = self.config.delivery();
        let doubled = delivery.retry_backoff.0.saturating_mul(1 << attempts.min(16));
        let base = doubled.min(delivery.retry_backoff_max.0);
        let jitter = draw_below(self.seed, Purpose::RetryJitter, self.who, attempts.into(), 401);
        SimDuration(base.saturating_mul(800 + u64::from(jitter)) / 1_000)
    }

    fn put_off(&mut self, batch: Batch, pause: SimDuration, out: &mut Outbox) {
        self.accumulator.reenqueue(batch, out.now() + pause);
        out.timer(pause, Timer::RetryBackoff);
    }

    /// When a request that is sent now counts as lost. The broker, who has as much time, comes first with
    /// its answer that the time is over, as it does in Kafka.
    pub(super) fn deadline(&self, out: &Outbox) -> SimTime {
        let there_and_back = SimDuration(out.network_delay().0.saturating_mul(2));
        out.now() + self.request_timeout() + there_and_back + SimDuration::from_millis(1)
    }

    fn request_timeout(&self) -> SimDuration {
        let delivery = self.config.delivery.get();
        delivery.map_or(SimDuration::from_millis(30_000), |delivery| delivery.request_timeout)
    }
}

/// Tells the process about each record of a batch. `base` is the offset of the first one; nothing
/// with acks=0, where nobody knows it.
pub(super) fn report(batch: &Batch, base: &Result<Option<Offset>, KafkaError>, out: &mut Outbox) {
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
