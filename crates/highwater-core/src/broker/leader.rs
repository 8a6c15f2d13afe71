//! The leader's side of replication: what followers fetch, and what their fetches tell
//! (`ReplicaManager.fetchMessages` for followers, KIP-595 for logs that part).

use std::rc::Rc;

use crate::broker::fetch::size_of;
use crate::broker::in_sync::is_isr_eligible;
use crate::broker::{Broker, at, leading};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, LeaderEpoch, MessageId, NodeId, Offset, TopicPartition};
use crate::log::record_batch::RecordBatch;
use crate::mutation::Mutation;
use crate::net::internal::{
    InternalResponse, ReplicaFetch, ReplicaFetched, ReplicaNews, ReplicaPosition, has_content,
};
use crate::net::message::{Message, Response};
use crate::replication::fetch_session::{FetchSession, SessionPartition};
use crate::replication::partition::Partition;
use crate::scope::Always;
use crate::time::SimDuration;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// What a leader has for a follower in one partition, or why nothing.
type Found = Result<ReplicaFetched, KafkaError>;

impl Broker {
    pub(super) fn handle_replica_fetch(
        &mut self,
        message: &Message,
        fetch: &ReplicaFetch,
        out: &mut Outbox,
    ) {
        let follower = fetch.follower;
        if self.image.brokers.get(&follower).is_some_and(|known| known.epoch > fetch.epoch) {
            // It comes from a process that is gone (`Replica.updateFetchStateOrThrow`).
            let error = KafkaError::plain(ErrorCode::NotLeaderOrFollower);
            return respond(follower, message.correlation, Err(error), out);
        }
        let session = self.replication.sessions.get_or_insert_with(follower, FetchSession::default);
        if let Err(code) = session.begin_fetch(fetch, message.correlation) {
            return respond(follower, message.correlation, Err(KafkaError::plain(code)), out);
        }
        session.note_answers(fetch.answers);
        session.note_contact(out.now());
        session.parked = None;
        for forgotten in &fetch.forgotten {
            session.partitions.remove(forgotten);
        }
        for position in &fetch.partitions {
            session.note_fetch(position);
        }
        for position in &fetch.partitions {
            self.note_position(follower, position, out);
        }
        self.let_join(follower, out);
        self.complete_deletions(out);
        self.answer_or_park(follower, message.correlation, out);
    }

    /// A follower has shown where it is: that may move the high watermark and let it join the ISR.
    fn note_position(&mut self, follower: BrokerId, position: &ReplicaPosition, out: &mut Outbox) {
        let which = &position.partition;
        let Ok(held) = self.leading(which) else { return };
        let agrees = position.leader_epoch == held.leader_epoch()
            && (self.life.mutation.is(Mutation::NoTruncation)
                || diverging(held, position.last_fetched_epoch, position.fetch_offset).is_none())
            && !is_out_of_range(held, position.fetch_offset);
        if !agrees {
            return;
        }
        let (image, sessions) = (&self.image, &self.replication.sessions);
        let is_eligible = |broker| is_isr_eligible(image, sessions, broker);
        let here = at(out.now(), &self.life, &is_eligible);
        let Some(held) = Self::holding(&mut self.partitions, which) else { return };
        let advance = held.update_follower(follower, position, here);
        let is_outside = !held.isr().committed.contains(&follower);
        self.note_high_watermark(which, advance, out);
        if is_outside && let Some(session) = self.replication.sessions.get_mut(&follower) {
            session.add_joining(which);
        }
    }

    /// Followers that are not in sync, but fetch, may join with one of their next fetches.
    pub(super) fn watch_joining(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let Some(held) = self.partitions.get(which) else { return };
        let mut waiting = Vec::new();
        for (follower, session) in self.replication.sessions.iter_mut() {
            let fetches = session.partitions.contains_key(which);
            if fetches && !held.isr().committed.contains(follower) {
                session.add_joining(which);
                waiting.push(*follower);
            }
        }
        for follower in waiting {
            self.arm_parked(follower, out);
        }
    }

