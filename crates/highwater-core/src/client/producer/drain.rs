//! When is what a producer has gathered sent, and when is it given up? The loop of Kafka's `Sender`, run
//! whenever something may have changed.

use std::rc::Rc;

use super::open_batch::OpenBatch;
use super::sender::{Batch, Silence, report};
use super::transaction_manager::Restamped;
use super::{Producer, RETRY_BACKOFF};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, TopicName, TopicPartition};
use crate::log::record_batch::ProducerIdAndEpoch;
use crate::net::message::Request;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

impl Producer {
    /// Sends what may be sent, gives up what has waited too long.
    pub(super) fn drain(&mut self, out: &mut Outbox) {
        self.notice_late(out);
        self.accumulator.woken = out.now();
        self.expire_waiting(out);
        self.settle_sequences(out);
        loop {
            let ready = self.ready_partitions(out.now());
            self.connect_anew(&ready, out);
            let ready = self.take_ready(ready, out.now());
            if ready.is_empty() {
                break;
            }
            self.send_by_leader(ready, out);
            self.accumulator.forget_empty();
        }
        self.ask_about_leaders(out);
        self.watch(out);
        self.maybe_close(out);
    }

    /// The batches that may be sent now: one of each partition, to leaders that may get one more request.
    fn take_ready(
        &mut self,
        ready: Vec<TopicPartition>,
        now: SimTime,
    ) -> SortedMap<BrokerId, Vec<Batch>> {
        let mut by_leader: SortedMap<BrokerId, Vec<Batch>> = SortedMap::new();
        for to in ready {
            let Some(leader) = self.leader(&to) else { continue };
            let has_room = self.has_room(leader, now);
            self.accumulator.latencies.note_ready(leader, now, has_room);
            if has_room {
                by_leader.get_or_insert_with(leader, Vec::new);
            }
        }
        if by_leader.is_empty() {
            return by_leader;
        }
        let leader = |to: &TopicPartition| {
            self.topics.get(&to.topic).and_then(|topic| topic.leader(to.partition))
        };
        let is_idempotent = self.config.is_idempotent();
        let taken = self.accumulator.take_heads(|accumulator, not_before, batch| {
            let stamp = batch.proposal.producer;
            not_before <= now
                && leader(&batch.to).is_some_and(|leader| by_leader.contains_key(&leader))
                && (!is_idempotent || accumulator.transactions.may_send(&batch.to, stamp))
        });
        for batch in taken {
            let Some(leader) = self.leader(&batch.to) else { continue };
            let batches = by_leader.get_or_insert_with(leader, Vec::new);
            if self.config.delivery().fits_request(batches, batch.room.known().size) {
                batches.push(batch);
            } else {
                self.accumulator.put_back(batch);
            }
        }
        by_leader
    }

    /// Partitions with a batch whose time has come: the first that waits, or else the open one.
    fn ready_partitions(&self, now: SimTime) -> Vec<TopicPartition> {
        let mut ready = Vec::new();
        for (to, not_before, batch) in self.accumulator.heads() {
            if not_before <= now && self.may_send(to, batch) {
                ready.push(to.clone());
            }
        }
        for (to, batch) in self.open.iter() {
            let is_due = self.is_due(batch, now) && self.accumulator.has_none_of(to);
            if is_due && self.may_begin(to) {
                ready.push(to.clone());
            }
        }
        ready
    }

    /// Whether an open batch is to be sent: it has lingered, or somebody waits for memory.
    fn is_due(&self, batch: &OpenBatch, now: SimTime) -> bool {
        let linger = SimDuration::from_millis(self.config.linger_ms);
        batch.opened + linger <= now || batch.is_full() || self.accumulator.memory.is_exhausted()
    }

    fn may_send(&self, to: &TopicPartition, batch: &Batch) -> bool {
        let transactions = &self.accumulator.transactions;
        !self.config.is_idempotent() || transactions.may_send(to, batch.proposal.producer)
    }

    fn may_begin(&self, to: &TopicPartition) -> bool {
        !self.config.is_idempotent() || self.accumulator.transactions.may_send(to, None)
    }

    fn has_room(&self, leader: BrokerId, now: SimTime) -> bool {
        if self.accumulator.unreachable.get(&leader).is_some_and(|(_, until)| *until > now)
            || self.accumulator.lost.contains_key(&leader)
        {
            return false;
        }
        let requests = self.in_flight.values().filter(|request| request.leader == leader);
        u32::try_from(requests.count()).unwrap_or(u32::MAX) < self.config.delivery().max_in_flight
    }

