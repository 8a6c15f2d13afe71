//! What a producer knows of topics, and the records that wait until it knows theirs (Kafka's
//! `KafkaProducer.waitOnMetadata`).

use std::rc::Rc;

use super::sender::Batch;
use super::{MAX_BLOCK_MS, Producer, RETRY_BACKOFF, reply_failed};
use crate::client::partitioner::KeylessState;
use crate::client::{ClientReply, LogLevel, leadership};
use crate::controller::records::TopicImage;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, NodeId, PartitionId, TopicName};
use crate::net::message::{CurrentLeaders, ProducerRecord, Request};
use crate::scope;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// What is known of a topic.
#[derive(Clone, Debug)]
pub(super) struct Topic {
    pub(super) image: Rc<TopicImage>,
    pub(super) keyless: KeylessState,
    /// Whether it turned out to be wrong.
    pub(super) stale: bool,
    /// Whether the cluster does not know it any more, or has not been asked for long.
    pub(super) is_gone: bool,
    /// When a record was last sent to it.
    pub(super) used: SimTime,
}

impl Topic {
    /// Who leads a partition, as far as that is known.
    pub(super) fn leader(&self, partition: PartitionId) -> Option<BrokerId> {
        if scope::CLUSTER && (self.stale || self.is_gone) {
            None
        } else {
            self.image.leader(partition)
        }
    }
}

impl Producer {
    pub(super) fn learn(&mut self, name: &TopicName, image: &Rc<TopicImage>, now: SimTime) {
        let topic = self.topics.get_or_insert_with(name.clone(), || {
            let keyless = KeylessState::default();
            let used = now;
            Topic { image: Rc::clone(image), keyless, stale: false, is_gone: false, used }
        });
        if scope::CLUSTER {
            topic.image = leadership::newer_of(&topic.image, image);
        } else {
            topic.image = Rc::clone(image);
        }
        topic.stale = false;
        if scope::CLUSTER {
            topic.is_gone = false;
            self.accumulator.invalid.retain(|invalid| invalid != name);
            self.accumulator.refused.remove(name);
        }
    }

    /// Takes the leaders that a broker has named (KIP-951). All else that may have changed is asked about,
    /// but what goes to them need not wait for that.
    pub(super) fn take_leaders(&mut self, leaders: &CurrentLeaders, out: &mut Outbox) {
        let mut changed = Vec::new();
        for (name, topic) in self.topics.iter_mut() {
            if leadership::update(&mut topic.image, name, leaders) {
                topic.stale = false;
                changed.push(name.clone());
            }
        }
        self.hurry();
        for name in changed {
            self.ask_about(name, out);
        }
    }

    /// Batches that wait to be tried again go at once if their leader is another one by now.
    pub(super) fn hurry(&mut self) {
        let topics = &self.topics;
        self.accumulator.hurry(|batch| has_another_leader(topics, batch));
    }

    /// Whether a batch has a leader, and that has begun since the batch was sent
    /// (`hasLeaderChangedForTheOngoingRetry`).
    pub(super) fn has_another_leader(&self, batch: &Batch) -> bool {
        has_another_leader(&self.topics, batch)
    }

    /// Whether records of that topic can be given partitions.
    pub(super) fn knows(&self, topic: &TopicName) -> bool {
        self.topics.get(topic).is_some_and(|topic| !scope::CLUSTER || !topic.is_gone)
    }

    /// Gives partitions to the records at the front whose topic is known; asks about the first
    /// other one. Order is kept, as `send` blocks.
    pub(super) fn place_blocked(&mut self, out: &mut Outbox) {
        if scope::CLUSTER {
            return self.place_some_blocked(out);
        }
        let known =
            |(_, record): &(SimTime, Rc<ProducerRecord>)| self.topics.contains_key(&record.topic);
        let ready = self.blocked.iter().take_while(|blocked| known(blocked)).count();
        let rest = self.blocked.split_off(ready);
        for blocked in std::mem::replace(&mut self.blocked, rest) {
            self.place(&blocked.1, out);
        }
        if let Some(first) = self.blocked.first() {
            let topic = first.1.topic.clone();
            return self.ask_about(topic, out);
        }
        if self.closing {
            self.send_all(out);
            self.maybe_close(out);
        }
    }

    pub(super) fn ask_about(&mut self, topic: TopicName, out: &mut Outbox) {
        if self.asking {
            return;
        }
        let topics =
            if scope::CLUSTER { self.full_or_partial(topic, out.now()) } else { vec![topic] };
        self.ask(topics, out);
    }

    /// A topic that is new is asked about alone, otherwise all that are in use
    /// (`Metadata.newMetadataRequestAndVersion`).
    fn full_or_partial(&mut self, topic: TopicName, now: SimTime) -> Vec<TopicName> {
        let known = self.topics.get_mut(&topic).map(|known| known.used = now);
        self.accumulator.asks_fully = self.accumulator.refresh_at.is_none() || known.is_some();
        if !self.accumulator.asks_fully {
            return vec![topic];
        }
        let mut topics = self.topics_in_use();
        if !topics.contains(&topic) {
            topics.push(topic);
        }
        topics
    }

