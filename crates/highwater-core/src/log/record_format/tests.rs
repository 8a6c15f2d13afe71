//! Bytes of batches, next to the checksums that real Kafka printed.

use std::rc::Rc;

use super::*;
use crate::ids::{LeaderEpoch, Offset};
use crate::log::record::Header;
use crate::log::record_batch::{NO_SEQUENCE, ProducerStamp, Proposal, measure};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn record(key: &str, value: &str, timestamp: i64) -> Record {
    let bytes = |text: &str| Some(Bytes::from(text.as_bytes()));
    Record { key: bytes(key), value: bytes(value), timestamp, headers: Vec::new() }
}

fn batch(
    records: &[Record],
    producer: Option<(i64, i16)>,
    compression: Compression,
) -> RecordBatch {
    let stamp = |(producer_id, producer_epoch)| ProducerStamp {
        producer_id,
        producer_epoch,
        base_sequence: 0,
    };
    let codec = crate::log::compression::Codec { compression, ..Default::default() };
    let proposal = Proposal {
        producer: producer.map(stamp),
        compression,
        compressed_size: (compression != Compression::None).then(|| codec.size_of(records)),
        ..Proposal::from(Rc::<[Record]>::from(records))
    };
    let measured = measure(records);
    RecordBatch::of_proposal(&proposal, &measured, Offset(0), LeaderEpoch(0), None, None)
}

/// Checksums that `kafka-dump-log.sh` printed (22-dump-log.console and the facts). The base offset and the
/// leader's epoch are not part of what is checked.
#[test]
fn checksums_are_those_of_real_dumps() {
    let none = Compression::None;
    for (records, producer, codec, crc) in [
        (vec![record("a", "1", 1_795_976_514_680)], Some((1000, 0)), none, 34_661_223),
        (vec![record("c", "333", 1_795_976_518_606)], Some((0, 0)), none, 3_387_011_882),
        (vec![record("d", "4", 1_795_976_521_077)], None, Compression::Gzip, 1_384_924_381),
        (
            vec![
                record("k2", "v2", 1_795_957_185_255),
                record("locker-7", "open", 1_795_957_185_255),
            ],
            Some((1000, 0)),
            none,
            698_798_677,
        ),
    ] {
        assert_eq!(checksum(&batch(&records, producer, codec), NO_SEQUENCE), crc, "{records:?}");
    }
    assert_eq!(crc32c(b"123456789"), 0xe306_9283);
    assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
}

/// The file of a batch is as long as its size says, whatever its codec, its times and its gaps are.
#[test]
fn bytes_are_as_many_as_the_size_says() {
    let mut records: Vec<Record> = (0..50).map(|n| record("k", &"x".repeat(n), 7)).collect();
    records.push(Record { key: None, value: None, ..record("", "", i64::MAX) });
    let header = Header { key: Bytes::from(&b"h"[..]), value: None };
    records.push(Record { headers: vec![header], ..record("", "", -1) });
    for codec in Compression::ALL {
        let whole = batch(&records, None, codec);
        for batch in [
            whole.rewritten(&[1, 3, 51], Some(40)),
            whole.rewritten(&[50], None),
            whole.without_records(),
            whole.clone(),
        ] {
            let bytes = encode(&batch, NO_SEQUENCE);
            assert_eq!(bytes.len(), batch.size_in_bytes as usize, "{codec:?}");
            let crc = crc32c(&bytes[CHECKED_FROM..]);
            assert_eq!(bytes[CRC_AT..CHECKED_FROM], crc.to_be_bytes());
        }
    }
}

/// Nothing has to be cut or filled up of batches whose records are written out, also by the cleaner.
#[test]
fn plain_records_fill_their_batch() {
    let records: Vec<Record> = (0..90).map(|n| record("k", "v", 1_000 + n * 77)).collect();
    let whole = batch(&records, Some((5, 1)), Compression::None);
    for batch in
        [whole.rewritten(&[1, 64, 89], Some(4_000_000)), whole.rewritten(&[70], None), whole]
    {
        let size = plain(&batch).len() + BATCH_OVERHEAD as usize;
        assert_eq!(size, batch.size_in_bytes as usize);
    }
}
