//! What can go wrong: what Kafka answers (`KafkaError`), and what a person asked of the simulator
//! that makes no sense (`CommandError`).

mod command;
mod groups;
mod producers;

use crate::scope;

pub use crate::error::command::CommandError;

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
    /// UNKNOWN_PRODUCER_ID
    UnknownProducerId,
    /// COORDINATOR_LOAD_IN_PROGRESS
    CoordinatorLoadInProgress,
    /// INVALID_RECORD
    InvalidRecord,
    /// LEADER_NOT_AVAILABLE
    LeaderNotAvailable,
    /// NOT_CONTROLLER
    NotController,
    /// NOT_ENOUGH_REPLICAS
    NotEnoughReplicas,
    /// NOT_ENOUGH_REPLICAS_AFTER_APPEND
    NotEnoughReplicasAfterAppend,
    /// INVALID_REQUEST
    InvalidRequest,
    /// FETCH_SESSION_ID_NOT_FOUND
    FetchSessionIdNotFound,
    /// INVALID_FETCH_SESSION_EPOCH
    InvalidFetchSessionEpoch,
    /// FENCED_LEADER_EPOCH
    FencedLeaderEpoch,
    /// UNKNOWN_LEADER_EPOCH
    UnknownLeaderEpoch,
    /// STALE_BROKER_EPOCH
    StaleBrokerEpoch,
    /// PREFERRED_LEADER_NOT_AVAILABLE
    PreferredLeaderNotAvailable,
    /// ELIGIBLE_LEADERS_NOT_AVAILABLE
    EligibleLeadersNotAvailable,
    /// ELECTION_NOT_NEEDED
    ElectionNotNeeded,
    /// DUPLICATE_BROKER_REGISTRATION
    DuplicateBrokerRegistration,
    /// INVALID_UPDATE_VERSION
    InvalidUpdateVersion,
    /// INELIGIBLE_REPLICA
    IneligibleReplica,
    /// TOPIC_DELETION_DISABLED
    TopicDeletionDisabled,
    /// NEW_LEADER_ELECTED
    NewLeaderElected,
    /// NO_REASSIGNMENT_IN_PROGRESS
    NoReassignmentInProgress,
    /// LOG_DIR_NOT_FOUND
    LogDirNotFound,
    /// REPLICA_NOT_AVAILABLE
    ReplicaNotAvailable,
    /// OFFSET_METADATA_TOO_LARGE
    OffsetMetadataTooLarge,
    /// COORDINATOR_NOT_AVAILABLE
    CoordinatorNotAvailable,
    /// NOT_COORDINATOR
    NotCoordinator,
    /// ILLEGAL_GENERATION
    IllegalGeneration,
    /// INCONSISTENT_GROUP_PROTOCOL
    InconsistentGroupProtocol,
    /// INVALID_GROUP_ID
    InvalidGroupId,
    /// UNKNOWN_MEMBER_ID
    UnknownMemberId,
    /// INVALID_SESSION_TIMEOUT
    InvalidSessionTimeout,
    /// REBALANCE_IN_PROGRESS
    RebalanceInProgress,
    /// INVALID_COMMIT_OFFSET_SIZE
    InvalidCommitOffsetSize,
    /// NON_EMPTY_GROUP
    NonEmptyGroup,
    /// GROUP_ID_NOT_FOUND
    GroupIdNotFound,
    /// MEMBER_ID_REQUIRED
    MemberIdRequired,
    /// GROUP_MAX_SIZE_REACHED
    GroupMaxSizeReached,
    /// FENCED_INSTANCE_ID
    FencedInstanceId,
    /// GROUP_SUBSCRIBED_TO_TOPIC
    GroupSubscribedToTopic,
    /// NETWORK_EXCEPTION
    Network,
    /// UNKNOWN_SERVER_ERROR
    UnknownServerError,
    /// A client gave up waiting (`TimeoutException` in the client), or a broker did for it.
    Timeout,
    /// UNKNOWN_TOPIC_ID
    UnknownTopicId,
    /// A producer gave up waiting for memory of its own.
    BufferExhausted,
    /// A client was asked for what cannot be (Java's `IllegalArgumentException`).
    IllegalArgument,
    /// Real Kafka can do it, Highwater cannot yet. The message says what, and what to do instead.
    NotModelled,
}

