//! What waits to be sent: closed batches, one queue for each partition (the deques of Kafka's
//! `RecordAccumulator`). Open batches are the producer's own.

use crate::client::producer::blocked::BufferPool;
use crate::client::producer::open_batch::CompressionRatio;
use crate::client::producer::partitioning::Latencies;
use crate::client::producer::reconnect::Lost;
use crate::client::producer::sender::Batch;
use crate::client::producer::transaction_manager::{Restamped, TransactionManager};
use crate::error::ErrorCode;
use crate::ids::{BrokerId, ClientId, TopicName, TopicPartition};
use crate::log::record_batch::Origin;
use crate::net::message::{Acks, Node};
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};

/// A batch that waits.
#[derive(Clone, Debug)]
struct Queued {
    /// When it may be sent: a batch that failed waits for a while.
    not_before: SimTime,
    batch: Batch,
}

/// The queues, and the sequence numbers of what is or was in them.
#[derive(Clone, Debug, Default)]
pub(super) struct Accumulator {
    queues: SortedMap<TopicPartition, Vec<Queued>>,
    pub(super) transactions: TransactionManager,
    /// When a timer will look for what has waited too long.
    pub(super) watching: Option<SimTime>,
    /// Records that were sent with acks=0: nobody knows what became of them.
    pub(super) unanswered: u64,
    /// How many batches were begun.
    begun: u32,
    /// What batches hold of the producer's memory.
    pub(super) memory: BufferPool,
    /// How well records of each topic are compressed.
    pub(super) ratios: SortedMap<TopicName, CompressionRatio>,
    /// Topics whose names cannot be.
    pub(super) invalid: Vec<TopicName>,
    /// What was said last of topics that nobody could tell it about (`Metadata.getError`).
    pub(super) refused: SortedMap<TopicName, ErrorCode>,
    /// When it asks about its topics again, if nothing makes it ask before.
    pub(super) refresh_at: Option<SimTime>,
    /// Whether the metadata request that is on its way is about all topics.
    pub(super) asks_fully: bool,
    /// Brokers that could not be reached: how often in a row, and when they are tried again.
    pub(super) unreachable: SortedMap<BrokerId, (u32, SimTime)>,
    /// The brokers that are there.
    pub(super) nodes: Vec<Node>,
    /// In how many rounds no broker has answered.
    pub(super) rounds: u32,
    /// Brokers whose connections were given up.
    pub(super) lost: Lost,
    /// When its loop was awake last; while it sleeps it does not notice that an answer is late.
    pub(super) woken: SimTime,
    pub(super) latencies: Latencies,
}

impl Accumulator {
    pub(super) fn is_empty(&self) -> bool {
        self.queues.is_empty()
    }

    /// One more batch is begun.
    pub(super) fn origin_of_next(&mut self, who: u64, acks: Acks) -> Origin {
        self.begun = self.begun.wrapping_add(1);
        let client = ClientId(u32::try_from(who).unwrap_or(u32::MAX));
        Origin { client, number: (self.begun, 0), acks }
    }

    /// Whether no batch of that partition waits.
    pub(super) fn has_none_of(&self, which: &TopicPartition) -> bool {
        !self.queues.contains_key(which)
    }

    /// The batches of a partition that wait.
    pub(super) fn batches_of(&self, which: &TopicPartition) -> impl Iterator<Item = &Batch> {
        self.queues.get(which).into_iter().flatten().map(|queued| &queued.batch)
    }

    /// A new batch goes to the end.
    pub(super) fn push(&mut self, batch: Batch) {
        let queue = self.queues.get_or_insert_with(batch.to.clone(), Vec::new);
        queue.push(Queued { not_before: SimTime(0), batch });
    }

    /// A batch that is tried again goes to the front; among batches with sequence numbers to its place
    /// (`insertInSequenceOrder`).
    pub(super) fn reenqueue(&mut self, batch: Batch, not_before: SimTime) {
        let queue = self.queues.get_or_insert_with(batch.to.clone(), Vec::new);
        let mut place = 0;
        if let Some(stamp) = batch.proposal.producer {
            let transactions = &self.transactions;
            let comes_first = |other: &Queued| {
                let other = other.batch.proposal.producer;
                other.is_some_and(|other| transactions.is_before(&batch.to, other, stamp))
            };
            place = queue.iter().take_while(|other| comes_first(other)).count();
        }
        queue.insert(place, Queued { not_before, batch });
    }

    /// A batch that was taken to be sent, and was not, goes back to where it was.
    pub(super) fn put_back(&mut self, batch: Batch) {
        let queue = self.queues.get_or_insert_with(batch.to.clone(), Vec::new);
        queue.insert(0, Queued { not_before: SimTime(0), batch });
    }

    /// The first batch of each partition, with the moment at which it may be sent.
    pub(super) fn heads(&self) -> impl Iterator<Item = (&TopicPartition, SimTime, &Batch)> {
        self.queues.iter().filter_map(|(which, queue)| {
            let head = queue.first()?;
            Some((which, head.not_before, &head.batch))
        })
    }

    /// All batches, partition by partition.
    pub(super) fn batches(&self) -> impl Iterator<Item = &Batch> {
        self.queues.values().flatten().map(|queued| &queued.batch)
    }

    /// Takes the first batches of those partitions for which that is wanted. Their queues stay, even
    /// without a batch, until `forget_empty`: a request carries one batch of each partition.
    pub(super) fn take_heads(
        &mut self,
        wanted: impl Fn(&Self, SimTime, &Batch) -> bool,
    ) -> Vec<Batch> {
        let heads = self.heads().filter(|(_, at, batch)| wanted(self, *at, batch));
        let wanted: Vec<TopicPartition> = heads.map(|(which, ..)| which.clone()).collect();
        let mut taken = Vec::new();
        for which in wanted {
            if let Some(queue) = self.queues.get_mut(&which) {
                taken.push(queue.remove(0).batch);
            }
        }
        taken
    }

    pub(super) fn forget_empty(&mut self) {
        self.queues.retain(|_, queue| !queue.is_empty());
    }

    /// The first batch of a partition waits at least until then.
    pub(super) fn put_off_head(&mut self, which: &TopicPartition, until: SimTime) {
        if let Some(head) = self.queues.get_mut(which).and_then(|queue| queue.first_mut()) {
            head.not_before = head.not_before.max(until);
        }
    }

    /// Batches of which that is so need not wait.
    pub(super) fn hurry(&mut self, is_so: impl Fn(&Batch) -> bool) {
        for queued in self.queues.values_mut().flatten() {
            if queued.batch.attempts > 0 && is_so(&queued.batch) {
                queued.not_before = SimTime(0);
            }
        }
    }

    /// Takes all batches that were made so long ago.
    pub(super) fn take_expired(&mut self, timeout: SimDuration, now: SimTime) -> Vec<Batch> {
        let mut expired = Vec::new();
        for queue in self.queues.values_mut() {
            let old = queue.iter().take_while(|queued| queued.batch.created + timeout <= now);
            let old = old.count();
            expired.extend(queue.drain(..old).map(|queued| queued.batch));
        }
        self.forget_empty();
        expired
    }

    /// Batches of a partition have other sequence numbers from now on.
    pub(super) fn restamp(&mut self, which: &TopicPartition, restamped: &[Restamped]) {
        let Some(queue) = self.queues.get_mut(which) else { return };
        for queued in queue {
            queued.batch.restamp(restamped);
        }
    }
}
