//! A chain of reasons as sentences, from where it began to what was asked about.

use std::rc::Rc;

use highwater_core::ids::EventId;
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::snapshot::Snapshot;

use crate::names::event_by_name;
use crate::words::{self, reason, say};

/// One reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The event; the page jumps to its step.
    pub event: EventId,
    /// The step in which it happened.
    pub step: u64,
    /// When, in words.
    pub at: String,
    /// What happened.
    pub sentence: String,
    /// Whether it is a stop of the story. The others are detail.
    pub is_story: bool,
}

/// The reasons of a chain as `Timeline::why` gives it, newest first; they come oldest first, with the names of this moment.
#[must_use]
pub fn reasons(chain: &[Rc<Event>], moment: &Snapshot) -> Vec<Reason> {
    let reason = |event: &Rc<Event>| Reason {
        event: event.id,
        step: event.step,
        at: words::moment(event.at),
        sentence: event_by_name(&event.kind, moment),
        is_story: event.kind.is_story(),
    };
    chain.iter().rev().map(reason).collect()
}

/// An event as one plain sentence.
#[must_use]
pub fn sentence(event: &EventKind) -> String {
    match event {
        EventKind::InputApplied { input, .. } => reason::input(input),
        EventKind::ProcessStarted { name, .. } => reason::started(name),
        EventKind::ProcessExited { status, .. } => reason::exited(*status),
        EventKind::MessageSent { from, to, api, is_request, .. } => {
            reason::sent(*from, *to, api, *is_request)
        }
        EventKind::TopicCreated { topic, partitions, .. } => {
            reason::created(topic.as_str(), *partitions)
        }
        EventKind::TopicRefused { topic, error } => reason::topic_refused(topic.as_str(), error),
        EventKind::RecordPartitioned { family, partition, key, why, .. } => {
            reason::partitioned(say::family(*family), key.as_deref(), partition, why)
        }
        EventKind::BatchAppended { partition, broker, base_offset, count, .. } => {
            reason::appended(broker.0, partition, base_offset.0, *count)
        }
        EventKind::AppendRefused { partition, error } => reason::append_refused(partition, error),
        EventKind::SegmentRolled { partition, broker, base_offset, why } => {
            let mut sentence = reason::rolled(broker.0, partition, base_offset.0);
            if let Some(why) = why.get() {
                sentence.push_str(&words::cluster::of_roll(*why));
            }
            sentence
        }
        EventKind::HighWatermarkAdvanced { partition, to, held_by, .. } => {
            reason::watermark(partition, to.0, held_by.0)
        }
        EventKind::PositionMoved { reader, partition, from, to, .. } => {
            reason::moved(reader, partition, from.map(|from| from.0), to.0)
        }
        EventKind::Cluster(event) => {
            event.event().map_or_else(String::new, words::cluster::sentence)
        }
    }
}
