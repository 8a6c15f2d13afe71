//! `--verify` and `--cancel`: what became of the moves of a plan, their end before their time, and the
//! end of throttles (`verifyAssignment`, `cancelAssignment`).

use highwater_core::error::ErrorCode;
use highwater_core::ids::{BrokerId, TopicPartition};
use highwater_core::net::admin::Reassignments;
use highwater_core::sorted_map::{SortedMap, sort_by_key};
use highwater_core::world::process::Fd;

use super::{Failure, Gone, KafkaReassignPartitions, Stage, list, throttle};
use crate::process::Out;
use crate::tool::Next;

impl KafkaReassignPartitions {
    pub(super) fn go_on_verify(&mut self, out: &mut Out<'_>) -> Gone {
        match self.stage {
            Stage::Ongoing => Ok(self.ask_topics(out)),
            Stage::Topics => {
                let text = self.states()?;
                out.write(Fd::Stdout, text);
                self.ask_planned_folders(out)
            }
            Stage::LogDirs => {
                let (text, is_done) = self.folders();
                out.write(Fd::Stdout, text);
                if !is_done || !self.seen.ongoing.is_empty() || self.job.preserve_throttles {
                    return Ok(Next::Exit(0));
                }
                Ok(self.ask_brokers(out))
            }
            _ => self.clear_throttles(out),
        }
    }

    pub(super) fn go_on_cancel(&mut self, out: &mut Out<'_>) -> Gone {
        match self.stage {
            Stage::Ongoing if self.seen.ongoing.is_empty() => {
                let text = "None of the specified partition reassignments are active.\n";
                out.write(Fd::Stdout, text);
                self.ask_planned_folders(out)
            }
            Stage::Ongoing => {
                let ongoing = self.seen.ongoing.iter().map(|(which, _)| (which.clone(), None));
                let partitions = ongoing.collect();
                let allow_replication_factor_change = true;
                let moves = Reassignments { partitions, allow_replication_factor_change };
                Ok(self.ask_alter(moves, out))
            }
            Stage::Alter => {
                let which: Vec<_> = self.seen.ongoing.iter().map(|(which, _)| which).collect();
                let many = if which.len() == 1 { "" } else { "s" };
                let which = list(&which, ",");
                let text = format_args!(
                    "Successfully cancelled partition reassignment{many} for: {which}\n"
                );
                out.print(Fd::Stdout, text);
                self.ask_planned_folders(out)
            }
            Stage::LogDirs => {
                // A replica never moves between folders here. Kafka ends no line after this.
                out.write(Fd::Stdout, "None of the specified partition moves are active.");
                if self.job.preserve_throttles {
                    return Ok(Next::Exit(0));
                }
                Ok(self.ask_brokers(out))
            }
            _ => self.clear_throttles(out),
        }
    }

    /// Asks the brokers of replicas that shall be in certain folders.
    fn ask_planned_folders(&mut self, out: &mut Out<'_>) -> Gone {
        let replicas = self.job.plan.log_dirs.iter();
        let brokers = replicas.map(|(replica, _)| replica.broker).collect();
        self.ask_log_dirs(brokers, out)
    }

    fn clear_throttles(&mut self, out: &mut Out<'_>) -> Gone {
        let s_of = |count: usize| if count == 1 { "" } else { "s" };
        match self.stage {
            Stage::Brokers => {
                let brokers = self.job.plan.brokers(self.seen.brokers());
                let (many, names) = (s_of(brokers.len()), list(&brokers, ","));
                let text =
                    format_args!("Clearing broker-level throttles on broker{many} {names}\n");
                out.print(Fd::Stdout, text);
                let changes = throttle::cleared_of_brokers(&brokers);
                self.ask_configs(Stage::BrokerThrottles, changes, out)
            }
            Stage::BrokerThrottles => {
                let topics = self.job.plan.topics();
                let (many, names) = (s_of(topics.len()), list(&topics, ","));
                let text = format_args!("Clearing topic-level throttles on topic{many} {names}\n");
                out.print(Fd::Stdout, text);
                let changes = throttle::cleared_of_topics(&topics);
                self.ask_configs(Stage::TopicThrottles, changes, out)
            }
            _ => Ok(Next::Exit(0)),
        }
    }

    /// What became of each partition (`findPartitionReassignmentStates`).
    fn states(&self) -> Result<String, Failure> {
        // Of a partition that is named twice the last one counts.
        let mut wanted: SortedMap<TopicPartition, &[BrokerId]> = SortedMap::new();
        for (which, replicas) in &self.job.plan.partitions {
            wanted.insert(which.clone(), replicas);
        }
        let mut text = "Status of partition reassignment:\n".to_owned();
        for (which, replicas) in wanted.iter() {
            if self.seen.ongoing.iter().any(|(ongoing, _)| ongoing == which) {
                text.push_str(&format!(
                    "Reassignment of partition {which} is still in progress.\n"
                ));
                continue;
            }
            let current = self.replicas_of(which)?;
            if current == *replicas {
                text.push_str(&format!("Reassignment of partition {which} is completed.\n"));
            } else {
                let (current, replicas) = (list(&current, ","), list(replicas, ","));
                text.push_str(&format!(
                    "There is no active reassignment of partition {which}, but replica set is \
                     {current} rather than {replicas}.\n"
                ));
            }
        }
        Ok(text)
    }

    /// The replicas of a partition; of one that is not there none. That it is the very next one after
    /// the topic's last is an index out of bounds to Kafka.
    fn replicas_of(&self, which: &TopicPartition) -> Result<Vec<BrokerId>, Failure> {
        let topic = match self.topic(&which.topic) {
            Ok(topic) => topic,
            Err(error) if error.code == ErrorCode::UnknownTopicOrPartition => return Ok(Vec::new()),
            Err(error) => return Err(Failure::answered(&error)),
        };
        if let Some(partition) = topic.partition(which.partition) {
            return Ok(partition.replicas.clone());
        }
        let (number, count) = (which.partition.0, topic.partitions.len());
        if i64::from(number) > i64::try_from(count).unwrap_or(i64::MAX) {
            return Ok(Vec::new());
        }
        let text = format!("Index {number} out of bounds for length {count}");
        Err(Failure::thrown("java.lang.IndexOutOfBoundsException", text))
    }

    /// Where replicas are that shall be in certain folders, and whether that is settled. Without such
    /// replicas there is an empty line.
    fn folders(&self) -> (String, bool) {
        let mut wanted = self.job.plan.log_dirs.clone();
        sort_by_key(&mut wanted, |(replica, _)| replica.clone());
        let (mut lines, mut is_done) = (Vec::new(), true);
        for (replica, path) in &wanted {
            let (which, broker) = (&replica.which, replica.broker);
            lines.push(match self.folder_of(replica) {
                Some(now) if now == *path => {
                    format!("Reassignment of replica {replica} completed successfully.")
                }
                Some(now) => format!(
                    "Partition {which} on broker {broker} is not being moved from log dir {now} to \
                     {path}."
                ),
                None => {
                    is_done = false;
                    format!(
                        "Partition {which} is not found in any live log dir on broker {broker}. There \
                         is likely an offline log directory on the broker."
                    )
                }
            });
        }
        (format!("{}\n", lines.join("\n")), is_done)
    }
}
