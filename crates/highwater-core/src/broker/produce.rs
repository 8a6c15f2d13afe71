//! Produce requests: appends, and answers once the in-sync replicas have what was appended
//! (`ReplicaManager.appendRecords`, `DelayedProduce`).

use std::rc::Rc;

use crate::broker::disk::Produce;
use crate::broker::in_sync::is_isr_eligible;
use crate::broker::{Broker, at};
use crate::controller::topic_name;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, Offset, TopicId, TopicPartition};
use crate::log::record_batch::{Proposal, RecordBatch};
use crate::log::unified_log::Roll;
use crate::mutation::Mutation;
use crate::net::message::{Acks, ProducerBatch, Response};
use crate::replication::partition::{Advance, Appended};
use crate::scope::{self, Always};
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::cluster_event::ClusterEvent;
use crate::world::event::{EventKind, Rolled};
use crate::world::hazard::{Note, Unanswered};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// Whether enough replicas have what was appended.
type Found = Result<(), KafkaError>;

/// What became of each partition of a request.
type Outcomes = Vec<(TopicPartition, Result<Offset, KafkaError>)>;

/// A request whose records the in-sync replicas do not all have yet.
#[derive(Clone, Debug)]
struct DelayedProduce {
    from: NodeId,
    outcomes: Outcomes,
    /// Partitions that are waited for, each with the offset that must be committed; and what was found when
    /// that was so, which stays (`DelayedProduce.tryComplete`).
    waiting: Vec<(TopicPartition, Offset, Option<Found>)>,
    deadline: SimTime,
}

/// All such requests.
#[derive(Clone, Debug, Default)]
pub(super) struct DelayedProduces {
    requests: SortedMap<MessageId, DelayedProduce>,
    /// Which of them wait for a partition; a list stays when it is empty, to be filled again.
    by_partition: SortedMap<TopicPartition, Vec<MessageId>>,
    armed: bool,
}

impl DelayedProduces {
    pub(super) fn held(&self) -> impl Iterator<Item = (NodeId, MessageId)> {
        self.requests.iter().map(|(correlation, request)| (request.from, *correlation))
    }

    fn remove(&mut self, correlation: MessageId) -> Option<DelayedProduce> {
        let request = self.requests.remove(&correlation)?;
        for (partition, ..) in &request.waiting {
            if let Some(waiting) = self.by_partition.get_mut(partition) {
                waiting.retain(|other| *other != correlation);
            }
        }
        Some(request)
    }
}

/// Kafka's own topics are written to and cut by itself (`ReplicaManager.appendRecordsToLeader`,
/// `deleteRecordsOnLocalLog`).
pub(super) fn refuse_internal(which: &TopicPartition) -> Result<(), KafkaError> {
    let is_internal = scope::CLUSTER && topic_name::is_internal(which.topic.as_str());
    if is_internal { Err(KafkaError::plain(ErrorCode::InvalidTopic)) } else { Ok(()) }
}

impl Broker {
    pub(super) fn take_produce(&mut self, produce: &Produce, out: &mut Outbox) {
        let Produce { from, correlation, acks, timeout_ms, batches } = produce;
        let (from, correlation) = (*from, *correlation);
        let mut outcomes: Outcomes = Vec::new();
        let mut waiting = Vec::new();
        if scope::CLUSTER {
            outcomes.reserve_exact(batches.len());
            waiting.reserve_exact(batches.len());
        }
        for (to, proposal) in batches.iter() {
            let appended = refuse_internal(to)
                .inspect_err(|error| {
                    out.emit(EventKind::AppendRefused {
                        partition: to.clone(),
                        error: error.clone(),
                    });
                })
                .and_then(|()| self.append(to, proposal, *acks, out));
            if let Ok((_, end)) = &appended {
                waiting.push((to.clone(), *end, None));
            }
            outcomes.push((to.clone(), appended.map(|(base, _)| base)));
        }
        if scope::CLUSTER {
            self.serve_followers(waiting.iter().map(|(partition, ..)| partition), out);
        }
        if scope::CLUSTER && *acks == Acks::None {
            self.note_taken(*acks, &outcomes, out);
        }
        match acks {
            Acks::None
                if scope::CLUSTER && outcomes.iter().any(|(_, outcome)| outcome.is_err()) =>
            {
                self.note_refused(batches, &outcomes, out);
                // There is no other way to say that something was refused.
                out.disconnect(from, correlation, false);
            }
            Acks::None => {}
            Acks::All if scope::CLUSTER && !self.life.mutation.is(Mutation::AckBeforeCommit) => {
                let deadline = out.now() + SimDuration::from_millis(*timeout_ms);
                let request = DelayedProduce { from, outcomes, waiting, deadline };
                self.delay_produce(correlation, request, out);
            }
            Acks::All | Acks::Leader => {
                if scope::CLUSTER {
                    self.note_taken(*acks, &outcomes, out);
                }
                let leaders = self.current_leaders(&outcomes);
                out.respond_to(from, correlation, Response::Produce(outcomes, leaders));
            }
        }
        for (to, _) in batches.iter() {
            self.complete_delayed_fetches(to, out);
        }
    }

