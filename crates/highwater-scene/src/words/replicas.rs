//! Words of the cluster figure: brokers, replicas, how far behind the leader they are.

use super::records;
use crate::replicas::{Health, Moving, PartitionState, ReplicaState};

/// The figure, by ear.
#[must_use]
pub fn figure_label(brokers: usize, partitions: usize) -> String {
    let (brokers, partitions) = (counted(brokers, "broker"), counted(partitions, "partition"));
    format!("{partitions} on {brokers}: a row for each partition, a column for each broker")
}

fn counted(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
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
    let mut says = format!("{topic}-{partition} on {}: {}", broker(replica.broker), role(replica));
    let Some(log) = replica.log else { return says + ", no log yet" };
    says += &format!(
        ", offsets {} to {}, high watermark {}",
        log.start,
        (log.end - 1).max(log.start),
        log.high_watermark
    );
    if log.start == log.end {
        says =
            format!("{topic}-{partition} on {}: {}, empty", broker(replica.broker), role(replica));
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

/// What the marks mean, under the figure.
#[must_use]
pub fn legend() -> &'static str {
    "L leads, F follows. A bar is a log; the line in it is the high watermark that this broker knows; dashed \
     is beyond it; hatched is outside the ISR."
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
            format!(" {}..{}, high watermark {}", log.start, log.end, log.high_watermark)
        });
        format!(" | {} {}{held}, {}", broker(replica.broker), letter(replica.leads), note(replica))
    });
    format!("{topic}-{}: {leader}{}\n", state.partition, replicas.collect::<String>())
}

/// A line of the text twin: a broker.
#[must_use]
pub(crate) fn broker_line(id: i32, how: Health) -> String {
    format!("{}\n", broker_label(id, how))
}
