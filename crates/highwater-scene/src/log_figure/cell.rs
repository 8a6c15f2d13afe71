//! A cell of the strip: a record, the next slot, or the way to records that are not shown.

use super::{Canvas, Hit, Rect, Strip, What};
use crate::digits::int;
use crate::keys::Mark;
use crate::lanes::Placed;
use crate::layout::{LaneBox, ValuePlace};
use crate::measure::Face;
use crate::node::{Element, Node, element, shape};
use crate::words;

/// A text at a point.
pub(super) fn text(
    class: &'static str,
    x: i32,
    y: i32,
    what: impl Into<crate::node::Text>,
) -> Node {
    shape("text", class, &[("x", x), ("y", y)]).text(what).into()
}

/// A box, rounded if there is a radius.
pub(super) fn rounded(class: &'static str, rect: Rect, radius: i32) -> Element {
    let Rect { x, y, width, height } = rect;
    let numbers = [("x", x), ("y", y), ("width", width), ("height", height), ("rx", radius)];
    shape("rect", class, if radius > 0 { &numbers } else { &numbers[..4] })
}

impl Canvas<'_> {
    /// A group that can be pressed, or the picture of one.
    pub(super) fn button(&mut self, class: &'static str, hit: Hit, stop: bool) -> Element {
        let group = element("g").class(class);
        let group = if self.figure.live {
            group.attr("role", "button").attr("tabindex", if stop { "0" } else { "-1" })
        } else {
            group.attr("role", "img")
        };
        let group = group.attr("aria-label", hit.label.clone());
        if self.figure.live {
            self.hits.push(hit);
        }
        group
    }

    fn cell_rect(&self, slot: i64, place: &LaneBox) -> Rect {
        let layout = &self.layout;
        let (x, y) = (layout.slot(slot), place.cells);
        Rect { x, y, width: layout.cell, height: layout.cell_height }
    }

    /// A record.
    pub(super) fn record(
        &mut self,
        strip: &Strip,
        place: &LaneBox,
        record: &Placed,
        mark: Mark,
    ) -> Node {
        let lane = &strip.lane;
        let id = strip.id(record.offset);
        let slot = strip.window.slot_of(record.offset).unwrap_or(0);
        let rect = self.cell_rect(slot, place);
        let readable = record.offset < lane.high_watermark;
        let key = record.key.as_deref().map(words::shown);
        let value = record.value.as_deref().map(words::shown);
        let mut label =
            words::cell_label(lane.partition, record.offset, key.as_deref(), value.as_deref());
        label.push_str(", ");
        label.push_str(words::readable(readable));
        let readers = strip.readers_at(record.offset);
        if !readers.is_empty() {
            label.push_str(", ");
            label.push_str(&words::read_next_by(&readers));
        }
        let top = place.offsets - self.layout.em(12);
        let whole = Rect { y: top, height: rect.y + rect.height - top, ..rect };
        let hit = Hit { what: What::Cell(id), rect: whole, label };
        let mut group = self.button("", hit, self.stop == Some(id));
        let mut classes = vec!["hw-cell", mark.class()];
        for (class, holds) in [
            ("hw-beyond", !readable),
            ("hw-new", self.figure.is_fresh(id)),
            ("hw-chosen", self.figure.selected == Some(id)),
        ] {
            if holds {
                classes.push(class);
            }
        }
        classes.retain(|class| !class.is_empty());
        group.attributes.insert(0, ("class", classes.join(" ").into()));
        let (font, radius) = (self.layout.font, self.layout.em(4));
        let offset =
            text("hw-offset hw-mid", rect.x + rect.width / 2, place.offsets, int(record.offset));
        let mut group = group
            .attr("data-cell", id.text())
            .key(id.text())
            .child(offset)
            .child(rounded("hw-box", rect, radius))
            .children(self.inside(rect, mark, value.as_deref(), font));
        if self.figure.focus == Some(id) {
            // Around the offset too: it is part of what the cell says. No neighbour is touched.
            let frame = Rect {
                x: whole.x - 2,
                y: whole.y - 2,
                width: whole.width + 4,
                height: whole.height + 4,
            };
            group = group.child(rounded("hw-cursor", frame, radius + 2));
        }
        group.into()
    }

    /// The key's mark and letter, and the value as far as there is room.
    fn inside(&self, rect: Rect, mark: Mark, value: Option<&str>, font: i32) -> Vec<Node> {
        let em = |sixteenths: i32| font * sixteenths / 16;
        let letter = mark.letter();
        let middle = match self.layout.value {
            ValuePlace::Below => rect.y + em(16),
            _ => rect.y + rect.height / 2,
        };
        let letter_end = em(21) + Face::Label.width(&letter, font);
        let alone = letter.is_empty() && self.layout.value == ValuePlace::Nowhere;
        if alone || letter_end + em(3) > rect.width {
            return vec![mark.draw(rect.x + rect.width / 2, middle, font).into()];
        }
        let mut nodes = vec![Node::from(mark.draw(rect.x + em(12), middle, font))];
        if !letter.is_empty() {
            nodes.push(text("hw-key-letter", rect.x + em(21), middle + em(5), letter));
        }
        let value = value.map_or_else(|| words::no_value().to_owned(), words::plain);
        let (x, room) = match self.layout.value {
            ValuePlace::Nowhere => return nodes,
            ValuePlace::Below => (em(6), rect.width - em(10)),
            ValuePlace::Beside => {
                let x = (letter_end + em(4)).max(em(36));
                (x, rect.width - x - em(4))
            }
        };
        let lines = Face::Value.wrap(&value, 2, room, font);
        let leading = em(15);
        let mut y = match self.layout.value {
            ValuePlace::Below => rect.y + em(37),
            _ if lines.len() == 2 => middle - em(3),
            _ => middle + em(5),
        };
        for line in lines {
            nodes.push(text("hw-value", rect.x + x, y, line));
            y += leading;
        }
        nodes
    }

    /// The slot where the next record goes.
    pub(super) fn next_slot(&self, strip: &Strip, place: &LaneBox) -> Node {
        let end = strip.lane.end;
        let slot = strip.window.slot_of(end).unwrap_or(0);
        let rect = self.cell_rect(slot, place);
        let middle = rect.x + rect.width / 2;
        let radius = self.layout.em(4);
        let mut group = element("g")
            .attr("aria-hidden", "true")
            .key("next".to_owned())
            .child(text("hw-offset hw-mid", middle, place.offsets, int(end)))
            .child(rounded("hw-next", rect, radius));
        if self.fits(words::next()) {
            let y = rect.y + rect.height / 2 + self.layout.em(4);
            group = group.child(text("hw-next-label hw-mid", middle, y, words::next()));
        }
        group.into()
    }

    /// The way to records that are not shown, in place of a cell.
    pub(super) fn more(&mut self, strip: &Strip, place: &LaneBox, older: bool) -> Node {
        let (count, slot, what, lines) = if older {
            let count = strip.window.older;
            (count, 0, What::Older, words::older(count))
        } else {
            let count = strip.window.newer;
            let slot = strip.window.to - strip.window.from + i64::from(strip.window.older > 0);
            (count, slot, What::Newer, words::newer(count))
        };
        let name = lines.1;
        let rect = self.cell_rect(slot, place);
        let label = words::show_more(count, older, strip.lane.partition);
        let mut group = self
            .button("hw-more", Hit { what, rect, label }, false)
            .attr("data-scroll", name)
            .key(name.to_owned())
            .child(rounded("hw-hit", rect, 0));
        let middle = rect.x + rect.width / 2;
        let two = self.fits(name);
        let mut y = rect.y + rect.height / 2 + self.layout.em(if two { -3 } else { 4 });
        for line in [&lines.0, name] {
            if self.fits(line) {
                group = group.child(text("hw-next-label hw-mid", middle, y, line.to_owned()));
                y += self.layout.em(14);
            }
        }
        group.into()
    }

    /// Whether a small word fits into a cell.
    fn fits(&self, word: &str) -> bool {
        Face::Tiny.width(word, self.layout.font) <= self.layout.cell
    }
}
