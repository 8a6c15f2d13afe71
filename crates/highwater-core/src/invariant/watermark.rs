//! log start <= high watermark <= log end, on every replica (02-log.md, 2.1).

use super::Violation;
use crate::world::process::Process;
use crate::world::world::World;

pub(super) fn check<P: Process>(world: &World<P>, violations: &mut Vec<Violation>) {
    for (id, broker) in world.brokers().iter() {
        for (partition, replica) in broker.partitions().iter() {
            let (log, watermark) = (replica.log(), replica.high_watermark());
            if watermark < log.log_start_offset() || watermark > log.log_end_offset() {
                violations.push(Violation {
                    rule: "HighWatermarkInLog",
                    found: format!("{partition} on broker {id}: high watermark {watermark}"),
                });
            }
        }
    }
}
