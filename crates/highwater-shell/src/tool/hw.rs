//! `hw`: what no tool of Kafka can do. `hw produce` sends as another client library would, and
//! `hw consume` reads as a consumer that keeps its place under a name. What is done to the cluster is
//! in `fault`, how a client chooses a partition is told in `partition`.

mod fault;
mod hazards;
mod help;
mod partition;
pub(super) mod work;

use std::rc::Rc;

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::partitioner::catalogue::Client;
use highwater_core::client::producer::{Delivery, ProducerConfig};
use highwater_core::client::{ClientCommand, ClientReply, LogLevel, StartAt};
use highwater_core::ids::{Bytes, ClientId, Offset, PartitionId, TopicName, TopicPartition};
use highwater_core::log::record::{Header, Record};
use highwater_core::net::message::{Acks, ProducerRecord};
use highwater_core::number;
use highwater_core::scope::{self, Lab};
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use self::fault::Done;
#[cfg(feature = "cluster")]
pub(crate) use self::fault::read_fault;
use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::options::Options;
use crate::tool::{Ended, Next, catalogue, refuse};

const PRODUCE: &str = if scope::CLUSTER { PRODUCE_IN_CLUSTER } else { PRODUCE_TO_ONE };

const PRODUCE_IN_CLUSTER: &str = "\
    acks <0|1|all>\t\n\
    client <name[:partitioner]>\t\n\
    count <records>\t\n\
    headers <name:value,...>\t\n\
    key <key>\t\n\
    partition <number>\t\n\
    topic <topic>\t\n\
    value <value>\t";

const PRODUCE_TO_ONE: &str = "\
    client <java|librdkafka|kafka-go>\t\n\
    key <key>\t\n\
    partition <number>\t\n\
    topic <topic>\t\n\
    value <value>\t";

const CONSUME: &str = "\
    as <name>\t\n\
    from <earliest|latest|offset>\t\n\
    max <records>\t\n\
    partition <number>\t\n\
    topic <topic>\t";

/// Each form of `hw` with what it does.
pub const FORMS: &[(&str, &str)] = &[
    if scope::CLUSTER {
        ("hw help [NAME]", "this table; of a form or a tool, all there is")
    } else {
        ("hw help", "this table")
    },
    if scope::CLUSTER {
        (
            "hw produce --topic T [--key K] [--value V] [--partition P] \
             [--client NAME[:PARTITIONER[=NUMBER]]] [--count N] [--acks 0|1|all] \
             [--headers NAME:VALUE[,NAME:VALUE]]",
            "sends a record, or N, as that client library would place it, and prints where it is (with --acks 0 \
             nobody knows its offset: -1); `hw partition` lists the clients",
        )
    } else {
        (
            "hw produce --topic T [--key K] [--value V] [--partition P] \
             [--client java|librdkafka|kafka-go]",
            "sends one record as that client library would place it, and prints where it is",
        )
    },
    (
        "hw consume --as NAME --topic T --partition P [--from earliest|latest|OFFSET] [--max N]",
        "reads on as the reader of that name, who keeps the position",
    ),
];

/// How the clients choose; its arguments are read in `partition`.
pub const PARTITION_FORMS: &[(&str, &str)] = &[
    ("hw partition [--client NAME]", "lists the clients with their partitioners, or those of one"),
    (
        "hw partition --client NAME[:PARTITIONER] --partitions N [KEY...]",
        "tells step by step where it puts records with these keys, or without a key",
    ),
];

/// Forms that do something to the cluster; their arguments are read in `fault`.
pub const FAULT_FORMS: &[(&str, &str)] = &[
    ("hw crash N", "kills the process of broker N (SIGKILL)"),
    (
        "hw crash N --power-loss",
        "the machine of broker N loses power: what was not flushed is gone",
    ),
    ("hw stop N", "asks broker N to end (SIGTERM) and waits until it has"),
    ("hw start N", "starts broker N and gives it 8 s"),
    ("hw pause N", "stops broker N in the middle of what it does (SIGSTOP)"),
    ("hw resume N", "lets it go on (SIGCONT)"),
    (
        "hw cut A B [--one-way]",
        "the network loses what A and B send each other; A and B are brokers, controller or clients",
    ),
    ("hw slow A B MS [--one-way]", "it takes so many milliseconds longer"),
    ("hw slow --disk N MS", "each write to the disk of broker N takes so many milliseconds"),
    ("hw heal [A B]", "the network is as usual, between A and B or everywhere; so are all disks"),
    ("hw heal A B --one-way", "the network is as usual for what A sends B"),
    ("hw heal --disk N", "the disk of broker N is as fast as usual"),
    ("hw drop ID", "loses that message, which is on its way"),
];

