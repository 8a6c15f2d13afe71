//! What a consumer knows of its group and its coordinator (`AbstractCoordinator`): which broker that is,
//! which generation it is in, and what an answer or a lost connection makes of that.

use std::rc::Rc;

use super::commit::Commits;
use super::heartbeat::Heartbeat;
use super::rebalance::{Assigning, Prepared, Snapshot};
use super::{InFlight, KafkaConsumer, Node, PollError};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, GroupId, MemberId, MessageId, NodeId, TopicName, TopicPartition};
use crate::net::group::{GroupRequest, GroupResponse, Membership};
use crate::net::message::Request;
use crate::scope::Lab;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;

/// The class that logs what concerns the group.
pub(super) const CLASS: &str = "org.apache.kafka.clients.consumer.internals.ConsumerCoordinator";

/// `OffsetCommitRequest.DEFAULT_GENERATION_ID`
pub(super) const NO_GENERATION: i32 = -1;

/// How far it is in its group (`MemberState`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberState {
    /// It is no member, or was put out.
    Unjoined,
    /// It has sent `JoinGroup`.
    PreparingRebalance,
    /// It has sent `SyncGroup`.
    CompletingRebalance,
    /// It has its part.
    Stable,
}

impl MemberState {
    /// Whether heartbeats make no sense.
    pub(super) fn has_not_joined(self) -> bool {
        matches!(self, Self::Unjoined | Self::PreparingRebalance)
    }

    /// Kafka's name of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unjoined => "UNJOINED",
            Self::PreparingRebalance => "PREPARING_REBALANCE",
            Self::CompletingRebalance => "COMPLETING_REBALANCE",
            Self::Stable => "STABLE",
        }
    }
}

/// Which generation it is in, as who (`AbstractCoordinator.Generation`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Generation {
    pub(super) id: i32,
    pub(super) member: MemberId,
    pub(super) protocol: Option<Rc<str>>,
}

impl Generation {
    fn none() -> Self {
        Self { id: NO_GENERATION, member: MemberId(Rc::from("")), protocol: None }
    }

    pub(super) fn is_reset(&self) -> bool {
        self.id == NO_GENERATION && self.protocol.is_none()
    }

    /// Whether it owns nothing any more, whatever it thinks that it has.
    pub(super) fn has_lost_all(&self) -> bool {
        self.id == NO_GENERATION || self.member.0.is_empty()
    }
}

