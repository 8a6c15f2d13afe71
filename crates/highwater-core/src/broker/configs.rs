//! Which configuration does a topic or this broker have, and where does each value come from?
//! (Kafka's `ConfigHelper`)

use crate::broker::Broker;
use crate::controller::config_control::entry;
use crate::controller::records::{ConfigResource, TopicImage};
use crate::controller::{broker_config, topic_config};
use crate::error::{ErrorCode, KafkaError};
use crate::net::log_dirs::path_of;
use crate::net::message::{ConfigEntry, ConfigSource, ConfigSynonym};
use crate::scope::Lab;

/// Keys with their values.
type Settings = [(String, String)];

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

    fn set_while_running(&self, resource: ConfigResource) -> &Settings {
        self.image.broker_configs.get(&resource).map_or(&[], Vec::as_slice)
    }

    fn topic_configs(&self, topic: &TopicImage) -> Vec<ConfigEntry> {
        let file = self.file();
        let mut entries = Vec::new();
        for key in topic_config::names() {
            let mut synonyms = Vec::new();
            let own = entry(&topic.configs, key);
            if let Some(value) = own {
                let (source, name) = (ConfigSource::Topic, key.to_owned());
                synonyms.push(ConfigSynonym { source, name, value: value.to_owned() });
            }
            let default = topic_config::own_default(key);
            let broker_key = topic_config::broker_synonym(key);
            if default.is_none() {
                synonyms.extend(self.synonyms(broker_key, &file));
            }
            let value = own.or(default).map(str::to_owned);
            let value = value.unwrap_or_else(|| self.value(broker_key, &file));
            entries.push(ConfigEntry { name: key.to_owned(), value, synonyms: Lab::new(synonyms) });
        }
        entries
    }

    fn broker_configs(&self) -> Vec<ConfigEntry> {
        let file = self.file();
        let mut names: Vec<&str> = broker_config::names().collect();
        // Keys that Kafka does not know, or does not show, may be set all the same.
        let set = [ConfigResource::Broker(self.id), ConfigResource::BrokerDefault];
        let set = set.into_iter().flat_map(|resource| self.set_while_running(resource));
        for (name, _) in set.chain(&file) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let entry = |name: &str| {
            let synonyms = self.synonyms(name, &file);
            let value = synonyms.first().map(|first| first.value.clone());
            let value = value.unwrap_or_else(|| broker_config::NO_VALUE.to_owned());
            ConfigEntry { name: name.to_owned(), value, synonyms: Lab::new(synonyms) }
        };
        names.into_iter().map(entry).collect()
    }

    /// Where values for a broker-level key are set; none, unless the key itself is.
    fn synonyms(&self, key: &str, file: &Settings) -> Vec<ConfigSynonym> {
        let names = broker_config::alternatives(key);
        let own = self.set_while_running(ConfigResource::Broker(self.id));
        let all = self.set_while_running(ConfigResource::BrokerDefault);
        let sources = [
            (ConfigSource::Broker, own),
            (ConfigSource::BrokerDefault, all),
            (ConfigSource::Static, file),
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
    fn value(&self, key: &str, file: &Settings) -> String {
        for name in broker_config::alternatives(key) {
            let synonyms = self.synonyms(name, file);
            let Some(first) = synonyms.first() else { continue };
            if first.value != broker_config::NO_VALUE {
                return broker_config::as_of_topics(name, &first.value);
            }
        }
        broker_config::NO_VALUE.to_owned()
    }

    /// What the broker's file says.
    fn file(&self) -> Vec<(String, String)> {
        let count = self.image.brokers.len();
        let (id, port) = (self.id, self.port);
        let mut file = vec![
            ("process.roles", "broker".to_owned()),
            ("node.id", id.to_string()),
            ("broker.id", id.to_string()),
            ("listeners", format!("PLAINTEXT://127.0.0.1:{port}")),
            ("advertised.listeners", format!("PLAINTEXT://localhost:{port}")),
            ("inter.broker.listener.name", "PLAINTEXT".to_owned()),
            (
                "listener.security.protocol.map",
                "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT".to_owned(),
            ),
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
        // Of two lines the last one counts.
        let mut settings: Vec<(String, String)> = self.settings.iter().rev().cloned().collect();
        settings.extend(file);
        settings
    }
}

/// The value of a broker-level key, unless it may be a secret.
fn shown(key: &str, value: &str) -> String {
    if broker_config::is_known(key) { value } else { broker_config::NO_VALUE }.to_owned()
}
