//! `kafka-topics.sh`: what it asks and what it prints (Kafka's `TopicCommand`).

mod create;
mod describe;
mod options;

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply, ConfigAnswers, TopicAnswers};
use highwater_core::controller::records::{ConfigResource, PartitionImage, TopicImage};
use highwater_core::controller::{topic_config, topic_name};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{ClientId, TopicName};
use highwater_core::net::admin::{AdminAnswer, AdminRequest};
use highwater_core::number;
use highwater_core::scope::{self, Lab};
use highwater_core::sorted_map::sort_by_key;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use self::create::creatable;
use self::describe::{head_line, in_map_order, min_insync_replicas, not_default, partition_line};
use self::options::{ACTIONS, SPECS, check_combinations};
use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::{COLUMNS, Manual, Options, Problem};
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

type Described = Vec<(TopicName, Rc<TopicImage>)>;

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaTopics {
    client: ClientId,
    options: Rc<Options>,
    /// Which topics are meant; `None`: all.
    pattern: Option<Rc<TopicPattern>>,
    described: Rc<Described>,
}

pub(super) static MANUAL: Manual = Manual {
    usage: "Create, delete, describe, or change a topic.",
    help: "This tool helps to create, delete, describe, or change a topic.",
    specs: SPECS,
    columns: COLUMNS,
    complain: Problem::throw,
};

const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";

impl KafkaTopics {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        if ACTIONS.iter().filter(|name| options.has(name)).count() != 1 {
            let text = "Command must include exactly one action: --list, --describe, --create, \
                        --alter or --delete";
            return Err(MANUAL.refuse(format_args!("{text}"), out));
        }
        check_combinations(&options, out)?;
        let servers = options.one("bootstrap-server").map(Option::unwrap_or_default);
        let servers = servers.map_err(|problem| no_client(&problem, out))?.to_owned();
        bootstrap::usable(&servers).map_err(|problem| no_client(&problem, out))?;
        let begun = begin(&options, out).map_err(|problem| fail(&problem, out));
        let (command, pattern) = begun?;
        let client_id = "adminclient-1".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap: servers, client_id });
        out.command(client, command);
        let options = Rc::new(options);
        Ok(Self { client, options, pattern, described: Rc::default() })
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
            ClientReply::Answer(answer) => self.handle_answer(answer, out),
            ClientReply::Topics(topics) => self.handle_topics(topics, out),
            ClientReply::Configs(configs) => {
                self.print_description(configs, out)?;
                Ok(Next::Exit(0))
            }
            _ => Ok(Next::Wait),
        }
    }

    fn handle_answer(&mut self, answer: &AdminAnswer, out: &mut Out<'_>) -> Result<Next, Problem> {
        match answer {
            AdminAnswer::TopicCreated(Ok(name)) => {
                out.print(Fd::Stdout, format_args!("Created topic {name}.\n"));
                Ok(Next::Exit(0))
            }
            AdminAnswer::TopicCreated(Err(error)) => {
                let exists = error.code == ErrorCode::TopicAlreadyExists;
                if exists && self.options.has("if-not-exists") {
                    return Ok(Next::Exit(0));
                }
                Err(error.clone().into())
            }
            AdminAnswer::PartitionsCreated(outcome) if scope::CLUSTER => match outcome.known() {
                Err(error) => Err(error.clone().into()),
                Ok(()) => self.alter_next(out),
            },
            AdminAnswer::TopicsDeleted(outcomes) if scope::CLUSTER => {
                for (_, outcome) in outcomes.known() {
                    outcome.clone()?;
                }
                Ok(Next::Exit(0))
            }
            _ => Ok(Next::Wait),
        }
    }

    /// Adds partitions to the next of the topics that are meant.
    fn alter_next(&mut self, out: &mut Out<'_>) -> Result<Next, Problem> {
        let described = Rc::make_mut(&mut self.described);
        let Some((name, topic)) = described.pop() else { return Ok(Next::Exit(0)) };
        let request = create::more_partitions(&self.options, &name, &topic)?;
        out.command(self.client, ClientCommand::Ask(Rc::new(request)));
        Ok(Next::Wait)
    }

    fn handle_topics(&mut self, topics: &TopicAnswers, out: &mut Out<'_>) -> Result<Next, Problem> {
        let mut found: Described = Vec::new();
        for (name, topic) in topics.iter() {
            found.push((name.clone(), topic.clone()?));
        }
        found.retain(|(name, _)| self.is_meant(name.as_str()));
        let lists = self.options.has("list");
        if !lists && found.is_empty() && !self.options.has("if-exists") {
            // Without a name there is nothing to miss.
            if let Some(requested) = self.options.one("topic")? {
                return Err(illegal(format!("Topic '{requested}' does not exist as expected")));
            }
        }
        if lists {
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            out.print(Fd::Stdout, format_args!("{}\n", number::join(&names, "\n")));
            return Ok(Next::Exit(0));
        }
        if found.is_empty() {
            return Ok(Next::Exit(0));
        }
        if scope::CLUSTER && self.options.has("delete") {
            let names = found.iter().map(|(name, _)| name.clone()).collect();
            let request = Rc::new(AdminRequest::DeleteTopics(Lab::new(names)));
            out.command(self.client, ClientCommand::Ask(request));
            return Ok(Next::Wait);
        }
        self.described = Rc::new(in_map_order(&found));
        if scope::CLUSTER && self.options.has("alter") {
            // The first comes first off a list that is taken from its end.
            Rc::make_mut(&mut self.described).reverse();
            return self.alter_next(out);
        }
        let topics = found.iter().map(|(name, _)| ConfigResource::Topic(name.clone())).collect();
        out.command(self.client, ClientCommand::DescribeConfigs(Rc::new(topics)));
        Ok(Next::Wait)
    }

    fn print_description(&self, configs: &ConfigAnswers, out: &mut Out<'_>) -> Result<(), Problem> {
        let shows_all = !TROUBLES.iter().any(|(option, _)| self.options.has(option));
        let only_heads = self.options.has("topics-with-overrides");
        let mut text = String::new();
        for (name, topic) in self.described.iter() {
            let found = configs.iter().find(|(which, _)| which.is_topic(name));
            let mut entries = match found {
                Some((_, Ok(entries))) => not_default(entries),
                Some((_, Err(error))) => return Err(error.clone().into()),
                None => Vec::new(),
            };
            sort_by_key(&mut entries, |entry| topic_config::describe_order(&entry.name));
            if shows_all {
                text.push_str(&head_line(name, topic, &entries));
            }
            if !only_heads {
                let min_isr = min_insync_replicas(&entries);
                for (number, partition) in topic.partitions.iter().enumerate() {
                    let is_given = |(option, trouble): &(&str, Trouble)| {
                        self.options.has(option) && trouble.holds(partition, min_isr)
                    };
                    if shows_all || TROUBLES.iter().any(is_given) {
                        text.push_str(&partition_line(name, number, partition));
                    }
                }
            }
        }
        out.write(Fd::Stdout, text);
        Ok(())
    }

    fn is_meant(&self, name: &str) -> bool {
        let is_hidden = self.options.has("exclude-internal") && topic_name::is_internal(name);
        !is_hidden && self.pattern.as_ref().is_none_or(|pattern| pattern.matches(name))
    }
}

