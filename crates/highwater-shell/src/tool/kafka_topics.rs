//! `kafka-topics.sh`: what it asks and what it prints (Kafka's `TopicCommand`).
//!
//! Built so far: `--create`, `--describe`, `--list`.

mod create;
mod describe;
mod options;

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply, ConfigAnswers, TopicAnswers};
use highwater_core::controller::records::TopicImage;
use highwater_core::controller::{topic_config, topic_name};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{ClientId, TopicName};
use highwater_core::net::message::PartitionImage;
use highwater_core::number;
use highwater_core::sorted_map::sort_by_key;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use self::create::creatable;
use self::describe::{head_line, in_map_order, min_insync_replicas, partition_line};
use self::options::{SPECS, check_combinations};
use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::{Manual, Options, Problem, usage_error};
use crate::tool::topic_pattern::TopicPattern;
use crate::tool::{Ended, Next, bootstrap, log_line, log_reply, refuse};

/// A filter of `--describe`: partitions for which one of those given holds are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    UnderReplicated,
    Unavailable,
    UnderMinIsr,
    AtMinIsr,
}

const TROUBLES: [(&str, Trouble); 4] = [
    ("under-replicated-partitions", Trouble::UnderReplicated),
    ("unavailable-partitions", Trouble::Unavailable),
    ("under-min-isr-partitions", Trouble::UnderMinIsr),
    ("at-min-isr-partitions", Trouble::AtMinIsr),
];

/// What `--describe` shows.
#[derive(Debug)]
struct Show {
    only_heads: bool,
    troubles: Vec<Trouble>,
}

/// What the tool is about, once it is running.
#[derive(Debug)]
enum Action {
    Create { if_not_exists: bool },
    List { filter: Filter },
    Describe { filter: Filter, show: Show, if_exists: bool },
}

/// Which topics are meant.
#[derive(Debug)]
struct Filter {
    requested: Option<String>,
    pattern: Option<TopicPattern>,
    exclude_internal: bool,
}

type Described = Vec<(TopicName, Rc<TopicImage>)>;

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaTopics {
    client: ClientId,
    action: Rc<Action>,
    described: Rc<Described>,
}

const MANUAL: Manual = Manual {
    usage: "Create, delete, describe, or change a topic.",
    help: "This tool makes, describes and lists topics.",
    specs: SPECS,
    complain: bad_option,
};

const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";

impl KafkaTopics {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        let actions = ["list", "describe", "create"].iter().filter(|name| options.has(name));
        if actions.count() != 1 {
            let text = "Command must include exactly one action: --list, --describe, --create, \
                        --alter or --delete";
            return Err(usage_error(text, SPECS, out));
        }
        check_combinations(&options, out)?;
        let begun = begin(&options, out).map_err(|problem| fail(&problem, out));
        let (action, command, servers) = begun?;
        if !bootstrap::is_valid(&servers) {
            let text = "Failed to create new KafkaAdminClient";
            let class = "org.apache.kafka.common.KafkaException";
            out.print(Fd::Stderr, format_args!("{text}\n{class}: {text}\n"));
            return Err(Ended(1));
        }
        let client_id = "adminclient-1".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap: servers, client_id });
        out.command(client, command);
        Ok(Self { client, action: Rc::new(action), described: Rc::default() })
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, reply) => match self.handle_reply(reply, out) {
                Ok(next) => next,
                Err(failure) => Next::Exit(fail(&failure, out).0),
            },
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn handle_reply(&mut self, reply: &ClientReply, out: &mut Out<'_>) -> Result<Next, Problem> {
        match reply {
            ClientReply::Log(level, text) => {
                log_reply(level, text, out);
                Ok(Next::Wait)
            }
            ClientReply::TopicCreated(result) => match result {
                Ok(name) => {
                    out.print(Fd::Stdout, format_args!("Created topic {name}.\n"));
                    Ok(Next::Exit(0))
                }
                Err(error) => match &*self.action {
                    Action::Create { if_not_exists: true }
                        if error.code == ErrorCode::TopicAlreadyExists =>
                    {
                        Ok(Next::Exit(0))
                    }
                    _ => Err(error.clone().into()),
                },
            },
            ClientReply::Topics(topics) => self.handle_topics(topics, out),
            ClientReply::Configs(configs) => {
                self.print_description(configs, out)?;
                Ok(Next::Exit(0))
            }
            _ => Ok(Next::Wait),
        }
    }

    fn handle_topics(&mut self, topics: &TopicAnswers, out: &mut Out<'_>) -> Result<Next, Problem> {
        let mut found: Described = Vec::new();
        for (name, topic) in topics.iter() {
            found.push((name.clone(), topic.clone()?));
        }
        let (filter, must_exist) = match &*self.action {
            Action::List { filter } => (filter, false),
            Action::Describe { filter, if_exists, .. } => (filter, !*if_exists),
            Action::Create { .. } => return Ok(Next::Wait),
        };
        found.retain(|(name, _)| filter.takes(name.as_str()));
        if let (true, true, Some(requested)) = (must_exist, found.is_empty(), &filter.requested) {
            let text = format!("Topic '{requested}' does not exist as expected");
            return Err(illegal(text));
        }
        if let Action::List { .. } = *self.action {
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            out.print(Fd::Stdout, format_args!("{}\n", number::join(&names, "\n")));
            return Ok(Next::Exit(0));
        }
        if found.is_empty() {
            return Ok(Next::Exit(0));
        }
        let names = found.iter().map(|(name, _)| name.clone()).collect();
        self.described = Rc::new(in_map_order(&found));
        out.command(self.client, ClientCommand::DescribeConfigs(names));
        Ok(Next::Wait)
    }

    fn print_description(&self, configs: &ConfigAnswers, out: &mut Out<'_>) -> Result<(), Problem> {
        let Action::Describe { show, .. } = &*self.action else { return Ok(()) };
        let mut text = String::new();
        for (name, topic) in self.described.iter() {
            let found = configs.iter().find(|(which, _)| which == name);
            let mut entries = match found {
                Some((_, Ok(entries))) => entries.clone(),
                Some((_, Err(error))) => return Err(error.clone().into()),
                None => Vec::new(),
            };
            sort_by_key(&mut entries, |entry| topic_config::describe_order(&entry.name));
            if show.troubles.is_empty() {
                text.push_str(&head_line(name, topic, &entries));
            }
            if !show.only_heads {
                let min_isr = min_insync_replicas(&entries);
                for (number, partition) in topic.partitions.iter().enumerate() {
                    if show.takes(partition, min_isr) {
                        text.push_str(&partition_line(name, number, partition));
                    }
                }
            }
        }
        out.write(Fd::Stdout, text);
        Ok(())
    }
}

