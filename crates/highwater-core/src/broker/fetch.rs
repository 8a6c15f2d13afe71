//! Reads of consumers, and questions about offsets (`ReplicaManager.fetchMessages`, `DelayedFetch`).

use std::cmp::Ordering;
use std::rc::Rc;

use crate::broker::Broker;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{LeaderEpoch, MessageId, NodeId, Offset, TopicPartition};
use crate::log::record_batch::RecordBatch;
use crate::log::unified_log::Batches;
use crate::net::message::{
    CurrentLeaders, EpochAnswers, EpochQuestion, FetchAnswers, FetchRequest, Fetched, Message,
    OffsetSpec, Response,
};
use crate::replication::fetch_session_cache::FetchContext;
use crate::replication::partition::Partition;
use crate::scope::{self, Always, Lab};
use crate::time::SimDuration;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// A fetch of a consumer that found nothing and waits (the delayed fetch purgatory).
#[derive(Clone, Debug)]
pub(super) struct DelayedFetch {
    pub(super) from: NodeId,
    /// All that it reads: within a session also what it does not name.
    pub(super) request: Rc<FetchRequest>,
    pub(super) context: Always<FetchContext>,
}

impl Broker {
    /// A fetch has waited long enough.
    pub(super) fn handle_fetch_wait(&mut self, correlation: MessageId, out: &mut Outbox) {
        if let Some(fetch) = self.delayed_fetches.remove(&correlation) {
            let (answers, _) = self.read_all(&fetch.request);
            self.answer_delayed(fetch, correlation, answers, out);
        }
    }

    fn answer_delayed(
        &mut self,
        fetch: DelayedFetch,
        correlation: MessageId,
        answers: FetchAnswers,
        out: &mut Outbox,
    ) {
        let DelayedFetch { from, request, context } = fetch;
        let context = context.get().copied().unwrap_or(FetchContext::Sessionless);
        self.answer_fetch((from, correlation), (request, context), answers, out);
    }

    pub(super) fn list_offset(
        &self,
        partition: &TopicPartition,
        spec: OffsetSpec,
    ) -> Result<Option<(i64, Offset)>, KafkaError> {
        let partition = self.leading(partition)?;
        let log = partition.log();
        let committed = partition.high_watermark();
        let found = match spec {
            OffsetSpec::Latest => Some((-1, committed)),
            OffsetSpec::Earliest | OffsetSpec::EarliestLocal => Some((-1, log.log_start_offset())),
            OffsetSpec::MaxTimestamp => log.max_timestamp(),
            OffsetSpec::Tiered => None,
            OffsetSpec::Timestamp(millis) if millis < 0 => {
                return Err(KafkaError::plain(ErrorCode::UnsupportedVersion));
            }
            OffsetSpec::Timestamp(millis) => {
                log.offset_for_timestamp(millis).filter(|(_, offset)| *offset < committed)
            }
        };
        Ok(found)
    }

    /// How far leader epochs go here.
    pub(super) fn end_offsets_of_epochs(&self, questions: &[EpochQuestion]) -> EpochAnswers {
        let mut answers = Vec::new();
        for EpochQuestion { partition, current, epoch } in questions {
            let answer = self.leading(partition).and_then(|replica| {
                check_epoch(replica, Some(*current))?;
                Ok(replica.log().end_offset_for_epoch(*epoch))
            });
            answers.push((partition.clone(), answer));
        }
        answers
    }

    pub(super) fn handle_fetch(
        &mut self,
        message: &Message,
        request: &Rc<FetchRequest>,
        out: &mut Outbox,
    ) {
        let asker = (message.from, message.correlation);
        let (request, context) = if scope::CLUSTER {
            match self.fetch_context(request, out) {
                Ok(found) => found,
                Err(error) => {
                    let session = Always::of(|| Err(error));
                    let answer = Response::Fetch(Vec::new(), Lab::default(), session);
                    return out.respond(message, answer);
                }
            }
        } else {
            (Rc::clone(request), FetchContext::Sessionless)
        };
        let is_empty = scope::CLUSTER && request.partitions.is_empty();
        let must_wait = scope::CLUSTER
            && request.max_wait_ms > 0
            && !is_empty
            && self.has_nothing_for(&request);
        let (answers, is_enough) =
            if must_wait { (Vec::new(), false) } else { self.read_all(&request) };
        if is_enough || is_empty || request.max_wait_ms == 0 {
            return self.answer_fetch(asker, (request, context), answers, out);
        }
        let wait = SimDuration::from_millis(request.max_wait_ms);
        let context = Always::of(|| context);
        let fetch = DelayedFetch { from: message.from, request, context };
        self.delayed_fetches.insert(message.correlation, fetch);
        out.timer(wait, Timer::FetchWait(message.correlation));
    }

    /// Answers waiting fetches of a partition that have enough to read now, or an error.
    pub(super) fn complete_delayed_fetches(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let waiting = self.delayed_fetches.iter().filter(|(_, fetch)| {
            fetch.request.partitions.iter().any(|(partition, _)| partition == which)
        });
        let waiting: Vec<MessageId> = waiting.map(|(correlation, _)| *correlation).collect();
        for correlation in waiting {
            let Some(fetch) = self.delayed_fetches.get(&correlation) else { continue };
            if scope::CLUSTER && self.has_nothing_for(&fetch.request) {
                continue;
            }
            let (answers, is_enough) = self.read_all(&fetch.request);
            if is_enough && let Some(fetch) = self.delayed_fetches.remove(&correlation) {
                self.answer_delayed(fetch, correlation, answers, out);
            }
        }
    }

