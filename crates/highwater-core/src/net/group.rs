//! What members of a group, and whoever asks about groups, say to a group coordinator and hear from it.
//! What members tell one another through the coordinator (`ConsumerProtocolSubscription`,
//! `ConsumerProtocolAssignment`) is kept readable here; in the log it is bytes.

use std::rc::Rc;

use crate::error::KafkaError;
use crate::ids::{BrokerId, GroupId, MemberId, Offset, TopicName, TopicPartition};

/// A request that a broker answers as a group coordinator, or about one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupRequest {
    /// Which broker coordinates this group? Any broker knows.
    FindCoordinator(GroupId),
    /// Be a member, or stay one in the next generation.
    JoinGroup(JoinGroup),
    /// Tell me my part; from the leader: these are all parts.
    SyncGroup(SyncGroup),
    /// I am still here.
    Heartbeat(Membership),
    /// These members go.
    LeaveGroup {
        /// Which group.
        group: GroupId,
        /// Who goes.
        members: Vec<LeavingMember>,
    },
    /// Keep these offsets.
    OffsetCommit {
        /// Who commits. Without a member id and with generation -1: somebody who is no member.
        member: Membership,
        /// What.
        offsets: Vec<(TopicPartition, OffsetAndMetadata)>,
    },
    /// Which offsets are kept?
    OffsetFetch {
        /// Of which group.
        group: GroupId,
        /// Of these partitions, as a consumer asks: the answer waits until what was committed before is safe
        /// (`requireStable`). `None`: of all, as a tool asks: what is safe now.
        partitions: Option<Vec<TopicPartition>>,
    },
    /// Which groups does this broker coordinate?
    ListGroups {
        /// Only in these states; empty: in any.
        states: Vec<String>,
        /// Only of these types (`classic`, `consumer`); empty: of any.
        types: Vec<String>,
    },
    /// Who is in these groups?
    DescribeGroups(Vec<GroupId>),
    /// Forget these groups.
    DeleteGroups(Vec<GroupId>),
    /// Forget the offsets of these partitions.
    OffsetDelete {
        /// Of which group.
        group: GroupId,
        /// Which.
        partitions: Vec<TopicPartition>,
    },
}

/// What comes back, in the order of `GroupRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupResponse {
    /// The coordinator, or why there is none.
    FindCoordinator(Result<BrokerId, KafkaError>),
    /// A generation has begun, or why the member is not in it.
    JoinGroup(JoinGroupAnswer),
    /// The member's part, or why it has none.
    SyncGroup(Result<Synced, KafkaError>),
    /// All is well, or not.
    Heartbeat(Result<(), KafkaError>),
    /// Of each member whether it has gone, or why nobody has.
    LeaveGroup(Result<Vec<Result<(), KafkaError>>, KafkaError>),
    /// Of each partition whether its offset is kept.
    OffsetCommit(OffsetOutcomes),
    /// Of each partition the offset, if there is one, or why nothing is known.
    OffsetFetch(Result<Vec<FetchedOffset>, KafkaError>),
    /// The groups, or why they are not known.
    ListGroups(Result<Vec<ListedGroup>, KafkaError>),
    /// Of each group what it is like.
    DescribeGroups(Vec<(GroupId, Result<DescribedGroup, KafkaError>)>),
    /// Of each group whether it is forgotten.
    DeleteGroups(Vec<(GroupId, Result<(), KafkaError>)>),
    /// Of each partition whether its offset is forgotten, or why nothing was done.
    OffsetDelete(Result<OffsetOutcomes, KafkaError>),
}

/// Of each partition what became of its offset.
pub type OffsetOutcomes = Vec<(TopicPartition, Result<(), KafkaError>)>;

/// A partition with the offset that is kept for it; `None`: there is none.
pub type FetchedOffset = (TopicPartition, Result<Option<OffsetAndMetadata>, KafkaError>);

/// Who speaks to the coordinator.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Membership {
    /// Of which group.
    pub group: GroupId,
    /// The generation that it knows; -1: none.
    pub generation: i32,
    /// Its id; empty: it has none.
    pub member: MemberId,
    /// `group.instance.id`, if it is a static member (KIP-345).
    pub instance: Option<Rc<str>>,
}

/// `JoinGroup`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JoinGroup {
    /// Which group.
    pub group: GroupId,
    /// The member's id; empty: it asks for one.
    pub member: MemberId,
    /// `group.instance.id`
    pub instance: Option<Rc<str>>,
    /// `client.id`, which member ids begin with.
    pub client_id: Rc<str>,
    /// `session.timeout.ms`
    pub session_timeout_ms: u64,
    /// `max.poll.interval.ms`
    pub rebalance_timeout_ms: u64,
    /// `consumer`, or what else its members are.
    pub protocol_type: Rc<str>,
    /// The assignors that it can use, the one it likes best first, each with what that one must know.
    pub protocols: Vec<(Rc<str>, Rc<Subscription>)>,
    /// Why it joins, for the coordinator's log (KIP-800).
    pub reason: Rc<str>,
}

