//! `RangeAssignor`: each topic for itself, in blocks. The first members get one more where it does not
//! come out even, of every topic anew.

use crate::client::assignor::group::{Group, Held, Member, number};
use crate::sorted_map::sort_by_key;

/// Assigns.
pub(super) fn assign(group: &Group<'_>) -> Held {
    let mut turns = vec![0u32; group.members.len()];
    for (turn, member) in (0..).zip(group.static_members_first()) {
        turns[member as usize] = turn;
    }
    let mut held = group.nothing_held();
    for topic in group.topics_as_mapped() {
        let mut members: Vec<Member> = group.subscribers(topic).to_vec();
        sort_by_key(&mut members, |&member| turns[member as usize]);
        members.dedup();
        let mut partitions = group.partitions_of(topic);
        let (all, among) = (number(partitions.len()), number(members.len()).max(1));
        for (place, member) in (0..).zip(members) {
            let share = all / among + u32::from(place < all % among);
            held[member as usize].extend(partitions.by_ref().take(share as usize));
        }
    }
    held
}
