//! Snapshots: all that a view needs, as an immutable value. Unchanged parts keep their `Rc`, so a
//! view can compare pointers.

use std::rc::Rc;

use crate::client::Client;
use crate::client::kafka_consumer::KafkaConsumer;
use crate::controller::records::TopicImage;
use crate::ids::{BrokerId, Offset, PartitionId, TopicName, TopicPartition};
use crate::replication::partition::Partition;
use crate::scope::{self, Lab};
use crate::time::SimTime;
use crate::world::cluster_view::ClusterView;
use crate::world::process::Process;
use crate::world::world::World;

/// The world at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// When.
    pub now: SimTime,
    /// After how many steps.
    pub step: u64,
    /// Topics, sorted by name.
    pub topics: Vec<TopicView>,
    /// Consumers, sorted by the order in which they came.
    pub readers: Vec<ReaderView>,
    /// What a page about one broker does not draw.
    pub cluster: Lab<ClusterView>,
}

/// A topic.
#[derive(Clone, Debug)]
pub struct TopicView {
    /// Its name.
    pub name: TopicName,
    /// What the controller knows of it.
    pub image: Rc<TopicImage>,
    /// Its partitions, in the order of their numbers.
    pub partitions: Vec<PartitionView>,
}

/// A partition, as its leader sees it.
#[derive(Clone, Debug)]
pub struct PartitionView {
    /// Its number.
    pub id: PartitionId,
    /// Its leader.
    pub leader: Option<BrokerId>,
    /// The leader's replica; `None` while no leader holds one.
    pub replica: Option<Rc<Partition>>,
}

/// A consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReaderView {
    /// Its `client.id`.
    pub name: String,
    /// The next offset it will read, a partition each.
    pub positions: Vec<(TopicPartition, Offset)>,
}

impl PartialEq for PartitionView {
    fn eq(&self, other: &Self) -> bool {
        let same = match (&self.replica, &other.replica) {
            (Some(mine), Some(theirs)) => Rc::ptr_eq(mine, theirs),
            (None, None) => true,
            _ => false,
        };
        same && self.id == other.id && self.leader == other.leader
    }
}

impl PartialEq for TopicView {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.image, &other.image)
            && self.name == other.name
            && self.partitions == other.partitions
    }
}

impl Snapshot {
    /// The topic of that name.
    #[must_use]
    pub fn topic(&self, name: &str) -> Option<&TopicView> {
        self.topics.iter().find(|topic| topic.name.as_str() == name)
    }
}

impl<P: Process> World<P> {
    /// The world as it is now.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        if scope::CLUSTER
            && let Some(awake) = self.awake()
        {
            return Snapshot { step: self.steps(), ..awake.snapshot() };
        }
        let image = self.controller().image();
        let mut topics = Vec::new();
        for (name, topic) in image.topics.iter() {
            let mut partitions = Vec::new();
            for (number, partition) in (0..).zip(&topic.partitions) {
                let (id, leader) = (PartitionId(number), partition.leader);
                let broker = leader.and_then(|leader| self.brokers().get(&leader));
                let key = TopicPartition::new(name, id);
                let replica = broker.and_then(|broker| broker.partitions().get(&key)).cloned();
                partitions.push(PartitionView { id, leader, replica });
            }
            let (name, image) = (name.clone(), Rc::clone(topic));
            topics.push(TopicView { name, image, partitions });
        }
        let mut readers = Vec::new();
        for slot in self.clients.values() {
            match &slot.client {
                Client::Consumer(consumer) => {
                    let (name, positions) = (consumer.name().to_owned(), consumer.positions());
                    readers.push(ReaderView { name, positions });
                }
                Client::KafkaConsumer(consumer) if scope::CLUSTER => {
                    readers.extend(consumer.get().map(|it| view_of(it, slot.number, &readers)));
                }
                _ => {}
            }
        }
        let cluster =
            if scope::CLUSTER { Lab::new(self.cluster_view(&readers)) } else { Lab::default() };
        Snapshot { now: self.now(), step: self.steps(), topics, readers, cluster }
    }
}

/// How a consumer is shown. Several may have one `client.id`; a view tells them apart.
fn view_of(consumer: &KafkaConsumer, number: u32, others: &[ReaderView]) -> ReaderView {
    let client_id = consumer.client_id();
    let mut number = number;
    let mut name = if number <= 1 { client_id.to_owned() } else { format!("{client_id} {number}") };
    while others.iter().any(|other| other.name == name) {
        number += 1;
        name = format!("{client_id} {number}");
    }
    let mut positions = Vec::new();
    for (partition, position, _) in consumer.positions() {
        positions.push((partition, position));
    }
    ReaderView { name, positions }
}
