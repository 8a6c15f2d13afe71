//! What a log figure needs of a snapshot: a lane for each partition, and the records of a window.

use highwater_core::client::kafka_consumer::view::MemberView;
use highwater_core::ids::{Bytes, Offset, TopicPartition};
use highwater_core::replication::partition::Partition;
use highwater_core::scope;
use highwater_core::world::snapshot::{PartitionView, Snapshot, TopicView};

use crate::digits::order;
use crate::keys::{Keys, Mark};
use crate::words;

/// A partition, as a lane of the figure.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    /// Its number.
    pub(crate) partition: i32,
    /// The first offset that is still there.
    pub(crate) start: i64,
    /// The offset that the next record gets.
    pub(crate) end: i64,
    /// The first offset that consumers may not read.
    pub(crate) high_watermark: i64,
    /// Whether a leader holds it.
    pub(crate) has_leader: bool,
    /// Who reads it.
    pub(crate) readers: Vec<Reader>,
}

/// A reader of one partition.
#[derive(Clone, Debug)]
pub(crate) struct Reader {
    /// Its name.
    pub(crate) name: String,
    /// What it is called under its lane: with its group, if it has one.
    pub(crate) shown: String,
    /// The next offset it will read; `None`: nobody reads for this group.
    pub(crate) next: Option<i64>,
    /// Where its group would go on: what it has committed.
    pub(crate) committed: Option<i64>,
}

impl Reader {
    /// Where it stands: its position, else what is committed.
    pub(crate) fn at(&self) -> i64 {
        self.next.or(self.committed).unwrap_or(0)
    }

    /// It and where it stands; what its group has committed, if that is elsewhere.
    pub(crate) fn words(&self) -> String {
        match (self.next, self.committed) {
            (None, committed) if scope::CLUSTER => {
                words::nobody_reads(&self.shown, committed.unwrap_or(0))
            }
            (next, Some(committed)) if scope::CLUSTER && next != Some(committed) => {
                words::and_committed(&words::reader_next(&self.shown, self.at()), committed)
            }
            _ => words::reader_next(&self.shown, self.at()),
        }
    }
}

/// A record with its place.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    /// Its offset.
    pub(crate) offset: i64,
    /// Its key.
    pub(crate) key: Option<Bytes>,
    /// Its value.
    pub(crate) value: Option<Bytes>,
    /// The mark of its key.
    pub(crate) mark: Mark,
    /// The event of its append; the order in which records came, across partitions.
    pub(crate) appended: u64,
}

impl Lane {
    /// How many records it holds.
    pub(crate) fn count(&self) -> i64 {
        self.end - self.start
    }
}

/// The lanes of a topic. `shown` names the readers to show; `None` shows all.
pub(crate) fn lanes(snapshot: &Snapshot, topic: &TopicView, shown: Option<&[&str]>) -> Vec<Lane> {
    let mut lanes = Vec::with_capacity(topic.partitions.len());
    for view in &topic.partitions {
        let mut lane = Lane {
            partition: view.id.0,
            start: 0,
            end: 0,
            high_watermark: 0,
            has_leader: false,
            readers: Vec::new(),
        };
        if let Some(replica) = &view.replica {
            lane.start = replica.log().log_start_offset().0;
            lane.end = replica.log().log_end_offset().0;
            lane.high_watermark = replica.high_watermark().0;
            lane.has_leader = true;
        }
        for reader in &snapshot.readers {
            if shown.is_some_and(|shown| !shown.contains(&reader.name.as_str())) {
                continue;
            }
            for (place, next) in &reader.positions {
                if place.topic == topic.name && place.partition == view.id {
                    lane.readers.push(Reader {
                        name: reader.name.clone(),
                        shown: reader.name.clone(),
                        next: Some(next.0),
                        committed: None,
                    });
                }
            }
        }
        if scope::CLUSTER && shown.is_none() {
            let place = TopicPartition::new(&topic.name, view.id);
            groups(snapshot, &place, &mut lane.readers);
        }
        lanes.push(lane);
    }
    lanes
}

/// Which of the readers read for groups, and what these have committed; groups that nobody reads for, too.
fn groups(snapshot: &Snapshot, place: &TopicPartition, readers: &mut Vec<Reader>) {
    let Some(cluster) = snapshot.cluster.get() else { return };
    for (_, id, entry) in cluster.groups() {
        let committed = entry.offsets.get(place).map(|offset| offset.committed.offset.0);
        let group = id.to_string();
        let reads = |reader: &&mut Reader| {
            let is_it = |member: &&MemberView| member.reader == reader.name && member.group == *id;
            let member = cluster.members.iter().find(is_it);
            member.is_some_and(|member| {
                member.partitions.iter().any(|owned| owned.partition == *place)
            })
        };
        match readers.iter_mut().find(reads) {
            Some(reader) => {
                reader.shown = words::of_group(&group, &reader.name);
                reader.committed = committed;
            }
            None if committed.is_some() => {
                readers.push(Reader { name: String::new(), shown: group, next: None, committed });
            }
            None => {}
        }
    }
}

/// The records with offsets from `from` up to but without `to`. What it costs depends on how many
/// these are, not on how many the log holds.
pub(crate) fn window(view: &PartitionView, from: i64, to: i64) -> Vec<Placed> {
    view.replica.as_ref().map_or_else(Vec::new, |replica| records_of(replica, from, to))
}

/// The same of one replica.
pub(crate) fn records_of(replica: &Partition, from: i64, to: i64) -> Vec<Placed> {
    let mut placed = Vec::new();
    for batch in replica.log().read(Offset(from), Offset(to), u64::MAX) {
        for (offset, record) in batch.iter_from(Offset(from)) {
            if offset >= Offset(to) {
                break;
            }
            placed.push(Placed {
                offset: offset.0,
                key: record.key.clone(),
                value: record.value.clone(),
                mark: Mark::NONE,
                appended: batch.appended_by.map_or(0, |event| event.0),
            });
        }
    }
    placed
}

/// Gives letters to the keys of these records, in the order in which the records came, and marks
/// the records.
#[inline(never)]
pub(crate) fn learn(records: &mut [&mut Placed], keys: &mut Keys) {
    let came: Vec<u64> = records.iter().map(|record| record.appended).collect();
    for index in order(&came) {
        let record = &mut records[index];
        record.mark = keys.learn(record.key.as_ref());
    }
}
