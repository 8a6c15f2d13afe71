//! Errors that only producers meet.

use super::{Entry, ErrorCode};

/// Each with its name, its class, and its text.
pub(super) const ENTRIES: &[Entry] = &[
    (
        ErrorCode::UnknownTopicId,
        "UNKNOWN_TOPIC_ID",
        "org.apache.kafka.common.errors.UnknownTopicIdException",
        "This server does not host this topic ID.",
    ),
    (
        ErrorCode::BufferExhausted,
        "REQUEST_TIMED_OUT",
        "org.apache.kafka.clients.producer.BufferExhaustedException",
        "",
    ),
    (ErrorCode::IllegalArgument, "UNKNOWN_SERVER_ERROR", "java.lang.IllegalArgumentException", ""),
];
