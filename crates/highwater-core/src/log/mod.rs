//! A partition's log: records in batches, batches in segments, segments in a log.

pub mod cleaner;
pub mod compression;
pub mod leader_epoch_cache;
pub mod log_config;
mod offset_map;
pub mod producer_state;
pub mod record;
pub mod record_batch;
pub mod record_format;
pub mod retention;
pub mod segment;
mod snapshots;
pub mod unified_log;
mod validator;
