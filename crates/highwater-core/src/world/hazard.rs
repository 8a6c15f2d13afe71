//! What is allowed to go wrong, and does: records that a leader alone had when it acknowledged them, and
//! that are lost with it; committed records that an unclean election or a loss of power takes; records
//! that stand in a log twice. Each is an event with its cause, and counted.
//!
//! Whether something is lost is known when somebody takes a partition over: the log of the one is
//! compared with the log of the other, as far as that was acknowledged.

use std::rc::Rc;

use crate::ids::{BrokerId, LeaderEpoch, Offset, TopicId, TopicPartition};
use crate::log::record_batch::RecordBatch;
use crate::log::unified_log::UnifiedLog;
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
    /// Committed records that are lost.
    pub committed_records_lost: u64,
    /// Records that stand in a log once more, because their producer sent them again.
    pub duplicate_records: u64,
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
    /// It told a producer that this batch is in its log; the others may lack it (acks=1).
    Acknowledged(TopicPartition, Rc<RecordBatch>),
    /// It leads this partition from now on.
    TookOver(TopicPartition),
    /// It appended a batch again that was in its log already, there.
    AppendedTwice(TopicPartition, Twice),
    /// Something that has to do with groups.
    Group(GroupNote),
}

/// A batch, and where it stands in the log already.
pub type Twice = (Offset, Rc<RecordBatch>);

/// What must be in the log of the next leader.
#[derive(Clone, Debug)]
struct Owed {
    topic: TopicId,
    /// The last leader, and its epoch.
    leader: BrokerId,
    epoch: LeaderEpoch,
    /// How much was committed when its process died, or when it began.
    committed: Offset,
    /// What it acknowledged and had not committed then.
    acknowledged: Vec<Rc<RecordBatch>>,
    /// What somebody appended twice who was the leader no more and did not know.
    twice: Vec<Twice>,
}

/// All of that, and what came of it.
#[derive(Clone, Debug, Default)]
pub(super) struct HazardLog {
    owed: SortedMap<TopicPartition, Owed>,
    pub(super) counts: HazardCounts,
    /// How far groups are.
    pub(super) groups: GroupProgress,
}

/// What a new leader lacks.
struct Lost {
    promise: Promise,
    from: Offset,
    to: Offset,
    records: u64,
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
                Some(Note::Acknowledged(which, batch)) => self.note_owed(broker, which, batch, out),
                Some(Note::TookOver(which)) => self.settle(broker, which, out),
                Some(Note::AppendedTwice(which, twice)) => {
                    self.note_duplicate(broker, which, twice, out);
                }
                Some(Note::Group(note)) => self.take_group_note(None, note, out),
                None => {}
            }
        }
    }

    /// A batch stands in a leader's log twice. If others are to follow somebody else by now, that may soon
    /// be gone again.
    fn note_duplicate(
        &mut self,
        broker: BrokerId,
        which: &TopicPartition,
        twice: &Twice,
        out: &mut Outbox,
    ) {
        let image = self.controller.image().partition(&which.topic, which.partition);
        if image.is_some_and(|image| image.leader == Some(broker)) {
            self.count_duplicate(broker, which, twice, out);
        } else if let Some(owed) = self.hazards.owed.get_mut(which) {
            owed.twice.push(twice.clone());
        }
    }

    fn count_duplicate(
        &mut self,
        broker: BrokerId,
        which: &TopicPartition,
        (first, batch): &Twice,
        out: &mut Outbox,
    ) {
        self.hazards.counts.duplicate_records += u64::from(batch.count());
        out.emit_beside(ClusterEvent::DuplicateAppended {
            partition: which.clone(),
            broker,
            first: *first,
            again: batch.base_offset,
            count: batch.count(),
        });
    }

    /// The process of a broker is about to die: what it has committed is known for the last time.
    pub(super) fn note_committed(&mut self, broker: BrokerId) {
        let Some(dying) = self.brokers.get(&broker) else { return };
        for (which, owed) in self.hazards.owed.iter_mut() {
            let held = dying.partitions().get(which);
            let held = held.filter(|held| owed.leader == broker && owed.is_of(held));
            if let Some(held) = held {
                owed.committed = owed.committed.max(held.high_watermark());
            }
        }
    }

    fn note_owed(
        &mut self,
        broker: BrokerId,
        which: &TopicPartition,
        batch: &Rc<RecordBatch>,
        out: &mut Outbox,
    ) {
        let replica = |broker| self.brokers.get(&broker).and_then(|it| it.partitions().get(which));
        let Some(owed) = self.hazards.owed.get(which) else { return };
        let (leader, leads) = (owed.leader, owed.leader == broker);
        let Some(held) = replica(leader).filter(|held| owed.is_of(held)) else { return };
        let (committed, is_there) = (held.high_watermark(), holds(held.log(), batch));
        if !leads {
            // It does not know yet that somebody else leads.
            if !is_there {
                self.note_lost(which, leader, &Lost::acknowledged(batch), out);
            }
        } else if let Some(owed) = self.hazards.owed.get_mut(which) {
            owed.acknowledge(batch, committed);
        }
    }

    /// Somebody leads from now on: what does its log lack?
    fn settle(&mut self, leader: BrokerId, which: &TopicPartition, out: &mut Outbox) {
        let replica = |broker| self.brokers.get(&broker).and_then(|it| it.partitions().get(which));
        let Some(held) = replica(leader).cloned() else { return };
        let topic = held.topic_id();
        let before = self.hazards.owed.get(which).filter(|owed| owed.topic == topic).cloned();
        let fresh = Owed {
            topic,
            leader,
            epoch: held.leader_epoch(),
            committed: Offset(0),
            acknowledged: Vec::new(),
            twice: Vec::new(),
        };
        let mut owed = before.unwrap_or(fresh);
        if held.leader_epoch() < owed.epoch {
            // It was elected long ago, and hears of it only now.
            return;
        }
        let last = replica(owed.leader).filter(|last| owed.is_of(last)).cloned();
        if let Some(last) = &last {
            owed.committed = owed.committed.max(last.high_watermark());
        }
        let last = last.unwrap_or_else(|| Rc::clone(&held));
        let lost = owed.settle(last.log(), held.log());
        (owed.leader, owed.epoch) = (leader, held.leader_epoch());
        let twice = std::mem::take(&mut owed.twice);
        self.hazards.owed.insert(which.clone(), owed);
        for twice in twice.iter().filter(|(_, batch)| holds(held.log(), batch)) {
            self.count_duplicate(leader, which, twice, out);
        }
        for lost in &lost {
            self.note_lost(which, leader, lost, out);
        }
    }

    fn note_lost(
        &mut self,
        which: &TopicPartition,
        leader: BrokerId,
        lost: &Lost,
        out: &mut Outbox,
    ) {
        let Lost { promise, from, to, records } = *lost;
        self.hazards.groups.forget_from(which, from);
        let counts = &mut self.hazards.counts;
        match promise {
            Promise::Committed => counts.committed_records_lost += records,
            Promise::LeaderHasIt => counts.acknowledged_records_lost += records,
        }
        let partition = which.clone();
        out.emit_beside(ClusterEvent::RecordsLost {
            partition,
            leader,
            promise,
            from,
            to,
            records,
        });
    }
}

