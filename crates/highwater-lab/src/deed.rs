//! What a reader can do by touch, as the command line that does it. Whatever is pressed is typed: so it can be read,
//! learnt, shared and replayed.

use highwater_core::broker::lifecycle::Stage;
use highwater_core::client::connection::address_of;
use highwater_core::world::cluster_view::BrokerView;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::replicas::health;
use highwater_scene::words::{ask, lab as words};

/// The address that commands talk to: that of the first broker that runs.
#[must_use]
pub fn bootstrap(snapshot: &Snapshot) -> String {
    let brokers = snapshot.cluster.get().map_or(&[][..], |cluster| &cluster.brokers);
    let broker = brokers.iter().find(runs).or(brokers.first());
    broker.map_or_else(|| "localhost:9092".to_owned(), |broker| address_of(broker.id))
}

/// That nobody answers at the addresses in a command line, and who would; `None`: somebody may.
#[must_use]
pub fn unanswered(line: &str, snapshot: impl FnOnce() -> Snapshot) -> Option<String> {
    let (_, behind) = line.split_once("--bootstrap-server")?;
    let addresses = behind.trim_start_matches([' ', '=']).split_whitespace().next()?;
    let snapshot = snapshot();
    let brokers = &snapshot.cluster.get()?.brokers;
    let mut last = None;
    for address in addresses.split(',') {
        let broker = brokers.iter().find(|broker| address_of(broker.id) == address)?;
        if runs(&broker) {
            return None;
        }
        last = Some(broker);
    }
    let (down, other) = (last?, brokers.iter().find(runs)?);
    let how = ask::health(health(down));
    Some(words::nobody_answers((addresses, down.id.0, how), (&address_of(other.id), other.id.0)))
}

fn runs(broker: &&BrokerView) -> bool {
    broker.stage == Stage::Running && broker.paused.is_none()
}

/// A word of a command line, in quotes where the shell would read it otherwise.
#[must_use]
pub fn word(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:,=@%+".contains(&byte);
    if !text.is_empty() && text.bytes().all(is_plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// A command line in the making.
#[derive(Clone, Debug)]
pub struct Line(String);

impl Line {
    /// Begins with these words as they are.
    #[must_use]
    pub fn new(words: &str) -> Self {
        Self(words.to_owned())
    }

    /// A tool of Kafka, and whom it asks.
    #[must_use]
    pub fn tool(name: &str, snapshot: &Snapshot) -> Self {
        Self(format!("{name} --bootstrap-server {}", bootstrap(snapshot)))
    }

    /// Words as they are.
    #[must_use]
    pub fn and(mut self, words: &str) -> Self {
        self.0.push(' ');
        self.0.push_str(words);
        self
    }

    /// An option with its value, quoted where it must be.
    #[must_use]
    pub fn with(self, option: &str, value: &str) -> Self {
        let value = word(value);
        self.and(option).and(&value)
    }

    /// The same, if there is a value.
    #[must_use]
    pub fn with_some(self, option: &str, value: &str) -> Self {
        if value.is_empty() { self } else { self.with(option, value) }
    }

    /// The same, unless it is what counts anyhow.
    #[must_use]
    pub fn with_other(self, option: &str, value: &str, default: &str) -> Self {
        if value == default { self } else { self.with_some(option, value) }
    }

    /// The line.
    #[must_use]
    pub fn done(self) -> String {
        self.0
    }
}

/// `kafka-topics.sh --describe`
#[must_use]
pub fn describe(snapshot: &Snapshot, topic: &str) -> String {
    Line::tool("kafka-topics.sh", snapshot).and("--describe").with("--topic", topic).done()
}

/// `kafka-consumer-groups.sh --describe`
#[must_use]
pub fn describe_group(snapshot: &Snapshot, group: &str) -> String {
    let line = Line::tool("kafka-consumer-groups.sh", snapshot);
    line.and("--describe").with("--group", group).done()
}

/// Another value of a setting, or the default again.
#[must_use]
pub fn configure(
    snapshot: &Snapshot,
    (kind, name): (&str, &str),
    key: &str,
    value: Option<&str>,
) -> String {
    let line = Line::tool("kafka-configs.sh", snapshot).and("--alter").with("--entity-type", kind);
    let line = if name.is_empty() {
        line.and("--entity-default")
    } else {
        line.with("--entity-name", name)
    };
    match value {
        // Lists stand in brackets there.
        Some(value) if value.contains(',') => {
            line.with("--add-config", &format!("{key}=[{value}]"))
        }
        Some(value) => line.with("--add-config", &format!("{key}={value}")),
        None => line.with("--delete-config", key),
    }
    .done()
}

/// An election of a partition's leader.
#[must_use]
pub fn elect(snapshot: &Snapshot, topic: &str, partition: i32, kind: &str) -> String {
    let line = Line::tool("kafka-leader-election.sh", snapshot).with("--election-type", kind);
    line.with("--topic", topic).with("--partition", &partition.to_string()).done()
}

/// Deletes a partition's records before an offset.
#[must_use]
pub fn delete_records(snapshot: &Snapshot, topic: &str, partition: i32, before: i64) -> String {
    let asked = format!(
        "{{\"partitions\":[{{\"topic\":\"{topic}\",\"partition\":{partition},\"offset\":{before}}}],\"version\":1}}"
    );
    let line = Line::new("echo").and(&word(&asked)).and("> delete.json;");
    let tool = Line::tool("kafka-delete-records.sh", snapshot).done();
    line.and(&tool).and("--offset-json-file delete.json").done()
}

/// `kafka-topics.sh --delete`
#[must_use]
pub fn delete_topic(snapshot: &Snapshot, topic: &str) -> String {
    Line::tool("kafka-topics.sh", snapshot).and("--delete").with("--topic", topic).done()
}

/// `kafka-metadata-quorum.sh describe --status`
#[must_use]
pub fn describe_quorum(snapshot: &Snapshot) -> String {
    Line::tool("kafka-metadata-quorum.sh", snapshot).and("describe --status").done()
}
