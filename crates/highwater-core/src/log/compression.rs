//! How large is a batch once it is compressed? gzip is really run, over the bytes that Kafka compresses:
//! the records as format v2 writes them (`DefaultRecord.writeTo`). The others are reckoned from that.
//!
//! Only sizes come of it: records stay readable here whatever their codec is.

use miniz_oxide::deflate::compress_to_vec;

use crate::log::record::{BATCH_OVERHEAD, Record};
use crate::log::record_batch::Compression;
use crate::log::record_format::written;

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

#[cfg(test)]
mod tests;
