//! What a leader remembers of a follower's fetches (KIP-227): where the follower is in each partition,
//! and whether a fetch of it waits for something new.

use crate::error::ErrorCode;
use crate::ids::{BrokerEpoch, LeaderEpoch, MessageId, Offset, TopicPartition};
use crate::net::internal::{FetchLimits, ReplicaFetch, ReplicaPosition};
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime, last_of_row};

/// Where a follower is in one partition.
#[derive(Clone, Copy, Debug)]
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
    /// Whether it was answered with content, and the follower has not said since where it is.
    pub unconfirmed: bool,
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
    /// How many answers with content it was sent.
    pub answers: u32,
    last_fetch: SimTime,
    /// How long its fetches wait, and how much they bring.
    pub limits: FetchLimits,
    /// The registration of the process that fetches (KIP-903).
    pub broker_epoch: Option<BrokerEpoch>,
    /// The fetch that opened it; `None`: there is no session.
    id: Option<MessageId>,
    /// The number that its next fetch must have.
    next_epoch: u32,
    /// Whether its waiting fetch stands for all that would follow it, one every half second.
    quiet: bool,
}

impl FetchSession {
    /// A fetch has come: it opens a session, or is the next one of this session. When fetches before it
    /// were lost, the session does not know what they said: the follower must open another.
    ///
    /// # Errors
    /// Kafka's error, when this is not the next fetch of the session.
    pub fn begin_fetch(
        &mut self,
        fetch: &ReplicaFetch,
        correlation: MessageId,
    ) -> Result<(), ErrorCode> {
        match fetch.session {
            None => *self = Self { id: Some(correlation), ..Self::default() },
            named if named != self.id => return Err(ErrorCode::FetchSessionIdNotFound),
            Some(_) if fetch.session_epoch != self.next_epoch => {
                return Err(ErrorCode::InvalidFetchSessionEpoch);
            }
            Some(_) => {}
        }
        self.next_epoch = next_epoch(fetch.session_epoch);
        self.broker_epoch = Some(fetch.epoch);
        self.limits = fetch.limits;
        Ok(())
    }

    /// A fetch has come that names a partition: there may be news of it.
    pub fn note_fetch(&mut self, position: &ReplicaPosition) {
        let fresh = SessionPartition {
            fetch_offset: position.fetch_offset,
            last_fetched_epoch: position.last_fetched_epoch,
            leader_epoch: position.leader_epoch,
            told_high_watermark: None,
            told_log_start: position.log_start_offset,
            listed: false,
            unconfirmed: false,
        };
        let known = self.partitions.get_or_insert_with(position.partition.clone(), || fresh);
        known.unconfirmed = false;
        known.fetch_offset = position.fetch_offset;
        known.last_fetched_epoch = position.last_fetched_epoch;
        known.leader_epoch = position.leader_epoch;
        if !known.listed {
            known.listed = true;
            self.news.push(position.partition.clone());
        }
    }

    /// The follower has got so many answers with content. If that is not all, what they brought is read
    /// anew. Where a fetch has crossed the answer on the wire that is in vain.
    pub fn note_answers(&mut self, answers: u32) {
        if std::mem::replace(&mut self.answers, answers) == answers {
            return;
        }
        for (which, known) in self.partitions.iter_mut() {
            if known.unconfirmed && !std::mem::replace(&mut known.listed, true) {
                self.news.push(which.clone());
            }
        }
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
        std::mem::take(&mut self.news)
    }

    /// A partition is listed no more; what is known of it.
    pub fn unlist(&mut self, partition: &TopicPartition) -> Option<&SessionPartition> {
        let known = self.partitions.get_mut(partition)?;
        known.listed = false;
        Some(known)
    }

    /// The room of the list is used again.
    pub fn give_back(&mut self, mut taken: Vec<TopicPartition>) {
        taken.clear();
        if self.news.is_empty() {
            self.news = taken;
        }
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
                last_of_row(parked.since, fetch_period(self.limits.max_wait, network_delay), now)
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
        let is_over = begun + self.limits.max_wait <= now;
        is_over.then(|| begun + fetch_period(self.limits.max_wait, network_delay))
    }

