//! Words of the cluster figure: brokers, replicas, how far behind the leader they are.

use super::{counted, partition_name, records};
use crate::replicas::{BrokerState, Health, Moving, PartitionState, ReplicaState};

/// The figure, by ear.
#[must_use]
pub fn figure_label(brokers: usize, partitions: usize) -> String {
    let (brokers, partitions) = (so_many(brokers, "broker"), so_many(partitions, "partition"));
    format!("{partitions} on {brokers}: a row for each partition, a column for each broker")
}

fn so_many(count: usize, what: &str) -> String {
    counted(i64::try_from(count).unwrap_or(i64::MAX), what)
}

/// A column.
#[must_use]
pub fn broker(id: i32) -> String {
    format!("broker {id}")
}

/// How a broker is; nothing, when all is well.
#[must_use]
pub fn health(health: Health) -> &'static str {
    match health {
        Health::Up => "",
        Health::Down => "down",
        Health::Paused => "paused",
        Health::Starting => "starting",
        Health::Stopping => "stopping",
        Health::Fenced => "fenced",
    }
}

/// The same by ear.
#[must_use]
pub fn broker_label(id: i32, how: Health) -> String {
    match how {
        Health::Up => broker(id),
        _ => format!("{}, {}", broker(id), health(how)),
    }
}

/// A replica in one letter: it leads or follows.
#[must_use]
pub fn letter(leads: bool) -> &'static str {
    if leads { "L" } else { "F" }
}

/// What is to be said of a replica beside its bar.
#[must_use]
pub(crate) fn note(replica: &ReplicaState) -> String {
    match replica {
        ReplicaState { log: None, .. } => "no log yet".to_owned(),
        ReplicaState { moving: Moving::Joins, in_isr: false, .. } => "joins".to_owned(),
        ReplicaState { moving: Moving::Leaves, in_isr: false, .. } => "out, leaves".to_owned(),
        ReplicaState { moving: Moving::Leaves, .. } => "leaves".to_owned(),
        ReplicaState { in_isr: false, eligible: true, .. } => "out, eligible".to_owned(),
        ReplicaState { in_isr: false, .. } => "out of ISR".to_owned(),
        ReplicaState { leads: true, .. } => "leads".to_owned(),
        ReplicaState { behind: Some(behind @ 1..), .. } => format!("{behind} behind"),
        _ => "in sync".to_owned(),
    }
}

/// The same where there is hardly any room.
#[must_use]
pub(crate) fn short_note(replica: &ReplicaState) -> String {
    match replica {
        ReplicaState { log: None, .. } => "none".to_owned(),
        ReplicaState { in_isr: false, .. } => "out".to_owned(),
        ReplicaState { leads: false, behind: Some(behind @ 1..), .. } => {
            format!("\u{2212}{behind}")
        }
        _ => String::new(),
    }
}

/// All that is shown of a replica, by ear.
#[must_use]
pub(crate) fn replica_label(topic: &str, partition: i32, replica: &ReplicaState) -> String {
    let name = partition_name(topic, partition);
    let mut says = format!("{name} on {}: {}", broker(replica.broker), role(replica));
    let Some(log) = replica.log else { return says + ", no log yet" };
    says += &match log.end - log.start {
        0 => ", empty".to_owned(),
        _ => format!(", offsets {} to {}", log.start, log.end - 1),
    };
    if let Some(high_watermark) = log.high_watermark {
        says += &format!(", high watermark {high_watermark}");
    }
    match replica.behind {
        Some(behind @ 1..) => says + &format!(", {} behind the leader", records(behind)),
        _ => says,
    }
}

/// What a replica is to its partition.
#[must_use]
pub(crate) fn role(replica: &ReplicaState) -> String {
    let role = if replica.leads { "leader" } else { "follower" };
    let sync = match (replica.in_isr, replica.eligible) {
        (true, _) => "in the ISR",
        (false, true) => "out of the ISR, eligible to lead",
        (false, false) => "out of the ISR",
    };
    let moving = match replica.moving {
        Moving::No => "",
        Moving::Joins => ", added by a reassignment",
        Moving::Leaves => ", removed by a reassignment",
    };
    format!("{role}, {sync}{moving}")
}

/// What a replica is, beside its strip.
#[must_use]
pub(crate) fn short_role(replica: &ReplicaState) -> String {
    let role = match replica {
        ReplicaState { leads: true, .. } => "leader",
        ReplicaState { in_isr: true, .. } => "follower, in sync",
        ReplicaState { eligible: true, .. } => "out of ISR, eligible",
        _ => "out of ISR",
    };
    match replica.moving {
        Moving::Leaves => format!("{role}, leaves"),
        Moving::Joins if !replica.in_isr => "joins".to_owned(),
        _ => role.to_owned(),
    }
}

/// How a broker is, and what its replica is.
#[must_use]
pub(crate) fn health_and_role(how: Health, replica: &ReplicaState) -> String {
    match how {
        Health::Up => short_role(replica),
        how => format!("{}, {}", health(how), short_role(replica)),
    }
}

