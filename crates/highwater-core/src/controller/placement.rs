//! Where the replicas of new partitions go (Kafka's `StripedReplicaPlacer`, without racks). Its draws
//! are made from seed, topic and number, as all chance here is.

use crate::draw::{Purpose, draw_below};
use crate::ids::{BrokerId, TopicId};

/// What a placement is made from.
#[derive(Clone, Copy, Debug)]
pub struct Placement<'a> {
    /// The world's seed.
    pub seed: u64,
    /// The topic.
    pub topic: TopicId,
    /// The number of the topic's first new partition: a later placement draws anew.
    pub first_partition: u32,
    /// Registered brokers that are not fenced, by id.
    pub unfenced: &'a [BrokerId],
    /// Fenced ones, which come last and never lead.
    pub fenced: &'a [BrokerId],
}

impl Placement<'_> {
    /// The replicas of so many partitions: each takes the next brokers of a list, beginning one place
    /// further each time. After each round of the list it is shuffled.
    #[must_use]
    pub fn place(&self, partitions: u32, factor: usize) -> Vec<Vec<BrokerId>> {
        let mut draws = 0;
        let mut unfenced = self.unfenced.to_vec();
        let mut fenced = self.fenced.to_vec();
        let mut start = self.below(unfenced.len(), &mut draws);
        let mut fenced_start = 0;
        if !fenced.is_empty() {
            fenced_start = self.below(fenced.len(), &mut draws);
        }
        let mut assignment = Vec::new();
        for number in 0..partitions as usize {
            if number > 0 && number % unfenced.len().max(1) == 0 {
                self.shuffle(&mut unfenced, &mut draws);
                self.shuffle(&mut fenced, &mut draws);
                start = 0;
                fenced_start = 0;
            }
            let round = |list: &[BrokerId], start: usize| -> Vec<BrokerId> {
                let place = (start + number) % list.len().max(1);
                list.iter().chain(list).skip(place).take(list.len()).copied().collect()
            };
            let mut replicas = round(&unfenced, start);
            replicas.extend(round(&fenced, fenced_start));
            replicas.truncate(factor);
            assignment.push(replicas);
        }
        assignment
    }

    fn below(&self, bound: usize, draws: &mut u64) -> usize {
        let low = (self.topic.0 & u128::from(u64::MAX)) as u64;
        let count = (u64::from(self.first_partition) << 32) | *draws;
        *draws += 1;
        let bound = u32::try_from(bound).unwrap_or(u32::MAX);
        draw_below(self.seed, Purpose::Placement, low, count, bound) as usize
    }

    fn shuffle(&self, list: &mut [BrokerId], draws: &mut u64) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.below(last + 1, draws));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn brokers(ids: &[i32]) -> Vec<BrokerId> {
        ids.iter().map(|id| BrokerId(*id)).collect()
    }

    /// The stripe of 03-replication.md: three brokers, three replicas, each broker leads one of three
    /// partitions, and the replicas follow round the list.
    #[test]
    fn a_stripe() {
        let unfenced = brokers(&[1, 2, 3]);
        for seed in 0..50 {
            let placement = Placement {
                seed,
                topic: TopicId(7),
                first_partition: 0,
                unfenced: &unfenced,
                fenced: &[],
            };
            let assignment = placement.place(7, 3);
            for replicas in &assignment[..3] {
                let first = replicas[0].0;
                assert_eq!(*replicas, brokers(&[first, first % 3 + 1, (first + 1) % 3 + 1]));
            }
            for round in assignment.chunks(3).filter(|round| round.len() == 3) {
                let mut leaders: Vec<i32> = round.iter().map(|replicas| replicas[0].0).collect();
                leaders.sort_unstable();
                assert_eq!(leaders, [1, 2, 3]);
            }
        }
    }

    /// Fenced brokers are taken when there are not enough others, and never lead.
    #[test]
    fn fenced_brokers_come_last() {
        let (unfenced, fenced) = (brokers(&[2]), brokers(&[1, 3]));
        for seed in 0..20 {
            let placement = Placement {
                seed,
                topic: TopicId(1),
                first_partition: 0,
                unfenced: &unfenced,
                fenced: &fenced,
            };
            for replicas in placement.place(4, 2) {
                assert_eq!(replicas[0], BrokerId(2));
                assert_eq!(replicas.len(), 2);
            }
        }
    }
}
