//! Sizes of compressed batches, next to those that real Kafka wrote.

use super::*;
use crate::ids::Bytes;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn record(key: Option<&str>, value: &str, timestamp: i64) -> Record {
    let bytes = |text: &str| Bytes::from(text.as_bytes());
    Record { key: key.map(bytes), value: Some(bytes(value)), timestamp, headers: Vec::new() }
}

fn gzip(records: &[Record]) -> u32 {
    Codec { compression: Compression::Gzip, gzip_level: -1 }.size_of(records)
}

/// What is written has the size that the formulas of `record` say, at the edges of the varint format too.
#[test]
fn what_is_written_has_the_known_size() {
    use crate::log::record::Header;
    use crate::log::record_batch::batch_size_in_bytes;
    let header = Header { key: Bytes::from(&b"h"[..]), value: None };
    let mut records = vec![record(Some("k"), &"v".repeat(70), 5)];
    records.push(Record { headers: vec![header], ..record(None, "", i64::MAX) });
    records.extend((0..200).map(|n| record(Some(""), &"x".repeat(n), -1)));
    assert_eq!(Codec::default().size_of(&records), batch_size_in_bytes(&records));
    assert_eq!(written(&records[..1])[..9], [156, 1, 0, 0, 0, 2, b'k', 140, 1]);
}

/// 22-dump-log.console: one record `d` `4`, compressed with gzip, has 90 bytes.
#[test]
fn gzip_of_a_real_dump() {
    assert_eq!(gzip(&[record(Some("d"), "4", 1_795_976_521_077)]), 90);
}

/// As recorded: 3,000 digits, of which all but the last are 0.
#[test]
fn gzip_of_what_repeats() {
    let zeros = format!("{:03000}", 7);
    assert!(gzip(&[record(None, &zeros, 0)]).abs_diff(111) <= 1, "zlib is a byte worse here");
    let fast = Codec { compression: Compression::Gzip, gzip_level: 1 };
    let noise: String = (0..2_000_u32).map(|n| (n * n % 977).to_string()).collect();
    let noise = [record(None, &noise, 0)];
    assert!(fast.size_of(&noise) > gzip(&noise), "a lower level compresses less");
}

/// A codec that is only reckoned is worse than gzip or as good, and never much worse than none.
#[test]
fn reckoned_codecs() {
    let zeros = [record(None, &format!("{:03000}", 7), 0)];
    let short = [record(None, "x", 0)];
    for compression in [Compression::Snappy, Compression::Lz4, Compression::Zstd] {
        let codec = Codec { compression, gzip_level: -1 };
        assert!(codec.size_of(&zeros) < 200, "{compression:?}");
        let plain = Codec::default().size_of(&short);
        assert!((plain..=plain + 20).contains(&codec.size_of(&short)), "{compression:?}");
    }
}
