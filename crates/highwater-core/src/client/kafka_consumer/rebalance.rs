//! What a rebalance does to a member's partitions (`ConsumerCoordinator.onJoinPrepare`, `onJoinComplete`,
//! `onLeaderElected`), and when one is needed.

use std::rc::Rc;

use super::KafkaConsumer;
use super::commit::CommitKind;
use super::coordinator::{CLASS, Join};
use super::listener::Then;
use crate::client::LogLevel;
use crate::client::assignor::{
    self, AssignorKind, MemberSubscription, PartitionRacks, RebalanceProtocol,
};
use crate::client::kafka_consumer::config::{Subscription, Topics};
use crate::ids::{MemberId, Rack, TopicName, TopicPartition};
use crate::net::group::{Joined, JoinedMember};
use crate::sorted_map::{SortedMap, sort_by_key};
use crate::time::{SimDuration, SimTime};
use crate::world::cluster_event::{AssignmentChange, ClusterEvent};
use crate::world::outbox::Outbox;

/// How many partitions the topics of a group have, and, if this member says where it stands, the racks of
/// each partition (`MetadataSnapshot`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Snapshot {
    partitions: SortedMap<TopicName, u32>,
    racks: SortedMap<TopicName, Vec<Vec<Rack>>>,
}

/// A leader that must learn more before it assigns.
#[derive(Clone, Debug)]
pub(super) struct Assigning {
    members: Vec<JoinedMember>,
    skips: bool,
}

/// How far a member is in preparing to join: its positions are committed first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Prepared {
    /// Nothing was done.
    Not,
    /// It must wait until then to commit once more; the second is when it began.
    Again(SimTime, SimTime),
    /// The commit is on its way since then.
    Committing(SimTime),
    /// It has come to nothing, for this reason, and is not tried again.
    Failed(String),
    /// It is done, or not wanted.
    Committed,
}

impl KafkaConsumer {
    /// Whether it must join (again), or is about to (`rejoinNeededOrPending`).
    pub(super) fn needs_rejoin(&mut self) -> bool {
        if !matches!(self.subscription, Some(Subscription::Subscribed(_))) {
            return false;
        }
        let coordinator = &mut self.coordinator;
        let has_changed =
            |mine: &Rc<Snapshot>| !Rc::ptr_eq(mine, &self.snapshot) && *mine != self.snapshot;
        let other_topics = |mine: &Rc<Vec<TopicName>>| {
            !Rc::ptr_eq(mine, &self.subscribed) && *mine != self.subscribed
        };
        let reason = if coordinator.assigned_by.as_ref().is_some_and(has_changed) {
            "cached metadata has changed"
        } else if coordinator.joined_topics.as_ref().is_some_and(other_topics) {
            "subscription has changed"
        } else {
            return coordinator.needs_rejoin || !matches!(coordinator.join, Join::None);
        };
        if !coordinator.needs_rejoin {
            coordinator.request_rejoin(reason);
        }
        true
    }

    /// New metadata is here: topics that fit a pattern, numbers of partitions, and racks.
    pub(super) fn update_subscription(&mut self) {
        let Some(Subscription::Subscribed(topics)) = &self.subscription else { return };
        if let Topics::Fitting(filter) = topics {
            let hides = self.config.exclude_internal_topics;
            let fitting = self.metadata.names_that_fit(&**filter, hides);
            if *self.subscribed != fitting {
                self.subscribed = Rc::new(fitting);
            }
        }
        let mut snapshot = Snapshot::default();
        for name in self.subscribed.iter().chain(self.group_topics.iter()) {
            if let Some(count) = self.metadata.partition_count(name) {
                snapshot.partitions.insert(name.clone(), count);
                if self.config.client_rack.is_some() {
                    snapshot.racks.insert(name.clone(), self.sets_of_racks(name));
                }
            }
        }
        if *self.snapshot != snapshot {
            self.snapshot = Rc::new(snapshot);
        }
    }

    /// For each partition of a topic the racks in which its replicas stand, each once and in order.
    fn sets_of_racks(&self, name: &TopicName) -> Vec<Vec<Rack>> {
        let mut partitions = self.metadata.racks(name);
        for racks in &mut partitions {
            sort_by_key(racks, |rack| rack.get().cloned());
            racks.dedup();
        }
        partitions
    }

    /// Gets ready to join: commits, then gives up what the protocol demands. Whether that is done.
    pub(super) fn prepare_join(&mut self, out: &mut Outbox) -> bool {
        if !self.commit_before_join(out) {
            return false;
        }
        self.coordinator.prepared = Prepared::Not;
        self.coordinator.needs_prepare = false;
        let assigned = self.state.assigned();
        let why;
        let (change, kept, gone, why) = if self.coordinator.generation.has_lost_all() {
            let why = "it is no member of the group any more";
            (AssignmentChange::Lost, Vec::new(), assigned, why)
        } else if self.config.rebalance_protocol() == RebalanceProtocol::Eager {
            // A listener hears of it even if there is nothing to give up.
            why = Rc::clone(&self.coordinator.reason);
            self.give_up(AssignmentChange::Revoked, assigned, &why, Then::Join(Vec::new()), out);
            return !self.is_in_listener();
        } else {
            let is_kept = |which: &TopicPartition| self.subscribed.contains(&which.topic);
            let (kept, gone) = assigned.into_iter().partition(is_kept);
            (AssignmentChange::Revoked, kept, gone, "its topic is not read any more")
        };
        if gone.is_empty() {
            self.finish_prepare(&kept, out);
        } else {
            self.give_up(change, gone, why, Then::Join(kept), out);
        }
        !self.is_in_listener()
    }

