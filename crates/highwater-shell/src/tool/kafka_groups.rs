//! `kafka-groups.sh`: lists the groups of all types (Kafka's `GroupsCommand`).

use highwater_core::client::admin::groups::{
    GroupsCommand, GroupsQuestion, GroupsReply, NotListed,
};
use highwater_core::client::{ClientCommand, ClientReply};
use highwater_core::java::hash_map::{in_set_order, string_hash};
use highwater_core::net::group::ListedGroup;
use highwater_core::scope::Lab;
use highwater_core::time::SimDuration;
use highwater_core::world::process::{ClientSpec, Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::kafka_consumer_groups::{row, type_name, width};
use crate::tool::options::{Manual, Options, Problem};
use crate::tool::small::Program;
use crate::tool::{Ended, Next, bootstrap, command_config, log_line, log_reply};

const ABOUT: &str = "This tool helps to list groups of all types.";

const SPECS: &str = "\
    * bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    command-config <file>\tSettings of the client.\n\
    consumer\tOnly groups of consumers, those without members' protocol too.\n\
    group-type <type>\tOnly of this type: classic, consumer, share, streams.\n\
    help\tPrint this.\n\
    list\tList the groups.\n\
    protocol <protocol>\tOnly of this protocol, such as consumer.\n\
    share\tOnly share groups.\n\
    streams\tOnly groups of Kafka Streams.\n\
    version\tThe version of Kafka.";

pub(super) static MANUAL: Manual = Manual {
    usage: "Missing required option(s) [bootstrap-server]",
    help: ABOUT,
    specs: SPECS,
    columns: (38, 39),
    complain: |problem, out| MANUAL.refuse(format_args!("{}", problem.text), out),
};

/// The types that a group may have, by their names (`GroupType`).
const TYPES: [&str; 4] = ["consumer", "classic", "share", "streams"];

/// How long the tool waits.
const PATIENCE: SimDuration = SimDuration::from_millis(30_000);
/// `default.api.timeout.ms` of its client.
const API_TIMEOUT: SimDuration = SimDuration::from_millis(60_000);

/// Which groups are shown.
#[derive(Clone, Debug)]
enum Filter {
    All,
    Type(String, Option<String>),
    Protocol(String),
    Consumer,
}

/// The running tool.
#[derive(Clone, Debug)]
pub(crate) struct KafkaGroups {
    filter: Filter,
}

impl KafkaGroups {
    /// Reads the options and asks.
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let options = MANUAL.read(arguments, out)?;
        let filter = filter(&options, out)?;
        let settings = command_config::read(&options, out);
        let settings = settings.map_err(|problem| problem.throw(out))?;
        let bootstrap = options.one("bootstrap-server");
        let bootstrap = bootstrap.map_err(|problem| problem.throw(out))?.unwrap_or_default();
        let client_id = command_config::client(&settings)
            .and_then(|made| bootstrap::usable_or_why(bootstrap).map(|()| made))
            .map_err(|problem| fail(&problem.text, &problem.stack(), out))?
            .said(out);
        let bootstrap = bootstrap.to_owned();
        let client = out.open(ClientSpec::Admin { bootstrap, client_id });
        let question = GroupsQuestion::List { states: Vec::new(), types: Vec::new() };
        let command = GroupsCommand { question, timeout: API_TIMEOUT };
        out.command(client, ClientCommand::Groups(Lab::new(command)));
        out.wait(PATIENCE, 0);
        Ok(Self { filter })
    }
}

