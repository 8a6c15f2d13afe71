//! Batches: offsets with gaps, sizes of what the cleaner leaves, sequence numbers at their end.

use super::*;
use crate::ids::Bytes;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn record(key: &str, timestamp: i64) -> Record {
    Record {
        key: Some(Bytes::from(key.as_bytes())),
        value: Some(Bytes::from(&b"v"[..])),
        timestamp,
        headers: Vec::new(),
    }
}

fn batch(records: &[Record], base_offset: i64) -> RecordBatch {
    let proposal = Proposal::from(Rc::from(records));
    let measured = measure(&proposal.records);
    RecordBatch::of_proposal(&proposal, &measured, Offset(base_offset), LeaderEpoch(0), None, None)
}

fn offsets(batch: &RecordBatch) -> Vec<i64> {
    batch.iter().map(|(offset, _)| offset.0).collect()
}

/// What the cleaner leaves keeps its offsets, and they are found as those of a dense batch are.
#[test]
fn offsets_with_gaps() {
    let dense = batch(&[record("a", 1), record("b", 9), record("c", 9), record("d", 2)], 10);
    assert_eq!(dense.max_timestamp(), Some((9, Offset(11))));
    let sparse = dense.rewritten(&[1, 3], None);
    assert_eq!(offsets(&sparse), [11, 13]);
    assert_eq!(sparse.base_offset, Offset(10));
    assert_eq!(sparse.next_offset(), Offset(14));
    assert_eq!(sparse.max_timestamp(), Some((9, Offset(11))));
    let sparser = sparse.rewritten(&[1], None);
    assert_eq!(offsets(&sparser), [13]);
    assert_eq!(sparser.max_timestamp(), Some((2, Offset(13))));
    for batch in [&dense, &sparse, &sparser] {
        for from in 5..20 {
            let found: Vec<i64> = batch.iter_from(Offset(from)).map(|(at, _)| at.0).collect();
            let expected: Vec<i64> =
                offsets(batch).into_iter().filter(|offset| *offset >= from).collect();
            assert_eq!(found, expected, "from {from}");
        }
    }
    let empty = sparser.without_records();
    assert_eq!((empty.count(), empty.next_offset()), (0, Offset(14)));
    assert_eq!((empty.max_timestamp_ms(), empty.max_timestamp()), (2, None));
    assert_eq!(empty.size_in_bytes, 61);
}

/// One record of 70 bytes; with its time counted from a horizon a day later, four bytes instead
/// of one.
#[test]
fn sizes_of_rewritten_batches() {
    let two = batch(&[record("a", 1_000), record("b", 1_000)], 0);
    assert_eq!(two.size_in_bytes, 61 + 9 + 9);
    assert_eq!(two.rewritten(&[1], None).size_in_bytes, 70);
    let day = 86_400_000 + 1_000;
    assert_eq!(two.rewritten(&[1], Some(day)).size_in_bytes, 70 + 3);
    assert_eq!(two.rewritten(&[0, 1], Some(1_000)).size_in_bytes, two.size_in_bytes);
    let halved = RecordBatch { compression: Compression::Gzip, size_in_bytes: 61 + 8, ..two };
    assert_eq!(halved.rewritten(&[0], None).size_in_bytes, 61 + 4);
}

/// Sequence numbers go on at 0 after the largest.
#[test]
fn sequence_numbers_wrap() {
    let stamp = ProducerStamp { producer_id: 1, producer_epoch: 0, base_sequence: i32::MAX };
    assert_eq!(stamp.sequence_at(0), i32::MAX);
    assert_eq!(stamp.sequence_at(1), 0);
    assert_eq!(stamp.sequence_at(u32::MAX), i32::MAX - 1);
}

/// At the last offsets nothing overflows.
#[test]
fn the_last_offset() {
    let last = batch(&[record("a", i64::MAX), record("b", i64::MIN)], i64::MAX);
    assert_eq!(last.next_offset(), Offset(i64::MAX));
    assert_eq!(last.max_timestamp(), Some((i64::MAX, Offset(i64::MAX))));
    assert_eq!(last.iter_from(Offset(i64::MIN)).count(), 2);
}
