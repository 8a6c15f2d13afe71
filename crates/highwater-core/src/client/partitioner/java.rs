//! Kafka's Java client: murmur2 of the key; without a key, sticky by bytes
//! (`BuiltInPartitioner`; KIP-480, KIP-794). How the next partition is drawn in a whole cluster is in
//! `built_in`.

use super::catalogue::Partitioner;
use super::hashing::{HashFunction, Hashing, SignRule};
use super::rule::{BuiltIn, HashedKeys, Keyless, Rule, Turns};
use super::{Choice, Context, KeylessState, Why, partition};
use crate::ids::{Bytes, TopicName, TopicPartition};
use crate::java::hash_map::{Made, chained_order, partition_hash};

/// `toPositive(murmur2(key)) % partitions`.
pub(super) const MURMUR2: Hashing =
    Hashing { function: HashFunction::Murmur2, sign: SignRule::Masked };

/// Its partitioners, the default first.
pub(super) const PARTITIONERS: &[Partitioner] = &[
    Partitioner {
        name: "default",
        spelled: "no partitioner.class",
        about: "murmur2 of a key; else one partition for batch.size bytes",
        rule: Rule::java(false, BuiltIn::DEFAULT),
    },
    Partitioner {
        name: "ignore-keys",
        spelled: "partitioner.ignore.keys=true",
        about: "the same, as if no record had a key",
        rule: Rule::java(true, BuiltIn::DEFAULT),
    },
    Partitioner {
        name: "round-robin",
        spelled: "org.apache.kafka.clients.producer.RoundRobinPartitioner",
        about: "turns among partitions with leaders, in the order of a HashMap; no keys",
        rule: Rule { keys: None, keyless: Keyless::Turns(Turns::Listed) },
    },
];

impl Rule {
    /// Java's built-in partitioner, with `partitioner.ignore.keys` or without.
    #[must_use]
    pub const fn java(ignores_keys: bool, built_in: BuiltIn) -> Self {
        let keys = if ignores_keys { None } else { Some((MURMUR2, HashedKeys::Given)) };
        Self { keys, keyless: Keyless::BuiltIn(built_in) }
    }
}

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
    MURMUR2.choose(key, partitions)
}

/// Counts bytes that went to the sticky partition, and draws another one once it has had its share
/// (`BuiltInPartitioner.updatePartitionInfo`): after `batch.size` bytes, though not while a batch
/// that is not full yet waits for it, unless it has had twice as much. Whether it drew.
pub(crate) fn update_partition_info(
    keyless: &mut KeylessState,
    appended_bytes: u32,
    batch_size: u32,
    open_batch_waits: bool,
    draw: impl FnOnce(&mut KeylessState),
) -> bool {
    keyless.bytes += u64::from(appended_bytes);
    let batch_size = u64::from(batch_size);
    let enough = keyless.bytes >= batch_size && !open_batch_waits;
    let draws = enough || keyless.bytes >= 2 * batch_size;
    if draws {
        draw(keyless);
    }
    draws
}

/// The order in which a client that knows these topics lists the partitions of one of them: its metadata is a
/// `HashMap` by partition, made anew from the one before (`MetadataSnapshot`).
#[must_use]
pub fn listed(known: &[(TopicName, u32)], topic: &TopicName) -> Vec<u32> {
    let all: Vec<TopicPartition> = known
        .iter()
        .flat_map(|(name, count)| {
            (0..*count).map(|number| TopicPartition::new(name, partition(number)))
        })
        .collect();
    let hashes: Vec<i32> = all.iter().map(partition_hash).collect();
    let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let order = chained_order(&hashes, &[Made::WithCapacity(count), Made::WithCapacity(count)]);
    let in_order = order.iter().filter_map(|place| all.get(*place as usize));
    let of_topic = in_order.filter(|which| which.topic == *topic);
    of_topic.map(|which| which.partition.0.unsigned_abs()).collect()
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
