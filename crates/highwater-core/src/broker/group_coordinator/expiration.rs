//! When are offsets kept no more because nobody uses them, and when is a group gone?
//! (`cleanupExpiredOffsets`, `OffsetExpirationCondition`)

use crate::broker::group_coordinator::classic_group::{CONSUMER, ClassicGroup, GroupState};
use crate::broker::group_coordinator::context::{Context, Then};
use crate::broker::group_coordinator::offsets::emit_removed;
use crate::broker::group_coordinator::records::{CommittedOffset, GroupRecord};
use crate::broker::group_coordinator::shard::{Group, GroupEntry, Shard};
use crate::ids::{GroupId, TopicPartition};
use crate::time::{SimDuration, SimTime};
use crate::world::group_event::{GroupEvent, Removal};
use crate::world::step::Timer;

impl ClassicGroup {
    /// Since when an offset has not been used; `None`: it is in use (`offsetExpirationCondition`).
    fn unused_since(&self, which: &TopicPartition, offset: &CommittedOffset) -> Option<i64> {
        if self.is_subscribed_to(&which.topic) {
            return None;
        }
        let committed = offset.commit_timestamp;
        match &self.protocol_type {
            // Nobody was ever a member.
            None => Some(committed),
            Some(_) if self.is(GroupState::Empty) => {
                Some(self.state_timestamp.unwrap_or(committed))
            }
            Some(kind) => {
                let knows = &**kind == CONSUMER && self.subscribed.is_some();
                (knows && self.is(GroupState::Stable)).then_some(committed)
            }
        }
    }
}

/// When an offset expires; `None`: not while the group is as it is.
fn expires(
    group: &ClassicGroup,
    which: &TopicPartition,
    offset: &CommittedOffset,
    retention: SimDuration,
) -> Option<SimTime> {
    let since = group.unused_since(which, offset)?;
    if let Some(at) = offset.expire_timestamp {
        return Some(SimTime::from_epoch_millis(at));
    }
    Some(SimTime::from_epoch_millis(since) + retention)
}

/// When something of a group is kept no more.
fn next_expiration(entry: &GroupEntry, retention: SimDuration) -> Option<SimTime> {
    let Group::Classic(group) = &entry.group;
    if entry.offsets.is_empty() {
        return group.is(GroupState::Empty).then_some(SimTime(0));
    }
    let all =
        entry.offsets.iter().filter_map(|(which, offset)| expires(group, which, offset, retention));
    all.min()
}

impl Shard {
    /// Plans the look that may find something.
    pub(super) fn plan_expiration(&mut self, ctx: &mut Context<'_>) {
        let retention = ctx.config.retention;
        let due = self.groups.values().filter_map(|entry| next_expiration(entry, retention)).min();
        if let Some(due) = due {
            self.plan_expiration_at(due, ctx);
        }
    }

    /// The same in one group.
    pub(super) fn plan_expiration_in(&mut self, group: &GroupId, ctx: &mut Context<'_>) {
        let retention = ctx.config.retention;
        let due = self.groups.get(group).and_then(|entry| next_expiration(entry, retention));
        if let Some(due) = due {
            self.plan_expiration_at(due, ctx);
        }
    }

    /// The same after this was written down: what was there before has planned its own.
    pub(super) fn plan_expiration_of(&mut self, change: &GroupRecord, ctx: &mut Context<'_>) {
        match change {
            // What is used now lasts as long again.
            GroupRecord::Offset(_, _, Some(_)) => {
                self.plan_expiration_at(ctx.now() + ctx.config.retention, ctx);
            }
            GroupRecord::Offset(id, _, None) | GroupRecord::Group(id, _) => {
                self.plan_expiration_in(id, ctx);
            }
        }
    }

    /// Looks come at fixed intervals since the groups were loaded.
    fn plan_expiration_at(&mut self, due: SimTime, ctx: &mut Context<'_>) {
        let wanted = due.max(SimTime(ctx.now().0 + 1));
        if self.expiration.serves(wanted) {
            return;
        }
        let interval = ctx.config.retention_check_interval.0.max(1);
        let looks = (wanted.0.saturating_sub(self.loaded.0)).div_ceil(interval).max(1);
        let at = SimTime(self.loaded.0.saturating_add(looks.saturating_mul(interval)));
        self.expiration.plan(at, Timer::OffsetsExpiration(self.partition), ctx.out);
    }

    /// Removes what nobody has used for too long.
    pub(super) fn handle_expiration(&mut self, ctx: &mut Context<'_>) {
        let timer = Timer::OffsetsExpiration(self.partition);
        if !self.expiration.begins(timer, ctx.out) {
            return;
        }
        let (now, retention) = (ctx.now(), ctx.config.retention);
        let ids: Vec<GroupId> = self.groups.keys().cloned().collect();
        let mut records = Vec::new();
        for id in &ids {
            let Some(entry) = self.groups.get(id) else { continue };
            let Group::Classic(group) = &entry.group;
            let (mut gone, mut first) = (Vec::new(), None);
            for (which, offset) in entry.offsets.iter() {
                if expires(group, which, offset, retention).is_some_and(|at| at <= now) {
                    let since = group.unused_since(which, offset).map(SimTime::from_epoch_millis);
                    first = first.or(since);
                    gone.push(GroupRecord::Offset(id.clone(), which.clone(), None));
                }
            }
            let is_bare = gone.len() == entry.offsets.len() && group.is(GroupState::Empty);
            emit_removed(id, &gone, Removal::Expired(first.unwrap_or(now)), ctx);
            if is_bare {
                gone.push(GroupRecord::Group(id.clone(), None));
                ctx.emit(GroupEvent::GroupRemoved { group: id.clone(), why: Removal::Unused });
            }
            records.extend(gone);
        }
        if !records.is_empty() {
            ctx.write(records, Then::Nothing);
        }
    }
}