/// What a member says of itself to the leader (`ConsumerProtocolSubscription`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Subscription {
    /// What it reads, sorted.
    pub topics: Vec<TopicName>,
    /// What it owns at this moment: the sticky assignor's user data, or what a cooperative member keeps.
    pub owned: Vec<TopicPartition>,
    /// In which generation it got that; -1: in none.
    pub generation: i32,
    /// `client.rack`
    pub rack: Option<Rc<str>>,
}

/// What became of a `JoinGroup`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JoinGroupAnswer {
    /// The member's id. It comes with `MEMBER_ID_REQUIRED`, too.
    pub member: MemberId,
    /// The generation that has begun, or why the member is in none.
    pub result: Result<Joined, KafkaError>,
}

/// A generation that has begun.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Joined {
    /// Its number.
    pub generation: i32,
    /// The assignor that all can use.
    pub protocol: Rc<str>,
    /// Who assigns.
    pub leader: MemberId,
    /// A static leader that came back need not assign (KIP-814).
    pub skip_assignment: bool,
    /// For the leader: who there is. For the others: nobody.
    pub members: Vec<JoinedMember>,
}

/// A member as its leader sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JoinedMember {
    /// Its id.
    pub member: MemberId,
    /// `group.instance.id`
    pub instance: Option<Rc<str>>,
    /// What it says of itself.
    pub subscription: Rc<Subscription>,
}

/// `SyncGroup`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SyncGroup {
    /// Who asks.
    pub member: Membership,
    /// `consumer`, or what else its members are.
    pub protocol_type: Rc<str>,
    /// The assignor.
    pub protocol: Rc<str>,
    /// From the leader: each member's part.
    pub assignments: Vec<(MemberId, Vec<TopicPartition>)>,
}

/// A member's part of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Synced {
    /// The assignor.
    pub protocol: Rc<str>,
    /// What it reads.
    pub partitions: Vec<TopicPartition>,
}

/// A member that goes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LeavingMember {
    /// Its id; empty: the static member of that instance id, whoever it is.
    pub member: MemberId,
    /// `group.instance.id`
    pub instance: Option<Rc<str>>,
    /// Why, for the coordinator's log (KIP-800).
    pub reason: Rc<str>,
}

/// A committed offset (`OffsetAndMetadata`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OffsetAndMetadata {
    /// The next offset to read.
    pub offset: Offset,
    /// The leader epoch of the record before it; -1: not known.
    pub leader_epoch: i32,
    /// A note of whoever committed.
    pub metadata: Rc<str>,
}

/// A group in a list.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ListedGroup {
    /// Its id.
    pub group: GroupId,
    /// `consumer`; empty: nobody has ever been a member.
    pub protocol_type: Rc<str>,
    /// `Empty`, `PreparingRebalance`, `CompletingRebalance`, `Stable`, `Dead`.
    pub state: Rc<str>,
    /// `classic`, or later `consumer`.
    pub group_type: Rc<str>,
}

/// A group and who is in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DescribedGroup {
    /// As in a list.
    pub state: Rc<str>,
    /// As in a list.
    pub protocol_type: Rc<str>,
    /// The assignor; empty: none is chosen.
    pub protocol: Rc<str>,
    /// Its members.
    pub members: Vec<DescribedMember>,
}

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DescribedMember {
    /// Its id.
    pub member: MemberId,
    /// `group.instance.id`
    pub instance: Option<Rc<str>>,
    /// `client.id`
    pub client_id: Rc<str>,
    /// Where it runs: `/127.0.0.1`.
    pub host: Rc<str>,
    /// What it reads, or read in the last generation in which it was given anything.
    pub partitions: Vec<TopicPartition>,
}

impl GroupRequest {
    /// Kafka's name of the request.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::FindCoordinator(_) => "FindCoordinator",
            Self::JoinGroup(_) => "JoinGroup",
            Self::SyncGroup(_) => "SyncGroup",
            Self::Heartbeat(_) => "Heartbeat",
            Self::LeaveGroup { .. } => "LeaveGroup",
            Self::OffsetCommit { .. } => "OffsetCommit",
            Self::OffsetFetch { .. } => "OffsetFetch",
            Self::ListGroups { .. } => "ListGroups",
            Self::DescribeGroups(_) => "DescribeGroups",
            Self::DeleteGroups(_) => "DeleteGroups",
            Self::OffsetDelete { .. } => "OffsetDelete",
        }
    }
}

impl GroupResponse {
    /// Kafka's name of the request that is answered.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::FindCoordinator(_) => "FindCoordinator",
            Self::JoinGroup(_) => "JoinGroup",
            Self::SyncGroup(_) => "SyncGroup",
            Self::Heartbeat(_) => "Heartbeat",
            Self::LeaveGroup(_) => "LeaveGroup",
            Self::OffsetCommit(_) => "OffsetCommit",
            Self::OffsetFetch(_) => "OffsetFetch",
            Self::ListGroups(_) => "ListGroups",
            Self::DescribeGroups(_) => "DescribeGroups",
            Self::DeleteGroups(_) => "DeleteGroups",
            Self::OffsetDelete(_) => "OffsetDelete",
        }
    }
}
