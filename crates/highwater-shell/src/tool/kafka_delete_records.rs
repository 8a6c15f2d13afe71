//! `kafka-delete-records.sh`: moves the start of logs (Kafka's `DeleteRecordsCommand`).

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::ids::{Offset, PartitionId, TopicName, TopicPartition};
use highwater_core::java::hash_map::{Made, iteration_order, partition_hash};
use highwater_core::net::message::LowWatermarks;
use highwater_core::scope::Lab;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::json::{self, Json};
use crate::tool::options::{Manual, Problem};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply};

const ABOUT: &str =
    "This tool helps to delete records of the given partitions down to the specified offset.";

const SPECS: &str = "\
    bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    command-config <file>\n\
    help\tPrint this.\n\
    offset-json-file <file>\tThe partitions, and before which offset each is emptied.\n\
    version\tThe version of Kafka.";

pub(super) const MANUAL: Manual =
    Manual { usage: ABOUT, help: ABOUT, specs: SPECS, columns: (39, 38), complain: Problem::throw };

/// A partition with the offset before which its records go.
type Deletion = (TopicPartition, Offset);

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaDeleteRecords;

impl KafkaDeleteRecords {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        for name in ["bootstrap-server", "offset-json-file"] {
            if !options.has(name) {
                let text = format_args!("Missing required argument \"[{name}]\"");
                return Err(MANUAL.refuse(text, out));
            }
        }
        let begun = options.one("bootstrap-server").and_then(|servers| {
            let bootstrap = servers.unwrap_or_default().to_owned();
            bootstrap::usable(&bootstrap)?;
            let path = options.one("offset-json-file")?.unwrap_or_default();
            Ok((bootstrap, deletions_in(path, out)?))
        });
        let (bootstrap, deletions) = begun.map_err(|problem| problem.throw(out))?;
        let client_id = "adminclient-1".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        out.write(Fd::Stdout, "Executing records delete operation\n");
        out.write(Fd::Stdout, "Records delete operation completed:\n");
        out.command(client, ClientCommand::DeleteRecords(Lab::new(Rc::new(deletions))));
        Ok(Self)
    }
}

impl Program for KafkaDeleteRecords {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => {
                log_reply(level, text, out);
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::LowWatermarks(answers)) => {
                print(answers.known(), out);
                Next::Exit(0)
            }
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// Says how far each log begins now. Kafka's order differs from run to run; here it is that of the
/// question.
fn print(answers: &LowWatermarks, out: &mut Out<'_>) {
    for (which, answer) in answers.iter() {
        let text = match answer {
            Ok(low) => format!("partition: {which}\tlow_watermark: {low}\n"),
            Err(error) => {
                let (class, text) = (error.code.exception(), &error.message);
                format!("partition: {which}\terror: {class}: {text}\n")
            }
        };
        out.write(Fd::Stdout, text);
    }
}

/// What a file asks for (`parseOffsetJsonStringWithoutDedup`), in the order of Java's map of it.
fn deletions_in(path: &str, out: &Out<'_>) -> Result<Vec<Deletion>, Problem> {
    let operation =
        |text: &str| Problem::new("org.apache.kafka.tools.AdminOperationException", text);
    let bytes = out
        .read_file(path.as_bytes())
        .map_err(|_| Problem::new("java.io.IOException", format!("Unable to read file {path}")))?;
    let Some(data) = Json::parse(&bytes) else {
        return Err(operation("The input string is not a valid JSON"));
    };
    let mapping = |text: String| Problem::new(json::MAPPING_EXCEPTION, text);
    let version = match data.get("version").map_err(mapping)? {
        Some(version) => version.int().map_err(mapping)?,
        None => 1,
    };
    if version != 1 {
        return Err(operation(&format!("Not supported version field value {version}")));
    }
    let Some(list) = data.get("partitions").map_err(mapping)? else {
        return Err(operation("Missing partitions field"));
    };
    let mut deletions: Vec<Deletion> = Vec::new();
    let mut twice: Vec<TopicPartition> = Vec::new();
    for value in list.array().map_err(mapping)? {
        let (which, offset) = deletion(value).map_err(mapping)?;
        if !deletions.iter().any(|(known, _)| *known == which) {
            deletions.push((which, offset));
        } else if !twice.contains(&which) {
            twice.push(which);
        }
    }
    if !twice.is_empty() {
        let names: Vec<String> = twice.iter().map(ToString::to_string).collect();
        let text =
            format!("Offset json file contains duplicate topic partitions: {}", names.join(","));
        return Err(Problem::new("org.apache.kafka.tools.AdminCommandFailedException", text));
    }
    let hashes: Vec<i32> = deletions.iter().map(|(which, _)| partition_hash(which)).collect();
    let order = iteration_order(&hashes, Made::Empty);
    Ok(order.iter().filter_map(|place| deletions.get(*place as usize).cloned()).collect())
}

fn deletion(value: &Json) -> Result<Deletion, String> {
    let topic = TopicName::new(value.field("topic")?.text()?);
    let partition = PartitionId(value.field("partition")?.int()?);
    let offset = Offset(value.field("offset")?.long()?);
    Ok((TopicPartition::new(&topic, partition), offset))
}
