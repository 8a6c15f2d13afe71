//! How much of Kafka this build holds. A page about one broker must not make its readers download how
//! brokers replicate, so `if scope::CLUSTER` guards the ways into that code: it is always compiled
//! and checked, and left out of a program whose build does not ask for it.

/// More than one replica, faults, elections, and the parts of storage that only the Lab shows
/// (feature `cluster`, on by default).
pub const CLUSTER: bool = cfg!(feature = "cluster");
