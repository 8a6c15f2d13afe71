//! What can be asked about, with a text for each that stands in attributes and links:
//! `record:parcel-events-0:5`, `replica:parcel-events-0@2`, `broker:2`, `controller`, `group:billing`.
//!
//! A text belongs to one thing and a thing has one text: what is read and would be written otherwise is refused.

use highwater_core::ids::{EventId, MessageId};

use crate::cluster_figure::ReplicaId;
use crate::digits::number;
use crate::words;

/// Something on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A topic, by its name.
    Topic(String),
    /// A partition.
    Partition {
        /// The topic's name.
        topic: String,
        /// The partition's number.
        partition: i32,
    },
    /// A record, or the slot where the next one goes.
    Record {
        /// The topic's name.
        topic: String,
        /// The partition's number.
        partition: i32,
        /// The offset.
        offset: i64,
    },
    /// The high watermark of a partition.
    Tide {
        /// The topic's name.
        topic: String,
        /// The partition's number.
        partition: i32,
    },
    /// What one broker holds of a partition.
    Replica(ReplicaId),
    /// A broker, by its id.
    Broker(i32),
    /// The controller.
    Controller,
    /// A group, by its id.
    Group(String),
    /// A member of a group.
    Member {
        /// The group's id.
        group: String,
        /// What its coordinator calls it.
        member: String,
    },
    /// A consumer, by its name as in `Snapshot::readers`.
    Reader(String),
    /// A message on its way, or that waits at a broker.
    Request(MessageId),
    /// Something that has happened.
    Event(EventId),
}

impl Thing {
    /// A partition.
    #[must_use]
    pub fn partition(topic: &str, partition: i32) -> Self {
        Self::Partition { topic: topic.to_owned(), partition }
    }

    /// A record.
    #[must_use]
    pub fn record(topic: &str, partition: i32, offset: i64) -> Self {
        Self::Record { topic: topic.to_owned(), partition, offset }
    }

    /// A replica.
    #[must_use]
    pub fn replica(topic: &str, partition: i32, broker: i32) -> Self {
        Self::Replica(ReplicaId { topic: topic.to_owned(), partition, broker })
    }

    /// Its text.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Topic(name) => format!("topic:{name}"),
            Self::Partition { topic, partition } => {
                format!("partition:{}", words::partition_name(topic, *partition))
            }
            Self::Record { topic, partition, offset } => {
                format!("record:{}:{offset}", words::partition_name(topic, *partition))
            }
            Self::Tide { topic, partition } => {
                format!("tide:{}", words::partition_name(topic, *partition))
            }
            Self::Replica(replica) => format!("replica:{}", replica.text()),
            Self::Broker(id) => format!("broker:{id}"),
            Self::Controller => "controller".to_owned(),
            Self::Group(group) => format!("group:{group}"),
            // A group's id may hold anything, a slash too.
            Self::Member { group, member } => {
                format!("member:{}/{member}", group.replace('%', "%25").replace('/', "%2F"))
            }
            Self::Reader(name) => format!("reader:{name}"),
            Self::Request(id) => format!("request:{id}"),
            Self::Event(id) => format!("event:{id}"),
        }
    }

    /// Reads what [`Thing::text`] has written, and nothing else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let thing = read(text)?;
        (thing.text() == text).then_some(thing)
    }
}

