//! Coordinators in a cluster that are fed requests by hand.

mod driver;
mod membership;
