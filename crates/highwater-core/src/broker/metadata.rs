//! What the metadata log means for this broker: which partitions it holds, leads, follows, drops
//! (`BrokerMetadataPublisher`, `ReplicaManager.applyDelta`).

use std::rc::Rc;

use crate::broker::in_sync::is_isr_eligible;
use crate::broker::{Broker, at};
use crate::controller::records::{ConfigResource, MetadataRecord, PartitionImage, TopicImage};
use crate::controller::{broker_config, topic_config};
use crate::ids::{PartitionId, TopicName, TopicPartition};
use crate::log::unified_log::LogConfig;
use crate::replication::partition::{Partition, Role};
use crate::scope;
use crate::world::hazard::Note;
use crate::world::outbox::Outbox;

impl Broker {
    /// Replays records, then takes up what they mean.
    pub(super) fn replay(&mut self, from: u64, records: &[Rc<MetadataRecord>], out: &mut Outbox) {
        let mut touched = Vec::new();
        // A record that has been replayed already is skipped: answers may overlap.
        let skip = usize::try_from(self.metadata_offset.saturating_sub(from)).unwrap_or(usize::MAX);
        for record in records.iter().skip(skip) {
            self.image.replay(record);
            self.metadata_offset += 1;
            self.note(record, &mut touched);
        }
        if !self.published {
            if self.metadata_offset <= self.life.epoch.0 {
                return;
            }
            self.published = true;
            if scope::CLUSTER {
                self.start_groups();
                touched = self.all_partitions();
            }
        }
        for partition in &touched {
            self.apply(partition, out);
        }
        if scope::CLUSTER {
            for record in records.iter().skip(skip) {
                if let MetadataRecord::RemoveTopic { name } = &**record {
                    self.forget_offsets_of(name, out);
                }
            }
            self.send_fetches(out);
            self.maybe_tell_cordoned(out);
        }
    }

    /// Which partitions a record concerns.
    fn note(&self, record: &MetadataRecord, touched: &mut Vec<TopicPartition>) {
        match record {
            MetadataRecord::Partition { topic, .. } => {
                let count = self.image.topics.get(topic).map_or(0, |topic| topic.partitions.len());
                let number = i32::try_from(count).unwrap_or(i32::MAX).saturating_sub(1);
                touched.push(TopicPartition::new(topic, PartitionId(number)));
            }
            _ if !scope::CLUSTER => {}
            MetadataRecord::PartitionChange { topic, partition, .. } => {
                touched.push(TopicPartition::new(topic, *partition));
            }
            MetadataRecord::RemoveTopic { name } => {
                touched.extend(self.held_of(name));
            }
            MetadataRecord::Config { resource, .. } => match resource {
                ConfigResource::Topic(topic) => touched.extend(self.held_of(topic)),
                _ => touched.extend(self.partitions.keys().cloned()),
            },
            MetadataRecord::ClearElr { topic: Some(topic) } => touched.extend(self.held_of(topic)),
            MetadataRecord::ClearElr { topic: None } => {
                touched.extend(self.partitions.keys().cloned());
            }
            MetadataRecord::Topic { .. }
            | MetadataRecord::ProducerIds { .. }
            | MetadataRecord::RegisterBroker { .. }
            | MetadataRecord::BrokerRegistrationChange { .. } => {}
        }
    }

    fn held_of(&self, topic: &TopicName) -> Vec<TopicPartition> {
        self.partitions.keys().filter(|held| held.topic == *topic).cloned().collect()
    }

    /// Everything that it holds or should hold.
    fn all_partitions(&self) -> Vec<TopicPartition> {
        let mut all: Vec<TopicPartition> = self.partitions.keys().cloned().collect();
        for (name, topic) in self.image.topics.iter() {
            for (number, image) in topic.numbered() {
                let which = TopicPartition::new(name, number);
                if image.replicas.contains(&self.id) && !self.partitions.contains_key(&which) {
                    all.push(which);
                }
            }
        }
        all
    }

    /// Brings one partition in line with the metadata.
    fn apply(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let topic = self.image.topics.get(&which.topic).cloned();
        let image = topic.as_ref().and_then(|topic| topic.partition(which.partition)).cloned();
        let image = image.filter(|image| image.replicas.contains(&self.id));
        let topic_id = topic.as_ref().map(|topic| topic.id);
        let known = self.partitions.get(which).map(|held| held.topic_id());
        // A topic that was made anew under the same name is another topic.
        if scope::CLUSTER && (image.is_none() || known.is_some() && known != topic_id) {
            self.drop_replica(which, out);
        }
        let (Some(topic), Some(image)) = (topic, image) else { return };
        let config = self.log_config(&topic);
        let id = self.id;
        let held = self.partitions.get_or_insert_with(which.clone(), || {
            Rc::new(Partition::new(which.clone(), topic.id, id, Rc::clone(&config)))
        });
        if scope::CLUSTER && held.log().config() != &*config {
            Rc::make_mut(held).log_mut().set_config(config);
        }
        if scope::CLUSTER {
            // Its settings may be new, or its process.
            self.plan_maintenance(which, out);
        }
        if scope::CLUSTER {
            self.plan_producer_expiration(which, out);
        }
        out.because(image.changed_by);
        if image.leader == Some(self.id) {
            self.lead(which, &image, out);
        } else if scope::CLUSTER {
            self.follow(which, &image, out);
        }
    }

