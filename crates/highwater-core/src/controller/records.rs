//! Metadata records and the image that comes of replaying them (`MetadataImage`).
//!
//! The controller and each broker have an image of their own: a broker knows what has reached it.

use crate::sorted_map::SortedMap;
use std::rc::Rc;

use crate::ids::{BrokerId, EventId, PartitionId, TopicId, TopicName};
use crate::net::message::PartitionImage;

/// One record of the metadata log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MetadataRecord {
    /// A broker has joined (`RegisterBrokerRecord`).
    RegisterBroker {
        /// Its id.
        id: BrokerId,
        /// Its port on localhost.
        port: u32,
    },
    /// A topic exists (`TopicRecord`).
    Topic {
        /// Its name.
        name: TopicName,
        /// Its id.
        id: TopicId,
        /// The event of its creation.
        cause: Option<EventId>,
    },
    /// The topic's next partition exists (`PartitionRecord`).
    Partition {
        /// The topic.
        topic: TopicName,
        /// Where it lives.
        image: PartitionImage,
    },
    /// A topic's configuration has an entry (`ConfigRecord`).
    Config {
        /// The topic.
        topic: TopicName,
        /// The key.
        name: String,
        /// The value.
        value: String,
    },
}

/// What is known of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TopicImage {
    /// Its id.
    pub id: TopicId,
    /// Its partitions; the n-th has number n.
    pub partitions: Vec<PartitionImage>,
    /// What was set for this topic.
    pub configs: Vec<(String, String)>,
    /// The event of its creation.
    pub created_by: Option<EventId>,
}

impl TopicImage {
    /// The leader of a partition, if both exist.
    #[must_use]
    pub fn leader(&self, partition: PartitionId) -> Option<BrokerId> {
        let number = usize::try_from(partition.0).ok()?;
        self.partitions.get(number)?.leader
    }
}

/// What a node knows of the cluster.
#[derive(Clone, Debug, Default)]
pub struct MetadataImage {
    /// Brokers with their ports.
    pub brokers: SortedMap<BrokerId, u32>,
    /// Topics by name. Shared: an unchanged topic keeps its pointer.
    pub topics: SortedMap<TopicName, Rc<TopicImage>>,
}

impl MetadataImage {
    /// Takes one record in. The only way in which an image changes.
    pub fn replay(&mut self, record: &MetadataRecord) {
        match record {
            MetadataRecord::RegisterBroker { id, port } => {
                self.brokers.insert(*id, *port);
            }
            MetadataRecord::Topic { name, id, cause } => {
                let topic = TopicImage {
                    id: *id,
                    partitions: Vec::new(),
                    configs: Vec::new(),
                    created_by: *cause,
                };
                self.topics.insert(name.clone(), Rc::new(topic));
            }
            MetadataRecord::Partition { topic, image } => {
                if let Some(topic) = self.topics.get_mut(topic) {
                    Rc::make_mut(topic).partitions.push(image.clone());
                }
            }
            MetadataRecord::Config { topic, name, value } => {
                if let Some(topic) = self.topics.get_mut(topic) {
                    let configs = &mut Rc::make_mut(topic).configs;
                    configs.retain(|(key, _)| key != name);
                    configs.push((name.clone(), value.clone()));
                }
            }
        }
    }
}
