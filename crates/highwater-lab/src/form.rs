//! Forms: what can be asked of the cluster with values to fill in, each with the command line that it makes.

use std::str::FromStr;

use highwater_core::world::cluster_view::ClusterView;
use highwater_core::world::snapshot::Snapshot;

use crate::deed::{Line, delete_records, elect};
use crate::figure::own_topics;
use highwater_scene::words::{lab as words, replicas};

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormKind {
    /// Send a record, or several.
    Send,
    /// Start a reader.
    Read,
    /// Start a member of a group that works on each record for a while.
    Work,
    /// Make a topic.
    Topic,
    /// Give a topic more partitions.
    Partitions,
    /// Cut or slow the network between two, or mend it.
    Link,
    /// Slow a disk.
    Disk,
    /// Delete old records.
    Delete,
    /// Elect leaders.
    Elect,
    /// Let a group go on elsewhere.
    Reset,
    /// Let time pass.
    Wait,
}

/// A field of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name among the fields.
    pub name: &'static str,
    /// What it is called.
    pub label: &'static str,
    /// What can be filled in.
    pub input: Input,
}

/// What can be filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// Any text; what it may be left empty for is said in its place.
    Text(&'static str),
    /// A number between two.
    Number(i64, i64),
    /// One of these: value and label.
    Choice(Vec<(String, String)>),
    /// Yes or no.
    Check,
}

/// Names and values of a form's fields.
pub type Values = Vec<(String, String)>;

impl FormKind {
    /// All, in the order of the bar.
    pub const ALL: [Self; 11] = [
        Self::Send,
        Self::Read,
        Self::Work,
        Self::Topic,
        Self::Partitions,
        Self::Link,
        Self::Disk,
        Self::Delete,
        Self::Elect,
        Self::Reset,
        Self::Wait,
    ];

