//! The groups of one partition of `__consumer_offsets`: their state as it is, as it is committed, and
//! what waits for writes (Kafka's `GroupCoordinatorShard`, `CoordinatorRuntime`).
//!
//! A change is appended, then counts at once; whatever it answers waits until it is committed. Questions
//! are answered from what is committed. What a record of another protocol would change is another variant
//! of `Group`.

use std::rc::Rc;

use crate::broker::alarm::Task;
use crate::broker::group_coordinator::classic_group::ClassicGroup;
use crate::broker::group_coordinator::context::{Context, Then, failed};
use crate::broker::group_coordinator::member::Asker;
use crate::broker::group_coordinator::records::{CommittedOffset, GroupRecord};
use crate::error::KafkaError;
use crate::ids::{GroupId, MessageId, NodeId, Offset, PartitionId, TopicPartition};
use crate::net::group::GroupResponse;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// The committed offsets of a group.
pub type Offsets = SortedMap<TopicPartition, CommittedOffset>;

/// A group of any protocol.
#[derive(Clone, Debug)]
pub enum Group {
    /// The classic one, whose members assign.
    Classic(Rc<ClassicGroup>),
}

impl Group {
    /// It, if it is a group of the classic protocol.
    #[must_use]
    pub fn classic(&self) -> Option<&ClassicGroup> {
        let Self::Classic(group) = self;
        Some(group)
    }
}

/// A group with its offsets. Shared with snapshots: what is unchanged keeps its pointer.
#[derive(Clone, Debug)]
pub struct GroupEntry {
    /// The group.
    pub group: Group,
    /// Its offsets.
    pub offsets: Rc<Offsets>,
}

/// How it was before a change that is not committed.
#[derive(Clone, Debug)]
enum Undo {
    Group(GroupId, Option<GroupEntry>),
    Offset(GroupId, TopicPartition, Option<CommittedOffset>),
}

/// What waits until all before an offset is committed.
#[derive(Clone, Debug)]
struct Deferred {
    end: Offset,
    deadline: SimTime,
    then: Then,
}

/// The groups of one partition.
#[derive(Clone, Debug)]
pub struct Shard {
    pub(super) partition: PartitionId,
    /// When it was loaded: its periodic tasks count from there.
    pub(super) loaded: SimTime,
    pub(super) groups: SortedMap<GroupId, GroupEntry>,
    /// Whose timers are whose.
    numbers: SortedMap<u32, GroupId>,
    next_number: u32,
    /// Changes that are not committed, in the order of the log, each with the offset after it.
    undo: Vec<(Offset, Undo)>,
    deferred: Vec<Deferred>,
    write_expiry: Task,
    pub(super) expiration: Task,
}

impl Shard {
    pub(super) fn new(partition: PartitionId, now: SimTime) -> Self {
        Self {
            partition,
            loaded: now,
            groups: SortedMap::new(),
            numbers: SortedMap::new(),
            next_number: 0,
            undo: Vec::new(),
            deferred: Vec::new(),
            write_expiry: Task::default(),
            expiration: Task::default(),
        }
    }

    /// Its groups as they are, committed or not.
    pub fn groups(&self) -> impl Iterator<Item = (&GroupId, &GroupEntry)> {
        self.groups.iter()
    }

    /// A new group without members.
    pub(super) fn make_group(&mut self, id: &GroupId, now_ms: i64) {
        let number = self.next_number;
        self.next_number += 1;
        self.numbers.insert(number, id.clone());
        let group = Group::Classic(Rc::new(ClassicGroup::new(id.clone(), number, now_ms)));
        self.groups.insert(id.clone(), GroupEntry { group, offsets: Rc::default() });
    }

    /// The group is here no more.
    pub(super) fn drop_group(&mut self, id: &GroupId) -> Option<GroupEntry> {
        let entry = self.groups.remove(id)?;
        let Group::Classic(group) = &entry.group;
        self.numbers.remove(&group.number);
        Some(entry)
    }

    pub(super) fn classic(&self, id: &GroupId) -> Option<&ClassicGroup> {
        self.groups.get(id)?.group.classic()
    }

