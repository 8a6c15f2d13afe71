//! librdkafka: CRC-32 of the key (`consistent_random`, its default); without a key, and with an
//! empty one, sticky by time.

use super::{Choice, Context, HashFunction, KeylessState, SignRule, Why, partition};
use crate::ids::Bytes;

/// `sticky.partitioning.linger.ms`, in microseconds.
const STICKY_US: u64 = 10_000;

pub(super) fn choose(key: Option<&Bytes>, keyless: &mut KeylessState, context: &Context) -> Choice {
    match key {
        Some(key) if !key.is_empty() => choose_by_key(key, context.partitions),
        _ => {
            let fresh = context.now.saturating_sub(keyless.since) < STICKY_US;
            let drawn = keyless.sticky.filter(|_| fresh).unwrap_or_else(|| keyless.draw(context));
            Choice { partition: partition(drawn), why: Why::Sticky }
        }
    }
}

/// `crc32(key) % partitions`, unsigned (the `consistent` partitioner; also for empty keys).
#[must_use]
pub fn choose_by_key(key: &[u8], partitions: u32) -> Choice {
    let hash = crc32(key);
    Choice {
        partition: partition(hash % partitions.max(1)),
        why: Why::Hashed {
            function: HashFunction::Crc32,
            hash,
            sign: SignRule::Unsigned,
            dividend: hash,
            partitions,
        },
    }
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
