//! Clients of the cluster: state machines that a process owns and talks to.
//!
//! A process gives a `ClientCommand` and gets `ClientReply`s; all else is messages and timers.

use std::rc::Rc;

use crate::client::admin::groups::{GroupsCommand, GroupsReply};
use crate::client::kafka_consumer::command::{ConsumerCommand, ConsumerReply};
use crate::client::kafka_consumer::config::Subscription;
use crate::client::kafka_consumer::{ConsumedRecord, KafkaConsumer, PollError};
use crate::controller::records::{ConfigResource, TopicImage};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, Bytes, Offset, PartitionId, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::net::admin::{AdminAnswer, AdminRequest};
use crate::net::log_dirs::{LogDirsRequest, LogDirsResponse};
use crate::net::message::{
    ConfigEntry, LowWatermarks, Message, Node, OffsetQuestion, ProducerRecord,
};
use crate::scope::{Always, Lab};
use crate::time::SimDuration;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

pub mod admin;
pub mod assignor;
mod backoff;
pub mod cluster_connection_states;
pub mod connection;
pub mod consumer;
pub mod kafka_consumer;
mod leadership;
pub mod partitioner;
pub mod producer;

/// A client, whichever kind.
#[derive(Clone, Debug)]
pub enum Client {
    /// Asks about the cluster and changes it.
    Admin(admin::Admin),
    /// Writes.
    Producer(producer::Producer),
    /// Reads by name.
    Consumer(consumer::Consumer),
    /// Reads as an application does.
    KafkaConsumer(Lab<KafkaConsumer>),
}

/// What a process asks of a client of its own.
#[derive(Debug)]
pub enum ClientCommand {
    /// Admin: ask the controller for something.
    Ask(Rc<AdminRequest>),
    /// Admin: the same, where the client's own patience counts, not a shorter one of the tool.
    AskPatiently(Rc<AdminRequest>),
    /// Admin: ask each of these brokers about the folders of its logs.
    AskLogDirs(Lab<Vec<LogDirsQuestion>>),
    /// Admin: describe all topics.
    DescribeTopics,
    /// Admin: configuration of these topics, or of one broker.
    DescribeConfigs(Rc<Vec<ConfigResource>>),
    /// Admin: which brokers there are.
    DescribeCluster,
    /// Admin: offsets of these partitions, each asked of its leader.
    ListOffsets(Rc<Vec<OffsetQuestion>>),
    /// Admin: move the log start of these partitions; -1: to the high watermark.
    DeleteRecords(Lab<Rc<Vec<(TopicPartition, Offset)>>>),
    /// Admin: something about groups.
    Groups(Lab<GroupsCommand>),
    /// Producer: send a record. No reply until it is acknowledged or fails.
    Send(Rc<ProducerRecord>),
    /// Producer: send what is left and wait for the answers.
    Close,
    /// Consumer: read from this partition; where, if it has no position there yet.
    Assign(TopicPartition, StartAt),
    /// Consumer: hand over at most so many records of this partition.
    Poll(TopicPartition, u32),
    /// Kafka's consumer: what it reads.
    Subscribe(Lab<Subscription>),
    /// Kafka's consumer: hand over what comes within that time; `None`: wait for ever.
    PollFor(Option<SimDuration>),
    /// Kafka's consumer: all else.
    Consume(Lab<ConsumerCommand>),
}

/// Where a consumer begins in a partition that is new to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StartAt {
    /// At the log start.
    Earliest,
    /// At the high watermark.
    Latest,
    /// At this offset.
    Offset(Offset),
}

