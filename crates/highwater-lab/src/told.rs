//! What is told of a deed, or of a long way through time.

use std::rc::Rc;

use highwater_core::ids::TerminalId;
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::group_event::GroupEvent;
use highwater_core::world::snapshot::Snapshot;
use highwater_scene::names::event_by_name;
use highwater_scene::narration::narrate;
use highwater_scene::terminal::heard;
use highwater_scene::words::harmless;

use crate::lab::Lab;
use crate::story::StopKind;

/// So many joins and moves of partitions are told of a command.
const MOVES: usize = 4;

impl Lab {
    /// The worst that has happened since so many stops had passed, in words; not the last stop, which is told anyhow.
    pub(crate) fn worst_since(&self, stops: usize) -> Option<String> {
        let passed = self.run.stops().get(stops..self.run.position().checked_sub(1)?)?;
        let mut failures = passed.iter().filter(|stop| stop.has(StopKind::Failure));
        let first = failures.clone().next()?.step;
        let hazard = self.run.last_hazards(1).pop().filter(|event| event.step >= first);
        let snapshot = self.run.snapshot();
        let told = hazard.map(|event| event_by_name(&event.kind, &snapshot));
        told.or_else(|| Some(narrate(&self.run.events_of(failures.next()?), &snapshot)))
    }

    /// What has happened since the world had taken so many steps, as one sentence or a few.
    pub(crate) fn story_since(&self, step: u64) -> Option<String> {
        let stops = self.run.stops();
        let first = stops.partition_point(|stop| stop.step <= step);
        let here = self.run.position();
        let mut events = Vec::new();
        for stop in stops.get(first..here)? {
            events.extend(self.run.events_of(stop));
        }
        // The command alone: there is nothing to tell of it but itself.
        let snapshot = self.run.snapshot();
        (events.len() > 1).then(|| {
            let mut told = moves(&events, &snapshot);
            told.push(narrate(&events, &snapshot));
            told.dedup();
            told.join(" ")
        })
    }

    /// What came out since then, by ear: how many lines, and the first of them.
    pub(crate) fn output_since(&self, terminal: TerminalId, since: usize) -> Option<String> {
        let chunks = self.run.timeline().world().output(terminal).get(since..)?;
        heard(chunks).map(|heard| harmless(&heard))
    }
}

/// Who has joined a group, and which partitions have gone from whom to whom: the last of that, if somebody has read too.
fn moves(events: &[Rc<Event>], snapshot: &Snapshot) -> Vec<String> {
    let has_read = events.iter().any(|event| matches!(event.kind, EventKind::PositionMoved { .. }));
    let mut told: Vec<String> = Vec::new();
    for event in events.iter().filter(|_| has_read) {
        let EventKind::Cluster(news) = &event.kind else { continue };
        match news.event() {
            Some(ClusterEvent::Group(GroupEvent::MemberJoined { .. })) => {}
            Some(ClusterEvent::AssignmentChanged { partitions, .. }) if !partitions.is_empty() => {}
            _ => continue,
        }
        told.push(event_by_name(&event.kind, snapshot));
    }
    told.split_off(told.len().saturating_sub(MOVES))
}