    /// A follower may join the in-sync replicas of partitions that it has caught up with. It fetches
    /// again and again, also without news: it may have been fenced, or another proposal under way.
    fn let_join(&mut self, follower: BrokerId, out: &mut Outbox) {
        let Some(session) = self.replication.sessions.get_mut(&follower) else { return };
        let mut joining = std::mem::take(&mut session.joining);
        joining.retain(|which| {
            self.leading(which).is_ok_and(|held| !held.isr().committed.contains(&follower))
        });
        for which in &joining {
            self.maybe_expand_isr(which, follower, out);
        }
        if let Some(session) = self.replication.sessions.get_mut(&follower) {
            session.joining = joining;
        }
    }

    /// Answers a fetch with all that is new, or lets it wait.
    fn answer_or_park(&mut self, follower: BrokerId, correlation: MessageId, out: &mut Outbox) {
        let found = self.collect(follower, false);
        if !found.is_empty() {
            return respond(follower, correlation, Ok(found), out);
        }
        let Some(session) = self.replication.sessions.get_mut(&follower) else { return };
        session.park(correlation, out.now(), out.is_quiet());
        if out.is_quiet() {
            self.watch_parked(follower, out);
        } else {
            self.arm_parked(follower, out);
        }
    }

    /// The end of a waiting fetch is played if something depends on it.
    fn watch_parked(&mut self, follower: BrokerId, out: &mut Outbox) {
        let session = self.replication.sessions.get(&follower);
        if session.is_some_and(|session| session.has_news() || !session.joining.is_empty()) {
            self.arm_parked(follower, out);
        }
    }

    /// What listed partitions have for the follower. A high watermark alone is no reason to answer; it
    /// goes along, or is told when the wait is over (`ending`).
    fn collect(&mut self, follower: BrokerId, ending: bool) -> Vec<(TopicPartition, Found)> {
        let mutation = self.life.mutation;
        let (image, partitions) = (&self.image, &self.partitions);
        let Some(session) = self.replication.sessions.get_mut(&follower) else { return Vec::new() };
        let mut listed = session.take_news();
        let (mut found, mut untold, mut crowded_out) = (Vec::new(), Vec::new(), Vec::new());
        let limits = session.limits;
        let mut room = Room { left: limits.max_bytes, is_empty: true, is_short: false };
        let mut left = listed.len();
        for which in listed.drain(..) {
            let Some(known) = session.unlist(&which) else { continue };
            let most = limits.partition_max_bytes;
            let news = leading(partitions, image, &which)
                .and_then(|held| read(held, follower, known, (&mut room, most), mutation));
            if std::mem::take(&mut room.is_short) {
                crowded_out.push(which.clone());
            }
            let is_bare = news.as_ref().is_ok_and(ReplicaFetched::is_bare);
            if !is_bare {
                found.reserve_exact(left);
                found.push((which, news));
            } else if news.as_ref().is_ok_and(|news| !is_told(known, news)) {
                untold.reserve_exact(left);
                untold.push((which, news));
            }
            left -= 1;
        }
        session.give_back(listed);
        if found.is_empty() && !ending {
            for (which, _) in &untold {
                session.list(which);
            }
        } else {
            found.extend(untold);
        }
        for which in &crowded_out {
            session.list(which);
        }
        session.answers = session.answers.wrapping_add(u32::from(has_content(&found)));
        for (which, news) in &found {
            if let Some(known) = session.partitions.get_mut(which) {
                known.unconfirmed |= !news.as_ref().is_ok_and(ReplicaFetched::is_bare);
            }
            if let (Some(known), Ok(news)) = (session.partitions.get_mut(which), news) {
                known.told_high_watermark = Some(news.high_watermark);
                known.told_log_start = news.log_start_offset;
            }
        }
        found
    }