    /// Asks about topics of which something waits and nobody known leads. When the controller knows no
    /// leader either, it is asked again after a while.
    fn ask_about_leaders(&mut self, out: &mut Outbox) {
        let now = out.now();
        let heads = self.accumulator.heads().filter(|(_, not_before, _)| *not_before <= now);
        let heads = heads.map(|(to, ..)| to);
        let due = self.open.iter().filter(|(_, batch)| self.is_due(batch, now));
        let waiting = heads.chain(due.map(|(to, _)| to));
        let unled: Vec<TopicPartition> =
            waiting.filter(|to| self.leader(to).is_none()).cloned().collect();
        let mut stale: Option<TopicName> = None;
        for to in unled {
            if self.topics.get(&to.topic).is_none_or(|topic| topic.stale || topic.is_gone) {
                stale.get_or_insert(to.topic);
            } else {
                self.mark_stale(&to.topic);
                self.accumulator.put_off_head(&to, now + RETRY_BACKOFF);
                out.timer(RETRY_BACKOFF, Timer::RetryBackoff);
            }
        }
        if let Some(topic) = stale {
            self.ask_about(topic, out);
        }
    }

    /// Gives up batches that have waited to be sent for `delivery.timeout.ms`.
    fn expire_waiting(&mut self, out: &mut Outbox) {
        let (now, timeout) = (out.now(), self.config.delivery().delivery_timeout);
        let mut expired = self.accumulator.take_expired(timeout, now);
        let accumulator = &self.accumulator;
        self.open.retain(|to, batch| {
            let is_old = batch.opened + timeout <= now && accumulator.has_none_of(to);
            if is_old {
                expired.push(batch.close(to));
            }
            !is_old
        });
        for batch in expired {
            self.accumulator.memory.deallocate(batch.room.known().allocated);
            self.expire(&batch, out);
        }
    }

    /// A batch has waited longer than `delivery.timeout.ms`.
    fn expire(&mut self, batch: &Batch, out: &mut Outbox) {
        if let Some(stamp) = batch.proposal.producer {
            let mutation = self.mutation;
            self.accumulator.transactions.handle_expired(&batch.to, stamp, mutation);
        }
        let (count, to) = (batch.proposal.records.len(), &batch.to);
        let waited = out.now().0.saturating_sub(batch.created.0) / 1_000;
        let text = format!(
            "Expiring {count} record(s) for {to}:{waited} ms has passed since batch creation. The \
             request has not been sent, or no server response has been received yet."
        );
        report(batch, &Err(KafkaError::new(ErrorCode::Timeout, text)), out);
    }

    /// Something may have waited too long: batches, whose records fail, and requests, which count as lost.
    pub(super) fn handle_expiry(&mut self, out: &mut Outbox) {
        let now = out.now();
        if self.accumulator.watching != Some(now) {
            return;
        }
        self.accumulator.watching = None;
        let waking = self.wakings().min();
        if waking.is_none_or(|waking| waking > now) {
            // It is not awake, and does not notice that an answer is late.
            return self.watch(out);
        }
        self.notice_late(out);
        self.give_up_blocked(out);
        self.refresh(out);
        self.expire_in_flight(out);
        for asked in [self.asked_with, self.accumulator.transactions.asked].into_iter().flatten() {
            if asked.1 <= now {
                self.handle_disconnect(asked.0, Silence::TimedOut, out);
            }
        }
        self.drain(out);
    }

    /// Requests whose answers are late count as lost, and with one all others on the same connection.
    fn notice_late(&mut self, out: &mut Outbox) {
        let now = out.now();
        let late = self.in_flight.values().filter(|request| request.deadline <= now);
        let silent: Vec<BrokerId> = late.map(|request| request.leader).collect();
        self.give_up_connections(&silent, out);
        let lost = self.in_flight.iter().filter(|(_, request)| silent.contains(&request.leader));
        let lost: Vec<MessageId> = lost.map(|(id, _)| *id).collect();
        for id in lost {
            if let Some(request) = self.in_flight.remove(&id) {
                self.handle_lost(&request, Silence::TimedOut, out);
            }
        }
    }

    /// Gives up batches that wait for an answer for `delivery.timeout.ms`; should it come, nobody cares.
    fn expire_in_flight(&mut self, out: &mut Outbox) {
        let (now, timeout) = (out.now(), self.config.delivery().delivery_timeout);
        let mut expired = Vec::new();
        for request in self.in_flight.values_mut() {
            let is_old = |batch: &Batch| batch.created + timeout <= now;
            if request.batches.iter().any(is_old) {
                let all = request.batches.iter().cloned();
                let (old, young): (Vec<Batch>, Vec<Batch>) = all.partition(is_old);
                // Their memory may still be on its way: it is free once the request is over.
                request.rest.known_mut().1 +=
                    old.iter().map(|batch| batch.room.known().allocated).sum::<u32>();
                expired.extend(old);
                request.batches = Rc::new(young);
            }
        }
        for batch in expired {
            self.expire(&batch, out);
        }
    }

