//! What holds of every assignment, whatever a group is like.
#![cfg(not(target_arch = "wasm32"))]

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use highwater_core::client::assignor::{
    Assignment, AssignorKind, MemberSubscription, PartitionRacks, assign, assign_in_racks,
};
use highwater_core::ids::{PartitionId, TopicName, TopicPartition};
use highwater_core::sorted_map::SortedMap;
use proptest::prelude::*;

/// A group as numbers; `build` makes names of them.
#[derive(Clone, Debug)]
struct Plan {
    /// How many partitions each topic has.
    sizes: Vec<u32>,
    members: Vec<MemberPlan>,
    /// For each partition who claims it, and perhaps who else does.
    claims: Vec<(u8, Option<u8>)>,
    racks: Vec<u8>,
}

#[derive(Clone, Debug)]
struct MemberPlan {
    id: u16,
    is_static: bool,
    /// Which topics it wants, as bits.
    wants: u8,
    generation: i32,
    rack: u8,
}

fn plan(equal: bool) -> impl Strategy<Value = Plan> {
    let member = (any::<u16>(), prop::bool::weighted(0.2), 1u8..=255, 0i32..3, 0u8..4).prop_map(
        |(id, is_static, wants, generation, rack)| MemberPlan {
            id,
            is_static,
            wants,
            generation,
            rack,
        },
    );
    let claim = (any::<u8>(), prop::option::weighted(0.15, any::<u8>()));
    (
        prop::collection::vec(1u32..9, 1..7),
        prop::collection::vec(member, 1..9),
        prop::collection::vec(claim, 54),
        prop::collection::vec(any::<u8>(), 54),
        any::<u8>(),
    )
        .prop_map(move |(sizes, mut members, claims, racks, wants)| {
            for member in &mut members {
                // Everybody wants at least one topic that is there.
                let wanted = if equal { wants } else { member.wants };
                member.wants = wanted & ((1 << sizes.len()) - 1) | u8::from(equal);
                if member.wants == 0 {
                    member.wants = 1 << (member.id % 5).min(sizes.len() as u16 - 1);
                }
            }
            Plan { sizes, members, claims, racks }
        })
}

fn topic(number: usize) -> TopicName {
    TopicName::new(&format!("topic-{number}"))
}

impl Plan {
    fn topics(&self) -> SortedMap<TopicName, u32> {
        (0..).map(topic).zip(self.sizes.iter().copied()).collect()
    }

    /// All partitions of topics that somebody wants.
    fn partitions(&self) -> Vec<TopicPartition> {
        let wants = self.members.iter().fold(0, |wants, member| wants | member.wants);
        let wanted = |number: &usize| wants & (1 << number) != 0;
        let of_topic = |number: usize| (0..self.sizes[number]).map(move |p| partition(number, p));
        (0..self.sizes.len()).filter(wanted).flat_map(of_topic).collect()
    }

    fn partition_racks(&self) -> PartitionRacks {
        let names = ["a", "b", "c", "d"];
        let mut draws = self.racks.iter().cycle();
        let mut replicas = || {
            let draw = draws.next().copied().unwrap_or(0);
            names.iter().take(usize::from(draw % 3)).map(|rack| Rc::from(*rack)).collect()
        };
        (0..)
            .map(topic)
            .zip(&self.sizes)
            .map(|(name, &size)| (name, (0..size).map(|_| replicas()).collect()))
            .collect()
    }

    /// Members that claim what they want, and what the plan says; `alone`: no partition twice, and all of
    /// one generation.
    fn members(&self, alone: bool) -> Vec<MemberSubscription> {
        let mut members: Vec<MemberSubscription> = (0..)
            .zip(&self.members)
            .map(|(number, member)| MemberSubscription {
                member_id: Rc::from(format!("consumer-{}-{number}", member.id)),
                group_instance_id: member
                    .is_static
                    .then(|| Rc::from(format!("i-{}-{number}", member.id))),
                topics: (0..8).filter(|bit| member.wants & (1 << bit) != 0).map(topic).collect(),
                owned: Vec::new(),
                generation: if alone { 1 } else { member.generation },
                rack: (member.rack > 0)
                    .then(|| Rc::from(["a", "b", "c", "d"][usize::from(member.rack)])),
            })
            .collect();
        for (which, (first, second)) in self.partitions().iter().zip(&self.claims) {
            for claim in [Some(*first), second.filter(|_| !alone)].into_iter().flatten() {
                // One in eight is claimed by nobody.
                let by = usize::from(claim) / 8 % members.len();
                if claim % 8 > 0
                    && members[by].topics.contains(&which.topic)
                    && !members[by].owned.contains(which)
                {
                    members[by].owned.push(which.clone());
                }
            }
        }
        members
    }
}

