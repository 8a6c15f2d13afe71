//! What a producer knows of topics, and the records that wait until it knows theirs (Kafka's
//! `KafkaProducer.waitOnMetadata`).

use std::rc::Rc;

use super::{MAX_BLOCK_MS, Producer, RETRY_BACKOFF, reply_failed};
use crate::client::partitioner::KeylessState;
use crate::client::{ClientReply, LogLevel};
use crate::controller::records::TopicImage;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, NodeId, PartitionId, TopicName};
use crate::net::message::{ProducerRecord, Request};
use crate::scope;
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
}

impl Topic {
    /// Who leads a partition, as far as that is known.
    pub(super) fn leader(&self, partition: PartitionId) -> Option<BrokerId> {
        if scope::CLUSTER && self.stale { None } else { self.image.leader(partition) }
    }
}

impl Producer {
    pub(super) fn learn(&mut self, name: &TopicName, image: &Rc<TopicImage>) {
        let topic = self.topics.get_or_insert_with(name.clone(), || {
            let keyless = KeylessState::default();
            Topic { image: Rc::clone(image), keyless, stale: false }
        });
        topic.image = Rc::clone(image);
        topic.stale = false;
    }

    /// Gives partitions to the records at the front whose topic is known; asks about the first
    /// other one. Order is kept, as `send` blocks.
    pub(super) fn place_blocked(&mut self, out: &mut Outbox) {
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
        self.asking = true;
        let Some(node) = self.connection.node() else {
            self.warn(&self.connection.failure(), out);
            return out.timer(SimDuration::from_millis(MAX_BLOCK_MS), Timer::MetadataBackoff);
        };
        let topics = Some(vec![topic]);
        let request = Request::Metadata { topics, allow_auto_topic_creation: true };
        self.asked += 1;
        let id = out.request(NodeId::Broker(node), request);
        if scope::CLUSTER {
            self.asked_with = Some((id, self.deadline(out)));
            self.watch(out);
        }
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
            self.fail_blocked(name, &error, out);
        } else {
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