impl Program for KafkaGroups {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Reply(_, ClientReply::Log(level, text)) => {
                log_reply(level, text, out);
                Next::Wait
            }
            ProcessInput::Reply(_, ClientReply::Groups(reply)) => match reply.known() {
                GroupsReply::Listed(Ok(groups)) => {
                    self.filter.print(groups, out);
                    Next::Exit(0)
                }
                GroupsReply::Listed(Err(why)) => Next::Exit(not_listed(why, out).0),
                _ => Next::Wait,
            },
            ProcessInput::Timer(_) => {
                let thrown = "java.util.concurrent.TimeoutException";
                Next::Exit(fail("null", thrown, out).0)
            }
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

/// Says what went wrong.
fn fail(text: &str, thrown: &str, out: &mut Out<'_>) -> Ended {
    out.print(Fd::Stdout, format_args!("Error while executing groups command : {text}\n"));
    log_line("ERROR", format_args!("{thrown}\n (org.apache.kafka.tools.GroupsCommand)"), out);
    Ended(1)
}

fn not_listed(why: &NotListed, out: &mut Out<'_>) -> Ended {
    let cause = [why.error.code.exception(), ": ", &why.error.message].concat();
    if why.has_found_brokers {
        return fail(&why.error.message, &cause, out);
    }
    let text = "Failed to find brokers to send ListGroups";
    let thrown = format!("org.apache.kafka.common.KafkaException: {text}\nCaused by: {cause}");
    fail(text, &thrown, out)
}

/// Which groups the options ask for (`checkArgs`).
fn filter(options: &Options, out: &mut Out<'_>) -> Result<Filter, Ended> {
    if !options.has("bootstrap-server") {
        return Err(MANUAL.refuse(format_args!("{}", MANUAL.usage), out));
    }
    if !options.has("list") {
        let text = format_args!("Command must include exactly one action: --list.");
        return Err(MANUAL.refuse(text, out));
    }
    let one = |name: &str, out: &mut Out<'_>| {
        let value = options.one(name).map(|value| value.map(str::to_owned));
        value.map_err(|problem| problem.throw(out))
    };
    let kind = one("group-type", out)?.map(|kind| kind.to_ascii_lowercase());
    if kind.as_ref().is_some_and(|kind| !TYPES.contains(&kind.as_str())) {
        let text = "--group-type must be a valid group type.";
        return Err(Problem::new("java.lang.IllegalArgumentException", text).throw(out));
    }
    for (name, others) in [
        ("consumer", ["group-type", "protocol", "share", "streams"]),
        ("share", ["consumer", "group-type", "protocol", "streams"]),
        ("streams", ["consumer", "group-type", "protocol", "share"]),
    ] {
        if options.has(name)
            && let Some(other) = others.iter().find(|other| options.has(other))
        {
            let text = format_args!("Option \"[{name}]\" can't be used with option \"[{other}]\"");
            return Err(MANUAL.refuse(text, out));
        }
    }
    let protocol = one("protocol", out)?;
    Ok(match (kind, protocol) {
        (Some(kind), protocol) => Filter::Type(kind, protocol),
        (None, Some(protocol)) => Filter::Protocol(protocol),
        _ if options.has("consumer") => Filter::Consumer,
        _ if options.has("share") => Filter::Type("share".to_owned(), None),
        _ if options.has("streams") => Filter::Type("streams".to_owned(), None),
        _ => Filter::All,
    })
}

impl Filter {
    fn takes(&self, listed: &ListedGroup) -> bool {
        let (kind, of) = (&*listed.group_type, &*listed.protocol_type);
        match self {
            Self::All => true,
            Self::Type(wanted, protocol) => {
                kind == wanted && protocol.as_ref().is_none_or(|protocol| protocol == of)
            }
            Self::Protocol(protocol) => protocol == of,
            Self::Consumer => matches!(of, "consumer" | "") || kind == "consumer",
        }
    }

    /// All columns are as wide as the widest cell; behind each cell but those of the head is a blank.
    fn print(&self, groups: &[ListedGroup], out: &mut Out<'_>) {
        let groups = in_set_order(groups, |listed| string_hash(&listed.group.0));
        let mut rows: Vec<[&str; 3]> = Vec::new();
        for listed in groups.iter().filter(|listed| self.takes(listed)) {
            rows.push([&listed.group.0, type_name(&listed.group_type), &listed.protocol_type]);
        }
        let wide = rows.iter().flatten().map(|cell| width(cell)).fold(20, usize::max);
        let head = row(&["GROUP", "TYPE", "PROTOCOL"].map(|cell| (cell, wide)));
        out.print(Fd::Stdout, format_args!("{head}\n"));
        for cells in rows {
            let cells = row(&cells.map(|cell| (cell, wide)));
            out.print(Fd::Stdout, format_args!("{cells} \n"));
        }
    }
}
