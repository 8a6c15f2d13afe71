//! A consumer stands at or below the high watermark: it never saw more than was committed. A
//! position that a person has named may lie beyond it; the fetch from there is refused.

use super::Violation;
use crate::client::{Client, StartAt};
use crate::ids::{Offset, TopicPartition};
use crate::world::process::Process;
use crate::world::world::World;

pub(super) fn check<P: Process>(world: &World<P>, violations: &mut Vec<Violation>) {
    for client in world.clients() {
        match client {
            Client::Consumer(consumer) => {
                for (partition, position) in consumer.positions() {
                    if !matches!(consumer.start(&partition), Some(StartAt::Offset(_))) {
                        check_one(world, consumer.name(), &partition, position, violations);
                    }
                }
            }
            Client::KafkaConsumer(consumer) => {
                let Some(consumer) = consumer.get() else { continue };
                for (partition, position, is_named) in consumer.positions() {
                    if !is_named {
                        check_one(world, consumer.client_id(), &partition, position, violations);
                    }
                }
            }
            _ => {}
        }
    }
}

fn check_one<P: Process>(
    world: &World<P>,
    name: &str,
    partition: &TopicPartition,
    position: Offset,
    violations: &mut Vec<Violation>,
) {
    let replicas = world.brokers().values().filter_map(|broker| broker.partitions().get(partition));
    let committed = replicas.map(|replica| replica.high_watermark()).max();
    if committed.is_some_and(|committed| position > committed) {
        violations.push(Violation {
            rule: "ReadersSeeCommittedRecords",
            found: format!("{name} in {partition}: position {position}"),
        });
    }
}
