//! Groups of consumers as all figures see them: each once, where it is coordinated, and how much of what a member may
//! read is given to others.

use highwater_core::broker::group_coordinator::{GroupEntry, Member, OFFSETS_TOPIC};
use highwater_core::ids::{BrokerId, GroupId, Offset, PartitionId, TopicName, TopicPartition};
use highwater_core::world::cluster_view::ClusterView;
use highwater_core::world::snapshot::Snapshot;

/// A group where it is coordinated.
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

/// The groups, by name. One that a broker still has which leads its partition no more comes once, as the leader has it.
#[must_use]
pub fn coordinated<'a>(moment: &Snapshot, cluster: &'a ClusterView) -> Vec<Coordinated<'a>> {
    let offsets = moment.topic(OFFSETS_TOPIC);
    let leader = |partition: PartitionId| offsets?.image.leader(partition);
    let mut found: Vec<Coordinated<'a>> = Vec::new();
    for view in &cluster.brokers {
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

/// What of a member's topics is there to be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share {
    /// So many partitions its topics have.
    pub all: usize,
    /// So many of them other members were given.
    pub taken: usize,
}

impl Share {
    /// That of a member of this group.
    #[must_use]
    pub fn of(moment: &Snapshot, group: &Coordinated<'_>, member: &Member) -> Self {
        let Some(classic) = group.entry.group.classic() else { return Self::default() };
        let subscription = classic.protocol().and_then(|protocol| member.subscription(protocol));
        let reads: &[TopicName] = subscription.map_or(&[], |known| &known.topics);
        let all = reads.iter().filter_map(|topic| moment.topic(topic.as_str()));
        let others = classic.members().iter().filter(|other| other.id != member.id);
        let taken = others.flat_map(Member::partitions);
        Self {
            all: all.map(|topic| topic.partitions.len()).sum(),
            taken: taken.filter(|which| reads.contains(&which.topic)).count(),
        }
    }
}