/// What a client tells its process.
#[derive(Debug)]
pub enum ClientReply {
    /// What the controller decided.
    Answer(Rc<AdminAnswer>),
    /// The topics found, sorted by name, each with what is known or why not.
    Topics(TopicAnswers),
    /// Configuration of the resources asked about.
    Configs(ConfigAnswers),
    /// What each broker said of the folders of its logs, in the order of the question, or why one of
    /// them did not.
    LogDirs(Lab<Result<Vec<LogDirsAnswer>, KafkaError>>),
    /// The brokers that are there, or why they are not known.
    Cluster(Lab<Result<Vec<Node>, KafkaError>>),
    /// Offsets of the partitions asked about, in that order.
    Offsets(OffsetAnswers),
    /// Where the logs begin now, in the order of the question.
    LowWatermarks(Lab<LowWatermarks>),
    /// What is known about groups, or came of a change to them.
    Groups(Lab<GroupsReply>),
    /// A record was acknowledged, or why not.
    Sent(Sent),
    /// The producer has nothing left.
    Closed,
    /// Records with their offsets, and the position after them. Empty: caught up.
    Records(TopicPartition, Vec<(Offset, Record)>, Offset),
    /// Kafka's consumer: what came; nothing: the time is over.
    Polled(Lab<Rc<Vec<ConsumedRecord>>>),
    /// Kafka's consumer cannot go on.
    PollFailed(Lab<PollError>),
    /// Kafka's consumer: all else.
    Consumer(Lab<ConsumerReply>),
    /// Reading failed.
    ReadFailed(TopicPartition, KafkaError),
    /// A line for the client's log, which Kafka's tools print on standard error.
    Log(LogLevel, String),
}

/// What one broker is asked.
pub type LogDirsQuestion = (BrokerId, LogDirsRequest);

/// What one broker answered.
pub type LogDirsAnswer = (BrokerId, LogDirsResponse);

/// The outcome of sending one record.
#[derive(Debug)]
pub struct Sent {
    /// The topic it was for.
    pub topic: TopicName,
    /// Bytes of the key; `None`: it was null.
    pub key_size: Option<u32>,
    /// Bytes of the value; `None`: it was null.
    pub value_size: Option<u32>,
    /// Its key and its value; a page about one broker does not tell.
    pub content: Always<(Option<Bytes>, Option<Bytes>)>,
    /// Where it is; with acks=0 the offset is -1.
    pub result: Result<(PartitionId, Offset), KafkaError>,
    /// What led to the error, if Kafka says it.
    pub cause: Always<Option<ErrorCode>>,
}

/// How much a line of a log matters. Kafka's tools print these two and leave the others out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LogLevel {
    /// WARN
    Warn,
    /// ERROR
    Error,
}

/// What is known of topics that were asked about, or why nothing is.
/// An answer is shared between the message that brings it and whoever it is handed on to.
pub type TopicAnswers = Rc<Vec<TopicAnswer>>;

/// A topic with what is known of it.
pub type TopicAnswer = (TopicName, Result<Rc<TopicImage>, KafkaError>);

/// The entries of resources that were asked about, or why they are not known.
pub type ConfigAnswers = Rc<Vec<(ConfigResource, Result<Vec<ConfigEntry>, KafkaError>)>>;

/// What was found for one partition: a timestamp and an offset; `None`: no record is late enough.
pub type OffsetAnswer = Result<Option<(i64, Offset)>, KafkaError>;

/// What was found for each of the partitions asked about.
pub type OffsetAnswers = Rc<Vec<(TopicPartition, OffsetAnswer)>>;

impl Client {
    /// Handles a command of its process.
    pub fn handle_command(&mut self, command: &ClientCommand, out: &mut Outbox) {
        match self {
            Self::Admin(admin) => admin.handle_command(command, out),
            Self::Producer(producer) => producer.handle_command(command, out),
            Self::Consumer(consumer) => consumer.handle_command(command, out),
            Self::KafkaConsumer(consumer) => {
                if let Some(consumer) = consumer.get_mut() {
                    consumer.handle_command(command, out);
                }
            }
        }
    }

    /// Handles an answer of a broker.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        match self {
            Self::Admin(admin) => admin.handle_message(message, out),
            Self::Producer(producer) => producer.handle_message(message, out),
            Self::Consumer(consumer) => consumer.handle_message(message, out),
            Self::KafkaConsumer(consumer) => {
                if let Some(consumer) = consumer.get_mut() {
                    consumer.handle_message(message, out);
                }
            }
        }
    }

    /// Handles a timer it set.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        match self {
            Self::Admin(admin) => admin.handle_timer(timer, out),
            Self::Producer(producer) => producer.handle_timer(timer, out),
            Self::Consumer(consumer) => consumer.handle_timer(timer, out),
            Self::KafkaConsumer(consumer) => {
                if let Some(consumer) = consumer.get_mut() {
                    consumer.handle_timer(timer, out);
                }
            }
        }
    }
}
