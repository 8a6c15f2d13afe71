//! The active controller: takes requests, decides, appends to the metadata log, replays it, and
//! gives it to the brokers that wait for more (Kafka's `QuorumController`).

use crate::sorted_map::SortedMap;
use std::rc::Rc;

use crate::controller::records::{MetadataImage, MetadataRecord};
use crate::controller::replication_control::create_topic;
use crate::draw::{Purpose, draw, who};
use crate::ids::{MessageId, NodeId, TopicId};
use crate::net::message::{Body, CreatableTopic, Message, Request, Response};
use crate::world::event::EventKind;
use crate::world::outbox::Outbox;

/// The controller's state: the log, what it amounts to, and who waits for more of it.
#[derive(Clone, Debug)]
pub struct QuorumController {
    seed: u64,
    log: Vec<Rc<MetadataRecord>>,
    image: MetadataImage,
    /// Parked fetches of brokers, with the offset that each asks for.
    parked: SortedMap<NodeId, (MessageId, u64)>,
    topics_made: u64,
}

impl QuorumController {
    /// A controller that has made no decision.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self {
            seed,
            log: Vec::new(),
            image: MetadataImage::default(),
            parked: SortedMap::new(),
            topics_made: 0,
        }
    }

    /// What the controller knows of the cluster.
    #[must_use]
    pub fn image(&self) -> &MetadataImage {
        &self.image
    }

    /// Appends records and replays them; parked brokers get them at once.
    pub fn append(&mut self, records: Vec<MetadataRecord>, out: &mut Outbox) {
        for record in records {
            self.image.replay(&record);
            self.log.push(Rc::new(record));
        }
        for (broker, (correlation, from)) in std::mem::take(&mut self.parked) {
            self.answer_fetch(broker, correlation, from, out);
        }
    }

    /// Handles a message from a broker.
    pub fn handle(&mut self, message: &Message, out: &mut Outbox) {
        let Body::Request(request) = &message.body else { return };
        match request {
            Request::FetchMetadataLog { from } => {
                self.answer_fetch(message.from, message.correlation, *from, out);
            }
            Request::CreateTopics { topic } => {
                let result = self.handle_create_topic(topic, out);
                let answer = Response::CreateTopics(result.map(|()| topic.name.clone()));
                out.respond(message, answer);
            }
            _ => {}
        }
    }

    fn handle_create_topic(
        &mut self,
        topic: &CreatableTopic,
        out: &mut Outbox,
    ) -> Result<(), crate::error::KafkaError> {
        let id = self.next_topic_id(topic);
        let cause = Some(out.next_event());
        let created = create_topic(&self.image, topic, id, self.seed, cause);
        match created {
            Ok(records) => {
                let mut partitions = 0;
                for record in &records {
                    partitions += u32::from(matches!(record, MetadataRecord::Partition { .. }));
                }
                out.emit(EventKind::TopicCreated { topic: topic.name.clone(), id, partitions });
                self.topics_made += 1;
                self.append(records, out);
                Ok(())
            }
            Err(error) => {
                out.emit(EventKind::TopicRefused {
                    topic: topic.name.clone(),
                    error: error.clone(),
                });
                Err(error)
            }
        }
    }

    fn next_topic_id(&self, topic: &CreatableTopic) -> TopicId {
        let name = who(topic.name.as_str());
        let half =
            |n: u64| u128::from(draw(self.seed, Purpose::TopicId, name, self.topics_made * 2 + n));
        TopicId((half(0) << 64) | half(1))
    }

    fn answer_fetch(
        &mut self,
        broker: NodeId,
        correlation: MessageId,
        from: u64,
        out: &mut Outbox,
    ) {
        let records = self.log.get(usize::try_from(from).unwrap_or(usize::MAX)..).unwrap_or(&[]);
        if records.is_empty() {
            self.parked.insert(broker, (correlation, from));
        } else {
            out.respond_to(
                broker,
                correlation,
                Response::MetadataLog { from, records: records.to_vec() },
            );
        }
    }
}
