//! `kafka-verifiable-producer.sh`: sends numbers that count up, and says of each what became of it, a line of
//! JSON each (Kafka's `VerifiableProducer`). It does not try again.

use std::rc::Rc;

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::producer::{Delivery, ProducerConfig};
use highwater_core::client::{ClientCommand, ClientReply, Sent};
use highwater_core::ids::{Bytes, ClientId, TopicName};
use highwater_core::net::message::{Acks, ProducerRecord};
use highwater_core::number;
use highwater_core::scope::Lab;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::{STATUS_INTERRUPTED, STATUS_TERMINATED};
use crate::tool::argparse::{Flag, Given, Parser, complain};
use crate::tool::json::Json;
use crate::tool::options::Problem;
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_line, log_reply, producer_settings, refuse};

const NAME: &str = "verifiable-producer";

/// How many records may wait for their answer. Real Kafka sends as fast as its machine can; time here passes
/// only while somebody waits.
const MOST_WAITING: u64 = 100;

pub(super) const PARSER: Parser = Parser {
    usage: "\
usage: verifiable-producer [-h] --topic TOPIC [--max-messages MAX-MESSAGES]
                           [--throughput THROUGHPUT] [--acks ACKS]
                           [--producer.config CONFIG-FILE]
                           [--message-create-time CREATE-TIME]
                           [--value-prefix VALUE-PREFIX]
                           [--repeating-keys REPEATING-KEYS]
                           [--command-config CONFIG-FILE]
                           --bootstrap-server HOST1:PORT1[,HOST2:PORT2[...]]
",
    help: "
This tool produces increasing integers  to  the  specified topic and prints
JSON metadata to stdout on  each  \"send\" request, making externally visible
which messages have been acked and which have not.

optional arguments:
  -h, --help             show this help message and exit
  --topic TOPIC          Where the records go.
  --max-messages MAX-MESSAGES
                         So many; -1: until somebody ends it.
  --throughput THROUGHPUT
                         About so many a second; -1: as many as possible.
  --acks ACKS            0, 1 or -1, which is all.
  --producer.config CONFIG-FILE
                         (not in Highwater yet)
  --message-create-time CREATE-TIME
                         (not in Highwater yet)
  --value-prefix VALUE-PREFIX
                         A number that stands in front of each value.
  --repeating-keys REPEATING-KEYS
                         Keys count up from 0 to this number, then again.
  --command-config CONFIG-FILE
                         (not in Highwater yet)
  --bootstrap-server HOST1:PORT1[,HOST2:PORT2[...]]
                         A broker, such as localhost:9092.
",
    flags: &[
        Flag::of(&["--topic"], true),
        Flag::of(&["--max-messages"], true),
        Flag::of(&["--throughput"], true),
        Flag::of(&["--acks"], true),
        Flag::of(&["--producer.config"], true),
        Flag::of(&["--message-create-time"], true),
        Flag::of(&["--value-prefix"], true),
        Flag::of(&["--repeating-keys"], true),
        Flag::of(&["--command-config"], true),
        Flag::of(&["--bootstrap-server"], true),
    ],
    either: &["--bootstrap-server"],
    needs_one: true,
    commands: &[],
};

/// What was asked for.
#[derive(Clone, Debug)]
struct Settings {
    topic: TopicName,
    /// `None`: without end.
    most: Option<u64>,
    throughput: i64,
    prefix: Option<i32>,
    repeating_keys: Option<u64>,
}

/// The running tool.
#[derive(Clone, Debug)]
struct KafkaVerifiableProducer {
    client: ClientId,
    settings: Rc<Settings>,
    start: SimTime,
    sent: u64,
    acked: u64,
    /// Those that have no answer yet.
    waiting: u64,
    /// Until when it sends nothing, to keep to its throughput.
    sleeps_until: Option<SimTime>,
    /// How it ends, once its producer is closed.
    ending: Option<u8>,
}

