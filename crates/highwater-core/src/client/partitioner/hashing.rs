//! From the bytes of a key to a partition: which hash function, what becomes of the sign, the remainder.

use super::{Choice, Why, java, kafka_go, kafkajs, librdkafka, partition};
use crate::scope;

/// A hash function that clients use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashFunction {
    /// MurmurHash 2 as in Kafka's Java client (`Utils.murmur2`).
    Murmur2,
    /// CRC-32 as in zlib.
    Crc32,
    /// FNV-1a, 32 bits.
    Fnv1a,
    /// The murmur2 of kafkajs 1.x, which multiplies as floating point numbers.
    Murmur2InDoubles,
}

impl HashFunction {
    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Murmur2 => "murmur2",
            Self::Crc32 => "CRC-32",
            Self::Murmur2InDoubles if scope::CLUSTER => "murmur2 in doubles",
            _ => "FNV-1a",
        }
    }

    /// The hash of some bytes.
    #[must_use]
    pub fn of(self, data: &[u8]) -> u32 {
        match self {
            Self::Murmur2 => java::murmur2(data).cast_unsigned(),
            Self::Crc32 => librdkafka::crc32(data),
            Self::Fnv1a => kafka_go::fnv1a(data),
            Self::Murmur2InDoubles if scope::CLUSTER => {
                kafkajs::murmur2_in_doubles(data).cast_unsigned()
            }
            Self::Murmur2InDoubles => 0,
        }
    }
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
    /// The signed hash, negated if it is negative, then the remainder. Whichever comes first, the
    /// partition is the same.
    Absolute,
}

/// How a key is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Hashing {
    /// By which function.
    pub function: HashFunction,
    /// What becomes of the sign.
    pub sign: SignRule,
}

impl Hashing {
    /// Where a key goes, with the numbers that decided.
    #[must_use]
    pub fn choose(self, key: &[u8], partitions: u32) -> Choice {
        let hash = self.function.of(key);
        let dividend = match self.sign {
            SignRule::Masked => hash & 0x7fff_ffff,
            SignRule::Unsigned => hash,
            // The absolute value of the remainder is the remainder of the absolute value.
            SignRule::AbsoluteRemainder | SignRule::Absolute => hash.cast_signed().unsigned_abs(),
        };
        let (function, sign) = (self.function, self.sign);
        Choice {
            partition: partition(dividend % partitions.max(1)),
            why: Why::Hashed { function, hash, sign, dividend, partitions },
        }
    }
}
