//! Which value does a configuration key have, and may it be changed?
//! (Kafka's `ConfigurationControlManager`)

use crate::controller::records::{ConfigResource, MetadataImage, MetadataRecord, TopicImage};
use crate::controller::{broker_config, server_config, topic_config, topic_name};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::BrokerId;
use crate::number;

/// The value of a topic-level key as the controller sees it: the topic's own, else the one that was set
/// for all brokers. `None`: that of its file or Kafka's default counts.
#[must_use]
pub fn topic_value<'a>(
    image: &'a MetadataImage,
    topic: &'a TopicImage,
    key: &str,
) -> Option<&'a str> {
    entry(&topic.configs, key).or_else(|| {
        let synonym = topic_config::broker_synonym(key);
        entry(image.broker_configs.get(&ConfigResource::BrokerDefault)?, synonym)
    })
}

/// The entry of a key in a list.
#[must_use]
pub fn entry<'a>(configs: &'a [(String, String)], key: &str) -> Option<&'a str> {
    configs.iter().find(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

/// `min.insync.replicas` of a topic.
#[must_use]
pub fn min_isr(image: &MetadataImage, topic: &TopicImage) -> u32 {
    let value = topic_value(image, topic, "min.insync.replicas").and_then(number::unsigned);
    value.and_then(|count| u32::try_from(count).ok()).unwrap_or(1)
}

/// The same, bounded by the replicas of the topic's first partition, as the controller counts for all of
/// them (`getTopicEffectiveMinIsr`).
#[must_use]
pub fn effective_min_isr(image: &MetadataImage, topic: &TopicImage) -> u32 {
    let replicas = topic.partitions.first().map_or(1, |first| first.replicas.len());
    min_isr(image, topic).min(u32::try_from(replicas).unwrap_or(u32::MAX))
}

/// `unclean.leader.election.enable` of a topic.
#[must_use]
pub fn unclean_elections(image: &MetadataImage, topic: &TopicImage) -> bool {
    let value = topic_value(image, topic, "unclean.leader.election.enable");
    value.map_or(image.unclean_elections, |value| value.eq_ignore_ascii_case("true"))
}

/// Decides on `IncrementalAlterConfigs`.
///
/// # Errors
/// Kafka's error and text; nothing is changed then.
pub fn alter_configs(
    image: &MetadataImage,
    resource: &ConfigResource,
    changes: &[(String, Option<String>)],
) -> Result<Vec<MetadataRecord>, KafkaError> {
    let mut keys = changes.iter().map(|(key, _)| key).enumerate();
    if keys.any(|(place, key)| changes[..place].iter().any(|(before, _)| before == key)) {
        let text = "Error due to duplicate config keys";
        return Err(KafkaError::new(ErrorCode::InvalidRequest, text));
    }
    if let ConfigResource::Topic(topic) = resource
        && !image.topics.contains_key(topic)
    {
        topic_name::validate(topic.as_str(), &MetadataImage::default())?;
        let text = format!("The topic '{topic}' does not exist.");
        return Err(KafkaError::new(ErrorCode::UnknownTopicOrPartition, text));
    }
    if !matches!(resource, ConfigResource::Topic(_)) {
        check_broker_changes(image, resource, changes)?;
    }
    let mut records = Vec::new();
    for (name, value) in changes {
        let value = match (resource, value) {
            (ConfigResource::Topic(_), Some(value)) => Some(topic_config::validate(name, value)?),
            (_, value) => value.clone(),
        };
        let (resource, name) = (resource.clone(), name.clone());
        records.push(MetadataRecord::Config { resource, name, value });
    }
    if let ConfigResource::Topic(name) = resource
        && let Some(topic) = image.topics.get(name)
    {
        let mut after = topic.configs.clone();
        after.retain(|(key, _)| !changes.iter().any(|(changed, _)| changed == key));
        for (key, value) in changes {
            after.extend(value.clone().map(|value| (key.clone(), value)));
        }
        topic_config::validate_together(&after)?;
    }
    Ok(records)
}

/// Settings of brokers: also such that the replicas that may lead depend on (KIP-966).
fn check_broker_changes(
    image: &MetadataImage,
    resource: &ConfigResource,
    changes: &[(String, Option<String>)],
) -> Result<(), KafkaError> {
    let one = match resource {
        ConfigResource::Broker(broker) => Some(*broker),
        _ => None,
    };
    let current = |key: &str| {
        let set = match one {
            Some(broker) => broker_entry(image, broker, key),
            None => entry(image.broker_configs.get(&ConfigResource::BrokerDefault)?, key),
        };
        set.or_else(|| broker_config::default_of(key)).map(str::to_owned)
    };
    broker_config::check_changes(changes, one.is_some(), &current)?;
    let cordoned = changes.iter().find(|(key, _)| key == "cordoned.log.dirs");
    if let (Some((_, Some(value))), Some(broker)) = (cordoned, one) {
        let invalid = |text| KafkaError::new(ErrorCode::InvalidRequest, text);
        server_config::check_cordoned(value, broker).map_err(invalid)?;
    }
    let Some((_, value)) = changes.iter().find(|(key, _)| key == "min.insync.replicas") else {
        return Ok(());
    };
    let text = match (one, value) {
        (Some(_), _) => "Broker-level min.insync.replicas cannot be altered while ELR is enabled.",
        (None, None) => "Cluster-level min.insync.replicas cannot be removed while ELR is enabled.",
        (None, Some(_)) => return Ok(()),
    };
    Err(KafkaError::new(ErrorCode::InvalidConfig, text))
}

/// The entries of a broker that were set while it runs, its own first.
#[must_use]
pub fn broker_entry<'a>(image: &'a MetadataImage, broker: BrokerId, key: &str) -> Option<&'a str> {
    [ConfigResource::Broker(broker), ConfigResource::BrokerDefault]
        .iter()
        .find_map(|resource| entry(image.broker_configs.get(resource)?, key))
}
