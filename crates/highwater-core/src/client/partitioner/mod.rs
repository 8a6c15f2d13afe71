//! Which partition does a record go to? One file per client family, each with its own default.
//!
//! A choice explains itself: the numbers that decided it travel with it to the page.

use crate::draw::{Purpose, draw_below};
use crate::ids::{Bytes, PartitionId};

pub mod java;
pub mod kafka_go;
pub mod librdkafka;

/// A family of client libraries with a common way of choosing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ClientFamily {
    /// Kafka's own Java client, and the console producer.
    Java,
    /// librdkafka and what is built on it (Python, Go, .NET and Node.js clients of Confluent).
    Librdkafka,
    /// segmentio's kafka-go with its `Hash` balancer.
    KafkaGo,
}

impl ClientFamily {
    /// All of them, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::Java, Self::Librdkafka, Self::KafkaGo];

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Java => "java",
            Self::Librdkafka => "librdkafka",
            Self::KafkaGo => "kafka-go",
        }
    }

    /// The family of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|family| family.name() == name)
    }
}

/// A hash function that clients use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashFunction {
    /// MurmurHash 2 as in Kafka's Java client (`Utils.murmur2`).
    Murmur2,
    /// CRC-32 as in zlib.
    Crc32,
    /// FNV-1a, 32 bits.
    Fnv1a,
}

/// How a hash becomes a number that is not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignRule {
    /// `hash & 0x7fffffff`, then the remainder.
    Masked,
    /// The hash is unsigned.
    Unsigned,
    /// The remainder of the signed hash, negated if it is negative.
    AbsoluteRemainder,
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
#[derive(Clone, Copy, Debug, Default)]
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
    fn draw(&mut self, context: &Context) -> u32 {
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

/// Where a record with this key goes by the default of the family.
pub fn choose(
    family: ClientFamily,
    key: Option<&Bytes>,
    keyless: &mut KeylessState,
    context: &Context,
) -> Choice {
    match family {
        ClientFamily::Java => java::choose(key, keyless, context),
        ClientFamily::Librdkafka => librdkafka::choose(key, keyless, context),
        ClientFamily::KafkaGo => kafka_go::choose(key, keyless, context),
    }
}

/// A partition number of a remainder.
fn partition(number: u32) -> PartitionId {
    PartitionId(i32::try_from(number).unwrap_or(i32::MAX))
}
