//! The groups of a cluster where they are coordinated, and up to where what they read can be read.

use highwater_core::broker::group_coordinator::{GroupEntry, OFFSETS_TOPIC};
use highwater_core::ids::{BrokerId, GroupId, Offset, PartitionId, TopicPartition};
use highwater_core::world::snapshot::Snapshot;

/// A group where it is coordinated.
#[derive(Clone, Copy, Debug)]
pub struct Coordinated<'a> {
    /// Its id.
    pub id: &'a GroupId,
    /// The group and its offsets.
    pub entry: &'a GroupEntry,
    /// The broker.
    pub coordinator: BrokerId,
    /// The partition of `__consumer_offsets`.
    pub partition: PartitionId,
}

/// The groups, by their ids. One that a broker still has which leads its partition no more comes once, as the
/// leader has it.
#[must_use]
pub fn groups(moment: &Snapshot) -> Vec<Coordinated<'_>> {
    let offsets = moment.topic(OFFSETS_TOPIC);
    let leader = |partition: PartitionId| offsets?.image.leader(partition);
    let mut found: Vec<Coordinated<'_>> = Vec::new();
    for view in moment.cluster.get().map_or(&[][..], |cluster| &cluster.brokers) {
        for (partition, shard) in &view.groups {
            let leads = leader(*partition) == Some(view.id);
            for (id, entry) in shard.groups() {
                let (coordinator, partition) = (view.id, *partition);
                let group = Coordinated { id, entry, coordinator, partition };
                match found.iter_mut().find(|known| known.id == id) {
                    Some(known) if leads => *known = group,
                    Some(_) => {}
                    None => found.push(group),
                }
            }
        }
    }
    found.sort_by(|one, other| one.id.cmp(other.id));
    found
}

/// Up to where a partition can be read, which is what a lag is counted to; `None`: nobody leads it.
#[must_use]
pub fn readable_end(moment: &Snapshot, which: &TopicPartition) -> Option<Offset> {
    let topic = moment.topic(which.topic.as_str())?;
    let view = topic.partitions.get(usize::try_from(which.partition.0).ok()?)?;
    view.replica.as_ref().map(|replica| replica.high_watermark())
}
