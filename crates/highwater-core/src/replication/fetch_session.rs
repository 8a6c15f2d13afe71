//! What a leader remembers of a follower's fetches (KIP-227): where the follower is in each partition,
//! and whether a fetch of it waits for something new.

use crate::ids::{LeaderEpoch, MessageId, Offset, TopicPartition};
use crate::net::internal::ReplicaPosition;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime, last_of_row};

/// `replica.fetch.wait.max.ms`
pub const FETCH_WAIT_MAX: SimDuration = SimDuration::from_millis(500);

/// Where a follower is in one partition.
#[derive(Clone, Debug)]
pub struct SessionPartition {
    /// Its fetch offset.
    pub fetch_offset: Offset,
    /// The epoch of its last batch.
    pub last_fetched_epoch: Option<LeaderEpoch>,
    /// The epoch of the leader that it follows.
    pub leader_epoch: LeaderEpoch,
    /// The high watermark that it was last told; `None`: none yet.
    pub told_high_watermark: Option<Offset>,
    /// The log start that it was last told.
    pub told_log_start: Offset,
    /// Whether it is in the list of those with news.
    listed: bool,
}

/// A fetch that waits.
#[derive(Clone, Copy, Debug)]
pub struct Parked {
    /// The request.
    pub correlation: MessageId,
    /// Since when.
    pub since: SimTime,
    /// Whether a timer will end the wait.
    pub armed: bool,
    /// Whether a timer waits for its arrival, because there is news for it.
    pub awaited: bool,
}

/// A follower's session.
#[derive(Clone, Debug, Default)]
pub struct FetchSession {
    /// The partitions it fetches.
    pub partitions: SortedMap<TopicPartition, SessionPartition>,
    /// Its waiting fetch.
    pub parked: Option<Parked>,
    /// Partitions that may have news for it.
    news: Vec<TopicPartition>,
    /// Partitions of which it is not in sync: each of its fetches may let it join.
    pub joining: Vec<TopicPartition>,
    last_fetch: SimTime,
    /// How many of its requests have come.
    pub epoch: u32,
    /// Whether its waiting fetch stands for all that would follow it, one every half second.
    quiet: bool,
}

impl FetchSession {
    /// A fetch has come.
    pub fn note_fetch(&mut self, position: &ReplicaPosition) {
        let fresh = SessionPartition {
            fetch_offset: position.fetch_offset,
            last_fetched_epoch: position.last_fetched_epoch,
            leader_epoch: position.leader_epoch,
            told_high_watermark: None,
            told_log_start: position.log_start_offset,
            listed: false,
        };
        let known = self.partitions.get_or_insert_with(position.partition.clone(), || fresh);
        known.fetch_offset = position.fetch_offset;
        known.last_fetched_epoch = position.last_fetched_epoch;
        known.leader_epoch = position.leader_epoch;
    }

    /// Its fetches may let it join the in-sync replicas of that partition.
    pub fn add_joining(&mut self, partition: &TopicPartition) {
        if !self.joining.contains(partition) {
            self.joining.push(partition.clone());
        }
    }

    /// Lists a partition among those with news.
    pub fn list(&mut self, partition: &TopicPartition) {
        if let Some(known) = self.partitions.get_mut(partition)
            && !known.listed
        {
            known.listed = true;
            self.news.push(partition.clone());
        }
    }

    /// Takes the list.
    pub fn take_news(&mut self) -> Vec<TopicPartition> {
        let news = std::mem::take(&mut self.news);
        for partition in &news {
            if let Some(known) = self.partitions.get_mut(partition) {
                known.listed = false;
            }
        }
        news
    }

    /// Whether some partition is listed.
    #[must_use]
    pub fn has_news(&self) -> bool {
        !self.news.is_empty()
    }

    /// The fetch waits from now on.
    pub fn park(&mut self, correlation: MessageId, now: SimTime, quiet: bool) {
        self.parked = Some(Parked { correlation, since: now, armed: false, awaited: false });
        self.quiet = quiet;
    }

    /// A fetch has arrived now.
    pub fn note_contact(&mut self, now: SimTime) {
        self.last_fetch = now;
    }

    /// Its last fetch, played or not.
    #[must_use]
    pub fn contact(&self, network_delay: SimDuration, now: SimTime) -> SimTime {
        match self.parked {
            Some(parked) if self.quiet => {
                last_of_row(parked.since, fetch_period(network_delay), now)
            }
            Some(parked) if parked.since <= now => self.last_fetch.max(parked.since),
            _ => self.last_fetch,
        }
    }

    /// Between the end of one waiting fetch and the arrival of the next: when that arrives.
    #[must_use]
    pub fn arrival(&self, network_delay: SimDuration, now: SimTime) -> Option<SimTime> {
        let parked = self.parked?;
        if !self.quiet {
            return (parked.since > now).then_some(parked.since);
        }
        let begun = self.contact(network_delay, now);
        let is_over = begun + FETCH_WAIT_MAX <= now;
        is_over.then(|| begun + fetch_period(network_delay))
    }

    /// When the waiting fetch would end next by its own time.
    #[must_use]
    pub fn next_expiry(&self, network_delay: SimDuration, now: SimTime) -> Option<SimTime> {
        let since = self.parked?.since;
        let arrival = self.arrival(network_delay, now);
        let here = if self.quiet { self.contact(network_delay, now) } else { since };
        Some((arrival.unwrap_or(here) + FETCH_WAIT_MAX).max(now))
    }

    /// From now on its fetches are played.
    pub fn end_quiet(&mut self, network_delay: SimDuration, now: SimTime) {
        let arrival = self.arrival(network_delay, now);
        self.last_fetch = self.contact(network_delay, now);
        if self.quiet
            && let Some(parked) = self.parked.as_mut()
        {
            parked.since = arrival.unwrap_or(self.last_fetch);
        }
        self.quiet = false;
    }
}

/// From one waiting fetch to the next.
#[must_use]
pub fn fetch_period(network_delay: SimDuration) -> SimDuration {
    SimDuration(FETCH_WAIT_MAX.0 + 2 * network_delay.0)
}
