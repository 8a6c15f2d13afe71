//! Which broker gets a new partition? (Kafka's `StripedReplicaPlacer`, one rack, one replica)
//!
//! Partitions go round the brokers from a random first one. More replicas come with replication.

use crate::draw::{Purpose, draw_below};
use crate::ids::{BrokerId, TopicId};

/// One broker for each of `partitions` partitions of a topic.
#[must_use]
pub fn place(
    seed: u64,
    topic: TopicId,
    partitions: u32,
    brokers: &[BrokerId],
) -> Vec<Vec<BrokerId>> {
    let count = u32::try_from(brokers.len()).unwrap_or(u32::MAX);
    let low = (topic.0 & u128::from(u64::MAX)) as u64;
    let first = draw_below(seed, Purpose::Placement, low, 0, count);
    let mut assignment = Vec::new();
    for number in 0..partitions as usize {
        if let Some(broker) = brokers.get((first as usize + number) % brokers.len().max(1)) {
            assignment.push(vec![*broker]);
        }
    }
    assignment
}