impl Lost {
    fn acknowledged(batch: &RecordBatch) -> Self {
        Self {
            promise: Promise::LeaderHasIt,
            from: batch.base_offset,
            to: batch.next_offset(),
            records: u64::from(batch.count()),
        }
    }
}

impl Owed {
    /// Whether that is a replica of the same topic, not of one that was made anew under its name.
    fn is_of(&self, held: &Partition) -> bool {
        self.topic == held.topic_id()
    }

    /// One more batch is acknowledged. Those that are committed by now are left out sooner or later.
    fn acknowledge(&mut self, batch: &Rc<RecordBatch>, committed: Offset) {
        let known = &mut self.acknowledged;
        let done = known.partition_point(|known| known.next_offset() <= committed);
        if done > known.len() / 2 {
            known.drain(..done);
        }
        known.push(Rc::clone(batch));
    }

    /// What the log of the next leader lacks is lost, and owed no more.
    fn settle(&mut self, last: &UnifiedLog, next: &UnifiedLog) -> Vec<Lost> {
        let mut lost = Vec::new();
        let committed = self.committed;
        let agree = agreement(last, next, self.committed);
        if agree < self.committed && !next.config().compact {
            let missing = last.read(agree, self.committed, u64::MAX);
            let known: u64 = missing.map(|batch| u64::from(batch.count())).sum();
            // What the last leader's own log lacks by now was no less there.
            let from = last.log_end_offset().max(agree);
            let cut = u64::try_from(self.committed.0.saturating_sub(from.0)).unwrap_or(0);
            let (promise, records) = (Promise::Committed, known + cut);
            lost.push(Lost { promise, from: agree, to: self.committed, records });
            self.committed = agree;
        }
        let mut acknowledged: Option<Lost> = None;
        self.acknowledged.retain(|batch| {
            let was_committed = batch.next_offset() <= committed;
            let is_there = holds(next, batch);
            if !is_there && !was_committed {
                let one = Lost::acknowledged(batch);
                match &mut acknowledged {
                    Some(all) => (all.to, all.records) = (one.to, all.records + one.records),
                    None => acknowledged = Some(one),
                }
            }
            is_there && !was_committed
        });
        lost.extend(acknowledged);
        lost
    }
}

