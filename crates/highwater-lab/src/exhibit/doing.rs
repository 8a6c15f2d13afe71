//! What of a program that walks with a figure happens at its present moment.

use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;
use highwater_core::world::group_event::GroupEvent;

use super::Exhibit;

/// What lines of a listing can wait for.
pub const DOINGS: [&str; 7] = ["append", "read", "commit", "copy", "refuse", "roll", "delete"];

impl Exhibit {
    /// What has just happened, by the names of [`DOINGS`]; nothing in the first frame.
    #[must_use]
    pub fn doing(&self) -> Vec<&'static str> {
        let run = self.run();
        if self.is_opening {
            return Vec::new();
        }
        let events = run.last_stop().map(|stop| {
            run.timeline().events_between(stop.first, stop.last).cloned().collect::<Vec<_>>()
        });
        let mut doing: Vec<&str> =
            events.unwrap_or_default().iter().filter_map(|event| name(&event.kind)).collect();
        doing.dedup();
        doing
    }
}

fn name(event: &EventKind) -> Option<&'static str> {
    Some(match event {
        EventKind::BatchAppended { .. } => "append",
        EventKind::PositionMoved { .. } => "read",
        EventKind::AppendRefused { .. } => "refuse",
        EventKind::SegmentRolled { .. } => "roll",
        EventKind::Cluster(news) => match news.event()? {
            ClusterEvent::ReplicaAppended { .. } => "copy",
            ClusterEvent::SegmentDeleted { .. } => "delete",
            ClusterEvent::Group(GroupEvent::OffsetsCommitted { .. }) => "commit",
            _ => return None,
        },
        _ => return None,
    })
}
