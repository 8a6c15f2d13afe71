//! `kafka-get-offsets.sh`: where partitions end, start, or reach a time (Kafka's `GetOffsetShell`).

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply, OffsetAnswers, TopicAnswers};
use highwater_core::controller::topic_name;
use highwater_core::ids::{ClientId, PartitionId, TopicPartition};
use highwater_core::net::message::OffsetSpec;
use highwater_core::number;
use highwater_core::sorted_map::sort_by_key;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::{COLUMNS, Manual, NUMBER_FORMAT_EXCEPTION, Options, Problem, split};
use crate::tool::topic_pattern::TopicPattern;
use crate::tool::{Ended, Next, bootstrap, log_reply, refuse};

const ABOUT: &str = "An interactive shell for getting topic-partition offsets.";

const SPECS: &str = "\
    bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    command-config <file>\n\
    exclude-internal-topics\tWithout Kafka's own topics.\n\
    help\tPrint this.\n\
    partitions <numbers>\tOnly these partitions.\n\
    time <time>\tlatest, earliest, max-timestamp, or milliseconds since 1970.\n\
    topic <topic>\tThe topic, or a pattern.\n\
    topic-partitions <topic:from-to,...>\tOnly these, without the last.\n\
    version\tThe version of Kafka.";

pub(super) static MANUAL: Manual = Manual {
    usage: ABOUT,
    help: ABOUT,
    specs: SPECS,
    columns: (COLUMNS.0, 38),
    complain: |problem, out| error(&problem.text, out),
};

/// Which partitions are meant.
#[derive(Debug)]
enum Filter {
    /// No partitions: all.
    Topic {
        pattern: Option<TopicPattern>,
        partitions: Vec<i32>,
    },
    Rules(Vec<Rule>),
}

/// One rule of `--topic-partitions`.
#[derive(Debug)]
struct Rule {
    topic: Option<TopicPattern>,
    from: i32,
    /// Not included.
    to: Option<i32>,
}

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaGetOffsets {
    client: ClientId,
    filter: Rc<Filter>,
    spec: OffsetSpec,
    exclude_internal: bool,
}

impl KafkaGetOffsets {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        let servers = options.one("bootstrap-server").map_err(|p| error(&thrown(p), out))?;
        let Some(servers) = servers.map(str::to_owned) else {
            let text = "Missing required argument \"[bootstrap-server]\"";
            return Err(MANUAL.refuse(format_args!("{text}"), out));
        };
        if !bootstrap::is_valid(&servers) {
            return Err(MANUAL.refuse(format_args!("{}", bootstrap::INVALID), out));
        }
        if let Some(problem) = bootstrap::gap(&servers) {
            return Err(error(&thrown(problem), out));
        }
        let (filter, spec) = what_is_asked(&options).map_err(|text| error(&text, out))?;
        let client_id = "GetOffsetShell".to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap: servers, client_id });
        out.command(client, ClientCommand::DescribeTopics);
        let exclude_internal = options.has("exclude-internal-topics");
        Ok(Self { client, filter: Rc::new(filter), spec, exclude_internal })
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => {
                log_reply(level, text, out);
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::Topics(topics)) => self.ask(topics, out),
            ProcessInput::Reply(_, ClientReply::Offsets(answers)) => {
                print(answers, out);
                Next::Exit(0)
            }
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn ask(&mut self, topics: &TopicAnswers, out: &mut Out<'_>) -> Next {
        let mut wanted = Vec::new();
        for (name, topic) in topics.iter() {
            let topic = match topic {
                Ok(topic) => topic,
                Err(failure) => {
                    let class = failure.code.exception();
                    let text = format!("{class}: {}", failure.message);
                    error(&text, out);
                    let wrapped = "java.util.concurrent.ExecutionException";
                    out.print(Fd::Stderr, format_args!("{wrapped}: {text}\n"));
                    return Next::Exit(1);
                }
            };
            if self.exclude_internal && topic_name::is_internal(name.as_str()) {
                continue;
            }
            let count = i32::try_from(topic.partitions.len()).unwrap_or(i32::MAX);
            let partitions = (0..count).filter(|n| self.filter.takes(name.as_str(), *n));
            wanted
                .extend(partitions.map(|n| (TopicPartition::new(name, PartitionId(n)), self.spec)));
        }
        if wanted.is_empty() {
            let text = "Could not match any topic-partitions with the specified filters";
            return Next::Exit(error(text, out).0);
        }
        sort_by_key(&mut wanted, |(partition, _)| partition.to_string());
        out.command(self.client, ClientCommand::ListOffsets(Rc::new(wanted)));
        Next::Wait
    }
}

