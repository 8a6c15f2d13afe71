//! `--execute`: begins the moves of a plan, after a look at what is there (`executeAssignment`).

use highwater_core::client::{ClientCommand, LogDirsAnswer};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{BrokerId, TopicPartition};
use highwater_core::java::hash_map::{in_set_order, partition_hash};
use highwater_core::net::admin::Reassignments;
use highwater_core::net::log_dirs::{LogDirsRequest, LogDirsResponse};
use highwater_core::scope::Lab;
use highwater_core::sorted_map::{SortedMap, sort_by_key};
use highwater_core::time::SimDuration;
use highwater_core::world::process::Fd;

use super::{
    COMMAND_FAILED, EXECUTION_EXCEPTION, Failure, Gone, KafkaReassignPartitions, Replica, Stage,
    exception, list, plan, throttle,
};
use crate::process::Out;
use crate::tool::Next;
use crate::tool::options::Problem;

const EXISTING: &str = "Cannot execute because there is an existing partition assignment.  Use --additional to override \
     this and create a new partition assignment in addition to the existing one. The --additional flag \
     can also be used to change the throttle by resubmitting the current reassignment.";

const VERIFY_PERIODICALLY: &str = "Warning: You must run --verify periodically, until the reassignment completes, to ensure the \
     throttle is removed.";

/// Between two attempts to let replicas change folders.
const MOVE_RETRY: SimDuration = SimDuration::from_millis(100);

impl KafkaReassignPartitions {
    pub(super) fn go_on_execute(&mut self, out: &mut Out<'_>) -> Gone {
        match self.stage {
            Stage::Ongoing => {
                if !self.job.additional && !self.seen.ongoing.is_empty() {
                    return Err(Failure::Terse(EXISTING.to_owned()));
                }
                Ok(self.ask_brokers(out))
            }
            Stage::Brokers => {
                let wanted = self.job.plan.brokers(Vec::new());
                match wanted.iter().find(|broker| !self.seen.brokers().contains(broker)) {
                    Some(stranger) => {
                        let text = format!("Unknown broker id {stranger}");
                        Err(Failure::thrown(COMMAND_FAILED, text))
                    }
                    None => Ok(self.ask_topics(out)),
                }
            }
            Stage::Topics => {
                let brokers = self.available(&self.current()?);
                self.ask_log_dirs(brokers, out)
            }
            Stage::LogDirs => self.begin_changes(out),
            Stage::TopicThrottles => {
                let changes = throttle::of_brokers(&self.throttled()?, self.job.throttle);
                self.ask_configs(Stage::BrokerThrottles, changes, out)
            }
            Stage::BrokerThrottles => {
                let limit = self.job.throttle;
                let text = format_args!("The inter-broker throttle limit was set to {limit} B/s\n");
                out.print(Fd::Stdout, text);
                self.throttle_folders(out)
            }
            Stage::LogDirsThrottles => {
                let limit = self.job.log_dirs_throttle;
                let text =
                    format_args!("The replica-alter-dir throttle limit was set to {limit} B/s\n");
                out.print(Fd::Stdout, text);
                Ok(self.begin_moves(out))
            }
            Stage::Alter => {
                let which = self.planned();
                let many = if which.len() == 1 { "" } else { "s" };
                let which = list(&which, ",");
                let text =
                    format_args!("Successfully started partition reassignment{many} for {which}\n");
                out.print(Fd::Stdout, text);
                if self.job.plan.log_dirs.is_empty() {
                    return Ok(Next::Exit(0));
                }
                self.moves.clone_from(&self.job.plan.log_dirs);
                self.moving_since = out.now();
                Ok(self.ask_moves(out))
            }
            Stage::Moves => Ok(Next::Wait),
        }
    }

    /// The partitions of the plan, sorted.
    fn planned(&self) -> Vec<TopicPartition> {
        let mut which: Vec<_> =
            self.job.plan.partitions.iter().map(|(which, _)| which.clone()).collect();
        sort_by_key(&mut which, Clone::clone);
        which
    }

    /// The replicas that the partitions of the plan have now (`getReplicasForPartitions`).
    fn current(&self) -> Result<Vec<(TopicPartition, Vec<BrokerId>)>, Failure> {
        let planned = self.planned();
        let mut current = self.assignment(&self.job.plan.topics())?;
        current.retain(|(which, _)| planned.contains(which));
        let mut missing = planned;
        missing.retain(|which| !current.iter().any(|(known, _)| known == which));
        if missing.is_empty() {
            return Ok(current);
        }
        let missing = list(&in_set_order(&missing, partition_hash), ", ");
        let text = format!("Unable to find partition: {missing}");
        Err(Failure::answered(&KafkaError::new(ErrorCode::UnknownTopicOrPartition, text)))
    }

