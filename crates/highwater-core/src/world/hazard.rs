//! What is allowed to go wrong, and does: records that producers were told of, or that were sent with
//! acks=0, and that are lost; committed records that an unclean election or a loss of power takes;
//! records that stand in a log twice, or in another order than that in which they were sent. Each is an
//! event with its cause, and counted.
//!
//! Whether something is lost is known when somebody takes a partition over: the log of the one is
//! compared with the log of the other (`owed`). What a leader that was overtaken, and does not know,
//! tells producers meanwhile, is compared at once. What was sent with acks=0 and never gets into a log is
//! in `unanswered`, why a batch comes again in `troubles`.

mod owed;
mod troubles;
mod unanswered;

use std::rc::Rc;

use self::owed::{Lost, Owed, holds};
use self::troubles::Troubles;
pub use self::unanswered::Unanswered;
use crate::ids::{BrokerId, EventId, NodeId, Offset, TopicPartition};
use crate::log::record_batch::RecordBatch;
use crate::log::unified_log::UnifiedLog;
use crate::net::message::{Acks, Body, Response};
use crate::net::rule::{Verdict, verdict};
use crate::replication::newest_batches::{Misplaced, is_anywhere, misplaced};
use crate::replication::partition::Partition;
use crate::sorted_map::SortedMap;
use crate::world::cluster_event::{ClusterEvent, Promise};
use crate::world::group_hazard::{GroupNote, GroupProgress};
use crate::world::outbox::Outbox;
use crate::world::process::Process;
use crate::world::world::World;

/// How often what is allowed to go wrong has done so.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HazardCounts {
    /// Records that the leader alone had, as their producer was told (acks=1), and that are lost.
    pub acknowledged_records_lost: u64,
    /// Records of which a leader told their producer that all in-sync replicas have them (acks=all), when
    /// another one led already that lacks them, after an unclean election.
    pub overtaken_records_lost: u64,
    /// Records that were sent with acks=0 and are lost, in a log or before they got into one. Nobody was
    /// told.
    pub unanswered_records_lost: u64,
    /// Committed records that are lost.
    pub committed_records_lost: u64,
    /// Records that stand in a log once more, because their producer sent them again.
    pub duplicate_records: u64,
    /// Records that stand behind others which their producer sent later.
    pub reordered_records: u64,
    /// Records that a group got again.
    pub records_redelivered: u64,
    /// Records that a group has left behind without having worked on them.
    pub records_skipped: u64,
    /// Records that a member worked on when they were another one's already.
    pub records_worked_too_late: u64,
}

/// What a broker did that the next leader will be measured by. Nobody else hears of it.
#[derive(Debug)]
pub enum Note {
    /// It told a producer that this batch is in its log (acks=1), or tells nobody (acks=0); the others may
    /// lack it.
    Took(TopicPartition, Rc<RecordBatch>),
    /// It leads this partition from now on.
    TookOver(TopicPartition),
    /// It appended a batch in the wrong place.
    Misplaced(TopicPartition, Rc<RecordBatch>, Misplaced),
    /// So many records that were sent to it with acks=0 are in no log.
    Unanswered(TopicPartition, u32, Unanswered),
    /// Something that has to do with groups.
    Group(GroupNote),
}

/// All of that, and what came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct HazardLog {
    owed: SortedMap<TopicPartition, Owed>,
    /// Brokers that lead what somebody else leads by now, and do not know.
    overtaken: Vec<(BrokerId, TopicPartition)>,
    troubles: Troubles,
    pub(super) counts: HazardCounts,
    /// How far groups are.
    pub(super) groups: GroupProgress,
}

impl<P: Process> World<P> {
    /// How often what is allowed to go wrong has done so.
    #[must_use]
    pub fn hazards(&self) -> HazardCounts {
        self.hazards.counts
    }

    /// Takes a broker's notes.
    pub(super) fn take_notes(&mut self, broker: BrokerId, out: &mut Outbox) {
        for (cause, note) in std::mem::take(&mut out.notes) {
            out.because(cause);
            match note.get() {
                Some(Note::Took(which, batch)) => self.note_taken(broker, which, batch, out),
                Some(Note::TookOver(which)) => self.settle(broker, which, cause, out),
                Some(Note::Misplaced(which, batch, place)) => {
                    let owed = self.hazards.owed.get(which);
                    // What others do not follow any more may soon be gone again.
                    if owed.is_some_and(|owed| owed.leader == broker) {
                        self.count_misplaced(broker, which, (batch, *place), out);
                    }
                }
                Some(Note::Unanswered(which, count, why)) => {
                    let event = self.count_unanswered(which, *count, *why);
                    out.emit_beside(event);
                }
                Some(Note::Group(note)) => self.take_group_note(None, note, out),
                None => {}
            }
        }
    }

