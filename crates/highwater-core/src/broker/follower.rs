//! The follower's side of replication: asks leaders for what follows, appends it, cuts off what the
//! leader does not have (`ReplicaFetcherThread`).

use crate::broker::lifecycle::Stage;
use crate::broker::{Broker, at};
use crate::error::KafkaError;
use crate::ids::{BrokerId, LeaderEpoch, MessageId, NodeId, Offset, TopicPartition};
use crate::log::unified_log::Roll;
use crate::mutation::Mutation;
use crate::net::internal::{
    FetchLimits, InternalRequest, ReplicaFetched, ReplicaNews, ReplicaPosition, has_content,
};
use crate::net::message::Request;
use crate::replication::fetch_session::fetch_period;
use crate::replication::partition::{Circumstances, Partition};
use crate::scope::Always;
use crate::time::{SimDuration, last_of_row};
use crate::world::cluster_event::ClusterEvent;
use crate::world::event::{EventKind, Rolled};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

impl Broker {
    /// Tells every leader what has changed since the last fetch.
    pub(super) fn send_fetches(&mut self, out: &mut Outbox) {
        self.replication.fetchers.retain(|_, fetcher| !fetcher.is_empty() || fetcher.has_changes());
        let leaders: Vec<BrokerId> = self.replication.fetchers.keys().copied().collect();
        for leader in leaders {
            self.maybe_send_fetch(leader, out);
        }
    }

    /// A fetch that waits at the leader does not keep news from being sent: the next one replaces it.
    fn maybe_send_fetch(&mut self, leader: BrokerId, out: &mut Outbox) {
        let Some(fetcher) = self.replication.fetchers.get_mut(&leader) else { return };
        let asks = !fetcher.is_empty() && fetcher.in_flight.is_none();
        let has_reason = asks || fetcher.has_changes();
        if fetcher.backing_off.is_some()
            || fetcher.writes > 0
            || !has_reason
            || self.life.stage == Stage::Down
        {
            return;
        }
        let partitions = &self.partitions;
        let position =
            |which: &TopicPartition| partitions.get(which).map(|held| position_of(which, held));
        let config = self.life.config.known();
        let limits = FetchLimits {
            max_wait: config.replica_fetch_wait_max,
            max_bytes: config.replica_fetch_response_max_bytes,
            partition_max_bytes: config.replica_fetch_max_bytes,
        };
        let fetch = fetcher.prepare_fetch(self.id, self.life.epoch, limits, position);
        let request = Request::Internal(InternalRequest::Fetch(Always::new(fetch)));
        let id = out.request(NodeId::Broker(leader), request);
        fetcher.note_sent(id, out.now());
        if !out.is_quiet() {
            out.timer(self.config().replica_socket_timeout, Timer::RequestTimeout(id));
        }
    }

    pub(super) fn handle_fetched(
        &mut self,
        from: NodeId,
        correlation: MessageId,
        found: Result<&ReplicaNews, &KafkaError>,
        out: &mut Outbox,
    ) {
        let NodeId::Broker(leader) = from else { return };
        let fetcher = self.replication.fetchers.get_mut(&leader);
        if !fetcher.is_some_and(|fetcher| fetcher.take_answer(correlation)) {
            return;
        }
        let Ok(found) = found else {
            if let Some(fetcher) = self.replication.fetchers.get_mut(&leader) {
                fetcher.close_session();
            }
            return self.maybe_send_fetch(leader, out);
        };
        if has_content(found)
            && let Some(fetcher) = self.replication.fetchers.get_mut(&leader)
        {
            fetcher.answers = fetcher.answers.wrapping_add(1);
        }
        if !self.maybe_delay_copy(leader, found, out) {
            self.take_found(leader, found, out);
        }
    }

    /// Appends what the leader has sent, and asks for more.
    pub(super) fn take_found(
        &mut self,
        leader: BrokerId,
        found: &[(TopicPartition, Result<ReplicaFetched, KafkaError>)],
        out: &mut Outbox,
    ) {
        let backoff = self.config().replica_fetch_backoff;
        let again = out.now() + backoff;
        let mut any_delayed = false;
        for (which, news) in found {
            let follows =
                self.replication.fetchers.get(&leader).is_some_and(|it| it.follows(which));
            if follows {
                let moved = match news {
                    Ok(news) => self.take_in(which, leader, news, out),
                    Err(_) => false,
                };
                if moved {
                    self.plan_maintenance(which, out);
                }
                let Some(fetcher) = self.replication.fetchers.get_mut(&leader) else { continue };
                if moved {
                    fetcher.note_move(which);
                } else {
                    any_delayed |= fetcher.delay(which, again);
                }
            }
        }
        if any_delayed {
            out.timer(backoff, Timer::ReplicaFetchRetry(leader));
        }
        self.maybe_send_fetch(leader, out);
    }

    fn fetching_from(&self, correlation: MessageId) -> Option<BrokerId> {
        let mut fetchers = self.replication.fetchers.iter();
        fetchers.find(|(_, fetcher)| fetcher.in_flight == Some(correlation)).map(|(id, _)| *id)
    }

