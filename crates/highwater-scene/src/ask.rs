//! What is this, its numbers, the settings that govern it, and why is it so? For anything on screen.
//!
//! Numbers come from the snapshot, reasons from events; no rule of Kafka is made up here. What an answer costs follows
//! the number of replicas, groups and messages, and of the events that are looked through; never that of the records of
//! a log. The words are in `words::ask`.

use std::rc::Rc;

use highwater_core::controller::records::PartitionImage;
use highwater_core::ids::{BrokerId, EventId, PartitionId, TopicPartition};
use highwater_core::replication::partition::Partition;
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::cluster_view::{BrokerView, ClusterView};
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::snapshot::{PartitionView, Snapshot, TopicView};

use crate::names::by_name;
use crate::thing::Thing;

mod broker;
mod controller;
mod event;
mod fields;
mod group;
mod holdup;
mod member;
pub mod panel;
mod partition;
mod reader;
mod record;
mod replica;
mod request;
pub mod settings;
pub mod text;
mod tide;
mod topic;

/// No more sentences than these explain a thing.
const SENTENCES: usize = 3;

/// What there is to say of a thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What it is, and how.
    pub title: String,
    /// Its numbers.
    pub facts: Vec<Fact>,
    /// The settings that govern it.
    pub settings: Vec<Setting>,
    /// One to three sentences that explain its state.
    pub says: Vec<Sentence>,
    /// The newest event that made it so, for the chain of reasons.
    pub because: Option<EventId>,
    /// What to ask about next.
    pub links: Vec<Link>,
}

/// A number with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is.
    pub name: String,
    /// The number, or the name.
    pub value: String,
    /// What the value names, if that can be asked about itself.
    pub thing: Option<Thing>,
}

/// A sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// It.
    pub text: String,
    /// What it is about, if that is something else.
    pub thing: Option<Thing>,
}

/// Something to ask about next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// What it is called.
    pub label: String,
    /// It.
    pub thing: Thing,
}

/// A setting with the value in force.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Its key.
    pub key: &'static str,
    /// The value that counts.
    pub value: String,
    /// Kafka's default.
    pub default: String,
    /// Where the value comes from, in Kafka's words.
    pub source: &'static str,
    /// Whose it is, if Kafka lets it be changed while brokers run.
    pub editable: Option<Entity>,
    /// What it does, in a sentence.
    pub about: &'static str,
    /// Whose it is.
    pub target: Entity,
}

/// Whose setting it is, as `kafka-configs.sh` has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entity {
    /// A topic's.
    Topic(String),
    /// A broker's.
    Broker(i32),
    /// All brokers', and so the controller's (`--entity-default`).
    AllBrokers,
    /// The controller's. Its file alone sets it.
    Controller,
    /// A client's. Whoever starts it sets it.
    Client(String),
}

impl Entity {
    /// The value of `--entity-type`; `None`: the tool does not reach it.
    #[must_use]
    pub fn kind(&self) -> Option<&'static str> {
        match self {
            Self::Topic(_) => Some("topics"),
            Self::Broker(_) | Self::AllBrokers => Some("brokers"),
            Self::Controller | Self::Client(_) => None,
        }
    }

    /// The value of `--entity-name`; empty: `--entity-default`.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Topic(name) | Self::Client(name) => name.clone(),
            Self::Broker(id) => id.to_string(),
            Self::AllBrokers | Self::Controller => String::new(),
        }
    }
}

/// Answers. `events` are the newest kept ones up to this moment, oldest first. `None`: it does not exist, or not any
/// more, or it cannot be asked about on a page about one broker.
#[must_use]
pub fn ask(thing: &Thing, moment: &Snapshot, events: &[Rc<Event>]) -> Option<Answer> {
    let here = Here { moment, cluster: moment.cluster.get()?, events };
    let mut answer = answer(&here, thing)?;
    answer.says.truncate(SENTENCES);
    for text in answer.says.iter_mut().map(|says| &mut says.text) {
        *text = by_name(std::mem::take(text), moment);
    }
    for name in answer.facts.iter_mut().map(|fact| &mut fact.name) {
        *name = by_name(std::mem::take(name), moment);
    }
    // What happens in a world that sleeps is known when it wakes; until then there is no such event.
    let newest = events.last().map(|event| event.id);
    answer.because = answer.because.filter(|id| newest.is_none_or(|newest| *id <= newest));
    Some(answer)
}

