//! One group whose offsets are set: which partitions are meant, whether they are there, where their logs
//! begin and end, and what follows (`resetOffsetsForInactiveGroup`).

use std::rc::Rc;

use highwater_core::client::admin::groups::{GroupsQuestion, GroupsReply};
use highwater_core::client::{OffsetAnswers, TopicAnswers};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{GroupId, Offset, TopicName, TopicPartition};
use highwater_core::java::hash_map::{
    Made, chained_order, in_set_order, partition_hash, string_hash,
};
use highwater_core::net::group::{FetchedOffset, OffsetAndMetadata, OffsetOutcomes};
use highwater_core::net::message::OffsetSpec;
use highwater_core::world::process::Fd;

use super::super::csv::Offsets;
use super::super::partitions::{all_of, image_of};
use super::super::{Asker, Failure, Reply, csv, date_time, error, executed, options, rethrown};
use super::plan::{Plan, Scope, To};
use crate::process::Out;
use crate::tool::options::Problem;
use crate::tool::{duration, log_line};

/// Whether the group is through.
pub(super) enum Progress {
    /// Something was asked.
    Asked,
    /// The group's offsets are these now, or would be.
    Done(Offsets),
}

type Result<T> = std::result::Result<T, Failure>;

/// What is waited for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The group's offsets, which say what is meant.
    Scope,
    /// The topics that are named.
    Topics,
    /// Whether all partitions are there and have leaders.
    Check,
    /// The group's offsets.
    Committed,
    /// Where logs begin.
    Starts,
    /// Where logs end.
    Ends,
    /// The first offsets of a time.
    Times,
    /// The change.
    Alter,
}

/// The group, with what is known so far.
#[derive(Clone, Debug)]
pub(super) struct Resetting {
    pub(super) group: GroupId,
    stage: Stage,
    partitions: Vec<TopicPartition>,
    committed: Offsets,
    /// What is asked for, before it is fitted into the logs.
    wanted: Offsets,
    starts: Offsets,
    result: Offsets,
}

impl Resetting {
    pub(super) fn new(group: GroupId) -> Self {
        Self {
            group,
            stage: Stage::Scope,
            partitions: Vec::new(),
            committed: Vec::new(),
            wanted: Vec::new(),
            starts: Vec::new(),
            result: Vec::new(),
        }
    }

