//! Fetching (`Fetcher`, `FetchCollector`): one request to each leader at a time, for all its
//! partitions of which nothing is left to hand out; and handing out, one partition after another.

use std::rc::Rc;

use super::subscription_state::PartitionState;
use super::{ConsumedRecord, InFlight, KafkaConsumer, Node};
use crate::client::fetch_session_handler::{FetchData, Place};
use crate::client::kafka_consumer::config::IsolationLevel;
use crate::controller::records::TopicImage;
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, LeaderEpoch, MessageId, NodeId, Offset, TopicName, TopicPartition};
use crate::log::record::Record;
use crate::log::record_batch::RecordBatch;
use crate::net::message::{CurrentLeaders, FetchDetails, FetchRequest, Fetched, Request};
use crate::scope::Lab;
use crate::sorted_map::SortedMap;
use crate::world::outbox::Outbox;

/// What was fetched from a partition and not all handed out yet (`CompletedFetch`).
#[derive(Clone, Debug)]
pub(super) struct CompletedFetch {
    pub(super) partition: TopicPartition,
    /// The next offset to hand out.
    next: Offset,
    batches: Vec<Rc<RecordBatch>>,
    /// Nothing is handed out from here on: the high watermark, or the last stable offset.
    end: Offset,
    /// The leader epoch of what was handed out last.
    epoch: Option<LeaderEpoch>,
}

impl CompletedFetch {
    /// Hands out at most so many records.
    fn take(&mut self, most: usize, records: &mut Vec<ConsumedRecord>) {
        for batch in &self.batches {
            for (offset, record) in batch.iter_from(self.next) {
                if offset >= self.end {
                    break;
                }
                if records.len() >= most {
                    return;
                }
                let timestamp = batch.timestamp_of(record);
                records.push(ConsumedRecord {
                    partition: self.partition.clone(),
                    offset,
                    timestamp_type: batch.timestamp_type,
                    record: Record { timestamp, ..record.clone() },
                });
                self.next = offset.plus(1);
                self.epoch = Some(batch.leader_epoch);
            }
            // The cleaner may have removed the last records of a batch.
            self.next = self.next.max(batch.next_offset().min(self.end));
            self.epoch = Some(batch.leader_epoch);
        }
        self.batches = Vec::new();
    }

    fn is_drained(&self) -> bool {
        self.batches.is_empty()
    }
}

impl KafkaConsumer {
    /// Sends a fetch to each leader that has none to answer, and nothing of which waits to be handed out: what waits
    /// is not asked for again, so its leader would take it out of the session
    /// (`AbstractFetch.prepareFetchRequests`).
    pub(super) fn send_fetches(&mut self, out: &mut Outbox) {
        let now = out.now();
        let mut by_leader: SortedMap<BrokerId, Vec<Place>> = SortedMap::new();
        let (mut has_no_leader, mut next) = (false, None);
        let fetches = self.in_flight.values().filter_map(|(request, _)| match request {
            InFlight::Fetch(leader) => Some(*leader),
            _ => None,
        });
        let mut busy: Vec<BrokerId> = fetches.collect();
        let is_fetchable = |which: &TopicPartition| {
            self.state.get(which).is_some_and(PartitionState::is_fetchable)
        };
        let waiting = self.completed.iter().map(|fetch| &fetch.partition);
        let waiting = waiting.filter(|which| is_fetchable(which));
        busy.extend(waiting.filter_map(|which| self.metadata.leader(which)));
        // Partitions of a topic follow one another.
        let mut topic: Option<(&TopicName, Option<&Rc<TopicImage>>)> = None;
        for (which, state) in self.state.iter() {
            let Some(position) = state.position.filter(|_| state.is_fetchable()) else { continue };
            if self.completed.iter().any(|fetch| fetch.partition == *which) {
                continue;
            }
            let image = match topic {
                Some((name, image)) if *name == which.topic => image,
                _ => self.metadata.topic(&which.topic),
            };
            topic = Some((&which.topic, image));
            let Some(leader) = image.and_then(|image| image.leader(which.partition)) else {
                has_no_leader = true;
                continue;
            };
            if busy.contains(&leader) {
                continue;
            }
            match self.paused_until(leader, now) {
                Some(until) => next = Some(next.map_or(until, |next| until.min(next))),
                None => {
                    let image = image.and_then(|image| image.partition(which.partition));
                    let epoch = image.map(|image| image.leader_epoch);
                    let places = by_leader.get_or_insert_with(leader, Vec::new);
                    places.push((which.clone(), position, epoch));
                }
            }
        }
        if has_no_leader {
            self.note_stale(out);
        }
        if let Some(next) = next {
            self.wake_at(next, out);
        }
        for (leader, places) in by_leader {
            let data = self.sessions.get_or_insert_with(leader, Default::default).build(places);
            self.send_fetch(leader, data, out);
        }
    }

    fn send_fetch(&mut self, leader: BrokerId, data: FetchData, out: &mut Outbox) {
        let FetchData { named, forgotten, session } = data;
        let (mut partitions, mut leader_epochs) = (Vec::new(), Vec::new());
        partitions.reserve_exact(named.len());
        leader_epochs.reserve_exact(named.len());
        for (which, offset, epoch) in named {
            partitions.push((which, offset));
            leader_epochs.push(epoch);
        }
        let isolation_level = self.config.isolation_level;
        let details = FetchDetails { leader_epochs, isolation_level, session, forgotten };
        let request = FetchRequest {
            partitions,
            max_wait_ms: self.config.fetch_max_wait_ms,
            min_bytes: self.config.fetch_min_bytes,
            max_bytes: self.config.fetch_max_bytes,
            max_partition_bytes: self.config.max_partition_fetch_bytes,
            details: Lab::new(details),
        };
        let id = out.request(NodeId::Broker(leader), Request::Fetch(Rc::new(request)));
        self.note_request(id, InFlight::Fetch(leader), Node::Broker(leader), out);
    }

