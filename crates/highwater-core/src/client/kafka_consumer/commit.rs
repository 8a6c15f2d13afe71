//! Commits, by hand and by itself, and the committed offsets that a member begins at
//! (`ConsumerCoordinator`).

use std::rc::Rc;

use super::command::{ConsumerReply, Offsets};
use super::coordinator::{
    CLASS, Generation, GroupCall, MemberState, NO_GENERATION, is_retriable, thrown,
};
use super::rebalance::Prepared;
use super::{KafkaConsumer, PollError};
use crate::client::{ClientReply, LogLevel};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::MemberId;
use crate::mutation::Mutation;
use crate::net::group::{GroupRequest, Membership, OffsetOutcomes};
use crate::scope::Lab;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;

const COMMIT_FAILED: &str = "org.apache.kafka.clients.consumer.CommitFailedException";
const REBALANCE_IN_PROGRESS: &str = "org.apache.kafka.common.errors.RebalanceInProgressException";

/// Who wants a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommitKind {
    /// The settings, from time to time.
    Auto,
    /// The same, before a member joins again.
    Prepare,
    /// The application, which does not wait.
    Async(u32),
    /// The application, or a consumer that closes; both wait.
    Sync,
}

/// A commit that is under way.
#[derive(Clone, Debug)]
pub(super) struct Commit {
    kind: CommitKind,
    offsets: Rc<Offsets>,
    sent: Generation,
}

/// A commit that somebody waits for.
#[derive(Clone, Debug)]
struct SyncCommit {
    offsets: Rc<Offsets>,
    deadline: SimTime,
    retry_at: SimTime,
    failures: u32,
    is_sent: bool,
}

/// Why a commit failed.
#[derive(Clone, Debug)]
struct CommitError {
    error: PollError,
    is_retriable: bool,
}

impl CommitError {
    fn fatal(class: &'static str, message: &str) -> Self {
        let error = PollError { class, message: Some(message.to_owned()) };
        Self { error, is_retriable: false }
    }

    fn text(&self) -> String {
        self.error.message.clone().unwrap_or_else(|| "null".to_owned())
    }

    /// As the callback of a `commitAsync` gets it.
    fn of_async(self) -> PollError {
        if !self.is_retriable {
            return self.error;
        }
        PollError {
            class: "org.apache.kafka.clients.consumer.RetriableCommitFailedException",
            message: Some(RETRIABLE.to_owned()),
        }
    }
}

/// A commit whose callback is to be called.
#[derive(Clone, Debug)]
struct Completed {
    kind: CommitKind,
    offsets: Rc<Offsets>,
    outcome: Result<(), CommitError>,
}

/// What is remembered of commits.
#[derive(Clone, Debug, Default)]
pub(super) struct Commits {
    /// When the settings want the next one.
    pub(super) auto_at: Option<SimTime>,
    /// Those that wait for the coordinator to be found.
    waiting: Vec<(CommitKind, Rc<Offsets>)>,
    /// Callbacks to be called.
    completed: Vec<Completed>,
    sync: Option<SyncCommit>,
    /// A commit was refused because another member has the same `group.instance.id`.
    is_fenced: bool,
}

impl Commits {
    /// Whether none is under way.
    pub(super) fn is_at_rest(&self) -> bool {
        self.waiting.is_empty()
            && self.completed.is_empty()
            && self.sync.is_none()
            && !self.is_fenced
    }

    /// Whether any waits for the coordinator.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }
}

impl KafkaConsumer {
    /// Commits what has been read, if `auto.commit.interval.ms` is over.
    pub(super) fn maybe_auto_commit(&mut self, out: &mut Outbox) {
        if !self.config.commits_itself() {
            return;
        }
        let now = out.now();
        let interval = SimDuration::from_millis(self.config.auto_commit_interval_ms.max(1));
        let at = *self.coordinator.commits.auto_at.get_or_insert(now + interval);
        if at <= now {
            self.coordinator.commits.auto_at = Some(now + interval);
            let offsets = self.state.all_consumed();
            self.commit_async(CommitKind::Auto, offsets, out);
        }
        if let Some(at) = self.coordinator.commits.auto_at {
            self.wake_at(at, out);
        }
    }