    /// Whether the topic of that name is the one that a producer means: not if it was made anew.
    fn is_meant(&self, to: &TopicPartition, id: Option<TopicId>) -> bool {
        let known = self.image.topics.get(&to.topic).map(|topic| topic.id);
        id.is_none_or(|id| known == Some(id))
    }

    /// Appends one batch; returns its first offset and the one after its last.
    pub(super) fn append(
        &mut self,
        to: &TopicPartition,
        proposal: &Proposal,
        acks: Acks,
        out: &mut Outbox,
    ) -> Result<(Offset, Offset), KafkaError> {
        if scope::CLUSTER && !self.is_meant(to, *proposal.topic_id.known()) {
            return Err(KafkaError::plain(ErrorCode::UnknownTopicId));
        }
        self.leading(to)?;
        let (now, delay) = (out.now(), out.network_delay());
        // Looked at only when asked, which a page about one broker never does.
        let replication = &self.replication;
        let contact = |follower: BrokerId| {
            let session = replication.sessions.get(&follower);
            session.map_or(SimTime(0), |session| session.contact(delay, now))
        };
        let (image, mutation) = (&self.image, self.life.mutation);
        let is_eligible = |broker| {
            !scope::CLUSTER || is_isr_eligible(image, &replication.sessions, mutation, broker)
        };
        let here = at(now, &self.life, &is_eligible);
        let event = Some(out.next_event());
        let appended = Self::change(&mut self.partitions, to, |partition| {
            let done = partition.append_records_to_leader(proposal, acks, event, &contact, here);
            let is_change =
                |done: &Appended| !done.info.is_duplicate || done.high_watermark.is_some();
            (done.as_ref().is_ok_and(is_change), done)
        });
        let Some(appended) = appended else {
            return Err(KafkaError::plain(ErrorCode::NotLeaderOrFollower));
        };
        let appended = appended.inspect_err(|error| {
            out.emit(EventKind::AppendRefused { partition: to.clone(), error: error.clone() });
        })?;
        let batch = &appended.info.batch;
        let offsets = (batch.base_offset, batch.next_offset());
        if scope::CLUSTER && appended.info.is_duplicate {
            if let Some(producer) = batch.producer {
                out.emit(ClusterEvent::DuplicateFound {
                    partition: to.clone(),
                    broker: self.id,
                    producer,
                    base_offset: batch.base_offset,
                    count: batch.count(),
                });
            }
            self.note_high_watermark(to, appended.high_watermark, out);
            return Ok(offsets);
        }
        let appended_event = out.emit(EventKind::BatchAppended {
            partition: to.clone(),
            broker: self.id,
            base_offset: batch.base_offset,
            count: batch.count(),
            leader_epoch: batch.leader_epoch,
        });
        if let Some(Roll { base_offset, reason }) = appended.info.rolled {
            let why = Always::of(|| Rolled { reason: *reason.known(), copied_from: None });
            let (partition, broker) = (to.clone(), self.id);
            out.emit_because(
                appended_event,
                EventKind::SegmentRolled { partition, broker, base_offset, why },
            );
        }
        self.emit_advance(to, appended.high_watermark, out);
        if scope::CLUSTER {
            if let Some(place) = appended.misplaced {
                out.note(Note::Misplaced(to.clone(), Rc::clone(batch), place));
            }
            self.maybe_plan_isr_check(to, out);
            self.plan_maintenance(to, out);
        }
        Ok(offsets)
    }

    /// What the leader alone may have, though its producer is told that it is there, or does not ask.
    fn note_taken(&self, acks: Acks, outcomes: &Outcomes, out: &mut Outbox) {
        for (which, outcome) in outcomes {
            let (Ok(base), Some(held)) = (outcome, self.partitions.get(which)) else { continue };
            let found = held.log().read(*base, base.plus(1), u64::MAX).next();
            // What is committed is looked after, if the broker still leads. If it does not, the world looks at
            // its answers; here there may be none.
            let waits = |batch: &&Rc<RecordBatch>| {
                acks == Acks::None || batch.next_offset() > held.high_watermark()
            };
            if let Some(batch) = found.filter(waits) {
                out.note(Note::Took(which.clone(), Rc::clone(batch)));
            }
        }
    }

    /// What was refused of a request whose producer does not hear of it.
    fn note_refused(&self, batches: &[ProducerBatch], outcomes: &Outcomes, out: &mut Outbox) {
        for ((which, proposal), (_, outcome)) in batches.iter().zip(outcomes) {
            let Err(error) = outcome else { continue };
            let count = u32::try_from(proposal.records.len()).unwrap_or(u32::MAX);
            let why = Unanswered::Refused(self.id, error.code);
            // Who leads instead, it knows from there.
            let image = self.image.partition(&which.topic, which.partition);
            let moved = image.filter(|_| error.code == ErrorCode::NotLeaderOrFollower);
            let moved = moved.and_then(|image| image.changed_by);
            out.note_because(moved, Note::Unanswered(which.clone(), count, why));
        }
    }

