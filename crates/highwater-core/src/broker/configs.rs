//! Which configuration does a topic or this broker have, and where does each value come from?
//! (Kafka's `ConfigHelper`)

use crate::broker::Broker;
use crate::controller::config_control::entry;
use crate::controller::records::{ConfigResource, TopicImage};
use crate::controller::{broker_config, topic_config};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::BrokerId;
use crate::net::log_dirs::path_of;
use crate::net::message::{ConfigEntry, ConfigSource, ConfigSynonym};
use crate::scope::Lab;

/// Keys with their values.
type Pairs = [(String, String)];

/// The settings that a broker goes by: the lines of its file, and over them what was set while it runs.
#[derive(Debug)]
pub struct Settings<'a> {
    file: Vec<(String, String)>,
    /// Set for this broker.
    own: &'a Pairs,
    /// Set for all brokers.
    all: &'a Pairs,
}

impl<'a> Settings<'a> {
    /// Those of a broker whose file says that.
    pub(crate) fn new(file: Vec<(String, String)>, own: &'a Pairs, all: &'a Pairs) -> Self {
        Self { file, own, all }
    }

    /// Kafka's defaults.
    #[must_use]
    pub fn of_kafka() -> Self {
        Self { file: Vec::new(), own: &[], all: &[] }
    }

    /// What counts for a topic; `own` is what was set for it.
    #[must_use]
    pub fn of_topic(&self, key: &str, own: Option<&str>) -> ConfigEntry {
        let mut synonyms = Vec::new();
        if let Some(value) = own {
            let (source, name) = (ConfigSource::Topic, key.to_owned());
            synonyms.push(ConfigSynonym { source, name, value: value.to_owned() });
        }
        let default = topic_config::own_default(key);
        let broker_key = topic_config::broker_synonym(key);
        if default.is_none() {
            synonyms.extend(self.synonyms(broker_key));
        }
        let value = own.or(default).map(str::to_owned);
        let value = value.unwrap_or_else(|| self.value(broker_key));
        ConfigEntry { name: key.to_owned(), value, synonyms: Lab::new(synonyms) }
    }

    /// What counts for the broker itself.
    #[must_use]
    pub fn of_broker(&self, key: &str) -> ConfigEntry {
        let synonyms = self.synonyms(key);
        let value = synonyms.first().map(|first| first.value.clone());
        let value = value.unwrap_or_else(|| broker_config::NO_VALUE.to_owned());
        ConfigEntry { name: key.to_owned(), value, synonyms: Lab::new(synonyms) }
    }

    /// Where values for a broker-level key are set; none, unless the key itself is.
    fn synonyms(&self, key: &str) -> Vec<ConfigSynonym> {
        let names = broker_config::alternatives(key);
        let sources = [
            (ConfigSource::Broker, self.own),
            (ConfigSource::BrokerDefault, self.all),
            (ConfigSource::Static, &*self.file),
        ];
        let mut synonyms = Vec::new();
        let mut add = |source, name: &str, value: Option<&str>| {
            if let Some(value) = value {
                let (name, value) = (name.to_owned(), shown(name, value));
                synonyms.push(ConfigSynonym { source, name, value });
            }
        };
        for (source, set) in sources {
            names.iter().for_each(|name| add(source, name, entry(set, name)));
        }
        for name in &names {
            add(ConfigSource::Default, name, broker_config::default_of(name));
        }
        let first = synonyms.iter().position(|synonym| synonym.name == key);
        synonyms.split_off(first.unwrap_or(synonyms.len()))
    }

    /// The value that counts for topics: of a time that may be given in several units, the finest one.
    fn value(&self, key: &str) -> String {
        for name in broker_config::alternatives(key) {
            let synonyms = self.synonyms(name);
            let Some(first) = synonyms.first() else { continue };
            if first.value != broker_config::NO_VALUE {
                return broker_config::as_of_topics(name, &first.value);
            }
        }
        broker_config::NO_VALUE.to_owned()
    }
}

