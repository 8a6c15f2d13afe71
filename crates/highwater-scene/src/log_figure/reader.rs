//! A reader under the strip: its position, its name, and how far it is behind the end.

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
        let lag = lane.end - reader.next;
        let layout = self.layout.clone();
        let em = |sixteenths: i32| layout.em(sixteenths);
        let middle = |slot: i64| layout.slot(slot) + layout.cell / 2;
        let slot = strip.window.slot_of(reader.next);
        // A position that is out of sight stands at the edge and points to where it is.
        let x = match slot {
            Some(slot) => middle(slot),
            None if reader.next < strip.window.from => layout.left + em(6),
            None => layout.right - em(6),
        };
        let end = strip.window.slot_of(lane.end).map_or(layout.right, middle);
        let says = arrange(&layout, reader, lag, x, end);
        let label = words::reader_label(&reader.name, lane.partition, reader.next, lag);
        let (from, to) = if says.right {
            (x - em(12), x + em(12).max(em(10) + says.width))
        } else {
            (x - em(10) - says.width, x + em(12))
        };
        let rect = Rect {
            x: from.max(0),
            y: row,
            width: to.min(layout.width) - from.max(0),
            height: layout.row(),
        };
        let baseline = row + em(17);
        let what = What::Reader { name: reader.name.clone(), partition: lane.partition };
        let mut parts = Vec::new();
        let middle = row + em(12);
        if says.line {
            let start = if says.right { x + em(14) + says.width } else { x + em(10) };
            parts.push(lag_line(&layout, start, end, middle));
        }
        let towards = if slot.is_some() { 0 } else { (reader.next - strip.window.from).signum() };
        parts.push(triangle(&layout, x, middle, towards));
        parts.push(line_of(says, x, em(10), baseline));
        self.button("hw-reader".into(), Hit { what, rect, label }, false, parts)
    }
}

/// Finds the side of the mark, and the words, that fit.
fn arrange(layout: &Layout, reader: &Reader, lag: i64, x: i32, end: i32) -> Words {
    let font = layout.font;
    let gap = layout.em(10);
    let (after, before) = (layout.right - x - gap, x - gap - layout.pad.min(layout.em(8)));
    let to_end = end - x - 2 * gap - layout.em(16);
    let next = words::reader_next(&reader.name, reader.next);
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
    let name = Face::Small.fit(&reader.name, room, font).unwrap_or_default();
    let width = Face::Small.width(&name, font);
    Words { name, lag: String::new(), width, right, line: lag > 0 && !right }
}

/// Name and lag as one line of text, so that they keep their distance in every font.
fn line_of(says: Words, x: i32, gap: i32, baseline: i32) -> Node {
    let (class, x) = if says.right { ("", x + gap) } else { ("hw-end", x - gap) };
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

/// The gap to the end, with a stop at the end.
fn lag_line(layout: &Layout, from: i32, end: i32, y: i32) -> Node {
    let tick = layout.em(4);
    line("hw-lag", path("M# #H#m0 -#v#", &[from, y, end, tick, 2 * tick]))
}
