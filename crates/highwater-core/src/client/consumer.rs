//! The consumer: keeps a position for each partition it was given, and moves it only over records
//! that it hands to its process (Kafka's `KafkaConsumer` with `assign`).

use crate::sorted_map::SortedMap;

use crate::client::{ClientCommand, ClientReply, StartAt};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, Offset, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::net::message::{Body, Fetched, Message, OffsetSpec, Request, Response};
use crate::world::event::EventKind;
use crate::world::outbox::Outbox;

/// `fetch.max.wait.ms` and `max.partition.fetch.bytes`.
const FETCH_MAX_WAIT_MS: u64 = 500;
const MAX_PARTITION_FETCH_BYTES: u64 = 1_048_576;

/// What the consumer waits for; it does one thing at a time.
#[derive(Clone, Debug)]
enum Waiting {
    Leader,
    Start,
    Records,
}

/// A consumer.
#[derive(Clone, Debug)]
pub struct Consumer {
    name: String,
    bootstrap: BrokerId,
    starts: SortedMap<TopicPartition, StartAt>,
    positions: SortedMap<TopicPartition, Offset>,
    poll: Option<(TopicPartition, u32)>,
    waiting: Option<(MessageId, Waiting)>,
    leader: Option<(TopicName, Vec<Option<BrokerId>>)>,
}

impl Consumer {
    /// A consumer without a partition. `name` is its `client.id`.
    #[must_use]
    pub fn new(name: String, bootstrap: BrokerId) -> Self {
        Self {
            name,
            bootstrap,
            starts: SortedMap::new(),
            positions: SortedMap::new(),
            poll: None,
            waiting: None,
            leader: None,
        }
    }

    /// Its `client.id`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The next offset it will read, for each partition it has a position in.
    #[must_use]
    pub fn positions(&self) -> &SortedMap<TopicPartition, Offset> {
        &self.positions
    }

    /// Where it was told to begin in a partition.
    #[must_use]
    pub fn start(&self, partition: &TopicPartition) -> Option<StartAt> {
        self.starts.get(partition).copied()
    }

    /// Handles `Assign` and `Poll`.
    pub fn handle_command(&mut self, command: ClientCommand, out: &mut Outbox) {
        match command {
            ClientCommand::Assign(partition, start) => {
                self.starts.get_or_insert_with(partition, || start);
            }
            ClientCommand::Poll(partition, most) => {
                self.poll = Some((partition, most));
                self.advance(out);
            }
            _ => {}
        }
    }

    /// Handles an answer to what it asked last; answers to anything older are dropped.
    pub fn handle_message(&mut self, message: &Message, out: &mut Outbox) {
        let Body::Response(response) = &message.body else { return };
        let Some((asked, waiting)) = self.waiting.take() else { return };
        if asked != message.correlation {
            self.waiting = Some((asked, waiting));
            return;
        }
        let Some((partition, _)) = self.poll.clone() else { return };
        match (waiting, response) {
            (Waiting::Leader, Response::Metadata { topics, .. }) => {
                match topics.iter().find(|(name, _)| *name == partition.topic) {
                    Some((name, Ok(topic))) => {
                        let leaders = topic.partitions.iter().map(|image| image.leader).collect();
                        self.leader = Some((name.clone(), leaders));
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
            (Waiting::Records, Response::Fetch(Ok(fetched))) => self.hand_over(fetched, out),
            (Waiting::Records, Response::Fetch(Err(error))) => self.fail(error.clone(), out),
            _ => {}
        }
    }

    /// Asks for whatever is missing for the next records: leader, position, records.
    fn advance(&mut self, out: &mut Outbox) {
        let Some((partition, _)) = &self.poll else { return };
        let known = match &self.leader {
            Some((topic, leaders)) if *topic == partition.topic => Some(
                usize::try_from(partition.partition.0)
                    .ok()
                    .and_then(|number| leaders.get(number).copied().flatten()),
            ),
            _ => None,
        };
        let Some(leader) = known else {
            let topics = Some(vec![partition.topic.clone()]);
            let request = Request::Metadata { topics, allow_auto_topic_creation: false };
            let id = out.request(NodeId::Broker(self.bootstrap), request);
            self.waiting = Some((id, Waiting::Leader));
            return;
        };
        let Some(leader) = leader else {
            // The partition may have been added since: ask again at the next poll.
            self.leader = None;
            return self.fail(unknown(), out);
        };
        let Some(position) = self.positions.get(partition).copied() else {
            return self.find_start(&partition.clone(), leader, out);
        };
        let request = Request::Fetch {
            partition: partition.clone(),
            from: position,
            max_wait_ms: FETCH_MAX_WAIT_MS,
            max_bytes: MAX_PARTITION_FETCH_BYTES,
        };
        let id = out.request(NodeId::Broker(leader), request);
        self.waiting = Some((id, Waiting::Records));
    }

    fn find_start(&mut self, partition: &TopicPartition, leader: BrokerId, out: &mut Outbox) {
        let spec = match self.starts.get(partition) {
            Some(StartAt::Offset(offset)) => {
                let offset = *offset;
                self.set_position(partition, offset, out);
                return self.advance(out);
            }
            Some(StartAt::Earliest) => OffsetSpec::Earliest,
            Some(StartAt::Latest) | None => OffsetSpec::Latest,
        };
        let partitions = vec![(partition.clone(), spec)];
        let id = out.request(NodeId::Broker(leader), Request::ListOffsets { partitions });
        self.waiting = Some((id, Waiting::Start));
    }

    fn set_position(&mut self, partition: &TopicPartition, to: Offset, out: &mut Outbox) {
        let from = self.positions.insert(partition.clone(), to);
        out.emit(EventKind::PositionMoved {
            reader: self.name.clone(),
            partition: partition.clone(),
            from,
            to,
        });
    }

    /// Gives the process as many of the fetched records as it wants. What it does not want yet is
    /// fetched again at the next poll: the position says where.
    fn hand_over(&mut self, fetched: &Fetched, out: &mut Outbox) {
        let Some((partition, most)) = self.poll.take() else { return };
        let Some(position) = self.positions.get(&partition).copied() else { return };
        let records: Vec<(Offset, Record)> = fetched
            .batches
            .iter()
            .flat_map(|batch| batch.iter())
            .filter(|(offset, _)| *offset >= position && *offset < fetched.high_watermark)
            .take(most as usize)
            .map(|(offset, record)| (offset, record.clone()))
            .collect();
        let next = records.last().map_or(position, |(offset, _)| offset.plus(1));
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
