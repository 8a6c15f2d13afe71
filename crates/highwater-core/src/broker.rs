//! A broker: keeps what the metadata log gives it to keep, and answers clients.

use crate::sorted_map::SortedMap;
use std::rc::Rc;

use crate::controller::records::{MetadataImage, MetadataRecord, TopicImage};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, Offset, PartitionId, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::Proposal;
use crate::log::unified_log::LogConfig;
use crate::net::message::{
    Acks, Body, ConfigEntry, CreatableTopic, Fetched, Message, OffsetSpec, Request, Response,
};
use crate::replication::partition::Partition;
use crate::time::SimDuration;
use crate::world::event::EventKind;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// A fetch of a consumer that found nothing and waits (the delayed fetch purgatory).
#[derive(Clone, Debug)]
struct DelayedFetch {
    from: NodeId,
    partition: TopicPartition,
    offset: Offset,
    max_bytes: u64,
}

/// A broker's state.
#[derive(Clone, Debug)]
pub struct Broker {
    id: BrokerId,
    image: MetadataImage,
    /// How much of the metadata log it has replayed.
    metadata_offset: u64,
    /// The partitions it holds. Shared with snapshots: an unchanged one keeps its pointer.
    partitions: SortedMap<TopicPartition, Rc<Partition>>,
    delayed_fetches: SortedMap<MessageId, DelayedFetch>,
    /// Requests it handed on to the controller, with who asked.
    forwarded: SortedMap<MessageId, Option<(NodeId, MessageId)>>,
}

impl Broker {
    /// A broker that knows nothing yet.
    #[must_use]
    pub fn new(id: BrokerId) -> Self {
        Self {
            id,
            image: MetadataImage::default(),
            metadata_offset: 0,
            partitions: SortedMap::new(),
            delayed_fetches: SortedMap::new(),
            forwarded: SortedMap::new(),
        }
    }

    /// The partitions it holds.
    #[must_use]
    pub fn partitions(&self) -> &SortedMap<TopicPartition, Rc<Partition>> {
        &self.partitions
    }

    /// Begins to follow the metadata log.
    pub fn start(&mut self, out: &mut Outbox) {
        let from = self.metadata_offset;
        out.request(NodeId::Controller, Request::FetchMetadataLog { from });
    }

