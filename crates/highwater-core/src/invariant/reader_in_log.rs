//! A consumer stands at or below the high watermark: it never saw more than was committed. A
//! position that a person has named may lie beyond it; the fetch from there is refused.

use super::Violation;
use crate::client::{Client, StartAt};
use crate::world::process::Process;
use crate::world::world::World;

pub(super) fn check<P: Process>(world: &World<P>, violations: &mut Vec<Violation>) {
    for client in world.clients() {
        let Client::Consumer(consumer) = client else { continue };
        for (partition, position) in consumer.positions() {
            if matches!(consumer.start(&partition), Some(StartAt::Offset(_))) {
                continue;
            }
            let replicas =
                world.brokers().values().filter_map(|broker| broker.partitions().get(&partition));
            let committed = replicas.map(|replica| replica.high_watermark()).max();
            if committed.is_none_or(|committed| position > committed) {
                violations.push(Violation {
                    rule: "ReadersSeeCommittedRecords",
                    found: format!("{} in {partition}: position {position}", consumer.name()),
                });
            }
        }
    }
}
