//! A group of the classic protocol: its members, its state, who leads it and which assignor it uses
//! (Kafka's `ClassicGroup`). What members ask for is handled in `join`, `sync` and `rebalance`.

use std::rc::Rc;

use crate::broker::alarm::Task;
use crate::broker::group_coordinator::member::Member;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{EventId, GroupId, MemberId, TopicName};
use crate::java::hash_map::{in_set_order, string_hash};
use crate::net::group::{DescribedGroup, Joined, JoinedMember, ListedGroup};
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};

/// What members of ordinary consumers' groups are.
pub(super) const CONSUMER: &str = "consumer";

/// How far a group has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupState {
    /// It has no members.
    Empty,
    /// It waits for its members to join.
    PreparingRebalance,
    /// It waits for its leader to assign.
    CompletingRebalance,
    /// All members have their parts.
    Stable,
    /// It is here no more.
    Dead,
}

impl GroupState {
    /// Kafka's name of it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Empty => "Empty",
            Self::PreparingRebalance => "PreparingRebalance",
            Self::CompletingRebalance => "CompletingRebalance",
            Self::Stable => "Stable",
            Self::Dead => "Dead",
        }
    }
}

/// When the wait for members to join ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinPhase {
    /// Of a group that was empty: then, unless somebody joins meanwhile.
    Initial {
        /// Then.
        ends: SimTime,
        /// How long this part of the wait takes.
        delay: SimDuration,
        /// How much longer it may become.
        remaining: SimDuration,
    },
    /// When all known members have joined; at the latest then.
    All {
        /// Then.
        ends: SimTime,
    },
}

impl JoinPhase {
    /// When it ends, if nothing happens before.
    #[must_use]
    pub fn ends(self) -> SimTime {
        match self {
            Self::Initial { ends, .. } | Self::All { ends } => ends,
        }
    }
}

/// A group.
#[derive(Clone, Debug)]
pub struct ClassicGroup {
    /// Its id.
    pub id: GroupId,
    /// What its timers call it.
    pub(super) number: u32,
    pub(super) state: GroupState,
    pub(super) previous_state: GroupState,
    /// Since when it is in this state.
    pub(super) state_timestamp: Option<i64>,
    pub(super) protocol_type: Option<Rc<str>>,
    pub(super) protocol: Option<Rc<str>>,
    pub(super) generation: i32,
    pub(super) leader: Option<MemberId>,
    /// In the order in which they came.
    pub(super) members: Vec<Member>,
    /// Ids that were given out and have not joined, and until when they may.
    pub(super) pending: Vec<(MemberId, SimTime)>,
    /// Members of this generation that have not asked for their parts.
    pub(super) pending_sync: Vec<MemberId>,
    /// What its members read, as far as the coordinator can tell.
    pub(super) subscribed: Option<Vec<TopicName>>,
    /// Somebody has joined during the initial wait.
    pub(super) new_member_added: bool,
    pub(super) join_phase: Option<JoinPhase>,
    /// Until when all members must have asked for their parts.
    pub(super) sync_deadline: Option<SimTime>,
    /// The event of the last rebalance's beginning.
    pub(super) rebalance_event: Option<EventId>,
    pub(super) alarm: Task,
}

impl ClassicGroup {
    /// A group without members.
    pub(super) fn new(id: GroupId, number: u32, now_ms: i64) -> Self {
        Self {
            id,
            number,
            state: GroupState::Empty,
            previous_state: GroupState::Dead,
            state_timestamp: Some(now_ms),
            protocol_type: None,
            protocol: None,
            generation: 0,
            leader: None,
            members: Vec::new(),
            pending: Vec::new(),
            pending_sync: Vec::new(),
            subscribed: None,
            new_member_added: false,
            join_phase: None,
            sync_deadline: None,
            rebalance_event: None,
            alarm: Task::default(),
        }
    }

    /// How far it has come.
    #[must_use]
    pub fn state(&self) -> GroupState {
        self.state
    }

    /// The generation of its members.
    #[must_use]
    pub fn generation(&self) -> i32 {
        self.generation
    }

    /// Who assigns.
    #[must_use]
    pub fn leader(&self) -> Option<&MemberId> {
        self.leader.as_ref()
    }