    /// Commits without waiting for the outcome.
    pub(super) fn commit_async(&mut self, kind: CommitKind, offsets: Offsets, out: &mut Outbox) {
        let offsets = Rc::new(offsets);
        if offsets.is_empty() || self.coordinator.node.is_some() {
            return self.send_commit(kind, offsets, out);
        }
        self.coordinator.commits.waiting.push((kind, offsets));
        self.look_up_coordinator(out);
    }

    /// The search for the coordinator is over, well or not.
    pub(super) fn send_waiting_commits(&mut self, out: &mut Outbox) {
        for (kind, offsets) in std::mem::take(&mut self.coordinator.commits.waiting) {
            if self.coordinator.node.is_some() {
                self.send_commit(kind, offsets, out);
            } else {
                self.finish_commit(kind, &offsets, Err(unavailable()), out);
            }
        }
    }

    fn send_commit(&mut self, kind: CommitKind, offsets: Rc<Offsets>, out: &mut Outbox) {
        if offsets.is_empty() {
            return self.finish_commit(kind, &offsets, Ok(()), out);
        }
        let is_member = self.is_member();
        if is_member && self.coordinator.state != MemberState::Stable {
            let error = if self.coordinator.state == MemberState::Unjoined {
                CommitError::fatal(COMMIT_FAILED, NO_MEMBER)
            } else {
                CommitError::fatal(REBALANCE_IN_PROGRESS, REBALANCING)
            };
            return self.finish_commit(kind, &offsets, Err(error), out);
        }
        let mut member = self.membership();
        if !is_member {
            let MemberId(none) = MemberId(Rc::from(""));
            member = Membership {
                generation: NO_GENERATION,
                member: MemberId(none),
                instance: None,
                ..member
            };
        }
        let sent = self.coordinator.generation.clone();
        let commit = Commit { kind, offsets: Rc::clone(&offsets), sent };
        let mut offsets = offsets.to_vec();
        if self.mutation.is(Mutation::CommittedTooFar) {
            for (_, committed) in &mut offsets {
                committed.offset.0 += 1;
            }
        }
        let request = GroupRequest::OffsetCommit { member, offsets };
        let call = GroupCall::Commit(Box::new(commit));
        self.send_to_coordinator(request, call, self.patience(), out);
    }

    pub(super) fn handle_commit_lost(&mut self, commit: &Commit, out: &mut Outbox) {
        self.finish_commit(commit.kind, &commit.offsets, Err(disconnected()), out);
    }

    pub(super) fn handle_committed(
        &mut self,
        commit: &Commit,
        outcomes: &OffsetOutcomes,
        out: &mut Outbox,
    ) {
        let mut result = Ok(());
        for ((which, outcome), (_, committed)) in outcomes.iter().zip(commit.offsets.iter()) {
            let Err(error) = outcome else {
                if let Some(state) = self.state.get_mut(which) {
                    state.committed = Some(committed.offset);
                }
                continue;
            };
            let level = if is_retriable(error.code) { LogLevel::Warn } else { LogLevel::Error };
            let text = format!(
                "Offset commit failed on partition {which} at offset {}: {} ({CLASS})",
                committed.offset, error.message
            );
            self.log(level, &text, out);
            result = Err(self.commit_error(commit, error, out));
            break;
        }
        self.finish_commit(commit.kind, &commit.offsets, result, out);
    }

    fn commit_error(
        &mut self,
        commit: &Commit,
        error: &KafkaError,
        out: &mut Outbox,
    ) -> CommitError {
        let is_unchanged = self.coordinator.generation == commit.sent;
        let is_preparing = self.coordinator.state == MemberState::PreparingRebalance;
        match error.code {
            ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator | ErrorCode::Timeout => {
                self.mark_coordinator_unknown(out);
            }
            ErrorCode::FencedInstanceId if !is_unchanged && is_preparing => {
                return CommitError::fatal(REBALANCE_IN_PROGRESS, OLD_FENCED);
            }
            ErrorCode::FencedInstanceId if !is_unchanged => {
                return CommitError::fatal(COMMIT_FAILED, GIVEN_AWAY);
            }
            ErrorCode::RebalanceInProgress => {
                let reason = "offset commit failed since group is already rebalancing";
                self.coordinator.request_rejoin(reason);
                return CommitError::fatal(REBALANCE_IN_PROGRESS, EXECUTING);
            }
            ErrorCode::UnknownMemberId | ErrorCode::IllegalGeneration => {
                if !is_unchanged && is_preparing {
                    return CommitError::fatal(REBALANCE_IN_PROGRESS, STALE);
                }
                self.coordinator.reset_on_error("OFFSET_COMMIT", error.code);
                return CommitError::fatal(COMMIT_FAILED, GIVEN_AWAY);
            }
            ErrorCode::OffsetMetadataTooLarge
            | ErrorCode::InvalidCommitOffsetSize
            | ErrorCode::FencedInstanceId => {}
            code if is_retriable(code) => {}
            _ => {
                let text = ["Unexpected error in commit: ", &error.message].concat();
                return CommitError::fatal("org.apache.kafka.common.KafkaException", &text);
            }
        }
        CommitError { error: thrown(error), is_retriable: is_retriable(error.code) }
    }