    /// Its name in `data-do`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Send => "send",
            Self::Read => "read",
            Self::Work => "work",
            Self::Topic => "topic",
            Self::Partitions => "partitions",
            Self::Link => "link",
            Self::Disk => "disk",
            Self::Delete => "delete",
            Self::Elect => "elect",
            Self::Reset => "reset",
            Self::Wait => "wait",
        }
    }

    /// The field that is filled in first.
    #[must_use]
    pub const fn first(self) -> &'static str {
        match self {
            Self::Send => "key",
            Self::Read | Self::Work | Self::Reset => "group",
            Self::Topic => "topic",
            Self::Partitions => "partitions",
            Self::Link => "what",
            Self::Disk => "broker",
            Self::Delete | Self::Elect => "partition",
            Self::Wait => "seconds",
        }
    }

    /// The form of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|form| form.name() == name)
    }

    /// Its fields.
    #[must_use]
    pub fn fields(self, snapshot: &Snapshot) -> Vec<Field> {
        let topic = || field("topic", words::TOPIC, Input::Choice(topics(snapshot)));
        let partition = || field("partition", words::PARTITION, Input::Number(0, 9_999));
        match self {
            Self::Send => vec![
                topic(),
                field("key", words::KEY, Input::Text(words::NO_KEY)),
                field("value", words::VALUE, Input::Text("")),
                field("client", words::CLIENT, Input::Choice(clients())),
                field("acks", words::ACKS, Input::Choice(same(&["all", "1", "0"]))),
                field("partition", words::PARTITION, Input::Text(words::BY_THE_KEY)),
                field("count", words::HOW_MANY, Input::Number(1, 10_000)),
            ],
            Self::Read => vec![
                topic(),
                field("group", words::GROUP, Input::Text(words::GROUP_OF_ITS_OWN)),
                field("beginning", words::FROM_BEGINNING, Input::Check),
            ],
            Self::Work => vec![
                topic(),
                field("group", words::GROUP, Input::Text("")),
                field("time", words::MS_EACH, Input::Number(0, 600_000)),
                field(
                    "commit",
                    words::COMMITS,
                    Input::Choice(same(&["auto", "after", "before", "revoked", "never"])),
                ),
                field("beginning", words::FROM_BEGINNING, Input::Check),
            ],
            Self::Topic => vec![
                field("topic", words::TOPIC_NAME, Input::Text("")),
                field("partitions", words::PARTITIONS, Input::Number(1, 100)),
                field("factor", words::REPLICATION_FACTOR, Input::Number(1, 9)),
                field("min", words::MIN_ISR, Input::Number(1, 9)),
            ],
            Self::Partitions => {
                vec![topic(), field("partitions", words::PARTITIONS_NOW, Input::Number(1, 100))]
            }
            Self::Link => vec![
                field("what", words::WHAT, Input::Choice(link_deeds())),
                field("from", words::FROM, Input::Choice(parties(snapshot))),
                field("to", words::TO, Input::Choice(parties(snapshot))),
                field("ms", words::MS_LONGER, Input::Number(1, 3_600_000)),
                field("oneway", words::ONE_WAY, Input::Check),
            ],
            Self::Disk => vec![
                field("broker", words::BROKER, Input::Choice(brokers(snapshot))),
                field("ms", words::MS_WRITE, Input::Number(0, 3_600_000)),
            ],
            Self::Delete => vec![
                topic(),
                partition(),
                field("before", words::BEFORE_OFFSET, Input::Number(0, i64::MAX)),
            ],
            Self::Elect => vec![
                topic(),
                partition(),
                field("kind", words::ELECTION, Input::Choice(same(&["preferred", "unclean"]))),
            ],
            Self::Reset => vec![
                field("group", words::GROUP, Input::Choice(groups(snapshot))),
                topic(),
                field("to", words::TO_OFFSET, Input::Choice(reset_to())),
            ],
            Self::Wait => vec![field("seconds", words::SECONDS, Input::Number(1, 86_400))],
        }
    }

    /// What stands in the fields before the reader fills them in.
    #[must_use]
    pub fn start(self, snapshot: &Snapshot, topic: Option<&str>) -> Values {
        let mut values = Vec::new();
        for field in self.fields(snapshot) {
            let value = match (&field.input, field.name) {
                (Input::Choice(choices), "topic") => {
                    let known =
                        topic.filter(|topic| choices.iter().any(|(value, _)| value == topic));
                    known.map_or_else(|| first(choices), str::to_owned)
                }
                (Input::Choice(choices), "to") if self == Self::Link => {
                    choices.get(1).map_or_else(String::new, |(value, _)| value.clone())
                }
                (Input::Choice(choices), _) => first(choices),
                (_, name) => self.start_of(name, snapshot, topic).to_owned(),
            };
            values.push((field.name.to_owned(), value));
        }
        values
    }

    fn start_of(self, name: &str, snapshot: &Snapshot, topic: Option<&str>) -> String {
        let brokers = snapshot.cluster.get().map_or(0, |cluster| cluster.brokers.len());
        match (self, name) {
            (Self::Send, "key") => "locker-7".to_owned(),
            (Self::Send, "value") => "CODE_SENT".to_owned(),
            (Self::Send, "count") => "1".to_owned(),
            (Self::Work, "group") => "billing".to_owned(),
            (Self::Work, "time") => "500".to_owned(),
            (Self::Read | Self::Work, "beginning") => "yes".to_owned(),
            (Self::Topic, "topic") => fresh_topic(snapshot),
            (Self::Topic, "partitions") => "2".to_owned(),
            (Self::Topic, "factor") => brokers.min(3).to_string(),
            (Self::Topic, "min") => brokers.min(3).div_ceil(2).to_string(),
            (Self::Partitions, "partitions") => {
                let topic = topic.or_else(|| own_topics(snapshot).first().copied());
                let view = topic.and_then(|topic| snapshot.topic(topic));
                (view.map_or(0, |view| view.partitions.len()) + 1).to_string()
            }
            (Self::Link, "ms") => "200".to_owned(),
            (Self::Disk, "ms") => "500".to_owned(),
            (_, "partition") if self != Self::Send => "0".to_owned(),
            (Self::Delete, "before") => "1".to_owned(),
            (Self::Wait, _) => "10".to_owned(),
            _ => String::new(),
        }
    }

    /// The command line of what was filled in.
    ///
    /// # Errors
    /// What is still missing.
    pub fn command(self, values: &Values, snapshot: &Snapshot) -> Result<String, String> {
        for Field { name, label, input } in self.fields(snapshot) {
            if let Input::Number(least, most) = input {
                let number = Filled(values).number::<i64>(name);
                let is_used =
                    self != Self::Link || name != "ms" || Filled(values).value("what") == "slow";
                if is_used && !number.is_ok_and(|number| (least..=most).contains(&number)) {
                    return Err(words::needs_number(label, least, most));
                }
            }
        }
        self.line(values, snapshot).map_err(str::to_owned)
    }

    fn line(self, values: &Values, snapshot: &Snapshot) -> Result<String, &'static str> {
        let filled = Filled(values);
        let value = |name| filled.value(name);
        let is_checked = |name| !filled.value(name).is_empty();
        let topic = || filled.needed("topic", words::NEEDS_TOPIC);
        Ok(match self {
            Self::Send => {
                let line = Line::new("hw produce").with("--topic", topic()?);
                line.with_some("--key", value("key"))
                    .with_some("--value", value("value"))
                    .with_other("--client", value("client"), "java")
                    .with_other("--acks", value("acks"), "all")
                    .with_some("--partition", value("partition"))
                    .with_other("--count", value("count"), "1")
                    .done()
            }
            Self::Read => {
                let line = Line::tool("kafka-console-consumer.sh", snapshot);
                let line = line.with("--topic", topic()?).with_some("--group", value("group"));
                let line =
                    if is_checked("beginning") { line.and("--from-beginning") } else { line };
                line.and("--formatter-property print.partition=true")
                    .and("--formatter-property print.offset=true")
                    .and("--formatter-property print.key=true")
                    .done()
            }
            Self::Work => {
                let line = Line::new("hw work")
                    .with("--group", filled.needed("group", words::NEEDS_GROUP)?);
                let line = line.with("--topic", topic()?).with_other("--time", value("time"), "0");
                let line = line.with_other("--commit", value("commit"), "auto");
                if is_checked("beginning") { line.and("--from-beginning") } else { line }.done()
            }
            Self::Topic => Line::tool("kafka-topics.sh", snapshot)
                .and("--create")
                .with("--topic", filled.needed("topic", words::NEEDS_TOPIC_NAME)?)
                .with_some("--partitions", value("partitions"))
                .with_some("--replication-factor", value("factor"))
                .with_other("--config", &min_isr(value("min")), "")
                .done(),
            Self::Partitions => Line::tool("kafka-topics.sh", snapshot)
                .and("--alter")
                .with("--topic", topic()?)
                .with("--partitions", filled.needed("partitions", words::NEEDS_NUMBER)?)
                .done(),
            Self::Link => filled.link()?,
            Self::Disk => match value("ms") {
                "" | "0" => format!("hw heal --disk {}", value("broker")),
                ms => format!("hw slow --disk {} {ms}", value("broker")),
            },
            Self::Delete => delete_records(
                snapshot,
                topic()?,
                filled.number("partition")?,
                filled.number("before")?,
            ),
            Self::Elect => elect(snapshot, topic()?, filled.number("partition")?, value("kind")),
            Self::Reset => Line::tool("kafka-consumer-groups.sh", snapshot)
                .with("--group", filled.needed("group", words::NEEDS_GROUP)?)
                .with("--topic", topic()?)
                .and("--reset-offsets")
                .and(value("to"))
                .and("--execute")
                .done(),
            Self::Wait => format!("sleep {}", filled.needed("seconds", words::NEEDS_NUMBER)?),
        })
    }
}

