//! How a consumer ends: a last commit, a goodbye, and not longer than it may take
//! (`ConsumerCoordinator.close`, `AbstractCoordinator.close`). A process that is killed does none of it.

use super::command::ConsumerReply;
use super::coordinator::CLASS;
use super::{InFlight, KafkaConsumer};
use crate::client::ClientReply;
use crate::client::kafka_consumer::config::Subscription;
use crate::client::kafka_consumer::coordinator::MemberState;
use crate::scope::Lab;
use crate::time::{SimDuration, SimTime};
use crate::world::cluster_event::AssignmentChange;
use crate::world::outbox::Outbox;

/// A consumer that ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closing {
    deadline: SimTime,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The last commit is under way.
    Committing,
    /// Commits of the application wait for the coordinator to be found.
    Finding,
    /// Requests to the coordinator are on their way.
    Leaving,
    /// All is done.
    Closed,
}

impl KafkaConsumer {
    pub(super) fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    /// Begins to end.
    pub(super) fn close(&mut self, timeout: SimDuration, out: &mut Outbox) {
        if self.is_closing() {
            return;
        }
        self.poll = None;
        let deadline = out.now() + timeout.min(self.patience());
        self.closing = Some(Closing { deadline, stage: Stage::Committing });
        let offsets =
            if self.config.commits_itself() { self.state.all_consumed() } else { Vec::new() };
        self.commit_sync(offsets, deadline, out);
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
        closing.stage = Stage::Leaving;
        self.leave_prepare("the consumer is closed", out);
        self.maybe_leave_group("the consumer is being closed", out);
        self.maybe_closed(out);
    }

    /// Gives up all that the group has given it (`onLeavePrepare`).
    pub(super) fn leave_prepare(&mut self, why: &str, out: &mut Outbox) {
        if !matches!(self.subscription, Some(Subscription::Subscribed(_))) {
            return;
        }
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
        self.give_up(change, &assigned, why, out);
        self.state.assign(&[], out.now());
        self.completed.clear();
    }

    /// Goes on with the end: requests to the coordinator are waited for, as long as there is time.
    pub(super) fn maybe_closed(&mut self, out: &mut Outbox) {
        let Some(Closing { deadline, stage }) = self.closing else { return };
        match stage {
            Stage::Finding => return self.leave_and_close(out),
            Stage::Leaving => {}
            Stage::Committing | Stage::Closed => return,
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
        self.closing = Some(Closing { deadline, stage: Stage::Closed });
        self.subscription = None;
        out.reply(ClientReply::Consumer(Lab::new(ConsumerReply::Closed)));
    }
}
