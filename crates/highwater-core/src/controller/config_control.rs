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
    let topic = match resource {
        ConfigResource::Topic(name) => image.topics.get(name),
        _ => None,
    };
    let mut records = Vec::new();
    for (name, value) in changes {
        let value = match (topic, value) {
            (Some(_), Some(value)) => Some(topic_config::validate(name, value)?),
            (_, value) => value.clone(),
        };
        // Brokers hear of a value again, for their files may have changed; topics do not.
        if topic.is_some_and(|topic| entry(&topic.configs, name) == value.as_deref()) {
            continue;
        }
        let (resource, name) = (resource.clone(), name.clone());
        records.push(MetadataRecord::Config { resource, name, value });
    }
    records.extend(clear_elr_as_needed(&records));
    if let Some(topic) = topic {
        let mut after = topic.configs.clone();
        after.retain(|(key, _)| !changes.iter().any(|(changed, _)| changed == key));
        for (key, value) in changes {
            after.extend(value.clone().map(|value| (key.clone(), value)));
        }
        topic_config::validate_together(&after)?;
    }
    Ok(records)
}

/// `createClearElrRecordsAsNeeded`: who is eligible was decided by the old minimum.
fn clear_elr_as_needed(records: &[MetadataRecord]) -> Vec<MetadataRecord> {
    let of_record = |record: &MetadataRecord| match record {
        MetadataRecord::Config { resource, name, .. } if name == "min.insync.replicas" => {
            let topic = match resource {
                ConfigResource::Topic(topic) => Some(topic.clone()),
                _ => None,
            };
            Some(MetadataRecord::ClearElr { topic })
        }
        _ => None,
    };
    records.iter().filter_map(of_record).collect()
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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::controller::records::PartitionImage;
    use crate::ids::{TopicId, TopicName};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Two topics of one partition, of which broker 1 leads and 2 is eligible.
    fn cluster() -> MetadataImage {
        let mut image = MetadataImage::default();
        for name in ["one", "two"] {
            let (name, id) = (TopicName::new(name), TopicId::default());
            image.replay(&MetadataRecord::Topic { name: name.clone(), id, cause: None });
            let partition = PartitionImage {
                replicas: vec![BrokerId(1), BrokerId(2)],
                isr: vec![BrokerId(1)],
                elr: vec![BrokerId(2)],
                leader: Some(BrokerId(1)),
                ..PartitionImage::default()
            };
            image.replay(&MetadataRecord::Partition { topic: name, image: Rc::new(partition) });
        }
        image
    }

    /// Changes one setting; says how many records that took and which topics have eligible replicas.
    fn set(
        image: &mut MetadataImage,
        resource: &ConfigResource,
        value: Option<&str>,
    ) -> (usize, Vec<String>) {
        let changes = [("min.insync.replicas".to_owned(), value.map(str::to_owned))];
        let records = alter_configs(image, resource, &changes).expect("it may be changed");
        records.iter().for_each(|record| image.replay(record));
        let topics = image.topics.iter();
        let eligible = topics.filter(|(_, topic)| !topic.partitions[0].elr.is_empty());
        (records.len(), eligible.map(|(name, _)| name.to_string()).collect())
    }

    /// Who is eligible was decided by the old minimum (recorded/live-min-isr.console).
    #[test]
    fn another_minimum_clears_the_eligible_replicas() {
        let mut image = cluster();
        let one = ConfigResource::Topic(TopicName::new("one"));
        assert_eq!(set(&mut image, &one, Some("2")), (2, vec!["two".to_owned()]));
        let all = ConfigResource::BrokerDefault;
        assert_eq!(set(&mut image, &all, Some("2")), (2, Vec::new()));
    }

    /// A topic's value that is the same, or not there, changes nothing.
    #[test]
    fn the_same_minimum_changes_nothing() {
        let mut image = cluster();
        let two = ConfigResource::Topic(TopicName::new("two"));
        let both = vec!["one".to_owned(), "two".to_owned()];
        assert_eq!(set(&mut image, &two, None), (0, both));
        set(&mut image, &two, Some("2"));
        assert_eq!(set(&mut image, &two, Some("2")).0, 0);
    }
}