/// Starts it.
pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Box<dyn Program>, Ended> {
    if arguments.is_empty() {
        out.write(Fd::Stdout, [PARSER.usage, PARSER.help].concat());
        return Err(Ended(0));
    }
    let given = PARSER.given(arguments, (NAME, 1), out)?;
    let absent = ["--producer.config", "--message-create-time", "--command-config"];
    given.refuse_absent(&absent, &[""], out)?;
    let (settings, config) =
        read(&given).map_err(|text| complain(NAME, PARSER.usage, &text, out))?;
    let spec = producer(&given, config, out)?;
    let mut tool = KafkaVerifiableProducer {
        client: out.open(spec),
        settings: Rc::new(settings),
        start: out.now(),
        sent: 0,
        acked: 0,
        waiting: 0,
        sleeps_until: None,
        ending: None,
    };
    say("startup_complete", Vec::new(), out);
    tool.send(out);
    Ok(Box::new(tool))
}

/// The settings, and the number of acknowledgements; or what argparse4j finds wrong.
fn read(given: &Given) -> Result<(Settings, String), String> {
    let topic = given.get("--topic").ok_or("argument --topic is required")?;
    let whole = |name: &str| -> Result<Option<i32>, String> {
        let Some(text) = given.get(name) else { return Ok(None) };
        let number = number::int(text);
        let wrong = || {
            format!(
                "argument {name}: could not convert '{text}' to Integer (For input string: \"{text}\")"
            )
        };
        number.map(Some).ok_or_else(wrong)
    };
    let most = whole("--max-messages")?.unwrap_or(-1);
    let throughput = whole("--throughput")?.unwrap_or(-1);
    let acks = whole("--acks")?.unwrap_or(-1);
    if !(-1..=1).contains(&acks) {
        return Err(format!("argument --acks: invalid choice: '{acks}' (choose from {{0,1,-1}})"));
    }
    let settings = Settings {
        topic: TopicName::new(topic),
        most: u64::try_from(most).ok(),
        throughput: throughput.into(),
        prefix: whole("--value-prefix")?,
        repeating_keys: whole("--repeating-keys")?.and_then(|count| u64::try_from(count).ok()),
    };
    Ok((settings, acks.to_string()))
}

fn producer(given: &Given, acks: String, out: &mut Out<'_>) -> Result<ClientSpec, Ended> {
    let thrown = |problem: Problem, out: &mut Out<'_>| {
        refuse(format_args!("Exception in thread \"main\" {}", problem.stack()), 1, out)
    };
    let servers = given.get("--bootstrap-server").unwrap_or_default();
    bootstrap::usable(servers).map_err(|problem| thrown(problem, out))?;
    let mut config = ProducerConfig {
        family: ClientFamily::Java,
        client_id: "producer-1".to_owned(),
        acks: Acks::All,
        linger_ms: 5,
        batch_size: 16_384,
        retries: 0,
        delivery: Lab::new(Delivery::of(ClientFamily::Java)),
    };
    let properties = [("acks".to_owned(), acks), ("retries".to_owned(), "0".to_owned())];
    let warnings = producer_settings::apply(&mut config, &properties)
        .map_err(|problem| thrown(problem, out))?;
    for text in warnings {
        log_line("WARN", format_args!("{text}"), out);
    }
    Ok(ClientSpec::Producer { bootstrap: servers.to_owned(), config })
}

/// Writes a line about something that has happened.
fn say(name: &str, fields: Vec<(String, Json)>, out: &mut Out<'_>) {
    let now = out.now().epoch_millis().to_string();
    let mut all = vec![
        ("timestamp".to_owned(), Json::Number(now)),
        ("name".to_owned(), Json::Text(name.to_owned())),
    ];
    all.extend(fields);
    out.print(Fd::Stdout, format_args!("{}\n", Json::Object(all).print()));
}

