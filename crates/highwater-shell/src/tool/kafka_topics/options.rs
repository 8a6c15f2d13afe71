//! The options of `kafka-topics.sh`, and which of them go together.

use highwater_core::scope;
use highwater_core::world::process::Fd;

use super::{ILLEGAL_ARGUMENT, MANUAL};
use crate::process::Out;
use crate::tool::Ended;
use crate::tool::options::Options;

/// The table of options; what `--alter` and `--delete` do, if this build has them.
macro_rules! specs {
    ($alter:literal, $delete:literal) => {
        concat!(
            $alter,
            "at-min-isr-partitions\tOnly partitions with as few in-sync replicas as allowed.\n",
            "bootstrap-server <host:port>\tA broker, such as localhost:9092.\n",
            "command-config <file>\n",
            "config <key=value>\tA setting of the new topic.\n",
            "create\tMake a topic.\n",
            $delete,
            "describe\tDescribe topics.\n",
            "exclude-internal\tWithout Kafka's own topics.\n",
            "help\tPrint this.\n",
            "if-exists\tNo error when there is no such topic.\n",
            "if-not-exists\tNo error when the topic is there.\n",
            "list\tList topics.\n",
            "partition-size-limit-per-response <number>\n",
            "partitions <number>\tHow many partitions.\n",
            "replica-assignment <broker:broker,...>\tThe brokers of each partition.\n",
            "replication-factor <number>\tHow many replicas of each partition.\n",
            "topic <topic>\tThe topic, or a pattern.\n",
            "topic-id <id>\n",
            "topics-with-overrides\tOnly topics that have settings.\n",
            "unavailable-partitions\tOnly partitions without leader.\n",
            "under-min-isr-partitions\tOnly partitions with too few in-sync replicas.\n",
            "under-replicated-partitions\tOnly partitions whose replicas are not all in sync.\n",
            "version\tThe version of Kafka.",
        )
    };
}

pub(super) const SPECS: &str = if scope::CLUSTER {
    specs!("alter\tAdd partitions to a topic.\n", "delete\tRemove a topic.\n")
} else {
    specs!("alter\n", "delete\n")
};

/// What the tool can be asked to do; exactly one of these.
pub(super) const ACTIONS: &[&str] = &["list", "describe", "create", "alter", "delete"];

/// Options with the actions that they belong to.
const ONLY_WITH: &[(&str, &[&str])] = &[
    ("config", &["create"]),
    ("partitions", &["create", "alter"]),
    ("replication-factor", &["create"]),
    ("replica-assignment", &["create", "alter"]),
    ("if-not-exists", &["create"]),
    ("if-exists", &["describe", "alter", "delete"]),
    ("exclude-internal", &["list", "describe"]),
    ("topics-with-overrides", &["describe"]),
    ("under-replicated-partitions", &["describe"]),
    ("unavailable-partitions", &["describe"]),
    ("under-min-isr-partitions", &["describe"]),
    ("at-min-isr-partitions", &["describe"]),
];

/// Options that exclude each other.
const NOT_WITH: &[(&str, &str)] = &[
    ("under-replicated-partitions", "topics-with-overrides"),
    ("unavailable-partitions", "topics-with-overrides"),
    ("under-min-isr-partitions", "topics-with-overrides"),
    ("at-min-isr-partitions", "topics-with-overrides"),
    ("replica-assignment", "partitions"),
    ("replica-assignment", "replication-factor"),
];

/// Options that do not go together (`TopicCommandOptions.checkArgs`).
pub(super) fn check_combinations(options: &Options, out: &mut Out<'_>) -> Result<(), Ended> {
    if !options.has("bootstrap-server") {
        let text = "--bootstrap-server must be specified";
        out.print(Fd::Stderr, format_args!("{text}\n{ILLEGAL_ARGUMENT}: {text}\n\n"));
        return Err(Ended(1));
    }
    if options.has("create") && !options.has("topic") {
        return Err(MANUAL.refuse(format_args!("Missing required argument \"[topic]\""), out));
    }
    if scope::CLUSTER && options.has("alter") {
        for needed in ["topic", "partitions"] {
            if !options.has(needed) {
                let text = format_args!("Missing required argument \"[{needed}]\"");
                return Err(MANUAL.refuse(text, out));
            }
        }
    }
    for (option, actions) in ONLY_WITH {
        if options.has(option) && !actions.iter().any(|action| options.has(action)) {
            let action = ACTIONS.iter().find(|name| options.has(name));
            return Err(clash(option, action.unwrap_or(&""), out));
        }
    }
    for (option, other) in NOT_WITH {
        // With --alter the assignment goes along with the number.
        let alters = scope::CLUSTER && *option == "replica-assignment" && options.has("alter");
        if options.has(option) && options.has(other) && !alters {
            return Err(clash(option, other, out));
        }
    }
    Ok(())
}

fn clash(option: &str, other: &str, out: &mut Out<'_>) -> Ended {
    let text = format_args!("Option \"[{option}]\" can't be used with option \"[{other}]\"");
    MANUAL.refuse(text, out)
}
