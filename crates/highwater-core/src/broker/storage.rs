//! What a broker does to its logs without being asked: removes old segments, compacts, forgets producers; and what it does
//! when asked to delete records (`LogManager`, `LogCleaner`, `DelayedDeleteRecords`).
//!
//! The tasks run at fixed intervals from the start of the process. Runs that would find nothing are not
//! played: the next one that may find something is planned whenever a log changes.

use std::rc::Rc;

use crate::broker::alarm::Task;
use crate::broker::produce::refuse_internal;
use crate::broker::{Broker, at};
use crate::controller::config_control::{broker_entry, entry};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{MessageId, NodeId, Offset, TopicPartition};
use crate::log::cleaner::{self, LogToClean};
use crate::log::segment::RollReason;
use crate::net::message::{Message, Response};
use crate::number;
use crate::scope::{Always, Lab};
use crate::time::{SimDuration, SimTime};
use crate::world::cluster_event::ClusterEvent;
use crate::world::event::{EventKind, Rolled};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// How long a deletion of records waits for the followers (`request.timeout.ms` of the admin client).
const DELETE_RECORDS_TIMEOUT: SimDuration = SimDuration::from_millis(30_000);

/// Tasks that are planned, and deletions that wait.
#[derive(Clone, Debug, Default)]
pub(super) struct Maintenance {
    retention: Task,
    cleaning: Task,
    producer_expiration: Task,
    deletions: Vec<DelayedDelete>,
}

impl Maintenance {
    /// Requests that wait.
    pub(super) fn held(&self) -> impl Iterator<Item = (NodeId, MessageId)> {
        self.deletions.iter().map(|deletion| (deletion.from, deletion.correlation))
    }
}

/// What became of each partition of a request: the low watermark or why nothing was deleted.
type Outcomes = Vec<(TopicPartition, Result<Offset, KafkaError>)>;

/// A deletion of records that not all live replicas have followed yet.
#[derive(Clone, Debug)]
struct DelayedDelete {
    from: NodeId,
    correlation: MessageId,
    outcomes: Outcomes,
    deadline: SimTime,
}

impl Broker {
    /// A setting of this broker in milliseconds: set while it runs, in its file, or Kafka's default.
    fn setting_ms(&self, key: &str, default: u64) -> SimDuration {
        let value = broker_entry(&self.image, self.id, key).or_else(|| entry(&self.settings, key));
        let millis = value.and_then(|value| number::unsigned(value.trim())).unwrap_or(default);
        SimDuration::from_millis(millis.max(1))
    }

    /// The first run of a task, `interval` apart since `first`, at or after a moment.
    fn run_at(&self, first: SimDuration, interval: SimDuration, wanted: SimTime) -> SimTime {
        let first = self.life.started + first;
        let late = wanted.0.saturating_sub(first.0).div_ceil(interval.0);
        SimTime(first.0.saturating_add(late.saturating_mul(interval.0)))
    }

    /// A log has changed: plans the runs that may find something in it.
    pub(super) fn plan_maintenance(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let Some(held) = self.partitions.get(which) else { return };
        let (log, now) = (held.log(), out.now());
        let committed = held.high_watermark();
        let by_time = log.earliest_retention_ms().map(SimTime::from_epoch_millis);
        let by_size = log.is_size_or_start_retention_due(committed).then_some(now);
        let due = match (by_time, by_size) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
        let cleaning = cleaner::earliest_cleaning_ms(log, now.epoch_millis(), committed)
            .map(SimTime::from_epoch_millis);
        // The cleaner removes old segments of the logs that it looks after (`LogCleaner.deletableLogs`).
        let is_cleaned = log.config().compact;
        if let Some(due) = due {
            if is_cleaned { self.plan_cleaning(due, out) } else { self.plan_retention(due, out) }
        }
        if let Some(due) = cleaning {
            self.plan_cleaning(due, out);
        }
        if !self.replication.maintenance.producer_expiration.is_planned() {
            self.plan_producer_expiration(which, out);
        }
    }

    /// Plans the run that may find the first producer of this log to be forgotten. While one is planned,
    /// later writes only put it off.
    pub(super) fn plan_producer_expiration(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let expiration = self.producer_expiration_ms();
        let Some(held) = self.partitions.get(which) else { return };
        let due = held.log().producer_state().earliest_expiration(expiration);
        let Some(due) = due.map(SimTime::from_epoch_millis) else { return };
        if self.replication.maintenance.producer_expiration.serves(due) {
            return;
        }
        let interval = self.setting_ms("producer.id.expiration.check.interval.ms", 600_000);
        let run = self.run_at(interval, interval, due.max(SimTime(out.now().0 + 1)));
        let task = &mut self.replication.maintenance.producer_expiration;
        task.plan(run, Timer::ProducerExpiration, out);
    }

    fn producer_expiration_ms(&self) -> i64 {
        let expiration = self.setting_ms("producer.id.expiration.ms", 86_400_000);
        i64::try_from(expiration.0 / 1_000).unwrap_or(i64::MAX)
    }