/// What is told about the cluster; see `hazards`.
pub const HAZARD_FORMS: &[(&str, &str)] = &[(
    "hw hazards",
    "counts what went wrong so far though Kafka allows it: records lost, twice, out of order, read again, skipped",
)];

/// Forms about groups; their arguments are read in `work`.
pub const GROUP_FORMS: &[(&str, &str)] = &[(
    "hw work --group G --topic T[,T] [--as NAME] [--time MS] [--commit auto|before|after|revoked|never] [--ahead] \
     [--listener MS] [--leave yes|no] [--from-beginning] [--property KEY=VALUE]",
    "a member of a group that needs so long for each record, and prints it when that is done; with --ahead \
     it reads on meanwhile; its rebalance listener takes so long when partitions are taken from it, and \
     with --commit revoked commits then",
)];

/// The most records that one `hw produce` sends.
const MOST_RECORDS: i32 = 10_000;

/// The most records that one `hw consume` asks for at once.
const MAX_POLL_RECORDS: u32 = 500;

/// The running command.
#[derive(Clone, Debug)]
pub(crate) enum Hw {
    /// Waits for the acknowledgement.
    Produce,
    /// Waits for so many of them.
    ProduceMany(u32),
    /// Waits for records.
    Consume { client: ClientId, partition: TopicPartition, left: Option<u32> },
    /// Waits until something is done to the cluster.
    Fault(Done),
}

