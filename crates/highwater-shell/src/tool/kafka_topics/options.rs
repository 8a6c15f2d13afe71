//! The options of `kafka-topics.sh`, and which of them go together.

use highwater_core::world::process::Fd;

use super::{ILLEGAL_ARGUMENT, TROUBLES};
use crate::process::Out;
use crate::tool::Ended;
use crate::tool::options::{Options, Spec, Takes, usage_error};

pub(super) const SPECS: &[Spec] = &[
    Spec { name: "alter", takes: Takes::Nothing, about: "(not in Highwater yet) Change a topic." },
    Spec {
        name: "at-min-isr-partitions",
        takes: Takes::Nothing,
        about: "With --describe: only partitions with as few in-sync replicas as allowed.",
    },
    Spec {
        name: "bootstrap-server",
        takes: Takes::Value("host:port"),
        about: "A broker to begin with, such as localhost:9092. Required.",
    },
    Spec {
        name: "command-config",
        takes: Takes::Value("file"),
        about: "(not in Highwater yet) A file with settings of the admin client.",
    },
    Spec {
        name: "config",
        takes: Takes::Value("key=value"),
        about: "With --create: a setting of the topic. May be given several times.",
    },
    Spec { name: "create", takes: Takes::Nothing, about: "Make a topic." },
    Spec { name: "delete", takes: Takes::Nothing, about: "(not in Highwater yet) Delete a topic." },
    Spec { name: "describe", takes: Takes::Nothing, about: "Describe topics." },
    Spec {
        name: "exclude-internal",
        takes: Takes::Nothing,
        about: "With --list or --describe: leave Kafka's own topics out.",
    },
    Spec { name: "help", takes: Takes::Nothing, about: "Print this." },
    Spec {
        name: "if-exists",
        takes: Takes::Nothing,
        about: "With --describe: no error when there is no such topic.",
    },
    Spec {
        name: "if-not-exists",
        takes: Takes::Nothing,
        about: "With --create: no error when the topic is there already.",
    },
    Spec { name: "list", takes: Takes::Nothing, about: "List topics." },
    Spec {
        name: "partition-size-limit-per-response",
        takes: Takes::Value("number"),
        about: "(not in Highwater yet) How many partitions one answer may hold.",
    },
    Spec {
        name: "partitions",
        takes: Takes::Value("number"),
        about: "With --create: how many partitions. Without it, 1.",
    },
    Spec {
        name: "replica-assignment",
        takes: Takes::Value("broker:broker,broker:broker,..."),
        about: "With --create: the brokers of each partition.",
    },
    Spec {
        name: "replication-factor",
        takes: Takes::Value("number"),
        about: "With --create: how many replicas each partition has. Without it, 1.",
    },
    Spec {
        name: "topic",
        takes: Takes::Value("topic"),
        about: "The topic; with --list and --describe a pattern.",
    },
    Spec {
        name: "topic-id",
        takes: Takes::Value("id"),
        about: "(not in Highwater yet) With --describe: the topic of this id.",
    },
    Spec {
        name: "topics-with-overrides",
        takes: Takes::Nothing,
        about: "With --describe: only the first line of topics that have settings.",
    },
    Spec {
        name: "unavailable-partitions",
        takes: Takes::Nothing,
        about: "With --describe: only partitions without a living leader.",
    },
    Spec {
        name: "under-min-isr-partitions",
        takes: Takes::Nothing,
        about: "With --describe: only partitions with too few in-sync replicas.",
    },
    Spec {
        name: "under-replicated-partitions",
        takes: Takes::Nothing,
        about: "With --describe: only partitions whose replicas are not all in sync.",
    },
    Spec { name: "version", takes: Takes::Nothing, about: "Print the version of Kafka." },
];

/// Options that do not go together (`TopicCommandOptions.checkArgs`).
pub(super) fn check_combinations(options: &Options, out: &mut Out<'_>) -> Result<(), Ended> {
    if !options.has("bootstrap-server") {
        let text = "--bootstrap-server must be specified";
        out.write(Fd::Stderr, format!("{text}\n{ILLEGAL_ARGUMENT}: {text}\n\n"));
        return Err(Ended(1));
    }
    if options.has("create") && !options.has("topic") {
        return Err(usage_error("Missing required argument \"[topic]\"", SPECS, out));
    }
    let only_with: [(&str, &[&str]); 12] = [
        ("config", &["create"]),
        ("partitions", &["create"]),
        ("replication-factor", &["create"]),
        ("replica-assignment", &["create"]),
        ("if-not-exists", &["create"]),
        ("if-exists", &["describe"]),
        ("exclude-internal", &["list", "describe"]),
        ("topics-with-overrides", &["describe"]),
        ("under-replicated-partitions", &["describe"]),
        ("unavailable-partitions", &["describe"]),
        ("under-min-isr-partitions", &["describe"]),
        ("at-min-isr-partitions", &["describe"]),
    ];
    for (option, actions) in only_with {
        if options.has(option) && !actions.iter().any(|action| options.has(action)) {
            let action = ["list", "describe", "create"].into_iter().find(|name| options.has(name));
            let action = action.unwrap_or_default();
            let text = format!("Option \"[{option}]\" can't be used with option \"[{action}]\"");
            return Err(usage_error(&text, SPECS, out));
        }
    }
    if options.has("topics-with-overrides") {
        let given = TROUBLES.iter().find(|(name, _)| options.has(name));
        if let Some((name, _)) = given {
            let text = format!(
                "Option \"[{name}]\" can't be used with option \"[topics-with-overrides]\""
            );
            return Err(usage_error(&text, SPECS, out));
        }
    }
    if options.has("replica-assignment") {
        for other in ["partitions", "replication-factor"] {
            if options.has(other) {
                let text = format!(
                    "Option \"[replica-assignment]\" can't be used with option \"[{other}]\""
                );
                return Err(usage_error(&text, SPECS, out));
            }
        }
    }
    Ok(())
}