fn read(text: &str) -> Option<Thing> {
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    let place = |text: &str| {
        let (topic, partition) = text.rsplit_once('-')?;
        Some((topic.to_owned(), number::<i32>(partition)?))
    };
    Some(match kind {
        "topic" => Thing::Topic(rest.to_owned()),
        "partition" => {
            let (topic, partition) = place(rest)?;
            Thing::Partition { topic, partition }
        }
        "record" => {
            let (partition, offset) = rest.rsplit_once(':')?;
            let (topic, partition) = place(partition)?;
            Thing::Record { topic, partition, offset: number(offset)? }
        }
        "tide" => {
            let (topic, partition) = place(rest)?;
            Thing::Tide { topic, partition }
        }
        "replica" => Thing::Replica(ReplicaId::parse(rest)?),
        "broker" => Thing::Broker(number(rest)?),
        "controller" => Thing::Controller,
        "group" => Thing::Group(rest.to_owned()),
        "member" => {
            let (group, member) = rest.split_once('/')?;
            let group = group.replace("%2F", "/").replace("%25", "%");
            Thing::Member { group, member: member.to_owned() }
        }
        "reader" => Thing::Reader(rest.to_owned()),
        "request" => Thing::Request(MessageId(unsigned(rest)?)),
        "event" => Thing::Event(EventId(unsigned(rest)?)),
        _ => return None,
    })
}

fn unsigned(text: &str) -> Option<u64> {
    highwater_core::number::unsigned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Each text means its thing.
    #[test]
    fn forms() {
        for (text, thing) in [
            ("topic:parcel-events", Thing::Topic("parcel-events".to_owned())),
            ("partition:parcel-events-0", Thing::partition("parcel-events", 0)),
            ("record:parcel-events-0:5", Thing::record("parcel-events", 0, 5)),
            ("tide:a-11", Thing::Tide { topic: "a".to_owned(), partition: 11 }),
            ("replica:parcel-events-0@2", Thing::replica("parcel-events", 0, 2)),
            ("broker:2", Thing::Broker(2)),
            ("controller", Thing::Controller),
            ("group:billing", Thing::Group("billing".to_owned())),
            (
                "member:billing/console-consumer-1",
                Thing::Member {
                    group: "billing".to_owned(),
                    member: "console-consumer-1".to_owned(),
                },
            ),
            ("reader:console-consumer 2", Thing::Reader("console-consumer 2".to_owned())),
            ("request:17", Thing::Request(MessageId(17))),
            ("event:812", Thing::Event(EventId(812))),
        ] {
            assert_eq!(thing.text(), text);
            assert_eq!(Thing::parse(text), Some(thing), "{text}");
        }
    }

    /// Names that look like other texts come back as they were.
    #[test]
    fn hostile_names() {
        let names = [
            "",
            ":",
            "a:b",
            "a-0",
            "a-0:5",
            "a@2",
            "x-0@2",
            "%2F",
            "a/b%25",
            "%",
            "member:a/b",
            "\u{202e}\"<&",
            "-",
            "--1",
            " ",
        ];
        for name in names {
            let mut things = vec![
                Thing::Topic(name.to_owned()),
                Thing::partition(name, 3),
                Thing::record(name, 0, i64::MAX),
                Thing::Tide { topic: name.to_owned(), partition: i32::MAX },
                Thing::replica(name, 1, 9),
                Thing::Group(name.to_owned()),
                Thing::Reader(name.to_owned()),
            ];
            things.extend(names.iter().map(|member| Thing::Member {
                group: name.to_owned(),
                member: (*member).to_owned(),
            }));
            for thing in things {
                assert_eq!(Thing::parse(&thing.text()), Some(thing.clone()), "{}", thing.text());
            }
        }
    }

    /// What no thing has as its text means nothing.
    #[test]
    fn nothing_else_is_read() {
        for text in [
            "",
            "broker",
            "broker:",
            "broker:+1",
            "broker:01",
            "broker:-1",
            "broker:2147483648",
            "controller:",
            "controller:1",
            "partition:a",
            "partition:a-",
            "partition:a--",
            "partition:a-1x",
            "record:a-0",
            "record:a-0:",
            "record:a-0:-1",
            "record:a-0:9223372036854775808",
            "replica:a-0",
            "replica:a-0@",
            "member:a",
            "member:%2f/a",
            "member:%41/a",
            "request:",
            "event:x",
            "Topic:a",
            "tides:a-0",
        ] {
            assert_eq!(Thing::parse(text), None, "{text}");
        }
    }
}
