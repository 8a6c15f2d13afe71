//! Words of the panel that answers "what is this, and why is it so?": titles, the names of numbers, and what stands
//! around them. Sentences that explain are in `says`, what settings do in `about`.

use highwater_core::broker::waiting::WaitsFor;
use highwater_core::error::KafkaError;
use highwater_core::ids::{BrokerId, EventId, MessageId, NodeId, TopicPartition};
use highwater_core::log::record_batch::ProducerStamp;
use highwater_core::net::rule::{Effect, Rule};

use super::{address as place, offsets};
use crate::replicas::{Health, ReplicaState};
use crate::words::replicas as replica_words;

pub mod about;
pub mod clients;
pub mod labels;
pub mod panel;
pub mod says;

/// How a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Consumers may read it.
    Readable,
    /// It lies beyond the high watermark.
    NotYet,
    /// A replica has it and the leader has not.
    NotTheLeaders,
    /// Nobody leads, or the leader is not there.
    NotNow,
}

/// What a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// It asks.
    Request,
    /// It answers.
    Response,
    /// A connection is closed.
    Disconnect,
}

impl MessageKind {
    /// In a word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
            Self::Disconnect => "end of a connection",
        }
    }
}

/// A record.
#[must_use]
pub fn record_title(partition: &str, offset: i64, state: State) -> String {
    let state = match state {
        State::Readable => "readable",
        State::NotYet => "not readable yet",
        State::NotTheLeaders => "not in the leader's log",
        State::NotNow => "not readable now",
    };
    format!("{}: {state}", place(partition, offset, offset + 1))
}

/// The slot of the next record.
#[must_use]
pub fn next_title(partition: &str, offset: i64) -> String {
    format!("{}: the next record goes here", place(partition, offset, offset + 1))
}

/// A high watermark.
#[must_use]
pub fn tide_title(partition: &str, tide: i64) -> String {
    format!("{partition}, high watermark {tide}")
}

/// A partition.
#[must_use]
pub fn partition_title(partition: &str, leader: Option<BrokerId>) -> String {
    match leader {
        Some(leader) => format!("{partition}: broker {leader} leads"),
        None => format!("{partition}: nobody leads"),
    }
}

/// A replica.
#[must_use]
pub fn replica_title(partition: &str, broker: BrokerId, how: Health, role: &str) -> String {
    let broker = replica_words::broker_label(broker.0, how);
    format!("{partition} on {broker}: {role}")
}

/// A broker.
#[must_use]
pub fn broker_title(id: BrokerId, how: Health) -> String {
    format!("broker {id}: {}", health(how))
}

/// A group.
#[must_use]
pub fn group_title(name: &str, state: &str) -> String {
    format!("group {name}: {state}")
}

/// A member.
#[must_use]
pub fn member_title(client_id: &str, group: &str) -> String {
    format!("{client_id}, a member of group {group}")
}

/// A consumer.
#[must_use]
pub fn reader_title(name: &str) -> String {
    format!("consumer {name}")
}

/// A topic.
#[must_use]
pub fn topic_title(name: &str) -> String {
    format!("topic {name}")
}

/// A message.
#[must_use]
pub fn request_title(api: &str, id: MessageId, kind: MessageKind) -> String {
    match kind {
        MessageKind::Request | MessageKind::Response => {
            format!("{api} {} {id}", kind.name()).trim_start().to_owned()
        }
        MessageKind::Disconnect => format!("{} {id}", kind.name()),
    }
}

/// The name of a request that waits so, if nothing else tells it.
#[must_use]
pub fn api_that_waits(why: WaitsFor) -> Option<&'static str> {
    match why {
        WaitsFor::Records => Some("Fetch"),
        WaitsFor::Replicas => Some("Produce"),
        WaitsFor::Deletion => Some("DeleteRecords"),
        WaitsFor::Disk | WaitsFor::Group | WaitsFor::Controller => None,
    }
}

/// An event.
#[must_use]
pub fn event_title(at: &str) -> String {
    format!("What happened at {at}")
}

/// An event's name.
#[must_use]
pub fn event_name(id: EventId) -> String {
    format!("event {id}")
}

/// How a broker is; always a word.
#[must_use]
pub fn health(how: Health) -> &'static str {
    if how == Health::Up { "running" } else { replica_words::health(how) }
}

