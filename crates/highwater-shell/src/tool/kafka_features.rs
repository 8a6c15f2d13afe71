//! `kafka-features.sh`: which features the cluster has, at which level (Kafka's `FeatureCommand`).
//!
//! Levels are those of a new cluster of 4.4: nothing changes them here.

use std::rc::Rc;

use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::net::admin::{AdminAnswer, AdminRequest};
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::argparse::{Flag, Given, NOT_YET, Parser, SERVER_FLAGS};
use crate::tool::options::{Problem, next_or_throw};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, log_reply, refuse, thrown_by_client};

const MAPPING: Parser = Parser {
    usage: "\
usage: kafka-features version-mapping [-h]
                      [--release-version RELEASE_VERSION]
",
    help: "
optional arguments:
  -h, --help             show this help message and exit
  --release-version RELEASE_VERSION
                         A release such as 4.0, or one of its metadata versions.
",
    flags: &[Flag::of(&["--release-version"], true)],
    either: &[],
    needs_one: false,
    commands: &[],
};

const DEPENDENCIES: Parser = Parser {
    usage: "usage: kafka-features feature-dependencies [-h] --feature FEATURE\n",
    help: "
optional arguments:
  -h, --help             show this help message and exit
  --feature FEATURE      A feature and its level, such as group.version=1.
",
    flags: &[Flag::of(&["--feature"], true)],
    either: &[],
    needs_one: false,
    commands: &[],
};

const DESCRIBE: Parser = Parser {
    usage: "usage: kafka-features describe [-h] [--node-id NODE_ID]\n",
    help: "
optional arguments:
  -h, --help             show this help message and exit
  --node-id NODE_ID      (not in Highwater yet)
",
    flags: &[Flag::of(&["--node-id"], true)],
    either: &[],
    needs_one: false,
    commands: &[],
};

pub(super) const PARSER: Parser = Parser {
    usage: "\
usage: kafka-features [-h] [--command-config COMMAND_CONFIG]
                      [--bootstrap-server BOOTSTRAP_SERVER |
                      --bootstrap-controller BOOTSTRAP_CONTROLLER]
                      {describe,upgrade,downgrade,disable,version-mapping,feature-dependencies}
                      ...
",
    help: "
This tool manages feature flags in Kafka.

positional arguments:
  {describe,upgrade,downgrade,disable,version-mapping,feature-dependencies}
    describe             Shows the features and their levels.
    upgrade              (not in Highwater yet)
    downgrade            (not in Highwater yet)
    disable              (not in Highwater yet)
    version-mapping      Shows which levels belong to a release.
    feature-dependencies
                         Shows what a level of a feature needs.

optional arguments:
  -h, --help             show this help message and exit
  --bootstrap-server BOOTSTRAP_SERVER
                         A broker, such as localhost:9092.
  --bootstrap-controller BOOTSTRAP_CONTROLLER
                         (not in Highwater yet)
  --command-config COMMAND_CONFIG
                         (not in Highwater yet)
",
    flags: SERVER_FLAGS,
    either: &["--bootstrap-server", "--bootstrap-controller"],
    needs_one: false,
    commands: &[
        ("describe", DESCRIBE),
        ("upgrade", NOT_YET),
        ("downgrade", NOT_YET),
        ("disable", NOT_YET),
        ("version-mapping", MAPPING),
        ("feature-dependencies", DEPENDENCIES),
    ],
};

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaFeatures;

