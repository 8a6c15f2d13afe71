//! What one broker holds of a partition.

use highwater_core::controller::records::PartitionImage;
use highwater_core::ids::{BrokerId, EventId};
use highwater_core::time::SimTime;
use highwater_core::world::cluster_event::{ChangeReason, ClusterEvent};

use super::{Answer, Here, Place, holdup, settings};
use crate::replicas::{Health, ReplicaState, health};
use crate::thing::Thing;
use crate::words::ask::says;
use crate::words::ask::{self as words, labels};
use crate::words::moment;
use crate::words::replicas::{broker, role};

pub(super) fn answer(here: &Here<'_>, place: &Place<'_>, id: i32) -> Option<Answer> {
    let state = crate::replicas::partition(here.moment, place.topic, place.number())?;
    let replica = state.on(id)?;
    let id = BrokerId(id);
    let how = here.broker(id).map_or(Health::Up, health);
    let mut answer = Answer::new(words::replica_title(&place.name(), id, how, &role(replica)));
    answer.about(labels::PARTITION, place.name(), place.thing());
    answer.about(labels::BROKER, broker(id.0), Thing::Broker(id.0));
    if let Some(view) = here.broker(id) {
        answer.fact(labels::STATE, words::health(health(view)));
    }
    answer.fact(labels::ROLE, words::role(replica.leads));
    answer.fact(labels::IN_ISR, words::yes_or_no(replica.in_isr));
    if replica.eligible {
        answer.fact(labels::IN_ELR, words::yes_or_no(true));
    }
    of_log(&mut answer, here, place, id, replica);
    let leader = place.image.leader.filter(|leader| *leader != id);
    if let Some(leader) = leader.and_then(|leader| here.broker(leader)) {
        let fetched = leader.last_fetches.iter().find(|(follower, _)| *follower == id);
        if let Some((_, at)) = fetched {
            answer.fact(labels::LAST_FETCH, moment(*at));
        }
    }
    let change = left_or_joined(here, place, id);
    explain(&mut answer, here, place, replica, change.as_ref());
    if let Some(leader) = place.image.leader {
        answer.broker_settings(here, leader, settings::OF_LEADER);
    }
    answer.broker_settings(here, id, settings::OF_FOLLOWER);
    let copied = || {
        here.newest_news(|event| {
            matches!(event, ClusterEvent::ReplicaAppended { partition, broker, .. }
                | ClusterEvent::LogTruncated { partition, broker, .. }
                if *broker == id && *partition == place.which)
        })
    };
    answer.because = match &change {
        Some(change) if !replica.in_isr || replica.leads => Some(change.event),
        _ if replica.leads => place.image.changed_by,
        _ => copied().map(|event| event.id).or(place.image.changed_by),
    };
    answer.link(place.name(), place.thing());
    Some(answer)
}

fn of_log(
    answer: &mut Answer,
    here: &Here<'_>,
    place: &Place<'_>,
    id: BrokerId,
    replica: &ReplicaState,
) {
    let Some(held) = here.held(id, &place.which) else {
        answer.fact(labels::LOG_END, labels::NO_LOG);
        return;
    };
    let log = held.log();
    answer.number(labels::LOG_START, log.log_start_offset().0);
    let tide = replica.log.and_then(|log| log.high_watermark);
    answer
        .fact(labels::TIDE_IT_KNOWS, tide.map_or(labels::NONE.to_owned(), |tide| tide.to_string()));
    answer.number(labels::LOG_END, log.log_end_offset().0);
    if let Some(behind) = replica.behind.filter(|_| !replica.leads) {
        answer.number(labels::BEHIND_THE_LEADER, behind);
    }
    answer.number(labels::LEADER_EPOCH, held.leader_epoch().0);
    answer.fact(labels::SIZE, words::bytes(log.size_in_bytes()));
}

/// How a replica came out of the ISR, or into it, or to lead.
struct Change {
    event: EventId,
    at: SimTime,
    reason: ChangeReason,
    /// The rule of a leader: since when the replica had lagged.
    lagging_since: Option<Option<SimTime>>,
}

/// The newest change of the partition that made this replica what it is.
fn left_or_joined(here: &Here<'_>, place: &Place<'_>, id: BrokerId) -> Option<Change> {
    let is = |image: &PartitionImage| (image.isr.contains(&id), image.leader == Some(id));
    let now = is(place.image);
    let found = here.newest_news(|event| match event {
        ClusterEvent::PartitionChanged { partition, before, after, .. } => {
            *partition == place.which && is(after) == now && is(before) != now
        }
        _ => false,
    })?;
    let Some(ClusterEvent::PartitionChanged { reason, .. }) = super::news(&found.kind) else {
        return None;
    };
    // The leader's proposal stands before the change.
    let before = here.events.partition_point(|event| event.id < found.id);
    let proposed =
        here.events[..before].iter().rev().find_map(|event| match super::news(&event.kind)? {
            ClusterEvent::IsrProposed { partition, lagging_since, .. }
                if *partition == place.which =>
            {
                lagging_since.iter().find(|(who, _)| *who == id).map(|(_, since)| *since)
            }
            _ => None,
        });
    let by_leader = matches!(reason, ChangeReason::IsrProposal(_));
    Some(Change {
        event: found.id,
        at: found.at,
        reason: *reason,
        lagging_since: proposed.filter(|_| by_leader && !now.0),
    })
}

fn explain(
    answer: &mut Answer,
    here: &Here<'_>,
    place: &Place<'_>,
    replica: &ReplicaState,
    change: Option<&Change>,
) {
    let id = BrokerId(replica.broker);
    let leader = place.image.leader.filter(|leader| *leader != id);
    let waits = leader.and_then(|leader| holdup::waits_for(here, id, leader));
    let lag_max = leader.and_then(|leader| {
        let settings = here.cluster.settings_of(leader)?;
        Some(settings.of_broker("replica.lag.time.max.ms").value)
    });
    if replica.leads {
        if super::partition::away(here, place).is_some() {
            return answer.say_why_nobody_serves(here, place);
        }
        answer.say(says::it_leads(id));
        answer.say_what_is_refused(place);
        return answer.say_what_holds_the_tide(here, place, "");
    }
    match (replica.in_isr, change) {
        (false, Some(change)) => {
            let since = change.lagging_since;
            answer.say(says::out_since(id, change.at, change.reason, since, lag_max.as_deref()));
        }
        (false, None) => answer.say(says::out(id)),
        (true, _) if replica.behind.is_some_and(|behind| behind > 0) => {
            answer.say(says::in_sync_though_behind(id, lag_max.as_deref()));
        }
        (true, _) => answer.say(says::in_sync(id)),
    }
    if leader.is_none() {
        return answer.say_why_nobody_serves(here, place);
    }
    if let Some(waits) = waits.filter(|_| replica.behind != Some(0) || !replica.in_isr) {
        answer.say(says::at_this_moment(&waits));
    }
    if replica.eligible {
        answer.say(says::ELIGIBLE.to_owned());
    }
}
