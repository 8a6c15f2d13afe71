//! The commands: which one a name means, and what is common to those that are Kafka's.
//!
//! What each prints is decided in its own file.

use std::fmt;
use std::rc::Rc;

use highwater_core::client::LogLevel;
use highwater_core::number;
use highwater_core::world::process::{Fd, ProcessInput, Stdio};

use crate::process::Out;
use crate::process::shell::{STATUS_INTERRUPTED, STATUS_NOT_FOUND};

mod bootstrap;
pub mod catalogue;
pub mod clock;
pub mod coreutils;
pub mod hw;
pub mod kafka_console_producer;
pub mod kafka_get_offsets;
pub mod kafka_topics;
pub mod line_reader;
pub mod options;
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
    /// There is no such command, and this is what to say.
    NotFound(Rc<str>),
    Ended,
}

/// One variant for each command.
#[derive(Clone, Debug)]
enum Running {
    Cat(coreutils::Cat),
    Head(coreutils::Head),
    Sleep(coreutils::Sleep),
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
    catalogue::COMMANDS.iter().map(|command| command.name)
}

/// Finds a command. Kafka's tools are found with and without `.sh`, and with `bin/` in front. What
/// does not exist becomes a command that says so.
#[must_use]
pub fn find(name: &[u8], arguments: Vec<Vec<u8>>) -> Tool {
    let text = String::from_utf8_lossy(name);
    let bare = text.strip_prefix("./").unwrap_or(&text);
    let bare = bare.strip_prefix("bin/").unwrap_or(bare);
    let stem = bare.strip_suffix(".sh").unwrap_or(bare);
    let known = catalogue::COMMANDS.iter().find(|command| {
        command.name == bare || command.name.strip_suffix(".sh").is_some_and(|known| known == stem)
    });
    match known {
        Some(command) => {
            Tool { name: command.name, arguments: Rc::new(arguments), state: State::Starting(None) }
        }
        None => {
            let message = format!(
                "bash: {text}: command not found\nHighwater has: {}. Try `hw help`.\n",
                number::join(&names().collect::<Vec<_>>(), ", ")
            );
            Tool { name: "?", arguments: Rc::default(), state: State::NotFound(Rc::from(message)) }
        }
    }
}

impl Tool {
    /// The name it was found under, in full.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) {
        let is_kafka = self.name.starts_with("kafka-");
        let next = match (&mut self.state, input) {
            (State::Ended, _) => return,
            (State::NotFound(message), _) => {
                out.write(Fd::Stderr, &**message);
                Next::Exit(STATUS_NOT_FOUND)
            }
            (State::Starting(here), ProcessInput::Started { stdio }) => {
                *here = Some(*stdio);
                if is_kafka {
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
                Running::Head(tool) => tool.handle(input, out),
                Running::Cat(tool) => tool.handle(input, out),
                Running::Sleep(tool) => tool.handle(input),
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
            "echo" => Err(coreutils::echo(&arguments, out)),
            "cat" => coreutils::Cat::start(&arguments, out).map(Running::Cat),
            "head" => coreutils::Head::start(&arguments, out).map(Running::Head),
            "printf" => Err(coreutils::printf(&arguments, out)),
            "sleep" => coreutils::Sleep::start(&arguments, out).map(Running::Sleep),
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
            _ => Err(Ended(127)),
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

/// A command that ended in its first moment, with this status. It has said why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ended(pub(crate) u8);

/// Says why on standard error and ends.
pub(crate) fn refuse(message: fmt::Arguments<'_>, status: u8, out: &mut Out<'_>) -> Ended {
    out.print(Fd::Stderr, format_args!("{message}\n"));
    Ended(status)
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
