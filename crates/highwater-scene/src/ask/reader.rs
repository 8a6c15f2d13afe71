//! A consumer, in a group or for itself.

use highwater_core::ids::{Offset, TopicPartition};
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;

use super::{Answer, Here};
use crate::coordinated::readable_end;
use crate::thing::Thing;
use crate::words::ask::{self as words, clients, labels};

pub(super) fn answer(here: &Here<'_>, name: &str) -> Option<Answer> {
    let reader = here.moment.readers.iter().find(|reader| reader.name == name)?;
    let mut answer = Answer::new(words::reader_title(name));
    let member = here.cluster.members.iter().find(|member| member.reader == name);
    match member {
        Some(member) => {
            let group = member.group.to_string();
            answer.about(labels::GROUP, group.clone(), Thing::Group(group.clone()));
            let id = member.member.to_string();
            if id.is_empty() {
                answer.fact(labels::MEMBER_ID, labels::NONE);
            } else {
                answer.about(labels::MEMBER_ID, id.clone(), Thing::Member { group, member: id });
            }
            answer.fact(labels::STATE, member.state.name());
        }
        None => answer.fact(labels::GROUP, labels::NONE),
    }
    let mut lag = 0;
    for (which, next) in &reader.positions {
        let end = readable_end(here.moment, which).map(|end| end.0);
        lag += end.map_or(0, |end| end - next.0);
        let line = words::position_line(Some(next.0), None, end);
        answer.about(
            which.to_string(),
            line,
            Thing::partition(which.topic.as_str(), which.partition.0),
        );
    }
    match (reader.positions.is_empty(), lag) {
        (true, _) => answer.say(clients::reads_nothing().to_owned()),
        (false, 1..) => answer.say(clients::reader_lags(lag)),
        (false, _) => answer.say(clients::has_read_all().to_owned()),
    }
    if let Some(member) = member {
        answer.say(clients::member_is(member.state, super::count(&member.partitions)));
    }
    let client_id = member.map_or(name, |member| member.client_id.as_str());
    answer.because =
        here.newest(|kind| is_about(kind, client_id, &reader.positions)).map(|event| event.id);
    Some(answer)
}

fn is_about(kind: &EventKind, client_id: &str, own: &[(TopicPartition, Offset)]) -> bool {
    match kind {
        // Several may have one `client.id`, but not one partition.
        EventKind::PositionMoved { reader, partition, .. } => {
            reader == client_id && own.iter().any(|(which, _)| which == partition)
        }
        kind => matches!(
            super::news(kind),
            Some(ClusterEvent::AssignmentChanged { reader, .. }) if reader == client_id
        ),
    }
}
