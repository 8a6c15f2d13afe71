//! `kafka-configs.sh`: shows and changes settings of topics and brokers (Kafka's `ConfigCommand`).

mod changes;
mod options;

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply, ConfigAnswers, TopicAnswers};
use highwater_core::controller::records::{ConfigResource, MetadataImage};
use highwater_core::controller::{broker_config, topic_name};
use highwater_core::error::KafkaError;
use highwater_core::ids::{BrokerId, ClientId, TopicName};
use highwater_core::java::hash_map::{Made, iteration_order, string_hash};
use highwater_core::net::admin::{AdminAnswer, AdminRequest, ConfigChanges};
use highwater_core::net::message::{ConfigEntry, ConfigSource};
use highwater_core::number;
use highwater_core::scope::Lab;
use highwater_core::sorted_map::sort_by_key;
use highwater_core::time::SimDuration;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use self::changes::changes;
use self::options::{Kind, SPECS, Which, check};
use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::{Manual, Problem};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply};

const ABOUT: &str = "This tool helps to manipulate and describe entity config for a topic, client, \
                     user, broker, ip, client-metrics or group";

pub(super) const MANUAL: Manual = Manual {
    usage: ABOUT,
    help: ABOUT,
    specs: SPECS,
    columns: (39, 39),
    complain: |problem, out| fail(problem, &[], out),
};

/// How long the tool waits for a description.
const PATIENCE: SimDuration = SimDuration::from_millis(30_000);

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaConfigs {
    client: ClientId,
    arguments: Rc<Vec<Vec<u8>>>,
    kind: Kind,
    which: Which,
    /// Whether also what nobody has set is shown.
    all: bool,
    /// What is still to be described; the next one is the last.
    left: Vec<ConfigResource>,
    /// How many descriptions were asked for.
    asked: u32,
}

impl KafkaConfigs {
    pub(crate) fn start(arguments: &Rc<Vec<Vec<u8>>>, out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        let (kind, which) = check(&options, out)?;
        let asked = (|| {
            let servers = options.one("bootstrap-server")?.unwrap_or_default();
            bootstrap::usable(servers)?;
            let alter = options.has("alter");
            Ok((servers.to_owned(), alter.then(|| changes(&options, out)).transpose()?))
        })();
        let (bootstrap, changes) = asked.map_err(|problem| fail(&problem, arguments, out))?;
        if let (None, Kind::Topics, Which::Named(name), false) =
            (&changes, kind, &which, options.has("all"))
        {
            check_name(name).map_err(|problem| fail(&problem, arguments, out))?;
        }
        let client_id = "adminclient-1".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        let (arguments, all) = (Rc::clone(arguments), options.has("all"));
        let mut tool = Self { client, arguments, kind, which, all, left: Vec::new(), asked: 0 };
        match changes {
            Some(changes) => {
                let resource = tool.resource();
                let request =
                    AdminRequest::AlterConfigs(Lab::new(ConfigChanges { resource, changes }));
                out.command(client, ClientCommand::Ask(Rc::new(request)));
            }
            None => tool.look_around(out),
        }
        Ok(tool)
    }

    /// What is meant, if it is one.
    fn resource(&self) -> ConfigResource {
        match (self.kind, &self.which) {
            (Kind::Topics, Which::Named(name)) => ConfigResource::Topic(TopicName::new(name)),
            (Kind::Brokers, Which::Named(name)) => {
                ConfigResource::Broker(BrokerId(number::int(name).unwrap_or(-1)))
            }
            _ => ConfigResource::BrokerDefault,
        }
    }

    /// Asks what there is, unless one thing is described whether it is there or not.
    fn look_around(&mut self, out: &mut Out<'_>) {
        let is_one = self.which != Which::All;
        if is_one && (self.all || self.which == Which::Default) {
            self.left = vec![self.resource()];
            self.describe_next(out);
        } else if self.kind == Kind::Topics {
            out.command(self.client, ClientCommand::DescribeTopics);
        } else {
            out.command(self.client, ClientCommand::DescribeCluster);
        }
    }

    /// Begins the next description. Returns whether there is one.
    fn describe_next(&mut self, out: &mut Out<'_>) -> Next {
        let Some(next) = self.left.pop() else { return Next::Exit(0) };
        let of = if self.all { "All" } else { "Dynamic" };
        let (many, one) = self.kind.names();
        let head = match &next {
            ConfigResource::Topic(topic) => format!("{of} configs for {one} {topic} are:\n"),
            ConfigResource::Broker(broker) => format!("{of} configs for {one} {broker} are:\n"),
            ConfigResource::BrokerDefault => {
                format!("Default configs for {many} in the cluster are:\n")
            }
        };
        out.write(Fd::Stdout, head);
        self.asked += 1;
        out.wait(PATIENCE, self.asked);
        out.command(self.client, ClientCommand::DescribeConfigs(Rc::new(vec![next])));
        Next::Wait
    }

