//! Sentences about what happened.

use highwater_core::client::partitioner::{ClientFamily, Why};
use highwater_core::error::KafkaError;
use highwater_core::number;
use highwater_core::scope;

use super::{offsets, partitions, records};
use crate::fill::Arg::{N, S};
use crate::fill::fill;

/// Clauses in one sentence; each may end with a full stop of its own.
#[must_use]
pub fn join(clauses: &[String]) -> String {
    let mut out = number::join(clauses, "; ");
    // A sentence that begins with a name keeps it as it is.
    if !out.ends_with('.') {
        out.push('.');
    }
    out
}

/// Nothing that a log figure shows.
#[must_use]
pub fn nothing() -> &'static str {
    "Nothing changed in the log."
}

/// A topic, as what was refused.
#[must_use]
pub fn topic(name: &str) -> String {
    fill("topic {0}", &[S(name)])
}

/// A write, as what was refused.
#[must_use]
pub fn a_write(place: &str) -> String {
    fill("a write to {0}", &[S(place)])
}

/// An answer that says no.
#[must_use]
pub fn refused(what: &str, error: &KafkaError) -> String {
    fill("Kafka refused {0}: {1}", &[S(what), S(error.message.trim_end_matches('.'))])
}

/// A topic is new.
#[must_use]
pub fn topic_exists(name: &str, count: i64) -> String {
    fill("Topic {0} now exists, with {1}", &[S(name), S(&partitions(count))])
}

/// Several topics are new.
#[must_use]
pub fn topics_exist(names: &str) -> String {
    fill("Topics {0} now exist", &[S(names)])
}

/// A partition of one of several topics.
#[must_use]
pub fn of_topic(partition: &str, topic: &str) -> String {
    fill("{0} of {1}", &[S(partition), S(topic)])
}

/// One record has come, and why there.
#[must_use]
pub fn record_landed(key: Option<&str>, why: &Why, place: &str, offset: i64) -> String {
    let template = match (why, key) {
        (Why::Hashed { .. }, Some("")) => {
            "The empty key hashes to {1}; its record is now offset {2} there"
        }
        (Why::Hashed { .. }, _) => "{0} hashes to {1}; its record is now offset {2} there",
        (Why::Given, _) => "The sender named {1}; the record is now offset {2} there",
        (Why::Sticky, Some(_)) if scope::CLUSTER => {
            "The client, for which keys do not count, stays with {1}; the record is now offset {2} there"
        }
        (Why::Sticky, _) => {
            "Without a key the client stays with {1}; the record is now offset {2} there"
        }
        (Why::Random, _) if scope::CLUSTER => {
            "{1} was drawn at random; the record is now offset {2} there"
        }
        (Why::LeastBytes, _) if scope::CLUSTER => {
            "{1} had been given the fewest bytes; the record is now offset {2} there"
        }
        (Why::LeastBackup, _) if scope::CLUSTER => {
            "The fewest records waited for {1}; the record is now offset {2} there"
        }
        (Why::Unset, _) if scope::CLUSTER => {
            "Nobody set the record's partition, so it is {1}; the record is now offset {2} there"
        }
        (Why::Turn, Some(_)) if scope::CLUSTER => {
            "Keys do not count, it was the turn of {1}; the record is now offset {2} there"
        }
        _ => "Without a key it was the turn of {1}; the record is now offset {2} there",
    };
    fill(template, &[S(key.unwrap_or_default()), S(place), N(offset)])
}

/// Several records have come: what their partitions hold now. `fresh`: they held nothing before.
#[must_use]
pub fn records_landed(total: i64, held: &[(String, i64)], fresh: bool) -> String {
    let template = if fresh { "{0}: {1}" } else { "{0} came in: {1}" };
    let mut parts = String::new();
    for (index, (place, count)) in held.iter().enumerate() {
        // "partition 0 has 3, 1 has 2": the word is said once.
        let shorter = place.strip_prefix("partition ").filter(|_| index > 0);
        let part = match (index > 0, fresh) {
            (false, true) => "{0} has {1}",
            (true, true) => ", {0} has {1}",
            (false, false) => "{0} now has {1}",
            (true, false) => ", {0} now has {1}",
        };
        parts.push_str(&fill(part, &[S(shorter.unwrap_or(place)), N(*count)]));
    }
    fill(template, &[S(&records(total)), S(&parts)])
}

/// Records have come to more partitions than one sentence can name.
#[must_use]
pub fn records_spread(total: i64, count: i64) -> String {
    fill("{0} went to {1}", &[S(&records(total)), S(&partitions(count))])
}

/// Consumers see further.
#[must_use]
pub fn tide_rose(place: &str, to: i64) -> String {
    fill("Readers of {0} now see up to offset {1}", &[S(place), N(to - 1)])
}

/// A reader has moved.
#[must_use]
pub fn reader_moved(reader: &str, place: &str, from: i64, to: i64) -> String {
    let template = match to {
        _ if to > from => "{0} has read {2} of {1}; its next is {3}",
        _ if to < from => "{0} went back to offset {3} of {1}",
        _ => "{0} has read nothing new in {1}; its next is {3}",
    };
    fill(template, &[S(reader), S(place), S(&offsets(from, to)), N(to)])
}

/// Said once when somebody has read.
#[must_use]
pub fn nothing_removed() -> &'static str {
    ". Nothing was removed."
}

/// Who a client family is.
#[must_use]
pub fn family(family: ClientFamily) -> &'static str {
    match family {
        ClientFamily::Java => "Kafka's Java client",
        ClientFamily::Librdkafka => "librdkafka",
        ClientFamily::Teaching if scope::CLUSTER => "the CRC-32 model",
        _ => family.name(),
    }
}
