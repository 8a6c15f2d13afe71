//! Who gets which partition in a group of the classic protocol: the assignors of the Java consumer. The
//! leader of a group calls them between `JoinGroup` and `SyncGroup`; they know nothing of time or requests.
//!
//! The server's own assignors of KIP-848 (`uniform`, and its `range`) are not here: they decide in the
//! coordinator, by other rules.

use std::rc::Rc;

use crate::ids::{TopicName, TopicPartition};
use crate::sorted_map::SortedMap;

mod cooperative_sticky;
mod group;
mod racks;
mod range;
mod round_robin;
mod sticky;

use group::Group;

/// A class of `partition.assignment.strategy` that comes with Kafka.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AssignorKind {
    /// Each topic for itself, in blocks.
    Range,
    /// All partitions in turn.
    RoundRobin,
    /// Balanced, and as little moved as can be.
    Sticky,
    /// The same without giving up what stays.
    CooperativeSticky,
}

/// How a rebalance goes (`ConsumerPartitionAssignor.RebalanceProtocol`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RebalanceProtocol {
    /// All partitions are given up before a member joins again.
    Eager,
    /// A member keeps what it has, and gives up afterwards what it lost.
    Cooperative,
}

impl AssignorKind {
    /// All of them, in the order of Kafka's documentation.
    pub const ALL: [Self; 4] =
        [Self::Range, Self::RoundRobin, Self::Sticky, Self::CooperativeSticky];

    /// What members call it in `JoinGroup`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Range => "range",
            Self::RoundRobin => "roundrobin",
            Self::Sticky => "sticky",
            Self::CooperativeSticky => "cooperative-sticky",
        }
    }

    /// What settings call it.
    #[must_use]
    pub const fn class_name(self) -> &'static str {
        match self {
            Self::Range => "org.apache.kafka.clients.consumer.RangeAssignor",
            Self::RoundRobin => "org.apache.kafka.clients.consumer.RoundRobinAssignor",
            Self::Sticky => "org.apache.kafka.clients.consumer.StickyAssignor",
            Self::CooperativeSticky => {
                "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
            }
        }
    }

    /// The one of that class.
    #[must_use]
    pub fn from_class(class: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.class_name() == class)
    }

    /// The protocols it can be used with, the one that it likes best first. A consumer uses the best one
    /// that all its assignors have.
    #[must_use]
    pub const fn protocols(self) -> &'static [RebalanceProtocol] {
        match self {
            Self::Range | Self::RoundRobin | Self::Sticky => &[RebalanceProtocol::Eager],
            Self::CooperativeSticky => &[RebalanceProtocol::Cooperative, RebalanceProtocol::Eager],
        }
    }
}

/// What a member said of itself when it joined.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemberSubscription {
    /// The id that the coordinator knows it by.
    pub member_id: Rc<str>,
    /// `group.instance.id` of a static member.
    pub group_instance_id: Option<Rc<str>>,
    /// The topics it wants, whether they are there or not.
    pub topics: Vec<TopicName>,
    /// What it owned. `Sticky` sends it as user data, topic by topic; `CooperativeSticky` as
    /// `ownedPartitions`, sorted; the other two do not look at it. What is kept comes back in this order.
    pub owned: Vec<TopicPartition>,
    /// The generation in which it owned that; -1: not known.
    pub generation: i32,
    /// `client.rack`. Without effect where brokers have no racks.
    pub rack: Option<Rc<str>>,
}

/// Members with what they got.
pub type Assignment = Vec<(Rc<str>, Vec<TopicPartition>)>;

/// Of each topic, for each partition, the racks of its replicas (`broker.rack`). A broker without rack is
/// left out.
pub type PartitionRacks = SortedMap<TopicName, Vec<Vec<Rc<str>>>>;

/// Assigns the partitions of all topics that are there and wanted. Members come back in the order in
/// which they were given, which should be that of the answer to `JoinGroup`; each one's partitions are in
/// Kafka's own order.
#[must_use]
pub fn assign(
    kind: AssignorKind,
    partitions_per_topic: &SortedMap<TopicName, u32>,
    members: &[MemberSubscription],
) -> Assignment {
    assign_in_racks(kind, partitions_per_topic, &PartitionRacks::new(), members)
}

/// The same, where brokers have racks (KIP-881).
#[must_use]
pub fn assign_in_racks(
    kind: AssignorKind,
    partitions_per_topic: &SortedMap<TopicName, u32>,
    racks: &PartitionRacks,
    members: &[MemberSubscription],
) -> Assignment {
    if members.is_empty() {
        return Vec::new();
    }
    let group = Group::new(partitions_per_topic, racks, members);
    group.named(&match kind {
        AssignorKind::Range => range::assign(&group),
        AssignorKind::RoundRobin => round_robin::assign(&group),
        AssignorKind::Sticky => sticky::assign(&group).held,
        AssignorKind::CooperativeSticky => cooperative_sticky::assign(&group),
    })
}