fn partition(topic_number: usize, number: u32) -> TopicPartition {
    TopicPartition::new(&topic(topic_number), PartitionId(number.cast_signed()))
}

/// Who has each partition. No partition has two.
fn owners(assignment: &Assignment) -> BTreeMap<TopicPartition, usize> {
    let mut owners = BTreeMap::new();
    for (member, (_, held)) in assignment.iter().enumerate() {
        for which in held {
            assert_eq!(owners.insert(which.clone(), member), None, "{which} has two owners");
        }
    }
    owners
}

/// The members at their next rebalance, when they have got that.
fn after(members: &[MemberSubscription], assignment: &Assignment) -> Vec<MemberSubscription> {
    let latest = members.iter().map(|member| member.generation).max().unwrap_or(-1);
    members
        .iter()
        .zip(assignment)
        .map(|(member, (_, held))| MemberSubscription {
            owned: held.clone(),
            generation: latest + 1,
            ..member.clone()
        })
        .collect()
}

fn sets(assignment: &Assignment) -> Vec<BTreeSet<TopicPartition>> {
    assignment.iter().map(|(_, held)| held.iter().cloned().collect()).collect()
}

fn within_one(counts: impl Iterator<Item = usize> + Clone) -> bool {
    counts.clone().max().unwrap_or(0) <= counts.min().unwrap_or(0) + 1
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// Each partition of a topic that somebody wants has one owner, who wants it; with racks and without.
    /// A cooperative round may leave out what another member has first to give up.
    #[test]
    fn every_partition_has_one_owner_who_wants_it(plan in plan(false), with_racks in any::<bool>()) {
        let members = plan.members(false);
        let racks = if with_racks { plan.partition_racks() } else { PartitionRacks::new() };
        for kind in AssignorKind::ALL {
            let assignment = assign_in_racks(kind, &plan.topics(), &racks, &members);
            let owners = owners(&assignment);
            for (which, &owner) in &owners {
                prop_assert!(members[owner].topics.contains(&which.topic), "{kind:?} {which}");
            }
            for which in plan.partitions() {
                let is_claimed = members.iter().any(|member| member.owned.contains(&which));
                let may_wait = kind == AssignorKind::CooperativeSticky && is_claimed;
                prop_assert!(owners.contains_key(&which) || may_wait, "{kind:?} {which}");
            }
        }
    }

    /// If all want the same, nobody has two more than another: with range of each topic, with the others
    /// of all together.
    #[test]
    fn equal_subscriptions_are_shared_evenly(plan in plan(true), with_racks in any::<bool>()) {
        let members = plan.members(false);
        let racks = if with_racks { plan.partition_racks() } else { PartitionRacks::new() };
        for kind in [AssignorKind::Range, AssignorKind::RoundRobin, AssignorKind::Sticky] {
            let assignment = assign_in_racks(kind, &plan.topics(), &racks, &members);
            if kind == AssignorKind::Range {
                for topic in plan.topics().keys() {
                    let of_topic = |held: &[TopicPartition]| held.iter().filter(|which| which.topic == *topic).count();
                    prop_assert!(within_one(assignment.iter().map(|(_, held)| of_topic(held))));
                }
            } else {
                prop_assert!(within_one(assignment.iter().map(|(_, held)| held.len())), "{kind:?}");
            }
        }
    }

    /// If all want the same, sticky keeps as much as equal shares allow.
    #[test]
    fn sticky_keeps_as_much_as_can_be(plan in plan(true)) {
        let members = plan.members(true);
        let assignment = assign(AssignorKind::Sticky, &plan.topics(), &members);
        let kept: usize = members.iter().zip(&assignment)
            .map(|(member, (_, held))| held.iter().filter(|which| member.owned.contains(which)).count())
            .sum();
        let (quota, extra) = (plan.partitions().len() / members.len(), plan.partitions().len() % members.len());
        let within: usize = members.iter().map(|member| member.owned.len().min(quota)).sum();
        let above = members.iter().filter(|member| member.owned.len() > quota).count();
        prop_assert_eq!(kept, within + above.min(extra));
    }

    /// What sticky has decided once stays, as long as nothing changes.
    #[test]
    fn sticky_moves_nothing_without_need(plan in plan(false)) {
        let members = plan.members(false);
        let first = assign(AssignorKind::Sticky, &plan.topics(), &members);
        let again = assign(AssignorKind::Sticky, &plan.topics(), &after(&members, &first));
        prop_assert_eq!(sets(&first), sets(&again));
    }

    /// If members want different topics, sticky leaves nobody with two less than another that has
    /// something for it.
    #[test]
    fn sticky_leaves_nothing_to_even_out(plan in plan(false)) {
        let members = plan.members(true);
        let assignment = assign(AssignorKind::Sticky, &plan.topics(), &members);
        for (member, (_, held)) in members.iter().zip(&assignment) {
            for (_, others) in &assignment {
                let could = others.iter().any(|which| member.topics.contains(&which.topic));
                prop_assert!(!could || others.len() <= held.len() + 1, "{assignment:?}");
            }
        }
    }

    /// In a cooperative round nobody gets what another one has still to give up, and rounds come to an end:
    /// if all want the same, the second gives out all, and the next one changes nothing. If not, what is
    /// given out then can unbalance others, in Kafka too, and it may take a few more.
    #[test]
    fn cooperative_rounds_settle(
        plan in any::<bool>().prop_flat_map(|equal| (plan(equal), Just(equal))),
    ) {
        let (plan, is_equal) = plan;
        let kind = AssignorKind::CooperativeSticky;
        let mut members = plan.members(false);
        let mut rounds = Vec::new();
        for _ in 0..if is_equal { 3 } else { 6 } {
            let round = assign(kind, &plan.topics(), &members);
            for (member, (_, held)) in members.iter().zip(&round) {
                for which in held.iter().filter(|which| !member.owned.contains(which)) {
                    let is_claimed = members.iter().any(|other| other.owned.contains(which));
                    prop_assert!(!is_claimed, "{which}");
                }
            }
            members = after(&members, &round);
            rounds.push(round);
        }
        let [.., before, last] = &rounds[..] else { unreachable!() };
        prop_assert_eq!(owners(before).len(), plan.partitions().len());
        prop_assert_eq!(sets(before), sets(last));
    }

    /// Nothing is too wild: no members, no topics, topics without partitions, named twice or never made,
    /// members of one name, numbers that no partition has, any generation. Each member comes back, and
    /// whatever is there has one owner.
    #[test]
    fn wild_groups_are_assigned(
        sizes in prop::collection::vec(0u32..6, 0..5),
        members in prop::collection::vec(
            (0u8..6, prop::option::weighted(0.2, 0u8..3), prop::collection::vec(0usize..6, 0..5),
             prop::collection::vec((0usize..6, -1i32..8), 0..12), -3i32..4, 0u8..4), 0..9),
        racks in prop::collection::vec(prop::collection::vec(prop::collection::vec(0u8..4, 0..3), 0..7), 0..6),
    ) {
        let rack = |number: u8| Rc::from(["", "a", "b", "c"][usize::from(number)]);
        let topics: SortedMap<TopicName, u32> = (0..).map(topic).zip(sizes.iter().copied()).collect();
        let members: Vec<MemberSubscription> = members.into_iter()
            .map(|(id, instance, topics, owned, generation, at)| MemberSubscription {
                member_id: Rc::from(format!("m{id}")),
                group_instance_id: instance.map(|instance| Rc::from(format!("i{instance}"))),
                topics: topics.into_iter().map(topic).collect(),
                owned: owned.iter().map(|&(number, which)| {
                    TopicPartition::new(&topic(number), PartitionId(which))
                }).collect(),
                generation,
                rack: (at > 0).then(|| rack(at - 1)),
            })
            .collect();
        let racks: PartitionRacks = (0..).map(topic).zip(racks.iter().map(|topic| {
            topic.iter().map(|replicas| replicas.iter().map(|&number| rack(number)).collect()).collect()
        })).collect();
        let there: usize = topics.iter()
            .filter(|(name, _)| members.iter().any(|member| member.topics.contains(name)))
            .map(|(_, &size)| size as usize)
            .sum();
        for kind in AssignorKind::ALL {
            let assignment = assign_in_racks(kind, &topics, &racks, &members);
            prop_assert!(assignment.iter().map(|(id, _)| id).eq(members.iter().map(|member| &member.member_id)));
            let owners = owners(&assignment);
            for which in owners.keys() {
                let number = which.partition.0.cast_unsigned();
                prop_assert!(topics.get(&which.topic).is_some_and(|&size| number < size));
            }
            if kind != AssignorKind::CooperativeSticky {
                prop_assert_eq!(owners.len(), there, "{:?}", kind);
            }
        }
    }
}
