//! The way from a key to a partition, step by step. Every number comes from the choice; nothing is computed
//! anew, so that what is shown is what decided.

use super::hashing::{HashFunction, SignRule};
use super::{Choice, Why};
use crate::ids::PartitionId;

/// One step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// So many bytes are hashed.
    Bytes(u32),
    /// Their hash, signed where the client's library sees it signed.
    Hash(HashFunction, i64),
    /// Without the sign bit: `& 0x7fffffff`.
    Masked(u32),
    /// Without its sign.
    Negated(u32),
    /// Divided by the number of partitions.
    Remainder {
        /// By how many.
        partitions: u32,
        /// What is left.
        rest: u32,
    },
    /// There is no arithmetic: why.
    Reason(Why),
    /// The partition.
    Partition(PartitionId),
}

impl Choice {
    /// The steps that led to it from that key.
    #[must_use]
    pub fn steps(&self, key: Option<&[u8]>) -> Vec<Step> {
        let mut steps = Vec::with_capacity(5);
        if let Why::Hashed { function, hash, sign, dividend, partitions } = self.why {
            let length = key.map_or(0, <[u8]>::len);
            steps.push(Step::Bytes(u32::try_from(length).unwrap_or(u32::MAX)));
            let value = match sign {
                SignRule::Unsigned => i64::from(hash),
                _ => i64::from(hash.cast_signed()),
            };
            steps.push(Step::Hash(function, value));
            match sign {
                SignRule::Masked => steps.push(Step::Masked(dividend)),
                SignRule::Unsigned => {}
                _ if value < 0 => steps.push(Step::Negated(dividend)),
                _ => {}
            }
            steps.push(Step::Remainder { partitions, rest: dividend % partitions.max(1) });
        } else {
            steps.push(Step::Reason(self.why));
        }
        steps.push(Step::Partition(self.partition));
        steps
    }
}
