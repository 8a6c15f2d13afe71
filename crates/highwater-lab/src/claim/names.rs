//! Everything that a claim can ask, in one table: of what, by which name, with what, and what it gives.

use super::kind::{Base, Kind};

/// Something that can be asked.
#[derive(Debug)]
pub(super) struct Entry {
    /// Of what; `Any`: of the run itself.
    pub(super) of: Base,
    pub(super) name: &'static str,
    pub(super) takes: &'static [Kind],
    pub(super) gives: Kind,
    pub(super) what: Asked,
}

/// What is asked, whatever it is asked of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    Assigned,
    Broker,
    Brokers,
    Committed,
    Coordinator,
    End,
    Epoch,
    Exists,
    Exit,
    Generation,
    Group,
    Groups,
    Hazard(Hazard),
    Hazards,
    Hw,
    Id,
    InOrder,
    Isr,
    Key,
    Lag,
    LagOf,
    Leader,
    Length,
    Lines,
    Members,
    Name,
    Number,
    Offset,
    Output,
    Owner,
    Partition,
    PartitionOf,
    HashOf,
    Partitions,
    Position,
    Readable,
    Reader,
    Readers,
    Record,
    Records,
    Replica,
    Replicas,
    Setting,
    Start,
    State,
    Time,
    Timestamp,
    Topic,
    Topics,
    Unique,
    Up,
    Value,
}

/// What the Lab's panel counts under "Went wrong, though allowed".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hazard {
    /// All lost ones together.
    Lost,
    LostAcknowledged,
    LostOvertaken,
    LostUnanswered,
    LostCommitted,
    Duplicated,
    Reordered,
    Redelivered,
    Skipped,
    TooLate,
}

const fn entry(
    of: Base,
    name: &'static str,
    takes: &'static [Kind],
    gives: Kind,
    what: Asked,
) -> Entry {
    Entry { of, name, takes, gives, what }
}

const fn count(name: &'static str, hazard: Hazard) -> Entry {
    entry(Base::Hazards, name, &[], Kind::NUMBER, Asked::Hazard(hazard))
}

const TEXT: Kind = Kind::TEXT;
const NUMBER: Kind = Kind::NUMBER;
const BOOL: Kind = Kind::BOOL;
const NUMBERS: Kind = Kind::list(Base::Number);
/// A list of whatever.
const LIST: Kind = Kind::list(Base::Any);

