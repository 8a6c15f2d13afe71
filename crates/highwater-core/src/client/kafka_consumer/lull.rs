//! What a member does by itself while there is nothing to read, again and again, and what it is after it has
//! done so for a while (`world/lull.rs`).

use super::coordinator::{Join, MemberState};
use super::{InFlight, KafkaConsumer};
use crate::client::kafka_consumer::config::{Subscription, Topics};
use crate::controller::records::MetadataImage;
use crate::controller::topic_name;
use crate::ids::{BrokerId, GroupId, MemberId, TopicPartition};
use crate::net::group::OffsetAndMetadata;
use crate::time::{SimDuration, SimTime, last_of_row, next_of_row};

/// When it does what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rhythm {
    pub(crate) group: GroupId,
    pub(crate) member: MemberId,
    pub(crate) coordinator: BrokerId,
    /// It commits then, and again after each period.
    pub(crate) commits_at: SimTime,
    pub(crate) commit_period: SimDuration,
    /// From one heartbeat to the next.
    pub(crate) heartbeat_period: SimDuration,
    /// From one fetch that brings nothing to the next.
    pub(crate) fetch_period: SimDuration,
    /// It asks for metadata then.
    pub(crate) metadata_at: SimTime,
    pub(crate) metadata_period: SimDuration,
    /// Whether it will learn nothing new then.
    pub(crate) is_current: bool,
    /// From a request to its answer.
    pub(crate) answer_takes: SimDuration,
    /// What it commits.
    pub(crate) consumed: Vec<(TopicPartition, OffsetAndMetadata)>,
    /// How many fetches wait.
    pub(crate) fetches: u32,
}

impl KafkaConsumer {
    /// When it does what, if it is a member that waits and nothing else is under way.
    pub(crate) fn rhythm(
        &self,
        network_delay: SimDuration,
        image: &MetadataImage,
    ) -> Option<Rhythm> {
        let is_member = matches!(self.subscription, Some(Subscription::Subscribed(_)));
        let is_still = self.poll.is_some()
            && is_member
            && self.config.commits_itself()
            && self.closing.is_none()
            && !self.is_woken
            && self.failure.is_none()
            && self.completed.is_empty()
            && self.pauses.is_empty()
            && self.wakes.is_some()
            && self.wakes == self.coordinator.commits.auto_at
            && self.metadata.is_known()
            && !self.metadata.is_stale;
        if !is_still || !self.coordinator.is_at_rest() {
            return None;
        }
        let fetches = self.fetches_at_rest()?;
        let there_and_back = SimDuration(2 * network_delay.0);
        let every = |millis| SimDuration(SimDuration::from_millis(millis).0 + there_and_back.0);
        let max_age = SimDuration::from_millis(self.config.metadata_max_age_ms);
        let is_all =
            matches!(self.subscription, Some(Subscription::Subscribed(Topics::Fitting(_))));
        let brokers = image.brokers.iter().filter(|(_, broker)| !broker.fenced);
        let is_current = self.metadata.is_current(image, is_all)
            && self.connection.knows(brokers.map(|(id, _)| *id));
        Some(Rhythm {
            is_current,
            group: self.group(),
            member: self.coordinator.generation.member.clone(),
            coordinator: self.coordinator.node?,
            commits_at: self.coordinator.commits.auto_at?,
            commit_period: SimDuration::from_millis(self.config.auto_commit_interval_ms.max(1)),
            heartbeat_period: SimDuration::from_millis(self.config.heartbeat_interval_ms.max(1)),
            fetch_period: every(self.config.fetch_max_wait_ms),
            metadata_at: self.metadata.learned + max_age,
            metadata_period: every(self.config.metadata_max_age_ms),
            answer_takes: there_and_back,
            consumed: self.state.all_consumed(),
            fetches,
        })
    }

    /// How many fetches wait, if nothing else does and all its partitions are among them.
    fn fetches_at_rest(&self) -> Option<u32> {
        let mut asked = Vec::new();
        for (request, _) in self.in_flight.values() {
            let InFlight::Fetch(broker) = request else { return None };
            asked.push(self.sessions.get(broker).filter(|session| session.is_open())?);
        }
        for (which, state) in self.state.iter() {
            let position = Some(state.position?);
            let is_asked = asked.iter().any(|session| session.fetched_from(which) == position);
            let is_still =
                is_asked && state.is_fetchable() && self.metadata.leader(which).is_some();
            // What is committed is news to whoever reads that.
            if !is_still || topic_name::is_internal(which.topic.as_str()) {
                return None;
            }
        }
        u32::try_from(asked.len()).ok()
    }

    /// So many fetches of a broker have been answered in vain.
    pub(crate) fn leap_fetches(&mut self, broker: BrokerId, times: u64) {
        if let Some(session) = self.sessions.get_mut(&broker) {
            session.leap(times);
        }
    }

    /// It has gone on like that until now, and `by` is what its commits have moved by.
    pub(crate) fn leap(&mut self, rhythm: &Rhythm, by: SimDuration, now: SimTime) {
        let patience = self.patience();
        for (_, sent) in self.in_flight.values_mut() {
            sent.deadline = now + patience;
        }
        self.watches.take_if(|watches| *watches < now);
        let heartbeat = &mut self.coordinator.heartbeat;
        let due = next_of_row(heartbeat.due, rhythm.heartbeat_period, now);
        let beats = SimDuration(due.0 - heartbeat.due.0);
        heartbeat.leap(beats);
        self.coordinator.commits.auto_at = self.coordinator.commits.auto_at.map(|at| at + by);
        self.wakes = self.wakes.map(|at| at + by);
        if self.metadata.learned + rhythm.metadata_period <= now {
            let learned = last_of_row(self.metadata.learned, rhythm.metadata_period, now);
            let times = (learned.0 - self.metadata.learned.0) / rhythm.metadata_period.0.max(1);
            self.asked = self.asked.wrapping_add(u32::try_from(times).unwrap_or(u32::MAX));
            self.metadata.learned = learned;
            if let Ok((node, Some(_))) = self.connection.least_loaded(&self.links, now) {
                self.links.ready(node);
            }
        }
    }
}

impl super::coordinator::Coordinator {
    /// Whether it is a member with its part, and nothing is under way.
    fn is_at_rest(&self) -> bool {
        self.node.is_some()
            && self.state == MemberState::Stable
            && !self.needs_rejoin
            && matches!(self.join, Join::None)
            && self.unread.is_none()
            && self.assigning.is_none()
            && !self.is_fetching_offsets
            && self.failure.is_none()
            && self.heartbeat.is_at_rest()
            && self.commits.is_at_rest()
    }
}
