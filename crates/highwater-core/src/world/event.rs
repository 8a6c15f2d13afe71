//! Events: what happened, as data, each with its cause and the numbers that decided it.
//!
//! Words for people are made elsewhere (`highwater-scene`), so they can be tested and translated.

use crate::client::partitioner::{ClientFamily, Why};
use crate::error::KafkaError;
use crate::ids::{
    BrokerId, Bytes, EventId, LeaderEpoch, MemberId, MessageId, NodeId, Offset, ProcessId,
    TerminalId, TopicId, TopicName, TopicPartition,
};
use crate::log::segment::RollReason;
use crate::scope::{Always, Lab};
use crate::time::SimTime;
use crate::world::cluster_event::ClusterNews;
use crate::world::input::InputKind;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Event {
    /// Its number.
    pub id: EventId,
    /// The step in which it happened.
    pub step: u64,
    /// When.
    pub at: SimTime,
    /// The event that led to it; `None` where the chain begins.
    pub cause: Option<EventId>,
    /// What happened.
    pub kind: EventKind,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// A person did something.
    InputApplied {
        /// At this terminal.
        terminal: TerminalId,
        /// This.
        input: InputKind,
    },
    /// A command started.
    ProcessStarted {
        /// Its number.
        process: ProcessId,
        /// Its name.
        name: String,
    },
    /// A command ended.
    ProcessExited {
        /// Its number.
        process: ProcessId,
        /// Its exit status.
        status: u8,
    },
    /// A message set out.
    MessageSent {
        /// Its number.
        message: MessageId,
        /// From here.
        from: NodeId,
        /// To there.
        to: NodeId,
        /// Kafka's name of the request.
        api: &'static str,
        /// Whether it asks or answers.
        is_request: bool,
    },
    /// The controller made a topic.
    TopicCreated {
        /// Its name.
        topic: TopicName,
        /// Its id.
        id: TopicId,
        /// Its partitions.
        partitions: u32,
    },
    /// The controller refused to make a topic.
    TopicRefused {
        /// Its name.
        topic: TopicName,
        /// Why.
        error: KafkaError,
    },
    /// A producer gave a record its partition.
    RecordPartitioned {
        /// The client family.
        family: ClientFamily,
        /// The partition.
        partition: TopicPartition,
        /// The key.
        key: Option<Bytes>,
        /// The value.
        value: Option<Bytes>,
        /// The arithmetic.
        why: Why,
    },
    /// A leader appended a batch.
    BatchAppended {
        /// To this partition.
        partition: TopicPartition,
        /// On this broker.
        broker: BrokerId,
        /// The offset of its first record.
        base_offset: Offset,
        /// Its number of records.
        count: u32,
        /// In this leader epoch.
        leader_epoch: LeaderEpoch,
    },
    /// A leader refused a batch.
    AppendRefused {
        /// For this partition.
        partition: TopicPartition,
        /// Why.
        error: KafkaError,
    },
    /// A log opened a new segment.
    SegmentRolled {
        /// Of this partition.
        partition: TopicPartition,
        /// On this broker.
        broker: BrokerId,
        /// The new segment's base offset.
        base_offset: Offset,
        /// Why; a page about one broker does not tell.
        why: Always<Rolled>,
    },
    /// Consumers may read further.
    HighWatermarkAdvanced {
        /// In this partition.
        partition: TopicPartition,
        /// From here.
        from: Offset,
        /// To here.
        to: Offset,
        /// The in-sync replica whose log ends there.
        held_by: BrokerId,
    },
    /// Something that takes more than one broker, or is not about records.
    Cluster(ClusterNews),
    /// A consumer's position moved.
    PositionMoved {
        /// The consumer's `client.id`.
        reader: String,
        /// Its id in its group, which tells it from others with that `client.id`.
        member: Lab<MemberId>,
        /// In this partition.
        partition: TopicPartition,
        /// From here; `None`: it had no position.
        from: Option<Offset>,
        /// The next offset it will read.
        to: Offset,
    },
}

/// Why a log opened a new segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rolled {
    /// The rule, with the numbers that decided it.
    pub reason: RollReason,
    /// For a batch that was copied from this leader; `None`: the broker leads, or nothing was appended.
    pub copied_from: Option<BrokerId>,
}

impl EventKind {
    /// Whether a reader of a lesson wants to stop here. Messages and processes are detail.
    #[must_use]
    pub fn is_story(&self) -> bool {
        !matches!(
            self,
            Self::ProcessStarted { .. } | Self::ProcessExited { .. } | Self::MessageSent { .. }
        )
    }
}
