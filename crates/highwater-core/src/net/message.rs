//! Messages: Kafka's requests and responses by name, visible while they are on their way.
//! What brokers and controller tell each other is in `internal`, what is asked of the controller in
//! `admin`.

use std::rc::Rc;

use crate::client::kafka_consumer::config::IsolationLevel;
use crate::client::{ConfigAnswers, OffsetAnswers, TopicAnswers};
use crate::controller::records::ConfigResource;
use crate::error::KafkaError;
use crate::ids::{
    BrokerId, Bytes, EventId, LeaderEpoch, MessageId, NodeId, Offset, PartitionId, Rack, TopicName,
    TopicPartition,
};
use crate::log::record_batch::{ProducerIdAndEpoch, Proposal, RecordBatch};
use crate::net::admin::{AdminAnswer, AdminRequest};
use crate::net::group::{GroupRequest, GroupResponse};
use crate::net::internal::{InternalRequest, InternalResponse};
use crate::net::log_dirs::{LogDirsRequest, LogDirsResponse};
use crate::scope::{self, Always, Lab};
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
    /// There will be no answer.
    Disconnect {
        /// Whether nobody listens there, so that the request was never taken; otherwise the connection
        /// was closed.
        refused: bool,
    },
}

impl Body {
    /// Kafka's name of the request or of what is answered (`ApiKeys`).
    #[must_use]
    pub fn api_name(&self) -> &'static str {
        match self {
            Self::Request(request) => match request {
                Request::Metadata { .. } => "Metadata",
                Request::Admin(request) => request.api_name(),
                Request::DescribeConfigs { .. } => "DescribeConfigs",
                Request::ListOffsets { .. } => "ListOffsets",
                Request::Produce { .. } => "Produce",
                Request::Fetch(_) => "Fetch",
                Request::DeleteRecords { .. } if scope::CLUSTER => "DeleteRecords",
                Request::InitProducerId if scope::CLUSTER => "InitProducerId",
                Request::LogDirs(request) if scope::CLUSTER => request.known().api_name(),
                Request::ApiVersions if scope::CLUSTER => "ApiVersions",
                Request::Group(request) if scope::CLUSTER => request.known().api_name(),
                Request::OffsetsForLeaderEpoch(_) if scope::CLUSTER => "OffsetsForLeaderEpoch",
                Request::DeleteRecords { .. }
                | Request::InitProducerId
                | Request::ApiVersions
                | Request::LogDirs(_)
                | Request::Group(_)
                | Request::OffsetsForLeaderEpoch(_) => "",
                Request::Internal(request) => request.api_name(),
            },
            Self::Response(response) => match response {
                Response::Metadata { .. } => "Metadata",
                Response::Admin(answer) => answer.api_name(),
                Response::DescribeConfigs(_) => "DescribeConfigs",
                Response::ListOffsets(_) => "ListOffsets",
                Response::Produce(..) => "Produce",
                Response::Fetch(..) => "Fetch",
                Response::DeleteRecords(_) if scope::CLUSTER => "DeleteRecords",
                Response::InitProducerId(_) if scope::CLUSTER => "InitProducerId",
                Response::LogDirs(response) if scope::CLUSTER => response.known().api_name(),
                Response::ApiVersions if scope::CLUSTER => "ApiVersions",
                Response::Group(response) if scope::CLUSTER => response.known().api_name(),
                Response::OffsetsForLeaderEpoch(_) if scope::CLUSTER => "OffsetsForLeaderEpoch",
                Response::DeleteRecords(_)
                | Response::InitProducerId(_)
                | Response::ApiVersions
                | Response::LogDirs(_)
                | Response::Group(_)
                | Response::OffsetsForLeaderEpoch(_) => "",
                Response::Internal(response) => response.api_name(),
            },
            Self::Disconnect { .. } => "disconnect",
        }
    }
}

