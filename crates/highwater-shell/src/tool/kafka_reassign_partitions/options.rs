//! `kafka-reassign-partitions.sh`: its options, and what it says of those that do not fit together
//! (`ReassignPartitionsCommand.validateAndParseArgs`).

use highwater_core::number;
use highwater_core::world::process::Fd;

use super::{Action, Failure};
use crate::process::Out;
use crate::tool::Ended;
use crate::tool::options::{Manual, Options, Problem};

const ABOUT: &str = "This tool helps to move topic partitions between replicas.";

const SPECS: &str = "\
    additional\tBesides the moves that are under way.\n\
    bootstrap-controller [host:port]\tA controller, instead of a broker.\n\
    bootstrap-server [host:port]\tA broker, such as localhost:9092.\n\
    broker-list <ids>\tWhere to, with --generate: such as 1,2,3.\n\
    cancel\tCalls the moves off that a file names.\n\
    command-config <file>\n\
    disable-rack-aware\tPlaces replicas without regard to racks.\n\
    disallow-replication-factor-change\tRefuses moves to more or fewer replicas.\n\
    execute\tBegins the moves that a file names.\n\
    generate\tProposes moves, and begins none.\n\
    help\tPrint this.\n\
    list\tShows the moves that are under way.\n\
    preserve-throttles\tLeaves throttles as they are.\n\
    reassignment-json-file <file>\tThe partitions and their new replicas.\n\
    replica-alter-log-dirs-throttle <bytes/s>\tHow fast replicas may change folders.\n\
    throttle <bytes/s>\tHow fast replicas may be copied.\n\
    timeout <ms>\tHow long to wait for changes of folders.\n\
    topics-to-move-json-file <file>\tThe topics that --generate is about.\n\
    verify\tShows what became of the moves of a file.\n\
    version\tThe version of Kafka.";

pub(in crate::tool) const MANUAL: Manual =
    Manual { usage: ABOUT, help: ABOUT, specs: SPECS, columns: (40, 39), complain: uncaught };

/// Nobody catches what is thrown while the command line is read.
fn uncaught(problem: &Problem, out: &mut Out<'_>) -> Ended {
    let Problem { class, text, .. } = problem;
    if class.is_empty() {
        return problem.throw(out);
    }
    out.print(Fd::Stderr, format_args!("Exception in thread \"main\" {class}: {text}\n"));
    Ended(1)
}

/// The actions by name, in the order in which the tool tells them.
const ACTIONS: [(&str, Action); 5] = [
    ("generate", Action::Generate),
    ("execute", Action::Execute),
    ("verify", Action::Verify),
    ("cancel", Action::Cancel),
    ("list", Action::List),
];

/// Options without which an action makes no sense.
fn required(action: Action) -> &'static [&'static str] {
    match action {
        Action::Generate => &["topics-to-move-json-file", "broker-list"],
        Action::Execute | Action::Verify | Action::Cancel => &["reassignment-json-file"],
        Action::List => &[],
    }
}

/// Other options that an action has.
fn permitted(action: Action) -> &'static [&'static str] {
    match action {
        Action::Generate => &["bootstrap-server", "disable-rack-aware"],
        Action::Execute => &[
            "additional",
            "bootstrap-server",
            "throttle",
            "replica-alter-log-dirs-throttle",
            "timeout",
            "disallow-replication-factor-change",
        ],
        Action::Verify => &["bootstrap-server", "preserve-throttles"],
        Action::Cancel => {
            &["bootstrap-server", "bootstrap-controller", "preserve-throttles", "timeout"]
        }
        Action::List => &["bootstrap-server", "bootstrap-controller"],
    }
}

/// What the tool shall do.
pub(super) fn action(options: &Options, out: &mut Out<'_>) -> Result<Action, Ended> {
    let given: Vec<_> = ACTIONS.iter().filter(|(name, _)| options.has(name)).collect();
    let [(name, action)] = given.as_slice() else {
        let names = ACTIONS.map(|(name, _)| ["--", name].concat()).join(", ");
        let text = format_args!("Command must include exactly one action: {names}");
        return Err(MANUAL.refuse(text, out));
    };
    let (server, controller) =
        (options.has("bootstrap-server"), options.has("bootstrap-controller"));
    let wrong = match (server, controller) {
        (true, true) => "Please don't specify both --bootstrap-server and --bootstrap-controller",
        (false, false) => "Please specify either --bootstrap-server or --bootstrap-controller",
        _ => "",
    };
    if !wrong.is_empty() {
        return Err(MANUAL.refuse(format_args!("{wrong}"), out));
    }
    for needed in required(*action) {
        if !options.has(needed) {
            return Err(
                MANUAL.refuse(format_args!("Missing required argument \"[{needed}]\""), out)
            );
        }
    }
    let fits = |option: &&str| {
        *option == *name
            || required(*action).contains(option)
            || permitted(*action).contains(option)
    };
    if let Some(option) = options.names().find(|option| !fits(option)) {
        let text = format_args!("Option \"[{option}]\" can't be used with action \"[{name}]\"");
        return Err(MANUAL.refuse(text, out));
    }
    Ok(*action)
}

/// A number of 64 bits that an option was given.
pub(super) fn long(options: &Options, name: &'static str, default: i64) -> Result<i64, Failure> {
    let Some(text) = options.one(name)? else { return Ok(default) };
    number::signed(text).ok_or_else(|| Failure::Thrown(Problem::no_number(text, name)))
}
