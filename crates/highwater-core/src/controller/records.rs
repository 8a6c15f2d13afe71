//! The metadata log's records, and the image that a node builds by replaying them
//! (Kafka's `MetadataImage`). Replay is the only way in which metadata changes.

use crate::sorted_map::SortedMap;
use std::rc::Rc;

use crate::ids::{
    BrokerEpoch, BrokerId, EventId, LeaderEpoch, PartitionEpoch, PartitionId, Rack, TopicId,
    TopicName,
};
use crate::scope::{self, Lab};

/// One record of the metadata log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MetadataRecord {
    /// A broker has joined, fenced at first (`RegisterBrokerRecord`).
    RegisterBroker {
        /// Its id.
        id: BrokerId,
        /// What is known of it.
        registration: BrokerRegistration,
    },
    /// A broker may lead from now on, or no more (`BrokerRegistrationChangeRecord`).
    BrokerRegistrationChange {
        /// Its id.
        id: BrokerId,
        /// Whether it is fenced.
        fenced: bool,
        /// Whether it is leaving.
        in_controlled_shutdown: bool,
        /// Whether its folders take no new replicas; `None`: as before.
        cordoned: Option<bool>,
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
    /// A topic is gone, with its partitions and configuration (`RemoveTopicRecord`).
    RemoveTopic {
        /// Its name.
        name: TopicName,
    },
    /// The topic's next partition exists (`PartitionRecord`).
    Partition {
        /// The topic.
        topic: TopicName,
        /// Where it lives. Whoever replays the record shares it.
        image: Rc<PartitionImage>,
    },
    /// A partition's leader, in-sync replicas or assignment changed (`PartitionChangeRecord`).
    PartitionChange {
        /// The topic.
        topic: TopicName,
        /// The partition.
        partition: PartitionId,
        /// What changed.
        change: Lab<PartitionChange>,
        /// The event of the change.
        cause: Option<EventId>,
    },
    /// A broker was given ids for producers (`ProducerIdsRecord`).
    ProducerIds {
        /// The broker.
        broker: BrokerId,
        /// Its registration.
        epoch: BrokerEpoch,
        /// The first id that nobody has been given.
        next_producer_id: i64,
    },
    /// A configuration entry was set, or taken away (`ConfigRecord`).
    Config {
        /// Of what.
        resource: ConfigResource,
        /// The key.
        name: String,
        /// The value; `None`: the default counts again.
        value: Option<String>,
    },
    /// Nobody is eligible any more but who is in sync: the least number of in-sync replicas has
    /// changed, for which those replicas had been kept (`ClearElrRecord`).
    ClearElr {
        /// In this topic; `None`: in all.
        topic: Option<TopicName>,
    },
}

/// What a configuration belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigResource {
    /// One topic.
    Topic(TopicName),
    /// One broker.
    Broker(BrokerId),
    /// All brokers that have no entry of their own.
    BrokerDefault,
}

impl ConfigResource {
    /// Whether it is that topic.
    #[must_use]
    pub fn is_topic(&self, name: &TopicName) -> bool {
        matches!(self, Self::Topic(topic) if topic == name)
    }
}

/// A registered broker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BrokerRegistration {
    /// Its port on localhost.
    pub port: u32,
    /// Where it stands (`broker.rack`).
    pub rack: Rack,
    /// Which registration this is.
    pub epoch: BrokerEpoch,
    /// Which run of its process registered.
    pub incarnation: u32,
    /// Whether it may not lead.
    pub fenced: bool,
    /// Whether it has asked to leave.
    pub in_controlled_shutdown: bool,
    /// Whether all its folders of logs take no new replicas (KIP-1066).
    pub cordoned: bool,
}

impl BrokerRegistration {
    /// Whether it may lead and be in sync (`ClusterControlManager.isActive`).
    #[must_use]
    pub fn is_active(&self) -> bool {
        !self.fenced && !self.in_controlled_shutdown
    }

    /// Whether new replicas may be placed on it (`BrokerHeartbeatManager.usableBrokers`).
    #[must_use]
    pub fn is_usable(&self) -> bool {
        !self.in_controlled_shutdown && !self.cordoned
    }
}

