//! One partition on one broker: its log, its role, its high watermark, and which appends are taken
//! (Kafka's `Partition`).

mod lull;

use std::rc::Rc;

use crate::controller::records::PartitionImage;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, EventId, LeaderEpoch, Offset, TopicId, TopicPartition};
use crate::log::record_batch::Proposal;
use crate::log::unified_log::{AppendInfo, LogConfig, UnifiedLog};
use crate::mutation::Mutation;
use crate::net::internal::ReplicaPosition;
use crate::net::message::Acks;
use crate::replication::checkpoint::{CheckpointTimes, HighWatermarkCheckpoint};
use crate::replication::high_watermark::{HighWatermark, high_watermark};
use crate::replication::isr::Isr;
use crate::replication::newest_batches::{Misplaced, NewestBatches};
use crate::replication::replica::Replica;
use crate::scope;
use crate::shared::Shared;
use crate::time::{SimDuration, SimTime};

/// What a partition is to its broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The broker has just started and does not know yet, or nobody leads.
    None,
    /// It takes writes and serves reads.
    Leader,
    /// It copies from this leader.
    Follower(BrokerId),
}

/// The moment, and who may be in sync at it.
#[derive(Clone, Copy)]
pub struct Circumstances<'a> {
    /// The present.
    pub now: SimTime,
    /// When the broker's process started.
    pub started: SimTime,
    /// A rule that is broken on purpose.
    pub mutation: Mutation,
    /// `replica.lag.time.max.ms`
    pub lag_time_max: SimDuration,
    /// `replica.high.watermark.checkpoint.interval.ms`
    pub checkpoint_interval: SimDuration,
    /// Whether a broker may be in sync: it is there, and not leaving.
    pub is_eligible: &'a dyn Fn(BrokerId) -> bool,
}

#[cfg(test)]
impl Circumstances<'static> {
    /// The first moment, Kafka's defaults, and all brokers there.
    pub(crate) fn of_tests() -> Self {
        Self {
            now: SimTime(0),
            started: SimTime(0),
            mutation: Mutation::None,
            lag_time_max: SimDuration::from_millis(30_000),
            checkpoint_interval: SimDuration::from_millis(5_000),
            is_eligible: &|_| true,
        }
    }
}

impl Circumstances<'_> {
    fn checkpoint_times(&self) -> CheckpointTimes {
        let (interval, started, now) = (self.checkpoint_interval, self.started, self.now);
        CheckpointTimes { interval, started, now }
    }
}

/// One replica, with what its broker knows of the partition.
#[derive(Clone, Debug)]
pub struct Partition {
    id: TopicPartition,
    topic_id: TopicId,
    broker: BrokerId,
    role: Role,
    leader_epoch: LeaderEpoch,
    leader_epoch_start_offset: Offset,
    replicas: Shared<Vec<BrokerId>>,
    isr: Shared<Isr>,
    /// Leader: the followers.
    remotes: Shared<Vec<Replica>>,
    /// Leader: which batches came last, so that copies and another order are noticed.
    newest: Shared<NewestBatches>,
    log: UnifiedLog,
    high_watermark: Offset,
    checkpoint: HighWatermarkCheckpoint,
}

/// How the high watermark moved: from here to there.
pub type Advance = (Offset, HighWatermark);

/// An append and how the high watermark moved by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appended {
    /// The append.
    pub info: AppendInfo,
    /// The new high watermark, if it moved.
    pub high_watermark: Option<Advance>,
    /// What is wrong with its place.
    pub misplaced: Option<Misplaced>,
}

impl Partition {
    /// An empty replica on `broker`, without a role.
    #[must_use]
    pub fn new(
        id: TopicPartition,
        topic_id: TopicId,
        broker: BrokerId,
        config: Rc<LogConfig>,
    ) -> Self {
        Self {
            id,
            topic_id,
            broker,
            role: Role::None,
            leader_epoch: LeaderEpoch(-1),
            leader_epoch_start_offset: Offset(0),
            replicas: Shared::default(),
            isr: Shared::default(),
            remotes: Shared::default(),
            newest: Shared::default(),
            log: UnifiedLog::new(config),
            high_watermark: Offset(0),
            checkpoint: HighWatermarkCheckpoint::default(),
        }
    }

    /// The id of the topic: a topic that was made anew under the same name has another.
    #[must_use]
    pub fn topic_id(&self) -> TopicId {
        self.topic_id
    }

    /// What it is to its broker.
    #[must_use]
    pub fn role(&self) -> Role {
        self.role
    }

    /// Whether its broker leads it.
    #[must_use]
    pub fn is_leader(&self) -> bool {
        self.role == Role::Leader
    }

    /// The replica's log.
    #[must_use]
    pub fn log(&self) -> &UnifiedLog {
        &self.log
    }