impl Hw {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let Some((form, rest)) = arguments.split_first() else {
            if scope::CLUSTER {
                return Err(help::print(&[], out));
            }
            out.write(Fd::Stdout, table());
            return Err(Ended(0));
        };
        match form.as_slice() {
            b"help" | b"--help" if scope::CLUSTER => Err(help::print(rest, out)),
            b"help" | b"--help" => {
                out.write(Fd::Stdout, table());
                Err(Ended(0))
            }
            b"produce" => produce(rest, out),
            b"consume" => consume(rest, out),
            b"partition" if scope::CLUSTER => Err(partition::explain(rest, out)),
            b"hazards" if scope::CLUSTER => Err(hazards::print(rest, out)),
            form if scope::CLUSTER && fault::is_form(form) => {
                fault::begin(form, rest, out).map(Self::Fault)
            }
            other => {
                let name = String::from_utf8_lossy(other);
                Err(refuse(
                    format_args!("hw: there is no `hw {name}`; `hw help` lists all"),
                    2,
                    out,
                ))
            }
        }
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        if scope::CLUSTER
            && let Self::Fault(done) = self
        {
            return done.handle(input, out);
        }
        match input {
            ProcessInput::Reply(_, ClientReply::Log(LogLevel::Warn | LogLevel::Error, _)) => {
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::Sent(sent)) => match &sent.result {
                Ok((partition, offset)) => {
                    let place = TopicPartition::new(&sent.topic, *partition);
                    out.print(Fd::Stdout, format_args!("{place}, offset {offset}\n"));
                    if scope::CLUSTER
                        && let Self::ProduceMany(left) = self
                        && *left > 1
                    {
                        *left -= 1;
                        return Next::Wait;
                    }
                    Next::Exit(0)
                }
                Err(error) => Next::Exit(
                    refuse(
                        format_args!("hw: not sent: {}: {}", error.code.name(), error.message),
                        1,
                        out,
                    )
                    .0,
                ),
            },
            ProcessInput::Reply(_, ClientReply::Records(_, records, _)) => self.print(records, out),
            ProcessInput::Reply(_, ClientReply::ReadFailed(partition, error)) => {
                let (name, text) = (error.code.name(), &error.message);
                Next::Exit(
                    refuse(format_args!("hw: {partition} cannot be read: {name}: {text}"), 1, out)
                        .0,
                )
            }
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    /// Prints records as the console consumer does with all fields on, and reads on until there
    /// are no more, or enough.
    fn print(&mut self, records: &[(Offset, Record)], out: &mut Out<'_>) -> Next {
        let Self::Consume { client, partition, left } = self else { return Next::Wait };
        let mut text = Vec::new();
        for (offset, record) in records {
            let number = partition.partition;
            text.extend(format!("Partition:{number}\tOffset:{offset}\t").into_bytes());
            text.extend(record.key.as_deref().unwrap_or(b"null"));
            text.push(b'\t');
            text.extend(record.value.as_deref().unwrap_or(b"null"));
            text.push(b'\n');
        }
        out.write(Fd::Stdout, text);
        let count = u32::try_from(records.len()).unwrap_or(u32::MAX);
        *left = left.map(|left| left.saturating_sub(count));
        if count == 0 || *left == Some(0) {
            return Next::Exit(0);
        }
        let most = left.unwrap_or(MAX_POLL_RECORDS).min(MAX_POLL_RECORDS);
        out.command(*client, ClientCommand::Poll(partition.clone(), most));
        Next::Wait
    }
}

/// All forms, as they are used, and what each does.
pub(crate) fn forms() -> impl Iterator<Item = (&'static str, &'static str)> {
    let more: [&[(&'static str, &'static str)]; 4] = if scope::CLUSTER {
        [PARTITION_FORMS, GROUP_FORMS, FAULT_FORMS, HAZARD_FORMS]
    } else {
        [&[]; 4]
    };
    FORMS.iter().chain(more.into_iter().flatten()).copied()
}

fn table() -> String {
    let mut text = String::from("What no tool of Kafka can do:\n");
    for (form, about) in forms() {
        text.push_str(&format!("  {form}\n      {about}\n"));
    }
    text.push_str("Commands:\n");
    for command in catalogue::commands() {
        text.push_str(&format!("  {} {}\n      {}\n", command.name, command.usage, command.about));
    }
    text
}

/// Reads the options of one form; says what is wrong with them.
fn options(
    form: &str,
    arguments: &[Vec<u8>],
    specs: &'static str,
    needed: &[&str],
    out: &mut Out<'_>,
) -> Result<Options, Ended> {
    let usage = FORMS.iter().find(|(text, _)| text.starts_with(form)).map_or("", |(text, _)| text);
    options_of((form, usage), arguments, specs, needed, out)
}

fn options_of(
    (form, usage): (&str, &str),
    arguments: &[Vec<u8>],
    specs: &'static str,
    needed: &[&str],
    out: &mut Out<'_>,
) -> Result<Options, Ended> {
    let mut problem = None;
    let options = match Options::parse(arguments, specs) {
        Ok(options) => options,
        Err(error) => {
            problem = Some(error.text);
            Options::default()
        }
    };
    if problem.is_none()
        && let Some(word) = options.stray.first()
    {
        problem = Some(format!("`{word}` belongs to no option"));
    }
    if problem.is_none() {
        let missing = needed.iter().find(|name| !options.has(name));
        problem = missing.map(|name| format!("--{name} is missing"));
    }
    if problem.is_none() {
        problem = options.twice().map(|name| format!("--{name} may be given once"));
    }
    match problem {
        None => Ok(options),
        Some(text) => Err(refuse(format_args!("{form}: {text}\nusage: {usage}"), 2, out)),
    }
}

fn partition(options: &Options, out: &mut Out<'_>) -> Result<Option<PartitionId>, Ended> {
    match options.number("partition") {
        Ok(None) => Ok(None),
        Ok(Some(number)) if number >= 0 => Ok(Some(PartitionId(number))),
        _ => Err(refuse(format_args!("hw: --partition takes a number from 0 on"), 2, out)),
    }
}

fn value<'a>(options: &'a Options, name: &'a str) -> Option<&'a str> {
    options.one(name).ok().flatten()
}

/// All brokers.
fn servers(out: &Out<'_>) -> String {
    let addresses: Vec<String> =
        out.options().listeners().map(|(_, port)| format!("localhost:{port}")).collect();
    let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    number::join(&addresses, ",")
}

fn produce(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Hw, Ended> {
    let options = options("hw produce", arguments, PRODUCE, &["topic"], out)?;
    let name = value(&options, "client").unwrap_or("java");
    let acks = if scope::CLUSTER { acks(&options, out)? } else { Acks::All };
    let (family, mut delivery) =
        if scope::CLUSTER { client(name, out)? } else { plain(name, out)? };
    if let Some(delivery) = delivery.get_mut() {
        delivery.enable_idempotence &= acks == Acks::All;
    }
    let count = if scope::CLUSTER { count(&options, out)? } else { 1 };
    let partition = partition(&options, out)?;
    if scope::CLUSTER
        && partition.is_some()
        && let Some(delivery) = delivery.get()
        && !(Client { family, rule: delivery.partitioner }).looks_at_named_partition()
    {
        let text = format_args!(
            "hw produce: `{name}` does not look at the partition in a record; sarama:manual and \
             franz-go:manual do"
        );
        return Err(refuse(text, 2, out));
    }
    let client = out.open(ClientSpec::Producer {
        bootstrap: servers(out),
        config: ProducerConfig {
            family,
            client_id: format!("hw-{name}"),
            acks,
            linger_ms: 0,
            batch_size: 16_384,
            retries: u32::MAX,
            delivery,
        },
    });
    let bytes = |name| value(&options, name).map(|text| Bytes::from(text.as_bytes()));
    let record = Rc::new(ProducerRecord {
        topic: TopicName::new(value(&options, "topic").unwrap_or_default()),
        partition,
        key: bytes("key"),
        value: bytes("value"),
        headers: if scope::CLUSTER { headers(&options, out)? } else { Vec::new() },
    });
    if !scope::CLUSTER || count == 1 {
        out.command(client, ClientCommand::Send(record));
        return Ok(Hw::Produce);
    }
    for _ in 0..count {
        out.command(client, ClientCommand::Send(Rc::clone(&record)));
    }
    Ok(Hw::ProduceMany(count))
}

/// The client of that name, and how it sends.
fn client(name: &str, out: &mut Out<'_>) -> Result<(ClientFamily, Lab<Delivery>), Ended> {
    match Client::from_name(name) {
        Ok(Client { family, rule }) => {
            Ok((family, Lab::new(Delivery { partitioner: rule, ..Delivery::of(family) })))
        }
        Err(text) => Err(refuse(format_args!("hw produce: {text}"), 2, out)),
    }
}

/// The same where each client has one partitioner.
fn plain(name: &str, out: &mut Out<'_>) -> Result<(ClientFamily, Lab<Delivery>), Ended> {
    let Some(family) = ClientFamily::from_name(name) else {
        let known: Vec<&str> = ClientFamily::ALL.iter().map(|family| family.name()).collect();
        let known = number::join(&known, ", ");
        let text = format_args!("hw produce: there is no client `{name}`; there are {known}");
        return Err(refuse(text, 2, out));
    };
    Ok((family, Lab::default()))
}

/// From how many replicas an answer is wanted.
fn acks(options: &Options, out: &mut Out<'_>) -> Result<Acks, Ended> {
    match value(options, "acks") {
        None | Some("all" | "-1") => Ok(Acks::All),
        Some("0") => Ok(Acks::None),
        Some("1") => Ok(Acks::Leader),
        Some(other) => {
            let text = format_args!("hw produce: --acks takes 0, 1 or all, not `{other}`");
            Err(refuse(text, 2, out))
        }
    }
}

/// The headers, in their order.
fn headers(options: &Options, out: &mut Out<'_>) -> Result<Vec<Header>, Ended> {
    let mut headers = Vec::new();
    for pair in value(options, "headers").into_iter().flat_map(|text| text.split(',')) {
        let Some((key, value)) = pair.split_once(':') else {
            let text = format_args!("hw produce: `{pair}` in --headers is not NAME:VALUE");
            return Err(refuse(text, 2, out));
        };
        headers.push(Header {
            key: Bytes::from(key.as_bytes()),
            value: Some(Bytes::from(value.as_bytes())),
        });
    }
    Ok(headers)
}

/// How many records are sent.
fn count(options: &Options, out: &mut Out<'_>) -> Result<u32, Ended> {
    match options.number("count") {
        Ok(None) => Ok(1),
        Ok(Some(count)) if (1..=MOST_RECORDS).contains(&count) => Ok(count.unsigned_abs()),
        _ => {
            let text = format_args!("hw produce: --count takes a number from 1 to {MOST_RECORDS}");
            Err(refuse(text, 2, out))
        }
    }
}

fn consume(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Hw, Ended> {
    let needed = ["as", "topic", "partition"];
    let options = options("hw consume", arguments, CONSUME, &needed, out)?;
    let start = match value(&options, "from") {
        None | Some("earliest") => StartAt::Earliest,
        Some("latest") => StartAt::Latest,
        Some(text) => match number::signed(text) {
            Some(offset) if offset >= 0 => StartAt::Offset(Offset(offset)),
            _ => {
                return Err(refuse(
                    format_args!("hw consume: `{text}` is not earliest, latest or an offset"),
                    2,
                    out,
                ));
            }
        },
    };
    let left = match options.number("max") {
        Ok(None) => None,
        Ok(Some(count)) if count > 0 => Some(count.unsigned_abs()),
        _ => {
            return Err(refuse(format_args!("hw consume: --max takes a number from 1 on"), 2, out));
        }
    };
    let partition = partition(&options, out)?.unwrap_or(PartitionId(0));
    let topic = TopicName::new(value(&options, "topic").unwrap_or_default());
    let partition = TopicPartition { topic, partition };
    let name = value(&options, "as").unwrap_or_default().to_owned();
    let client = out.open(ClientSpec::Reader { name });
    out.command(client, ClientCommand::Assign(partition.clone(), start));
    let most = left.unwrap_or(MAX_POLL_RECORDS).min(MAX_POLL_RECORDS);
    out.command(client, ClientCommand::Poll(partition.clone(), most));
    Ok(Hw::Consume { client, partition, left })
}