    /// Forgets producers that have not written for `producer.id.expiration.ms`.
    pub(super) fn handle_producer_expiration(&mut self, out: &mut Outbox) {
        let task = &mut self.replication.maintenance.producer_expiration;
        if !task.begins(Timer::ProducerExpiration, out) {
            return;
        }
        let (now, expiration) = (out.now().epoch_millis(), self.producer_expiration_ms());
        let all: Vec<TopicPartition> = self.partitions.keys().cloned().collect();
        for which in &all {
            let Some(held) = self.partitions.get(which) else { continue };
            if held.log().producer_state().expired(now, expiration).is_empty() {
                self.plan_producer_expiration(which, out);
                continue;
            }
            let broker = self.id;
            if let Some(held) = Self::holding(&mut self.partitions, which) {
                let producers = held.log_mut().remove_expired_producers(now, expiration);
                let partition = which.clone();
                out.emit_beside(ClusterEvent::ProducersExpired { partition, broker, producers });
            }
            self.plan_producer_expiration(which, out);
        }
    }

    fn plan_retention(&mut self, due: SimTime, out: &mut Outbox) {
        if self.replication.maintenance.retention.serves(due) {
            return;
        }
        let first = self.setting_ms("log.initial.task.delay.ms", 30_000);
        let interval = self.setting_ms("log.retention.check.interval.ms", 300_000);
        let run = self.run_at(first, interval, due.max(SimTime(out.now().0 + 1)));
        self.replication.maintenance.retention.plan(run, Timer::Retention, out);
    }

    fn plan_cleaning(&mut self, due: SimTime, out: &mut Outbox) {
        if self.replication.maintenance.cleaning.serves(due) {
            return;
        }
        let backoff = self.setting_ms("log.cleaner.backoff.ms", 15_000);
        let run = self.run_at(SimDuration(0), backoff, due.max(SimTime(out.now().0 + 1)));
        self.replication.maintenance.cleaning.plan(run, Timer::Cleaning, out);
    }

    /// Removes segments that no log keeps any longer.
    pub(super) fn handle_retention(&mut self, out: &mut Outbox) {
        if !self.replication.maintenance.retention.begins(Timer::Retention, out) {
            return;
        }
        self.delete_old_segments(false, out);
    }

    /// Removes old segments of all logs that are compacted, or of all others.
    fn delete_old_segments(&mut self, compacted: bool, out: &mut Outbox) {
        let now = out.now().epoch_millis();
        let all: Vec<TopicPartition> = self.partitions.keys().cloned().collect();
        for which in &all {
            let broker = self.id;
            let Some(held) = self.partitions.get(which) else { continue };
            let log = held.log();
            if log.config().compact != compacted {
                continue;
            }
            let is_due = log.is_size_or_start_retention_due(held.high_watermark())
                || log.earliest_retention_ms().is_some_and(|due| due <= now);
            let deleted = is_due.then(|| {
                Self::change(&mut self.partitions, which, |held| {
                    let committed = held.high_watermark();
                    let deleted = held.log_mut().delete_old_segments(now, committed);
                    (!deleted.is_empty(), deleted)
                })
            });
            if let Some(deleted) = deleted.flatten() {
                // The active segment is closed first.
                for base_offset in deleted.iter().filter_map(|segment| segment.rolled) {
                    let reason = RollReason::Retention;
                    let why = Always::new(Rolled { reason, copied_from: None });
                    let partition = which.clone();
                    out.emit_beside(EventKind::SegmentRolled {
                        partition,
                        broker,
                        base_offset,
                        why,
                    });
                }
                for segment in deleted {
                    let partition = which.clone();
                    out.emit_beside(ClusterEvent::SegmentDeleted { partition, broker, segment });
                }
            }
            self.plan_maintenance(which, out);
        }
        // Followers learn of the new log starts.
        self.spread_log_starts(&all, out);
    }

    /// Cleans the filthiest log, then the next, until none is due.
    pub(super) fn handle_cleaning(&mut self, out: &mut Outbox) {
        if !self.replication.maintenance.cleaning.begins(Timer::Cleaning, out) {
            return;
        }
        let (now, broker) = (out.now().epoch_millis(), self.id);
        while let Some(which) = self.filthiest_log(now) {
            let cleaned = Self::change(&mut self.partitions, &which, |held| {
                let committed = held.high_watermark();
                let cleaned = held.log_mut().maybe_clean(now, committed);
                (cleaned.is_some(), cleaned)
            });
            let Some(cleaned) = cleaned.flatten() else { break };
            out.emit_beside(ClusterEvent::LogCleaned {
                partition: which,
                broker,
                stats: cleaned.stats,
            });
        }
        self.delete_old_segments(true, out);
    }

    fn filthiest_log(&self, now_ms: i64) -> Option<TopicPartition> {
        let mut best: Option<(&TopicPartition, LogToClean)> = None;
        for (which, held) in self.partitions.iter() {
            let log = held.log();
            let Some(found) = cleaner::log_to_clean(log, now_ms, held.high_watermark()) else {
                continue;
            };
            let is_best = best.as_ref().is_none_or(|(_, known)| found.is_filthier_than(known));
            if found.is_due(log.config()) && is_best {
                best = Some((which, found));
            }
        }
        best.map(|(which, _)| which.clone())
    }

