//! What a broker knows of a partition it holds, and what it decides about it.

pub mod checkpoint;
pub mod fetch_session;
pub mod fetch_session_cache;
pub mod high_watermark;
pub mod isr;
pub mod newest_batches;
pub mod partition;
pub mod replica;
pub mod replica_fetcher;
