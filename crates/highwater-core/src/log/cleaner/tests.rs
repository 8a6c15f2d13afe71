//! Compaction: the recorded examples, and each rule at its edge.

use super::*;
use crate::ids::{Bytes, LeaderEpoch};
use crate::log::log_config::Ratio;
use crate::log::record_batch::{ProducerStamp, Proposal};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn bytes(text: &str) -> Bytes {
    Bytes::from(text.as_bytes())
}

/// `key:value`; without value a tombstone.
fn record(text: &str, timestamp: i64) -> Record {
    let (key, value) = text.split_once(':').map_or((text, None), |(key, value)| (key, Some(value)));
    Record { key: Some(bytes(key)), value: value.map(bytes), timestamp, headers: Vec::new() }
}

fn append(log: &mut UnifiedLog, texts: &[&str], timestamp: i64) {
    append_by(log, texts, timestamp, None);
}

fn append_by(
    log: &mut UnifiedLog,
    texts: &[&str],
    timestamp: i64,
    producer: Option<ProducerStamp>,
) {
    let records: Vec<Record> = texts.iter().map(|text| record(text, timestamp)).collect();
    let proposal = Proposal { producer, ..Proposal::from(Rc::from(records)) };
    log.append_as_leader(&proposal, LeaderEpoch(0), timestamp, &"t-0", None).unwrap();
}

/// What a reader sees: `offset=key:value`.
fn visible(log: &UnifiedLog) -> Vec<String> {
    log.read(log.log_start_offset(), log.log_end_offset(), u64::MAX)
        .flat_map(|batch| batch.iter())
        .map(|(offset, record)| {
            let text = |bytes: &Option<Bytes>| match bytes {
                None => "null".to_owned(),
                Some(bytes) => String::from_utf8_lossy(bytes).into_owned(),
            };
            format!("{offset}={}:{}", text(&record.key), text(&record.value))
        })
        .collect()
}

fn clean_at(log: &mut UnifiedLog, now_ms: i64) -> Option<Cleaned> {
    let end = log.log_end_offset();
    log.maybe_clean(now_ms, end)
}

fn compacted() -> LogConfig {
    LogConfig {
        compact: true,
        delete: false,
        segment_ms: 1_000,
        min_cleanable_dirty_ratio: Ratio(10_000_000),
        delete_retention_ms: 1_000,
        ..LogConfig::default()
    }
}

/// `a1 b1 a2 c1 b(null) a3`, two seconds later `d1` [run, 02-log.md 2.6].
#[test]
fn the_recorded_example() {
    let mut log = UnifiedLog::new(LogConfig { delete_retention_ms: 3_000, ..compacted() });
    append(&mut log, &["a:1", "b:1", "a:2", "c:1", "b", "a:3"], 10_000);
    assert_eq!(clean_at(&mut log, 11_000).map(|_| ()), None, "all of it is in the active segment");
    append(&mut log, &["d:1"], 12_000);
    let cleaned = clean_at(&mut log, 12_500).unwrap();
    assert_eq!((cleaned.first_dirty_offset, cleaned.end_offset), (Offset(0), Offset(6)));
    assert_eq!((cleaned.stats.messages_read, cleaned.stats.messages_retained), (6, 3));
    assert_eq!(visible(&log), ["3=c:1", "4=b:null", "5=a:3", "6=d:1"]);
    assert_eq!(log.log_start_offset(), Offset(0), "earliest stays");
    assert_eq!(clean_at(&mut log, 60_000).map(|_| ()), None, "no pass without new dirty data");
    append(&mut log, &["a:4"], 16_000);
    append(&mut log, &["e:1"], 18_000);
    clean_at(&mut log, 18_500).unwrap();
    assert_eq!(visible(&log), ["3=c:1", "6=d:1", "7=a:4", "8=e:1"]);
    assert_eq!(log.log_end_offset(), Offset(9));
}

