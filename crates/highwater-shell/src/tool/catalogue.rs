//! The commands that exist, each with one line about it. `hw help` prints this table.

/// A command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommandInfo {
    /// Its name.
    pub name: &'static str,
    /// How it is called.
    pub usage: &'static str,
    /// What it does, in a few words.
    pub about: &'static str,
}

/// Every command.
pub const COMMANDS: &[CommandInfo] = &[
    CommandInfo {
        name: "kafka-topics.sh",
        usage: "--bootstrap-server localhost:9092 --create|--describe|--list ...",
        about: "makes, describes and lists topics",
    },
    CommandInfo {
        name: "kafka-console-producer.sh",
        usage: "--bootstrap-server localhost:9092 --topic T ...",
        about: "sends each line it reads as a record",
    },
    CommandInfo {
        name: "kafka-get-offsets.sh",
        usage: "--bootstrap-server localhost:9092 --topic T ...",
        about: "prints where partitions end",
    },
    CommandInfo {
        name: "hw",
        usage: "help|produce|consume ...",
        about: "what no tool of Kafka can do: other client libraries, readers by name",
    },
    CommandInfo { name: "echo", usage: "[-n] WORD...", about: "prints its words" },
    CommandInfo { name: "cat", usage: "", about: "prints what it reads" },
    CommandInfo { name: "head", usage: "[-n LINES]", about: "prints the first lines it reads" },
    CommandInfo {
        name: "printf",
        usage: "FORMAT WORD...",
        about: "prints words in a format with %s and \\n",
    },
    CommandInfo { name: "sleep", usage: "SECONDS", about: "lets time pass" },
];
