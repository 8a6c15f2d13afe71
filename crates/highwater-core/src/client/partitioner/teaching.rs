//! No client library: the rule of thumb with which keys are often explained, `crc32(key) % partitions`.

use super::catalogue::Partitioner;
use super::librdkafka::CRC32;
use super::rule::{HashedKeys, Keyless, Rule, Turns};

/// The one rule.
pub(super) const PARTITIONERS: &[Partitioner] = &[Partitioner {
    name: "modulo",
    spelled: "crc32(key) % partitions",
    about: "CRC-32 of a key, also of an empty one; else in turn. A model, no real client",
    rule: Rule {
        keys: Some((CRC32, HashedKeys::Given)),
        keyless: Keyless::Turns(Turns::Chunks(1)),
    },
}];
