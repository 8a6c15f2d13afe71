//! A cluster at one moment, as JavaScript sees it: topics, brokers, groups, readers, and what went wrong.

use std::collections::BTreeSet;

use highwater_core::broker::group_coordinator::{ClassicGroup, GroupState, Member};
use highwater_core::ids::{BrokerId, Bytes, Offset, TopicPartition};
use highwater_core::log::producer_state::ProducerStateEntry;
use highwater_core::log::record::Record;
use highwater_core::replication::partition::Partition;
use highwater_core::world::cluster_view::{BrokerView, ClusterView};
use highwater_core::world::hazard::HazardCounts;
use highwater_core::world::snapshot::{PartitionView, ReaderView, Snapshot as Moment, TopicView};
use highwater_scene::groups::{Coordinated, coordinated, readable_end};
use highwater_scene::replicas::{Health, health};

use crate::failure::Failure;
use crate::time;
use crate::value::{Options, Value};
use crate::wire::{
    BrokerInfo, CommittedInfo, GroupInfo, HazardInfo, HeaderInfo, MemberInfo, PartitionInfo,
    PositionInfo, ProducerInfo, ReaderInfo, RecordInfo, ReplicaInfo, Snapshot, SnapshotOptions,
    TopicInfo,
};

/// The options, as they are called in JavaScript.
const NAMES: [&str; 1] = ["records"];

impl SnapshotOptions {
    /// Reads them.
    pub(crate) fn read(value: Value) -> Result<Self, Failure> {
        let given = Options::read(value, &NAMES)?;
        Ok(Self { records: given.number("records", 0, u32::MAX.into())? })
    }
}

/// Everything of a moment that JavaScript sees.
pub(crate) fn of(moment: &Moment, options: &SnapshotOptions) -> Snapshot {
    let cluster = moment.cluster.known();
    let most = options.records;
    Snapshot {
        time: time::micros(moment.now),
        step: moment.step,
        brokers: cluster.brokers.iter().map(broker).collect(),
        topics: moment.topics.iter().map(|view| topic(view, cluster, most)).collect(),
        groups: coordinated(moment, cluster)
            .iter()
            .map(|found| group(moment, cluster, found))
            .collect(),
        readers: moment.readers.iter().map(reader).collect(),
        hazards: hazards(&cluster.hazards),
    }
}

fn broker(view: &BrokerView) -> BrokerInfo {
    let known = view.registration.as_ref();
    BrokerInfo {
        id: view.id.0,
        state: match health(view) {
            Health::Up => "up",
            Health::Down => "down",
            Health::Paused => "paused",
            Health::Starting => "starting",
            Health::Stopping => "stopping",
            Health::Fenced => "fenced",
        },
        fenced: known.is_none_or(|known| known.fenced),
        rack: known.and_then(|known| known.rack.get()).map(ToString::to_string),
        port: known.map(|known| known.port),
        epoch: known.map(|known| known.epoch.0),
        starts: view.incarnation.saturating_add(1),
    }
}

fn topic(view: &TopicView, cluster: &ClusterView, most: Option<u32>) -> TopicInfo {
    let partitions = view.partitions.iter();
    TopicInfo {
        name: view.name.to_string(),
        id: view.image.id.to_string(),
        configs: view.image.configs.iter().cloned().collect(),
        partitions: partitions.filter_map(|each| partition(view, each, cluster, most)).collect(),
    }
}

fn partition(
    topic: &TopicView,
    view: &PartitionView,
    cluster: &ClusterView,
    most: Option<u32>,
) -> Option<PartitionInfo> {
    let image = topic.image.partition(view.id)?;
    let which = TopicPartition::new(&topic.name, view.id);
    let ids = |brokers: &[BrokerId]| brokers.iter().map(|id| id.0).collect();
    let leaders = view.replica.as_deref();
    let replica = |id: &BrokerId| {
        let held = cluster.broker(*id).and_then(|broker| broker.replica(&which));
        ReplicaInfo {
            broker: id.0,
            leads: image.leader == Some(*id),
            in_sync: image.isr.contains(id),
            log_start_offset: held.map(|held| held.log().log_start_offset().0),
            high_watermark: held.map(|held| held.high_watermark().0),
            log_end_offset: held.map(|held| held.log().log_end_offset().0),
            leader_epoch: held.map(|held| held.leader_epoch().0),
            size: held.map(|held| held.log().size_in_bytes()),
        }
    };
    Some(PartitionInfo {
        partition: view.id.0,
        leader: view.leader.map(|leader| leader.0),
        leader_epoch: image.leader_epoch.0,
        replica_ids: ids(&image.replicas),
        isr: ids(&image.isr),
        elr: ids(&image.elr),
        log_start_offset: leaders.map(|held| held.log().log_start_offset().0),
        high_watermark: leaders.map(|held| held.high_watermark().0),
        log_end_offset: leaders.map(|held| held.log().log_end_offset().0),
        replicas: image.replicas.iter().map(replica).collect(),
        records: leaders.map_or_else(Vec::new, |held| records(held, most)),
        producers: leaders.map_or_else(Vec::new, producers),
    })
}

