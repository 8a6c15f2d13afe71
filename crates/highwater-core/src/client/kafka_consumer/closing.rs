//! How a consumer ends: a last commit, a goodbye, and not longer than it may take
//! (`ConsumerCoordinator.close`, `AbstractCoordinator.close`). A process that is killed does none of it.

use super::command::{CloseOptions, ConsumerReply, GroupMembershipOperation};
use super::coordinator::CLASS;
use super::listener::Then;
use super::{InFlight, KafkaConsumer};
use crate::client::ClientReply;
use crate::client::kafka_consumer::config::Subscription;
use crate::client::kafka_consumer::coordinator::MemberState;
use crate::scope::Lab;
use crate::time::SimTime;
use crate::world::cluster_event::AssignmentChange;
use crate::world::outbox::Outbox;

/// A consumer that ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closing {
    deadline: SimTime,
    operation: GroupMembershipOperation,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The last commit is under way.
    Committing,
    /// Commits of the application wait for the coordinator to be found.
    Finding,
    /// The rebalance listener hears that the partitions go.
    Telling,
    /// Requests to the coordinator are on their way.
    Leaving,
    /// The fetch sessions end.
    Fetcher,
    /// All is done.
    Closed,
}

impl KafkaConsumer {
    pub(super) fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    /// Whether it ends, and its last commit is under way.
    pub(super) fn is_in_last_commit(&self) -> bool {
        self.closing.is_some_and(|closing| closing.stage == Stage::Committing)
    }

    /// Begins to end.
    pub(super) fn close(&mut self, options: CloseOptions, out: &mut Outbox) {
        if self.is_closing() {
            return;
        }
        self.poll = None;
        let deadline = out.now() + options.timeout.min(self.patience());
        let operation = options.operation;
        self.closing = Some(Closing { deadline, operation, stage: Stage::Committing });
        if self.config.commits_itself() {
            self.commit_sync(self.state.all_consumed(), deadline, out);
        } else {
            self.leave_and_close(out);
        }
    }

    /// The last commit is done, or was not wanted: gives up all partitions and says goodbye.
    pub(super) fn leave_and_close(&mut self, out: &mut Outbox) {
        let Some(closing) = &mut self.closing else { return };
        if self.coordinator.commits.is_waiting() && closing.deadline > out.now() {
            closing.stage = Stage::Finding;
            let deadline = closing.deadline;
            self.look_up_coordinator(out);
            return self.wake_at(deadline, out);
        }
        closing.stage = Stage::Telling;
        self.leave_prepare("the consumer is closed", Then::Close, out);
    }

    /// The partitions are given up: nothing is left but to leave the group.
    pub(super) fn say_goodbye(&mut self, out: &mut Outbox) {
        let Some(closing) = &mut self.closing else { return };
        closing.stage = Stage::Leaving;
        let operation = closing.operation;
        self.clear_assignment(out);
        self.maybe_leave_group(operation, "the consumer is being closed", out);
        self.maybe_closed(out);
    }

    /// Gives up all that the group has given it (`onLeavePrepare`), and goes on.
    pub(super) fn leave_prepare(&mut self, why: &str, then: Then, out: &mut Outbox) {
        let assigned = self.state.assigned();
        let coordinator = &self.coordinator;
        let is_rebalancing = matches!(
            coordinator.state,
            MemberState::PreparingRebalance | MemberState::CompletingRebalance
        );
        let change = if coordinator.generation.has_lost_all() || is_rebalancing {
            AssignmentChange::Lost
        } else {
            AssignmentChange::Revoked
        };
        if assigned.is_empty() || !self.is_member() {
            return self.go_on_after(then, out);
        }
        self.give_up(change, assigned, why, then, out);
    }

    /// A member has no partitions any more.
    fn clear_assignment(&mut self, out: &Outbox) {
        if matches!(self.subscription, Some(Subscription::Subscribed(_))) {
            self.state.assign(&[], out.now());
            self.completed.clear();
        }
    }

    /// Goes on with the end: requests to the coordinator are waited for, as long as there is time.
    pub(super) fn maybe_closed(&mut self, out: &mut Outbox) {
        let Some(Closing { deadline, operation, stage }) = self.closing else { return };
        match stage {
            Stage::Finding => return self.leave_and_close(out),
            Stage::Leaving => {}
            Stage::Fetcher => return self.maybe_fetcher_closed(out),
            Stage::Committing | Stage::Telling | Stage::Closed => return,
        }
        let is_call = |what: &InFlight| matches!(what, InFlight::Group(_));
        let pending = self.in_flight.values().filter(|(what, _)| is_call(what)).count();
        let waits = pending > 0 && self.coordinator.node.is_some();
        if waits && deadline > out.now() {
            return self.wake_at(deadline, out);
        }
        if waits {
            let text = format!(
                "Close timed out with {pending} pending requests to coordinator, terminating client \
                 connections ({CLASS})"
            );
            self.warn(&text, out);
        }
        self.closing = Some(Closing { deadline, operation, stage: Stage::Fetcher });
        self.subscription = None;
        self.maybe_fetcher_closed(out);
    }

    /// The last thing that a consumer does is to end its fetch sessions.
    fn maybe_fetcher_closed(&mut self, out: &mut Outbox) {
        let Some(Closing { deadline, operation, .. }) = self.closing else { return };
        if deadline > out.now() && !self.close_sessions(out) {
            return self.wake_at(deadline, out);
        }
        self.closing = Some(Closing { deadline, operation, stage: Stage::Closed });
        out.reply(ClientReply::Consumer(Lab::new(ConsumerReply::Closed)));
    }
}
