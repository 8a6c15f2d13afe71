//! Offsets, rolling, reading and truncating; what followers append.

use super::*;
use crate::ids::Bytes;
use crate::log::record::Record;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn record(bytes: usize, timestamp: i64) -> Record {
    Record { key: None, value: Some(Bytes::from(vec![0; bytes])), timestamp, headers: vec![] }
}

fn reason_of(info: &AppendInfo) -> Option<RollReason> {
    info.rolled.as_ref().map(|roll| *roll.reason.known())
}

fn append(log: &mut UnifiedLog, records: &[Record]) -> AppendInfo {
    let proposal = Proposal::from(Rc::from(records));
    log.append_as_leader(&proposal, LeaderEpoch(0), 0, &"t-0", None).unwrap()
}

/// Ten records of 100 kB fit a segment of 1 MiB, the eleventh opens the next [run, 02-log.md].
#[test]
fn a_segment_rolls_before_it_would_grow_too_large() {
    let mut log = UnifiedLog::new(LogConfig { segment_bytes: 1 << 20, ..LogConfig::default() });
    for n in 0..10 {
        assert_eq!(append(&mut log, &[record(100_000, n)]).rolled_at(), None);
    }
    assert_eq!(append(&mut log, &[record(100_000, 10)]).rolled_at(), Some(Offset(10)));
    let sizes: Vec<u64> = log.segments().map(|segment| segment.size_in_bytes()).collect();
    assert_eq!(sizes, [1_000_720, 100_072]);
}

/// Record timestamps are compared, and "more than", not "as much as".
#[test]
fn a_segment_rolls_by_time_between_records() {
    let mut log = UnifiedLog::new(LogConfig { segment_ms: 10_000, ..LogConfig::default() });
    append(&mut log, &[record(1, 1_000)]);
    assert_eq!(append(&mut log, &[record(1, 11_000)]).rolled_at(), None);
    assert_eq!(append(&mut log, &[record(1, 11_001)]).rolled_at(), Some(Offset(2)));
}

/// Every offset is found in every shape of log, and nothing outside the range is returned.
#[test]
fn reads_find_each_offset() {
    let mut log = UnifiedLog::new(LogConfig { segment_bytes: 400, ..LogConfig::default() });
    for n in 0..30 {
        let count = usize::try_from(n % 4 + 1).unwrap();
        append(&mut log, &vec![record(10, n); count]);
    }
    let end = log.log_end_offset();
    assert!(log.segments().count() > 5);
    for from in 0..end.0 {
        let mut batches = log.read(Offset(from), end, u64::MAX);
        let first = batches.next().unwrap();
        assert!(first.base_offset.0 <= from && from < first.next_offset().0);
        let rest: u32 = batches.map(|batch| batch.count()).sum();
        assert_eq!(first.next_offset().plus(rest), end);
    }
    assert_eq!(log.read(end, end, u64::MAX).count(), 0);
}

/// Looking up by time gives the first record that is late enough.
#[test]
fn offsets_by_time() {
    let mut log = UnifiedLog::new(LogConfig::default());
    assert_eq!(log.offset_for_timestamp(0), None);
    for timestamp in [100, 300, 200, 300] {
        append(&mut log, &[record(1, timestamp)]);
    }
    assert_eq!(log.offset_for_timestamp(150), Some((300, Offset(1))));
    assert_eq!(log.offset_for_timestamp(301), None);
    assert_eq!(log.max_timestamp(), Some((300, Offset(1))));
}

fn with(log: LogConfig) -> UnifiedLog {
    UnifiedLog::new(log)
}

/// A batch as a leader would send it to a follower.
fn replicated(base_offset: i64, epoch: i32, timestamps: &[i64]) -> Rc<RecordBatch> {
    let mut leader = with(LogConfig::default());
    leader.truncate_fully_and_start_at(Offset(base_offset));
    let records: Vec<Record> = timestamps.iter().map(|at| record(1, *at)).collect();
    let proposal = Proposal::from(Rc::from(records));
    leader.append_as_leader(&proposal, LeaderEpoch(epoch), 0, &"t-0", None).unwrap().batch
}

fn bases(log: &UnifiedLog) -> Vec<i64> {
    log.segments().map(|segment| segment.base_offset().0).collect()
}

