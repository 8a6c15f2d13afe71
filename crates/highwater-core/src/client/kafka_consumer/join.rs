//! Joining a group: `JoinGroup`, `SyncGroup`, and what follows from their answers
//! (`AbstractCoordinator.joinGroupIfNeeded`).

use std::rc::Rc;

use super::command::GroupMembershipOperation;
use super::coordinator::{CLASS, Generation, GroupCall, Join, JoinFailure, MemberState, thrown};
use super::{KafkaConsumer, PollError};
use crate::client::LogLevel;
use crate::client::assignor::AssignorKind;
use crate::client::kafka_consumer::config::{Subscription, Topics};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{MemberId, TopicName, TopicPartition};
use crate::net::group::Subscription as MemberSubscription;
use crate::net::group::{
    GroupRequest, GroupResponse, JoinGroup, JoinGroupAnswer, Joined, LeavingMember, SyncGroup,
    Synced,
};
use crate::time::SimDuration;
use crate::world::outbox::Outbox;

/// `ConsumerProtocol.PROTOCOL_TYPE`
const PROTOCOL_TYPE: &str = "consumer";

/// The broker may keep a `JoinGroup` for the whole rebalance timeout; the client waits so much longer.
const JOIN_GROUP_TIMEOUT_LAPSE_MS: u64 = 5_000;

/// How far a poll may go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It waits for the coordinator: nothing else is done.
    Blocked,
    /// A rebalance is under way: what is there may be handed out.
    Rebalancing,
    /// All is well.
    Ready,
}

impl KafkaConsumer {
    /// What a poll does for the group (`ConsumerCoordinator.poll`).
    pub(super) fn poll_coordinator(&mut self, out: &mut Outbox) -> Progress {
        if let Some(failure) = self.coordinator.failure.take() {
            self.failure = Some(failure);
            return Progress::Blocked;
        }
        if !self.invoke_commit_callbacks(out) {
            return Progress::Blocked;
        }
        let Some(Subscription::Subscribed(topics)) = &self.subscription else {
            self.maybe_auto_commit(out);
            return Progress::Ready;
        };
        let is_pattern = matches!(topics, Topics::Fitting(_));
        if let Some(failure) = self.coordinator.heartbeat.failure.take() {
            self.failure = Some(failure);
            return Progress::Blocked;
        }
        self.coordinator.heartbeat.last_poll = out.now();
        if self.coordinator.node.is_none() {
            self.look_up_coordinator(out);
            return Progress::Blocked;
        }
        if self.needs_rejoin() {
            if is_pattern && !self.refresh_before_join(out) {
                return Progress::Blocked;
            }
            if !self.join_if_needed(out) {
                return Progress::Rebalancing;
            }
        }
        self.maybe_auto_commit(out);
        Progress::Ready
    }

    /// A pattern must have met the newest topics before the member joins.
    fn refresh_before_join(&mut self, out: &mut Outbox) -> bool {
        if !self.coordinator.is_refreshed {
            self.coordinator.is_refreshed = true;
            if self.metadata.learned.0 + self.config.retry_backoff_ms * 1_000 <= out.now().0 {
                self.metadata.is_stale = true;
            }
        }
        let is_fresh = !self.metadata.is_stale || !matches!(self.coordinator.join, Join::None);
        if !is_fresh {
            self.maybe_update_metadata(out);
        }
        is_fresh
    }

    /// Takes the steps of a join that can be taken now; whether the member has its part.
    fn join_if_needed(&mut self, out: &mut Outbox) -> bool {
        if let Some((sent, GroupResponse::JoinGroup(answer))) = self.coordinator.unread.take() {
            self.handle_join(&sent, &answer, out);
        }
        while self.needs_rejoin() {
            if self.coordinator.node.is_none() {
                self.look_up_coordinator(out);
                return false;
            }
            if self.coordinator.needs_prepare && !self.prepare_join(out) {
                return false;
            }
            match std::mem::replace(&mut self.coordinator.join, Join::None) {
                Join::None if self.coordinator.rejoin_at > out.now() => {
                    self.wake_at(self.coordinator.rejoin_at, out);
                    return false;
                }
                Join::None => {
                    self.send_join(out);
                    return false;
                }
                Join::Sent => {
                    self.coordinator.join = Join::Sent;
                    return false;
                }
                Join::Done(Ok(partitions)) => {
                    self.finish_join(partitions, out);
                    if self.is_in_listener() {
                        return false;
                    }
                }
                Join::Done(Err(failure)) => {
                    if !self.take_join_failure(failure, out) {
                        return false;
                    }
                }
            }
        }
        true
    }

