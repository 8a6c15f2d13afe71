//! What a shard looks like while its groups only show that they are there, and what it is after they have
//! done so for a while (`world/lull.rs`).

use std::rc::Rc;

use crate::broker::alarm::Task;
use crate::broker::group_coordinator::classic_group::GroupState;
use crate::broker::group_coordinator::records::{CommittedOffset, GroupRecord};
use crate::broker::group_coordinator::service::GroupCoordinator;
use crate::broker::group_coordinator::shard::{Group, Shard};
use crate::ids::{Bytes, GroupId, MemberId, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::RecordBatch;
use crate::net::group::OffsetAndMetadata;
use crate::time::{SimDuration, SimTime};

/// A batch of `__consumer_offsets` that says again what was committed.
#[derive(Clone, Debug)]
pub(crate) struct Recommit {
    batch: Rc<RecordBatch>,
    records: Vec<(Option<Bytes>, CommittedOffset)>,
    said: Vec<(GroupId, TopicPartition, OffsetAndMetadata)>,
}

impl Recommit {
    /// `None`: the batch says something else.
    pub(crate) fn of(batch: &Rc<RecordBatch>) -> Option<Self> {
        let (mut records, mut said) = (Vec::new(), Vec::new());
        for record in &*batch.records {
            match GroupRecord::decode(record)? {
                GroupRecord::Offset(group, which, Some(value)) => {
                    said.push((group, which, value.committed.clone()));
                    records.push((record.key.clone(), value));
                }
                _ => return None,
            }
        }
        Some(Self { batch: Rc::clone(batch), records, said })
    }

    /// What it says that a group has committed.
    pub(crate) fn said(&self) -> &[(GroupId, TopicPartition, OffsetAndMetadata)] {
        &self.said
    }

    /// How many offsets it takes.
    pub(crate) fn offsets(&self) -> u32 {
        self.batch.last_offset_delta.saturating_add(1)
    }

    /// The same again, so many offsets and milliseconds later.
    pub(crate) fn later(&self, offsets: u32, later_ms: i64) -> Rc<RecordBatch> {
        let mut records = Vec::with_capacity(self.records.len());
        for ((key, value), before) in self.records.iter().zip(&*self.batch.records) {
            let commit_timestamp = value.commit_timestamp.saturating_add(later_ms);
            records.push(Record {
                key: key.clone(),
                value: Some(CommittedOffset { commit_timestamp, ..value.clone() }.encode()),
                timestamp: before.timestamp.saturating_add(later_ms),
                headers: Vec::new(),
            });
        }
        Rc::new(self.batch.later(Rc::from(records), offsets, later_ms))
    }
}

impl GroupCoordinator {
    /// What was committed since that moment was committed again and again, `by` later for the last time;
    /// all members were heard of until `now`.
    pub(in crate::broker) fn leap(&mut self, since: SimTime, by: SimDuration, now: SimTime) {
        for shard in self.shards.values_mut() {
            Rc::make_mut(shard).leap(since, by, now);
        }
    }
}

impl Shard {
    /// The members of its groups, if nothing waits and all groups with members are stable.
    pub(crate) fn members_at_rest(&self) -> Option<Vec<(GroupId, MemberId)>> {
        let mut members = Vec::new();
        for (id, entry) in self.groups() {
            let Group::Classic(group) = &entry.group;
            let is_still = match group.state() {
                GroupState::Stable => !group
                    .members()
                    .iter()
                    .any(|member| member.is_awaiting() || member.session_deadline.is_none()),
                GroupState::Empty => group.members().is_empty(),
                _ => false,
            };
            if !is_still || !group.pending.is_empty() || group.join_phase().is_some() {
                return None;
            }
            members.extend(group.members().iter().map(|member| (id.clone(), member.id.clone())));
        }
        self.has_settled().then_some(members)
    }

    fn leap(&mut self, since: SimTime, by: SimDuration, now: SimTime) {
        let since_ms = since.epoch_millis();
        let later_ms = i64::try_from(by.0 / 1_000).unwrap_or(i64::MAX);
        self.leap_writes(by);
        for entry in self.groups.values_mut() {
            let is_recent = |offset: &CommittedOffset| offset.commit_timestamp >= since_ms;
            if entry.offsets.values().any(is_recent) {
                for offset in Rc::make_mut(&mut entry.offsets).values_mut() {
                    if is_recent(offset) {
                        offset.commit_timestamp = offset.commit_timestamp.saturating_add(later_ms);
                    }
                }
            }
            let Group::Classic(group) = &mut entry.group;
            let group = Rc::make_mut(group);
            for member in &mut group.members {
                member.note_contact(now);
            }
            // Whoever is heard of next sets it.
            group.alarm = Task::default();
        }
    }
}
