//! What can go wrong: what Kafka answers (`KafkaError`), and what a person asked of the simulator
//! that makes no sense (`CommandError`).

use std::fmt;

/// An error that a broker or the controller answers with, and its text. Kafka's names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct KafkaError {
    /// Which of Kafka's errors.
    pub code: ErrorCode,
    /// What it says; tools print it as it is.
    pub message: String,
}

impl KafkaError {
    /// An error with a text of its own.
    #[must_use]
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// An error with the text that Kafka gives it by default.
    #[must_use]
    pub fn plain(code: ErrorCode) -> Self {
        Self::new(code, code.default_message())
    }
}

/// Kafka's protocol errors (`org.apache.kafka.common.protocol.Errors`), as far as they occur here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorCode {
    /// OFFSET_OUT_OF_RANGE
    OffsetOutOfRange,
    /// UNKNOWN_TOPIC_OR_PARTITION
    UnknownTopicOrPartition,
    /// NOT_LEADER_OR_FOLLOWER
    NotLeaderOrFollower,
    /// MESSAGE_TOO_LARGE
    MessageTooLarge,
    /// INVALID_TOPIC_EXCEPTION
    InvalidTopic,
    /// TOPIC_ALREADY_EXISTS
    TopicAlreadyExists,
    /// INVALID_PARTITIONS
    InvalidPartitions,
    /// INVALID_REPLICATION_FACTOR
    InvalidReplicationFactor,
    /// INVALID_REPLICA_ASSIGNMENT
    InvalidReplicaAssignment,
    /// INVALID_CONFIG
    InvalidConfig,
    /// UNSUPPORTED_VERSION
    UnsupportedVersion,
    /// CORRUPT_MESSAGE
    CorruptMessage,
    /// RECORD_LIST_TOO_LARGE
    RecordListTooLarge,
    /// INVALID_TIMESTAMP
    InvalidTimestamp,
    /// POLICY_VIOLATION
    PolicyViolation,
    /// OUT_OF_ORDER_SEQUENCE_NUMBER
    OutOfOrderSequenceNumber,
    /// DUPLICATE_SEQUENCE_NUMBER
    DuplicateSequenceNumber,
    /// INVALID_PRODUCER_EPOCH
    InvalidProducerEpoch,
    /// INVALID_RECORD
    InvalidRecord,
    /// A client gave up waiting (`TimeoutException` in the client, no answer of a broker).
    Timeout,
    /// Real Kafka can do it, Highwater cannot yet. The message says what, and what to do instead.
    NotModelled,
}

