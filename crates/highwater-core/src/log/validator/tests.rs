//! What a leader refuses, in which order and with which words.

use std::rc::Rc;

use super::*;
use crate::ids::Bytes;
use crate::log::record_batch::{Compression, ProducerStamp};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const NOW: i64 = 1_000_000;

fn record(key: Option<&str>, timestamp: i64) -> Record {
    let bytes = |text: &str| Bytes::from(text.as_bytes());
    Record { key: key.map(bytes), value: Some(bytes("v")), timestamp, headers: Vec::new() }
}

fn proposal(records: &[Record]) -> Proposal {
    Proposal::from(Rc::from(records))
}

fn refused(proposal: &Proposal, config: &LogConfig) -> Option<(ErrorCode, String)> {
    validate(proposal, config, NOW, &"comp-0").err().map(|error| (error.code, error.message))
}

/// The text of a real broker [run, 02-log.md and 17-compaction.console].
#[test]
fn a_compacted_topic_needs_keys() {
    let config = LogConfig { compact: true, ..LogConfig::default() };
    let keyless = proposal(&[record(Some("a"), NOW), record(None, NOW)]);
    let text = "Compacted topic cannot accept message without key in topic partition comp-0";
    assert_eq!(refused(&keyless, &config), Some((ErrorCode::InvalidRecord, text.to_owned())));
    assert_eq!(refused(&keyless, &LogConfig::default()), None);
    assert_eq!(refused(&proposal(&[record(Some(""), NOW)]), &config), None);
}

/// One hour ahead is taken, a millisecond more is not; no timestamp is taken.
#[test]
fn timestamps_out_of_range() {
    let stock = LogConfig::default();
    let hour = 3_600_000;
    assert_eq!(refused(&proposal(&[record(None, NOW + hour), record(None, -1)]), &stock), None);
    let text = format!(
        "Timestamp {} of message with offset 1 is out of range. The timestamp should be within \
         [{}, {}]",
        NOW + hour + 1,
        NOW - i64::MAX,
        NOW + hour
    );
    let late = proposal(&[record(None, NOW), record(None, NOW + hour + 1)]);
    assert_eq!(refused(&late, &stock), Some((ErrorCode::InvalidTimestamp, text)));
    let config = LogConfig { message_timestamp_before_max_ms: 10, ..stock.clone() };
    assert_eq!(refused(&proposal(&[record(None, NOW - 10), record(None, -1)]), &config), None);
    let early = refused(&proposal(&[record(None, -1), record(None, NOW - 11)]), &config);
    assert_eq!(early.map(|(code, _)| code), Some(ErrorCode::InvalidTimestamp));
    let by_append =
        LogConfig { message_timestamp_type: TimestampType::LogAppendTime, ..config.clone() };
    assert_eq!(refused(&proposal(&[record(None, i64::MAX)]), &by_append), None);
    assert!(refused(&proposal(&[record(None, i64::MIN)]), &config).is_some());
    let forever = LogConfig { message_timestamp_after_max_ms: i64::MAX, ..stock };
    assert_eq!(refused(&proposal(&[record(None, i64::MAX)]), &forever), None);
}

/// A missing key comes first in the text, a timestamp in the code.
#[test]
fn both_a_key_and_a_timestamp() {
    let config = LogConfig { compact: true, ..LogConfig::default() };
    let (code, text) =
        refused(&proposal(&[record(None, NOW), record(Some("a"), i64::MAX)]), &config).unwrap();
    assert_eq!(code, ErrorCode::InvalidTimestamp);
    assert!(text.starts_with("Compacted topic cannot"), "{text}");
}

/// The compressed size is what counts; `max.message.bytes` comes before all, `segment.bytes` last.
#[test]
fn sizes() {
    let config = LogConfig { max_message_bytes: 69, ..LogConfig::default() };
    let one = proposal(&[record(None, NOW)]);
    assert_eq!(refused(&one, &config), None);
    let larger = proposal(&[record(Some("a"), NOW)]);
    let code = |proposal: &Proposal, config: &LogConfig| refused(proposal, config).map(|e| e.0);
    assert_eq!(code(&larger, &config), Some(ErrorCode::MessageTooLarge));
    let packed = Proposal { compression: Compression::Zstd, compressed_size: Some(69), ..larger };
    assert_eq!(code(&packed, &config), None);
    let small = LogConfig { segment_bytes: 68, compact: true, ..config };
    assert_eq!(code(&packed, &small), Some(ErrorCode::RecordListTooLarge));
    assert_eq!(code(&one, &small), Some(ErrorCode::InvalidRecord));
    let huge = Proposal { compressed_size: Some(70), ..one };
    assert_eq!(code(&huge, &small), Some(ErrorCode::MessageTooLarge));
}

/// Batches that no client of Kafka sends.
#[test]
fn nonsense() {
    let stock = LogConfig::default();
    let text = "Invalid reported count for record batch: 0 in topic partition comp-0";
    let nothing = refused(&proposal(&[]), &stock);
    assert_eq!(nothing, Some((ErrorCode::InvalidRecord, text.to_owned())));
    let stamp = ProducerStamp { producer_id: 7, producer_epoch: 0, base_sequence: -1 };
    let stamped = Proposal { producer: Some(stamp), ..proposal(&[record(None, NOW)]) };
    let text = "Invalid sequence number -1 in record batch with producerId 7 in topic partition \
                comp-0";
    assert_eq!(refused(&stamped, &stock), Some((ErrorCode::InvalidRecord, text.to_owned())));
}

/// A record of a compressed batch may have so many bytes without the length in front, as recorded: 93 of its
/// value and 7 more. That comes before what is wrong with single records.
#[test]
fn large_records_of_compressed_batches() {
    let config = LogConfig { max_decompressed_message_bytes: 100, ..LogConfig::default() };
    let of = |count: usize, compression| {
        let value = Some(Bytes::from(vec![b'0'; count].as_slice()));
        let records = [record(None, NOW), Record { value, ..record(None, NOW) }];
        Proposal { compression, compressed_size: Some(90), ..proposal(&records) }
    };
    for compression in [Compression::Gzip, Compression::Zstd] {
        assert_eq!(refused(&of(93, compression), &config), None);
        let text = "This record has failed the validation on broker and hence will be rejected.";
        let expected = Some((ErrorCode::InvalidRecord, text.to_owned()));
        assert_eq!(refused(&of(94, compression), &config), expected);
        let compacted = LogConfig { compact: true, ..config.clone() };
        assert_eq!(refused(&of(94, compression), &compacted), expected);
        assert_eq!(refused(&of(94, compression), &LogConfig::default()), None);
    }
    let plain = Proposal { compressed_size: None, ..of(94, Compression::None) };
    assert_eq!(refused(&plain, &config), None);
}
