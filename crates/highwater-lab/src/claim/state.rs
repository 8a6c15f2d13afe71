//! What a claim looks at: a run at one moment, and what is found there by name.

use std::borrow::Cow;

use highwater_core::broker::group_coordinator::{ClassicGroup, GroupEntry, Member, OFFSETS_TOPIC};
use highwater_core::broker::lifecycle::Stage;
use highwater_core::controller::topic_name::is_internal;
use highwater_core::ids::{BrokerId, GroupId, Offset, PartitionId, TopicName, TopicPartition};
use highwater_core::number;
use highwater_core::replication::partition::Partition;
use highwater_core::world::cluster_view::{BrokerView, ClusterView};
use highwater_core::world::snapshot::Snapshot;
use highwater_core::world::stream::{OutputKind, TerminalState, TerminalView};
use highwater_shell::process::ShellProcess;
use highwater_shell::session::Session;

use super::value::{Held, Inner, Place, Stored, Thing, Value};

/// A run at one moment.
#[derive(Clone, Copy, Debug)]
pub struct State<'a> {
    pub(super) snapshot: &'a Snapshot,
    session: &'a Session,
}

impl<'a> State<'a> {
    /// The session at its present moment, of which that is the snapshot.
    #[must_use]
    pub fn new(session: &'a Session, snapshot: &'a Snapshot) -> Self {
        Self { snapshot, session }
    }

