//! `RangeAssignor`: each topic for itself, in blocks. The first members get one more where it does not
//! come out even, of every topic anew.
//!
//! Where racks matter, partitions go first to members of their own racks, within the same shares; but
//! topics that are as large as each other and have the same members stay together partition by partition.

use crate::client::assignor::group::{Group, Held, Member, Partition, Topic, number};
use crate::sorted_map::sort_by_key;

/// Assigns.
pub(super) fn assign(group: &Group<'_>) -> Held {
    let mut turns = vec![0u32; group.members.len()];
    for (turn, member) in (0..).zip(group.static_members_first()) {
        turns[member as usize] = turn;
    }
    let mut held = group.nothing_held();
    let topics = group.topics_as_mapped().into_iter();
    let mut shares: Vec<Share> = topics.map(|topic| Share::new(group, topic, &turns)).collect();
    let racks_matter = shares.iter().any(|share| share.racks_matter);
    if racks_matter {
        match_racks(group, &mut shares, &mut held);
    }
    for share in &mut shares {
        share.deal(&mut held, |_, _| true);
    }
    if racks_matter {
        held.iter_mut().for_each(|partitions| sort_by_key(partitions, |&partition| partition));
    }
    held
}

/// How one topic is shared out (`TopicAssignmentState`).
struct Share {
    first: Partition,
    partitions: u32,
    /// In turn.
    members: Vec<Member>,
    /// How many each of those has.
    given: Vec<u32>,
    /// In ascending order.
    unassigned: Vec<Partition>,
    /// What each gets at least.
    quota: u32,
    /// How many may still get one more.
    extra: u32,
    /// Whether any of the members says where it stands.
    has_racks: bool,
    racks_matter: bool,
}

impl Share {
    fn new(group: &Group<'_>, topic: Topic, turns: &[u32]) -> Self {
        let mut members: Vec<Member> = group.subscribers(topic).to_vec();
        sort_by_key(&mut members, |&member| turns[member as usize]);
        members.dedup();
        let range = group.partitions_of(topic);
        let (partitions, among) = (number(range.len()), number(members.len()).max(1));
        Self {
            first: range.start,
            partitions,
            given: vec![0; members.len()],
            quota: partitions / among,
            extra: partitions % among,
            has_racks: members.iter().any(|&member| group.racks.knows(member)),
            racks_matter: group.racks.matter(&members, range.clone()),
            unassigned: range.collect(),
            members,
        }
    }

    /// How many more a member may get, by its place.
    fn room(&self, place: usize) -> u32 {
        (self.quota + u32::from(self.extra > 0)).saturating_sub(self.given[place])
    }

    fn note_given(&mut self, place: usize, count: u32) {
        self.given[place] += count;
        if self.given[place] > self.quota {
            self.extra = self.extra.saturating_sub(1);
        }
    }

    /// Fills up one member after the other with what it may have.
    fn deal(&mut self, held: &mut Held, may_have: impl Fn(Member, Partition) -> bool) {
        for place in 0..self.members.len() {
            let member = self.members[place];
            let held = &mut held[member as usize];
            let (mut room, before) = (self.room(place), held.len());
            self.unassigned.retain(|&partition| {
                let takes = room > 0 && may_have(member, partition);
                if takes {
                    room -= 1;
                    held.push(partition);
                }
                !takes
            });
            let count = number(held.len() - before);
            if count > 0 {
                self.note_given(place, count);
            }
        }
    }

    /// Whether two topics go together: as many partitions for the same members.
    fn goes_with(&self, other: &Self) -> bool {
        self.members == other.members && self.partitions == other.partitions
    }
}

/// Gives what can be given within racks.
fn match_racks(group: &Group<'_>, shares: &mut [Share], held: &mut Held) {
    let mut is_done = vec![false; shares.len()];
    for first in 0..shares.len() {
        if is_done[first] {
            continue;
        }
        let together: Vec<usize> = (first..shares.len())
            .filter(|&other| shares[other].goes_with(&shares[first]))
            .collect();
        for &share in &together {
            is_done[share] = true;
        }
        if together.len() > 1 && shares[first].has_racks {
            match_racks_together(group, shares, &together, held);
        } else if let [share] = *together
            && shares[share].racks_matter
        {
            let may_have = |member, partition| !group.racks.part(member, partition);
            shares[share].deal(held, may_have);
        }
    }
}

/// The same for topics that go together: a number of all of them goes to one member that may have each.
fn match_racks_together(
    group: &Group<'_>,
    shares: &mut [Share],
    together: &[usize],
    held: &mut Held,
) {
    let Some(one) = together.first().map(|&share| &shares[share]) else { return };
    let (partitions, members) = (one.partitions, one.members.clone());
    for number in 0..partitions {
        let takes = |place: &usize| {
            together.iter().map(|&share| &shares[share]).all(|share| {
                !group.racks.part(members[*place], share.first + number) && share.room(*place) > 0
            })
        };
        let Some(place) = (0..members.len()).find(takes) else { continue };
        for &share in together {
            let share = &mut shares[share];
            let partition = share.first + number;
            share.unassigned.retain(|&other| other != partition);
            share.note_given(place, 1);
            held[members[place] as usize].push(partition);
        }
    }
}
