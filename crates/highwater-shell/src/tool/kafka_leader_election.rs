//! `kafka-leader-election.sh`: asks for leaders to be elected (Kafka's `LeaderElectionCommand`).

use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{PartitionId, TopicName, TopicPartition};
use highwater_core::java::hash_map::{Made, chained_order, partition_hash};
use highwater_core::net::admin::{AdminAnswer, AdminRequest, ElectionType};
use highwater_core::net::message::PartitionOutcomes;
use highwater_core::scope::Lab;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::json::{self, Json};
use crate::tool::options::{Manual, Options, Problem};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply};

const ABOUT: &str = "This tool attempts to elect a new leader for a set of topic partitions. The type of \
                     elections supported are preferred replicas and unclean replicas.";

const SPECS: &str = "\
    admin.config <file>\n\
    all-topic-partitions\tEvery partition that needs it.\n\
    bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    command-config <file>\n\
    election-type <preferred|unclean>\tWho may be elected.\n\
    help\tPrint this.\n\
    partition <number>\tThe partition of --topic.\n\
    path-to-json-file <file>\tThe partitions that this file names.\n\
    topic <topic>\tThe topic.\n\
    version\tThe version of Kafka.";

pub(super) const MANUAL: Manual =
    Manual { usage: ABOUT, help: ABOUT, specs: SPECS, columns: (40, 38), complain: Problem::throw };

const COMMAND_FAILED: &str = "org.apache.kafka.tools.AdminCommandFailedException";
const OPERATION_FAILED: &str = "org.apache.kafka.tools.AdminOperationException";
const RUNTIME_EXCEPTION: &str = "java.lang.RuntimeException";

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaLeaderElection {
    kind: ElectionType,
}

impl KafkaLeaderElection {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        let asked = what_is_asked(&options, out).map_err(|problem| problem.throw(out))?;
        let (bootstrap, kind, partitions) = asked;
        let client_id = "adminclient-1".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        let request = AdminRequest::ElectLeaders { kind, partitions: Lab::new(partitions) };
        out.command(client, ClientCommand::Ask(request.into()));
        Ok(Self { kind })
    }

    /// Says what came of each partition, in the order of Java's sets of them. Returns the exit status.
    fn print(&self, outcomes: &PartitionOutcomes, out: &mut Out<'_>) -> u8 {
        let kind = match self.kind {
            ElectionType::Preferred => "PREFERRED",
            ElectionType::Unclean => "UNCLEAN",
        };
        let hashes: Vec<i32> = outcomes.iter().map(|(which, _)| partition_hash(which)).collect();
        let (mut elected, mut needless, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for place in chained_order(&hashes, &[Made::Empty]) {
            let Some((which, outcome)) = outcomes.get(place as usize) else { continue };
            match outcome {
                Ok(()) => elected.push(which),
                Err(error) if error.code == ErrorCode::ElectionNotNeeded => needless.push(which),
                Err(error) => failed.push((which, error)),
            }
        }
        if !elected.is_empty() {
            let list = list(&elected);
            let text = format_args!(
                "Successfully completed leader election ({kind}) for partitions {list}\n"
            );
            out.print(Fd::Stdout, text);
        }
        if !needless.is_empty() {
            let list = list(&needless);
            out.print(
                Fd::Stdout,
                format_args!("Valid replica already elected for partitions {list}\n"),
            );
        }
        if failed.is_empty() { 0 } else { self::failed(kind, &failed, out) }
    }
}

