//! The fetch sessions of consumers that a broker remembers (`FetchSession`, `FetchSessionCacheShard`; KIP-227): a
//! fetch names only what has changed since the one before it, and the answer only what has news. There is room for
//! so many; which one has to go for another is Kafka's rule.

use std::rc::Rc;

use crate::error::ErrorCode;
use crate::ids::{Offset, TopicPartition};
use crate::net::message::{FetchAnswers, FetchDetails, FetchMetadata, FetchRequest, SessionId};
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};

/// `FetchSessionCache` of a broker has so many shards; the number of a session tells to which it belongs.
const SHARDS: u32 = 8;
/// `MIN_INCREMENTAL_FETCH_SESSION_EVICTION_MS`: which nobody can set.
pub const EVICTION: SimDuration = SimDuration::from_millis(120_000);
/// So many numbers of sessions there are.
pub const NUMBERS: u32 = i32::MAX.unsigned_abs() - 1;

/// What a session was last told of a partition; -1: nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Told {
    high_watermark: Offset,
    log_start: Offset,
}

const NOTHING: Told = Told { high_watermark: Offset(-1), log_start: Offset(-1) };

/// Where the log of a partition begins.
pub type Starts<'a> = &'a dyn Fn(&TopicPartition) -> Offset;

/// What a fetch is part of (`FetchContext`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FetchContext {
    /// Of no session.
    Sessionless,
    /// It asks for one.
    Full,
    /// Of that session, which expects this fetch next.
    Incremental(SessionId, i32),
}

/// A session of a consumer.
#[derive(Clone, Debug)]
pub struct CachedSession {
    /// Its last fetch, as if that had named all partitions, in the order in which they are read.
    request: Rc<FetchRequest>,
    /// The same partitions.
    told: Vec<Told>,
    /// Which fetch it expects next.
    epoch: i32,
    created: SimTime,
    last_used: SimTime,
}

impl CachedSession {
    /// Which fetch it expects next, and when the last one came.
    #[must_use]
    pub fn expects(&self) -> (i32, SimTime) {
        (self.epoch, self.last_used)
    }

    /// Its partitions, in the order in which they are read.
    pub fn partitions(&self) -> impl Iterator<Item = &TopicPartition> {
        self.request.partitions.iter().map(|(which, _)| which)
    }

    /// A fetch has come that says what has changed.
    fn update(&mut self, fetch: &FetchRequest, details: &FetchDetails) {
        let held = Rc::make_mut(&mut self.request);
        (held.max_wait_ms, held.min_bytes) = (fetch.max_wait_ms, fetch.min_bytes);
        (held.max_bytes, held.max_partition_bytes) = (fetch.max_bytes, fetch.max_partition_bytes);
        let Some(known) = held.details.get_mut() else { return };
        let mut place = 0;
        for ((which, offset), epoch) in fetch.partitions.iter().zip(&details.leader_epochs) {
            if let Some(found) = find_from(&held.partitions, which, place) {
                if let Some(at) = held.partitions.get_mut(found) {
                    at.1 = *offset;
                }
                if let Some(at) = known.leader_epochs.get_mut(found) {
                    *at = *epoch;
                }
                place = found + 1;
            } else {
                held.partitions.push((which.clone(), *offset));
                known.leader_epochs.push(*epoch);
                self.told.push(NOTHING);
            }
        }
        for which in &details.forgotten {
            if let Some(found) = find_from(&held.partitions, which, place) {
                held.partitions.remove(found);
                known.leader_epochs.remove(found);
                self.told.remove(found);
                place = found;
            }
        }
    }

    /// Leaves out of an answer what is no news, and reads next time last what has brought records.
    fn filter(&mut self, answers: &mut FetchAnswers, log_start: Starts<'_>) {
        let has_several = self.told.len() > 1;
        let mut places = self.told.iter_mut();
        let mut moves = Vec::new();
        answers.retain(|(which, answer)| {
            let Some(told) = places.next() else { return true };
            let (now, has_records) = match answer {
                Ok(found) => (
                    Told { high_watermark: found.high_watermark, log_start: log_start(which) },
                    !found.batches.is_empty(),
                ),
                Err(_) => (Told { high_watermark: Offset(-1), ..*told }, false),
            };
            if has_several {
                moves.push(has_records);
            }
            let is_news = std::mem::replace(told, now) != now;
            is_news || has_records || answer.is_err()
        });
        let has_reason = moves.iter().skip_while(|moves| !**moves).any(|moves| !*moves);
        if has_reason {
            let held = Rc::make_mut(&mut self.request);
            move_to_end(&mut held.partitions, &moves);
            move_to_end(&mut self.told, &moves);
            if let Some(details) = held.details.get_mut() {
                move_to_end(&mut details.leader_epochs, &moves);
            }
        }
    }