/// The newest records of a log, at most so many.
fn records(held: &Partition, most: Option<u32>) -> Vec<RecordInfo> {
    let (start, end) = (held.log().log_start_offset(), held.log().log_end_offset());
    let from = most.map_or(start.0, |most| start.0.max(end.0 - i64::from(most)));
    let batches = held.log().read(Offset(from), end, u64::MAX);
    let all = batches.flat_map(|batch| {
        let epoch = batch.leader_epoch.0;
        batch.iter().map(move |(offset, record)| (offset, epoch, record))
    });
    // A batch may begin before.
    let all = all.filter(|(offset, ..)| offset.0 >= from);
    all.map(|(offset, epoch, each)| record(offset, epoch, each)).collect()
}

fn record(offset: Offset, leader_epoch: i32, record: &Record) -> RecordInfo {
    let headers = record.headers.iter().map(|header| HeaderInfo {
        key: text(&header.key),
        value: header.value.as_ref().map(text),
    });
    RecordInfo {
        offset: offset.0,
        key: record.key.as_ref().map(text),
        value: record.value.as_ref().map(text),
        headers: headers.collect(),
        timestamp: time::millis(record.timestamp),
        leader_epoch,
    }
}

fn producers(held: &Partition) -> Vec<ProducerInfo> {
    let producer = |(id, entry): (i64, &ProducerStateEntry)| ProducerInfo {
        producer_id: id,
        epoch: entry.producer_epoch,
        last_sequence: entry.batches().last().map(|batch| batch.last_sequence),
        last_offset: entry.last_data_offset().map(|offset| offset.0),
        last_timestamp: time::millis(entry.last_timestamp),
    };
    held.log().producer_state().producers().map(producer).collect()
}

fn text(bytes: &Bytes) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn group(moment: &Moment, cluster: &ClusterView, found: &Coordinated<'_>) -> GroupInfo {
    let classic = found.entry.group.classic();
    let members = classic.map_or(&[][..], |group| group.members());
    let member = |each: &Member| {
        let client =
            cluster.members.iter().find(|view| view.group == *found.id && view.member == each.id);
        MemberInfo {
            id: each.id.to_string(),
            client_id: each.client_id.to_string(),
            instance_id: each.instance.as_ref().map(ToString::to_string),
            reader: client.map(|client| client.reader.clone()),
            leads: classic.and_then(|group| group.leader()) == Some(&each.id),
            partitions: each
                .partitions()
                .iter()
                .map(|which| {
                    let own = client.and_then(|client| {
                        client.partitions.iter().find(|own| own.partition == *which)
                    });
                    PositionInfo {
                        topic: which.topic.to_string(),
                        partition: which.partition.0,
                        next: own.and_then(|own| own.position).map(|offset| offset.0),
                    }
                })
                .collect(),
        }
    };
    GroupInfo {
        id: found.id.to_string(),
        state: classic.map_or(GroupState::Empty, ClassicGroup::state).name().to_owned(),
        generation: classic.map_or(0, ClassicGroup::generation),
        assignor: classic.and_then(|group| group.protocol()).map(str::to_owned),
        coordinator: found.coordinator.0,
        members: members.iter().map(member).collect(),
        offsets: offsets(moment, found),
    }
}

/// How far a group is, by partitions.
fn offsets(moment: &Moment, found: &Coordinated<'_>) -> Vec<CommittedInfo> {
    let kept = &found.entry.offsets;
    let members = found.entry.group.classic().map_or(&[][..], ClassicGroup::members);
    let given = members.iter().flat_map(Member::partitions);
    let all: BTreeSet<TopicPartition> =
        kept.iter().map(|(which, _)| which.clone()).chain(given).collect();
    let one = |which: &TopicPartition| {
        let committed = kept.get(which).map(|kept| kept.committed.offset.0);
        let end = readable_end(moment, which).map(|end| end.0);
        CommittedInfo {
            topic: which.topic.to_string(),
            partition: which.partition.0,
            committed,
            end,
            lag: end.zip(committed).map(|(end, committed)| end - committed),
        }
    };
    all.iter().map(one).collect()
}

fn reader(view: &ReaderView) -> ReaderInfo {
    let position = |(at, next): &(TopicPartition, Offset)| PositionInfo {
        topic: at.topic.to_string(),
        partition: at.partition.0,
        next: Some(next.0),
    };
    ReaderInfo { name: view.name.clone(), positions: view.positions.iter().map(position).collect() }
}

fn hazards(counts: &HazardCounts) -> HazardInfo {
    // All of them by name: a new one does not compile until it has its place.
    let HazardCounts {
        acknowledged_records_lost,
        overtaken_records_lost,
        unanswered_records_lost,
        committed_records_lost,
        duplicate_records,
        reordered_records,
        records_redelivered,
        records_skipped,
        records_worked_too_late,
    } = *counts;
    HazardInfo {
        acknowledged_records_lost,
        overtaken_records_lost,
        unanswered_records_lost,
        committed_records_lost,
        duplicate_records,
        reordered_records,
        records_redelivered,
        records_skipped,
        records_worked_too_late,
    }
}