/// What clients ask brokers and nodes ask each other.
#[derive(Debug)]
pub enum Request {
    /// Which brokers and topics are there? `None` asks for all topics.
    Metadata {
        /// The topics asked about.
        topics: Option<Vec<TopicName>>,
        /// Whether a missing topic is to be created (`allow.auto.create.topics`).
        allow_auto_topic_creation: bool,
    },
    /// Something that the controller decides. Brokers hand it on.
    Admin(Rc<AdminRequest>),
    /// Which configuration do these topics or brokers have? A broker knows its own.
    DescribeConfigs {
        /// What is asked about.
        resources: Rc<Vec<ConfigResource>>,
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
        /// How long the broker may wait for the in-sync replicas (`request.timeout.ms`).
        timeout_ms: u64,
        /// One batch a partition.
        batches: Rc<Vec<ProducerBatch>>,
    },
    /// Read partitions, all led by this broker.
    Fetch(Rc<FetchRequest>),
    /// Move the log start of these partitions up to an offset; -1: to the high watermark.
    DeleteRecords {
        /// The partitions, all led by this broker.
        partitions: Lab<Vec<(TopicPartition, Offset)>>,
    },
    /// Give this idempotent producer an id.
    InitProducerId,
    /// What can the broker do? The first thing on a connection that is made anew: nothing else is sent before the
    /// answer.
    ApiVersions,
    /// About the folders of this broker's logs.
    LogDirs(Lab<LogDirsRequest>),
    /// To a group coordinator, or about one.
    Group(Lab<GroupRequest>),
    /// How far do these leader epochs go in the logs of their partitions (KIP-320)?
    OffsetsForLeaderEpoch(Lab<Vec<EpochQuestion>>),
    /// Between brokers and controller.
    Internal(InternalRequest),
}

/// A leader epoch of a partition, whose end is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EpochQuestion {
    /// Of which partition.
    pub partition: TopicPartition,
    /// In which epoch that partition is, as the client knows.
    pub current: LeaderEpoch,
    /// The epoch asked about.
    pub epoch: LeaderEpoch,
}

/// For each partition the largest epoch up to the one asked about, and where it ends; `None`: not known
/// there.
pub type EpochAnswers = Vec<(TopicPartition, Result<Option<(LeaderEpoch, Offset)>, KafkaError>)>;

/// A partition with what is asked of it.
pub type OffsetQuestion = (TopicPartition, OffsetSpec);

/// Records on their way to one partition.
pub type ProducerBatch = (TopicPartition, Proposal);

/// For each partition what came of a change that was asked for.
pub type PartitionOutcomes = Rc<Vec<(TopicPartition, Result<(), KafkaError>)>>;

/// For each partition the lowest log start of its live replicas, or why nothing was deleted.
pub type LowWatermarks = Rc<Vec<(TopicPartition, Result<Offset, KafkaError>)>>;

/// A broker as clients know it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its id.
    pub id: BrokerId,
    /// Its port on localhost.
    pub port: u32,
    /// Where it stands.
    pub rack: Rack,
}

impl Node {
    /// A broker that does not say where it stands.
    #[must_use]
    pub fn new(id: BrokerId, port: u32) -> Self {
        Self { id, port, rack: Rack::default() }
    }
}

/// Answers, in the order of `Request`.
#[derive(Debug)]
pub enum Response {
    /// Brokers (id and port) and, for each topic asked about, what is known or why not.
    Metadata {
        /// Every unfenced broker.
        brokers: Vec<Node>,
        /// The topics, sorted by name.
        topics: TopicAnswers,
    },
    /// What the controller decided.
    Admin(Rc<AdminAnswer>),
    /// For each resource its entries. A build for one broker leaves out those that are Kafka's defaults.
    DescribeConfigs(ConfigAnswers),
    /// For each partition the timestamp and offset found; `None`: no record is late enough.
    ListOffsets(OffsetAnswers),
    /// For each partition the offset of the first record, or why not.
    Produce(Vec<(TopicPartition, Result<Offset, KafkaError>)>, Lab<CurrentLeaders>),
    /// What there is in each partition, in the order of the request, or why nothing.
    Fetch(FetchAnswers, Lab<CurrentLeaders>),
    /// How far the logs begin now.
    DeleteRecords(Lab<LowWatermarks>),
    /// The producer's id and epoch, or why there is none.
    InitProducerId(Lab<Result<ProducerIdAndEpoch, KafkaError>>),
    /// The broker is there.
    ApiVersions,
    /// About the folders of this broker's logs.
    LogDirs(Lab<LogDirsResponse>),
    /// From a group coordinator, or about one.
    Group(Lab<GroupResponse>),
    /// How far leader epochs go.
    OffsetsForLeaderEpoch(Lab<EpochAnswers>),
    /// Between brokers and controller.
    Internal(InternalResponse),
}