impl Broker {
    /// The entries of a topic, of this broker, or of all brokers.
    pub(super) fn configs(
        &self,
        resource: &ConfigResource,
    ) -> Result<Vec<ConfigEntry>, KafkaError> {
        match resource {
            ConfigResource::Topic(name) => {
                let topic = self.image.topics.get(name);
                // Kafka leaves the text out here.
                let unknown = || KafkaError::new(ErrorCode::UnknownTopicOrPartition, "");
                Ok(self.topic_configs(topic.ok_or_else(unknown)?))
            }
            ConfigResource::Broker(id) if *id == self.id => Ok(self.broker_configs()),
            ConfigResource::Broker(id) => {
                let text = format!(
                    "Unexpected broker id, expected {} or empty string, but received {id}",
                    self.id
                );
                Err(KafkaError::new(ErrorCode::InvalidRequest, text))
            }
            ConfigResource::BrokerDefault => {
                let set = self.set_while_running(ConfigResource::BrokerDefault);
                let entries = set.iter().map(|(name, value)| {
                    let source = ConfigSource::BrokerDefault;
                    let (name, value) = (name.clone(), shown(name, value));
                    let synonym =
                        ConfigSynonym { source, name: name.clone(), value: value.clone() };
                    ConfigEntry { name, value, synonyms: Lab::new(vec![synonym]) }
                });
                Ok(entries.collect())
            }
        }
    }

    fn set_while_running(&self, resource: ConfigResource) -> &Pairs {
        self.image.broker_configs.get(&resource).map_or(&[], Vec::as_slice)
    }

    fn settings(&self) -> Settings<'_> {
        let file = file_of(self.id, self.port, self.image.brokers.len(), &self.settings);
        let own = self.set_while_running(ConfigResource::Broker(self.id));
        Settings::new(file, own, self.set_while_running(ConfigResource::BrokerDefault))
    }

    fn topic_configs(&self, topic: &TopicImage) -> Vec<ConfigEntry> {
        let settings = self.settings();
        let of_key = |key| settings.of_topic(key, entry(&topic.configs, key));
        topic_config::names().map(of_key).collect()
    }

    fn broker_configs(&self) -> Vec<ConfigEntry> {
        let settings = self.settings();
        let mut names: Vec<&str> = broker_config::names().collect();
        // Keys that Kafka does not know, or does not show, may be set all the same.
        for (name, _) in settings.own.iter().chain(settings.all).chain(&settings.file) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        names.into_iter().map(|name| settings.of_broker(name)).collect()
    }
}

/// What a broker's file says, in a cluster of so many: with `lines` that were given, of which the last one with a
/// key counts.
pub(crate) fn file_of(
    id: BrokerId,
    port: u32,
    count: usize,
    lines: &Pairs,
) -> Vec<(String, String)> {
    let mut file = vec![
        ("process.roles", "broker".to_owned()),
        ("node.id", id.to_string()),
        ("broker.id", id.to_string()),
        ("listeners", format!("PLAINTEXT://127.0.0.1:{port}")),
        ("advertised.listeners", format!("PLAINTEXT://localhost:{port}")),
        ("inter.broker.listener.name", "PLAINTEXT".to_owned()),
        ("listener.security.protocol.map", "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT".to_owned()),
        ("controller.listener.names", "CONTROLLER".to_owned()),
        ("controller.quorum.bootstrap.servers", "127.0.0.1:9102".to_owned()),
        ("log.dirs", path_of(id)),
    ];
    let (three, two) = (count.min(3).to_string(), count.min(2).to_string());
    file.push(("offsets.topic.replication.factor", three.clone()));
    file.push(("transaction.state.log.replication.factor", three.clone()));
    file.push(("share.coordinator.state.topic.replication.factor", three));
    file.push(("transaction.state.log.min.isr", two));
    file.push(("share.coordinator.state.topic.min.isr", "1".to_owned()));
    let file = file.into_iter().map(|(key, value)| (key.to_owned(), value));
    let mut settings: Vec<(String, String)> = lines.iter().rev().cloned().collect();
    settings.extend(file);
    settings
}

/// The value of a broker-level key, unless it may be a secret.
fn shown(key: &str, value: &str) -> String {
    if broker_config::is_known(key) { value } else { broker_config::NO_VALUE }.to_owned()
}
