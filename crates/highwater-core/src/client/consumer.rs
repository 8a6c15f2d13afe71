//! The consumer: keeps a position for each partition it was given, and moves it only over records
//! that it hands to its process (Kafka's `KafkaConsumer` with `assign`).

use crate::sorted_map::SortedMap;

use std::rc::Rc;

use crate::client::connection::Connection;
use crate::client::{ClientCommand, ClientReply, StartAt};
use crate::controller::records::TopicImage;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, Offset, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::net::message::{Body, FetchRequest, Fetched, Message, OffsetSpec, Request, Response};
use crate::scope::{self, Lab};
use crate::time::SimDuration;
use crate::world::event::EventKind;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// `fetch.max.wait.ms` and `max.partition.fetch.bytes`.
const FETCH_MAX_WAIT_MS: u64 = 500;
const MAX_PARTITION_FETCH_BYTES: u64 = 1_048_576;
/// `retry.backoff.ms`
const RETRY_BACKOFF: SimDuration = SimDuration::from_millis(100);

/// What the consumer waits for; it does one thing at a time.
#[derive(Clone, Debug)]
enum Waiting {
    Leader,
    Start,
    Records,
}

/// Where it is in a partition.
#[derive(Clone, Debug)]
struct Place {
    start: StartAt,
    /// The next offset it will read, once it knows.
    position: Option<Offset>,
}

/// A consumer.
#[derive(Clone, Debug)]
pub struct Consumer {
    name: String,
    connection: Connection,
    places: SortedMap<TopicPartition, Place>,
    poll: Option<(TopicPartition, u32)>,
    waiting: Option<(MessageId, Waiting)>,
    topic: Option<(TopicName, Rc<TopicImage>)>,
}

impl Consumer {
    /// A consumer without a partition. `name` is its `client.id`.
    #[must_use]
    pub fn new(name: String, connection: Connection) -> Self {
        Self { name, connection, places: SortedMap::new(), poll: None, waiting: None, topic: None }
    }

    /// Its `client.id`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next offset it will read, for each partition it has a position in.
    #[must_use]
    pub fn positions(&self) -> Vec<(TopicPartition, Offset)> {
        let mut positions = Vec::new();
        for (partition, place) in self.places.iter() {
            if let Some(position) = place.position {
                positions.push((partition.clone(), position));
            }
        }
        positions
    }

    fn place(&mut self, partition: &TopicPartition, start: StartAt) -> &mut Place {
        self.places.get_or_insert_with(partition.clone(), || Place { start, position: None })
    }

    fn position(&self, partition: &TopicPartition) -> Option<Offset> {
        self.places.get(partition)?.position
    }

    /// Where it was told to begin in a partition.
    #[must_use]
    pub fn start(&self, partition: &TopicPartition) -> Option<StartAt> {
        self.places.get(partition).map(|place| place.start)
    }

    /// Handles `Assign` and `Poll`.
    pub fn handle_command(&mut self, command: &ClientCommand, out: &mut Outbox) {
        match command {
            ClientCommand::Assign(partition, start) => {
                self.place(partition, *start);
            }
            ClientCommand::Poll(partition, most) => {
                self.poll = Some((partition.clone(), *most));
                self.advance(out);
            }
            _ => {}
        }
    }

