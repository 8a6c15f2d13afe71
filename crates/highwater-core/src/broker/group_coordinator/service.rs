//! What a broker does with requests about groups: each goes to the shard of its group, what that wants
//! written is appended, and what waits for it is told when it is committed.

use std::rc::Rc;

use crate::broker::Broker;
use crate::broker::group_coordinator::admin::Deletion;
use crate::broker::group_coordinator::config::GroupConfig;
use crate::broker::group_coordinator::context::{
    Context, Names, Then, Write, of_failed_write, respond,
};
use crate::broker::group_coordinator::find::{OFFSETS_TOPIC, offsets_partition};
use crate::broker::group_coordinator::held_back::HeldBack;
use crate::broker::group_coordinator::member::Asker;
use crate::broker::group_coordinator::records::GroupRecord;
use crate::broker::group_coordinator::shard::Shard;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{
    GroupId, MemberId, MessageId, NodeId, Offset, PartitionId, TopicId, TopicPartition,
};
use crate::log::record::Record;
use crate::log::record_batch::Proposal;
use crate::net::group::{GroupRequest, GroupResponse, JoinGroup, JoinGroupAnswer};
use crate::net::message::{Acks, Message};
use crate::number;
use crate::sorted_map::SortedMap;
use crate::time::SimTime;
use crate::world::outbox::Outbox;

/// What a broker knows of groups.
#[derive(Clone, Debug, Default)]
pub(in crate::broker) struct GroupCoordinator {
    /// The partitions that it leads.
    pub(super) shards: SortedMap<PartitionId, Rc<Shard>>,
    /// How many partitions there were when the broker began to serve; `None`: there was no topic.
    pub(super) partitions: Option<i32>,
    /// The request for the topic that waits for its answer, and since when.
    pub(super) creation: Option<(MessageId, SimTime)>,
    /// Deletions of groups that wait for commits.
    pub(super) deletions: SortedMap<MessageId, Deletion>,
    /// The partitions whose logs it reads, each with when that is done.
    pub(super) loading: SortedMap<PartitionId, SimTime>,
    /// When the one thread that reads logs has nothing left to do.
    pub(super) loader_free: SimTime,
    /// What waits, because a write of its partition is on its way to a slow disk.
    pub(super) held_back: Vec<(PartitionId, HeldBack)>,
    /// How many ids of members it has given out, of each group.
    given: SortedMap<GroupId, u64>,
    config: Option<GroupConfig>,
}

impl GroupCoordinator {
    /// Requests that wait for their answers.
    pub(in crate::broker) fn held(&self) -> Vec<(NodeId, MessageId)> {
        let mut held: Vec<(NodeId, MessageId)> = Vec::new();
        for shard in self.shards.values() {
            held.extend(shard.held());
        }
        for (_, waiting) in &self.held_back {
            if let HeldBack::Request(asker, _) = waiting {
                held.push((asker.from, asker.correlation));
            }
        }
        let deletions = self.deletions.values();
        held.extend(deletions.map(|deletion| (deletion.asker.from, deletion.asker.correlation)));
        held
    }
}

impl Broker {
    /// The groups that it coordinates.
    pub fn group_shards(&self) -> impl Iterator<Item = (PartitionId, &Rc<Shard>)> {
        self.replication.groups.shards.iter().map(|(partition, shard)| (*partition, shard))
    }

    /// Its settings; those of groups cannot be changed while it runs.
    pub(super) fn group_config(&mut self) -> GroupConfig {
        if let Some(config) = self.replication.groups.config {
            return config;
        }
        let brokers = u32::try_from(self.image.brokers.len()).unwrap_or(u32::MAX);
        let config = GroupConfig::read(brokers, |key| {
            self.setting(key).and_then(|value| number::unsigned(value.trim()))
        });
        self.replication.groups.config = Some(config);
        config
    }

