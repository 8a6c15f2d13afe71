//! Questions about the cluster, and requests that are handed on to the controller.

use std::rc::Rc;

use crate::broker::Broker;
use crate::controller::records::{ConfigResource, TopicImage};
use crate::controller::topic_name;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{MessageId, NodeId, TopicName};
use crate::net::admin::{AdminRequest, CreatableTopic};
use crate::net::message::{ConfigEntry, Node, Request, Response};
use crate::scope::{self, Lab};
use crate::world::outbox::Outbox;

impl Broker {
    pub(super) fn handle_metadata(
        &mut self,
        topics: Option<&[TopicName]>,
        allow_auto_topic_creation: bool,
        out: &mut Outbox,
    ) -> Response {
        let unfenced =
            self.image.brokers.iter().filter(|(_, broker)| !(scope::CLUSTER && broker.fenced));
        let brokers = unfenced.map(|(id, broker)| {
            let (id, port, rack) = (*id, broker.port, broker.rack.clone());
            Node { id, port, rack }
        });
        let brokers = brokers.collect();
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
                None => match topic_name::validate(name.as_str(), &self.image) {
                    Err(error) => Err(error),
                    Ok(()) => Err(KafkaError::plain(ErrorCode::UnknownTopicOrPartition)),
                },
            };
            let missing = matches!(&known, Err(e) if e.code == ErrorCode::UnknownTopicOrPartition);
            let creates = !scope::CLUSTER || self.config().auto_create_topics_enable;
            if missing && allow_auto_topic_creation && creates {
                let request = AdminRequest::CreateTopic(self.auto_topic(name));
                self.forward(Rc::new(request), None, out);
            }
            answer.push((name.clone(), known));
        }
        Response::Metadata { brokers, topics: Rc::new(answer) }
    }

    pub(super) fn forward(
        &mut self,
        request: Rc<AdminRequest>,
        asked: Option<(NodeId, MessageId)>,
        out: &mut Outbox,
    ) -> MessageId {
        let id = out.request(NodeId::Controller, Request::Admin(request));
        self.forwarded.insert(id, asked);
        id
    }

    /// What a broker makes of a topic that a client just asked for (`auto.create.topics.enable`). Its own file
    /// counts, not the controller's (`AutoTopicCreationManager.creatableTopic`).
    fn auto_topic(&self, name: &TopicName) -> CreatableTopic {
        let config = self.life.config.get();
        let factor = config.map(|config| config.default_replication_factor);
        CreatableTopic {
            name: name.clone(),
            partitions: config.map(|config| config.num_partitions),
            replication_factor: factor.filter(|factor| *factor != -1),
            assignment: Vec::new(),
            configs: Vec::new(),
        }
    }

    /// Entries of a topic whose source is not Kafka's built-in default: all that a page about one broker
    /// asks for.
    pub(super) fn own_configs(
        &self,
        resource: &ConfigResource,
    ) -> Result<Vec<ConfigEntry>, KafkaError> {
        let topic = match resource {
            ConfigResource::Topic(name) => self.image.topics.get(name),
            _ => None,
        };
        let unknown = || KafkaError::plain(ErrorCode::UnknownTopicOrPartition);
        let topic = topic.ok_or_else(unknown)?;
        let mut entries: Vec<ConfigEntry> = Vec::new();
        let everywhere = self.image.broker_configs.get(&ConfigResource::BrokerDefault);
        for (name, value) in topic.configs.iter().chain(everywhere.into_iter().flatten()) {
            if !entries.iter().any(|entry| entry.name == *name) {
                let (name, value) = (name.clone(), value.clone());
                entries.push(ConfigEntry { name, value, synonyms: Lab::default() });
            }
        }
        Ok(entries)
    }
}