fn offsets(log: &UnifiedLog) -> Vec<i64> {
    log.read(Offset(0), log.log_end_offset(), u64::MAX)
        .flat_map(|batch| batch.iter())
        .map(|(offset, _)| offset.0)
        .collect()
}

/// The first batch comes whole however little is asked for, and no other beyond the limit.
#[test]
fn the_first_batch_is_always_read() {
    let mut log = with(LogConfig::default());
    for n in 0..5 {
        append(&mut log, &[record(39, n)]);
    }
    let read = |from, end, bytes| log.read(Offset(from), Offset(end), bytes).count();
    let size = u64::from(log.read(Offset(0), Offset(1), 0).next().unwrap().size_in_bytes);
    assert_eq!(read(0, 5, 0), 1);
    assert_eq!(read(0, 5, 2 * size - 1), 1);
    assert_eq!(read(0, 5, 2 * size), 2);
    assert_eq!(read(3, 4, u64::MAX), 1);
    assert_eq!(read(3, 3, u64::MAX), 0);
    assert_eq!(read(i64::MAX, i64::MAX, u64::MAX), 0);
}

/// "More than `segment.ms`" counts from the largest timestamp of the first batch; the clock only
/// if that batch has none.
#[test]
fn what_the_time_of_a_segment_counts_from() {
    let config = LogConfig { segment_ms: 1_000, ..LogConfig::default() };
    let mut log = with(config.clone());
    append(&mut log, &[record(1, 10), record(1, 500)]);
    assert_eq!(append(&mut log, &[record(1, 1_500)]).rolled_at(), None);
    let info = append(&mut log, &[record(1, 1_501)]);
    let late = RollReason::SegmentMs { waited_ms: 1_001, most_ms: 1_000 };
    assert_eq!((info.rolled_at(), reason_of(&info)), (Some(Offset(3)), Some(late)));
    // An idle topic never rolls by time, and an old record opens no segment.
    assert_eq!(append(&mut log, &[record(1, 0)]).rolled_at(), None);

    let mut log = with(config);
    let mut at = |now_ms| {
        let proposal = Proposal::from(Rc::from([record(1, -1)]));
        log.append_as_leader(&proposal, LeaderEpoch(0), now_ms, &"t-0", None).unwrap().rolled_at()
    };
    assert_eq!([at(5_000), at(6_000), at(6_001)], [None, None, Some(Offset(2))]);
}

/// Two entries fit an offset index of 16 bytes; the last one of a time index is kept free.
#[test]
fn a_segment_rolls_when_an_index_is_full() {
    let config =
        LogConfig { segment_index_bytes: 16, index_interval_bytes: 0, ..LogConfig::default() };
    let mut log = with(config.clone());
    // The time index would have room for one entry, and none may be taken: every append rolls.
    append(&mut log, &[record(1, 5)]);
    let info = append(&mut log, &[record(1, 5)]);
    let full = RollReason::IndexFull { most: 16 };
    assert_eq!((info.rolled_at(), reason_of(&info)), (Some(Offset(1)), Some(full)));

    let mut log = with(LogConfig { segment_index_bytes: 36, ..config });
    let rolled: Vec<bool> =
        (0..6).map(|n| append(&mut log, &[record(1, n)]).rolled_at().is_some()).collect();
    // Entries come with the second and third batch; the third of the time index is kept free.
    assert_eq!(rolled, [false, false, false, true, false, false]);
    assert_eq!(log.segments().next().unwrap().index_sizes(), (16, 24));
}

/// Offsets in an index are 31 bits relative to the segment's base.
#[test]
fn a_segment_rolls_when_the_offset_no_longer_fits() {
    let mut log = with(LogConfig::default());
    let far = i64::from(i32::MAX);
    log.append_as_follower(replicated(0, 0, &[0]), 0).unwrap();
    let mut still = log.clone();
    assert_eq!(still.append_as_follower(replicated(far, 0, &[0]), 0).unwrap().rolled_at(), None);
    let info = log.append_as_follower(replicated(far + 1, 0, &[0]), 0).unwrap();
    assert_eq!(info.rolled_at(), Some(Offset(far + 1)));
    assert_eq!(reason_of(&info), Some(RollReason::RelativeOffset { distance: 1 << 31 }));
}