impl Filter {
    fn takes(&self, topic: &str, partition: i32) -> bool {
        match self {
            Self::Topic { pattern, partitions } => {
                pattern.as_ref().is_none_or(|pattern| pattern.matches(topic))
                    && (partitions.is_empty() || partitions.contains(&partition))
            }
            Self::Rules(rules) => rules.iter().any(|rule| {
                rule.topic.as_ref().is_none_or(|pattern| pattern.matches(topic))
                    && rule.from <= partition
                    && rule.to.is_none_or(|to| partition < to)
            }),
        }
    }
}

/// Answers come in the order of the question, which is that of the text `topic-partition`.
fn print(answers: &OffsetAnswers, out: &mut Out<'_>) {
    for (partition, answer) in answers.iter() {
        match answer {
            Ok(Some((_, offset))) => {
                let TopicPartition { topic, partition } = partition;
                out.print(Fd::Stdout, format_args!("{topic}:{partition}:{offset}\n"));
            }
            Ok(None) => {}
            Err(error) => {
                let class = error.code.exception();
                let text = format!(
                    "Skip getting offsets for topic-partition {partition} due to error: {class}: \
                     {}\n",
                    error.message
                );
                out.write(Fd::Stderr, text);
            }
        }
    }
}

fn what_is_asked(options: &Options) -> Result<(Filter, OffsetSpec), String> {
    let one = |name| options.one(name).map_err(thrown);
    let (topic, partitions) = (one("topic")?, one("partitions")?);
    let filter = match one("topic-partitions")? {
        Some(_) if topic.is_some() || partitions.is_some() => {
            return Err("--topic-partitions cannot be used with --topic or --partitions".to_owned());
        }
        Some(text) => {
            let mut rules = Vec::new();
            for part in split(text, ',') {
                rules.push(rule(part)?);
            }
            Filter::Rules(rules)
        }
        None => Filter::Topic {
            pattern: topic.map(TopicPattern::parse).transpose()?,
            partitions: numbers(partitions.unwrap_or_default())?,
        },
    };
    Ok((filter, offset_spec(one("time")?.unwrap_or("latest"))?))
}

fn numbers(text: &str) -> Result<Vec<i32>, String> {
    let mut numbers = Vec::new();
    for part in split(text, ',').filter(|_| !text.is_empty()) {
        numbers.push(number::int(part).ok_or_else(|| {
            format!(
                "--partitions expects a comma separated list of numeric partition ids, but \
                 received: {text}"
            )
        })?);
    }
    Ok(numbers)
}

/// `topic`, `topic:3`, `topic:3-`, `topic:-5`, `topic:3-5`, each also without topic.
fn rule(text: &str) -> Result<Rule, String> {
    let invalid = || {
        let cause =
            format!("org.apache.kafka.tools.TerseException: Invalid rule specification: {text}");
        let (class, text) = ("java.lang.RuntimeException", cause.clone());
        thrown(Problem { class, text, causes: vec![cause] })
    };
    let (topic, range) = match text.split_once(':') {
        Some((topic, range)) => (topic, Some(range)),
        None => (text, None),
    };
    let topic = if topic.is_empty() { None } else { Some(TopicPattern::parse(topic)?) };
    let number = |digits: &str| {
        if digits.bytes().any(|byte| !byte.is_ascii_digit()) {
            return Err(invalid());
        }
        number::int(digits).ok_or_else(|| {
            let text = format!("For input string: \"{digits}\"");
            thrown(Problem::new(NUMBER_FORMAT_EXCEPTION, text))
        })
    };
    let (from, to) = match range {
        None | Some("") => (0, None),
        Some(range) => match range.split_once('-') {
            None => {
                let exact = number(range)?;
                (exact, Some(exact.saturating_add(1)))
            }
            Some((from, to)) => (
                if from.is_empty() { 0 } else { number(from)? },
                if to.is_empty() { None } else { Some(number(to)?) },
            ),
        },
    };
    Ok(Rule { topic, from, to })
}

fn offset_spec(text: &str) -> Result<OffsetSpec, String> {
    Ok(match text {
        "latest" | "-1" => OffsetSpec::Latest,
        "earliest" | "-2" => OffsetSpec::Earliest,
        "max-timestamp" | "-3" => OffsetSpec::MaxTimestamp,
        "earliest-local" | "-4" => OffsetSpec::EarliestLocal,
        "latest-tiered" | "-5" | "earliest-pending-upload" | "-6" => OffsetSpec::Tiered,
        other => OffsetSpec::Timestamp(number::signed(other).ok_or_else(|| {
            format!(
                "Malformed time argument {other}. Please use -1 or latest / -2 or earliest / -3 \
                 or max-timestamp / -4 or earliest-local / -5 or latest-tiered / -6 or \
                 earliest-pending-upload, or a specified long format timestamp"
            )
        })?),
    })
}

/// A problem with the line that begins Java's stack trace.
fn thrown(problem: Problem) -> String {
    [&problem.text, "\n", &problem.stack()].concat()
}

fn error(text: &str, out: &mut Out<'_>) -> Ended {
    refuse(format_args!("Error occurred: {text}"), 1, out)
}
