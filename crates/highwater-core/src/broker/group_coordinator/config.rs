//! The settings of brokers that a group coordinator goes by (Kafka's `GroupCoordinatorConfig`).

use crate::time::SimDuration;

/// Values of `group.*` and `offsets.*`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GroupConfig {
    /// `offsets.topic.num.partitions`
    pub(super) partitions: i32,
    /// `offsets.topic.replication.factor`
    pub(super) replication_factor: i32,
    /// `offsets.topic.segment.bytes`
    pub(super) segment_bytes: u64,
    /// `group.initial.rebalance.delay.ms`
    pub(super) initial_rebalance_delay: SimDuration,
    /// `group.min.session.timeout.ms` and `group.max.session.timeout.ms`
    pub(super) session_timeout_ms: (u64, u64),
    /// `group.max.size`
    pub(super) max_size: u64,
    /// `offset.metadata.max.bytes`
    pub(super) metadata_max_bytes: u64,
    /// `offsets.commit.timeout.ms`
    pub(super) commit_timeout: SimDuration,
    /// `offsets.retention.minutes`
    pub(super) retention: SimDuration,
    /// `offsets.retention.check.interval.ms`
    pub(super) retention_check_interval: SimDuration,
}

impl GroupConfig {
    /// Reads them; `setting` knows which are set.
    pub(super) fn read(brokers: u32, setting: impl Fn(&str) -> Option<u64>) -> Self {
        let number = |key, default| setting(key).unwrap_or(default);
        let int = |key, default| i32::try_from(number(key, default)).unwrap_or(i32::MAX);
        let millis = |key, default| SimDuration::from_millis(number(key, default));
        Self {
            partitions: int("offsets.topic.num.partitions", 50).max(1),
            replication_factor: int("offsets.topic.replication.factor", u64::from(brokers.min(3))),
            segment_bytes: number("offsets.topic.segment.bytes", 104_857_600),
            initial_rebalance_delay: millis("group.initial.rebalance.delay.ms", 3_000),
            session_timeout_ms: (
                number("group.min.session.timeout.ms", 6_000),
                number("group.max.session.timeout.ms", 1_800_000),
            ),
            max_size: number("group.max.size", 2_147_483_647),
            metadata_max_bytes: number("offset.metadata.max.bytes", 4_096),
            commit_timeout: millis("offsets.commit.timeout.ms", 5_000),
            retention: SimDuration::from_millis(
                number("offsets.retention.minutes", 10_080).saturating_mul(60_000),
            ),
            retention_check_interval: millis("offsets.retention.check.interval.ms", 600_000),
        }
    }
}
