//! A reader under the strip: its position, its name, and how far it is behind the end.

use highwater_core::scope;

use super::{Canvas, Hit, Rect, Strip, What};
use crate::fill::path;
use crate::lanes::Reader;
use crate::layout::Layout;
use crate::measure::Face;
use crate::node::Node;
use crate::shapes::{line, text};
use crate::template::tree;
use crate::words;

/// What stands in a reader's row, and on which side of its mark.
struct Words {
    name: String,
    lag: String,
    width: i32,
    right: bool,
    /// The lag is drawn as a line to the end.
    line: bool,
}

impl Canvas<'_> {
    /// A reader's row.
    pub(super) fn reader(&mut self, strip: &Strip, reader: &Reader, row: i32) -> Node {
        let lane = &strip.lane;
        let at = reader.at();
        let lag = lane.end - at;
        let layout = self.layout.clone();
        let em = |sixteenths: i32| layout.em(sixteenths);
        let middle = |slot: i64| layout.slot(slot) + layout.cell / 2;
        let slot = strip.window.slot_of(at);
        // A position that is out of sight stands at the edge and points to where it is.
        let x = match slot {
            Some(slot) => middle(slot),
            None if at < strip.window.from => layout.left + em(6),
            None => layout.right - em(6),
        };
        let end = strip.window.slot_of(lane.end).map_or(layout.right, middle);
        // The pin stands between what is done with and what is not.
        let pin = reader.committed.and_then(|committed| strip.window.slot_of(committed));
        let pin = pin.map(|slot| layout.before_slot(slot));
        let edge = pin.filter(|pin| *pin < x).map_or(x - em(10), |pin| pin.min(x - em(2)) - em(8));
        let says = arrange(&layout, reader, lag, (x, edge), end);
        let label = reader_label(reader, lane.partition, lag);
        let (from, to) = if says.right {
            (x - em(12), x + em(12).max(em(10) + says.width))
        } else {
            (edge - says.width, x + em(12))
        };
        let rect = Rect {
            x: from.max(0),
            y: row,
            width: to.min(layout.width) - from.max(0),
            height: layout.row(),
        };
        let baseline = row + em(17);
        let name = if reader.name.is_empty() { &reader.shown } else { &reader.name };
        let what = What::Reader { name: name.clone(), partition: lane.partition };
        let mut parts = Vec::new();
        let middle = row + em(12);
        if says.line {
            let start = if says.right { x + em(14) + says.width } else { x + em(10) };
            parts.push(lag_line(&layout, start, end, middle));
        }
        let towards = if slot.is_some() { 0 } else { (at - strip.window.from).signum() };
        if reader.next.is_some() {
            parts.push(triangle(&layout, x, middle, towards));
        }
        if let Some(pin) = pin {
            parts.push(pin_at(&layout, pin, middle));
        }
        parts.push(line_of(says, (x, edge), em(10), baseline));
        self.button("hw-reader".into(), Hit { what, rect, label }, false, parts)
    }
}

/// The same by ear, with how far it is behind.
fn reader_label(reader: &Reader, partition: i32, lag: i64) -> String {
    let label = words::reader_label(&reader.shown, partition, reader.at(), lag);
    match reader.committed {
        Some(committed) if scope::CLUSTER => words::and_committed(&label, committed),
        _ => label,
    }
}

/// Finds the side of the mark, and the words, that fit.
fn arrange(layout: &Layout, reader: &Reader, lag: i64, (x, edge): (i32, i32), end: i32) -> Words {
    let font = layout.font;
    let gap = layout.em(10);
    let (after, before) = (layout.right - x - gap, edge - layout.pad.min(layout.em(8)));
    let to_end = end - x - 2 * gap - layout.em(16);
    let next = reader.words();
    let behind = words::in_brackets(&words::behind(lag));
    // Where there is no room for both, the position is what the mark is about; the lag has its line.
    let offers = [(next.clone(), behind), (next, String::new())];
    for (name, lag_words) in offers {
        let width = Face::Small.width(&name, font) + Face::Small.width(&lag_words, font);
        let within = lag > 0 && width <= to_end;
        if within || width <= after.max(before) {
            // With a lag the left side comes first: there its line is in nobody's way.
            let right = within || (width <= after && (lag <= 0 || width > before));
            let line = lag > 0 && (within || !right);
            return Words { name, lag: lag_words, width, right, line };
        }
    }
    let right = after >= before;
    let room = if right { after } else { before };
    let name = Face::Small.fit(&reader.shown, room, font).unwrap_or_default();
    let width = Face::Small.width(&name, font);
    Words { name, lag: String::new(), width, right, line: lag > 0 && !right }
}

/// Name and lag as one line of text, so that they keep their distance in every font.
fn line_of(says: Words, (x, edge): (i32, i32), gap: i32, baseline: i32) -> Node {
    let (class, x) = if says.right { ("", x + gap) } else { ("hw-end", edge) };
    let mut parts = vec![Node::Text(says.name.into())];
    if !says.lag.is_empty() {
        parts.push(tree("<tspan class='hw-sub'>{}</tspan>", vec![says.lag.into()]));
    }
    text(class, x, baseline, parts.into())
}

/// The triangle of a position: up to its cell, or to the side on which it is.
fn triangle(layout: &Layout, x: i32, y: i32, towards: i64) -> Node {
    let (long, half) = (layout.em(9), layout.em(6));
    let path = if towards == 0 {
        path("M# #l# #h-#z", &[x, y - long / 2, half, long, 2 * half])
    } else {
        let long = if towards < 0 { long } else { -long };
        path("M# #l# -#v#z", &[x - long / 2, y, long, half, 2 * half])
    };
    line("hw-position", path)
}

/// A pin: what is left of it is done with, as far as the group has said.
fn pin_at(layout: &Layout, x: i32, y: i32) -> Node {
    let (stem, head) = (layout.em(7), layout.em(4));
    let stem = path("M# #V#", &[x, y - stem, y + stem]);
    let (top, radius) = (y - layout.em(6), head);
    tree(
        "<g class='hw-pin'><path d='{}'/><circle cx='{}' cy='{}' r='{}'/></g>",
        vec![stem.into(), x.into(), top.into(), radius.into()],
    )
}

/// The gap to the end, with a stop at the end.
fn lag_line(layout: &Layout, from: i32, end: i32, y: i32) -> Node {
    let tick = layout.em(4);
    line("hw-lag", path("M# #H#m0 -#v#", &[from, y, end, tick, 2 * tick]))
}
