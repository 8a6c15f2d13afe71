//! kafka-python, written in Python. Read from kafka-python 3.0.12, `kafka/partitioner` and
//! `kafka/producer/kafka.py`.

use super::catalogue::Partitioner;
use super::java::MURMUR2;
use super::rule::{Among, HashedKeys, Keyless, Next, Rule};

/// Its partitioners, the default first.
pub(super) const PARTITIONERS: &[Partitioner] = &[
    Partitioner {
        name: "default",
        spelled: "DefaultPartitioner()",
        about: "as Java for keys; else at random among partitions with leaders",
        rule: rule(Keyless::Random(Among::Led)),
    },
    Partitioner {
        name: "sticky",
        spelled: "StickyPartitioner()",
        about: "as Java for keys; else one partition for each batch",
        rule: rule(Keyless::StickyByBatch(Next::OneOfTheOthers)),
    },
];

const fn rule(keyless: Keyless) -> Rule {
    Rule { keys: Some((MURMUR2, HashedKeys::Given)), keyless }
}
