//! What a leader appends for a producer: an idempotent one has each batch once and in order within its
//! epoch (KIP-98); without idempotence a batch that is sent again may stand in the log twice, and behind
//! a later one. That is counted.

use std::rc::Rc;

use super::committed::{Hazards, holds};
use super::sent::{Batches, count};
use super::{Change, Violation};
use crate::ids::{Offset, TopicPartition};
use crate::log::record_batch::RecordBatch;
use crate::sorted_map::SortedMap;

/// The batches of every partition, as its leader has them.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    rows: SortedMap<TopicPartition, Vec<Rc<RecordBatch>>>,
}

impl Rows {
    /// A leader has changed, or another one leads.
    pub(super) fn note_leader(
        &mut self,
        change: &Change<'_>,
        batches: &Batches,
        hazards: &mut Hazards,
        violations: &mut Vec<Violation>,
    ) {
        let log = change.now.log();
        let row = self.rows.get_or_insert_with(change.which.clone(), Vec::new);
        while row.pop_if(|last| !holds(log, last)).is_some() {}
        let from = row.last().map_or(log.log_start_offset(), |last| last.next_offset());
        for batch in log.read(from, log.log_end_offset(), u64::MAX) {
            judge(change.which, row, batch, batches, hazards, violations);
            row.push(Rc::clone(batch));
        }
    }
}

/// Looks at one more batch of a row.
fn judge(
    which: &TopicPartition,
    row: &[Rc<RecordBatch>],
    batch: &RecordBatch,
    batches: &Batches,
    hazards: &mut Hazards,
    violations: &mut Vec<Violation>,
) {
    let mut break_rule = |rule, offset: Offset| {
        let (id, at) = (batch.producer, batch.base_offset);
        let found = format!("{which}: offset {at} of {id:?} after offset {offset}");
        violations.push(Violation { rule, found });
    };
    let of_same_epoch = |other: &RecordBatch| {
        batch.producer.is_some()
            && batch.producer.map(|it| it.id()) == other.producer.map(|it| it.id())
    };
    let before = row.iter().rev().find(|other| of_same_epoch(other));
    if let (Some(stamp), Some(before)) = (batch.producer, before)
        && let Some(last) = before.producer
        && stamp.base_sequence != last.sequence_at(before.last_offset_delta.saturating_add(1))
    {
        break_rule("SequencesFollowEachOther", before.base_offset);
    }
    let records = u64::from(count(&batch.records));
    if let Some(twin) = row.iter().rev().find(|other| Rc::ptr_eq(&other.records, &batch.records)) {
        if of_same_epoch(twin) {
            break_rule("NoDuplicateWithinAnEpoch", twin.base_offset);
        }
        hazards.duplicate_records += records;
        return;
    }
    let Some((number, sent)) = batches.find(&batch.records) else { return };
    let later = row.iter().rev().find(|other| {
        let known = batches.find(&other.records);
        known.is_some_and(|(other, it)| it.client == sent.client && other > number)
    });
    if let Some(later) = later {
        if of_same_epoch(later) {
            break_rule("OrderIsKeptWithinAnEpoch", later.base_offset);
        }
        hazards.reordered_records += records;
    }
}