fn answer(here: &Here<'_>, thing: &Thing) -> Option<Answer> {
    match thing {
        Thing::Topic(name) => topic::answer(here, name),
        Thing::Partition { topic, partition } => {
            partition::answer(here, &here.place(topic, *partition)?)
        }
        Thing::Record { topic, partition, offset } => {
            record::answer(here, &here.place(topic, *partition)?, *offset)
        }
        Thing::Tide { topic, partition } => tide::answer(here, &here.place(topic, *partition)?),
        Thing::Replica(replica) => {
            let place = here.place(&replica.topic, replica.partition)?;
            replica::answer(here, &place, replica.broker)
        }
        Thing::Broker(id) => broker::answer(here, *id),
        Thing::Controller => Some(controller::answer(here)),
        Thing::Group(name) => group::answer(here, name),
        Thing::Member { group, member } => {
            member::answer(here, group, member).or_else(|| member::gone(here, group, member))
        }
        Thing::Reader(name) => reader::answer(here, name),
        Thing::Request(id) => request::answer(here, *id),
        Thing::Event(id) => event::answer(here, *id),
    }
}

/// A moment that is asked about.
struct Here<'a> {
    moment: &'a Snapshot,
    cluster: &'a ClusterView,
    events: &'a [Rc<Event>],
}

/// A partition at that moment.
struct Place<'a> {
    topic: &'a TopicView,
    image: &'a PartitionImage,
    view: &'a PartitionView,
    which: TopicPartition,
}

impl<'a> Here<'a> {
    fn place(&self, topic: &str, number: i32) -> Option<Place<'a>> {
        let topic = self.moment.topic(topic)?;
        let index = usize::try_from(number).ok()?;
        let (image, view) = (topic.image.partitions.get(index)?, topic.partitions.get(index)?);
        let which = TopicPartition::new(&topic.name, PartitionId(number));
        Some(Place { topic, image, view, which })
    }

    fn broker(&self, id: BrokerId) -> Option<&'a BrokerView> {
        self.cluster.broker(id)
    }

    /// What a broker holds of a partition.
    fn held(&self, broker: BrokerId, which: &TopicPartition) -> Option<&'a Partition> {
        self.broker(broker)?.replica(which).map(|held| &**held)
    }

    /// The newest event of that kind.
    fn newest(&self, is_wanted: impl Fn(&EventKind) -> bool) -> Option<&'a Rc<Event>> {
        self.events.iter().rev().find(|event| is_wanted(&event.kind))
    }

    /// The same among the events of clusters.
    fn newest_news(&self, is_wanted: impl Fn(&ClusterEvent) -> bool) -> Option<&'a Rc<Event>> {
        self.newest(|kind| news(kind).is_some_and(&is_wanted))
    }
}

impl<'a> Place<'a> {
    /// The leader's replica.
    fn leaders(&self) -> Option<&'a Partition> {
        self.view.replica.as_deref()
    }

    fn name(&self) -> String {
        self.which.to_string()
    }

    fn topic_name(&self) -> &'a str {
        self.topic.name.as_str()
    }

    fn number(&self) -> i32 {
        self.view.id.0
    }

    fn thing(&self) -> Thing {
        Thing::partition(self.topic_name(), self.number())
    }

    fn tide(&self) -> Thing {
        Thing::Tide { topic: self.topic_name().to_owned(), partition: self.number() }
    }

    fn replica(&self, broker: BrokerId) -> Thing {
        Thing::replica(self.topic_name(), self.number(), broker.0)
    }
}

/// What an event says of a cluster.
fn news(kind: &EventKind) -> Option<&ClusterEvent> {
    match kind {
        EventKind::Cluster(news) => news.event(),
        _ => None,
    }
}

/// An answer in the making.
impl Answer {
    fn new(title: String) -> Self {
        Self {
            title,
            facts: Vec::new(),
            settings: Vec::new(),
            says: Vec::new(),
            because: None,
            links: Vec::new(),
        }
    }

    fn fact(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.facts.push(Fact { name: name.into(), value: value.into(), thing: None });
    }

    fn number(&mut self, name: impl Into<String>, value: impl Into<i128>) {
        self.fact(name, value.into().to_string());
    }

    /// A fact whose value can be asked about.
    fn about(&mut self, name: impl Into<String>, value: impl Into<String>, thing: Thing) {
        self.facts.push(Fact { name: name.into(), value: value.into(), thing: Some(thing) });
    }

    fn say(&mut self, text: String) {
        self.says.push(Sentence { text, thing: None });
    }

    fn say_of(&mut self, text: String, thing: Thing) {
        self.says.push(Sentence { text, thing: Some(thing) });
    }

    fn link(&mut self, label: String, thing: Thing) {
        self.links.push(Link { label, thing });
    }
}

/// How many items, as words and numbers want it.
fn count<T>(items: &[T]) -> i64 {
    i64::try_from(items.len()).unwrap_or(i64::MAX)
}
