//! The JSON of `kafka-reassign-partitions.sh`: plans of moves and lists of topics as it reads them, and
//! plans as it prints them.

use highwater_core::ids::{BrokerId, PartitionId, TopicName, TopicPartition};
use highwater_core::java::hash_map::{in_set_order, partition_hash, string_hash};
use highwater_core::number;
use highwater_core::sorted_map::sort_by_key;

use super::{COMMAND_FAILED, Failure, OPERATION_FAILED, Replica, list};
use crate::tool::json::{self, Json};
use crate::tool::options::{NUMBER_FORMAT_EXCEPTION, split};

/// What stands for a folder that does not matter.
pub(super) const ANY: &str = "any";

/// Partitions with their new replicas, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) partitions: Vec<(TopicPartition, Vec<BrokerId>)>,
    /// Folders that replicas shall be in.
    pub(super) log_dirs: Vec<(Replica, String)>,
}

impl Plan {
    /// The topics, in the order of Java's set of them.
    pub(super) fn topics(&self) -> Vec<TopicName> {
        let mut topics: Vec<TopicName> = Vec::new();
        for (which, _) in &self.partitions {
            if !topics.contains(&which.topic) {
                topics.push(which.topic.clone());
            }
        }
        in_set_order(&topics, |topic| string_hash(topic.as_str()))
    }

    /// The brokers of the new replicas, in the order of Java's set of them, which may hold others
    /// before.
    pub(super) fn brokers(&self, mut brokers: Vec<BrokerId>) -> Vec<BrokerId> {
        for (_, replicas) in &self.partitions {
            for replica in replicas {
                if !brokers.contains(replica) {
                    brokers.push(*replica);
                }
            }
        }
        in_set_order(&brokers, |broker| broker.0)
    }

    /// What a plan must be to be carried out (`parseExecuteAssignmentArgs`).
    pub(super) fn check(&self) -> Result<(), Failure> {
        let failed = |text: String| Err(Failure::thrown(COMMAND_FAILED, text));
        if self.partitions.is_empty() {
            return failed("Partition reassignment list cannot be empty".to_owned());
        }
        if self.partitions.iter().any(|(_, replicas)| replicas.is_empty()) {
            return failed("Partition replica list cannot be empty".to_owned());
        }
        let which: Vec<&TopicPartition> = self.partitions.iter().map(|(which, _)| which).collect();
        let twice = duplicates(&which, |which| partition_hash(which));
        if !twice.is_empty() {
            let twice = list(&twice, ",");
            return failed(format!(
                "Partition reassignment contains duplicate topic partitions: {twice}"
            ));
        }
        let mut texts = Vec::new();
        for (which, replicas) in &self.partitions {
            let twice = duplicates(replicas, |broker| broker.0);
            if !twice.is_empty() {
                let twice = list(&twice, ",");
                texts.push(format!("{which} contains multiple entries for {twice}"));
            }
        }
        if texts.is_empty() {
            return Ok(());
        }
        let texts = texts.join(". ");
        failed(format!("Partition replica lists may not contain duplicate entries: {texts}"))
    }
}

/// What stands in a list more than once, in the order of Java's set of it.
fn duplicates<T: PartialEq + Clone>(items: &[T], hash: impl Fn(&T) -> i32) -> Vec<T> {
    let mut twice: Vec<T> = Vec::new();
    for (place, item) in items.iter().enumerate() {
        if items[..place].contains(item) && !twice.contains(item) {
            twice.push(item.clone());
        }
    }
    in_set_order(&twice, hash)
}

fn mapping(text: String) -> Failure {
    Failure::thrown(json::MAPPING_EXCEPTION, text)
}

/// The version of a file, which must be the only one that there is.
fn check_version(data: &Json) -> Result<(), Failure> {
    let version = match data.get("version").map_err(mapping)? {
        Some(version) => version.int().map_err(mapping)?,
        None => 1,
    };
    if version == 1 {
        return Ok(());
    }
    let text = format!("Not supported version field value {version}");
    Err(Failure::thrown(OPERATION_FAILED, text))
}