    fn handle_reply(&mut self, reply: &ClientReply, out: &mut Out<'_>) -> Result<Next, Problem> {
        match reply {
            ClientReply::Log(level, text) => {
                log_reply(level, text, out);
                Ok(Next::Wait)
            }
            ClientReply::Answer(answer) => match &**answer {
                AdminAnswer::ConfigsAltered(outcome) => {
                    outcome.known().as_ref().map_err(failed)?;
                    let (many, one) = self.kind.names();
                    let text = match &self.which {
                        Which::Named(name) => {
                            format!("Completed updating config for {one} {name}.\n")
                        }
                        _ => format!(
                            "Completed updating default config for {many} in the cluster.\n"
                        ),
                    };
                    out.write(Fd::Stdout, text);
                    Ok(Next::Exit(0))
                }
                _ => Ok(Next::Wait),
            },
            ClientReply::Topics(topics) => {
                let found = topics_in_order(topics)?;
                Ok(self.describe(found, out))
            }
            ClientReply::Cluster(brokers) => {
                let brokers = brokers.known();
                let brokers = brokers.as_ref().map_err(failed)?;
                let mut found: Vec<_> =
                    brokers.iter().map(|node| ConfigResource::Broker(node.id)).collect();
                if self.which == Which::All {
                    found.push(ConfigResource::BrokerDefault);
                }
                Ok(self.describe(found, out))
            }
            ClientReply::Configs(answers) => {
                self.print(answers, out)?;
                Ok(self.describe_next(out))
            }
            _ => Ok(Next::Wait),
        }
    }

    /// Describes what was found, or the one of it that is meant.
    fn describe(&mut self, mut found: Vec<ConfigResource>, out: &mut Out<'_>) -> Next {
        if let Which::Named(name) = &self.which {
            let meant = self.resource();
            found.retain(|resource| *resource == meant);
            if found.is_empty() {
                let (_, one) = self.kind.names();
                let text = format_args!(
                    "The {one} '{name}' doesn't exist and doesn't have dynamic config.\n"
                );
                out.print(Fd::Stdout, text);
                return Next::Exit(0);
            }
        }
        found.reverse();
        self.left = found;
        self.describe_next(out)
    }

    fn print(&self, answers: &ConfigAnswers, out: &mut Out<'_>) -> Result<(), Problem> {
        for (resource, entries) in answers.iter() {
            let mut entries: Vec<&ConfigEntry> = entries.as_ref().map_err(failed)?.iter().collect();
            let source = match resource {
                ConfigResource::Topic(_) => ConfigSource::Topic,
                ConfigResource::Broker(_) => ConfigSource::Broker,
                ConfigResource::BrokerDefault => ConfigSource::BrokerDefault,
            };
            entries.retain(|entry| self.all || entry.source() == source);
            sort_by_key(&mut entries, |entry| entry.name.clone());
            for entry in entries {
                out.write(Fd::Stdout, line(resource, entry));
            }
        }
        Ok(())
    }
}

impl Program for KafkaConfigs {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        let problem = match input {
            ProcessInput::Reply(_, reply) => match self.handle_reply(reply, out) {
                Ok(next) => return next,
                Err(problem) => problem,
            },
            ProcessInput::Timer(asked) if *asked == self.asked => Problem::new(WAITED_TOO_LONG, ""),
            ProcessInput::Interrupt => return Next::Exit(STATUS_INTERRUPTED),
            _ => return Next::Wait,
        };
        Next::Exit(fail(&problem, &self.arguments, out).0)
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// One setting, with where its value comes from.
fn line(resource: &ConfigResource, entry: &ConfigEntry) -> String {
    let ConfigEntry { name, value, synonyms } = entry;
    let is_topic = matches!(resource, ConfigResource::Topic(_));
    // A key that Kafka does not know may hold a secret.
    let sensitive = !is_topic && !broker_config::is_known(name);
    let mut list = String::new();
    for synonym in synonyms.get().into_iter().flatten() {
        let before = if list.is_empty() { "" } else { ", " };
        let source = synonym.source.name();
        list.push_str(&format!("{before}{source}:{}={}", synonym.name, synonym.value));
    }
    format!("  {name}={value} sensitive={sensitive} synonyms={{{list}}}\n")
}

/// The topics in the order of Java's set of their names.
fn topics_in_order(topics: &TopicAnswers) -> Result<Vec<ConfigResource>, Problem> {
    let mut names = Vec::new();
    for (name, topic) in topics.iter() {
        topic.as_ref().map_err(failed)?;
        names.push(name);
    }
    let hashes: Vec<i32> = names.iter().map(|name| string_hash(name.as_str())).collect();
    let order = iteration_order(&hashes, Made::Empty);
    let names = order.iter().filter_map(|at| names.get(*at as usize));
    Ok(names.map(|name| ConfigResource::Topic((*name).clone())).collect())
}

fn check_name(name: &str) -> Result<(), Problem> {
    let nothing = MetadataImage::default();
    topic_name::validate(name, &nothing).map_err(|error| illegal(error.message))
}

/// What Java throws for an argument that makes no sense.
const ILLEGAL: &str = "";
const WAITED_TOO_LONG: &str = "java.util.concurrent.TimeoutException";
const EXECUTION_EXCEPTION: &str = "java.util.concurrent.ExecutionException";

/// Something that the tool says without more ado.
fn illegal(text: String) -> Problem {
    Problem::new(ILLEGAL, text)
}

/// What a broker answered.
fn failed(error: &KafkaError) -> Problem {
    let cause = [error.code.exception(), ": ", &error.message].concat();
    Problem::new(EXECUTION_EXCEPTION, cause)
}

/// Says what went wrong and ends the tool.
fn fail(problem: &Problem, arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    let Problem { class, text, .. } = problem;
    if class.starts_with("joptsimple") || *class == ILLEGAL {
        out.print(Fd::Stderr, format_args!("{text}\n"));
        return Ended(1);
    }
    let words: Vec<_> = arguments.iter().map(|word| String::from_utf8_lossy(word)).collect();
    let colon = if text.is_empty() { "" } else { ": " };
    let cause = match *class {
        EXECUTION_EXCEPTION => format!("Caused by: {text}\n"),
        _ => String::new(),
    };
    out.print(
        Fd::Stderr,
        format_args!(
            "Error while executing config command with args '{}'\n{class}{colon}{text}\n{cause}",
            words.join(" ")
        ),
    );
    Ended(1)
}