/// How far a replica is behind.
#[must_use]
pub fn behind_leader(behind: i64) -> String {
    format!("{behind} behind leader")
}

/// A log that ends before what is shown.
#[must_use]
pub fn ends_at(end: i64) -> String {
    format!("\u{2039} ends at {end}")
}

/// What the numbers above the strips are.
#[must_use]
pub fn offset() -> &'static str {
    "offset"
}

/// A partition's figure, by ear.
#[must_use]
pub fn partition_label(topic: &str, partition: i32, replicas: usize) -> String {
    format!(
        "{}: {}, the leader first",
        partition_name(topic, partition),
        so_many(replicas, "replica")
    )
}

/// Whether a record of a replica lies beyond a high watermark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// It does not.
    No,
    /// Beyond the leader's: nobody may read it.
    Leaders,
    /// Beyond what a follower knows, which is behind.
    Own,
}

/// A record of a replica, by ear.
#[must_use]
pub fn cell_label(
    broker: i32,
    offset: i64,
    (key, value): (Option<&str>, Option<&str>),
    beyond: Beyond,
    differs: bool,
) -> String {
    let key = key.map_or_else(|| super::no_key().to_owned(), |key| format!("key {key}"));
    let value = value.unwrap_or(super::no_value());
    let beyond = match beyond {
        Beyond::No => String::new(),
        Beyond::Leaders => format!(", {}", super::readable(false)),
        Beyond::Own => ", beyond the high watermark that this broker knows".to_owned(),
    };
    let differs = if differs { ", not what the leader has there" } else { "" };
    format!("broker {broker}, offset {offset}: {key}, {value}{beyond}{differs}")
}

/// What the marks mean, under the figure.
#[must_use]
pub fn legend() -> &'static str {
    "L leads, F follows. What is filled is a log; the line in it is the high watermark that this broker knows; \
     dashed is beyond it; hatched is outside the ISR; in a broken frame, the broker is down."
}

/// The caption of the table.
#[must_use]
pub fn table_caption(topics: &[&str]) -> String {
    match topics {
        [] => super::no_topics().to_owned(),
        topics => format!("Replicas of {}.", topics.join(", ")),
    }
}

/// The columns of the table.
#[must_use]
pub fn table_columns() -> [&'static str; 7] {
    [
        "partition",
        "broker",
        "role",
        "log start",
        "high watermark it knows",
        "log end",
        "behind the leader",
    ]
}

/// A cell of the table where there is nothing to say.
#[must_use]
pub fn nothing() -> &'static str {
    "\u{2013}"
}

/// A line of the text twin: a partition with its replicas.
#[must_use]
pub(crate) fn line(topic: &str, state: &PartitionState) -> String {
    let leader = state
        .leader
        .map_or_else(|| super::no_leader().to_owned(), |leader| format!("leader {leader}"));
    let replicas = state.replicas.iter().map(|replica| {
        let held = replica.log.map_or(String::new(), |log| {
            let known = log.high_watermark.map(|tide| format!(", high watermark {tide}"));
            format!(" {}..{}{}", log.start, log.end, known.unwrap_or_default())
        });
        format!(" | {} {}{held}, {}", broker(replica.broker), letter(replica.leads), note(replica))
    });
    format!(
        "{}: {leader}{}\n",
        partition_name(topic, state.partition),
        replicas.collect::<String>()
    )
}

/// A line of the text twin: a replica of one partition with some of its records.
#[must_use]
pub(crate) fn replica_line(
    how: Health,
    replica: &ReplicaState,
    cells: &[(String, bool)],
) -> String {
    let mut out = format!("{} {}", broker(replica.broker), health_and_role(how, replica));
    if let Some(log) = replica.log {
        out += &match log.high_watermark {
            Some(tide) => format!(", high watermark {tide}, next {}", log.end),
            None => format!(", next {}", log.end),
        };
    }
    for (says, is_beyond) in cells {
        out += if *is_beyond { " || " } else { " | " };
        out += says;
    }
    out + "\n"
}

/// A record of a replica, in a line of the text twin.
#[must_use]
pub(crate) fn record(
    offset: i64,
    mark: &str,
    key: Option<&str>,
    value: Option<&str>,
    differs: bool,
) -> String {
    let key = key.unwrap_or(super::no_key());
    let value = value.unwrap_or(super::no_value());
    let mark = if mark.is_empty() { String::new() } else { format!(" {mark}") };
    let differs = if differs { " (not the leader's)" } else { "" };
    format!("{offset}{mark} {key} {value}{differs}")
}

/// Brokers that are not well, where their columns have no room for the word.
#[must_use]
pub(crate) fn ill_brokers<'a>(brokers: impl Iterator<Item = &'a BrokerState>) -> String {
    let ill = brokers.filter(|broker| broker.health != Health::Up);
    ill.map(|broker| format!("{} {}", broker.id, health(broker.health)))
        .collect::<Vec<_>>()
        .join(", ")
}

/// A line of the text twin: a broker.
#[must_use]
pub(crate) fn broker_line(id: i32, how: Health) -> String {
    format!("{}\n", broker_label(id, how))
}
