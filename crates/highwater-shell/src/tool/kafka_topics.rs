//! `kafka-topics.sh`: what it asks and what it prints (Kafka's `TopicCommand`).
//!
//! Built so far: `--create`, `--describe`, `--list`.

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::controller::records::TopicImage;
use highwater_core::controller::{topic_config, topic_name};
use highwater_core::error::{ErrorCode, KafkaError};
use highwater_core::ids::{BrokerId, ClientId, TopicName};
use highwater_core::java::hash_map::{Made, chained_order, string_hash};
use highwater_core::net::message::{ConfigEntry, CreatableTopic, PartitionImage};
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::{Options, Problem, Spec, Takes, help, usage_error};
use crate::tool::topic_pattern::TopicPattern;
use crate::tool::{Ended, Next, bootstrap, log_line, log_reply};

const SPECS: &[Spec] = &[
    Spec { name: "alter", takes: Takes::Nothing, about: "(not in Highwater yet) Change a topic." },
    Spec {
        name: "at-min-isr-partitions",
        takes: Takes::Nothing,
        about: "With --describe: only partitions with as few in-sync replicas as allowed.",
    },
    Spec {
        name: "bootstrap-server",
        takes: Takes::Value("host:port"),
        about: "A broker to begin with, such as localhost:9092. Required.",
    },
    Spec {
        name: "command-config",
        takes: Takes::Value("file"),
        about: "(not in Highwater yet) A file with settings of the admin client.",
    },
    Spec {
        name: "config",
        takes: Takes::Value("key=value"),
        about: "With --create: a setting of the topic. May be given several times.",
    },
    Spec { name: "create", takes: Takes::Nothing, about: "Make a topic." },
    Spec { name: "delete", takes: Takes::Nothing, about: "(not in Highwater yet) Delete a topic." },
    Spec { name: "describe", takes: Takes::Nothing, about: "Describe topics." },
    Spec {
        name: "exclude-internal",
        takes: Takes::Nothing,
        about: "With --list or --describe: leave Kafka's own topics out.",
    },
    Spec { name: "help", takes: Takes::Nothing, about: "Print this." },
    Spec {
        name: "if-exists",
        takes: Takes::Nothing,
        about: "With --describe: no error when there is no such topic.",
    },
    Spec {
        name: "if-not-exists",
        takes: Takes::Nothing,
        about: "With --create: no error when the topic is there already.",
    },
    Spec { name: "list", takes: Takes::Nothing, about: "List topics." },
    Spec {
        name: "partition-size-limit-per-response",
        takes: Takes::Value("number"),
        about: "(not in Highwater yet) How many partitions one answer may hold.",
    },
    Spec {
        name: "partitions",
        takes: Takes::Value("number"),
        about: "With --create: how many partitions. Without it, 1.",
    },
    Spec {
        name: "replica-assignment",
        takes: Takes::Value("broker:broker,broker:broker,..."),
        about: "With --create: the brokers of each partition.",
    },
    Spec {
        name: "replication-factor",
        takes: Takes::Value("number"),
        about: "With --create: how many replicas each partition has. Without it, 1.",
    },
    Spec {
        name: "topic",
        takes: Takes::Value("topic"),
        about: "The topic; with --list and --describe a pattern.",
    },
    Spec {
        name: "topic-id",
        takes: Takes::Value("id"),
        about: "(not in Highwater yet) With --describe: the topic of this id.",
    },
    Spec {
        name: "topics-with-overrides",
        takes: Takes::Nothing,
        about: "With --describe: only the first line of topics that have settings.",
    },
    Spec {
        name: "unavailable-partitions",
        takes: Takes::Nothing,
        about: "With --describe: only partitions without a living leader.",
    },
    Spec {
        name: "under-min-isr-partitions",
        takes: Takes::Nothing,
        about: "With --describe: only partitions with too few in-sync replicas.",
    },
    Spec {
        name: "under-replicated-partitions",
        takes: Takes::Nothing,
        about: "With --describe: only partitions whose replicas are not all in sync.",
    },
    Spec { name: "version", takes: Takes::Nothing, about: "Print the version of Kafka." },
];

