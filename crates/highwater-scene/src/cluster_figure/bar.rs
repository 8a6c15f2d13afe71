//! A replica: a letter, a bar, a note.

use super::grid::{Place, Words};
use super::{Canvas, Hit, ReplicaId, What, says};
use crate::fill::path;
use crate::layout::Rect;
use crate::measure::Face;
use crate::node::Node;
use crate::replicas::{BrokerState, Health, LogState, ReplicaState};
use crate::shapes::{hatch, line, rounded, text};
use crate::template::tree;

impl Canvas<'_> {
    pub(super) fn replica(
        &mut self,
        (topic, partition): (&str, i32),
        (broker, replica): (&BrokerState, &ReplicaState),
        span: (i64, i64),
        place: Place,
    ) -> Node {
        let grid = &self.grid;
        let room = grid.cell - grid.em(8);
        let letter_class = if replica.leads { "hw-leads" } else { "hw-follows" };
        let words = grid.words;
        let base = place.top + grid.em(if words == Words::Beside { 21 } else { 14 });
        let mut parts = vec![text(letter_class, place.x, base, says::letter(replica.leads).into())];
        let note =
            if words == Words::Short { says::short_note(replica) } else { says::note(replica) };
        let beside = words == Words::Beside;
        let note_x = if beside { place.x + room - grid.em(86) } else { place.x + grid.em(14) };
        let note_room = place.x + room - note_x;
        let note_class = if replica.in_isr { "hw-sub" } else { "hw-warn-label" };
        if let Some(note) = Face::Label.fit(&note, note_room, grid.font) {
            parts.push(text(note_class, note_x, base, note.into()));
        }
        let bar = if beside {
            let x = place.x + grid.em(16);
            Rect {
                x,
                y: place.top + grid.em(10),
                width: note_x - grid.em(8) - x,
                height: grid.em(12),
            }
        } else {
            Rect { x: place.x, y: place.top + grid.em(20), width: room, height: grid.em(12) }
        };
        parts.push(self.bar(replica, broker.health, span, bar));
        let id = ReplicaId { topic: topic.to_owned(), partition, broker: replica.broker };
        let stop = self.stop.as_ref() == Some(&id);
        let em = |sixteenths: i32| self.grid.em(sixteenths);
        let rect = Rect {
            x: place.x - em(4),
            y: place.top + em(2),
            width: self.grid.cell,
            height: place.height - em(4),
        };
        let label = says::replica_label(topic, partition, replica);
        self.button(Hit { what: What::Replica(id), rect, label }, stop, parts)
    }

    /// The log of a replica among the offsets that its partition spans.
    fn bar(&self, replica: &ReplicaState, health: Health, span: (i64, i64), at: Rect) -> Node {
        let frame = match health {
            Health::Down => "hw-bar hw-broken",
            _ => "hw-bar",
        };
        let mut parts = vec![rounded(frame, at, self.grid.em(2))];
        if let Some(log) = replica.log {
            let held = self.held(log, span, at, &mut parts);
            if !replica.in_isr {
                parts.push(line("hw-hatch", hatch(held, self.grid.em(6))));
            }
        }
        tree(
            "<g class='{}'>{}</g>",
            vec![if replica.leads { "hw-of-leader" } else { "" }.into(), parts.into()],
        )
    }

    /// Draws what is held; where that is.
    fn held(
        &self,
        log: LogState,
        (low, high): (i64, i64),
        at: Rect,
        parts: &mut Vec<Node>,
    ) -> Rect {
        let place = |offset: i64| {
            let (whole, done) = (i128::from((high - low).max(1)), i128::from(offset - low));
            at.x + i32::try_from(i128::from(at.width) * done / whole).unwrap_or(0)
        };
        let tide = log.high_watermark.map_or(log.end, |tide| tide.clamp(log.start, log.end));
        let (from, middle, to) = (place(log.start), place(tide), place(log.end));
        let part = |x: i32, end: i32| Rect { x, width: end - x, ..at };
        if middle > from {
            parts.push(rounded("hw-held", part(from, middle), 0));
        }
        if to > middle {
            // One record that readers do not see yet must be seen here.
            parts.push(rounded("hw-held-beyond", part(middle, to.max(middle + 2)), 0));
        }
        if log.high_watermark.is_some() && log.end > log.start {
            let em = |sixteenths: i32| self.grid.em(sixteenths);
            let middle = middle.clamp(at.x + 1, at.x + at.width - 1);
            parts.push(line(
                "hw-tide",
                path("M# #V#", &[middle, at.y - em(3), at.y + at.height + em(3)]),
            ));
        }
        part(from, to)
    }
}
