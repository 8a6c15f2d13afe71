//! The options of `kafka-consumer-groups.sh`, and which of them go together
//! (`ConsumerGroupCommandOptions`).

use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::options::{Manual, Options, Problem};
use crate::tool::{Ended, refuse};

const ABOUT: &str =
    "This tool helps to list, describe, delete and manage the offsets of consumer groups.";

const SPECS: &str = "\
    all-groups\tAll groups.\n\
    all-topics\tAll topics of which the group has offsets.\n\
    bootstrap-server <host:port>\tA broker, such as localhost:9092.\n\
    by-duration <duration>\tTo what is so old, such as PT1H.\n\
    command-config <file>\tSettings of the client.\n\
    delete\tForget groups that nobody is in.\n\
    delete-offsets\tForget offsets of a group.\n\
    describe\tShow where groups are.\n\
    dry-run\tOnly show what --reset-offsets would do.\n\
    execute\tDo it.\n\
    export\tShow it as CSV, for --from-file.\n\
    from-file <file>\tTo what the lines of a file say: topic,partition,offset.\n\
    group <id>\tA group. May be given again.\n\
    help\tPrint this.\n\
    list\tShow which groups there are.\n\
    members\tWith --describe: who is in the group.\n\
    offsets\tWith --describe: the offsets, as without it.\n\
    reset-offsets\tMove the offsets of groups that nobody is in.\n\
    shift-by <number>\tForward or, with -, back.\n\
    state [states]\tWith --describe or --list: in which state groups are; only in these.\n\
    timeout <ms>\tFor how long it is tried.\n\
    to-current\tTo where the group is.\n\
    to-datetime <time>\tTo what came then: 2026-01-01T00:00:00.000.\n\
    to-earliest\tTo the beginning.\n\
    to-latest\tTo the end.\n\
    to-offset <offset>\tTo this one.\n\
    topic <topic>\tA topic, or some of its partitions: T:0,1. May be given again.\n\
    type [types]\tWith --list: of which type groups are; only of these.\n\
    validate-regex <regex>\tSay whether RE2 takes a regular expression.\n\
    verbose\tWith --describe: more columns.\n\
    version\tThe version of Kafka.";

pub(in crate::tool) static MANUAL: Manual =
    Manual { usage: ABOUT, help: ABOUT, specs: SPECS, columns: (40, 39), complain: throw_in_main };

/// What the tool can be asked to do, in Kafka's order.
const ACTIONS: [&str; 6] =
    ["list", "describe", "delete", "reset-offsets", "delete-offsets", "validate-regex"];

/// Where offsets can be set to, in the order in which the tool looks for two of them.
const SCENARIOS: [&str; 8] = [
    "to-offset",
    "to-datetime",
    "by-duration",
    "to-earliest",
    "to-latest",
    "to-current",
    "shift-by",
    "from-file",
];

/// The same in the order in which the other one of two is looked for. In Kafka it is that of a set.
const ALL_SCENARIOS: &str = "[[shift-by], [to-offset], [to-earliest], [to-current], [to-latest], \
                             [by-duration], [to-datetime], [from-file]]";

const GROUP_SCOPES: &str = "[all-groups], [group]";

const NOT_EXECUTED: &str = "WARN: No action will be performed as the --execute option is missing. In version 5.0, this \
     command will require either --dry-run or --execute to be specified. You should add the \
     --dry-run option explicitly if you are scripting this command and want to keep the current \
     default behavior without prompting.\n";

/// What is thrown before the tool catches anything.
fn throw_in_main(problem: &Problem, out: &mut Out<'_>) -> Ended {
    if problem.class.is_empty() {
        return problem.throw(out);
    }
    refuse(format_args!("Exception in thread \"main\" {}", problem.stack()), 1, out)
}