    /// Tells what leads back, then throttles and moves.
    fn begin_changes(&mut self, out: &mut Out<'_>) -> Gone {
        let current = plan::print(&self.current()?, &|replica| self.folder_of(replica));
        let text = format_args!(
            "Current partition replica assignment\n\n{current}\n\nSave this to use as the \
             --reassignment-json-file option during rollback\n"
        );
        out.print(Fd::Stdout, text);
        if self.job.throttle >= 0 || self.job.log_dirs_throttle >= 0 {
            out.print(Fd::Stdout, format_args!("{VERIFY_PERIODICALLY}\n"));
        }
        if self.job.throttle >= 0 {
            let changes = throttle::of_topics(&self.throttled()?);
            return self.ask_configs(Stage::TopicThrottles, changes, out);
        }
        self.throttle_folders(out)
    }

    /// What moves where, with what moves already.
    fn throttled(&self) -> Result<throttle::Moves, Failure> {
        let current = self.current()?;
        Ok(throttle::moves(&self.seen.ongoing, &self.job.plan.partitions, &current))
    }

    fn throttle_folders(&mut self, out: &mut Out<'_>) -> Gone {
        if self.job.log_dirs_throttle < 0 {
            return Ok(self.begin_moves(out));
        }
        let replicas = self.job.plan.log_dirs.iter();
        let mut brokers: Vec<BrokerId> = replicas.map(|(replica, _)| replica.broker).collect();
        sort_by_key(&mut brokers, |broker| *broker);
        brokers.dedup();
        let changes = throttle::of_folders(&brokers, self.job.log_dirs_throttle);
        self.ask_configs(Stage::LogDirsThrottles, changes, out)
    }

    fn begin_moves(&mut self, out: &mut Out<'_>) -> Next {
        let mut partitions = Vec::new();
        for (which, replicas) in &self.job.plan.partitions {
            partitions.push((which.clone(), Some(replicas.clone())));
        }
        sort_by_key(&mut partitions, |(which, _)| which.clone());
        let allow_replication_factor_change = !self.job.disallow_replication_factor_change;
        self.ask_alter(Reassignments { partitions, allow_replication_factor_change }, out)
    }

    /// Asks each broker to put its replicas into their folders.
    pub(super) fn ask_moves(&mut self, out: &mut Out<'_>) -> Next {
        let mut by_broker: SortedMap<BrokerId, Vec<(TopicPartition, String)>> = SortedMap::new();
        for (replica, path) in &self.moves {
            let moves = by_broker.get_or_insert_with(replica.broker, Vec::new);
            moves.push((replica.which.clone(), path.clone()));
        }
        let mut questions = Vec::new();
        for (broker, moves) in by_broker {
            questions.push((broker, LogDirsRequest::Alter(moves)));
        }
        self.ask(Stage::Moves, ClientCommand::AskLogDirs(Lab::new(questions)), out)
    }

    /// Replicas that are not there yet are tried again until the time is over.
    pub(super) fn note_moves(
        &mut self,
        answers: Result<&Vec<LogDirsAnswer>, &KafkaError>,
        out: &mut Out<'_>,
    ) -> Gone {
        let mut left = Vec::new();
        sort_by_key(&mut self.moves, |(replica, _)| replica.clone());
        let mut text = String::new();
        for (replica, path) in &self.moves {
            match outcome(replica, answers) {
                Ok(()) => {
                    let Replica { broker, which } = replica;
                    text.push_str(&format!(
                        "Successfully started moving log directory to {path} for replica {which} \
                         with broker {broker} \n"
                    ));
                }
                Err(error) if error.code == ErrorCode::ReplicaNotAvailable => {
                    left.push((replica.clone(), path.clone()));
                }
                Err(error) => {
                    let cause = exception(&error);
                    let causes = vec![[EXECUTION_EXCEPTION, ": ", &cause].concat(), cause];
                    let text = format!("Failed to alter dir for {replica}");
                    return Err(Failure::Thrown(Problem { class: COMMAND_FAILED, text, causes }));
                }
            }
        }
        out.write(Fd::Stdout, text);
        self.moves = left;
        let waited = (out.now().0 - self.moving_since.0) / 1_000;
        if self.moves.is_empty() {
            Ok(Next::Exit(0))
        } else if i64::try_from(waited).unwrap_or(i64::MAX) >= self.job.timeout {
            let many = if self.moves.len() == 1 { "" } else { "s" };
            let left: Vec<&Replica> = self.moves.iter().map(|(replica, _)| replica).collect();
            let left = list(&left, ",");
            Err(Failure::Terse(format!(
                "Timed out before log directory move{many} could be started for: {left}"
            )))
        } else {
            out.wait(MOVE_RETRY, 0);
            Ok(Next::Wait)
        }
    }
}

/// What a broker said of a replica's move.
fn outcome(
    replica: &Replica,
    answers: Result<&Vec<LogDirsAnswer>, &KafkaError>,
) -> Result<(), KafkaError> {
    for (broker, answer) in answers.map_err(Clone::clone)? {
        if let LogDirsResponse::Altered(outcomes) = answer
            && *broker == replica.broker
            && let Some((_, outcome)) = outcomes.iter().find(|(which, _)| *which == replica.which)
        {
            return outcome.clone();
        }
    }
    Err(KafkaError::plain(ErrorCode::ReplicaNotAvailable))
}
