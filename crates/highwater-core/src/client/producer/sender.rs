//! A producer's batches on their way: one request to each leader, tried again after errors that may
//! pass (Kafka's `Sender`). When that is, and when a batch is given up, is in `drain`.

use std::rc::Rc;

use super::open_batch::OpenBatch;
use super::retry::is_wrong_leader;
use super::transaction_manager::Restamped;
use super::{Producer, size};
use crate::client::connection::failure_of;
use crate::client::partitioner::ClientFamily;
use crate::client::{ClientReply, Sent};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, LeaderEpoch, MessageId, NodeId, Offset, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::Proposal;
use crate::net::message::{Acks, CurrentLeaders, ProducerBatch, Request};
use crate::scope::{self, Always};
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
    pub(super) attempts: u32,
    /// The leader epoch that was known when it was sent.
    pub(super) leader_epoch: Always<Option<LeaderEpoch>>,
    /// Whether its sequence number is another one than that under which it was sent.
    pub(super) has_been_reset: bool,
    /// How large it is.
    pub(super) room: Always<Room>,
}

/// How large a batch is, and was allowed to become.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Room {
    /// How large it is when it is sent; as long as it waits to be compressed, how large it may be.
    pub(super) size: u32,
    /// Its size when it is not compressed.
    pub(super) plain_size: u32,
    /// How large it might have grown.
    pub(super) limit: u32,
    /// How much of the producer's memory it holds.
    pub(super) allocated: u32,
    /// Whether it was part of one that was too large.
    pub(super) is_split: bool,
}

/// A request that waits for its answer.
#[derive(Clone, Debug)]
pub(super) struct InFlight {
    pub(super) leader: BrokerId,
    pub(super) batches: Rc<Vec<Batch>>,
    pub(super) deadline: SimTime,
    /// How long it may take, and what given up batches of it held of the producer's memory.
    pub(super) rest: Always<(SimDuration, u32)>,
}

