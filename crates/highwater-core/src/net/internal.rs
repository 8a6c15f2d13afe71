//! What brokers and the controller tell each other.

use std::rc::Rc;

use crate::controller::records::{MetadataRecord, PartitionImage};
use crate::error::KafkaError;
use crate::ids::{
    BrokerEpoch, BrokerId, LeaderEpoch, MessageId, Offset, PartitionEpoch, Rack, TopicPartition,
};
use crate::log::record::RecordBatch;
use crate::scope::{self, Always, Lab};
use crate::time::SimDuration;

/// What a broker says of itself when it registers, as its file has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Joining {
    /// Its port on localhost.
    pub port: u32,
    /// `broker.rack`
    pub rack: Rack,
    /// Whether all its folders of logs are cordoned.
    pub cordoned: bool,
    /// `broker.heartbeat.interval.ms`: from which the controller knows of heartbeats that are not played.
    pub heartbeat_interval: SimDuration,
}

/// A request of a broker to the controller, or of a follower to a leader.
#[derive(Debug)]
pub enum InternalRequest {
    /// Read the metadata log; the controller answers once there is more.
    FetchMetadataLog {
        /// The first offset of the metadata log that is wanted.
        from: u64,
    },
    /// A broker's process has started.
    BrokerRegistration {
        /// Its id.
        broker: BrokerId,
        /// Which run of its process this is.
        incarnation: u32,
        /// The epoch of its last run, if that ended cleanly.
        previous_epoch: Option<BrokerEpoch>,
        /// What its file says.
        joining: Lab<Joining>,
    },
    /// A broker is alive.
    BrokerHeartbeat {
        /// Its id.
        broker: BrokerId,
        /// Its registration.
        epoch: BrokerEpoch,
        /// How much of the metadata log it has replayed.
        metadata_offset: u64,
        /// Whether it wants to leave.
        want_shut_down: bool,
        /// Whether all its folders of logs are cordoned.
        cordoned: bool,
    },
    /// A leader proposes other in-sync replicas.
    AlterPartition {
        /// The leader.
        broker: BrokerId,
        /// Its registration.
        epoch: BrokerEpoch,
        /// What it proposes.
        partitions: Lab<Vec<IsrProposal>>,
    },
    /// A broker wants ids for producers.
    AllocateProducerIds {
        /// Its id.
        broker: BrokerId,
        /// Its registration.
        epoch: BrokerEpoch,
    },
    /// A follower reads on from the leader.
    Fetch(Always<ReplicaFetch>),
}

/// Answers, in the order of `InternalRequest`.
#[derive(Debug)]
pub enum InternalResponse {
    /// Records of the metadata log.
    MetadataLog {
        /// The offset of the first of them.
        from: u64,
        /// The records.
        records: Vec<Rc<MetadataRecord>>,
    },
    /// The epoch of the new registration, or why there is none.
    BrokerRegistration(Lab<Result<BrokerEpoch, KafkaError>>),
    /// What the controller thinks of the broker.
    BrokerHeartbeat(Lab<Result<HeartbeatState, KafkaError>>),
    /// Each partition as it is now, or why the proposal was refused.
    AlterPartition(Lab<Result<Vec<AlteredPartition>, KafkaError>>),
    /// Ids for producers, or why there are none.
    AllocateProducerIds(Lab<Result<ProducerIdsBlock, KafkaError>>),
    /// What the leader has for the follower, or why it does not know the session.
    Fetch(Always<Result<ReplicaNews, KafkaError>>),
}

/// Ids that one broker gives to producers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ProducerIdsBlock {
    /// The first of them.
    pub first: i64,
    /// How many there are.
    pub size: i64,
}

/// A partition after `AlterPartition`.
pub type AlteredPartition = (TopicPartition, Result<Rc<PartitionImage>, KafkaError>);

/// What the controller tells a broker with each heartbeat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct HeartbeatState {
    /// Whether it is fenced.
    pub is_fenced: bool,
    /// Whether its process may end now.
    pub should_shut_down: bool,
}

/// Other in-sync replicas, as a leader wants them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IsrProposal {
    /// Of this partition.
    pub partition: TopicPartition,
    /// As leader of this epoch.
    pub leader_epoch: LeaderEpoch,
    /// Knowing this state of the partition.
    pub partition_epoch: PartitionEpoch,
    /// These.
    pub new_isr: Vec<BrokerId>,
    /// The registration of each, as the leader knows it from its fetches (KIP-903); `None`: it has not
    /// fetched from this leader.
    pub broker_epochs: Vec<Option<BrokerEpoch>>,
}