    /// The partitions have grown: waiting fetches of their followers are answered.
    pub(super) fn serve_followers<'a>(
        &mut self,
        grown: impl Iterator<Item = &'a TopicPartition> + Clone,
        out: &mut Outbox,
    ) {
        let mut followers = Vec::new();
        for (follower, session) in self.replication.sessions.iter_mut() {
            for which in grown.clone() {
                session.list(which);
            }
            if session.parked.is_some() && session.has_news() {
                followers.push(*follower);
            }
        }
        for follower in followers {
            self.complete_replica_fetch(follower, out);
        }
    }

    /// Answers a follower's waiting fetch, if there is something for it.
    pub(super) fn complete_replica_fetch(&mut self, follower: BrokerId, out: &mut Outbox) {
        if self.awaits_arrival(follower, out) {
            return;
        }
        let parked = self.replication.sessions.get(&follower).and_then(|session| session.parked);
        let Some(parked) = parked else { return };
        let found = self.collect(follower, false);
        if !found.is_empty() {
            self.end_wait(follower, parked.correlation, found, out);
        }
    }

    /// Whether the follower's next fetch, which is not played, is still on its way; then its arrival is.
    fn awaits_arrival(&mut self, follower: BrokerId, out: &mut Outbox) -> bool {
        let (now, delay) = (out.now(), out.network_delay());
        let Some(session) = self.replication.sessions.get_mut(&follower) else { return false };
        let arrival = session.arrival(delay, now);
        let (Some(arrival), Some(parked)) = (arrival, session.parked.as_mut()) else {
            return false;
        };
        if !std::mem::replace(&mut parked.awaited, true) {
            let timer = Timer::ReplicaFetchArrival(follower, parked.correlation);
            out.timer(SimDuration(arrival.0 - now.0), timer);
        }
        true
    }

    /// A fetch that was not played arrives, and something waits for it.
    pub(super) fn handle_fetch_arrival(
        &mut self,
        follower: BrokerId,
        correlation: MessageId,
        out: &mut Outbox,
    ) {
        let session = self.replication.sessions.get_mut(&follower);
        let Some(parked) = session.and_then(|session| session.parked.as_mut()) else { return };
        if parked.correlation != correlation {
            return;
        }
        parked.awaited = false;
        self.let_join(follower, out);
        self.complete_deletions(out);
        self.complete_replica_fetch(follower, out);
        self.watch_parked(follower, out);
    }

    fn end_wait(
        &mut self,
        follower: BrokerId,
        correlation: MessageId,
        found: Vec<(TopicPartition, Found)>,
        out: &mut Outbox,
    ) {
        let (now, delay) = (out.now(), out.network_delay());
        if let Some(session) = self.replication.sessions.get_mut(&follower) {
            let contact = session.contact(delay, now);
            session.parked = None;
            session.note_contact(contact);
        }
        respond(follower, correlation, Ok(found), out);
    }

    /// A waiting fetch has waited long enough.
    pub(super) fn handle_replica_fetch_wait(
        &mut self,
        follower: BrokerId,
        correlation: MessageId,
        out: &mut Outbox,
    ) {
        let parked = self.replication.sessions.get(&follower).and_then(|session| session.parked);
        if parked.is_some_and(|parked| parked.correlation == correlation) {
            let found = self.collect(follower, true);
            self.end_wait(follower, correlation, found, out);
        }
    }

    /// Followers learn of the new high watermark with their next answer.
    pub(super) fn spread_high_watermark(&mut self, which: &TopicPartition, out: &mut Outbox) {
        let mut waiting = Vec::new();
        for (follower, session) in self.replication.sessions.iter_mut() {
            session.list(which);
            if session.parked.is_some() && session.has_news() {
                waiting.push(*follower);
            }
        }
        for follower in waiting {
            self.arm_parked(follower, out);
        }
    }

    /// Sees to it that a waiting fetch ends when its time is over.
    pub(super) fn arm_parked(&mut self, follower: BrokerId, out: &mut Outbox) {
        if self.awaits_arrival(follower, out) {
            return;
        }
        let (now, delay) = (out.now(), out.network_delay());
        let Some(session) = self.replication.sessions.get_mut(&follower) else { return };
        let Some(expiry) = session.next_expiry(delay, now) else { return };
        if let Some(parked) = session.parked.as_mut().filter(|parked| !parked.armed) {
            parked.armed = true;
            let timer = Timer::ReplicaFetchWait(follower, parked.correlation);
            out.timer(SimDuration(expiry.0 - now.0), timer);
        }
    }
}

