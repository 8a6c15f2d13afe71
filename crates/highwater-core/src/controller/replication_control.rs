//! May this topic be made, grow or go, and of which metadata records does that consist?
//! (Kafka's `ReplicationControlManager`)

use std::rc::Rc;

use crate::controller::placement::{Placement, UsableBroker};
use crate::controller::records::{ConfigResource, MetadataImage, MetadataRecord, PartitionImage};
use crate::controller::{topic_config, topic_name};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, EventId, TopicId, TopicName};
use crate::net::admin::CreatableTopic;
use crate::scope;
use crate::sorted_map::sort_by_key;

/// The most partitions that one request may make (`MAX_PARTITIONS_PER_BATCH`).
const MOST_PARTITIONS: u32 = 10_000;

/// Decides on a new topic. `defaults` are `num.partitions` and `default.replication.factor`.
///
/// # Errors
/// Kafka's error and text; nothing is made then.
pub fn create_topic(
    image: &MetadataImage,
    request: &CreatableTopic,
    id: TopicId,
    (seed, defaults): (u64, (i32, i32)),
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
    topic_config::validate_together(&configs)?;
    let assignment = if request.assignment.is_empty() {
        automatic_assignment(image, request, id, (seed, defaults))?
    } else {
        check_assignment(image, &request.assignment, request.assignment.first().map(Vec::len))?;
        request.assignment.clone()
    };
    let mut records = vec![MetadataRecord::Topic { name: name.clone(), id, cause }];
    for (key, value) in configs {
        let resource = ConfigResource::Topic(name.clone());
        records.push(MetadataRecord::Config { resource, name: key, value: Some(value) });
    }
    add_partitions(image, name, assignment, 0, cause, &mut records)?;
    Ok(records)
}

/// Decides on more partitions for a topic.
///
/// # Errors
/// Kafka's error and text; none is added then.
pub fn create_partitions(
    image: &MetadataImage,
    name: &TopicName,
    count: i32,
    assignment: &[Vec<BrokerId>],
    seed: u64,
    cause: Option<EventId>,
) -> Result<Vec<MetadataRecord>, KafkaError> {
    let Some(topic) = image.topics.get(name) else {
        return Err(KafkaError::plain(ErrorCode::UnknownTopicOrPartition));
    };
    let now = i32::try_from(topic.partitions.len()).unwrap_or(i32::MAX);
    if count <= now {
        let text = if count == now {
            format!("Topic already has {now} partition(s).")
        } else {
            format!(
                "The topic {name} currently has {now} partition(s); {count} would not be an increase."
            )
        };
        return Err(KafkaError::new(ErrorCode::InvalidPartitions, text));
    }
    let more = count.abs_diff(now);
    check_partition_count(more, "additional partitions")?;
    let factor = topic.partitions.first().map_or(1, |partition| partition.replicas.len());
    let assignment = if assignment.is_empty() {
        place(image, topic.id, now.unsigned_abs(), more, factor, seed)?
    } else {
        if assignment.len() != more as usize {
            let text = format!(
                "Attempted to add {more} additional partition(s), but only {} assignment(s) were \
                 specified.",
                assignment.len()
            );
            return Err(KafkaError::new(ErrorCode::InvalidReplicaAssignment, text));
        }
        check_assignment(image, assignment, Some(factor))?;
        assignment.to_vec()
    };
    let mut records = Vec::new();
    add_partitions(image, name, assignment, now, cause, &mut records)?;
    Ok(records)
}

fn add_partitions(
    image: &MetadataImage,
    topic: &TopicName,
    assignment: Vec<Vec<BrokerId>>,
    first: i32,
    cause: Option<EventId>,
    records: &mut Vec<MetadataRecord>,
) -> Result<(), KafkaError> {
    for (number, replicas) in (first..).zip(assignment) {
        let image = PartitionImage::new(replicas, |replica| image.is_active(replica), cause);
        if scope::CLUSTER && image.leader.is_none() {
            let text = format!(
                "All brokers specified in the manual partition assignment for partition {number} \
                 are fenced or in controlled shutdown."
            );
            return Err(KafkaError::new(ErrorCode::InvalidReplicaAssignment, text));
        }
        records.push(MetadataRecord::Partition { topic: topic.clone(), image: Rc::new(image) });
    }
    Ok(())
}

