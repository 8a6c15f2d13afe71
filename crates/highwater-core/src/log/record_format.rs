//! Which bytes stand in a `.log` file? Batches as record format v2 writes them, with their checksum
//! (`DefaultRecordBatch.writeHeader`, `DefaultRecord.writeTo`).
//!
//! Logs keep batches as values; bytes are made when somebody looks. What a codec makes of the records that
//! is not run (snappy, lz4, zstd) nobody knows here: the plain records stand in the place of it, cut or filled
//! up with zeros to the size that the batch has.

use miniz_oxide::deflate::compress_to_vec;

use crate::ids::Bytes;
use crate::log::record::{BATCH_OVERHEAD, Record};
use crate::log::record_batch::{Compression, ControlKind, RecordBatch, TimestampType};
use crate::number::put_unsigned_varint;

/// The version of the format.
pub const MAGIC: u8 = 2;
/// Bytes in front of those that the checksum is made of.
const CHECKED_FROM: usize = 21;
/// Where the checksum stands.
const CRC_AT: usize = 17;
/// What the length of a batch does not count: the base offset and itself.
const LOG_OVERHEAD: u32 = 12;
/// Bits of a batch's attributes.
const LOG_APPEND_TIME: i16 = 0x08;
const IS_CONTROL: i16 = 0x20;
const HAS_DELETE_HORIZON: i16 = 0x40;

/// A batch as it stands in its file. `unstamped` is its first sequence number if no idempotent producer sent it.
#[must_use]
pub fn encode(batch: &RecordBatch, unstamped: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(batch.base_offset.0.to_be_bytes());
    bytes.extend(batch.size_in_bytes.saturating_sub(LOG_OVERHEAD).to_be_bytes());
    bytes.extend(batch.leader_epoch.0.to_be_bytes());
    bytes.push(MAGIC);
    bytes.extend([0; 4]);
    bytes.extend(attributes(batch).to_be_bytes());
    bytes.extend(batch.last_offset_delta.to_be_bytes());
    bytes.extend(batch.base_timestamp().to_be_bytes());
    bytes.extend(batch.max_timestamp_ms().to_be_bytes());
    let stamp = batch.producer;
    bytes.extend(stamp.map_or(-1, |stamp| stamp.producer_id).to_be_bytes());
    bytes.extend(stamp.map_or(-1, |stamp| stamp.producer_epoch).to_be_bytes());
    let sequence = stamp.map_or(unstamped, |stamp| stamp.base_sequence);
    bytes.extend(sequence.to_be_bytes());
    bytes.extend(batch.count().to_be_bytes());
    bytes.extend(body(batch));
    let crc = crc32c(bytes.get(CHECKED_FROM..).unwrap_or_default());
    if let Some(place) = bytes.get_mut(CRC_AT..CHECKED_FROM) {
        place.copy_from_slice(&crc.to_be_bytes());
    }
    bytes
}

/// The checksum in the header of a batch, which is written as by `encode`.
#[must_use]
pub fn checksum(batch: &RecordBatch, unstamped: i32) -> u32 {
    crc32c(encode(batch, unstamped).get(CHECKED_FROM..).unwrap_or_default())
}

fn attributes(batch: &RecordBatch) -> i16 {
    let codec = match batch.compression {
        Compression::None => 0,
        Compression::Gzip => 1,
        Compression::Snappy => 2,
        Compression::Lz4 => 3,
        Compression::Zstd => 4,
    };
    let flag = |is_set, bit| if is_set { bit } else { 0 };
    codec
        | flag(batch.timestamp_type == TimestampType::LogAppendTime, LOG_APPEND_TIME)
        | flag(batch.control.is_some(), IS_CONTROL)
        | flag(batch.delete_horizon_ms.is_some(), HAS_DELETE_HORIZON)
}

/// The records, compressed, as many bytes as the batch's size says.
fn body(batch: &RecordBatch) -> Vec<u8> {
    let size = usize::try_from(batch.size_in_bytes.saturating_sub(BATCH_OVERHEAD)).unwrap_or(0);
    let mut body = match batch.control {
        Some(kind) => control_record(kind),
        None => plain(batch),
    };
    if batch.compression == Compression::Gzip {
        // A batch does not say with which level it was compressed.
        let levels = [6, 9, 1, 2, 3, 4, 5, 7, 8];
        let made = levels.into_iter().map(|level| gzip(&body, level));
        if let Some(fitting) = made.into_iter().find(|made| made.len() == size) {
            return fitting;
        }
    }
    body.resize(size, 0);
    body
}