    /// Whether a newcomer that is large enough may take its place (`evictableByAll`).
    fn is_evictable(&self) -> bool {
        self.created + EVICTION < self.last_used
    }

    fn size(&self) -> usize {
        self.request.partitions.len()
    }
}

/// Most often the one that is looked for follows the last one.
fn find_from(
    partitions: &[(TopicPartition, Offset)],
    which: &TopicPartition,
    place: usize,
) -> Option<usize> {
    let (before, after) = partitions.split_at_checked(place)?;
    let found = after.iter().position(|(known, _)| known == which);
    found.map(|found| place + found).or_else(|| before.iter().position(|(known, _)| known == which))
}

fn move_to_end<T>(items: &mut Vec<T>, moves: &[bool]) {
    let (mut stay, mut go) = (Vec::with_capacity(items.len()), Vec::new());
    for (item, moves) in std::mem::take(items).into_iter().zip(moves) {
        if *moves {
            go.push(item);
        } else {
            stay.push(item);
        }
    }
    stay.append(&mut go);
    *items = stay;
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct FetchSessionCache {
    sessions: SortedMap<SessionId, CachedSession>,
}

impl FetchSessionCache {
    /// The sessions, by their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (SessionId, &CachedSession)> {
        self.sessions.iter().map(|(id, session)| (*id, session))
    }

    /// A session ends.
    pub fn remove(&mut self, id: SessionId) {
        self.sessions.remove(&id);
    }

    /// A fetch of a session has come: all that it reads, and what it is part of. What names nothing is the end of
    /// the session.
    ///
    /// # Errors
    /// Kafka's error, when there is no such session, or this is not its next fetch.
    pub fn begin_fetch(
        &mut self,
        fetch: &Rc<FetchRequest>,
        details: &FetchDetails,
        now: SimTime,
    ) -> Result<(Rc<FetchRequest>, FetchContext), ErrorCode> {
        let FetchMetadata { session: id, epoch } = details.session;
        let session = self.sessions.get_mut(&id).ok_or(ErrorCode::FetchSessionIdNotFound)?;
        if epoch != session.epoch {
            return Err(ErrorCode::InvalidFetchSessionEpoch);
        }
        session.update(fetch, details);
        if session.size() == 0 {
            self.remove(id);
            return Ok((Rc::clone(fetch), FetchContext::Sessionless));
        }
        session.last_used = now;
        session.epoch = FetchMetadata::next_epoch(epoch);
        Ok((Rc::clone(&session.request), FetchContext::Incremental(id, session.epoch)))
    }

    /// A fetch of a session is answered: only with what is news.
    ///
    /// # Errors
    /// Kafka's error, when another fetch of that session has come meanwhile.
    pub fn end_fetch(
        &mut self,
        (id, epoch): (SessionId, i32),
        answers: &mut FetchAnswers,
        log_start: Starts<'_>,
    ) -> Result<SessionId, ErrorCode> {
        if let Some(session) = self.sessions.get_mut(&id) {
            if session.epoch != epoch {
                answers.clear();
                return Err(ErrorCode::InvalidFetchSessionEpoch);
            }
            session.filter(answers, log_start);
        }
        Ok(id)
    }

    /// A fetch that asks for a session is answered; it gets the number `id` if there is room (`maybeCreateSession`).
    /// `others`: the numbers of the sessions of followers, who keep theirs.
    pub fn maybe_create(
        &mut self,
        id: SessionId,
        request: Rc<FetchRequest>,
        (answers, log_start): (&FetchAnswers, Starts<'_>),
        (slots, others): (u32, &[SessionId]),
        now: SimTime,
    ) -> SessionId {
        let shard = shard_of(id);
        let held = self.sessions.keys().filter(|known| shard_of(**known) == shard).count();
        let others = others.iter().filter(|known| shard_of(**known) == shard).count();
        let room = usize::try_from(slots / SHARDS).unwrap_or(usize::MAX);
        let size = request.partitions.len();
        if held + others >= room && !self.try_evict(shard, size, now) {
            return SessionId(0);
        }
        let told = answers.iter().map(|(which, answer)| match answer {
            Ok(found) => Told { high_watermark: found.high_watermark, log_start: log_start(which) },
            Err(_) => NOTHING,
        });
        let (told, epoch) = (told.collect(), 1);
        let session = CachedSession { request, told, epoch, created: now, last_used: now };
        self.sessions.insert(id, session);
        id
    }

    /// Makes room for a session of so many partitions: one that was not used for long goes, or else the smallest
    /// old one, if that is smaller.
    fn try_evict(&mut self, shard: u32, size: usize, now: SimTime) -> bool {
        let here = || self.sessions.iter().filter(|(id, _)| shard_of(**id) == shard);
        let unused = here().min_by_key(|(id, session)| (session.last_used, **id));
        let stale = unused.filter(|(_, session)| session.last_used + EVICTION < now);
        let smallest = || {
            let old = here().filter(|(_, session)| session.is_evictable());
            let first = old.min_by_key(|(id, session)| (session.size(), **id));
            first.filter(|(_, session)| session.size() < size)
        };
        let Some((id, _)) = stale.or_else(smallest) else { return false };
        let id = *id;
        self.remove(id);
        true
    }

    /// Its fetches have come again and again, in vain, for so long; which one it expects now.
    pub(crate) fn leap(&mut self, id: SessionId, times: u64, by: SimDuration) -> Option<i32> {
        let session = self.sessions.get_mut(&id)?;
        session.epoch = epoch_after(session.epoch, times);
        session.last_used = session.last_used + by;
        Some(session.epoch)
    }
}

/// The epoch so many fetches after that one.
#[must_use]
pub fn epoch_after(epoch: i32, times: u64) -> i32 {
    let cycle = u64::from(i32::MAX.unsigned_abs());
    let before = u64::from(epoch.max(1).unsigned_abs()) - 1;
    i32::try_from((before + times % cycle) % cycle + 1).unwrap_or(1)
}

fn shard_of(id: SessionId) -> u32 {
    (id.0 / (i32::MAX.unsigned_abs() / SHARDS)).min(SHARDS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::kafka_consumer::config::IsolationLevel;
    use crate::error::KafkaError;
    use crate::ids::{PartitionId, TopicName};
    use crate::net::message::Fetched;
    use crate::scope::{Always, Lab};
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn tp(partition: i32) -> TopicPartition {
        TopicPartition::new(&TopicName::new("t"), PartitionId(partition))
    }

    fn fetch(session: (u32, i32), named: &[(i32, i64)], forgotten: &[i32]) -> Rc<FetchRequest> {
        let details = FetchDetails {
            leader_epochs: vec![None; named.len()],
            isolation_level: IsolationLevel::ReadUncommitted,
            session: FetchMetadata { session: SessionId(session.0), epoch: session.1 },
            forgotten: forgotten.iter().map(|partition| tp(*partition)).collect(),
        };
        Rc::new(FetchRequest {
            partitions: named.iter().map(|(which, offset)| (tp(*which), Offset(*offset))).collect(),
            max_wait_ms: 500,
            min_bytes: 1,
            max_bytes: 1_000,
            max_partition_bytes: 1_000,
            details: Lab::new(details),
        })
    }

    fn begin(
        cache: &mut FetchSessionCache,
        fetch: &Rc<FetchRequest>,
        now: u64,
    ) -> Result<(Vec<(i32, i64)>, FetchContext), ErrorCode> {
        let (all, context) = cache.begin_fetch(fetch, fetch.details.known(), SimTime(now))?;
        let places = all.partitions.iter().map(|(which, offset)| (which.partition.0, offset.0));
        Ok((places.collect(), context))
    }

    fn empty(high_watermark: i64) -> Result<Fetched, KafkaError> {
        let high_watermark = Offset(high_watermark);
        let last_stable_offset = Always::new(high_watermark);
        Ok(Fetched { batches: Vec::new(), high_watermark, last_stable_offset })
    }

    fn answers(of: &[(i32, i64)]) -> FetchAnswers {
        of.iter().map(|(which, mark)| (tp(*which), empty(*mark))).collect()
    }

    fn starts(_: &TopicPartition) -> Offset {
        Offset(0)
    }

    /// A session of so many partitions, all empty.
    fn open(cache: &mut FetchSessionCache, id: u32, size: i32, slots: u32, now: u64) -> SessionId {
        let all: Vec<(i32, i64)> = (0..size).map(|which| (which, 0)).collect();
        let found = answers(&all);
        let request = fetch((0, 0), &all, &[]);
        let at = SimTime(now);
        cache.maybe_create(SessionId(id), request, (&found, &starts), (slots, &[]), at)
    }

    fn news(cache: &mut FetchSessionCache, context: FetchContext, of: &[(i32, i64)]) -> Vec<i32> {
        let FetchContext::Incremental(id, epoch) = context else { panic!("{context:?}") };
        let mut found = answers(of);
        assert_eq!(cache.end_fetch((id, epoch), &mut found, &starts), Ok(id));
        found.iter().map(|(which, _)| which.partition.0).collect()
    }

    /// What a session reads is what its fetches have said in turn; answered is only what is news.
    #[test]
    fn fetches_of_a_session() {
        let mut cache = FetchSessionCache::default();
        assert_eq!(open(&mut cache, 5, 3, 1_000, 0), SessionId(5));
        let unknown = fetch((6, 1), &[], &[]);
        assert_eq!(begin(&mut cache, &unknown, 1), Err(ErrorCode::FetchSessionIdNotFound));
        let early = fetch((5, 2), &[], &[]);
        assert_eq!(begin(&mut cache, &early, 1), Err(ErrorCode::InvalidFetchSessionEpoch));
        let second = fetch((5, 1), &[(3, 7), (1, 4)], &[0]);
        let (read, context) = begin(&mut cache, &second, 2).unwrap();
        assert_eq!(read, [(1, 4), (2, 0), (3, 7)]);
        let told = news(&mut cache, context, &[(1, 4), (2, 0), (3, 7)]);
        assert_eq!(told, [1, 3], "a new watermark, and a partition of which nothing was said");
        let (_, context) = begin(&mut cache, &fetch((5, 2), &[], &[]), 3).unwrap();
        assert_eq!(news(&mut cache, context, &[(1, 4), (2, 0), (3, 7)]), [0; 0]);
        let (_, late) = begin(&mut cache, &fetch((5, 3), &[], &[]), 4).unwrap();
        begin(&mut cache, &fetch((5, 4), &[], &[]), 5).unwrap();
        let FetchContext::Incremental(id, epoch) = late else { panic!("{late:?}") };
        let mut found = answers(&[(1, 9)]);
        let refused = cache.end_fetch((id, epoch), &mut found, &starts);
        assert_eq!((refused, found.len()), (Err(ErrorCode::InvalidFetchSessionEpoch), 0));
        let (_, context) = begin(&mut cache, &fetch((5, 5), &[], &[1, 2, 3]), 6).unwrap();
        assert_eq!((context, cache.iter().count()), (FetchContext::Sessionless, 0));
    }

    /// What has brought records is read last by the next fetch; an error is said again and again.
    #[test]
    fn partitions_take_turns() {
        let mut session = CachedSession {
            request: fetch((0, 0), &[(0, 0), (1, 1), (2, 2)], &[]),
            told: vec![NOTHING; 3],
            epoch: 1,
            created: SimTime(0),
            last_used: SimTime(0),
        };
        move_to_end(&mut Rc::make_mut(&mut session.request).partitions, &[true, false, true]);
        let order: Vec<i32> = session.partitions().map(|which| which.partition.0).collect();
        assert_eq!(order, [1, 0, 2]);
        for _ in 0..2 {
            let error = || Err(KafkaError::plain(ErrorCode::NotLeaderOrFollower));
            let mut found = vec![(tp(1), empty(3)), (tp(0), error()), (tp(2), empty(3))];
            session.filter(&mut found, &starts);
            assert!(found.iter().any(|(_, answer)| answer.is_err()));
        }
    }

    /// Room for one session in each shard: what was not used for two minutes goes for any other, what is older than
    /// that for a larger one, and what is young for none.
    #[test]
    fn who_has_to_go() {
        const MINUTE: u64 = 60_000_000;
        let mut cache = FetchSessionCache::default();
        assert_eq!(open(&mut cache, 1, 2, 7, 0), SessionId(0), "no room at all");
        assert_eq!(open(&mut cache, 1, 2, 8, 0), SessionId(1));
        let other_shard = i32::MAX.unsigned_abs() / SHARDS;
        assert_eq!(open(&mut cache, other_shard, 2, 8, 0), SessionId(other_shard));
        assert_eq!(open(&mut cache, 2, 9, 8, MINUTE), SessionId(0), "it is young");
        begin(&mut cache, &fetch((1, 1), &[], &[]), 3 * MINUTE).unwrap();
        assert_eq!(open(&mut cache, 2, 2, 8, 3 * MINUTE), SessionId(0), "it is not smaller");
        assert_eq!(open(&mut cache, 2, 3, 8, 3 * MINUTE), SessionId(2));
        assert_eq!(open(&mut cache, 3, 1, 8, 5 * MINUTE), SessionId(0));
        assert_eq!(open(&mut cache, 3, 1, 8, 5 * MINUTE + 1), SessionId(3), "it was not used");
        let ids: Vec<u32> = cache.iter().map(|(id, _)| id.0).collect();
        assert_eq!(ids, [3, other_shard]);
    }

    /// Epochs go on after the largest with 1.
    #[test]
    fn epochs_go_round() {
        assert_eq!(epoch_after(1, 0), 1);
        assert_eq!(epoch_after(1, 5), 6);
        assert_eq!(epoch_after(i32::MAX, 1), 1);
        assert_eq!(epoch_after(i32::MAX - 1, 3), 2);
        assert_eq!(FetchMetadata::next_epoch(i32::MAX), 1);
    }
}