/// A partition as the controller knows it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartitionImage {
    /// The brokers that hold it, preferred leader first.
    pub replicas: Vec<BrokerId>,
    /// The in-sync replicas.
    pub isr: Vec<BrokerId>,
    /// Replicas out of the ISR that hold all that is committed (KIP-966).
    pub elr: Vec<BrokerId>,
    /// While there is no leader and no eligible replica: who led last.
    pub last_known_elr: Vec<BrokerId>,
    /// Replicas that a reassignment adds.
    pub adding: Vec<BrokerId>,
    /// Replicas that a reassignment removes.
    pub removing: Vec<BrokerId>,
    /// The leader, if there is one.
    pub leader: Option<BrokerId>,
    /// Whether its leader was elected uncleanly and has not settled yet.
    pub recovering: bool,
    /// How many leaders it has had.
    pub leader_epoch: LeaderEpoch,
    /// How often it has changed.
    pub partition_epoch: PartitionEpoch,
    /// The event of the last change; of its creation, while nothing changed.
    pub changed_by: Option<EventId>,
}

impl PartitionImage {
    /// A new partition: its first active replica leads, all active ones are in sync.
    #[must_use]
    pub fn new(
        replicas: Vec<BrokerId>,
        is_active: impl Fn(BrokerId) -> bool,
        changed_by: Option<EventId>,
    ) -> Self {
        let mut isr = replicas.clone();
        if scope::CLUSTER {
            isr.retain(|replica| is_active(*replica));
        }
        Self { leader: isr.first().copied(), isr, replicas, changed_by, ..Self::default() }
    }

    /// Whether the first replica leads.
    #[must_use]
    pub fn has_preferred_leader(&self) -> bool {
        self.leader.is_some() && self.leader == self.replicas.first().copied()
    }

    /// Whether a reassignment is under way.
    #[must_use]
    pub fn is_reassigning(&self) -> bool {
        !self.adding.is_empty() || !self.removing.is_empty()
    }

    /// How many replicas it has, without those that are being added (`TopicCommand`).
    #[must_use]
    pub fn replication_factor(&self) -> usize {
        let adding = if scope::CLUSTER { self.adding.len() } else { 0 };
        self.replicas.len().saturating_sub(adding)
    }

    /// Takes a change in (`PartitionRegistration.merge`).
    pub(super) fn merge(&mut self, change: &PartitionChange, cause: Option<EventId>) {
        let take = |to: &mut Vec<BrokerId>, from: &Option<Vec<BrokerId>>| {
            if let Some(list) = from {
                to.clone_from(list);
            }
        };
        take(&mut self.replicas, &change.replicas);
        take(&mut self.isr, &change.isr);
        take(&mut self.elr, &change.elr);
        take(&mut self.last_known_elr, &change.last_known_elr);
        take(&mut self.adding, &change.adding);
        take(&mut self.removing, &change.removing);
        if let Some(leader) = change.leader {
            self.leader = leader;
            self.leader_epoch = LeaderEpoch(self.leader_epoch.0.saturating_add(1));
        }
        if let Some(recovering) = change.recovering {
            self.recovering = recovering;
        }
        self.partition_epoch = PartitionEpoch(self.partition_epoch.0.saturating_add(1));
        self.changed_by = cause;
    }
}

/// What a `PartitionChangeRecord` says; `None`: as before. A leader that is named again still
/// begins a new epoch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartitionChange {
    /// The assignment.
    pub replicas: Option<Vec<BrokerId>>,
    /// The in-sync replicas.
    pub isr: Option<Vec<BrokerId>>,
    /// The eligible leader replicas.
    pub elr: Option<Vec<BrokerId>>,
    /// The last known leader.
    pub last_known_elr: Option<Vec<BrokerId>>,
    /// Replicas being added.
    pub adding: Option<Vec<BrokerId>>,
    /// Replicas being removed.
    pub removing: Option<Vec<BrokerId>>,
    /// The leader; `Some(None)`: nobody.
    pub leader: Option<Option<BrokerId>>,
    /// Whether the leader was elected uncleanly and has not settled yet.
    pub recovering: Option<bool>,
}

/// What is known of a topic.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TopicImage {
    /// Its id.
    pub id: TopicId,
    /// Its partitions; the n-th has number n. Shared: an unchanged one keeps its pointer.
    pub partitions: Vec<Rc<PartitionImage>>,
    /// What was set for this topic.
    pub configs: Vec<(String, String)>,
    /// The event of its creation.
    pub created_by: Option<EventId>,
}

impl TopicImage {
    /// A partition, if there is one of that number.
    #[must_use]
    pub fn partition(&self, partition: PartitionId) -> Option<&Rc<PartitionImage>> {
        self.partitions.get(usize::try_from(partition.0).ok()?)
    }

    /// The leader of a partition, if both exist.
    #[must_use]
    pub fn leader(&self, partition: PartitionId) -> Option<BrokerId> {
        self.partition(partition)?.leader
    }

