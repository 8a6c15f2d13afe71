//! Epochs only grow, and in each of them one broker leads (KIP-101; `LeaderEpoch` of the TLA+
//! specification of Kafka replication).

use std::rc::Rc;

use super::{Change, Violation};
use crate::controller::records::{MetadataImage, TopicImage};
use crate::ids::{BrokerId, LeaderEpoch, TopicId, TopicName, TopicPartition};
use crate::sorted_map::SortedMap;

/// Who was seen to lead in an epoch of a partition of a topic; a topic made anew has another id.
#[derive(Clone, Debug, Default)]
pub(super) struct Epochs {
    leaders: SortedMap<(TopicId, TopicPartition, LeaderEpoch), BrokerId>,
}

impl Epochs {
    pub(super) fn note_topic(
        &mut self,
        name: &TopicName,
        before: Option<&Rc<TopicImage>>,
        topic: &TopicImage,
        violations: &mut Vec<Violation>,
    ) {
        let Some(before) = before.filter(|before| before.id == topic.id) else { return };
        for (number, now) in topic.numbered() {
            let Some(old) = before.partition(number) else { continue };
            let grown = now.leader_epoch >= old.leader_epoch
                && now.partition_epoch >= old.partition_epoch
                && (now.leader == old.leader || now.leader_epoch > old.leader_epoch);
            if !grown {
                violations.push(Violation {
                    rule: "EpochsGrow",
                    found: format!("{name}-{number}: {old:?} became {now:?}"),
                });
            }
        }
    }

    pub(super) fn note_replica(
        &mut self,
        change: &Change<'_>,
        image: &MetadataImage,
        violations: &mut Vec<Violation>,
    ) {
        let (which, replica) = (change.which, change.now);
        if !replica.is_leader() {
            return;
        }
        let epoch = replica.leader_epoch();
        let key = (replica.topic_id(), which.clone(), epoch);
        let first = *self.leaders.get_or_insert_with(key, || change.broker);
        let topic = image.topics.get(&which.topic).filter(|topic| topic.id == replica.topic_id());
        let known = topic.and_then(|topic| topic.partition(which.partition));
        let beyond = known.is_some_and(|known| epoch > known.leader_epoch);
        if first != change.broker || beyond {
            violations.push(Violation {
                rule: "OneLeaderPerEpoch",
                found: format!("{which}: brokers {first} and {} in epoch {epoch}", change.broker),
            });
        }
    }
}
