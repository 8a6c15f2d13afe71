//! `kafka-topics.sh --describe`: the order of topics, and their lines.

use std::rc::Rc;

use highwater_core::controller::records::{PartitionImage, TopicImage};
use highwater_core::ids::{BrokerId, TopicName};
use highwater_core::java::hash_map::{Made, chained_order, string_hash};
use highwater_core::net::message::{ConfigEntry, ConfigSource};
use highwater_core::number;
use highwater_core::scope;

use super::Described;

/// Several topics come in the order of a chain of Java hash maps.
pub(super) fn in_map_order(topics: &[(TopicName, Rc<TopicImage>)]) -> Described {
    let hashes: Vec<i32> = topics.iter().map(|(name, _)| string_hash(name.as_str())).collect();
    let count = u32::try_from(topics.len()).unwrap_or(u32::MAX);
    let chain = [Made::WithCapacity(count), Made::CopyOf(count), Made::WithCapacity(count)];
    let order = chained_order(&hashes, &chain);
    order.iter().filter_map(|&index| topics.get(index as usize).cloned()).collect()
}

/// The entries that are shown: those whose value is not Kafka's own default.
pub(super) fn not_default(entries: &[ConfigEntry]) -> Vec<ConfigEntry> {
    let mut shown = entries.to_vec();
    if scope::CLUSTER {
        shown.retain(|entry| entry.source() != ConfigSource::Default);
    }
    shown
}

pub(super) fn head_line(name: &TopicName, topic: &TopicImage, entries: &[ConfigEntry]) -> String {
    let mut configs = String::new();
    for ConfigEntry { name, value, .. } in entries {
        let before = if configs.is_empty() { "" } else { "," };
        configs.push_str(&format!("{before}{name}={value}"));
    }
    format!(
        "Topic: {name}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: {}\tConfigs: {}\n",
        topic.id,
        topic.partitions.len(),
        topic.partitions.first().map_or(0, |partition| partition.replication_factor()),
        configs
    )
}

pub(super) fn partition_line(
    name: &TopicName,
    number: usize,
    partition: &PartitionImage,
) -> String {
    let leader = partition.leader.map_or_else(|| "none".to_owned(), |leader| leader.to_string());
    let mut moves = String::new();
    if scope::CLUSTER && partition.is_reassigning() {
        let (adding, removing) = (join(&partition.adding, ","), join(&partition.removing, ","));
        moves = format!("\tAdding Replicas: {adding}\tRemoving Replicas: {removing}");
    }
    format!(
        "\tTopic: {name}\tPartition: {number}\tLeader: {leader}\tReplicas: {}\tIsr: {}{moves}\tElr: {}\
         \tLastKnownElr: {}\n",
        join(&partition.replicas, ","),
        join(&partition.isr, ","),
        join(&partition.elr, ","),
        join(&partition.last_known_elr, ",")
    )
}

pub(super) fn min_insync_replicas(entries: &[ConfigEntry]) -> usize {
    let entry = entries.iter().find(|entry| entry.name == "min.insync.replicas");
    let count = entry.and_then(|entry| number::unsigned(entry.value.trim()));
    count.and_then(|count| usize::try_from(count).ok()).unwrap_or(1)
}

pub(super) fn join(brokers: &[BrokerId], separator: &str) -> String {
    let mut text = String::new();
    for (number, broker) in brokers.iter().enumerate() {
        let before = if number > 0 { separator } else { "" };
        text.push_str(&format!("{before}{broker}"));
    }
    text
}