/// For each partition the offset of the first record, or why not.
type Answers<'a> = &'a [(TopicPartition, Result<Offset, KafkaError>)];

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
        Self {
            to,
            proposal,
            created,
            attempts: 0,
            leader_epoch: Always::new(None),
            has_been_reset: false,
            room: Always::of(Room::default),
        }
    }

    pub(super) fn count(&self) -> u32 {
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
        let (topics, accumulator, config) = (&self.topics, &self.accumulator, &self.config);
        let is_idempotent = self.config.is_idempotent();
        self.open.retain(|to, batch| {
            let leader = topics.get(&to.topic).and_then(|topic| topic.leader(to.partition));
            let mut along = leader.and_then(|leader| by_leader.get_mut(&leader));
            if scope::CLUSTER {
                along = along.filter(|batches| {
                    accumulator.has_none_of(to)
                        && config.delivery().fits_request(batches, batch.estimated_size())
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
        if scope::CLUSTER {
            for batch in &mut batches {
                self.compress(batch);
                // The other clients do not name topics by their ids.
                let topic = self.topics.get(&batch.to.topic);
                let partition = topic.and_then(|topic| topic.image.partition(batch.to.partition));
                batch.leader_epoch = Always::new(partition.map(|it| it.leader_epoch));
                let topic = topic.filter(|_| self.config.family == ClientFamily::Java);
                batch.proposal.topic_id = Always::new(topic.map(|topic| topic.image.id));
            }
        }
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
                    self.accumulator.memory.deallocate(batch.room.known().allocated);
                }
                report(batch, &Ok(None), out);
            }
            return;
        }
        let patience = self.patience(out);
        let (batches, deadline) = (Rc::new(batches), out.now() + patience);
        let request = InFlight { leader, batches, deadline, rest: Always::of(|| (patience, 0)) };
        self.in_flight.insert(id, request);
    }

    pub(super) fn handle_produced(
        &mut self,
        correlation: MessageId,
        (answers, leaders): (Answers<'_>, Option<&CurrentLeaders>),
        out: &mut Outbox,
    ) {
        let Some(sent) = self.in_flight.remove(&correlation) else { return };
        if scope::CLUSTER {
            self.accumulator.memory.deallocate(sent.rest.known().1);
            self.accumulator.unreachable.remove(&sent.leader);
        }
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
            if let Some(leaders) = leaders {
                self.take_leaders(leaders, out);
            }
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
        if scope::CLUSTER {
            self.accumulator.memory.deallocate(batch.room.known().allocated);
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
        if self.end_connecting(request) {
            return self.drain(out);
        }
        if silence == Silence::Refused && self.in_flight.contains_key(&request) {
            self.take_back(request, out);
            self.drain(out);
        } else if let Some(lost) = self.in_flight.remove(&request) {
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
        let lines = self.connection.failures(self.connection.current());
        let skipped = usize::from(silence != Silence::Refused);
        for line in lines.iter().skip(skipped) {
            self.warn(line, out);
        }
        if self.connection.note_failure() { SimDuration(0) } else { self.reconnect_pause() }
    }

    /// How long it waits after one more round in which nobody answered.
    pub(super) fn reconnect_pause(&mut self) -> SimDuration {
        let pauses = self.config.delivery().reconnect_pauses();
        let rounds = self.accumulator.rounds;
        self.accumulator.rounds = rounds.saturating_add(1);
        self.backoff(pauses, rounds)
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
        self.accumulator.memory.deallocate(lost.rest.known().1);
        for batch in lost.batches.iter() {
            // Perhaps somebody else leads (`handleServerDisconnect`).
            self.mark_stale(&batch.to.topic);
            self.handle_failure(batch, &error, out);
        }
    }

    /// Nobody took the connection: what was to be sent with it, and after it, was not. It stays where it was,
    /// as if nobody had tried, and the broker is left alone for a while (`reconnect.backoff.ms`).
    fn take_back(&mut self, first: MessageId, out: &mut Outbox) {
        let Some(leader) = self.in_flight.get(&first).map(|request| request.leader) else { return };
        self.warn(&failure_of(leader), out);
        let pauses = self.config.delivery().reconnect_pauses();
        let failures =
            self.accumulator.unreachable.get(&leader).map_or(0, |(failures, _)| *failures);
        let pause = self.backoff(pauses, failures);
        let until = out.now() + pause;
        self.accumulator.unreachable.insert(leader, (failures.saturating_add(1), until));
        out.timer(pause, Timer::RetryBackoff);
        let sent =
            self.in_flight.iter().filter(|(id, sent)| **id >= first && sent.leader == leader);
        let sent: Vec<MessageId> = sent.map(|(id, _)| *id).collect();
        for id in sent.into_iter().rev() {
            let Some(request) = self.in_flight.remove(&id) else { continue };
            self.accumulator.memory.deallocate(request.rest.known().1);
            for batch in request.batches.iter().rev() {
                self.put_back(batch.clone());
                self.mark_stale(&batch.to.topic);
            }
        }
    }

    /// A batch was not sent after all. If it was never sent, it has no number yet, and may grow again.
    fn put_back(&mut self, mut batch: Batch) {
        if batch.attempts > 0 {
            return self.accumulator.put_back(batch);
        }
        if let Some(stamp) = batch.proposal.producer
            && self.accumulator.transactions.take_back(&batch.to, stamp)
        {
            batch.proposal.producer = None;
        }
        let is_alone =
            self.accumulator.has_none_of(&batch.to) && !self.open.contains_key(&batch.to);
        if is_alone && batch.proposal.producer.is_none() {
            let ratio = self.expected_ratio(&batch.to.topic);
            self.open.insert(batch.to.clone(), OpenBatch::reopened(&batch, ratio));
        } else {
            self.accumulator.put_back(batch);
        }
    }

    /// A batch was not taken: it is tried again, or its records fail.
    fn handle_failure(&mut self, batch: &Batch, error: &KafkaError, out: &mut Outbox) {
        if scope::CLUSTER {
            if is_wrong_leader(error.code) {
                self.mark_stale(&batch.to.topic);
                self.ask_about(batch.to.topic.clone(), out);
            }
            if error.code == ErrorCode::MessageTooLarge && batch.count() > 1 {
                return self.split(batch, error, out);
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
            self.accumulator.memory.deallocate(batch.room.known().allocated);
        }
        report(batch, &Err(error.clone()), out);
        if scope::CLUSTER {
            self.warn_of_metadata(batch, error, out);
        }
    }

    pub(super) fn put_off(&mut self, batch: Batch, pause: SimDuration, out: &mut Outbox) {
        self.accumulator.reenqueue(batch, out.now() + pause);
        out.timer(pause, Timer::RetryBackoff);
    }

    /// When a request that is sent now counts as lost.
    pub(super) fn deadline(&self, out: &Outbox) -> SimTime {
        out.now() + self.patience(out)
    }

    /// How long an answer may take. The broker, who has as much time, comes first with its answer that the
    /// time is over, as it does in Kafka.
    fn patience(&self, out: &Outbox) -> SimDuration {
        let there_and_back = SimDuration(out.network_delay().0.saturating_mul(2));
        let timeout = self.request_timeout().0.saturating_add(there_and_back.0);
        SimDuration(timeout.saturating_add(1_000))
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
            content: Always::of(|| (record.key.clone(), record.value.clone())),
            result,
            cause: Always::new(None),
        }));
    }
}