    fn replica(&self, broker: BrokerId, which: &TopicPartition) -> Option<&Rc<Partition>> {
        self.brokers.get(&broker)?.partitions().get(which)
    }

    /// A batch stands in a leader's log twice, or behind later ones.
    fn count_misplaced(
        &mut self,
        broker: BrokerId,
        which: &TopicPartition,
        (batch, place): (&RecordBatch, Misplaced),
        out: &mut Outbox,
    ) {
        let (partition, again, count) = (which.clone(), batch.base_offset, batch.count());
        let counts = &mut self.hazards.counts;
        let event = match place {
            Misplaced::Twice(first) => {
                counts.duplicate_records += u64::from(count);
                ClusterEvent::DuplicateAppended { partition, broker, first, again, count }
            }
            Misplaced::Behind(later) => {
                counts.reordered_records += u64::from(count);
                ClusterEvent::OrderChanged { partition, broker, later, at: again, count }
            }
        };
        match batch.origin().and_then(|origin| self.hazards.troubles.of(origin)) {
            Some(trouble) => out.emit_because(trouble, event),
            None => out.emit_beside(event),
        };
    }

    /// The process of a broker is about to die: what it has committed is known for the last time.
    pub(super) fn note_committed(&mut self, broker: BrokerId) {
        let Some(dying) = self.brokers.get(&broker) else { return };
        for (which, owed) in self.hazards.owed.iter_mut() {
            let held = dying.partitions().get(which);
            let held = held.filter(|held| owed.leader == broker && owed.is_of(held));
            if let Some(held) = held {
                owed.note_end(held);
            }
        }
    }

    fn note_taken(
        &mut self,
        broker: BrokerId,
        which: &TopicPartition,
        batch: &Rc<RecordBatch>,
        out: &mut Outbox,
    ) {
        let acks = batch.origin().map(|origin| origin.acks);
        if acks != Some(Acks::None) && !self.hears(broker, batch) {
            return;
        }
        let Some(owed) = self.hazards.owed.get(which) else { return };
        if owed.leader != broker {
            // It does not know yet that somebody else leads. Its answers are looked at when they go.
            if acks == Some(Acks::None) {
                self.note_doomed(broker, which, batch, out);
            }
            return;
        }
        let held = self.replica(broker, which).filter(|held| owed.is_of(held));
        let Some(committed) = held.map(|held| held.high_watermark()) else { return };
        if let Some(owed) = self.hazards.owed.get_mut(which) {
            owed.take(batch, committed);
        }
    }

    /// Whether the producer of a batch hears of it: the network does not lose what this broker tells it.
    fn hears(&self, broker: BrokerId, batch: &RecordBatch) -> bool {
        let Some(origin) = batch.origin() else { return true };
        let (from, to) = (NodeId::Broker(broker), NodeId::Client(origin.client));
        !matches!(verdict(self.rules(), from, to), Verdict::Drop(_))
    }

    /// A broker took a batch for a partition that another one leads by now. If that one lacks it, it is lost.
    fn note_doomed(
        &mut self,
        broker: BrokerId,
        which: &TopicPartition,
        batch: &Rc<RecordBatch>,
        out: &mut Outbox,
    ) {
        let Some(owed) = self.hazards.owed.get(which) else { return };
        let (leader, since) = (owed.leader, owed.since);
        let is_of = |held: &&Rc<Partition>| owed.is_of(held);
        let mine = self.replica(broker, which).filter(is_of);
        let leads = self.replica(leader, which).filter(is_of);
        if leader != broker
            && mine.is_some()
            && let Some(leads) = leads
            && !holds(leads.log(), batch)
            && !is_anywhere(leads.log(), batch)
        {
            self.note_lost(which, leader, since, &Lost::batch(batch), out);
        }
    }

