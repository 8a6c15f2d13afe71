//! What members of a group tell one another, as bytes (Kafka's `ConsumerProtocolSubscription` and
//! `ConsumerProtocolAssignment`, version 3).

use crate::broker::group_coordinator::wire::{Reader, Writer};
use crate::ids::{TopicName, TopicPartition};
use crate::net::group::Subscription;

const VERSION: i16 = 3;
const STICKY: &str = "sticky";
const COOPERATIVE_STICKY: &str = "cooperative-sticky";

/// A subscription as the consumer writes it for that assignor. What the eager sticky one owns is its own
/// data; the others say it in the protocol's words.
pub(super) fn write_subscription(protocol: &str, subscription: &Subscription) -> Vec<u8> {
    let Subscription { topics, owned, generation, rack } = subscription;
    let mut user_data = None;
    if protocol == STICKY && (!owned.is_empty() || *generation >= 0) {
        let mut data = Writer::default();
        data.partitions(owned);
        data.int32(*generation);
        user_data = Some(data.0);
    } else if protocol == COOPERATIVE_STICKY {
        user_data = Some(generation.to_be_bytes().to_vec());
    }
    let mut out = Writer::default();
    out.int16(VERSION);
    out.count(topics.len());
    topics.iter().for_each(|topic| out.string(topic.as_str()));
    out.nullable_bytes(user_data.as_deref());
    out.partitions(if protocol == STICKY { &[] } else { owned });
    out.int32(*generation);
    out.nullable_string(rack.as_deref());
    out.0
}

/// Reads a subscription of any version.
pub(super) fn read_subscription(protocol: &str, bytes: &[u8]) -> Option<Subscription> {
    let mut reader = Reader(bytes);
    let version = reader.int16()?;
    let topics = reader.list(|reader| reader.string().map(TopicName))?;
    let user_data = reader.nullable_bytes()?;
    let mut owned = if version >= 1 { reader.partitions()? } else { Vec::new() };
    let generation = if version >= 2 { reader.int32()? } else { -1 };
    let rack = if version >= 3 { reader.nullable_string()? } else { None };
    if let Some(data) = user_data.filter(|_| protocol == STICKY) {
        owned = Reader(data).partitions()?;
    }
    Some(Subscription { topics, owned, generation, rack })
}

/// A member's part.
pub(super) fn write_assignment(partitions: &[TopicPartition]) -> Vec<u8> {
    let mut out = Writer::default();
    out.int16(VERSION);
    out.partitions(partitions);
    out.nullable_bytes(None);
    out.0
}

/// Reads a member's part; no bytes are no part.
pub(super) fn read_assignment(bytes: &[u8]) -> Option<Vec<TopicPartition>> {
    let mut reader = Reader(bytes);
    reader.int16()?;
    reader.partitions()
}
