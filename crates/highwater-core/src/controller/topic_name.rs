//! May a topic have this name? (Kafka's `org.apache.kafka.common.internals.Topic`)

use crate::controller::records::MetadataImage;
use crate::error::{ErrorCode, KafkaError};

/// The longest name.
const MAX_NAME_LENGTH: usize = 249;

/// Checks a name for a new topic.
///
/// # Errors
/// `INVALID_TOPIC_EXCEPTION` with Kafka's text.
pub fn validate(name: &str, image: &MetadataImage) -> Result<(), KafkaError> {
    let invalid = |text: String| Err(KafkaError::new(ErrorCode::InvalidTopic, text));
    if let Some(text) = problem_with("Topic name", name) {
        return invalid(text);
    }
    let unified = unify(name);
    let twin = image.topics.keys().find(|other| {
        other.as_str() != name && has_collision_chars(name) && unify(other.as_str()) == unified
    });
    match twin {
        Some(other) => invalid(format!("Topic '{name}' collides with existing topic: {other}")),
        None => Ok(()),
    }
}

/// What is wrong with a name of something that is named as topics are (`Topic.validate`).
#[must_use]
pub fn problem_with(what: &str, name: &str) -> Option<String> {
    let why = if name.is_empty() {
        "the empty string is not allowed".to_owned()
    } else if name == "." || name == ".." {
        format!("'{name}' is not allowed")
    } else if name.encode_utf16().count() > MAX_NAME_LENGTH {
        // Kafka counts UTF-16 units; a name that passes below is ASCII.
        format!("the length of '{name}' is longer than the max allowed length {MAX_NAME_LENGTH}")
    } else if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte)) {
        format!(
            "'{name}' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'"
        )
    } else {
        return None;
    };
    Some([what, " is invalid: ", &why].concat())
}

/// Names with `.` or `_` may collide in metric names (`Topic.hasCollisionChars`).
#[must_use]
pub fn has_collision_chars(name: &str) -> bool {
    name.bytes().any(|byte| matches!(byte, b'.' | b'_'))
}

/// Topics that Kafka keeps for itself.
#[must_use]
pub fn is_internal(name: &str) -> bool {
    matches!(name, "__consumer_offsets" | "__transaction_state" | "__share_group_state")
}

fn unify(name: &str) -> String {
    name.replace('.', "_")
}
