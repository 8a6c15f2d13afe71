//! What can be pressed in a drawing: where it is, what it is called, and the target that hears it.

use crate::layout::Rect;
use crate::node::Node;
use crate::template::tree;

/// Something that can be pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit<W> {
    /// What it is.
    pub what: W,
    /// Where it is; at least 24 px each way.
    pub rect: Rect,
    /// What it is called, by ear.
    pub label: String,
}

/// Where Tab leads among what can be pressed: the place that had the focus, else the first one.
pub(crate) fn tab_stop<T: PartialEq>(
    mut all: impl Iterator<Item = T>,
    focus: Option<&T>,
) -> Option<T> {
    let first = all.next()?;
    match focus {
        Some(focus) if first != *focus => Some(all.find(|place| place == focus).unwrap_or(first)),
        _ => Some(first),
    }
}

/// The unseen target of a place: a button that Tab reaches at one place of a figure, or the picture of one while the
/// page is not live.
pub(crate) fn target<W>(hit: &Hit<W>, live: bool, stop: bool) -> Node {
    let Rect { x, y, width, height } = hit.rect;
    tree(
        "<rect class='hw-hit' x='{}' y='{}' width='{}' height='{}' role='{}' tabindex='{}' aria-label='{}'/>",
        vec![
            x.into(),
            y.into(),
            width.into(),
            height.into(),
            if live { "button" } else { "img" }.into(),
            live.then_some(if stop { "0" } else { "-1" }).into(),
            hit.label.clone().into(),
        ],
    )
}
