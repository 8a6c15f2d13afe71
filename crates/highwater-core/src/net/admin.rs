//! What is asked of the controller: a client asks any broker, which hands it on
//! (Kafka's `ForwardingManager`).

use std::rc::Rc;

use crate::controller::quorum::QuorumInfo;
use crate::controller::records::{ConfigResource, PartitionImage};
use crate::error::KafkaError;
use crate::ids::{BrokerId, TopicName, TopicPartition};
use crate::net::message::PartitionOutcomes;
use crate::scope::{self, Lab};

/// A request to the controller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AdminRequest {
    /// Make a topic.
    CreateTopic(CreatableTopic),
    /// Remove topics.
    DeleteTopics(Lab<Vec<TopicName>>),
    /// Add partitions to a topic.
    CreatePartitions(Lab<MorePartitions>),
    /// Set entries, or take them away (`IncrementalAlterConfigs`).
    AlterConfigs(Lab<ConfigChanges>),
    /// Elect leaders; `None`: of all partitions that need it.
    ElectLeaders {
        /// Who may be elected.
        kind: ElectionType,
        /// Of these partitions.
        partitions: Lab<Option<Vec<TopicPartition>>>,
    },
    /// Move partitions to other brokers, or call moves off.
    AlterPartitionReassignments(Lab<Reassignments>),
    /// Which moves are under way; `None`: of all partitions.
    ListPartitionReassignments(Lab<Option<Vec<TopicPartition>>>),
    /// Who leads the metadata quorum, and how far are its readers?
    DescribeQuorum,
}

/// What the controller answers, in the order of `AdminRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AdminAnswer {
    /// The topic was made, or why not.
    TopicCreated(Result<TopicName, KafkaError>),
    /// Of each topic whether it is gone.
    TopicsDeleted(Lab<Vec<(TopicName, Result<(), KafkaError>)>>),
    /// The partitions were added, or why not.
    PartitionsCreated(Lab<Result<(), KafkaError>>),
    /// The entries count now, or why not.
    ConfigsAltered(Lab<Result<(), KafkaError>>),
    /// Of each partition whether a leader was elected.
    LeadersElected(Lab<PartitionOutcomes>),
    /// Nothing came of the whole request.
    ElectionFailed(Lab<KafkaError>),
    /// Of each partition whether its move has begun, or was called off.
    ReassignmentsAltered(Lab<PartitionOutcomes>),
    /// The moves that are under way, or why they are not known.
    ReassignmentsListed(Lab<OngoingReassignments>),
    /// The metadata quorum, or why nothing is known of it.
    QuorumDescribed(Lab<Result<QuorumInfo, KafkaError>>),
}