    /// Nothing stands against joining any more.
    pub(super) fn finish_prepare(&mut self, kept: &[TopicPartition], out: &Outbox) {
        self.state.assign(kept, out.now());
        self.coordinator.is_leader = false;
        self.group_topics = Rc::default();
    }

    /// Whether what was read is committed as well as it can be.
    fn commit_before_join(&mut self, out: &mut Outbox) -> bool {
        if !self.config.commits_itself() {
            return true;
        }
        let now = out.now();
        let patience = SimDuration::from_millis(self.config.max_poll_interval_ms);
        let began = match std::mem::replace(&mut self.coordinator.prepared, Prepared::Not) {
            Prepared::Committed => return true,
            Prepared::Failed(text) => {
                let text = format!(
                    "Asynchronous auto-commit of offsets failed: {text}. Will continue to join group. \
                     ({CLASS})"
                );
                self.log(LogLevel::Error, &text, out);
                return true;
            }
            Prepared::Not => now,
            Prepared::Again(_, began) | Prepared::Committing(began) if began + patience <= now => {
                let text = format!(
                    "Asynchronous auto-commit of offsets failed: joinPrepare timeout. Will continue to \
                     join group ({CLASS})"
                );
                self.log(LogLevel::Error, &text, out);
                return true;
            }
            Prepared::Committing(began) => {
                self.coordinator.prepared = Prepared::Committing(began);
                self.wake_at(began + patience, out);
                return false;
            }
            Prepared::Again(at, began) if at > now => {
                self.coordinator.prepared = Prepared::Again(at, began);
                self.wake_at(at, out);
                return false;
            }
            Prepared::Again(_, began) => began,
        };
        if self.config.rebalance_protocol() == RebalanceProtocol::Eager {
            for (_, state) in self.state.iter_mut() {
                state.is_leaving = true;
            }
        }
        self.coordinator.prepared = Prepared::Committing(began);
        let offsets = self.state.all_consumed();
        self.commit_async(CommitKind::Prepare, offsets, out);
        match self.coordinator.prepared {
            Prepared::Committing(_) => {
                self.wake_at(began + patience, out);
                false
            }
            _ => self.commit_before_join(out),
        }
    }

    /// Says that partitions go, and goes on. They are still there while it is said.
    pub(super) fn give_up(
        &mut self,
        change: AssignmentChange,
        partitions: Vec<TopicPartition>,
        why: &str,
        then: Then,
        out: &mut Outbox,
    ) {
        if !partitions.is_empty() {
            self.tell_assignment(change, &partitions, why, out);
        }
        self.call_listener(change, partitions, then, out);
    }

    fn tell_assignment(
        &self,
        change: AssignmentChange,
        partitions: &[TopicPartition],
        why: &str,
        out: &mut Outbox,
    ) {
        out.emit(ClusterEvent::AssignmentChanged {
            reader: self.config.client_id.clone(),
            group: self.group(),
            member: self.coordinator.generation.member.clone(),
            generation: self.coordinator.generation.id,
            change,
            partitions: partitions.to_vec(),
            why: Rc::from(why),
        });
    }

    /// The member has its part of a generation.
    pub(super) fn complete_join(&mut self, mut assigned: Vec<TopicPartition>, out: &mut Outbox) {
        if !self.coordinator.is_leader {
            self.coordinator.assigned_by = None;
        }
        assigned.sort_unstable();
        if !self.matches_subscription(&assigned) {
            let reason = "received assignment does not match the current subscription";
            return self.coordinator.request_rejoin(reason);
        }
        if self.config.rebalance_protocol() == RebalanceProtocol::Cooperative {
            let mut revoked = self.state.assigned();
            revoked.retain(|which| assigned.binary_search(which).is_err());
            if !revoked.is_empty() {
                let why = "the new assignment gives it away";
                let then = Then::Take(assigned);
                return self.give_up(AssignmentChange::Revoked, revoked, why, then, out);
            }
        }
        self.take_assignment(&assigned, out);
    }