    fn topics_in_use(&self) -> Vec<TopicName> {
        let in_use = self.topics.iter().filter(|(_, topic)| !topic.is_gone);
        in_use.map(|(name, _)| name.clone()).collect()
    }

    fn ask(&mut self, topics: Vec<TopicName>, out: &mut Outbox) {
        self.asking = true;
        let Some(node) = self.connection.node() else {
            if scope::CLUSTER {
                // Nobody will ever answer there: each of those that wait gives up in turn.
                for line in self.connection.failures(self.connection.current()) {
                    self.warn(&line, out);
                }
                let pause = self.reconnect_pause();
                return out.timer(pause, Timer::MetadataBackoff);
            }
            self.warn(&self.connection.failure(), out);
            return out.timer(SimDuration::from_millis(MAX_BLOCK_MS), Timer::MetadataBackoff);
        };
        let request = Request::Metadata { topics: Some(topics), allow_auto_topic_creation: true };
        self.asked += 1;
        let id = out.request(NodeId::Broker(node), request);
        if scope::CLUSTER {
            self.asked_with = Some((id, self.deadline(out)));
            self.watch(out);
        }
    }

    /// What was known is old: it asks again about what it uses (`metadata.max.age.ms`).
    pub(super) fn refresh(&mut self, out: &mut Outbox) {
        if self.asking || self.accumulator.refresh_at.is_none_or(|at| at > out.now()) {
            return;
        }
        let topics = self.topics_in_use();
        self.accumulator.asks_fully = true;
        if topics.is_empty() {
            self.accumulator.refresh_at = None;
        } else {
            self.ask(topics, out);
        }
    }

    /// An answer has come. If it was about all topics, those that were not used for long are not asked about
    /// any more (`ProducerMetadata.retainTopic`).
    pub(super) fn note_refresh(&mut self, now: SimTime) {
        if !std::mem::take(&mut self.accumulator.asks_fully) {
            return;
        }
        let delivery = self.config.delivery();
        let (age, idle) = (delivery.metadata_max_age, delivery.metadata_max_idle);
        for (_, topic) in self.topics.iter_mut() {
            topic.is_gone |= topic.used + idle <= now;
        }
        self.accumulator.refresh_at = Some(now + age);
    }

    pub(super) fn warn(&self, text: &str, out: &mut Outbox) {
        let text = format!("[Producer clientId={}] {text}", self.config.client_id);
        out.reply(ClientReply::Log(LogLevel::Warn, text));
    }

    pub(super) fn handle_unknown_topic(
        &mut self,
        name: &TopicName,
        error: &KafkaError,
        out: &mut Outbox,
    ) {
        let (client_id, asked) = (&self.config.client_id, self.asked);
        let text = format!(
            "[Producer clientId={client_id}] The metadata response from the cluster reported a \
             recoverable issue with correlation id {asked} : {{{name}={}}} \
             (org.apache.kafka.clients.NetworkClient)",
            error.code.name()
        );
        out.reply(ClientReply::Log(LogLevel::Warn, text));
        if error.code == ErrorCode::InvalidTopic {
            let text = format!(
                "[Producer clientId={client_id}] Metadata response reported invalid topics \
                 [{name}] (org.apache.kafka.clients.Metadata)"
            );
            out.reply(ClientReply::Log(LogLevel::Error, text));
            let error = KafkaError::new(error.code, format!("Invalid topics: [{name}]"));
            if scope::CLUSTER {
                self.accumulator.invalid.push(name.clone());
                return self.fail_first_blocked(name, error, out);
            }
            self.fail_blocked(name, &error, out);
        } else {
            if scope::CLUSTER {
                self.accumulator.refused.insert(name.clone(), error.code);
                if let Some(topic) = self.topics.get_mut(name) {
                    topic.is_gone = true;
                }
            }
            // The broker is creating it: ask again soon.
            self.asking = true;
            out.timer(RETRY_BACKOFF, Timer::MetadataBackoff);
        }
    }

    pub(super) fn expire_blocked(&mut self, out: &mut Outbox) {
        self.asking = false;
        let limit = SimDuration::from_millis(MAX_BLOCK_MS);
        if let Some(first) = self.blocked.first()
            && first.0 + limit <= out.now()
        {
            let topic = first.1.topic.clone();
            let text = format!("Topic {topic} not present in metadata after {MAX_BLOCK_MS} ms.");
            let error = KafkaError::new(ErrorCode::Timeout, text);
            self.fail_blocked(&topic, &error, out);
        }
    }

    /// Gives up what waits for this topic.
    fn fail_blocked(&mut self, topic: &TopicName, error: &KafkaError, out: &mut Outbox) {
        self.blocked.retain(|blocked| {
            let fails = blocked.1.topic == *topic;
            if fails {
                reply_failed(&blocked.1, error.clone(), out);
            }
            !fails
        });
        self.maybe_close(out);
    }
}

fn has_another_leader(topics: &SortedMap<TopicName, Topic>, batch: &Batch) -> bool {
    let topic = topics.get(&batch.to.topic);
    let known = topic.and_then(|topic| topic.image.partition(batch.to.partition));
    let known = known.filter(|known| known.leader.is_some());
    known.is_some_and(|known| *batch.leader_epoch.known() < Some(known.leader_epoch))
}
