//! The options of `kafka-console-consumer.sh` (`ConsoleConsumerOptions`): which go together, and what
//! they come to.

use std::rc::Rc;

use highwater_core::client::StartAt;
use highwater_core::client::kafka_consumer::config::{
    ConsumerConfig, Subscription, TopicFilter, Topics,
};
use highwater_core::draw::{Purpose, draw_below};
use highwater_core::ids::{Offset, PartitionId, TopicName, TopicPartition};
use highwater_core::java::hash_map::{in_set_order, string_hash};
use highwater_core::number;
use highwater_core::time::SimDuration;
use highwater_core::world::process::Fd;

use super::formatter::{self, Formatter};
use super::properties::Properties;
use super::{CLASS, PROTOCOL_HINT};
use crate::process::Out;
use crate::tool::options::{COLUMNS, Manual, Options, Problem};
use crate::tool::topic_pattern::TopicPattern;
use crate::tool::{Ended, bootstrap, log_line, refuse};

const ABOUT: &str =
    "This tool helps to read data from Kafka topics and outputs it to standard output.";

pub(super) const SPECS: &str = "\
    bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    command-config <file>\n\
    command-property <key=value>\tA setting of the consumer.\n\
    consumer-property <key=value>\tAn older name of --command-property.\n\
    consumer.config <file>\n\
    enable-systest-events\n\
    formatter <class>\tHow records are printed.\n\
    formatter-config <file>\n\
    formatter-property <key=value>\tWhat is printed: print.key=true, key.separator=: and so on.\n\
    from-beginning\tBegin with the oldest record.\n\
    group <id>\tThe consumer group.\n\
    help\tPrint this.\n\
    include <pattern>\tTopics by pattern.\n\
    isolation-level <level>\tread_uncommitted or read_committed.\n\
    key-deserializer <class>\tWhat reads keys.\n\
    max-messages <number>\tEnd after so many.\n\
    offset <offset>\tearliest, latest, or an offset of --partition.\n\
    partition <number>\tOnly this partition.\n\
    property <key=value>\tAn older name of --formatter-property.\n\
    skip-message-on-error\tGo on after a record that cannot be printed.\n\
    timeout-ms <ms>\tEnd when nothing came for so long.\n\
    topic <topic>\tThe topic.\n\
    value-deserializer <class>\tWhat reads values.\n\
    version\tThe version of Kafka.";

pub(in crate::tool) static MANUAL: Manual = Manual {
    usage: ABOUT,
    help: ABOUT,
    specs: SPECS,
    columns: COLUMNS,
    complain: |problem, out| MANUAL.refuse(format_args!("{}", problem.text), out),
};

/// What the options come to.
pub(super) struct Settings {
    pub(super) bootstrap: String,
    pub(super) config: Rc<ConsumerConfig>,
    pub(super) subscription: Subscription,
    pub(super) formatter: Formatter,
    /// `None`: all.
    pub(super) max_messages: Option<u32>,
    /// `None`: it waits for ever.
    pub(super) timeout: Option<SimDuration>,
    pub(super) skips_errors: bool,
    /// `--max-messages` is no number.
    pub(super) fails_at_once: Option<Problem>,
}

/// A wait that is longer counts as one without end: a thousand years of virtual time.
const LONGEST: SimDuration = SimDuration::from_millis(1_000 * 366 * 86_400_000);

impl TopicFilter for TopicPattern {
    fn fits(&self, topic: &str) -> bool {
        self.matches(topic)
    }
}

/// What this option says; that it was given twice ends the tool. Which end it is depends on where
/// Kafka reads the option, here and in the two after it.
fn one<'a>(
    options: &'a Options,
    name: &'a str,
    out: &mut Out<'_>,
) -> Result<Option<&'a str>, Ended> {
    options.one(name).map_err(|problem| unknown_error(&problem, out))
}

/// A whole number that is read while the options are checked, where nobody catches anything.
fn long(options: &Options, name: &str, out: &mut Out<'_>) -> Result<Option<i64>, Ended> {
    let read = options.one(name).and_then(|text| match text {
        None => Ok(None),
        Some(text) => number::signed(text).map(Some).ok_or_else(|| Problem::no_number(text, name)),
    });
    read.map_err(|problem| uncaught(&problem, out))
}

fn uncaught(problem: &Problem, out: &mut Out<'_>) -> Ended {
    refuse(format_args!("Exception in thread \"main\" {}", problem.stack()), 1, out)
}

