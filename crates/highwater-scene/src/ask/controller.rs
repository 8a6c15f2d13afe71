//! The controller and the metadata quorum.

use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;

use super::{Answer, Here, settings};
use crate::thing::Thing;
use crate::words::ask::says;
use crate::words::ask::{self as words, labels};
use crate::words::moment;
use crate::words::replicas::broker;

pub(super) fn answer(here: &Here<'_>) -> Answer {
    let view = &here.cluster.controller;
    let quorum = &view.quorum;
    let mut answer = Answer::new(labels::CONTROLLER_TITLE.to_owned());
    answer.number(labels::QUORUM_LEADER, quorum.leader_id);
    answer.number(labels::LEADER_EPOCH, quorum.leader_epoch);
    answer.number(labels::HIGH_WATERMARK, quorum.high_watermark);
    let voters: Vec<String> = quorum.voters.iter().map(|voter| voter.id.to_string()).collect();
    answer.fact(labels::VOTERS, voters.join(", "));
    if let Some(leader) = quorum.voters.first() {
        answer.number(labels::METADATA_LOG_END, leader.log_end_offset);
    }
    for observer in &quorum.observers {
        let line = words::observer_line(observer.log_end_offset, &moment(observer.last_fetch));
        answer.about(broker(observer.id), line, Thing::Broker(observer.id));
    }
    answer.fact(labels::LAST_APPEND, moment(view.last_append));
    answer.number(labels::NEXT_PRODUCER_ID, view.next_producer_id);
    let registered = || here.cluster.brokers.iter().filter_map(|view| view.registration.as_ref());
    let fenced = registered().filter(|known| known.fenced).count();
    answer.say(says::controller_knows(registered().count(), fenced));
    let leaderless = here.moment.topics.iter().flat_map(|topic| &topic.image.partitions);
    let leaderless = leaderless.filter(|image| image.leader.is_none()).count();
    if leaderless > 0 {
        answer.say(says::leaderless(leaderless));
    }
    answer.controller_settings(here, settings::OF_CONTROLLER);
    answer.because = here.newest(is_decision).map(|event| event.id);
    answer
}

/// Whether it is something that the controller decides.
fn is_decision(kind: &EventKind) -> bool {
    matches!(kind, EventKind::TopicCreated { .. } | EventKind::TopicRefused { .. })
        || matches!(
            super::news(kind),
            Some(
                ClusterEvent::TopicDeleted { .. }
                    | ClusterEvent::PartitionsAdded { .. }
                    | ClusterEvent::ConfigsAltered { .. }
                    | ClusterEvent::BrokerRegistered { .. }
                    | ClusterEvent::BrokerUnfenced { .. }
                    | ClusterEvent::BrokerFenced { .. }
                    | ClusterEvent::PartitionChanged { .. }
            )
        )
}