/// Whether a replica leads.
#[must_use]
pub fn role(leads: bool) -> &'static str {
    if leads { "leader" } else { "follower" }
}

/// "yes", "no".
#[must_use]
pub fn yes_or_no(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}

/// Whether consumers may read a record, in a word.
#[must_use]
pub fn readable(state: State) -> &'static str {
    match state {
        State::Readable | State::NotYet => super::readable_cell(state == State::Readable),
        State::NotTheLeaders | State::NotNow => "no",
    }
}

/// Whether a record is committed; `None`: nobody leads who could tell.
#[must_use]
pub fn committed(yes: Option<bool>) -> &'static str {
    yes.map_or("not known", super::readable_cell)
}

/// The name of a header.
#[must_use]
pub fn header(key: &str) -> String {
    format!("header {key}")
}

/// The name of a timestamp.
#[must_use]
pub fn timestamp(kind: &str) -> String {
    format!("timestamp ({kind})")
}

/// A timestamp that lies before the cluster's first moment, or between two.
#[must_use]
pub fn epoch_millis(at: i64) -> String {
    format!("{at} ms since 1970")
}

/// Where a batch is and how many records it has.
#[must_use]
pub fn batch(base: i64, next: i64, count: u32) -> String {
    format!("{}, {}", offsets(base, next), super::records(count.into()))
}

/// How large a batch is.
#[must_use]
pub fn batch_size(size: i64, compression: &str) -> String {
    format!("{}, compression {compression}", super::bytes(size))
}

/// How large a log is.
#[must_use]
pub fn bytes(size: u64) -> String {
    super::bytes(i64::try_from(size).unwrap_or(i64::MAX))
}

/// An idempotent producer, with the number of a record.
#[must_use]
pub fn producer(id: i64, epoch: i16, sequence: i32) -> String {
    format!("id {id}, epoch {epoch}, sequence {sequence}")
}

/// A replica that lacks a record.
#[must_use]
pub fn has_it_not(end: i64) -> String {
    format!("has it not: its log ends at {end}")
}

/// The name of what a group has committed.
#[must_use]
pub fn group(name: &str) -> String {
    format!("group {name}")
}

/// The name of where a reader is.
#[must_use]
pub fn reader(name: &str) -> String {
    format!("consumer {name}")
}

/// Whether a group has committed past a record.
#[must_use]
pub fn committed_past(committed: i64, is_past: bool) -> String {
    if is_past {
        format!("committed {committed}, past it")
    } else {
        format!("committed {committed}, not past it")
    }
}

/// Whether a reader has read a record.
#[must_use]
pub fn has_read(next: i64, yes: bool) -> String {
    if yes { format!("has read it; next {next}") } else { format!("has not read it; next {next}") }
}

/// The name of what the leader knows of a replica.
#[must_use]
pub fn known_of(broker: &str) -> String {
    format!("log end of {broker}, as the leader knows")
}

/// What a leader knows of a log end.
#[must_use]
pub fn known_end(end: Option<i64>) -> String {
    end.map_or_else(|| "nothing yet: it has not fetched".to_owned(), |end| end.to_string())
}

/// A replica of a partition.
#[must_use]
pub(crate) fn replica_line(replica: &ReplicaState, how: Option<Health>) -> String {
    let mut line = replica_words::role(replica);
    match replica.log {
        Some(log) => line += &format!(", log end {}", log.end),
        None => line += ", no log yet",
    }
    if let Some(behind) = replica.behind.filter(|_| !replica.leads) {
        line += &format!(", {} behind", super::records(behind));
    }
    match how {
        Some(how) if how != Health::Up => format!("{line}, {}", health(how)),
        _ => line,
    }
}

/// A partition of a topic.
#[must_use]
pub fn partition_line(leader: Option<BrokerId>, isr: &[BrokerId]) -> String {
    let isr = says::set(isr);
    match leader {
        Some(leader) => format!("broker {leader} leads, ISR {isr}"),
        None => format!("nobody leads, ISR {isr}"),
    }
}

/// A member's part.
#[must_use]
pub fn owns(partitions: &[TopicPartition], leads: bool) -> String {
    let names: Vec<String> = partitions.iter().map(ToString::to_string).collect();
    let part = if names.is_empty() { labels::NONE.to_owned() } else { names.join(", ") };
    if leads { format!("{part}; leads the group") } else { part }
}