    pub(in crate::broker) fn handle_group_request(
        &mut self,
        message: &Message,
        request: &GroupRequest,
        out: &mut Outbox,
    ) {
        let asker = Asker { from: message.from, correlation: message.correlation };
        self.handle_asked(asker, request, out);
    }

    /// The same, of whoever asks.
    pub(super) fn handle_asked(&mut self, asker: Asker, request: &GroupRequest, out: &mut Outbox) {
        match request {
            GroupRequest::FindCoordinator(group) => {
                let found = self.find_coordinator(group, out);
                respond(asker, GroupResponse::FindCoordinator(found), out);
            }
            GroupRequest::ListGroups { states, types } => {
                let listed = if self.replication.groups.loading.is_empty() {
                    Ok(self.list_groups(states, types))
                } else {
                    Err(KafkaError::plain(ErrorCode::CoordinatorLoadInProgress))
                };
                respond(asker, GroupResponse::ListGroups(listed), out);
            }
            GroupRequest::DescribeGroups(groups) => {
                let described = self.describe_groups(groups);
                respond(asker, GroupResponse::DescribeGroups(described), out);
            }
            GroupRequest::DeleteGroups(groups) => self.delete_groups(asker, groups, out),
            GroupRequest::OffsetCommit { .. } | GroupRequest::OffsetDelete { .. } => {
                self.handle_offsets(asker, request, out);
            }
            _ => self.handle_member(asker, request, out),
        }
    }

    /// Requests that change offsets. Which partitions there are, the broker knows.
    fn handle_offsets(&mut self, asker: Asker, request: &GroupRequest, out: &mut Outbox) {
        let exists = |which: &TopicPartition| {
            let topic = self.image.topics.get(&which.topic)?;
            topic.partition(which.partition).map(|_| (which.clone(), topic.id))
        };
        let (group, known): (_, Vec<(TopicPartition, TopicId)>) = match request {
            GroupRequest::OffsetCommit { member, offsets } => {
                let named = offsets.iter().map(|(which, _)| which);
                (&member.group, named.filter_map(exists).collect())
            }
            GroupRequest::OffsetDelete { group, partitions } => {
                (group, partitions.iter().filter_map(exists).collect())
            }
            _ => return,
        };
        // For the sake of old clients, offsets can be committed for a group without a name.
        if group.0.is_empty() && matches!(request, GroupRequest::OffsetDelete { .. }) {
            return respond(asker, refusal(request, ErrorCode::InvalidGroupId), out);
        }
        let partition = self.group_partition(group);
        if self.hold_back(partition, || HeldBack::Request(asker, Rc::new(request.clone()))) {
            return;
        }
        let done = self.with_shard(partition, out, |shard, ctx| match request {
            GroupRequest::OffsetCommit { member, offsets } => {
                shard.commit_offsets(member, offsets, &known, asker, ctx);
            }
            GroupRequest::OffsetDelete { group, partitions } => {
                shard.delete_offsets(group, partitions, &known, asker, ctx);
            }
            _ => {}
        });
        if done.is_none() {
            respond(asker, refusal(request, self.no_coordinator(partition)), out);
        }
    }

    /// Why it cannot answer for the groups of that partition.
    pub(super) fn no_coordinator(&self, partition: PartitionId) -> ErrorCode {
        if self.replication.groups.loading.contains_key(&partition) {
            ErrorCode::CoordinatorLoadInProgress
        } else {
            ErrorCode::NotCoordinator
        }
    }