    /// Lets a group do something, and sees to it that it is woken in time.
    pub(super) fn with_group<R>(
        &mut self,
        id: &GroupId,
        ctx: &mut Context<'_>,
        act: impl FnOnce(&mut ClassicGroup, &mut Context<'_>) -> R,
    ) -> Option<R> {
        let partition = self.partition;
        let Group::Classic(group) = &mut self.groups.get_mut(id)?.group;
        let group = Rc::make_mut(group);
        let result = act(group, ctx);
        if let Some(next) = group.next_deadline() {
            let timer = Timer::GroupDeadline(partition, group.number);
            group.alarm.plan(next, timer, ctx.out);
        }
        Some(result)
    }

    /// A timer of a group has fired.
    pub(super) fn handle_deadline(&mut self, number: u32, ctx: &mut Context<'_>) {
        let Some(id) = self.numbers.get(&number).cloned() else { return };
        let timer = Timer::GroupDeadline(self.partition, number);
        self.with_group(&id, ctx, |group, ctx| {
            if group.alarm.begins(timer, ctx.out) {
                group.handle_deadlines(ctx);
            }
        });
    }

    /// Takes in what was appended and ends before `end`. What a live group writes down of itself it knows
    /// already: only what a log alone tells is replayed with `replay_group`.
    pub(super) fn apply(&mut self, record: &GroupRecord, end: Offset, now_ms: i64) {
        match record {
            GroupRecord::Offset(id, which, value) => {
                if !self.groups.contains_key(id) {
                    if value.is_none() {
                        return;
                    }
                    self.make_group(id, now_ms);
                    self.undo.push((end, Undo::Group(id.clone(), None)));
                }
                let Some(entry) = self.groups.get_mut(id) else { return };
                let offsets = Rc::make_mut(&mut entry.offsets);
                let before = match value {
                    Some(value) => {
                        let before = offsets.get(which).cloned();
                        offsets.insert(which.clone(), value.clone());
                        before
                    }
                    None => offsets.remove(which),
                };
                self.undo.push((end, Undo::Offset(id.clone(), which.clone(), before)));
            }
            GroupRecord::Group(id, None) => {
                let before = self.drop_group(id);
                self.undo.push((end, Undo::Group(id.clone(), before)));
            }
            GroupRecord::Group(..) => {}
        }
    }

    /// A new group is written down there; until that is committed, nobody sees it.
    pub(super) fn note_made(&mut self, id: &GroupId, end: Offset) {
        self.undo.push((end, Undo::Group(id.clone(), None)));
    }

    /// Puts a group in place that the log tells of.
    pub(super) fn replace_group(&mut self, id: &GroupId, group: ClassicGroup, end: Offset) {
        let before = self.groups.get(id).cloned();
        if let Some(entry) = self.groups.get_mut(id) {
            let Group::Classic(known) = &entry.group;
            let number = known.number;
            entry.group = Group::Classic(Rc::new(ClassicGroup { number, ..group }));
        } else {
            self.make_group(id, 0);
            if let Some(entry) = self.groups.get_mut(id) {
                let Group::Classic(made) = &entry.group;
                let number = made.number;
                entry.group = Group::Classic(Rc::new(ClassicGroup { number, ..group }));
            }
        }
        self.undo.push((end, Undo::Group(id.clone(), before)));
    }

    /// The group as it is committed.
    pub(super) fn committed_group(&self, id: &GroupId) -> Option<&Group> {
        let before = self.undo.iter().find_map(|(_, undo)| match undo {
            Undo::Group(known, before) if known == id => Some(before),
            _ => None,
        });
        match before {
            None => self.groups.get(id).map(|entry| &entry.group),
            // A group that is there and was there is as it is: its state is not undone.
            Some(Some(entry)) => Some(self.groups.get(id).map_or(&entry.group, |now| &now.group)),
            Some(None) => None,
        }
    }

    /// The ids of groups that are committed.
    pub(super) fn committed_ids(&self) -> Vec<GroupId> {
        let mut ids: Vec<GroupId> = self.groups.keys().cloned().collect();
        for (_, undo) in &self.undo {
            if let Undo::Group(id, Some(_)) = undo
                && let Err(place) = ids.binary_search(id)
            {
                ids.insert(place, id.clone());
            }
        }
        ids.retain(|id| self.committed_group(id).is_some());
        ids
    }

    /// A group's offsets as they are committed.
    pub(super) fn committed_offsets(&self, id: &GroupId) -> Rc<Offsets> {
        let now = self.groups.get(id).map_or_else(Rc::default, |entry| Rc::clone(&entry.offsets));
        let mut undone = now;
        for (_, undo) in self.undo.iter().rev() {
            let Undo::Offset(known, which, before) = undo else { continue };
            if known != id {
                continue;
            }
            let offsets = Rc::make_mut(&mut undone);
            match before {
                Some(value) => offsets.insert(which.clone(), value.clone()),
                None => {
                    offsets.remove(which);
                }
            }
        }
        undone
    }

    /// Something follows once all before `end` is committed, or too late.
    pub(super) fn defer(&mut self, end: Offset, deadline: SimTime, then: Then, out: &mut Outbox) {
        self.write_expiry.plan(deadline, Timer::GroupWriteExpiry(self.partition), out);
        self.deferred.push(Deferred { end, deadline, then });
    }

    /// The offset that the last of what waits, waits for.
    pub(super) fn highest_pending(&self) -> Option<Offset> {
        self.deferred.last().map(|last| last.end)
    }

    /// The next of what waits, if it need not wait longer.
    pub(super) fn next_committed(&mut self, committed: Offset) -> Option<Then> {
        self.undo.retain(|(end, _)| *end > committed);
        if self.deferred.first().is_some_and(|first| first.end <= committed) {
            return Some(self.deferred.remove(0).then);
        }
        None
    }

    /// What has waited for too long.
    pub(super) fn take_expired(&mut self, out: &mut Outbox) -> Vec<Then> {
        if !self.write_expiry.begins(Timer::GroupWriteExpiry(self.partition), out) {
            return Vec::new();
        }
        let now = out.now();
        let mut expired = Vec::new();
        let deferred = std::mem::take(&mut self.deferred);
        for waiting in deferred {
            if waiting.deadline <= now {
                expired.push(waiting.then);
            } else {
                self.deferred.push(waiting);
            }
        }
        if let Some(first) = self.deferred.first() {
            let timer = Timer::GroupWriteExpiry(self.partition);
            self.write_expiry.plan(first.deadline, timer, out);
        }
        expired
    }

    /// Answers after all that was answered before is committed.
    pub(super) fn answer_in_order(
        &self,
        asker: Asker,
        response: GroupResponse,
        ctx: &mut Context<'_>,
    ) {
        if self.deferred.is_empty() && ctx.writes.is_empty() {
            ctx.answer(asker, response);
        } else {
            ctx.write(Vec::new(), Then::Answer(asker, response));
        }
    }

    /// A write is committed, or has failed.
    pub(super) fn settle(
        &mut self,
        then: Then,
        result: Result<(), &KafkaError>,
        ctx: &mut Context<'_>,
    ) {
        match then {
            Then::Nothing | Then::Deleted { .. } => {}
            Then::GroupMade(group, asker) => {
                if let Err(error) = result {
                    self.with_group(&group, ctx, |group, ctx| {
                        group.refuse_maker(asker, error, ctx);
                    });
                }
            }
            Then::Answer(asker, response) => match result {
                Ok(()) => ctx.answer(asker, response),
                Err(error) => ctx.answer(asker, failed(&response, error)),
            },
            Then::Assign { group, generation, parts } => {
                self.with_group(&group, ctx, |group, ctx| {
                    group.settle_assignment(generation, &parts, result, ctx);
                });
                // What it reads is known again.
                self.plan_expiration_in(&group, ctx);
            }
            Then::Replaced { group, replaced } => {
                self.with_group(&group, ctx, |group, ctx| {
                    group.settle_replaced(&replaced, result, ctx);
                });
            }
        }
    }

    /// Whether all that was written is committed.
    pub(super) fn has_settled(&self) -> bool {
        self.undo.is_empty() && self.deferred.is_empty()
    }

    /// The look for writes that take too long is so much later.
    pub(super) fn leap_writes(&mut self, by: SimDuration) {
        self.write_expiry.leap(by);
    }

    /// Everything that waits; the shard is done with it.
    pub(super) fn take_deferred(&mut self) -> Vec<Then> {
        std::mem::take(&mut self.deferred).into_iter().map(|waiting| waiting.then).collect()
    }

    /// Requests that wait for their answers.
    pub(super) fn held(&self) -> Vec<(NodeId, MessageId)> {
        let askers = self.deferred.iter().filter_map(|waiting| waiting.then.asker());
        let mut held: Vec<_> = askers.map(|asker| (asker.from, asker.correlation)).collect();
        for entry in self.groups.values() {
            let Group::Classic(group) = &entry.group;
            for member in &group.members {
                let askers = member.awaiting_join.iter().chain(&member.awaiting_sync);
                held.extend(askers.map(|asker| (asker.from, asker.correlation)));
            }
        }
        held
    }
}