impl KafkaFeatures {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let given = PARSER.given_or(arguments, 0, wrong, out)?;
        let absent = ["--bootstrap-controller", "--command-config", "--node-id"];
        let commands = ["describe", "version-mapping", "feature-dependencies"];
        given.refuse_absent(&absent, &commands, out)?;
        let known = match given.command {
            "version-mapping" => mapping(given.get("--release-version")),
            "feature-dependencies" => dependencies(&given, out)?,
            _ => return Self::describe(&given, out),
        };
        match known {
            Ok(text) => {
                out.write(Fd::Stdout, text);
                Err(Ended(0))
            }
            Err(text) => Err(refuse(format_args!("{text}"), 1, out)),
        }
    }

    fn describe(given: &Given, out: &mut Out<'_>) -> Result<Self, Ended> {
        let Some(servers) = given.get("--bootstrap-server") else {
            let text = "You must specify either --bootstrap-controller or --bootstrap-server.";
            return Err(wrong(text, out));
        };
        bootstrap::usable(servers).map_err(|problem| problem.throw(out))?;
        let (bootstrap, client_id) = (servers.to_owned(), "adminclient-1".to_owned());
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        out.command(client, ClientCommand::Ask(Rc::new(AdminRequest::DescribeQuorum)));
        Ok(Self)
    }
}

fn wrong(text: &str, out: &mut Out<'_>) -> Ended {
    refuse(format_args!("Command line error: {text}. Type --help for help."), 1, out)
}

fn handle_reply(reply: &ClientReply, out: &mut Out<'_>) -> Result<Next, Problem> {
    match reply {
        ClientReply::Log(level, text) => log_reply(level, text, out),
        ClientReply::Answer(answer) => {
            if let AdminAnswer::QuorumDescribed(quorum) = &**answer {
                let quorum = quorum.known().as_ref().map_err(thrown_by_client)?;
                // What is known of features is as new as the last record of the metadata log.
                let text = described(quorum.high_watermark.saturating_sub(1));
                out.write(Fd::Stdout, text);
                return Ok(Next::Exit(0));
            }
        }
        _ => {}
    }
    Ok(Next::Wait)
}

impl Program for KafkaFeatures {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, reply) => next_or_throw(handle_reply(reply, out), out),
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// A feature beside the metadata version: its name, its highest level, and from which metadata version on a
/// release has which level.
struct Feature {
    name: &'static str,
    highest: i16,
    since: &'static [(i16, i16)],
}

/// In Kafka's order.
const FEATURES: [Feature; 6] = [
    Feature { name: "kraft.version", highest: 1, since: &[(21, 1)] },
    Feature { name: "transaction.version", highest: 2, since: &[(24, 2)] },
    Feature { name: "group.version", highest: 1, since: &[(22, 1)] },
    Feature { name: "eligible.leader.replicas.version", highest: 1, since: &[(26, 1)] },
    Feature { name: "share.version", highest: 2, since: &[(28, 1), (31, 2)] },
    Feature { name: "streams.version", highest: 1, since: &[(29, 1)] },
];

const METADATA: &str = "metadata.version";
/// The lowest metadata version.
const LOWEST_METADATA: i16 = 7;
/// That of a new cluster, and the highest that its nodes have.
const LATEST_METADATA: i16 = 33;
/// All that are known, from the lowest on.
const METADATA_VERSIONS: [&str; 28] = [
    "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1", "3.6-IV2",
    "3.7-IV0", "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0", "3.9-IV0", "4.0-IV0",
    "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0", "4.1-IV1", "4.2-IV0", "4.2-IV1", "4.3-IV0",
    "4.4-IV0", "4.4-IV1", "4.4-IV2", "4.5-IV0",
];

/// Each metadata version with its level.
fn metadata_versions() -> impl DoubleEndedIterator<Item = (i16, &'static str)> {
    METADATA_VERSIONS.iter().enumerate().map(|(place, name)| {
        (LOWEST_METADATA.saturating_add(i16::try_from(place).unwrap_or(0)), *name)
    })
}

fn metadata_name(level: i16) -> Option<&'static str> {
    metadata_versions().find(|(known, _)| *known == level).map(|(_, name)| name)
}

impl Feature {
    /// Its level in a release with that metadata version.
    fn level_at(&self, metadata: i16) -> i16 {
        let reached = self.since.iter().rfind(|(since, _)| *since <= metadata);
        reached.map_or(0, |(_, level)| *level)
    }
}

