//! The options of `kafka-configs.sh`, and which of them go together
//! (`ConfigCommandOptions.checkArgs`).

use highwater_core::number;

use crate::process::Out;
use crate::tool::Ended;
use crate::tool::kafka_configs::{MANUAL, fail, illegal};
use crate::tool::options::{Options, Problem};

pub(super) const SPECS: &str = "\
    add-config <key=value,...>\tSettings to make; a list of values stands in [ ].\n\
    add-config-file <file>\tA file of settings to make.\n\
    all\tAlso what nobody has set.\n\
    alter\tChange settings.\n\
    bootstrap-controller <host:port>\n\
    bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    broker <number>\tThe broker.\n\
    broker-defaults\tAll brokers.\n\
    broker-logger <number>\n\
    client <name>\n\
    client-defaults\n\
    client-metrics <name>\n\
    command-config <file>\n\
    delete-config <key,...>\tSettings to take away.\n\
    describe\tShow settings.\n\
    entity-default\tAll brokers.\n\
    entity-name <name>\tThe topic or the broker.\n\
    entity-type <topics|brokers>\tWhat it is.\n\
    group <name>\n\
    help\tPrint this.\n\
    ip <address>\n\
    ip-defaults\n\
    topic <topic>\tThe topic.\n\
    user <name>\n\
    user-defaults\n\
    version\tThe version of Kafka.";

/// What can have settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Topics,
    Brokers,
}

impl Kind {
    /// As Kafka calls several, and one.
    pub(super) fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Topics => ("topics", "topic"),
            Self::Brokers => ("brokers", "broker"),
        }
    }
}

/// Which of them is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Which {
    All,
    /// What counts for those that have no setting of their own.
    Default,
    Named(String),
}

/// Every type that Kafka has, in the order in which it lists them.
const TYPES: [&str; 8] =
    ["broker-loggers", "topics", "clients", "users", "brokers", "ips", "client-metrics", "groups"];

/// Checks the options; says what has settings and which of it is meant.
pub(super) fn check(options: &Options, out: &mut Out<'_>) -> Result<(Kind, Which), Ended> {
    let actions = ["describe", "alter"];
    if actions.iter().filter(|name| options.has(name)).count() != 1 {
        let text = "Command must include exactly one action: --describe, --alter";
        return Err(MANUAL.refuse(format_args!("{text}"), out));
    }
    if options.has("describe") {
        for other in ["add-config", "delete-config"] {
            if options.has(other) {
                let text =
                    format_args!("Option \"[describe]\" can't be used with option \"[{other}]\"");
                return Err(MANUAL.refuse(text, out));
            }
        }
    }
    entity(options).map_err(|problem| fail(&problem, &[], out))
}

fn entity(options: &Options) -> Result<(Kind, Which), Problem> {
    let mut types: Vec<&str> = options.all("entity-type").collect();
    for (option, kind) in
        [("topic", "topics"), ("broker", "brokers"), ("broker-defaults", "brokers")]
    {
        if options.has(option) {
            types.push(kind);
        }
    }
    let twice: Vec<&str> = types
        .iter()
        .enumerate()
        .filter(|(n, kind)| types[..*n].contains(kind))
        .map(|(_, k)| *k)
        .collect();
    if !twice.is_empty() {
        return Err(illegal(format!("Duplicate entity type(s) specified: {}", twice.join(","))));
    }
    if !options.has("bootstrap-server") {
        let text = "Either --bootstrap-server or --bootstrap-controller must be specified.";
        return Err(illegal(text.to_owned()));
    }
    for kind in &types {
        if !TYPES.contains(kind) {
            return Err(illegal(format!(
                "Invalid entity type {kind}, the entity type must be one of {} with a \
                 --bootstrap-server or --bootstrap-controller argument",
                TYPES.join(", ")
            )));
        }
    }
    let kind = match types.as_slice() {
        [] => return Err(illegal("At least one entity type must be specified".to_owned())),
        ["topics"] => Kind::Topics,
        ["brokers"] => Kind::Brokers,
        ["clients" | "users", "clients" | "users"] => return Err(not_here("clients of a user")),
        [_, _, ..] => {
            let text = "Only 'users' and 'clients' entity types may be specified together";
            return Err(illegal(text.to_owned()));
        }
        [other] => return Err(not_here(other)),
    };
    let is_long = ["entity-name", "entity-type", "entity-default"].iter().any(|n| options.has(n));
    let is_short = ["topic", "broker", "broker-defaults"].iter().any(|n| options.has(n));
    if is_long && is_short {
        let text = "--entity-{type,name,default} should not be used in conjunction with specific \
                    entity flags";
        return Err(illegal(text.to_owned()));
    }
    let which = which(options)?;
    if let (Kind::Brokers, Which::Named(name)) = (kind, &which)
        && number::int(name).is_none()
    {
        return Err(illegal(format!(
            "The entity name for brokers must be a valid integer broker id, but it is: {name}"
        )));
    }
    if options.has("describe") && kind == Kind::Topics && options.has("entity-default") {
        let text = "--entity-default must not be specified with --describe of topics";
        return Err(illegal(text.to_owned()));
    }
    if options.has("alter") {
        check_alter(options, kind, &which)?;
    }
    Ok((kind, which))
}

fn which(options: &Options) -> Result<Which, Problem> {
    for option in ["entity-name", "topic", "broker"] {
        if let Some(name) = options.one(option)? {
            let name = name.to_owned();
            let is_default = name.is_empty() && option != "topic";
            return Ok(if is_default { Which::Default } else { Which::Named(name) });
        }
    }
    let is_default = options.has("entity-default") || options.has("broker-defaults");
    Ok(if is_default { Which::Default } else { Which::All })
}

fn check_alter(options: &Options, kind: Kind, which: &Which) -> Result<(), Problem> {
    match (kind, which) {
        (Kind::Brokers, Which::All) => {
            let text = "An entity-name or default entity must be specified with --alter of users, \
                        clients, brokers or ips";
            return Err(illegal(text.to_owned()));
        }
        (Kind::Topics, Which::All | Which::Default) => {
            let text = "An entity name must be specified with --alter of topics";
            return Err(illegal(text.to_owned()));
        }
        _ => {}
    }
    let text = match ["add-config", "add-config-file", "delete-config"].map(|n| options.has(n)) {
        [true, true, _] => "Only one of --add-config or --add-config-file must be specified",
        [false, false, false] => {
            "At least one of --add-config, --add-config-file, or --delete-config must be specified \
             with --alter"
        }
        _ => return Ok(()),
    };
    Err(illegal(text.to_owned()))
}

/// What Kafka has and Highwater has not.
fn not_here(what: &str) -> Problem {
    let text = format!(
        "Settings of {what} exist in Kafka, but Highwater does not have them yet: it has those of \
         topics and brokers."
    );
    Problem::new("", text)
}
