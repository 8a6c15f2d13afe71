//! What a partitioner sees of its producer: leaders, and what waits for each partition. How it chooses is in
//! `client/partitioner`.

use super::accumulator::Accumulator;
use super::sender::InFlight;
use super::topics::Topic;
use super::{OpenBatch, Producer};
use crate::client::partitioner::rule::{BuiltIn, Keyless, Rule};
use crate::client::partitioner::{Choice, Context, KeylessState, Surroundings, java, keyless};
use crate::ids::{BrokerId, MessageId, PartitionId, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::net::message::Node;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};

/// Since when a leader takes nothing (`RecordAccumulator.NodeLatencyStats`).
#[derive(Clone, Debug, Default)]
pub(super) struct Latencies(SortedMap<BrokerId, Latency>);

#[derive(Clone, Copy, Debug)]
struct Latency {
    /// When something was last ready for it.
    ready: SimTime,
    /// When something was last sent to it.
    drained: SimTime,
    /// The same before that.
    drained_before: SimTime,
}

impl Latencies {
    /// Something is ready for that leader, who can be sent it or not.
    pub(super) fn note_ready(&mut self, leader: BrokerId, now: SimTime, can_drain: bool) {
        let first = Latency { ready: now, drained: now, drained_before: now };
        let latency = self.0.get_or_insert_with(leader, || first);
        latency.ready = now;
        if can_drain && latency.drained != now {
            latency.drained_before = latency.drained;
            latency.drained = now;
        }
    }

    /// Nobody took the connection: what was sent to it was not.
    pub(super) fn note_refused(&mut self, leader: BrokerId) {
        if let Some(latency) = self.0.get_mut(&leader) {
            latency.drained = latency.drained_before;
        }
    }

    fn is_stuck(&self, leader: BrokerId, timeout: SimDuration) -> bool {
        self.0.get(&leader).is_some_and(|latency| latency.ready > latency.drained + timeout)
    }
}

/// A topic as the producer knows it.
struct Around<'a> {
    name: &'a TopicName,
    topics: &'a SortedMap<TopicName, Topic>,
    open: &'a SortedMap<TopicPartition, OpenBatch>,
    accumulator: &'a Accumulator,
    in_flight: &'a SortedMap<MessageId, InFlight>,
    nodes: &'a [Node],
    /// `client.rack`
    client_rack: Option<&'a str>,
}

impl Around<'_> {
    fn leader(&self, partition: u32) -> Option<BrokerId> {
        let partition = PartitionId(i32::try_from(partition).ok()?);
        self.topics.get(self.name)?.image.leader(partition)
    }

    fn which(&self, partition: u32) -> TopicPartition {
        let number = i32::try_from(partition).unwrap_or(i32::MAX);
        TopicPartition::new(self.name, PartitionId(number))
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl Surroundings for Around<'_> {
    fn has_leader(&self, partition: u32) -> bool {
        self.leader(partition).is_some()
    }

    fn is_near(&self, partition: u32) -> bool {
        let leader = self.leader(partition);
        let node = self.nodes.iter().find(|node| Some(node.id) == leader);
        node.is_some_and(|node| node.rack.get().map(|rack| &**rack) == self.client_rack)
    }

    fn is_stuck(&self, partition: u32, timeout: SimDuration) -> bool {
        let leader = self.leader(partition);
        leader.is_some_and(|leader| self.accumulator.latencies.is_stuck(leader, timeout))
    }

    fn waiting_batches(&self, partition: u32) -> u32 {
        let which = self.which(partition);
        count(self.accumulator.batches_of(&which).count())
            + u32::from(self.open.contains_key(&which))
    }

    fn waiting_records(&self, partition: u32) -> u32 {
        let which = self.which(partition);
        let sent = self.in_flight.values().flat_map(|request| request.batches.iter());
        let closed = self.accumulator.batches_of(&which).chain(sent.filter(|b| b.to == which));
        let closed: usize = closed.map(|batch| batch.proposal.records.len()).sum();
        count(closed + self.open.get(&which).map_or(0, |batch| batch.records.len()))
    }

    fn listed(&self) -> Vec<u32> {
        let known = self.topics.iter();
        let known = known.map(|(name, topic)| (name.clone(), count(topic.image.partitions.len())));
        let known: Vec<(TopicName, u32)> = known.collect();
        java::listed(&known, self.name)
    }
}

impl Producer {
    fn rule(&self) -> Rule {
        self.config.delivery().partitioner
    }

    /// Lets the partitioner's memory of a topic change while it looks at the producer.
    fn with_state<T>(
        &mut self,
        name: &TopicName,
        act: impl FnOnce(&mut KeylessState, &dyn Surroundings) -> T,
    ) -> Option<T> {
        let mut state = std::mem::take(&mut self.topics.get_mut(name)?.keyless);
        let (topics, open) = (&self.topics, &self.open);
        let (accumulator, in_flight) = (&self.accumulator, &self.in_flight);
        let (nodes, client_rack) =
            (&*accumulator.nodes, self.config.delivery().client_rack.as_deref());
        let around = Around { name, topics, open, accumulator, in_flight, nodes, client_rack };
        let done = act(&mut state, &around);
        self.topics.get_mut(name)?.keyless = state;
        Some(done)
    }

    /// Picks the partition of a record that names none.
    pub(super) fn choose_by_rule(
        &mut self,
        name: &TopicName,
        record: &Record,
        context: &Context,
    ) -> Option<Choice> {
        let rule = self.rule();
        self.with_state(name, |state, topic| keyless::choose(rule, record, state, context, topic))
    }

    /// The record needs a new batch; whether another partition is to be picked for it.
    pub(super) fn on_new_batch(
        &mut self,
        name: &TopicName,
        record: &Record,
        context: &Context,
    ) -> bool {
        let rule = self.rule();
        let asks = matches!(rule.keyless, Keyless::StickyByBatch(_) | Keyless::LeastBackup);
        asks && self.with_state(name, |state, topic| {
            keyless::on_new_batch(rule, record, state, context, topic)
        }) == Some(true)
    }

    /// A batch begins.
    pub(super) fn note_batch(&mut self, to: &TopicPartition, context: &Context) {
        let (rule, number) = (self.rule(), to.partition.0.unsigned_abs());
        let Keyless::BuiltIn(BuiltIn { adaptive: true, .. }) = rule.keyless else { return };
        if let Some(topic) = self.topics.get_mut(&to.topic) {
            keyless::note_batch(number, &mut topic.keyless, context);
        }
    }

    /// Bytes went to a sticky partition of Java's; whether another one was drawn.
    pub(super) fn update_partition_info(
        &mut self,
        name: &TopicName,
        bytes: (u32, u32),
        open_batch_waits: bool,
        context: &Context,
    ) -> bool {
        let rule = self.rule();
        self.with_state(name, |state, topic| {
            keyless::update_partition_info(rule, bytes, open_batch_waits, state, context, topic)
        }) == Some(true)
    }
}