/// What a leader has for a follower; partitions without news are left out.
pub type ReplicaNews = Vec<(TopicPartition, Result<ReplicaFetched, KafkaError>)>;

/// What a follower lets its leader wait for, and send, as all its fetches say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FetchLimits {
    /// `replica.fetch.wait.max.ms`
    pub max_wait: SimDuration,
    /// `replica.fetch.response.max.bytes`: of all partitions together.
    pub max_bytes: u64,
    /// `replica.fetch.max.bytes`: of one partition.
    pub partition_max_bytes: u64,
}

/// A follower's fetch within a session: only what has changed since the last one is named
/// (KIP-227).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplicaFetch {
    /// The follower.
    pub follower: BrokerId,
    /// Its registration.
    pub epoch: BrokerEpoch,
    /// The fetch that opened its session, which stands for Kafka's session id; `None`: this one opens a
    /// session, and whatever the leader knew of the last one is void.
    pub session: Option<MessageId>,
    /// The number of the fetch in its session (`SessionEpoch`), from 0 on.
    pub session_epoch: u32,
    /// How many answers of the session with content have come: after one that was lost, the leader reads
    /// anew.
    pub answers: u32,
    /// How long it may wait, and how much it may bring.
    pub limits: FetchLimits,
    /// Partitions with a new position, and new ones.
    pub partitions: Vec<ReplicaPosition>,
    /// Partitions that the follower does not fetch from this leader any more.
    pub forgotten: Vec<TopicPartition>,
}

/// Where a follower is in a partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplicaPosition {
    /// The partition.
    pub partition: TopicPartition,
    /// The epoch of the leader that it follows.
    pub leader_epoch: LeaderEpoch,
    /// Its log end: the next offset it wants.
    pub fetch_offset: Offset,
    /// The epoch of its last batch (KIP-595); `None`: its log is empty.
    pub last_fetched_epoch: Option<LeaderEpoch>,
    /// Its log start.
    pub log_start_offset: Offset,
}

/// What a leader has for a follower in one partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReplicaFetched {
    /// From where it was read. A follower whose log ends elsewhere by now takes nothing of it.
    pub fetch_offset: Offset,
    /// New batches.
    pub batches: Vec<Rc<RecordBatch>>,
    /// The leader's high watermark.
    pub high_watermark: Offset,
    /// The leader's log start.
    pub log_start_offset: Offset,
    /// The leader's log end.
    pub log_end_offset: Offset,
    /// Where the logs part: the last epoch that both know, and where it ends at the leader.
    pub diverging: Option<(LeaderEpoch, Offset)>,
    /// Whether the position lies outside the leader's log.
    pub out_of_range: bool,
}

impl ReplicaFetched {
    /// Whether there is nothing in it but offsets.
    #[must_use]
    pub fn is_bare(&self) -> bool {
        self.batches.is_empty() && self.diverging.is_none() && !self.out_of_range
    }
}

/// Whether an answer has more than offsets for some partition.
#[must_use]
pub fn has_content(news: &[(TopicPartition, Result<ReplicaFetched, KafkaError>)]) -> bool {
    news.iter().any(|(_, news)| !news.as_ref().is_ok_and(ReplicaFetched::is_bare))
}

impl InternalRequest {
    /// Kafka's name of the request.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::FetchMetadataLog { .. } | Self::Fetch(_) => "Fetch",
            _ if !scope::CLUSTER => "",
            Self::BrokerRegistration { .. } => "BrokerRegistration",
            Self::BrokerHeartbeat { .. } => "BrokerHeartbeat",
            Self::AlterPartition { .. } => "AlterPartition",
            Self::AllocateProducerIds { .. } => "AllocateProducerIds",
        }
    }
}

impl InternalResponse {
    /// Kafka's name of the request that is answered.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::MetadataLog { .. } | Self::Fetch(_) => "Fetch",
            _ if !scope::CLUSTER => "",
            Self::BrokerRegistration(_) => "BrokerRegistration",
            Self::BrokerHeartbeat(_) => "BrokerHeartbeat",
            Self::AlterPartition(_) => "AlterPartition",
            Self::AllocateProducerIds(_) => "AllocateProducerIds",
        }
    }
}
