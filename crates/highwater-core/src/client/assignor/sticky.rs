//! `StickyAssignor`, whose rules are those of Kafka's `AbstractStickyAssignor`: as even as it can be, and
//! who owned a partition keeps it if that allows. Where
//! racks matter, a member keeps only what has a replica in its rack, and the rest goes first to members in
//! the right racks.
//!
//! Members that all want the same are easy (`constrained.rs`), others are not (`general.rs`).

use crate::client::assignor::group::{Group, Held, Member, Partition};
use crate::ids::TopicName;
use crate::sorted_map::SortedMap;

mod constrained;
mod general;
mod movements;

/// What was decided.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Who holds what.
    pub(super) held: Held,
    /// What changed hands.
    pub(super) moved: Moved,
}

/// The partitions that somebody has to give up before another one may have them.
#[derive(Debug)]
pub(super) enum Moved {
    /// These, with who gets them.
    Known(Vec<(Partition, Member)>),
    /// Nobody kept book.
    FindOut,
}

/// Who owned what, after claims that exclude each other.
#[derive(Debug)]
struct Claims {
    /// Each member's partitions, as it listed them.
    owned: Held,
    /// The partitions that two members claimed for the same generation.
    claimed_twice: Vec<bool>,
}

/// Assigns.
pub(super) fn assign(group: &Group<'_>) -> Outcome {
    let claims = Claims::weigh(group);
    let members: Vec<Member> = (0..group.size()).collect();
    let racks = group.racks.matter(&members, group.partitions()).then_some(&group.racks);
    if all_want_the_same(group) {
        constrained::assign(group, racks, claims)
    } else {
        Outcome { held: general::assign(group, racks, claims.owned), moved: Moved::FindOut }
    }
}

/// Whether all members name the same topics, there or not. As in Kafka, members that name none are not
/// noticed before the first one that names some, and a topic that a later one names twice counts twice.
fn all_want_the_same(group: &Group<'_>) -> bool {
    let mut wanted: SortedMap<&TopicName, ()> = SortedMap::new();
    group.members.iter().all(|member| {
        if wanted.is_empty() {
            for topic in &member.topics {
                wanted.insert(topic, ());
            }
            return true;
        }
        member.topics.len() == wanted.len()
            && member.topics.iter().all(|topic| wanted.contains_key(&topic))
    })
}

impl Claims {
    /// The later generation is right. Of two members of one generation neither is. The members come in
    /// the order of the leader's map.
    fn weigh(group: &Group<'_>) -> Self {
        let mut claims = Self {
            owned: group.nothing_held(),
            claimed_twice: vec![false; group.partitions().len()],
        };
        let mut last_claim: Vec<Option<Member>> = vec![None; group.partitions().len()];
        for (member, subscription) in (0..).zip(&group.members) {
            let generation = generation(group, member);
            for partition in subscription.owned.iter().filter_map(|which| group.find(which)) {
                let last = &mut last_claim[partition as usize];
                if let Some(other) = *last {
                    let others = self::generation(group, other);
                    if generation < others {
                        continue;
                    }
                    let owned = &mut claims.owned[other as usize];
                    if let Some(place) = owned.iter().position(|&owned| owned == partition) {
                        owned.remove(place);
                    }
                    if generation == others {
                        claims.claimed_twice[partition as usize] = true;
                        *last = Some(member);
                        continue;
                    }
                }
                *last = Some(member);
                claims.owned[member as usize].push(partition);
            }
        }
        claims
    }
}

/// The generation a member's claims are of. Below 0 none is known, however it is written.
fn generation(group: &Group<'_>, member: Member) -> i32 {
    group.members[member as usize].generation.max(-1)
}
