//! The heartbeat thread (`AbstractCoordinator.HeartbeatThread`, `Heartbeat`): a member shows that it is
//! alive between polls, too; and leaves by itself when its application has not polled for too long.

use super::command::GroupMembershipOperation;
use super::coordinator::{CLASS, Generation, GroupCall, MemberState, thrown};
use super::{KafkaConsumer, PollError};
use crate::client::LogLevel;
use crate::error::{ErrorCode, KafkaError};
use crate::net::group::GroupRequest;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// Why a member whose application does not poll goes.
const POLL_TIMEOUT: &str = "consumer poll timeout has expired. This means the time between \
    subsequent calls to poll() was longer than the configured max.poll.interval.ms, which typically \
    implies that the poll loop is spending too much time processing messages. You can address this \
    either by increasing max.poll.interval.ms or by reducing the maximum size of batches returned in \
    poll() with max.poll.records.";

/// What is remembered of heartbeats.
#[derive(Clone, Debug, Default)]
pub(super) struct Heartbeat {
    /// When the next one is due.
    pub(super) due: SimTime,
    /// When the coordinator has last answered one.
    pub(super) last_receive: SimTime,
    /// When the application has last polled.
    pub(super) last_poll: SimTime,
    /// When the thread wakes up; `None`: it sleeps until the member has joined.
    wakes: Option<SimTime>,
    /// What ended the thread.
    pub(super) failure: Option<PollError>,
}

impl Heartbeat {
    /// Whether the next one is planned, and nothing else.
    pub(super) fn is_at_rest(&self) -> bool {
        self.failure.is_none() && self.wakes == Some(self.due)
    }

    /// They have gone on for so long.
    pub(super) fn leap(&mut self, by: SimDuration) {
        for moment in [&mut self.due, &mut self.last_receive, &mut self.last_poll] {
            *moment = *moment + by;
        }
        self.wakes = Some(self.due);
    }
}

impl KafkaConsumer {
    /// The member has joined: heartbeats begin (`HeartbeatThread.enable`).
    pub(super) fn enable_heartbeat(&mut self, out: &mut Outbox) {
        let now = out.now();
        let heartbeat = &mut self.coordinator.heartbeat;
        heartbeat.last_receive = now;
        heartbeat.last_poll = now;
        heartbeat.due = now + SimDuration::from_millis(self.config.heartbeat_interval_ms);
        self.arm_heartbeat(out);
    }

    /// Wakes the thread up when there is something for it to do, unless it will be awake before.
    fn arm_heartbeat(&mut self, out: &mut Outbox) {
        let heartbeat = &mut self.coordinator.heartbeat;
        let now = out.now();
        let session = SimDuration::from_millis(self.config.session_timeout_ms);
        let interval = SimDuration::from_millis(self.config.max_poll_interval_ms);
        let mut next = heartbeat.due;
        if self.coordinator.node.is_some() {
            next = next.min(heartbeat.last_receive + session);
            next = next.min(heartbeat.last_poll + interval);
        }
        let next = next.max(now);
        if heartbeat.wakes.is_some_and(|wakes| wakes >= now && wakes <= next) {
            return;
        }
        heartbeat.wakes = Some(next);
        out.timer(SimDuration(next.0 - now.0), Timer::Heartbeat);
    }

    /// The thread is awake.
    pub(super) fn handle_heartbeat_timer(&mut self, out: &mut Outbox) {
        let now = out.now();
        if self.coordinator.heartbeat.wakes.is_none_or(|wakes| wakes > now) {
            return;
        }
        self.coordinator.heartbeat.wakes = None;
        let is_over = self.coordinator.state.has_not_joined()
            || self.coordinator.heartbeat.failure.is_some()
            || self.is_closing();
        if is_over {
            return;
        }
        let heartbeat = &self.coordinator.heartbeat;
        let session = SimDuration::from_millis(self.config.session_timeout_ms);
        let interval = SimDuration::from_millis(self.config.max_poll_interval_ms);
        let pause = SimDuration::from_millis(self.config.retry_backoff_ms.max(1));
        if self.coordinator.node.is_none() {
            self.look_up_coordinator(out);
            self.coordinator.heartbeat.due = now + pause;
        } else if heartbeat.last_receive + session <= now {
            self.coordinator.heartbeat.last_receive = now;
            self.mark_coordinator_unknown(out);
            self.coordinator.heartbeat.due = now + pause;
        } else if heartbeat.last_poll + interval <= now && !self.is_polling() {
            let text = [POLL_TIMEOUT, " (", CLASS, ")"].concat();
            self.warn(&text, out);
            let (operation, reason) =
                (GroupMembershipOperation::Default, "consumer poll timeout has expired.");
            self.maybe_leave_group(operation, reason, out);
            return;
        } else if heartbeat.due <= now {
            self.coordinator.heartbeat.due =
                now + SimDuration::from_millis(self.config.heartbeat_interval_ms.max(1));
            let call = GroupCall::Heartbeat(self.coordinator.generation.clone());
            let request = GroupRequest::Heartbeat(self.membership());
            self.send_to_coordinator(request, call, self.patience(), out);
        }
        self.arm_heartbeat(out);
    }

    /// There was no answer: the next one comes sooner.
    pub(super) fn fail_heartbeat(&mut self, out: &mut Outbox) {
        let at = out.now() + self.backoff(0);
        if self.coordinator.heartbeat.due > at {
            self.coordinator.heartbeat.due = at;
        }
        if !self.coordinator.state.has_not_joined() {
            self.arm_heartbeat(out);
        }
    }

    pub(super) fn handle_heartbeat(
        &mut self,
        sent: &Generation,
        answer: &Result<(), KafkaError>,
        out: &mut Outbox,
    ) {
        let Err(error) = answer else {
            self.coordinator.heartbeat.last_receive = out.now();
            return;
        };
        match error.code {
            ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator => {
                self.mark_coordinator_unknown(out);
                self.fail_heartbeat(out);
            }
            ErrorCode::RebalanceInProgress => {
                if self.coordinator.state == MemberState::Stable {
                    self.coordinator.request_rejoin("group is already rebalancing");
                }
                self.coordinator.heartbeat.last_receive = out.now();
            }
            ErrorCode::IllegalGeneration
            | ErrorCode::UnknownMemberId
            | ErrorCode::FencedInstanceId => {
                if self.coordinator.generation != *sent {
                    self.coordinator.heartbeat.last_receive = out.now();
                    return;
                }
                self.coordinator.reset_on_error("HEARTBEAT", error.code);
                if error.code == ErrorCode::FencedInstanceId {
                    let instance = self.instance_text();
                    let text = format!(
                        "Caught fenced group.instance.id {instance} error in heartbeat thread ({CLASS})"
                    );
                    self.log(LogLevel::Error, &text, out);
                    self.coordinator.heartbeat.failure = Some(thrown(error));
                }
            }
            _ => self.fail_heartbeat(out),
        }
    }

    /// `group.instance.id` as Java prints an `Optional`.
    pub(super) fn instance_text(&self) -> String {
        match &self.config.group_instance_id {
            Some(instance) => ["Optional[", instance, "]"].concat(),
            None => "Optional.empty".to_owned(),
        }
    }
}
