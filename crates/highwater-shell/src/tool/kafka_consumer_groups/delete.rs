//! `--delete` and `--delete-offsets`: groups, or some of their offsets, are forgotten.

use highwater_core::client::TopicAnswers;
use highwater_core::client::admin::groups::{GroupsQuestion, GroupsReply};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{GroupId, PartitionId, TopicPartition};
use highwater_core::java::hash_map::{Made, in_set_order, partition_hash};
use highwater_core::net::group::OffsetOutcomes;
use highwater_core::sorted_map::sort_by_key;
use highwater_core::world::process::Fd;

use super::partitions::{Named, all_of, image_of};
use super::table::{row, widest};
use super::{Asker, Failure, Reply, Step, ask_of_listed, cause, error, in_order_of, named_groups};
use crate::process::Out;
use crate::tool::Next;
use crate::tool::options::Options;

/// What became of one group.
type Deleted = (GroupId, Result<(), KafkaError>);

/// Groups are forgotten.
#[derive(Clone, Debug)]
pub(super) struct Deletion;

impl Deletion {
    pub(super) fn begin(options: &Options, asker: Asker, out: &mut Out<'_>) -> Self {
        match named_groups(options) {
            Some(groups) => asker.ask(GroupsQuestion::Delete(groups), out),
            None => asker.ask_for_all(out),
        }
        Self
    }

    pub(super) fn handle(&mut self, reply: &Reply<'_>, asker: Asker, out: &mut Out<'_>) -> Step {
        match reply {
            Reply::Groups(GroupsReply::Listed(answer)) => {
                ask_of_listed(answer, GroupsQuestion::Delete, asker, out)
            }
            Reply::Groups(GroupsReply::Deleted(outcomes)) => {
                print(outcomes, out);
                Ok(Next::Exit(0))
            }
            _ => Ok(Next::Wait),
        }
    }
}

fn print(outcomes: &[Deleted], out: &mut Out<'_>) {
    let count = u32::try_from(outcomes.len()).unwrap_or(u32::MAX);
    let chain = [Made::WithCapacity(count), Made::Empty];
    let (gone, left): (Vec<Deleted>, Vec<Deleted>) =
        outcomes.iter().cloned().partition(|(_, outcome)| outcome.is_ok());
    let gone: Vec<String> = in_order_of(&gone, |(group, _)| group, &chain)
        .iter()
        .map(|(group, _)| format!("'{group}'"))
        .collect();
    let gone = gone.join(", ");
    if left.is_empty() {
        let text = format!("Deletion of requested consumer groups ({gone}) was successful.\n");
        return out.write(Fd::Stdout, text);
    }
    error("Deletion of some consumer groups failed:", out);
    for (group, outcome) in in_order_of(&left, |(group, _)| group, &chain) {
        if let Err(why) = outcome {
            let why = cause(&why);
            let text = format_args!("* Group '{group}' could not be deleted due to: {why}\n");
            out.print(Fd::Stdout, text);
        }
    }
    if !gone.is_empty() {
        let text = format!("\nThese consumer groups were deleted successfully: {gone}\n");
        out.write(Fd::Stdout, text);
    }
}

/// Offsets of a group are forgotten.
#[derive(Clone, Debug)]
pub(super) struct OffsetDeletion {
    group: GroupId,
    named: Named,
    partitions: Vec<TopicPartition>,
    /// Of each partition what became of it; of a topic that is not there, as its partition -1.
    status: Vec<(TopicPartition, Result<(), KafkaError>)>,
}

impl OffsetDeletion {
    pub(super) fn begin(
        options: &Options,
        asker: Asker,
        out: &mut Out<'_>,
    ) -> Result<Self, Failure> {
        let group = GroupId(options.one("group")?.unwrap_or_default().into());
        let named = Named::of(options.all("topic"))?;
        let mut deletion = Self { group, named, partitions: Vec::new(), status: Vec::new() };
        if deletion.named.topics.is_empty() {
            deletion.ask(Vec::new(), asker, out);
        } else {
            asker.ask(GroupsQuestion::Topics, out);
        }
        Ok(deletion)
    }