impl Program for KafkaVerifiableProducer {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Timer(_) => {
                self.sleeps_until = self.sleeps_until.filter(|until| *until > out.now());
                self.send(out);
            }
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => log_reply(level, text, out),
            ProcessInput::Reply(_, ClientReply::Sent(sent)) => {
                self.note(sent, out);
                self.send(out);
            }
            ProcessInput::Reply(_, ClientReply::Closed) => {
                say("shutdown_complete", Vec::new(), out);
                say("tool_data", self.totals(out.now()), out);
                return Next::Exit(self.ending.unwrap_or(0));
            }
            ProcessInput::Interrupt => self.close(STATUS_INTERRUPTED, out),
            _ => {}
        }
        Next::Wait
    }

    fn terminate(&mut self, out: &mut Out<'_>) -> Next {
        self.close(STATUS_TERMINATED, out);
        Next::Wait
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

impl KafkaVerifiableProducer {
    /// Sends what may be sent now, and closes the producer after the last record.
    fn send(&mut self, out: &mut Out<'_>) {
        let settings = Rc::clone(&self.settings);
        while self.ending.is_none() && self.sleeps_until.is_none() {
            if settings.most.is_some_and(|most| self.sent >= most) {
                return self.close(0, out);
            }
            if self.waiting >= MOST_WAITING {
                return;
            }
            let number = self.sent;
            let value = match settings.prefix {
                None => number.to_string(),
                Some(prefix) => format!("{prefix}.{number}"),
            };
            let key = settings.repeating_keys.filter(|count| *count > 0);
            let key = key.map(|count| Bytes::from((number % count).to_string().into_bytes()));
            let record = ProducerRecord {
                topic: settings.topic.clone(),
                partition: None,
                key,
                value: Some(Bytes::from(value.into_bytes())),
                headers: Vec::new(),
            };
            out.command(self.client, ClientCommand::Send(Rc::new(record)));
            self.sent += 1;
            self.waiting += 1;
            if let Some(sleep) = self.sleep_after(number, out.now()) {
                self.sleeps_until = Some(out.now() + sleep);
                out.wait(sleep, 0);
            }
        }
    }

    /// How long it sleeps after that record: for the time that one takes, if it is faster than it may be
    /// (`ThroughputThrottler`).
    fn sleep_after(&self, number: u64, now: SimTime) -> Option<SimDuration> {
        let rate = u64::try_from(self.settings.throughput).ok().filter(|rate| *rate > 0)?;
        let elapsed = now.0.saturating_sub(self.start.0);
        let allowed = elapsed.saturating_mul(rate) / 1_000_000;
        (number > allowed).then(|| SimDuration(1_000_000 / rate))
    }

    /// Says what became of a record.
    fn note(&mut self, sent: &Sent, out: &mut Out<'_>) {
        self.waiting = self.waiting.saturating_sub(1);
        let (key, value) = sent.content.known();
        let text = |bytes: &Option<Bytes>| match bytes {
            None => Json::Null,
            Some(bytes) => Json::Text(String::from_utf8_lossy(bytes).into_owned()),
        };
        let field = |name: &str, value: Json| (name.to_owned(), value);
        let topic = Json::Text(sent.topic.as_str().to_owned());
        match &sent.result {
            Ok((partition, offset)) => {
                self.acked += 1;
                let fields = vec![
                    field("key", text(key)),
                    field("value", text(value)),
                    field("offset", Json::Number(offset.to_string())),
                    field("topic", topic),
                    field("partition", Json::Number(partition.to_string())),
                ];
                say("producer_send_success", fields, out);
            }
            Err(error) => {
                let fields = vec![
                    field("topic", topic),
                    field("key", text(key)),
                    field("value", text(value)),
                    field("exception", Json::Text(format!("class {}", error.code.exception()))),
                    field("message", Json::Text(error.message.to_string())),
                ];
                say("producer_send_error", fields, out);
            }
        }
    }

    fn close(&mut self, status: u8, out: &mut Out<'_>) {
        if self.ending.is_none() {
            out.command(self.client, ClientCommand::Close);
        }
        self.ending = Some(status);
    }

    /// The last line: how many records, and how many a second.
    fn totals(&self, now: SimTime) -> Vec<(String, Json)> {
        let millis = now.0.saturating_sub(self.start.0) / 1_000;
        let count = |number: u64| Json::Number(number.to_string());
        // As Java divides: 0 records in no time are not a number, any others endless.
        #[expect(clippy::cast_precision_loss, reason = "what Java prints is that inexact")]
        let average = 1_000.0 * self.acked as f64 / millis as f64;
        let average = if average.is_finite() {
            Json::Number(format!("{average:?}"))
        } else {
            Json::Text(if average.is_nan() { "NaN" } else { "Infinity" }.to_owned())
        };
        vec![
            ("sent".to_owned(), count(self.sent)),
            ("acked".to_owned(), count(self.acked)),
            ("target_throughput".to_owned(), Json::Number(self.settings.throughput.to_string())),
            ("avg_throughput".to_owned(), average),
        ]
    }
}