impl From<KafkaError> for Problem {
    fn from(error: KafkaError) -> Self {
        Self::new(error.code.exception(), error.message)
    }
}

impl Trouble {
    fn holds(self, partition: &PartitionImage, min_isr: usize) -> bool {
        let in_sync = partition.isr.len();
        match self {
            Self::UnderReplicated => in_sync < partition.replication_factor(),
            Self::Unavailable => partition.leader.is_none(),
            Self::UnderMinIsr => in_sync < min_isr || partition.leader.is_none(),
            Self::AtMinIsr => in_sync == min_isr,
        }
    }
}

fn illegal(text: String) -> Problem {
    Problem::new(ILLEGAL_ARGUMENT, text)
}

/// What to ask first, and which topics are meant.
type Begun = (ClientCommand, Option<Rc<TopicPattern>>);

fn begin(options: &Options, out: &mut Out<'_>) -> Result<Begun, Problem> {
    if options.has("create") {
        let topic = AdminRequest::CreateTopic(creatable(options, out)?);
        return Ok((ClientCommand::Ask(Rc::new(topic)), None));
    }
    let pattern = match options.one("topic")? {
        Some(text) => Some(Rc::new(TopicPattern::parse(text).map_err(illegal)?)),
        None => None,
    };
    Ok((ClientCommand::DescribeTopics, pattern))
}

/// `Error while executing topic command`: on standard output, and once more in the log.
fn fail(failure: &Problem, out: &mut Out<'_>) -> Ended {
    out.print(Fd::Stdout, format_args!("Error while executing topic command : {}\n", failure.text));
    let stack = failure.stack();
    log_line("ERROR", format_args!("{stack}\n (org.apache.kafka.tools.TopicCommand)"), out);
    Ended(1)
}

/// What keeps the tool from asking anything.
fn no_client(problem: &Problem, out: &mut Out<'_>) -> Ended {
    refuse(format_args!("{}\n{}", problem.text, problem.stack()), 1, out)
}
