//! Errors that have to do with groups.

use super::{Entry, ErrorCode};

/// Each with its name, its class, and its text.
pub(super) const ENTRIES: &[Entry] = &[
    (
        ErrorCode::OffsetMetadataTooLarge,
        "OFFSET_METADATA_TOO_LARGE",
        "org.apache.kafka.common.errors.OffsetMetadataTooLarge",
        "The metadata field of the offset request was too large.",
    ),
    (
        ErrorCode::CoordinatorNotAvailable,
        "COORDINATOR_NOT_AVAILABLE",
        "org.apache.kafka.common.errors.CoordinatorNotAvailableException",
        "The coordinator is not available.",
    ),
    (
        ErrorCode::NotCoordinator,
        "NOT_COORDINATOR",
        "org.apache.kafka.common.errors.NotCoordinatorException",
        "This is not the correct coordinator.",
    ),
    (
        ErrorCode::IllegalGeneration,
        "ILLEGAL_GENERATION",
        "org.apache.kafka.common.errors.IllegalGenerationException",
        "Specified group generation id is not valid.",
    ),
    (
        ErrorCode::InconsistentGroupProtocol,
        "INCONSISTENT_GROUP_PROTOCOL",
        "org.apache.kafka.common.errors.InconsistentGroupProtocolException",
        "The group member's supported protocols are incompatible with those of existing members \
             or first group member tried to join with empty protocol type or empty protocol list.",
    ),
    (
        ErrorCode::InvalidGroupId,
        "INVALID_GROUP_ID",
        "org.apache.kafka.common.errors.InvalidGroupIdException",
        "The group id is invalid.",
    ),
    (
        ErrorCode::UnknownMemberId,
        "UNKNOWN_MEMBER_ID",
        "org.apache.kafka.common.errors.UnknownMemberIdException",
        "The coordinator is not aware of this member.",
    ),
    (
        ErrorCode::InvalidSessionTimeout,
        "INVALID_SESSION_TIMEOUT",
        "org.apache.kafka.common.errors.InvalidSessionTimeoutException",
        "The session timeout is not within the range allowed by the broker (as configured by \
             group.min.session.timeout.ms and group.max.session.timeout.ms).",
    ),
    (
        ErrorCode::RebalanceInProgress,
        "REBALANCE_IN_PROGRESS",
        "org.apache.kafka.common.errors.RebalanceInProgressException",
        "The group is rebalancing, so a rejoin is needed.",
    ),
    (
        ErrorCode::InvalidCommitOffsetSize,
        "INVALID_COMMIT_OFFSET_SIZE",
        "org.apache.kafka.common.errors.InvalidCommitOffsetSizeException",
        "The committing offset data size is not valid.",
    ),
    (
        ErrorCode::NonEmptyGroup,
        "NON_EMPTY_GROUP",
        "org.apache.kafka.common.errors.GroupNotEmptyException",
        "The group is not empty.",
    ),
    (
        ErrorCode::GroupIdNotFound,
        "GROUP_ID_NOT_FOUND",
        "org.apache.kafka.common.errors.GroupIdNotFoundException",
        "The group id does not exist.",
    ),
    (
        ErrorCode::MemberIdRequired,
        "MEMBER_ID_REQUIRED",
        "org.apache.kafka.common.errors.MemberIdRequiredException",
        "The group member needs to have a valid member id before actually entering a consumer \
             group.",
    ),
    (
        ErrorCode::GroupMaxSizeReached,
        "GROUP_MAX_SIZE_REACHED",
        "org.apache.kafka.common.errors.GroupMaxSizeReachedException",
        "The group has reached its maximum size.",
    ),
    (
        ErrorCode::FencedInstanceId,
        "FENCED_INSTANCE_ID",
        "org.apache.kafka.common.errors.FencedInstanceIdException",
        "The broker rejected this static consumer since another consumer with the same \
             group.instance.id has registered with a different member.id.",
    ),
    (
        ErrorCode::GroupSubscribedToTopic,
        "GROUP_SUBSCRIBED_TO_TOPIC",
        "org.apache.kafka.common.errors.GroupSubscribedToTopicException",
        "Deleting offsets of a topic is forbidden while the consumer group is actively subscribed \
             to it.",
    ),
];
