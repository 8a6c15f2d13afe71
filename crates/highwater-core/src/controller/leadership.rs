//! Who leads after a broker came, went or was asked for
//! (`ReplicationControlManager.generateLeaderAndIsrUpdates`, `electLeaders`).

use crate::controller::config_control;
use crate::controller::partition_change::{Election, PartitionChangeBuilder};
use crate::controller::records::{MetadataImage, PartitionChange, PartitionImage};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, TopicPartition};
use crate::mutation::Mutation;
use crate::net::admin::ElectionType;

/// A partition with what changes in it.
pub type Changed = (TopicPartition, PartitionChange);

/// What has happened to brokers.
#[derive(Clone, Copy, Debug, Default)]
pub struct BrokerNews {
    /// This one may not lead any more and leaves every ISR.
    pub removed: Option<BrokerId>,
    /// This one may lead now.
    pub added: Option<BrokerId>,
    /// This one may have lost the tail of its logs.
    pub unclean_shutdown: Option<BrokerId>,
}

/// What that means for the partitions that it concerns.
#[must_use]
pub fn leader_and_isr_updates(
    image: &MetadataImage,
    mutation: Mutation,
    news: BrokerNews,
    concerns: impl Fn(&PartitionImage) -> bool,
) -> Vec<Changed> {
    let is_acceptable = |replica| {
        let gone = [news.removed, news.unclean_shutdown].contains(&Some(replica));
        !gone && (news.added == Some(replica) || image.is_active(replica))
    };
    let mut changes = Vec::new();
    for (name, topic) in image.topics.iter() {
        let min_isr = config_control::effective_min_isr(image, topic);
        let unclean = config_control::unclean_elections(image, topic);
        for (number, partition) in topic.numbered() {
            if !concerns(partition) {
                continue;
            }
            let mut builder = PartitionChangeBuilder::new(partition, &is_acceptable, min_isr);
            if unclean {
                builder.election = Election::Unclean;
            }
            builder.unclean_shutdown = news.unclean_shutdown;
            builder.mutation = mutation;
            if !mutation.is(Mutation::FencedStaysInIsr) {
                let gone = [news.removed, news.unclean_shutdown];
                builder.target_isr.retain(|member| !gone.contains(&Some(*member)));
            }
            if let Some(change) = builder.build() {
                changes.push((TopicPartition::new(name, number), change));
            }
        }
    }
    changes
}

/// Partitions whose preferred replica could lead and does not
/// (`maybeBalancePartitionLeaders`, every `leader.imbalance.check.interval.seconds`): so many at once.
#[must_use]
pub fn balance_leaders(image: &MetadataImage, most: usize) -> Vec<Changed> {
    let mut changes = Vec::new();
    for (name, topic) in image.topics.iter() {
        for (number, partition) in topic.numbered() {
            let which = TopicPartition::new(name, number);
            if changes.len() < most
                && !partition.has_preferred_leader()
                && let Ok(change) = elect(image, &which, ElectionType::Preferred)
            {
                changes.push((which, change));
            }
        }
    }
    changes
}

/// Partitions without a leader whose topics allow unclean elections
/// (`maybeElectUncleanLeaders`, every `unclean.leader.election.interval.ms`): the setting may have come
/// after the leader went.
#[must_use]
pub fn elect_unclean_leaders(image: &MetadataImage, most: usize) -> Vec<Changed> {
    let mut changes = Vec::new();
    for (name, topic) in image.topics.iter() {
        if !config_control::unclean_elections(image, topic) {
            continue;
        }
        for (number, _) in topic.numbered() {
            let which = TopicPartition::new(name, number);
            if changes.len() < most
                && let Ok(change) = elect(image, &which, ElectionType::Unclean)
            {
                changes.push((which, change));
            }
        }
    }
    changes
}

/// Decides on an election that was asked for.
///
/// # Errors
/// Kafka's error and text: there is no such partition, no election is needed, or nobody can be
/// elected.
pub fn elect(
    image: &MetadataImage,
    which: &TopicPartition,
    kind: ElectionType,
) -> Result<PartitionChange, KafkaError> {
    let (name, number) = (&which.topic, which.partition);
    let Some(topic) = image.topics.get(name) else {
        let text = format!("No such topic as {name}");
        return Err(KafkaError::new(ErrorCode::UnknownTopicOrPartition, text));
    };
    let Some(partition) = topic.partition(number) else {
        let text = format!("No such partition as {name}-{number}");
        return Err(KafkaError::new(ErrorCode::UnknownTopicOrPartition, text));
    };
    let is_needed = match kind {
        ElectionType::Preferred => !partition.has_preferred_leader(),
        ElectionType::Unclean => partition.leader.is_none(),
    };
    if !is_needed {
        return Err(KafkaError::plain(ErrorCode::ElectionNotNeeded));
    }
    let is_active = |replica| image.is_active(replica);
    let min_isr = config_control::effective_min_isr(image, topic);
    let mut builder = PartitionChangeBuilder::new(partition, &is_active, min_isr);
    builder.election = match kind {
        ElectionType::Preferred => Election::Preferred,
        ElectionType::Unclean => Election::Unclean,
    };
    let change = builder.build().filter(|change| change.leader.is_some_and(|new| new.is_some()));
    change.ok_or_else(|| {
        KafkaError::plain(match kind {
            ElectionType::Preferred => ErrorCode::PreferredLeaderNotAvailable,
            ElectionType::Unclean => ErrorCode::EligibleLeadersNotAvailable,
        })
    })
}
