//! The shapes that all drawings are made of.

use crate::fill::path;
use crate::layout::Rect;
use crate::node::Node;
use crate::template::{Hole, tree};

/// A text at a point.
#[inline(never)]
pub(crate) fn text(class: &'static str, x: i32, y: i32, what: Hole) -> Node {
    let values = vec![class.into(), x.into(), y.into(), what];
    tree("<text class='{}' x='{}' y='{}'>{}</text>", values)
}

/// A line of any form, as path data.
#[inline(never)]
pub(crate) fn line(class: &'static str, path: String) -> Node {
    tree("<path class='{}' d='{}'/>", vec![class.into(), path.into()])
}

/// A box, rounded if there is a radius.
#[inline(never)]
pub(crate) fn rounded(class: &'static str, rect: Rect, radius: i32) -> Node {
    let Rect { x, y, width, height } = rect;
    let radius = (radius > 0).then_some(radius);
    tree(
        "<rect class='{}' x='{}' y='{}' width='{}' height='{}' rx='{}'/>",
        vec![class.into(), x.into(), y.into(), width.into(), height.into(), radius.into()],
    )
}

/// Slanted lines over a box, from edge to edge.
pub(crate) fn hatch(at: Rect, step: i32) -> String {
    let (mut lines, step) = (String::new(), step.max(3));
    let mut start = step / 2 - at.height;
    while start < at.width {
        // A line begins at the lower edge, or at the left one; it ends at the upper edge, or at the right one.
        let (from, to) = (start.max(0), (start + at.height).min(at.width));
        let (x, y) = (at.x + from, at.y + at.height - (from - start));
        lines.push_str(&path("M# #l# -#", &[x, y, to - from, to - from]));
        start += step;
    }
    lines
}
