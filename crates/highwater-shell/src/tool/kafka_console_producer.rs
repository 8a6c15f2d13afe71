//! `kafka-console-producer.sh`: each line becomes a record (Kafka's `ConsoleProducer`).

use std::rc::Rc;

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::producer::{Delivery, ProducerConfig};
use highwater_core::client::{ClientCommand, ClientReply, Sent};
use highwater_core::ids::{Bytes, ClientId, TopicName};
use highwater_core::net::message::{Acks, ProducerRecord};
use highwater_core::scope::{self, Lab};
use highwater_core::time::SimDuration;
use highwater_core::world::process::{ClientSpec, Fd, FdTarget, ProcessInput, Stdio};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::bootstrap::CONFIG_EXCEPTION;
use crate::tool::line_reader::{KAFKA_EXCEPTION, LineReader, LineRules, Lines, ParsedLine};
use crate::tool::options::{COLUMNS, Manual, Options, Problem};
use crate::tool::producer_settings::{self, Property};
use crate::tool::{Ended, Next, bootstrap, log_line, log_reply, refuse};

const ABOUT: &str = "This tool helps to read data from standard input and publish it to Kafka.";

/// The table of options, with what six of them do where there is a whole cluster.
macro_rules! table {
    (
        $command:literal, $memory:literal, $retries:literal, $producer:literal, $request:literal,
        $backoff:literal
    ) => {
        concat!(
            "batch-size <bytes>\tHow large a batch may grow.\n",
            "bootstrap-server <host:port>\tA broker, such as localhost:9092.\n",
            "command-config <file>\n",
            "command-property <key=value>", $command, "\n",
            "compression-codec [codec]\n",
            "help\tPrint this.\n",
            "line-reader <class>\n",
            "max-block-ms <ms>\n",
            "max-memory-bytes <bytes>", $memory, "\n",
            "max-partition-memory-bytes <bytes>\n",
            "message-send-max-retries <number>", $retries, "\n",
            "metadata-expiry-ms <ms>\n",
            "producer-property <key=value>", $producer, "\n",
            "producer.config <file>\n",
            "property <key=value>\tAn older name of --reader-property.\n",
            "reader-config <file>\n",
            "reader-property <key=value>\tHow a line is cut: parse.key=true, key.separator=: and so on.\n",
            "request-required-acks <acks>\t0, 1, or -1: all in-sync replicas.\n",
            "request-timeout-ms <ms>", $request, "\n",
            "retry-backoff-ms <ms>", $backoff, "\n",
            "socket-buffer-size <bytes>\n",
            "sync\tWait for each acknowledgement.\n",
            "timeout <ms>\tHow long a batch waits for more records.\n",
            "topic <topic>\tThe topic.\n",
            "version\tThe version of Kafka.",
        )
    };
}

/// Nothing that these are about can go wrong on a page about one broker.
const SPECS: &str = if scope::CLUSTER {
    table!(
        "\tA setting of the producer.",
        "\tHow much may wait to be sent.",
        "\tHow often it tries again.",
        "\tAn older name of --command-property.",
        "\tHow long a request may take.",
        "\tHow long to wait before trying again."
    )
} else {
    table!("", "", "", "", "", "")
};

static MANUAL: Manual = Manual {
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
}

/// What the options say.
struct Settings {
    spec: ClientSpec,
    topic: TopicName,
    reader: LineReader,
    sync: bool,
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

    /// Says what became of a record, if it failed (`ErrorLoggingCallback`).
    fn report(&self, sent: &Sent, out: &mut Out<'_>) {
        let Err(error) = &sent.result else { return };
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
    }
}

/// The class of a problem that is told with the table of options.
const WITH_TABLE: &str = "(usage)";