    /// Handles an answer to what it asked last; answers to anything older are dropped.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        let Some((_, waiting)) = self.waiting.take_if(|(id, _)| *id == message.correlation) else {
            return;
        };
        let response = match &message.body {
            Body::Response(response) => response,
            _ if scope::CLUSTER => return self.retry(&waiting, out),
            _ => return,
        };
        let Some((partition, _)) = self.poll.clone() else { return };
        match (waiting, response) {
            (Waiting::Leader, Response::Metadata { brokers, topics }) => {
                self.connection.learn(brokers);
                match topics.iter().find(|(name, _)| *name == partition.topic) {
                    Some((name, Ok(topic))) => {
                        self.topic = Some((name.clone(), Rc::clone(topic)));
                        self.advance(out);
                    }
                    Some((_, Err(error))) => self.fail(error.clone(), out),
                    None => self.fail(unknown(), out),
                }
            }
            (Waiting::Start, Response::ListOffsets(answers)) => match answers.first() {
                Some((_, Ok(Some((_, offset))))) => {
                    self.set_position(&partition, *offset, out);
                    self.advance(out);
                }
                Some((_, Err(error))) => self.fail(error.clone(), out),
                _ => self.fail(unknown(), out),
            },
            (waiting @ Waiting::Records, Response::Fetch(answers, ..)) => match answers.first() {
                Some((_, Ok(fetched))) => self.hand_over(fetched, out),
                Some((_, Err(error)))
                    if scope::CLUSTER && error.code == ErrorCode::NotLeaderOrFollower =>
                {
                    self.retry(&waiting, out);
                }
                Some((_, Err(error))) => self.fail(error.clone(), out),
                None => {}
            },
            _ => {}
        }
    }

    /// Nobody answered, or the leader is another one now: it is looked up again after a while.
    fn retry(&mut self, waiting: &Waiting, out: &mut Outbox) {
        if matches!(waiting, Waiting::Leader) {
            self.connection.note_failure();
        }
        self.topic = None;
        out.timer(RETRY_BACKOFF, Timer::RetryBackoff);
    }

    /// It is time to try again, or a request has waited too long.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        match timer {
            Timer::RetryBackoff if scope::CLUSTER && self.waiting.is_none() => self.advance(out),
            _ => {}
        }
    }

    /// Asks for whatever is missing for the next records: leader, position, records.
    fn advance(&mut self, out: &mut Outbox) {
        let Some((partition, _)) = &self.poll else { return };
        let known = self.topic.as_ref().filter(|(name, _)| *name == partition.topic);
        let Some((_, topic)) = known else {
            let topics = Some(vec![partition.topic.clone()]);
            let request = Request::Metadata { topics, allow_auto_topic_creation: false };
            let Some(node) = self.connection.node() else { return self.fail(unknown(), out) };
            let id = out.request(NodeId::Broker(node), request);
            self.waiting = Some((id, Waiting::Leader));
            return;
        };
        let Some(leader) = topic.leader(partition.partition) else {
            // It may have no leader for a moment, or have been added since.
            let exists = topic.partition(partition.partition).is_some();
            if scope::CLUSTER && exists {
                return self.retry(&Waiting::Records, out);
            }
            self.topic = None;
            return self.fail(unknown(), out);
        };
        let Some(position) = self.position(partition) else {
            return self.find_start(&partition.clone(), leader, out);
        };
        let request = FetchRequest {
            partitions: vec![(partition.clone(), position)],
            max_wait_ms: FETCH_MAX_WAIT_MS,
            min_bytes: 1,
            max_bytes: MAX_PARTITION_FETCH_BYTES,
            max_partition_bytes: MAX_PARTITION_FETCH_BYTES,
            details: Lab::default(),
        };
        let id = out.request(NodeId::Broker(leader), Request::Fetch(Rc::new(request)));
        self.waiting = Some((id, Waiting::Records));
    }

    fn find_start(&mut self, partition: &TopicPartition, leader: BrokerId, out: &mut Outbox) {
        let spec = match self.place(partition, StartAt::Latest).start {
            StartAt::Offset(offset) => {
                self.set_position(partition, offset, out);
                return self.advance(out);
            }
            StartAt::Earliest => OffsetSpec::Earliest,
            StartAt::Latest => OffsetSpec::Latest,
        };
        let partitions = vec![(partition.clone(), spec)];
        let id = out.request(NodeId::Broker(leader), Request::ListOffsets { partitions });
        self.waiting = Some((id, Waiting::Start));
    }

    fn set_position(&mut self, partition: &TopicPartition, to: Offset, out: &mut Outbox) {
        let from = self.place(partition, StartAt::Latest).position.replace(to);
        out.emit(EventKind::PositionMoved {
            reader: self.name.clone(),
            member: Lab::default(),
            partition: partition.clone(),
            from,
            to,
        });
    }

    /// Gives the process as many of the fetched records as it wants. What it does not want yet is
    /// fetched again at the next poll: the position says where.
    fn hand_over(&mut self, fetched: &Fetched, out: &mut Outbox) {
        let Some((partition, most)) = self.poll.take() else { return };
        let Some(position) = self.position(&partition) else { return };
        let mut records: Vec<(Offset, Record)> = Vec::new();
        let mut next = position;
        for batch in &fetched.batches {
            for (offset, record) in batch.iter_from(position) {
                if records.len() >= most as usize || offset >= fetched.high_watermark {
                    break;
                }
                let timestamp = batch.timestamp_of(record);
                records.push((offset, Record { timestamp, ..record.clone() }));
                next = offset.plus(1);
            }
            // The cleaner may have removed the last records of a batch: nothing is to be had there.
            if records.len() < most as usize {
                next = next.max(batch.next_offset().min(fetched.high_watermark));
            }
        }
        if next != position {
            self.set_position(&partition, next, out);
        }
        out.reply(ClientReply::Records(partition, records, next));
    }

    fn fail(&mut self, error: KafkaError, out: &mut Outbox) {
        if let Some((partition, _)) = self.poll.take() {
            out.reply(ClientReply::ReadFailed(partition, error));
        }
    }
}

fn unknown() -> KafkaError {
    KafkaError::plain(ErrorCode::UnknownTopicOrPartition)
}
