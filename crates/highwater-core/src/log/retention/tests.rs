//! Retention: which segments go, in which order, and when a check could first find one.

use super::*;
use crate::ids::{Bytes, LeaderEpoch};
use crate::log::log_config::LogConfig;
use crate::log::record::Record;
use crate::log::record_batch::Proposal;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn append(log: &mut UnifiedLog, bytes: usize, timestamp: i64) {
    let value = Some(Bytes::from(vec![0; bytes]));
    let record = Record { key: None, value, timestamp, headers: Vec::new() };
    let proposal = Proposal::from(Rc::from([record]));
    let now_ms = timestamp.max(0);
    log.append_as_leader(&proposal, LeaderEpoch(0), now_ms, &"t-0", None).unwrap();
}

fn check(log: &mut UnifiedLog, now_ms: i64) -> Vec<i64> {
    let end = log.log_end_offset();
    log.delete_old_segments(now_ms, end).iter().map(|gone| gone.base_offset.0).collect()
}

/// 100 kB a record, ten to a segment, at the times 0, 1, 2, ...
fn of_records(count: i64, config: LogConfig) -> UnifiedLog {
    let mut log = UnifiedLog::new(LogConfig { segment_bytes: 1 << 20, ..config });
    for n in 0..count {
        append(&mut log, 100_000, n);
    }
    log
}

/// One segment with offsets 0 to 2 and `retention.ms` 5000: all of it goes, though it is active,
/// and the next record gets offset 3 [run, 02-log.md 2.4].
#[test]
fn the_active_segment_goes_too() {
    let mut log = UnifiedLog::new(LogConfig { retention_ms: 5_000, ..LogConfig::default() });
    for timestamp in [1_000, 1_001, 1_002] {
        append(&mut log, 1, timestamp);
    }
    assert_eq!(log.earliest_retention_ms(), Some(6_003));
    assert!(check(&mut log, 6_002).is_empty());
    let gone = log.delete_old_segments(6_003, Offset(3));
    assert_eq!(gone[0].rolled, Some(Offset(3)));
    assert_eq!(
        gone[0].reason,
        SegmentDeletionReason::RetentionMsBreached {
            largest_timestamp: 1_002,
            now_ms: 6_003,
            retention_ms: 5_000
        }
    );
    assert_eq!((log.log_start_offset(), log.log_end_offset()), (Offset(3), Offset(3)));
    assert_eq!((log.size_in_bytes(), log.segments().count()), (0, 1));
    assert_eq!(log.earliest_retention_ms(), None);
    assert!(check(&mut log, i64::MAX).is_empty(), "an empty last segment never goes");
    append(&mut log, 1, 7_000);
    assert_eq!(log.log_end_offset(), Offset(4));
}

/// 3502520 bytes in four segments, limit 2097152: only the first goes [run, 02-log.md 2.4]. Forty
/// records: ten remain of what may go; limit 0: all go [16-retention.console].
#[test]
fn at_least_retention_bytes_remain() {
    let two_mib =
        LogConfig { retention_bytes: 2_097_152, retention_ms: -1, ..LogConfig::default() };
    let mut log = of_records(35, two_mib.clone());
    assert_eq!((log.size_in_bytes(), log.segments().count()), (3_502_520, 4));
    assert!(log.is_size_or_start_retention_due(Offset(35)));
    let gone = log.delete_old_segments(0, Offset(35));
    assert_eq!(gone.len(), 1);
    assert_eq!(
        gone[0].reason,
        SegmentDeletionReason::RetentionSizeBreached {
            size_before: 3_502_520,
            segment_size: 1_000_720,
            retention_bytes: 2_097_152
        }
    );
    assert!(!log.is_size_or_start_retention_due(Offset(35)));
    assert_eq!(log.log_start_offset(), Offset(10));

    let mut log = of_records(40, two_mib.clone());
    assert_eq!(check(&mut log, 0), [0]);
    log.set_config(LogConfig { retention_bytes: 0, ..log.config().clone() });
    assert!(log.is_size_or_start_retention_due(Offset(40)));
    assert_eq!(check(&mut log, 0), [10, 20, 30]);
    assert_eq!((log.log_start_offset(), log.log_end_offset()), (Offset(40), Offset(40)));
    assert!(!log.is_size_or_start_retention_due(Offset(40)));
    let mut exact = of_records(20, LogConfig { retention_bytes: 1_000_720, ..two_mib });
    assert_eq!(check(&mut exact, 0), [0], "as much as retention.bytes may remain");
}

