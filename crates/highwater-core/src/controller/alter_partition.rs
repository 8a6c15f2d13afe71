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
    let is_ineligible = |(place, member): (usize, &BrokerId)| {
        let fetches = proposal.broker_epochs.get(place).copied().flatten();
        let registered = image.brokers.get(member).map(|known| known.epoch);
        let is_old = fetches.is_some() && fetches != registered;
        !image.is_active(*member) || is_old && !mutation.is(Mutation::BrokerEpochIgnored)
    };
    if isr.iter().enumerate().any(is_ineligible) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::controller::records::{BrokerRegistration, MetadataRecord, PartitionImage};
    use crate::ids::{
        LeaderEpoch, PartitionEpoch, PartitionId, TopicId, TopicName, TopicPartition,
    };
    use std::rc::Rc;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Brokers 1 to 4; 3 is fenced, 4 is leaving. All hold a partition that 1 leads, in epoch 2 of its
    /// leaders and 7 of its own.
    fn cluster() -> MetadataImage {
        let mut image = MetadataImage::default();
        for id in 1..=5i32 {
            let registration = BrokerRegistration {
                port: 9_092,
                rack: Default::default(),
                epoch: BrokerEpoch(id.unsigned_abs().into()),
                incarnation: 0,
                fenced: id == 3,
                in_controlled_shutdown: id == 4,
                cordoned: false,
            };
            image.replay(&MetadataRecord::RegisterBroker { id: BrokerId(id), registration });
        }
        let topic = TopicName::new("t");
        image.replay(&MetadataRecord::Topic { name: topic.clone(), id: TopicId(1), cause: None });
        let replicas = (1..=4).map(BrokerId).collect();
        let mut partition = PartitionImage::new(replicas, |_| true, None);
        (partition.isr, partition.leader) = (vec![BrokerId(1)], Some(BrokerId(1)));
        (partition.leader_epoch, partition.partition_epoch) = (LeaderEpoch(2), PartitionEpoch(7));
        image.replay(&MetadataRecord::Partition { topic, image: Rc::new(partition) });
        image
    }

    fn proposal(isr: &[i32], leader_epoch: i32, partition_epoch: i32) -> IsrProposal {
        IsrProposal {
            partition: TopicPartition::new(&TopicName::new("t"), PartitionId(0)),
            leader_epoch: LeaderEpoch(leader_epoch),
            partition_epoch: PartitionEpoch(partition_epoch),
            new_isr: isr.iter().map(|id| BrokerId(*id)).collect(),
            broker_epochs: vec![None; isr.len()],
        }
    }

    /// Every reason to refuse a proposal, in Kafka's order (`validateAlterPartitionData`).
    #[test]
    fn refusals() {
        let image = cluster();
        let ask = |broker, proposal: &IsrProposal| {
            alter_partition(&image, Mutation::None, BrokerId(broker), proposal)
                .map(|change| change.and_then(|change| change.isr).map(|isr| isr.len()))
                .map_err(|error| error.code)
        };
        let mut stranger = proposal(&[1], 2, 7);
        stranger.partition.partition = PartitionId(1);
        assert_eq!(ask(1, &stranger), Err(ErrorCode::UnknownTopicOrPartition));
        for (broker, isr, leader_epoch, partition_epoch, refused) in [
            (2, &[1, 9][..], 3, 6, ErrorCode::NotController),
            (2, &[1, 9], 1, 8, ErrorCode::NotController),
            (2, &[1, 9], 1, 6, ErrorCode::FencedLeaderEpoch),
            (2, &[1, 9], 2, 6, ErrorCode::InvalidRequest),
            (1, &[1, 9], 2, 6, ErrorCode::InvalidUpdateVersion),
            (1, &[1, 5], 2, 7, ErrorCode::InvalidRequest),
            (1, &[2], 2, 7, ErrorCode::InvalidRequest),
            (1, &[1, 3], 2, 7, ErrorCode::IneligibleReplica),
            (1, &[1, 4], 2, 7, ErrorCode::IneligibleReplica),
        ] {
            let asked = proposal(isr, leader_epoch, partition_epoch);
            assert_eq!(ask(broker, &asked), Err(refused), "{broker} {asked:?}");
        }
        assert_eq!(ask(1, &proposal(&[1], 2, 7)), Ok(None));
        let mut old = proposal(&[1, 2], 2, 7);
        assert_eq!(ask(1, &old), Ok(Some(2)));
        // What the leader knows of it comes from the run before.
        old.broker_epochs = vec![Some(BrokerEpoch(1)), Some(BrokerEpoch(1))];
        assert_eq!(ask(1, &old), Err(ErrorCode::IneligibleReplica));
        old.broker_epochs = vec![Some(BrokerEpoch(1)), Some(BrokerEpoch(2))];
        assert_eq!(ask(1, &old), Ok(Some(2)));
        let known = |broker, epoch| check_broker(&image, BrokerId(broker), BrokerEpoch(epoch));
        assert!(known(2, 2).is_ok());
        for (broker, epoch) in [(2, 1), (2, 3), (9, 1)] {
            let code = known(broker, epoch).map_err(|error| error.code);
            assert_eq!(code, Err(ErrorCode::StaleBrokerEpoch));
        }
    }
}