/// Why a `JoinGroup` or a `SyncGroup` came to nothing.
#[derive(Clone, Debug)]
pub(super) enum JoinFailure {
    /// Once more, at once; with the reason for the coordinator, unless that was given already.
    Again(Option<&'static str>),
    /// Once more, after a while.
    Later(&'static str),
    /// The application hears of it.
    Fatal(&'static str, PollError),
}

/// A join that is under way, until the application has polled again (`joinFuture`).
#[derive(Clone, Debug)]
pub(super) enum Join {
    /// There is none.
    None,
    /// It waits for an answer.
    Sent,
    /// It has come to this.
    Done(Result<Vec<TopicPartition>, JoinFailure>),
}

/// A request to the coordinator that waits for its answer.
#[derive(Clone, Debug)]
pub(super) enum GroupCall {
    Join(Generation),
    Sync(Generation),
    Heartbeat(Generation),
    Leave,
    Commit(Box<super::commit::Commit>),
    OffsetFetch,
}

/// All of it.
#[derive(Clone, Debug)]
pub(super) struct Coordinator {
    /// Which broker it is.
    pub(super) node: Option<BrokerId>,
    /// When it may be looked for next, after so many failures.
    pub(super) find_at: SimTime,
    find_failures: u32,
    pub(super) state: MemberState,
    pub(super) generation: Generation,
    pub(super) needs_rejoin: bool,
    /// Why, for the coordinator's log (KIP-800).
    pub(super) reason: Rc<str>,
    pub(super) join: Join,
    /// An answer to `JoinGroup` that nobody has looked at: no heartbeat reads it, and nobody polls.
    pub(super) unread: Option<(Generation, GroupResponse)>,
    pub(super) needs_prepare: bool,
    pub(super) prepared: Prepared,
    /// Whether the metadata was asked for anew since the last join (patterns only).
    pub(super) is_refreshed: bool,
    pub(super) rejoin_at: SimTime,
    pub(super) join_failures: u32,
    /// As the leader: what it assigned by.
    pub(super) assigned_by: Option<Rc<Snapshot>>,
    pub(super) is_leader: bool,
    /// As the leader: the members that wait for metadata to be assigned.
    pub(super) assigning: Option<Assigning>,
    /// What it joined with.
    pub(super) joined_topics: Option<Rc<Vec<TopicName>>>,
    /// What it was given last, in which generation: the user data of `sticky`.
    pub(super) last_assignment: (Vec<TopicPartition>, i32),
    pub(super) heartbeat: Heartbeat,
    pub(super) commits: Commits,
    /// Whether the committed offsets are being asked for, and when they may be.
    pub(super) is_fetching_offsets: bool,
    pub(super) fetch_offsets_at: SimTime,
    pub(super) offset_failures: u32,
    /// What went wrong beside a poll: the next one tells.
    pub(super) failure: Option<PollError>,
}

impl Coordinator {
    pub(super) fn new() -> Self {
        Self {
            node: None,
            find_at: SimTime::default(),
            find_failures: 0,
            state: MemberState::Unjoined,
            generation: Generation::none(),
            needs_rejoin: true,
            reason: Rc::from(""),
            join: Join::None,
            unread: None,
            needs_prepare: true,
            prepared: Prepared::Not,
            is_refreshed: false,
            rejoin_at: SimTime::default(),
            join_failures: 0,
            assigned_by: None,
            is_leader: false,
            assigning: None,
            joined_topics: None,
            last_assignment: (Vec::new(), NO_GENERATION),
            heartbeat: Heartbeat::default(),
            commits: Commits::default(),
            is_fetching_offsets: false,
            fetch_offsets_at: SimTime::default(),
            offset_failures: 0,
            failure: None,
        }
    }

    /// Joins again, for this reason (`requestRejoin`).
    pub(super) fn request_rejoin(&mut self, reason: impl Into<Rc<str>>) {
        self.reason = reason.into();
        self.needs_rejoin = true;
    }

    /// It is no member any more (`resetStateAndRejoin`).
    pub(super) fn reset_and_rejoin(&mut self, reason: impl Into<Rc<str>>, forgets_member: bool) {
        self.state = MemberState::Unjoined;
        let member =
            if forgets_member { MemberId(Rc::from("")) } else { self.generation.member.clone() };
        self.generation = Generation { id: NO_GENERATION, member, protocol: None };
        self.request_rejoin(reason);
        self.needs_prepare = true;
    }

    /// The same, because a broker said so in this answer (`resetStateOnResponseError`).
    pub(super) fn reset_on_error(&mut self, api: &str, code: ErrorCode) {
        let reason = ["encountered ", code.name(), " from ", api, " response"].concat();
        self.reset_and_rejoin(reason, code != ErrorCode::IllegalGeneration);
    }
}

impl KafkaConsumer {
    /// Its group. Only a consumer with one has a coordinator.
    pub(super) fn group(&self) -> GroupId {
        self.config.group_id.clone().unwrap_or_else(|| GroupId(Rc::from("")))
    }

    /// As whom it speaks now.
    pub(super) fn membership(&self) -> Membership {
        let Generation { id, member, .. } = &self.coordinator.generation;
        Membership {
            group: self.group(),
            generation: *id,
            member: member.clone(),
            instance: self.config.group_instance_id.clone(),
        }
    }

    /// Asks a broker who the coordinator is, if nobody was asked yet and it is time (`lookupCoordinator`).
    pub(super) fn look_up_coordinator(&mut self, out: &mut Outbox) {
        let is_asked =
            self.in_flight.values().any(|(what, _)| matches!(what, InFlight::FindCoordinator));
        if is_asked || self.coordinator.node.is_some() {
            return;
        }
        if self.coordinator.find_at > out.now() {
            return self.wake_at(self.coordinator.find_at, out);
        }
        let request = Request::Group(Lab::new(GroupRequest::FindCoordinator(self.group())));
        self.send_to_any(request, InFlight::FindCoordinator, out);
    }

    fn find_later(&mut self, out: &mut Outbox) {
        let failures = self.coordinator.find_failures;
        self.coordinator.find_failures = failures.saturating_add(1);
        let at = out.now() + self.backoff(failures);
        self.coordinator.find_at = at;
        self.wake_at(at, out);
    }

    /// Nobody answered the question who the coordinator is.
    pub(super) fn handle_lookup_lost(&mut self, out: &mut Outbox) {
        self.note_stale(out);
        self.find_later(out);
    }

    fn handle_coordinator(&mut self, found: &Result<BrokerId, KafkaError>, out: &mut Outbox) {
        match found {
            Ok(node) => {
                // It is there again, or is left alone for a while longer.
                let link = Node::Coordinator(*node);
                if let Some(until) = self.links.unavailable_until(link, out.now()) {
                    self.find_later(out);
                    self.coordinator.find_at = self.coordinator.find_at.max(until);
                    return self.send_waiting_commits(out);
                }
                self.coordinator.node = Some(*node);
                self.coordinator.find_failures = 0;
                self.coordinator.heartbeat.last_receive = out.now();
            }
            Err(error) if is_retriable(error.code) => {
                self.note_stale(out);
                self.find_later(out);
            }
            Err(error) => self.coordinator.failure = Some(thrown(error)),
        }
        self.send_waiting_commits(out);
    }

    /// Sends something to the coordinator. Whoever calls knows that there is one.
    pub(super) fn send_to_coordinator(
        &mut self,
        request: GroupRequest,
        call: GroupCall,
        patience: SimDuration,
        out: &mut Outbox,
    ) {
        let Some(node) = self.coordinator.node else { return };
        let id = out.request(NodeId::Broker(node), Request::Group(Lab::new(request)));
        let link = Node::Coordinator(node);
        self.note_request_for(patience, (id, InFlight::Group(call), link), out);
    }

    /// How long a request may take.
    pub(super) fn patience(&self) -> SimDuration {
        SimDuration::from_millis(self.config.request_timeout_ms)
    }

    /// Handles what the coordinator answers.
    pub(super) fn handle_group(
        &mut self,
        call: &InFlight,
        response: &GroupResponse,
        out: &mut Outbox,
    ) {
        if let GroupResponse::FindCoordinator(found) = response {
            return self.handle_coordinator(found, out);
        }
        let InFlight::Group(call) = call else { return };
        match (call, response) {
            (GroupCall::Join(sent), GroupResponse::JoinGroup(answer)) => {
                if self.poll.is_none() {
                    self.coordinator.unread = Some((sent.clone(), response.clone()));
                } else {
                    self.handle_join(sent, answer, out);
                }
            }
            (GroupCall::Sync(sent), GroupResponse::SyncGroup(answer)) => {
                self.handle_sync(sent, answer, out);
            }
            (GroupCall::Heartbeat(sent), GroupResponse::Heartbeat(answer)) => {
                self.handle_heartbeat(sent, answer, out);
            }
            (GroupCall::Leave, GroupResponse::LeaveGroup(answer)) => self.handle_left(answer, out),
            (GroupCall::Commit(commit), GroupResponse::OffsetCommit(outcomes)) => {
                self.handle_committed(commit, outcomes, out);
            }
            (GroupCall::OffsetFetch, GroupResponse::OffsetFetch(answer)) => {
                self.handle_offset_fetch(answer, out);
            }
            _ => {}
        }
    }

    /// The coordinator is another broker now, or not ready (`markCoordinatorUnknown`): it is looked for
    /// again, and nothing that was asked of it will be answered.
    pub(super) fn mark_coordinator_unknown(&mut self, out: &mut Outbox) {
        if self.coordinator.node.take().is_none() {
            return;
        }
        let calls =
            self.in_flight.iter().filter(|(_, (what, _))| matches!(what, InFlight::Group(_)));
        let calls: Vec<MessageId> = calls.map(|(id, _)| *id).collect();
        for id in calls {
            if let Some(InFlight::Group(call)) = self.answered(id) {
                self.handle_call_lost(&call, out);
            }
        }
    }

    /// The connection to the coordinator is gone, or a request took too long.
    pub(super) fn handle_coordinator_lost(&mut self, call: &GroupCall, out: &mut Outbox) {
        if self.coordinator.node.is_some() {
            self.find_later(out);
        }
        self.handle_call_lost(call, out);
        self.mark_coordinator_unknown(out);
    }

    fn handle_call_lost(&mut self, call: &GroupCall, out: &mut Outbox) {
        match call {
            GroupCall::Join(_) | GroupCall::Sync(_) => {
                self.fail_join(JoinFailure::Later("rebalance failed due to DisconnectException"));
            }
            GroupCall::Heartbeat(_) => self.fail_heartbeat(out),
            GroupCall::Leave => self.maybe_closed(out),
            GroupCall::Commit(commit) => self.handle_commit_lost(commit, out),
            GroupCall::OffsetFetch => self.fetch_offsets_later(out),
        }
    }
}

/// An answer after which a client tries again (`RetriableException`).
pub(super) fn is_retriable(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::CoordinatorNotAvailable
            | ErrorCode::NotCoordinator
            | ErrorCode::CoordinatorLoadInProgress
            | ErrorCode::UnknownTopicOrPartition
            | ErrorCode::NotLeaderOrFollower
            | ErrorCode::LeaderNotAvailable
            | ErrorCode::Network
            | ErrorCode::Timeout
    )
}

/// An error as the application gets it.
pub(super) fn thrown(error: &KafkaError) -> PollError {
    PollError { class: error.code.exception(), message: Some(error.message.clone()) }
}