impl ErrorCode {
    /// The name in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OffsetOutOfRange => "OFFSET_OUT_OF_RANGE",
            Self::UnknownTopicOrPartition => "UNKNOWN_TOPIC_OR_PARTITION",
            Self::NotLeaderOrFollower => "NOT_LEADER_OR_FOLLOWER",
            Self::MessageTooLarge => "MESSAGE_TOO_LARGE",
            Self::InvalidTopic => "INVALID_TOPIC_EXCEPTION",
            Self::TopicAlreadyExists => "TOPIC_ALREADY_EXISTS",
            Self::InvalidPartitions => "INVALID_PARTITIONS",
            Self::InvalidReplicationFactor => "INVALID_REPLICATION_FACTOR",
            Self::InvalidReplicaAssignment => "INVALID_REPLICA_ASSIGNMENT",
            Self::InvalidConfig => "INVALID_CONFIG",
            Self::UnsupportedVersion => "UNSUPPORTED_VERSION",
            Self::CorruptMessage => "CORRUPT_MESSAGE",
            Self::RecordListTooLarge => "RECORD_LIST_TOO_LARGE",
            Self::InvalidTimestamp => "INVALID_TIMESTAMP",
            Self::PolicyViolation => "POLICY_VIOLATION",
            Self::OutOfOrderSequenceNumber => "OUT_OF_ORDER_SEQUENCE_NUMBER",
            Self::DuplicateSequenceNumber => "DUPLICATE_SEQUENCE_NUMBER",
            Self::InvalidProducerEpoch => "INVALID_PRODUCER_EPOCH",
            Self::InvalidRecord => "INVALID_RECORD",
            Self::Timeout => "REQUEST_TIMED_OUT",
            Self::NotModelled => "NOT_MODELLED",
        }
    }

    /// The class that Kafka's tools print in front of the message.
    #[must_use]
    pub fn exception(self) -> &'static str {
        match self {
            Self::OffsetOutOfRange => "org.apache.kafka.common.errors.OffsetOutOfRangeException",
            Self::UnknownTopicOrPartition => {
                "org.apache.kafka.common.errors.UnknownTopicOrPartitionException"
            }
            Self::NotLeaderOrFollower => {
                "org.apache.kafka.common.errors.NotLeaderOrFollowerException"
            }
            Self::MessageTooLarge => "org.apache.kafka.common.errors.RecordTooLargeException",
            Self::InvalidTopic => "org.apache.kafka.common.errors.InvalidTopicException",
            Self::TopicAlreadyExists => "org.apache.kafka.common.errors.TopicExistsException",
            Self::InvalidPartitions => "org.apache.kafka.common.errors.InvalidPartitionsException",
            Self::InvalidReplicationFactor => {
                "org.apache.kafka.common.errors.InvalidReplicationFactorException"
            }
            Self::InvalidReplicaAssignment => {
                "org.apache.kafka.common.errors.InvalidReplicaAssignmentException"
            }
            Self::InvalidConfig => "org.apache.kafka.common.errors.InvalidConfigurationException",
            Self::UnsupportedVersion => {
                "org.apache.kafka.common.errors.UnsupportedVersionException"
            }
            Self::CorruptMessage => "org.apache.kafka.common.errors.CorruptRecordException",
            Self::RecordListTooLarge => {
                "org.apache.kafka.common.errors.RecordBatchTooLargeException"
            }
            Self::InvalidTimestamp => "org.apache.kafka.common.errors.InvalidTimestampException",
            Self::PolicyViolation => "org.apache.kafka.common.errors.PolicyViolationException",
            Self::OutOfOrderSequenceNumber => {
                "org.apache.kafka.common.errors.OutOfOrderSequenceException"
            }
            Self::DuplicateSequenceNumber => {
                "org.apache.kafka.common.errors.DuplicateSequenceException"
            }
            Self::InvalidProducerEpoch => {
                "org.apache.kafka.common.errors.InvalidProducerEpochException"
            }
            Self::InvalidRecord => "org.apache.kafka.common.InvalidRecordException",
            Self::Timeout => "org.apache.kafka.common.errors.TimeoutException",
            Self::NotModelled => "highwater.NotModelledYet",
        }
    }

    /// Kafka's default text.
    #[must_use]
    pub fn default_message(self) -> &'static str {
        match self {
            Self::OffsetOutOfRange => {
                "The requested offset is not within the range of offsets maintained by the server."
            }
            Self::UnknownTopicOrPartition => "This server does not host this topic-partition.",
            Self::NotLeaderOrFollower => {
                "For requests intended only for the leader, this error indicates that the broker \
                 is not the current leader. For requests intended for any replica, this error \
                 indicates that the broker is not a replica of the topic partition."
            }
            Self::MessageTooLarge => {
                "The request included a message larger than the max message size the server will \
                 accept."
            }
            Self::InvalidTopic => {
                "The request attempted to perform an operation on an invalid topic."
            }
            Self::TopicAlreadyExists => "Topic with this name already exists.",
            Self::InvalidPartitions => "Number of partitions is below 1.",
            Self::InvalidReplicationFactor => {
                "Replication factor is below 1 or larger than the number of available brokers."
            }
            Self::InvalidReplicaAssignment => "Replica assignment is invalid.",
            Self::InvalidConfig => "Configuration is invalid.",
            Self::UnsupportedVersion => "The version of API is not supported.",
            Self::CorruptMessage => {
                "This message has failed its CRC checksum, exceeds the valid size, has a null key \
                 for a compacted topic, or is otherwise corrupt."
            }
            Self::RecordListTooLarge => {
                "The request included message batch larger than the configured segment size on the \
                 server."
            }
            Self::InvalidTimestamp => "The timestamp of the message is out of acceptable range.",
            Self::PolicyViolation => "Request parameters do not satisfy the configured policy.",
            Self::OutOfOrderSequenceNumber => {
                "The broker received an out of order sequence number."
            }
            Self::DuplicateSequenceNumber => "The broker received a duplicate sequence number.",
            Self::InvalidProducerEpoch => "Producer attempted to produce with an old epoch.",
            Self::InvalidRecord => {
                "This record has failed the validation on broker and hence will be rejected."
            }
            Self::Timeout => "The request timed out.",
            Self::NotModelled => "Highwater does not model this yet.",
        }
    }
}

/// What a person asked of the simulator that cannot be done. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CommandError {
    /// The input names a terminal that does not exist.
    NoSuchTerminal(u32),
    /// The input is larger than a terminal takes at once.
    InputTooLong {
        /// Its length in bytes.
        bytes: u64,
        /// The most that is taken.
        most: u64,
    },
    /// The input lies before the present of the world it was given to.
    InputInThePast,
    /// A cluster option is out of range; the text says which and what is possible.
    BadOption(&'static str),
}

impl fmt::Display for CommandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchTerminal(id) => write!(f, "there is no terminal {id}; open it first"),
            Self::InputTooLong { bytes, most } => {
                write!(f, "this input has {bytes} bytes and a terminal takes {most}; split it")
            }
            Self::InputInThePast => {
                f.write_str("this input lies in the past; seek there first, then give it")
            }
            Self::BadOption(what) => f.write_str(what),
        }
    }
}
