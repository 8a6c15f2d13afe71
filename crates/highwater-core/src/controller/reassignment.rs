//! May a partition move to other brokers, and may a move be called off? (KIP-455:
//! `ReplicationControlManager.alterPartitionReassignments`, `PartitionReassignmentReplicas`,
//! `PartitionReassignmentRevert`). When a move is complete is decided in `partition_change`.

use std::rc::Rc;
use std::slice::from_ref;

use crate::controller::config_control;
use crate::controller::partition_change::{Election, PartitionChangeBuilder};
use crate::controller::records::{MetadataImage, PartitionChange, PartitionImage, TopicImage};
use crate::controller::replication_control::check_assignment;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, TopicPartition};
use crate::mutation::Mutation;
use crate::sorted_map::sort_by_key;

/// What is asked for one partition.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The new replicas, preferred leader first; `None`: the move that is under way is called off.
    pub replicas: Option<&'a [BrokerId]>,
    /// Whether there may be more or fewer of them than before.
    pub allow_replication_factor_change: bool,
}

/// Decides on a move, or on the end of one; `Ok(None)`: nothing changes.
///
/// # Errors
/// Kafka's error and text: there is no such partition, no such broker, nothing to call off, calling it off
/// would take an unclean election, or Kafka fails at it.
pub fn alter(
    image: &MetadataImage,
    mutation: Mutation,
    which: &TopicPartition,
    wanted: Wanted<'_>,
) -> Result<Option<PartitionChange>, KafkaError> {
    let unknown = |text: String| KafkaError::new(ErrorCode::UnknownTopicOrPartition, text);
    let name = &which.topic;
    let topic = image.topics.get(name);
    let topic = topic.ok_or_else(|| unknown(format!("Unable to find a topic named {name}.")))?;
    let partition = topic
        .partition(which.partition)
        .ok_or_else(|| unknown(format!("Unable to find partition {name}:{}.", which.partition)))?;
    let is_active = |replica| image.is_active(replica);
    let min_isr = config_control::effective_min_isr(image, topic);
    let mut builder = PartitionChangeBuilder::new(partition, &is_active, min_isr);
    builder.mutation = mutation;
    match wanted.replicas {
        None => cancel(image, topic, which, partition, &mut builder)?,
        Some(target) => {
            check_assignment(image, from_ref(&target.to_vec()), None)?;
            if !wanted.allow_replication_factor_change {
                check_factor(partition, target)?;
            }
            begin(partition, target, &mut builder);
            if builder.meets_stranger() {
                return Err(KafkaError::plain(ErrorCode::UnknownServerError));
            }
        }
    }
    Ok(builder.build())
}

/// Old and new replicas hold the partition until it has moved. What an earlier move added or removes is
/// only written over by something of that kind, as in Kafka.
fn begin(
    partition: &PartitionImage,
    target: &[BrokerId],
    builder: &mut PartitionChangeBuilder<'_>,
) {
    let removing = difference(&partition.replicas, target);
    let adding = difference(target, &partition.replicas);
    builder.target_replicas = [target, &removing].concat();
    if !removing.is_empty() {
        builder.target_removing = removing;
    }
    if !adding.is_empty() {
        builder.target_adding = adding;
    }
}

/// Those of a list that are not in the other one, by id.
fn difference(list: &[BrokerId], without: &[BrokerId]) -> Vec<BrokerId> {
    let mut rest = list.to_vec();
    rest.retain(|replica| !without.contains(replica));
    sort_by_key(&mut rest, |replica| *replica);
    rest
}

/// Back to the replicas without those that are being added.
fn cancel(
    image: &MetadataImage,
    topic: &TopicImage,
    which: &TopicPartition,
    partition: &PartitionImage,
    builder: &mut PartitionChangeBuilder<'_>,
) -> Result<(), KafkaError> {
    if !partition.is_reassigning() {
        return Err(KafkaError::plain(ErrorCode::NoReassignmentInProgress));
    }
    let without_added = |list: &[BrokerId]| {
        let mut list = list.to_vec();
        list.retain(|replica| !partition.adding.contains(replica));
        list
    };
    builder.target_replicas = without_added(&partition.replicas);
    builder.target_isr = without_added(&partition.isr);
    builder.target_adding.clear();
    builder.target_removing.clear();
    let unclean = config_control::unclean_elections(image, topic);
    if unclean {
        builder.election = Election::Unclean;
    }
    if builder.target_isr.is_empty() {
        let invalid = |text: String| KafkaError::new(ErrorCode::InvalidReplicaAssignment, text);
        let Some(first) = builder.target_replicas.first() else {
            let text = "Invalid replica assignment: addingReplicas contains all replicas.";
            return Err(invalid(text.to_owned()));
        };
        builder.target_isr = vec![*first];
        if !unclean {
            return Err(invalid(format!(
                "Unable to revert partition assignment for {}:{} because it would require an \
                 unclean leader election.",
                which.topic, which.partition
            )));
        }
    }
    Ok(())
}

/// The partition shall have as many replicas as it has, or will have when its move is complete.
fn check_factor(partition: &PartitionImage, target: &[BrokerId]) -> Result<(), KafkaError> {
    let now = difference(&partition.replicas, &partition.removing).len();
    if now == target.len() {
        return Ok(());
    }
    let text = format!("The replication factor is changed from {now} to {}", target.len());
    Err(KafkaError::new(ErrorCode::InvalidReplicationFactor, text))
}

/// The moves that are under way, of these partitions or of all.
#[must_use]
pub fn list(
    image: &MetadataImage,
    wanted: Option<&[TopicPartition]>,
) -> Vec<(TopicPartition, Rc<PartitionImage>)> {
    let mut ongoing = Vec::new();
    for (name, topic) in image.topics.iter() {
        for (number, partition) in topic.numbered() {
            let which = TopicPartition::new(name, number);
            let is_meant = wanted.is_none_or(|wanted| wanted.contains(&which));
            if partition.is_reassigning() && is_meant {
                ongoing.push((which, Rc::clone(partition)));
            }
        }
    }
    ongoing
}

#[cfg(test)]
mod tests;