fn respond(
    follower: BrokerId,
    correlation: MessageId,
    found: Result<ReplicaNews, KafkaError>,
    out: &mut Outbox,
) {
    let answer = Response::Internal(InternalResponse::Fetch(Always::new(found)));
    out.respond_to(NodeId::Broker(follower), correlation, answer);
}

fn is_told(known: &SessionPartition, news: &ReplicaFetched) -> bool {
    known.told_high_watermark == Some(news.high_watermark)
        && known.told_log_start == news.log_start_offset
}

/// What still fits into an answer.
struct Room {
    left: u64,
    is_empty: bool,
    /// Whether something did not fit.
    is_short: bool,
}

impl Room {
    /// Takes what a partition has, unless that is too much. Only the first batch of an answer may be larger
    /// than allowed (KIP-74).
    fn take(&mut self, batches: &mut Vec<Rc<RecordBatch>>, most: u64) {
        let size = size_of(batches);
        if size > most && !self.is_empty {
            batches.clear();
            self.is_short = true;
        } else if size > 0 {
            self.left = self.left.saturating_sub(size);
            self.is_empty = false;
        }
    }
}

/// What a partition has for a follower at that position. A follower that a reassignment has just added
/// may know of it before its leader does: it has to try again (`followerReplicaOrThrow`).
fn read(
    held: &Partition,
    follower: BrokerId,
    known: &SessionPartition,
    (room, most): (&mut Room, u64),
    mutation: Mutation,
) -> Found {
    if known.leader_epoch < held.leader_epoch() {
        return Err(KafkaError::plain(ErrorCode::FencedLeaderEpoch));
    }
    if known.leader_epoch > held.leader_epoch() || !held.replicas().contains(&follower) {
        return Err(KafkaError::plain(ErrorCode::UnknownLeaderEpoch));
    }
    let log = held.log();
    let mut news = ReplicaFetched {
        fetch_offset: known.fetch_offset,
        batches: Vec::new(),
        high_watermark: held.high_watermark(),
        log_start_offset: log.log_start_offset(),
        log_end_offset: log.log_end_offset(),
        diverging: diverging(held, known.last_fetched_epoch, known.fetch_offset),
        out_of_range: false,
    };
    if mutation.is(Mutation::NoTruncation) {
        news.diverging = None;
    }
    if news.diverging.is_some() {
        return Ok(news);
    }
    news.out_of_range = is_out_of_range(held, known.fetch_offset);
    if !news.out_of_range {
        let most = most.min(room.left);
        let found = log.read(known.fetch_offset, log.log_end_offset(), most);
        news.batches = found.map(Rc::clone).collect();
        room.take(&mut news.batches, most);
    }
    Ok(news)
}

/// Where the follower's log parts from the leader's; `None`: it does not.
fn diverging(
    held: &Partition,
    last_fetched_epoch: Option<LeaderEpoch>,
    fetch_offset: Offset,
) -> Option<(LeaderEpoch, Offset)> {
    let last = last_fetched_epoch?;
    let (epoch, end) = held.log().end_offset_for_epoch(last)?;
    (end < fetch_offset || epoch < last).then_some((epoch, end))
}

fn is_out_of_range(held: &Partition, fetch_offset: Offset) -> bool {
    let log = held.log();
    fetch_offset < log.log_start_offset() || fetch_offset > log.log_end_offset()
}
