//! Who may join a group, under which id, and what does it change? (`classicGroupJoinToClassicGroup`)

use std::rc::Rc;

use crate::broker::group_coordinator::classic_group::{ClassicGroup, GroupState};
use crate::broker::group_coordinator::context::{Context, Replaced, Then};
use crate::broker::group_coordinator::member::{Asker, Assignment, Member};
use crate::broker::group_coordinator::records::GroupRecord;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::MemberId;
use crate::net::group::{GroupResponse, JoinGroup, JoinGroupAnswer};
use crate::time::SimDuration;
use crate::world::group_event::{GroupEvent, RebalanceReason};

/// `group.new.member.join.timeout.ms`: how long a new member may wait before it must try again.
const NEW_MEMBER_JOIN_TIMEOUT: SimDuration = SimDuration::from_millis(5 * 60_000);

fn nobody() -> MemberId {
    MemberId(Rc::from(""))
}

impl ClassicGroup {
    pub(super) fn join(&mut self, request: &JoinGroup, asker: Asker, ctx: &mut Context<'_>) {
        let is_unknown = request.member.0.is_empty();
        let names: Vec<Rc<str>> = request.protocols.iter().map(|(name, _)| name.clone()).collect();
        if !self.accepts(&request.member, ctx.config.max_size) {
            self.remove(&request.member);
            let error = KafkaError::plain(ErrorCode::GroupMaxSizeReached);
            ctx.refuse_join(asker, nobody(), error);
        } else if !self.supports(&request.protocol_type, &names) {
            let error = KafkaError::plain(ErrorCode::InconsistentGroupProtocol);
            ctx.refuse_join(asker, request.member.clone(), error);
        } else if is_unknown {
            self.join_new(request, asker, ctx);
        } else {
            self.join_known(request, asker, ctx);
        }
    }

    /// Whether there is room for it (`acceptJoiningMember`).
    fn accepts(&self, id: &MemberId, max_size: u64) -> bool {
        let known = self.member(id);
        match self.state {
            GroupState::Empty | GroupState::Dead => true,
            GroupState::PreparingRebalance => {
                known.is_some_and(|member| member.awaiting_join.is_some())
                    || (self.awaiting_join() as u64) < max_size
            }
            GroupState::CompletingRebalance | GroupState::Stable => {
                known.is_some() || (self.members.len() as u64) < max_size
            }
        }
    }

    fn join_new(&mut self, request: &JoinGroup, asker: Asker, ctx: &mut Context<'_>) {
        let begins = request.instance.as_ref().unwrap_or(&request.client_id);
        let id = ctx.names.next(&self.id, begins);
        let Some(instance) = &request.instance else {
            // It may never hear of its id: only who comes back with it is a member (KIP-394).
            let until = ctx.now() + SimDuration::from_millis(request.session_timeout_ms);
            self.pending.push((id.clone(), until));
            let (group, member) = (self.id.clone(), id.clone());
            ctx.emit(GroupEvent::MemberIdGiven { group, member });
            let error = KafkaError::plain(ErrorCode::MemberIdRequired);
            return ctx.refuse_join(asker, id, error);
        };
        match self.static_member(instance).map(|known| known.id.clone()) {
            Some(old) => self.replace_static(request, &old, id, asker, ctx),
            None => self.add_and_rebalance(request, id, asker, ctx),
        }
    }

    fn join_known(&mut self, request: &JoinGroup, asker: Asker, ctx: &mut Context<'_>) {
        let id = &request.member;
        if self.is_pending(id) && request.instance.is_none() {
            return self.add_and_rebalance(request, id.clone(), asker, ctx);
        }
        if let Err(error) = self.validate(id, request.instance.as_deref()) {
            self.note_fenced(id, request.instance.as_ref(), &error, ctx);
            return ctx.refuse_join(asker, id.clone(), error);
        }
        let changed = || RebalanceReason::MemberChanged(id.clone());
        let is_same = self.member(id).is_some_and(|known| *known.protocols == request.protocols);
        match self.state {
            GroupState::PreparingRebalance => {
                self.update_and_rebalance(request, asker, changed(), ctx);
            }
            GroupState::CompletingRebalance | GroupState::Stable if !is_same => {
                self.update_and_rebalance(request, asker, changed(), ctx);
            }
            GroupState::Stable if self.is_leader(id) => {
                // It may know of something that no member's words show, such as more partitions.
                let why = RebalanceReason::LeaderRejoins(id.clone());
                self.update_and_rebalance(request, asker, why, ctx);
            }
            GroupState::CompletingRebalance | GroupState::Stable => {
                // It may not have got its answer: this is the generation, it may ask for its part.
                let result = Ok(self.joined(id, false));
                let answer = JoinGroupAnswer { member: id.clone(), result };
                ctx.answer(asker, GroupResponse::JoinGroup(answer));
            }
            GroupState::Empty | GroupState::Dead => {
                let error = KafkaError::plain(ErrorCode::UnknownMemberId);
                ctx.refuse_join(asker, id.clone(), error);
            }
        }
    }

    fn add_and_rebalance(
        &mut self,
        request: &JoinGroup,
        id: MemberId,
        asker: Asker,
        ctx: &mut Context<'_>,
    ) {
        let mut member = Member::of(request, id.clone());
        // It sends no heartbeats yet, and gives up waiting at some time.
        member.session_deadline = Some(ctx.now() + NEW_MEMBER_JOIN_TIMEOUT);
        member.awaiting_join = Some(asker);
        if self.is(GroupState::PreparingRebalance) && self.previous_state == GroupState::Empty {
            self.new_member_added = true;
        }
        self.add(member, &request.protocol_type);
        ctx.emit(GroupEvent::MemberJoined {
            group: self.id.clone(),
            member: id.clone(),
            instance: request.instance.clone(),
            reason: Rc::clone(&request.reason),
        });
        let why = RebalanceReason::MemberJoins(id);
        self.maybe_prepare_rebalance_or_complete_join(why, ctx);
    }