fn settings(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Settings, Ended> {
    let options = MANUAL.read(arguments, out)?;
    meant(&options, out).map_err(|Problem { class, text, .. }| match class {
        WITH_TABLE => MANUAL.refuse(format_args!("{text}"), out),
        "" => refuse(format_args!("{text}"), 1, out),
        class => refuse(format_args!("{class}: {text}"), 1, out),
    })
}

/// What the options mean. A problem without class is told without one.
fn meant(options: &Options, out: &mut Out<'_>) -> Result<Settings, Problem> {
    let problem = |class, text: &str| Problem::new(class, text.to_owned());
    let bare = |problem: Problem| Problem { class: "", ..problem };
    let one = |name| options.one(name).map_err(bare);
    let Some(topic) = one("topic")? else {
        return Err(problem(WITH_TABLE, "Missing required argument \"[topic]\""));
    };
    if scope::CLUSTER && options.has("producer-property") {
        if options.has("command-property") {
            let text =
                "Options --command-property and --producer-property cannot be specified together.";
            return Err(problem(WITH_TABLE, text));
        }
        out.write(
            Fd::Stdout,
            "Warning: --producer-property is deprecated and will be removed in a future version. \
             Use --command-property instead.\n",
        );
    }
    if options.has("property") {
        out.write(
            Fd::Stdout,
            "Warning: --property is deprecated and will be removed in a future version. Use \
             --reader-property instead.\n",
        );
    }
    let Some(servers) = one("bootstrap-server")? else {
        return Err(problem("", "Error while validating the bootstrap address"));
    };
    if !bootstrap::is_valid(servers) {
        return Err(problem(WITH_TABLE, bootstrap::INVALID));
    }
    let mut rules = LineRules::default();
    for entry in options.all("property").chain(options.all("reader-property")) {
        let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
        rules.set(name, value);
    }
    rules.check()?;
    if let Some(problem) = bootstrap::gap(servers) {
        return Err(problem);
    }
    let mut config = config(options)?;
    if scope::CLUSTER
        && let Some(text) = producer_settings::apply(&mut config, &properties(options)?)?
    {
        log_line("WARN", format_args!("{text}"), out);
    }
    let spec = ClientSpec::Producer { bootstrap: servers.to_owned(), config };
    let reader = LineReader::new(rules);
    Ok(Settings { spec, topic: TopicName::new(topic), reader, sync: options.has("sync") })
}

/// How the producer is to behave.
fn config(options: &Options) -> Result<ProducerConfig, Problem> {
    let invalid = |text| Problem::new(CONFIG_EXCEPTION, text);
    let bare = |problem: Problem| Problem { class: "", ..problem };
    let number = |name: &str, setting: &str, otherwise: i32| {
        let number = options.number(name).map_err(bare)?.unwrap_or(otherwise);
        u32::try_from(number).map_err(|_| {
            invalid(format!(
                "Invalid value {number} for configuration {setting}: Value must be at least 0"
            ))
        })
    };
    let linger_ms = u64::from(number("timeout", "linger.ms", 1_000)?);
    let batch_size = number("batch-size", "batch.size", 16_384)?;
    let retries = number("message-send-max-retries", "retries", 3)?;
    let acks = match options.one("request-required-acks").map_err(bare)? {
        None | Some("-1" | "all") => Acks::All,
        Some("1") => Acks::Leader,
        Some("0") => Acks::None,
        Some(other) => {
            return Err(invalid(format!(
                "Invalid value {other} for configuration acks: String must be one of: all, -1, 0, 1"
            )));
        }
    };
    Ok(ProducerConfig {
        family: ClientFamily::Java,
        client_id: "console-producer".to_owned(),
        acks,
        linger_ms,
        batch_size,
        retries,
        delivery: Lab::new(Delivery {
            request_timeout: SimDuration::from_millis(1_500),
            ..Delivery::of(ClientFamily::Java)
        }),
    })
}

/// Options that set something, each with the setting.
const OPTIONS: &[(&str, &str)] = &[
    ("timeout", "linger.ms"),
    ("request-required-acks", "acks"),
    ("request-timeout-ms", "request.timeout.ms"),
    ("message-send-max-retries", "retries"),
    ("retry-backoff-ms", "retry.backoff.ms"),
    ("batch-size", "batch.size"),
    ("max-memory-bytes", "buffer.memory"),
];

/// The settings that were given, those with an option of their own last: they count more.
fn properties(options: &Options) -> Result<Vec<Property>, Problem> {
    let mut properties = Vec::new();
    for entry in options.all("producer-property").chain(options.all("command-property")) {
        let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
        properties.push((name.to_owned(), value.to_owned()));
    }
    for (option, name) in OPTIONS {
        let bare = |problem: Problem| Problem { class: "", ..problem };
        if let Some(value) = options.one(option).map_err(bare)? {
            properties.push(((*name).to_owned(), value.to_owned()));
        }
    }
    Ok(properties)
}
