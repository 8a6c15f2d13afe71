//! Events that take more than one broker, or that are not about records: who leads and is in sync, who
//! came and went, what was done to the cluster.

use std::hash::{Hash, Hasher};
use std::rc::Rc;

use crate::controller::records::{ConfigResource, PartitionImage};
use crate::ids::{
    BrokerId, GroupId, LeaderEpoch, MemberId, MessageId, Offset, TopicName, TopicPartition,
};
use crate::log::cleaner::CleanerStats;
use crate::log::record_batch::ProducerStamp;
use crate::log::retention::DeletedSegment;
use crate::net::admin::ElectionType;
use crate::net::rule::Rule;
use crate::scope::{ABSENT, Always};
use crate::time::SimTime;
use crate::world::event::EventKind;
use crate::world::fault::Fault;
use crate::world::group_event::GroupEvent;
use crate::world::hazard::Unanswered;

/// What can happen to a cluster.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ClusterEvent {
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
    /// A broker takes no new replicas from now on, or does again.
    BrokerCordoned {
        /// Its id.
        broker: BrokerId,
        /// Whether all its folders of logs are cordoned.
        cordoned: bool,
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
        /// For each replica that leaves, since when it has lagged; `None`: it never had all.
        lagging_since: Vec<(BrokerId, Option<SimTime>)>,
    },
    /// A log lost an old segment.
    SegmentDeleted {
        /// Of this partition.
        partition: TopicPartition,
        /// On this broker.
        broker: BrokerId,
        /// Which, and why.
        segment: DeletedSegment,
    },
    /// A log was compacted.
    LogCleaned {
        /// Of this partition.
        partition: TopicPartition,
        /// On this broker.
        broker: BrokerId,
        /// How much was read and kept.
        stats: CleanerStats,
    },
    /// A log forgot idempotent producers that have not written for long.
    ProducersExpired {
        /// Of this partition.
        partition: TopicPartition,
        /// On this broker.
        broker: BrokerId,
        /// Their ids.
        producers: Vec<i64>,
    },
    /// A batch came that stands in the log already: nothing was appended.
    DuplicateFound {
        /// In this partition.
        partition: TopicPartition,
        /// The leader.
        broker: BrokerId,
        /// Who sent it, under which number.
        producer: ProducerStamp,
        /// Where its first record is.
        base_offset: Offset,
        /// Its number of records.
        count: u32,
    },
    /// A batch was appended that stands in the log already: its producer sent it again, and is not
    /// idempotent, or had begun a new epoch.
    DuplicateAppended {
        /// In this partition.
        partition: TopicPartition,
        /// The leader.
        broker: BrokerId,
        /// Where its first record was already.
        first: Offset,
        /// Where it is now, too.
        again: Offset,
        /// Its number of records.
        count: u32,
    },
    /// A batch was appended behind one that its producer had made later.
    OrderChanged {
        /// In this partition.
        partition: TopicPartition,
        /// The leader.
        broker: BrokerId,
        /// Where the later one is.
        later: Offset,
        /// Where it is now.
        at: Offset,
        /// Its number of records.
        count: u32,
    },
    /// Records that were sent with acks=0 never get into a log.
    UnansweredLost {
        /// For this partition.
        partition: TopicPartition,
        /// How many records.
        count: u32,
        /// Why.
        why: Unanswered,
    },
    /// A leader lacks records that a producer was told are safe, or that another leader has them, or that
    /// another leader took without an answer.
    RecordsLost {
        /// In this partition.
        partition: TopicPartition,
        /// The leader that lacks them.
        leader: BrokerId,
        /// What producers were told.
        promise: Promise,
        /// The first offset.
        from: Offset,
        /// The offset after the last.
        to: Offset,
        /// How many records.
        records: u64,
    },
    /// Records were deleted from the start of a log.
    LogStartMoved {
        /// Of this partition.
        partition: TopicPartition,
        /// On this broker.
        broker: BrokerId,
        /// It began here.
        from: Offset,
        /// It begins here.
        to: Offset,
    },
    /// The network lost a message.
    MessageDropped {
        /// Its number.
        message: MessageId,
        /// By this rule.
        rule: Rule,
    },
    /// Something that has to do with groups.
    Group(GroupEvent),
    /// A member of a group got partitions, or gave some up.
    AssignmentChanged {
        /// The consumer's `client.id`.
        reader: String,
        /// Its group.
        group: GroupId,
        /// Its id in the group; empty: it is no member any more.
        member: MemberId,
        /// The generation that it knows; -1: none.
        generation: i32,
        /// What became of them.
        change: AssignmentChange,
        /// Which.
        partitions: Vec<TopicPartition>,
        /// Why: the assignor that gave them, or the reason to give them up.
        why: Rc<str>,
    },
}

/// An event of this kind, as the other events hold it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClusterNews(Always<Rc<ClusterEvent>>);

impl ClusterNews {
    /// What happened; a build without the cluster has nothing of the kind.
    #[must_use]
    pub fn event(&self) -> Option<&ClusterEvent> {
        self.0.get().map(|event| &**event)
    }
}

impl From<ClusterEvent> for EventKind {
    fn from(event: ClusterEvent) -> Self {
        let mut event = Some(event);
        let news = Always::of(|| Rc::new(event.take().expect(ABSENT)));
        Self::Cluster(ClusterNews(news))
    }
}

impl Hash for ClusterNews {
    fn hash<H: Hasher>(&self, state: &mut H) {
        if let Some(event) = self.event() {
            event.hash(state);
        }
    }
}

/// What became of a member's partitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssignmentChange {
    /// They are its own now.
    Assigned,
    /// It gave them up in good order.
    Revoked,
    /// They may have had another owner already when it heard that they are not its own.
    Lost,
}

/// What a producer was told of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Promise {
    /// All in-sync replicas have it.
    Committed,
    /// The same (acks=all), but by a leader that did not know that another one led already.
    AllHaveIt,
    /// The leader has it (acks=1).
    LeaderHasIt,
    /// Nothing: it wanted no answer (acks=0).
    Nothing,
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
    /// Nobody led, and the topic allows a leader that may lack records.
    UncleanAllowed,
    /// Somebody asked for other replicas.
    Reassignment,
    /// Somebody called a move to other replicas off.
    ReassignmentCancelled,
}
