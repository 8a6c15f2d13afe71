//! What a partitioner does, as data: which keys it hashes and how, and how it chooses otherwise. The ways
//! of choosing without a key are carried out in `keyless`.

use super::hashing::Hashing;
use crate::time::SimDuration;

/// How a partitioner chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rule {
    /// How keys are hashed, and which; `None`: no key counts.
    pub keys: Option<(Hashing, HashedKeys)>,
    /// What it does with all other records.
    pub keyless: Keyless,
}

/// Which keys are hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashedKeys {
    /// All, of no bytes too.
    Given,
    /// Those with at least one byte.
    NotEmpty,
    /// All; a missing one as if it were empty.
    Missing,
}

/// How a partition is chosen when no key is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keyless {
    /// Java: one partition until it has had `batch.size` bytes (KIP-794).
    BuiltIn(BuiltIn),
    /// librdkafka: one partition for so long; no time at all is a new one for each record.
    StickyByTime(SimDuration),
    /// One partition until a new batch is needed, then another one (KIP-480).
    StickyByBatch(Next),
    /// franz-go: one partition for so many bytes.
    UniformBytes {
        /// How many.
        bytes: u32,
        /// Whether the next one is drawn by what waits for each.
        adaptive: bool,
    },
    /// franz-go: until a new batch is needed, then the one with the fewest records that wait.
    LeastBackup,
    /// kafka-go: the one that has been given the fewest bytes.
    LeastBytes,
    /// At random, each record anew.
    Random(Among),
    /// In turn.
    Turns(Turns),
    /// The number in the record; where nobody set it, Go has it 0.
    Field,
}

/// How Java's built-in partitioner is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BuiltIn {
    /// `partitioner.adaptive.partitioning.enable`
    pub adaptive: bool,
    /// `partitioner.availability.timeout.ms`; nothing when it is 0.
    pub availability_timeout: SimDuration,
    /// `partitioner.rack.aware`
    pub rack_aware: bool,
}

impl BuiltIn {
    /// As it is when nobody sets anything.
    pub const DEFAULT: Self =
        Self { adaptive: true, availability_timeout: SimDuration(0), rack_aware: false };
}

/// How the partition after a batch is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Next {
    /// kafka-python: one of the others.
    OneOfTheOthers,
    /// franz-go: any; if it is the same, the one after it.
    AnyOrTheOneAfter,
}

/// What is drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Among {
    /// All partitions.
    All,
    /// Those with a leader; all if there are none.
    Led,
    /// All, once more if there is no leader.
    AllTwice,
}

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Turns {
    /// kafka-go: so many records to each, from partition 0 on, of all partitions.
    Chunks(u32),
    /// Sarama, franz-go: one after the other of those with a leader, from the first on.
    Wrapping,
    /// kafkajs: the same, from anywhere on.
    FromRandom,
    /// Java's class: those with a leader, in the order of a `HashMap`.
    Listed,
}

impl Rule {
    /// The bytes of a key that are hashed, and how; `None`: no key places this record.
    #[must_use]
    pub fn hashed(self, key: Option<&[u8]>) -> Option<(Hashing, &[u8])> {
        let (hashing, which) = self.keys?;
        match (which, key) {
            (HashedKeys::Missing, None) => Some((hashing, &[])),
            (HashedKeys::NotEmpty, Some([])) | (_, None) => None,
            (_, Some(key)) => Some((hashing, key)),
        }
    }

    /// The same rule with the number that one may set of it: how many records, bytes or milliseconds it
    /// stays; `None`: there is no such number.
    #[must_use]
    pub fn with_number(self, number: u32) -> Option<Self> {
        let keyless = match self.keyless {
            Keyless::StickyByTime(_) => {
                Keyless::StickyByTime(SimDuration::from_millis(number.into()))
            }
            Keyless::UniformBytes { adaptive, .. } => {
                Keyless::UniformBytes { bytes: number, adaptive }
            }
            // "if rr.ChunkSize < 1": then it is 1.
            Keyless::Turns(Turns::Chunks(_)) if self.keys.is_none() => {
                Keyless::Turns(Turns::Chunks(number.max(1)))
            }
            _ => return None,
        };
        Some(Self { keyless, ..self })
    }
}
