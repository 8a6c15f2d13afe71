//! The commands: which one a name means, and what is common to those that are Kafka's.
//!
//! What each prints is decided in its own file.

use std::fmt;
use std::rc::Rc;

use highwater_core::client::{LogLevel, Sent};
use highwater_core::error::KafkaError;
use highwater_core::number;
use highwater_core::scope::{self, Lab};
use highwater_core::world::process::{Fd, NotWritten, ProcessInput, Stdio};

use crate::process::Out;
use crate::process::outside::{Outside, Shared};
use crate::process::shell::{STATUS_INTERRUPTED, STATUS_NOT_FOUND, STATUS_TERMINATED};
use crate::tool::options::Problem;

mod argparse;
mod bootstrap;
pub mod catalogue;
pub mod clock;
mod command_config;
mod duration;
pub mod hw;
pub mod json;
mod kafka_broker_api_versions;
mod kafka_cluster;
mod kafka_configs;
pub mod kafka_console_consumer;
pub mod kafka_console_producer;
mod kafka_consumer_groups;
mod kafka_delete_records;
mod kafka_dump_log;
mod kafka_features;
pub mod kafka_get_offsets;
mod kafka_groups;
mod kafka_leader_election;
mod kafka_log_dirs;
mod kafka_metadata_quorum;
pub mod kafka_producer_perf_test;
mod kafka_reassign_partitions;
pub mod kafka_topics;
mod kafka_verifiable_producer;
#[cfg(feature = "cluster")]
pub(crate) mod known_options;
pub mod line_reader;
pub mod options;
mod partitioner_settings;
mod producer_settings;
mod properties_file;
mod record_json;
mod setting;
pub(crate) mod small;
pub mod topic_pattern;

/// A running command.
#[derive(Clone, Debug)]
pub struct Tool {
    name: &'static str,
    arguments: Rc<Vec<Vec<u8>>>,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// A Java program that has not come to its `main` yet.
    Starting(Option<Stdio>),
    Running(Running),
    /// What it will say is known, and its status.
    Says(Rc<Words>),
    Ended,
}

/// All that a command says.
#[derive(Debug)]
struct Words {
    stdout: Lab<Vec<u8>>,
    stderr: String,
    status: u8,
}

/// One variant for each command.
#[derive(Clone, Debug)]
enum Running {
    Small(small::Small),
    Hw(hw::Hw),
    Topics(kafka_topics::KafkaTopics),
    ConsoleProducer(kafka_console_producer::KafkaConsoleProducer),
    GetOffsets(kafka_get_offsets::KafkaGetOffsets),
}

/// What a command does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// It waits for what it has asked for.
    Wait,
    /// It has ended with this status.
    Exit(u8),
}

/// The names that can be typed.
pub fn names() -> impl Iterator<Item = &'static str> {
    catalogue::commands().iter().map(|command| command.name)
}

/// A command of which everything is known before it begins, such as one of the shell's own.
pub(crate) fn says(stdout: Vec<u8>, stderr: String, status: u8) -> Tool {
    let stdout = if scope::CLUSTER { Lab::new(stdout) } else { Lab::default() };
    let words = Rc::new(Words { stdout, stderr, status });
    Tool { name: "?", arguments: Rc::default(), state: State::Says(words) }
}

/// A program of the host. It stands for one of Kafka's tools.
pub(crate) fn outside(program: Box<dyn Outside>) -> Tool {
    let running = Running::whole(Box::new(Shared::new(program)));
    Tool { name: "kafka-", arguments: Rc::default(), state: State::Running(running) }
}

/// Finds a command. Kafka's tools are found with and without `.sh`, and with `bin/` in front. What
/// does not exist becomes a command that says so.
#[must_use]
pub fn find(name: &[u8], arguments: Vec<Vec<u8>>) -> Tool {
    let text = String::from_utf8_lossy(name);
    let bare = text.strip_prefix("./").unwrap_or(&text);
    let bare = bare.strip_prefix("bin/").unwrap_or(bare);
    let stem = bare.strip_suffix(".sh").unwrap_or(bare);
    let known = catalogue::commands().iter().find(|command| {
        command.name == bare || command.name.strip_suffix(".sh").is_some_and(|known| known == stem)
    });
    match known {
        Some(command) => {
            Tool { name: command.name, arguments: Rc::new(arguments), state: State::Starting(None) }
        }
        None => {
            if scope::CLUSTER
                && let Some(stem) =
                    bare.rsplit(['\\', '/']).next().and_then(|it| it.strip_suffix(".bat"))
                && let Some(name) = names().find(|name| name.strip_suffix(".sh") == Some(stem))
            {
                let message = format!(
                    "bash: {text}: command not found\nThat is the name on Windows. The shell here is \
                     bash: use {name}.\n"
                );
                return says(Vec::new(), message, STATUS_NOT_FOUND);
            }
            if scope::CLUSTER && text.contains('/') {
                let message = format!("bash: {text}: No such file or directory\n");
                return says(Vec::new(), message, STATUS_NOT_FOUND);
            }
            let message = format!(
                "bash: {text}: command not found\nHighwater has: {}. Try `hw help`.\n",
                number::join(&names().collect::<Vec<_>>(), ", ")
            );
            says(Vec::new(), message, STATUS_NOT_FOUND)
        }
    }
}