    fn finish_join(&mut self, partitions: Vec<TopicPartition>, out: &mut Outbox) {
        let coordinator = &mut self.coordinator;
        if coordinator.state == MemberState::Stable && !coordinator.generation.is_reset() {
            coordinator.needs_prepare = true;
            coordinator.is_refreshed = false;
            coordinator.join_failures = 0;
            self.complete_join(partitions, out);
        } else {
            let reason =
                "rebalance failed since the generation/state was modified by heartbeat thread";
            coordinator.reset_and_rejoin(reason, true);
        }
    }

    /// Whether the join goes on at once.
    fn take_join_failure(&mut self, failure: JoinFailure, out: &mut Outbox) -> bool {
        match failure {
            JoinFailure::Again(reason) => {
                if let Some(reason) = reason {
                    self.coordinator.request_rejoin(reason);
                }
                return true;
            }
            JoinFailure::Later(reason) => {
                self.coordinator.request_rejoin(reason);
                let failures = self.coordinator.join_failures;
                self.coordinator.join_failures = failures.saturating_add(1);
                self.coordinator.rejoin_at = out.now() + self.backoff(failures);
                self.wake_at(self.coordinator.rejoin_at, out);
            }
            JoinFailure::Fatal(reason, error) => {
                self.coordinator.request_rejoin(reason);
                self.failure = Some(error);
            }
        }
        false
    }

    fn send_join(&mut self, out: &mut Outbox) {
        self.coordinator.state = MemberState::PreparingRebalance;
        self.coordinator.join = Join::Sent;
        let topics = self.wanted_topics();
        self.coordinator.joined_topics = Some(Rc::clone(&topics));
        let owned = self.state.assigned();
        let generation = self.coordinator.generation.id;
        let mut protocols = Vec::new();
        for kind in &self.config.assignors {
            let (owned, generation) = match kind {
                AssignorKind::Sticky => self.coordinator.last_assignment.clone(),
                _ => (owned.clone(), generation),
            };
            let topics = topics.to_vec();
            let rack = self.config.client_rack.clone();
            let said = MemberSubscription { topics, owned, generation, rack };
            protocols.push((Rc::from(kind.name()), Rc::new(said)));
        }
        let config = &self.config;
        let request = JoinGroup {
            group: self.group(),
            member: self.coordinator.generation.member.clone(),
            instance: config.group_instance_id.clone(),
            client_id: Rc::from(config.client_id.as_str()),
            session_timeout_ms: config.session_timeout_ms,
            rebalance_timeout_ms: config.max_poll_interval_ms,
            protocol_type: Rc::from(PROTOCOL_TYPE),
            protocols,
            reason: Rc::clone(&self.coordinator.reason),
        };
        let rebalance = config.max_poll_interval_ms.saturating_add(JOIN_GROUP_TIMEOUT_LAPSE_MS);
        let patience = SimDuration::from_millis(rebalance).max(self.patience());
        let call = GroupCall::Join(self.coordinator.generation.clone());
        self.send_to_coordinator(GroupRequest::JoinGroup(request), call, patience, out);
    }

    /// The topics that it subscribes to, as it knows them.
    pub(super) fn wanted_topics(&self) -> Rc<Vec<TopicName>> {
        match &self.subscription {
            Some(Subscription::Subscribed(Topics::Named(_) | Topics::Fitting(_))) => {
                Rc::clone(&self.subscribed)
            }
            _ => Rc::default(),
        }
    }

    /// A join has come to nothing.
    pub(super) fn fail_join(&mut self, failure: JoinFailure) {
        self.coordinator.assigning = None;
        if matches!(self.coordinator.join, Join::Sent) {
            self.coordinator.join = Join::Done(Err(failure));
        }
    }

    pub(super) fn handle_join(
        &mut self,
        sent: &Generation,
        answer: &JoinGroupAnswer,
        out: &mut Outbox,
    ) {
        match &answer.result {
            Ok(joined) => self.handle_joined(answer, joined, out),
            Err(error) => self.handle_join_error(sent, &answer.member, error, out),
        }
    }

