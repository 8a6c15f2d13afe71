//! How Java's built-in partitioner draws its next partition (`BuiltInPartitioner.nextPartition`,
//! `RecordAccumulator.partitionReady`): evenly among those with a leader, or, once the queues differ, the
//! likelier the shorter its queue is.

use super::keyless::Surroundings;
use super::rule::BuiltIn;

/// The partitions that are drawn from, each with its weight.
pub(super) struct Loads(Vec<(u32, u64)>);

impl Loads {
    pub(super) fn sum(&self) -> u64 {
        self.0.iter().map(|(_, weight)| weight).sum()
    }

    /// The partition in whose share that number lies.
    pub(super) fn at(&self, mut number: u64) -> u32 {
        for (which, weight) in &self.0 {
            match number.checked_sub(*weight) {
                Some(rest) => number = rest,
                None => return *which,
            }
        }
        self.0.last().map_or(0, |(which, _)| *which)
    }
}

/// What is drawn from by weight; `None`: evenly.
pub(super) fn loads(
    built_in: BuiltIn,
    had_batch: &[bool],
    partitions: u32,
    topic: &dyn Surroundings,
) -> Option<Loads> {
    let count = partitions as usize;
    let all_had_a_batch = had_batch.len() == count && had_batch.iter().all(|had| *had);
    if !built_in.adaptive || !all_had_a_batch {
        return None;
    }
    let queues = queues(built_in, partitions, topic);
    let longest = queues.iter().map(|(_, waiting)| *waiting).max()?;
    let all_equal = queues.iter().all(|(_, waiting)| *waiting == longest);
    if count < 2 || (all_equal && queues.len() == count) {
        return None;
    }
    let mut drawn_from = queues;
    if built_in.rack_aware {
        let near = drawn_from.iter().copied().filter(|(which, _)| topic.is_near(*which));
        let near: Vec<(u32, u32)> = near.collect();
        if !near.is_empty() {
            drawn_from = near;
        }
    }
    let longest = drawn_from.iter().map(|(_, waiting)| *waiting).max()?;
    let weight = |waiting| u64::from(longest - waiting) + 1;
    Some(Loads(drawn_from.iter().map(|(which, waiting)| (*which, weight(*waiting))).collect()))
}

/// The partitions whose leaders take something, each with the length of its queue.
fn queues(built_in: BuiltIn, partitions: u32, topic: &dyn Surroundings) -> Vec<(u32, u32)> {
    let mut queues = Vec::new();
    // Kafka writes over the place of one whose leader is stuck; if nothing waits for the next, the old
    // number stays there.
    let mut left_over = 0;
    for which in (0..partitions).filter(|which| topic.has_leader(*which)) {
        let waiting = topic.waiting_batches(which);
        let timeout = built_in.availability_timeout;
        if waiting > 0 && timeout.0 > 0 && topic.is_stuck(which, timeout) {
            left_over = waiting;
            continue;
        }
        queues.push((which, if waiting > 0 { waiting } else { left_over }));
        left_over = 0;
    }
    queues
}

/// What is drawn from evenly: those with a leader, in the client's rack if that is asked for and there are
/// any; if nobody leads any, all.
pub(super) fn available(built_in: BuiltIn, partitions: u32, topic: &dyn Surroundings) -> Vec<u32> {
    let led: Vec<u32> = (0..partitions).filter(|which| topic.has_leader(*which)).collect();
    if led.is_empty() {
        return (0..partitions).collect();
    }
    if built_in.rack_aware {
        let near: Vec<u32> = led.iter().copied().filter(|which| topic.is_near(*which)).collect();
        if !near.is_empty() {
            return near;
        }
    }
    led
}
