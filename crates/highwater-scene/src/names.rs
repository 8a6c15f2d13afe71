//! What consumers are called: each by one name, as in the figure, wherever it is spoken of at a moment.

use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;
use highwater_core::world::snapshot::Snapshot;

use crate::why;

/// So many characters of a member's id are a random part behind its `client.id`: a hyphen and a UUID.
const RANDOM: usize = 37;

/// A text in which members are called by their names, not by the ids that their groups have for them.
#[must_use]
pub fn by_name(text: String, moment: &Snapshot) -> String {
    let members = moment.cluster.get().map_or(&[][..], |cluster| &cluster.members);
    let mut text = text;
    for view in members {
        if !view.member.0.is_empty() && text.contains(&*view.member.0) {
            text = text.replace(&*view.member.0, &view.reader);
        }
    }
    text
}

/// An event as one plain sentence, with the names of this moment.
#[must_use]
pub fn event_by_name(kind: &EventKind, moment: &Snapshot) -> String {
    let mut text = why::sentence(kind);
    if let EventKind::Cluster(news) = kind
        && let Some(ClusterEvent::AssignmentChanged { reader, member, .. }) = news.event()
        && let Some(rest) = text.strip_prefix(reader.as_str())
        && !member.0.is_empty()
    {
        // The event has only the `client.id`, which several may have.
        let members = moment.cluster.get().map_or(&[][..], |cluster| &cluster.members);
        if let Some(view) = members.iter().find(|view| view.member == *member) {
            text = [&view.reader, rest].concat();
        }
    }
    by_name(text, moment)
}

/// The `client.id` in a member's id.
#[must_use]
pub fn client_of(member: &str) -> &str {
    let end = member.len().saturating_sub(RANDOM);
    match member.get(end..) {
        Some(random) if end > 0 && random.starts_with('-') => member.get(..end).unwrap_or(member),
        _ => member,
    }
}
