//! A group of consumers.

use highwater_core::broker::group_coordinator::{
    ClassicGroup, GroupState, JoinPhase, Member, OFFSETS_TOPIC,
};
use highwater_core::ids::{GroupId, TopicPartition};
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;
use highwater_core::world::group_event::GroupEvent;

use super::{Answer, Here, count, holdup, settings};
use crate::coordinated::{Coordinated, groups, readable_end};
use crate::replicas::{Health, health};
use crate::thing::Thing;
use crate::words::ask::{self as words, clients, labels};
use crate::words::replicas::broker;

/// So many partitions or members have a line.
const NAMED: usize = 24;

pub(super) fn find<'a>(here: &Here<'a>, name: &str) -> Option<Coordinated<'a>> {
    groups(here.moment).into_iter().find(|group| *group.id.0 == *name)
}

pub(super) fn answer(here: &Here<'_>, name: &str) -> Option<Answer> {
    let found = find(here, name)?;
    let group = found.entry.group.classic()?;
    let state = group.state();
    let mut answer = Answer::new(words::group_title(name, state.name()));
    answer.fact(labels::STATE, state.name());
    answer.number(labels::GENERATION, group.generation());
    answer.fact(labels::ASSIGNOR, group.protocol().unwrap_or(labels::NONE));
    let coordinator = found.coordinator;
    answer.about(labels::COORDINATOR, broker(coordinator.0), Thing::Broker(coordinator.0));
    let kept = crate::words::partition_name(OFFSETS_TOPIC, found.partition.0);
    answer.about(labels::KEPT_IN, kept, Thing::partition(OFFSETS_TOPIC, found.partition.0));
    answer.number(labels::MEMBERS, count(group.members()));
    for member in group.members().iter().take(NAMED) {
        let owned = member.partitions();
        let is_leader = group.leader() == Some(&member.id);
        let (group, id) = (name.to_owned(), member.id.to_string());
        let line = words::owns(&owned, is_leader);
        answer.about(id.clone(), line, Thing::Member { group, member: id });
    }
    let lag = of_offsets(&mut answer, here, &found);
    if let Some(how) = here.broker(coordinator).map(health).filter(|how| *how != Health::Up) {
        answer.say_of(clients::coordinator_is(coordinator, how), Thing::Broker(coordinator.0));
    }
    explain(&mut answer, here, group, lag);
    answer.broker_settings(here, coordinator, settings::OF_GROUP);
    answer.because = here.newest(|kind| is_about(kind, found.id)).map(|event| event.id);
    Some(answer)
}

/// Of each partition what is committed; returns by how many records all that is behind the ends of the logs.
fn of_offsets(answer: &mut Answer, here: &Here<'_>, found: &Coordinated<'_>) -> i64 {
    let mut all = 0;
    for (nth, (which, kept)) in found.entry.offsets.iter().enumerate() {
        let committed = kept.committed.offset;
        let end = readable_end(here.moment, which);
        let lag = end.map(|end| end.0 - committed.0);
        all += lag.unwrap_or(0);
        if nth < NAMED {
            let line = words::committed_line(committed.0, end.map(|end| end.0), lag);
            let thing = Thing::partition(which.topic.as_str(), which.partition.0);
            answer.about(which.to_string(), line, thing);
        }
    }
    for which in given(found) {
        if !found.entry.offsets.contains_key(&which) {
            let line =
                words::not_committed_line(readable_end(here.moment, &which).map(|end| end.0));
            let thing = Thing::partition(which.topic.as_str(), which.partition.0);
            answer.about(which.to_string(), line, thing);
        }
    }
    all
}

/// By how many records what is committed of these is behind the ends of their logs.
pub(super) fn lag_of(here: &Here<'_>, found: &Coordinated<'_>, which: &[TopicPartition]) -> i64 {
    let lag = |which: &TopicPartition| {
        let committed = found.entry.offsets.get(which)?.committed.offset;
        Some(readable_end(here.moment, which)?.0 - committed.0)
    };
    which.iter().filter_map(lag).sum()
}

/// The partitions that its members have.
fn given(found: &Coordinated<'_>) -> Vec<TopicPartition> {
    let members = found.entry.group.classic().map_or(&[][..], ClassicGroup::members);
    let mut all: Vec<TopicPartition> = members.iter().flat_map(Member::partitions).collect();
    all.truncate(NAMED);
    all
}

fn explain(answer: &mut Answer, here: &Here<'_>, group: &ClassicGroup, lag: i64) {
    let members = count(group.members());
    match group.state() {
        GroupState::Empty => answer.say(clients::group_is_empty().to_owned()),
        GroupState::PreparingRebalance => {
            let ends = group.join_phase().map(|phase| holdup::until(here, phase.ends()));
            let is_first = matches!(group.join_phase(), Some(JoinPhase::Initial { .. }));
            answer.say(clients::waits_for_members(is_first, members, ends));
        }
        GroupState::CompletingRebalance => {
            let leader = group.leader().map(ToString::to_string).unwrap_or_default();
            let thing = Thing::Member { group: group.id.to_string(), member: leader.clone() };
            answer.say_of(clients::waits_for_leader(group.generation(), &leader), thing);
        }
        GroupState::Stable => answer.say(clients::group_is_stable(group.generation(), members)),
        GroupState::Dead => answer.say(clients::group_is_dead().to_owned()),
    }
    if lag != 0 {
        answer.say(clients::group_lags(lag));
    }
    let idle = group.members().iter().filter(|member| member.partitions().is_empty()).count();
    if idle > 0 && group.state() == GroupState::Stable {
        answer.say(clients::idle_members(i64::try_from(idle).unwrap_or(i64::MAX)));
    }
}

/// Whether an event is the group's last rebalance, or a commit.
fn is_about(kind: &EventKind, id: &GroupId) -> bool {
    let Some(ClusterEvent::Group(event)) = super::news(kind) else { return false };
    match event {
        GroupEvent::RebalanceStarted { group, .. }
        | GroupEvent::GenerationBegan { group, .. }
        | GroupEvent::StateChanged { group, .. }
        | GroupEvent::MemberJoined { group, .. }
        | GroupEvent::MemberLeft { group, .. }
        | GroupEvent::MemberExpired { group, .. }
        | GroupEvent::OffsetsCommitted { group, .. }
        | GroupEvent::OffsetsRemoved { group, .. } => group == id,
        _ => false,
    }
}