    pub(super) fn cluster(&self) -> Option<&'a ClusterView> {
        self.snapshot.cluster.get()
    }

    pub(super) fn topic(&self, name: Cow<'a, str>) -> Value<'a> {
        let view = self.snapshot.topic(&name);
        Value::Thing(Thing(Inner::Topic(name, view)))
    }

    /// The reader's own topics.
    pub(super) fn topics(&self) -> Value<'a> {
        let own = self.snapshot.topics.iter().filter(|topic| !is_internal(topic.name.as_str()));
        let things = own.map(|topic| {
            Value::Thing(Thing(Inner::Topic(Cow::Borrowed(topic.name.as_str()), Some(topic))))
        });
        Value::List(things.collect())
    }

    pub(super) fn held(&self, place: &Place<'a>) -> Option<Held<'a>> {
        let topic = self.snapshot.topic(&place.topic)?;
        let view = topic.partitions.iter().find(|view| view.id.0 == place.number)?;
        let image = topic.image.partition(view.id)?;
        Some(Held { view, image })
    }

    pub(super) fn partition(&self, place: Place<'a>) -> Value<'a> {
        let held = self.held(&place);
        Value::Thing(Thing(Inner::Partition(place, held)))
    }

    pub(super) fn replica(&self, place: Place<'a>, broker: i64) -> Value<'a> {
        let which = TopicPartition::new(&TopicName::new(&place.topic), PartitionId(place.number));
        let view = self.broker_view(broker);
        let held = view.and_then(|view| view.replica(&which)).map(AsRef::as_ref);
        Value::Thing(Thing(Inner::Replica(place, broker, held)))
    }

    /// A record in the leader's log.
    pub(super) fn record(&self, place: Place<'a>, offset: i64) -> Value<'a> {
        let replica = self.held(&place).and_then(|held| held.view.replica.as_deref());
        let found = replica.and_then(|replica| {
            let (from, end) = (Offset(offset), Offset(offset.saturating_add(1)));
            let batch = replica.log().read(from, end, u64::MAX).next()?;
            let (at, record) = batch.iter_from(from).next().filter(|(at, _)| *at == from)?;
            let readable = at < replica.high_watermark();
            Some(Stored { record, timestamp: batch.timestamp_of(record), readable })
        });
        Value::Thing(Thing(Inner::Record(place, offset, found)))
    }

    /// All records of a log.
    pub(super) fn records(place: &Place<'a>, replica: Option<&'a Partition>) -> Vec<Value<'a>> {
        let Some(replica) = replica else { return Vec::new() };
        let (log, high_watermark) = (replica.log(), replica.high_watermark());
        let start = log.log_start_offset();
        let mut records = Vec::new();
        for batch in log.read(start, log.log_end_offset(), u64::MAX) {
            records.extend(batch.iter_from(start).map(|(offset, record)| {
                let (timestamp, readable) = (batch.timestamp_of(record), offset < high_watermark);
                let stored = Stored { record, timestamp, readable };
                Value::Thing(Thing(Inner::Record(place.clone(), offset.0, Some(stored))))
            }));
        }
        records
    }

    fn broker_view(&self, id: i64) -> Option<&'a BrokerView> {
        self.cluster()?.broker(BrokerId(i32::try_from(id).ok()?))
    }

    /// Whether that broker has no process.
    pub(super) fn is_down(&self, id: i64) -> bool {
        self.broker_view(id).is_some_and(|view| view.stage == Stage::Down)
    }

    pub(super) fn broker(&self, id: i64) -> Value<'a> {
        let view = self.broker_view(id);
        Value::Thing(Thing(Inner::Broker(id, view)))
    }

    pub(super) fn brokers(&self) -> Value<'a> {
        let all = self.cluster().into_iter().flat_map(|cluster| &cluster.brokers);
        let things =
            all.map(|view| Value::Thing(Thing(Inner::Broker(view.id.0.into(), Some(view)))));
        Value::List(things.collect())
    }

    /// Each group once: as the leader of its partition of Kafka's own topic has it, or else whoever has it.
    fn all_groups(&self) -> Vec<(BrokerId, &'a GroupId, &'a GroupEntry)> {
        let mut found: Vec<(bool, BrokerId, &GroupId, &GroupEntry)> = Vec::new();
        let offsets = self.snapshot.topic(OFFSETS_TOPIC);
        for broker in self.cluster().into_iter().flat_map(|cluster| &cluster.brokers) {
            for (which, shard) in &broker.groups {
                let image = offsets.and_then(|topic| topic.image.partition(*which));
                let leads = image.is_some_and(|image| image.leader == Some(broker.id));
                found.extend(shard.groups().map(|(id, entry)| (!leads, broker.id, id, entry)));
            }
        }
        found.sort_by(|one, other| (&one.2.0, one.0, one.1).cmp(&(&other.2.0, other.0, other.1)));
        found.dedup_by(|later, first| later.2 == first.2);
        found.into_iter().map(|(_, broker, id, entry)| (broker, id, entry)).collect()
    }

    pub(super) fn group(&self, name: Cow<'a, str>) -> Value<'a> {
        let found = self.all_groups().into_iter().find(|(_, id, _)| *id.0 == *name);
        let found = found.map(|(broker, _, entry)| (broker, entry));
        Value::Thing(Thing(Inner::Group(name, found)))
    }

    pub(super) fn groups(&self) -> Value<'a> {
        let thing = |(broker, id, entry): (BrokerId, &'a GroupId, &'a GroupEntry)| {
            Value::Thing(Thing(Inner::Group(Cow::Borrowed(&id.0), Some((broker, entry)))))
        };
        Value::List(self.all_groups().into_iter().map(thing).collect())
    }

    /// The high watermark of a partition, which is where a log ends for consumers.
    pub(super) fn high_watermark(&self, which: &TopicPartition) -> Option<Offset> {
        let topic = self.snapshot.topic(which.topic.as_str())?;
        let view = topic.partitions.iter().find(|view| view.id == which.partition)?;
        view.replica.as_ref().map(|replica| replica.high_watermark())
    }

    pub(super) fn reader(&self, name: Cow<'a, str>) -> Value<'a> {
        let view = self.snapshot.readers.iter().find(|reader| reader.name == *name);
        Value::Thing(Thing(Inner::Reader(name, view)))
    }

    pub(super) fn readers(&self) -> Value<'a> {
        let things = self.snapshot.readers.iter().map(|reader| {
            Value::Thing(Thing(Inner::Reader(Cow::Borrowed(&reader.name), Some(reader))))
        });
        Value::List(things.collect())
    }

    /// The terminal at which the last command was typed, and where its output begins.
    fn last_command(&self) -> Option<(&'a TerminalView, usize)> {
        let terminals = self.cluster().into_iter().flat_map(|cluster| &cluster.terminals);
        let typed = terminals.filter_map(|terminal| {
            let is_command = |kind| matches!(kind, OutputKind::Command);
            let place = terminal.output.iter().rposition(|chunk| is_command(chunk.kind))?;
            let at = terminal.output.get(place)?.at;
            Some(((at, terminal.id), (terminal, place + 1)))
        });
        typed.max_by_key(|(when, _)| *when).map(|(_, found)| found)
    }

    /// What the last command has printed so far.
    pub(super) fn output(&self) -> String {
        let mut bytes: Vec<u8> = Vec::new();
        if let Some((terminal, begin)) = self.last_command() {
            for chunk in terminal.output.iter().skip(begin) {
                if matches!(chunk.kind, OutputKind::Stdout | OutputKind::Stderr) {
                    bytes.extend_from_slice(&chunk.bytes);
                }
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        text.strip_suffix('\n').unwrap_or(&text).to_owned()
    }

    /// How the last command has ended, if it has.
    pub(super) fn exit(&self) -> Option<u8> {
        let (terminal, _) = self.last_command()?;
        match self.session.timeline().world().shell(terminal.id)? {
            ShellProcess::Shell(shell) if terminal.state == TerminalState::Ready => {
                Some(shell.status())
            }
            _ => None,
        }
    }
}

/// The partition that is called so: `orders-0`.
pub(super) fn place_of(name: &str) -> Option<Place<'static>> {
    let (topic, digits) = name.rsplit_once('-')?;
    let is_plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let number = number::int(digits).filter(|_| is_plain && !topic.is_empty())?;
    Some(Place { topic: Cow::Owned(topic.to_owned()), number })
}

/// The members of a group, by their names.
pub(super) fn members(entry: &GroupEntry) -> Vec<&Member> {
    let group = entry.group.classic();
    let mut members: Vec<&Member> = group.into_iter().flat_map(ClassicGroup::members).collect();
    members.sort_by(|one, other| (&one.client_id, &one.id).cmp(&(&other.client_id, &other.id)));
    members
}