    /// Moves the log start of partitions that it leads, and answers once their live replicas have
    /// followed.
    pub(super) fn handle_delete_records(
        &mut self,
        message: &Message,
        partitions: &[(TopicPartition, Offset)],
        out: &mut Outbox,
    ) {
        let mut outcomes: Outcomes = Vec::new();
        for (which, offset) in partitions {
            outcomes.push((which.clone(), self.delete_records(which, *offset, out)));
        }
        let moved: Vec<TopicPartition> =
            partitions.iter().map(|(which, _)| which.clone()).collect();
        let deadline = out.now() + DELETE_RECORDS_TIMEOUT;
        let (from, correlation) = (message.from, message.correlation);
        let deletion = DelayedDelete { from, correlation, outcomes, deadline };
        self.replication.maintenance.deletions.push(deletion);
        self.spread_log_starts(&moved, out);
        self.complete_deletions(out);
        if self.replication.maintenance.deletions.iter().any(|it| it.correlation == correlation) {
            out.timer(DELETE_RECORDS_TIMEOUT, Timer::DeletionExpiry);
        }
        for which in &moved {
            self.plan_maintenance(which, out);
        }
    }

    /// Moves one log start; returns where it is wanted.
    fn delete_records(
        &mut self,
        which: &TopicPartition,
        offset: Offset,
        out: &mut Outbox,
    ) -> Result<Offset, KafkaError> {
        refuse_internal(which)?;
        let held = self.leading(which)?;
        if !held.log().config().allows_delete_records() {
            return Err(KafkaError::plain(ErrorCode::PolicyViolation));
        }
        let committed = held.high_watermark();
        let to = if offset == Offset(-1) { committed } else { offset };
        if to.0 < 0 || to > committed {
            return Err(KafkaError::plain(ErrorCode::OffsetOutOfRange));
        }
        let from = held.log().log_start_offset();
        let broker = self.id;
        let has_moved = Self::change(&mut self.partitions, which, |held| {
            let has_moved = held.log_mut().maybe_increment_log_start_offset(to);
            (has_moved, has_moved)
        });
        if has_moved == Some(true) {
            let partition = which.clone();
            out.emit_beside(ClusterEvent::LogStartMoved { partition, broker, from, to });
        }
        Ok(to)
    }

    fn spread_log_starts(&mut self, partitions: &[TopicPartition], out: &mut Outbox) {
        for which in partitions {
            if self.partitions.get(which).is_some_and(|held| held.is_leader()) {
                self.spread_high_watermark(which, out);
            }
        }
    }

    /// Answers deletions that all live replicas have followed, or that have waited long enough.
    pub(super) fn complete_deletions(&mut self, out: &mut Outbox) {
        if self.replication.maintenance.deletions.is_empty() {
            return;
        }
        let now = out.now();
        let deletions = std::mem::take(&mut self.replication.maintenance.deletions);
        for mut deletion in deletions {
            let is_over = deletion.deadline <= now;
            let mut outcomes = Vec::new();
            for (which, wanted) in &deletion.outcomes {
                outcomes.push((which.clone(), self.low_watermark(which, wanted, is_over)));
            }
            if outcomes.iter().all(|(_, outcome)| outcome.is_some()) {
                deletion.outcomes.clear();
                for (which, outcome) in outcomes {
                    deletion.outcomes.extend(outcome.map(|outcome| (which, outcome)));
                }
                let answer = Response::DeleteRecords(Lab::new(Rc::new(deletion.outcomes)));
                out.respond_to(deletion.from, deletion.correlation, answer);
            } else {
                self.replication.maintenance.deletions.push(deletion);
            }
        }
    }

    /// The lowest log start of the live replicas, once it is where it is wanted.
    fn low_watermark(
        &self,
        which: &TopicPartition,
        wanted: &Result<Offset, KafkaError>,
        is_over: bool,
    ) -> Option<Result<Offset, KafkaError>> {
        let wanted = match wanted {
            Ok(wanted) => *wanted,
            Err(error) => return Some(Err(error.clone())),
        };
        let held = match self.leading(which) {
            Ok(held) => held,
            Err(error) => return Some(Err(error)),
        };
        let mut lowest = held.log().log_start_offset();
        for remote in held.remotes() {
            if self.image.is_active(remote.broker) {
                lowest = lowest.min(remote.log_start);
            }
        }
        if lowest >= wanted {
            return Some(Ok(lowest));
        }
        is_over.then(|| Err(KafkaError::plain(ErrorCode::Timeout)))
    }

    /// The machine lost power: what was not flushed is gone.
    pub(super) fn lose_unflushed(&mut self, now: SimTime) {
        let nobody = |_| false;
        for partition in self.partitions.values_mut() {
            let held = Rc::make_mut(partition);
            if held.log_mut().lose_unflushed() {
                let end = held.log().log_end_offset();
                held.truncate_to(end, at(now, &self.life, &nobody));
            }
        }
    }
}