/// The table of `describe`, sorted by name.
fn described(epoch: u64) -> String {
    let mut rows: Vec<[String; 4]> = Vec::new();
    for feature in &FEATURES {
        let level = feature.level_at(LATEST_METADATA).to_string();
        let highest = feature.highest.to_string();
        rows.push([feature.name.to_owned(), "0".to_owned(), highest, level]);
    }
    let named = |level| metadata_name(level).unwrap_or_default().to_owned();
    let latest = named(LATEST_METADATA);
    rows.push([METADATA.to_owned(), named(LOWEST_METADATA), latest.clone(), latest]);
    rows.sort();
    let mut text = String::new();
    for [name, lowest, highest, level] in rows {
        text.push_str(&format!(
            "Feature: {name:<42}SupportedMinVersion: {lowest:<17}SupportedMaxVersion: \
             {highest:<17}FinalizedVersionLevel: {level:<17}Epoch: {epoch}\n"
        ));
    }
    text
}

/// The levels of a release, or of one metadata version.
fn mapping(release: Option<&str>) -> Result<String, String> {
    let latest = metadata_name(LATEST_METADATA).unwrap_or_default();
    let wanted = release.unwrap_or(latest);
    // The name of a release that is out means the last of its metadata versions.
    let fits = |(level, name): &(i16, &str)| {
        *name == wanted
            || *level <= LATEST_METADATA
                && name.split_once("-IV").is_some_and(|(release, _)| release == wanted)
    };
    let Some((metadata, _)) = metadata_versions().rfind(fits) else {
        return Err(format!(
            "Unknown metadata.version '{wanted}'. Supported metadata.version are: {}",
            METADATA_VERSIONS.join(", ")
        ));
    };
    let mut text = format!("{METADATA}={metadata} ({wanted})\n");
    for feature in &FEATURES {
        text.push_str(&format!("{}={}\n", feature.name, feature.level_at(metadata)));
    }
    Ok(text)
}

/// What levels of features need, or what is wrong with the first that makes no sense.
fn dependencies(given: &Given, out: &mut Out<'_>) -> Result<Result<String, String>, Ended> {
    if !given.has("--feature") {
        return Err(wrong("argument --feature is required", out));
    }
    let mut text = String::new();
    for feature in given.all("--feature") {
        match dependencies_of(feature) {
            Ok(told) => text.push_str(&told),
            Err(problem) => {
                out.write(Fd::Stdout, text);
                return Ok(Err(problem));
            }
        }
    }
    Ok(Ok(text))
}

fn dependencies_of(given: &str) -> Result<String, String> {
    let cannot = |why: &str| format!("Can't parse feature=level string {given}: {why}");
    let (name, level) = given.split_once('=').ok_or_else(|| cannot("equals sign not found."))?;
    let (name, level) = (name.trim(), level.trim());
    let level: i16 =
        level.parse().map_err(|_| cannot(&format!("unable to parse {level} as a short.")))?;
    if name == METADATA {
        let known = metadata_name(level).ok_or_else(|| format!("Unknown {METADATA} {level}"))?;
        return Ok(format!("{METADATA}={level} ({known}) has no dependencies.\n"));
    }
    let feature = FEATURES.iter().find(|feature| feature.name == name);
    let feature = feature.ok_or_else(|| format!("Unknown feature: {name}"))?;
    if !(0..=feature.highest).contains(&level) {
        return Err(format!("No feature:{name} with feature level {level}"));
    }
    // Eligible leader replicas need records that know of them; all other levels stand by themselves.
    if name == "eligible.leader.replicas.version" && level == 1 {
        return Ok(format!("{name}={level} requires:\n    {METADATA}=23 (4.0-IV1)\n"));
    }
    Ok(format!("{name}={level} has no dependencies.\n"))
}