    /// When the waiting fetch would end next by its own time.
    #[must_use]
    pub fn next_expiry(&self, network_delay: SimDuration, now: SimTime) -> Option<SimTime> {
        let since = self.parked?.since;
        let arrival = self.arrival(network_delay, now);
        let here = if self.quiet { self.contact(network_delay, now) } else { since };
        Some((arrival.unwrap_or(here) + self.limits.max_wait).max(now))
    }

    /// Whether its fetches wait without news, and nothing is played. Since when they do, and when the last
    /// was played.
    pub(crate) fn rest(&self) -> Option<(SimTime, SimTime)> {
        let parked = self.parked.filter(|parked| !parked.armed && !parked.awaited)?;
        let is_still = self.quiet && self.news.is_empty() && self.joining.is_empty();
        is_still.then_some((parked.since, self.last_fetch))
    }

    /// What was appended to a partition was fetched, and the follower knows that it is committed.
    pub(crate) fn leap(&mut self, partition: &TopicPartition, offsets: u32) {
        if let Some(known) = self.partitions.get_mut(partition) {
            known.fetch_offset = known.fetch_offset.plus(offsets);
            known.told_high_watermark = known.told_high_watermark.map(|told| told.plus(offsets));
        }
    }

    /// The same for the fetches themselves.
    pub(crate) fn leap_fetches(&mut self, since: SimTime, by: SimDuration) {
        if let Some(parked) = self.parked.as_mut().filter(|parked| parked.since >= since) {
            parked.since = parked.since + by;
        }
        if self.last_fetch >= since {
            self.last_fetch = self.last_fetch + by;
        }
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

/// The number of the fetch after that one (`FetchMetadata.nextEpoch`).
#[must_use]
pub fn next_epoch(epoch: u32) -> u32 {
    epoch.checked_add(1).unwrap_or(1)
}

/// From one waiting fetch to the next.
#[must_use]
pub fn fetch_period(max_wait: SimDuration, network_delay: SimDuration) -> SimDuration {
    SimDuration(max_wait.0 + 2 * network_delay.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ids::{BrokerEpoch, BrokerId};

    fn fetch(session: Option<u64>, session_epoch: u32) -> ReplicaFetch {
        ReplicaFetch {
            follower: BrokerId(2),
            epoch: BrokerEpoch(7),
            session: session.map(MessageId),
            session_epoch,
            answers: 0,
            limits: FetchLimits::default(),
            partitions: Vec::new(),
            forgotten: Vec::new(),
        }
    }

    /// A session takes its fetches one after the other; what was lost is noticed with the next one. A
    /// fetch of another session is not taken for one of this, whatever its number.
    #[test]
    fn a_lost_fetch_voids_the_session() {
        let mut session = FetchSession::default();
        let mut begin =
            |id, opened_by, epoch| session.begin_fetch(&fetch(opened_by, epoch), MessageId(id));
        assert_eq!(begin(10, Some(9), 1), Err(ErrorCode::FetchSessionIdNotFound));
        assert_eq!(begin(11, None, 0), Ok(()));
        assert_eq!(begin(12, Some(11), 1), Ok(()));
        assert_eq!(begin(13, Some(11), 2), Ok(()));
        assert_eq!(begin(14, Some(11), 2), Err(ErrorCode::InvalidFetchSessionEpoch));
        assert_eq!(begin(15, Some(11), 4), Err(ErrorCode::InvalidFetchSessionEpoch));
        assert_eq!(begin(16, Some(14), 3), Err(ErrorCode::FetchSessionIdNotFound));
        assert_eq!(begin(17, None, 0), Ok(()));
        assert_eq!(begin(18, Some(17), 1), Ok(()));
        assert_eq!(next_epoch(u32::MAX), 1);
    }
}
