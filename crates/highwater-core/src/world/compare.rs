//! What is different between two snapshots: the same moment of two futures, or two moments of one.

use std::rc::Rc;

use crate::broker::group_coordinator::{Group, GroupEntry, GroupState};
use crate::broker::lifecycle::Stage;
use crate::controller::records::{ConfigResource, PartitionImage};
use crate::ids::{BrokerId, GroupId, Offset, PartitionId, TerminalId, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::log::unified_log::UnifiedLog;
use crate::net::rule::Rule;
use crate::replication::partition::Partition;
use crate::time::SimDuration;
use crate::world::cluster_view::{BrokerView, ClusterView};
use crate::world::snapshot::{ReaderView, Snapshot, TopicView};

/// A value here and there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Both<T> {
    /// In the first snapshot.
    pub here: T,
    /// In the second.
    pub there: T,
}

/// Something that is not the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Only one of them has this topic.
    Topic {
        /// Its name.
        topic: TopicName,
        /// Whether it is there; also, whether it is the same one: a topic that was made anew has
        /// another id.
        exists: Both<bool>,
    },
    /// A topic has more partitions.
    PartitionCount {
        /// The topic.
        topic: TopicName,
        /// So many.
        count: Both<u64>,
    },
    /// A topic is configured otherwise.
    Configs {
        /// The topic.
        topic: TopicName,
        /// What was set for it.
        set: Both<Vec<(String, String)>>,
    },
    /// The controller knows something else of a partition: leader, epochs, in-sync replicas.
    Partition {
        /// Which.
        partition: TopicPartition,
        /// What it knows.
        image: Both<Rc<PartitionImage>>,
    },
    /// A replica has another log, or its consumers may read otherwise far.
    Replica {
        /// The broker.
        broker: BrokerId,
        /// Which of its replicas.
        partition: TopicPartition,
        /// Log start, high watermark, log end; `None`: it does not hold it.
        bounds: Both<Option<Bounds>>,
        /// The first offset that both hold, each with another record.
        parts_at: Option<Offset>,
    },
    /// A broker's process is in another state.
    Broker {
        /// Which.
        broker: BrokerId,
        /// How far it has come, and whether it is paused.
        state: Both<(Stage, bool)>,
    },
    /// Each write to a broker's disk takes another time.
    Disk {
        /// The broker.
        broker: BrokerId,
        /// So long.
        delay: Both<SimDuration>,
    },
    /// The network treats messages otherwise.
    Network {
        /// By these rules.
        rules: Both<Vec<Rule>>,
    },
    /// Brokers are configured otherwise while they run.
    BrokerConfigs {
        /// One of them, or all.
        resource: ConfigResource,
        /// What was set.
        set: Both<Vec<(String, String)>>,
    },
    /// A group is in another state.
    Group {
        /// Which.
        group: GroupId,
        /// How it stands; `None`: there is no such group.
        stands: Both<Option<GroupStanding>>,
    },
    /// A group would go on elsewhere.
    Committed {
        /// Which.
        group: GroupId,
        /// In this partition.
        partition: TopicPartition,
        /// From here; `None`: nothing is committed.
        offset: Both<Option<Offset>>,
    },
    /// A consumer will read on elsewhere.
    Position {
        /// Its `client.id`.
        reader: String,
        /// In this partition.
        partition: TopicPartition,
        /// The next offset; `None`: it has none.
        next: Both<Option<Offset>>,
    },
    /// A terminal shows something else.
    Output {
        /// Which.
        terminal: TerminalId,
        /// So many pieces of output are the same.
        same: u64,
    },
}

/// How a group stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupStanding {
    /// Who coordinates it.
    pub coordinator: BrokerId,
    /// What it is doing.
    pub state: GroupState,
    /// How many generations it has had.
    pub generation: i32,
    /// How many members it has.
    pub members: u64,
}

/// Where a log begins, how far its consumers may read, where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The first offset.
    pub log_start: Offset,
    /// The first offset that consumers may not read yet.
    pub high_watermark: Offset,
    /// The offset of the next record.
    pub log_end: Offset,
}

impl Bounds {
    fn of(replica: &Partition) -> Self {
        Self {
            log_start: replica.log().log_start_offset(),
            high_watermark: replica.high_watermark(),
            log_end: replica.log().log_end_offset(),
        }
    }
}

/// Everything that is different; nothing, if a reader would see no difference. What is shared between
/// them by pointer is not looked at.
#[must_use]
pub fn differences(here: &Snapshot, there: &Snapshot) -> Vec<Difference> {
    let mut found = Vec::new();
    for topic in &here.topics {
        match there.topic(topic.name.as_str()).filter(|other| other.image.id == topic.image.id) {
            Some(other) => compare_topics(topic, other, &mut found),
            None => found.push(only(topic, Both { here: true, there: false })),
        }
    }
    for topic in &there.topics {
        let other = here.topic(topic.name.as_str());
        if other.is_none_or(|other| other.image.id != topic.image.id) {
            found.push(only(topic, Both { here: false, there: true }));
        }
    }
    compare_readers(&here.readers, &there.readers, &mut found);
    if let (Some(here), Some(there)) = (here.cluster.get(), there.cluster.get()) {
        compare_clusters(here, there, &mut found);
    }
    found
}

