//! `kafka-console-producer.sh`: each line becomes a record (Kafka's `ConsoleProducer`).

mod options;

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply, Sent};
use highwater_core::error::ErrorCode;
use highwater_core::ids::{Bytes, ClientId, TopicName};
use highwater_core::net::message::ProducerRecord;
use highwater_core::scope;
use highwater_core::world::process::{Fd, FdTarget, ProcessInput, Stdio};

use self::options::{Settings, settings};
use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::line_reader::{KAFKA_EXCEPTION, LineReader, Lines, ParsedLine};
use crate::tool::options::{COLUMNS, Manual};
use crate::tool::{Ended, Next, cause_of, log_line, log_reply, print_cause, thrown_by_client};

const ABOUT: &str = "This tool helps to read data from standard input and publish it to Kafka.";

/// The table of options. What is in `lab!` is only said, and done, where there is a whole cluster: nothing that
/// it is about can go wrong on a page about one broker.
macro_rules! table {
    ($lab:ident) => {
        concat!(
            "batch-size <bytes>\tHow large a batch may grow.\n",
            "bootstrap-server <host:port>\tA broker, such as localhost:9092.\n",
            "command-config <file>",
            $lab!("\tA file of settings of the producer."),
            "\ncommand-property <key=value>",
            $lab!("\tA setting of the producer."),
            "\ncompression-codec [codec]",
            $lab!("\tHow batches are compressed: gzip, unless another is named."),
            "\nhelp\tPrint this.\n",
            "line-reader <class>",
            $lab!("\tWhat makes records of lines; there is one."),
            "\nmax-block-ms <ms>",
            $lab!("\tHow long a record waits for its topic, or for memory."),
            "\nmax-memory-bytes <bytes>",
            $lab!("\tHow much may wait to be sent."),
            "\nmax-partition-memory-bytes <bytes>",
            $lab!("\tAn older name of --batch-size."),
            "\nmessage-send-max-retries <number>",
            $lab!("\tHow often it tries again."),
            "\nmetadata-expiry-ms <ms>",
            $lab!("\tHow long it believes what it knows of topics."),
            "\nproducer-property <key=value>",
            $lab!("\tAn older name of --command-property."),
            "\nproducer.config <file>",
            $lab!("\tAn older name of --command-config."),
            "\nproperty <key=value>\tAn older name of --reader-property.\n",
            "reader-config <file>",
            $lab!("\tA file of what --reader-property takes."),
            "\nreader-property <key=value>\tHow a line is cut: parse.key=true, key.separator=:\n",
            "request-required-acks <acks>\t0, 1, or -1: all.\n",
            "request-timeout-ms <ms>",
            $lab!("\tHow long a request may take."),
            "\nretry-backoff-ms <ms>",
            $lab!("\tHow long to wait before trying again."),
            "\nsocket-buffer-size <bytes>",
            $lab!("\tTaken, without effect."),
            "\nsync\tWait for each answer.\n",
            "timeout <ms>\tHow long a batch waits.\n",
            "topic <topic>\tThe topic.\n",
            "version\tThe version of Kafka.",
        )
    };
}

macro_rules! said {
    ($text:literal) => {
        $text
    };
}

macro_rules! unsaid {
    ($text:literal) => {
        ""
    };
}

const SPECS: &str = if scope::CLUSTER { table!(said) } else { table!(unsaid) };

pub(super) static MANUAL: Manual = Manual {
    usage: ABOUT,
    help: ABOUT,
    specs: SPECS,
    columns: COLUMNS,
    complain: |problem, out| MANUAL.refuse(format_args!("{}", problem.text), out),
};

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaConsoleProducer {
    client: ClientId,
    topic: TopicName,
    reader: LineReader,
    lines: Lines,
    /// `--sync`: lines that wait for the acknowledgement of the one before.
    waiting: Vec<Bytes>,
    /// How many of them were sent.
    taken: usize,
    sync: bool,
    in_flight: bool,
    at_terminal: bool,
    input_ended: bool,
    /// The exit status, once the producer has closed.
    status: u8,
    /// `send` has thrown something: what was typed behind that was never sent.
    has_thrown: bool,
}

