//! What consumers are called: each by one name, as in the figure, wherever it is spoken of at a moment.

use highwater_core::ids::MemberId;
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::EventKind;
use highwater_core::world::snapshot::Snapshot;

use crate::why;

/// The length of a UUID as text, which stands behind the `client.id` in a member's id; and of its first part.
const UUID: usize = 36;
const FIRST: usize = 8;

/// A text in which members are called by their names, not by the ids that their groups have for them. Whoever is gone
/// has no name any more: of its id enough stays to tell it from the living.
#[must_use]
pub fn by_name(text: String, moment: &Snapshot) -> String {
    let members = moment.cluster.get().map_or(&[][..], |cluster| &cluster.members);
    let mut text = text;
    for view in members {
        if !view.member.0.is_empty() && text.contains(&*view.member.0) {
            text = text.replace(&*view.member.0, &view.reader);
        }
    }
    shortened(text)
}

/// A text in which UUIDs are cut.
fn shortened(text: String) -> String {
    let mut text = text;
    let mut at = 0;
    while let Some(window) = text.as_bytes().get(at..at + UUID) {
        if is_uuid(window) {
            text.replace_range(at + FIRST..at + UUID, "\u{2026}");
        }
        at += 1;
    }
    text
}

fn is_uuid(bytes: &[u8]) -> bool {
    let is_part = |(place, byte): (usize, &u8)| match place {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    bytes.iter().enumerate().all(is_part)
}

/// An event as one plain sentence, with the names of this moment.
#[must_use]
pub fn event_by_name(kind: &EventKind, moment: &Snapshot) -> String {
    let mut text = why::sentence(kind);
    if let Some((reader, member)) = acts(kind)
        && let Some(rest) = text.strip_prefix(reader)
        && !member.0.is_empty()
    {
        // The event has only the `client.id`, which several may have.
        let members = moment.cluster.get().map_or(&[][..], |cluster| &cluster.members);
        let view = members.iter().find(|view| view.member == *member);
        let name = view.map_or_else(|| short_id(&member.0), |view| view.reader.clone());
        text = [&name, rest].concat();
    }
    by_name(text, moment)
}

/// The `client.id` and the id of the member that does what an event tells.
fn acts(kind: &EventKind) -> Option<(&str, &MemberId)> {
    match kind {
        EventKind::PositionMoved { reader, member, .. } => Some((reader, member.get()?)),
        EventKind::Cluster(news) => match news.event()? {
            ClusterEvent::AssignmentChanged { reader, member, .. } => Some((reader, member)),
            _ => None,
        },
        _ => None,
    }
}

/// A member by its id alone.
#[must_use]
pub fn short_id(member: &str) -> String {
    shortened(member.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Only UUIDs are cut, wherever they stand.
    #[test]
    fn short_ids() {
        let id = "0a4ef1f3-3187-4e1c-b24e-3a24c48c2898";
        for (text, short) in [
            (format!("worker-{id}"), "worker-0a4ef1f3\u{2026}"),
            (format!("{id} and \u{e4}-{id}."), "0a4ef1f3\u{2026} and \u{e4}-0a4ef1f3\u{2026}."),
            (id[1..].to_owned(), &id[1..]),
            ("t-0, t-1".to_owned(), "t-0, t-1"),
            (String::new(), ""),
        ] {
            assert_eq!(short_id(&text), short);
        }
    }
}