impl From<KafkaError> for Problem {
    fn from(error: KafkaError) -> Self {
        Self { class: error.code.exception(), text: error.message }
    }
}

impl Filter {
    fn of(options: &Options) -> Result<Self, Problem> {
        let requested = options.one("topic")?.map(str::to_owned);
        let pattern = match &requested {
            None => None,
            Some(text) => Some(TopicPattern::parse(text).map_err(illegal)?),
        };
        let exclude_internal = options.has("exclude-internal");
        Ok(Self { requested, pattern, exclude_internal })
    }

    fn takes(&self, name: &str) -> bool {
        let internal = self.exclude_internal && topic_name::is_internal(name);
        !internal && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(name))
    }
}

impl Show {
    fn takes(&self, partition: &PartitionImage, min_isr: usize) -> bool {
        self.troubles.is_empty() || self.troubles.iter().any(|t| t.holds(partition, min_isr))
    }
}

impl Trouble {
    fn holds(self, partition: &PartitionImage, min_isr: usize) -> bool {
        let in_sync = partition.isr.len();
        match self {
            Self::UnderReplicated => in_sync < partition.replicas.len(),
            Self::Unavailable => partition.leader.is_none(),
            Self::UnderMinIsr => in_sync < min_isr || partition.leader.is_none(),
            Self::AtMinIsr => in_sync == min_isr,
        }
    }
}

fn illegal(text: String) -> Problem {
    Problem { class: ILLEGAL_ARGUMENT, text }
}

fn begin(options: &Options, out: &mut Out<'_>) -> Result<(Action, ClientCommand, String), Problem> {
    let bootstrap = options.one("bootstrap-server")?;
    let bootstrap = bootstrap.unwrap_or_default().to_owned();
    let all = ClientCommand::DescribeTopics(None);
    if options.has("list") {
        return Ok((Action::List { filter: Filter::of(options)? }, all, bootstrap));
    }
    if options.has("describe") {
        let only_heads = options.has("topics-with-overrides");
        let given = TROUBLES.iter().filter(|(name, _)| options.has(name));
        let show = Show { only_heads, troubles: given.map(|(_, trouble)| *trouble).collect() };
        let if_exists = options.has("if-exists");
        let action = Action::Describe { filter: Filter::of(options)?, show, if_exists };
        return Ok((action, all, bootstrap));
    }
    let topic = creatable(options, out)?;
    let if_not_exists = options.has("if-not-exists");
    Ok((Action::Create { if_not_exists }, ClientCommand::CreateTopic(Rc::new(topic)), bootstrap))
}

/// `Error while executing topic command`: on standard output, and once more in the log.
fn fail(failure: &Problem, out: &mut Out<'_>) -> Ended {
    let Problem { class, text } = failure;
    out.print(Fd::Stdout, format_args!("Error while executing topic command : {text}\n"));
    let logged = format_args!("{class}: {text}\n (org.apache.kafka.tools.TopicCommand)");
    log_line("ERROR", logged, out);
    Ended(1)
}

/// An option that cannot be read ends the tool before it begins.
fn bad_option(problem: &Problem, out: &mut Out<'_>) -> Ended {
    let Problem { class, text } = problem;
    if class.is_empty() {
        return refuse(format_args!("{text}"), 1, out);
    }
    refuse(format_args!("{text}\n{class}: {text}\n"), 1, out)
}