/// The transcript 17-compaction.console: each line a producer of its own, a pass each second.
#[test]
fn the_recorded_transcript() {
    let mut log = UnifiedLog::new(LogConfig { segment_ms: 3_000, ..compacted() });
    let mut now_ms = 0;
    let mut wait = |log: &mut UnifiedLog, seconds: i64| {
        for _ in 0..seconds {
            now_ms += 1_000;
            clean_at(log, now_ms);
        }
        now_ms
    };
    let by = |id: i64| {
        Some(ProducerStamp { producer_id: 1_000 + id, producer_epoch: 0, base_sequence: 0 })
    };
    append_by(&mut log, &["ana:1", "bo:1", "ana:2", "cy:1", "ana:3", "bo"], 0, by(0));
    let now = wait(&mut log, 13);
    assert_eq!(visible(&log).len(), 6);
    let now = wait(&mut log, 4).max(now);
    append_by(&mut log, &["dee:1"], now, by(1));
    let now = wait(&mut log, 6 + 13);
    assert_eq!(visible(&log), ["3=cy:1", "4=ana:3", "5=bo:null", "6=dee:1"]);
    append_by(&mut log, &["ana:4"], now, by(2));
    let now = wait(&mut log, 8);
    append_by(&mut log, &["ed:1"], now, by(3));
    wait(&mut log, 8);
    assert_eq!(visible(&log), ["3=cy:1", "6=dee:1", "7=ana:4", "8=ed:1"]);
    assert_eq!((log.log_start_offset(), log.log_end_offset()), (Offset(0), Offset(9)));
}

/// A tombstone's time runs from the first pass that sees it, and it goes when that is over, in a
/// pass; not before, and no later pass moves the horizon.
#[test]
fn tombstones_wait_for_their_horizon() {
    let mut log = UnifiedLog::new(compacted());
    append(&mut log, &["a:1", "b"], 0);
    append(&mut log, &["c:1"], 2_000);
    clean_at(&mut log, 2_500).unwrap();
    let horizon = |log: &UnifiedLog| log.segments().next()?.batches().next()?.delete_horizon_ms;
    assert_eq!(horizon(&log), Some(3_500));
    append(&mut log, &["d:1"], 4_000);
    let mut early = log.clone();
    clean_at(&mut early, 3_499).unwrap();
    assert_eq!(visible(&early), ["0=a:1", "1=b:null", "2=c:1", "3=d:1"]);
    assert_eq!(horizon(&early), Some(3_500));
    clean_at(&mut log, 3_500).unwrap();
    assert_eq!(visible(&log), ["0=a:1", "2=c:1", "3=d:1"]);
}

/// More than the ratio, not as much; the active segment counts for nothing.
#[test]
fn the_ratio_is_exceeded_strictly() {
    let half = LogConfig { min_cleanable_dirty_ratio: Ratio(500_000_000), ..compacted() };
    let mut log = UnifiedLog::new(half);
    append(&mut log, &["a:1"], 0);
    append(&mut log, &["b:1"], 2_000);
    let first = log_to_clean(&log, 2_000, Offset(2)).unwrap();
    assert_eq!((first.clean_bytes, first.cleanable_bytes), (0, 70));
    assert!(first.is_due(log.config()));
    clean_at(&mut log, 2_000).unwrap();
    append(&mut log, &["c:1"], 4_000);
    let even = log_to_clean(&log, 4_000, Offset(3)).unwrap();
    assert_eq!((even.clean_bytes, even.cleanable_bytes), (70, 70));
    assert!(!even.is_due(log.config()));
    assert!(first.is_filthier_than(&even) && !even.is_filthier_than(&first));
    append(&mut log, &["d:1"], 6_000);
    assert_eq!(clean_at(&mut log, 6_000).unwrap().end_offset, Offset(3));
}

/// Nothing is cleaned that is not committed, or younger than `min.compaction.lag.ms`.
#[test]
fn what_may_not_be_cleaned() {
    let mut log = UnifiedLog::new(compacted());
    for n in 0..4 {
        append(&mut log, &["a:1", "b:1"], n * 2_000);
    }
    let uncleanable = |log: &UnifiedLog, now_ms, high_watermark| {
        log_to_clean(log, now_ms, Offset(high_watermark)).map(|l| l.first_uncleanable_offset.0)
    };
    assert_eq!(uncleanable(&log, 6_000, 8), Some(6), "the active segment");
    assert_eq!(uncleanable(&log, 6_000, 3), Some(2), "whole segments below the high watermark");
    assert_eq!(uncleanable(&log, 6_000, 0), None, "nothing at all");
    log.set_config(LogConfig { min_compaction_lag_ms: 3_000, ..compacted() });
    assert_eq!(uncleanable(&log, 6_000, 8), Some(4), "2000 ms is old enough at 5000");
    assert_eq!(uncleanable(&log, 4_999, 8), Some(2));
    assert_eq!(earliest_cleaning_ms(&log, 2_000, Offset(8)), Some(3_000));
    assert_eq!(uncleanable(&log, 3_000, 8), Some(2));
    log.set_config(LogConfig { compact: false, ..compacted() });
    assert_eq!(uncleanable(&log, 6_000, 8), None);
}

