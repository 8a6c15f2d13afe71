//! A broker begins to coordinate the groups of a partition when it begins to lead it: it reads its log.
//! When it leads it no more, it forgets them (`CoordinatorLoaderImpl`, `onElection`, `onResignation`).

use std::rc::Rc;

use crate::broker::Broker;
use crate::broker::group_coordinator::classic_group::{ClassicGroup, GroupState};
use crate::broker::group_coordinator::context::{Then, emit, failed, respond};
use crate::broker::group_coordinator::find::{OFFSETS_TOPIC, offsets_partition};
use crate::broker::group_coordinator::member::Member;
use crate::broker::group_coordinator::records::{GroupMetadata, GroupRecord};
use crate::broker::group_coordinator::shard::{Group, Shard};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{GroupId, PartitionId, TopicName, TopicPartition};
use crate::log::unified_log::UnifiedLog;
use crate::net::group::{GroupResponse, JoinGroupAnswer};
use crate::time::{SimDuration, SimTime};
use crate::world::group_event::{GroupEvent, RebalanceReason};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

impl ClassicGroup {
    /// A group that was written down.
    fn of_metadata(id: &GroupId, metadata: &GroupMetadata) -> Self {
        let mut group = Self::new(id.clone(), 0, metadata.state_timestamp);
        if !metadata.members.is_empty() {
            group.state = GroupState::Stable;
        }
        group.state_timestamp = Some(metadata.state_timestamp).filter(|at| *at != -1);
        group.generation = metadata.generation;
        group.protocol_type =
            Some(Rc::clone(&metadata.protocol_type)).filter(|kind| !kind.is_empty());
        group.protocol.clone_from(&metadata.protocol);
        group.leader.clone_from(&metadata.leader);
        let protocol = metadata.protocol.clone().unwrap_or_default();
        for member in &metadata.members {
            let protocols = vec![(Rc::clone(&protocol), Rc::clone(&member.subscription))];
            group.members.push(Member {
                id: member.id.clone(),
                instance: member.instance.clone(),
                client_id: Rc::clone(&member.client_id),
                rebalance_timeout_ms: u64::try_from(member.rebalance_timeout_ms).unwrap_or(0),
                session_timeout_ms: u64::try_from(member.session_timeout_ms).unwrap_or(0),
                protocols: Rc::new(protocols),
                assignment: member.assignment.clone(),
                session_deadline: None,
                is_new: false,
                awaiting_join: None,
                awaiting_sync: None,
            });
        }
        group.subscribed = group.compute_subscribed();
        group
    }
}

impl Shard {
    /// Reads a log.
    fn of_log(partition: PartitionId, log: &UnifiedLog, now: SimTime) -> Self {
        let mut shard = Self::new(partition, now);
        for batch in log.read(log.log_start_offset(), log.log_end_offset(), u64::MAX) {
            let end = batch.next_offset();
            for (_, record) in batch.iter_from(log.log_start_offset()) {
                match GroupRecord::decode(record) {
                    Some(GroupRecord::Group(id, Some(metadata))) => {
                        let group = ClassicGroup::of_metadata(&id, &metadata);
                        shard.replace_group(&id, group, end);
                    }
                    Some(change) => shard.apply(&change, end, record.timestamp),
                    None => {}
                }
            }
        }
        shard
    }
}

/// How long it takes to read a log of so many bytes, as measured with a real broker.
fn loading_time(bytes: u64) -> SimDuration {
    SimDuration(bytes / BYTES_LOADED_IN_A_MICROSECOND)
}

/// A real broker that had just started read 30,000 records in 1,919,820 bytes within 175 ms.
const BYTES_LOADED_IN_A_MICROSECOND: u64 = 11;

impl Broker {
    /// The broker may lead a partition of groups from now on.
    pub(in crate::broker) fn maybe_load_groups(
        &mut self,
        which: &TopicPartition,
        out: &mut Outbox,
    ) {
        let partition = which.partition;
        let groups = &mut *self.replication.groups;
        if which.topic.as_str() != OFFSETS_TOPIC
            || groups.shards.contains_key(&partition)
            || groups.loading.contains_key(&partition)
        {
            return;
        }
        let Some(held) = self.partitions.get(which) else { return };
        let bytes = held.log().size_in_bytes();
        let takes = loading_time(bytes);
        if takes == SimDuration(0) {
            return self.load_groups(which, out);
        }
        let done = groups.loader_free.max(out.now()) + takes;
        groups.loader_free = done;
        groups.loading.insert(partition, done);
        let broker = self.id;
        emit(GroupEvent::CoordinatorLoading { broker, partition, bytes }, out);
        out.timer(SimDuration(done.0 - out.now().0), Timer::GroupsLoaded(partition));
    }