    fn handle_joined(&mut self, answer: &JoinGroupAnswer, joined: &Joined, out: &mut Outbox) {
        if self.coordinator.state != MemberState::PreparingRebalance {
            // It has left meanwhile (`UnjoinedGroupException`).
            return self
                .fail_join(JoinFailure::Later("rebalance failed due to UnjoinedGroupException"));
        }
        self.coordinator.state = MemberState::CompletingRebalance;
        self.coordinator.generation = Generation {
            id: joined.generation,
            member: answer.member.clone(),
            protocol: Some(Rc::clone(&joined.protocol)),
        };
        self.enable_heartbeat(out);
        if joined.leader == answer.member {
            self.lead(joined, out);
        } else {
            self.send_sync(Vec::new(), out);
        }
    }

    /// Sends `SyncGroup`; from the leader with everybody's part.
    pub(super) fn send_sync(
        &mut self,
        assignments: Vec<(MemberId, Vec<TopicPartition>)>,
        out: &mut Outbox,
    ) {
        let protocol = self.coordinator.generation.protocol.clone();
        if self.coordinator.node.is_none() {
            let reason = "rebalance failed due to CoordinatorNotAvailableException";
            return self.fail_join(JoinFailure::Later(reason));
        }
        let request = SyncGroup {
            member: self.membership(),
            protocol_type: Rc::from(PROTOCOL_TYPE),
            protocol: protocol.unwrap_or_else(|| Rc::from("")),
            assignments,
        };
        let call = GroupCall::Sync(self.coordinator.generation.clone());
        self.send_to_coordinator(GroupRequest::SyncGroup(request), call, self.patience(), out);
    }

    fn handle_join_error(
        &mut self,
        sent: &Generation,
        member: &MemberId,
        error: &KafkaError,
        out: &mut Outbox,
    ) {
        let failure = match error.code {
            ErrorCode::MemberIdRequired => {
                let coordinator = &mut self.coordinator;
                coordinator.generation.member = member.clone();
                let reason = ["need to re-join with the given member-id: ", &member.0].concat();
                coordinator.request_rejoin(reason);
                JoinFailure::Again(None)
            }
            ErrorCode::UnknownMemberId => {
                if self.coordinator.generation == *sent {
                    self.coordinator.reset_on_error("JOIN_GROUP", error.code);
                }
                JoinFailure::Again(Some("rebalance failed due to UnknownMemberIdException"))
            }
            ErrorCode::RebalanceInProgress => {
                JoinFailure::Again(Some("rebalance failed due to RebalanceInProgressException"))
            }
            ErrorCode::CoordinatorLoadInProgress => {
                JoinFailure::Later("rebalance failed due to CoordinatorLoadInProgressException")
            }
            ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator => {
                self.fail_join(later(error.code));
                return self.mark_coordinator_unknown(out);
            }
            _ => self.fatal_join_error(sent, error, out),
        };
        self.fail_join(failure);
    }

    fn fatal_join_error(
        &self,
        sent: &Generation,
        error: &KafkaError,
        out: &mut Outbox,
    ) -> JoinFailure {
        let mut exception = thrown(error);
        let text = match error.code {
            ErrorCode::FencedInstanceId => format!(
                "JoinGroup failed: The group instance id {} has been fenced by another instance. Sent \
                 generation was {}",
                self.instance_text(),
                generation_text(sent)
            ),
            ErrorCode::GroupMaxSizeReached => {
                let group = self.group();
                exception.message = Some(format!(
                    "Consumer group {group} already has the configured maximum number of members."
                ));
                format!("JoinGroup failed due to fatal error: {}", error.message)
            }
            ErrorCode::InconsistentGroupProtocol
            | ErrorCode::InvalidSessionTimeout
            | ErrorCode::InvalidGroupId => {
                format!("JoinGroup failed due to fatal error: {}", error.message)
            }
            _ => {
                exception = PollError {
                    class: "org.apache.kafka.common.KafkaException",
                    message: Some(format!(
                        "Unexpected error in join group response: {}",
                        error.message
                    )),
                };
                format!("JoinGroup failed due to unexpected error: {}", error.message)
            }
        };
        self.log(LogLevel::Error, &format!("{text} ({CLASS})"), out);
        JoinFailure::Fatal("rebalance failed", exception)
    }