/// A record that is older than `max.compaction.lag.ms` is cleaned however clean the rest is.
#[test]
fn the_longest_lag() {
    let mut log = UnifiedLog::new(LogConfig {
        min_cleanable_dirty_ratio: Ratio(1_000_000_000),
        max_compaction_lag_ms: 5_000,
        ..compacted()
    });
    append(&mut log, &["a:1"], 1_000);
    assert_eq!(earliest_cleaning_ms(&log, 1_000, Offset(1)), None, "nothing is cleanable");
    append(&mut log, &["a:2"], 3_000);
    assert_eq!(earliest_cleaning_ms(&log, 3_000, Offset(2)), Some(6_001));
    assert_eq!(clean_at(&mut log, 6_000).map(|_| ()), None);
    assert_eq!(earliest_cleaning_ms(&log, 6_001, Offset(2)), Some(6_001));
    clean_at(&mut log, 6_001).unwrap();
    assert_eq!(earliest_cleaning_ms(&log, 6_001, Offset(2)), None);
    log.set_config(LogConfig { max_compaction_lag_ms: i64::MAX, ..log.config().clone() });
    assert_eq!(clean_at(&mut log, i64::MAX).map(|_| ()), None);
}

/// The batch with a producer's last sequence number stays, empty, until the producer wrote again;
/// so does the batch that ends at the high watermark.
#[test]
fn empty_batches_that_stay() {
    let mut log = UnifiedLog::new(compacted());
    let stamp =
        |base_sequence| Some(ProducerStamp { producer_id: 7, producer_epoch: 0, base_sequence });
    append_by(&mut log, &["a:1"], 0, stamp(0));
    append(&mut log, &["a:2"], 0);
    append(&mut log, &["b:1"], 2_000);
    let counts = |log: &UnifiedLog| -> Vec<(i64, u32)> {
        log.read(Offset(0), log.log_end_offset(), u64::MAX)
            .map(|batch| (batch.base_offset.0, batch.count()))
            .collect()
    };
    clean_at(&mut log, 2_500).unwrap();
    assert_eq!(counts(&log), [(0, 0), (1, 1), (2, 1)]);
    append_by(&mut log, &["c:1"], 4_000, stamp(1));
    clean_at(&mut log, 4_500).unwrap();
    assert_eq!(counts(&log), [(1, 1), (2, 1), (3, 1)], "its last sequence is in another batch now");

    let mut log = UnifiedLog::new(compacted());
    append(&mut log, &["a:1"], 0);
    append(&mut log, &["a"], 0);
    append(&mut log, &["b:1"], 2_000);
    clean_at(&mut log, 2_500).unwrap();
    let next = log_to_clean(&log, 9_000, Offset(2));
    assert_eq!(next.map(|next| next.is_due(log.config())), Some(false));
    log.roll(Offset(3), 4_000);
    let to_clean = log_to_clean(&log, 9_000, Offset(2)).unwrap();
    let cleaned = clean(&log, &to_clean, 9_000, Offset(2));
    assert!(log.replace_segments(&cleaned));
    assert_eq!(counts(&log), [(1, 0), (2, 1)], "the tombstone is gone, its batch tells the offset");
}

