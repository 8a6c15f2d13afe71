//! segmentio's kafka-go with `Balancer: &kafka.Hash{}`: FNV-1a of the key; without a key, turns.

use super::{Choice, Context, HashFunction, KeylessState, SignRule, Why, partition};
use crate::ids::Bytes;

pub(super) fn choose(key: Option<&Bytes>, keyless: &mut KeylessState, context: &Context) -> Choice {
    match key {
        Some(key) => choose_by_key(key, context.partitions),
        None => {
            let turn = keyless.turn % context.partitions.max(1);
            keyless.turn = keyless.turn.wrapping_add(1);
            Choice { partition: partition(turn), why: Why::Turn }
        }
    }
}

/// `int32(fnv1a(key)) % partitions`, negated if negative.
#[must_use]
pub fn choose_by_key(key: &[u8], partitions: u32) -> Choice {
    let hash = fnv1a(key);
    // The absolute value of the remainder is the remainder of the absolute value.
    let dividend = hash.cast_signed().unsigned_abs();
    Choice {
        partition: partition(dividend % partitions.max(1)),
        why: Why::Hashed {
            function: HashFunction::Fnv1a,
            hash,
            sign: SignRule::AbsoluteRemainder,
            dividend,
            partitions,
        },
    }
}

/// FNV-1a over 32 bits.
#[must_use]
pub fn fnv1a(data: &[u8]) -> u32 {
    data.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