    /// A log of groups may be read.
    pub(in crate::broker) fn handle_groups_loaded(
        &mut self,
        partition: PartitionId,
        out: &mut Outbox,
    ) {
        let loading = &mut self.replication.groups.loading;
        if loading.get(&partition).is_some_and(|done| *done <= out.now()) {
            loading.remove(&partition);
            self.load_groups(&offsets_partition(partition), out);
        }
    }

    /// The log is read: the broker coordinates its groups.
    fn load_groups(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let partition = which.partition;
        let Some(held) = self.partitions.get(which) else { return };
        let mut shard = Shard::of_log(partition, held.log(), out.now());
        shard.next_committed(held.high_watermark());
        let groups = u32::try_from(shard.groups.len()).unwrap_or(u32::MAX);
        self.replication.groups.shards.insert(partition, Rc::new(shard));
        let broker = self.id;
        emit(GroupEvent::CoordinatorLoaded { broker, partition, groups }, out);
        self.with_shard(partition, out, |shard, ctx| {
            let ids: Vec<GroupId> = shard.groups.keys().cloned().collect();
            for id in ids {
                shard.with_group(&id, ctx, |group, ctx| {
                    let now = ctx.now();
                    group.members.iter_mut().for_each(|member| member.note_contact(now));
                    if group.members.len() as u64 > ctx.config.max_size {
                        group.prepare_rebalance(RebalanceReason::OverCapacity, ctx);
                    }
                });
            }
            shard.plan_expiration(ctx);
        });
    }

    /// The broker leads it no more: whoever waits must find the new coordinator.
    pub(in crate::broker) fn maybe_unload_groups(
        &mut self,
        which: &TopicPartition,
        out: &mut Outbox,
    ) {
        if which.topic.as_str() != OFFSETS_TOPIC {
            return;
        }
        let partition = which.partition;
        self.replication.groups.loading.remove(&partition);
        let Some(shard) = self.replication.groups.shards.remove(&partition) else { return };
        self.refuse_held_back(partition, out);
        let unwritten = self.take_group_writes(partition).into_iter().map(|write| write.then);
        let unwritten: Vec<Then> = unwritten.collect();
        let mut shard = Rc::unwrap_or_clone(shard);
        let groups = u32::try_from(shard.groups.len()).unwrap_or(u32::MAX);
        let broker = self.id;
        emit(GroupEvent::CoordinatorUnloaded { broker, partition, groups }, out);
        let error = KafkaError::plain(ErrorCode::NotCoordinator);
        for then in shard.take_deferred().into_iter().chain(unwritten) {
            match then {
                Then::Answer(asker, response) => respond(asker, failed(&response, &error), out),
                Then::Deleted { request, groups } => {
                    self.settle_deletion(request, &groups, Err(&error), out);
                }
                Then::Nothing
                | Then::GroupMade(..)
                | Then::Assign { .. }
                | Then::Replaced { .. } => {}
            }
        }
        for entry in shard.groups.values() {
            let Group::Classic(group) = &entry.group;
            for member in &group.members {
                if let Some(asker) = member.awaiting_join {
                    let answer =
                        JoinGroupAnswer { member: member.id.clone(), result: Err(error.clone()) };
                    respond(asker, GroupResponse::JoinGroup(answer), out);
                }
                if let Some(asker) = member.awaiting_sync {
                    respond(asker, GroupResponse::SyncGroup(Err(error.clone())), out);
                }
            }
        }
    }

    /// The broker begins to serve: it learns how many partitions hold groups.
    pub(in crate::broker) fn start_groups(&mut self) {
        let topic = self.image.topics.get(&TopicName::new(OFFSETS_TOPIC));
        let count = topic.map(|topic| i32::try_from(topic.partitions.len()).unwrap_or(i32::MAX));
        self.replication.groups.partitions = count;
    }

    /// Topics are gone, and so are their offsets.
    pub(in crate::broker) fn forget_offsets_of(&mut self, topic: &TopicName, out: &mut Outbox) {
        let led: Vec<PartitionId> = self.replication.groups.shards.keys().copied().collect();
        for partition in led {
            self.with_shard(partition, out, |shard, ctx| shard.forget_topic(topic, ctx));
        }
    }
}