    /// Asks for the deletion of what is named, and of these partitions.
    fn ask(&mut self, more: Vec<TopicPartition>, asker: Asker, out: &mut Out<'_>) {
        for which in self.named.partitions.iter().cloned().chain(more) {
            if !self.partitions.contains(&which) {
                self.partitions.push(which);
            }
        }
        self.partitions = in_set_order(&self.partitions, partition_hash);
        let question = GroupsQuestion::DeleteOffsets(self.group.clone(), self.partitions.clone());
        asker.ask(question, out);
    }

    fn take_topics(&mut self, answers: &TopicAnswers) -> Vec<TopicPartition> {
        let mut partitions = Vec::new();
        for topic in &self.named.topics {
            match image_of(topic, answers) {
                Ok(image) => partitions.extend(all_of(topic, image)),
                Err(why) => {
                    let which = TopicPartition::new(topic, PartitionId(-1));
                    self.status.retain(|(known, _)| *known != which);
                    self.status.push((which, Err(why)));
                }
            }
        }
        partitions
    }

    pub(super) fn handle(&mut self, reply: &Reply<'_>, asker: Asker, out: &mut Out<'_>) -> Step {
        match reply {
            Reply::Topics(answers) => {
                let partitions = self.take_topics(answers);
                self.ask(partitions, asker, out);
                Ok(Next::Wait)
            }
            Reply::Groups(GroupsReply::Outcomes(answer)) => {
                self.finish(answer.as_ref(), out);
                Ok(Next::Exit(0))
            }
            _ => Ok(Next::Wait),
        }
    }

    fn finish(&mut self, answer: Result<&OffsetOutcomes, &KafkaError>, out: &mut Out<'_>) {
        let mut first = answer.err().cloned();
        for which in &self.partitions {
            let outcome = match answer {
                Ok(outcomes) => outcomes
                    .iter()
                    .find(|(known, _)| known == which)
                    .map_or(Ok(()), |(_, outcome)| outcome.clone()),
                Err(why) => Err(why.clone()),
            };
            if let (None, Err(why)) = (&first, &outcome) {
                first = Some(why.clone());
            }
            self.status.push((which.clone(), outcome));
        }
        self.summary(first.as_ref(), out);
        self.print(out);
    }

    fn summary(&self, first: Option<&KafkaError>, out: &mut Out<'_>) {
        use ErrorCode::{
            GroupIdNotFound, GroupSubscribedToTopic, InvalidGroupId, NonEmptyGroup,
            UnknownTopicOrPartition,
        };
        let Some(why) = first else {
            let group = &self.group;
            let text = format_args!("Request succeeded for deleting offsets from group {group}.\n");
            return out.print(Fd::Stdout, text);
        };
        match why.code {
            InvalidGroupId | GroupIdNotFound | NonEmptyGroup => {
                error(why.code.default_message(), out);
            }
            GroupSubscribedToTopic | UnknownTopicOrPartition => {
                let text = "Encountered some partition-level error, see the follow-up details.";
                error(text, out);
            }
            code => error(&format!("Encountered some unknown error: {}", code.name()), out),
        }
    }

    fn print(&mut self, out: &mut Out<'_>) {
        let topic = widest(15, self.status.iter().map(|(which, _)| which.topic.as_str()));
        let print = |cells: [&str; 3], out: &mut Out<'_>| {
            let [first, second, third] = cells;
            let row = row(&[(first, topic), (second, 10), (third, 15)]);
            out.print(Fd::Stdout, format_args!("\n{row}"));
        };
        print(["TOPIC", "PARTITION", "STATUS"], out);
        sort_by_key(&mut self.status, |(which, _)| {
            let TopicPartition { topic, partition } = which;
            format!("{topic}{partition}")
        });
        for (which, outcome) in &self.status {
            let partition = match which.partition.0 {
                -1 => "-".to_owned(),
                number => number.to_string(),
            };
            let status = match outcome {
                Ok(()) => "Successful".to_owned(),
                Err(why) => ["Error: ", &cause(why)].concat(),
            };
            print([which.topic.as_str(), &partition, &status], out);
        }
        out.write(Fd::Stdout, "\n");
    }
}