fn min_isr(value: &str) -> String {
    if value.is_empty() || value == "1" {
        String::new()
    } else {
        format!("min.insync.replicas={value}")
    }
}

/// What was filled in.
struct Filled<'a>(&'a Values);

impl<'a> Filled<'a> {
    fn value(&self, name: &str) -> &'a str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
    }

    fn needed(&self, name: &str, missing: &'static str) -> Result<&'a str, &'static str> {
        match self.value(name) {
            "" => Err(missing),
            text => Ok(text),
        }
    }

    fn number<T: FromStr>(&self, name: &str) -> Result<T, &'static str> {
        self.value(name).parse().map_err(|_| words::NEEDS_NUMBER)
    }

    fn link(&self) -> Result<String, &'static str> {
        let (from, to) = (self.value("from"), self.value("to"));
        let line = match self.value("what") {
            "heal-all" => return Ok("hw heal".to_owned()),
            _ if from == to => return Err(words::NEEDS_TWO_ENDS),
            "slow" => Line::new("hw slow").and(from).and(to).and(self.value("ms")),
            "heal" => Line::new("hw heal").and(from).and(to),
            _ => Line::new("hw cut").and(from).and(to),
        };
        Ok(if self.value("oneway").is_empty() { line } else { line.and("--one-way") }.done())
    }
}