/// What a consumer wants to read. The broker waits up to `max_wait_ms` until there are `min_bytes`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FetchRequest {
    /// Each partition with the first offset wanted.
    pub partitions: Vec<(TopicPartition, Offset)>,
    /// `fetch.max.wait.ms`.
    pub max_wait_ms: u64,
    /// `fetch.min.bytes`.
    pub min_bytes: u64,
    /// `fetch.max.bytes`: whole batches up to this together, but at least one.
    pub max_bytes: u64,
    /// `max.partition.fetch.bytes`: the same for each partition.
    pub max_partition_bytes: u64,
    /// What a whole consumer says besides.
    pub details: Lab<FetchDetails>,
}

/// What only a whole consumer says in a fetch.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FetchDetails {
    /// For each partition the leader epoch that it knows (KIP-320).
    pub leader_epochs: Vec<Option<LeaderEpoch>>,
    /// What it sees of transactions.
    pub isolation_level: IsolationLevel,
}

/// Who leads partitions of which the broker that was asked is not the leader, and in which epoch: so the
/// client need not ask (KIP-951).
pub type CurrentLeaders = Vec<(TopicPartition, BrokerId, LeaderEpoch)>;

/// For each partition what was found, or why nothing.
pub type FetchAnswers = Vec<(TopicPartition, Result<Fetched, KafkaError>)>;

/// What a fetch brings from one partition.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Fetched {
    /// Whole batches; the first may begin before the offset asked for.
    pub batches: Vec<Rc<RecordBatch>>,
    /// The first offset that is not committed.
    pub high_watermark: Offset,
    /// The first offset that may belong to an open transaction.
    pub last_stable_offset: Always<Offset>,
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

/// One configuration entry of a topic or a broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigEntry {
    /// The key.
    pub name: String,
    /// Its value; `null`, as Kafka's tools print it, if it has none.
    pub value: String,
    /// Where values for it are set; the first one counts. None: Kafka's own default.
    pub synonyms: Lab<Vec<ConfigSynonym>>,
}

impl ConfigEntry {
    /// Where its value comes from.
    #[must_use]
    pub fn source(&self) -> ConfigSource {
        let first = self.synonyms.get().and_then(|synonyms| synonyms.first());
        first.map_or(ConfigSource::Default, |synonym| synonym.source)
    }
}

/// A value that counts unless one before it in the list is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigSynonym {
    /// Where it is set.
    pub source: ConfigSource,
    /// Under which key.
    pub name: String,
    /// To what.
    pub value: String,
}

/// Where a value is set (Kafka's `ConfigSource`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigSource {
    /// For the topic.
    Topic,
    /// For one broker, while it runs.
    Broker,
    /// For all brokers, while they run.
    BrokerDefault,
    /// In the broker's file.
    Static,
    /// In Kafka.
    Default,
}

impl ConfigSource {
    /// Kafka's name of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Topic => "DYNAMIC_TOPIC_CONFIG",
            Self::Broker => "DYNAMIC_BROKER_CONFIG",
            Self::BrokerDefault => "DYNAMIC_DEFAULT_BROKER_CONFIG",
            Self::Static => "STATIC_BROKER_CONFIG",
            Self::Default => "DEFAULT_CONFIG",
        }
    }
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