/// Reads the options and sees to it that they make sense together.
pub(super) fn read(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Options, Ended> {
    let options = MANUAL.read(arguments, out)?;
    let unavailable = unavailable(&options);
    if !unavailable.is_empty() {
        let text = format!(
            "Option(s) [{}] are unavailable given other options on the command line",
            unavailable.join(", ")
        );
        let problem = Problem::new("joptsimple.UnavailableOptionException", text);
        return Err(throw_in_main(&problem, out));
    }
    let refused = check_describe(&options)
        .or_else(|| check_delete(&options))
        .map_or_else(|| check_reset(&options, out), Some)
        .or_else(|| check_pairs(&options))
        .or_else(|| check_action(&options));
    match refused {
        Some(text) => Err(MANUAL.refuse(format_args!("{text}"), out)),
        None => Ok(options),
    }
}

/// Options that only make sense with others that are not there, by name.
fn unavailable(options: &Options) -> Vec<&'static str> {
    let mut names = Vec::new();
    for (name, needs) in [
        ("members", &["describe"][..]),
        ("offsets", &["describe"]),
        ("state", &["describe", "list"]),
        ("type", &["list"]),
        ("verbose", &["describe"]),
    ] {
        if options.has(name) && !needs.iter().any(|needed| options.has(needed)) {
            names.push(name);
        }
    }
    names
}

fn has_group(options: &Options) -> bool {
    options.has("group") || options.has("all-groups")
}

fn check_describe(options: &Options) -> Option<String> {
    if !options.has("validate-regex") && !options.has("bootstrap-server") {
        return Some("Missing required argument \"[bootstrap-server]\"".to_owned());
    }
    if !options.has("describe") {
        return None;
    }
    if !has_group(options) {
        return Some(format!("Option [describe] takes one of these options: {GROUP_SCOPES}"));
    }
    if ["members", "offsets", "state"].iter().filter(|name| options.has(name)).count() > 1 {
        let text = "Option [describe] takes at most one of these options: [members], [offsets], \
                    [state]";
        return Some(text.to_owned());
    }
    options
        .all("state")
        .next()
        .map(|_| "Option [describe] does not take a value for [state]".to_owned())
}

fn check_delete(options: &Options) -> Option<String> {
    if options.has("delete") {
        if !has_group(options) {
            return Some(format!("Option [delete] takes one of these options: {GROUP_SCOPES}"));
        }
        if options.has("topic") {
            let text = "The consumer does not support topic-specific offset deletion from a \
                        consumer group.";
            return Some(text.to_owned());
        }
    }
    if options.has("delete-offsets") && !(options.has("group") && options.has("topic")) {
        let text = "Option [delete-offsets] takes the following options: [group], [topic]";
        return Some(text.to_owned());
    }
    None
}

fn check_reset(options: &Options, out: &mut Out<'_>) -> Option<String> {
    if !options.has("reset-offsets") {
        return None;
    }
    match (options.has("dry-run"), options.has("execute")) {
        (true, true) => {
            let text = "Option [reset-offsets] only accepts one of [execute] and [dry-run]";
            return Some(text.to_owned());
        }
        (false, false) => out.write(Fd::Stderr, NOT_EXECUTED),
        _ => {}
    }
    if !has_group(options) {
        return Some(format!("Option [reset-offsets] takes one of these options: {GROUP_SCOPES}"));
    }
    for name in SCENARIOS {
        let other = |other: &&&str| **other != name && options.has(other);
        if options.has(name)
            && let Some(other) = SCENARIOS.iter().find(other)
        {
            return Some(exclude(name, other));
        }
    }
    None
}

fn check_pairs(options: &Options) -> Option<String> {
    for (name, others) in
        [("group", &["all-groups"][..]), ("group", &["list"]), ("topic", &["list", "describe"])]
    {
        if options.has(name)
            && let Some(other) = others.iter().find(|other| options.has(other))
        {
            return Some(exclude(name, other));
        }
    }
    None
}

fn check_action(options: &Options) -> Option<String> {
    let count = ACTIONS.iter().filter(|name| options.has(name)).count();
    (count != 1).then(|| {
        let actions = ACTIONS.map(|name| ["--", name].concat());
        format!("Command must include exactly one action: {}", actions.join(", "))
    })
}

fn exclude(name: &str, other: &str) -> String {
    format!("Option \"[{name}]\" can't be used with option \"[{other}]\"")
}

/// What is said where offsets are to be set, but not where to.
pub(super) fn no_scenario() -> String {
    format!("Option '[reset-offsets]' requires one of the following scenarios: {ALL_SCENARIOS}")
}
