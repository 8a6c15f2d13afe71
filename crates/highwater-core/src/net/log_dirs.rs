//! What one broker is asked about the folders that hold its logs.

use crate::ids::{BrokerId, TopicPartition};
use crate::net::message::PartitionOutcomes;

/// The folder of a broker's logs, as on the recorded machine. There is only one.
#[must_use]
pub fn path_of(broker: BrokerId) -> String {
    format!("/tmp/kafka-logs-{broker}")
}

/// A question to one broker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LogDirsRequest {
    /// What is in its folders?
    Describe,
    /// Move replicas to these folders.
    Alter(Vec<(TopicPartition, String)>),
}

/// Answers, in the order of `LogDirsRequest`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LogDirsResponse {
    /// Its only folder.
    Described(LogDir),
    /// Of each replica whether it moves, or is there already.
    Altered(PartitionOutcomes),
}

/// A folder with logs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogDir {
    /// Its path.
    pub path: String,
    /// The replicas in it, sorted by partition.
    pub replicas: Vec<LogDirReplica>,
}

/// A replica in a folder.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogDirReplica {
    /// Of which partition.
    pub partition: TopicPartition,
    /// Bytes on disk.
    pub size: u64,
    /// How far its log ends before its high watermark.
    pub offset_lag: u64,
}

impl LogDirsRequest {
    /// Kafka's name of the request.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::Describe => "DescribeLogDirs",
            Self::Alter(_) => "AlterReplicaLogDirs",
        }
    }
}

impl LogDirsResponse {
    /// Kafka's name of the request that is answered.
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::Described(_) => "DescribeLogDirs",
            Self::Altered(_) => "AlterReplicaLogDirs",
        }
    }
}