    pub(super) fn handle_sync(
        &mut self,
        sent: &Generation,
        answer: &Result<Synced, KafkaError>,
        out: &mut Outbox,
    ) {
        match answer {
            Ok(synced) => {
                let coordinator = &mut self.coordinator;
                if coordinator.generation.is_reset()
                    || coordinator.state != MemberState::CompletingRebalance
                {
                    let reason = "rebalance failed due to IllegalGenerationException";
                    return self.fail_join(JoinFailure::Again(Some(reason)));
                }
                coordinator.state = MemberState::Stable;
                coordinator.reason = Rc::from("");
                coordinator.needs_rejoin = false;
                if matches!(coordinator.join, Join::Sent) {
                    coordinator.join = Join::Done(Ok(synced.partitions.clone()));
                }
            }
            Err(error) => self.handle_sync_error(sent, error, out),
        }
    }

    fn handle_sync_error(&mut self, sent: &Generation, error: &KafkaError, out: &mut Outbox) {
        let failure = match error.code {
            ErrorCode::RebalanceInProgress => {
                JoinFailure::Again(Some("rebalance failed due to RebalanceInProgressException"))
            }
            ErrorCode::UnknownMemberId | ErrorCode::IllegalGeneration => {
                if self.coordinator.generation == *sent {
                    self.coordinator.reset_on_error("SYNC_GROUP", error.code);
                }
                JoinFailure::Again(Some(if error.code == ErrorCode::UnknownMemberId {
                    "rebalance failed due to UnknownMemberIdException"
                } else {
                    "rebalance failed due to IllegalGenerationException"
                }))
            }
            ErrorCode::CoordinatorNotAvailable | ErrorCode::NotCoordinator => {
                self.fail_join(later(error.code));
                return self.mark_coordinator_unknown(out);
            }
            ErrorCode::FencedInstanceId => {
                let text = format!(
                    "SyncGroup failed: The group instance id {} has been fenced by another instance. \
                     Sent generation was {} ({CLASS})",
                    self.instance_text(),
                    generation_text(sent)
                );
                self.log(LogLevel::Error, &text, out);
                JoinFailure::Fatal("rebalance failed", thrown(error))
            }
            _ => JoinFailure::Fatal(
                "rebalance failed",
                PollError {
                    class: "org.apache.kafka.common.KafkaException",
                    message: Some(format!("Unexpected error from SyncGroup: {}", error.message)),
                },
            ),
        };
        self.fail_join(failure);
    }

    /// Leaves, unless it shall not or is no member; and is none from then on.
    pub(super) fn maybe_leave_group(
        &mut self,
        operation: GroupMembershipOperation,
        reason: &str,
        out: &mut Outbox,
    ) {
        let coordinator = &self.coordinator;
        let member = coordinator.generation.member.clone();
        let leaves = match operation {
            GroupMembershipOperation::Default => self.config.group_instance_id.is_none(),
            GroupMembershipOperation::LeaveGroup => true,
            GroupMembershipOperation::RemainInGroup => false,
        };
        let is_member = coordinator.state != MemberState::Unjoined && !member.0.is_empty();
        if leaves && is_member && coordinator.node.is_some() {
            let leaving = LeavingMember { member, instance: None, reason: Rc::from(reason) };
            let request = GroupRequest::LeaveGroup { group: self.group(), members: vec![leaving] };
            self.send_to_coordinator(request, GroupCall::Leave, self.patience(), out);
        }
        self.coordinator.unread = None;
        self.coordinator.reset_and_rejoin("consumer pro-actively leaving the group", true);
    }

    pub(super) fn handle_left(
        &mut self,
        answer: &Result<Vec<Result<(), KafkaError>>, KafkaError>,
        out: &mut Outbox,
    ) {
        let error = match answer {
            Ok(members) => members.iter().find_map(|member| member.as_ref().err()),
            Err(error) => Some(error),
        };
        if let Some(error) = error {
            let text = format!("LeaveGroup request failed with error: {} ({CLASS})", error.message);
            self.log(LogLevel::Error, &text, out);
        }
        self.maybe_closed(out);
    }
}

fn later(code: ErrorCode) -> JoinFailure {
    JoinFailure::Later(match code {
        ErrorCode::NotCoordinator => "rebalance failed due to NotCoordinatorException",
        _ => "rebalance failed due to CoordinatorNotAvailableException",
    })
}

/// A generation as Java prints it.
pub(super) fn generation_text(generation: &Generation) -> String {
    let Generation { id, member, protocol } = generation;
    let protocol =
        protocol.as_deref().map_or_else(|| "null".to_owned(), |name| format!("'{name}'"));
    format!("Generation{{generationId={id}, memberId='{member}', protocol={protocol}}}")
}
