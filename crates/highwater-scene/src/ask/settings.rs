//! Which settings govern a thing: the value in force, Kafka's default, where it comes from, and whether Kafka lets it
//! be changed while brokers run. Only keys that the simulator obeys.

use highwater_core::broker::configs::Settings;
use highwater_core::client::kafka_consumer::config::ConsumerConfig;
use highwater_core::controller::broker_config;
use highwater_core::controller::config_control::entry;
use highwater_core::ids::BrokerId;
use highwater_core::net::message::ConfigEntry;
use highwater_core::world::snapshot::TopicView;

use super::{Answer, Entity, Here, Place, Setting};
use crate::words::ask::about::about;
use crate::words::ask::labels;

/// Of a record.
pub(super) const OF_RECORD: &[&str] = &[
    "min.insync.replicas",
    "max.message.bytes",
    "message.timestamp.type",
    "compression.type",
    "cleanup.policy",
    "retention.ms",
    "retention.bytes",
];
/// Of a high watermark.
pub(super) const OF_TIDE: &[&str] = &["min.insync.replicas"];
/// The same, of the leader's broker.
pub(super) const OF_LEADER: &[&str] = &["replica.lag.time.max.ms"];
/// Of a partition.
pub(super) const OF_PARTITION: &[&str] = &[
    "min.insync.replicas",
    "unclean.leader.election.enable",
    "cleanup.policy",
    "retention.ms",
    "retention.bytes",
    "segment.ms",
    "segment.bytes",
];
/// Of a topic.
pub(super) const OF_TOPIC: &[&str] = &[
    "min.insync.replicas",
    "unclean.leader.election.enable",
    "cleanup.policy",
    "retention.ms",
    "retention.bytes",
    "segment.ms",
    "segment.bytes",
    "max.message.bytes",
    "message.timestamp.type",
    "compression.type",
    "min.cleanable.dirty.ratio",
    "min.compaction.lag.ms",
    "max.compaction.lag.ms",
    "delete.retention.ms",
];
/// Of a replica: what its own broker goes by.
pub(super) const OF_FOLLOWER: &[&str] = &[
    "replica.fetch.wait.max.ms",
    "replica.fetch.backoff.ms",
    "replica.fetch.max.bytes",
    "replica.high.watermark.checkpoint.interval.ms",
];
/// Of a broker.
pub(super) const OF_BROKER: &[&str] = &[
    "broker.heartbeat.interval.ms",
    "replica.lag.time.max.ms",
    "replica.fetch.wait.max.ms",
    "num.partitions",
    "default.replication.factor",
    "auto.create.topics.enable",
    "unclean.leader.election.enable",
    "message.max.bytes",
    "log.segment.bytes",
    "cordoned.log.dirs",
    "log.retention.check.interval.ms",
];
/// Of the controller, as far as a broker depends on it.
pub(super) const OF_SESSION: &[&str] = &["broker.session.timeout.ms"];
/// Of the controller.
pub(super) const OF_CONTROLLER: &[&str] = &[
    "broker.session.timeout.ms",
    "auto.leader.rebalance.enable",
    "leader.imbalance.check.interval.seconds",
    "unclean.leader.election.enable",
    "min.insync.replicas",
];
/// Of a group: what its coordinator goes by.
pub(super) const OF_GROUP: &[&str] = &[
    "group.initial.rebalance.delay.ms",
    "group.min.session.timeout.ms",
    "group.max.session.timeout.ms",
    "group.max.size",
    "offsets.retention.minutes",
    "offsets.commit.timeout.ms",
];

/// The keys of topics, of brokers and of the controller that answers name.
pub fn keys() -> impl Iterator<Item = &'static str> {
    let all = [
        OF_RECORD,
        OF_TIDE,
        OF_LEADER,
        OF_PARTITION,
        OF_TOPIC,
        OF_FOLLOWER,
        OF_BROKER,
        OF_SESSION,
        OF_CONTROLLER,
        OF_GROUP,
    ];
    all.into_iter().flatten().copied()
}

