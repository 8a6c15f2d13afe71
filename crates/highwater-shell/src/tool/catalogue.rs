//! The commands that exist, each with one line about it. `hw help` prints this table.

use highwater_core::scope;

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

/// The commands of every build.
const COMMANDS: &[CommandInfo] = &[
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

/// Those that a page about one broker has not.
const MORE: &[CommandInfo] = &[
    CommandInfo {
        name: "kafka-broker-api-versions.sh",
        usage: "--bootstrap-server localhost:9092",
        about: "shows which requests brokers understand, in which versions",
    },
    CommandInfo {
        name: "kafka-cluster.sh",
        usage: "cluster-id|list-endpoints|api-versions --bootstrap-server localhost:9092",
        about: "prints the id of the cluster, where its brokers are, what they understand",
    },
    CommandInfo {
        name: "kafka-configs.sh",
        usage: "--bootstrap-server localhost:9092 --describe|--alter --topic T|--broker N ...",
        about: "shows and changes settings of topics and brokers",
    },
    CommandInfo {
        name: "kafka-consumer-groups.sh",
        usage: "--bootstrap-server localhost:9092 --list|--describe|--reset-offsets|--delete ...",
        about: "shows how far groups of consumers are, moves their offsets, forgets them",
    },
    CommandInfo {
        name: "kafka-delete-records.sh",
        usage: "--bootstrap-server localhost:9092 --offset-json-file FILE",
        about: "deletes the oldest records of partitions",
    },
    CommandInfo {
        name: "kafka-dump-log.sh",
        usage: "--files FILE,... [--print-data-log] ...",
        about: "shows what stands in files of a broker's folder",
    },
    CommandInfo {
        name: "kafka-features.sh",
        usage: "--bootstrap-server localhost:9092 describe | version-mapping ...",
        about: "shows which features the cluster has, at which level",
    },
    CommandInfo {
        name: "kafka-groups.sh",
        usage: "--bootstrap-server localhost:9092 --list",
        about: "lists the groups of all types",
    },
    CommandInfo {
        name: "kafka-leader-election.sh",
        usage: "--bootstrap-server localhost:9092 --election-type preferred|unclean ...",
        about: "asks for leaders to be elected",
    },
    CommandInfo {
        name: "kafka-log-dirs.sh",
        usage: "--bootstrap-server localhost:9092 --describe [--topic-list T] [--broker-list N]",
        about: "shows what is in the folders of brokers",
    },
    CommandInfo {
        name: "kafka-metadata-quorum.sh",
        usage: "--bootstrap-server localhost:9092 describe --status|--replication",
        about: "shows who leads the metadata log, and how far its readers are",
    },
    CommandInfo {
        name: "kafka-reassign-partitions.sh",
        usage: "--bootstrap-server localhost:9092 --execute --reassignment-json-file FILE ...",
        about: "moves partitions to other brokers",
    },
    CommandInfo { name: "[", usage: "CONDITION ]", about: "as test" },
    CommandInfo {
        name: "cut",
        usage: "-d CHARACTER -f FIELDS | -c PLACES",
        about: "prints parts of each line",
    },
    CommandInfo {
        name: "grep",
        usage: "[-vicnoEFqwx] PATTERN [FILE]...",
        about: "prints the lines that a pattern fits",
    },
    CommandInfo {
        name: "kafka-console-consumer.sh",
        usage: "--bootstrap-server localhost:9092 --topic T --from-beginning ...",
        about: "prints records as they come",
    },
    CommandInfo {
        name: "kafka-producer-perf-test.sh",
        usage: "--topic T --num-records N --record-size BYTES --throughput -1 ...",
        about: "sends many records and says how fast that went",
    },
    CommandInfo {
        name: "kafka-verifiable-producer.sh",
        usage: "--bootstrap-server localhost:9092 --topic T --max-messages N ...",
        about: "sends numbers and says of each what became of it",
    },
    CommandInfo { name: "ls", usage: "[PATH]...", about: "lists files" },
    CommandInfo { name: "mkdir", usage: "[-p] PATH...", about: "makes folders" },
    CommandInfo { name: "rm", usage: "[-rf] PATH...", about: "removes files" },
    CommandInfo {
        name: "seq",
        usage: "[-w] [-f FORMAT] [FIRST [STEP]] LAST",
        about: "prints numbers in a row",
    },
    CommandInfo {
        name: "sort",
        usage: "[-nru] [-t CHARACTER] [-k FIELD]... [FILE]...",
        about: "prints lines in order",
    },
    CommandInfo { name: "tail", usage: "[-n [+]LINES]", about: "prints the last lines it reads" },
    CommandInfo {
        name: "test",
        usage: "CONDITION",
        about: "succeeds if a condition about words or files holds",
    },
    CommandInfo { name: "touch", usage: "PATH...", about: "makes empty files" },
    CommandInfo {
        name: "tr",
        usage: "[-cds] SET [SET]",
        about: "prints other characters for characters",
    },
    CommandInfo {
        name: "uniq",
        usage: "[-cdu]",
        about: "prints lines, those that repeat the one before once",
    },
    CommandInfo { name: "wc", usage: "[-lwc]", about: "counts lines, words and bytes" },
];

/// All of them.
static EVERY: [CommandInfo; COMMANDS.len() + MORE.len()] = {
    let mut every = [COMMANDS[0]; COMMANDS.len() + MORE.len()];
    let mut place = 0;
    while place < every.len() {
        let more = place >= COMMANDS.len();
        every[place] = if more { MORE[place - COMMANDS.len()] } else { COMMANDS[place] };
        place += 1;
    }
    every
};

/// Every command that this build has.
#[must_use]
pub fn commands() -> &'static [CommandInfo] {
    if scope::CLUSTER { &EVERY } else { COMMANDS }
}
