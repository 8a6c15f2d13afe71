//! How a consumer behaves (`ConsumerConfig`), and what it is told to read.

use std::fmt::Debug;
use std::rc::Rc;

use crate::client::StartAt;
use crate::client::assignor::{AssignorKind, RebalanceProtocol};
use crate::ids::{GroupId, TopicName, TopicPartition};

/// The settings that count here; Kafka's names are in the comments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsumerConfig {
    /// `client.id`
    pub client_id: String,
    /// `group.id`
    pub group_id: Option<GroupId>,
    /// `group.instance.id`: it is a static member (KIP-345).
    pub group_instance_id: Option<Rc<str>>,
    /// `client.rack`
    pub client_rack: Option<Rc<str>>,
    /// `session.timeout.ms`
    pub session_timeout_ms: u64,
    /// `heartbeat.interval.ms`
    pub heartbeat_interval_ms: u64,
    /// `max.poll.interval.ms`
    pub max_poll_interval_ms: u64,
    /// `partition.assignment.strategy`, the one it likes best first.
    pub assignors: Vec<AssignorKind>,
    /// `enable.auto.commit`
    pub enable_auto_commit: bool,
    /// `auto.commit.interval.ms`
    pub auto_commit_interval_ms: u64,
    /// `isolation.level`
    pub isolation_level: IsolationLevel,
    /// `default.api.timeout.ms`
    pub default_api_timeout_ms: u64,
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
    /// Whether the application says what it has worked on; else all is done that it had got before its next
    /// poll. No setting of Kafka's: hazards are counted by it.
    pub reports_work: bool,
    /// Whether the application has a rebalance listener that takes its time: it says when that has returned.
    /// No setting of Kafka's; the listener is given with `subscribe`.
    pub has_listener: bool,
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
            group_id: None,
            group_instance_id: None,
            client_rack: None,
            session_timeout_ms: 45_000,
            heartbeat_interval_ms: 3_000,
            max_poll_interval_ms: 300_000,
            assignors: vec![AssignorKind::Range, AssignorKind::CooperativeSticky],
            enable_auto_commit: true,
            auto_commit_interval_ms: 5_000,
            isolation_level: IsolationLevel::ReadUncommitted,
            default_api_timeout_ms: 60_000,
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
            reports_work: false,
            has_listener: false,
            retry_backoff_ms: 100,
            retry_backoff_max_ms: 1_000,
        }
    }
}

impl ConsumerConfig {
    /// How its rebalances go: the best way that all its assignors have (`ConsumerCoordinator`).
    #[must_use]
    pub fn rebalance_protocol(&self) -> RebalanceProtocol {
        let all_have = |protocol: RebalanceProtocol| {
            self.assignors.iter().all(|kind| kind.protocols().contains(&protocol))
        };
        if !self.assignors.is_empty() && all_have(RebalanceProtocol::Cooperative) {
            RebalanceProtocol::Cooperative
        } else {
            RebalanceProtocol::Eager
        }
    }

    /// Whether it commits by itself: that takes a group.
    #[must_use]
    pub fn commits_itself(&self) -> bool {
        self.enable_auto_commit && self.group_id.is_some()
    }
}

/// What a consumer sees of transactions (`isolation.level`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IsolationLevel {
    /// All below the high watermark.
    ReadUncommitted,
    /// What is decided: all below the last stable offset, without what was aborted.
    ReadCommitted,
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
    /// These partitions, each from a place that is named or from where its group has committed (`assign`,
    /// then `seek`).
    Assigned(Vec<(TopicPartition, Option<StartAt>)>),
    /// What its group gives it of these topics (`subscribe`).
    Subscribed(Topics),
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
