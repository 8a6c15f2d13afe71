//! Events of consumer groups: members that come and go, generations, offsets, coordinators.

use std::rc::Rc;

use crate::broker::group_coordinator::GroupState;
use crate::ids::{BrokerId, GroupId, MemberId, Offset, PartitionId, TopicPartition};
use crate::time::SimTime;

/// What can happen to a group.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GroupEvent {
    /// A broker is to coordinate the groups of this partition of `__consumer_offsets`, and reads its log.
    CoordinatorLoading {
        /// The broker.
        broker: BrokerId,
        /// The partition.
        partition: PartitionId,
        /// How many bytes the log holds.
        bytes: u64,
    },
    /// A broker coordinates the groups of this partition of `__consumer_offsets` from now on.
    CoordinatorLoaded {
        /// The broker.
        broker: BrokerId,
        /// The partition.
        partition: PartitionId,
        /// How many groups its log told of.
        groups: u32,
    },
    /// A broker coordinates them no more.
    CoordinatorUnloaded {
        /// The broker.
        broker: BrokerId,
        /// The partition.
        partition: PartitionId,
        /// How many groups it has forgotten.
        groups: u32,
    },
    /// Somebody was given an id, to join with it.
    MemberIdGiven {
        /// By this group's coordinator.
        group: GroupId,
        /// The id.
        member: MemberId,
    },
    /// Somebody is a member from now on.
    MemberJoined {
        /// Of this group.
        group: GroupId,
        /// Its id.
        member: MemberId,
        /// `group.instance.id`
        instance: Option<Rc<str>>,
        /// Why, in its own words.
        reason: Rc<str>,
    },
    /// A static member came back under another id.
    StaticMemberReplaced {
        /// In this group.
        group: GroupId,
        /// `group.instance.id`
        instance: Rc<str>,
        /// The id that counts no more: whoever uses it is fenced.
        old: MemberId,
        /// The new one.
        new: MemberId,
    },
    /// Somebody said that it goes, or was sent away.
    MemberLeft {
        /// This group.
        group: GroupId,
        /// Its id.
        member: MemberId,
        /// Why, in its own words.
        reason: Rc<str>,
    },
    /// Nothing was heard of a member for too long, or it did not join or ask for its part in time.
    MemberExpired {
        /// Of this group.
        group: GroupId,
        /// Its id.
        member: MemberId,
        /// What it was too late for.
        missed: Missed,
        /// `session.timeout.ms` or `max.poll.interval.ms`
        timeout_ms: u64,
    },
    /// Somebody came with the instance id of another member.
    MemberFenced {
        /// In this group.
        group: GroupId,
        /// Who came.
        member: MemberId,
        /// `group.instance.id`
        instance: Rc<str>,
        /// Who has it.
        by: MemberId,
    },
    /// All members must join again.
    RebalanceStarted {
        /// In this group.
        group: GroupId,
        /// The generation that ends.
        generation: i32,
        /// Whether it had no members: then it waits for more of them.
        was_empty: bool,
        /// Why.
        why: RebalanceReason,
    },
    /// All members have joined, or those that have not are gone.
    GenerationBegan {
        /// Of this group.
        group: GroupId,
        /// Its number.
        generation: i32,
        /// The assignor.
        protocol: Rc<str>,
        /// Who assigns.
        leader: MemberId,
        /// Who is in it.
        members: Vec<MemberId>,
    },
    /// A group is in another state.
    StateChanged {
        /// This one.
        group: GroupId,
        /// It was so.
        from: GroupState,
        /// It is so.
        to: GroupState,
    },
    /// Somebody committed offsets: they are in the leader's log.
    OffsetsCommitted {
        /// Of this group.
        group: GroupId,
        /// Who; empty: somebody who is no member.
        member: MemberId,
        /// What.
        offsets: Vec<(TopicPartition, Offset)>,
    },
    /// Offsets are kept no more.
    OffsetsRemoved {
        /// Of this group.
        group: GroupId,
        /// Of these partitions.
        partitions: Vec<TopicPartition>,
        /// Why.
        why: Removal,
    },
    /// Members of a group got records that it had got before.
    RecordsRedelivered {
        /// This group.
        group: GroupId,
        /// Of this partition.
        partition: TopicPartition,
        /// The first offset.
        from: Offset,
        /// The offset after the last.
        to: Offset,
        /// How many records.
        records: u64,
    },
    /// A group goes on behind records that none of its members has worked on.
    RecordsSkipped {
        /// This group.
        group: GroupId,
        /// Of this partition.
        partition: TopicPartition,
        /// The first offset.
        from: Offset,
        /// Where it goes on.
        to: Offset,
        /// How many records.
        records: u64,
        /// Why.
        why: Skipped,
    },
    /// A member has worked on records of a partition that was another one's by then.
    WorkedTooLate {
        /// Of this group.
        group: GroupId,
        /// Of this partition.
        partition: TopicPartition,
        /// The first offset.
        from: Offset,
        /// The offset after the last.
        to: Offset,
        /// How many records.
        records: u64,
    },
    /// A group is kept no more.
    GroupRemoved {
        /// This one.
        group: GroupId,
        /// Why.
        why: Removal,
    },
}

/// Why a group has skipped records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Skipped {
    /// They were committed before the work on them was done.
    CommittedFirst,
    /// There was no committed offset, or none that is in the log, and the settings send it behind them.
    BeganLater,
}

/// What a member was too late for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missed {
    /// Its heartbeats.
    Heartbeat,
    /// To join with the id that it was given.
    Join,
    /// To join the next generation.
    Rejoin,
    /// To ask for its part.
    Sync,
}

/// Why offsets or a group are kept no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Removal {
    /// Somebody said so.
    Asked,
    /// Nobody has used them for too long, since then.
    Expired(SimTime),
    /// The topic is gone.
    TopicDeleted,
    /// It has neither members nor offsets.
    Unused,
}

/// Why all members must join again.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RebalanceReason {
    /// Somebody new joins.
    MemberJoins(MemberId),
    /// The leader joins again: it wants to assign anew.
    LeaderRejoins(MemberId),
    /// A member wants to read something else, or uses other assignors.
    MemberChanged(MemberId),
    /// A static member came back whose assignors make another protocol the best one.
    ProtocolChanged(MemberId),
    /// A static member came back while parts were being given out.
    StaticMemberReplaced(MemberId),
    /// Members have gone.
    MembersLeft(Vec<MemberId>),
    /// Nothing was heard of a member for too long.
    MemberExpired(MemberId),
    /// Members did not ask for their parts in time.
    SyncExpired(Vec<MemberId>),
    /// The parts could not be written down.
    WriteFailed,
    /// There are more members than there may be.
    OverCapacity,
}