    /// Whether there is not even an error for it, and that is not enough: most often when it waits.
    pub(super) fn has_nothing_for(&self, request: &FetchRequest) -> bool {
        let has_nothing = |place: usize, (partition, offset): &(TopicPartition, Offset)| {
            let known = known_epoch(request, place);
            let found = self.readable(partition, *offset, known, request.max_partition_bytes);
            found.is_ok_and(|(mut batches, _)| batches.next().is_none())
        };
        let mut partitions = request.partitions.iter().enumerate();
        request.min_bytes > 0 && partitions.all(|(place, asked)| has_nothing(place, asked))
    }

    /// What there is to read, and whether that is enough to answer at once: an error always is.
    fn read_all(&self, request: &FetchRequest) -> (FetchAnswers, bool) {
        if !scope::CLUSTER {
            return self.read_first(request);
        }
        let mut answers = Vec::with_capacity(request.partitions.len());
        let (mut bytes, mut has_failed) = (0, false);
        for (place, (partition, from)) in request.partitions.iter().enumerate() {
            let left = request.max_bytes.saturating_sub(bytes);
            let limit = left.min(request.max_partition_bytes);
            let mut answer = self.read(partition, *from, known_epoch(request, place), limit);
            match &mut answer {
                Ok(fetched) => {
                    let size = size_of(&fetched.batches);
                    // Only the first batch of all may be larger than allowed (KIP-74).
                    if bytes > 0 && size > limit {
                        fetched.batches = Vec::new();
                    } else {
                        bytes = bytes.saturating_add(size);
                    }
                }
                Err(_) => has_failed = true,
            }
            answers.push((partition.clone(), answer));
        }
        (answers, has_failed || bytes >= request.min_bytes)
    }

    /// Who leads those partitions that it was wrongly asked for, as far as it knows (KIP-951).
    pub(super) fn current_leaders<T>(
        &self,
        outcomes: &[(TopicPartition, Result<T, KafkaError>)],
    ) -> Lab<CurrentLeaders> {
        if !scope::CLUSTER {
            return Lab::default();
        }
        let mut leaders = Vec::new();
        for (which, outcome) in outcomes {
            if let Err(error) = outcome
                && matches!(
                    error.code,
                    ErrorCode::NotLeaderOrFollower | ErrorCode::FencedLeaderEpoch
                )
                && let Some(known) = self.image.partition(&which.topic, which.partition)
                && let Some(leader) = known.leader
            {
                leaders.push((which.clone(), leader, known.leader_epoch));
            }
        }
        if leaders.is_empty() { Lab::default() } else { Lab::new(leaders) }
    }

    /// The same where readers ask for one partition, and any batch is enough for them.
    fn read_first(&self, request: &FetchRequest) -> (FetchAnswers, bool) {
        let Some((partition, from)) = request.partitions.first() else { return (Vec::new(), true) };
        let answer = self.read(partition, *from, None, request.max_partition_bytes);
        let is_enough = !matches!(&answer, Ok(fetched) if fetched.batches.is_empty());
        (vec![(partition.clone(), answer)], is_enough)
    }

    /// What a consumer may read from `offset` on: whole batches below the high watermark.
    fn read(
        &self,
        partition: &TopicPartition,
        offset: Offset,
        known: Option<LeaderEpoch>,
        max_bytes: u64,
    ) -> Result<Fetched, KafkaError> {
        let (batches, high_watermark) = self.readable(partition, offset, known, max_bytes)?;
        // Nothing is undecided while there are no transactions.
        let last_stable_offset = Always::new(high_watermark);
        let batches = batches.map(Rc::clone).collect();
        Ok(Fetched { batches, high_watermark, last_stable_offset })
    }

    fn readable(
        &self,
        partition: &TopicPartition,
        offset: Offset,
        known: Option<LeaderEpoch>,
        max_bytes: u64,
    ) -> Result<(Batches<'_>, Offset), KafkaError> {
        let replica = self.leading(partition)?;
        if scope::CLUSTER {
            check_epoch(replica, known)?;
        }
        let (log, high_watermark) = (replica.log(), replica.high_watermark());
        if offset < log.log_start_offset() || offset > log.log_end_offset() {
            return Err(KafkaError::plain(ErrorCode::OffsetOutOfRange));
        }
        Ok((log.read(offset, high_watermark, max_bytes), high_watermark))
    }
}

/// The leader epoch that the client knows of the partition at that place of its fetch.
fn known_epoch(request: &FetchRequest, place: usize) -> Option<LeaderEpoch> {
    *request.details.get()?.leader_epochs.get(place)?
}

/// Whether the client means this leader (`Partition.checkCurrentLeaderEpoch`).
fn check_epoch(replica: &Partition, known: Option<LeaderEpoch>) -> Result<(), KafkaError> {
    let Some(known) = known else { return Ok(()) };
    match known.cmp(&replica.leader_epoch()) {
        Ordering::Less => Err(KafkaError::plain(ErrorCode::FencedLeaderEpoch)),
        Ordering::Greater => Err(KafkaError::plain(ErrorCode::UnknownLeaderEpoch)),
        Ordering::Equal => Ok(()),
    }
}

/// Bytes of these batches.
pub(super) fn size_of(batches: &[Rc<RecordBatch>]) -> u64 {
    batches.iter().fold(0, |size: u64, batch| size.saturating_add(u64::from(batch.size_in_bytes)))
}