fn only(topic: &TopicView, exists: Both<bool>) -> Difference {
    Difference::Topic { topic: topic.name.clone(), exists }
}

fn compare_topics(here: &TopicView, there: &TopicView, found: &mut Vec<Difference>) {
    if Rc::ptr_eq(&here.image, &there.image) {
        return;
    }
    let topic = &here.name;
    let count = |view: &TopicView| view.partitions.len() as u64;
    if count(here) != count(there) {
        let count = Both { here: count(here), there: count(there) };
        found.push(Difference::PartitionCount { topic: topic.clone(), count });
    }
    if here.image.configs != there.image.configs {
        let set = Both { here: here.image.configs.clone(), there: there.image.configs.clone() };
        found.push(Difference::Configs { topic: topic.clone(), set });
    }
    for (number, (mine, theirs)) in
        (0..).zip(here.image.partitions.iter().zip(&there.image.partitions))
    {
        if mine != theirs && !is_same_but_cause(mine, theirs) {
            let partition = TopicPartition::new(topic, PartitionId(number));
            let image = Both { here: Rc::clone(mine), there: Rc::clone(theirs) };
            found.push(Difference::Partition { partition, image });
        }
    }
}

/// Events have other numbers in another future; that alone is no difference.
fn is_same_but_cause(here: &PartitionImage, there: &PartitionImage) -> bool {
    let mut copy = here.clone();
    copy.changed_by = there.changed_by;
    copy == *there
}

fn compare_readers(here: &[ReaderView], there: &[ReaderView], found: &mut Vec<Difference>) {
    let position = |readers: &[ReaderView], name: &str, which: &TopicPartition| {
        let reader = readers.iter().find(|reader| reader.name == name)?;
        reader.positions.iter().find(|(held, _)| held == which).map(|(_, next)| *next)
    };
    for reader in here {
        for (partition, next) in &reader.positions {
            let other = position(there, &reader.name, partition);
            if other != Some(*next) {
                let next = Both { here: Some(*next), there: other };
                let (reader, partition) = (reader.name.clone(), partition.clone());
                found.push(Difference::Position { reader, partition, next });
            }
        }
    }
    for reader in there {
        for (partition, next) in &reader.positions {
            if position(here, &reader.name, partition).is_none() {
                let next = Both { here: None, there: Some(*next) };
                let (reader, partition) = (reader.name.clone(), partition.clone());
                found.push(Difference::Position { reader, partition, next });
            }
        }
    }
}

fn compare_clusters(here: &ClusterView, there: &ClusterView, found: &mut Vec<Difference>) {
    if here.rules != there.rules {
        let rules = Both { here: here.rules.clone(), there: there.rules.clone() };
        found.push(Difference::Network { rules });
    }
    compare_broker_configs(here, there, found);
    compare_groups(here, there, found);
    for broker in &here.brokers {
        let other = there.brokers.iter().find(|other| other.id == broker.id);
        if let Some(other) = other {
            compare_brokers(broker, other, found);
        }
    }
    for terminal in &here.terminals {
        let Some(other) = there.terminals.iter().find(|other| other.id == terminal.id) else {
            continue;
        };
        let pairs = terminal.output.iter().zip(&other.output);
        let same = pairs.take_while(|(one, two)| {
            Rc::ptr_eq(one, two) || (one.kind, &one.bytes) == (two.kind, &two.bytes)
        });
        let same = same.count();
        if same < terminal.output.len().max(other.output.len()) {
            found.push(Difference::Output { terminal: terminal.id, same: same as u64 });
        }
    }
}

fn compare_broker_configs(here: &ClusterView, there: &ClusterView, found: &mut Vec<Difference>) {
    let entries = |view: &ClusterView, resource: &ConfigResource| {
        let mut configs = view.controller.broker_configs.iter();
        let entries = configs.find(|(other, _)| other == resource);
        entries.map_or_else(Vec::new, |(_, entries)| entries.clone())
    };
    for resource in union(&resources(here), &resources(there)) {
        let set = Both { here: entries(here, &resource), there: entries(there, &resource) };
        if set.here != set.there {
            found.push(Difference::BrokerConfigs { resource, set });
        }
    }
}

fn resources(view: &ClusterView) -> Vec<ConfigResource> {
    view.controller.broker_configs.iter().map(|(resource, _)| resource.clone()).collect()
}

