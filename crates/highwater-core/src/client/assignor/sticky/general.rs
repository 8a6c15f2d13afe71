//! Members want different topics (`GeneralAssignmentBuilder`): what nobody holds goes to whoever holds
//! least, then single partitions move from those with more to those with less, while that helps.

use crate::client::assignor::group::{Group, Held, Member, Partition, Topic, number};
use crate::client::assignor::racks::Racks;
use crate::client::assignor::sticky::generation;
use crate::client::assignor::sticky::movements::Movements;
use crate::sorted_map::sort_by_key;

/// Assigns; `owned` is what the members owned. `racks`, if they matter: they decide on what is given out,
/// not on what moves then.
pub(super) fn assign(group: &Group<'_>, racks: Option<&Racks>, owned: Held) -> Held {
    let mut balance = Balance::new(group, racks, owned);
    let mut order: Vec<Topic> = group.topics().collect();
    sort_by_key(&mut order, |&topic| (group.subscribers(topic).len(), topic));
    let all = order.iter().flat_map(|&topic| group.partitions_of(topic));
    let unassigned: Vec<Partition> =
        all.clone().filter(|&partition| balance.owner[partition as usize].is_none()).collect();
    let is_first_time = balance.held.iter().all(Vec::is_empty);
    let mut left = unassigned.clone();
    if let Some(racks) = racks {
        left.retain(|&which| !balance.give(which, |member| !racks.part(member, which)));
    }
    for &partition in &left {
        balance.give(partition, |_| true);
    }
    // Only what two want can move, and only to and from members for which it can change anything.
    let may_move = |partition: &Partition| balance.topic_may_move(group.topic_of(*partition));
    let unassigned: Vec<Partition> = unassigned.into_iter().filter(may_move).collect();
    let all: Vec<Partition> = all.filter(may_move).collect();
    balance.leave_out_who_cannot_change();
    let before = balance.held.clone();
    if !balance.has_revoked {
        balance.even_out(&unassigned);
    }
    let has_moved = balance.even_out(&all);
    if !is_first_time && has_moved && balance.score(&balance.held) >= balance.score(&before) {
        return before;
    }
    balance.held
}

/// The state of the scales.
struct Balance<'a> {
    group: &'a Group<'a>,
    held: Held,
    owner: Vec<Option<Member>>,
    /// Who claimed a partition of an older generation than the latest, and which.
    previous: Vec<Option<(Member, i32)>>,
    /// Whether somebody lost a partition because it does not want the topic any more, or is in another rack.
    has_revoked: bool,
    /// Whether a member wants a topic; one row of topics for each member.
    wants: Vec<bool>,
    /// Places by member id.
    ranks: Vec<u32>,
    /// Members that take part, those with the fewest partitions first, then by member id.
    order: Vec<Member>,
    movements: Movements,
    /// Whether nothing has moved since it was found out of balance.
    is_known_unbalanced: bool,
    /// How many moves are left. Kafka has no such limit; it is never reached unless its rules go in a
    /// circle.
    moves_left: u64,
}

impl<'a> Balance<'a> {
    fn new(group: &'a Group<'a>, racks: Option<&Racks>, owned: Held) -> Self {
        let partitions = group.partitions().len();
        let topics = group.topics().len();
        let mut wants = vec![false; topics * owned.len()];
        for (member, row) in (0..group.size()).zip(wants.chunks_mut(topics.max(1))) {
            for &topic in group.subscribed(member) {
                row[topic as usize] = true;
            }
        }
        let mut balance = Self {
            group,
            held: owned,
            owner: vec![None; partitions],
            previous: older_claims(group),
            has_revoked: false,
            wants,
            ranks: group.ranks(),
            order: Vec::new(),
            movements: Movements::new(group),
            is_known_unbalanced: false,
            moves_left: u64::from(group.size()) * u64::from(number(partitions)),
        };
        balance.keep_owned(racks);
        balance.order = (0..group.size()).collect();
        let (held, ranks) = (&balance.held, &balance.ranks);
        sort_by_key(&mut balance.order, |&member| {
            (held[member as usize].len(), ranks[member as usize])
        });
        balance
    }

    /// Members keep what they owned and still want, if it is where they are.
    fn keep_owned(&mut self, racks: Option<&Racks>) {
        for member in 0..self.group.size() {
            let owned = std::mem::take(&mut self.held[member as usize]);
            for &partition in &owned {
                let parts = racks.is_some_and(|racks| racks.part(member, partition));
                if self.wants(member, self.group.topic_of(partition)) && !parts {
                    self.held[member as usize].push(partition);
                    self.owner[partition as usize] = Some(member);
                } else {
                    self.has_revoked = true;
                }
            }
        }
    }

    fn wants(&self, member: Member, topic: Topic) -> bool {
        self.wants[member as usize * self.group.topics().len() + topic as usize]
    }

    fn size(&self, member: Member) -> usize {
        self.held[member as usize].len()
    }

    fn who_holds_least(&self, topic: Topic) -> Option<Member> {
        self.order.iter().copied().find(|&member| self.wants(member, topic))
    }

    /// Gives a partition to who holds least of those that want it and may have it; whether there is one.
    fn give(&mut self, partition: Partition, may_have: impl Fn(Member) -> bool) -> bool {
        let topic = self.group.topic_of(partition);
        let takes = |member: &Member| self.wants(*member, topic) && may_have(*member);
        let Some(member) = self.order.iter().copied().find(takes) else { return false };
        self.take_out_of_order(member);
        self.held[member as usize].push(partition);
        self.owner[partition as usize] = Some(member);
        self.put_in_order(member);
        true
    }

