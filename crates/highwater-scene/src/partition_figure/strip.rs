//! A replica's row: who holds it, its cells, the high watermark that it knows, where its log ends.

use super::{Canvas, Hit, Row, What, differs, says};
use crate::digits::int;
use crate::fill::path;
use crate::hit::target;
use crate::lanes::Placed;
use crate::layout::Rect;
use crate::measure::Face;
use crate::node::Node;
use crate::replicas::{Health, LogState};
use crate::shapes::{hatch, line, rounded, text};
use crate::template::tree;
use crate::words;

impl Canvas<'_> {
    /// The offsets, once for all rows, and the ways to those that are not shown.
    pub(super) fn offsets(&mut self) -> Node {
        let (ruler, window) = (&self.ruler, self.window);
        let y = ruler.em(17);
        let mut nodes = Vec::new();
        if !ruler.narrow {
            let x = ruler.left - ruler.em(12);
            nodes.push(text("hw-sub hw-end", x, y, says::offset().into()));
        }
        let last = if window.newer > 0 { window.to } else { window.to + 1 };
        for offset in window.from..last {
            let Some(slot) = window.slot_of(offset) else { continue };
            let x = ruler.slot(slot) + ruler.cell / 2;
            nodes.push(text("hw-offset hw-mid", x, y, int(offset).into()));
        }
        if window.older > 0 {
            nodes.push(self.more(true));
        }
        if window.newer > 0 {
            nodes.push(self.more(false));
        }
        tree("<g key='offsets'>{}</g>", vec![nodes.into()])
    }

    /// The way to offsets that are not shown, in a slot of the ruler.
    fn more(&mut self, older: bool) -> Node {
        let (ruler, window) = (&self.ruler, self.window);
        let shown = window.to - window.from + i64::from(window.older > 0);
        let (count, slot, what) = match older {
            true => (window.older, 0, What::Older),
            false => (window.newer, shown, What::Newer),
        };
        let words = if older { words::older(count).0 } else { words::newer(count).0 };
        let (x, height) = (ruler.slot(slot), ruler.head.max(24));
        let rect = Rect { x, y: 0, width: ruler.cell.max(24), height };
        let label = words::show_more(count, older, self.figure.partition);
        let shown = text("hw-next-label hw-mid", x + ruler.cell / 2, ruler.em(17), words.into());
        self.button("hw-more", Hit { what, rect, label }, false, vec![shown])
    }

    /// A replica. `leaders` tells what the leader has at each offset that is shown.
    pub(super) fn row(&mut self, row: &Row, leaders: &[(i64, u64)], top: i32) -> Node {
        let mut nodes = vec![self.name(row, top)];
        let cells = self.ruler.cells(top);
        let frame = self.frame(row, cells);
        nodes.extend(frame);
        for cell in &row.cells {
            let differs = differs(leaders, cell);
            nodes.push(self.cell(row, cell, differs, cells));
        }
        if let Some(log) = row.replica.log {
            nodes.extend(self.end(row, log, cells));
            nodes.extend(self.ends_before(log, cells));
        }
        nodes.extend(self.note(row, cells));
        let label = says::replica_label(self.figure.topic, self.figure.partition, &row.replica);
        tree(
            "<g role='group' aria-label='{}' key='{}'>{}</g>",
            vec![label.into(), row.replica.broker.into(), nodes.into()],
        )
    }

    /// Who holds it, and what it is to the partition.
    fn name(&mut self, row: &Row, top: i32) -> Node {
        let (ruler, replica) = (&self.ruler, &row.replica);
        let (em, cells) = (|sixteenths: i32| ruler.em(sixteenths), ruler.cells(top));
        let ill = says::health(row.health);
        let role = says::health_and_role(row.health, replica);
        let class = match () {
            () if !ill.is_empty() || !replica.in_isr => "hw-warn-label",
            () if replica.leads => "hw-tide-label",
            () => "hw-sub",
        };
        let name = says::broker(replica.broker);
        let wide = Face::Label.width(&name, ruler.font);
        let (x, y, at) = if ruler.narrow {
            (ruler.pad, top + em(15), (ruler.pad + wide + em(8), top + em(15)))
        } else {
            (ruler.pad, cells + em(14), (ruler.pad, cells + em(31)))
        };
        let room = if ruler.narrow { ruler.right } else { ruler.left } - at.0;
        let role = Face::Label.fit(&role, room, ruler.font).unwrap_or_default();
        let parts = vec![text("hw-label", x, y, name.into()), text(class, at.0, at.1, role.into())];
        let height = if ruler.narrow { em(24) } else { ruler.cell_height };
        let y = if ruler.narrow { top - em(2) } else { cells };
        let width =
            if ruler.narrow { ruler.width - 2 * ruler.pad } else { ruler.left - ruler.pad - em(6) };
        let rect = Rect { x, y, width, height: height.max(24) };
        let label = says::broker_label(replica.broker, row.health);
        self.button("", Hit { what: What::Broker(replica.broker), rect, label }, false, parts)
    }

    /// What is around the strip of a broker that is down.
    fn frame(&self, row: &Row, cells: i32) -> Option<Node> {
        let last = row.cells.last().filter(|_| row.health == Health::Down)?;
        let first = row.cells.first()?;
        let (ruler, window) = (&self.ruler, self.window);
        let (from, to) = (window.slot_of(first.offset)?, window.slot_of(last.offset)?);
        let em = |sixteenths: i32| ruler.em(sixteenths);
        let x = ruler.slot(from) - em(5);
        let width = ruler.slot(to) + ruler.cell + em(5) - x;
        let rect = Rect { x, y: cells - em(5), width, height: ruler.cell_height + em(10) };
        Some(rounded("hw-bar hw-broken", rect, em(6)))
    }

    /// A record.
    fn cell(&mut self, row: &Row, cell: &Placed, differs: bool, cells: i32) -> Node {
        let (ruler, replica) = (&self.ruler, &row.replica);
        let font = ruler.font;
        let slot = self.window.slot_of(cell.offset).unwrap_or(0);
        let rect =
            Rect { x: ruler.slot(slot), y: cells, width: ruler.cell, height: ruler.cell_height };
        let watermark = replica.log.and_then(|log| log.high_watermark);
        let beyond = watermark.is_some_and(|watermark| cell.offset >= watermark);
        let mut class = String::from("hw-cell");
        let chosen = self.figure.selected == Some((replica.broker, cell.offset));
        for (name, holds) in [
            (cell.mark.class(), !cell.mark.class().is_empty()),
            ("hw-beyond", beyond),
            ("hw-differs", differs),
            ("hw-chosen", chosen),
        ] {
            if holds {
                class.push(' ');
                class.push_str(name);
            }
        }
        let mut parts = vec![rounded("hw-box", rect, ruler.em(4))];
        if !replica.in_isr {
            parts.push(line("hw-hatch", hatch(rect, ruler.em(8))));
        }
        let letter = cell.mark.letter();
        let (middle, x) = (rect.y + rect.height / 2, rect.x + rect.width / 2);
        let half = Face::Label.width(&letter, font) / 2;
        if letter.is_empty() || ruler.em(20) + 2 * half > rect.width {
            parts.push(cell.mark.draw(x, middle, font));
        } else {
            parts.push(cell.mark.draw(x - half - ruler.em(2), middle, font));
            let letter_x = x - half + ruler.em(7);
            parts.push(text("hw-key-letter", letter_x, middle + ruler.em(5), letter.into()));
        }
        let key = cell.key.as_deref().map(words::shown);
        let value = cell.value.as_deref().map(words::shown);
        let label = says::cell_label(
            replica.broker,
            cell.offset,
            (key.as_deref(), value.as_deref()),
            match (beyond, replica.leads) {
                (false, _) => says::Beyond::No,
                (true, true) => says::Beyond::Leaders,
                (true, false) => says::Beyond::Own,
            },
            differs,
        );
        let what = What::Cell { broker: replica.broker, offset: cell.offset };
        let stop = self.stop == Some((replica.broker, cell.offset));
        let group = self.button("", Hit { what, rect, label }, stop, parts);
        tree("<g class='{}' key='{}'>{}</g>", vec![class.into(), cell.offset.into(), group.into()])
    }

    /// The next slot of the log, and the high watermark that the broker knows.
    fn end(&self, row: &Row, log: LogState, cells: i32) -> Vec<Node> {
        let (ruler, window) = (&self.ruler, self.window);
        let em = |sixteenths: i32| ruler.em(sixteenths);
        let mut nodes = Vec::new();
        let Some(high_watermark) = log.high_watermark else { return nodes };
        if let Some(slot) = window.slot_of(log.end) {
            let rect = Rect {
                x: ruler.slot(slot),
                y: cells,
                width: ruler.cell,
                height: ruler.cell_height,
            };
            nodes.push(rounded("hw-next", rect, em(4)));
        }
        let Some(slot) = window.slot_of(high_watermark) else { return nodes };
        let x = ruler.before_slot(slot);
        let low = cells + ruler.cell_height + em(5);
        nodes.push(line("hw-tide", path("M# #V#", &[x, cells - em(4), low])));
        let wave = [x - em(6), cells - em(5), em(3), em(4), em(6), em(6)];
        nodes.push(line("hw-tide-wave", path("M# #q# -# # 0t# 0", &wave)));
        if row.replica.leads {
            let see = words::readers_see(log.start, high_watermark);
            let both = words::tide_label(&see, high_watermark);
            let (before, after) = (x - ruler.pad, ruler.width - ruler.pad - x);
            let room = before.max(after) - em(4);
            let fits = Face::Label.width(&both, ruler.font) <= room;
            let shown = if fits {
                both
            } else {
                Face::Label.fit(&see, room, ruler.font).unwrap_or_default()
            };
            let (class, at) = if before > after {
                ("hw-tide-label hw-end", x + em(2))
            } else {
                ("hw-tide-label", x - em(2))
            };
            nodes.push(text(class, at, low + em(13), shown.into()));
        }
        nodes
    }

    /// Where a log ends that has nothing of what is shown.
    fn ends_before(&self, log: LogState, cells: i32) -> Option<Node> {
        let (ruler, is_before) = (&self.ruler, log.end < self.window.from);
        let says = says::ends_at(log.end);
        let says =
            is_before.then(|| Face::Small.fit(&says, ruler.right - ruler.left, ruler.font))??;
        Some(text("hw-sub", ruler.left, cells + ruler.em(21), says.into()))
    }

    /// How far it is behind, right of its strip.
    fn note(&self, row: &Row, cells: i32) -> Option<Node> {
        let replica = &row.replica;
        let behind = replica.behind.filter(|behind| *behind > 0)?;
        let ruler = &self.ruler;
        let says = says::behind_leader(behind);
        let wide = Face::Small.width(&says, ruler.font);
        if ruler.narrow {
            let y = cells + ruler.cell_height + ruler.em(17);
            let x = (ruler.width - ruler.pad - wide).max(ruler.pad);
            return Some(text("hw-sub", x, y, says.into()));
        }
        Some(text("hw-sub", ruler.right + ruler.em(10), cells + ruler.em(21), says.into()))
    }

    /// A group that can be pressed, or the picture of one.
    fn button(&mut self, class: &'static str, hit: Hit, stop: bool, parts: Vec<Node>) -> Node {
        let live = self.figure.live;
        let (mut broker, mut offset, mut scroll) = (None, None, None);
        match &hit.what {
            What::Cell { broker: of, offset: at } => (broker, offset) = (Some(*of), Some(*at)),
            What::Broker(of) => broker = Some(*of),
            What::Older => scroll = Some("older"),
            What::Newer => scroll = Some("newer"),
        }
        let group = tree(
            "<g class='{}' data-broker='{}' data-offset='{}' data-scroll='{}'><g aria-hidden='true'>{}</g>\
             {}</g>",
            vec![
                class.into(),
                broker.into(),
                offset.into(),
                scroll.into(),
                parts.into(),
                target(&hit, live, stop).into(),
            ],
        );
        if live {
            self.hits.push(hit);
        }
        group
    }
}