    /// A fetch has waited long enough.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        let Timer::FetchWait(correlation) = timer else { return };
        if let Some(fetch) = self.delayed_fetches.remove(correlation) {
            let result = self.read(&fetch.partition, fetch.offset, fetch.max_bytes);
            out.respond_to(fetch.from, *correlation, Response::Fetch(result));
        }
    }

    /// Handles a message.
    pub fn handle(&mut self, message: &Message, out: &mut Outbox) {
        match &message.body {
            Body::Request(request) => self.handle_request(message, request, out),
            Body::Response(Response::MetadataLog { from, records }) => {
                self.replay(*from, records);
                self.start(out);
            }
            Body::Response(Response::CreateTopics(result)) => {
                if let Some(Some((client, correlation))) =
                    self.forwarded.remove(&message.correlation)
                {
                    let answer = Response::CreateTopics(result.clone());
                    out.respond_to(client, correlation, answer);
                }
            }
            Body::Response(_) => {}
        }
    }

    fn handle_request(&mut self, message: &Message, request: &Request, out: &mut Outbox) {
        match request {
            Request::Metadata { topics, allow_auto_topic_creation } => {
                let answer =
                    self.handle_metadata(topics.as_deref(), *allow_auto_topic_creation, out);
                out.respond(message, answer);
            }
            Request::CreateTopics { topic } => {
                let asked = Some((message.from, message.correlation));
                self.forward_create(Rc::clone(topic), asked, out);
            }
            Request::DescribeConfigs { topics } => {
                let mut answer = Vec::new();
                for name in topics {
                    answer.push((name.clone(), self.configs(name)));
                }
                out.respond(message, Response::DescribeConfigs(Rc::new(answer)));
            }
            Request::ListOffsets { partitions } => {
                let mut answer = Vec::new();
                for (partition, spec) in partitions {
                    answer.push((partition.clone(), self.list_offset(partition, *spec)));
                }
                out.respond(message, Response::ListOffsets(Rc::new(answer)));
            }
            Request::Produce { acks, batches } => {
                let mut answer = Vec::new();
                for (to, records) in batches.iter() {
                    answer.push((to.clone(), self.append(to, records, out)));
                }
                if *acks != Acks::None {
                    out.respond(message, Response::Produce(answer));
                }
                self.complete_delayed_fetches(out);
            }
            Request::Fetch { partition, from, max_wait_ms, max_bytes } => {
                self.handle_fetch(message, partition, *from, *max_wait_ms, *max_bytes, out);
            }
            Request::FetchMetadataLog { .. } => {}
        }
    }

    fn replay(&mut self, from: u64, records: &[Rc<MetadataRecord>]) {
        // A record that has been replayed already is skipped: answers may overlap.
        let skip = usize::try_from(self.metadata_offset.saturating_sub(from)).unwrap_or(usize::MAX);
        for record in records.iter().skip(skip) {
            self.image.replay(record);
            self.metadata_offset += 1;
            if let MetadataRecord::Partition { topic, image } = &**record
                && image.replicas.contains(&self.id)
            {
                let config = self.log_config(topic);
                let number = self.image.topics.get(topic).map_or(0, |topic| topic.partitions.len());
                let number = i32::try_from(number).unwrap_or(i32::MAX).saturating_sub(1);
                let partition = Partition::new(self.id, image.leader_epoch, config);
                let key = TopicPartition::new(topic, PartitionId(number));
                self.partitions.insert(key, Rc::new(partition));
            }
        }
    }

    fn log_config(&self, topic: &TopicName) -> LogConfig {
        let entries = self.image.topics.get(topic).map_or(&[][..], |topic| &topic.configs);
        LogConfig::default().with(entries)
    }

    fn handle_metadata(
        &mut self,
        topics: Option<&[TopicName]>,
        allow_auto_topic_creation: bool,
        out: &mut Outbox,
    ) -> Response {
        let brokers = self.image.brokers.iter().map(|(id, port)| (*id, *port)).collect();
        let Some(names) = topics else {
            let mut topics = Vec::new();
            for (name, topic) in self.image.topics.iter() {
                topics.push((name.clone(), Ok(Rc::clone(topic))));
            }
            return Response::Metadata { brokers, topics: Rc::new(topics) };
        };
        let mut answer = Vec::new();
        for name in names {
            let known: Result<Rc<TopicImage>, KafkaError> = match self.image.topics.get(name) {
                Some(topic) => Ok(Rc::clone(topic)),
                None => match crate::controller::topic_name::validate(name.as_str(), &self.image) {
                    Err(error) => Err(error),
                    Ok(()) => Err(KafkaError::plain(ErrorCode::UnknownTopicOrPartition)),
                },
            };
            let missing = matches!(&known, Err(e) if e.code == ErrorCode::UnknownTopicOrPartition);
            if missing && allow_auto_topic_creation {
                self.forward_create(Rc::new(auto_topic(name)), None, out);
            }
            answer.push((name.clone(), known));
        }
        Response::Metadata { brokers, topics: Rc::new(answer) }
    }

    fn forward_create(
        &mut self,
        topic: Rc<CreatableTopic>,
        asked: Option<(NodeId, MessageId)>,
        out: &mut Outbox,
    ) {
        let id = out.request(NodeId::Controller, Request::CreateTopics { topic });
        self.forwarded.insert(id, asked);
    }

    /// Entries of a topic whose source is not Kafka's built-in default.
    fn configs(&self, name: &TopicName) -> Result<Vec<ConfigEntry>, KafkaError> {
        let topic = self
            .image
            .topics
            .get(name)
            .ok_or_else(|| KafkaError::plain(ErrorCode::UnknownTopicOrPartition))?;
        let mut entries = Vec::new();
        for (name, value) in &topic.configs {
            entries.push(ConfigEntry { name: name.clone(), value: value.clone() });
        }
        // Formatting a cluster with eligible leader replicas (4.1 and later) writes this entry for
        // the whole cluster, so every topic shows it.
        if !entries.iter().any(|entry| entry.name == "min.insync.replicas") {
            let name = "min.insync.replicas".to_owned();
            entries.push(ConfigEntry { name, value: "1".to_owned() });
        }
        Ok(entries)
    }

    fn leading(&self, partition: &TopicPartition) -> Result<&Rc<Partition>, KafkaError> {
        let held = self.partitions.get(partition);
        held.ok_or_else(|| match self.image.topics.get(&partition.topic) {
            Some(topic) if has_partition(topic, partition.partition) => {
                KafkaError::plain(ErrorCode::NotLeaderOrFollower)
            }
            _ => KafkaError::plain(ErrorCode::UnknownTopicOrPartition),
        })
    }

    fn list_offset(
        &self,
        partition: &TopicPartition,
        spec: OffsetSpec,
    ) -> Result<Option<(i64, Offset)>, KafkaError> {
        let partition = self.leading(partition)?;
        let log = partition.log();
        Ok(match spec {
            OffsetSpec::Latest => Some((-1, partition.high_watermark())),
            OffsetSpec::Earliest | OffsetSpec::EarliestLocal => Some((-1, log.log_start_offset())),
            OffsetSpec::MaxTimestamp => log.max_timestamp(),
            OffsetSpec::Tiered => None,
            OffsetSpec::Timestamp(millis) if millis < 0 => {
                return Err(KafkaError::plain(ErrorCode::UnsupportedVersion));
            }
            OffsetSpec::Timestamp(millis) => log.offset_for_timestamp(millis),
        })
    }

    fn append(
        &mut self,
        to: &TopicPartition,
        records: &Rc<[Record]>,
        out: &mut Outbox,
    ) -> Result<Offset, KafkaError> {
        self.leading(to)?;
        let Some(partition) = self.partitions.get_mut(to) else {
            return Err(KafkaError::plain(ErrorCode::NotLeaderOrFollower));
        };
        let event = out.next_event();
        let proposal = Proposal::from(Rc::clone(records));
        let now_ms = out.now().epoch_millis();
        let appended =
            Rc::make_mut(partition).append_records_to_leader(&proposal, now_ms, to, Some(event));
        let appended = appended.inspect_err(|error| {
            out.emit(EventKind::AppendRefused { partition: to.clone(), error: error.clone() });
        })?;
        let batch = &appended.info.batch;
        let appended_event = out.emit(EventKind::BatchAppended {
            partition: to.clone(),
            broker: self.id,
            base_offset: batch.base_offset,
            count: batch.count(),
            leader_epoch: batch.leader_epoch,
        });
        if let Some(base_offset) = appended.info.rolled {
            out.emit_because(
                appended_event,
                EventKind::SegmentRolled { partition: to.clone(), broker: self.id, base_offset },
            );
        }
        if let Some((from, watermark)) = appended.high_watermark {
            out.emit_because(
                appended_event,
                EventKind::HighWatermarkAdvanced {
                    partition: to.clone(),
                    from,
                    to: watermark.offset,
                    held_by: watermark.held_by,
                },
            );
        }
        Ok(batch.base_offset)
    }

    fn handle_fetch(
        &mut self,
        message: &Message,
        partition: &TopicPartition,
        offset: Offset,
        max_wait_ms: u64,
        max_bytes: u64,
        out: &mut Outbox,
    ) {
        let result = self.read(partition, offset, max_bytes);
        let nothing = matches!(&result, Ok(fetched) if fetched.batches.is_empty());
        if nothing && max_wait_ms > 0 {
            let fetch = DelayedFetch {
                from: message.from,
                partition: partition.clone(),
                offset,
                max_bytes,
            };
            self.delayed_fetches.insert(message.correlation, fetch);
            out.timer(SimDuration::from_millis(max_wait_ms), Timer::FetchWait(message.correlation));
        } else {
            out.respond(message, Response::Fetch(result));
        }
    }

    /// Answers waiting fetches that an append has given something to read.
    fn complete_delayed_fetches(&mut self, out: &mut Outbox) {
        let waiting: Vec<MessageId> = self.delayed_fetches.keys().copied().collect();
        for correlation in waiting {
            let Some(fetch) = self.delayed_fetches.get(&correlation) else { continue };
            let result = self.read(&fetch.partition, fetch.offset, fetch.max_bytes);
            if !matches!(&result, Ok(fetched) if fetched.batches.is_empty()) {
                let to = fetch.from;
                self.delayed_fetches.remove(&correlation);
                out.respond_to(to, correlation, Response::Fetch(result));
            }
        }
    }

    /// What a consumer may read from `offset` on: whole batches below the high watermark.
    fn read(
        &self,
        partition: &TopicPartition,
        offset: Offset,
        max_bytes: u64,
    ) -> Result<Fetched, KafkaError> {
        let replica = self.leading(partition)?;
        let (log, high_watermark) = (replica.log(), replica.high_watermark());
        if offset < log.log_start_offset() || offset > high_watermark {
            return Err(KafkaError::plain(ErrorCode::OffsetOutOfRange));
        }
        let mut batches = Vec::new();
        for batch in log.read(offset, high_watermark, max_bytes) {
            batches.push(Rc::clone(batch));
        }
        Ok(Fetched { partition: partition.clone(), batches, high_watermark })
    }
}

fn has_partition(topic: &TopicImage, partition: PartitionId) -> bool {
    usize::try_from(partition.0).is_ok_and(|number| number < topic.partitions.len())
}

/// What a broker makes of a topic that a client just asked for (`auto.create.topics.enable`).
fn auto_topic(name: &TopicName) -> CreatableTopic {
    CreatableTopic {
        name: name.clone(),
        partitions: None,
        replication_factor: None,
        assignment: Vec::new(),
        configs: Vec::new(),
    }
}
