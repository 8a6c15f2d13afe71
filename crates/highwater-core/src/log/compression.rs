//! How large is a batch once it is compressed? gzip is really run, over the bytes that Kafka compresses:
//! the records as format v2 writes them (`DefaultRecord.writeTo`). The others are reckoned from that.
//!
//! Only sizes come of it: records stay readable here whatever their codec is.

use miniz_oxide::deflate::compress_to_vec;

use crate::ids::Bytes;
use crate::log::record::{BATCH_OVERHEAD, Record};
use crate::log::record_batch::Compression;

/// gzip's bytes around the compressed ones: ten in front, a checksum and a length behind.
const GZIP_FRAME: u32 = 18;
/// What level -1 means, of gzip as of Java.
const DEFAULT_LEVEL: u8 = 6;

/// A codec, with the level for gzip. Levels of the others change nothing here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Codec {
    /// Which one.
    pub compression: Compression,
    /// `compression.gzip.level`: from 1 to 9; what is not is the default.
    pub gzip_level: i8,
}

impl Default for Codec {
    fn default() -> Self {
        Self { compression: Compression::None, gzip_level: -1 }
    }
}

/// What a codec that is not run makes of a batch: how many hundredths of what gzip makes of it, and how
/// many bytes its frames take in any case.
struct Reckoned {
    hundredths: u64,
    frame: u64,
}

/// Measured with real Kafka over text, see docs/FIDELITY.md.
const SNAPPY: Reckoned = Reckoned { hundredths: 145, frame: 20 };
const LZ4: Reckoned = Reckoned { hundredths: 145, frame: 19 };
const ZSTD: Reckoned = Reckoned { hundredths: 103, frame: 13 };

impl Codec {
    /// The size of a batch of these records, its header included. The header is not compressed.
    #[must_use]
    pub fn size_of(self, records: &[Record]) -> u32 {
        let body = written(records);
        let plain = u64::try_from(body.len()).unwrap_or(u64::MAX);
        let level = u8::try_from(self.gzip_level).ok().filter(|level| (1..=9).contains(level));
        let deflated = |level| {
            let deflated = compress_to_vec(&body, level).len();
            u64::try_from(deflated).unwrap_or(u64::MAX)
        };
        let reckon = |codec: Reckoned| {
            (deflated(DEFAULT_LEVEL) * codec.hundredths / 100).min(plain) + codec.frame
        };
        let size = match self.compression {
            Compression::None => plain,
            Compression::Gzip => deflated(level.unwrap_or(DEFAULT_LEVEL)) + u64::from(GZIP_FRAME),
            Compression::Snappy => reckon(SNAPPY),
            Compression::Lz4 => reckon(LZ4),
            Compression::Zstd => reckon(ZSTD),
        };
        BATCH_OVERHEAD.saturating_add(u32::try_from(size).unwrap_or(u32::MAX))
    }
}

/// The records of a batch as they stand in it: each with its length in front.
fn written(records: &[Record]) -> Vec<u8> {
    let base_timestamp = records.first().map_or(0, |record| record.timestamp);
    let mut bytes = Vec::new();
    for (delta, record) in (0u32..).zip(records) {
        let timestamp_delta = record.timestamp.wrapping_sub(base_timestamp);
        put_varint(record.body_size(timestamp_delta, delta).into(), &mut bytes);
        bytes.push(0); // attributes
        put_varint(timestamp_delta, &mut bytes);
        put_varint(delta.into(), &mut bytes);
        put_nullable(record.key.as_ref(), &mut bytes);
        put_nullable(record.value.as_ref(), &mut bytes);
        put_varint(i64::try_from(record.headers.len()).unwrap_or(i64::MAX), &mut bytes);
        for header in &record.headers {
            put_nullable(Some(&header.key), &mut bytes);
            put_nullable(header.value.as_ref(), &mut bytes);
        }
    }
    bytes
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
    let mut zigzag = ((value << 1) ^ (value >> 63)).cast_unsigned();
    loop {
        let [low, ..] = zigzag.to_le_bytes();
        zigzag >>= 7;
        if zigzag == 0 {
            bytes.push(low & 0x7f);
            return;
        }
        bytes.push(low | 0x80);
    }
}

#[cfg(test)]
mod tests;
