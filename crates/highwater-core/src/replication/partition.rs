//! May this produce be appended? A broker's view of one partition it leads (Kafka's `Partition`).
//!
//! Followers come with replication; until then the leader is the only in-sync replica.

use std::fmt::Display;

use crate::error::KafkaError;
use crate::ids::{BrokerId, EventId, LeaderEpoch, Offset};
use crate::log::record_batch::Proposal;
use crate::log::unified_log::{AppendInfo, LogConfig, UnifiedLog};
use crate::replication::high_watermark::{HighWatermark, high_watermark};

/// One replica, with what its broker knows of the partition.
#[derive(Clone, Debug)]
pub struct Partition {
    broker: BrokerId,
    leader_epoch: LeaderEpoch,
    log: UnifiedLog,
    high_watermark: Offset,
}

/// An append and how the high watermark moved by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The append.
    pub info: AppendInfo,
    /// The new high watermark, if it moved.
    pub high_watermark: Option<(Offset, HighWatermark)>,
}

impl Partition {
    /// An empty replica on `broker`, which leads it.
    #[must_use]
    pub fn new(broker: BrokerId, leader_epoch: LeaderEpoch, config: LogConfig) -> Self {
        Self { broker, leader_epoch, log: UnifiedLog::new(config), high_watermark: Offset(0) }
    }

    /// The replica's log.
    #[must_use]
    pub fn log(&self) -> &UnifiedLog {
        &self.log
    }

    /// The first offset that consumers may not read yet.
    #[must_use]
    pub fn high_watermark(&self) -> Offset {
        self.high_watermark
    }

    /// The epoch this broker leads in.
    #[must_use]
    pub fn leader_epoch(&self) -> LeaderEpoch {
        self.leader_epoch
    }

    /// Appends what a producer sent (`Partition.appendRecordsToLeader`). `name` is the partition's
    /// in texts.
    ///
    /// # Errors
    /// What the log refuses.
    pub fn append_records_to_leader(
        &mut self,
        proposal: &Proposal,
        now_ms: i64,
        name: &dyn Display,
        cause: Option<EventId>,
    ) -> Result<Appended, KafkaError> {
        let info = self.log.append_as_leader(proposal, self.leader_epoch, now_ms, name, cause)?;
        Ok(Appended { info, high_watermark: self.maybe_increment_leader_hw() })
    }

    fn maybe_increment_leader_hw(&mut self) -> Option<(Offset, HighWatermark)> {
        let from = self.high_watermark;
        let to = high_watermark(from, (self.broker, self.log.log_end_offset()), &[]);
        self.high_watermark = to.offset;
        (to.offset > from).then_some((from, to))
    }
}