/// Records without key go; what is in no map stays; a batch of which all stays is not copied.
#[test]
fn what_stays_and_what_goes() {
    let mut log = UnifiedLog::new(LogConfig { compact: false, ..compacted() });
    let keyless = Record { key: None, ..record("x:1", 0) };
    let proposal = Proposal::from(Rc::from([keyless, record("a:1", 0)]));
    log.append_as_leader(&proposal, LeaderEpoch(0), 0, &"t-0", None).unwrap();
    append(&mut log, &["b:1", "c:1"], 0);
    append(&mut log, &["d:1"], 2_000);
    log.set_config(compacted());
    let whole = log.segments().next().unwrap().batches().nth(1).cloned().unwrap();
    let cleaned = clean_at(&mut log, 2_000).unwrap();
    assert_eq!(visible(&log), ["1=a:1", "2=b:1", "3=c:1", "4=d:1"]);
    let left = log.segments().next().unwrap().batches().nth(1).cloned().unwrap();
    assert!(Rc::ptr_eq(&whole, &left));
    assert_eq!(cleaned.groups.len(), 1);
    assert_eq!(log.size_in_bytes(), 70 + 79 + 70);
}

/// Small neighbours become one segment while their sum fits; segments of which all stays are kept.
#[test]
fn neighbours_are_merged() {
    let mut log = UnifiedLog::new(LogConfig { segment_bytes: 140, ..compacted() });
    for (n, text) in (0..).zip(["a:1", "b:1", "c:1", "d:1", "e:1", "f:1"]) {
        append(&mut log, &[text], n * 2_000);
    }
    let bases = |log: &UnifiedLog| -> Vec<i64> {
        log.segments().map(|segment| segment.base_offset().0).collect()
    };
    assert_eq!(bases(&log), [0, 1, 2, 3, 4, 5]);
    let cleaned = clean_at(&mut log, 20_000).unwrap();
    assert_eq!(bases(&log), [0, 2, 4, 5]);
    assert_eq!(cleaned.groups[0].replaced, [Offset(0), Offset(1)]);
    assert_eq!(visible(&log).len(), 6);
    assert!(!log.replace_segments(&cleaned), "a pass over segments that are gone does nothing");
    // A second pass over [0, 5): the first two segments are full, the third stays as it is.
    append(&mut log, &["g:1"], 14_000);
    let kept = log.segments().next().map(Rc::clone).unwrap();
    clean_at(&mut log, 20_000).unwrap();
    assert_eq!(bases(&log), [0, 2, 4, 6]);
    assert!(Rc::ptr_eq(&kept, log.segments().next().unwrap()));
}

/// A segment that lost everything stays, empty, until it is merged; the rest is found all the same.
#[test]
fn an_empty_segment_stays() {
    let mut log = UnifiedLog::new(LogConfig { segment_bytes: 70, ..compacted() });
    for n in 0..4 {
        append(&mut log, &["a:1"], n);
    }
    clean_at(&mut log, 10).unwrap();
    assert_eq!(visible(&log), ["2=a:1", "3=a:1"]);
    let empty: Vec<bool> = log.segments().map(|segment| segment.is_empty()).collect();
    assert_eq!(empty, [true, true, false, false]);
    assert_eq!(log.offset_for_timestamp(1), Some((2, Offset(2))));
    assert!(log.truncate_to(Offset(1)));
    assert_eq!((visible(&log).len(), log.clean_offset()), (0, Some(Offset(1))));
    append(&mut log, &["b:1"], 20);
    assert_eq!(visible(&log), ["1=b:1"]);
}

/// The cleaner begins at the log's start when its checkpoint lies before that; no number overflows.
#[test]
fn checkpoints_and_limits() {
    let mut log = UnifiedLog::new(compacted());
    for n in 0..4 {
        append(&mut log, &["a:1"], n * 2_000);
    }
    clean_at(&mut log, 3_000).unwrap();
    append(&mut log, &["a:1"], 8_000);
    log.maybe_increment_log_start_offset(Offset(4));
    let to_clean = log_to_clean(&log, i64::MAX, Offset(i64::MAX)).unwrap();
    assert_eq!(to_clean.first_dirty_offset, Offset(4));
    log.set_config(LogConfig {
        delete_retention_ms: i64::MAX,
        min_compaction_lag_ms: i64::MAX,
        ..compacted()
    });
    for now_ms in [i64::MIN, -1, 0, i64::MAX] {
        assert_eq!(earliest_cleaning_ms(&log, now_ms, Offset(i64::MIN)), None);
        clean_at(&mut log, now_ms);
    }
}