    /// The log, to change what the partition does not look after: its configuration, old segments.
    pub fn log_mut(&mut self) -> &mut UnifiedLog {
        &mut self.log
    }

    /// The first offset that consumers may not read yet.
    #[must_use]
    pub fn high_watermark(&self) -> Offset {
        self.high_watermark
    }

    /// The epoch of the leader that the broker knows.
    #[must_use]
    pub fn leader_epoch(&self) -> LeaderEpoch {
        self.leader_epoch
    }

    /// The in-sync replicas, as the broker knows them.
    #[must_use]
    pub fn isr(&self) -> &Isr {
        &self.isr
    }

    /// Leader: what it knows of its followers.
    #[must_use]
    pub fn remotes(&self) -> &[Replica] {
        &self.remotes
    }

    /// The brokers that hold it.
    #[must_use]
    pub fn replicas(&self) -> &[BrokerId] {
        &self.replicas
    }

    /// How many replicas must be in sync for `acks=all`, and for the high watermark to move.
    #[must_use]
    pub fn effective_min_isr(&self) -> usize {
        let min = usize::try_from(self.log.config().min_insync_replicas).unwrap_or(usize::MAX);
        min.min(self.replicas.len().max(1))
    }

    /// Whether fewer replicas are in sync than must be.
    #[must_use]
    pub fn is_under_min_isr(&self) -> bool {
        self.isr.committed.len() < self.effective_min_isr()
    }

    /// The broker leads from now on (`makeLeader`). Followers must show anew where they are.
    pub fn make_leader(
        &mut self,
        image: &PartitionImage,
        at: Circumstances<'_>,
    ) -> Option<Advance> {
        let is_new = !self.is_leader() || image.leader_epoch > self.leader_epoch;
        self.take(image);
        if is_new {
            self.role = Role::Leader;
            self.leader_epoch_start_offset = self.log.log_end_offset();
            self.remotes = Shared::default();
            self.newest = Shared::default();
            if scope::CLUSTER {
                let start = self.leader_epoch_start_offset;
                self.log.assign_epoch_start_offset(image.leader_epoch, start);
            }
        }
        if !scope::CLUSTER {
            return None;
        }
        let (me, replicas) = (self.broker, &self.replicas);
        self.remotes.retain(|remote| replicas.contains(&remote.broker));
        for replica in replicas.iter() {
            if *replica != me && !self.remotes.iter().any(|remote| remote.broker == *replica) {
                let in_sync = self.isr.committed.contains(replica);
                self.remotes.push(Replica::new(*replica, in_sync, at.now));
            }
        }
        self.maybe_increment_leader_hw(at)
    }

    /// The broker follows `leader` from now on, or waits for one (`makeFollower`).
    pub fn make_follower(&mut self, image: &PartitionImage) {
        self.take(image);
        self.role = image.leader.map_or(Role::None, Role::Follower);
        self.remotes = Shared::default();
    }

    fn take(&mut self, image: &PartitionImage) {
        self.leader_epoch = image.leader_epoch;
        if scope::CLUSTER {
            (*self.replicas).clone_from(&image.replicas);
            *self.isr = Isr {
                committed: image.isr.clone(),
                proposed: None,
                partition_epoch: image.partition_epoch,
            };
        }
    }

    /// The process has ended. `kept` is what a crash leaves of the high watermark.
    pub fn forget_role(&mut self, now: SimTime, kept: Offset) {
        self.role = Role::None;
        self.remotes = Shared::default();
        self.isr.proposed = None;
        let inside = kept.max(self.log.log_start_offset()).min(self.log.log_end_offset());
        self.high_watermark = inside;
        self.checkpoint = HighWatermarkCheckpoint::holding(inside, now);
    }

    /// The high watermark that is on disk.
    #[must_use]
    pub fn checkpointed_high_watermark(&self, at: Circumstances<'_>) -> Offset {
        self.checkpoint.read(self.high_watermark, at.checkpoint_times())
    }

    fn set_high_watermark(&mut self, to: Offset, at: Circumstances<'_>) {
        if to != self.high_watermark {
            self.checkpoint.note_change(self.high_watermark, at.checkpoint_times());
            self.high_watermark = to;
        }
    }

