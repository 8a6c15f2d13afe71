//! `kafka-topics.sh --create`: the topic that the options ask for.

use highwater_core::controller::records::TopicImage;
use highwater_core::controller::topic_name;
use highwater_core::ids::{BrokerId, TopicName};
use highwater_core::net::admin::{AdminRequest, CreatableTopic, MorePartitions};
use highwater_core::number;
use highwater_core::scope::Lab;
use highwater_core::world::process::Fd;

use super::{describe::join, illegal};
use crate::process::Out;
use crate::tool::options::{NUMBER_FORMAT_EXCEPTION, Options, Problem, split};

/// Reads the options; warns about names that may collide.
pub(super) fn creatable(options: &Options, out: &mut Out<'_>) -> Result<CreatableTopic, Problem> {
    let name = options.one("topic")?.unwrap_or_default();
    let partitions = options.number("partitions")?;
    let factor = options.number("replication-factor")?;
    let assignment = match options.one("replica-assignment")? {
        Some(text) => parse_assignment(text)?,
        None => Vec::new(),
    };
    let mut configs = Vec::new();
    for entry in options.all("config") {
        // Java's split drops what is empty at the end.
        let Some((key, value)) = entry
            .trim_end_matches(|end: char| end == '=' || end.is_whitespace())
            .split_once('=')
            .map(|(k, v)| (k.trim(), v.trim()))
            .filter(|(_, value)| !value.is_empty() && !value.as_bytes().contains(&b'='))
        else {
            let text = "requirement failed: Invalid topic config: all configs to be added must be \
                        in the format \"key=val\".";
            return Err(illegal(text.to_owned()));
        };
        configs.push((key.to_owned(), value.to_owned()));
    }
    if topic_name::has_collision_chars(name) {
        out.write(
            Fd::Stdout,
            "WARNING: Due to limitations in metric names, topics with a period ('.') or \
             underscore ('_') could collide. To avoid issues it is best to use either, but not \
             both.\n",
        );
    }
    if factor.is_some_and(|factor| !(1..=32_767).contains(&factor)) {
        let text = "The replication factor must be between 1 and 32767 inclusive";
        return Err(illegal(text.to_owned()));
    }
    if partitions.is_some_and(|partitions| partitions < 1) {
        return Err(illegal("The partitions must be greater than 0".to_owned()));
    }
    Ok(CreatableTopic {
        name: TopicName::new(name),
        partitions,
        replication_factor: factor,
        assignment,
        configs,
    })
}

/// `--alter`: more partitions for a topic. An assignment names the old ones too
/// (`TopicService.alterTopic`).
pub(super) fn more_partitions(
    options: &Options,
    name: &TopicName,
    topic: &TopicImage,
) -> Result<AdminRequest, Problem> {
    let count = options.number("partitions")?.unwrap_or(0);
    let assignment = match options.one("replica-assignment")? {
        Some(text) => parse_assignment(text)?,
        None => Vec::new(),
    };
    let assignment = assignment.into_iter().skip(topic.partitions.len()).collect();
    let more = MorePartitions { topic: name.clone(), count, assignment };
    Ok(AdminRequest::CreatePartitions(Lab::new(more)))
}

/// `1:2,2:3`: for each partition its brokers (`TopicCommand.parseReplicaAssignment`).
fn parse_assignment(text: &str) -> Result<Vec<Vec<BrokerId>>, Problem> {
    let mut assignment: Vec<Vec<BrokerId>> = Vec::new();
    for (number, list) in split(text, ',').enumerate() {
        let mut brokers: Vec<BrokerId> = Vec::new();
        for broker in list.split(':') {
            let id = number::int(broker.trim()).ok_or_else(|| {
                Problem::new(
                    NUMBER_FORMAT_EXCEPTION,
                    format!("For input string: \"{}\"", broker.trim()),
                )
            })?;
            brokers.push(BrokerId(id));
        }
        let mut twice: Vec<BrokerId> = Vec::new();
        for (n, broker) in brokers.iter().enumerate() {
            if brokers[..n].contains(broker) {
                twice.push(*broker);
            }
        }
        if !twice.is_empty() {
            return Err(Problem::new(
                "org.apache.kafka.tools.AdminCommandFailedException",
                format!(
                    "Partition replica lists may not contain duplicate entries: {}",
                    join(&twice, ",")
                ),
            ));
        }
        if assignment.first().is_some_and(|first| first.len() != brokers.len()) {
            return Err(Problem::new(
                "org.apache.kafka.tools.AdminOperationException",
                format!(
                    "Partition {number} has different replication factor: [{}]",
                    join(&brokers, ", ")
                ),
            ));
        }
        assignment.push(brokers);
    }
    Ok(assignment)
}
