//! What is asked of the controller: a client asks any broker, which hands it on
//! (Kafka's `ForwardingManager`).

use crate::controller::records::ConfigResource;
use crate::error::KafkaError;
use crate::ids::{BrokerId, TopicName, TopicPartition};
use crate::net::message::PartitionOutcomes;
use crate::scope;

/// A request to the controller.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AdminRequest {
    /// Make a topic.
    CreateTopic(CreatableTopic),
    /// Remove topics.
    DeleteTopics(Vec<TopicName>),
    /// Add partitions to a topic.
    CreatePartitions {
        /// The topic.
        topic: TopicName,
        /// How many there shall be.
        count: i32,
        /// Brokers for each new partition; empty: Kafka chooses.
        assignment: Vec<Vec<BrokerId>>,
    },
    /// Set entries, or take them away (`IncrementalAlterConfigs`).
    AlterConfigs {
        /// Of what.
        resource: ConfigResource,
        /// Each key with its new value; `None`: the default counts again.
        changes: Vec<(String, Option<String>)>,
    },
    /// Elect leaders; `None`: of all partitions that need it.
    ElectLeaders {
        /// Who may be elected.
        kind: ElectionType,
        /// Of these partitions.
        partitions: Option<Vec<TopicPartition>>,
    },
}

/// What the controller answers, in the order of `AdminRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AdminAnswer {
    /// The topic was made, or why not.
    TopicCreated(Result<TopicName, KafkaError>),
    /// Of each topic whether it is gone.
    TopicsDeleted(Vec<(TopicName, Result<(), KafkaError>)>),
    /// The partitions were added, or why not.
    PartitionsCreated(Result<(), KafkaError>),
    /// The entries count now, or why not.
    ConfigsAltered(Result<(), KafkaError>),
    /// Of each partition whether a leader was elected.
    LeadersElected(PartitionOutcomes),
    /// Nothing came of the whole request.
    ElectionFailed(KafkaError),
}

impl AdminRequest {
    /// Kafka's name of the request.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::CreateTopic(_) => "CreateTopics",
            Self::DeleteTopics(_) => "DeleteTopics",
            Self::CreatePartitions { .. } => "CreatePartitions",
            Self::AlterConfigs { .. } => "IncrementalAlterConfigs",
            Self::ElectLeaders { .. } => "ElectLeaders",
        }
    }

    /// What Kafka's admin client calls it in its messages.
    #[must_use]
    pub fn call_name(&self) -> &'static str {
        match self {
            Self::CreateTopic(_) => "createTopics",
            Self::DeleteTopics(_) => "deleteTopics",
            Self::CreatePartitions { .. } => "createPartitions",
            Self::AlterConfigs { .. } => "incrementalAlterConfigs",
            Self::ElectLeaders { .. } => "electLeaders",
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
                let topics = topics.iter().map(|topic| (topic.clone(), failed()));
                AdminAnswer::TopicsDeleted(topics.collect())
            }
            Self::CreatePartitions { .. } => AdminAnswer::PartitionsCreated(failed()),
            Self::AlterConfigs { .. } => AdminAnswer::ConfigsAltered(failed()),
            Self::ElectLeaders { .. } => AdminAnswer::ElectionFailed(error.clone()),
        }
    }
}

impl AdminAnswer {
    /// Kafka's name of the request that is answered.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::TopicCreated(_) => "CreateTopics",
            Self::TopicsDeleted(_) => "DeleteTopics",
            Self::PartitionsCreated(_) => "CreatePartitions",
            Self::ConfigsAltered(_) => "IncrementalAlterConfigs",
            Self::LeadersElected(_) | Self::ElectionFailed(_) => "ElectLeaders",
        }
    }
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
