//! A log is a row of batches without gap or overlap, in segments that begin where the one before
//! ends, with leader epochs that only grow (Kafka's `LogValidator` and `LeaderEpochFileCache`).

use super::Violation;
use crate::ids::{LeaderEpoch, Offset};
use crate::world::process::Process;
use crate::world::world::World;

/// Without compaction, which is not built, every offset is there.
pub(super) fn check<P: Process>(world: &World<P>, violations: &mut Vec<Violation>) {
    for (id, broker) in world.brokers().iter() {
        for (partition, replica) in broker.partitions().iter() {
            let log = replica.log();
            let mut next: Option<Offset> = None;
            let mut epoch = LeaderEpoch(0);
            for segment in log.segments() {
                if next.is_some_and(|next| next != segment.base_offset()) {
                    violations.push(Violation {
                        rule: "SegmentsFollowEachOther",
                        found: format!("{partition} on broker {id}: {}", segment.base_offset()),
                    });
                }
                next = Some(segment.base_offset());
                for batch in segment.batches() {
                    let follows = next == Some(batch.base_offset) && batch.leader_epoch >= epoch;
                    if !follows || batch.records.is_empty() {
                        violations.push(Violation {
                            rule: "OffsetsFollowEachOther",
                            found: format!("{partition} on broker {id}: {}", batch.base_offset),
                        });
                    }
                    next = Some(batch.next_offset());
                    epoch = batch.leader_epoch;
                }
            }
            if next != Some(log.log_end_offset()) {
                violations.push(Violation {
                    rule: "LogEndsAfterLastRecord",
                    found: format!("{partition} on broker {id}: {}", log.log_end_offset()),
                });
            }
        }
    }
}
