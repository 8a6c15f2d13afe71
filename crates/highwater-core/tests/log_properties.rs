//! Whatever is done to a log, it holds what a plain list of records holds.
#![cfg(not(target_arch = "wasm32"))]

use std::rc::Rc;

use highwater_core::ids::{Bytes, LeaderEpoch, Offset};
use highwater_core::log::log_config::{LogConfig, Ratio};
use highwater_core::log::record::{Record, RecordBatch};
use highwater_core::log::record_batch::{ProducerStamp, Proposal};
use highwater_core::log::unified_log::UnifiedLog;
use proptest::prelude::*;

/// One thing that is done to a log. Numbers stand for a share of what is there.
#[derive(Clone, Debug)]
enum Op {
    Append { records: Vec<(u8, u8, i64)>, producer: Option<u8>, new_epoch: bool },
    Replicate { gap: u8, records: u8 },
    Truncate(u8),
    TruncateFully(u8),
    MoveStart(u8),
    Clean,
    Delete(u8),
    LosePower,
    Flush,
}

fn op() -> impl Strategy<Value = Op> {
    let record = (0u8..6, 0u8..60, -1i64..400);
    prop_oneof![
        12 => (prop::collection::vec(record, 1..6), prop::option::of(0u8..3), prop::bool::weighted(0.1))
            .prop_map(|(records, producer, new_epoch)| Op::Append { records, producer, new_epoch }),
        3 => (0u8..5, 1u8..4).prop_map(|(gap, records)| Op::Replicate { gap, records }),
        2 => any::<u8>().prop_map(Op::Truncate),
        1 => any::<u8>().prop_map(Op::TruncateFully),
        1 => any::<u8>().prop_map(Op::MoveStart),
        3 => Just(Op::Clean),
        2 => any::<u8>().prop_map(Op::Delete),
        1 => Just(Op::LosePower),
        1 => Just(Op::Flush),
    ]
}

/// A batch as the model knows it: its first and last offset, and its records.
type ModelBatch = (i64, i64, Vec<(i64, Record)>);

/// The list of records, and what a person would keep beside it.
#[derive(Clone, Default)]
struct Model {
    batches: Vec<ModelBatch>,
    start: i64,
    end: i64,
    epoch: i32,
    now_ms: i64,
    was_cleaned: bool,
}

impl Model {
    fn records(&self) -> impl Iterator<Item = &(i64, Record)> {
        self.batches.iter().flat_map(|(_, _, records)| records)
    }

    fn truncate(&mut self, to: i64) {
        self.batches.retain(|(_, last, _)| *last < to);
        self.end = self.end.min(to);
        self.start = self.start.min(to);
    }

    fn restart(&mut self, at: i64) {
        self.batches.clear();
        (self.start, self.end) = (at, at);
    }

    fn take(&mut self, batch: &RecordBatch) {
        let records = batch.iter().map(|(offset, record)| (offset.0, record.clone())).collect();
        self.batches.push((batch.base_offset.0, batch.last_offset().0, records));
        self.end = batch.next_offset().0;
    }

    /// Of the records below `end`, those stay that have a key and no newer record of the dirty part
    /// with the same key.
    fn clean(&mut self, dirty_from: i64, end: i64) {
        let dirty: Vec<(i64, Record)> = self
            .records()
            .filter(|(offset, _)| (dirty_from..end).contains(offset))
            .cloned()
            .collect();
        for (_, _, records) in &mut self.batches {
            records.retain(|(offset, record)| {
                let newer =
                    |(other, dirty): &(i64, Record)| other > offset && dirty.key == record.key;
                *offset >= end || (record.key.is_some() && !dirty.iter().any(newer))
            });
        }
        self.was_cleaned = true;
    }
}

/// Key 0 is none; sizes 0 to 9 are none.
fn record((key, size, timestamp): (u8, u8, i64)) -> Record {
    Record {
        key: (key > 0).then(|| Bytes::from(&[key][..])),
        value: (size > 9).then(|| Bytes::from(vec![key; usize::from(size)])),
        timestamp,
        headers: Vec::new(),
    }
}

fn part(of: i64, share: u8) -> i64 {
    of * i64::from(share) / 255
}

