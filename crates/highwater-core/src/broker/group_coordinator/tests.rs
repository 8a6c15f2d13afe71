//! Coordinators in a cluster that are fed requests by hand.

mod committing;
mod driver;
mod failover;
mod membership;
mod static_members;
mod waiting;
