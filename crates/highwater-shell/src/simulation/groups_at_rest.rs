//! What must hold of groups in the end: each has got every record that is in the log.

use std::collections::BTreeMap;

use highwater_core::ids::TopicPartition;
use highwater_core::log::unified_log::UnifiedLog;

use crate::simulation::plan::SERVERS;
use crate::simulation::run::Run;
use crate::simulation::{Failure, failed};

impl Run {
    /// Lets each group read what is left, and compares what it has got with what is in the logs. `once`: it
    /// may have got nothing twice.
    ///
    /// # Errors
    /// A record is missing, or was read twice.
    pub fn check_groups(&mut self, groups: u32, once: bool) -> Result<(), Failure> {
        for group in 0..groups {
            self.line(&format!(
                "kafka-console-consumer.sh {SERVERS} --topic a --group g{group} --from-beginning \
                 --timeout-ms 70000 >> g{group}.txt 2>/dev/null"
            ))?;
            let before = self.printed();
            self.line(&format!("cat g{group}.txt"))?;
            let mut read: BTreeMap<String, u32> = BTreeMap::new();
            for line in self.printed_since(before).lines() {
                *read.entry(line.to_owned()).or_default() += 1;
            }
            let place = format!("group g{group}");
            if self.watched().committed_records_lost > 0 || self.watched().unclean_elections > 0 {
                continue;
            }
            for (value, count) in self.values() {
                let times = read.get(&value).copied().unwrap_or(0);
                if times == 0 {
                    return Err(failed("GroupsGetEveryRecord", &format!("{place}: not {value}")));
                }
                if once && times != count {
                    let found = format!("{place}: {value} {times} times, in the log {count} times");
                    return Err(failed("CalmGroupsGetRecordsOnce", &found));
                }
            }
        }
        Ok(())
    }

    /// Every value in the logs of the topic, and how often it is there.
    fn values(&self) -> BTreeMap<String, u32> {
        let mut values = BTreeMap::new();
        for (name, topic) in self.world().controller().image().topics.iter() {
            if name.as_str() != "a" {
                continue;
            }
            for (number, partition) in topic.numbered() {
                let which = TopicPartition::new(name, number);
                let leader = partition.leader.and_then(|id| self.world().brokers().get(&id));
                let held = leader.and_then(|leader| leader.partitions().get(&which));
                for value in held.map(|held| values_of(held.log())).into_iter().flatten() {
                    *values.entry(value).or_default() += 1;
                }
            }
        }
        values
    }
}

fn values_of(log: &UnifiedLog) -> Vec<String> {
    let batches = log.read(log.log_start_offset(), log.log_end_offset(), u64::MAX);
    let records = batches.flat_map(|batch| batch.iter().map(|(_, record)| record));
    records
        .filter_map(|record| record.value.as_deref())
        .map(|value| String::from_utf8_lossy(value).into_owned())
        .collect()
}
