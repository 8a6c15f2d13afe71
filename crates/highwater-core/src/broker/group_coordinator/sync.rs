//! Members ask for their parts, say that they are there, and go (`classicGroupSyncToClassicGroup`,
//! `classicGroupHeartbeatToClassicGroup`, `classicGroupLeaveToClassicGroup`).

use std::rc::Rc;

use crate::broker::group_coordinator::classic_group::{ClassicGroup, GroupState};
use crate::broker::group_coordinator::context::{Context, Then};
use crate::broker::group_coordinator::member::{Asker, Assignment};
use crate::broker::group_coordinator::records::GroupRecord;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::MemberId;
use crate::net::group::{GroupResponse, LeavingMember, Membership, SyncGroup, Synced};
use crate::world::group_event::{GroupEvent, RebalanceReason};

impl ClassicGroup {
    pub(super) fn sync(&mut self, request: &SyncGroup, asker: Asker, ctx: &mut Context<'_>) {
        let id = &request.member.member;
        let refuse = |code, ctx: &mut Context<'_>| {
            ctx.answer(asker, GroupResponse::SyncGroup(Err(KafkaError::plain(code))));
        };
        if self.is(GroupState::Empty) {
            return refuse(ErrorCode::UnknownMemberId, ctx);
        }
        if let Err(error) = self.validate_sync(request) {
            self.note_fenced(id, request.member.instance.as_ref(), &error, ctx);
            return ctx.answer(asker, GroupResponse::SyncGroup(Err(error)));
        }
        match self.state {
            GroupState::PreparingRebalance => refuse(ErrorCode::RebalanceInProgress, ctx),
            GroupState::CompletingRebalance => {
                if let Some(member) = self.member_mut(id) {
                    member.awaiting_sync = Some(asker);
                }
                self.note_synced(id);
                if self.is_leader(id) {
                    self.take_assignment(request, ctx);
                }
            }
            GroupState::Stable => {
                self.note_synced(id);
                let partitions = self.member(id).map(|member| member.partitions());
                let protocol = self.protocol.clone().unwrap_or_default();
                let synced = Synced { protocol, partitions: partitions.unwrap_or_default() };
                ctx.answer(asker, GroupResponse::SyncGroup(Ok(synced)));
            }
            GroupState::Empty | GroupState::Dead => {
                refuse(ErrorCode::CoordinatorNotAvailable, ctx);
            }
        }
    }

    fn validate_sync(&self, request: &SyncGroup) -> Result<(), KafkaError> {
        let member = &request.member;
        self.validate(&member.member, member.instance.as_deref())?;
        if member.generation != self.generation {
            return Err(KafkaError::plain(ErrorCode::IllegalGeneration));
        }
        let differs = |asked: &Rc<str>, known: &Option<Rc<str>>| {
            !asked.is_empty() && known.as_ref() != Some(asked)
        };
        if differs(&request.protocol_type, &self.protocol_type)
            || differs(&request.protocol, &self.protocol)
        {
            return Err(KafkaError::plain(ErrorCode::InconsistentGroupProtocol));
        }
        Ok(())
    }

    fn note_synced(&mut self, id: &MemberId) {
        self.pending_sync.retain(|pending| pending != id);
        if self.pending_sync.is_empty() {
            self.sync_deadline = None;
        }
    }

    /// The leader has assigned: that is written down, then given out.
    fn take_assignment(&mut self, request: &SyncGroup, ctx: &mut Context<'_>) {
        let mut parts: Vec<(MemberId, Assignment)> = Vec::new();
        for member in &self.members {
            let part = request.assignments.iter().find(|(id, _)| *id == member.id);
            let part = part.map_or_else(Vec::new, |(_, partitions)| partitions.clone());
            parts.push((member.id.clone(), Rc::new(part)));
        }
        let record = GroupRecord::of_group(self, &parts);
        let (group, generation) = (self.id.clone(), self.generation);
        ctx.write(vec![record], Then::Assign { group, generation, parts });
    }

    /// The parts of a generation are written down, or are not.
    pub(super) fn settle_assignment(
        &mut self,
        generation: i32,
        parts: &[(MemberId, Assignment)],
        result: Result<(), &KafkaError>,
        ctx: &mut Context<'_>,
    ) {
        if !self.is(GroupState::CompletingRebalance) || generation != self.generation {
            // Somebody has joined meanwhile.
            return;
        }
        match result {
            Ok(()) => {
                self.set_and_propagate_assignment(parts, ctx);
                self.transition(GroupState::Stable, ctx);
            }
            Err(error) => {
                self.reset_and_propagate_assignment(error, ctx);
                self.maybe_prepare_rebalance_or_complete_join(RebalanceReason::WriteFailed, ctx);
            }
        }
    }

    /// A member is there.
    pub(super) fn heartbeat(
        &mut self,
        request: &Membership,
        ctx: &mut Context<'_>,
    ) -> Result<(), KafkaError> {
        let checked = self.validate(&request.member, request.instance.as_deref());
        checked.inspect_err(|error| {
            self.note_fenced(&request.member, request.instance.as_ref(), error, ctx);
        })?;
        if request.generation != self.generation {
            return Err(KafkaError::plain(ErrorCode::IllegalGeneration));
        }
        let now = ctx.now();
        if let Some(member) = self.member_mut(&request.member) {
            member.note_contact(now);
        }
        match self.state {
            GroupState::PreparingRebalance => {
                Err(KafkaError::plain(ErrorCode::RebalanceInProgress))
            }
            GroupState::CompletingRebalance | GroupState::Stable => Ok(()),
            GroupState::Empty => Err(KafkaError::plain(ErrorCode::UnknownMemberId)),
            GroupState::Dead => Err(KafkaError::plain(ErrorCode::CoordinatorNotAvailable)),
        }
    }

    /// Members go.
    pub(super) fn leave(
        &mut self,
        leaving: &[LeavingMember],
        ctx: &mut Context<'_>,
    ) -> Vec<Result<(), KafkaError>> {
        let (mut results, mut gone) = (Vec::new(), Vec::new());
        for member in leaving {
            let result = self.let_go(member, ctx);
            if let Ok(id) = &result {
                gone.push(id.clone());
            }
            results.push(result.map(|_| ()));
        }
        if !gone.is_empty() {
            match self.state {
                GroupState::Stable | GroupState::CompletingRebalance => {
                    let why = RebalanceReason::MembersLeft(gone);
                    self.maybe_prepare_rebalance_or_complete_join(why, ctx);
                }
                GroupState::PreparingRebalance => self.maybe_complete_join_phase(ctx),
                GroupState::Empty | GroupState::Dead => {}
            }
        }
        results
    }

    /// One member goes; returns its id.
    fn let_go(
        &mut self,
        leaving: &LeavingMember,
        ctx: &mut Context<'_>,
    ) -> Result<MemberId, KafkaError> {
        let unknown = || KafkaError::plain(ErrorCode::UnknownMemberId);
        let id = if leaving.member.0.is_empty() {
            // Somebody sends away whoever has that instance id.
            let instance = leaving.instance.as_deref().ok_or_else(unknown)?;
            self.static_member(instance).map(|member| member.id.clone()).ok_or_else(unknown)?
        } else if self.is_pending(&leaving.member) {
            leaving.member.clone()
        } else {
            let checked = self.validate(&leaving.member, leaving.instance.as_deref());
            checked.inspect_err(|error| {
                self.note_fenced(&leaving.member, leaving.instance.as_ref(), error, ctx);
            })?;
            leaving.member.clone()
        };
        self.dismiss(&id, ctx);
        let (group, member) = (self.id.clone(), id.clone());
        ctx.emit(GroupEvent::MemberLeft { group, member, reason: Rc::clone(&leaving.reason) });
        Ok(id)
    }
}
