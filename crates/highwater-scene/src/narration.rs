//! One sentence for a stop of the timeline: what happened in the log, and where.

use std::rc::Rc;

use highwater_core::client::kafka_consumer::view::MemberView;
use highwater_core::client::partitioner::Why;
use highwater_core::error::KafkaError;
use highwater_core::ids::{Bytes, MemberId, Offset, TopicName, TopicPartition};
use highwater_core::scope;
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::snapshot::Snapshot;

use crate::digits::order;
use crate::names::event_by_name;
use crate::words::{self, say};

/// The most partitions, topics or readers that one sentence names.
const NAMED: usize = 4;

/// What the events of a stop add up to.
#[derive(Default)]
struct Sum<'a> {
    created: Vec<(&'a TopicName, u32)>,
    refused: Vec<(String, &'a KafkaError)>,
    partitioned: Vec<(&'a TopicPartition, Option<&'a Bytes>, &'a Why)>,
    /// Records appended to a partition: how many, and the first one's offset.
    appended: Vec<(&'a TopicPartition, i64, Offset)>,
    tide: Vec<(&'a TopicPartition, Offset)>,
    /// Sentences about brokers, leaders and in-sync replicas.
    cluster: Vec<String>,
    /// A reader's move in a partition: from where (`None`: it was new there), to where, and
    /// whether the move began with a position being set.
    moved: Vec<Move<'a>>,
}

struct Move<'a> {
    reader: &'a str,
    member: Option<&'a MemberId>,
    partition: &'a TopicPartition,
    from: Offset,
    to: Offset,
}

/// The sentence of a stop. `snapshot` is the moment after its last event.
#[must_use]
pub fn narrate(events: &[Rc<Event>], snapshot: &Snapshot) -> String {
    let mut sum = Sum::default();
    for event in events {
        sum.add(&event.kind, snapshot);
    }
    let several = snapshot.topics.len() > 1;
    let mut clauses: Vec<String> = Vec::new();
    for (what, error) in sum.refused.iter().take(1) {
        clauses.push(say::refused(what, error));
    }
    if let [(topic, partitions)] = sum.created[..] {
        clauses.push(say::topic_exists(topic.as_str(), partitions.into()));
    } else if !sum.created.is_empty() {
        clauses.push(say::topics_exist(&names(&sum.created)));
    }
    clauses.extend(sum.records(snapshot, several));
    clauses.extend(sum.readers(snapshot, several));
    if clauses.is_empty() && !sum.cluster.is_empty() {
        // Whole sentences already; the last ones say what it has come to.
        let skipped = sum.cluster.len().saturating_sub(NAMED);
        return sum.cluster[skipped..].join(" ");
    }
    if clauses.is_empty() {
        for (partition, to) in sum.tide.iter().take(1) {
            clauses.push(say::tide_rose(&place(partition, several), to.0));
        }
    }
    if clauses.is_empty() { say::nothing().to_owned() } else { say::join(&clauses) }
}

impl<'a> Sum<'a> {
    fn add(&mut self, event: &'a EventKind, snapshot: &Snapshot) {
        match event {
            EventKind::TopicCreated { topic, partitions, .. } => {
                self.created.push((topic, *partitions));
            }
            EventKind::TopicRefused { topic, error } => {
                self.refused.push((say::topic(topic.as_str()), error));
            }
            EventKind::AppendRefused { partition, error } => {
                self.refused.push((say::a_write(&partition.to_string()), error));
            }
            EventKind::RecordPartitioned { partition, key, why, .. } => {
                self.partitioned.push((partition, key.as_ref(), why));
            }
            EventKind::BatchAppended { partition, base_offset, count, .. } => {
                let known = self.appended.iter_mut().find(|(place, ..)| *place == partition);
                match known {
                    Some((_, total, _)) => *total += i64::from(*count),
                    None => self.appended.push((partition, i64::from(*count), *base_offset)),
                }
            }
            EventKind::HighWatermarkAdvanced { partition, to, .. } => {
                self.tide.push((partition, *to));
            }
            EventKind::PositionMoved { reader, member, partition, from, to } => {
                let member = member.get();
                let known = self.moved.iter_mut().find(|known| {
                    known.reader == reader.as_str()
                        && known.member == member
                        && known.partition == partition
                });
                match known {
                    Some(known) => known.to = *to,
                    None => self.moved.push(Move {
                        reader,
                        member,
                        partition,
                        from: from.unwrap_or(*to),
                        to: *to,
                    }),
                }
            }
            EventKind::InputApplied { .. }
            | EventKind::ProcessStarted { .. }
            | EventKind::ProcessExited { .. }
            | EventKind::MessageSent { .. }
            | EventKind::SegmentRolled { .. } => {}
            EventKind::Cluster(news) => {
                self.cluster.extend(news.event().map(|_| event_by_name(event, snapshot)));
            }
        }
    }

    /// What was appended.
    fn records(&self, snapshot: &Snapshot, several: bool) -> Option<String> {
        let total: i64 = self.appended.iter().map(|(_, count, _)| count).sum();
        match (&self.appended[..], &self.partitioned[..]) {
            ([], _) => None,
            ([(partition, 1, offset)], [(chosen, key, why)]) if chosen == partition => {
                let key = key.map(|key| words::shown(key));
                let place = place(partition, several);
                Some(say::record_landed(key.as_deref(), why, &place, offset.0))
            }
            (appended, _) if appended.len() > NAMED => {
                let count = i64::try_from(appended.len()).unwrap_or(i64::MAX);
                Some(say::records_spread(total, count))
            }
            (appended, _) => {
                let fresh = appended.iter().all(|(_, _, first)| first.0 == 0);
                let mut numbers = Vec::new();
                for (partition, ..) in appended {
                    numbers.push(u64::from(partition.partition.0.unsigned_abs()));
                }
                let mut holds: Vec<(String, i64)> = Vec::new();
                for index in order(&numbers) {
                    let (partition, count, first) = appended[index];
                    let now = held(snapshot, partition).unwrap_or(first.0 + count);
                    holds.push((place(partition, several), now));
                }
                Some(say::records_landed(total, &holds, fresh))
            }
        }
    }

    /// What was read.
    fn readers(&self, snapshot: &Snapshot, several: bool) -> Vec<String> {
        let mut said = Vec::new();
        let mut has_read = false;
        for Move { reader, member, partition, from, to } in &self.moved {
            has_read |= to > from;
            if said.len() < NAMED {
                let reader = named((reader, *member), partition, snapshot);
                said.push(say::reader_moved(&reader, &place(partition, several), from.0, to.0));
            }
        }
        if has_read && let Some(last) = said.last_mut() {
            last.push_str(say::nothing_removed());
        }
        said
    }
}

/// A reader with its group, if it reads for one.
fn named(
    (reader, id): (&str, Option<&MemberId>),
    partition: &TopicPartition,
    snapshot: &Snapshot,
) -> String {
    if !scope::CLUSTER {
        return reader.to_owned();
    }
    let members = snapshot.cluster.get().map_or(&[][..], |cluster| &cluster.members);
    // Several may have this `client.id`. One has the id, unless it has another by now; else one has the partition.
    let is_it = |member: &&MemberView| !member.member.0.is_empty() && id == Some(&member.member);
    let has_it = |member: &&MemberView| {
        member.client_id == reader
            && member.partitions.iter().any(|own| own.partition == *partition)
    };
    let member = members.iter().find(is_it).or_else(|| members.iter().find(has_it));
    let member = member.or_else(|| members.iter().find(|member| member.reader == reader));
    member.map_or_else(
        || reader.to_owned(),
        |member| words::of_group(&member.group.to_string(), &member.reader),
    )
}

/// "partition 0", or with its topic where there are several.
fn place(partition: &TopicPartition, several: bool) -> String {
    let number = words::partition(partition.partition.0);
    if several { say::of_topic(&number, partition.topic.as_str()) } else { number }
}

fn names(created: &[(&TopicName, u32)]) -> String {
    let mut names = Vec::new();
    for (topic, _) in created.iter().take(NAMED) {
        names.push(topic.as_str().to_owned());
    }
    words::list(&names)
}

/// How many records a partition holds.
fn held(snapshot: &Snapshot, partition: &TopicPartition) -> Option<i64> {
    let topic = snapshot.topic(partition.topic.as_str())?;
    let view = topic.partitions.iter().find(|view| view.id == partition.partition)?;
    let log = view.replica.as_ref()?.log();
    Some(log.log_end_offset().0 - log.log_start_offset().0)
}
