//! What a part of a claim is at a moment.

use std::borrow::Cow;
use std::fmt;

use highwater_core::broker::group_coordinator::{GroupEntry, Member};
use highwater_core::controller::records::PartitionImage;
use highwater_core::ids::BrokerId;
use highwater_core::log::record::Record;
use highwater_core::replication::partition::Partition;
use highwater_core::world::cluster_view::BrokerView;
use highwater_core::world::hazard::HazardCounts;
use highwater_core::world::snapshot::{PartitionView, ReaderView, TopicView};

use super::token::quote;

/// What an expression is at a moment.
#[derive(Clone, Debug)]
pub enum Value<'a> {
    /// Nothing: the leader of a partition that has none, the key of a record without key.
    None,
    /// A yes or no.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// A text. What is no UTF-8 in a record is shown as replacement characters.
    Text(Cow<'a, str>),
    /// A list.
    List(Vec<Self>),
    /// Something with fields.
    Thing(Thing<'a>),
}

/// Something with fields: a topic, a partition. It may be named and not exist.
#[derive(Clone, Debug)]
pub struct Thing<'a>(pub(super) Inner<'a>);

/// What there is of each kind of thing.
#[derive(Clone, Debug)]
pub(super) enum Inner<'a> {
    Topic(Cow<'a, str>, Option<&'a TopicView>),
    Partition(Place<'a>, Option<Held<'a>>),
    Replica(Place<'a>, i64, Option<&'a Partition>),
    Record(Place<'a>, i64, Option<Stored<'a>>),
    Broker(i64, Option<&'a BrokerView>),
    Group(Cow<'a, str>, Option<(BrokerId, &'a GroupEntry)>),
    Member(&'a Member),
    Reader(Cow<'a, str>, Option<&'a ReaderView>),
    Hazards(HazardCounts),
}

/// Which partition.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    pub(super) topic: Cow<'a, str>,
    pub(super) number: i32,
}

/// A partition that exists: as its leader and as the controller see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held<'a> {
    pub(super) view: &'a PartitionView,
    pub(super) image: &'a PartitionImage,
}

/// A record in a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stored<'a> {
    pub(super) record: &'a Record,
    pub(super) timestamp: i64,
    /// Whether it lies before the high watermark of that log.
    pub(super) readable: bool,
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.topic, self.number)
    }
}

impl<'a> Value<'a> {
    pub(super) fn text(text: &'a str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }

    /// The bytes of a key or value.
    pub(super) fn bytes(bytes: Option<&'a [u8]>) -> Self {
        bytes.map_or(Self::None, |bytes| Self::Text(String::from_utf8_lossy(bytes)))
    }

    pub(super) fn number(number: Option<impl Into<i64>>) -> Self {
        number.map_or(Self::None, |number| Self::Number(number.into()))
    }

    /// What stands for it where a plain value is wanted.
    pub(super) fn plain(self) -> Self {
        match self {
            Self::Thing(Thing(inner)) => match inner {
                Inner::Topic(name, _) | Inner::Group(name, _) | Inner::Reader(name, _) => {
                    Self::Text(name)
                }
                Inner::Partition(place, _) => Self::Text(Cow::Owned(place.to_string())),
                Inner::Member(member) => Self::text(&member.client_id),
                Inner::Broker(id, _) => Self::Number(id),
                other => Self::Thing(Thing(other)),
            },
            other => other,
        }
    }

    /// Whether both are the same, as plain values.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, Self::None) => true,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Number(one), Self::Number(other)) => one == other,
            (Self::Text(one), Self::Text(other)) => one == other,
            (Self::List(one), Self::List(other)) => {
                one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.is(other))
            }
            (Self::Thing(_), _) | (_, Self::Thing(_)) => {
                let (one, other) = (self.clone().plain(), other.clone().plain());
                let is_plain = |value: &Self| !matches!(value, Self::Thing(_));
                is_plain(&one) && is_plain(&other) && one.is(&other)
            }
            _ => false,
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Bool(value) => value.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(&quote(text)),
            Self::List(items) => {
                f.write_str("[")?;
                for (place, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if place == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Thing(thing) => thing.fmt(f),
        }
    }
}

impl fmt::Display for Thing<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Inner::Topic(name, _) => write!(f, "topic({})", quote(name)),
            Inner::Partition(place, _) => write!(f, "partition(\"{place}\")"),
            Inner::Replica(place, broker, _) => write!(f, "replica(\"{place}\", {broker})"),
            Inner::Record(place, offset, _) => write!(f, "record(\"{place}\", {offset})"),
            Inner::Broker(id, _) => write!(f, "broker({id})"),
            Inner::Group(name, _) => write!(f, "group({})", quote(name)),
            Inner::Member(member) => write!(f, "member {}", quote(&member.client_id)),
            Inner::Reader(name, _) => write!(f, "reader({})", quote(name)),
            Inner::Hazards(_) => f.write_str("hazards"),
        }
    }
}