impl Answer {
    /// Settings of a topic, as that broker has them.
    pub(super) fn topic_settings(
        &mut self,
        here: &Here<'_>,
        topic: &TopicView,
        broker: Option<BrokerId>,
        keys: &[&'static str],
    ) {
        let first = here.cluster.brokers.first().map(|first| first.id);
        let Some(settings) = broker.or(first).and_then(|id| here.cluster.settings_of(id)) else {
            return;
        };
        for key in keys {
            let found = settings.of_topic(key, entry(&topic.image.configs, key));
            let default = Settings::of_kafka().of_topic(key, None);
            let target = Entity::Topic(topic.name.as_str().to_owned());
            self.settings.push(setting(key, found, default, target, true));
        }
    }

    /// Settings of a partition's topic, as its leader has them.
    pub(super) fn place_settings(
        &mut self,
        here: &Here<'_>,
        place: &Place<'_>,
        keys: &[&'static str],
    ) {
        self.topic_settings(here, place.topic, place.image.leader, keys);
    }

    /// Settings of a broker.
    pub(super) fn broker_settings(&mut self, here: &Here<'_>, id: BrokerId, keys: &[&'static str]) {
        let Some(settings) = here.cluster.settings_of(id) else { return };
        self.add(&settings, &Entity::Broker(id.0), keys);
    }

    /// Settings of the controller.
    pub(super) fn controller_settings(&mut self, here: &Here<'_>, keys: &[&'static str]) {
        let settings = here.cluster.settings_of_controller();
        for key in keys {
            let may_change = broker_config::is_changeable(key);
            let target = if may_change { Entity::AllBrokers } else { Entity::Controller };
            self.add(&settings, &target, &[key]);
        }
    }

    fn add(&mut self, settings: &Settings<'_>, target: &Entity, keys: &[&'static str]) {
        for key in keys {
            let found = settings.of_broker(key);
            let default = Settings::of_kafka().of_broker(key);
            let may_change = *target != Entity::Controller && broker_config::is_changeable(key);
            self.settings.push(setting(key, found, default, target.clone(), may_change));
        }
    }

    /// Settings of a consumer, as its coordinator was told.
    pub(super) fn client_settings(&mut self, client: &str, session_ms: u64, poll_ms: u64) {
        let stock = ConsumerConfig::default();
        for (key, value, default) in [
            ("session.timeout.ms", session_ms, stock.session_timeout_ms),
            ("max.poll.interval.ms", poll_ms, stock.max_poll_interval_ms),
        ] {
            self.settings.push(Setting {
                key,
                value: value.to_string(),
                default: default.to_string(),
                source: labels::OF_A_CLIENT,
                editable: None,
                about: about(key),
                target: Entity::Client(client.to_owned()),
            });
        }
    }
}

fn setting(
    key: &'static str,
    found: ConfigEntry,
    default: ConfigEntry,
    target: Entity,
    may_change: bool,
) -> Setting {
    Setting {
        key,
        source: found.source().name(),
        value: found.value,
        default: default.value,
        editable: may_change.then(|| target.clone()),
        about: about(key),
        target,
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use highwater_core::log::log_config::LogConfig;
    use highwater_core::world::options::ClusterOptions;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    use super::*;

    /// Each key has its sentence and is obeyed: a log has it, or a broker that is started with it.
    #[test]
    fn every_key_is_obeyed() {
        for key in keys() {
            assert!(about(key).ends_with('.'), "{key}");
            let value = Settings::of_kafka().of_broker(key).value;
            let lines = Rc::new(vec![(key.to_owned(), value)]);
            let options = ClusterOptions { broker_settings: lines, ..ClusterOptions::default() };
            assert!(LogConfig::KEYS.contains(&key) || options.validate().is_ok(), "{key}");
        }
        assert_eq!(about("remote.storage.enable"), "");
    }
}
