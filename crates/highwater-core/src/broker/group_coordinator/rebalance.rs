//! When does a rebalance begin, when have all joined, and who is taken for gone?
//! (`GroupMetadataManager.prepareRebalance`, `completeClassicGroupJoin`, expirations)

use std::rc::Rc;

use crate::broker::group_coordinator::classic_group::{ClassicGroup, GroupState, JoinPhase};
use crate::broker::group_coordinator::context::{Context, Then};
use crate::broker::group_coordinator::member::Assignment;
use crate::broker::group_coordinator::records::GroupRecord;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::MemberId;
use crate::net::group::{GroupResponse, JoinGroupAnswer, Synced};
use crate::time::{SimDuration, SimTime};
use crate::world::cluster_event::ClusterEvent;
use crate::world::group_event::{GroupEvent, Missed, RebalanceReason};

impl ClassicGroup {
    pub(super) fn transition(&mut self, to: GroupState, ctx: &mut Context<'_>) {
        let (group, from) = (self.id.clone(), self.state);
        self.previous_state = from;
        self.state = to;
        self.state_timestamp = Some(ctx.now_ms());
        if from != to {
            ctx.emit(GroupEvent::StateChanged { group, from, to });
        }
    }

    /// All must join (again), if they need not already; otherwise all may have joined now.
    pub(super) fn maybe_prepare_rebalance_or_complete_join(
        &mut self,
        why: RebalanceReason,
        ctx: &mut Context<'_>,
    ) {
        if self.can_rebalance() {
            self.prepare_rebalance(why, ctx);
        } else {
            self.maybe_complete_join_phase(ctx);
        }
    }

    pub(super) fn prepare_rebalance(&mut self, why: RebalanceReason, ctx: &mut Context<'_>) {
        if self.is(GroupState::CompletingRebalance) {
            let error = KafkaError::plain(ErrorCode::RebalanceInProgress);
            self.reset_and_propagate_assignment(&error, ctx);
        }
        self.sync_deadline = None;
        let is_initial = self.is(GroupState::Empty);
        let (group, generation) = (self.id.clone(), self.generation);
        let started = GroupEvent::RebalanceStarted { group, generation, why };
        self.rebalance_event = Some(ctx.out.emit(ClusterEvent::Group(started)));
        let now = ctx.now();
        if is_initial {
            // It is new: others may be about to join, too.
            let delay = ctx.config.initial_rebalance_delay;
            let remaining = SimDuration(self.rebalance_timeout().0.saturating_sub(delay.0));
            self.join_phase = Some(JoinPhase::Initial { ends: now + delay, delay, remaining });
        }
        self.transition(GroupState::PreparingRebalance, ctx);
        if is_initial {
            return;
        }
        if self.has_all_members_joined() {
            self.complete_join(ctx);
        } else {
            self.join_phase = Some(JoinPhase::All { ends: now + self.rebalance_timeout() });
        }
    }

    /// The first generation of a group that was empty waits for its time.
    pub(super) fn maybe_complete_join_phase(&mut self, ctx: &mut Context<'_>) {
        if self.is(GroupState::PreparingRebalance)
            && self.has_all_members_joined()
            && self.previous_state != GroupState::Empty
        {
            self.complete_join(ctx);
        }
    }

    fn end_initial_wait(
        &mut self,
        delay: SimDuration,
        remaining: SimDuration,
        ctx: &mut Context<'_>,
    ) {
        if !self.new_member_added || remaining.0 == 0 {
            return self.complete_join(ctx);
        }
        self.new_member_added = false;
        let next = SimDuration(ctx.config.initial_rebalance_delay.0.min(remaining.0));
        let remaining = SimDuration(remaining.0.saturating_sub(delay.0));
        self.join_phase =
            Some(JoinPhase::Initial { ends: ctx.now() + next, delay: next, remaining });
    }

    /// Whoever has not joined is gone, unless it is static; the others are the next generation.
    pub(super) fn complete_join(&mut self, ctx: &mut Context<'_>) {
        self.join_phase = None;
        let late = self.members.iter().filter(|it| it.awaiting_join.is_none() && !it.is_static());
        let late: Vec<MemberId> = late.map(|member| member.id.clone()).collect();
        let timeout_ms = self.rebalance_timeout().0 / 1_000;
        for member in late {
            self.remove(&member);
            let (group, missed) = (self.id.clone(), Missed::Rejoin);
            ctx.emit(GroupEvent::MemberExpired { group, member, missed, timeout_ms });
        }
        if self.is(GroupState::Dead) {
            return;
        }
        if !self.maybe_elect_new_joined_leader() && !self.members.is_empty() {
            // Only static members are left, and none of them has joined: their sessions decide.
            let ends = ctx.now() + self.rebalance_timeout();
            self.join_phase = Some(JoinPhase::All { ends });
            return;
        }
        self.begin_generation(ctx);
    }

    fn begin_generation(&mut self, ctx: &mut Context<'_>) {
        self.generation = self.generation.saturating_add(1);
        self.pending_sync.clear();
        self.new_member_added = false;
        if self.members.is_empty() {
            self.protocol = None;
            self.subscribed = self.compute_subscribed();
            self.transition(GroupState::Empty, ctx);
            let record = GroupRecord::of_group(self, &[]);
            return ctx.write(vec![record], Then::Nothing);
        }
        self.protocol = self.select_protocol();
        self.subscribed = self.compute_subscribed();
        ctx.out.because(self.rebalance_event);
        let ids = self.ids_in_java_order();
        ctx.emit(GroupEvent::GenerationBegan {
            group: self.id.clone(),
            generation: self.generation,
            protocol: self.protocol.clone().unwrap_or_default(),
            leader: self.leader.clone().unwrap_or_else(|| MemberId(Rc::from(""))),
            members: ids.clone(),
        });
        self.transition(GroupState::CompletingRebalance, ctx);
        let now = ctx.now();
        for id in &ids {
            let joined = self.joined(id, false);
            let Some(member) = self.member_mut(id) else { continue };
            member.note_contact(now);
            member.is_new = false;
            if let Some(asker) = member.awaiting_join.take() {
                let answer = JoinGroupAnswer { member: id.clone(), result: Ok(joined) };
                ctx.answer(asker, GroupResponse::JoinGroup(answer));
            }
        }
        self.pending_sync = ids;
        self.sync_deadline = Some(now + self.rebalance_timeout());
    }

