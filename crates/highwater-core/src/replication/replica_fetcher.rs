//! What a follower remembers of its fetches from one leader (Kafka's `ReplicaFetcherThread`).

use crate::ids::{BrokerEpoch, BrokerId, MessageId, TopicPartition};
use crate::net::internal::{FetchLimits, ReplicaFetch, ReplicaPosition};
use crate::replication::fetch_session::next_epoch;
use crate::sorted_map::SortedMap;
use crate::time::SimTime;

/// The fetches of one follower from one leader.
#[derive(Clone, Debug, Default)]
pub struct ReplicaFetcher {
    /// The partitions that are followed there.
    partitions: SortedMap<TopicPartition, ()>,
    /// Partitions whose position the leader must be told.
    changed: Vec<TopicPartition>,
    /// Partitions that the leader must forget.
    forgotten: Vec<TopicPartition>,
    /// Partitions that could not be read, each with the moment to try it again.
    delayed: Vec<(TopicPartition, SimTime)>,
    /// The request that waits for its answer.
    pub in_flight: Option<MessageId>,
    /// When it was sent. While it waits and nothing is played, others have followed it since, in even
    /// steps.
    pub sent: SimTime,
    /// The request that opened the session; `None`: there is none.
    session: Option<MessageId>,
    /// The number of the next request in that session.
    next_epoch: u32,
    /// How many answers with content have come in that session.
    pub answers: u32,
    /// After the connection was lost: when it is tried again.
    pub backing_off: Option<SimTime>,
    /// Answers that are still being written: what follows is asked for after that.
    pub writes: u32,
}

impl ReplicaFetcher {
    /// Follows one more partition.
    pub fn add(&mut self, partition: &TopicPartition) {
        self.partitions.get_or_insert_with(partition.clone(), || ());
        self.forgotten.retain(|known| known != partition);
        self.delayed.retain(|(known, _)| known != partition);
        self.note_change(partition);
    }

    /// Follows it there no more.
    pub fn remove(&mut self, partition: &TopicPartition) {
        if self.partitions.remove(partition).is_some() {
            self.changed.retain(|known| known != partition);
            self.delayed.retain(|(known, _)| known != partition);
            self.forgotten.push(partition.clone());
        }
    }

    /// Whether nothing is followed there.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.partitions.is_empty()
    }

    /// Whether that partition is followed there.
    #[must_use]
    pub fn follows(&self, partition: &TopicPartition) -> bool {
        self.partitions.contains_key(partition)
    }

    /// The position in a partition has changed.
    pub fn note_change(&mut self, partition: &TopicPartition) {
        if self.follows(partition) {
            self.note_move(partition);
        }
    }

    /// As `note_change`, of a partition that is known to be followed there.
    pub fn note_move(&mut self, partition: &TopicPartition) {
        if !self.changed.contains(partition) {
            self.changed.push(partition.clone());
        }
    }

    /// A partition could not be read and is left out until then. Whether that is news.
    pub fn delay(&mut self, partition: &TopicPartition, until: SimTime) -> bool {
        let is_news = self.follows(partition) && !self.is_delayed(partition);
        if is_news {
            self.delayed.push((partition.clone(), until));
        }
        is_news
    }

    fn is_delayed(&self, partition: &TopicPartition) -> bool {
        self.delayed.iter().any(|(known, _)| known == partition)
    }

    /// Tries those again whose time has come.
    pub fn end_delay(&mut self, now: SimTime) {
        self.backing_off.take_if(|until| *until <= now);
        let delayed = std::mem::take(&mut self.delayed);
        let (due, later): (Vec<_>, _) = delayed.into_iter().partition(|(_, until)| *until <= now);
        self.delayed = later;
        for (partition, _) in due {
            self.note_change(&partition);
        }
    }

    /// The connection is gone, and with it the session.
    pub fn close_session(&mut self) {
        self.session = None;
        self.next_epoch = 0;
        self.answers = 0;
        self.in_flight = None;
    }

    /// The request is on its way.
    pub fn note_sent(&mut self, request: MessageId, now: SimTime) {
        self.sent = now;
        self.session.get_or_insert(request);
        self.in_flight = Some(request);
    }

    /// Whether this answers a request of the session. It need not be the newest: what it brings was not
    /// named again.
    pub fn take_answer(&mut self, request: MessageId) -> bool {
        self.in_flight.take_if(|newest| *newest == request);
        self.session.is_some_and(|first| first <= request)
    }

    /// Whether there is something to tell the leader that the request in flight does not say.
    #[must_use]
    pub fn has_changes(&self) -> bool {
        !self.changed.is_empty() || !self.forgotten.is_empty()
    }

    /// The next request.
    pub fn prepare_fetch(
        &mut self,
        follower: BrokerId,
        epoch: BrokerEpoch,
        limits: FetchLimits,
        position: impl Fn(&TopicPartition) -> Option<ReplicaPosition>,
    ) -> ReplicaFetch {
        let (session, session_epoch) = (self.session, self.next_epoch);
        self.next_epoch = next_epoch(session_epoch);
        let forgotten = std::mem::take(&mut self.forgotten);
        let mut named: Vec<ReplicaPosition> = Vec::new();
        if session.is_none() {
            let ready = self.partitions.keys().filter(|which| !self.is_delayed(which));
            named.extend(ready.filter_map(position));
        } else {
            named.reserve_exact(self.changed.len());
            named.extend(self.changed.iter().filter_map(position));
        }
        self.changed.clear();
        let answers = self.answers;
        ReplicaFetch {
            follower,
            epoch,
            session,
            session_epoch,
            answers,
            limits,
            partitions: named,
            forgotten,
        }
    }
}