impl AdminRequest {
    /// Kafka's name of the request.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::CreateTopic(_) => "CreateTopics",
            _ if !scope::CLUSTER => "",
            Self::DeleteTopics(_) => "DeleteTopics",
            Self::CreatePartitions(_) => "CreatePartitions",
            Self::AlterConfigs(_) => "IncrementalAlterConfigs",
            Self::ElectLeaders { .. } => "ElectLeaders",
            Self::AlterPartitionReassignments(_) => "AlterPartitionReassignments",
            Self::ListPartitionReassignments(_) => "ListPartitionReassignments",
            Self::DescribeQuorum => "DescribeQuorum",
        }
    }

    /// What Kafka's admin client calls it in its messages.
    #[must_use]
    pub fn call_name(&self) -> &'static str {
        match self {
            Self::CreateTopic(_) => "createTopics",
            _ if !scope::CLUSTER => "",
            Self::DeleteTopics(_) => "deleteTopics",
            Self::CreatePartitions(_) => "createPartitions",
            Self::AlterConfigs(_) => "incrementalAlterConfigs",
            Self::ElectLeaders { .. } => "electLeaders",
            Self::AlterPartitionReassignments(_) => "alterPartitionReassignments",
            Self::ListPartitionReassignments(_) => "listPartitionReassignments",
            Self::DescribeQuorum => "describeMetadataQuorum",
        }
    }

    /// Whether Kafka's tool for it waits half as long as others.
    #[must_use]
    pub fn is_urgent(&self) -> bool {
        matches!(self, Self::ElectLeaders { .. } | Self::AlterConfigs { .. })
    }

    /// The answer that says why nothing was done.
    #[must_use]
    pub fn failed(&self, error: &KafkaError) -> AdminAnswer {
        let failed = || Err(error.clone());
        match self {
            _ if !scope::CLUSTER => AdminAnswer::TopicCreated(Err(error.clone())),
            Self::CreateTopic(_) => AdminAnswer::TopicCreated(Err(error.clone())),
            Self::DeleteTopics(topics) => {
                let topics = topics.known().iter().map(|topic| (topic.clone(), failed()));
                AdminAnswer::TopicsDeleted(Lab::new(topics.collect()))
            }
            Self::CreatePartitions(_) => AdminAnswer::PartitionsCreated(Lab::new(failed())),
            Self::AlterConfigs(_) => AdminAnswer::ConfigsAltered(Lab::new(failed())),
            Self::ElectLeaders { .. } => AdminAnswer::ElectionFailed(Lab::new(error.clone())),
            Self::AlterPartitionReassignments(moves) => {
                let moves = moves.known().partitions.iter();
                let outcomes = moves.map(|(which, _)| (which.clone(), failed())).collect();
                AdminAnswer::ReassignmentsAltered(Lab::new(Rc::new(outcomes)))
            }
            Self::ListPartitionReassignments(_) => {
                AdminAnswer::ReassignmentsListed(Lab::new(Err(error.clone())))
            }
            Self::DescribeQuorum => AdminAnswer::QuorumDescribed(Lab::new(Err(error.clone()))),
        }
    }
}

impl AdminAnswer {
    /// Kafka's name of the request that is answered.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::TopicCreated(_) => "CreateTopics",
            _ if !scope::CLUSTER => "",
            Self::TopicsDeleted(_) => "DeleteTopics",
            Self::PartitionsCreated(_) => "CreatePartitions",
            Self::ConfigsAltered(_) => "IncrementalAlterConfigs",
            Self::LeadersElected(_) | Self::ElectionFailed(_) => "ElectLeaders",
            Self::ReassignmentsAltered(_) => "AlterPartitionReassignments",
            Self::ReassignmentsListed(_) => "ListPartitionReassignments",
            Self::QuorumDescribed(_) => "DescribeQuorum",
        }
    }
}

/// More partitions for a topic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MorePartitions {
    /// The topic.
    pub topic: TopicName,
    /// How many there shall be.
    pub count: i32,
    /// Brokers for each new partition; empty: Kafka chooses.
    pub assignment: Vec<Vec<BrokerId>>,
}

/// Partitions that shall move to other brokers (KIP-455).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reassignments {
    /// Each partition with its new replicas; `None`: its move is called off.
    pub partitions: Vec<(TopicPartition, Option<Vec<BrokerId>>)>,
    /// Whether a partition may have more or fewer replicas than before.
    pub allow_replication_factor_change: bool,
}

/// The moves that are under way, sorted by partition, or why they are not known.
pub type OngoingReassignments = Result<Rc<Vec<(TopicPartition, Rc<PartitionImage>)>>, KafkaError>;

/// Entries to be set or taken away.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConfigChanges {
    /// Of what.
    pub resource: ConfigResource,
    /// Each key with its new value; `None`: the default counts again.
    pub changes: Vec<(String, Option<String>)>,
}

/// A topic to be made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CreatableTopic {
    /// Its name, not yet checked.
    pub name: TopicName,
    /// How many partitions; `None`: the broker's `num.partitions`.
    pub partitions: Option<i32>,
    /// How many replicas each; `None`: the broker's `default.replication.factor`.
    pub replication_factor: Option<i32>,
    /// Brokers for each partition, preferred leader first; empty: Kafka chooses.
    pub assignment: Vec<Vec<BrokerId>>,
    /// Topic configuration, not yet checked.
    pub configs: Vec<(String, String)>,
}

/// Who may be elected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElectionType {
    /// The first replica of the assignment.
    Preferred,
    /// Anybody who is there, also one that is not in sync.
    Unclean,
}