    /// Requests of members.
    fn handle_member(&mut self, asker: Asker, request: &GroupRequest, out: &mut Outbox) {
        let group = match request {
            GroupRequest::JoinGroup(join) => &join.group,
            GroupRequest::SyncGroup(sync) => &sync.member.group,
            GroupRequest::Heartbeat(member) => &member.group,
            GroupRequest::LeaveGroup { group, .. } | GroupRequest::OffsetFetch { group, .. } => {
                group
            }
            _ => return,
        };
        let is_fetch = matches!(request, GroupRequest::OffsetFetch { .. });
        if group.0.is_empty() && !is_fetch {
            return respond(asker, refusal(request, ErrorCode::InvalidGroupId), out);
        }
        let partition = self.group_partition(group);
        if self.hold_back(partition, || HeldBack::Request(asker, Rc::new(request.clone()))) {
            return;
        }
        let done = self.with_shard(partition, out, |shard, ctx| match request {
            GroupRequest::JoinGroup(join) => shard.join(join, asker, ctx),
            GroupRequest::SyncGroup(sync) => {
                let known = shard.with_group(group, ctx, |group, ctx| group.sync(sync, asker, ctx));
                if known.is_none() {
                    ctx.answer(asker, refusal(request, ErrorCode::UnknownMemberId));
                }
            }
            GroupRequest::Heartbeat(member) => {
                let result =
                    shard.with_group(group, ctx, |group, ctx| group.heartbeat(member, ctx));
                let unknown = || Err(KafkaError::plain(ErrorCode::UnknownMemberId));
                let response = GroupResponse::Heartbeat(result.unwrap_or_else(unknown));
                shard.answer_in_order(asker, response, ctx);
            }
            GroupRequest::LeaveGroup { members, .. } => {
                let left = shard.with_group(group, ctx, |group, ctx| group.leave(members, ctx));
                let unknown = || KafkaError::plain(ErrorCode::UnknownMemberId);
                let response = GroupResponse::LeaveGroup(left.ok_or_else(unknown));
                shard.answer_in_order(asker, response, ctx);
            }
            GroupRequest::OffsetFetch { partitions, .. } => {
                shard.fetch_offsets(group, partitions.as_deref(), asker, ctx);
            }
            _ => {}
        });
        if done.is_some() {
            return;
        }
        let code = self.no_coordinator(partition);
        let is_heartbeat = matches!(request, GroupRequest::Heartbeat(_));
        // Who is alive need not know that the log is being read.
        let response = if is_heartbeat && code == ErrorCode::CoordinatorLoadInProgress {
            GroupResponse::Heartbeat(Ok(()))
        } else {
            refusal(request, code)
        };
        respond(asker, response, out);
    }

