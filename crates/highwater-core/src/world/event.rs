//! Events: what happened, as data, each with its cause and the numbers that decided it.
//!
//! Words for people are made elsewhere (`highwater-scene`), so they can be tested and translated.

use std::rc::Rc;

use crate::client::partitioner::{ClientFamily, Why};
use crate::controller::records::{ConfigResource, PartitionImage};
use crate::error::KafkaError;
use crate::ids::{
    BrokerId, Bytes, EventId, LeaderEpoch, MessageId, NodeId, Offset, ProcessId, TerminalId,
    TopicId, TopicName, TopicPartition,
};
use crate::net::admin::ElectionType;
use crate::net::rule::Rule;
use crate::time::SimTime;
use crate::world::fault::Fault;
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
    /// The controller removed a topic.
    TopicDeleted {
        /// Its name.
        topic: TopicName,
    },
    /// The controller added partitions.
    PartitionsAdded {
        /// To this topic.
        topic: TopicName,
        /// So many has it now.
        count: u32,
    },
    /// Configuration entries changed.
    ConfigsAltered {
        /// Of this.
        resource: ConfigResource,
        /// Each key with its new value; `None`: the default counts again.
        changes: Vec<(String, Option<String>)>,
    },
    /// Somebody did something to the cluster.
    FaultInjected {
        /// This.
        fault: Fault,
    },
    /// A broker's process has registered.
    BrokerRegistered {
        /// Its id.
        broker: BrokerId,
        /// Whether its last run ended cleanly, so that its logs are whole.
        clean: bool,
    },
    /// A broker may lead from now on.
    BrokerUnfenced {
        /// Its id.
        broker: BrokerId,
    },
    /// A broker may not lead any more.
    BrokerFenced {
        /// Its id.
        broker: BrokerId,
        /// Its last heartbeat, if it has gone silent; `None`: it has left.
        last_contact: Option<SimTime>,
    },
    /// A broker hands its leaderships over before it ends.
    ControlledShutdownStarted {
        /// Its id.
        broker: BrokerId,
    },
    /// A broker's process has ended.
    BrokerStopped {
        /// Its id.
        broker: BrokerId,
    },
    /// The controller changed a partition's leader or in-sync replicas.
    PartitionChanged {
        /// This one.
        partition: TopicPartition,
        /// As it was.
        before: Rc<PartitionImage>,
        /// As it is.
        after: Rc<PartitionImage>,
        /// Why.
        reason: ChangeReason,
    },
    /// A follower copied batches.
    ReplicaAppended {
        /// Of this partition.
        partition: TopicPartition,
        /// The follower.
        broker: BrokerId,
        /// From this leader.
        leader: BrokerId,
        /// Its log end before.
        from: Offset,
        /// Its log end now.
        to: Offset,
    },
    /// A follower threw away what its leader does not have.
    LogTruncated {
        /// Of this partition.
        partition: TopicPartition,
        /// The follower.
        broker: BrokerId,
        /// Its log end before.
        from: Offset,
        /// Its log end now.
        to: Offset,
        /// The leader epoch in which the logs part; `None`: its log lay outside the leader's.
        diverging: Option<LeaderEpoch>,
    },
    /// A leader wants other in-sync replicas.
    IsrProposed {
        /// Of this partition.
        partition: TopicPartition,
        /// The leader.
        broker: BrokerId,
        /// The replicas in sync now.
        from: Vec<BrokerId>,
        /// Those it wants.
        to: Vec<BrokerId>,
        /// For each replica that leaves, since when it has lagged.
        lagging_since: Vec<(BrokerId, SimTime)>,
    },
    /// The network lost a message.
    MessageDropped {
        /// Its number.
        message: MessageId,
        /// By this rule.
        rule: Rule,
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
    /// A consumer's position moved.
    PositionMoved {
        /// The consumer's `client.id`.
        reader: String,
        /// In this partition.
        partition: TopicPartition,
        /// From here; `None`: it had no position.
        from: Option<Offset>,
        /// The next offset it will read.
        to: Offset,
    },
}

/// Why the controller changed a partition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ChangeReason {
    /// This broker was fenced.
    Fenced(BrokerId),
    /// This broker was unfenced.
    Unfenced(BrokerId),
    /// This broker is leaving.
    ControlledShutdown(BrokerId),
    /// This broker came back without having ended cleanly.
    UncleanShutdown(BrokerId),
    /// The leader asked for other in-sync replicas.
    IsrProposal(BrokerId),
    /// Somebody asked for an election.
    Election(ElectionType),
    /// Leadership goes back to preferred replicas.
    Rebalance,
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