    /// Sees to it that nothing waits forever.
    pub(super) fn watch(&mut self, out: &mut Outbox) {
        let Some(next) = self.wakings().min() else { return };
        let watching = &mut self.accumulator.watching;
        if watching.is_none_or(|watching| next < watching) {
            *watching = Some(next);
            out.timer(SimDuration(next.0.saturating_sub(out.now().0)), Timer::InFlightExpiry);
        }
    }

    /// When the producer's loop wakes up if nobody wakes it before: for batches that have waited too long, for
    /// blocked records, to ask about its topics; and `request.timeout.ms` after it has fallen asleep, which is
    /// when it notices that answers are late (`NetworkClient.poll`).
    fn wakings(&self) -> impl Iterator<Item = SimTime> {
        let timeout = self.config.delivery().delivery_timeout;
        let woken = self.accumulator.woken;
        let asked = [self.asked_with, self.accumulator.transactions.asked].into_iter().flatten();
        let sent = self.in_flight.values().flat_map(|request| request.batches.iter());
        let closed = self.accumulator.heads().map(|(_, _, batch)| batch).chain(sent);
        let opened = self.open.values().map(|batch| batch.opened);
        let made = closed.map(|batch| batch.created).chain(opened).min();
        let deadlines =
            self.in_flight.values().map(|request| (request.deadline, request.rest.known().0));
        let deadlines = deadlines.map(move |(deadline, patience)| deadline.max(woken + patience));
        let others = [self.block_deadline(), self.accumulator.refresh_at.filter(|_| !self.asking)];
        deadlines
            .chain(asked.map(|(_, deadline)| deadline))
            .chain(made.map(|made| made + timeout))
            .chain(others.into_iter().flatten())
            .chain(self.connecting_deadlines())
    }

    /// Settles what sequence numbers the next batches get; asks for a producer id if there is none, once a
    /// broker has been heard of.
    fn settle_sequences(&mut self, out: &mut Outbox) {
        if !self.config.is_idempotent() {
            return;
        }
        let restamped = self.accumulator.transactions.settle();
        self.restamp(restamped);
        let is_done = self.closing && self.open.is_empty() && self.accumulator.is_empty();
        if !(is_done && self.blocked.is_empty())
            && self.accumulator.transactions.needs_producer_id(out.now())
            && self.connection.has_learned()
            && let Some(node) = self.connection.node()
        {
            let id = out.request(NodeId::Broker(node), Request::InitProducerId);
            let deadline = self.deadline(out);
            self.accumulator.transactions.asked = Some((id, deadline));
        }
    }

    /// A broker has given the producer an id, or cannot yet.
    pub(super) fn handle_producer_id(
        &mut self,
        correlation: MessageId,
        result: &Result<ProducerIdAndEpoch, KafkaError>,
        out: &mut Outbox,
    ) {
        let transactions = &mut self.accumulator.transactions;
        if transactions.asked.take_if(|(asked, _)| *asked == correlation).is_none() {
            return;
        }
        match result {
            Ok(id) => {
                let restamped = transactions.set_producer_id(*id);
                self.restamp(restamped);
                self.drain(out);
            }
            Err(_) => {
                let pause = self.config.delivery().retry_backoff;
                transactions.not_before = out.now() + pause;
                out.timer(pause, Timer::RetryBackoff);
                self.maybe_close(out);
            }
        }
    }

    /// Whether a request of another kind is on its way: a producer that closes waits for its answer.
    pub(super) fn awaits_answer(&self) -> bool {
        self.asked_with.is_some() || self.accumulator.transactions.asked.is_some()
    }

    /// Batches have other sequence numbers from now on, wherever they are.
    fn restamp(&mut self, restamped: Vec<(TopicPartition, Vec<Restamped>)>) {
        for (which, stamps) in restamped {
            self.accumulator.restamp(&which, &stamps);
            for request in self.in_flight.values_mut() {
                if request.batches.iter().any(|batch| batch.to == which) {
                    let batches = Rc::make_mut(&mut request.batches);
                    for batch in batches.iter_mut().filter(|batch| batch.to == which) {
                        batch.restamp(&stamps);
                    }
                }
            }
        }
    }
}
