//! Which partition does a record go to? One file per client family, each with all its partitioners.
//!
//! A choice explains itself: the numbers that decided it travel with it to the page (`steps`). A page
//! about one broker has three families with one partitioner each (`choose`). Elsewhere partitioners are
//! data (`rule`) that is looked up by name (`catalogue`) and carried out by `keyless::choose`.

use crate::draw::{Purpose, draw_below};
use crate::ids::{Bytes, PartitionId};
use crate::scope::{self, Lab};

mod built_in;
pub mod catalogue;
mod franz_go;
pub mod hashing;
pub mod java;
pub mod kafka_go;
mod kafka_python;
pub mod kafkajs;
pub mod keyless;
pub mod librdkafka;
pub mod rule;
mod sarama;
pub mod steps;
mod teaching;

pub use hashing::{HashFunction, SignRule};
pub use keyless::Surroundings;

/// A family of client libraries with a common way of choosing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientFamily {
    /// Kafka's own Java client, and the console producer.
    Java,
    /// librdkafka and what is built on it (Python, Go, .NET and Node.js clients of Confluent).
    Librdkafka,
    /// segmentio's kafka-go.
    KafkaGo,
    /// Sarama, in Go.
    Sarama,
    /// franz-go.
    FranzGo,
    /// kafkajs, in JavaScript.
    KafkaJs,
    /// kafka-python.
    KafkaPython,
    /// No library: how keys are often explained.
    Teaching,
}

impl ClientFamily {
    /// All of them, in the order in which they are offered.
    pub const ALL: &[Self] = if scope::CLUSTER {
        &[
            Self::Java,
            Self::Librdkafka,
            Self::KafkaGo,
            Self::Sarama,
            Self::FranzGo,
            Self::KafkaJs,
            Self::KafkaPython,
            Self::Teaching,
        ]
    } else {
        &[Self::Java, Self::Librdkafka, Self::KafkaGo]
    };

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Librdkafka => "librdkafka",
            Self::KafkaGo => "kafka-go",
            _ if !scope::CLUSTER => "",
            Self::Sarama => "sarama",
            Self::FranzGo => "franz-go",
            Self::KafkaJs => "kafkajs",
            Self::KafkaPython => "kafka-python",
            Self::Teaching => "crc32",
        }
    }

    /// The family of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|family| family.name() == name)
    }
}

/// Why a record goes where it goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Why {
    /// The application named the partition.
    Given,
    /// The key's hash decided.
    Hashed {
        /// Which function.
        function: HashFunction,
        /// The hash, all 32 bits.
        hash: u32,
        /// How the sign was dealt with.
        sign: SignRule,
        /// What was divided: masked, unsigned, or the absolute value.
        dividend: u32,
        /// By how many partitions.
        partitions: u32,
    },
    /// There is no key: the client stays with a partition it drew, for a while.
    Sticky,
    /// There is no key: taking turns.
    Turn,
    /// No key was hashed: drawn for this record alone.
    Random,
    /// The partition that had been given the fewest bytes.
    LeastBytes,
    /// The partition with the fewest records that wait.
    LeastBackup,
    /// The number in the record, which nobody set.
    Unset,
}

/// A partition and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Choice {
    /// Where the record goes.
    pub partition: PartitionId,
    /// Why.
    pub why: Why,
}

/// What a producer remembers between records without key, for one topic.
#[derive(Clone, Debug, Default)]
pub struct KeylessState {
    /// The partition it stays with.
    sticky: Option<u32>,
    /// How many partitions it has drawn.
    draws: u64,
    /// Java: bytes sent to the sticky partition since it was drawn.
    bytes: u64,
    /// librdkafka: when the sticky partition was drawn, in microseconds.
    since: u64,
    /// kafka-go: whose turn it is.
    turn: u32,
    /// What a page about one broker has no partitioner for.
    more: Lab<keyless::More>,
}

/// What surrounds a choice.
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The world's seed.
    pub seed: u64,
    /// The producer, as a draw's `who`.
    pub who: u64,
    /// Partitions of the topic; at least 1.
    pub partitions: u32,
    /// Now, in microseconds.
    pub now: u64,
}

impl KeylessState {
    /// Draws a sticky partition anew.
    pub(super) fn draw(&mut self, context: &Context) -> u32 {
        let drawn = draw_below(
            context.seed,
            Purpose::StickyPartition,
            context.who,
            self.draws,
            context.partitions,
        );
        self.draws += 1;
        self.bytes = 0;
        self.since = context.now;
        self.sticky = Some(drawn);
        drawn
    }
}

/// Where a record with this key goes by the partitioner of the family that a page about one broker has.
pub fn choose(
    family: ClientFamily,
    key: Option<&Bytes>,
    keyless: &mut KeylessState,
    context: &Context,
) -> Choice {
    match family {
        ClientFamily::Java => java::choose(key, keyless, context),
        ClientFamily::Librdkafka => librdkafka::choose(key, keyless, context),
        _ => kafka_go::choose(key, keyless, context),
    }
}

/// A partition number of a remainder.
fn partition(number: u32) -> PartitionId {
    PartitionId(i32::try_from(number).unwrap_or(i32::MAX))
}