    /// Looks at what a broker that may have been overtaken tells producers.
    pub(super) fn look_at_answers(&mut self, broker: BrokerId, out: &mut Outbox) {
        if self.hazards.overtaken.is_empty() {
            return;
        }
        let mut told: Vec<(TopicPartition, Rc<RecordBatch>)> = Vec::new();
        for sending in &out.sendings {
            let Body::Response(Response::Produce(outcomes, _)) = &sending.body else { continue };
            for (which, outcome) in outcomes {
                let is_overtaken =
                    self.hazards.overtaken.iter().any(|(id, of)| *id == broker && of == which);
                let held = self.replica(broker, which).filter(|_| is_overtaken);
                if let (Ok(base), Some(held)) = (outcome, held)
                    && let Some(batch) = batch_at(held.log(), *base)
                    && self.hears(broker, batch)
                {
                    told.push((which.clone(), Rc::clone(batch)));
                }
            }
        }
        for (which, batch) in &told {
            self.note_doomed(broker, which, batch, out);
        }
        self.forget_who_knows();
    }

    /// Forgets brokers that have heard by now that they lead no more, or have died.
    fn forget_who_knows(&mut self) {
        let mut overtaken = std::mem::take(&mut self.hazards.overtaken);
        overtaken.retain(|(id, which)| {
            self.replica(*id, which).is_some_and(|held| held.is_leader())
                && self.hazards.owed.get(which).is_some_and(|owed| owed.leader != *id)
        });
        self.hazards.overtaken = overtaken;
    }

    fn note_overtaken(&mut self, broker: BrokerId, which: &TopicPartition) {
        self.forget_who_knows();
        if self.replica(broker, which).is_some_and(|held| held.is_leader()) {
            self.hazards.overtaken.push((broker, which.clone()));
        }
    }

    /// Somebody leads from now on: what does its log lack?
    fn settle(
        &mut self,
        leader: BrokerId,
        which: &TopicPartition,
        since: Option<EventId>,
        out: &mut Outbox,
    ) {
        let Some(held) = self.replica(leader, which).cloned() else { return };
        let (topic, epoch) = (held.topic_id(), held.leader_epoch());
        let before = self.hazards.owed.get(which).filter(|owed| owed.topic == topic).cloned();
        let mut owed = before.unwrap_or_else(|| Owed::new(topic, leader, epoch));
        if epoch < owed.epoch {
            // It was elected long ago, and hears of it only now.
            return self.note_overtaken(leader, which);
        }
        let last = self.replica(owed.leader, which).filter(|last| owed.is_of(last)).cloned();
        if let Some(last) = &last {
            owed.note_end(last);
        }
        let last = last.unwrap_or_else(|| Rc::clone(&held));
        let strange = owed.strange_part(last.log(), held.log());
        let lost = owed.settle(last.log(), held.log());
        let overtaken = std::mem::replace(&mut owed.leader, leader);
        (owed.epoch, owed.since, owed.end) = (epoch, since, held.log().log_end_offset());
        self.hazards.owed.insert(which.clone(), owed);
        if overtaken != leader {
            self.note_overtaken(overtaken, which);
        }
        for batch in held.log().read(strange, held.log().log_end_offset(), u64::MAX) {
            if let Some(place) = misplaced(held.log(), batch) {
                self.count_misplaced(leader, which, (batch, place), out);
            }
        }
        for lost in &lost {
            self.note_lost(which, leader, None, lost, out);
        }
    }

    /// Records are lost, because of that event or of what happens just now.
    fn note_lost(
        &mut self,
        which: &TopicPartition,
        leader: BrokerId,
        because: Option<EventId>,
        lost: &Lost,
        out: &mut Outbox,
    ) {
        let Lost { promise, from, to, records } = *lost;
        let counts = &mut self.hazards.counts;
        match promise {
            Promise::Committed => counts.committed_records_lost += records,
            Promise::AllHaveIt => counts.overtaken_records_lost += records,
            Promise::LeaderHasIt => counts.acknowledged_records_lost += records,
            Promise::Nothing => counts.unanswered_records_lost += records,
        }
        if because.is_none() {
            self.hazards.groups.forget_from(which, from);
        }
        let partition = which.clone();
        let event = ClusterEvent::RecordsLost { partition, leader, promise, from, to, records };
        match because {
            Some(because) => out.emit_because(because, event),
            None => out.emit_beside(event),
        };
    }
}

/// The batch that begins there.
fn batch_at(log: &UnifiedLog, base: Offset) -> Option<&Rc<RecordBatch>> {
    let mut found = log.read(base, base.plus(1), u64::MAX);
    found.next().filter(|batch| batch.base_offset == base)
}
