//! Sarama, the older Go client. Read from Sarama 1.61.1, `partitioner.go` and `async_producer.go`: a key is
//! hashed over all partitions, everything else looks only at those that have a leader.

use super::catalogue::Partitioner;
use super::hashing::Hashing;
use super::java::MURMUR2;
use super::kafka_go::{HASH, REFERENCE_HASH};
use super::librdkafka::CRC32;
use super::rule::{Among, HashedKeys, Keyless, Rule, Turns};

const RANDOM: Keyless = Keyless::Random(Among::Led);

/// Its partitioners, the default first.
pub(super) const PARTITIONERS: &[Partitioner] = &[
    Partitioner {
        name: "hash",
        spelled: "sarama.NewHashPartitioner",
        about: "FNV-1a of a key, without the sign of the remainder; else at random",
        rule: hashed(HASH),
    },
    Partitioner {
        name: "reference-hash",
        spelled: "sarama.NewReferenceHashPartitioner",
        about: "FNV-1a of a key, without its sign bit; else at random",
        rule: hashed(REFERENCE_HASH),
    },
    Partitioner {
        name: "consistent-crc",
        spelled: "sarama.NewConsistentCRCHashPartitioner",
        about: "CRC-32 of a key, also of an empty one; else at random",
        rule: hashed(CRC32),
    },
    Partitioner {
        name: "murmur2",
        spelled: "sarama.NewMurmur2Partitioner",
        about: "as Java for keys; else at random",
        rule: hashed(MURMUR2),
    },
    Partitioner {
        name: "round-robin",
        spelled: "sarama.NewRoundRobinPartitioner",
        about: "in turn from the first partition with a leader; no keys",
        rule: Rule { keys: None, keyless: Keyless::Turns(Turns::Wrapping) },
    },
    Partitioner {
        name: "random",
        spelled: "sarama.NewRandomPartitioner",
        about: "at random; no keys",
        rule: Rule { keys: None, keyless: RANDOM },
    },
    Partitioner {
        name: "manual",
        spelled: "sarama.NewManualPartitioner",
        about: "the record's own number, which is 0 if nobody sets it; no keys",
        rule: Rule { keys: None, keyless: Keyless::Field },
    },
];

const fn hashed(hashing: Hashing) -> Rule {
    Rule { keys: Some((hashing, HashedKeys::Given)), keyless: RANDOM }
}