/// A follower takes gaps that the leader's cleaner made, and nothing that it already has.
#[test]
fn followers_take_offsets_as_they_are() {
    let mut log = with(LogConfig::default());
    log.append_as_follower(replicated(0, 3, &[7, 8]), 0).unwrap();
    log.append_as_follower(replicated(5, 4, &[9]), 0).unwrap();
    assert_eq!((offsets(&log), log.log_end_offset()), (vec![0, 1, 5], Offset(6)));
    assert_eq!(log.end_offset_for_epoch(LeaderEpoch(3)), Some((LeaderEpoch(3), Offset(5))));
    let refused = log.append_as_follower(replicated(5, 4, &[9, 9]), 0).unwrap_err();
    assert_eq!(refused.code, ErrorCode::CorruptMessage);
    assert_eq!(log.log_end_offset(), Offset(6));
    let read = log.read(Offset(3), Offset(6), u64::MAX).next().unwrap();
    assert_eq!(read.base_offset, Offset(5), "the next one there is");
}

/// An empty follower that starts where the leader's log begins gets the whole batch around it.
#[test]
fn the_start_of_a_log_may_lie_within_a_batch() {
    let mut log = with(LogConfig::default());
    log.truncate_fully_and_start_at(Offset(7));
    log.append_as_follower(replicated(5, 0, &[1, 2, 3, 4]), 0).unwrap();
    assert_eq!((log.log_start_offset(), log.log_end_offset()), (Offset(7), Offset(9)));
    assert_eq!(offsets(&log), [5, 6, 7, 8]);
    assert_eq!(log.offset_for_timestamp(1), Some((3, Offset(7))));
}

/// Truncation in the active segment, to a sealed one, within a batch, and below everything.
#[test]
fn truncation() {
    let mut log = with(LogConfig { segment_bytes: 300, ..LogConfig::default() });
    for epoch in 0..6 {
        let proposal = Proposal::from(Rc::from([record(30, 1), record(30, 2)]));
        log.append_as_leader(&proposal, LeaderEpoch(epoch), 0, &"t-0", None).unwrap();
    }
    assert_eq!(bases(&log), [0, 4, 8]);
    assert!(!log.clone().truncate_to(Offset(12)));
    for (to, left, segments, epochs) in [
        (10, 10, &[0, 4, 8][..], 5),
        (8, 8, &[0, 4, 8], 4),
        (6, 6, &[0, 4], 3),
        (5, 4, &[0, 4], 3),
        (0, 0, &[0], 0),
        (-5, 0, &[0], 0),
    ] {
        let mut cut = log.clone();
        assert!(cut.truncate_to(Offset(to)));
        assert_eq!(cut.log_end_offset(), Offset(to.max(0)), "to {to}");
        assert_eq!(offsets(&cut), (0..left).collect::<Vec<i64>>(), "to {to}");
        assert_eq!(
            (bases(&cut), cut.leader_epoch_cache().entries().len()),
            (segments.to_vec(), epochs)
        );
        assert!(cut.recovery_point() <= cut.log_end_offset());
        assert_eq!(append(&mut cut, &[record(1, 3)]).batch.base_offset, Offset(to.max(0)));
    }
    log.truncate_fully_and_start_at(Offset(20));
    log.maybe_increment_log_start_offset(Offset(20));
    assert_eq!((log.size_in_bytes(), bases(&log)), (0, vec![20]));
    assert!(log.truncate_to(Offset(3)), "below all of it: goes on at 3");
    assert_eq!(
        (log.log_start_offset(), log.log_end_offset(), bases(&log)),
        (Offset(3), Offset(3), vec![3])
    );
}

/// A power loss takes what was appended since the last segment was closed, if nobody flushed.
#[test]
fn a_power_loss_takes_what_was_not_flushed() {
    let mut log = with(LogConfig { segment_bytes: 300, ..LogConfig::default() });
    for n in 0..8 {
        append(&mut log, &[record(30, n)]);
    }
    assert_eq!((bases(&log), log.recovery_point()), (vec![0, 3, 6], Offset(6)));
    let mut flushed = log.clone();
    flushed.flush();
    assert!(!flushed.lose_unflushed());
    assert_eq!(flushed.log_end_offset(), Offset(8));
    assert!(log.lose_unflushed());
    assert_eq!((log.log_end_offset(), offsets(&log).len()), (Offset(6), 6));
    append(&mut log, &[record(30, 9)]);
    log.maybe_increment_log_start_offset(Offset(7));
    assert!(log.lose_unflushed(), "the start lies beyond what was flushed");
    assert_eq!((log.log_start_offset(), log.log_end_offset()), (Offset(7), Offset(7)));
}