    /// Says that the high watermark moved.
    pub(super) fn emit_advance(
        &self,
        partition: &TopicPartition,
        advance: Option<Advance>,
        out: &mut Outbox,
    ) {
        if let Some((from, watermark)) = advance {
            out.emit_beside(EventKind::HighWatermarkAdvanced {
                partition: partition.clone(),
                from,
                to: watermark.offset,
                held_by: watermark.held_by,
            });
        }
    }

    fn delay_produce(&mut self, correlation: MessageId, request: DelayedProduce, out: &mut Outbox) {
        for (partition, ..) in &request.waiting {
            let waiting = self
                .replication
                .delayed_produces
                .by_partition
                .get_or_insert_with(partition.clone(), Vec::new);
            waiting.push(correlation);
        }
        let deadline = request.deadline;
        self.replication.delayed_produces.requests.insert(correlation, request);
        self.maybe_complete_produce(correlation, out);
        let still_waits = self.replication.delayed_produces.requests.contains_key(&correlation);
        if still_waits && !self.replication.delayed_produces.armed {
            self.replication.delayed_produces.armed = true;
            let left = SimDuration(deadline.0.saturating_sub(out.now().0));
            out.timer(left, Timer::ProduceExpiry);
        }
    }

    /// Answers requests that have waited for this partition long enough to know.
    pub(super) fn complete_produces(&mut self, partition: &TopicPartition, out: &mut Outbox) {
        // Each may leave the list when it is looked at.
        let mut place = 0;
        while let Some(waiting) = self.replication.delayed_produces.by_partition.get(partition)
            && let Some(correlation) = waiting.get(place).copied()
        {
            self.maybe_complete_produce(correlation, out);
            let still_waits = self.replication.delayed_produces.requests.contains_key(&correlation);
            place += usize::from(still_waits);
        }
    }

    fn maybe_complete_produce(&mut self, correlation: MessageId, out: &mut Outbox) {
        let requests = &mut self.replication.delayed_produces.requests;
        let Some(request) = requests.get_mut(&correlation) else { return };
        let mut is_complete = true;
        for (partition, offset, found) in &mut request.waiting {
            if found.is_none() {
                let held = self.partitions.get(partition);
                let gone = || Some(Err(KafkaError::plain(ErrorCode::NotLeaderOrFollower)));
                *found = held.map_or_else(gone, |held| held.committed_up_to(*offset));
            }
            is_complete &= found.is_some();
        }
        if is_complete {
            self.answer_produce(correlation, out);
        }
    }

    /// Answers what was found; what was not found until now takes too long.
    fn answer_produce(&mut self, correlation: MessageId, out: &mut Outbox) {
        let Some(mut request) = self.replication.delayed_produces.remove(correlation) else {
            return;
        };
        for (partition, outcome) in &mut request.outcomes {
            let waited = request.waiting.iter().find(|(which, ..)| which == partition);
            match waited {
                Some((_, _, Some(Err(error)))) => *outcome = Err(error.clone()),
                Some((_, _, None)) => *outcome = Err(KafkaError::plain(ErrorCode::Timeout)),
                _ => {}
            }
        }
        let leaders = self.current_leaders(&request.outcomes);
        let answer = Response::Produce(request.outcomes, leaders);
        out.respond_to(request.from, correlation, answer);
    }

    /// Some requests may have waited for as long as their producers wanted.
    pub(super) fn handle_produce_expiry(&mut self, out: &mut Outbox) {
        self.replication.delayed_produces.armed = false;
        let now = out.now();
        let mut expired = Vec::new();
        let mut next: Option<SimTime> = None;
        for (correlation, request) in self.replication.delayed_produces.requests.iter() {
            if request.deadline <= now {
                expired.push(*correlation);
            } else {
                next = Some(next.map_or(request.deadline, |next| next.min(request.deadline)));
            }
        }
        for correlation in expired {
            self.maybe_complete_produce(correlation, out);
            self.answer_produce(correlation, out);
        }
        if let Some(next) = next {
            self.replication.delayed_produces.armed = true;
            out.timer(SimDuration(next.0 - now.0), Timer::ProduceExpiry);
        }
    }

    /// The high watermark of a partition that it leads has moved, or not: whoever waits for that is
    /// served.
    pub(super) fn note_high_watermark(
        &mut self,
        partition: &TopicPartition,
        advance: Option<Advance>,
        out: &mut Outbox,
    ) {
        if advance.is_none() {
            return;
        }
        self.emit_advance(partition, advance, out);
        self.complete_delayed_fetches(partition, out);
        if scope::CLUSTER {
            self.complete_produces(partition, out);
            self.complete_group_writes(partition, out);
            self.spread_high_watermark(partition, out);
            self.plan_maintenance(partition, out);
        }
    }
}
