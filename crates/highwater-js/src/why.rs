//! Why is it so? The answers of the Lab's panel.

use highwater_core::error::ErrorCode;
use highwater_core::ids::{Bytes, Offset};
use highwater_core::world::event::EventKind;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::arithmetic;
use highwater_scene::ask::{self, ask, text};
use highwater_scene::thing::Thing;
use highwater_scene::why::reasons;

use crate::engine::{Engine, told};
use crate::failure::Failure;
use crate::value::short;
use crate::wire::{Answer, Fact, Link, Sentence, Setting};

/// What can be asked about.
const FORMS: &str = "Ask about topic:NAME, partition:NAME-0, record:NAME-0:5 (an offset), tide:NAME-0 (the high \
                     watermark), replica:NAME-0@2 (a broker), broker:2, controller, group:NAME, member:GROUP/ID, \
                     reader:NAME, request:NUMBER or event:NUMBER.";

/// What there is to say of a thing.
pub(crate) fn answer(engine: &Engine, about: &str) -> Result<Answer, Failure> {
    let Some(thing) = Thing::parse(about) else {
        return Err(Failure::own(format!("`{}` names nothing that is here", short(about)), FORMS));
    };
    let moment = engine.snapshot();
    let Some(found) = ask(&thing, &moment, &engine.events()) else {
        return Err(not_there(&thing, &moment));
    };
    let chain = found.because.map(|event| engine.why(event)).unwrap_or_default();
    let key = match &thing {
        Thing::Record { topic, partition, offset } => key_of(&moment, topic, *partition, *offset),
        _ => None,
    };
    let is_record = matches!(thing, Thing::Record { .. });
    let steps = chain.iter().filter(|_| is_record).find_map(|event| match &event.kind {
        EventKind::RecordPartitioned { key: of, .. } if *of == key => {
            arithmetic::of_event(&event.kind)
        }
        _ => None,
    });
    Ok(Answer {
        thing: thing.text(),
        says: found.says.iter().map(sentence).collect(),
        facts: found.facts.iter().map(fact).collect(),
        settings: found.settings.iter().map(setting).collect(),
        reasons: told(chain.iter().rev(), &moment),
        arithmetic: steps.unwrap_or_default().into_iter().map(|step| step.text).collect(),
        links: found.links.iter().map(link).collect(),
        text: text::render(&found, &reasons(&chain, &moment)),
        title: found.title,
    })
}

fn sentence(sentence: &ask::Sentence) -> Sentence {
    let thing = sentence.thing.as_ref().map(Thing::text);
    Sentence { text: sentence.text.clone(), thing }
}

fn fact(fact: &ask::Fact) -> Fact {
    let thing = fact.thing.as_ref().map(Thing::text);
    Fact { name: fact.name.clone(), value: fact.value.clone(), thing }
}

fn setting(setting: &ask::Setting) -> Setting {
    Setting {
        key: setting.key.to_owned(),
        value: setting.value.clone(),
        default: setting.default.clone(),
        source: setting.source.to_owned(),
        about: setting.about.to_owned(),
    }
}

fn link(link: &ask::Link) -> Link {
    Link { label: link.label.clone(), thing: link.thing.text() }
}

/// The key of a record that a leader has.
fn key_of(moment: &Snapshot, topic: &str, partition: i32, offset: i64) -> Option<Bytes> {
    let view = moment.topic(topic)?.partitions.get(usize::try_from(partition).ok()?)?;
    let (from, to) = (Offset(offset), Offset(offset).plus(1));
    let batch = view.replica.as_ref()?.log().read(from, to, u64::MAX).next()?;
    batch.iter_from(from).next().and_then(|(_, record)| record.key.clone())
}

/// What is not there, by Kafka's name.
fn not_there(thing: &Thing, moment: &Snapshot) -> Failure {
    let (name, cluster) = (thing.text(), moment.cluster.known());
    let message = format!("there is no {} at this moment", short(&name));
    match thing {
        Thing::Topic(topic)
        | Thing::Partition { topic, .. }
        | Thing::Tide { topic, .. }
        | Thing::Record { topic, .. } => match moment.topic(topic) {
            Some(view) if matches!(thing, Thing::Record { .. }) => Failure::kafka(
                ErrorCode::OffsetOutOfRange,
                message,
                format!(
                    "Ask about an offset that a leader of {} has: `snapshot()` has them.",
                    view.name
                ),
            ),
            Some(view) => unknown_partition(message, view.partitions.len()),
            None => unknown_topic(message, moment),
        },
        Thing::Replica(replica) => match moment.topic(&replica.topic) {
            Some(_) => Failure::kafka(
                ErrorCode::ReplicaNotAvailable,
                message,
                "Ask about a broker in `replicaIds` of the partition.",
            ),
            None => unknown_topic(message, moment),
        },
        Thing::Group(_) => Failure::kafka(
            ErrorCode::GroupIdNotFound,
            message,
            listed(cluster.groups().map(|(_, id, _)| id)),
        ),
        Thing::Member { .. } => Failure::kafka(
            ErrorCode::UnknownMemberId,
            message,
            "Ask about a member in `snapshot().groups`, as member:GROUP/ID.",
        ),
        Thing::Broker(_) => {
            Failure::own(message, listed(cluster.brokers.iter().map(|broker| broker.id)))
        }
        Thing::Reader(_) => {
            Failure::own(message, listed(moment.readers.iter().map(|reader| &reader.name)))
        }
        Thing::Controller | Thing::Request(_) | Thing::Event(_) => Failure::own(
            message,
            "Go to a moment at which it is there with `seek`, or ask about something else.",
        ),
    }
}

/// A topic that is not there.
pub(crate) fn unknown_topic(message: String, moment: &Snapshot) -> Failure {
    let topics = moment.topics.iter().map(|topic| &topic.name);
    Failure::kafka(ErrorCode::UnknownTopicOrPartition, message, listed(topics))
}

/// A partition that is not there.
pub(crate) fn unknown_partition(message: String, count: usize) -> Failure {
    let remedy = format!("Its partitions are 0 to {}.", count.saturating_sub(1));
    Failure::kafka(ErrorCode::UnknownTopicOrPartition, message, remedy)
}

/// What there is.
fn listed(names: impl Iterator<Item = impl ToString>) -> String {
    let names: Vec<String> = names.map(|name| short(&name.to_string())).collect();
    if names.is_empty() {
        return "There is none at this moment.".to_owned();
    }
    format!("There is: {}.", names.join(", "))
}
