//! librdkafka: CRC-32 of the key (`consistent_random`, its default); without a key, and with an
//! empty one, sticky by time. Read from librdkafka 2.12.1 (`rdkafka_msg.c`, `rdkafka_topic.c`,
//! `rdinterval.h`), which chooses as 2.16.0, with which the vectors were recorded.

use super::catalogue::Partitioner;
use super::hashing::{HashFunction, Hashing, SignRule};
use super::java::MURMUR2;
use super::rule::{Among, HashedKeys, Keyless, Rule};
use super::{Choice, Context, KeylessState, Why, partition};
use crate::ids::Bytes;
use crate::time::SimDuration;

/// `sticky.partitioning.linger.ms`, which is twice `linger.ms` unless somebody sets it.
const STICKY: SimDuration = SimDuration::from_millis(10);

/// `crc32(key) % partitions`, unsigned.
pub(super) const CRC32: Hashing =
    Hashing { function: HashFunction::Crc32, sign: SignRule::Unsigned };
/// Sarama's hash as librdkafka has it: `rd_fnv1a` takes the absolute value at once.
const FNV1A: Hashing = Hashing { function: HashFunction::Fnv1a, sign: SignRule::Absolute };

/// Its partitioners, the default first. Those named "random" stay with one partition for a while.
pub(super) const PARTITIONERS: &[Partitioner] = &[
    Partitioner {
        name: "consistent_random",
        spelled: "partitioner=consistent_random",
        about: "CRC-32 of a key that is not empty; else one partition for 10 ms",
        rule: sticky(Some((CRC32, HashedKeys::NotEmpty))),
    },
    Partitioner {
        name: "random",
        spelled: "partitioner=random",
        about: "records with a key at random, those without stay together for 10 ms",
        rule: sticky(None),
    },
    Partitioner {
        name: "consistent",
        spelled: "partitioner=consistent",
        about: "CRC-32, of no key too: partition 0",
        rule: consistent(CRC32),
    },
    Partitioner {
        name: "murmur2",
        spelled: "partitioner=murmur2",
        about: "as Java for keys; no key is hashed as an empty one",
        rule: consistent(MURMUR2),
    },
    Partitioner {
        name: "murmur2_random",
        spelled: "partitioner=murmur2_random",
        about: "as Java for keys; else one partition for 10 ms",
        rule: sticky(Some((MURMUR2, HashedKeys::Given))),
    },
    Partitioner {
        name: "fnv1a",
        spelled: "partitioner=fnv1a",
        about: "FNV-1a as in Sarama; no key is hashed as an empty one",
        rule: consistent(FNV1A),
    },
    Partitioner {
        name: "fnv1a_random",
        spelled: "partitioner=fnv1a_random",
        about: "FNV-1a as in Sarama; else one partition for 10 ms",
        rule: sticky(Some((FNV1A, HashedKeys::Given))),
    },
];

const fn sticky(keys: Option<(Hashing, HashedKeys)>) -> Rule {
    Rule { keys, keyless: Keyless::StickyByTime(STICKY) }
}

const fn consistent(hashing: Hashing) -> Rule {
    // There is nothing that it does not hash.
    let keyless = Keyless::Random(Among::AllTwice);
    Rule { keys: Some((hashing, HashedKeys::Missing)), keyless }
}

pub(super) fn choose(key: Option<&Bytes>, keyless: &mut KeylessState, context: &Context) -> Choice {
    match key {
        Some(key) if !key.is_empty() => choose_by_key(key, context.partitions),
        _ => {
            let fresh = keyless.is_fresh(STICKY, context);
            let drawn = keyless.sticky.filter(|_| fresh).unwrap_or_else(|| keyless.draw(context));
            Choice { partition: partition(drawn), why: Why::Sticky }
        }
    }
}

impl KeylessState {
    /// Whether the sticky partition was drawn not longer ago than that (`rd_interval`).
    pub(super) fn is_fresh(&self, linger: SimDuration, context: &Context) -> bool {
        context.now.saturating_sub(self.since) <= linger.0
    }
}

/// `crc32(key) % partitions`, unsigned (the `consistent` partitioner; also for empty keys).
#[must_use]
pub fn choose_by_key(key: &[u8], partitions: u32) -> Choice {
    CRC32.choose(key, partitions)
}

/// CRC-32 as in zlib: polynomial 0xEDB88320, reflected, inverted before and after. Bit by bit:
/// keys are short, and a table would be a kilobyte of the page.
#[must_use]
pub fn crc32(data: &[u8]) -> u32 {
    !data.iter().fold(u32::MAX, |mut crc, byte| {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg());
        }
        crc
    })
}
