//! The shell and Kafka's command-line tools as simulated processes; console transcripts.
//!
//! `lang` decides what a typed line means; `process` runs it in virtual time; `tool` has one file
//! for each command; `transcript` decides how a session is written down and when two sessions are
//! alike; `session` plays lines and transcripts against a cluster;
//! `complete` knows what could be typed next; `link` carries one in a URL; `simulation` plays random ones.

#[cfg(feature = "cluster")]
pub mod complete;
pub mod lang;
#[cfg(feature = "cluster")]
pub mod link;
pub mod process;
pub mod regex;
pub mod session;
#[cfg(feature = "cluster")]
pub mod simulation;
pub mod tool;
pub mod transcript;
