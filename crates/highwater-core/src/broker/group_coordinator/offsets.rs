//! Committed offsets: who may commit, what is kept, who may read and delete (Kafka's
//! `OffsetMetadataManager`).

use crate::broker::group_coordinator::classic_group::{CONSUMER, ClassicGroup, GroupState};
use crate::broker::group_coordinator::context::{Context, Then};
use crate::broker::group_coordinator::member::Asker;
use crate::broker::group_coordinator::records::{CommittedOffset, GroupRecord};
use crate::broker::group_coordinator::shard::Shard;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{GroupId, TopicName, TopicPartition};
use crate::net::group::{GroupResponse, Membership, OffsetAndMetadata, OffsetOutcomes};
use crate::world::group_event::{GroupEvent, Removal};
use crate::world::group_hazard::GroupNote;
use crate::world::hazard::Note;

impl ClassicGroup {
    /// Whether these offsets may be committed (`ClassicGroup.validateOffsetCommit`).
    fn validate_offset_commit(&self, by: &Membership) -> Result<(), KafkaError> {
        if self.is(GroupState::Dead) {
            return Err(KafkaError::plain(ErrorCode::CoordinatorNotAvailable));
        }
        if by.generation < 0 && self.is(GroupState::Empty) {
            // A tool, or a consumer that assigns itself.
            return Ok(());
        }
        if by.generation < 0 && by.member.0.is_empty() && by.instance.is_none() {
            return Err(KafkaError::plain(ErrorCode::UnknownMemberId));
        }
        self.validate(&by.member, by.instance.as_deref())?;
        if by.generation != self.generation {
            return Err(KafkaError::plain(ErrorCode::IllegalGeneration));
        }
        if self.is(GroupState::CompletingRebalance) {
            return Err(KafkaError::plain(ErrorCode::RebalanceInProgress));
        }
        Ok(())
    }
}

impl Shard {
    /// Keeps offsets. `known` tells which partitions there are.
    pub(super) fn commit_offsets(
        &mut self,
        by: &Membership,
        offsets: &[(TopicPartition, OffsetAndMetadata)],
        known: &[TopicPartition],
        asker: Asker,
        ctx: &mut Context<'_>,
    ) {
        let checked = self.check_commit(by, ctx);
        let (mut outcomes, mut records, mut kept) = (OffsetOutcomes::new(), Vec::new(), Vec::new());
        let commit_timestamp = ctx.now_ms();
        for (which, committed) in offsets {
            let outcome = if !known.contains(which) {
                Err(KafkaError::plain(ErrorCode::UnknownTopicOrPartition))
            } else if let Err(error) = &checked {
                Err(error.clone())
            } else if committed.metadata.encode_utf16().count() as u64
                > ctx.config.metadata_max_bytes
            {
                Err(KafkaError::plain(ErrorCode::OffsetMetadataTooLarge))
            } else {
                let value = CommittedOffset {
                    committed: committed.clone(),
                    commit_timestamp,
                    expire_timestamp: None,
                };
                kept.push((which.clone(), committed.offset));
                records.push(GroupRecord::Offset(by.group.clone(), which.clone(), Some(value)));
                Ok(())
            };
            outcomes.push((which.clone(), outcome));
        }
        let response = GroupResponse::OffsetCommit(outcomes);
        if records.is_empty() {
            return self.answer_in_order(asker, response, ctx);
        }
        let (group, member) = (by.group.clone(), by.member.clone());
        if member.0.is_empty() {
            ctx.out.note(Note::Group(GroupNote::Set(group.clone(), kept.clone())));
        }
        ctx.emit(GroupEvent::OffsetsCommitted { group, member, offsets: kept });
        ctx.write(records, Then::Answer(asker, response));
    }

    /// Whether somebody may commit. A commit of a member shows that it is there.
    fn check_commit(&mut self, by: &Membership, ctx: &mut Context<'_>) -> Result<(), KafkaError> {
        let checked = self.with_group(&by.group, ctx, |group, ctx| {
            let checked = group.validate_offset_commit(by);
            match &checked {
                Ok(())
                    if matches!(
                        group.state,
                        GroupState::Stable | GroupState::PreparingRebalance
                    ) =>
                {
                    let now = ctx.now();
                    if let Some(member) = group.member_mut(&by.member) {
                        member.note_contact(now);
                    }
                }
                Ok(()) => {}
                Err(error) => group.note_fenced(&by.member, by.instance.as_ref(), error, ctx),
            }
            checked
        });
        match checked {
            Some(checked) => checked,
            None if by.generation < 0 => Ok(()),
            None => Err(KafkaError::plain(ErrorCode::IllegalGeneration)),
        }
    }

