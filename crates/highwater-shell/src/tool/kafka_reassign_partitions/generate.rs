//! `--generate`: proposes where the replicas of topics could go among some brokers
//! (`generateAssignment`). Real Kafka draws anew each time; here the draw depends on the moment.

use highwater_core::controller::placement::{Placement, UsableBroker};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{BrokerId, Rack, TopicPartition};
use highwater_core::java::hash_map::{in_set_order, partition_hash};
use highwater_core::world::process::Fd;

use super::{Failure, Gone, KafkaReassignPartitions, Stage, plan};
use crate::process::Out;
use crate::tool::Next;

impl KafkaReassignPartitions {
    pub(super) fn go_on_generate(&mut self, out: &mut Out<'_>) -> Gone {
        match self.stage {
            Stage::Topics => {
                self.assignment(&self.job.topics)?;
                Ok(self.ask_brokers(out))
            }
            Stage::Brokers => {
                let brokers = self.available(&self.assignment(&self.job.topics)?);
                self.ask_log_dirs(brokers, out)
            }
            _ => {
                let current = self.assignment(&self.job.topics)?;
                let proposed = self.proposal(&current, out)?;
                let current = plan::print(&current, &|replica| self.folder_of(replica));
                let proposed = plan::print(&proposed, &|_| None);
                let text = format_args!(
                    "Current partition replica assignment\n{current}\n\nProposed partition \
                     reassignment configuration\n{proposed}\n"
                );
                out.print(Fd::Stdout, text);
                Ok(Next::Exit(0))
            }
        }
    }

    /// Each topic gets as many replicas as one of its partitions has, the first of Java's map of them.
    fn proposal(
        &self,
        current: &[(TopicPartition, Vec<BrokerId>)],
        out: &Out<'_>,
    ) -> Result<Vec<(TopicPartition, Vec<BrokerId>)>, Failure> {
        let usable = self.usable()?;
        let moment = u32::try_from(out.now().0 / 1_000 % u64::from(u32::MAX)).unwrap_or(0);
        let all = in_set_order(current, |(which, _)| partition_hash(which));
        let mut proposed = Vec::new();
        for name in &self.job.topics {
            let topic = self.topic(name).map_err(|error| Failure::answered(&error))?;
            let first = all.iter().find(|(which, _)| which.topic == *name);
            let factor = first.map_or(0, |(_, replicas)| replicas.len());
            check(factor, usable.len())?;
            let placement = Placement {
                seed: out.options().seed,
                topic: topic.id,
                first_partition: moment,
                brokers: &usable,
            };
            let count = u32::try_from(topic.partitions.len()).unwrap_or(u32::MAX);
            for ((number, _), replicas) in topic.numbered().zip(placement.place(count, factor)) {
                proposed.push((TopicPartition::new(name, number), replicas));
            }
        }
        Ok(proposed)
    }
}

impl KafkaReassignPartitions {
    /// The brokers to choose from, with their racks unless these do not matter (`getBrokerMetadata`).
    fn usable(&self) -> Result<Vec<UsableBroker>, Failure> {
        let there = self.seen.brokers.iter().filter(|node| self.job.brokers.contains(&node.id));
        let mut usable: Vec<UsableBroker> = there
            .map(|node| UsableBroker { id: node.id, rack: node.rack.clone(), fenced: false })
            .collect();
        if self.job.disable_rack_aware {
            usable.iter_mut().for_each(|broker| broker.rack = Rack::default());
        }
        let with_rack = usable.iter().filter(|broker| broker.rack.is_some()).count();
        if with_rack > 0 && with_rack < usable.len() {
            let class = "org.apache.kafka.tools.AdminOperationException";
            let text = "Not all brokers have rack information. Add --disable-rack-aware in command line \
                        to make replica assignment without rack information.";
            return Err(Failure::thrown(class, text));
        }
        Ok(usable)
    }
}

/// Whether so many replicas can be placed (`StripedReplicaPlacer.place`).
fn check(factor: usize, brokers: usize) -> Result<(), Failure> {
    let text = if brokers == 0 {
        "All brokers are currently fenced, or have all their log directories cordoned.".to_owned()
    } else if factor > brokers {
        format!(
            "The target replication factor of {factor} cannot be reached because only {brokers} \
             broker(s) are registered or some brokers have all their log directories cordoned."
        )
    } else {
        return Ok(());
    };
    let error = KafkaError::new(ErrorCode::InvalidReplicationFactor, text);
    Err(Failure::thrown(error.code.exception(), error.message))
}
