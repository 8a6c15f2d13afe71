//! Which members stand in the same rack as a replica of a partition (KIP-881). Assignors prefer these, as
//! far as the shares stay even.

use crate::client::assignor::group::{Member, Partition, number};
use crate::client::assignor::{MemberSubscription, PartitionRacks};
use crate::ids::TopicName;
use crate::sorted_map::SortedMap;

/// A rack's place among all.
type Rack = u32;

/// The racks of members and of replicas.
#[derive(Debug, Default)]
pub(super) struct Racks {
    of_member: Vec<Option<Rack>>,
    /// Of the replicas of each partition, each once and sorted.
    of_partition: Vec<Vec<Rack>>,
}

impl Racks {
    /// Numbers the racks. Topics come in the order of their partitions.
    pub(super) fn new<'a>(
        racks: &PartitionRacks,
        members: &[&MemberSubscription],
        topics: impl Iterator<Item = (&'a TopicName, u32)>,
    ) -> Self {
        if racks.is_empty() {
            return Self::default();
        }
        let mut places: SortedMap<&str, Rack> = SortedMap::new();
        let mut of_partition = Vec::new();
        for (topic, partitions) in topics {
            let replicas = racks.get(topic);
            for partition in 0..partitions as usize {
                let replicas = replicas.and_then(|topic| topic.get(partition));
                let mut of_replicas = Vec::new();
                for rack in replicas.into_iter().flatten() {
                    let next = number(places.len());
                    let place = *places.get_or_insert_with(&**rack, || next);
                    if let Err(gap) = of_replicas.binary_search(&place) {
                        of_replicas.insert(gap, place);
                    }
                }
                of_partition.push(of_replicas);
            }
        }
        let of_member = members.iter().map(|member| {
            let rack = member.rack.as_deref().filter(|rack| !rack.is_empty())?;
            let next = number(places.len());
            Some(*places.get_or_insert_with(rack, || next))
        });
        Self { of_member: of_member.collect(), of_partition }
    }

    /// Whether racks matter to these members and partitions (`useRackAwareAssignment`): a member stands
    /// where a replica is, and not all partitions are in all of these racks.
    pub(super) fn matter(
        &self,
        members: &[Member],
        partitions: std::ops::Range<Partition>,
    ) -> bool {
        let mut everywhere: SortedMap<Rack, ()> = SortedMap::new();
        for &rack in partitions.clone().flat_map(|partition| self.of_replicas(partition)) {
            everywhere.insert(rack, ());
        }
        let mut known = members.iter().filter_map(|&member| self.of(member));
        known.any(|rack| everywhere.contains_key(&rack))
            && partitions.into_iter().any(|which| self.of_replicas(which).len() < everywhere.len())
    }

    fn of(&self, member: Member) -> Option<Rack> {
        *self.of_member.get(member as usize)?
    }

    /// Whether a member says where it stands.
    pub(super) fn knows(&self, member: Member) -> bool {
        self.of(member).is_some()
    }

    fn of_replicas(&self, partition: Partition) -> &[Rack] {
        self.of_partition.get(partition as usize).map_or(&[], Vec::as_slice)
    }

    /// Whether a member says where it stands, and no replica of the partition is there.
    pub(super) fn part(&self, member: Member, partition: Partition) -> bool {
        self.knows(member) && !self.meet(member, partition)
    }

    /// How many members stand where a replica of the partition is.
    pub(super) fn members_at(&self, partition: Partition) -> usize {
        (0..).zip(&self.of_member).filter(|(member, _)| self.meet(*member, partition)).count()
    }

    /// Whether a member stands where a replica of the partition is.
    pub(super) fn meet(&self, member: Member, partition: Partition) -> bool {
        self.of(member).is_some_and(|rack| self.of_replicas(partition).contains(&rack))
    }
}
