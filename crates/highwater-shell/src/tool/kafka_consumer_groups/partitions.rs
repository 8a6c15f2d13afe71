//! Which partitions are meant: all of a topic, or those that are named with it (`topic:0,1`).

use highwater_core::client::TopicAnswers;
use highwater_core::controller::records::{MetadataImage, TopicImage};
use highwater_core::controller::topic_name;
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{PartitionId, TopicName, TopicPartition};
use highwater_core::number;

use super::Failure;
use crate::tool::options::split;

/// What `--topic` names: partitions by number, and whole topics.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    pub(super) partitions: Vec<TopicPartition>,
    pub(super) topics: Vec<TopicName>,
}

impl Named {
    /// Reads the values of `--topic`.
    pub(super) fn of<'a>(arguments: impl Iterator<Item = &'a str>) -> Result<Self, Failure> {
        let mut named = Self::default();
        for argument in arguments {
            if argument.contains(':') {
                named.partitions.extend(partitions(argument)?);
            } else {
                named.topics.push(TopicName::new(argument));
            }
        }
        Ok(named)
    }
}

/// The partitions in `topic:0,1` (`parseTopicsWithPartitions`).
fn partitions(argument: &str) -> Result<Vec<TopicPartition>, Failure> {
    let parts: Vec<&str> = split(argument, ':').collect();
    let [topic, numbers] = parts.as_slice() else {
        let text = format!("Invalid topic arg '{argument}', expected topic name and partitions");
        return Err(Failure::Usage(text));
    };
    let topic = TopicName::new(topic);
    let mut partitions = Vec::new();
    for part in split(numbers, ',') {
        let number = number::int(part).ok_or_else(|| {
            let text = format!("Invalid partition '{part}' specified in topic arg '{argument}''");
            Failure::Usage(text)
        })?;
        partitions.push(TopicPartition::new(&topic, PartitionId(number)));
    }
    Ok(partitions)
}

/// All partitions of a topic.
pub(super) fn all_of(topic: &TopicName, image: &TopicImage) -> Vec<TopicPartition> {
    let count = i32::try_from(image.partitions.len()).unwrap_or(i32::MAX);
    (0..count).map(|number| TopicPartition::new(topic, PartitionId(number))).collect()
}

/// A topic among the answers about all of them (`describeTopics`).
///
/// # Errors
/// It is not there, cannot be, or nobody knows.
pub(super) fn image_of<'a>(
    topic: &TopicName,
    answers: &'a TopicAnswers,
) -> Result<&'a TopicImage, KafkaError> {
    if topic.as_str().is_empty() {
        let text = "The given topic name '' cannot be represented in a request.";
        return Err(KafkaError::new(ErrorCode::InvalidTopic, text));
    }
    if let [(nothing, Err(error))] = answers.as_slice()
        && nothing.as_str().is_empty()
    {
        return Err(error.clone());
    }
    match answers.iter().find(|(name, _)| name == topic) {
        Some((_, answer)) => answer.as_ref().map(|image| &**image).map_err(Clone::clone),
        None if topic_name::validate(topic.as_str(), &MetadataImage::default()).is_err() => {
            Err(KafkaError::plain(ErrorCode::InvalidTopic))
        }
        None => Err(KafkaError::plain(ErrorCode::UnknownTopicOrPartition)),
    }
}
