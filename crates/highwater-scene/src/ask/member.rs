//! A member of a group: what its coordinator knows of it, and what its client does.

use highwater_core::client::kafka_consumer::view::MemberView;
use highwater_core::ids::Offset;
use highwater_core::time::SimTime;
use highwater_core::world::cluster_event::{AssignmentChange, ClusterEvent};
use highwater_core::world::group_event::GroupEvent;

use super::{Answer, Here, count, group, holdup};
use crate::coordinated::readable_end;
use crate::names::short_id;
use crate::thing::Thing;
use crate::why::sentence;
use crate::words::ask::says;
use crate::words::ask::{self as words, clients, labels};
use crate::words::moment;

pub(super) fn answer(here: &Here<'_>, name: &str, id: &str) -> Option<Answer> {
    let found = group::find(here, name)?;
    let classic = found.entry.group.classic()?;
    let member = classic.members().iter().find(|member| *member.id.0 == *id)?;
    let client =
        here.cluster.members.iter().find(|view| *view.group.0 == *name && view.member == member.id);
    let called = client.map_or_else(|| short_id(id), |client| client.reader.clone());
    let mut answer = Answer::new(words::member_title(&called, name));
    answer.about(labels::GROUP, name, Thing::Group(name.to_owned()));
    answer.fact(labels::MEMBER_ID, id);
    answer.fact(labels::CLIENT_ID, &*member.client_id);
    if let Some(instance) = &member.instance {
        answer.fact(labels::INSTANCE, &**instance);
    }
    answer.fact(labels::ASSIGNS, words::yes_or_no(classic.leader() == Some(&member.id)));
    let strategies: Vec<&str> = member.protocols.iter().map(|(name, _)| &**name).collect();
    answer.fact(labels::STRATEGIES, strategies.join(", "));
    if let Some(client) = client {
        answer.fact(labels::STATE, client.state.name());
        answer.number(labels::GENERATION, client.generation);
    }
    let session_ms = member.session_timeout_ms;
    if let Some(ends) = member.session_deadline {
        if member.sends_heartbeats() {
            let heard = SimTime(ends.0.saturating_sub(session_ms.saturating_mul(1_000)));
            answer.fact(labels::LAST_HEARD, moment(heard));
        }
        answer.fact(labels::SESSION_ENDS, says::in_time(holdup::until(here, ends)));
    }
    let given = member.partitions();
    match client {
        Some(client) => of_client(&mut answer, here, client),
        None => {
            for which in &given {
                let thing = Thing::partition(which.topic.as_str(), which.partition.0);
                answer.about(which.to_string(), labels::ASSIGNED, thing);
            }
        }
    }
    explain(&mut answer, here, client, count(&given));
    let behind = group::lag_of(here, &found, &given);
    if client.is_some() && behind > 0 {
        answer.say(clients::group_lags(behind));
    }
    answer.client_settings(&member.client_id, session_ms, member.rebalance_timeout_ms);
    answer.because = here.newest_news(|event| is_about(event, name, id)).map(|event| event.id);
    Some(answer)
}

/// A member that its group has no more: since when, why, and who has its partitions now.
pub(super) fn gone(here: &Here<'_>, name: &str, id: &str) -> Option<Answer> {
    let left = here.newest_news(|event| match event {
        ClusterEvent::Group(
            GroupEvent::MemberLeft { group, member, .. }
            | GroupEvent::MemberExpired { group, member, .. },
        ) => *group.0 == *name && *member.0 == *id,
        _ => false,
    })?;
    let mut answer = Answer::new(words::member_title(&short_id(id), name));
    answer.about(labels::GROUP, name, Thing::Group(name.to_owned()));
    answer.fact(labels::MEMBER_ID, id);
    answer.fact(labels::GONE_SINCE, moment(left.at));
    answer.say(sentence(&left.kind));
    answer.because = Some(left.id);
    let had = here.newest_news(|event| match event {
        ClusterEvent::AssignmentChanged { group, member, change, .. } => {
            *group.0 == *name && *member.0 == *id && *change == AssignmentChange::Assigned
        }
        _ => false,
    });
    let Some(ClusterEvent::AssignmentChanged { partitions, .. }) =
        had.and_then(|event| super::news(&event.kind))
    else {
        return Some(answer);
    };
    for which in partitions {
        let owns = |view: &&MemberView| {
            *view.group.0 == *name && view.partitions.iter().any(|own| own.partition == *which)
        };
        let owner = here.cluster.members.iter().find(owns);
        let owner = clients::is_with(owner.map_or(labels::NOBODY, |view| &view.reader));
        let thing = Thing::partition(which.topic.as_str(), which.partition.0);
        answer.about(which.to_string(), owner, thing);
    }
    Some(answer)
}

/// A line for each of its partitions.
fn of_client(answer: &mut Answer, here: &Here<'_>, client: &MemberView) {
    for owned in &client.partitions {
        let which = &owned.partition;
        let number = |offset: Option<Offset>| offset.map(|offset| offset.0);
        let end = readable_end(here.moment, which);
        let line =
            words::position_line(number(owned.position), number(owned.committed), number(end));
        let line = if owned.is_paused { words::paused(&line) } else { line };
        answer.about(
            which.to_string(),
            line,
            Thing::partition(which.topic.as_str(), which.partition.0),
        );
    }
}

/// By how many records it is behind the ends of what it reads.
pub(super) fn lag(here: &Here<'_>, client: &MemberView) -> i64 {
    let lags = client.partitions.iter().filter_map(|owned| {
        Some(readable_end(here.moment, &owned.partition)?.0 - owned.position?.0)
    });
    lags.sum()
}

fn explain(answer: &mut Answer, here: &Here<'_>, client: Option<&MemberView>, given: i64) {
    let Some(client) = client else {
        return answer.say(clients::nobody_behind_it().to_owned());
    };
    answer.say(clients::member_is(client.state, given));
    let lag = lag(here, client);
    if lag > 0 {
        answer.say(clients::reader_lags(lag));
    }
}

fn is_about(event: &ClusterEvent, name: &str, id: &str) -> bool {
    match event {
        ClusterEvent::AssignmentChanged { group, member, .. } => {
            *group.0 == *name && *member.0 == *id
        }
        ClusterEvent::Group(
            GroupEvent::MemberJoined { group, member, .. }
            | GroupEvent::OffsetsCommitted { group, member, .. },
        ) => *group.0 == *name && *member.0 == *id,
        ClusterEvent::Group(GroupEvent::StaticMemberReplaced { group, new, .. }) => {
            *group.0 == *name && *new.0 == *id
        }
        _ => false,
    }
}
