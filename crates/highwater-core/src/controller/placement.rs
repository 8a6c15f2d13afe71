//! Where the replicas of new partitions go (Kafka's `StripedReplicaPlacer`): racks take turns, and within a
//! rack its brokers do. The draws are made from seed, topic and number, as all chance here is.

use std::rc::Rc;

use crate::draw::{Purpose, draw_below};
use crate::ids::{BrokerId, Rack, TopicId};
use crate::sorted_map::SortedMap;

/// A broker that may take new replicas (Kafka's `UsableBroker`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UsableBroker {
    /// Its id.
    pub id: BrokerId,
    /// Where it stands.
    pub rack: Rack,
    /// Fenced ones come last in their rack and never lead.
    pub fenced: bool,
}

/// What a placement is made from.
#[derive(Clone, Copy, Debug)]
pub struct Placement<'a> {
    /// The world's seed.
    pub seed: u64,
    /// The topic.
    pub topic: TopicId,
    /// The number of the topic's first new partition: a later placement draws anew.
    pub first_partition: u32,
    /// Who takes replicas, by id.
    pub brokers: &'a [UsableBroker],
}

impl Placement<'_> {
    /// The replicas of so many partitions: each begins with the next rack, and goes on with one broker of each,
    /// the next one whenever it is that rack's turn. When there are as many as unfenced brokers, racks and
    /// brokers are shuffled. There is an unfenced broker, and there are at least `factor` brokers.
    #[must_use]
    pub fn place(&self, partitions: u32, factor: usize) -> Vec<Vec<BrokerId>> {
        let mut draws = Draws { placement: *self, drawn: 0 };
        let mut racks = draws.racks();
        let unfenced = count(self.brokers.iter().filter(|broker| !broker.fenced).count());
        let (mut first, mut turn) = (draws.below(racks.len()), 0);
        let mut assignment = Vec::new();
        for _ in 0..partitions {
            // With one broker that is not fenced Kafka counts on: it would find nobody in the same turn.
            if turn == unfenced && unfenced > 1 {
                draws.shuffle(&mut racks);
                for rack in &mut racks {
                    draws.shuffle(&mut rack.unfenced.brokers);
                    draws.shuffle(&mut rack.fenced.brokers);
                }
                turn = 0;
            }
            first %= racks.len().max(1);
            assignment.push(replicas(&mut racks, first, turn, factor));
            turn += 1;
            first += 1;
        }
        assignment
    }
}

/// The replicas of one partition: a leader from the first rack that has one, then one of each rack in turn,
/// beginning anew as often as it takes.
fn replicas(racks: &mut [RackOf], first: usize, turn: u32, factor: usize) -> Vec<BrokerId> {
    let count = racks.len().max(1);
    let mut of_leader = None;
    let mut replicas = Vec::new();
    for place in (0..count).map(|step| (first + step) % count) {
        if let Some(leader) = racks.get_mut(place).and_then(|rack| rack.unfenced.next(turn)) {
            replicas.push(leader);
            of_leader = Some(place);
            break;
        }
    }
    let (mut place, mut in_vain) = (first, 0);
    while replicas.len() < factor && in_vain <= count {
        // The leader's rack has had its first turn.
        let is_skipped = of_leader.take_if(|leaders| *leaders == place).is_some();
        let rack = racks.get_mut(place).filter(|_| !is_skipped);
        let next = rack.and_then(|rack| rack.next(turn));
        in_vain = if next.is_some() { 0 } else { in_vain + 1 };
        replicas.extend(next);
        place = (place + 1) % count;
    }
    replicas
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The brokers of a rack, and of none.
#[derive(Debug, Default)]
struct RackOf {
    unfenced: BrokerList,
    fenced: BrokerList,
}

impl RackOf {
    fn next(&mut self, turn: u32) -> Option<BrokerId> {
        self.unfenced.next(turn).or_else(|| self.fenced.next(turn))
    }
}

/// Brokers, of whom each is taken once a turn. The next turn in which anybody is wanted begins one further on.
#[derive(Debug, Default)]
struct BrokerList {
    brokers: Vec<BrokerId>,
    begin: u32,
    taken: u32,
    turn: u32,
}

impl BrokerList {
    fn next(&mut self, turn: u32) -> Option<BrokerId> {
        let count = count(self.brokers.len());
        if self.turn != turn {
            (self.turn, self.taken) = (turn, 0);
            self.begin += 1;
        }
        if self.taken >= count {
            return None;
        }
        let place = (self.begin + self.taken) % count;
        self.taken += 1;
        self.brokers.get(place as usize).copied()
    }
}

/// Draws of one placement, one after the other.
#[derive(Debug)]
struct Draws<'a> {
    placement: Placement<'a>,
    drawn: u64,
}

impl Draws<'_> {
    /// Racks by name, first who is in none; each begins anywhere in its brokers.
    fn racks(&mut self) -> Vec<RackOf> {
        let mut racks: SortedMap<Option<Rc<str>>, RackOf> = SortedMap::new();
        for broker in self.placement.brokers {
            let rack = racks.get_or_insert_with(broker.rack.get().cloned(), RackOf::default);
            let list = if broker.fenced { &mut rack.fenced } else { &mut rack.unfenced };
            list.brokers.push(broker.id);
        }
        for rack in racks.values_mut() {
            rack.unfenced.begin = count(self.below(rack.unfenced.brokers.len()));
            rack.fenced.begin = count(self.below(rack.fenced.brokers.len()));
        }
        racks.into_iter().map(|(_, rack)| rack).collect()
    }

    fn below(&mut self, bound: usize) -> usize {
        if bound < 2 {
            return 0;
        }
        let Placement { seed, topic, first_partition, .. } = self.placement;
        let low = (topic.0 & u128::from(u64::MAX)) as u64;
        let count = (u64::from(first_partition) << 32) | self.drawn;
        self.drawn += 1;
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        draw_below(seed, Purpose::Placement, low, count, bound) as usize
    }

    fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1));
        }
    }
}

#[cfg(test)]
mod tests;