    fn place_in_order(&self, member: Member) -> usize {
        let key = |member: Member| (self.size(member), self.ranks[member as usize]);
        self.order.partition_point(|&other| key(other) < key(member))
    }

    fn take_out_of_order(&mut self, member: Member) {
        let place = self.place_in_order(member);
        if self.order.get(place) == Some(&member) {
            self.order.remove(place);
        }
    }

    fn put_in_order(&mut self, member: Member) {
        let place = self.place_in_order(member);
        self.order.insert(place, member);
    }

    fn takes_part(&self, member: Member) -> bool {
        self.order.get(self.place_in_order(member)) == Some(&member)
    }

    fn topic_may_move(&self, topic: Topic) -> bool {
        self.group.subscribers(topic).len() >= 2
    }

    /// How many partitions a member could get. As Kafka counts: a topic that a member names twice counts
    /// twice, and who names as many topics as there are could get all.
    fn most(&self, member: Member) -> usize {
        let subscribed = self.group.subscribed(member);
        if subscribed.len() == self.group.topics().len() {
            return self.group.partitions().len();
        }
        subscribed.iter().map(|&topic| self.group.partitions_of(topic).len()).sum()
    }

    fn leave_out_who_cannot_change(&mut self) {
        let can_change = |member: &Member| {
            self.size(*member) < self.most(*member)
                || self.held[*member as usize]
                    .iter()
                    .any(|&partition| self.topic_may_move(self.group.topic_of(partition)))
        };
        self.order = self.order.iter().copied().filter(can_change).collect();
    }

    /// Moves partitions of these, from the first to the last and again, until nothing more helps. Says
    /// whether any has moved.
    fn even_out(&mut self, partitions: &[Partition]) -> bool {
        let mut has_moved = false;
        loop {
            let mut has_moved_now = false;
            for &partition in partitions {
                if self.moves_left == 0 || self.is_balanced() {
                    break;
                }
                if let Some(to) = self.better_owner(partition) {
                    self.reassign(partition, to);
                    has_moved_now = true;
                }
            }
            has_moved |= has_moved_now;
            if !has_moved_now {
                return has_moved;
            }
        }
    }

    /// Who should have a partition instead of its owner: who had it in an older generation, or else who
    /// holds least; if that one has at least two fewer.
    fn better_owner(&self, partition: Partition) -> Option<Member> {
        let owner = self.owner[partition as usize]?;
        let has_fewer = |member: Member| self.size(owner) > self.size(member) + 1;
        if let Some((previous, _)) = self.previous[partition as usize]
            && has_fewer(previous)
            && self.takes_part(previous)
        {
            return Some(previous);
        }
        self.who_holds_least(self.group.topic_of(partition)).filter(|&member| has_fewer(member))
    }

    fn reassign(&mut self, partition: Partition, to: Member) {
        let Some(owner) = self.owner[partition as usize] else { return };
        let partition = self.movements.actual(self.group, partition, (owner, to));
        let Some(from) = self.owner[partition as usize] else { return };
        self.take_out_of_order(from);
        self.take_out_of_order(to);
        self.movements.add(self.group, partition, (from, to));
        self.held[from as usize].retain(|&other| other != partition);
        self.held[to as usize].push(partition);
        self.owner[partition as usize] = Some(to);
        self.put_in_order(to);
        self.put_in_order(from);
        self.is_known_unbalanced = false;
        self.moves_left -= 1;
    }

    /// Whether no member could get a partition of one that has at least two more.
    fn is_balanced(&mut self) -> bool {
        if !self.is_known_unbalanced {
            self.is_known_unbalanced = !self.weigh();
        }
        !self.is_known_unbalanced
    }

    fn weigh(&self) -> bool {
        let (Some(&first), Some(&last)) = (self.order.first(), self.order.last()) else {
            return true;
        };
        if self.size(first) + 1 >= self.size(last) {
            return true;
        }
        // The most that an owner of a partition of each topic has.
        let mut most_of_owners = vec![0; self.group.topics().len()];
        for &member in &self.order {
            for &partition in &self.held[member as usize] {
                let most = &mut most_of_owners[self.group.topic_of(partition) as usize];
                *most = self.size(member).max(*most);
            }
        }
        self.order.iter().all(|&member| {
            let size = self.size(member);
            let topics = self.group.subscribed(member);
            size == self.most(member)
                || topics.iter().all(|&topic| most_of_owners[topic as usize] <= size + 1)
        })
    }

    /// By how much members differ, each with each; of those that take part.
    fn score(&self, held: &Held) -> usize {
        let sizes: Vec<usize> =
            self.order.iter().map(|&member| held[member as usize].len()).collect();
        let differences = |(place, one): (usize, &usize)| -> usize {
            sizes.iter().skip(place + 1).map(|other| other.abs_diff(*one)).sum()
        };
        sizes.iter().enumerate().map(differences).sum()
    }
}

/// What members claim that have missed generations: of each partition the latest such claim.
fn older_claims(group: &Group<'_>) -> Vec<Option<(Member, i32)>> {
    let mut claims: Vec<Option<(Member, i32)>> = vec![None; group.partitions().len()];
    let members = 0..group.size();
    let latest = members.clone().map(|member| generation(group, member)).max().unwrap_or(-1);
    for member in members {
        let generation = generation(group, member);
        if generation == latest {
            continue;
        }
        let owned = &group.members[member as usize].owned;
        for partition in owned.iter().filter_map(|which| group.find(which)) {
            let claim = &mut claims[partition as usize];
            if claim.is_none_or(|(_, other)| generation > other) {
                *claim = Some((member, generation));
            }
        }
    }
    claims
}
