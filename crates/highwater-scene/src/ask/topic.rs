//! A topic.

use highwater_core::controller::records::ConfigResource;
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;

use super::{Answer, Here, count, settings};
use crate::thing::Thing;
use crate::words::ask::says;
use crate::words::ask::{self as words, labels};

/// So many partitions have a line.
const NAMED: usize = 24;

pub(super) fn answer(here: &Here<'_>, name: &str) -> Option<Answer> {
    let topic = here.moment.topic(name)?;
    let partitions = &topic.image.partitions;
    let mut answer = Answer::new(words::topic_title(name));
    answer.fact(labels::TOPIC_ID, topic.image.id.to_string());
    answer.number(labels::PARTITIONS, count(partitions));
    let factor = partitions.first().map_or(0, |first| first.replication_factor());
    answer.number(labels::REPLICATION_FACTOR, i128::try_from(factor).unwrap_or(0));
    let configs: Vec<String> =
        topic.image.configs.iter().map(|(key, value)| words::config(key, value)).collect();
    let configs = if configs.is_empty() { labels::NONE.to_owned() } else { configs.join(", ") };
    answer.fact(labels::CONFIGS, configs);
    for (view, image) in topic.partitions.iter().zip(partitions).take(NAMED) {
        let line = words::partition_line(image.leader, &image.isr);
        answer.about(crate::words::partition(view.id.0), line, Thing::partition(name, view.id.0));
    }
    let leaderless = partitions.iter().filter(|image| image.leader.is_none()).count();
    let under = partitions.iter().filter(|image| image.isr.len() < image.replicas.len()).count();
    answer.say(says::topic_is(partitions.len(), leaderless, under));
    let min_isr = topic
        .partitions
        .iter()
        .filter(|view| view.replica.as_ref().is_some_and(|held| held.is_under_min_isr()));
    let refusing = min_isr.count();
    if refusing > 0 {
        answer.say(says::partitions_refuse(refusing));
    }
    answer.topic_settings(here, topic, None, settings::OF_TOPIC);
    let changed = here.newest(|kind| is_about(kind, name)).map(|event| event.id);
    answer.because = changed.or(topic.image.created_by);
    Some(answer)
}

fn is_about(kind: &EventKind, name: &str) -> bool {
    match kind {
        EventKind::TopicCreated { topic, .. } => topic.as_str() == name,
        kind => match super::news(kind) {
            Some(ClusterEvent::PartitionsAdded { topic, .. }) => topic.as_str() == name,
            Some(ClusterEvent::ConfigsAltered { resource, .. }) => matches!(
                resource,
                ConfigResource::Topic(topic)
                    if topic.as_str() == name
            ),
            _ => false,
        },
    }
}