/// The same for those that must fit an `Integer`.
fn int(options: &Options, name: &str, out: &mut Out<'_>) -> Result<Option<i32>, Ended> {
    options.number(name).map_err(|problem| uncaught(&problem, out))
}

/// Whatever is thrown and not caught anywhere else.
pub(super) fn unknown_error(problem: &Problem, out: &mut Out<'_>) -> Ended {
    let Problem { class, text, .. } = problem;
    if class.is_empty() {
        return refuse(format_args!("{text}"), 1, out);
    }
    let stack = problem.stack();
    log_line(
        "ERROR",
        format_args!("Unknown error when running consumer:  ({CLASS})\n{stack}"),
        out,
    );
    Ended(1)
}

/// Reads them.
pub(super) fn read(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Settings, Ended> {
    let options = MANUAL.read(arguments, out)?;
    check_together(&options, out)?;
    let Some(servers) = one(&options, "bootstrap-server", out)? else {
        let text = format_args!("Missing required argument \"[bootstrap-server]\"");
        return Err(MANUAL.refuse(text, out));
    };
    let mut properties = Properties::default();
    for (old, new) in RENAMED {
        if options.has(old) {
            deprecated(old, new, out);
        }
    }
    for entry in options.all("consumer-property").chain(options.all("command-property")) {
        properties.add(entry);
    }
    let from_beginning = options.has("from-beginning");
    properties.set_reset(from_beginning, out)?;
    properties.set("bootstrap.servers", servers);
    if let Some(level) = one(&options, "isolation-level", out)? {
        properties.set("isolation.level", level);
    }
    choose_group(&options, &mut properties, out)?;
    let start = start_of(&options, from_beginning, out)?;
    let formatter = formatter::build(&options, out)?;
    let timeout = long(&options, "timeout-ms", out)?;
    let (max_messages, fails_at_once) = match options.number("max-messages") {
        Ok(number) => (number.unwrap_or(-1), None),
        Err(problem) => (0, Some(problem)),
    };
    let config = made(&properties, servers, out)?;
    if !options.has("partition") && properties.is_classic() {
        out.write(Fd::Stderr, PROTOCOL_HINT);
    }
    let subscription = subscription(&options, start, out)?;
    if config.assignors.is_empty() && matches!(subscription, Subscription::Subscribed(_)) {
        let text = "Must configure at least one partition assigner class name to \
            partition.assignment.strategy configuration property";
        let problem = Problem::new("java.lang.IllegalStateException", text);
        return Err(unknown_error(&problem, out));
    }
    Ok(Settings {
        bootstrap: servers.to_owned(),
        config: Rc::new(config),
        subscription,
        formatter,
        // Below -1 nothing is read, as in Kafka.
        max_messages: (max_messages != -1).then(|| u32::try_from(max_messages).unwrap_or(0)),
        timeout: timeout
            .and_then(|ms| u64::try_from(ms).ok())
            .map(SimDuration::from_millis)
            .filter(|span| *span <= LONGEST),
        skips_errors: options.has("skip-message-on-error"),
        fails_at_once,
    })
}

/// How the consumer behaves, if one can be made.
fn made(
    properties: &Properties,
    servers: &str,
    out: &mut Out<'_>,
) -> Result<ConsumerConfig, Ended> {
    let (config, warnings) = match properties.construct() {
        Ok(made) => made,
        Err(problem) => return Err(unknown_error(&problem, out)),
    };
    for warning in warnings {
        log_line("WARN", format_args!("{warning}"), out);
    }
    check_servers(servers, out)?;
    Ok(config)
}

/// Options with the names that they have now.
const RENAMED: [(&str, &str); 2] =
    [("consumer-property", "command-property"), ("property", "formatter-property")];

/// Says on standard output that an option has a newer name.
fn deprecated(old: &str, new: &str, out: &mut Out<'_>) {
    out.print(
        Fd::Stdout,
        format_args!(
            "Option --{old} is deprecated and will be removed in a future version. Use --{new} \
             instead.\n"
        ),
    );
}

/// Addresses that no consumer can be made of.
fn check_servers(servers: &str, out: &mut Out<'_>) -> Result<(), Ended> {
    if let Some(problem) = bootstrap::gap(servers) {
        return Err(unknown_error(&problem, out));
    }
    if bootstrap::is_valid(servers) {
        return Ok(());
    }
    let problem = Problem::new(
        "org.apache.kafka.common.KafkaException",
        "Failed to construct kafka consumer".to_owned(),
    );
    let ended = unknown_error(&problem, out);
    let text = format!(
        "Caused by: {}: Invalid url in bootstrap.servers: {servers}\n",
        bootstrap::CONFIG_EXCEPTION
    );
    out.write(Fd::Stderr, text);
    Err(ended)
}

fn check_together(options: &Options, out: &mut Out<'_>) -> Result<(), Ended> {
    let has = |name: &str| options.has(name);
    if let Some((old, new)) = RENAMED.iter().find(|(old, new)| has(old) && has(new)) {
        let text = format!("Options --{old} and --{new} cannot be specified together.");
        return Err(MANUAL.refuse(format_args!("{text}"), out));
    }
    let wrong = if has("topic") == has("include") {
        "Exactly one of the following arguments is required: [topic], [include]"
    } else if has("partition") && !has("topic") {
        "The topic is required when partition is specified."
    } else if has("partition") && has("from-beginning") && has("offset") {
        "Options from-beginning and offset cannot be specified together."
    } else if has("offset") && !has("partition") {
        "The partition is required when offset is specified."
    } else {
        return Ok(());
    };
    Err(MANUAL.refuse(format_args!("{wrong}"), out))
}

/// The group that was named, or else one with a random name, in which nothing is committed.
fn choose_group(
    options: &Options,
    properties: &mut Properties,
    out: &mut Out<'_>,
) -> Result<(), Ended> {
    let groups = [one(options, "group", out)?, properties.get("group.id")];
    let text = match groups {
        [None, None] => {
            let seed = out.options().seed;
            let number = draw_below(seed, Purpose::GroupName, u64::from(out.me().0), 0, 100_000);
            properties.set("group.id", &format!("console-consumer-{number}"));
            if properties.get("enable.auto.commit").is_none() {
                properties.set("enable.auto.commit", "false");
            }
            return Ok(());
        }
        [Some(one), Some(other)] if one != other => {
            let found = in_set_order(&[one, other], |group| string_hash(group)).join("', '");
            format!(
                "The group ids provided in different places (directly using '--group', via \
                 '--consumer-property', or via '--consumer.config') do not match. Detected group \
                 ids: '{found}'"
            )
        }
        _ if options.has("partition") => {
            "Options group and partition cannot be specified together.".to_owned()
        }
        [group, other] => {
            let group = group.or(other).unwrap_or_default().to_owned();
            properties.set("group.id", &group);
            properties.is_named_group = true;
            return Ok(());
        }
    };
    Err(MANUAL.refuse(format_args!("{text}"), out))
}

fn subscription(
    options: &Options,
    start: StartAt,
    out: &mut Out<'_>,
) -> Result<Subscription, Ended> {
    let topic = one(options, "topic", out)?.map(TopicName::new);
    if let Some(topic) = topic {
        return Ok(match int(options, "partition", out)? {
            Some(_) if topic.as_str().is_empty() => {
                let class = "java.lang.IllegalArgumentException";
                let text = "Topic partitions to assign to cannot have null or empty topic";
                return Err(unknown_error(&Problem::new(class, text.to_owned()), out));
            }
            Some(partition) => {
                let which = TopicPartition::new(&topic, PartitionId(partition));
                Subscription::Assigned(vec![(which, Some(start))])
            }
            None => Subscription::Subscribed(Topics::Named(vec![topic])),
        });
    }
    let pattern = one(options, "include", out)?.unwrap_or_default();
    let filter = TopicPattern::parse(pattern).map_err(|text| {
        let class = "java.util.regex.PatternSyntaxException";
        unknown_error(&Problem::new(class, text), out)
    })?;
    Ok(Subscription::Subscribed(Topics::Fitting(Rc::new(filter))))
}

/// Where to begin in a partition that is named.
fn start_of(options: &Options, from_beginning: bool, out: &mut Out<'_>) -> Result<StartAt, Ended> {
    let Some(text) = one(options, "offset", out)? else {
        return Ok(if from_beginning { StartAt::Earliest } else { StartAt::Latest });
    };
    match text.to_lowercase().as_str() {
        "earliest" => Ok(StartAt::Earliest),
        "latest" => Ok(StartAt::Latest),
        _ => match number::signed(text) {
            Some(offset) if offset >= 0 => Ok(StartAt::Offset(Offset(offset))),
            _ => Err(MANUAL.refuse(
                format_args!(
                    "The provided offset value '{text}' is incorrect. Valid values are 'earliest', \
                     'latest', or a non-negative long."
                ),
                out,
            )),
        },
    }
}
