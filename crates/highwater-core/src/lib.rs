//! Highwater's simulator: an Apache Kafka cluster as a pure function of seed, options and inputs.
//!
//! It decides what Kafka decides and nothing about how that looks. There is no clock, no OS
//! randomness, no I/O and no hash-map order in here: two runs, native or as WebAssembly, give the
//! same trace, byte for byte. docs/ARCHITECTURE.md says where each decision is taken.

pub mod broker;
pub mod client;
pub mod controller;
pub mod draw;
pub mod error;
pub mod ids;
pub mod invariant;
pub mod java;
pub mod log;
pub mod mutation;
pub mod net;
pub mod number;
pub mod replication;
pub mod scope;
pub mod shared;
pub mod sorted_map;
pub mod time;
pub mod trace;
pub mod world;