/// Nothing at or beyond the high watermark goes; the first segment that stays ends the check.
#[test]
fn limits_of_a_check() {
    let config = LogConfig { retention_ms: 100, ..LogConfig::default() };
    let mut log = of_records(40, config.clone());
    assert_eq!(log.clone().delete_old_segments(10_000, Offset(19)).len(), 1);
    assert!(!log.is_size_or_start_retention_due(Offset(9)));
    assert_eq!(log.clone().delete_old_segments(10_000, Offset(9)).len(), 0);
    assert_eq!(log.clone().delete_old_segments(10_000, Offset(39)).len(), 3);
    assert_eq!(check(&mut log, 120), [0, 10], "9 and 19 are older than 100 ms, 29 is not");
    // A record from the future keeps its segment, and all after it.
    let mut log = UnifiedLog::new(LogConfig { segment_bytes: 1 << 20, ..config });
    append(&mut log, 100_000, 3_000_000);
    for n in 1..20 {
        append(&mut log, 100_000, n);
    }
    assert!(check(&mut log, 10_000).is_empty());
    assert_eq!(log.earliest_retention_ms(), Some(3_000_101));
}

/// What DeleteRecords left behind goes with any policy; the other rules need `delete`.
#[test]
fn policies() {
    let due = LogConfig { retention_ms: 1, retention_bytes: 1, ..LogConfig::default() };
    for (compact, delete, gone) in [
        (false, true, &[0, 10, 20, 30][..]),
        (true, true, &[0, 10, 20, 30]),
        (true, false, &[0]),
        (false, false, &[0]),
    ] {
        let mut log = of_records(40, due.clone());
        log.set_config(LogConfig { compact, delete, ..log.config().clone() });
        assert!(log.maybe_increment_log_start_offset(Offset(19)));
        assert!(log.is_size_or_start_retention_due(Offset(40)));
        assert_eq!(log.earliest_retention_ms().is_some(), delete);
        assert_eq!(check(&mut log, 10_000), gone, "compact {compact}, delete {delete}");
    }
    let mut log = of_records(40, LogConfig::default());
    log.maybe_increment_log_start_offset(Offset(20));
    let gone = log.delete_old_segments(0, Offset(40));
    assert_eq!(
        gone.iter().map(|segment| segment.reason).collect::<Vec<_>>(),
        [10, 20].map(|next| SegmentDeletionReason::LogStartOffsetBreached {
            next_base_offset: Offset(next),
            log_start_offset: Offset(20)
        })
    );
    assert_eq!(log.log_start_offset(), Offset(20));
}

/// No limit is no limit, however late; a record without timestamp counts from when it was written.
#[test]
fn edges_of_time() {
    let mut log = of_records(5, LogConfig { retention_ms: -1, ..LogConfig::default() });
    assert_eq!((check(&mut log, i64::MAX), log.earliest_retention_ms()), (vec![], None));
    let mut log = of_records(5, LogConfig { retention_ms: i64::MAX, ..LogConfig::default() });
    assert_eq!((check(&mut log, i64::MAX), log.earliest_retention_ms()), (vec![], None));
    let mut log = UnifiedLog::new(LogConfig { retention_ms: 10, ..LogConfig::default() });
    let record = Record { key: None, value: None, timestamp: -1, headers: Vec::new() };
    let proposal = Proposal::from(Rc::from([record]));
    log.append_as_leader(&proposal, LeaderEpoch(0), 500, &"t-0", None).unwrap();
    assert_eq!(log.earliest_retention_ms(), Some(511));
    assert!(check(&mut log, 510).is_empty());
    assert_eq!(check(&mut log, 511), [0]);
}