    fn lead(&mut self, which: &TopicPartition, image: &PartitionImage, out: &mut Outbox) {
        if scope::CLUSTER {
            self.stop_following(which);
        }
        let (brokers, replication) = (&self.image, &self.replication);
        let mutation = self.life.mutation;
        let is_eligible = |broker| {
            !scope::CLUSTER || is_isr_eligible(brokers, &replication.sessions, mutation, broker)
        };
        let here = at(out.now(), &self.life, &is_eligible);
        if scope::CLUSTER && self.partitions.get(which).is_some_and(|held| !is_news(held, image)) {
            return;
        }
        let Some(held) = Self::holding(&mut self.partitions, which) else { return };
        if is_news(held, image) {
            let takes_over =
                held.role() != Role::Leader || image.leader_epoch > held.leader_epoch();
            let advance = held.make_leader(image, here);
            if scope::CLUSTER && takes_over {
                out.note(Note::TookOver(which.clone()));
            }
            self.note_high_watermark(which, advance, out);
            if scope::CLUSTER {
                self.maybe_load_groups(which, out);
                self.watch_joining(which, out);
            }
        }
    }

    fn follow(&mut self, which: &TopicPartition, image: &PartitionImage, out: &mut Outbox) {
        let Some(held) = Self::holding(&mut self.partitions, which) else { return };
        let role = image.leader.map_or(Role::None, Role::Follower);
        let stopped_leading = held.is_leader();
        let is_news = held.role() != role || image.leader_epoch != held.leader_epoch();
        held.make_follower(image);
        if !is_news {
            return;
        }
        if stopped_leading {
            self.maybe_unload_groups(which, out);
            self.abandon_requests(which, out);
        }
        for (leader, fetcher) in self.replication.fetchers.iter_mut() {
            if Some(*leader) != image.leader {
                fetcher.remove(which);
            }
        }
        if let Some(leader) = image.leader {
            self.replication.fetchers.get_or_insert_with(leader, Default::default).add(which);
        }
    }

    /// The broker holds this partition no more; its log is deleted.
    fn drop_replica(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let Some(held) = self.partitions.remove(which) else { return };
        if held.is_leader() {
            self.maybe_unload_groups(which, out);
            self.abandon_requests(which, out);
        }
        self.stop_following(which);
    }

    fn stop_following(&mut self, which: &TopicPartition) {
        for fetcher in self.replication.fetchers.values_mut() {
            fetcher.remove(which);
        }
    }

    /// Whoever waits for something of a partition that this broker leads no more is told so.
    fn abandon_requests(&mut self, which: &TopicPartition, out: &mut Outbox) {
        self.complete_produces(which, out);
        self.complete_delayed_fetches(which, out);
        let followers: Vec<_> = self.replication.sessions.keys().copied().collect();
        for follower in followers {
            if let Some(session) = self.replication.sessions.get_mut(&follower) {
                session.list(which);
            }
            self.complete_replica_fetch(follower, out);
        }
    }

    /// The configuration of a topic's logs: Kafka's defaults, what was set for this broker and for all,
    /// what was set for the topic.
    fn log_config(&self, topic: &TopicImage) -> Rc<LogConfig> {
        let mut entries = Vec::new();
        let keys = if scope::CLUSTER { LogConfig::KEYS } else { &[] };
        for key in keys {
            let synonym = topic_config::broker_synonym(key);
            let names = broker_config::alternatives(synonym);
            let value = names
                .iter()
                .find_map(|name| Some(broker_config::as_of_topics(name, self.setting(name)?)));
            if let Some(value) = value {
                entries.push(((*key).to_owned(), value));
            }
        }
        entries.extend(topic.configs.iter().cloned());
        Rc::new(LogConfig::default().with(&entries))
    }
}

/// Whether that is news for a replica whose broker leads.
fn is_news(held: &Partition, image: &PartitionImage) -> bool {
    held.role() != Role::Leader
        || image.leader_epoch > held.leader_epoch()
        || scope::CLUSTER && image.partition_epoch > held.isr().partition_epoch
}