    /// The assignor.
    #[must_use]
    pub fn protocol(&self) -> Option<&str> {
        self.protocol.as_deref()
    }

    /// Its members, in the order in which they came.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The wait for members to join.
    #[must_use]
    pub fn join_phase(&self) -> Option<JoinPhase> {
        self.join_phase
    }

    pub(super) fn is(&self, state: GroupState) -> bool {
        self.state == state
    }

    pub(super) fn member(&self, id: &MemberId) -> Option<&Member> {
        self.members.iter().find(|member| member.id == *id)
    }

    pub(super) fn member_mut(&mut self, id: &MemberId) -> Option<&mut Member> {
        self.members.iter_mut().find(|member| member.id == *id)
    }

    pub(super) fn static_member(&self, instance: &str) -> Option<&Member> {
        self.members.iter().find(|member| member.instance.as_deref() == Some(instance))
    }

    pub(super) fn is_pending(&self, id: &MemberId) -> bool {
        self.pending.iter().any(|(pending, _)| pending == id)
    }

    pub(super) fn is_leader(&self, id: &MemberId) -> bool {
        self.leader.as_ref() == Some(id)
    }

    /// Members in the order in which a Java map hands them out.
    pub(super) fn ids_in_java_order(&self) -> Vec<MemberId> {
        let ids: Vec<MemberId> = self.members.iter().map(|member| member.id.clone()).collect();
        in_set_order(&ids, |id| string_hash(&id.0))
    }

    fn in_java_order(&self) -> impl Iterator<Item = &Member> {
        self.ids_in_java_order().into_iter().filter_map(|id| self.member(&id))
    }

    pub(super) fn awaiting_join(&self) -> usize {
        self.members.iter().filter(|member| member.awaiting_join.is_some()).count()
    }

    pub(super) fn has_all_members_joined(&self) -> bool {
        self.pending.is_empty() && self.awaiting_join() == self.members.len()
    }

    /// The largest of its members' rebalance timeouts.
    pub(super) fn rebalance_timeout(&self) -> SimDuration {
        let longest = self.members.iter().map(|member| member.rebalance_timeout_ms).max();
        SimDuration::from_millis(longest.unwrap_or(0))
    }

    pub(super) fn can_rebalance(&self) -> bool {
        !matches!(self.state, GroupState::PreparingRebalance | GroupState::Dead)
    }

    /// Whether somebody who can use these assignors may be a member.
    pub(super) fn supports(&self, protocol_type: &str, protocols: &[Rc<str>]) -> bool {
        if self.is(GroupState::Empty) {
            return !protocol_type.is_empty() && !protocols.is_empty();
        }
        let common = |name: &Rc<str>| self.members.iter().all(|member| member.supports(name));
        self.protocol_type.as_deref() == Some(protocol_type) && protocols.iter().any(common)
    }

    /// Whether this is a member, and the one that it says it is (`ClassicGroup.validateMember`).
    pub(super) fn validate(&self, id: &MemberId, instance: Option<&str>) -> Result<(), KafkaError> {
        if let Some(instance) = instance {
            match self.static_member(instance) {
                None => return Err(KafkaError::plain(ErrorCode::UnknownMemberId)),
                Some(known) if known.id != *id => {
                    return Err(KafkaError::plain(ErrorCode::FencedInstanceId));
                }
                Some(_) => {}
            }
        }
        match self.member(id) {
            Some(_) => Ok(()),
            None => Err(KafkaError::plain(ErrorCode::UnknownMemberId)),
        }
    }

    /// Adds a member. The first one leads.
    pub(super) fn add(&mut self, member: Member, protocol_type: &Rc<str>) {
        if self.members.is_empty() {
            self.protocol_type = Some(Rc::clone(protocol_type));
        }
        if self.leader.is_none() {
            self.leader = Some(member.id.clone());
        }
        self.pending.retain(|(pending, _)| *pending != member.id);
        self.members.push(member);
    }

    /// Removes whoever has this id. If it led, another one does.
    pub(super) fn remove(&mut self, id: &MemberId) {
        self.members.retain(|member| member.id != *id);
        if self.is_leader(id) {
            self.leader = self.ids_in_java_order().into_iter().next();
        }
        self.pending.retain(|(pending, _)| pending != id);
        self.pending_sync.retain(|pending| pending != id);
    }

