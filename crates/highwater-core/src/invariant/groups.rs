//! Groups: in one generation of a group each partition has one owner, for the coordinator and for the
//! members themselves; what a group has committed is in the log (the consumer's contract,
//! `ConsumerPartitionAssignor`, and `__consumer_offsets` written only after reading).

use std::rc::Rc;

use super::{Hazards, Violation};
use crate::broker::group_coordinator::{GroupEntry, GroupState, Shard};
use crate::client::Client;
use crate::client::kafka_consumer::KafkaConsumer;
use crate::client::kafka_consumer::view::MemberView;
use crate::ids::{BrokerId, GroupId, PartitionId, TopicPartition};
use crate::log::unified_log::UnifiedLog;
use crate::sorted_map::SortedMap;
use crate::world::process::Process;
use crate::world::world::World;

/// The coordinators as they were at the last look.
#[derive(Clone, Debug, Default)]
pub(super) struct Coordinators(SortedMap<(BrokerId, PartitionId), Rc<Shard>>);

impl Coordinators {
    /// Looks at the groups that have changed.
    pub(super) fn observe<P: Process>(
        &mut self,
        world: &World<P>,
        hazards: &Hazards,
        violations: &mut Vec<Violation>,
    ) {
        for (id, broker) in world.brokers().iter() {
            for (partition, shard) in broker.group_shards() {
                let key = (*id, partition);
                if self.0.get(&key).is_some_and(|before| Rc::ptr_eq(before, shard)) {
                    continue;
                }
                for (group, entry) in shard.groups() {
                    check_parts(group, entry, violations);
                    // After such a loss offsets may lie behind the end of a log.
                    if hazards.unclean_elections == 0 && hazards.committed_records_lost == 0 {
                        check_offsets(world, group, entry, violations);
                    }
                }
                self.0.insert(key, Rc::clone(shard));
            }
        }
    }
}

/// What a coordinator has given its members.
fn check_parts(id: &GroupId, entry: &GroupEntry, violations: &mut Vec<Violation>) {
    let Some(group) = entry.group.classic() else { return };
    if group.state() != GroupState::Stable {
        return;
    }
    let mut owned: Vec<TopicPartition> = Vec::new();
    for member in group.members() {
        owned.extend(member.partitions());
    }
    owned.sort_unstable();
    for pair in owned.windows(2) {
        if let [one, other] = pair
            && one == other
        {
            let generation = group.generation();
            violations.push(Violation {
                rule: "OneOwnerInAGeneration",
                found: format!("{one} twice in generation {generation} of group {id}"),
            });
        }
    }
}

fn check_offsets<P: Process>(
    world: &World<P>,
    id: &GroupId,
    entry: &GroupEntry,
    violations: &mut Vec<Violation>,
) {
    let image = world.controller().image();
    for (which, kept) in entry.offsets.iter() {
        let Some(topic) = image.topics.get(&which.topic) else { continue };
        let logs = world.brokers().values().filter_map(|broker| broker.partitions().get(which));
        let logs = logs.filter(|held| held.topic_id() == topic.id);
        let Some(end) = logs.map(|held| UnifiedLog::log_end_offset(held.log())).max() else {
            continue;
        };
        let offset = kept.committed.offset;
        if offset > end {
            violations.push(Violation {
                rule: "CommittedOffsetsAreInTheLog",
                found: format!("group {id} has committed {offset} of {which}, which ends at {end}"),
            });
        }
    }
}

/// What members themselves believe to own.
pub(super) fn check_members<P: Process>(world: &World<P>, violations: &mut Vec<Violation>) {
    let consumers = world.clients().filter_map(|client| match client {
        Client::KafkaConsumer(consumer) => consumer.get(),
        _ => None,
    });
    let members: Vec<MemberView> = consumers.filter_map(KafkaConsumer::member_view).collect();
    for (place, one) in members.iter().enumerate() {
        for other in members.iter().skip(place + 1) {
            let is_one_generation = one.group == other.group
                && one.generation == other.generation
                && one.generation >= 0;
            // A static member that has been replaced does not know it yet (KIP-345).
            let is_replaced = one.instance.is_some() && one.instance == other.instance;
            if !is_one_generation || is_replaced {
                continue;
            }
            let both = |which: &TopicPartition| {
                other.partitions.iter().any(|owned| owned.partition == *which)
            };
            let shared = one.partitions.iter().find(|owned| both(&owned.partition));
            if let Some(shared) = shared {
                violations.push(Violation {
                    rule: "OneOwnerInAGeneration",
                    found: format!(
                        "{} is read by {} and {} in generation {} of group {}",
                        shared.partition, one.member, other.member, one.generation, one.group
                    ),
                });
            }
        }
    }
}
