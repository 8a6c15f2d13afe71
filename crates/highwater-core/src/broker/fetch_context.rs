//! What a fetch of a consumer is part of, and what its answer leaves out because of that (`FetchManager`,
//! `FetchContext`; KIP-227).

use std::rc::Rc;

use crate::broker::Broker;
use crate::draw::{Purpose, draw_below};
use crate::error::ErrorCode;
use crate::ids::{BrokerId, MessageId, NodeId, Offset, TopicPartition};
use crate::net::message::{FetchAnswers, FetchMetadata, FetchRequest, Response, SessionId};
use crate::replication::fetch_session_cache::{
    EVICTION, FetchContext, FetchSessionCache, NUMBERS, Starts,
};
use crate::replication::partition::Partition;
use crate::scope::{self, Always};
use crate::sorted_map::SortedMap;
use crate::time::SimDuration;
use crate::world::outbox::Outbox;

impl Broker {
    /// The sessions of consumers, by their numbers.
    #[must_use]
    pub fn fetch_sessions(&self) -> &FetchSessionCache {
        &self.replication.fetch_sessions
    }

    /// What a fetch is part of, and all that it reads (`FetchManager.newContext`).
    pub(super) fn fetch_context(
        &mut self,
        request: &Rc<FetchRequest>,
        out: &Outbox,
    ) -> Result<(Rc<FetchRequest>, FetchContext), ErrorCode> {
        let sessionless = || (Rc::clone(request), FetchContext::Sessionless);
        let Some(details) = request.details.get() else { return Ok(sessionless()) };
        let FetchMetadata { session, epoch } = details.session;
        if !details.session.is_full() {
            return self.replication.fetch_sessions.begin_fetch(request, details, out.now());
        }
        if session != SessionId::default() {
            self.replication.fetch_sessions.remove(session);
        }
        Ok(match epoch {
            FetchMetadata::FINAL_EPOCH => sessionless(),
            _ => (Rc::clone(request), FetchContext::Full),
        })
    }

    /// Answers a fetch: within a session only with what is news.
    pub(super) fn answer_fetch(
        &mut self,
        (to, correlation): (NodeId, MessageId),
        (request, context): (Rc<FetchRequest>, FetchContext),
        mut answers: FetchAnswers,
        out: &mut Outbox,
    ) {
        let none = Ok(SessionId::default());
        if !scope::CLUSTER || context == FetchContext::Sessionless {
            let leaders = self.current_leaders(&answers);
            let answer = Response::Fetch(answers, leaders, Always::of(|| none));
            return out.respond_to(to, correlation, answer);
        }
        let session = match context {
            FetchContext::Sessionless => none,
            FetchContext::Incremental(id, epoch) => {
                drop(request);
                let (partitions, cache) = (&self.partitions, &mut self.replication.fetch_sessions);
                let log_start = |which: &TopicPartition| log_start(partitions, which);
                cache.end_fetch((id, epoch), &mut answers, &log_start)
            }
            FetchContext::Full => Ok(self.open_session(to, request, &answers, out)),
        };
        let leaders = self.current_leaders(&answers);
        out.respond_to(to, correlation, Response::Fetch(answers, leaders, Always::of(|| session)));
    }

    fn open_session(
        &mut self,
        with: NodeId,
        request: Rc<FetchRequest>,
        answers: &FetchAnswers,
        out: &Outbox,
    ) -> SessionId {
        let (seed, now) = (*self.seed.known(), out.now());
        let here = u64::try_from(self.id.0).unwrap_or(0) << 48;
        let number = |who: u64, count: u64| {
            SessionId(1 + draw_below(seed, Purpose::FetchSession, here | who, count, NUMBERS))
        };
        let of_broker = |id: BrokerId| (1 << 40) | u64::try_from(id.0).unwrap_or(0);
        let mut others = Vec::new();
        for (follower, session) in self.replication.sessions.iter() {
            if session.contact(out.network_delay(), now) + EVICTION >= now {
                others.push(number(of_broker(*follower), 0));
            }
        }
        let who = match with {
            NodeId::Client(id) => u64::from(id.0),
            NodeId::Broker(id) => of_broker(id),
            NodeId::Controller => 0,
        };
        let slots = self.config().fetch_session_slots;
        let (partitions, cache) = (&self.partitions, &mut self.replication.fetch_sessions);
        let log_start = |which: &TopicPartition| log_start(partitions, which);
        let (id, answers) = (number(who, now.0), (answers, &log_start as Starts<'_>));
        cache.maybe_create(id, request, answers, (slots, &others), now)
    }

    /// A fetch that waits here has been answered in vain again and again, each time by another one of its session.
    /// In how many fetches, and how long that took. Nothing else of the session has changed.
    pub(crate) fn leap_fetch(&mut self, correlation: MessageId, times: u64, by: SimDuration) {
        let Some(fetch) = self.delayed_fetches.get_mut(&correlation) else { return };
        if let FetchContext::Incremental(id, epoch) = fetch.context.known_mut() {
            *epoch = self.replication.fetch_sessions.leap(*id, times, by).unwrap_or(*epoch);
        }
    }
}

fn log_start(
    partitions: &SortedMap<TopicPartition, Rc<Partition>>,
    which: &TopicPartition,
) -> Offset {
    partitions.get(which).map_or(Offset(-1), |held| held.log().log_start_offset())
}