    /// Tells offsets. A consumer, which names its partitions, hears what was committed before, once that
    /// is safe (`requireStable`); a tool, which asks for all, what is safe now.
    pub(super) fn fetch_offsets(
        &mut self,
        group: &GroupId,
        partitions: Option<&[TopicPartition]>,
        asker: Asker,
        ctx: &mut Context<'_>,
    ) {
        let Some(partitions) = partitions else {
            let committed = self.committed_offsets(group);
            let all = committed
                .iter()
                .map(|(which, found)| (which.clone(), Ok(Some(found.committed.clone()))));
            return ctx.answer(asker, GroupResponse::OffsetFetch(Ok(all.collect())));
        };
        let entry = self.groups.get(group);
        let found = partitions.iter().map(|which| {
            let found = entry.and_then(|entry| entry.offsets.get(which));
            (which.clone(), Ok(found.map(|found| found.committed.clone())))
        });
        let response = GroupResponse::OffsetFetch(Ok(found.collect()));
        self.answer_in_order(asker, response, ctx);
    }

    /// Forgets offsets that nobody of the group uses.
    pub(super) fn delete_offsets(
        &mut self,
        id: &GroupId,
        partitions: &[TopicPartition],
        known: &[TopicPartition],
        asker: Asker,
        ctx: &mut Context<'_>,
    ) {
        if let Err(error) = self.check_offset_delete(id) {
            return self.answer_in_order(asker, GroupResponse::OffsetDelete(Err(error)), ctx);
        }
        let (mut outcomes, mut gone) = (OffsetOutcomes::new(), Vec::new());
        for which in partitions {
            let group = self.classic(id);
            let outcome = if !known.contains(which) {
                Err(KafkaError::plain(ErrorCode::UnknownTopicOrPartition))
            } else if group.is_some_and(|group| group.is_subscribed_to(&which.topic)) {
                Err(KafkaError::plain(ErrorCode::GroupSubscribedToTopic))
            } else {
                gone.push(which.clone());
                Ok(())
            };
            outcomes.push((which.clone(), outcome));
        }
        let response = GroupResponse::OffsetDelete(Ok(outcomes));
        let records = self.tombstones(id, |which| gone.contains(which));
        if records.is_empty() {
            return self.answer_in_order(asker, response, ctx);
        }
        emit_removed(id, &records, Removal::Asked, ctx);
        ctx.write(records, Then::Answer(asker, response));
    }

    fn check_offset_delete(&self, id: &GroupId) -> Result<(), KafkaError> {
        let unknown = || KafkaError::plain(ErrorCode::GroupIdNotFound);
        let group = self.classic(id).ok_or_else(unknown)?;
        match group.state {
            GroupState::Dead => Err(unknown()),
            GroupState::Empty => Ok(()),
            _ if group.protocol_type.as_deref() == Some(CONSUMER) => Ok(()),
            _ => Err(KafkaError::plain(ErrorCode::NonEmptyGroup)),
        }
    }

    /// Records that take offsets of a group away.
    pub(super) fn tombstones(
        &self,
        id: &GroupId,
        which: impl Fn(&TopicPartition) -> bool,
    ) -> Vec<GroupRecord> {
        let offsets = self.groups.get(id).map(|entry| entry.offsets.keys());
        let gone = offsets.into_iter().flatten().filter(|known| which(known));
        gone.map(|known| GroupRecord::Offset(id.clone(), known.clone(), None)).collect()
    }

    /// A topic is gone, and so are its offsets (`onPartitionsDeleted`).
    pub(super) fn forget_topic(&mut self, topic: &TopicName, ctx: &mut Context<'_>) {
        let ids: Vec<GroupId> = self.groups.keys().cloned().collect();
        let mut records = Vec::new();
        for id in ids {
            let gone = self.tombstones(&id, |which| which.topic == *topic);
            if !gone.is_empty() {
                emit_removed(&id, &gone, Removal::TopicDeleted, ctx);
                records.extend(gone);
            }
        }
        if !records.is_empty() {
            ctx.write(records, Then::Nothing);
        }
    }
}

/// Says that the offsets of these tombstones are gone.
pub(super) fn emit_removed(
    id: &GroupId,
    records: &[GroupRecord],
    why: Removal,
    ctx: &mut Context<'_>,
) {
    let partitions = records.iter().filter_map(|record| match record {
        GroupRecord::Offset(_, which, None) => Some(which.clone()),
        _ => None,
    });
    let partitions: Vec<TopicPartition> = partitions.collect();
    if !partitions.is_empty() {
        ctx.emit(GroupEvent::OffsetsRemoved { group: id.clone(), partitions, why });
    }
}