/// What is known of an error: its name in the protocol, the class that Kafka's tools print in front
/// of the message, and Kafka's default text.
type Entry = (ErrorCode, &'static str, &'static str, &'static str);

impl ErrorCode {
    /// The name in the protocol.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.entry().1
    }

    /// The class that Kafka's tools print in front of the message.
    #[must_use]
    pub fn exception(self) -> &'static str {
        self.entry().2
    }

    /// Kafka's default text.
    #[must_use]
    pub fn default_message(self) -> &'static str {
        self.entry().3
    }

    fn entry(self) -> &'static Entry {
        let rarer: &[&[Entry]] =
            if scope::CLUSTER { &[RARER, groups::ENTRIES, producers::ENTRIES] } else { &[] };
        let rarer = rarer.iter().copied().flatten();
        COMMON.iter().chain(rarer).find(|entry| entry.0 == self).unwrap_or(&UNKNOWN)
    }
}

const UNKNOWN: Entry = (
    ErrorCode::NotModelled,
    "UNKNOWN_SERVER_ERROR",
    "org.apache.kafka.common.errors.UnknownServerException",
    "The server experienced an unexpected error when processing the request.",
);

const COMMON: &[Entry] = &[
    (
        ErrorCode::OffsetOutOfRange,
        "OFFSET_OUT_OF_RANGE",
        "org.apache.kafka.common.errors.OffsetOutOfRangeException",
        "The requested offset is not within the range of offsets maintained by the \
             server.",
    ),
    (
        ErrorCode::UnknownTopicOrPartition,
        "UNKNOWN_TOPIC_OR_PARTITION",
        "org.apache.kafka.common.errors.UnknownTopicOrPartitionException",
        "This server does not host this topic-partition.",
    ),
    (
        ErrorCode::NotLeaderOrFollower,
        "NOT_LEADER_OR_FOLLOWER",
        "org.apache.kafka.common.errors.NotLeaderOrFollowerException",
        "For requests intended only for the leader, this error indicates that the \
             broker is not the current leader. For requests intended for any replica, this \
             error indicates that the broker is not a replica of the topic partition.",
    ),
    (
        ErrorCode::MessageTooLarge,
        "MESSAGE_TOO_LARGE",
        "org.apache.kafka.common.errors.RecordTooLargeException",
        "The request included a message larger than the max message size the server \
             will accept.",
    ),
    (
        ErrorCode::InvalidTopic,
        "INVALID_TOPIC_EXCEPTION",
        "org.apache.kafka.common.errors.InvalidTopicException",
        "The request attempted to perform an operation on an invalid topic.",
    ),
    (
        ErrorCode::TopicAlreadyExists,
        "TOPIC_ALREADY_EXISTS",
        "org.apache.kafka.common.errors.TopicExistsException",
        "Topic with this name already exists.",
    ),
    (
        ErrorCode::InvalidPartitions,
        "INVALID_PARTITIONS",
        "org.apache.kafka.common.errors.InvalidPartitionsException",
        "Number of partitions is below 1.",
    ),
    (
        ErrorCode::InvalidReplicationFactor,
        "INVALID_REPLICATION_FACTOR",
        "org.apache.kafka.common.errors.InvalidReplicationFactorException",
        "Replication factor is below 1 or larger than the number of available brokers.",
    ),
    (
        ErrorCode::InvalidReplicaAssignment,
        "INVALID_REPLICA_ASSIGNMENT",
        "org.apache.kafka.common.errors.InvalidReplicaAssignmentException",
        "Replica assignment is invalid.",
    ),
    (
        ErrorCode::InvalidConfig,
        "INVALID_CONFIG",
        "org.apache.kafka.common.errors.InvalidConfigurationException",
        "Configuration is invalid.",
    ),
    (
        ErrorCode::UnsupportedVersion,
        "UNSUPPORTED_VERSION",
        "org.apache.kafka.common.errors.UnsupportedVersionException",
        "The version of API is not supported.",
    ),
    (
        ErrorCode::Timeout,
        "REQUEST_TIMED_OUT",
        "org.apache.kafka.common.errors.TimeoutException",
        "The request timed out.",
    ),
    (
        ErrorCode::NotModelled,
        "NOT_MODELLED",
        "highwater.NotModelledYet",
        "Highwater does not model this yet.",
    ),
];