/// Reads a plan (`parsePartitionReassignmentData`).
pub(super) fn read(bytes: &[u8]) -> Result<Plan, Failure> {
    let data = Json::parse(bytes).ok_or_else(|| {
        // Kafka says where, in the words of its JSON library.
        Failure::thrown(OPERATION_FAILED, "The input string is not a valid JSON")
    })?;
    check_version(&data)?;
    let mut plan = Plan::default();
    let Some(partitions) = data.get("partitions").map_err(mapping)? else { return Ok(plan) };
    for value in partitions.array().map_err(mapping)? {
        let (which, replicas, log_dirs) = partition(value).map_err(mapping)?;
        if let Some(log_dirs) = log_dirs {
            if log_dirs.len() != replicas.len() {
                let (replicas, log_dirs) = (list(&replicas, ", "), log_dirs.join(", "));
                let text = format!(
                    "Size of replicas list [{replicas}] is different from size of log dirs list \
                     [{log_dirs}] for partition {which}"
                );
                return Err(Failure::thrown(COMMAND_FAILED, text));
            }
            for (broker, path) in replicas.iter().zip(log_dirs).filter(|(_, path)| path != ANY) {
                let replica = Replica { broker: *broker, which: which.clone() };
                plan.log_dirs.retain(|(known, _)| *known != replica);
                plan.log_dirs.push((replica, path));
            }
        }
        plan.partitions.push((which, replicas));
    }
    Ok(plan)
}

/// A partition of a plan, with its replicas and their folders.
type Entry = (TopicPartition, Vec<BrokerId>, Option<Vec<String>>);

fn partition(value: &Json) -> Result<Entry, String> {
    let topic = TopicName::new(value.field("topic")?.text()?);
    let which = TopicPartition::new(&topic, PartitionId(value.field("partition")?.int()?));
    let mut replicas = Vec::new();
    for replica in value.field("replicas")?.list()? {
        replicas.push(BrokerId(replica.int()?));
    }
    let Some(paths) = value.get("log_dirs")? else { return Ok((which, replicas, None)) };
    let mut log_dirs = Vec::new();
    for path in paths.list()? {
        log_dirs.push(path.text()?.to_owned());
    }
    Ok((which, replicas, Some(log_dirs)))
}

/// Reads a list of topics (`parseTopicsData`).
pub(super) fn read_topics(bytes: &[u8]) -> Result<Vec<TopicName>, Failure> {
    let data = Json::parse(bytes)
        .ok_or_else(|| Failure::thrown(OPERATION_FAILED, "The input string is not a valid JSON"))?;
    check_version(&data)?;
    let mut topics = Vec::new();
    if let Some(values) = data.get("topics").map_err(mapping)? {
        for value in values.array().map_err(mapping)? {
            let topic = value.field("topic").and_then(Json::text).map_err(mapping)?;
            topics.push(TopicName::new(topic));
        }
    }
    let twice = duplicates(&topics, |topic| string_hash(topic.as_str()));
    if twice.is_empty() {
        return Ok(topics);
    }
    let twice = list(&twice, ", ");
    let text = format!("List of topics to reassign contains duplicate entries: [{twice}]");
    Err(Failure::thrown(COMMAND_FAILED, text))
}

/// Reads `--broker-list`.
pub(super) fn read_brokers(text: &str) -> Result<Vec<BrokerId>, Failure> {
    let mut brokers = Vec::new();
    for part in split(text, ',') {
        let id = number::int(part).ok_or_else(|| {
            let text = format!("For input string: \"{part}\"");
            Failure::thrown(NUMBER_FORMAT_EXCEPTION, text)
        })?;
        brokers.push(BrokerId(id));
    }
    let twice = duplicates(&brokers, |broker| broker.0);
    if twice.is_empty() {
        return Ok(brokers);
    }
    let text = format!("Broker list contains duplicate entries: [{}]", list(&twice, ", "));
    Err(Failure::thrown(COMMAND_FAILED, text))
}

/// A plan as it is printed, sorted by partition; `path` names the folder of a replica that is known.
pub(super) fn print(
    partitions: &[(TopicPartition, Vec<BrokerId>)],
    path: &dyn Fn(&Replica) -> Option<String>,
) -> String {
    let number = |number: i32| Json::Number(number.to_string());
    let field = |name: &str, value: Json| (name.to_owned(), value);
    let mut sorted: Vec<_> = partitions.iter().collect();
    sort_by_key(&mut sorted, |(which, _)| which.clone());
    let mut values = Vec::new();
    for (which, replicas) in sorted {
        let ids = replicas.iter().map(|broker| number(broker.0)).collect();
        let folder = |broker: &BrokerId| {
            let found = path(&Replica { broker: *broker, which: which.clone() });
            Json::Text(found.unwrap_or_else(|| ANY.to_owned()))
        };
        values.push(Json::Object(vec![
            field("topic", Json::Text(which.topic.to_string())),
            field("partition", number(which.partition.0)),
            field("replicas", Json::Array(ids)),
            field("log_dirs", Json::Array(replicas.iter().map(folder).collect())),
        ]));
    }
    let plan = vec![field("version", number(1)), field("partitions", Json::Array(values))];
    Json::Object(plan).print()
}
