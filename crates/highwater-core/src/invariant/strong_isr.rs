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

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;
    use crate::ids::{Bytes, PartitionId, TopicId};
    use crate::log::log_config::LogConfig;
    use crate::log::record::Record;
    use crate::log::record_batch::Proposal;
    use crate::net::message::Acks;
    use crate::replication::partition::Circumstances;
    use crate::time::SimTime;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A replica with these records, all of them committed.
    fn holding(values: &[&str]) -> Partition {
        let which = TopicPartition::new(&TopicName::new("t"), PartitionId(0));
        let config = Rc::new(LogConfig::default());
        let mut held = Partition::new(which, TopicId(1), BrokerId(1), config);
        let here = Circumstances::of_tests();
        held.make_leader(&PartitionImage::new(vec![BrokerId(1)], |_| true, None), here);
        for value in values {
            let value = Some(Bytes::from(value.as_bytes()));
            let record = Record { key: None, value, timestamp: 0, headers: Vec::new() };
            let proposal = Proposal::from(Rc::from([record]));
            let contact = |_| SimTime(0);
            held.append_records_to_leader(&proposal, Acks::Leader, None, &contact, here)
                .expect("it is appended");
        }
        held
    }

    /// What is committed must be there, and be the same; what comes after it may be anything.
    #[test]
    fn what_is_committed_is_compared() {
        let leader = holding(&["a", "b", "c"]);
        for (copy, expected) in [
            (&["a", "b", "c"][..], None),
            (&["a", "b", "c", "d"], None),
            (&["a", "b"], Some("StrongIsr")),
            (&[], Some("StrongIsr")),
            (&["a", "x", "c"], Some("LogsMatch")),
            (&["a", "b", "x", "d"], Some("LogsMatch")),
        ] {
            assert_eq!(broken(&leader, &holding(copy)), expected, "{copy:?}");
        }
        assert_eq!(broken(&holding(&[]), &leader), None);
    }
}