impl KafkaConsoleProducer {
    pub(crate) fn start(
        arguments: &[Vec<u8>],
        stdio: Stdio,
        out: &mut Out<'_>,
    ) -> Result<Self, Ended> {
        let Settings { spec, topic, reader, sync } = settings(arguments, out)?;
        let client = out.open(spec);
        let mut tool = Self {
            client,
            topic,
            reader,
            lines: Lines::default(),
            waiting: Vec::new(),
            taken: 0,
            sync,
            in_flight: false,
            at_terminal: matches!(stdio.stdin, FdTarget::Terminal(_)),
            input_ended: false,
            status: 0,
            has_thrown: false,
        };
        tool.ask(out);
        Ok(tool)
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Read(_, bytes) => {
                self.waiting.extend(self.lines.take(bytes));
                self.input_ended |= bytes.is_empty();
                self.send_lines(out);
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => {
                log_reply(level, text, out);
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::Sent(sent)) => {
                if scope::CLUSTER && self.throws(sent, out) {
                    return self.close(1, out);
                }
                self.report(sent, out);
                self.in_flight = false;
                if self.sync && self.status == 0 {
                    self.send_lines(out);
                }
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::Closed) => Next::Exit(self.status),
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    /// Asks for more lines; at a terminal with a prompt.
    fn ask(&mut self, out: &mut Out<'_>) {
        if self.at_terminal {
            out.write(Fd::Stdout, ">");
        }
        out.read(Fd::Stdin);
    }

    fn send_lines(&mut self, out: &mut Out<'_>) {
        while !(self.sync && self.in_flight) {
            let Some(line) = self.waiting.get(self.taken) else { break };
            self.taken += 1;
            match self.reader.read(line) {
                Ok(ParsedLine { key, value, headers }) => {
                    let topic = self.topic.clone();
                    let record = ProducerRecord { topic, partition: None, key, value, headers };
                    out.command(self.client, ClientCommand::Send(Rc::new(record)));
                    self.in_flight = true;
                }
                Err(message) => {
                    out.print(Fd::Stderr, format_args!("{KAFKA_EXCEPTION}: {message}\n"));
                    // What was sent before is still delivered: the producer closes in good order.
                    self.close(1, out);
                    return;
                }
            }
        }
        if self.taken < self.waiting.len() {
            return;
        }
        self.forget_lines();
        if self.input_ended {
            if !(self.sync && self.in_flight) {
                out.command(self.client, ClientCommand::Close);
            }
        } else if !(self.sync && self.in_flight) {
            self.ask(out);
        }
    }

    /// Closes the producer, and ends with this status then.
    pub(crate) fn close(&mut self, status: u8, out: &mut Out<'_>) -> Next {
        self.status = status;
        self.forget_lines();
        out.command(self.client, ClientCommand::Close);
        Next::Wait
    }

    fn forget_lines(&mut self) {
        self.waiting.clear();
        self.taken = 0;
    }

    /// Whether `send` has thrown something, or what was waited for: that is the end of the tool.
    fn throws(&mut self, sent: &Sent, out: &mut Out<'_>) -> bool {
        let Err(error) = &sent.result else { return false };
        if self.status != 0 {
            // It has ended already, and only waits for its producer.
            return false;
        }
        if error.code == ErrorCode::IllegalArgument {
            let class = error.code.exception();
            out.print(Fd::Stderr, format_args!("{class}: {}\n", error.message));
            self.has_thrown = true;
            return true;
        }
        if self.sync {
            let mut problem = thrown_by_client(error);
            problem.causes.push(problem.text.clone());
            problem.causes.extend(cause_of(sent));
            out.print(Fd::Stderr, format_args!("{}\n", problem.stack()));
        }
        self.sync
    }

    /// Says what became of a record, if it failed (`ErrorLoggingCallback`).
    fn report(&self, sent: &Sent, out: &mut Out<'_>) {
        let Err(error) = &sent.result else { return };
        if scope::CLUSTER && self.has_thrown {
            return;
        }
        let size = |bytes: Option<u32>| {
            bytes.map_or_else(|| "null".to_owned(), |bytes| format!("{bytes} bytes"))
        };
        let text = format_args!(
            "Error when sending message to topic {} with key: {}, value: {} with error: \
             (org.apache.kafka.clients.producer.internals.ErrorLoggingCallback)\n{}: {}",
            sent.topic,
            size(sent.key_size),
            size(sent.value_size),
            error.code.exception(),
            error.message
        );
        log_line("ERROR", text, out);
        print_cause(sent, out);
    }
}
