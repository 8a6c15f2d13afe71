//! Deliberate faults in the rules, switched on one by one by tests that see whether the invariants
//! notice (feature `mutations`). In every other build none of them exists.

/// A rule that is broken on purpose.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Mutation {
    /// All rules are Kafka's.
    #[default]
    None,
    /// The leader commits what it alone has.
    HighWatermarkIgnoresFollowers,
    /// The high watermark moves also while too few replicas are in sync.
    MinIsrIgnored,
    /// Anybody who is there may be elected.
    ElectionIgnoresIsr,
    /// A follower keeps what its leader does not have.
    NoTruncation,
    /// A follower joins the in-sync replicas before it has caught up.
    ExpandTooEarly,
    /// A broker that comes back from a crash counts as whole.
    UncleanShutdownIgnored,
    /// A fenced broker stays in sync.
    FencedStaysInIsr,
    /// A follower takes the leader's high watermark as it is.
    FollowerHighWatermarkUnbounded,
    /// `acks=all` is answered after the leader's append.
    AckBeforeCommit,
    /// Eligible replicas stay so when enough others are in sync again.
    ElrNotCleared,
    /// The leader does not look at sequence numbers.
    SequencesUnchecked,
    /// A producer gives the sequence number of a batch that it gave up to the next one.
    SequenceReusedAfterExpiry,
    /// A producer gives a batch that it sends again a new sequence number.
    RetriedWithNewSequence,
    /// A reassignment is complete before what it adds is in sync.
    ReassignmentCompletesEarly,
    /// A replica that is taken away does not begin a new leader epoch.
    RemovedReplicaKeepsEpoch,
    /// Nobody asks from which run of a broker's process something comes (KIP-903).
    BrokerEpochIgnored,
    /// The leader of a group gives a partition to two members.
    PartitionGivenTwice,
    /// A member keeps what another one has got.
    RevokedPartitionKept,
    /// A member commits one record more than it has read.
    CommittedTooFar,
    /// A member joins again without a commit of what it has read.
    RejoinedWithoutCommit,
    /// A member begins at the end, wherever its settings tell it to.
    BeginsAtTheEnd,
}

impl Mutation {
    /// Every one of brokers, controller and producers.
    pub const ALL: [Self; 16] = [
        Self::HighWatermarkIgnoresFollowers,
        Self::MinIsrIgnored,
        Self::ElectionIgnoresIsr,
        Self::NoTruncation,
        Self::ExpandTooEarly,
        Self::UncleanShutdownIgnored,
        Self::FencedStaysInIsr,
        Self::FollowerHighWatermarkUnbounded,
        Self::AckBeforeCommit,
        Self::ElrNotCleared,
        Self::SequencesUnchecked,
        Self::SequenceReusedAfterExpiry,
        Self::RetriedWithNewSequence,
        Self::ReassignmentCompletesEarly,
        Self::RemovedReplicaKeepsEpoch,
        Self::BrokerEpochIgnored,
    ];

    /// Every one of members of groups.
    pub const OF_GROUPS: [Self; 5] = [
        Self::PartitionGivenTwice,
        Self::RevokedPartitionKept,
        Self::CommittedTooFar,
        Self::RejoinedWithoutCommit,
        Self::BeginsAtTheEnd,
    ];

    /// Whether this one is switched on.
    #[must_use]
    pub fn is(self, other: Self) -> bool {
        cfg!(feature = "mutations") && self == other
    }
}
