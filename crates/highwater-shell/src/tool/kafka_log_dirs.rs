//! `kafka-log-dirs.sh`: what is in the folders of brokers (Kafka's `LogDirsCommand`).

use highwater_core::client::{ClientCommand, ClientReply, LogDirsAnswer};
use highwater_core::ids::{BrokerId, ClientId};
use highwater_core::java::hash_map::{in_set_order, partition_hash};
use highwater_core::net::log_dirs::{LogDir, LogDirsRequest, LogDirsResponse};
use highwater_core::net::message::Node;
use highwater_core::number;
use highwater_core::scope::Lab;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::json::Json;
use crate::tool::options::{Manual, NUMBER_FORMAT_EXCEPTION, Problem, next_or_throw, split};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply, thrown_by_client};

const ABOUT: &str = "This tool helps to query log directory usage on the specified brokers.";

const SPECS: &str = "\
    bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    broker-list <ids>\tThe brokers, such as 1,2; without it all.\n\
    command-config <file>\n\
    describe\tShows what is in the folders.\n\
    help\tPrint this.\n\
    topic-list <topics>\tThe topics, such as a,b; without it all.\n\
    version\tThe version of Kafka.";

pub(super) const MANUAL: Manual =
    Manual { usage: ABOUT, help: ABOUT, specs: SPECS, columns: (39, 38), complain: Problem::throw };

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaLogDirs {
    client: ClientId,
    brokers: String,
    topics: Vec<String>,
}

impl KafkaLogDirs {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        for name in ["bootstrap-server", "describe"] {
            if !options.has(name) {
                let text = format_args!("Missing required argument \"[{name}]\"");
                return Err(MANUAL.refuse(text, out));
            }
        }
        let read = || {
            let servers = options.one("bootstrap-server")?.unwrap_or_default();
            bootstrap::usable(servers)?;
            let topics = options.one("topic-list")?.unwrap_or_default();
            let brokers = options.one("broker-list")?.unwrap_or_default();
            Ok((servers.to_owned(), topics.to_owned(), brokers.to_owned()))
        };
        let (bootstrap, topics, brokers) = read().map_err(|problem: Problem| problem.throw(out))?;
        let client_id = "log-dirs-tool".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        out.command(client, ClientCommand::DescribeCluster);
        let topics = split(&topics, ',').filter(|topic| !topic.is_empty());
        let topics = topics.map(str::to_owned).collect();
        Ok(Self { client, brokers, topics })
    }

    /// The brokers are known: asks those that are meant.
    fn ask(&self, there: &[Node], out: &mut Out<'_>) -> Result<Next, Problem> {
        let mut meant: Vec<BrokerId> = Vec::new();
        for part in split(&self.brokers, ',').filter(|part| !part.is_empty()) {
            let id = number::int(part).map(BrokerId).ok_or_else(|| {
                let text = format!("For input string: \"{part}\"");
                Problem::new(NUMBER_FORMAT_EXCEPTION, text)
            })?;
            if !meant.contains(&id) {
                meant.push(id);
            }
        }
        let there: Vec<BrokerId> = there.iter().map(|node| node.id).collect();
        let (mut strangers, there) = (meant.clone(), in_order(&there));
        strangers.retain(|broker| !there.contains(broker));
        if !strangers.is_empty() {
            let (strangers, there) = (list(&in_order(&strangers)), list(&there));
            let text = format_args!(
                "ERROR: The given brokers do not exist from --broker-list: {strangers}. Current \
                 existent brokers: {there}\n"
            );
            out.print(Fd::Stderr, text);
            return Ok(Next::Exit(1));
        }
        let asked = if meant.is_empty() { there } else { in_order(&meant) };
        out.write(Fd::Stdout, "Querying brokers for log directories information\n");
        let questions = asked.into_iter().map(|broker| (broker, LogDirsRequest::Describe));
        out.command(self.client, ClientCommand::AskLogDirs(Lab::new(questions.collect())));
        Ok(Next::Wait)
    }

    fn print(&self, answers: &[LogDirsAnswer], out: &mut Out<'_>) {
        let (mut ids, mut brokers) = (Vec::new(), Vec::new());
        for (broker, answer) in answers {
            if let LogDirsResponse::Described(folder) = answer {
                ids.push(*broker);
                brokers.push(Json::Object(vec![
                    field("broker", number(broker.0)),
                    field("logDirs", Json::Array(vec![self.folder(folder)])),
                ]));
            }
        }
        let all = vec![field("brokers", Json::Array(brokers)), field("version", number(1))];
        let (ids, all) = (list(&ids), Json::Object(all).print());
        let text = format_args!("Received log directory information from brokers {ids}\n{all}\n");
        out.print(Fd::Stdout, text);
    }

    /// A folder, its replicas and all fields in the order of Java's maps of them.
    fn folder(&self, folder: &LogDir) -> Json {
        let mut replicas: Vec<_> = folder.replicas.iter().collect();
        let is_meant = |topic: &str| self.topics.iter().any(|meant| meant == topic);
        replicas.retain(|held| self.topics.is_empty() || is_meant(held.partition.topic.as_str()));
        let mut partitions = Vec::new();
        for held in in_set_order(&replicas, |held| partition_hash(&held.partition)) {
            partitions.push(Json::Object(vec![
                field("partition", Json::Text(held.partition.to_string())),
                field("size", Json::Number(held.size.to_string())),
                field("offsetLag", Json::Number(held.offset_lag.to_string())),
                field("isFuture", Json::Boolean(false)),
            ]));
        }
        Json::Object(vec![
            field("partitions", Json::Array(partitions)),
            field("error", Json::Null),
            field("logDir", Json::Text(folder.path.clone())),
        ])
    }

    fn handle_reply(&self, reply: &ClientReply, out: &mut Out<'_>) -> Result<Next, Problem> {
        match reply {
            ClientReply::Log(level, text) => {
                log_reply(level, text, out);
                Ok(Next::Wait)
            }
            ClientReply::Cluster(brokers) => {
                self.ask(brokers.known().as_ref().map_err(thrown_by_client)?, out)
            }
            ClientReply::LogDirs(answers) => {
                self.print(answers.known().as_ref().map_err(thrown_by_client)?, out);
                Ok(Next::Exit(0))
            }
            _ => Ok(Next::Wait),
        }
    }
}

impl Program for KafkaLogDirs {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, reply) => next_or_throw(self.handle_reply(reply, out), out),
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// Brokers in the order of Java's set of them.
fn in_order(brokers: &[BrokerId]) -> Vec<BrokerId> {
    in_set_order(brokers, |broker| broker.0)
}

fn list(brokers: &[BrokerId]) -> String {
    let ids: Vec<String> = brokers.iter().map(ToString::to_string).collect();
    ids.join(",")
}

fn field(name: &str, value: Json) -> (String, Json) {
    (name.to_owned(), value)
}

fn number(number: i32) -> Json {
    Json::Number(number.to_string())
}