    fn ask(
        &mut self,
        stage: Stage,
        question: GroupsQuestion,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<Progress> {
        self.stage = stage;
        asker.ask(question, out);
        Ok(Progress::Asked)
    }

    /// Finds out which partitions are meant.
    pub(super) fn begin(
        &mut self,
        plan: &Plan,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<Progress> {
        match &plan.scope {
            Scope::AllTopics => {
                let question = GroupsQuestion::Offsets(self.group.clone());
                self.ask(Stage::Scope, question, asker, out)
            }
            Scope::Topics(_) => {
                let named = plan.scope.named()?;
                self.partitions = named.partitions;
                if named.topics.is_empty() {
                    return self.check(plan, asker, out);
                }
                self.ask(Stage::Topics, GroupsQuestion::Topics, asker, out)
            }
            Scope::Nothing if plan.has_file => self.check(plan, asker, out),
            Scope::Nothing => {
                let text = "One of the reset scopes should be defined: --all-topics, --topic.";
                Err(Failure::Usage(text.to_owned()))
            }
        }
    }

    /// Takes an answer in.
    pub(super) fn take(
        &mut self,
        plan: &Plan,
        reply: &Reply<'_>,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<Progress> {
        match (self.stage, reply) {
            (Stage::Scope, Reply::Groups(GroupsReply::Offsets(answer))) => {
                self.committed = committed(answer)?;
                self.partitions = self.committed.iter().map(|(which, _)| which.clone()).collect();
                self.check(plan, asker, out)
            }
            (Stage::Topics, Reply::Topics(answers)) => {
                self.take_topics(plan, answers)?;
                self.check(plan, asker, out)
            }
            (Stage::Check, Reply::Topics(answers)) => {
                self.check_topics(answers)?;
                self.prepare(plan, asker, out)
            }
            (Stage::Committed, Reply::Groups(GroupsReply::Offsets(answer))) => {
                self.committed = committed(answer)?;
                self.take_committed(plan, asker, out)
            }
            (Stage::Starts | Stage::Ends | Stage::Times, Reply::Offsets(answers)) => {
                let found = found(answers)?;
                self.take_offsets(plan, found, asker, out)
            }
            (Stage::Alter, Reply::Groups(GroupsReply::Outcomes(answer))) => {
                altered(answer)?;
                Ok(Progress::Done(std::mem::take(&mut self.result)))
            }
            _ => Ok(Progress::Asked),
        }
    }

    /// All partitions of the topics that are named without any.
    fn take_topics(&mut self, plan: &Plan, answers: &TopicAnswers) -> Result<()> {
        let mut topics: Vec<TopicName> = Vec::new();
        for topic in plan.scope.named()?.topics {
            if !topics.contains(&topic) {
                topics.push(topic);
            }
        }
        let hashes: Vec<i32> = topics.iter().map(|topic| string_hash(topic.as_str())).collect();
        let count = u32::try_from(topics.len()).unwrap_or(u32::MAX);
        let chain = [Made::WithCapacity(count), Made::CopyOf(count), Made::WithCapacity(count)];
        for place in chained_order(&hashes, &chain) {
            let Some(topic) = topics.get(usize::try_from(place).unwrap_or(usize::MAX)) else {
                continue;
            };
            // What was thrown here is thrown on as it is.
            let image = image_of(topic, answers)
                .map_err(|why| Problem::new(why.code.exception(), why.message.to_string()))?;
            self.partitions.extend(all_of(topic, image));
        }
        Ok(())
    }

    /// Asks whether the partitions are there.
    fn check(&mut self, plan: &Plan, asker: Asker, out: &mut Out<'_>) -> Result<Progress> {
        if self.partitions.is_empty() {
            return self.prepare(plan, asker, out);
        }
        self.ask(Stage::Check, GroupsQuestion::Topics, asker, out)
    }

    fn check_topics(&self, answers: &TopicAnswers) -> Result<()> {
        let (mut missing, mut leaderless) = (Vec::new(), Vec::new());
        for which in &self.partitions {
            let image = image_of(&which.topic, answers).map_err(|why| rethrown(executed(&why)))?;
            if image.partition(which.partition).is_none() {
                missing.push(which.to_string());
            } else if image.leader(which.partition).is_none() {
                leaderless.push(which.clone());
            }
        }
        let thrown = |code: ErrorCode, names: &[String], what: &str| {
            let text = format!("The partitions \"{}\" {what}", names.join(","));
            Err(Problem::new(code.exception(), text).into())
        };
        if !missing.is_empty() {
            return thrown(ErrorCode::UnknownTopicOrPartition, &missing, "do not exist");
        }
        if !leaderless.is_empty() {
            let topic = |which: &TopicPartition| string_hash(which.topic.as_str());
            let names: Vec<String> =
                in_set_order(&leaderless, topic).iter().map(ToString::to_string).collect();
            return thrown(ErrorCode::LeaderNotAvailable, &names, "have no leader");
        }
        Ok(())
    }

    /// Asks for what the new offsets follow from.
    fn prepare(&mut self, plan: &Plan, asker: Asker, out: &mut Out<'_>) -> Result<Progress> {
        let Some(to) = &plan.to else { return Err(Failure::Usage(options::no_scenario())) };
        match to {
            To::Offset(offset) => {
                let wanted = self.partitions.iter().map(|which| (which.clone(), Offset(*offset)));
                self.wanted = wanted.collect();
                self.look(Stage::Starts, OffsetSpec::Earliest, plan, asker, out)
            }
            To::Earliest => self.look(Stage::Starts, OffsetSpec::Earliest, plan, asker, out),
            To::Latest => self.look(Stage::Ends, OffsetSpec::Latest, plan, asker, out),
            To::ShiftBy(_) | To::Current => {
                let question = GroupsQuestion::Offsets(self.group.clone());
                self.ask(Stage::Committed, question, asker, out)
            }
            To::DateTime(text) => {
                let time = date_time::millis(text).map_err(rethrown)?;
                self.look(Stage::Times, OffsetSpec::Timestamp(time), plan, asker, out)
            }
            To::Duration(text) => {
                let span = span(text)?;
                let time = out.now().epoch_millis().saturating_sub(span);
                self.look(Stage::Times, OffsetSpec::Timestamp(time), plan, asker, out)
            }
            To::File(path) => self.read_file(path, plan, asker, out),
        }
    }

    /// Asks the leaders of all partitions.
    fn look(
        &mut self,
        stage: Stage,
        spec: OffsetSpec,
        plan: &Plan,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<Progress> {
        self.stage = stage;
        if self.partitions.is_empty() {
            return self.take_offsets(plan, Vec::new(), asker, out);
        }
        self.unique(spec)?;
        let wanted = in_set_order(&self.partitions, partition_hash);
        let wanted = wanted.into_iter().map(|which| (which, spec)).collect();
        self.ask(stage, GroupsQuestion::LogOffsets(Rc::new(wanted)), asker, out)
    }

    /// A partition must not be named twice: Java puts them into a map.
    fn unique(&self, spec: OffsetSpec) -> Result<()> {
        let is_twice = |(place, which): &(usize, &TopicPartition)| {
            self.partitions.iter().take(*place).any(|before| before == *which)
        };
        let Some((_, which)) = self.partitions.iter().enumerate().find(is_twice) else {
            return Ok(());
        };
        let value = match spec {
            OffsetSpec::Earliest => "org.apache.kafka.clients.admin.OffsetSpec$EarliestSpec@1",
            OffsetSpec::Timestamp(_) => "org.apache.kafka.clients.admin.OffsetSpec$TimestampSpec@1",
            _ => "org.apache.kafka.clients.admin.OffsetSpec$LatestSpec@1",
        };
        let text = format!("Duplicate key {which} (attempted merging values {value} and {value})");
        Err(Problem::new("java.lang.IllegalStateException", text).into())
    }

    /// The group's offsets are known: shifts them, or keeps them.
    fn take_committed(&mut self, plan: &Plan, asker: Asker, out: &mut Out<'_>) -> Result<Progress> {
        let known = |which: &TopicPartition| {
            self.committed.iter().find(|(known, _)| known == which).map(|(_, offset)| *offset)
        };
        if let Some(To::ShiftBy(by)) = plan.to {
            let mut wanted = Vec::new();
            for which in &self.partitions {
                let Some(offset) = known(which) else {
                    let text = format!(
                        "Cannot shift offset for partition {which} since there is no current \
                         committed offset"
                    );
                    return Err(Failure::Usage(text));
                };
                wanted.push((which.clone(), Offset(offset.0.wrapping_add(by))));
            }
            self.wanted = wanted;
            return self.look(Stage::Starts, OffsetSpec::Earliest, plan, asker, out);
        }
        let mut without = Vec::new();
        for which in &self.partitions {
            match known(which) {
                Some(offset) => self.result.push((which.clone(), offset)),
                None => without.push(which.clone()),
            }
        }
        self.partitions = without;
        self.look(Stage::Ends, OffsetSpec::Latest, plan, asker, out)
    }

    fn read_file(
        &mut self,
        path: &str,
        plan: &Plan,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<Progress> {
        let bytes = out.read_file(path.as_bytes()).map_err(|_| {
            let mut problem =
                Problem::new("java.io.IOException", format!("Unable to read file {path}"));
            problem.causes.push(format!("java.nio.file.NoSuchFileException: {path}"));
            rethrown(problem)
        })?;
        let offsets = csv::plan(&String::from_utf8_lossy(&bytes), &plan.groups)?;
        let Some((_, offsets)) = offsets.into_iter().find(|(group, _)| *group == self.group) else {
            error(&format!("No reset plan for group {} found.", self.group), out);
            self.partitions = Vec::new();
            return self.alter(plan, asker, out);
        };
        self.partitions = offsets.iter().map(|(which, _)| which.clone()).collect();
        self.wanted = offsets;
        self.look(Stage::Starts, OffsetSpec::Earliest, plan, asker, out)
    }

    /// The leaders have answered.
    fn take_offsets(
        &mut self,
        plan: &Plan,
        found: Vec<(TopicPartition, Option<Offset>)>,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<Progress> {
        let is_fitted = matches!(plan.to, Some(To::Offset(_) | To::ShiftBy(_) | To::File(_)));
        let mut offsets = Vec::new();
        let mut without = Vec::new();
        for (which, offset) in found {
            match offset {
                Some(offset) => offsets.push((which, offset)),
                None if self.stage == Stage::Times => without.push(which),
                None => offsets.push((which, Offset(-1))),
            }
        }
        match self.stage {
            Stage::Starts if is_fitted => {
                self.starts = offsets;
                return self.look(Stage::Ends, OffsetSpec::Latest, plan, asker, out);
            }
            Stage::Ends if is_fitted => self.fit(&offsets, out),
            Stage::Times => {
                self.result = offsets;
                self.say_empty(&without, out);
                self.partitions = without;
                return self.look(Stage::Ends, OffsetSpec::Latest, plan, asker, out);
            }
            _ => self.result.extend(offsets),
        }
        self.alter(plan, asker, out)
    }

    fn say_empty(&self, partitions: &[TopicPartition], out: &mut Out<'_>) {
        for which in in_set_order(partitions, partition_hash) {
            let (partition, topic) = (which.partition, &which.topic);
            let text = format_args!(
                "\nWarn: Partition {partition} from topic {topic} is empty. Falling back to latest \
                 known offset.\n"
            );
            out.print(Fd::Stdout, text);
        }
    }

    /// Keeps what is wanted within the logs (`checkOffsetsRange`).
    fn fit(&mut self, ends: &Offsets, out: &mut Out<'_>) {
        let of = |offsets: &Offsets, which: &TopicPartition| {
            offsets.iter().find(|(known, _)| known == which).map(|(_, offset)| *offset)
        };
        for (which, wanted) in in_set_order(&self.wanted, |(which, _)| partition_hash(which)) {
            let (start, end) = (of(&self.starts, &which), of(ends, &which));
            let (fitted, what) = match (start, end) {
                (_, Some(end)) if wanted > end => (end, "higher than latest"),
                (Some(start), _) if wanted < start => (start, "lower than earliest"),
                _ => (wanted, ""),
            };
            if !what.is_empty() {
                let text = format_args!(
                    "New offset ({wanted}) is {what} offset for topic partition {which}. Value \
                     will be set to {fitted}. (org.apache.kafka.tools.GroupOffsetsResetter)"
                );
                log_line("WARN", text, out);
            }
            self.result.push((which, fitted));
        }
    }

    /// Makes the change, unless it is only to be shown.
    fn alter(&mut self, plan: &Plan, asker: Asker, out: &mut Out<'_>) -> Result<Progress> {
        if !plan.execute {
            return Ok(Progress::Done(std::mem::take(&mut self.result)));
        }
        let offsets = self.result.iter().map(|(which, offset)| {
            let kept =
                OffsetAndMetadata { offset: *offset, leader_epoch: -1, metadata: Rc::from("") };
            (which.clone(), kept)
        });
        let question = GroupsQuestion::AlterOffsets(self.group.clone(), offsets.collect());
        self.ask(Stage::Alter, question, asker, out)
    }
}

/// The milliseconds of `--by-duration`.
fn span(text: &str) -> Result<i64> {
    if let Some(span) = duration::millis(text) {
        return Ok(span);
    }
    let (class, text) = if duration::is_span(text) {
        ("java.lang.ArithmeticException", "long overflow")
    } else {
        ("java.time.format.DateTimeParseException", "Text cannot be parsed to a Duration")
    };
    Err(Problem::new(class, text).into())
}

/// The offsets that a group has.
fn committed(answer: &std::result::Result<Vec<FetchedOffset>, KafkaError>) -> Result<Offsets> {
    let fetched = answer.as_ref().map_err(|why| rethrown(executed(why)))?;
    let mut offsets = Vec::new();
    for (which, offset) in in_set_order(fetched, |(which, _)| partition_hash(which)) {
        if let Ok(Some(offset)) = offset {
            offsets.push((which, offset.offset));
        }
    }
    Ok(offsets)
}

/// What leaders found, or the first failure.
fn found(answers: &OffsetAnswers) -> Result<Vec<(TopicPartition, Option<Offset>)>> {
    let mut found = Vec::new();
    for (which, answer) in answers.iter() {
        let answer = answer.as_ref().map_err(|why| rethrown(executed(why)))?;
        found.push((which.clone(), answer.map(|(_, offset)| offset)));
    }
    Ok(found)
}

/// Throws if a partition's offset could not be changed.
fn altered(answer: &std::result::Result<OffsetOutcomes, KafkaError>) -> Result<()> {
    let thrown = |why: &KafkaError| Problem::new(why.code.exception(), why.message.to_string());
    let outcomes = answer.as_ref().map_err(thrown)?;
    let failed: Vec<_> = outcomes.iter().filter(|(_, outcome)| outcome.is_err()).collect();
    let Some((_, Err(why))) = failed.first() else { return Ok(()) };
    let names: Vec<String> = failed.iter().map(|(which, _)| which.to_string()).collect();
    let names = names.join(", ");
    let text = format!("Failed altering group offsets for the following partitions: [{names}]");
    Err(Problem::new(why.code.exception(), text).into())
}
