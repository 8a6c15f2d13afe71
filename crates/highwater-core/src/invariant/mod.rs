//! What must hold after every step, one file per family. Tests check all of it after each step, a page
//! on demand.
//!
//! A *guarantee* must never break. A *hazard* is allowed, and counted, because seeing it is the point.
//! Some guarantees concern one moment (`check`), others what came before (`Watch`).

use std::rc::Rc;

use crate::controller::records::TopicImage;
use crate::ids::{BrokerId, MessageId, TopicName, TopicPartition};
use crate::net::message::Message;
use crate::replication::partition::Partition;
use crate::sorted_map::SortedMap;
use crate::world::process::Process;
use crate::world::step::Step;
use crate::world::world::World;

mod appended;
mod committed;
mod groups;
mod leader_in_isr;
mod log_order;
mod min_isr;
mod one_leader;
mod proposed_isr;
mod reader_in_log;
mod reassignment;
mod sent;
mod strong_isr;
mod watermark;

pub use committed::Hazards;

/// A guarantee that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule's name.
    pub rule: &'static str,
    /// What was found, in words.
    pub found: String,
}

/// Everything that does not hold in this world as it is now; nothing, if all is well.
#[must_use]
pub fn check<P: Process>(world: &World<P>) -> Vec<Violation> {
    let mut violations = Vec::new();
    for (id, broker) in world.brokers().iter() {
        for (which, replica) in broker.partitions().iter() {
            log_order::check(*id, which, replica, &mut violations);
            watermark::check(*id, which, replica, &mut violations);
        }
    }
    for (name, topic) in world.controller().image().topics.iter() {
        leader_in_isr::check(world, name, topic, &mut violations);
        strong_isr::check(world, name, topic, &mut violations);
    }
    reader_in_log::check(world, None, &mut violations);
    violations
}

/// A replica that has changed since the last look.
struct Change<'a> {
    broker: BrokerId,
    which: &'a TopicPartition,
    before: Option<&'a Partition>,
    now: &'a Partition,
}

/// Looks at a world after each step, and remembers what it must not go back on.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    replicas: SortedMap<(BrokerId, TopicPartition), Rc<Partition>>,
    topics: SortedMap<TopicName, Rc<TopicImage>>,
    one_leader: one_leader::Epochs,
    committed: committed::Ledgers,
    sent: sent::Batches,
    appended: appended::Rows,
    moves: reassignment::Moves,
    coordinators: groups::Coordinators,
    highest: reader_in_log::Highest,
    /// Messages up to this one have been looked at.
    seen: MessageId,
}

impl Watch {
    /// What was allowed to go wrong so far. What was sent with acks=0 and is still on its way counts as lost.
    #[must_use]
    pub fn hazards(&self) -> Hazards {
        let mut hazards = self.committed.hazards.clone();
        hazards.unanswered_records_lost += self.sent.never_appended();
        hazards
    }

    /// Looks at what the last step has changed. Everything that does not hold; nothing, if all is well.
    pub fn observe<P: Process>(&mut self, world: &World<P>) -> Vec<Violation> {
        let mut violations = Vec::new();
        let fresh = self.fresh_messages(world);
        let mut answers = self.sent.observe(world, &fresh);
        self.moves.observe(&fresh);
        let image = world.controller().image();
        for (name, topic) in image.topics.iter() {
            let before = self.topics.get(name);
            if before.is_some_and(|before| Rc::ptr_eq(before, topic)) {
                continue;
            }
            leader_in_isr::check(world, name, topic, &mut violations);
            reassignment::check(name, before, topic, &self.moves, &mut violations);
            self.one_leader.note_topic(name, before, topic, &mut violations);
            self.committed.note_topic(name, before, topic);
            self.topics.insert(name.clone(), Rc::clone(topic));
        }
        for (id, broker) in world.brokers().iter() {
            for (which, replica) in broker.partitions().iter() {
                let key = (*id, which.clone());
                let before = self.replicas.get(&key).cloned();
                if before.as_ref().is_some_and(|before| Rc::ptr_eq(before, replica)) {
                    continue;
                }
                let change = Change { broker: *id, which, before: before.as_deref(), now: replica };
                let high_watermark = replica.high_watermark();
                let highest = self.highest.get_or_insert_with(which.clone(), || high_watermark);
                *highest = high_watermark.max(*highest);
                log_order::check(*id, which, replica, &mut violations);
                watermark::check(*id, which, replica, &mut violations);
                min_isr::check(&change, &mut violations);
                proposed_isr::check(&change, &mut violations);
                self.one_leader.note_replica(&change, image, &mut violations);
                self.committed.note_replica(&change, world, &mut violations);
                self.note_appended(&change, &mut answers, &mut violations);
                self.replicas.insert(key, Rc::clone(replica));
            }
        }
        for answer in answers {
            self.committed.note_answer(answer, world, &mut violations);
        }
        reader_in_log::check(world, Some(&self.highest), &mut violations);
        self.coordinators.observe(world, &self.committed.hazards, &mut violations);
        groups::check_members(world, &mut violations);
        violations
    }

    /// The messages that were sent since the last look, in the order of their arrival.
    fn fresh_messages<'a, P: Process>(&mut self, world: &'a World<P>) -> Vec<&'a Message> {
        let mut fresh = Vec::new();
        for (_, step) in world.pending() {
            if let Step::Deliver(message) = step
                && message.id > self.seen
            {
                fresh.push(&**message);
            }
        }
        self.seen = fresh.iter().map(|message| message.id).fold(self.seen, MessageId::max);
        fresh
    }

    fn note_appended(
        &mut self,
        change: &Change<'_>,
        answers: &mut Vec<sent::Answer>,
        violations: &mut Vec<Violation>,
    ) {
        let (which, now) = (change.which, change.now);
        if let Some(before) = change.before
            && now.is_leader()
            && (before.topic_id(), before.leader_epoch()) == (now.topic_id(), now.leader_epoch())
        {
            let (from, to) = (before.log().log_end_offset(), now.log().log_end_offset());
            let appended = now.log().read(from, to, u64::MAX);
            answers.extend(
                appended.filter_map(|it| self.sent.note_appended(it, which, change.broker)),
            );
        }
        if !now.log().config().compact && self.committed.is_leader(change.broker, which, now) {
            let hazards = &mut self.committed.hazards;
            self.appended.note_leader(change, &self.sent, hazards, violations);
        }
    }
}