fn field(name: &'static str, label: &'static str, input: Input) -> Field {
    Field { name, label, input }
}

fn first(choices: &[(String, String)]) -> String {
    choices.first().map_or_else(String::new, |(value, _)| value.clone())
}

/// Values that are their own labels.
fn same(values: &[&str]) -> Vec<(String, String)> {
    values.iter().map(|value| ((*value).to_owned(), (*value).to_owned())).collect()
}

/// The reader's topics.
#[must_use]
pub fn topics(snapshot: &Snapshot) -> Vec<(String, String)> {
    same(&own_topics(snapshot))
}

fn groups(snapshot: &Snapshot) -> Vec<(String, String)> {
    let groups = snapshot.cluster.get().into_iter().flat_map(ClusterView::groups);
    let mut names: Vec<String> = groups.map(|(_, group, _)| group.to_string()).collect();
    names.sort();
    names.dedup();
    same(&names.iter().map(String::as_str).collect::<Vec<_>>())
}

fn brokers(snapshot: &Snapshot) -> Vec<(String, String)> {
    let brokers = snapshot.cluster.get().map_or(&[][..], |cluster| &cluster.brokers).iter();
    brokers.map(|broker| (broker.id.to_string(), replicas::broker(broker.id.0))).collect()
}

/// Who can be at the end of a link.
fn parties(snapshot: &Snapshot) -> Vec<(String, String)> {
    let mut parties = brokers(snapshot);
    parties.push(("controller".to_owned(), words::THE_CONTROLLER.to_owned()));
    parties.push(("clients".to_owned(), words::ALL_CLIENTS.to_owned()));
    parties
}

fn link_deeds() -> Vec<(String, String)> {
    let deeds = [
        ("cut", words::CUT),
        ("slow", words::SLOW),
        ("heal", words::HEAL),
        ("heal-all", words::HEAL_ALL),
    ];
    deeds.map(|(value, label)| (value.to_owned(), label.to_owned())).to_vec()
}

fn reset_to() -> Vec<(String, String)> {
    let ways = [
        ("--to-earliest", words::TO_EARLIEST),
        ("--to-latest", words::TO_LATEST),
        ("--shift-by -1", words::ONE_BACK),
        ("--shift-by 1", words::ONE_ON),
    ];
    ways.map(|(value, label)| (value.to_owned(), label.to_owned())).to_vec()
}

/// Names of the client libraries whose partitioners are known.
fn clients() -> Vec<(String, String)> {
    let families = highwater_core::client::partitioner::ClientFamily::ALL;
    let names: Vec<&str> = families.iter().map(|family| family.name()).collect();
    same(&names)
}

/// A name that no topic has.
fn fresh_topic(snapshot: &Snapshot) -> String {
    let name = "parcel-events";
    if snapshot.topic(name).is_none() {
        return name.to_owned();
    }
    let mut number = 2;
    while snapshot.topic(&format!("{name}-{number}")).is_some() {
        number += 1;
    }
    format!("{name}-{number}")
}
