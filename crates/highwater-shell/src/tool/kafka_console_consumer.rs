//! `kafka-console-consumer.sh`: prints records as they come (Kafka's `ConsoleConsumer`). When it ends, it
//! goes back to the first record that it got and did not print, then closes its consumer, which commits
//! and leaves the group.

pub mod deserializer;
mod formatter;
mod options;
pub(crate) mod properties;

use highwater_core::client::kafka_consumer::command::{
    CloseOptions, ConsumerCommand, ConsumerReply,
};
use highwater_core::client::kafka_consumer::{ConsumedRecord, PollError};
use highwater_core::client::{ClientCommand, ClientReply, StartAt};
use highwater_core::ids::{ClientId, TopicPartition};
use highwater_core::scope::Lab;
use highwater_core::time::SimDuration;
use highwater_core::world::process::{ClientSpec, Fd, NotWritten, ProcessInput};

use self::formatter::Formatter;
#[cfg(feature = "cluster")]
pub(super) use self::options::MANUAL;
use self::options::Settings;
use crate::process::Out;
use crate::process::shell::{STATUS_INTERRUPTED, STATUS_TERMINATED};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, log_line, log_reply};

/// The class that logs.
const CLASS: &str = "org.apache.kafka.tools.consumer.ConsoleConsumer";

/// What the consumer says before it joins a group with the classic protocol.
const PROTOCOL_HINT: &str = "The consumer rebalance protocol (KIP-848) is production-ready! Set \
    group.protocol=consumer to try it out. See \
    https://kafka.apache.org/documentation/#consumer_rebalance_protocol\n";

/// The running tool.
#[derive(Clone, Debug)]
struct KafkaConsoleConsumer {
    client: ClientId,
    formatter: Formatter,
    /// How many messages it still takes; `None`: all.
    left: Option<u32>,
    /// How long it waits for the next message.
    timeout: Option<SimDuration>,
    skips_errors: bool,
    processed: u64,
    /// How it ends, when its consumer is closed.
    ending: Option<Ending>,
}

/// How it ends.
#[derive(Clone, Debug)]
struct Ending {
    status: u8,
    /// What is logged last.
    error: Option<String>,
}

/// Starts it.
pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Box<dyn Program>, Ended> {
    let settings = options::read(arguments, out)?;
    if let Some(problem) = &settings.fails_at_once {
        // Kafka reads this option when the consumer is there and asks for the first message.
        out.write(Fd::Stderr, "Processed a total of 0 messages\n");
        return Err(options::unknown_error(problem, out));
    }
    let Settings { bootstrap, config, subscription, formatter, .. } = settings;
    let client = out.open(ClientSpec::Consumer(Lab::new((bootstrap, config))));
    out.command(client, ClientCommand::Subscribe(Lab::new(subscription)));
    let mut tool = KafkaConsoleConsumer {
        client,
        formatter,
        left: settings.max_messages,
        timeout: settings.timeout,
        skips_errors: settings.skips_errors,
        processed: 0,
        ending: None,
    };
    tool.go_on(out);
    Ok(Box::new(tool))
}