impl Program for KafkaLeaderElection {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => {
                log_reply(level, text, out);
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::Answer(answer)) => match &**answer {
                AdminAnswer::LeadersElected(outcomes) => {
                    Next::Exit(self.print(outcomes.known(), out))
                }
                AdminAnswer::ElectionFailed(error) => Next::Exit(fail(error.known(), out)),
                _ => Next::Wait,
            },
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// Says of which partitions no leader could be elected, and why.
fn failed(kind: &str, failed: &[(&TopicPartition, &KafkaError)], out: &mut Out<'_>) -> u8 {
    let mut failed: Vec<_> = failed.to_vec();
    let hashes: Vec<i32> = failed.iter().map(|(which, _)| partition_hash(which)).collect();
    let order = chained_order(&hashes, &[Made::Empty]);
    failed = order.iter().filter_map(|place| failed.get(*place as usize).copied()).collect();
    let mut suppressed = String::new();
    for (which, error) in &failed {
        let why = [error.code.exception(), ": ", &error.message].concat();
        let text = format_args!(
            "Error completing leader election ({kind}) for partition: {which}: {why}\n"
        );
        out.print(Fd::Stdout, text);
        suppressed.push_str(&format!("\tSuppressed: {why}\n"));
    }
    let text = format!("{} replica(s) could not be elected", failed.len());
    let text = format!("{text}\n{COMMAND_FAILED}: {text}\n{suppressed}");
    out.write(Fd::Stderr, text);
    1
}

/// The election came to nothing as a whole.
fn fail(error: &KafkaError, out: &mut Out<'_>) -> u8 {
    let cause = [error.code.exception(), ": ", &error.message].concat();
    let text = if error.code == ErrorCode::Timeout {
        let text = "Timeout waiting for election results";
        out.print(Fd::Stdout, format_args!("{text}\n"));
        format!("{text}\n{COMMAND_FAILED}: {text}\nCaused by: {cause}\n")
    } else {
        let class = "java.util.concurrent.ExecutionException";
        format!("{cause}\n{class}: {cause}\nCaused by: {cause}\n")
    };
    out.write(Fd::Stderr, text);
    1
}

fn list(partitions: &[&TopicPartition]) -> String {
    // The sets into which the tool sorts the outcomes have an order of their own.
    let hashes: Vec<i32> = partitions.iter().map(|which| partition_hash(which)).collect();
    let order = chained_order(&hashes, &[Made::Empty]);
    let names = order.iter().filter_map(|place| partitions.get(*place as usize));
    names.map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// Where to ask, for which kind of election, of which partitions.
type Asked = (String, ElectionType, Option<Vec<TopicPartition>>);

/// Reads the options (`LeaderElectionCommandOptions.validate` and what follows).
fn what_is_asked(options: &Options, out: &Out<'_>) -> Result<Asked, Problem> {
    check(options)?;
    let kind = match options.one("election-type")?.unwrap_or_default() {
        text if text.eq_ignore_ascii_case("preferred") => ElectionType::Preferred,
        text if text.eq_ignore_ascii_case("unclean") => ElectionType::Unclean,
        other => {
            let cause = format!(
                "joptsimple.ValueConversionException: Value [{other}] is not one of \
                 [[PREFERRED,UNCLEAN]]"
            );
            return Err(Problem::unfit(other, "election-type", vec![cause]));
        }
    };
    let mut partitions = None;
    if let Some(path) = options.one("path-to-json-file")? {
        partitions = Some(partitions_in(path, out)?);
    }
    let (topic, partition) = (options.one("topic")?, options.number("partition")?);
    if let (Some(topic), Some(partition)) = (topic, partition) {
        let topic = TopicName::new(topic);
        partitions = Some(vec![TopicPartition::new(&topic, PartitionId(partition))]);
    }
    let servers = options.one("bootstrap-server")?.unwrap_or_default();
    bootstrap::usable(servers)?;
    Ok((servers.to_owned(), kind, partitions))
}

fn check(options: &Options) -> Result<(), Problem> {
    let failed = |text: String| Err(Problem::new(COMMAND_FAILED, text));
    let mut missing = vec!["bootstrap-server", "election-type"];
    missing.retain(|name| !options.has(name));
    if !missing.is_empty() {
        return failed(format!("Missing required option(s): {}", missing.join(", ")));
    }
    let scopes = ["topic", "all-topic-partitions", "path-to-json-file"];
    if scopes.iter().filter(|name| options.has(name)).count() != 1 {
        return failed(format!(
            "One and only one of the following options is required: {}",
            scopes.join(", ")
        ));
    }
    match (options.has("topic"), options.has("partition")) {
        (true, false) => failed("Missing required option(s): partition".to_owned()),
        (false, true) => failed("Option partition is only allowed if topic is used".to_owned()),
        _ => Ok(()),
    }
}

/// The partitions that a file names (`parseReplicaElectionData`).
fn partitions_in(path: &str, out: &Out<'_>) -> Result<Vec<TopicPartition>, Problem> {
    // Java shows the exception that lies within another one with its class.
    let wrapped =
        |class: &str, text: &str| Problem::new(RUNTIME_EXCEPTION, [class, ": ", text].concat());
    let bytes = out
        .read_file(path.as_bytes())
        .map_err(|_| wrapped("java.io.IOException", &format!("Unable to read file {path}")))?;
    let operation = |text: &str| Problem::new(OPERATION_FAILED, text);
    let Some(data) = Json::parse(&bytes) else {
        return Err(operation("Replica election data is empty"));
    };
    let mapping = |text: String| wrapped(json::MAPPING_EXCEPTION, &text);
    let Some(list) = data.get("partitions").map_err(mapping)? else {
        return Err(operation("Replica election data is missing \"partitions\" field"));
    };
    let mut partitions: Vec<TopicPartition> = Vec::new();
    let mut twice: Vec<TopicPartition> = Vec::new();
    for value in list.array().map_err(mapping)? {
        let which = partition(value).map_err(mapping)?;
        if !partitions.contains(&which) {
            partitions.push(which);
        } else if !twice.contains(&which) {
            twice.push(which);
        }
    }
    if !twice.is_empty() {
        let twice = list_of(&twice);
        let text = format!("Replica election data contains duplicate partitions: [{twice}]");
        return Err(operation(&text));
    }
    Ok(partitions)
}

fn list_of(partitions: &[TopicPartition]) -> String {
    list(&partitions.iter().collect::<Vec<_>>())
}

fn partition(value: &Json) -> Result<TopicPartition, String> {
    let topic = TopicName::new(value.field("topic")?.text()?);
    Ok(TopicPartition::new(&topic, PartitionId(value.field("partition")?.int()?)))
}