    /// Lets a shard do something, and does what it asks for; `None`: the broker does not lead it.
    pub(super) fn with_shard<R>(
        &mut self,
        partition: PartitionId,
        out: &mut Outbox,
        act: impl FnOnce(&mut Shard, &mut Context<'_>) -> R,
    ) -> Option<R> {
        let config = self.group_config();
        let run = u64::from(self.id.0.unsigned_abs()) << 32 | u64::from(self.life.incarnation);
        let seed = *self.seed.known();
        let GroupCoordinator { shards, given, .. } = &mut *self.replication.groups;
        let shard = Rc::make_mut(shards.get_mut(&partition)?);
        let names = Names { seed, run, given };
        let mut ctx = Context { out, config, names, writes: Vec::new() };
        let result = act(shard, &mut ctx);
        let writes = ctx.writes;
        if !writes.is_empty() && !self.maybe_delay_groups(partition, &writes, out) {
            self.append_writes(partition, writes, out);
        }
        Some(result)
    }

    pub(in crate::broker) fn append_writes(
        &mut self,
        partition: PartitionId,
        writes: Vec<Write>,
        out: &mut Outbox,
    ) {
        let which = offsets_partition(partition);
        let deadline = out.now() + self.group_config().commit_timeout;
        for Write { records, then } in writes {
            if records.is_empty() {
                self.wait_for_pending(partition, deadline, then, out);
                continue;
            }
            let now_ms = out.now().epoch_millis();
            let encoded: Vec<Record> = records.iter().map(|record| record.encode(now_ms)).collect();
            let proposal = Proposal::from(Rc::<[Record]>::from(encoded));
            match self.append(&which, &proposal, Acks::Leader, out) {
                Ok((_, end)) => self.take_write(&which, end, &records, then, out),
                Err(error) => {
                    let made = match &then {
                        Then::GroupMade(group, _) => Some(group.clone()),
                        _ => None,
                    };
                    self.settle_write(partition, then, Err(&of_failed_write(&error)), out);
                    if let Some(group) = made {
                        self.with_shard(partition, out, |shard, _| shard.drop_group(&group));
                    }
                }
            }
        }
        self.complete_group_writes(&which, out);
    }

    /// What was appended counts now; what it answers waits until it is committed.
    fn take_write(
        &mut self,
        which: &TopicPartition,
        end: Offset,
        records: &[GroupRecord],
        then: Then,
        out: &mut Outbox,
    ) {
        let (partition, now_ms) = (which.partition, out.now().epoch_millis());
        let deadline = out.now() + self.group_config().commit_timeout;
        self.with_shard(partition, out, |shard, ctx| {
            for record in records {
                shard.apply(record, end, now_ms);
                shard.plan_expiration_of(record, ctx);
            }
            if let Then::GroupMade(id, _) = &then {
                shard.note_made(id, end);
            }
        });
        self.serve_followers(std::iter::once(which), out);
        self.complete_delayed_fetches(which, out);
        let committed = self.partitions.get(which).map_or(Offset(0), |held| held.high_watermark());
        let is_alone =
            self.with_shard(partition, out, |shard, _| shard.highest_pending().is_none());
        if is_alone == Some(true) && end <= committed {
            self.settle_write(partition, then, Ok(()), out);
        } else {
            self.with_shard(partition, out, |shard, ctx| shard.defer(end, deadline, then, ctx.out));
        }
    }

    /// What writes nothing follows when all that was written before is committed.
    fn wait_for_pending(
        &mut self,
        partition: PartitionId,
        deadline: SimTime,
        then: Then,
        out: &mut Outbox,
    ) {
        self.with_shard(partition, out, |shard, ctx| match shard.highest_pending() {
            Some(end) => shard.defer(end, deadline, then, ctx.out),
            None => shard.settle(then, Ok(()), ctx),
        });
    }

    /// The high watermark of a partition may have moved: what waited for that follows.
    pub(in crate::broker) fn complete_group_writes(
        &mut self,
        which: &TopicPartition,
        out: &mut Outbox,
    ) {
        if self.replication.groups.shards.is_empty() || which.topic.as_str() != OFFSETS_TOPIC {
            return;
        }
        let partition = which.partition;
        while let Some(committed) = self.partitions.get(which).map(|held| held.high_watermark()) {
            let then = self.with_shard(partition, out, |shard, _| shard.next_committed(committed));
            let Some(then) = then.flatten() else { return };
            self.settle_write(partition, then, Ok(()), out);
        }
    }

    fn settle_write(
        &mut self,
        partition: PartitionId,
        then: Then,
        result: Result<(), &KafkaError>,
        out: &mut Outbox,
    ) {
        if let Then::Deleted { request, groups } = &then {
            return self.settle_deletion(*request, groups, result, out);
        }
        self.with_shard(partition, out, |shard, ctx| shard.settle(then, result, ctx));
    }

    /// Some write may have waited for too long. It may be committed all the same, later.
    pub(in crate::broker) fn handle_group_write_expiry(
        &mut self,
        partition: PartitionId,
        out: &mut Outbox,
    ) {
        let expired = self.with_shard(partition, out, |shard, ctx| shard.take_expired(ctx.out));
        let error = KafkaError::plain(ErrorCode::CoordinatorNotAvailable);
        let elsewhere = KafkaError::plain(ErrorCode::NotCoordinator);
        for then in expired.into_iter().flatten() {
            // Old consumers would not try again after another error (`handleOffsetFetchException`).
            let is_fetch = matches!(&then, Then::Answer(_, GroupResponse::OffsetFetch(_)));
            let error = if is_fetch { &elsewhere } else { &error };
            self.settle_write(partition, then, Err(error), out);
        }
    }

    /// A timer of a group has fired.
    pub(in crate::broker) fn handle_group_deadline(
        &mut self,
        partition: PartitionId,
        number: u32,
        out: &mut Outbox,
    ) {
        if self.hold_back(partition, || HeldBack::Deadline(number)) {
            return;
        }
        self.with_shard(partition, out, |shard, ctx| shard.handle_deadline(number, ctx));
    }

    /// It is time to look for what nobody uses.
    pub(in crate::broker) fn handle_offsets_expiration(
        &mut self,
        partition: PartitionId,
        out: &mut Outbox,
    ) {
        if self.hold_back(partition, || HeldBack::Expiration) {
            return;
        }
        self.with_shard(partition, out, Shard::handle_expiration);
        self.with_shard(partition, out, Shard::plan_expiration);
    }
}

impl Shard {
    /// Somebody wants to be a member. A group is made for whoever has no id yet.
    fn join(&mut self, join: &JoinGroup, asker: Asker, ctx: &mut Context<'_>) {
        let (shortest, longest) = ctx.config.session_timeout_ms;
        let refuse = |code, ctx: &mut Context<'_>| {
            ctx.refuse_join(asker, join.member.clone(), KafkaError::plain(code));
        };
        if !(shortest..=longest).contains(&join.session_timeout_ms) {
            return refuse(ErrorCode::InvalidSessionTimeout, ctx);
        }
        let id = &join.group;
        let is_new = !self.groups.contains_key(id);
        if is_new && !join.member.0.is_empty() {
            return refuse(ErrorCode::UnknownMemberId, ctx);
        }
        if is_new {
            self.make_group(id, ctx.now_ms());
        }
        self.with_group(id, ctx, |group, ctx| group.join(join, asker, ctx));
        if is_new && ctx.writes.is_empty() {
            let record = self.classic(id).map(GroupRecord::of_new_group);
            ctx.write(record.into_iter().collect(), Then::GroupMade(id.clone(), asker));
        }
    }
}

