//! Offsets, rolling, reading and truncating; what followers append.

use super::*;
use crate::ids::Bytes;
use crate::log::record::Record;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn record(bytes: usize, timestamp: i64) -> Record {
    Record { key: None, value: Some(Bytes::from(vec![0; bytes])), timestamp, headers: vec![] }
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
        assert_eq!(append(&mut log, &[record(100_000, n)]).rolled, None);
    }
    assert_eq!(append(&mut log, &[record(100_000, 10)]).rolled, Some(Offset(10)));
    let sizes: Vec<u64> = log.segments().map(|segment| segment.size_in_bytes()).collect();
    assert_eq!(sizes, [1_000_720, 100_072]);
}

/// Record timestamps are compared, and "more than", not "as much as".
#[test]
fn a_segment_rolls_by_time_between_records() {
    let mut log = UnifiedLog::new(LogConfig { segment_ms: 10_000, ..LogConfig::default() });
    append(&mut log, &[record(1, 1_000)]);
    assert_eq!(append(&mut log, &[record(1, 11_000)]).rolled, None);
    assert_eq!(append(&mut log, &[record(1, 11_001)]).rolled, Some(Offset(2)));
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
