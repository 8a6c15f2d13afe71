//! Judging batches of idempotent producers.

use super::*;
use crate::ids::{Bytes, LeaderEpoch};
use crate::log::log_config::LogConfig;
use crate::log::record::Record;
use crate::log::record_batch::Proposal;
use crate::log::unified_log::{AppendInfo, UnifiedLog};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// Producer id, epoch, sequence number.
type Stamp = (i64, i16, i32);

fn send(
    log: &mut UnifiedLog,
    (producer_id, producer_epoch, base_sequence): Stamp,
    count: usize,
    timestamp: i64,
) -> Result<AppendInfo, ErrorCode> {
    let value = Some(Bytes::from(&b"v"[..]));
    let record = Record { key: None, value, timestamp, headers: Vec::new() };
    let proposal = Proposal {
        producer: Some(ProducerStamp { producer_id, producer_epoch, base_sequence }),
        ..Proposal::from(Rc::from(vec![record; count]))
    };
    log.append_as_leader(&proposal, LeaderEpoch(0), timestamp, &"t-0", None)
        .map_err(|error| error.code)
}

/// The requests that were sent to a real broker, with its answers [run, 02-log.md 2.9].
#[test]
fn the_recorded_table() {
    use ErrorCode::{InvalidProducerEpoch, OutOfOrderSequenceNumber};
    let mut log = UnifiedLog::new(LogConfig::default());
    let pid = 777_777;
    for sequence in 0..8 {
        let info = send(&mut log, (pid, 0, sequence), 1, 100 + i64::from(sequence)).unwrap();
        assert_eq!(info.batch.base_offset, Offset(i64::from(sequence)));
    }
    let new = 888_888;
    let rows: [(Stamp, usize, Result<i64, ErrorCode>); 19] = [
        ((pid, 0, 7), 1, Ok(7)),
        ((pid, 0, 4), 1, Ok(4)),
        ((pid, 0, 3), 1, Ok(3)),
        ((pid, 0, 2), 1, Err(OutOfOrderSequenceNumber)),
        ((pid, 0, 0), 1, Err(OutOfOrderSequenceNumber)),
        ((pid, 0, 10), 1, Err(OutOfOrderSequenceNumber)),
        ((pid, 0, 8), 1, Ok(8)),
        ((pid, 0, 9), 2, Ok(9)),
        ((pid, 0, 10), 1, Err(OutOfOrderSequenceNumber)),
        ((pid, 0, 9), 2, Ok(9)),
        ((pid, 1, 5), 1, Err(OutOfOrderSequenceNumber)),
        ((pid, 1, 0), 1, Ok(11)),
        ((pid, 0, 11), 1, Err(InvalidProducerEpoch)),
        ((pid, 1, 1), 1, Ok(12)),
        ((new, 0, 50), 1, Ok(13)),
        ((new, 0, 51), 1, Ok(14)),
        ((new, 0, 60), 1, Err(OutOfOrderSequenceNumber)),
        // An epoch that is over does not answer for its batches any more.
        ((pid, 0, 9), 2, Err(InvalidProducerEpoch)),
        ((pid, 1, 0), 1, Ok(11)),
    ];
    for (number, (stamp, count, answer)) in rows.into_iter().enumerate() {
        let before = log.log_end_offset();
        let info = send(&mut log, stamp, count, 200);
        let base = info.as_ref().map(|info| info.batch.base_offset.0).map_err(|error| *error);
        assert_eq!(base, answer, "row {number}");
        let is_new = answer.is_ok_and(|base| base >= before.0);
        assert_eq!(log.log_end_offset() > before, is_new, "row {number}");
        assert_eq!(info.is_ok_and(|info| info.is_duplicate), answer.is_ok() && !is_new);
    }
}

/// A duplicate is answered with the time of the first one.
#[test]
fn a_duplicate_has_the_old_timestamp() {
    let mut log = UnifiedLog::new(LogConfig::default());
    send(&mut log, (1, 0, 0), 2, 100).unwrap();
    let again = send(&mut log, (1, 0, 0), 2, 900).unwrap();
    assert!(again.is_duplicate);
    assert_eq!((again.batch.base_offset, again.batch.last_offset()), (Offset(0), Offset(1)));
    assert_eq!((again.log_append_time_ms, again.rolled_at()), (100, None));
}

/// Sequence numbers go on at 0.
#[test]
fn sequences_wrap() {
    let mut log = UnifiedLog::new(LogConfig::default());
    send(&mut log, (1, 0, i32::MAX - 1), 2, 0).unwrap();
    assert_eq!(send(&mut log, (1, 0, 1), 1, 0), Err(ErrorCode::OutOfOrderSequenceNumber));
    send(&mut log, (1, 0, 0), 1, 0).unwrap();
    send(&mut log, (2, 0, i32::MAX), 3, 0).unwrap();
    assert_eq!(log.producer_state().last_entry(2).unwrap().batches()[0].last_sequence, 1);
    assert!(send(&mut log, (2, 0, i32::MAX), 3, 0).unwrap().is_duplicate);
    send(&mut log, (2, 0, 2), 1, 0).unwrap();
}

/// A producer is forgotten a day after its last batch, and may then begin anywhere.
#[test]
fn producers_expire() {
    const DAY: i64 = 86_400_000;
    let mut log = UnifiedLog::new(LogConfig::default());
    send(&mut log, (1, 0, 0), 1, 1_000).unwrap();
    send(&mut log, (2, 0, 0), 1, 2_000).unwrap();
    assert_eq!(log.producer_state().earliest_expiration(DAY), Some(DAY + 1_000));
    assert_eq!(log.remove_expired_producers(DAY + 999, DAY), [] as [i64; 0]);
    assert_eq!(log.remove_expired_producers(DAY + 1_000, DAY), [1]);
    send(&mut log, (1, 0, 40), 1, 3_000).unwrap();
    assert_eq!(log.remove_expired_producers(i64::MAX, i64::MAX), [] as [i64; 0]);
    assert_eq!(log.remove_expired_producers(i64::MAX, i64::MIN), [1, 2]);
    assert_eq!(log.producer_state().earliest_expiration(i64::MAX), None);
}

/// Learned again from the log, also after a truncation, it is what it was.
#[test]
fn rebuilt_from_the_log() {
    let config = LogConfig { segment_bytes: 300, ..LogConfig::default() };
    let mut log = UnifiedLog::new(config.clone());
    let mut states = Vec::new();
    for n in 0..40 {
        states.push(log.producer_state().clone());
        send(&mut log, (n % 3, 0, i32::try_from(n / 3).unwrap()), 1, n).unwrap();
    }
    assert!(log.segments().count() > 5);
    let incremental = log.producer_state().clone();
    log.rebuild_producer_state();
    assert_eq!(*log.producer_state(), incremental);
    for (offset, state) in states.iter().enumerate().rev() {
        log.truncate_to(Offset(i64::try_from(offset).unwrap()));
        assert_eq!(log.producer_state(), state, "at {offset}");
    }
    // A follower that copies the batches knows the same.
    let mut follower = UnifiedLog::new(config);
    for n in 0..10 {
        let info = send(&mut log, (n % 3, 0, i32::try_from(n / 3).unwrap()), 1, n).unwrap();
        follower.append_as_follower(info.batch, n).unwrap();
    }
    assert_eq!(follower.producer_state(), log.producer_state());
}
