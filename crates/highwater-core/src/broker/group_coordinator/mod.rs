//! The broker's side of groups: the coordinator of those whose partitions of `__consumer_offsets` it leads
//! (Kafka's `GroupCoordinatorService`).
//!
//! Each file decides one part: `find` which broker that is, `classic_group` and `member` what a group is,
//! `join`, `sync` and `rebalance` what its members may do, `offsets` what they commit, `shard` what is
//! committed and what waits for it, `records`, `consumer_protocol` and `wire` the bytes in the log,
//! `loading` how a new coordinator gets its state, `held_back` what waits for a slow disk, `expiration` what
//! is kept for how long, `admin` what tools ask, `lull` what a shard becomes while nothing happens.

mod admin;
mod classic_group;
mod config;
mod consumer_protocol;
mod context;
mod expiration;
pub(in crate::broker) mod find;
mod held_back;
mod join;
mod loading;
mod lull;
mod member;
mod offsets;
mod rebalance;
mod records;
mod service;
mod shard;
mod sync;
#[cfg(test)]
mod tests;
mod wire;

pub use classic_group::{ClassicGroup, GroupState, JoinPhase};
pub(super) use context::Write;
pub use find::OFFSETS_TOPIC;
pub(crate) use lull::Recommit;
pub use member::{Asker, Assignment, Member, Protocol};
pub use records::CommittedOffset;
pub(super) use service::GroupCoordinator;
pub use shard::{Group, GroupEntry, Offsets, Shard};
