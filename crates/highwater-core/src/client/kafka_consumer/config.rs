//! How a consumer behaves (`ConsumerConfig`), and what it is told to read.

use std::fmt::Debug;
use std::rc::Rc;

use crate::client::StartAt;
use crate::ids::{TopicName, TopicPartition};

/// The settings that count here; Kafka's names are in the comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerConfig {
    /// `client.id`
    pub client_id: String,
    /// `group.id`
    pub group_id: String,
    /// `auto.offset.reset`
    pub auto_offset_reset: OffsetReset,
    /// `max.poll.records`
    pub max_poll_records: u32,
    /// `fetch.min.bytes`
    pub fetch_min_bytes: u64,
    /// `fetch.max.wait.ms`
    pub fetch_max_wait_ms: u64,
    /// `fetch.max.bytes`
    pub fetch_max_bytes: u64,
    /// `max.partition.fetch.bytes`
    pub max_partition_fetch_bytes: u64,
    /// `allow.auto.create.topics`
    pub allow_auto_create_topics: bool,
    /// `exclude.internal.topics`
    pub exclude_internal_topics: bool,
    /// `metadata.max.age.ms`
    pub metadata_max_age_ms: u64,
    /// `request.timeout.ms`
    pub request_timeout_ms: u64,
    /// `retry.backoff.ms`
    pub retry_backoff_ms: u64,
    /// `retry.backoff.max.ms`
    pub retry_backoff_max_ms: u64,
}

impl Default for ConsumerConfig {
    /// Kafka's defaults.
    fn default() -> Self {
        Self {
            client_id: String::new(),
            group_id: String::new(),
            auto_offset_reset: OffsetReset::Latest,
            max_poll_records: 500,
            fetch_min_bytes: 1,
            fetch_max_wait_ms: 500,
            fetch_max_bytes: 52_428_800,
            max_partition_fetch_bytes: 1_048_576,
            allow_auto_create_topics: true,
            exclude_internal_topics: true,
            metadata_max_age_ms: 300_000,
            request_timeout_ms: 30_000,
            retry_backoff_ms: 100,
            retry_backoff_max_ms: 1_000,
        }
    }
}

/// Where to go when there is no position, or none that exists (`AutoOffsetResetStrategy`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OffsetReset {
    /// To the log start.
    Earliest,
    /// To the high watermark.
    Latest,
    /// Nowhere: reading fails.
    None,
    /// To the first record that is not older than so many milliseconds (KIP-1106).
    ByDuration(i64),
}

/// What a consumer reads.
#[derive(Clone, Debug)]
pub enum Subscription {
    /// One partition, from a place that is named (`assign` and `seek`).
    Assigned(TopicPartition, StartAt),
    /// All partitions of topics, as the only member of a group would. There is no coordinator behind
    /// it and nothing is committed: the group protocol will take the place of this.
    WithoutGroup(Topics),
}

/// Which topics.
#[derive(Clone, Debug)]
pub enum Topics {
    /// Those of that name.
    Named(Vec<TopicName>),
    /// Those whose name fits.
    Fitting(Rc<dyn TopicFilter>),
}

/// Decides by name whether a topic is meant.
pub trait TopicFilter: Debug {
    /// Whether it is.
    fn fits(&self, topic: &str) -> bool;
}
