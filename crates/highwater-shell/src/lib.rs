//! The shell and Kafka's command-line tools as simulated processes; console transcripts.
//!
//! `lang` decides what a typed line means; `transcript` decides how a session is written down and
//! when two sessions are alike. Neither runs anything.

pub mod lang;
pub mod transcript;
