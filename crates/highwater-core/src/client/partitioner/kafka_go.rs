//! segmentio's kafka-go: FNV-1a of the key with `Balancer: &kafka.Hash{}`; without a key, turns. Read from
//! kafka-go 0.4.51, `balancer.go` and `writer.go`.

use super::catalogue::Partitioner;
use super::hashing::{HashFunction, Hashing, SignRule};
use super::java::MURMUR2;
use super::librdkafka::CRC32;
use super::rule::{Among, HashedKeys, Keyless, Rule, Turns};
use super::{Choice, Context, KeylessState, Why, partition};
use crate::ids::Bytes;

/// `int32(fnv1a(key)) % partitions`, negated if negative.
pub(super) const HASH: Hashing =
    Hashing { function: HashFunction::Fnv1a, sign: SignRule::AbsoluteRemainder };
/// `(int32(fnv1a(key)) & 0x7fffffff) % partitions`.
pub(super) const REFERENCE_HASH: Hashing =
    Hashing { function: HashFunction::Fnv1a, sign: SignRule::Masked };

const RANDOM: Keyless = Keyless::Random(Among::All);
const ROUND_ROBIN: Rule = Rule { keys: None, keyless: Keyless::Turns(Turns::Chunks(1)) };

/// Its balancers. All look at all partitions, whether somebody leads them or not.
pub(super) const PARTITIONERS: &[Partitioner] = &[
    Partitioner {
        name: "hash",
        spelled: "Balancer: &kafka.Hash{}",
        about: "FNV-1a as in Sarama; else in turn. What `kafka-go` alone means here",
        rule: hashed(HASH, HashedKeys::Given, Keyless::Turns(Turns::Chunks(1))),
    },
    Partitioner {
        name: "default",
        spelled: "no Balancer",
        about: "in turn from partition 0; no keys",
        rule: ROUND_ROBIN,
    },
    Partitioner {
        name: "round-robin",
        spelled: "&kafka.RoundRobin{ChunkSize: N}",
        about: "the same, N records at a time; no keys",
        rule: ROUND_ROBIN,
    },
    Partitioner {
        name: "least-bytes",
        spelled: "&kafka.LeastBytes{}",
        about: "the partition that has been given the fewest bytes; no keys",
        rule: Rule { keys: None, keyless: Keyless::LeastBytes },
    },
    Partitioner {
        name: "reference-hash",
        spelled: "&kafka.ReferenceHash{}",
        about: "FNV-1a without its sign bit; else at random",
        rule: hashed(REFERENCE_HASH, HashedKeys::Given, RANDOM),
    },
    Partitioner {
        name: "crc32",
        spelled: "kafka.CRC32Balancer{}",
        about: "CRC-32 of a key that is not empty; else at random",
        rule: hashed(CRC32, HashedKeys::NotEmpty, RANDOM),
    },
    Partitioner {
        name: "crc32-consistent",
        spelled: "kafka.CRC32Balancer{Consistent: true}",
        about: "CRC-32, of no key too: partition 0",
        rule: hashed(CRC32, HashedKeys::Missing, RANDOM),
    },
    Partitioner {
        name: "murmur2",
        spelled: "kafka.Murmur2Balancer{}",
        about: "as Java for keys; else at random",
        rule: hashed(MURMUR2, HashedKeys::Given, RANDOM),
    },
    Partitioner {
        name: "murmur2-consistent",
        spelled: "kafka.Murmur2Balancer{Consistent: true}",
        about: "as Java for keys; no key is hashed as an empty one",
        rule: hashed(MURMUR2, HashedKeys::Missing, RANDOM),
    },
];

const fn hashed(hashing: Hashing, which: HashedKeys, keyless: Keyless) -> Rule {
    Rule { keys: Some((hashing, which)), keyless }
}

pub(super) fn choose(key: Option<&Bytes>, keyless: &mut KeylessState, context: &Context) -> Choice {
    match key {
        Some(key) => choose_by_key(key, context.partitions),
        None => Choice { partition: partition(keyless.turn(1, context)), why: Why::Turn },
    }
}

impl KeylessState {
    /// Whose turn it is, `chunk` records at a time (`RoundRobin`).
    pub(super) fn turn(&mut self, chunk: u32, context: &Context) -> u32 {
        let turn = self.turn / chunk % context.partitions.max(1);
        self.turn = self.turn.wrapping_add(1);
        turn
    }
}

/// `int32(fnv1a(key)) % partitions`, negated if negative.
#[must_use]
pub fn choose_by_key(key: &[u8], partitions: u32) -> Choice {
    HASH.choose(key, partitions)
}

/// FNV-1a over 32 bits.
#[must_use]
pub fn fnv1a(data: &[u8]) -> u32 {
    data.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}