    /// Its partitions with their numbers.
    pub fn numbered(&self) -> impl Iterator<Item = (PartitionId, &Rc<PartitionImage>)> {
        (0..).map(PartitionId).zip(&self.partitions)
    }
}

/// What a node knows of the cluster.
#[derive(Clone, Debug, Default)]
pub struct MetadataImage {
    /// Registered brokers.
    pub brokers: SortedMap<BrokerId, BrokerRegistration>,
    /// Topics by name. Shared: an unchanged topic keeps its pointer.
    pub topics: SortedMap<TopicName, Rc<TopicImage>>,
    /// Configuration of brokers that was set while they run.
    pub broker_configs: SortedMap<ConfigResource, Vec<(String, String)>>,
    /// The first producer id that no broker was given.
    pub next_producer_id: i64,
    /// On the controller: `unclean.leader.election.enable` of its file.
    pub unclean_elections: bool,
}

impl MetadataImage {
    /// A partition, if it exists.
    #[must_use]
    pub fn partition(
        &self,
        topic: &TopicName,
        partition: PartitionId,
    ) -> Option<&Rc<PartitionImage>> {
        self.topics.get(topic)?.partition(partition)
    }

    /// Whether that broker may lead and be in sync.
    #[must_use]
    pub fn is_active(&self, broker: BrokerId) -> bool {
        self.brokers.get(&broker).is_some_and(BrokerRegistration::is_active)
    }

    /// Takes one record in.
    pub fn replay(&mut self, record: &MetadataRecord) {
        match record {
            MetadataRecord::RegisterBroker { id, registration } => {
                self.brokers.insert(*id, registration.clone());
            }
            MetadataRecord::BrokerRegistrationChange {
                id,
                fenced,
                in_controlled_shutdown,
                cordoned,
            } if scope::CLUSTER => {
                if let Some(broker) = self.brokers.get_mut(id) {
                    broker.fenced = *fenced;
                    broker.in_controlled_shutdown = *in_controlled_shutdown;
                    broker.cordoned = cordoned.unwrap_or(broker.cordoned);
                }
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
            MetadataRecord::RemoveTopic { name } if scope::CLUSTER => {
                self.topics.remove(name);
            }
            MetadataRecord::Partition { topic, image } => {
                if let Some(topic) = self.topics.get_mut(topic) {
                    Rc::make_mut(topic).partitions.push(Rc::clone(image));
                }
            }
            MetadataRecord::PartitionChange { topic, partition, change, cause }
                if scope::CLUSTER =>
            {
                let number = usize::try_from(partition.0).unwrap_or(usize::MAX);
                if let Some(topic) = self.topics.get_mut(topic)
                    && let Some(image) = Rc::make_mut(topic).partitions.get_mut(number)
                {
                    Rc::make_mut(image).merge(change.known(), *cause);
                }
            }
            MetadataRecord::ProducerIds { next_producer_id, .. } if scope::CLUSTER => {
                self.next_producer_id = *next_producer_id;
            }
            MetadataRecord::Config { resource, name, value } => {
                self.replay_config(resource, name, value.as_ref());
            }
            MetadataRecord::ClearElr { topic } if scope::CLUSTER => self.clear_elr(topic.as_ref()),
            _ => {}
        }
    }

    /// `ReplicationControlManager.removeTopicElrs`
    fn clear_elr(&mut self, only: Option<&TopicName>) {
        let nobody = PartitionChange {
            elr: Some(Vec::new()),
            last_known_elr: Some(Vec::new()),
            ..PartitionChange::default()
        };
        let has_some = |partition: &Rc<PartitionImage>| {
            !partition.elr.is_empty() || !partition.last_known_elr.is_empty()
        };
        for (name, topic) in self.topics.iter_mut() {
            if only.is_some_and(|only| only != name) || !topic.partitions.iter().any(has_some) {
                continue;
            }
            let partitions = Rc::make_mut(topic).partitions.iter_mut();
            for partition in partitions.filter(|partition| has_some(partition)) {
                let cause = partition.changed_by;
                Rc::make_mut(partition).merge(&nobody, cause);
            }
        }
    }

    fn replay_config(&mut self, resource: &ConfigResource, name: &str, value: Option<&String>) {
        let configs = match resource {
            ConfigResource::Topic(topic) => match self.topics.get_mut(topic) {
                Some(topic) => &mut Rc::make_mut(topic).configs,
                None => return,
            },
            other => self.broker_configs.get_or_insert_with(other.clone(), Vec::new),
        };
        configs.retain(|(key, _)| key != name);
        if let Some(value) = value {
            configs.push((name.to_owned(), value.clone()));
        }
    }
}