    /// Takes over what it has got.
    pub(super) fn take_assignment(&mut self, assigned: &[TopicPartition], out: &mut Outbox) {
        let owned = self.state.assigned();
        let added: Vec<TopicPartition> =
            assigned.iter().filter(|which| owned.binary_search(which).is_err()).cloned().collect();
        self.add_assigned_topics(assigned);
        self.coordinator.last_assignment = (assigned.to_vec(), self.coordinator.generation.id);
        let interval = SimDuration::from_millis(self.config.auto_commit_interval_ms);
        self.coordinator.commits.auto_at = Some(out.now() + interval);
        self.state.assign(assigned, out.now());
        self.completed.retain(|fetch| assigned.binary_search(&fetch.partition).is_ok());
        let protocol = self.coordinator.generation.protocol.clone();
        let why = protocol.unwrap_or_else(|| Rc::from(""));
        if !added.is_empty() {
            self.tell_assignment(AssignmentChange::Assigned, &added, &why, out);
        }
        // The metadata may not know the new partitions yet.
        if self.state.iter().any(|(which, _)| self.metadata.topic(&which.topic).is_none()) {
            self.note_stale(out);
        }
        self.call_listener(AssignmentChange::Assigned, added, Then::Poll, out);
    }

    fn matches_subscription(&self, assigned: &[TopicPartition]) -> bool {
        match &self.subscription {
            Some(Subscription::Subscribed(Topics::Fitting(filter))) => {
                assigned.iter().all(|which| filter.fits(which.topic.as_str()))
            }
            _ => assigned.iter().all(|which| self.subscribed.contains(&which.topic)),
        }
    }

    /// The leader may know topics that fit the pattern and that this member has not seen yet.
    fn add_assigned_topics(&mut self, assigned: &[TopicPartition]) {
        let known = |topic: &TopicName| self.subscribed.contains(topic);
        if assigned.iter().all(|which| known(&which.topic)) {
            return;
        }
        let mut topics = self.subscribed.to_vec();
        topics.extend(assigned.iter().map(|which| which.topic.clone()));
        topics.sort_unstable();
        topics.dedup();
        self.subscribed = Rc::new(topics);
        self.coordinator.joined_topics = Some(Rc::clone(&self.subscribed));
        self.metadata.is_stale = true;
    }

    /// This member leads: it watches all topics of the group, and assigns when it knows them.
    pub(super) fn lead(&mut self, joined: &Joined, out: &mut Outbox) {
        let mut topics = Vec::new();
        for member in &joined.members {
            topics.extend(member.subscription.topics.iter().cloned());
        }
        topics.sort_unstable();
        topics.dedup();
        if topics.iter().any(|topic| !self.subscribed.contains(topic)) {
            self.metadata.is_stale = true;
            self.metadata.retry_at = out.now();
        }
        self.group_topics = Rc::new(topics);
        self.coordinator.is_leader = true;
        let assigning =
            Assigning { members: joined.members.clone(), skips: joined.skip_assignment };
        if self.metadata.is_stale || !self.metadata.is_known() {
            self.coordinator.assigning = Some(assigning);
            self.maybe_update_metadata(out);
        } else {
            self.update_subscription();
            self.assign_members(&assigning, out);
        }
    }

    /// The metadata is here that a leader waited for.
    pub(super) fn assign_if_leader(&mut self, out: &mut Outbox) {
        if let Some(assigning) = self.coordinator.assigning.take() {
            self.assign_members(&assigning, out);
        }
    }

    fn assign_members(&mut self, assigning: &Assigning, out: &mut Outbox) {
        self.coordinator.assigned_by = Some(Rc::clone(&self.snapshot));
        if assigning.skips {
            return self.send_sync(Vec::new(), out);
        }
        let chosen = self.coordinator.generation.protocol.clone();
        let kinds = self.config.assignors.iter().copied();
        let kind = kinds.into_iter().find(|kind| Some(kind.name()) == chosen.as_deref());
        let members: Vec<MemberSubscription> =
            assigning.members.iter().map(subscription_of).collect();
        let (mut partitions, mut racks) = (SortedMap::new(), PartitionRacks::new());
        let matters = members.iter().any(|member| member.rack.is_some());
        for topic in self.group_topics.iter() {
            if let Some(count) = self.metadata.partition_count(topic) {
                partitions.insert(topic.clone(), count);
                if matters {
                    let known =
                        |racks: Vec<Rack>| racks.iter().filter_map(Rack::get).cloned().collect();
                    let of_topic = self.metadata.racks(topic).into_iter().map(known).collect();
                    racks.insert(topic.clone(), of_topic);
                }
            }
        }
        let kind = kind.unwrap_or(AssignorKind::Range);
        let mut parts = Vec::new();
        for (member, part) in assignor::assign_in_racks(kind, &partitions, &racks, &members) {
            parts.push((MemberId(member), part));
        }
        self.send_sync(parts, out);
    }
}

fn subscription_of(member: &JoinedMember) -> MemberSubscription {
    let said = &member.subscription;
    MemberSubscription {
        member_id: Rc::clone(&member.member.0),
        group_instance_id: member.instance.clone(),
        topics: said.topics.clone(),
        owned: said.owned.clone(),
        generation: said.generation,
        rack: said.rack.clone(),
    }
}
