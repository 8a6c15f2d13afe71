//! What is committed is in the log of every in-sync replica, and is the same there (StrongIsr of the TLA+
//! specification of Kafka replication), as far as one moment shows it: what the leader's high watermark says,
//! of those whose processes run. What is deleted or compacted away is not missed.

use super::Violation;
use crate::controller::records::{PartitionImage, TopicImage};
use crate::ids::{BrokerId, TopicName, TopicPartition};
use crate::replication::partition::Partition;
use crate::world::compare::parting;
use crate::world::process::Process;
use crate::world::world::World;

pub(super) fn check<P: Process>(
    world: &World<P>,
    name: &TopicName,
    topic: &TopicImage,
    violations: &mut Vec<Violation>,
) {
    for (number, partition) in topic.numbered() {
        let which = TopicPartition::new(name, number);
        let holds = |id: BrokerId| {
            let broker = world.brokers().get(&id).filter(|broker| broker.is_listening())?;
            let held = broker.partitions().get(&which)?;
            (held.topic_id() == topic.id).then_some(&**held)
        };
        let leader = partition.leader.and_then(holds).filter(|held| leads(held, partition));
        let Some(leader) = leader else { continue };
        for member in partition.isr.iter().filter(|id| Some(**id) != partition.leader) {
            let Some(rule) = holds(*member).and_then(|copy| broken(leader, copy)) else { continue };
            let committed = leader.high_watermark();
            let found = format!("{which}: broker {member} differs below {committed}");
            violations.push(Violation { rule, found });
        }
    }
}

fn leads(held: &Partition, partition: &PartitionImage) -> bool {
    held.is_leader() && held.leader_epoch() == partition.leader_epoch
}

fn broken(leader: &Partition, copy: &Partition) -> Option<&'static str> {
    let committed = leader.high_watermark();
    if copy.log().log_end_offset() < committed {
        return Some("StrongIsr");
    }
    let is_compacted = leader.log().config().compact || copy.log().config().compact;
    let parts_at = if is_compacted { None } else { parting(leader.log(), copy.log()) };
    parts_at.is_some_and(|offset| offset < committed).then_some("LogsMatch")
}
