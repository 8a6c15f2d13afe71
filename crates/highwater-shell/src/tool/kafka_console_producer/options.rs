//! What the options of the console producer mean (`ConsoleProducer.ConsoleProducerOptions`).

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::producer::{Delivery, ProducerConfig};
use highwater_core::ids::TopicName;
use highwater_core::net::message::Acks;
use highwater_core::number;
use highwater_core::scope::{self, Lab};
use highwater_core::time::SimDuration;
use highwater_core::world::process::{ClientSpec, Fd};

use super::MANUAL;
use crate::process::Out;
use crate::tool::bootstrap::CONFIG_EXCEPTION;
use crate::tool::line_reader::{LineReader, LineRules};
use crate::tool::options::{Options, Problem};
use crate::tool::producer_settings;
use crate::tool::setting::Property;
use crate::tool::{Ended, bootstrap, log_line, properties_file, refuse};

/// What the options say.
pub(super) struct Settings {
    pub(super) spec: ClientSpec,
    pub(super) topic: TopicName,
    pub(super) reader: LineReader,
    pub(super) sync: bool,
}

/// The class of a problem that is told with the table of options.
const WITH_TABLE: &str = "(usage)";

/// Reads them.
pub(super) fn settings(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Settings, Ended> {
    let options = MANUAL.read(arguments, out)?;
    meant(&options, out).map_err(|problem| match problem.class {
        WITH_TABLE => MANUAL.refuse(format_args!("{}", problem.text), out),
        "" => refuse(format_args!("{}", problem.text), 1, out),
        _ if scope::CLUSTER => refuse(format_args!("{}", problem.stack()), 1, out),
        class => refuse(format_args!("{class}: {}", problem.text), 1, out),
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
    if scope::CLUSTER {
        check_names(options)?;
    }
    if scope::CLUSTER {
        warn_of_older(options, out);
    } else if options.has("property") {
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
    if scope::CLUSTER {
        read_rules(options, &mut rules, out)?;
    }
    for entry in options.all("property").chain(options.all("reader-property")) {
        let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
        rules.set(name, value);
    }
    rules.check()?;
    if let Some(problem) = bootstrap::gap(servers) {
        return Err(problem);
    }
    let mut config = config(options)?;
    if scope::CLUSTER {
        for text in producer_settings::apply(&mut config, &properties(options, out)?)? {
            log_line("WARN", format_args!("{text}"), out);
        }
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
    if scope::CLUSTER {
        return Ok(defaults());
    }
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
    Ok(ProducerConfig { acks, linger_ms, batch_size, retries, ..defaults() })
}

/// How it behaves unless it is told otherwise.
fn defaults() -> ProducerConfig {
    ProducerConfig {
        family: ClientFamily::Java,
        client_id: "console-producer".to_owned(),
        acks: Acks::All,
        linger_ms: 1_000,
        batch_size: 16_384,
        retries: 3,
        delivery: Lab::new(Delivery {
            request_timeout: SimDuration::from_millis(1_500),
            ..Delivery::of(ClientFamily::Java)
        }),
    }
}

/// Names of options that have newer ones, and until when they are there.
const OLDER: [(&str, &str, &str); 4] = [
    ("producer-property", "command-property", "a future version"),
    ("producer.config", "command-config", "a future version"),
    ("property", "reader-property", "a future version"),
    ("max-partition-memory-bytes", "batch-size", "Apache Kafka 5.0"),
];

fn warn_of_older(options: &Options, out: &mut Out<'_>) {
    for (older, newer, until) in OLDER {
        if options.has(older) {
            let text = format_args!(
                "Warning: --{older} is deprecated and will be removed in {until}. Use --{newer} \
                 instead.\n"
            );
            out.print(Fd::Stdout, text);
        }
    }
}

/// An option cannot be given by two names.
fn check_names(options: &Options) -> Result<(), Problem> {
    for (newer, older) in [
        ("command-config", "producer.config"),
        ("command-property", "producer-property"),
        ("reader-property", "property"),
    ] {
        if options.has(newer) && options.has(older) {
            let text = format!("Options --{newer} and --{older} cannot be specified together.");
            return Err(Problem::new(WITH_TABLE, text));
        }
    }
    Ok(())
}

/// What the file of `--reader-config` says of lines, and whether there is such a reader.
fn read_rules(options: &Options, rules: &mut LineRules, out: &Out<'_>) -> Result<(), Problem> {
    let bare = |problem: Problem| Problem { class: "", ..problem };
    if let Some(path) = options.one("reader-config").map_err(bare)? {
        for (name, value) in properties_file::load(path, out)? {
            rules.set(&name, &value);
        }
    }
    match options.one("line-reader").map_err(bare)? {
        None | Some("org.apache.kafka.tools.LineMessageReader") => Ok(()),
        Some(class) => Err(Problem::new("java.lang.ClassNotFoundException", class)),
    }
}

/// Options that set something, each with the setting, and whether it takes a `long`, an `int` or a text.
const OPTIONS: &[(&str, &str, Argument)] = &[
    ("timeout", "linger.ms", Argument::Long),
    ("request-required-acks", "acks", Argument::Text),
    ("request-timeout-ms", "request.timeout.ms", Argument::Int),
    ("message-send-max-retries", "retries", Argument::Int),
    ("retry-backoff-ms", "retry.backoff.ms", Argument::Long),
    ("socket-buffer-size", "send.buffer.bytes", Argument::Int),
    ("max-memory-bytes", "buffer.memory", Argument::Long),
    ("batch-size", "batch.size", Argument::Int),
    ("max-partition-memory-bytes", "batch.size", Argument::Int),
    ("metadata-expiry-ms", "metadata.max.age.ms", Argument::Long),
    ("max-block-ms", "max.block.ms", Argument::Long),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Argument {
    Int,
    Long,
    Text,
}

/// The settings that were given: those of a file, then those given by name, then those with an option of their
/// own, which count more (`ConsoleProducerOptions.producerProps`).
fn properties(options: &Options, out: &Out<'_>) -> Result<Vec<Property>, Problem> {
    let bare = |problem: Problem| Problem { class: "", ..problem };
    let mut properties = Vec::new();
    for name in ["command-config", "producer.config"] {
        if let Some(path) = options.one(name).map_err(bare)? {
            properties.extend(properties_file::load(path, out)?);
        }
    }
    for entry in options.all("producer-property").chain(options.all("command-property")) {
        let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
        properties.push((name.to_owned(), value.to_owned()));
    }
    // Without the option nothing is compressed, whatever the settings say.
    let codec = options.one("compression-codec").map_err(bare)?;
    let bare_codec = if options.has("compression-codec") { "gzip" } else { "none" };
    let codec = codec.filter(|codec| !codec.is_empty()).unwrap_or(bare_codec);
    properties.push(("compression.type".to_owned(), codec.to_owned()));
    for (option, name, argument) in OPTIONS {
        let Some(value) = options.one(option).map_err(bare)? else { continue };
        let fits = match argument {
            Argument::Int => number::int(value).is_some(),
            Argument::Long => number::signed(value).is_some(),
            Argument::Text => true,
        };
        if !fits {
            return Err(bare(Problem::no_number(value, option)));
        }
        properties.push(((*name).to_owned(), value.to_owned()));
    }
    Ok(properties)
}