/// What a group has committed of a partition.
#[must_use]
pub fn committed_line(committed: i64, end: Option<i64>, lag: Option<i64>) -> String {
    match (end, lag) {
        (Some(end), Some(lag)) => format!("committed {committed}, log end {end}, lag {lag}"),
        _ => format!("committed {committed}, no leader tells its log end"),
    }
}

/// A partition of which a group has committed nothing.
#[must_use]
pub fn not_committed_line(end: Option<i64>) -> String {
    match end {
        Some(end) => format!("nothing committed, log end {end}"),
        None => "nothing committed, no leader tells its log end".to_owned(),
    }
}

/// Where a consumer is in a partition.
#[must_use]
pub fn position_line(next: Option<i64>, committed: Option<i64>, end: Option<i64>) -> String {
    let mut parts = vec![match next {
        Some(next) => format!("position {next}"),
        None => "position being looked up".to_owned(),
    }];
    parts.extend(committed.map(|committed| format!("committed {committed}")));
    parts.extend(end.map(|end| format!("log end {end}")));
    let lag = next.zip(end).map(|(next, end)| end - next);
    parts.extend(lag.map(|lag| format!("{lag} still to read")));
    parts.join(", ")
}

/// A partition that the application has stopped.
#[must_use]
pub fn paused(line: &str) -> String {
    format!("{line}, paused by the application")
}

/// Where a broker listens.
#[must_use]
pub fn address(port: u32) -> String {
    format!("localhost:{port}")
}

/// A reader of the metadata log.
#[must_use]
pub fn observer_line(end: u64, at: &str) -> String {
    format!("holds up to {end}, last fetch at {at}")
}

/// What the network does.
#[must_use]
pub fn rule(rule: &Rule) -> String {
    let Rule { from, to, effect } = rule;
    match effect {
        Effect::Cut => format!("loses what {from} sends to {to}"),
        Effect::Slow(span) => {
            format!("what {from} sends to {to} takes {} longer", says::span(span.0))
        }
    }
}

/// Who sends or gets a message.
#[must_use]
pub fn node(node: NodeId) -> String {
    match node {
        NodeId::Controller => labels::CONTROLLER.to_owned(),
        NodeId::Broker(id) => format!("broker {id}"),
        NodeId::Client(id) => format!("client {id}"),
    }
}

/// A setting with its value.
#[must_use]
pub fn config(key: &str, value: &str) -> String {
    format!("{key}={value}")
}

/// Items of a field, and how many more there are.
#[must_use]
pub fn list(shown: &[String], more: i64) -> String {
    match (shown, more) {
        ([], _) => labels::NONE.to_owned(),
        (shown, 0) => shown.join("; "),
        (shown, more) => format!("{}; and {more} more", shown.join("; ")),
    }
}

/// A partition at an offset.
#[must_use]
pub fn at(partition: &str, offset: i64) -> String {
    format!("{partition} at {offset}")
}

/// A partition in an epoch.
#[must_use]
pub fn in_epoch(partition: &str, epoch: i32) -> String {
    format!("{partition} in leader epoch {epoch}")
}

/// Records on their way.
#[must_use]
pub fn sent_records(partition: &str, count: i64, producer: Option<&ProducerStamp>) -> String {
    let records = super::records(count);
    match producer {
        Some(stamp) => {
            let (id, sequence) = (stamp.producer_id, stamp.base_sequence);
            format!("{partition}: {records} (producer id {id}, from sequence {sequence})")
        }
        None => format!("{partition}: {records}"),
    }
}

/// What an answer brings of a partition.
#[must_use]
pub fn brings(partition: &str, records: i64, tide: i64) -> String {
    format!("{partition}: {}, high watermark {tide}", super::records(records))
}

/// A part of an answer that says no.
#[must_use]
pub fn failed(partition: &str, error: &KafkaError) -> String {
    format!("{partition}: {}", error.code.name())
}

/// The in-sync replicas that a leader wants.
#[must_use]
pub fn proposal(partition: &str, isr: &[BrokerId], epoch: i32) -> String {
    format!("{partition}: new ISR {}, partition epoch {epoch}", says::set(isr))
}
