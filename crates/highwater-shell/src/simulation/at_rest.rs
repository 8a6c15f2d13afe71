//! What must hold when all faults have been put right and there was time to come to rest.

use highwater_core::controller::records::PartitionImage;
use highwater_core::ids::{BrokerId, Offset, TopicPartition};
use highwater_core::log::unified_log::UnifiedLog;

use crate::simulation::run::Run;
use crate::simulation::{Failure, failed};

impl Run {
    /// After healing: every partition has a leader, all replicas are in sync and alike, and what was
    /// acknowledged by all is there, unless an unclean election was allowed to lose it.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn check_at_rest(&self) -> Result<(), Failure> {
        for (name, topic) in self.world().controller().image().topics.iter() {
            for (number, partition) in topic.numbered() {
                let which = TopicPartition::new(name, number);
                let place = format!("{which}: {partition:?}");
                match partition.leader {
                    Some(leader) => self.check_partition(&which, partition, leader, &place)?,
                    None if waits_for_a_stranger(partition) => {}
                    None => return Err(failed("Progress", &place)),
                }
            }
        }
        Ok(())
    }

    fn log_of(&self, id: BrokerId, which: &TopicPartition) -> Option<&UnifiedLog> {
        let broker = self.world().brokers().get(&id)?;
        broker.partitions().get(which).map(|held| held.log())
    }

    fn check_partition(
        &self,
        which: &TopicPartition,
        partition: &PartitionImage,
        leader: BrokerId,
        place: &str,
    ) -> Result<(), Failure> {
        if partition.isr.len() != partition.replicas.len() {
            return Err(failed("AllInSyncAgain", place));
        }
        // A second reassignment may add and remove the same replica: that never ends, in Kafka too.
        let is_stuck = partition.adding.iter().any(|id| partition.removing.contains(id));
        if partition.is_reassigning() && !is_stuck {
            return Err(failed("ReassignmentsEnd", place));
        }
        for (id, broker) in self.world().brokers().iter() {
            let holds = broker.partitions().contains_key(which);
            if holds != partition.replicas.contains(id) {
                let found = format!("broker {id}: {holds}, {place}");
                return Err(failed("ReplicasHoldLogsAndNobodyElse", &found));
            }
        }
        let Some(log) = self.log_of(leader, which) else {
            return Err(failed("LeaderHoldsIt", place));
        };
        let end_of = |id: &BrokerId| self.log_of(*id, which).map(UnifiedLog::log_end_offset);
        if partition.replicas.iter().any(|id| end_of(id) != Some(log.log_end_offset())) {
            return Err(failed("LogsEndAlike", place));
        }
        if self.watched().unclean_elections == 0 {
            self.check_acknowledged(which, log, place)?;
        }
        Ok(())
    }

    fn check_acknowledged(
        &self,
        which: &TopicPartition,
        log: &UnifiedLog,
        place: &str,
    ) -> Result<(), Failure> {
        for (_, offset, value) in self.acknowledged().filter(|(at, ..)| *at == which.partition.0) {
            let offset = Offset(*offset);
            let batch = log.read(offset, log.log_end_offset(), 1).next();
            let mut records = batch.iter().flat_map(|batch| batch.iter());
            let found = records.find(|(at, _)| *at == offset);
            let is_there = found.is_some_and(|(_, record)| {
                record.value.as_deref().is_some_and(|found| found == value.as_bytes())
            });
            if !is_there {
                let found = format!("{value} at offset {offset} of {place}");
                return Err(failed("AcknowledgedRecordsAreKept", &found));
            }
        }
        Ok(())
    }
}

/// Whether nobody can lead because the only eligible replica was taken away: Kafka's own fault
/// (recorded/reassign-faults.console).
fn waits_for_a_stranger(partition: &PartitionImage) -> bool {
    let PartitionImage { replicas, isr, elr, .. } = partition;
    isr.is_empty() && !elr.is_empty() && !elr.iter().any(|id| replicas.contains(id))
}
