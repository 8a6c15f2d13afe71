//! What an application asks of its consumer beside reading, and what it hears.

use crate::client::StartAt;
use crate::client::kafka_consumer::PollError;
use crate::ids::TopicPartition;
use crate::net::group::OffsetAndMetadata;
use crate::time::SimDuration;
use crate::world::group_hazard::Work;

/// Partitions with offsets for them.
pub type Offsets = Vec<(TopicPartition, OffsetAndMetadata)>;

/// What an application asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsumerCommand {
    /// Keep these offsets, or the positions of all partitions, and say when that is done (`commitSync`).
    CommitSync(Option<Offsets>),
    /// The same without waiting: `CommitDone` comes with this number at a later poll (`commitAsync`).
    CommitAsync(u32, Option<Offsets>),
    /// Go to a place in each of these partitions (`seek`, `seekToBeginning`, `seekToEnd`).
    Seek(Vec<(TopicPartition, StartAt)>),
    /// The work on these is done (`ConsumerConfig::reports_work`). Only the hazards of the group hear of it.
    Worked(Vec<Work>),
    /// Fetch nothing from these partitions.
    Pause(Vec<TopicPartition>),
    /// Fetch from them again.
    Resume(Vec<TopicPartition>),
    /// Give up all, and leave the group (`unsubscribe`).
    Unsubscribe,
    /// The poll under way fails, or else the next one (`wakeup`).
    Wakeup,
    /// The rebalance listener has returned (`ConsumerConfig::has_listener`).
    ListenerDone,
    /// Commit what the settings say, leave the group, and say when that is done.
    Close(CloseOptions),
}

/// How it closes (`CloseOptions`, KIP-1092).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CloseOptions {
    /// So long at most.
    pub timeout: SimDuration,
    /// Whether it leaves its group.
    pub operation: GroupMembershipOperation,
}

impl CloseOptions {
    /// `Consumer.close()`
    pub const DEFAULT: Self = Self {
        timeout: SimDuration::from_millis(30_000),
        operation: GroupMembershipOperation::Default,
    };
}

/// What becomes of the membership (`CloseOptions.GroupMembershipOperation`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupMembershipOperation {
    /// A dynamic member leaves, a static one does not.
    Default,
    /// It leaves, even if it is static.
    LeaveGroup,
    /// It does not leave: its partitions are free when its session is over.
    RemainInGroup,
}

/// What it hears.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConsumerReply {
    /// `commitSync` has returned, or thrown.
    Committed(Result<(), PollError>),
    /// The callback of a `commitAsync`: its number, and what came of it.
    CommitDone(u32, Result<(), PollError>),
    /// The rebalance listener: these partitions are new (`onPartitionsAssigned`).
    Assigned(Vec<TopicPartition>),
    /// These are given up (`onPartitionsRevoked`).
    Revoked(Vec<TopicPartition>),
    /// These may have another owner already (`onPartitionsLost`).
    Lost(Vec<TopicPartition>),
    /// `close` has returned.
    Closed,
}
