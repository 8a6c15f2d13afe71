//! Records and the batches that carry them, with the sizes that Kafka's record format v2 gives
//! them (`DefaultRecord`, `DefaultRecordBatch`).

use std::rc::Rc;

use crate::ids::{Bytes, EventId, LeaderEpoch, Offset};

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
        let body = self.body_size(base_timestamp, delta);
        varint_size(i64::from(body)) + body
    }

    /// How large a producer lets the batch grow that this record opens, if it is larger than
    /// `batch.size` (`AbstractRecords.estimateSizeInBytesUpperBound`).
    pub(crate) fn batch_limit(&self) -> u32 {
        const MAX_RECORD_OVERHEAD: u32 = 21;
        let contents = self.body_size(self.timestamp, 0) - 3;
        BATCH_OVERHEAD + MAX_RECORD_OVERHEAD + contents
    }

    /// The same without the length in front.
    fn body_size(&self, base_timestamp: i64, delta: u32) -> u32 {
        1 // attributes
            + varint_size(self.timestamp.wrapping_sub(base_timestamp))
            + varint_size(i64::from(delta))
            + nullable_size(self.key.as_ref())
            + nullable_size(self.value.as_ref())
            + varint_size(length(self.headers.len()))
            + self
                .headers
                .iter()
                .map(|header| {
                    nullable_size(Some(&header.key)) + nullable_size(header.value.as_ref())
                })
                .sum::<u32>()
    }
}

/// Records that a producer sent together and the leader appended together. Never changed after.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RecordBatch {
    /// The offset of its first record.
    pub base_offset: Offset,
    /// The epoch of the leader that appended it.
    pub leader_epoch: LeaderEpoch,
    /// Its records; the n-th has the offset `base_offset + n`.
    pub records: Rc<[Record]>,
    /// Its size on disk, uncompressed.
    pub size_in_bytes: u32,
    /// The event of its append: asked "why is this here?", the chain starts there.
    pub appended_by: Option<EventId>,
}

impl RecordBatch {
    /// Number of records.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.records.len()).unwrap_or(u32::MAX)
    }

    /// The offset after its last record.
    #[must_use]
    pub fn next_offset(&self) -> Offset {
        self.base_offset.plus(self.count())
    }

    /// The largest timestamp in it, with the offset of the first record that has it.
    #[must_use]
    pub fn max_timestamp(&self) -> Option<(i64, Offset)> {
        let mut best: Option<(i64, Offset)> = None;
        for (offset, record) in self.iter() {
            if best.is_none_or(|(timestamp, _)| record.timestamp > timestamp) {
                best = Some((record.timestamp, offset));
            }
        }
        best
    }

    /// Its records with their offsets.
    pub fn iter(&self) -> impl Iterator<Item = (Offset, &Record)> {
        (0u32..).zip(&*self.records).map(|(delta, record)| (self.base_offset.plus(delta), record))
    }
}

/// The size of a batch of these records.
#[must_use]
pub fn batch_size_in_bytes(records: &[Record]) -> u32 {
    let base_timestamp = records.first().map_or(0, |record| record.timestamp);
    (0u32..)
        .zip(records)
        .map(|(delta, record)| record.size_in_bytes(base_timestamp, delta))
        .fold(BATCH_OVERHEAD, u32::saturating_add)
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
            varint_size(count) + u32::try_from(count).unwrap_or(u32::MAX / 4)
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