    /// Takes the leader's answer in; returns whether the log can be followed further.
    fn take_in(
        &mut self,
        which: &TopicPartition,
        leader: BrokerId,
        news: &ReplicaFetched,
        out: &mut Outbox,
    ) -> bool {
        let id = self.id;
        let nobody = |_| false;
        let here = at(out.now(), &self.life, &nobody);
        let Some(known) = self.partitions.get(which) else { return false };
        if says_nothing_new(known, news, here) {
            return true;
        }
        let Some(held) = Self::holding(&mut self.partitions, which) else { return false };
        let from = held.log().log_end_offset();
        let has_moved = news.diverging.is_some() || news.out_of_range;
        if news.fetch_offset > from || has_moved && news.fetch_offset != from {
            // The replica was taken away and given back, or cut, while that was on its way
            // (`AbstractFetcherThread.processFetchRequest`): it says where it is.
            return true;
        }
        if let Some((epoch, end)) = news.diverging
            && !here.mutation.is(Mutation::NoTruncation)
        {
            let mine = held.log().end_offset_for_epoch(epoch).map_or(end, |(_, mine)| mine);
            held.truncate_to(mine.min(end), here);
            emit_truncated(which, id, from, held, Some(epoch), out);
            return true;
        }
        if news.out_of_range {
            if news.log_end_offset < from {
                held.truncate_to(news.log_end_offset, here);
            } else {
                held.start_over_at(news.log_start_offset, here);
            }
            emit_truncated(which, id, from, held, None, out);
            return true;
        }
        let now = here.now.epoch_millis();
        // What is there already came with an answer that was taken for lost.
        let mut rolled = Vec::new();
        for batch in news.batches.iter().filter(|batch| batch.base_offset >= from) {
            let Ok(info) = held.log_mut().append_as_follower(batch.clone(), now) else {
                return false;
            };
            rolled.extend(info.rolled);
        }
        held.log_mut().maybe_increment_log_start_offset(news.log_start_offset);
        held.follow_high_watermark(news.high_watermark, here);
        let to = held.log().log_end_offset();
        if to > from {
            let partition = which.clone();
            let copied = out.emit_beside(ClusterEvent::ReplicaAppended {
                partition,
                broker: id,
                leader,
                from,
                to,
            });
            for Roll { base_offset, reason } in rolled {
                let reason = *reason.known();
                let why = Always::new(Rolled { reason, copied_from: Some(leader) });
                let (partition, broker) = (which.clone(), id);
                let event = EventKind::SegmentRolled { partition, broker, base_offset, why };
                out.emit_because(copied, event);
            }
        }
        true
    }

    /// The connection to a leader is gone, nobody listens there, or the answer has not come in time.
    pub(super) fn handle_fetch_disconnect(&mut self, correlation: MessageId, out: &mut Outbox) {
        if self.fetches_metadata_with(correlation) {
            return self.fetch_metadata(out);
        }
        let Some(leader) = self.fetching_from(correlation) else { return };
        let backoff = self.config().replica_fetch_backoff;
        if let Some(fetcher) = self.replication.fetchers.get_mut(&leader) {
            fetcher.close_session();
            fetcher.backing_off = Some(out.now() + backoff);
        }
        out.timer(backoff, Timer::ReplicaFetchRetry(leader));
    }

    pub(super) fn handle_fetch_retry(&mut self, leader: BrokerId, out: &mut Outbox) {
        if let Some(fetcher) = self.replication.fetchers.get_mut(&leader) {
            fetcher.end_delay(out.now());
        }
        self.maybe_send_fetch(leader, out);
    }

    /// Answers may be lost from now on: each fetch that waits gets its time limit.
    pub(super) fn watch_fetches(&mut self, out: &mut Outbox) {
        let config = self.config();
        let (wait, timeout) = (config.replica_fetch_wait_max, config.replica_socket_timeout);
        let (now, period) = (out.now(), fetch_period(wait, out.network_delay()));
        for fetcher in self.replication.fetchers.values() {
            if let Some(id) = fetcher.in_flight {
                let sent = last_of_row(fetcher.sent, period, now);
                let left = SimDuration((sent + timeout).0 - now.0);
                out.timer(left, Timer::RequestTimeout(id));
            }
        }
    }
}

fn position_of(which: &TopicPartition, held: &Partition) -> ReplicaPosition {
    let log = held.log();
    ReplicaPosition {
        partition: which.clone(),
        leader_epoch: held.leader_epoch(),
        fetch_offset: log.log_end_offset(),
        last_fetched_epoch: log.leader_epoch_cache().latest_epoch(),
        log_start_offset: log.log_start_offset(),
    }
}

/// Whether the replica stays as it is; then it is not touched, so that a view need not look at it.
fn says_nothing_new(held: &Partition, news: &ReplicaFetched, at: Circumstances<'_>) -> bool {
    news.batches.is_empty()
        && news.diverging.is_none()
        && !news.out_of_range
        && news.log_start_offset <= held.log().log_start_offset()
        && held.followed_high_watermark(news.high_watermark, at) == held.high_watermark()
}

fn emit_truncated(
    which: &TopicPartition,
    broker: BrokerId,
    from: Offset,
    held: &Partition,
    diverging: Option<LeaderEpoch>,
    out: &mut Outbox,
) {
    let (partition, to) = (which.clone(), held.log().log_end_offset());
    if from == to {
        return;
    }
    out.emit_beside(ClusterEvent::LogTruncated { partition, broker, from, to, diverging });
}
