//! kafkajs, the Node.js client written in JavaScript: Java's formula since 2.0; before, a murmur2 that
//! multiplies as JavaScript does. Read from kafkajs 2.2.4, `src/producer/partitioners`.

use super::catalogue::Partitioner;
use super::hashing::{HashFunction, Hashing, SignRule};
use super::rule::{HashedKeys, Keyless, Rule, Turns};

/// Its partitioners, the default first.
pub(super) const PARTITIONERS: &[Partitioner] = &[
    Partitioner {
        name: "default",
        spelled: "Partitioners.DefaultPartitioner",
        about: "as Java for keys; else turns among partitions with leaders, from a random one",
        rule: rule(HashFunction::Murmur2),
    },
    Partitioner {
        name: "legacy",
        spelled: "Partitioners.LegacyPartitioner",
        about: "the default of 1.x: its murmur2 loses bits, and counts the last bytes twice",
        rule: rule(HashFunction::Murmur2InDoubles),
    },
];

const fn rule(function: HashFunction) -> Rule {
    let hashing = Hashing { function, sign: SignRule::Masked };
    let keyless = Keyless::Turns(Turns::FromRandom);
    Rule { keys: Some((hashing, HashedKeys::Given)), keyless }
}

/// `legacy/murmur2.js`: JavaScript's numbers are doubles and its `^` takes their low 32 bits, so a product
/// of 64 bits loses what does not fit into 53 before it is cut to 32. And a last block of fewer than four
/// bytes is taken twice: by the loop, which counts up to a quarter of the length, not rounded, and as tail.
#[must_use]
pub fn murmur2_in_doubles(data: &[u8]) -> i32 {
    const SEED: u32 = 0x9747_b28c;
    let mut h = (SEED ^ u32::try_from(data.len()).unwrap_or(u32::MAX)).cast_signed();
    for block in data.chunks(4) {
        let mut k = 0u32;
        for (shift, byte) in [0, 8, 16, 24].into_iter().zip(block) {
            k |= u32::from(*byte) << shift;
        }
        let k = low(product(k.cast_signed()));
        let k = product(k ^ (k.cast_unsigned() >> 24).cast_signed());
        h = low(product(h)) ^ low(k);
    }
    let tail = data.chunks_exact(4).remainder();
    if !tail.is_empty() {
        for (shift, byte) in [0, 8, 16].into_iter().zip(tail) {
            h ^= i32::from(*byte) << shift;
        }
        h = low(product(h));
    }
    h ^= (h.cast_unsigned() >> 13).cast_signed();
    h = low(product(h));
    h ^ (h.cast_unsigned() >> 15).cast_signed()
}

/// Times murmur2's constant, as a double holds it: 53 bits, rounded to the nearest, to the even one of two.
fn product(factor: i32) -> i64 {
    const M: i64 = 0x5bd1_e995;
    const DIGITS: u32 = 53;
    let exact = i64::from(factor) * M;
    let magnitude = exact.unsigned_abs();
    let lost = (u64::BITS - magnitude.leading_zeros()).saturating_sub(DIGITS);
    if lost == 0 {
        return exact;
    }
    let (kept, rest, half) = (magnitude >> lost, magnitude & ((1 << lost) - 1), 1 << (lost - 1));
    let up = rest > half || (rest == half && kept & 1 == 1);
    let rounded = ((kept + u64::from(up)) << lost).cast_signed();
    if exact < 0 { -rounded } else { rounded }
}

/// JavaScript's `ToInt32`.
fn low(number: i64) -> i32 {
    number as i32
}
