//! Questions about groups, and their deletion (`listGroups`, `describeGroups`, `deleteGroups`).

use crate::broker::Broker;
use crate::broker::group_coordinator::classic_group::GroupState;
use crate::broker::group_coordinator::context::{Context, Then, respond};
use crate::broker::group_coordinator::held_back::HeldBack;
use crate::broker::group_coordinator::member::Asker;
use crate::broker::group_coordinator::offsets::emit_removed;
use crate::broker::group_coordinator::records::GroupRecord;
use crate::broker::group_coordinator::shard::{Group, Shard};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{GroupId, MessageId, PartitionId};
use crate::net::group::{DescribedGroup, GroupResponse, ListedGroup};
use crate::world::group_event::{GroupEvent, Removal};
use crate::world::outbox::Outbox;

/// What became of each group of a request; `None`: that is not known yet.
type Outcome = Option<Result<(), KafkaError>>;

/// A deletion of groups that may lie in several partitions.
#[derive(Clone, Debug)]
pub(super) struct Deletion {
    pub(super) asker: Asker,
    groups: Vec<(GroupId, Outcome)>,
}

impl Shard {
    fn describe(&self, id: &GroupId) -> Result<DescribedGroup, KafkaError> {
        match self.committed_group(id) {
            Some(Group::Classic(group)) => Ok(group.describe()),
            None => {
                let text = format!("Group {id} not found.");
                Err(KafkaError::new(ErrorCode::GroupIdNotFound, text))
            }
        }
    }

    /// Deletes groups without members; returns why some stay.
    fn delete_groups(
        &mut self,
        request: MessageId,
        ids: &[GroupId],
        ctx: &mut Context<'_>,
    ) -> Vec<(GroupId, KafkaError)> {
        let (mut records, mut gone, mut stay) = (Vec::new(), Vec::new(), Vec::new());
        for id in ids {
            match self.classic(id).map(|group| group.state) {
                None | Some(GroupState::Dead) => {
                    stay.push((id.clone(), KafkaError::plain(ErrorCode::GroupIdNotFound)));
                }
                Some(GroupState::Empty) => {
                    let offsets = self.tombstones(id, |_| true);
                    emit_removed(id, &offsets, Removal::Asked, ctx);
                    records.extend(offsets);
                    records.push(GroupRecord::Group(id.clone(), None));
                    ctx.emit(GroupEvent::GroupRemoved { group: id.clone(), why: Removal::Asked });
                    gone.push(id.clone());
                }
                Some(_) => stay.push((id.clone(), KafkaError::plain(ErrorCode::NonEmptyGroup))),
            }
        }
        if !gone.is_empty() {
            ctx.write(records, Then::Deleted { request, groups: gone });
        }
        stay
    }
}

impl Broker {
    pub(super) fn list_groups(&self, states: &[String], types: &[String]) -> Vec<ListedGroup> {
        let fits = |wanted: &[String], known: &str| {
            wanted.is_empty() || wanted.iter().any(|one| one.eq_ignore_ascii_case(known))
        };
        let mut listed = Vec::new();
        for shard in self.replication.groups.shards.values() {
            for id in shard.committed_ids() {
                let Some(Group::Classic(group)) = shard.committed_group(&id) else { continue };
                if fits(states, group.state.name()) && fits(types, "classic") {
                    listed.push(group.listed());
                }
            }
        }
        listed
    }

    pub(super) fn describe_groups(
        &mut self,
        ids: &[GroupId],
    ) -> Vec<(GroupId, Result<DescribedGroup, KafkaError>)> {
        let mut described = Vec::new();
        for id in ids {
            let partition = self.group_partition(id);
            let shard = self.replication.groups.shards.get(&partition);
            let elsewhere = || Err(KafkaError::plain(self.no_coordinator(partition)));
            described.push((id.clone(), shard.map_or_else(elsewhere, |shard| shard.describe(id))));
        }
        described
    }

    /// Deletes groups; the answer waits until all of it is committed.
    pub(super) fn delete_groups(&mut self, asker: Asker, ids: &[GroupId], out: &mut Outbox) {
        let request = asker.correlation;
        let groups = ids.iter().map(|id| (id.clone(), None)).collect();
        self.replication.groups.deletions.insert(request, Deletion { asker, groups });
        let mut partitions: Vec<PartitionId> = Vec::new();
        for id in ids {
            let partition = self.group_partition(id);
            if !partitions.contains(&partition) {
                partitions.push(partition);
            }
        }
        for partition in partitions {
            self.delete_groups_of(partition, request, ids, out);
        }
        self.settle_deletion(request, &[], Ok(()), out);
    }

    /// Deletes those that lie in one partition.
    pub(super) fn delete_groups_of(
        &mut self,
        partition: PartitionId,
        request: MessageId,
        ids: &[GroupId],
        out: &mut Outbox,
    ) {
        let deletion = || HeldBack::Deletion(request, ids.into());
        if !self.hold_back(partition, deletion) {
            let mut here = Vec::new();
            for id in ids {
                if self.group_partition(id) == partition && !here.contains(id) {
                    here.push(id.clone());
                }
            }
            let stay = self
                .with_shard(partition, out, |shard, ctx| shard.delete_groups(request, &here, ctx));
            let stay = stay.unwrap_or_else(|| {
                let code = self.no_coordinator(partition);
                let elsewhere = || KafkaError::plain(code);
                here.into_iter().map(|id| (id, elsewhere())).collect()
            });
            for (id, error) in stay {
                self.settle_deletion(request, &[id], Err(&error), out);
            }
        }
    }

    /// What became of some groups of a request is known.
    pub(super) fn settle_deletion(
        &mut self,
        request: MessageId,
        ids: &[GroupId],
        result: Result<(), &KafkaError>,
        out: &mut Outbox,
    ) {
        let deletions = &mut self.replication.groups.deletions;
        let Some(deletion) = deletions.get_mut(&request) else { return };
        for (id, outcome) in &mut deletion.groups {
            if ids.contains(id) {
                *outcome = Some(result.map_err(Clone::clone));
            }
        }
        if deletion.groups.iter().any(|(_, outcome)| outcome.is_none()) {
            return;
        }
        if let Some(Deletion { asker, groups }) = deletions.remove(&request) {
            let groups = groups.into_iter().filter_map(|(id, outcome)| Some((id, outcome?)));
            respond(asker, GroupResponse::DeleteGroups(groups.collect()), out);
        }
    }
}