    /// Appends what a producer sent (`Partition.appendRecordsToLeader`). `contact` tells when a follower
    /// last fetched.
    ///
    /// # Errors
    /// `NOT_ENOUGH_REPLICAS` when the producer wants all in-sync replicas and there are too few; what the
    /// log refuses.
    pub fn append_records_to_leader(
        &mut self,
        proposal: &Proposal,
        acks: Acks,
        cause: Option<EventId>,
        contact: &dyn Fn(BrokerId) -> SimTime,
        at: Circumstances<'_>,
    ) -> Result<Appended, KafkaError> {
        if scope::CLUSTER && acks == Acks::All && self.is_under_min_isr() {
            return Err(KafkaError::plain(ErrorCode::NotEnoughReplicas));
        }
        if at.mutation.is(Mutation::SequencesUnchecked) {
            self.log.forget_producers();
        }
        let (end, now) = (self.log.log_end_offset(), at.now.epoch_millis());
        let info = self.log.append_as_leader(proposal, self.leader_epoch, now, &self.id, cause)?;
        let mut misplaced = None;
        if scope::CLUSTER && !info.is_duplicate {
            misplaced = self.newest.judge(&self.log, &info.batch);
            for remote in &mut *self.remotes {
                remote.note_append(end, contact(remote.broker));
            }
        }
        let high_watermark = self.maybe_increment_leader_hw(at);
        Ok(Appended { info, high_watermark, misplaced })
    }

    /// Whether what ends before `offset` is committed, as `acks=all` waits for
    /// (`checkEnoughReplicasReachOffset`).
    #[must_use]
    pub fn committed_up_to(&self, offset: Offset) -> Option<Result<(), KafkaError>> {
        if !self.is_leader() {
            return Some(Err(KafkaError::plain(ErrorCode::NotLeaderOrFollower)));
        }
        if self.high_watermark < offset {
            return None;
        }
        let enough = self.isr.maximal_len() >= self.effective_min_isr();
        let too_few = || KafkaError::plain(ErrorCode::NotEnoughReplicasAfterAppend);
        Some(if enough { Ok(()) } else { Err(too_few()) })
    }

    /// A follower has fetched from its log end on (`updateFollowerFetchState`).
    pub fn update_follower(
        &mut self,
        follower: BrokerId,
        position: &ReplicaPosition,
        at: Circumstances<'_>,
    ) -> Option<Advance> {
        let end = self.log.log_end_offset();
        let remote = self.remotes.iter_mut().find(|remote| remote.broker == follower)?;
        remote.update_fetch_state(position.fetch_offset, position.log_start_offset, end, at.now);
        self.maybe_increment_leader_hw(at)
    }

    /// Whether that follower may join the in-sync replicas: it has all that is committed, and all from
    /// before this leader (`needsExpandIsr`).
    #[must_use]
    pub fn needs_expand_isr(&self, follower: BrokerId, at: Circumstances<'_>) -> bool {
        let remote = self.remotes.iter().find(|remote| remote.broker == follower);
        let log_end = remote.and_then(|remote| remote.log_end);
        self.is_leader()
            && self.isr.proposed.is_none()
            && !self.isr.committed.contains(&follower)
            && (at.is_eligible)(follower)
            && log_end.is_some_and(|end| {
                end >= self.high_watermark && end >= self.leader_epoch_start_offset
                    || at.mutation.is(Mutation::ExpandTooEarly)
            })
    }

    /// In-sync replicas that have lagged for too long (`getOutOfSyncReplicas`).
    #[must_use]
    pub fn out_of_sync_replicas(&self, at: Circumstances<'_>) -> Vec<(BrokerId, Option<SimTime>)> {
        if !self.is_leader() || self.isr.proposed.is_some() {
            return Vec::new();
        }
        let end = self.log.log_end_offset();
        let lagging = self.remotes.iter().filter(|remote| {
            self.isr.committed.contains(&remote.broker)
                && !remote.is_caught_up(end, at.now, at.lag_time_max)
        });
        lagging.map(|remote| (remote.broker, remote.last_caught_up)).collect()
    }

    /// Whether some in-sync follower does not have all yet.
    #[must_use]
    pub fn has_lag(&self) -> bool {
        let end = Some(self.log.log_end_offset());
        self.is_leader()
            && self
                .remotes
                .iter()
                .any(|remote| remote.log_end != end && self.isr.committed.contains(&remote.broker))
    }

    /// Remembers what is proposed to the controller.
    pub fn propose_isr(&mut self, isr: Vec<BrokerId>) {
        self.isr.proposed = Some(isr);
    }

    /// The controller has answered: this is the partition now; `None`: as before.
    pub fn settle_isr(
        &mut self,
        image: Option<&PartitionImage>,
        at: Circumstances<'_>,
    ) -> Option<Advance> {
        match image {
            Some(image) if image.partition_epoch < self.isr.partition_epoch => return None,
            Some(image) => {
                self.isr.committed.clone_from(&image.isr);
                self.isr.partition_epoch = image.partition_epoch;
            }
            None => {}
        }
        self.isr.proposed = None;
        self.maybe_increment_leader_hw(at)
    }