/// The records, each with its length in front.
fn plain(batch: &RecordBatch) -> Vec<u8> {
    let base_timestamp = batch.base_timestamp();
    let mut bytes = Vec::new();
    for (offset, record) in batch.iter() {
        let at = if batch.is_rewritten() { batch.timestamp_of(record) } else { record.timestamp };
        let delta = u32::try_from(offset.0 - batch.base_offset.0).unwrap_or(u32::MAX);
        put_record(record, at.wrapping_sub(base_timestamp), delta, &mut bytes);
    }
    bytes
}

/// The end of a transaction (`EndTransactionMarker`).
fn control_record(kind: ControlKind) -> Vec<u8> {
    let kind: i16 = match kind {
        ControlKind::Abort => 0,
        ControlKind::Commit => 1,
    };
    let key = [[0, 0], kind.to_be_bytes()].concat();
    let key = Some(Bytes::from(key));
    let value = Some(Bytes::from([0; 6].as_slice()));
    let mut bytes = Vec::new();
    put_record(&Record { key, value, timestamp: 0, headers: Vec::new() }, 0, 0, &mut bytes);
    bytes
}

/// As Java's `GZIPOutputStream` frames it.
fn gzip(plain: &[u8], level: u8) -> Vec<u8> {
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
    bytes.extend(compress_to_vec(plain, level));
    bytes.extend(crc32(plain).to_le_bytes());
    bytes.extend(u32::try_from(plain.len()).unwrap_or(u32::MAX).to_le_bytes());
    bytes
}

/// The records of a new batch as they stand in it: each with its length in front.
pub(super) fn written(records: &[Record]) -> Vec<u8> {
    let base_timestamp = records.first().map_or(0, |record| record.timestamp);
    let mut bytes = Vec::new();
    for (delta, record) in (0u32..).zip(records) {
        put_record(record, record.timestamp.wrapping_sub(base_timestamp), delta, &mut bytes);
    }
    bytes
}

fn put_record(record: &Record, timestamp_delta: i64, delta: u32, bytes: &mut Vec<u8>) {
    put_varint(record.body_size(timestamp_delta, delta).into(), bytes);
    bytes.push(0); // attributes
    put_varint(timestamp_delta, bytes);
    put_varint(delta.into(), bytes);
    put_nullable(record.key.as_ref(), bytes);
    put_nullable(record.value.as_ref(), bytes);
    put_varint(i64::try_from(record.headers.len()).unwrap_or(i64::MAX), bytes);
    for header in &record.headers {
        put_nullable(Some(&header.key), bytes);
        put_nullable(header.value.as_ref(), bytes);
    }
}

/// A length and that many bytes; null is length -1 and no bytes.
fn put_nullable(content: Option<&Bytes>, bytes: &mut Vec<u8>) {
    match content {
        None => put_varint(-1, bytes),
        Some(content) => {
            put_varint(i64::try_from(content.len()).unwrap_or(i64::MAX), bytes);
            bytes.extend_from_slice(content);
        }
    }
}

/// Zigzag, then seven bits a byte, the low ones first (`ByteUtils.writeVarlong`).
fn put_varint(value: i64, bytes: &mut Vec<u8>) {
    put_unsigned_varint(((value << 1) ^ (value >> 63)).cast_unsigned(), bytes);
}

/// CRC-32C, which Kafka takes (`Crc32C`).
#[must_use]
pub fn crc32c(bytes: &[u8]) -> u32 {
    crc(0x82f6_3b78, bytes)
}

/// CRC-32, which gzip takes.
fn crc32(bytes: &[u8]) -> u32 {
    crc(0xedb8_8320, bytes)
}

/// Eight bits at a time through a table of this polynomial, whose bits are reflected.
fn crc(polynomial: u32, bytes: &[u8]) -> u32 {
    let table: [u32; 256] = std::array::from_fn(|index| {
        let start = u32::try_from(index).unwrap_or(0);
        (0..8).fold(start, |crc, _| (crc >> 1) ^ if crc & 1 == 1 { polynomial } else { 0 })
    });
    !bytes.iter().fold(!0, |crc, byte| {
        let [low, ..] = (crc ^ u32::from(*byte)).to_le_bytes();
        table[usize::from(low)] ^ (crc >> 8)
    })
}

/// Where each batch of a file begins, with the batch.
pub fn positions<'a, B>(batches: B) -> impl Iterator<Item = (u64, &'a RecordBatch)>
where
    B: Iterator<Item = &'a std::rc::Rc<RecordBatch>>,
{
    let mut position = 0u64;
    batches.map(move |batch| {
        let here = position;
        position = position.saturating_add(u64::from(batch.size_in_bytes));
        (here, &**batch)
    })
}

#[cfg(test)]
mod tests;