impl Program for KafkaConsoleConsumer {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => log_reply(level, text, out),
            ProcessInput::Reply(_, ClientReply::Consumer(reply)) => {
                if matches!(reply.known(), ConsumerReply::Closed)
                    && let Some(ending) = self.ending.take()
                {
                    return self.finish(&ending, out);
                }
            }
            ProcessInput::Interrupt => self.end(STATUS_INTERRUPTED, None, &[], out),
            _ if self.ending.is_some() => {}
            ProcessInput::Reply(_, ClientReply::Polled(records)) if records.known().is_empty() => {
                let class = "org.apache.kafka.common.errors.TimeoutException";
                self.stop(&PollError { class, message: None }, out);
            }
            ProcessInput::Reply(_, ClientReply::Polled(records)) => {
                self.print(records.known(), out);
            }
            ProcessInput::Reply(_, ClientReply::PollFailed(error)) => self.stop(error.known(), out),
            ProcessInput::NotWritten(Fd::Stdout, NotWritten::NoReader) => {
                out.write(Fd::Stderr, "Unable to write to standard out, closing consumer.\n");
                self.end(0, None, &[], out);
            }
            _ => {}
        }
        Next::Wait
    }

    fn terminate(&mut self, out: &mut Out<'_>) -> Next {
        self.end(STATUS_TERMINATED, None, &[], out);
        Next::Wait
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

impl KafkaConsoleConsumer {
    /// Waits for the next message, if one more is wanted.
    fn go_on(&mut self, out: &mut Out<'_>) {
        if self.left == Some(0) {
            return self.end(0, None, &[], out);
        }
        out.command(self.client, ClientCommand::PollFor(self.timeout));
    }

    /// Writes records, as many as are wanted.
    fn print(&mut self, records: &[ConsumedRecord], out: &mut Out<'_>) {
        let mut text = Vec::new();
        let mut rest = records;
        while let Some((record, others)) = rest.split_first() {
            if self.left == Some(0) {
                break;
            }
            rest = others;
            self.left = self.left.map(|left| left - 1);
            self.processed += 1;
            let written = self.formatter.write(record, &mut text);
            let Err(thrown) = written else { continue };
            out.write(Fd::Stdout, std::mem::take(&mut text));
            let (class, message) = (thrown.class, &thrown.text);
            if self.skips_errors {
                let error = format!(
                    "Error processing message, skipping this message:  ({CLASS})\n{class}: {message}"
                );
                log_line("ERROR", format_args!("{error}"), out);
            } else {
                let error =
                    format!("Unknown error when running consumer:  ({CLASS})\n{class}: {message}");
                return self.end(1, Some(error), rest, out);
            }
        }
        if !text.is_empty() {
            out.write(Fd::Stdout, text);
        }
        if self.left == Some(0) {
            return self.end(0, None, rest, out);
        }
        self.go_on(out);
    }

    /// The consumer cannot go on: it ends in good order.
    fn stop(&mut self, error: &PollError, out: &mut Out<'_>) {
        let PollError { class, message } = error;
        let message = message.as_ref().map(|text| format!(": {text}")).unwrap_or_default();
        let text = format!(
            "Error processing message, terminating consumer process:  ({CLASS})\n{class}{message}"
        );
        log_line("ERROR", format_args!("{text}"), out);
        self.end(0, None, &[], out);
    }

    /// Goes back to the first of the records that it did not print, in each partition, and closes its
    /// consumer (`ConsumerWrapper.cleanup`). A signal that comes later only changes the exit status.
    fn end(
        &mut self,
        status: u8,
        error: Option<String>,
        rest: &[ConsumedRecord],
        out: &mut Out<'_>,
    ) {
        if let Some(ending) = &mut self.ending {
            ending.status = status;
            return;
        }
        let mut places: Vec<(TopicPartition, StartAt)> = Vec::new();
        for record in rest {
            if places.iter().all(|(which, _)| *which != record.partition) {
                places.push((record.partition.clone(), StartAt::Offset(record.offset)));
            }
        }
        let close = ConsumerCommand::Close(CloseOptions::DEFAULT);
        for command in [ConsumerCommand::Seek(places), close] {
            out.command(self.client, ClientCommand::Consume(Lab::new(command)));
        }
        self.ending = Some(Ending { status, error });
    }

    /// Says how many messages there were, and ends.
    fn finish(&self, ending: &Ending, out: &mut Out<'_>) -> Next {
        let count = self.processed;
        out.print(Fd::Stderr, format_args!("Processed a total of {count} messages\n"));
        if let Some(error) = &ending.error {
            log_line("ERROR", format_args!("{error}"), out);
        }
        Next::Exit(ending.status)
    }
}
