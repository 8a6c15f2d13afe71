//! A topic whose partitions are as a test wants them, and a partitioner.

use highwater_core::client::partitioner::catalogue::Client;
use highwater_core::client::partitioner::keyless::{self, Surroundings};
use highwater_core::client::partitioner::rule::Rule;
use highwater_core::client::partitioner::{Choice, Context, KeylessState, java};
use highwater_core::ids::{Bytes, TopicName};
use highwater_core::log::record::Record;
use highwater_core::time::SimDuration;

/// A topic whose partitions are as a test wants them, and a partitioner.
pub(super) struct Bench {
    pub(super) rule: Rule,
    pub(super) state: KeylessState,
    pub(super) now: u64,
    pub(super) seed: u64,
    pub(super) led: Vec<bool>,
    pub(super) near: Vec<bool>,
    pub(super) stuck: Vec<bool>,
    pub(super) batches: Vec<u32>,
    pub(super) records: Vec<u32>,
}

impl Surroundings for Bench {
    fn has_leader(&self, partition: u32) -> bool {
        self.led.get(partition as usize).is_some_and(|led| *led)
    }
    fn is_near(&self, partition: u32) -> bool {
        self.near[partition as usize]
    }
    fn is_stuck(&self, partition: u32, timeout: SimDuration) -> bool {
        assert_eq!(timeout, SimDuration::from_millis(5));
        self.stuck[partition as usize]
    }
    fn waiting_batches(&self, partition: u32) -> u32 {
        self.batches[partition as usize]
    }
    fn waiting_records(&self, partition: u32) -> u32 {
        self.records[partition as usize]
    }
    fn listed(&self) -> Vec<u32> {
        java::listed(&[(TopicName::new("st"), self.context().partitions)], &TopicName::new("st"))
    }
}

impl Bench {
    pub(super) fn new(name: &str, partitions: usize) -> Self {
        Self::of(Client::from_name(name).expect("a client of that name").rule, partitions)
    }

    pub(super) fn of(rule: Rule, partitions: usize) -> Self {
        Self {
            rule,
            state: KeylessState::default(),
            now: 1_000_000,
            seed: 1,
            led: vec![true; partitions],
            near: vec![false; partitions],
            stuck: vec![false; partitions],
            batches: vec![0; partitions],
            records: vec![0; partitions],
        }
    }

    pub(super) fn context(&self) -> Context {
        let partitions = u32::try_from(self.led.len()).expect("a small number");
        Context { seed: self.seed, who: 7, partitions, now: self.now }
    }

    pub(super) fn choose(&mut self, key: Option<&str>, value: usize) -> Choice {
        let mut state = std::mem::take(&mut self.state);
        let record = record(key, value);
        let choice = keyless::choose(self.rule, &record, &mut state, &self.context(), self);
        self.state = state;
        choice
    }

    /// The partition of a record of ten bytes without key.
    pub(super) fn next(&mut self) -> i32 {
        self.choose(None, 10).partition.0
    }

    pub(super) fn many(&mut self, count: usize) -> Vec<i32> {
        (0..count).map(|_| self.next()).collect()
    }

    /// The record needs a new batch, as the producer finds; where it goes then.
    pub(super) fn next_batch(&mut self, key: Option<&str>) -> i32 {
        let first = self.choose(key, 10).partition.0;
        let mut state = std::mem::take(&mut self.state);
        let record = record(key, 10);
        let again = keyless::on_new_batch(self.rule, &record, &mut state, &self.context(), self);
        self.state = state;
        if again { self.choose(key, 10).partition.0 } else { first }
    }

    /// Bytes went to the sticky partition of Java's; whether it drew.
    pub(super) fn append(&mut self, bytes: u32, open_batch_waits: bool) -> bool {
        let (mut state, context) = (std::mem::take(&mut self.state), self.context());
        let bytes = (bytes, 16_384);
        let drew = keyless::update_partition_info(
            self.rule,
            bytes,
            open_batch_waits,
            &mut state,
            &context,
            self,
        );
        self.state = state;
        drew
    }

    /// How often Java's partitioner draws each partition, of so many draws.
    pub(super) fn draws(&mut self, count: u32) -> Vec<u32> {
        let mut drawn = vec![0; self.led.len()];
        for _ in 0..count {
            assert!(self.append(16_384, false));
            drawn[usize::try_from(self.next()).expect("a small number")] += 1;
        }
        drawn
    }

    pub(super) fn note_batches(&mut self, partitions: u32) {
        let context = self.context();
        for number in 0..partitions {
            keyless::note_batch(number, &mut self.state, &context);
        }
    }
}

fn record(key: Option<&str>, value: usize) -> Record {
    let bytes = |text: &[u8]| Bytes::from(text);
    let key = key.map(|key| bytes(key.as_bytes()));
    Record { key, value: Some(bytes(&vec![b'x'; value])), timestamp: 0, headers: Vec::new() }
}

/// Whether these shares are what the weights say, within a tenth.
pub(super) fn assert_shares(drawn: &[u32], weights: &[u32]) {
    let (total, sum) = (drawn.iter().sum::<u32>(), weights.iter().sum::<u32>());
    for (count, weight) in drawn.iter().zip(weights) {
        let expected = total * weight / sum;
        let off = count.abs_diff(expected);
        assert!(off * 10 <= expected, "{drawn:?} for {weights:?}");
    }
}
