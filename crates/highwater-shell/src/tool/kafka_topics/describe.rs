//! `kafka-topics.sh --describe`: the order of topics, and their lines.

use std::rc::Rc;

use highwater_core::controller::records::TopicImage;
use highwater_core::ids::{BrokerId, TopicName};
use highwater_core::java::hash_map::{Made, chained_order, string_hash};
use highwater_core::net::message::{ConfigEntry, PartitionImage};

use super::Described;

/// Several topics come in the order of a chain of Java hash maps.
pub(super) fn in_map_order(topics: &[(TopicName, Rc<TopicImage>)]) -> Described {
    let hashes: Vec<i32> = topics.iter().map(|(name, _)| string_hash(name.as_str())).collect();
    let count = u32::try_from(topics.len()).unwrap_or(u32::MAX);
    let chain = [Made::WithCapacity(count), Made::CopyOf(count), Made::WithCapacity(count)];
    let order = chained_order(&hashes, &chain);
    order.iter().filter_map(|&index| topics.get(index as usize).cloned()).collect()
}

pub(super) fn head_line(name: &TopicName, topic: &TopicImage, entries: &[ConfigEntry]) -> String {
    let configs: Vec<String> =
        entries.iter().map(|entry| format!("{}={}", entry.name, entry.value)).collect();
    format!(
        "Topic: {name}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: {}\tConfigs: {}\n",
        topic.id,
        topic.partitions.len(),
        topic.partitions.first().map_or(0, |partition| partition.replicas.len()),
        configs.join(",")
    )
}

pub(super) fn partition_line(
    name: &TopicName,
    number: usize,
    partition: &PartitionImage,
) -> String {
    let leader = partition.leader.map_or_else(|| "none".to_owned(), |leader| leader.to_string());
    format!(
        "\tTopic: {name}\tPartition: {number}\tLeader: {leader}\tReplicas: {}\tIsr: {}\tElr: \
         \tLastKnownElr: \n",
        join(&partition.replicas, ","),
        join(&partition.isr, ",")
    )
}

pub(super) fn min_insync_replicas(entries: &[ConfigEntry]) -> usize {
    let entry = entries.iter().find(|entry| entry.name == "min.insync.replicas");
    entry.and_then(|entry| entry.value.trim().parse().ok()).unwrap_or(1)
}

pub(super) fn join(brokers: &[BrokerId], separator: &str) -> String {
    brokers.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}
