//! franz-go, the newer Go client. Read from franz-go 1.22.3, `pkg/kgo/partitioner.go`, `producer.go` and
//! `config.go`. A key is hashed over all partitions, everything else looks only at those that have a leader.
//! Its default is `UniformBytesPartitioner(64 KiB, true, true, nil)`; before, it was `StickyKeyPartitioner`.

use super::catalogue::Partitioner;
use super::hashing::Hashing;
use super::java::MURMUR2;
use super::kafka_go::HASH;
use super::librdkafka::CRC32;
use super::rule::{HashedKeys, Keyless, Next, Rule, Turns};

const STICKY: Keyless = Keyless::StickyByBatch(Next::AnyOrTheOneAfter);

/// Its partitioners, the default first.
pub(super) const PARTITIONERS: &[Partitioner] = &[
    Partitioner {
        name: "uniform-bytes",
        spelled: "kgo.UniformBytesPartitioner(64<<10, true, true, nil)",
        about: "as Java for keys; else one partition for 64 KiB, the next drawn by what waits",
        rule: uniform_bytes(true),
    },
    Partitioner {
        name: "uniform-bytes-even",
        spelled: "kgo.UniformBytesPartitioner(64<<10, false, true, nil)",
        about: "the same, drawn evenly",
        rule: uniform_bytes(false),
    },
    Partitioner {
        name: "sticky-key",
        spelled: "kgo.StickyKeyPartitioner(nil)",
        about: "as Java for keys; else one partition for each batch",
        rule: sticky_key(MURMUR2),
    },
    Partitioner {
        name: "sticky-key-sarama",
        spelled: "kgo.StickyKeyPartitioner(kgo.SaramaCompatHasher(fnv32a))",
        about: "as Sarama for keys; else one partition for each batch",
        rule: sticky_key(HASH),
    },
    Partitioner {
        name: "sticky-key-crc32",
        spelled: "kgo.StickyKeyPartitioner(kgo.SaramaHasher(crc32.ChecksumIEEE))",
        about: "as librdkafka for keys, where int has 64 bits; else one partition for each batch",
        rule: sticky_key(CRC32),
    },
    Partitioner {
        name: "sticky",
        spelled: "kgo.StickyPartitioner()",
        about: "one partition for each batch; no keys",
        rule: Rule { keys: None, keyless: STICKY },
    },
    Partitioner {
        name: "least-backup",
        spelled: "kgo.LeastBackupPartitioner()",
        about: "for each batch the partition with the fewest records that wait; no keys",
        rule: Rule { keys: None, keyless: Keyless::LeastBackup },
    },
    Partitioner {
        name: "round-robin",
        spelled: "kgo.RoundRobinPartitioner()",
        about: "in turn from the first partition with a leader; no keys",
        rule: Rule { keys: None, keyless: Keyless::Turns(Turns::Wrapping) },
    },
    Partitioner {
        name: "manual",
        spelled: "kgo.ManualPartitioner()",
        about: "the record's own number, which is 0 if nobody sets it; no keys",
        rule: Rule { keys: None, keyless: Keyless::Field },
    },
];

const fn uniform_bytes(adaptive: bool) -> Rule {
    let keyless = Keyless::UniformBytes { bytes: 64 << 10, adaptive };
    Rule { keys: Some((MURMUR2, HashedKeys::Given)), keyless }
}

const fn sticky_key(hashing: Hashing) -> Rule {
    Rule { keys: Some((hashing, HashedKeys::Given)), keyless: STICKY }
}
