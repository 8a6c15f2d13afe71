//! Kafka's Java client: murmur2 of the key; without a key, sticky by bytes
//! (`BuiltInPartitioner`; KIP-480, KIP-794).

use super::{Choice, Context, HashFunction, KeylessState, SignRule, Why, partition};
use crate::ids::Bytes;

/// A key is hashed, an empty one too. Without a key the current sticky partition is taken.
pub(super) fn choose(key: Option<&Bytes>, keyless: &mut KeylessState, context: &Context) -> Choice {
    match key {
        Some(key) => choose_by_key(key, context.partitions),
        None => {
            let drawn = keyless.sticky.unwrap_or_else(|| keyless.draw(context));
            Choice { partition: partition(drawn), why: Why::Sticky }
        }
    }
}

/// `toPositive(murmur2(key)) % partitions`.
#[must_use]
pub fn choose_by_key(key: &[u8], partitions: u32) -> Choice {
    let hash = murmur2(key).cast_unsigned();
    let dividend = hash & 0x7fff_ffff;
    Choice {
        partition: partition(dividend % partitions.max(1)),
        why: Why::Hashed {
            function: HashFunction::Murmur2,
            hash,
            sign: SignRule::Masked,
            dividend,
            partitions,
        },
    }
}

/// Counts bytes that went to the sticky partition, and draws another one once it has had its share
/// (`BuiltInPartitioner.updatePartitionInfo`): after `batch.size` bytes, though not while a batch
/// that is not full yet waits for it, unless it has had twice as much. Whether it drew.
pub fn update_partition_info(
    keyless: &mut KeylessState,
    appended_bytes: u32,
    batch_size: u32,
    open_batch_waits: bool,
    context: &Context,
) -> bool {
    keyless.bytes += u64::from(appended_bytes);
    let batch_size = u64::from(batch_size);
    let enough = keyless.bytes >= batch_size && !open_batch_waits;
    let draws = enough || keyless.bytes >= 2 * batch_size;
    if draws {
        keyless.draw(context);
    }
    draws
}

/// `org.apache.kafka.common.utils.Utils.murmur2`.
#[must_use]
pub fn murmur2(data: &[u8]) -> i32 {
    const SEED: u32 = 0x9747_b28c;
    const M: u32 = 0x5bd1_e995;
    // Java's int: longer keys than 4 GiB do not exist.
    let mut h = SEED ^ data.len() as u32;
    let blocks = data.chunks_exact(4);
    let tail = blocks.remainder();
    for block in blocks {
        let mut k = 0u32;
        for (shift, byte) in [0, 8, 16, 24].into_iter().zip(block) {
            k |= u32::from(*byte) << shift;
        }
        k = k.wrapping_mul(M);
        k ^= k >> 24;
        h = h.wrapping_mul(M) ^ k.wrapping_mul(M);
    }
    if !tail.is_empty() {
        for (shift, byte) in [0, 8, 16].into_iter().zip(tail) {
            h ^= u32::from(*byte) << shift;
        }
        h = h.wrapping_mul(M);
    }
    h ^= h >> 13;
    h = h.wrapping_mul(M);
    (h ^ (h >> 15)).cast_signed()
}