    /// Ends its sessions, on brokers that it knows and can reach; each after the fetch that waits there, for a broker
    /// looks at one request of a connection at a time. Whether all of that is done
    /// (`Fetcher.maybeCloseFetchSessions`).
    pub(super) fn close_sessions(&mut self, out: &mut Outbox) -> bool {
        let is_busy = |consumer: &Self, broker| {
            let mut requests = consumer.in_flight.values();
            requests.any(|(what, _)| matches!(what, InFlight::Fetch(to) if *to == broker))
        };
        let brokers: Vec<BrokerId> = self.sessions.keys().copied().collect();
        for broker in brokers {
            if is_busy(self, broker) {
                continue;
            }
            let Some(mut handler) = self.sessions.remove(&broker) else { continue };
            if self.paused_until(broker, out.now()).is_none() {
                self.send_fetch(broker, handler.close(), out);
            }
        }
        let mut requests = self.in_flight.values();
        !requests.any(|(what, _)| matches!(what, InFlight::Fetch(_)))
    }

    /// A leader has answered a fetch, or one that leads no more, who may know who does.
    pub(super) fn handle_fetched(
        &mut self,
        leader: BrokerId,
        answers: &[(TopicPartition, Result<Fetched, KafkaError>)],
        leaders: Option<&CurrentLeaders>,
        out: &mut Outbox,
    ) {
        if let Some(leaders) = leaders
            && self.metadata.take_leaders(leaders)
        {
            self.validate_positions();
        }
        for (which, answer) in answers {
            let session = self.sessions.get(&leader);
            let Some(from) = session.and_then(|session| session.fetched_from(which)) else {
                continue;
            };
            // Since then it may have been taken away, or moved.
            if self.state.position(which) != Some(from)
                || self.state.get(which).is_none_or(|state| !state.is_fetching())
            {
                continue;
            }
            match answer {
                Ok(fetched) if fetched.batches.is_empty() => {}
                Ok(fetched) => self.completed.push(CompletedFetch {
                    partition: which.clone(),
                    next: from,
                    batches: fetched.batches.clone(),
                    end: match self.config.isolation_level {
                        IsolationLevel::ReadUncommitted => fetched.high_watermark,
                        IsolationLevel::ReadCommitted => *fetched.last_stable_offset.known(),
                    },
                    epoch: None,
                }),
                // The next fetch goes to the one that was named; all others are asked about as well.
                Err(_) if leaders.is_some_and(|named| named.iter().any(|it| it.0 == *which)) => {
                    self.note_stale(out);
                }
                Err(error) => self.handle_fetch_error(which, from, error, out),
            }
        }
    }

    fn handle_fetch_error(
        &mut self,
        which: &TopicPartition,
        from: Offset,
        error: &KafkaError,
        out: &mut Outbox,
    ) {
        match error.code {
            ErrorCode::OffsetOutOfRange => self.reset_out_of_range(which, from, out),
            ErrorCode::UnknownTopicOrPartition => {
                self.warn(
                    &format!(
                        "Received unknown topic or partition error in fetch for partition {which} \
                         (org.apache.kafka.clients.consumer.internals.FetchCollector)"
                    ),
                    out,
                );
                self.pause_leader(which, out);
            }
            _ => self.pause_leader(which, out),
        }
    }

    /// The leader is another one, or not ready: it is looked up, and not asked for a moment.
    fn pause_leader(&mut self, which: &TopicPartition, out: &Outbox) {
        self.note_stale(out);
        if let Some(leader) = self.metadata.leader(which) {
            self.pause(leader, out);
        }
    }

    /// Hands out what has been fetched, at most `max.poll.records`.
    pub(super) fn collect(&mut self, out: &mut Outbox) -> Vec<ConsumedRecord> {
        let most = usize::try_from(self.config.max_poll_records).unwrap_or(usize::MAX);
        let mut records = Vec::new();
        let mut completed = std::mem::take(&mut self.completed);
        completed.retain_mut(|fetch| {
            // A position that has moved makes it worthless.
            let state = self.state.get(&fetch.partition);
            let Some(state) = state.filter(|state| state.position == Some(fetch.next)) else {
                return false;
            };
            if state.is_paused {
                return true;
            }
            if !state.is_fetchable() {
                return !state.is_leaving;
            }
            if records.len() < most {
                fetch.take(most, &mut records);
                self.move_to(&fetch.partition, fetch.next, out);
                if let Some(state) = self.state.get_mut(&fetch.partition) {
                    state.offset_epoch = fetch.epoch.or(state.offset_epoch);
                }
            }
            !fetch.is_drained()
        });
        self.completed = completed;
        records
    }

    /// Whether that request is still waited for, and which it is; it is no longer.
    pub(super) fn answered(&mut self, id: MessageId) -> Option<InFlight> {
        self.in_flight.remove(&id).map(|(request, _)| request)
    }
}
