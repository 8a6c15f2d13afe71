//! Which topics there are and who leads their partitions, as far as a consumer knows (`Metadata`).

use std::rc::Rc;

use super::{InFlight, KafkaConsumer};
use crate::client::kafka_consumer::config::{Subscription, TopicFilter, Topics};
use crate::client::{TopicAnswers, leadership};
use crate::controller::records::{MetadataImage, PartitionImage, TopicImage};
use crate::controller::topic_name;
use crate::error::ErrorCode;
use crate::ids::{BrokerId, LeaderEpoch, Rack, TopicName, TopicPartition};
use crate::net::message::{CurrentLeaders, Node, Request};
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;

/// What a consumer knows.
#[derive(Clone, Debug, Default)]
pub(super) struct Metadata {
    topics: SortedMap<TopicName, Rc<TopicImage>>,
    /// The brokers that are there.
    nodes: Vec<Node>,
    /// Whether it must be asked for again.
    pub(super) is_stale: bool,
    /// When it was learned.
    pub(super) learned: SimTime,
    /// Whether it was ever learned.
    has_learned: bool,
    /// When it may be asked for next.
    pub(super) retry_at: SimTime,
    /// When it last failed.
    pub(super) failed_at: SimTime,
    /// Failures in a row.
    pub(super) attempts: u32,
}

impl Metadata {
    pub(super) fn leader(&self, which: &TopicPartition) -> Option<BrokerId> {
        self.topic(&which.topic)?.leader(which.partition)
    }

    /// In which epoch that leader is.
    pub(super) fn leader_epoch(&self, which: &TopicPartition) -> Option<LeaderEpoch> {
        Some(self.topic(&which.topic)?.partition(which.partition)?.leader_epoch)
    }

    /// How many partitions a topic has; `None`: it is not known.
    pub(super) fn partition_count(&self, name: &TopicName) -> Option<u32> {
        u32::try_from(self.topic(name)?.partitions.len()).ok()
    }

    /// Where that broker stands. Of one that is not there that is not known.
    pub(super) fn rack(&self, broker: BrokerId) -> Rack {
        let node = self.nodes.iter().find(|node| node.id == broker);
        node.map(|node| node.rack.clone()).unwrap_or_default()
    }

    /// For each partition of a topic where its replicas stand.
    pub(super) fn racks(&self, name: &TopicName) -> Vec<Vec<Rack>> {
        let partitions = self.topic(name).map(|topic| topic.partitions.as_slice());
        let racks = |partition: &Rc<PartitionImage>| {
            partition.replicas.iter().map(|replica| self.rack(*replica)).collect()
        };
        partitions.unwrap_or_default().iter().map(racks).collect()
    }

    /// The topics that a pattern means, sorted.
    pub(super) fn names_that_fit(&self, filter: &dyn TopicFilter, hides: bool) -> Vec<TopicName> {
        let is_hidden = |name: &str| hides && topic_name::is_internal(name);
        let fits = |name: &&TopicName| filter.fits(name.as_str()) && !is_hidden(name.as_str());
        self.topics.keys().filter(fits).cloned().collect()
    }

    /// Whether it would learn nothing new. `is_all`: it asks for all topics.
    pub(super) fn is_current(&self, image: &MetadataImage, is_all: bool) -> bool {
        let same = |name: &TopicName, known: &Rc<TopicImage>| {
            let now = image.topics.get(name);
            now.is_some_and(|now| Rc::ptr_eq(now, known) || **now == **known)
        };
        let is_same = self.topics.iter().all(|(name, known)| same(name, known));
        is_same && (!is_all || self.topics.len() == image.topics.len())
    }

    /// Whether anything was ever learned.
    pub(super) fn is_known(&self) -> bool {
        self.has_learned
    }

    /// Takes the leaders that a broker has named; whether one of them is news.
    pub(super) fn take_leaders(&mut self, leaders: &CurrentLeaders) -> bool {
        let mut is_news = false;
        for (name, image) in self.topics.iter_mut() {
            is_news |= leadership::update(image, name, leaders);
        }
        is_news
    }