    /// Whether somebody who has joined leads; if the leader has not, another one does from now on.
    pub(super) fn maybe_elect_new_joined_leader(&mut self) -> bool {
        let Some(leader) = self.leader.as_ref().and_then(|leader| self.member(leader)) else {
            return false;
        };
        if leader.awaiting_join.is_some() {
            return true;
        }
        let joined = self.in_java_order().find(|member| member.awaiting_join.is_some());
        let Some(joined) = joined.map(|member| member.id.clone()) else { return false };
        self.leader = Some(joined);
        true
    }

    /// The assignor that all can use and most like best.
    pub(super) fn select_protocol(&self) -> Option<Rc<str>> {
        let first = self.members.first()?;
        let mut candidates = Vec::new();
        for (name, _) in first.protocols.iter() {
            if self.members.iter().all(|member| member.supports(name)) {
                candidates.push(Rc::clone(name));
            }
        }
        let mut votes: SortedMap<Rc<str>, u32> = SortedMap::new();
        for member in &self.members {
            if let Some(choice) = member.vote(&candidates) {
                *votes.get_or_insert_with(choice, || 0) += 1;
            }
        }
        let names: Vec<Rc<str>> = votes.keys().cloned().collect();
        let mut best: Option<(Rc<str>, u32)> = None;
        for name in in_set_order(&names, |name| string_hash(name)) {
            let count = votes.get(&name).copied().unwrap_or(0);
            if best.as_ref().is_none_or(|(_, most)| count > *most) {
                best = Some((name, count));
            }
        }
        best.map(|(name, _)| name)
    }

    /// What its members read. `None`: the coordinator cannot tell.
    pub(super) fn compute_subscribed(&self) -> Option<Vec<TopicName>> {
        self.protocol_type.as_ref()?;
        if self.members.is_empty() {
            return Some(Vec::new());
        }
        let protocol = self.protocol.as_deref()?;
        if self.protocol_type.as_deref() != Some(CONSUMER) {
            return None;
        }
        let mut topics: Vec<TopicName> = Vec::new();
        for member in &self.members {
            for topic in member.subscription(protocol).iter().flat_map(|known| &known.topics) {
                if !topics.contains(topic) {
                    topics.push(topic.clone());
                }
            }
        }
        Some(topics)
    }

    /// Whether consumers of this group read that topic, as far as the coordinator can tell.
    pub(super) fn is_subscribed_to(&self, topic: &TopicName) -> bool {
        let consumers = self.protocol_type.as_deref() == Some(CONSUMER);
        consumers && self.subscribed.as_ref().is_none_or(|topics| topics.contains(topic))
    }

    pub(super) fn joined(&self, id: &MemberId, skip_assignment: bool) -> Joined {
        let protocol = self.protocol.clone().unwrap_or_default();
        let mut members: Vec<JoinedMember> = Vec::new();
        if self.is_leader(id) {
            members.extend(self.in_java_order().map(|member| member.seen_by_leader(&protocol)));
        }
        Joined {
            generation: self.generation,
            protocol,
            leader: self.leader.clone().unwrap_or_else(|| MemberId(Rc::from(""))),
            skip_assignment,
            members,
        }
    }

    pub(super) fn describe(&self) -> DescribedGroup {
        let is_stable = self.is(GroupState::Stable);
        let protocol = self.protocol.clone().filter(|_| is_stable).unwrap_or_default();
        DescribedGroup {
            state: Rc::from(self.state.name()),
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            protocol,
            members: self.in_java_order().map(Member::describe).collect(),
        }
    }

    pub(super) fn listed(&self) -> ListedGroup {
        ListedGroup {
            group: self.id.clone(),
            protocol_type: self.protocol_type.clone().unwrap_or_default(),
            state: Rc::from(self.state.name()),
            group_type: Rc::from("classic"),
        }
    }

    /// The next moment at which something happens if nobody says anything.
    pub(super) fn next_deadline(&self) -> Option<SimTime> {
        let sessions = self.members.iter().filter_map(|member| member.session_deadline);
        let pending = self.pending.iter().map(|(_, until)| *until);
        let phases = self.join_phase.map(JoinPhase::ends).into_iter().chain(self.sync_deadline);
        sessions.chain(pending).chain(phases).min()
    }
}
