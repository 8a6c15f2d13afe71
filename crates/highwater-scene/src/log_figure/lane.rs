//! A lane: its name, the ruled strip of cells, the log start, the tide line, and who reads it.

use super::{Canvas, Hit, Rect, Strip, What};
use crate::digits::int;
use crate::fill::path;
use crate::lanes::Lane;
use crate::layout::LaneBox;
use crate::measure::Face;
use crate::node::Node;
use crate::shapes::{line, text};
use crate::template::tree;
use crate::words;

impl Canvas<'_> {
    /// Draws a lane from `top` on; returns it and where the next one begins.
    pub(super) fn lane(&mut self, strip: &Strip, top: i32) -> (Node, i32) {
        let lane = &strip.lane;
        let tide = self.has_tide(lane);
        let readers = i32::try_from(lane.readers.len()).unwrap_or(i32::MAX);
        let place = self.layout.lane(top, readers + i32::from(tide));
        let name = words::partition(lane.partition);
        let mut nodes = Vec::new();
        let room = if self.layout.narrow { self.layout.right } else { self.layout.left };
        if let Some(name) = Face::Label.fit(&name, room - self.layout.pad, self.layout.font) {
            nodes.push(tree(
                "<text class='hw-label' x='{}' y='{}' aria-hidden='true'>{}</text>",
                vec![self.layout.pad.into(), place.label.into(), name.into()],
            ));
        }
        nodes.push(self.rule(&place));
        if lane.has_leader {
            self.strip(strip, &place, &mut nodes);
            let mut row = place.rows;
            if tide {
                nodes.extend(self.tide(strip, &place, row));
                row += self.layout.row();
            }
            for reader in &lane.readers {
                nodes.push(self.reader(strip, reader, row));
                row += self.layout.row();
            }
        } else {
            let y = place.cells + self.layout.cell_height / 2 + self.layout.em(5);
            let room = self.layout.right - self.layout.left;
            let note = Face::Label.fit(words::no_leader(), room, self.layout.font);
            nodes.push(text("hw-warn-label", self.layout.left, y, note.into()));
        }
        let label = if lane.has_leader {
            words::lane_label(lane.partition, lane.start, lane.end)
        } else {
            words::leaderless_label(lane.partition)
        };
        let group = tree(
            "<g role='group' aria-label='{}' key='{}'>{}</g>",
            vec![label.into(), lane.partition.into(), nodes.into()],
        );
        (group, place.bottom)
    }

    /// The tide line says something only where readers do not see everything.
    fn has_tide(&self, lane: &Lane) -> bool {
        lane.count() > 0 && (lane.high_watermark < lane.end || self.figure.tide)
    }

    fn rule(&self, place: &LaneBox) -> Node {
        line("hw-lane", path("M# #H#", &[self.layout.left, place.rule, self.layout.right]))
    }

    fn strip(&mut self, strip: &Strip, place: &LaneBox, nodes: &mut Vec<Node>) {
        if strip.window.older > 0 {
            nodes.push(self.more(strip, place, true));
        } else if strip.lane.start > 0 {
            nodes.push(self.torn(place));
        }
        for record in &strip.cells {
            nodes.push(self.record(strip, place, record));
        }
        if strip.window.newer > 0 {
            nodes.push(self.more(strip, place, false));
        } else {
            nodes.push(self.next_slot(strip, place));
        }
    }

    /// A torn edge where retention has removed the log's first records.
    fn torn(&self, place: &LaneBox) -> Node {
        let tooth = self.layout.em(4);
        let count = (self.layout.cell_height + self.layout.em(4)) / (2 * tooth);
        let mut torn = path("M# #", &[self.layout.left - self.layout.em(3), place.cells]);
        for _ in 0..count {
            torn.push_str(&path("l-# # # #", &[tooth; 4]));
        }
        line("hw-torn", torn)
    }

    /// The line up to which consumers may read, and what it says.
    fn tide(&mut self, strip: &Strip, place: &LaneBox, row: i32) -> Vec<Node> {
        let (lane, window, layout) = (&strip.lane, &strip.window, &self.layout);
        let em = |sixteenths: i32| layout.em(sixteenths);
        let slot = window.slot_of(lane.high_watermark);
        let x = match slot {
            Some(slot) => layout.before_slot(slot),
            None if lane.high_watermark < window.from => layout.left,
            None => layout.right,
        };
        let mut nodes = Vec::new();
        if slot.is_some() {
            let (top, low) = (place.cells - em(3), row + em(8));
            nodes.push(line("hw-tide", path("M# #V#", &[x, top, low])));
            // A crest as wide as margin and offsets allow.
            let digits = Face::Tiny.width(&int(lane.end), layout.font);
            let between = (layout.slot(1) - layout.slot(0) - digits) / 4;
            let half = em(4).min(x / 2).min((layout.width - x) / 2).min(between);
            let wave = 2 * half;
            let numbers = [x - wave, top - em(1), half, em(5), wave, wave];
            let crest = path("M# #q# -# # 0t# 0", &numbers);
            if half > 1 {
                nodes.push(line("hw-tide-wave", crest));
            }
        }
        let says = words::readers_see(lane.start, lane.high_watermark);
        let both = words::tide_label(&says, lane.high_watermark);
        let short = words::readers_see_short(lane.start, lane.high_watermark);
        let (before, after) = (x - em(7) - layout.pad, layout.right - x - em(7));
        let under = x - em(7) - layout.left;
        let fits = |text: &str, room: i32| Face::Label.width(text, layout.font) <= room;
        let (shown, left) = [
            (&both, true, under),
            (&says, true, under),
            (&both, false, after),
            (&says, false, after),
            (&says, true, before),
            (&short, true, under),
            (&short, false, after),
        ]
        .into_iter()
        .find(|(text, _, room)| fits(text, *room))
        .map_or((&says, before > after), |(text, left, _)| (text, left));
        let room = if left { before } else { after };
        let shown = Face::Label.fit(shown, room, layout.font).unwrap_or_default();
        let width = Face::Label.width(&shown, layout.font);
        let (class, anchor, from) = if left {
            ("hw-tide-label hw-end", x - em(7), x - em(7) - width)
        } else {
            ("hw-tide-label", x + em(7), x + em(7))
        };
        let rect = Rect { x: from, y: row, width: width.max(24), height: layout.row() };
        let y = row + em(17);
        let hit = Hit { what: What::Tide(lane.partition), rect, label: both };
        let shown = vec![text(class, anchor, y, shown.into())];
        nodes.push(self.button("hw-tide-words".into(), hit, false, shown));
        nodes
    }
}