    pub(super) fn topic(&self, name: &TopicName) -> Option<&Rc<TopicImage>> {
        self.topics.get(name)
    }
}

impl KafkaConsumer {
    /// Asks for metadata if that is due and nobody has been asked.
    pub(super) fn maybe_update_metadata(&mut self, out: &mut Outbox) {
        let now = out.now();
        let max_age = SimDuration::from_millis(self.config.metadata_max_age_ms);
        if self.metadata.learned + max_age <= now {
            self.metadata.is_stale = true;
        }
        let is_asked =
            self.in_flight.values().any(|request| matches!(request.0, InFlight::Metadata));
        if !self.metadata.is_stale && self.metadata.has_learned {
            self.wake_at(self.metadata.learned + max_age, out);
        }
        if !self.metadata.is_stale || is_asked {
            return;
        }
        if self.metadata.retry_at > now {
            return self.wake_at(self.metadata.retry_at, out);
        }
        let mut topics = match &self.subscription {
            Some(Subscription::Assigned(partitions)) => {
                Some(partitions.iter().map(|(which, _)| which.topic.clone()).collect())
            }
            Some(Subscription::Subscribed(Topics::Named(_))) => {
                let all = self.subscribed.iter().chain(self.group_topics.iter());
                Some(all.cloned().collect::<Vec<TopicName>>())
            }
            Some(Subscription::Subscribed(Topics::Fitting(_))) => None,
            None => return,
        };
        if let Some(topics) = &mut topics {
            topics.sort_unstable();
            topics.dedup();
        }
        let allow_auto_topic_creation = self.config.allow_auto_create_topics;
        let request = Request::Metadata { topics, allow_auto_topic_creation };
        if self.send_to_any(request, InFlight::Metadata, out) {
            self.asked += 1;
        }
    }

    /// The metadata is out of date; it is asked for again when the backoff is over.
    pub(super) fn note_stale(&mut self, out: &Outbox) {
        if !self.metadata.is_stale {
            self.metadata.is_stale = true;
            self.metadata.failed_at = out.now();
            self.metadata.retry_at = out.now() + self.backoff(self.metadata.attempts);
            self.metadata.attempts = self.metadata.attempts.saturating_add(1);
        }
    }

    pub(super) fn handle_metadata(
        &mut self,
        brokers: &[Node],
        topics: &TopicAnswers,
        out: &mut Outbox,
    ) {
        self.connection.learn(brokers);
        self.metadata.nodes = brokers.to_vec();
        self.metadata.learned = out.now();
        self.metadata.is_stale = false;
        self.metadata.has_learned = true;
        let known = std::mem::take(&mut self.metadata.topics);
        let (mut failed, mut invalid) = (Vec::new(), Vec::new());
        for (name, topic) in topics.iter() {
            match topic {
                Ok(topic) => {
                    let newer = known.get(name).map(|known| leadership::newer_of(known, topic));
                    let newest = newer.unwrap_or_else(|| Rc::clone(topic));
                    self.metadata.topics.insert(name.clone(), newest);
                }
                Err(error) => {
                    failed.push([name.as_str(), "=", error.code.name()].concat());
                    if error.code == ErrorCode::InvalidTopic {
                        invalid.push(name.as_str().to_owned());
                    }
                }
            }
        }
        let is_whole = failed.is_empty();
        if !is_whole {
            let (asked, failed) = (self.asked, failed.join(", "));
            self.warn(
                &format!(
                    "The metadata response from the cluster reported a recoverable issue with \
                     correlation id {asked} : {{{failed}}} (org.apache.kafka.clients.NetworkClient)"
                ),
                out,
            );
        }
        if !invalid.is_empty() {
            return self.fail_invalid_topics(&invalid.join(", "), out);
        }
        self.update_subscription();
        self.validate_positions();
        self.assign_if_leader(out);
        let knows_leaders =
            self.state.iter().all(|(which, _)| self.metadata.leader(which).is_some());
        if is_whole && knows_leaders {
            self.metadata.attempts = 0;
        } else {
            self.note_stale(out);
        }
    }
}
