//! A consumer stands at or below the high watermark: it never saw more than was committed. A
//! position that a person has named may lie beyond it; the fetch from there is refused. A leader whose
//! process has died begins again with the high watermark of its last checkpoint, which may lie behind what
//! was read before; so what counts is the highest that there ever was, or without a memory the end of a log.

use super::Violation;
use crate::client::{Client, StartAt};
use crate::ids::{Offset, TopicPartition};
use crate::sorted_map::SortedMap;
use crate::world::process::Process;
use crate::world::world::World;

/// The highest high watermark of each partition.
pub(super) type Highest = SortedMap<TopicPartition, Offset>;

pub(super) fn check<P: Process>(
    world: &World<P>,
    highest: Option<&Highest>,
    violations: &mut Vec<Violation>,
) {
    let mut check_one = |name: &str, which: &TopicPartition, position: Offset| {
        let committed = match highest {
            Some(highest) => highest.get(which).copied(),
            None => furthest(world, which),
        };
        if committed.is_some_and(|committed| position > committed) {
            violations.push(Violation {
                rule: "ReadersSeeCommittedRecords",
                found: format!("{name} in {which}: position {position}"),
            });
        }
    };
    for client in world.clients() {
        match client {
            Client::Consumer(consumer) => {
                for (partition, position) in consumer.positions() {
                    if !matches!(consumer.start(&partition), Some(StartAt::Offset(_))) {
                        check_one(consumer.name(), &partition, position);
                    }
                }
            }
            Client::KafkaConsumer(consumer) => {
                let Some(consumer) = consumer.get() else { continue };
                for (partition, position, is_named) in consumer.positions() {
                    if !is_named {
                        check_one(consumer.client_id(), &partition, position);
                    }
                }
            }
            _ => {}
        }
    }
}

/// How far any log of a partition goes.
fn furthest<P: Process>(world: &World<P>, which: &TopicPartition) -> Option<Offset> {
    let replicas = world.brokers().values().filter_map(|broker| broker.partitions().get(which));
    replicas.map(|replica| replica.log().log_end_offset()).max()
}
