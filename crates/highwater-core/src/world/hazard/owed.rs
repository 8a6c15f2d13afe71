//! What the next leader of a partition must have in its log: what is committed, and what was told to
//! producers or taken from them before it was. Whoever takes over is measured by it.

use std::rc::Rc;

use crate::ids::{BrokerId, EventId, LeaderEpoch, Offset, TopicId};
use crate::log::record_batch::RecordBatch;
use crate::log::unified_log::UnifiedLog;
use crate::net::message::Acks;
use crate::replication::newest_batches::is_anywhere;
use crate::replication::partition::Partition;
use crate::world::cluster_event::Promise;

/// What must be in the log of the next leader.
#[derive(Clone, Debug)]
pub(super) struct Owed {
    pub(super) topic: TopicId,
    /// The last leader, its epoch, and what made it the leader.
    pub(super) leader: BrokerId,
    pub(super) epoch: LeaderEpoch,
    pub(super) since: Option<EventId>,
    /// How much was committed when its process died, or when it began; and how long its log was.
    pub(super) committed: Offset,
    pub(super) end: Offset,
    /// What it acknowledged (acks=1) or took without an answer (acks=0), and had not committed then.
    pub(super) taken: Vec<Rc<RecordBatch>>,
}

/// What a new leader lacks.
#[derive(Debug)]
pub(super) struct Lost {
    pub(super) promise: Promise,
    pub(super) from: Offset,
    pub(super) to: Offset,
    pub(super) records: u64,
}

impl Lost {
    /// A batch, and what its producer knows of it.
    pub(super) fn batch(batch: &RecordBatch) -> Self {
        let acks = batch.origin().map(|origin| origin.acks);
        let promise = match acks {
            Some(Acks::All) => Promise::AllHaveIt,
            Some(Acks::None) => Promise::Nothing,
            Some(Acks::Leader) | None => Promise::LeaderHasIt,
        };
        Self {
            promise,
            from: batch.base_offset,
            to: batch.next_offset(),
            records: u64::from(batch.count()),
        }
    }
}

impl Owed {
    pub(super) fn new(topic: TopicId, leader: BrokerId, epoch: LeaderEpoch) -> Self {
        let (committed, end) = (Offset(0), Offset(0));
        Self { topic, leader, epoch, since: None, committed, end, taken: Vec::new() }
    }

    /// Whether that is a replica of the same topic, not of one that was made anew under its name.
    pub(super) fn is_of(&self, held: &Partition) -> bool {
        self.topic == held.topic_id()
    }

    /// What the last leader has committed is known for the last time, and how long its log is.
    pub(super) fn note_end(&mut self, last: &Partition) {
        self.committed = self.committed.max(last.high_watermark());
        self.end = self.end.max(last.log().log_end_offset());
    }

    /// One more batch is taken. Those that are committed by now are left out sooner or later.
    pub(super) fn take(&mut self, batch: &Rc<RecordBatch>, committed: Offset) {
        if batch.next_offset() <= committed {
            return;
        }
        let known = &mut self.taken;
        let done = known.partition_point(|known| known.next_offset() <= committed);
        if done > known.len() / 2 {
            known.drain(..done);
        }
        known.push(Rc::clone(batch));
    }

    /// What the log of the next leader lacks is lost, and owed no more.
    pub(super) fn settle(&mut self, last: &UnifiedLog, next: &UnifiedLog) -> Vec<Lost> {
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
        let (mut acknowledged, mut unanswered): (Option<Lost>, Option<Lost>) = (None, None);
        self.taken.retain(|batch| {
            let was_committed = batch.next_offset() <= committed;
            let is_there = holds(next, batch);
            if !was_committed && !is_there && !is_anywhere(next, batch) {
                let one = Lost::batch(batch);
                let nothing_told = one.promise == Promise::Nothing;
                match if nothing_told { &mut unanswered } else { &mut acknowledged } {
                    Some(all) => (all.to, all.records) = (one.to, all.records + one.records),
                    none => *none = Some(one),
                }
            }
            is_there && !was_committed
        });
        lost.extend(acknowledged);
        lost.extend(unanswered);
        lost
    }

    /// Where the part of the next leader's log begins that the last leader never had: nothing has judged
    /// the places of the batches in it.
    pub(super) fn strange_part(&self, last: &UnifiedLog, next: &UnifiedLog) -> Offset {
        let end = last.log_end_offset();
        let agree = agreement(last, next, end);
        if agree < end { agree } else { self.end.max(end) }
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
pub(super) fn holds(log: &UnifiedLog, batch: &Rc<RecordBatch>) -> bool {
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
        let mut owed = Owed::new(TopicId(1), BrokerId(1), LeaderEpoch(0));
        (owed.committed, owed.taken) = (Offset(committed), vec![last_batch(last)]);
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

    /// Batches that were taken are forgotten once they are committed.
    #[test]
    fn what_is_committed_is_owed_no_more() {
        let mut log = UnifiedLog::new(LogConfig::default());
        append(&mut log, 1, 0);
        let mut owed = Owed::new(TopicId(1), BrokerId(1), LeaderEpoch(0));
        for n in 1..1_000 {
            append(&mut log, 1, 0);
            owed.take(&last_batch(&log), Offset(n));
        }
        assert!(owed.taken.len() < 4);
    }
}