fn apply(log: &mut UnifiedLog, model: &mut Model, op: &Op, compact: bool) {
    model.now_ms += 10;
    match op {
        Op::Append { records, producer, new_epoch } => {
            model.epoch += i32::from(*new_epoch);
            append(log, model, records, *producer, compact);
        }
        Op::Replicate { gap, records } => {
            let mut leader = UnifiedLog::new(LogConfig::default());
            leader.truncate_fully_and_start_at(Offset(model.end + i64::from(*gap)));
            let records: Vec<Record> = (0..*records).map(|n| record((1, 20 + n, 5))).collect();
            let proposal = Proposal::from(Rc::from(records));
            let epoch = LeaderEpoch(model.epoch);
            let sent = leader.append_as_leader(&proposal, epoch, 0, &"t-0", None);
            let batch = sent.expect("it is in order").batch;
            log.append_as_follower(Rc::clone(&batch), model.now_ms).expect("it follows");
            model.take(&batch);
        }
        Op::Truncate(share) => {
            let to = part(model.end, *share);
            assert_eq!(log.truncate_to(Offset(to)), to < model.end);
            model.truncate(to);
        }
        Op::TruncateFully(share) => {
            let at = part(model.end * 2, *share);
            log.truncate_fully_and_start_at(Offset(at));
            model.restart(at);
        }
        Op::MoveStart(share) => {
            let to = part(model.end, *share);
            assert_eq!(log.maybe_increment_log_start_offset(Offset(to)), to > model.start);
            model.start = model.start.max(to);
        }
        Op::Clean => {
            let earliest = highwater_core::log::cleaner::earliest_cleaning_ms(
                log,
                model.now_ms,
                Offset(model.end),
            );
            let cleaned = log.maybe_clean(model.now_ms, Offset(model.end));
            assert_eq!(cleaned.is_some(), earliest == Some(model.now_ms));
            if let Some(cleaned) = cleaned {
                model.clean(cleaned.first_dirty_offset.0, cleaned.end_offset.0);
            }
        }
        Op::Delete(share) => delete(log, model, part(model.end, *share)),
        Op::LosePower => {
            let point = log.recovery_point().0;
            log.lose_unflushed();
            if point < model.start { model.restart(model.start) } else { model.truncate(point) }
        }
        Op::Flush => log.flush(),
    }
}

fn append(
    log: &mut UnifiedLog,
    model: &mut Model,
    records: &[(u8, u8, i64)],
    producer: Option<u8>,
    compact: bool,
) {
    let keyed = |(key, size, at): (u8, u8, i64)| (if compact { key.max(1) } else { key }, size, at);
    let records: Vec<Record> = records.iter().copied().map(keyed).map(record).collect();
    let producer = producer.map(|id| {
        let known = log.producer_state().last_entry(i64::from(id));
        let next =
            known.and_then(|entry| entry.batches().last()).map_or(0, |last| last.last_sequence + 1);
        ProducerStamp { producer_id: i64::from(id), producer_epoch: 0, base_sequence: next }
    });
    let proposal = Proposal { producer, ..Proposal::from(Rc::from(records)) };
    let epoch = LeaderEpoch(model.epoch);
    let info =
        log.append_as_leader(&proposal, epoch, model.now_ms, &"t-0", None).expect("it is in order");
    assert_eq!((info.batch.base_offset, info.is_duplicate), (Offset(model.end), false));
    model.take(&info.batch);
    if producer.is_some() {
        let again = log
            .append_as_leader(&proposal, epoch, model.now_ms, &"t-0", None)
            .expect("it is known");
        assert_eq!((again.batch.base_offset, again.is_duplicate), (info.batch.base_offset, true));
    }
}

/// What goes is a row of segments from the oldest on, committed, at or after the announced moment.
fn delete(log: &mut UnifiedLog, model: &mut Model, high_watermark: i64) {
    let high_watermark = Offset(high_watermark.max(model.start));
    let earliest = log.earliest_retention_ms();
    let is_due = log.is_size_or_start_retention_due(high_watermark);
    let gone = log.delete_old_segments(model.now_ms, high_watermark);
    let next = log.segments().next().expect("one is left").base_offset();
    if let Some(last) = gone.last() {
        let by_time = earliest.is_some_and(|earliest| earliest <= model.now_ms);
        assert!(is_due || by_time, "{gone:?} went unannounced");
        assert!(last.end_offset <= high_watermark && next <= high_watermark);
        model.batches.retain(|(base, _, _)| *base >= next.0);
        model.start = model.start.max(next.0);
    } else {
        assert!(!is_due);
    }
    for pair in gone.windows(2) {
        assert!(pair[0].base_offset < pair[1].base_offset);
    }
}

fn check(log: &UnifiedLog, model: &Model) {
    assert_eq!((log.log_start_offset().0, log.log_end_offset().0), (model.start, model.end));
    let everything = || log.read(Offset(0), log.log_end_offset(), u64::MAX);
    let found: Vec<(i64, &Record)> = everything()
        .flat_map(|batch| batch.iter())
        .map(|(offset, record)| (offset.0, record))
        .collect();
    let expected: Vec<(i64, &Record)> = model.records().map(|(at, record)| (*at, record)).collect();
    assert_eq!(found, expected);
    check_reads(log, model);
    let of_batches: u64 = everything().map(|batch| u64::from(batch.size_in_bytes)).sum();
    let of_segments: u64 = log.segments().map(|segment| segment.size_in_bytes()).sum();
    assert_eq!((log.size_in_bytes(), of_segments), (of_batches, of_batches));
    check_epochs(log);
    let mut rebuilt = log.clone();
    rebuilt.rebuild_producer_state();
    assert_eq!(rebuilt.producer_state(), log.producer_state());
    assert!(log.recovery_point() <= log.log_end_offset());
    let mut bases = log.segments().map(|segment| segment.base_offset());
    let first = bases.next().expect("one is there");
    bases.fold(first, |before, base| {
        assert!(before < base);
        base
    });
}

