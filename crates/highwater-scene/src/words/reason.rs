//! One plain sentence for each kind of event, as a link in a chain of reasons.

use highwater_core::client::partitioner::Why;
use highwater_core::error::KafkaError;
use highwater_core::ids::{NodeId, TopicPartition};
use highwater_core::scope;
use highwater_core::world::input::InputKind;

use super::{address, offsets, partitions, shown};
use crate::fill::Arg::{N, S};
use crate::fill::fill;

/// A person did something.
#[must_use]
pub fn input(input: &InputKind) -> String {
    match input {
        InputKind::Line(line) => {
            let first = line.lines().next().unwrap_or_default();
            fill("You entered: {0}", &[S(&shown(first.as_bytes()))])
        }
        InputKind::EndOfInput => "You ended the input with Ctrl-D.".to_owned(),
        InputKind::Interrupt => "You pressed Ctrl-C.".to_owned(),
        InputKind::Fault(fault) => fault.get().map_or_else(String::new, |fault| {
            fill("You did this to the cluster: {0}", &[S(&fault.to_string())])
        }),
    }
}

/// A command started.
#[must_use]
pub fn started(name: &str) -> String {
    fill("{0} started.", &[S(name)])
}

/// A command ended.
#[must_use]
pub fn exited(status: u8) -> String {
    let template = match status {
        0 => "The command ended.",
        _ => "The command ended with status {0}.",
    };
    fill(template, &[N(status.into())])
}

/// A message set out.
#[must_use]
pub fn sent(from: NodeId, to: NodeId, api: &str, is_request: bool) -> String {
    let template = if is_request {
        "{0} sent a {2} request to {1}."
    } else {
        "{0} answered the {2} request of {1}."
    };
    capital(&fill(template, &[S(&node(from)), S(&node(to)), S(api)]))
}

/// The controller made a topic.
#[must_use]
pub fn created(topic: &str, count: u32) -> String {
    let count = partitions(count.into());
    fill("The controller made topic {0} with {1}.", &[S(topic), S(&count)])
}

/// The controller did not make a topic.
#[must_use]
pub fn topic_refused(topic: &str, error: &KafkaError) -> String {
    fill("The controller refused topic {0}: {1}.", &[S(topic), S(text(error))])
}

/// A producer chose.
#[must_use]
pub fn partitioned(family: &str, key: Option<&[u8]>, to: &TopicPartition, why: &Why) -> String {
    let record = match key {
        Some(key) => fill("the record with key {0}", &[S(&shown(key))]),
        None => "the record without a key".to_owned(),
    };
    let (template, name, count, rest) = match why {
        Why::Hashed { function, partitions, dividend, .. } => (
            "{0} put {1} into {2}, since the {3} hash of the key divided by {4} leaves {5}.",
            function.name(),
            *partitions,
            *dividend % (*partitions).max(1),
        ),
        Why::Given => ("{0} put {1} into {2}, since you named that partition.", "", 0, 0),
        Why::Sticky => ("{0} put {1} into {2}, with which it stays for a while.", "", 0, 0),
        Why::Random if scope::CLUSTER => ("{0} put {1} into {2}, drawn at random.", "", 0, 0),
        Why::LeastBytes if scope::CLUSTER => {
            ("{0} put {1} into {2}, which had been given the fewest bytes.", "", 0, 0)
        }
        Why::LeastBackup if scope::CLUSTER => {
            ("{0} put {1} into {2}, for which the fewest records waited.", "", 0, 0)
        }
        Why::Unset if scope::CLUSTER => {
            ("{0} put {1} into {2}, since nobody set the record's partition.", "", 0, 0)
        }
        _ => ("{0} put {1} into {2}, whose turn it was.", "", 0, 0),
    };
    let place = to.to_string();
    let args = [S(family), S(&record), S(&place), S(name), N(count.into()), N(rest.into())];
    fill(template, &args)
}

/// A leader appended.
#[must_use]
pub fn appended(broker: i32, place: &TopicPartition, base: i64, count: u32) -> String {
    let place = address(&place.to_string(), base, base + i64::from(count));
    let template = match count {
        1 => "Broker {0} appended it as {1}.",
        _ => "Broker {0} appended them as {1}.",
    };
    fill(template, &[N(broker.into()), S(&place)])
}

/// A leader did not append.
#[must_use]
pub fn append_refused(place: &TopicPartition, error: &KafkaError) -> String {
    let place = place.to_string();
    fill("The leader of {0} refused the records: {1}.", &[S(&place), S(text(error))])
}

/// A log opened a segment.
#[must_use]
pub fn rolled(broker: i32, place: &TopicPartition, base: i64) -> String {
    let template = "Broker {0} opened a new segment of {1} at offset {2}.";
    fill(template, &[N(broker.into()), S(&place.to_string()), N(base)])
}

/// The high watermark rose.
#[must_use]
pub fn watermark(place: &TopicPartition, to: i64, held_by: i32) -> String {
    let template = "Readers of {0} see up to offset {1}: all in-sync replicas have it, and the log \
                    of broker {2} ends at {3}.";
    fill(template, &[S(&place.to_string()), N(to - 1), N(held_by.into()), N(to)])
}

/// A reader moved.
#[must_use]
pub fn moved(reader: &str, place: &TopicPartition, from: Option<i64>, to: i64) -> String {
    let template = match from {
        Some(from) if to > from => "{0} read {2} of {1}; its next is {3}.",
        Some(_) => "{0} went back in {1}; its next is {3}.",
        None => "{0} begins {1} at offset {3}.",
    };
    let read = offsets(from.unwrap_or(to), to);
    fill(template, &[S(reader), S(&place.to_string()), S(&read), N(to)])
}

fn node(node: NodeId) -> String {
    match node {
        NodeId::Controller => "the controller".to_owned(),
        NodeId::Broker(id) => fill("broker {0}", &[N(id.0.into())]),
        NodeId::Client(id) => fill("client {0}", &[N(id.0.into())]),
    }
}

fn text(error: &KafkaError) -> &str {
    error.message.trim_end_matches('.')
}

/// With a capital, as a sentence begins.
fn capital(sentence: &str) -> String {
    let (first, rest) = sentence.split_at(sentence.len().min(1));
    [&first.to_ascii_uppercase(), rest].concat()
}