    fn finish_commit(
        &mut self,
        kind: CommitKind,
        offsets: &Rc<Offsets>,
        result: Result<(), CommitError>,
        out: &mut Outbox,
    ) {
        if kind == CommitKind::Sync {
            return self.finish_sync(result, out);
        }
        let is_fenced = |error: &CommitError| error.error.class == FENCED;
        self.coordinator.commits.is_fenced |= result.as_ref().err().is_some_and(is_fenced);
        let outcome = result.clone();
        let offsets = Rc::clone(offsets);
        self.coordinator.commits.completed.push(Completed { kind, offsets, outcome });
        if kind == CommitKind::Prepare
            && let Prepared::Committing(began) = self.coordinator.prepared
        {
            let pause = SimDuration::from_millis(self.config.retry_backoff_ms);
            self.coordinator.prepared = match result {
                Ok(()) => Prepared::Committed,
                Err(error) if error.is_retriable => Prepared::Again(out.now() + pause, began),
                Err(error) => Prepared::Failed(error.text()),
            };
        }
    }

    /// Calls the callbacks of commits that are done, in the order in which they were sent. Whether nothing
    /// stands against going on: a fenced member hears of that first.
    pub(super) fn invoke_commit_callbacks(&mut self, out: &mut Outbox) -> bool {
        if self.coordinator.commits.is_fenced {
            self.failure = Some(self.fenced());
            return false;
        }
        for completed in std::mem::take(&mut self.coordinator.commits.completed) {
            let Completed { kind, offsets, outcome } = completed;
            if let CommitKind::Async(number) = kind {
                let reply =
                    ConsumerReply::CommitDone(number, outcome.map_err(CommitError::of_async));
                out.reply(ClientReply::Consumer(Lab::new(reply)));
                continue;
            }
            let Err(error) = outcome else { continue };
            if error.is_retriable {
                let pause = SimDuration::from_millis(self.config.retry_backoff_ms);
                self.coordinator.commits.auto_at = Some(out.now() + pause);
                continue;
            }
            let (offsets, text) = (offsets_text(&offsets), error.text());
            let text =
                format!("Asynchronous auto-commit of offsets {offsets} failed: {text} ({CLASS})");
            self.warn(&text, out);
        }
        true
    }

    /// What a fenced member hears.
    fn fenced(&self) -> PollError {
        let instance = self.config.group_instance_id.as_deref();
        let member = &self.coordinator.generation.member;
        let message = format!(
            "Get fenced exception for group.instance.id {}, current member.id is {member}",
            instance.unwrap_or("unset_instance_id")
        );
        PollError { class: FENCED, message: Some(message) }
    }

    /// Commits and waits, until that time at most.
    pub(super) fn commit_sync(&mut self, offsets: Offsets, deadline: SimTime, out: &mut Outbox) {
        let may_go_on = self.invoke_commit_callbacks(out);
        self.coordinator.commits.sync = Some(SyncCommit {
            offsets: Rc::new(offsets),
            deadline,
            retry_at: out.now(),
            failures: 0,
            is_sent: false,
        });
        if !may_go_on {
            let error = CommitError { error: self.fenced(), is_retriable: false };
            return self.finish_sync(Err(error), out);
        }
        self.drive_commit(out);
    }

