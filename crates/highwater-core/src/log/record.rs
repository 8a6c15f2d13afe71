//! Records, with the sizes that Kafka's record format v2 gives them (`DefaultRecord`). The batches
//! that carry them are in `record_batch`.

use crate::ids::Bytes;
pub use crate::log::record_batch::{RecordBatch, batch_size_in_bytes};

/// Bytes in front of the records of a batch (`DefaultRecordBatch.RECORD_BATCH_OVERHEAD`).
pub(crate) const BATCH_OVERHEAD: u32 = 61;

/// A header of a record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Header {
    /// The header's name.
    pub key: Bytes,
    /// Its value, which may be null.
    pub value: Option<Bytes>,
}

/// What a producer sends and a consumer reads. Key and value are bytes, and may be null.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Record {
    /// Decides the partition, unless the producer says otherwise.
    pub key: Option<Bytes>,
    /// What happened.
    pub value: Option<Bytes>,
    /// Milliseconds since 1970: when the producer made it (CreateTime).
    pub timestamp: i64,
    /// Names and values beside the value.
    pub headers: Vec<Header>,
}

impl Record {
    /// Bytes of this record in a batch whose first record has `base_timestamp`, as record number
    /// `delta` of it.
    #[must_use]
    pub fn size_in_bytes(&self, base_timestamp: i64, delta: u32) -> u32 {
        self.size_with(self.timestamp.wrapping_sub(base_timestamp), delta)
    }

    /// The same, when its timestamp lies that far after the batch's.
    pub(super) fn size_with(&self, timestamp_delta: i64, delta: u32) -> u32 {
        let body = self.body_size(timestamp_delta, delta);
        body.saturating_add(varint_size(i64::from(body)))
    }

    /// How large a producer lets the batch grow that this record opens, if it is larger than
    /// `batch.size` (`AbstractRecords.estimateSizeInBytesUpperBound`).
    pub(crate) fn batch_limit(&self) -> u32 {
        const MAX_RECORD_OVERHEAD: u32 = 21;
        let contents = self.body_size(0, 0).saturating_sub(3);
        contents.saturating_add(BATCH_OVERHEAD + MAX_RECORD_OVERHEAD)
    }

    /// The same without the length in front.
    pub(crate) fn body_size(&self, timestamp_delta: i64, delta: u32) -> u32 {
        let mut size = 1u32 // attributes
            .saturating_add(varint_size(timestamp_delta))
            .saturating_add(varint_size(i64::from(delta)))
            .saturating_add(nullable_size(self.key.as_ref()))
            .saturating_add(nullable_size(self.value.as_ref()))
            .saturating_add(varint_size(length(self.headers.len())));
        for header in &self.headers {
            size = size
                .saturating_add(nullable_size(Some(&header.key)))
                .saturating_add(nullable_size(header.value.as_ref()));
        }
        size
    }
}

fn length(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

/// A length and that many bytes; null is length -1 and no bytes.
fn nullable_size(bytes: Option<&Bytes>) -> u32 {
    match bytes {
        None => 1,
        Some(bytes) => {
            let count = length(bytes.len());
            varint_size(count).saturating_add(u32::try_from(count).unwrap_or(u32::MAX))
        }
    }
}

/// Bytes of a zigzag varint (`ByteUtils.sizeOfVarlong`).
fn varint_size(value: i64) -> u32 {
    let zigzag = ((value << 1) ^ (value >> 63)).cast_unsigned();
    (64 - zigzag.leading_zeros()).div_ceil(7).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn record(key: &str, value: &str, timestamp: i64) -> Record {
        Record {
            key: Some(Bytes::from(key.as_bytes())),
            value: Some(Bytes::from(value.as_bytes())),
            timestamp,
            headers: Vec::new(),
        }
    }

    /// Sizes that `kafka-dump-log.sh` printed for real batches (22-dump-log.console and the facts).
    #[test]
    fn sizes_are_those_of_real_dumps() {
        let two =
            [record("k2", "v2", 1_795_957_185_255), record("locker-7", "open", 1_795_957_185_255)];
        assert_eq!(batch_size_in_bytes(&two), 91);
        assert_eq!(batch_size_in_bytes(&[record("a", "1", 0)]), 70);
        assert_eq!(batch_size_in_bytes(&[record("c", "333", 0)]), 72);
        assert_eq!(batch_size_in_bytes(&[Record { key: None, ..record("", "333", 0) }]), 71);
    }

    /// Sizes at the edges of the varint format.
    #[test]
    fn varints() {
        for (value, size) in
            [(0, 1), (-1, 1), (63, 1), (-64, 1), (64, 2), (8_191, 2), (8_192, 3), (i64::MIN, 10)]
        {
            assert_eq!(varint_size(value), size, "{value}");
        }
    }
}