fn automatic_assignment(
    image: &MetadataImage,
    request: &CreatableTopic,
    id: TopicId,
    (seed, (partitions, factor)): (u64, (i32, i32)),
) -> Result<Vec<Vec<BrokerId>>, KafkaError> {
    let partitions = request.partitions.unwrap_or(partitions);
    let factor = request.replication_factor.unwrap_or(factor);
    if factor < 1 {
        let text = "Replication factor must be larger than 0, or -1 to use the default value.";
        return Err(KafkaError::new(ErrorCode::InvalidReplicationFactor, text));
    }
    if partitions < 1 {
        let text = "Number of partitions was set to an invalid non-positive value.";
        return Err(KafkaError::new(ErrorCode::InvalidPartitions, text));
    }
    check_partition_count(partitions.unsigned_abs(), "partitions")?;
    let replicas = usize::try_from(factor).unwrap_or(usize::MAX);
    let placed = place(image, id, 0, partitions.unsigned_abs(), replicas, seed);
    placed.map_err(|error| {
        let why = error.message;
        let text = format!("Unable to replicate the partition {factor} time(s): {why}");
        KafkaError::new(error.code, text)
    })
}

/// `what` is what Kafka calls them.
fn check_partition_count(partitions: u32, what: &str) -> Result<(), KafkaError> {
    if partitions > MOST_PARTITIONS {
        let text = format!("Excessively large number of {what} per request.");
        return Err(KafkaError::new(ErrorCode::PolicyViolation, text));
    }
    Ok(())
}

/// Lets Kafka choose (`StripedReplicaPlacer.place`).
fn place(
    image: &MetadataImage,
    topic: TopicId,
    first_partition: u32,
    partitions: u32,
    factor: usize,
    seed: u64,
) -> Result<Vec<Vec<BrokerId>>, KafkaError> {
    if !scope::CLUSTER {
        return place_on_one(image, partitions, factor);
    }
    let usable = image.brokers.iter().filter(|(_, broker)| broker.is_usable());
    let brokers: Vec<UsableBroker> = usable
        .map(|(id, broker)| UsableBroker {
            id: *id,
            rack: broker.rack.clone(),
            fenced: broker.fenced,
        })
        .collect();
    if brokers.iter().all(|broker| broker.fenced) {
        let text = "All brokers are currently fenced, or have all their log directories cordoned.";
        return Err(KafkaError::new(ErrorCode::InvalidReplicationFactor, text));
    }
    if factor > brokers.len() {
        return Err(too_few(factor, brokers.len()));
    }
    Ok(Placement { seed, topic, first_partition, brokers: &brokers }.place(partitions, factor))
}

/// The same where there is one broker.
fn place_on_one(
    image: &MetadataImage,
    partitions: u32,
    factor: usize,
) -> Result<Vec<Vec<BrokerId>>, KafkaError> {
    let brokers: Vec<BrokerId> = image.brokers.keys().copied().collect();
    if factor > brokers.len() {
        return Err(too_few(factor, brokers.len()));
    }
    Ok(vec![brokers; partitions as usize])
}

fn too_few(factor: usize, registered: usize) -> KafkaError {
    let text = format!(
        "The target replication factor of {factor} cannot be reached because only {registered} \
         broker(s) are registered or some brokers have all their log directories cordoned."
    );
    KafkaError::new(ErrorCode::InvalidReplicationFactor, text)
}

/// What is wrong with the first of these brokers, by id, with which something is.
fn problem_of_broker(image: &MetadataImage, replicas: &[BrokerId]) -> Option<String> {
    let mut sorted = replicas.to_vec();
    sort_by_key(&mut sorted, |id| *id);
    let mut before = None;
    for id in sorted {
        let why = match image.brokers.get(&id) {
            None => "no such broker is registered.",
            Some(known) if scope::CLUSTER && known.cordoned => {
                "all its log directories are cordoned."
            }
            Some(_) if before == Some(id) => {
                let text = "The manual partition assignment includes the same broker twice.";
                return Some(text.to_owned());
            }
            Some(_) => "",
        };
        if !why.is_empty() {
            return Some(format!(
                "The manual partition assignment includes broker {id}, but {why}"
            ));
        }
        before = Some(id);
    }
    None
}

/// Whether a manual assignment can be (`validateManualPartitionAssignment`).
pub(super) fn check_assignment(
    image: &MetadataImage,
    assignment: &[Vec<BrokerId>],
    factor: Option<usize>,
) -> Result<(), KafkaError> {
    for replicas in assignment {
        let problem = if replicas.is_empty() {
            Some("The manual partition assignment includes an empty replica list.".to_owned())
        } else if let Some(problem) = problem_of_broker(image, replicas) {
            Some(problem)
        } else {
            factor.filter(|factor| *factor != replicas.len()).map(|factor| {
                format!(
                    "The manual partition assignment includes a partition with {} replica(s), but \
                     this is not consistent with previous partitions, which have {factor} \
                     replica(s).",
                    replicas.len()
                )
            })
        };
        if let Some(text) = problem {
            return Err(KafkaError::new(ErrorCode::InvalidReplicaAssignment, text));
        }
    }
    Ok(())
}