    /// Goes on with a commit that somebody waits for.
    pub(super) fn drive_commit(&mut self, out: &mut Outbox) {
        let now = out.now();
        let Some(sync) = &mut self.coordinator.commits.sync else { return };
        let (deadline, retry_at) = (sync.deadline, sync.retry_at);
        if sync.offsets.is_empty() {
            return self.finish_sync(Ok(()), out);
        }
        if deadline <= now {
            let error = PollError {
                class: "org.apache.kafka.common.errors.TimeoutException",
                message: Some(format!(
                    "Timeout of {}ms expired before successfully committing offsets {}",
                    self.config.default_api_timeout_ms,
                    offsets_text(&sync.offsets)
                )),
            };
            sync.is_sent = true;
            return self.finish_sync(Err(CommitError { error, is_retriable: false }), out);
        }
        if sync.is_sent {
            return self.wake_at(deadline, out);
        }
        if retry_at > now {
            return self.wake_at(retry_at.min(deadline), out);
        }
        if self.coordinator.node.is_none() {
            self.look_up_coordinator(out);
            return self.wake_at(deadline, out);
        }
        sync.is_sent = true;
        let offsets = Rc::clone(&sync.offsets);
        self.wake_at(deadline, out);
        self.send_commit(CommitKind::Sync, offsets, out);
    }

    fn finish_sync(&mut self, result: Result<(), CommitError>, out: &mut Outbox) {
        let Some(mut sync) = self.coordinator.commits.sync.take() else { return };
        if let Err(error) = &result
            && error.is_retriable
        {
            sync.retry_at = out.now() + self.backoff(sync.failures);
            sync.failures = sync.failures.saturating_add(1);
            sync.is_sent = false;
            self.coordinator.commits.sync = Some(sync);
            return self.drive_commit(out);
        }
        let _ = self.invoke_commit_callbacks(out);
        if self.is_in_last_commit() {
            let is_late = sync.deadline <= out.now();
            if let (Err(error), false) = (&result, is_late) {
                let text = format!(
                    "Synchronous auto-commit of offsets {} failed: {} ({CLASS})",
                    offsets_text(&sync.offsets),
                    error.text()
                );
                self.warn(&text, out);
            }
            return self.leave_and_close(out);
        }
        let result = result.map_err(|error| error.error);
        out.reply(ClientReply::Consumer(Lab::new(ConsumerReply::Committed(result))));
    }
}

/// `FencedInstanceIdException`
const FENCED: &str = "org.apache.kafka.common.errors.FencedInstanceIdException";

const NO_MEMBER: &str = "Offset commit cannot be completed since the consumer is not part of an active \
    group for auto partition assignment; it is likely that the consumer was kicked out of the group.";

const REBALANCING: &str = "Offset commit cannot be completed since the consumer is undergoing a \
    rebalance for auto partition assignment. You can try completing the rebalance by calling poll() and \
    then retry the operation.";

const EXECUTING: &str = "Offset commit cannot be completed since the consumer group is executing a \
    rebalance at the moment. You can try completing the rebalance by calling poll() and then retry commit \
    again";

const STALE: &str = "Offset commit cannot be completed since the consumer member's generation is already \
    stale, meaning it has already participated another rebalance and got a new generation. You can try \
    completing the rebalance by calling poll() and then retry commit again";

const OLD_FENCED: &str = "Offset commit cannot be completed since the consumer member's old generation is \
    fenced by its group instance id, it is possible that this consumer has already participated another \
    rebalance and got a new generation";

/// The default text of a `CommitFailedException`.
const GIVEN_AWAY: &str = "Commit cannot be completed since the group has already rebalanced and assigned \
    the partitions to another member. This means that the time between subsequent calls to poll() was \
    longer than the configured max.poll.interval.ms, which typically implies that the poll loop is \
    spending too much time message processing. You can address this either by increasing \
    max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with \
    max.poll.records.";

const RETRIABLE: &str = "Offset commit failed with a retriable exception. You should retry committing the \
    latest consumed offsets.";

fn unavailable() -> CommitError {
    let error = KafkaError::plain(ErrorCode::CoordinatorNotAvailable);
    CommitError { error: thrown(&error), is_retriable: true }
}

fn disconnected() -> CommitError {
    let class = "org.apache.kafka.common.errors.DisconnectException";
    CommitError { error: PollError { class, message: None }, is_retriable: true }
}

/// Offsets as Java prints them, in the order of the partitions.
pub(super) fn offsets_text(offsets: &Offsets) -> String {
    let mut parts = Vec::new();
    for (which, committed) in offsets {
        let epoch = match committed.leader_epoch {
            -1 => "null".to_owned(),
            epoch => epoch.to_string(),
        };
        parts.push(format!(
            "{which}=OffsetAndMetadata{{offset={}, leaderEpoch={epoch}, metadata='{}'}}",
            committed.offset, committed.metadata
        ));
    }
    ["{", &parts.join(", "), "}"].concat()
}
