//! Numbers, strings and lists as Kafka's protocol writes them in records: big-endian, lengths in front;
//! and the little that is used of its flexible versions (KIP-482).

use std::rc::Rc;

use crate::ids::{PartitionId, TopicName, TopicPartition};
use crate::number::put_unsigned_varint;

/// Writes bytes.
#[derive(Debug, Default)]
pub(super) struct Writer(pub(super) Vec<u8>);

impl Writer {
    pub(super) fn int16(&mut self, value: i16) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn int32(&mut self, value: i32) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn int64(&mut self, value: i64) {
        self.0.extend_from_slice(&value.to_be_bytes());
    }

    pub(super) fn string(&mut self, text: &str) {
        self.nullable_string(Some(text));
    }

    pub(super) fn nullable_string(&mut self, text: Option<&str>) {
        let length = text.map_or(-1, |text| i16::try_from(text.len()).unwrap_or(i16::MAX));
        self.int16(length);
        let kept = usize::try_from(length).unwrap_or(0);
        self.0.extend(text.iter().flat_map(|text| text.bytes()).take(kept));
    }

    pub(super) fn nullable_bytes(&mut self, bytes: Option<&[u8]>) {
        self.int32(bytes.map_or(-1, |bytes| i32::try_from(bytes.len()).unwrap_or(i32::MAX)));
        self.0.extend_from_slice(bytes.unwrap_or(&[]));
    }

    pub(super) fn unsigned_varint(&mut self, value: u32) {
        put_unsigned_varint(value.into(), &mut self.0);
    }

    /// A string of a flexible version.
    pub(super) fn compact_string(&mut self, text: &str) {
        self.unsigned_varint(u32::try_from(text.len()).unwrap_or(u32::MAX).saturating_add(1));
        self.0.extend_from_slice(text.as_bytes());
    }

    pub(super) fn count(&mut self, count: usize) {
        self.int32(i32::try_from(count).unwrap_or(i32::MAX));
    }

    /// Partitions, those of one topic together.
    pub(super) fn partitions(&mut self, partitions: &[TopicPartition]) {
        let mut topics: Vec<(&TopicName, Vec<PartitionId>)> = Vec::new();
        for which in partitions {
            match topics.iter_mut().find(|(topic, _)| **topic == which.topic) {
                Some((_, numbers)) => numbers.push(which.partition),
                None => topics.push((&which.topic, vec![which.partition])),
            }
        }
        self.count(topics.len());
        for (topic, numbers) in topics {
            self.string(topic.as_str());
            self.count(numbers.len());
            numbers.iter().for_each(|number| self.int32(number.0));
        }
    }
}

/// Reads bytes; `None`: there are too few, or they are no text.
#[derive(Debug)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(taken)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn int16(&mut self) -> Option<i16> {
        self.array().map(i16::from_be_bytes)
    }

    pub(super) fn int32(&mut self) -> Option<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn int64(&mut self) -> Option<i64> {
        self.array().map(i64::from_be_bytes)
    }

    pub(super) fn string(&mut self) -> Option<Rc<str>> {
        self.nullable_string()?
    }

    pub(super) fn unsigned_varint(&mut self) -> Option<u32> {
        let mut value = 0u32;
        for shift in (0..35).step_by(7) {
            let [byte] = self.array()?;
            value |= u32::from(byte & 0x7f).checked_shl(shift)?;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    /// A string of a flexible version; null is none.
    pub(super) fn compact_string(&mut self) -> Option<Rc<str>> {
        let length = self.unsigned_varint()?.checked_sub(1)?;
        let bytes = self.take(usize::try_from(length).ok()?)?;
        std::str::from_utf8(bytes).ok().map(Rc::from)
    }

    /// The fields at the end of a flexible version: the bytes of the one with that tag.
    #[expect(clippy::option_option, reason = "it may be absent")]
    pub(super) fn tagged(&mut self, tag: u32) -> Option<Option<&'a [u8]>> {
        let mut found = None;
        for _ in 0..self.unsigned_varint()? {
            let known = self.unsigned_varint()?;
            let size = self.unsigned_varint()?;
            let bytes = self.take(usize::try_from(size).ok()?)?;
            found = if known == tag { Some(bytes) } else { found };
        }
        Some(found)
    }

    /// Outside: whether it can be read; inside: whether it is there.
    #[expect(clippy::option_option, reason = "null is a value here")]
    pub(super) fn nullable_string(&mut self) -> Option<Option<Rc<str>>> {
        let Ok(length) = usize::try_from(self.int16()?) else { return Some(None) };
        let text = std::str::from_utf8(self.take(length)?).ok()?;
        Some(Some(Rc::from(text)))
    }

    #[expect(clippy::option_option, reason = "null is a value here")]
    pub(super) fn nullable_bytes(&mut self) -> Option<Option<&'a [u8]>> {
        let Ok(length) = usize::try_from(self.int32()?) else { return Some(None) };
        Some(Some(self.take(length)?))
    }

    /// A list; null is an empty one.
    pub(super) fn list<T>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = self.int32()?;
        let mut items = Vec::new();
        for _ in 0..count {
            items.push(read(self)?);
        }
        Some(items)
    }

    pub(super) fn partitions(&mut self) -> Option<Vec<TopicPartition>> {
        let topics = self.list(|reader| {
            let topic = TopicName(reader.string()?);
            let numbers = reader.list(Self::int32)?;
            Some((topic, numbers))
        })?;
        let mut partitions = Vec::new();
        for (topic, numbers) in topics {
            for number in numbers {
                partitions.push(TopicPartition::new(&topic, PartitionId(number)));
            }
        }
        Some(partitions)
    }
}