    fn update_and_rebalance(
        &mut self,
        request: &JoinGroup,
        asker: Asker,
        why: RebalanceReason,
        ctx: &mut Context<'_>,
    ) {
        self.update_member(&request.member, request, asker);
        self.maybe_prepare_rebalance_or_complete_join(why, ctx);
    }

    fn update_member(&mut self, id: &MemberId, request: &JoinGroup, asker: Asker) {
        if let Some(member) = self.member_mut(id) {
            member.protocols = Rc::new(request.protocols.clone());
            member.rebalance_timeout_ms = request.rebalance_timeout_ms;
            member.session_timeout_ms = request.session_timeout_ms;
            member.awaiting_join = Some(asker);
        }
    }

    /// A static member came back without its id: it gets a new one, and whoever has the old one is fenced
    /// (`updateStaticMemberThenRebalanceOrCompleteJoin`).
    fn replace_static(
        &mut self,
        request: &JoinGroup,
        old: &MemberId,
        new: MemberId,
        asker: Asker,
        ctx: &mut Context<'_>,
    ) {
        let Some(before) = self.rename_static(old, &new, ctx) else { return };
        self.update_member(&new, request, asker);
        let now = ctx.now();
        if let Some(member) = self.member_mut(&new) {
            member.session_deadline =
                Some(now + SimDuration::from_millis(before.session_timeout_ms));
        }
        match self.state {
            GroupState::Stable if self.protocol == self.select_protocol() => {
                let parts: Vec<(MemberId, Assignment)> = self.parts();
                let record = GroupRecord::of_group(self, &parts);
                let replaced = Rc::new(Replaced { old: before, new });
                ctx.write(vec![record], Then::Replaced { group: self.id.clone(), replaced });
            }
            GroupState::Stable => {
                let why = RebalanceReason::ProtocolChanged(new);
                self.maybe_prepare_rebalance_or_complete_join(why, ctx);
            }
            GroupState::CompletingRebalance => {
                // The leader may be about to assign to the old id.
                self.prepare_rebalance(RebalanceReason::StaticMemberReplaced(new), ctx);
            }
            _ => self.maybe_complete_join_phase(ctx),
        }
    }

    /// What each member reads.
    pub(super) fn parts(&self) -> Vec<(MemberId, Assignment)> {
        let parts = self
            .members
            .iter()
            .map(|member| (member.id.clone(), member.assignment.clone().unwrap_or_default()));
        parts.collect()
    }

    /// Gives a static member another id; returns what it was before.
    fn rename_static(
        &mut self,
        old: &MemberId,
        new: &MemberId,
        ctx: &mut Context<'_>,
    ) -> Option<Member> {
        let place = self.members.iter().position(|member| member.id == *old)?;
        let mut member = self.members.remove(place);
        let fenced = || KafkaError::plain(ErrorCode::FencedInstanceId);
        if let Some(asker) = member.awaiting_join.take() {
            ctx.refuse_join(asker, old.clone(), fenced());
        }
        if let Some(asker) = member.awaiting_sync.take() {
            ctx.answer(asker, GroupResponse::SyncGroup(Err(fenced())));
        }
        let before = member.clone();
        member.id = new.clone();
        member.is_new = false;
        if let Some(instance) = member.instance.clone() {
            let (group, old, new) = (self.id.clone(), old.clone(), new.clone());
            ctx.emit(GroupEvent::StaticMemberReplaced { group, instance, old, new });
        }
        self.members.push(member);
        if self.is_leader(old) {
            self.leader = Some(new.clone());
        }
        Some(before)
    }

    /// The new id of a static member is written down, or is not.
    pub(super) fn settle_replaced(
        &mut self,
        replaced: &Replaced,
        result: Result<(), &KafkaError>,
        ctx: &mut Context<'_>,
    ) {
        let id = &replaced.new;
        let asker = self.member_mut(id).and_then(|member| member.awaiting_join.take());
        match result {
            Ok(()) => {
                let answer = self.joined(id, self.is_leader(id));
                if let Some(asker) = asker {
                    let answer = JoinGroupAnswer { member: id.clone(), result: Ok(answer) };
                    ctx.answer(asker, GroupResponse::JoinGroup(answer));
                }
            }
            Err(error) => {
                if let Some(place) = self.members.iter().position(|member| member.id == *id) {
                    self.members.remove(place);
                    let mut old = replaced.old.clone();
                    old.note_contact(ctx.now());
                    if self.is_leader(id) {
                        self.leader = Some(old.id.clone());
                    }
                    self.members.push(old);
                }
                if let Some(asker) = asker {
                    ctx.refuse_join(asker, nobody(), error.clone());
                }
            }
        }
    }

    /// Somebody used the instance id of another member.
    pub(super) fn note_fenced(
        &self,
        id: &MemberId,
        instance: Option<&Rc<str>>,
        error: &KafkaError,
        ctx: &mut Context<'_>,
    ) {
        let by = instance.and_then(|instance| self.static_member(instance));
        if let (Some(instance), Some(by)) = (instance, by)
            && error.code == ErrorCode::FencedInstanceId
        {
            let (group, instance) = (self.id.clone(), Rc::clone(instance));
            let (member, by) = (id.clone(), by.id.clone());
            ctx.emit(GroupEvent::MemberFenced { group, member, instance, by });
        }
    }
}