    /// The smallest log end of those that must be waited for. It stands still while too few are in sync.
    fn maybe_increment_leader_hw(&mut self, at: Circumstances<'_>) -> Option<Advance> {
        let end = self.log.log_end_offset();
        let from = self.high_watermark;
        if !scope::CLUSTER {
            let to = high_watermark(from, (self.broker, end), []);
            self.high_watermark = to.offset;
            return (to.offset > from).then_some((from, to));
        }
        if self.is_under_min_isr() && !at.mutation.is(Mutation::MinIsrIgnored) {
            return None;
        }
        let alone = at.mutation.is(Mutation::HighWatermarkIgnoresFollowers);
        let waited_for = self.remotes.iter().filter(|remote| {
            let may_join = || {
                remote.is_caught_up(end, at.now, at.lag_time_max) && (at.is_eligible)(remote.broker)
            };
            !alone && (self.isr.is_in_maximal(remote.broker) || may_join())
        });
        let ends = waited_for.map(|it| (it.broker, it.log_end.unwrap_or(Offset(-1))));
        let to = high_watermark(from, (self.broker, end), ends);
        self.set_high_watermark(to.offset, at);
        (to.offset > from).then_some((from, to))
    }

    /// Follower: what the leader's answer says of the high watermark.
    pub fn follow_high_watermark(&mut self, leaders: Offset, at: Circumstances<'_>) {
        self.set_high_watermark(self.followed_high_watermark(leaders, at), at);
    }

    /// Follower: what the leader's high watermark is here.
    #[must_use]
    pub fn followed_high_watermark(&self, leaders: Offset, at: Circumstances<'_>) -> Offset {
        if at.mutation.is(Mutation::FollowerHighWatermarkUnbounded) {
            return leaders;
        }
        leaders.min(self.log.log_end_offset()).max(self.log.log_start_offset())
    }

    /// Follower: the log goes back to here; the high watermark cannot stand beyond.
    pub fn truncate_to(&mut self, offset: Offset, at: Circumstances<'_>) {
        self.log.truncate_to(offset);
        self.set_high_watermark(self.high_watermark.min(self.log.log_end_offset()), at);
    }

    /// Follower: the log begins anew at this offset, which the leader still has.
    pub fn start_over_at(&mut self, offset: Offset, at: Circumstances<'_>) {
        self.log.truncate_fully_and_start_at(offset);
        self.set_high_watermark(offset, at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{PartitionId, TopicName};
    use crate::log::record::Record;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Where follower 2 is when it has all up to there.
    fn position(end: i64) -> ReplicaPosition {
        ReplicaPosition {
            partition: TopicPartition::new(&TopicName::new("t"), PartitionId(0)),
            leader_epoch: LeaderEpoch(0),
            fetch_offset: Offset(end),
            last_fetched_epoch: None,
            log_start_offset: Offset(0),
        }
    }

    /// Broker 1 leads, 2 follows, both must be in sync. What is not committed when 2 leaves waits, since the
    /// high watermark stands still; what was committed by then, and is asked for only now, is in the
    /// log, but on fewer replicas than wanted.
    #[test]
    fn too_few_replicas_after_an_append() {
        let config = LogConfig { min_insync_replicas: 2, ..LogConfig::default() };
        let which = position(0).partition;
        let mut held = Partition::new(which, TopicId(1), BrokerId(1), Rc::new(config));
        let here = Circumstances::of_tests();
        let mut image = PartitionImage::new(vec![BrokerId(1), BrokerId(2)], |_| true, None);
        held.make_leader(&image, here);
        let append = |held: &mut Partition| {
            let record = Record { key: None, value: None, timestamp: 0, headers: Vec::new() };
            let proposal = Proposal::from(Rc::from([record]));
            let contact = |_| SimTime(0);
            let appended =
                held.append_records_to_leader(&proposal, Acks::All, None, &contact, here);
            appended.map(|appended| appended.info.batch.next_offset()).map_err(|error| error.code)
        };
        assert_eq!(append(&mut held), Ok(Offset(1)));
        assert_eq!(held.committed_up_to(Offset(1)), None);
        held.update_follower(BrokerId(2), &position(1), here);
        assert_eq!(held.committed_up_to(Offset(1)), Some(Ok(())));
        assert_eq!(append(&mut held), Ok(Offset(2)));
        image.isr = vec![BrokerId(1)];
        image.partition_epoch.0 += 1;
        assert_eq!(held.settle_isr(Some(&image), here), None);
        assert_eq!(held.committed_up_to(Offset(2)), None);
        let too_few = KafkaError::plain(ErrorCode::NotEnoughReplicasAfterAppend);
        assert_eq!(held.committed_up_to(Offset(1)), Some(Err(too_few)));
        assert_eq!(append(&mut held), Err(ErrorCode::NotEnoughReplicas));
        // Back again: it all counts.
        image.isr = vec![BrokerId(1), BrokerId(2)];
        image.partition_epoch.0 += 1;
        held.settle_isr(Some(&image), here);
        held.update_follower(BrokerId(2), &position(2), here);
        assert_eq!(held.committed_up_to(Offset(2)), Some(Ok(())));
    }
}
