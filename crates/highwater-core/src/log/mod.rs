//! A partition's log: records in batches, batches in segments, segments in a log.

pub mod record;
pub mod segment;
pub mod unified_log;
