//! A cell of the strip: a record, the next slot, or the way to records that are not shown.

use super::{Canvas, Hit, Rect, Strip, What};
use crate::hit::target;
use crate::keys::Mark;
use crate::lanes::Placed;
use crate::layout::{LaneBox, ValuePlace};
use crate::measure::Face;
use crate::node::{Node, Text};
use crate::shapes::{rounded, text};
use crate::template::tree;
use crate::words;

impl Canvas<'_> {
    /// A group that can be pressed, or the picture of one.
    pub(super) fn button(&mut self, class: Text, hit: Hit, stop: bool, parts: Vec<Node>) -> Node {
        let live = self.figure.live;
        let [cell, scroll, reader, partition, tide] = hit.what.attributes();
        // What is seen is not read out a second time: the name says it all.
        let group = tree(
            "<g class='{}' data-cell='{}' data-scroll='{}' data-reader='{}' data-partition='{}' \
             data-tide='{}' key='{}'><g aria-hidden='true'>{}</g>{}</g>",
            vec![
                class.into(),
                cell,
                scroll,
                reader,
                partition,
                tide,
                hit.what.key().into(),
                parts.into(),
                target(&hit, live, stop).into(),
            ],
        );
        if live {
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
    pub(super) fn record(&mut self, strip: &Strip, place: &LaneBox, record: &Placed) -> Node {
        let (lane, mark) = (&strip.lane, record.mark);
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
        let mut class = String::from("hw-cell");
        for (name, holds) in [
            (mark.class(), !mark.class().is_empty()),
            ("hw-beyond", !readable),
            ("hw-new", self.figure.is_fresh(id)),
            ("hw-chosen", self.figure.selected == Some(id)),
        ] {
            if holds {
                class.push(' ');
                class.push_str(name);
            }
        }
        let radius = self.layout.em(4);
        let middle = rect.x + rect.width / 2;
        let mut parts = vec![
            text("hw-offset hw-mid", middle, place.offsets, record.offset.into()),
            rounded("hw-box", rect, radius),
        ];
        self.inside(rect, mark, value.as_deref(), &mut parts);
        self.button(class.into(), hit, self.stop == Some(id), parts)
    }

    /// The key's mark and letter, and the value as far as there is room.
    fn inside(&self, rect: Rect, mark: Mark, value: Option<&str>, parts: &mut Vec<Node>) {
        let font = self.layout.font;
        let em = |sixteenths: i32| font * sixteenths / 16;
        let letter = mark.letter();
        let middle = match self.layout.value {
            ValuePlace::Below => rect.y + em(16),
            _ => rect.y + rect.height / 2,
        };
        let letter_end = em(21) + Face::Label.width(&letter, font);
        let alone = letter.is_empty() && self.layout.value == ValuePlace::Nowhere;
        if alone || letter_end + em(3) > rect.width {
            return parts.push(mark.draw(rect.x + rect.width / 2, middle, font));
        }
        parts.push(mark.draw(rect.x + em(12), middle, font));
        if !letter.is_empty() {
            parts.push(text("hw-key-letter", rect.x + em(21), middle + em(5), letter.into()));
        }
        let value = value.map_or_else(|| words::no_value().to_owned(), words::plain);
        let (x, room) = match self.layout.value {
            ValuePlace::Nowhere => return,
            ValuePlace::Below => (em(5), rect.width - em(6)),
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
            parts.push(text("hw-value", rect.x + x, y, line.into()));
            y += leading;
        }
    }

    /// The slot where the next record goes.
    pub(super) fn next_slot(&self, strip: &Strip, place: &LaneBox) -> Node {
        let end = strip.lane.end;
        let slot = strip.window.slot_of(end).unwrap_or(0);
        let rect = self.cell_rect(slot, place);
        let middle = rect.x + rect.width / 2;
        let mut parts = vec![
            text("hw-offset hw-mid", middle, place.offsets, end.into()),
            rounded("hw-next", rect, self.layout.em(4)),
        ];
        if self.fits(words::next()) {
            let y = rect.y + rect.height / 2 + self.layout.em(4);
            parts.push(text("hw-next-label hw-mid", middle, y, words::next().into()));
        }
        tree("<g aria-hidden='true' key='next'>{}</g>", vec![parts.into()])
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
        let mut parts = Vec::new();
        let middle = rect.x + rect.width / 2;
        let two = self.fits(name);
        let mut y = rect.y + rect.height / 2 + self.layout.em(if two { -3 } else { 4 });
        for line in [&lines.0, name] {
            if self.fits(line) {
                parts.push(text("hw-next-label hw-mid", middle, y, line.to_owned().into()));
                y += self.layout.em(14);
            }
        }
        self.button("hw-more".into(), Hit { what, rect, label }, false, parts)
    }

    /// Whether a small word fits into a cell.
    fn fits(&self, word: &str) -> bool {
        Face::Tiny.width(word, self.layout.font) <= self.layout.cell
    }
}