/// Which partitions `--describe` shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    All,
    OnlyHeads,
    UnderReplicated,
    Unavailable,
    UnderMinIsr,
    AtMinIsr,
}

/// What the tool is about, once it is running.
#[derive(Clone, Debug)]
enum Action {
    Create { if_not_exists: bool },
    List { filter: Filter },
    Describe { filter: Filter, show: Show, if_exists: bool },
}

/// Which topics are meant.
#[derive(Clone, Debug)]
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
    action: Action,
    described: Described,
}

/// An error of the tool: the class that it prints and the text.
struct CommandFailure {
    class: &'static str,
    text: String,
}

const ILLEGAL_ARGUMENT: &str = "java.lang.IllegalArgumentException";

impl KafkaTopics {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        if arguments.is_empty() {
            let about = "Create, delete, describe, or change a topic.";
            return Err(usage_error(about, SPECS, out));
        }
        let options =
            Options::parse(arguments, SPECS).map_err(|problem| bad_option(&problem, out))?;
        if options.has("help") {
            let about = "This tool makes, describes and lists topics.";
            return Err(help(about, SPECS, out));
        }
        if options.has("version") {
            out.write(Fd::Stdout, "4.4.0\n");
            return Err(Ended(0));
        }
        let actions = ["list", "describe", "create"].iter().filter(|name| options.has(name));
        if actions.count() != 1 {
            let text = "Command must include exactly one action: --list, --describe, --create, \
                        --alter or --delete";
            return Err(usage_error(text, SPECS, out));
        }
        check_combinations(&options, out)?;
        let begun = begin(&options, out).map_err(|failure| match failure {
            Begin::Problem(problem) => bad_option(&problem, out),
            Begin::Failure(failure) => fail(&failure, out),
        })?;
        let (action, command, servers) = begun;
        if !bootstrap::is_valid(&servers) {
            let text = "Failed to create new KafkaAdminClient";
            let class = "org.apache.kafka.common.KafkaException";
            out.write(Fd::Stderr, format!("{text}\n{class}: {text}\n"));
            return Err(Ended(1));
        }
        let client_id = "adminclient-1".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap: servers, client_id });
        out.command(client, command);
        Ok(Self { client, action, described: Vec::new() })
    }

    pub(crate) fn handle(&mut self, input: ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, reply) => match self.handle_reply(reply, out) {
                Ok(next) => next,
                Err(failure) => Next::Exit(fail(&failure, out).0),
            },
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn handle_reply(
        &mut self,
        reply: ClientReply,
        out: &mut Out<'_>,
    ) -> Result<Next, CommandFailure> {
        match reply {
            ClientReply::Log(level, text) => {
                log_reply(level, &text, out);
                Ok(Next::Wait)
            }
            ClientReply::TopicCreated(result) => match result {
                Ok(name) => {
                    out.write(Fd::Stdout, format!("Created topic {name}.\n"));
                    Ok(Next::Exit(0))
                }
                Err(error) => match &self.action {
                    Action::Create { if_not_exists: true }
                        if error.code == ErrorCode::TopicAlreadyExists =>
                    {
                        Ok(Next::Exit(0))
                    }
                    _ => Err(error.into()),
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

    fn handle_topics(
        &mut self,
        topics: Vec<(TopicName, Result<Rc<TopicImage>, KafkaError>)>,
        out: &mut Out<'_>,
    ) -> Result<Next, CommandFailure> {
        let mut found: Described = Vec::new();
        for (name, topic) in topics {
            found.push((name, topic?));
        }
        let (filter, must_exist) = match &self.action {
            Action::List { filter } => (filter, false),
            Action::Describe { filter, if_exists, .. } => (filter, !*if_exists),
            Action::Create { .. } => return Ok(Next::Wait),
        };
        found.retain(|(name, _)| filter.takes(name.as_str()));
        if let (true, true, Some(requested)) = (must_exist, found.is_empty(), &filter.requested) {
            let text = format!("Topic '{requested}' does not exist as expected");
            return Err(CommandFailure { class: ILLEGAL_ARGUMENT, text });
        }
        if let Action::List { .. } = self.action {
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            out.write(Fd::Stdout, format!("{}\n", names.join("\n")));
            return Ok(Next::Exit(0));
        }
        if found.is_empty() {
            return Ok(Next::Exit(0));
        }
        let names = found.iter().map(|(name, _)| name.clone()).collect();
        self.described = in_map_order(found);
        out.command(self.client, ClientCommand::DescribeConfigs(names));
        Ok(Next::Wait)
    }

    fn print_description(
        &self,
        configs: Vec<(TopicName, Result<Vec<ConfigEntry>, KafkaError>)>,
        out: &mut Out<'_>,
    ) -> Result<(), CommandFailure> {
        let Action::Describe { show, .. } = &self.action else { return Ok(()) };
        let mut text = String::new();
        for (name, topic) in &self.described {
            let found = configs.iter().find(|(which, _)| which == name);
            let mut entries = match found {
                Some((_, Ok(entries))) => entries.clone(),
                Some((_, Err(error))) => return Err(error.clone().into()),
                None => Vec::new(),
            };
            entries.sort_by_key(|entry| topic_config::describe_order(&entry.name));
            if matches!(show, Show::All | Show::OnlyHeads) {
                text.push_str(&head_line(name, topic, &entries));
            }
            if *show != Show::OnlyHeads {
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

impl From<KafkaError> for CommandFailure {
    fn from(error: KafkaError) -> Self {
        Self { class: error.code.exception(), text: error.message }
    }
}

impl Filter {
    fn of(options: &Options) -> Result<Self, Begin> {
        let requested = options.one("topic").map_err(Begin::Problem)?.map(str::to_owned);
        let pattern = match &requested {
            None => None,
            Some(text) => Some(TopicPattern::parse(text).map_err(Begin::illegal)?),
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
    fn takes(self, partition: &PartitionImage, min_isr: usize) -> bool {
        let in_sync = partition.isr.len();
        match self {
            Self::All => true,
            Self::OnlyHeads => false,
            Self::UnderReplicated => in_sync < partition.replicas.len(),
            Self::Unavailable => partition.leader.is_none(),
            Self::UnderMinIsr => in_sync < min_isr || partition.leader.is_none(),
            Self::AtMinIsr => in_sync == min_isr,
        }
    }
}

/// What can be wrong before anything is asked.
enum Begin {
    Problem(Problem),
    Failure(CommandFailure),
}

impl Begin {
    fn illegal(text: String) -> Self {
        Self::Failure(CommandFailure { class: ILLEGAL_ARGUMENT, text })
    }
}

fn begin(options: &Options, out: &mut Out<'_>) -> Result<(Action, ClientCommand, String), Begin> {
    let bootstrap = options.one("bootstrap-server").map_err(Begin::Problem)?;
    let bootstrap = bootstrap.unwrap_or_default().to_owned();
    let all = ClientCommand::DescribeTopics(None);
    if options.has("list") {
        return Ok((Action::List { filter: Filter::of(options)? }, all, bootstrap));
    }
    if options.has("describe") {
        let shows = [
            ("topics-with-overrides", Show::OnlyHeads),
            ("under-replicated-partitions", Show::UnderReplicated),
            ("unavailable-partitions", Show::Unavailable),
            ("under-min-isr-partitions", Show::UnderMinIsr),
            ("at-min-isr-partitions", Show::AtMinIsr),
        ];
        let show = shows.iter().find(|(name, _)| options.has(name)).map_or(Show::All, |(_, s)| *s);
        let if_exists = options.has("if-exists");
        let action = Action::Describe { filter: Filter::of(options)?, show, if_exists };
        return Ok((action, all, bootstrap));
    }
    let topic = creatable(options, out)?;
    let if_not_exists = options.has("if-not-exists");
    Ok((Action::Create { if_not_exists }, ClientCommand::CreateTopic(topic), bootstrap))
}

fn creatable(options: &Options, out: &mut Out<'_>) -> Result<CreatableTopic, Begin> {
    let name = options.one("topic").map_err(Begin::Problem)?.unwrap_or_default();
    let partitions = options.number("partitions").map_err(Begin::Problem)?;
    let factor = options.number("replication-factor").map_err(Begin::Problem)?;
    let assignment = match options.one("replica-assignment").map_err(Begin::Problem)? {
        Some(text) => parse_assignment(text).map_err(Begin::Failure)?,
        None => Vec::new(),
    };
    let mut configs = Vec::new();
    for entry in options.all("config") {
        let Some((key, value)) = entry
            .split_once('=')
            .map(|(k, v)| (k.trim(), v.trim()))
            .filter(|(_, value)| !value.is_empty())
        else {
            let text = "requirement failed: Invalid topic config: all configs to be added must be \
                        in the format \"key=val\".";
            return Err(Begin::illegal(text.to_owned()));
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
        return Err(Begin::illegal(text.to_owned()));
    }
    if partitions.is_some_and(|partitions| partitions < 1) {
        return Err(Begin::illegal("The partitions must be greater than 0".to_owned()));
    }
    Ok(CreatableTopic {
        name: TopicName::new(name),
        partitions,
        replication_factor: factor,
        assignment,
        configs,
    })
}

/// `1:2,2:3`: for each partition its brokers (`TopicCommand.parseReplicaAssignment`).
fn parse_assignment(text: &str) -> Result<Vec<Vec<BrokerId>>, CommandFailure> {
    let mut assignment: Vec<Vec<BrokerId>> = Vec::new();
    for (number, list) in text.split(',').enumerate() {
        let mut brokers: Vec<BrokerId> = Vec::new();
        for broker in list.split(':') {
            let id = broker.trim().parse().map_err(|_| CommandFailure {
                class: "java.lang.NumberFormatException",
                text: format!("For input string: \"{}\"", broker.trim()),
            })?;
            brokers.push(BrokerId(id));
        }
        let twice: Vec<String> = (0..brokers.len())
            .filter(|&i| brokers[..i].contains(&brokers[i]))
            .map(|i| brokers[i].to_string())
            .collect();
        if !twice.is_empty() {
            return Err(CommandFailure {
                class: "org.apache.kafka.tools.AdminCommandFailedException",
                text: format!(
                    "Partition replica lists may not contain duplicate entries: {}",
                    twice.join(",")
                ),
            });
        }
        if assignment.first().is_some_and(|first| first.len() != brokers.len()) {
            return Err(CommandFailure {
                class: "org.apache.kafka.tools.AdminOperationException",
                text: format!(
                    "Partition {number} has different replication factor: [{}]",
                    join(&brokers, ", ")
                ),
            });
        }
        assignment.push(brokers);
    }
    Ok(assignment)
}

/// Options that do not go together (`TopicCommandOptions.checkArgs`).
fn check_combinations(options: &Options, out: &mut Out<'_>) -> Result<(), Ended> {
    if !options.has("bootstrap-server") {
        let text = "--bootstrap-server must be specified";
        out.write(Fd::Stderr, format!("{text}\n{ILLEGAL_ARGUMENT}: {text}\n\n"));
        return Err(Ended(1));
    }
    if options.has("create") && !options.has("topic") {
        return Err(usage_error("Missing required argument \"[topic]\"", SPECS, out));
    }
    let only_with: [(&str, &[&str]); 10] = [
        ("config", &["create"]),
        ("partitions", &["create"]),
        ("replication-factor", &["create"]),
        ("replica-assignment", &["create"]),
        ("if-not-exists", &["create"]),
        ("if-exists", &["describe"]),
        ("exclude-internal", &["list", "describe"]),
        ("topics-with-overrides", &["describe"]),
        ("under-replicated-partitions", &["describe"]),
        ("unavailable-partitions", &["describe"]),
    ];
    for (option, actions) in only_with {
        if options.has(option) && !actions.iter().any(|action| options.has(action)) {
            let action = ["list", "describe", "create"].into_iter().find(|name| options.has(name));
            let action = action.unwrap_or_default();
            let text = format!("Option \"[{option}]\" can't be used with option \"[{action}]\"");
            return Err(usage_error(&text, SPECS, out));
        }
    }
    if options.has("replica-assignment") {
        for other in ["partitions", "replication-factor"] {
            if options.has(other) {
                let text = format!(
                    "Option \"[replica-assignment]\" can't be used with option \"[{other}]\""
                );
                return Err(usage_error(&text, SPECS, out));
            }
        }
    }
    Ok(())
}

/// Several topics come in the order of a chain of Java hash maps.
fn in_map_order(topics: Described) -> Described {
    let hashes: Vec<i32> = topics.iter().map(|(name, _)| string_hash(name.as_str())).collect();
    let count = u32::try_from(topics.len()).unwrap_or(u32::MAX);
    let chain = [Made::WithCapacity(count), Made::CopyOf(count), Made::WithCapacity(count)];
    let order = chained_order(&hashes, &chain);
    order.iter().filter_map(|&index| topics.get(index as usize).cloned()).collect()
}

fn head_line(name: &TopicName, topic: &TopicImage, entries: &[ConfigEntry]) -> String {
    let configs: Vec<String> =
        entries.iter().map(|entry| format!("{}={}", entry.name, entry.value)).collect();
    format!(
        "Topic: {name}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: {}\tConfigs: {}\n",
        topic.id,
        topic.partitions.len(),
        topic.partitions.first().map_or(0, |partition| partition.replicas.len()),
        configs.join(",")
    )
}

fn partition_line(name: &TopicName, number: usize, partition: &PartitionImage) -> String {
    let leader = partition.leader.map_or_else(|| "none".to_owned(), |leader| leader.to_string());
    format!(
        "\tTopic: {name}\tPartition: {number}\tLeader: {leader}\tReplicas: {}\tIsr: {}\tElr: \
         \tLastKnownElr: \n",
        join(&partition.replicas, ","),
        join(&partition.isr, ",")
    )
}

fn min_insync_replicas(entries: &[ConfigEntry]) -> usize {
    let entry = entries.iter().find(|entry| entry.name == "min.insync.replicas");
    entry.and_then(|entry| entry.value.trim().parse().ok()).unwrap_or(1)
}

fn join(brokers: &[BrokerId], separator: &str) -> String {
    brokers.iter().map(ToString::to_string).collect::<Vec<_>>().join(separator)
}

/// `Error while executing topic command`: on standard output, and once more in the log.
fn fail(failure: &CommandFailure, out: &mut Out<'_>) -> Ended {
    let CommandFailure { class, text } = failure;
    out.write(Fd::Stdout, format!("Error while executing topic command : {text}\n"));
    log_line("ERROR", &format!("{class}: {text}\n (org.apache.kafka.tools.TopicCommand)"), out);
    Ended(1)
}

/// An option that cannot be read. A bad number is an error of the command; anything else ends the
/// tool before it begins.
fn bad_option(problem: &Problem, out: &mut Out<'_>) -> Ended {
    match problem {
        Problem::Parse(
            class @ ("joptsimple.OptionArgumentConversionException"
            | "joptsimple.MultipleArgumentsForOptionException"),
            text,
        ) => fail(&CommandFailure { class, text: text.clone() }, out),
        Problem::Parse(class, text) => {
            out.write(Fd::Stderr, format!("{text}\n{class}: {text}\n\n"));
            Ended(1)
        }
        Problem::NotYet(_) => {
            out.write(Fd::Stderr, format!("{}\n", problem.text()));
            Ended(1)
        }
    }
}
