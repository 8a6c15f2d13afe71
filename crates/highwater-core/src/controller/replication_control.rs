//! May this topic be made, and of which metadata records does it consist?
//! (Kafka's `ReplicationControlManager.createTopic`)

use crate::controller::placement::place;
use crate::controller::records::{MetadataImage, MetadataRecord};
use crate::controller::{topic_config, topic_name};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, EventId, LeaderEpoch, TopicId};
use crate::net::message::{CreatableTopic, PartitionImage};

/// `num.partitions` and `default.replication.factor` of a stock broker.
const DEFAULT: i32 = 1;

/// The most partitions that one request may make here; a page must stay alive.
const MOST_PARTITIONS: i32 = 10_000;

/// Decides on a new topic.
///
/// # Errors
/// Kafka's error and text; nothing is made then.
pub fn create_topic(
    image: &MetadataImage,
    request: &CreatableTopic,
    id: TopicId,
    seed: u64,
    cause: Option<EventId>,
) -> Result<Vec<MetadataRecord>, KafkaError> {
    let name = &request.name;
    if image.topics.contains_key(name) {
        let text = format!("Topic '{name}' already exists.");
        return Err(KafkaError::new(ErrorCode::TopicAlreadyExists, text));
    }
    topic_name::validate(name.as_str(), image)?;
    let mut configs = Vec::new();
    for (key, value) in &request.configs {
        configs.push((key.clone(), topic_config::validate(key, value)?));
    }
    let assignment = if request.assignment.is_empty() {
        automatic_assignment(image, request, id, seed)?
    } else {
        check_assignment(image, &request.assignment)?;
        request.assignment.clone()
    };
    let mut records = vec![MetadataRecord::Topic { name: name.clone(), id, cause }];
    for (key, value) in configs {
        records.push(MetadataRecord::Config { topic: name.clone(), name: key, value });
    }
    for replicas in assignment {
        let image = PartitionImage {
            leader: replicas.first().copied(),
            isr: replicas.clone(),
            replicas,
            leader_epoch: LeaderEpoch(0),
        };
        records.push(MetadataRecord::Partition { topic: name.clone(), image });
    }
    Ok(records)
}

fn automatic_assignment(
    image: &MetadataImage,
    request: &CreatableTopic,
    id: TopicId,
    seed: u64,
) -> Result<Vec<Vec<BrokerId>>, KafkaError> {
    let partitions = request.partitions.unwrap_or(DEFAULT);
    let factor = request.replication_factor.unwrap_or(DEFAULT);
    if factor < 1 {
        let text = "Replication factor must be larger than 0, or -1 to use the default value.";
        return Err(KafkaError::new(ErrorCode::InvalidReplicationFactor, text));
    }
    if partitions < 1 {
        let text = "Number of partitions was set to an invalid non-positive value.";
        return Err(KafkaError::new(ErrorCode::InvalidPartitions, text));
    }
    let registered = image.brokers.len();
    if usize::try_from(factor).is_ok_and(|factor| factor > registered) {
        return Err(KafkaError::new(
            ErrorCode::InvalidReplicationFactor,
            format!(
                "Unable to replicate the partition {factor} time(s): The target replication \
                 factor of {factor} cannot be reached because only {registered} broker(s) are \
                 registered or some brokers have all their log directories cordoned."
            ),
        ));
    }
    if partitions > MOST_PARTITIONS {
        return Err(not_modelled(&format!(
            "more than {MOST_PARTITIONS} partitions in one topic; ask for fewer"
        )));
    }
    if factor > 1 {
        return Err(replication_not_modelled());
    }
    let brokers: Vec<BrokerId> = image.brokers.keys().copied().collect();
    Ok(place(seed, id, partitions.unsigned_abs(), &brokers))
}

/// Whether a manual assignment can be (`ReplicationControlManager.validateManualPartitionAssignment`).
fn check_assignment(image: &MetadataImage, assignment: &[Vec<BrokerId>]) -> Result<(), KafkaError> {
    for replicas in assignment {
        let twice = (1..replicas.len()).any(|n| replicas[..n].contains(&replicas[n]));
        let problem = if replicas.is_empty() {
            Some("The manual partition assignment includes an empty replica list.".to_owned())
        } else if twice {
            Some("The manual partition assignment includes the same broker twice.".to_owned())
        } else {
            replicas.iter().find(|broker| !image.brokers.contains_key(broker)).map(|broker| {
                format!(
                    "The manual partition assignment includes broker {broker}, but no such broker \
                     is registered."
                )
            })
        };
        if let Some(text) = problem {
            return Err(KafkaError::new(ErrorCode::InvalidReplicaAssignment, text));
        }
    }
    if assignment.iter().any(|replicas| replicas.len() > 1) {
        return Err(replication_not_modelled());
    }
    Ok(())
}

fn replication_not_modelled() -> KafkaError {
    not_modelled("replication; ask for one replica a partition")
}

fn not_modelled(what: &str) -> KafkaError {
    KafkaError::new(ErrorCode::NotModelled, format!("Highwater does not model this yet: {what}."))
}
