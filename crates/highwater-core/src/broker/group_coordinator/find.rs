//! Which broker coordinates a group? The leader of its partition of `__consumer_offsets`, a topic that is
//! made when it is first needed (`KafkaApis.getCoordinator`, `DefaultAutoTopicCreationManager`).

use std::rc::Rc;

use crate::broker::Broker;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, GroupId, MessageId, PartitionId, TopicName, TopicPartition};
use crate::java::hash_map::string_hash;
use crate::net::admin::{AdminRequest, CreatableTopic};
use crate::time::SimDuration;
use crate::world::outbox::Outbox;

/// The topic that holds groups and their offsets.
pub const OFFSETS_TOPIC: &str = "__consumer_offsets";

/// After that time the answer to a request for the topic is taken for lost.
const CREATION_TIMEOUT: SimDuration = SimDuration::from_millis(60_000);

/// Which partition holds a group (`GroupCoordinatorService.partitionFor`).
pub(super) fn partition_for(group: &GroupId, partitions: i32) -> PartitionId {
    // Java's `abs` leaves the smallest number as it is; Kafka takes 0 for it.
    let hash = string_hash(&group.0).checked_abs().unwrap_or(0);
    PartitionId(hash.checked_rem(partitions).unwrap_or(0))
}

pub(in crate::broker) fn offsets_partition(partition: PartitionId) -> TopicPartition {
    TopicPartition::new(&TopicName::new(OFFSETS_TOPIC), partition)
}

impl Broker {
    /// Which partition holds that group. A broker learns with its start how many there are.
    pub(super) fn group_partition(&mut self, group: &GroupId) -> PartitionId {
        let known = self.replication.groups.partitions;
        let partitions = known.unwrap_or_else(|| self.group_config().partitions);
        partition_for(group, partitions)
    }

    pub(super) fn find_coordinator(
        &mut self,
        group: &GroupId,
        out: &mut Outbox,
    ) -> Result<BrokerId, KafkaError> {
        let unavailable = || KafkaError::plain(ErrorCode::CoordinatorNotAvailable);
        let partition = self.group_partition(group);
        let Some(topic) = self.image.topics.get(&TopicName::new(OFFSETS_TOPIC)) else {
            self.maybe_create_offsets_topic(out);
            return Err(unavailable());
        };
        let leader = topic.leader(partition).ok_or_else(unavailable)?;
        let alive = self.image.brokers.get(&leader).is_some_and(|broker| !broker.fenced);
        if alive { Ok(leader) } else { Err(unavailable()) }
    }

    /// Asks the controller for the topic, unless it was asked and has not answered.
    fn maybe_create_offsets_topic(&mut self, out: &mut Outbox) {
        let now = out.now();
        let asked = self.replication.groups.creation;
        if asked.is_some_and(|(_, at)| now < at + CREATION_TIMEOUT) {
            return;
        }
        let config = self.group_config();
        let configs = [
            ("cleanup.policy", "compact".to_owned()),
            ("compression.type", "producer".to_owned()),
            ("segment.bytes", config.segment_bytes.to_string()),
        ];
        let request = AdminRequest::CreateTopic(CreatableTopic {
            name: TopicName::new(OFFSETS_TOPIC),
            partitions: Some(config.partitions),
            replication_factor: Some(config.replication_factor),
            assignment: Vec::new(),
            configs: configs.into_iter().map(|(key, value)| (key.to_owned(), value)).collect(),
        });
        let id = self.forward(Rc::new(request), None, out);
        self.replication.groups.creation = Some((id, now));
    }

    /// The controller has answered; if it has not made the topic, whoever asks next makes the broker ask
    /// again.
    pub(in crate::broker) fn note_topic_creation(&mut self, correlation: MessageId) {
        if self.replication.groups.creation.is_some_and(|(id, _)| id == correlation) {
            self.replication.groups.creation = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// The partitions of the facts (05-groups.md, 5.1).
    #[test]
    fn partitions_of_groups() {
        for (group, partition) in [
            ("my-group", 12),
            ("orders-service", 17),
            ("group1", 40),
            ("payments", 13),
            ("test", 48),
            ("analytics", 10),
            ("my-app", 0),
            ("billing", 9),
            ("locker-notifier", 9),
            ("demo-group", 15),
            ("polygenelubricants", 0),
            ("g", 3),
        ] {
            assert_eq!(
                partition_for(&GroupId(Rc::from(group)), 50),
                PartitionId(partition),
                "{group}"
            );
        }
        // UTF-16 units: a letter beyond the first plane counts as two.
        assert_eq!(string_hash("\u{1f600}"), 0xd83d * 31 + 0xde00);
    }
}
