//! Messages: Kafka's requests and responses by name, visible while they are on their way.

use std::rc::Rc;

use crate::client::{ConfigAnswers, OffsetAnswers, TopicAnswers};
use crate::controller::records::MetadataRecord;
use crate::error::KafkaError;
use crate::ids::{
    BrokerId, Bytes, EventId, LeaderEpoch, MessageId, NodeId, Offset, PartitionId, TopicName,
    TopicPartition,
};
use crate::log::record::{Record, RecordBatch};
use crate::time::SimTime;

/// A request or response in flight.
#[derive(Debug)]
pub struct Message {
    /// Its number, in order of sending.
    pub id: MessageId,
    /// The sender.
    pub from: NodeId,
    /// The receiver.
    pub to: NodeId,
    /// When it was sent.
    pub sent: SimTime,
    /// When it arrives.
    pub due: SimTime,
    /// The event that led to it.
    pub cause: Option<EventId>,
    /// The request that this answers; for a request, its own number.
    pub correlation: MessageId,
    /// What it says.
    pub body: Body,
}

/// The content of a message.
#[derive(Debug)]
pub enum Body {
    /// Asks.
    Request(Request),
    /// Answers.
    Response(Response),
}

impl Body {
    /// Kafka's name of the request or of what is answered (`ApiKeys`).
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::Request(request) => match request {
                Request::Metadata { .. } => "Metadata",
                Request::CreateTopics { .. } => "CreateTopics",
                Request::DescribeConfigs { .. } => "DescribeConfigs",
                Request::ListOffsets { .. } => "ListOffsets",
                Request::Produce { .. } => "Produce",
                Request::Fetch { .. } | Request::FetchMetadataLog { .. } => "Fetch",
            },
            Self::Response(response) => match response {
                Response::Metadata { .. } => "Metadata",
                Response::CreateTopics(_) => "CreateTopics",
                Response::DescribeConfigs(_) => "DescribeConfigs",
                Response::ListOffsets(_) => "ListOffsets",
                Response::Produce(_) => "Produce",
                Response::Fetch(_) | Response::MetadataLog { .. } => "Fetch",
            },
        }
    }
}

/// What clients ask brokers and brokers ask the controller.
#[derive(Debug)]
pub enum Request {
    /// Which brokers and topics are there? `None` asks for all topics.
    Metadata {
        /// The topics asked about.
        topics: Option<Vec<TopicName>>,
        /// Whether a missing topic is to be created (`allow.auto.create.topics`).
        allow_auto_topic_creation: bool,
    },
    /// Make a topic. Brokers hand it on to the controller.
    CreateTopics {
        /// What to make.
        topic: Rc<CreatableTopic>,
    },
    /// Which configuration do these topics have?
    DescribeConfigs {
        /// The topics.
        topics: Vec<TopicName>,
    },
    /// Where do these partitions start, end, or reach a time?
    ListOffsets {
        /// Each partition with what is asked of it.
        partitions: Vec<OffsetQuestion>,
    },
    /// Append these records. The broker must lead all of the partitions.
    Produce {
        /// Whether an answer is wanted, and from how many.
        acks: Acks,
        /// One batch a partition.
        batches: Rc<Vec<ProducerBatch>>,
    },
    /// Read a partition from an offset on; waits up to `max_wait_ms` while there is nothing.
    Fetch {
        /// The partition.
        partition: TopicPartition,
        /// The first offset wanted.
        from: Offset,
        /// `fetch.max.wait.ms`.
        max_wait_ms: u64,
        /// `max.partition.fetch.bytes`: whole batches up to this, but at least one.
        max_bytes: u64,
    },
    /// A broker reads the metadata log; the controller answers once there is more.
    FetchMetadataLog {
        /// The first offset of the metadata log that is wanted.
        from: u64,
    },
}

/// A partition with what is asked of it.
pub type OffsetQuestion = (TopicPartition, OffsetSpec);

/// Records on their way to one partition.
pub type ProducerBatch = (TopicPartition, Rc<[Record]>);

/// Answers, in the order of `Request`.
#[derive(Debug)]
pub enum Response {
    /// Brokers (id and port) and, for each topic asked about, what is known or why not.
    Metadata {
        /// Every registered broker with its port on localhost.
        brokers: Vec<(BrokerId, u32)>,
        /// The topics, sorted by name.
        topics: TopicAnswers,
    },
    /// The topic was made, or why not.
    CreateTopics(Result<TopicName, KafkaError>),
    /// For each topic, the entries that differ from Kafka's built-in defaults.
    DescribeConfigs(ConfigAnswers),
    /// For each partition the timestamp and offset found; `None`: no record is late enough.
    ListOffsets(OffsetAnswers),
    /// For each partition the offset of the first record, or why not.
    Produce(Vec<(TopicPartition, Result<Offset, KafkaError>)>),
    /// The batches found and the high watermark, or why not.
    Fetch(Result<Fetched, KafkaError>),
    /// Records of the metadata log.
    MetadataLog {
        /// The offset of the first of them.
        from: u64,
        /// The records.
        records: Vec<Rc<MetadataRecord>>,
    },
}

/// What a fetch brings.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fetched {
    /// The partition it was read from.
    pub partition: TopicPartition,
    /// Whole batches; the first may begin before the offset asked for.
    pub batches: Vec<Rc<RecordBatch>>,
    /// The first offset that is not committed.
    pub high_watermark: Offset,
}

/// From how many replicas a producer wants to hear (`acks`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Acks {
    /// From none: fire and forget.
    None,
    /// From the leader.
    Leader,
    /// From all in-sync replicas.
    All,
}

/// What `ListOffsets` may be asked (Kafka's `OffsetSpec`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OffsetSpec {
    /// -1: the high watermark.
    Latest,
    /// -2: the log start offset.
    Earliest,
    /// -3: the record with the largest timestamp.
    MaxTimestamp,
    /// -4: the first offset on the broker's own disk; without tiered storage the log start.
    EarliestLocal,
    /// -5, -6: about tiered storage, which is off.
    Tiered,
    /// The first record with this timestamp or a later one. Below -6 there is nothing to ask for.
    Timestamp(i64),
}

/// A topic to be made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CreatableTopic {
    /// Its name, not yet checked.
    pub name: TopicName,
    /// How many partitions; `None`: the broker's `num.partitions`.
    pub partitions: Option<i32>,
    /// How many replicas each; `None`: the broker's `default.replication.factor`.
    pub replication_factor: Option<i32>,
    /// Brokers for each partition, preferred leader first; empty: Kafka chooses.
    pub assignment: Vec<Vec<BrokerId>>,
    /// Topic configuration, not yet checked.
    pub configs: Vec<(String, String)>,
}

/// One configuration entry of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConfigEntry {
    /// The key.
    pub name: String,
    /// Its value.
    pub value: String,
}

/// A record with the place that a producer wants for it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ProducerRecord {
    /// The topic.
    pub topic: TopicName,
    /// The partition, if the application names it.
    pub partition: Option<PartitionId>,
    /// The key.
    pub key: Option<Bytes>,
    /// The value.
    pub value: Option<Bytes>,
    /// Headers.
    pub headers: Vec<crate::log::record::Header>,
}

/// A partition as metadata tells it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PartitionImage {
    /// The brokers that hold it, preferred leader first.
    pub replicas: Vec<BrokerId>,
    /// The in-sync replicas.
    pub isr: Vec<BrokerId>,
    /// The leader, if there is one.
    pub leader: Option<BrokerId>,
    /// How many leaders it has had.
    pub leader_epoch: LeaderEpoch,
}