fn compare_groups(here: &ClusterView, there: &ClusterView, found: &mut Vec<Difference>) {
    let ids = |view: &ClusterView| -> Vec<GroupId> {
        view.groups().map(|(_, group, _)| group.clone()).collect()
    };
    for group in union(&ids(here), &ids(there)) {
        let of =
            |view: &'_ ClusterView| view.groups().find(|(_, id, _)| **id == group).map(standing);
        let stands = Both { here: of(here), there: of(there) };
        if stands.here != stands.there {
            found.push(Difference::Group { group: group.clone(), stands });
        }
        let (mine, theirs) = (committed(here, &group), committed(there, &group));
        let keys = |offsets: &[(TopicPartition, Offset)]| -> Vec<TopicPartition> {
            offsets.iter().map(|(partition, _)| partition.clone()).collect()
        };
        for partition in union(&keys(&mine), &keys(&theirs)) {
            let of = |offsets: &[(TopicPartition, Offset)]| {
                offsets.iter().find(|(which, _)| *which == partition).map(|(_, offset)| *offset)
            };
            let offset = Both { here: of(&mine), there: of(&theirs) };
            if offset.here != offset.there {
                let group = group.clone();
                found.push(Difference::Committed { group, partition, offset });
            }
        }
    }
}

fn standing((coordinator, _, entry): (BrokerId, &GroupId, &GroupEntry)) -> GroupStanding {
    let Group::Classic(group) = &entry.group;
    GroupStanding {
        coordinator,
        state: group.state(),
        generation: group.generation(),
        members: group.members().len() as u64,
    }
}

fn committed(view: &ClusterView, group: &GroupId) -> Vec<(TopicPartition, Offset)> {
    let entry = view.groups().find(|(_, id, _)| *id == group);
    let offsets = entry.into_iter().flat_map(|(_, _, entry)| entry.offsets.iter());
    offsets.map(|(partition, committed)| (partition.clone(), committed.committed.offset)).collect()
}

/// What is in one of them, or in both, once.
fn union<T: Clone + PartialEq>(one: &[T], two: &[T]) -> Vec<T> {
    let mut all: Vec<T> = Vec::new();
    for item in one.iter().chain(two) {
        if !all.contains(item) {
            all.push(item.clone());
        }
    }
    all
}

fn compare_brokers(here: &BrokerView, there: &BrokerView, found: &mut Vec<Difference>) {
    let broker = here.id;
    let state = |view: &BrokerView| (view.stage, view.paused.is_some());
    if state(here) != state(there) {
        let state = Both { here: state(here), there: state(there) };
        found.push(Difference::Broker { broker, state });
    }
    if here.disk_delay != there.disk_delay {
        let delay = Both { here: here.disk_delay, there: there.disk_delay };
        found.push(Difference::Disk { broker, delay });
    }
    for (partition, replica) in &here.replicas {
        let other = there.replica(partition);
        if other.is_some_and(|other| Rc::ptr_eq(other, replica)) {
            continue;
        }
        let bounds =
            Both { here: Some(Bounds::of(replica)), there: other.map(|it| Bounds::of(it)) };
        let parts_at = other.and_then(|other| parting(replica.log(), other.log()));
        if bounds.here != bounds.there || parts_at.is_some() {
            let partition = partition.clone();
            found.push(Difference::Replica { broker, partition, bounds, parts_at });
        }
    }
    for (partition, replica) in &there.replicas {
        if here.replica(partition).is_none() {
            let bounds = Both { here: None, there: Some(Bounds::of(replica)) };
            let partition = partition.clone();
            found.push(Difference::Replica { broker, partition, bounds, parts_at: None });
        }
    }
}

/// The first offset at which both logs have a record, but not the same one. Segments that they share
/// are skipped.
pub(crate) fn parting(one: &UnifiedLog, two: &UnifiedLog) -> Option<Offset> {
    let mut from = one.log_start_offset().max(two.log_start_offset());
    for (mine, theirs) in one.segments().zip(two.segments()) {
        if !Rc::ptr_eq(mine, theirs) {
            break;
        }
        from = from.max(mine.end_offset());
    }
    let mut theirs = records_from(two, from).peekable();
    for (offset, record) in records_from(one, from) {
        while theirs.peek().is_some_and(|(other, _)| *other < offset) {
            theirs.next();
        }
        match theirs.peek() {
            Some((other, _)) if *other > offset => {}
            Some((_, other)) if *other == record => {}
            Some(_) => return Some(offset),
            None => return None,
        }
    }
    None
}

fn records_from(log: &UnifiedLog, from: Offset) -> impl Iterator<Item = (Offset, &Record)> {
    let batches = log.read(from, log.log_end_offset(), u64::MAX);
    batches.flat_map(move |batch| batch.iter_from(from))
}