/// Errors that one healthy broker does not give.
const RARER: &[Entry] = &[
    (
        ErrorCode::CorruptMessage,
        "CORRUPT_MESSAGE",
        "org.apache.kafka.common.errors.CorruptRecordException",
        "This message has failed its CRC checksum, exceeds the valid size, has a null \
             key for a compacted topic, or is otherwise corrupt.",
    ),
    (
        ErrorCode::RecordListTooLarge,
        "RECORD_LIST_TOO_LARGE",
        "org.apache.kafka.common.errors.RecordBatchTooLargeException",
        "The request included message batch larger than the configured segment size on \
             the server.",
    ),
    (
        ErrorCode::InvalidTimestamp,
        "INVALID_TIMESTAMP",
        "org.apache.kafka.common.errors.InvalidTimestampException",
        "The timestamp of the message is out of acceptable range.",
    ),
    (
        ErrorCode::PolicyViolation,
        "POLICY_VIOLATION",
        "org.apache.kafka.common.errors.PolicyViolationException",
        "Request parameters do not satisfy the configured policy.",
    ),
    (
        ErrorCode::OutOfOrderSequenceNumber,
        "OUT_OF_ORDER_SEQUENCE_NUMBER",
        "org.apache.kafka.common.errors.OutOfOrderSequenceException",
        "The broker received an out of order sequence number.",
    ),
    (
        ErrorCode::DuplicateSequenceNumber,
        "DUPLICATE_SEQUENCE_NUMBER",
        "org.apache.kafka.common.errors.DuplicateSequenceException",
        "The broker received a duplicate sequence number.",
    ),
    (
        ErrorCode::InvalidProducerEpoch,
        "INVALID_PRODUCER_EPOCH",
        "org.apache.kafka.common.errors.InvalidProducerEpochException",
        "Producer attempted to produce with an old epoch.",
    ),
    (
        ErrorCode::UnknownProducerId,
        "UNKNOWN_PRODUCER_ID",
        "org.apache.kafka.common.errors.UnknownProducerIdException",
        "This exception is raised by the broker if it could not locate the producer metadata \
             associated with the producerId in question. This could happen if, for instance, the \
             producer's records were deleted because their retention time had elapsed. Once the \
             last records of the producerId are removed, the producer's metadata is removed from \
             the broker, and future appends by the producer will return this exception.",
    ),
    (
        ErrorCode::CoordinatorLoadInProgress,
        "COORDINATOR_LOAD_IN_PROGRESS",
        "org.apache.kafka.common.errors.CoordinatorLoadInProgressException",
        "The coordinator is loading and hence can't process requests.",
    ),
    (
        ErrorCode::InvalidRecord,
        "INVALID_RECORD",
        "org.apache.kafka.common.InvalidRecordException",
        "This record has failed the validation on broker and hence will be rejected.",
    ),
    (
        ErrorCode::LeaderNotAvailable,
        "LEADER_NOT_AVAILABLE",
        "org.apache.kafka.common.errors.LeaderNotAvailableException",
        "There is no leader for this topic-partition as we are in the middle of a \
             leadership election.",
    ),
    (
        ErrorCode::NotController,
        "NOT_CONTROLLER",
        "org.apache.kafka.common.errors.NotControllerException",
        "This is not the correct controller for this cluster.",
    ),
    (
        ErrorCode::NotEnoughReplicas,
        "NOT_ENOUGH_REPLICAS",
        "org.apache.kafka.common.errors.NotEnoughReplicasException",
        "Messages are rejected since there are fewer in-sync replicas than required.",
    ),
    (
        ErrorCode::NotEnoughReplicasAfterAppend,
        "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
        "org.apache.kafka.common.errors.NotEnoughReplicasAfterAppendException",
        "Messages are written to the log, but to fewer in-sync replicas than required.",
    ),
    (
        ErrorCode::InvalidRequest,
        "INVALID_REQUEST",
        "org.apache.kafka.common.errors.InvalidRequestException",
        "This most likely occurs because of a request being malformed by the client \
             library or the message was sent to an incompatible broker. See the broker logs \
             for more details.",
    ),
    (
        ErrorCode::FetchSessionIdNotFound,
        "FETCH_SESSION_ID_NOT_FOUND",
        "org.apache.kafka.common.errors.FetchSessionIdNotFoundException",
        "The fetch session ID was not found.",
    ),
    (
        ErrorCode::InvalidFetchSessionEpoch,
        "INVALID_FETCH_SESSION_EPOCH",
        "org.apache.kafka.common.errors.InvalidFetchSessionEpochException",
        "The fetch session epoch is invalid.",
    ),
    (
        ErrorCode::FencedLeaderEpoch,
        "FENCED_LEADER_EPOCH",
        "org.apache.kafka.common.errors.FencedLeaderEpochException",
        "The leader epoch in the request is older than the epoch on the broker.",
    ),
    (
        ErrorCode::UnknownLeaderEpoch,
        "UNKNOWN_LEADER_EPOCH",
        "org.apache.kafka.common.errors.UnknownLeaderEpochException",
        "The leader epoch in the request is newer than the epoch on the broker.",
    ),
    (
        ErrorCode::StaleBrokerEpoch,
        "STALE_BROKER_EPOCH",
        "org.apache.kafka.common.errors.StaleBrokerEpochException",
        "Broker epoch has changed.",
    ),
    (
        ErrorCode::PreferredLeaderNotAvailable,
        "PREFERRED_LEADER_NOT_AVAILABLE",
        "org.apache.kafka.common.errors.PreferredLeaderNotAvailableException",
        "The preferred leader was not available.",
    ),
    (
        ErrorCode::EligibleLeadersNotAvailable,
        "ELIGIBLE_LEADERS_NOT_AVAILABLE",
        "org.apache.kafka.common.errors.EligibleLeadersNotAvailableException",
        "Eligible topic partition leaders are not available.",
    ),
    (
        ErrorCode::ElectionNotNeeded,
        "ELECTION_NOT_NEEDED",
        "org.apache.kafka.common.errors.ElectionNotNeededException",
        "Leader election not needed for topic partition.",
    ),
    (
        ErrorCode::DuplicateBrokerRegistration,
        "DUPLICATE_BROKER_REGISTRATION",
        "org.apache.kafka.common.errors.DuplicateBrokerRegistrationException",
        "This broker ID is already in use.",
    ),
    (
        ErrorCode::InvalidUpdateVersion,
        "INVALID_UPDATE_VERSION",
        "org.apache.kafka.common.errors.InvalidUpdateVersionException",
        "The given update version was invalid.",
    ),
    (
        ErrorCode::IneligibleReplica,
        "INELIGIBLE_REPLICA",
        "org.apache.kafka.common.errors.IneligibleReplicaException",
        "The new ISR contains at least one ineligible replica.",
    ),
    (
        ErrorCode::TopicDeletionDisabled,
        "TOPIC_DELETION_DISABLED",
        "org.apache.kafka.common.errors.TopicDeletionDisabledException",
        "Topic deletion is disabled.",
    ),
    (
        ErrorCode::NewLeaderElected,
        "NEW_LEADER_ELECTED",
        "org.apache.kafka.common.errors.NewLeaderElectedException",
        "The AlterPartition request successfully updated the partition state but the leader has \
             changed.",
    ),
    (
        ErrorCode::NoReassignmentInProgress,
        "NO_REASSIGNMENT_IN_PROGRESS",
        "org.apache.kafka.common.errors.NoReassignmentInProgressException",
        "No partition reassignment is in progress.",
    ),
    (
        ErrorCode::LogDirNotFound,
        "LOG_DIR_NOT_FOUND",
        "org.apache.kafka.common.errors.LogDirNotFoundException",
        "The user-specified log directory is not found in the broker config.",
    ),
    (
        ErrorCode::ReplicaNotAvailable,
        "REPLICA_NOT_AVAILABLE",
        "org.apache.kafka.common.errors.ReplicaNotAvailableException",
        "The replica is not available for the requested topic-partition. Produce/Fetch requests \
             and other requests intended only for the leader or follower return \
             NOT_LEADER_OR_FOLLOWER if the broker is not a replica of the topic-partition.",
    ),
    (
        ErrorCode::Network,
        "NETWORK_EXCEPTION",
        "org.apache.kafka.common.errors.NetworkException",
        "The server disconnected before a response was received.",
    ),
];