/// An answer that says why there is no other.
pub(super) fn refusal(request: &GroupRequest, code: ErrorCode) -> GroupResponse {
    let error = || KafkaError::plain(code);
    match request {
        GroupRequest::FindCoordinator(_) => GroupResponse::FindCoordinator(Err(error())),
        GroupRequest::JoinGroup(JoinGroup { member, .. }) => {
            let member = MemberId(Rc::clone(&member.0));
            GroupResponse::JoinGroup(JoinGroupAnswer { member, result: Err(error()) })
        }
        GroupRequest::SyncGroup(_) => GroupResponse::SyncGroup(Err(error())),
        GroupRequest::Heartbeat(_) => GroupResponse::Heartbeat(Err(error())),
        GroupRequest::LeaveGroup { .. } => GroupResponse::LeaveGroup(Err(error())),
        GroupRequest::OffsetCommit { offsets, .. } => GroupResponse::OffsetCommit(
            offsets.iter().map(|(which, _)| (which.clone(), Err(error()))).collect(),
        ),
        GroupRequest::OffsetFetch { .. } => GroupResponse::OffsetFetch(Err(error())),
        GroupRequest::ListGroups { .. } => GroupResponse::ListGroups(Err(error())),
        GroupRequest::DescribeGroups(ids) => {
            GroupResponse::DescribeGroups(ids.iter().map(|id| (id.clone(), Err(error()))).collect())
        }
        GroupRequest::DeleteGroups(ids) => {
            GroupResponse::DeleteGroups(ids.iter().map(|id| (id.clone(), Err(error()))).collect())
        }
        GroupRequest::OffsetDelete { .. } => GroupResponse::OffsetDelete(Err(error())),
    }
}