/// The offset below which both logs hold the same, as far as that is committed. What one of them has
/// deleted from its start is no difference.
fn agreement(last: &UnifiedLog, next: &UnifiedLog, committed: Offset) -> Offset {
    let known = last.log_end_offset().min(committed);
    let start = last.log_start_offset().max(next.log_start_offset());
    // Logs that have a batch in common have all before it in common.
    let (mut agree, mut parted) = (start, known.max(start));
    while agree < parted {
        let middle = Offset(agree.0.midpoint(parted.0));
        match last.read(middle, known, u64::MAX).next() {
            Some(batch) if holds(next, batch) => agree = batch.next_offset().min(parted),
            Some(batch) => parted = batch.base_offset.min(middle).max(agree),
            None => parted = middle,
        }
    }
    // What the last leader's log has lost since may be in the next one.
    if agree >= known { next.log_end_offset().min(committed).max(start) } else { agree }
}

/// Whether that very batch stands in the log, or is older than all of it.
fn holds(log: &UnifiedLog, batch: &Rc<RecordBatch>) -> bool {
    let end = Offset(batch.base_offset.0.saturating_add(1));
    let mut found = log.read(batch.base_offset, end, u64::MAX);
    batch.next_offset() <= log.log_start_offset()
        || found.next().is_some_and(|found| Rc::ptr_eq(found, batch) || **found == **batch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::record::Record;
    use crate::log::record_batch::Proposal;
    use crate::log::unified_log::LogConfig;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A log with so many batches of one record, appended in that epoch.
    fn append(log: &mut UnifiedLog, batches: u32, epoch: i32) {
        for _ in 0..batches {
            let record = Record { key: None, value: None, timestamp: 1_000, headers: Vec::new() };
            let records: Rc<[Record]> = Rc::from([record]);
            let (proposal, epoch) = (Proposal::from(records), LeaderEpoch(epoch));
            log.append_as_leader(&proposal, epoch, 1_000, &"t-0", None).expect("it is valid");
        }
    }

    fn last_batch(log: &UnifiedLog) -> Rc<RecordBatch> {
        let last = Offset(log.log_end_offset().0 - 1);
        log.read(last, log.log_end_offset(), u64::MAX).next().cloned().expect("it is there")
    }

    fn lost(last: &UnifiedLog, next: &UnifiedLog, committed: i64) -> Vec<(Promise, i64, i64, u64)> {
        let mut owed = Owed {
            topic: TopicId(1),
            leader: BrokerId(1),
            epoch: LeaderEpoch(0),
            committed: Offset(committed),
            acknowledged: vec![last_batch(last)],
            twice: Vec::new(),
        };
        let lost = owed.settle(last, next);
        lost.into_iter().map(|it| (it.promise, it.from.0, it.to.0, it.records)).collect()
    }

    /// Ten records, of which eight are committed, and the last is acknowledged, too.
    #[test]
    fn what_a_new_leader_lacks() {
        let mut last = UnifiedLog::new(LogConfig::default());
        append(&mut last, 10, 0);
        assert_eq!(lost(&last, &last, 8), []);
        let mut short = last.clone();
        short.truncate_to(Offset(8));
        assert_eq!(lost(&last, &short, 8), [(Promise::LeaderHasIt, 9, 10, 1)]);
        // Committed and acknowledged: it counts once.
        assert_eq!(lost(&last, &short, 10), [(Promise::Committed, 8, 10, 2)]);
        short.truncate_to(Offset(5));
        let both = [(Promise::Committed, 5, 8, 3), (Promise::LeaderHasIt, 9, 10, 1)];
        assert_eq!(lost(&last, &short, 8), both);
        // As long, but something else stands there.
        append(&mut short, 5, 1);
        assert_eq!(lost(&last, &short, 8), both);
        // What was deleted from the start is not lost.
        let mut late = last.clone();
        late.maybe_increment_log_start_offset(Offset(9));
        assert_eq!(lost(&last, &late, 8), []);
        // The last leader has come back without its tail, which the next one has; or leads again without.
        let mut cut = last.clone();
        cut.truncate_to(Offset(6));
        let mut owed = lost(&cut, &last, 8);
        assert_eq!(owed, []);
        owed = lost(&cut, &cut, 8);
        assert_eq!(owed, [(Promise::Committed, 6, 8, 2)]);
    }

    /// Acknowledged batches are forgotten once they are committed.
    #[test]
    fn what_is_committed_is_owed_no_more() {
        let mut log = UnifiedLog::new(LogConfig::default());
        append(&mut log, 1, 0);
        let mut owed = Owed {
            topic: TopicId(1),
            leader: BrokerId(1),
            epoch: LeaderEpoch(0),
            committed: Offset(0),
            acknowledged: Vec::new(),
            twice: Vec::new(),
        };
        for n in 1..1_000 {
            append(&mut log, 1, 0);
            owed.acknowledge(&last_batch(&log), Offset(n));
        }
        assert!(owed.acknowledged.len() < 4);
    }
}
