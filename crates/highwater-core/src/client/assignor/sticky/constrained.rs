//! All members want the same topics (`ConstrainedAssignmentBuilder`): each gets the quota, and as many as
//! do not come out even one more.

use crate::client::assignor::group::{Group, Held, Member, Partition, number};
use crate::client::assignor::racks::Racks;
use crate::client::assignor::sticky::{Claims, Moved, Outcome};
use crate::sorted_map::sort_by_key;

/// Assigns. `racks`, if they matter.
pub(super) fn assign(group: &Group<'_>, racks: Option<&Racks>, claims: Claims) -> Outcome {
    let mut dealing = Dealing::new(group, claims.claimed_twice);
    for (member, owned) in (0..).zip(claims.owned) {
        dealing.keep_owned(group, racks, member, owned);
    }
    let mut unassigned: Vec<Partition> = group.partitions().collect();
    unassigned.retain(|&partition| !dealing.is_assigned[partition as usize]);
    let ranks = group.ranks();
    sort_by_key(&mut dealing.under_min, |&member| ranks[member as usize]);
    sort_by_key(&mut dealing.at_min, |&member| ranks[member as usize]);
    if let Some(racks) = racks {
        // First what the fewest members could read in their own rack.
        sort_by_key(&mut unassigned, |&partition| racks.members_at(partition));
        dealing.deal_within_racks(racks, &mut unassigned);
    }
    dealing.deal(&unassigned);
    Outcome { held: dealing.held, moved: Moved::Known(dealing.moved) }
}

/// How far it is.
struct Dealing {
    held: Held,
    is_assigned: Vec<bool>,
    /// Who had to give a partition up, because of the quota.
    given_up_by: Vec<Option<Member>>,
    claimed_twice: Vec<bool>,
    moved: Vec<(Partition, Member)>,
    /// What each member gets at least.
    min_quota: u32,
    /// How many members get one more.
    expected_over_min: u32,
    /// How many have that.
    over_min: u32,
    /// Members that have less than the quota.
    under_min: Vec<Member>,
    /// Members that have the quota, and may get one more.
    at_min: Vec<Member>,
}

impl Dealing {
    fn new(group: &Group<'_>, claimed_twice: Vec<bool>) -> Self {
        let partitions = group.partitions().len();
        let members = group.size().max(1);
        Self {
            held: group.nothing_held(),
            is_assigned: vec![false; partitions],
            given_up_by: vec![None; partitions],
            claimed_twice,
            moved: Vec::new(),
            min_quota: number(partitions) / members,
            expected_over_min: number(partitions) % members,
            over_min: 0,
            under_min: Vec::new(),
            at_min: Vec::new(),
        }
    }

    fn max_quota(&self) -> u32 {
        self.min_quota + u32::from(self.expected_over_min > 0)
    }

    /// Lets a member keep what it owned, up to its quota.
    fn keep_owned(
        &mut self,
        group: &Group<'_>,
        racks: Option<&Racks>,
        member: Member,
        mut owned: Vec<Partition>,
    ) {
        if let Some(racks) = racks {
            owned.retain(|&partition| {
                let parts = racks.part(member, partition);
                if parts {
                    self.given_up_by[partition as usize] = Some(member);
                }
                !parts
            });
        }
        // By number, then by topic: a member that has to give up a part keeps the low numbers of all.
        sort_by_key(&mut owned, |&partition| (group.number_in_topic(partition), partition));
        owned.retain(|&partition| !self.claimed_twice[partition as usize]);
        let count = number(owned.len());
        let kept = if count < self.min_quota {
            self.under_min.push(member);
            count
        } else if count >= self.max_quota() && self.over_min < self.expected_over_min {
            self.over_min += 1;
            if self.over_min == self.expected_over_min {
                self.at_min.clear();
            }
            self.max_quota()
        } else {
            if self.over_min < self.expected_over_min {
                self.at_min.push(member);
            }
            self.min_quota
        };
        for &partition in owned.iter().skip(kept as usize) {
            self.given_up_by[partition as usize] = Some(member);
        }
        owned.truncate(kept as usize);
        for &partition in &owned {
            self.is_assigned[partition as usize] = true;
        }
        self.held[member as usize] = owned;
    }

    /// Deals what can be read in the rack of a member that has room for it.
    fn deal_within_racks(&mut self, racks: &Racks, unassigned: &mut Vec<Partition>) {
        let mut turn = 0;
        unassigned.retain(|&partition| {
            let meets = |place: &usize, members: &[Member]| racks.meet(members[*place], partition);
            let count = self.under_min.len();
            let mut from_turn = (turn..count).chain(0..turn.min(count));
            if let Some(place) = from_turn.find(|place| meets(place, &self.under_min)) {
                let member = self.under_min[place];
                let held = self.give(partition, member);
                turn = place + 1;
                if held >= self.min_quota {
                    self.under_min.remove(place);
                    turn = place;
                    if held < self.max_quota() && self.over_min < self.expected_over_min {
                        self.at_min.push(member);
                    }
                }
                turn = turn.checked_rem(self.under_min.len()).unwrap_or(0);
                return false;
            }
            let Some(place) = (0..self.at_min.len()).find(|place| meets(place, &self.at_min))
            else {
                return true;
            };
            let member = self.at_min[place];
            if self.give(partition, member) == self.max_quota() {
                self.at_min.remove(place);
                self.over_min += 1;
                if self.over_min == self.expected_over_min {
                    self.at_min.clear();
                }
            }
            false
        });
    }

    /// Deals the rest: in turn to those below the quota, then one each to those that may have one more.
    fn deal(&mut self, unassigned: &[Partition]) {
        let mut turn = 0;
        let mut next_at_min = 0;
        for &partition in unassigned {
            if turn >= self.under_min.len() {
                turn = 0;
            }
            if let Some(&member) = self.under_min.get(turn) {
                if self.give(partition, member) == self.min_quota {
                    self.under_min.remove(turn);
                    self.at_min.push(member);
                } else {
                    turn += 1;
                }
            } else if let Some(&member) = self.at_min.get(next_at_min) {
                self.give(partition, member);
                next_at_min += 1;
            }
        }
    }

    /// Gives a partition to a member, and says how many it has now.
    fn give(&mut self, partition: Partition, member: Member) -> u32 {
        let given_up_by_another =
            self.given_up_by[partition as usize].is_some_and(|other| other != member);
        if given_up_by_another || self.claimed_twice[partition as usize] {
            self.moved.push((partition, member));
        }
        let held = &mut self.held[member as usize];
        held.push(partition);
        number(held.len())
    }
}