    /// Gives each member its part, and answers those who wait for it.
    pub(super) fn set_and_propagate_assignment(
        &mut self,
        parts: &[(MemberId, Assignment)],
        ctx: &mut Context<'_>,
    ) {
        for member in &mut self.members {
            let part = parts.iter().find(|(id, _)| *id == member.id);
            member.assignment = Some(part.map_or_else(Rc::default, |(_, part)| Rc::clone(part)));
        }
        self.propagate(None, ctx);
    }

    /// Nobody has a part; whoever waits for one is told why.
    pub(super) fn reset_and_propagate_assignment(
        &mut self,
        error: &KafkaError,
        ctx: &mut Context<'_>,
    ) {
        for member in &mut self.members {
            member.assignment = None;
        }
        self.propagate(Some(error), ctx);
    }

    fn propagate(&mut self, error: Option<&KafkaError>, ctx: &mut Context<'_>) {
        let (protocol, now) = (self.protocol.clone().unwrap_or_default(), ctx.now());
        for id in self.ids_in_java_order() {
            let Some(member) = self.member_mut(&id) else { continue };
            let Some(asker) = member.awaiting_sync.take() else { continue };
            member.note_contact(now);
            let result = match error {
                Some(error) => Err(error.clone()),
                None => {
                    Ok(Synced { protocol: Rc::clone(&protocol), partitions: member.partitions() })
                }
            };
            ctx.answer(asker, GroupResponse::SyncGroup(result));
        }
    }

    /// Whatever was to happen until now does.
    pub(super) fn handle_deadlines(&mut self, ctx: &mut Context<'_>) {
        let now = ctx.now();
        while let Some(due) = self.next_deadline().filter(|due| *due <= now) {
            if self.join_phase.is_some_and(|phase| phase.ends() == due) {
                match self.join_phase.take() {
                    Some(JoinPhase::Initial { delay, remaining, .. }) => {
                        self.end_initial_wait(delay, remaining, ctx);
                    }
                    _ => self.complete_join(ctx),
                }
            } else if self.sync_deadline == Some(due) {
                self.expire_pending_sync(ctx);
            } else {
                self.expire_session(due, ctx);
            }
        }
    }

    fn expire_session(&mut self, due: SimTime, ctx: &mut Context<'_>) {
        if let Some((id, _)) = self.pending.iter().find(|(_, until)| *until == due).cloned() {
            self.pending.retain(|(pending, _)| *pending != id);
            let (group, missed) = (self.id.clone(), Missed::Join);
            ctx.emit(GroupEvent::MemberExpired { group, member: id, missed, timeout_ms: 0 });
            return self.maybe_complete_join_phase(ctx);
        }
        let member = self.members.iter_mut().find(|it| it.session_deadline == Some(due));
        let Some(member) = member else { return };
        member.session_deadline = None;
        if !member.is_new && member.is_awaiting() {
            // It waits for an answer, so it is there.
            return;
        }
        let (id, timeout_ms) = (member.id.clone(), member.session_timeout_ms);
        let (group, missed) = (self.id.clone(), Missed::Heartbeat);
        ctx.emit(GroupEvent::MemberExpired { group, member: id.clone(), missed, timeout_ms });
        self.remove_and_update(&id, RebalanceReason::MemberExpired(id.clone()), ctx);
    }

    /// Removes a member; the others must join again.
    fn remove_and_update(&mut self, id: &MemberId, why: RebalanceReason, ctx: &mut Context<'_>) {
        self.dismiss(id, ctx);
        match self.state {
            GroupState::Stable | GroupState::CompletingRebalance => {
                self.maybe_prepare_rebalance_or_complete_join(why, ctx);
            }
            GroupState::PreparingRebalance => self.maybe_complete_join_phase(ctx),
            GroupState::Empty | GroupState::Dead => {}
        }
    }

    /// Removes a member. If it waits to join, it may try again.
    pub(super) fn dismiss(&mut self, id: &MemberId, ctx: &mut Context<'_>) {
        let waiting = self.member_mut(id).and_then(|member| member.awaiting_join.take());
        if let Some(asker) = waiting {
            let error = KafkaError::plain(ErrorCode::UnknownMemberId);
            ctx.refuse_join(asker, MemberId(Rc::from("")), error);
        }
        self.remove(id);
    }

    fn expire_pending_sync(&mut self, ctx: &mut Context<'_>) {
        self.sync_deadline = None;
        let late = std::mem::take(&mut self.pending_sync);
        let in_time = !matches!(self.state, GroupState::CompletingRebalance | GroupState::Stable);
        if late.is_empty() || in_time {
            return;
        }
        let timeout_ms = self.rebalance_timeout().0 / 1_000;
        for member in &late {
            self.remove(member);
            let (group, member, missed) = (self.id.clone(), member.clone(), Missed::Sync);
            ctx.emit(GroupEvent::MemberExpired { group, member, missed, timeout_ms });
        }
        self.prepare_rebalance(RebalanceReason::SyncExpired(late), ctx);
    }
}
