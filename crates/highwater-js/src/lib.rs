//! Highwater for other people's JavaScript: a Kafka cluster without a page, in a page, a worker or Node.
//!
//! `cluster` is the class and its functions; what each does is in a part that needs no JavaScript (`engine`, `options`,
//! `snapshot`, `why`, `picture`, `check`, `partition`), so that it can be tested without. `js` is the border: values in,
//! objects and errors out; `guard` makes errors of panics. The types that cross are in `wire` and beside what reads them, and
//! live in this crate only. TypeScript's types are made of them by tsify, with the words that stand at them here, so that
//! they cannot go stale; `Ts` puts them into the signatures. 64-bit numbers are `BigInt`s there, times are `Number`s.

mod check;
mod cluster;
mod engine;
mod failure;
mod guard;
mod js;
mod kind;
mod options;
mod partition;
mod picture;
mod snapshot;
#[cfg(test)]
mod tests;
mod time;
mod value;
mod why;
mod wire;

pub use cluster::{Cluster, check, clients, partition_of};
pub use options::ClusterOptions;
pub use picture::PictureOptions;
pub use wire::{
    Answer, BrokerInfo, CheckReport, ClientInfo, ClusterEvent, CommittedInfo, Difference, Fact,
    GroupInfo, HazardInfo, HeaderInfo, Link, MemberInfo, Moment, Outcome, PartitionChoice,
    PartitionInfo, PositionInfo, ProducerInfo, ReaderInfo, RecordInfo, ReplicaInfo, SeekTarget,
    Sentence, Setting, Snapshot, SnapshotOptions, TopicInfo,
};