impl Tool {
    /// The name it was found under, in full.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether it is one of Kafka's tools, which are Java programs.
    pub(crate) fn is_java(&self) -> bool {
        self.name.starts_with("kafka-")
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) {
        let next = match (&mut self.state, input) {
            (State::Ended, _) => return,
            (State::Says(words), _) => {
                if let Some(stdout) = words.stdout.get().filter(|stdout| !stdout.is_empty()) {
                    out.write(Fd::Stdout, stdout.as_slice());
                }
                if !words.stderr.is_empty() {
                    out.write(Fd::Stderr, words.stderr.as_str());
                }
                Next::Exit(words.status)
            }
            (State::Running(running), ProcessInput::Terminate) if scope::CLUSTER => {
                running.terminate(out)
            }
            (_, ProcessInput::NotWritten(_, NotWritten::NoSpace)) if scope::CLUSTER => {
                let text = format_args!("{}: write error: No space left on device", self.name);
                Next::Exit(refuse(text, 1, out).0)
            }
            (_, ProcessInput::Terminate) if scope::CLUSTER => Next::Exit(STATUS_TERMINATED),
            (State::Starting(here), ProcessInput::Started { stdio }) => {
                *here = Some(*stdio);
                if self.is_java() {
                    out.wait(out.options().tool_start, 0);
                    Next::Wait
                } else {
                    self.begin(*stdio, out)
                }
            }
            (State::Starting(_), ProcessInput::Interrupt) => Next::Exit(STATUS_INTERRUPTED),
            (State::Starting(Some(stdio)), ProcessInput::Timer(_)) => {
                let stdio = *stdio;
                self.begin(stdio, out)
            }
            (State::Starting(_), _) => Next::Wait,
            (State::Running(running), input) => match running {
                Running::Small(tool) => tool.handle(input, out),
                Running::Hw(tool) => tool.handle(input, out),
                Running::Topics(tool) => tool.handle(input, out),
                Running::ConsoleProducer(tool) => tool.handle(input, out),
                Running::GetOffsets(tool) => tool.handle(input, out),
            },
        };
        if let Next::Exit(status) = next {
            self.state = State::Ended;
            out.exit(status);
        }
    }

    /// The command's own beginning, when its arguments are read.
    fn begin(&mut self, stdio: Stdio, out: &mut Out<'_>) -> Next {
        let arguments = Rc::clone(&self.arguments);
        let started = match self.name {
            "hw" if scope::CLUSTER && hw::work::is_form(&arguments) => {
                hw::work::start(&arguments, out).map(Running::whole)
            }
            "hw" => hw::Hw::start(&arguments, out).map(Running::Hw),
            "kafka-topics.sh" => {
                kafka_topics::KafkaTopics::start(&arguments, out).map(Running::Topics)
            }
            "kafka-console-producer.sh" => {
                kafka_console_producer::KafkaConsoleProducer::start(&arguments, stdio, out)
                    .map(Running::ConsoleProducer)
            }
            "kafka-get-offsets.sh" => {
                kafka_get_offsets::KafkaGetOffsets::start(&arguments, out).map(Running::GetOffsets)
            }
            name if scope::CLUSTER && self.is_java() => {
                start_rarer(name, &arguments, out).map(Running::whole)
            }
            name => small::start(name, &arguments, out).map(Running::Small),
        };
        match started {
            Ok(running) => {
                self.state = State::Running(running);
                Next::Wait
            }
            Err(Ended(status)) => Next::Exit(status),
        }
    }
}