/// A copy does not change when the log grows, and shares all but the last chunk with it.
#[test]
fn copies_are_independent_and_share() {
    let mut log = with(LogConfig { segment_bytes: 40_000, ..LogConfig::default() });
    for n in 0..1_500 {
        append(&mut log, &[record(1, n)]);
    }
    let copy = log.clone();
    for n in 0..700 {
        append(&mut log, &[record(1, n)]);
    }
    assert_eq!(offsets(&copy), (0..1_500).collect::<Vec<i64>>());
    assert_eq!(offsets(&log), (0..2_200).collect::<Vec<i64>>());
    let shared = copy.segments().zip(log.segments()).filter(|(a, b)| Rc::ptr_eq(a, b)).count();
    assert_eq!(shared, copy.segments().count() - 1);
}

/// The start only moves forward and never past the end.
#[test]
fn the_log_start_moves_forward() {
    let mut log = with(LogConfig::default());
    append(&mut log, &[record(1, 10), record(1, 20), record(1, 30)]);
    assert!(log.maybe_increment_log_start_offset(Offset(2)));
    assert!(!log.maybe_increment_log_start_offset(Offset(1)));
    assert!(!log.maybe_increment_log_start_offset(Offset(4)));
    assert_eq!(log.offset_for_timestamp(5), Some((30, Offset(2))));
    assert_eq!(log.leader_epoch_cache().entries()[0].start_offset, Offset(2));
}

/// With LogAppendTime the leader's clock counts, for lookups too.
#[test]
fn log_append_time_overrides() {
    let mut log = with(LogConfig {
        message_timestamp_type: TimestampType::LogAppendTime,
        ..LogConfig::default()
    });
    let proposal = Proposal::from(Rc::from([record(1, 1), record(1, i64::MAX)]));
    let info = log.append_as_leader(&proposal, LeaderEpoch(0), 5_000, &"t-0", None).unwrap();
    assert_eq!(info.log_append_time_ms, 5_000);
    assert_eq!(info.batch.timestamp_of(&info.batch.records[1]), 5_000);
    assert_eq!(log.max_timestamp(), Some((5_000, Offset(0))));
    assert_eq!(log.offset_for_timestamp(4_999), Some((5_000, Offset(0))));
    assert_eq!(log.offset_for_timestamp(5_001), None);
}

/// At the last offset, and with the largest sizes, nothing overflows.
#[test]
fn the_end_of_all_offsets() {
    let mut log =
        with(LogConfig { message_timestamp_after_max_ms: i64::MAX, ..LogConfig::default() });
    log.truncate_fully_and_start_at(Offset(i64::MAX - 1));
    append(&mut log, &[record(1, i64::MAX)]);
    append(&mut log, &[record(1, i64::MIN)]);
    append(&mut log, &[record(1, 0)]);
    assert_eq!(log.log_end_offset(), Offset(i64::MAX));
    assert_eq!(log.offset_for_timestamp(i64::MAX), Some((i64::MAX, Offset(i64::MAX - 1))));
    let mut huge = (*replicated(0, 0, &[0])).clone();
    huge.size_in_bytes = u32::MAX;
    let mut log = with(LogConfig { segment_bytes: u64::MAX, ..LogConfig::default() });
    log.size_in_bytes = u64::MAX - 1;
    log.append_as_follower(Rc::new(huge), i64::MAX).unwrap();
    assert_eq!(log.size_in_bytes(), u64::MAX);
    assert_eq!(log.earliest_retention_ms(), Some(604_800_001));
}

/// A replica that led without appending forgets that epoch when it follows again: nobody else knows
/// it, and the new leader would point at it for ever (`UnifiedLog.truncateTo`).
#[test]
fn an_epoch_without_records_is_forgotten() {
    let mut log = UnifiedLog::new(LogConfig::default());
    log.assign_epoch_start_offset(LeaderEpoch(4), Offset(0));
    assert_eq!(log.leader_epoch_cache().latest_epoch(), Some(LeaderEpoch(4)));
    assert!(!log.truncate_to(Offset(0)));
    assert_eq!(log.leader_epoch_cache().latest_epoch(), None);
}
