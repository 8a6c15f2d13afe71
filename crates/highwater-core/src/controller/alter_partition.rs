//! May a leader change the in-sync replicas? (`ReplicationControlManager.alterPartition`)

use crate::controller::config_control;
use crate::controller::partition_change::{Election, PartitionChangeBuilder};
use crate::controller::records::{MetadataImage, PartitionChange};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerEpoch, BrokerId};
use crate::mutation::Mutation;
use crate::net::internal::IsrProposal;

/// Whether the broker that proposes is who it says.
///
/// # Errors
/// `STALE_BROKER_EPOCH` when it has registered anew since, or not at all.
pub fn check_broker(
    image: &MetadataImage,
    broker: BrokerId,
    epoch: BrokerEpoch,
) -> Result<(), KafkaError> {
    match image.brokers.get(&broker) {
        Some(registration) if registration.epoch == epoch => Ok(()),
        _ => Err(KafkaError::plain(ErrorCode::StaleBrokerEpoch)),
    }
}

/// Decides on a proposal; `None`: it is the state already.
///
/// # Errors
/// Kafka's error: the proposal comes from an old leader, knows an old state, or names replicas that
/// cannot be in sync.
pub fn alter_partition(
    image: &MetadataImage,
    mutation: Mutation,
    broker: BrokerId,
    proposal: &IsrProposal,
) -> Result<Option<PartitionChange>, KafkaError> {
    let refuse = |code| Err(KafkaError::plain(code));
    let name = &proposal.partition.topic;
    let Some(topic) = image.topics.get(name) else {
        return refuse(ErrorCode::UnknownTopicOrPartition);
    };
    let Some(partition) = topic.partition(proposal.partition.partition) else {
        return refuse(ErrorCode::UnknownTopicOrPartition);
    };
    if proposal.leader_epoch > partition.leader_epoch
        || proposal.partition_epoch > partition.partition_epoch
    {
        return refuse(ErrorCode::NotController);
    }
    if proposal.leader_epoch < partition.leader_epoch {
        return refuse(ErrorCode::FencedLeaderEpoch);
    }
    if partition.leader != Some(broker) {
        return refuse(ErrorCode::InvalidRequest);
    }
    if proposal.partition_epoch < partition.partition_epoch {
        return refuse(ErrorCode::InvalidUpdateVersion);
    }
    let isr = &proposal.new_isr;
    if !isr.contains(&broker) || isr.iter().any(|member| !partition.replicas.contains(member)) {
        return refuse(ErrorCode::InvalidRequest);
    }
    if isr.iter().any(|member| !image.is_active(*member)) {
        return refuse(ErrorCode::IneligibleReplica);
    }
    let is_active = |replica| image.is_active(replica);
    let min_isr = config_control::effective_min_isr(image, topic);
    let mut builder = PartitionChangeBuilder::new(partition, &is_active, min_isr);
    builder.target_isr.clone_from(isr);
    builder.recovered = true;
    builder.mutation = mutation;
    if config_control::unclean_elections(image, topic) {
        builder.election = Election::Unclean;
    }
    Ok(builder.build())
}