/// Each offset is found, and each time, as in the list.
fn check_reads(log: &UnifiedLog, model: &Model) {
    for from in model.start..model.end {
        let read = log
            .read(Offset(from), log.log_end_offset(), 0)
            .chain(log.read(Offset(from), log.log_end_offset(), u64::MAX).skip(1))
            .flat_map(|batch| batch.iter_from(Offset(from)))
            .next()
            .map(|(offset, _)| offset.0);
        let expected = model.records().map(|(offset, _)| *offset).find(|offset| *offset >= from);
        assert_eq!(read, expected, "from {from}");
    }
    if model.was_cleaned {
        return;
    }
    let dated = || model.records().filter(|(_, record)| record.timestamp >= 0);
    let newest = dated().map(|(_, record)| record.timestamp).max();
    let newest = newest.and_then(|at| dated().find(|(_, record)| record.timestamp == at));
    let newest = newest.map(|(offset, record)| (record.timestamp, Offset(*offset)));
    assert_eq!(log.max_timestamp(), newest);
    if model.records().next().is_none_or(|(offset, _)| *offset >= model.start) {
        for timestamp in (0..400).step_by(37) {
            let late = model.records().find(|(_, record)| record.timestamp >= timestamp);
            let late = late.map(|(offset, record)| (record.timestamp, Offset(*offset)));
            assert_eq!(log.offset_for_timestamp(timestamp), late);
        }
    }
}

/// Epochs and their offsets grow, and each batch that can be read lies in its epoch.
fn check_epochs(log: &UnifiedLog) {
    let epochs = log.leader_epoch_cache();
    for pair in epochs.entries().windows(2) {
        assert!(pair[0].epoch < pair[1].epoch && pair[0].start_offset < pair[1].start_offset);
    }
    assert!(epochs.latest_entry().is_none_or(|last| last.start_offset <= log.log_end_offset()));
    for batch in log.read(log.log_start_offset(), log.log_end_offset(), u64::MAX) {
        assert_eq!(epochs.epoch_for_offset(batch.last_offset()), Some(batch.leader_epoch));
        let end = log.end_offset_for_epoch(batch.leader_epoch);
        assert!(end.is_some_and(|(epoch, end)| {
            epoch == batch.leader_epoch && end >= batch.next_offset()
        }));
    }
}

fn config(compact: bool, segment_bytes: u64, index_bytes: u32) -> LogConfig {
    LogConfig {
        segment_bytes,
        segment_ms: 300,
        segment_index_bytes: index_bytes,
        index_interval_bytes: 150,
        compact,
        min_cleanable_dirty_ratio: Ratio(300_000_000),
        min_compaction_lag_ms: 20,
        max_compaction_lag_ms: 500,
        delete_retention_ms: i64::MAX,
        retention_ms: 200,
        retention_bytes: 2_000,
        ..LogConfig::default()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// After each of many things the log holds what the list holds, and a copy made on the way
    /// still holds what it held.
    #[test]
    fn a_log_is_a_list_of_records(
        compact in any::<bool>(),
        segment_bytes in 450u64..2_500,
        index_bytes in prop_oneof![Just(10_000u32), 36u32..80],
        ops in prop::collection::vec(op(), 1..60),
        copied_after in 0usize..60,
    ) {
        let mut log = UnifiedLog::new(config(compact, segment_bytes, index_bytes));
        let mut model = Model::default();
        let mut copy = None;
        for (number, op) in ops.iter().enumerate() {
            apply(&mut log, &mut model, op, compact);
            check(&log, &model);
            if number == copied_after {
                copy = Some((log.clone(), model.clone()));
            }
        }
        if let Some((log, model)) = copy {
            check(&log, &model);
        }
    }

    /// A log of many small batches: chunks are filled, shared, truncated and found.
    #[test]
    fn long_segments(count in 1i64..2_000, cut in any::<u8>(), more in 0i64..600) {
        let mut log = UnifiedLog::new(LogConfig::default());
        let mut model = Model::default();
        let one = [(1, 10, 7)];
        for _ in 0..count {
            append(&mut log, &mut model, &one, None, false);
        }
        let (copy, copied) = (log.clone(), model.clone());
        let to = part(count, cut);
        log.truncate_to(Offset(to));
        model.truncate(to);
        for _ in 0..more {
            append(&mut log, &mut model, &one, None, false);
        }
        for (log, model) in [(&log, &model), (&copy, &copied)] {
            let found = log.read(Offset(0), log.log_end_offset(), u64::MAX).flat_map(|b| b.iter());
            prop_assert!(found.map(|(offset, _)| offset.0).eq(0..model.end));
            for from in [0, model.end / 3, model.end / 2, model.end - 1] {
                let first = log.read(Offset(from.max(0)), log.log_end_offset(), 0).next();
                let expected = (model.end > 0).then_some(Offset(from.max(0)));
                prop_assert_eq!(first.map(|batch| batch.base_offset), expected);
            }
        }
    }
}