/// All of it.
pub(super) static ENTRIES: [Entry; 83] = [
    entry(Base::Any, "topic", &[TEXT], Kind::one(Base::Topic), Asked::Topic),
    entry(Base::Any, "topics", &[], Kind::list(Base::Topic), Asked::Topics),
    entry(Base::Any, "partition", &[TEXT], Kind::one(Base::Partition), Asked::Partition),
    entry(Base::Any, "replica", &[TEXT, NUMBER], Kind::one(Base::Replica), Asked::Replica),
    entry(Base::Any, "record", &[TEXT, NUMBER], Kind::one(Base::Record), Asked::Record),
    entry(Base::Any, "broker", &[NUMBER], Kind::one(Base::Broker), Asked::Broker),
    entry(Base::Any, "brokers", &[], Kind::list(Base::Broker), Asked::Brokers),
    entry(Base::Any, "group", &[TEXT], Kind::one(Base::Group), Asked::Group),
    entry(Base::Any, "groups", &[], Kind::list(Base::Group), Asked::Groups),
    entry(Base::Any, "reader", &[TEXT], Kind::one(Base::Reader), Asked::Reader),
    entry(Base::Any, "readers", &[], Kind::list(Base::Reader), Asked::Readers),
    entry(Base::Any, "hazards", &[], Kind::one(Base::Hazards), Asked::Hazards),
    entry(Base::Any, "output", &[], TEXT, Asked::Output),
    entry(Base::Any, "lines", &[], Kind::list(Base::Text), Asked::Lines),
    entry(Base::Any, "exit", &[], NUMBER, Asked::Exit),
    entry(Base::Any, "time", &[], NUMBER, Asked::Time),
    entry(Base::Any, "setting", &[TEXT, TEXT, TEXT], TEXT, Asked::Setting),
    entry(Base::Any, "partition_of", &[TEXT, NUMBER, TEXT], NUMBER, Asked::PartitionOf),
    entry(Base::Any, "hash_of", &[TEXT, TEXT], NUMBER, Asked::HashOf),
    entry(Base::Any, "length", &[Kind::ANY], NUMBER, Asked::Length),
    entry(Base::Any, "number", &[TEXT], NUMBER, Asked::Number),
    entry(Base::Any, "in_order", &[LIST], BOOL, Asked::InOrder),
    entry(Base::Any, "unique", &[LIST], LIST, Asked::Unique),
    entry(Base::Topic, "exists", &[], BOOL, Asked::Exists),
    entry(Base::Topic, "name", &[], TEXT, Asked::Name),
    entry(Base::Topic, "partitions", &[], Kind::list(Base::Partition), Asked::Partitions),
    entry(Base::Topic, "records", &[], Kind::list(Base::Record), Asked::Records),
    entry(Base::Partition, "exists", &[], BOOL, Asked::Exists),
    entry(Base::Partition, "name", &[], TEXT, Asked::Name),
    entry(Base::Partition, "id", &[], NUMBER, Asked::Id),
    entry(Base::Partition, "leader", &[], NUMBER, Asked::Leader),
    entry(Base::Partition, "replicas", &[], NUMBERS, Asked::Replicas),
    entry(Base::Partition, "isr", &[], NUMBERS, Asked::Isr),
    entry(Base::Partition, "epoch", &[], NUMBER, Asked::Epoch),
    entry(Base::Partition, "start", &[], NUMBER, Asked::Start),
    entry(Base::Partition, "hw", &[], NUMBER, Asked::Hw),
    entry(Base::Partition, "end", &[], NUMBER, Asked::End),
    entry(Base::Partition, "records", &[], Kind::list(Base::Record), Asked::Records),
    entry(Base::Partition, "replica", &[NUMBER], Kind::one(Base::Replica), Asked::Replica),
    entry(Base::Partition, "record", &[NUMBER], Kind::one(Base::Record), Asked::Record),
    entry(Base::Replica, "exists", &[], BOOL, Asked::Exists),
    entry(Base::Replica, "start", &[], NUMBER, Asked::Start),
    entry(Base::Replica, "hw", &[], NUMBER, Asked::Hw),
    entry(Base::Replica, "end", &[], NUMBER, Asked::End),
    entry(Base::Replica, "epoch", &[], NUMBER, Asked::Epoch),
    entry(Base::Replica, "lag", &[], NUMBER, Asked::Lag),
    entry(Base::Replica, "records", &[], Kind::list(Base::Record), Asked::Records),
    entry(Base::Record, "exists", &[], BOOL, Asked::Exists),
    entry(Base::Record, "key", &[], TEXT, Asked::Key),
    entry(Base::Record, "value", &[], TEXT, Asked::Value),
    entry(Base::Record, "offset", &[], NUMBER, Asked::Offset),
    entry(Base::Record, "timestamp", &[], NUMBER, Asked::Timestamp),
    entry(Base::Record, "partition", &[], TEXT, Asked::Partition),
    entry(Base::Record, "readable", &[], BOOL, Asked::Readable),
    entry(Base::Broker, "exists", &[], BOOL, Asked::Exists),
    entry(Base::Broker, "id", &[], NUMBER, Asked::Id),
    entry(Base::Broker, "up", &[], BOOL, Asked::Up),
    entry(Base::Broker, "state", &[], TEXT, Asked::State),
    entry(Base::Group, "exists", &[], BOOL, Asked::Exists),
    entry(Base::Group, "name", &[], TEXT, Asked::Name),
    entry(Base::Group, "state", &[], TEXT, Asked::State),
    entry(Base::Group, "generation", &[], NUMBER, Asked::Generation),
    entry(Base::Group, "coordinator", &[], NUMBER, Asked::Coordinator),
    entry(Base::Group, "members", &[], Kind::list(Base::Member), Asked::Members),
    entry(Base::Group, "lag", &[], NUMBER, Asked::Lag),
    entry(Base::Group, "lag_of", &[TEXT], NUMBER, Asked::LagOf),
    entry(Base::Group, "committed", &[TEXT], NUMBER, Asked::Committed),
    entry(Base::Group, "owner", &[TEXT], TEXT, Asked::Owner),
    entry(Base::Member, "name", &[], TEXT, Asked::Name),
    entry(Base::Member, "id", &[], TEXT, Asked::Id),
    entry(Base::Member, "assigned", &[], Kind::list(Base::Partition), Asked::Assigned),
    entry(Base::Reader, "exists", &[], BOOL, Asked::Exists),
    entry(Base::Reader, "position", &[TEXT], NUMBER, Asked::Position),
    count("lost", Hazard::Lost),
    count("lost_acknowledged", Hazard::LostAcknowledged),
    count("lost_overtaken", Hazard::LostOvertaken),
    count("lost_unanswered", Hazard::LostUnanswered),
    count("lost_committed", Hazard::LostCommitted),
    count("duplicated", Hazard::Duplicated),
    count("reordered", Hazard::Reordered),
    count("redelivered", Hazard::Redelivered),
    count("skipped", Hazard::Skipped),
    count("too_late", Hazard::TooLate),
];

/// What is asked of that by that name.
pub(super) fn find(of: Base, name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.of == of && entry.name == name)
}

/// The names of all that can be asked of that.
pub(super) fn names(of: Base) -> Vec<&'static str> {
    ENTRIES.iter().filter(|entry| entry.of == of).map(|entry| entry.name).collect()
}

/// Kinds of things that have fields.
const WITH_FIELDS: [Base; 9] = [
    Base::Topic,
    Base::Partition,
    Base::Replica,
    Base::Record,
    Base::Broker,
    Base::Group,
    Base::Member,
    Base::Reader,
    Base::Hazards,
];

/// Things that have a field of that name.
pub(super) fn owners(name: &str) -> impl Iterator<Item = Base> {
    WITH_FIELDS.into_iter().filter(move |of| find(*of, name).is_some())
}

/// Everything that can be asked, as an author writes it: `partition(text).isr`, with what it gives.
#[must_use]
pub fn reference() -> Vec<(String, String)> {
    let written = |entry: &Entry| {
        let taken: Vec<String> = entry.takes.iter().map(ToString::to_string).collect();
        let taken =
            if taken.is_empty() { String::new() } else { format!("({})", taken.join(", ")) };
        let of =
            if entry.of == Base::Any { String::new() } else { format!("{}: ", entry.of.name()) };
        (format!("{of}{}{taken}", entry.name), entry.gives.to_string())
    };
    ENTRIES.iter().map(written).collect()
}
