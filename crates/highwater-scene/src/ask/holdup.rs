//! What a high watermark waits for, and what keeps a follower from having all.

use std::rc::Rc;

use highwater_core::broker::lifecycle::Stage;
use highwater_core::ids::{BrokerId, NodeId, Offset};
use highwater_core::net::internal::{InternalRequest, InternalResponse};
use highwater_core::net::message::{Body, Message, Request, Response};
use highwater_core::net::rule::{Verdict, verdict};
use highwater_core::replication::partition::Partition;
use highwater_core::time::SimTime;

use super::{Answer, Here, Place};
use crate::words::ask::says;

/// So many followers are named.
const NAMED: usize = 2;

impl Answer {
    /// Why the high watermark is no further, if the leader has more, behind what follows from that.
    pub(super) fn say_what_holds_the_tide(
        &mut self,
        here: &Here<'_>,
        place: &Place<'_>,
        before: &str,
    ) {
        let Some(held) = place.leaders() else { return };
        let (tide, end) = (held.high_watermark(), held.log().log_end_offset());
        if tide >= end {
            return;
        }
        let isr = &held.isr().committed;
        if held.is_under_min_isr() {
            self.say(says::tide_stands_still(before, tide.0, isr, held.effective_min_isr()));
            return;
        }
        self.say(says::tide_is_the_smallest(before, tide.0, isr));
        for (follower, known) in slowest(held).into_iter().take(NAMED) {
            let text = held_back(here, place, follower, known);
            self.say_of(text, place.replica(follower));
        }
    }
}

/// The followers that the high watermark waits for, each with its log end as far as the leader knows.
fn slowest(leader: &Partition) -> Vec<(BrokerId, Option<Offset>)> {
    let tide = leader.high_watermark();
    let behind = leader.remotes().iter().filter(|remote| {
        leader.isr().is_in_maximal(remote.broker) && remote.log_end.is_none_or(|end| end <= tide)
    });
    behind.map(|remote| (remote.broker, remote.log_end)).collect()
}

/// What a follower has, what of it the leader knows, and what it waits for.
fn held_back(
    here: &Here<'_>,
    place: &Place<'_>,
    follower: BrokerId,
    known: Option<Offset>,
) -> String {
    let has = here.held(follower, &place.which).map(|held| held.log().log_end_offset());
    let why = place.image.leader.and_then(|leader| waits_for(here, follower, leader));
    let known = known.map(|known| known.0);
    says::held_back(follower, has.map(|end| end.0), known, why.as_deref())
}

/// What keeps a follower from its leader's records at this moment.
pub(super) fn waits_for(here: &Here<'_>, follower: BrokerId, leader: BrokerId) -> Option<String> {
    let view = here.broker(follower)?;
    if view.stage == Stage::Down {
        return Some(says::IT_IS_DOWN.to_owned());
    }
    if view.paused.is_some() {
        return Some(says::IT_IS_PAUSED.to_owned());
    }
    let (mine, its) = (NodeId::Broker(follower), NodeId::Broker(leader));
    let is_cut = |from, to| matches!(verdict(&here.cluster.rules, from, to), Verdict::Drop(_));
    if is_cut(mine, its) || is_cut(its, mine) {
        return Some(says::network_loses(leader));
    }
    if let Some(arrival) = arrival(here, its, mine) {
        return Some(says::fetched_arrives(until(here, arrival)));
    }
    if let Some(arrival) = arrival(here, mine, its) {
        return Some(says::fetch_arrives(until(here, arrival)));
    }
    (view.disk_delay.0 > 0).then(|| says::slow_disk(view.disk_delay))
}

/// When the next fetch of one for the other, or its answer, arrives.
fn arrival(here: &Here<'_>, from: NodeId, to: NodeId) -> Option<SimTime> {
    let is_it = |message: &&Rc<Message>| {
        (message.from, message.to) == (from, to)
            && matches!(
                message.body,
                Body::Request(Request::Internal(InternalRequest::Fetch(_)))
                    | Body::Response(Response::Internal(InternalResponse::Fetch(_)))
            )
    };
    here.cluster.in_flight.iter().find(is_it).map(|message| message.due)
}

/// How long until then, in microseconds.
pub(super) fn until(here: &Here<'_>, at: SimTime) -> u64 {
    at.0.saturating_sub(here.moment.now.0)
}
