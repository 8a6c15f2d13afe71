//! What crosses to JavaScript, as plain objects. TypeScript's types are made of these, with what is said of each.

mod snapshot;

use serde::Serialize;
use tsify::Tsify;

pub use self::snapshot::{
    BrokerInfo, CommittedInfo, GroupInfo, HazardInfo, HeaderInfo, MemberInfo, PartitionInfo,
    PositionInfo, ProducerInfo, ReaderInfo, RecordInfo, ReplicaInfo, Snapshot, SnapshotOptions,
    TopicInfo,
};

/// What a command line printed, how it ended, and what happened in the cluster because of it.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct Outcome {
    /// Lines of standard output and standard error, as they came.
    pub(crate) output: Vec<String>,
    /// Its exit status: 0 is well; 124: it was stopped, because it ran for ten minutes.
    pub(crate) exit: u8,
    /// What happened meanwhile, oldest first; of very much the newest part.
    pub(crate) events: Vec<ClusterEvent>,
    /// Microseconds since the cluster's first moment.
    pub(crate) time: f64,
}

/// Something that happened.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct ClusterEvent {
    /// Its number; numbers grow in the order in which things happen. `why("event:812")` asks about it.
    pub(crate) id: u64,
    /// The step of the world in which it happened.
    pub(crate) step: u64,
    /// When, in microseconds since the cluster's first moment.
    pub(crate) time: f64,
    /// What kind it is: `BatchAppended`, `PartitionChanged`, `RecordsLost`.
    pub(crate) kind: String,
    /// It in a sentence.
    pub(crate) sentence: String,
    /// The event that led to it; `null` where the chain begins.
    pub(crate) cause: Option<u64>,
    /// Whether a reader wants to hear of it. Messages and processes are detail.
    pub(crate) is_story: bool,
}

/// A moment, and what happened on the way to it.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct Moment {
    /// Microseconds since the cluster's first moment.
    pub(crate) time: f64,
    /// How many steps the world has taken.
    pub(crate) step: u64,
    /// How many command lines lie behind.
    pub(crate) command: u32,
    /// How many there are, with those that lie in the future.
    pub(crate) commands: u32,
    /// Whether this call has led anywhere. A step does not when nothing is left to happen, nor a step back at the
    /// beginning.
    pub(crate) moved: bool,
    /// What happened on the way, oldest first; nothing on the way back.
    pub(crate) events: Vec<ClusterEvent>,
}

/// Where to go: to the moment after so many command lines, to a time in microseconds since the cluster's first
/// moment, or to that after so many steps of the world. One of them.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "lowercase")]
pub enum SeekTarget {
    /// After so many command lines; 0 is the beginning.
    Command(#[tsify(type = "number | bigint")] u32),
    /// Microseconds since the cluster's first moment.
    Time(#[tsify(type = "number | bigint")] u64),
    /// After so many steps of the world.
    Step(#[tsify(type = "number | bigint")] u64),
}

/// What there is to say of a thing: what the panel of the Lab says.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct Answer {
    /// What was asked about: `partition:parcels-0`.
    pub(crate) thing: String,
    /// What it is, and how.
    pub(crate) title: String,
    /// One to three sentences that explain its state.
    pub(crate) says: Vec<Sentence>,
    /// Its numbers.
    pub(crate) facts: Vec<Fact>,
    /// The settings that govern it.
    pub(crate) settings: Vec<Setting>,
    /// What led to it, oldest first.
    pub(crate) reasons: Vec<ClusterEvent>,
    /// Of a record, how its key led to its partition, step by step; empty for anything else.
    pub(crate) arithmetic: Vec<String>,
    /// What to ask about next.
    pub(crate) links: Vec<Link>,
    /// All of it as text, for a terminal.
    pub(crate) text: String,
}

/// A sentence of an answer.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Sentence {
    /// It.
    pub(crate) text: String,
    /// What it is about, if `why` can be asked about that.
    pub(crate) thing: Option<String>,
}

/// A number of an answer, with its name.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Fact {
    /// What it is.
    pub(crate) name: String,
    /// The number, or the name.
    pub(crate) value: String,
    /// What the value names, if `why` can be asked about that.
    pub(crate) thing: Option<String>,
}

/// A setting that governs a thing.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct Setting {
    /// Its key, as Kafka has it.
    pub(crate) key: String,
    /// The value that counts.
    pub(crate) value: String,
    /// Kafka's default.
    pub(crate) default: String,
    /// Where the value comes from, in Kafka's words: `DYNAMIC_TOPIC_CONFIG`.
    pub(crate) source: String,
    /// What it does.
    pub(crate) about: String,
}

/// Something to ask about next.
#[derive(Debug, Serialize, Tsify)]
pub struct Link {
    /// What it is called.
    pub(crate) label: String,
    /// What `why` takes.
    pub(crate) thing: String,
}

/// How a transcript was played: how many of its commands answered as it says.
#[derive(Debug, Serialize, Tsify)]
pub struct CheckReport {
    /// Commands that answered as the transcript says.
    pub(crate) passed: u32,
    /// Commands that did not.
    pub(crate) failed: u32,
    /// Of each of those, how.
    pub(crate) differences: Vec<Difference>,
}

/// A command that answered otherwise than its transcript says. What may differ from run to run (ids, times) is
/// replaced on both sides.
#[derive(Debug, PartialEq, Eq, Serialize, Tsify)]
pub struct Difference {
    /// The line of the transcript on which the command begins, from 1.
    pub(crate) line: u32,
    /// The command.
    pub(crate) command: String,
    /// What the transcript says, with `[exit N]` as its last line where N is not 0.
    pub(crate) expected: Vec<String>,
    /// What came.
    pub(crate) actual: Vec<String>,
    /// Both as a unified diff: `-` expected, `+` came.
    pub(crate) diff: String,
}

/// Which partition a key goes to, and how that comes about.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct PartitionChoice {
    /// The client with its partitioner: `java:default`.
    pub(crate) client: String,
    /// The partition; `null`: this client hashes no such key, so that what its producer did before decides.
    pub(crate) partition: Option<i32>,
    /// Which function hashes the key: `murmur2`; `null`: none does.
    pub(crate) function: Option<String>,
    /// The hash, all 32 bits, without a sign.
    pub(crate) hash: Option<u32>,
    /// How that led to the partition, step by step; without a hash, how the client chooses.
    pub(crate) steps: Vec<String>,
}

/// A client library with one of its partitioners.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null)]
pub struct ClientInfo {
    /// What `partition` and `hw produce --client` take: `kafka-go:murmur2`.
    pub(crate) name: String,
    /// The library: `kafka-go`.
    pub(crate) family: String,
    /// The partitioner: `murmur2`.
    pub(crate) partitioner: String,
    /// As users of the library write it.
    pub(crate) spelled: String,
    /// What it does.
    pub(crate) about: String,
    /// Whether the library's name alone stands for it here.
    pub(crate) is_default: bool,
    /// Which function hashes keys; `null`: keys do not count.
    pub(crate) hashes: Option<String>,
}