/// Starts one of Kafka's tools that a page about one broker has not.
fn start_rarer(
    name: &'static str,
    arguments: &Rc<Vec<Vec<u8>>>,
    out: &mut Out<'_>,
) -> Result<Box<dyn small::Program>, Ended> {
    Ok(match name {
        "kafka-broker-api-versions.sh" => {
            Box::new(kafka_broker_api_versions::KafkaBrokerApiVersions::start(arguments, out)?)
        }
        "kafka-features.sh" => Box::new(kafka_features::KafkaFeatures::start(arguments, out)?),
        "kafka-cluster.sh" => Box::new(kafka_cluster::KafkaCluster::start(arguments, out)?),
        "kafka-configs.sh" => Box::new(kafka_configs::KafkaConfigs::start(arguments, out)?),
        "kafka-console-consumer.sh" => return kafka_console_consumer::start(arguments, out),
        "kafka-producer-perf-test.sh" => return kafka_producer_perf_test::start(arguments, out),
        "kafka-consumer-groups.sh" => {
            return kafka_consumer_groups::KafkaConsumerGroups::start(arguments, out);
        }
        "kafka-groups.sh" => Box::new(kafka_groups::KafkaGroups::start(arguments, out)?),
        "kafka-delete-records.sh" => {
            Box::new(kafka_delete_records::KafkaDeleteRecords::start(arguments, out)?)
        }
        "kafka-dump-log.sh" => return kafka_dump_log::start(arguments, out),
        "kafka-verifiable-producer.sh" => {
            return kafka_verifiable_producer::start(arguments, out);
        }
        "kafka-leader-election.sh" => {
            Box::new(kafka_leader_election::KafkaLeaderElection::start(arguments, out)?)
        }
        "kafka-log-dirs.sh" => Box::new(kafka_log_dirs::KafkaLogDirs::start(arguments, out)?),
        "kafka-metadata-quorum.sh" => {
            Box::new(kafka_metadata_quorum::KafkaMetadataQuorum::start(arguments, out)?)
        }
        "kafka-reassign-partitions.sh" => {
            Box::new(kafka_reassign_partitions::KafkaReassignPartitions::start(arguments, out)?)
        }
        _ => return Err(Ended(STATUS_NOT_FOUND)),
    })
}

impl Running {
    /// A tool that a page about one broker has not.
    fn whole(tool: Box<dyn small::Program>) -> Self {
        Self::Small(small::Small::Whole(Lab::new(tool)))
    }

    /// SIGTERM: a Java program closes its clients first, as its shutdown hooks do.
    fn terminate(&mut self, out: &mut Out<'_>) -> Next {
        match self {
            Self::ConsoleProducer(tool) => tool.close(STATUS_TERMINATED, out),
            Self::Small(tool) => tool.terminate(out),
            _ => Next::Exit(STATUS_TERMINATED),
        }
    }
}

/// A command that ended in its first moment, with this status. It has said why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended(pub(crate) u8);

/// Says why on standard error and ends.
pub(crate) fn refuse(message: fmt::Arguments<'_>, status: u8, out: &mut Out<'_>) -> Ended {
    out.print(Fd::Stderr, format_args!("{message}\n"));
    Ended(status)
}

/// What Java throws where a client's answer is waited for and is an error.
pub(crate) fn thrown_by_client(error: &KafkaError) -> Problem {
    let cause = [error.code.exception(), ": ", &error.message].concat();
    Problem::new("java.util.concurrent.ExecutionException", cause)
}

/// What led to the failure of a record, as Java names it.
pub(crate) fn cause_of(sent: &Sent) -> Option<String> {
    let code = (*sent.cause.get()?)?;
    Some([code.exception(), ": ", code.default_message()].concat())
}

/// Says that where an exception is printed.
pub(crate) fn print_cause(sent: &Sent, out: &mut Out<'_>) {
    if scope::CLUSTER
        && let Some(cause) = cause_of(sent)
    {
        out.print(Fd::Stderr, format_args!("Caused by: {cause}\n"));
    }
}

/// A line of a Kafka tool's log, on standard error, as its stock logging prints it.
pub(crate) fn log_line(level: &str, text: fmt::Arguments<'_>, out: &mut Out<'_>) {
    let stamp = clock::log_stamp(out.now());
    out.print(Fd::Stderr, format_args!("[{stamp}] {level} {text}\n"));
}

/// A line that a client logs.
pub(crate) fn log_reply(level: &LogLevel, text: &str, out: &mut Out<'_>) {
    let level = match level {
        LogLevel::Warn => "WARN",
        LogLevel::Error => "ERROR",
    };
    log_line(level, format_args!("{text}"), out);
}
