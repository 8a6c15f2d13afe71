//! Where things stand: plain numbers from the width, the font and how much there is to show.
//! Nothing is scaled afterwards, so that text keeps its size at every width.

use crate::digits::int;
use crate::lanes::Lane;
use crate::measure::Face;
use crate::words;

/// Widths below this many root font sizes are narrow; the style sheet changes at the same width.
const NARROW_BELOW: i32 = 30;
/// Widths below this many cannot spare a margin.
const TIGHT_BELOW: i32 = 16;
/// More lanes than this stand closer together.
const ROOMY_LANES: usize = 4;

/// A rectangle in px.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    /// Its left edge.
    pub x: i32,
    /// Its upper edge.
    pub y: i32,
    /// Its width.
    pub width: i32,
    /// Its height.
    pub height: i32,
}

/// Where a cell has its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValuePlace {
    /// Right of the key's mark.
    Beside,
    /// Under the key's mark.
    Below,
    /// Nowhere: there is no room.
    Nowhere,
}

/// The measures that all lanes share.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// The root font size.
    pub(crate) font: i32,
    /// The width of the drawing.
    pub(crate) width: i32,
    /// Labels stand above the strips instead of left of them.
    pub(crate) narrow: bool,
    /// Left edge of everything.
    pub(crate) pad: i32,
    /// Left edge of the strips.
    pub(crate) left: i32,
    /// Right edge of the strips.
    pub(crate) right: i32,
    /// The width of a cell.
    pub(crate) cell: i32,
    /// The height of a cell.
    pub(crate) cell_height: i32,
    /// Where the value stands.
    pub(crate) value: ValuePlace,
    /// How many cells fit side by side.
    pub(crate) slots: i64,
    gap: i32,
    lane_gap: i32,
}

/// The slice of a lane that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The first offset shown.
    pub(crate) from: i64,
    /// The offset after the last one shown.
    pub(crate) to: i64,
    /// Records before those shown; their button takes the first slot if there are any.
    pub(crate) older: i64,
    /// Records after those shown; their button stands where else the next slot is.
    pub(crate) newer: i64,
}

/// Where the parts of one lane stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneBox {
    /// The baseline of the lane's name.
    pub(crate) label: i32,
    /// The baseline of the offsets.
    pub(crate) offsets: i32,
    /// The upper edge of the cells.
    pub(crate) cells: i32,
    /// The line under the strip.
    pub(crate) rule: i32,
    /// The upper edge of the first row below it.
    pub(crate) rows: i32,
    /// Where the next lane begins.
    pub(crate) bottom: i32,
}

impl Layout {
    /// Lays out lanes of this content. `slots` is the number of cells to plan for even while there
    /// are fewer, so that nothing moves when records come.
    pub(crate) fn new(width: i32, font: i32, lanes: &[Lane], slots: i64) -> Self {
        let em = |sixteenths: i32| font * sixteenths / 16;
        let narrow = width < NARROW_BELOW * font;
        let tight = width < TIGHT_BELOW * font;
        let pad = em(match narrow {
            _ if tight => 6,
            true => 14,
            false => 16,
        });
        let (mut label, mut digits, mut longest) = (0, 0, 0);
        for lane in lanes {
            label = Face::Label.width(&words::partition(lane.partition), font).max(label);
            digits = Face::Tiny.width(&int(lane.end), font).max(digits);
            longest = lane.count().max(longest);
        }
        let left = if narrow { pad } else { pad + label + em(14) };
        let right = width - pad;
        let gap = em(4);
        let room = (right - left).max(3);
        let wanted = i32::try_from((longest + 1).max(slots)).unwrap_or(i32::MAX);
        let most = em(if narrow { 62 } else { 104 });
        // Offsets stand side by side, so no cell is much narrower than the longest one.
        let least = digits + em(6) - gap;
        let fitting = (room + gap) / wanted - gap;
        let mut cell = if fitting >= em(38).max(least) {
            fitting.min(most)
        } else if (room + gap) / em(74) >= 8 {
            em(70).max(least)
        } else {
            em(46).max(least)
        };
        if (room + gap) / (cell + gap) < 3 {
            cell = (room + gap) / 3 - gap;
        }
        let value = match cell {
            _ if narrow => ValuePlace::Nowhere,
            cell if cell >= em(100) => ValuePlace::Beside,
            cell if cell >= em(66) => ValuePlace::Below,
            _ => ValuePlace::Nowhere,
        };
        let cell_height = em(match value {
            ValuePlace::Beside => 44,
            ValuePlace::Below => 60,
            ValuePlace::Nowhere if narrow => 36,
            ValuePlace::Nowhere => 40,
        });
        let lane_gap = em(match lanes.len() {
            _ if narrow => 10,
            count if count > ROOMY_LANES => 10,
            _ => 20,
        });
        let slots = i64::from((room + gap) / (cell + gap));
        Self {
            font,
            width,
            narrow,
            pad,
            left,
            right,
            cell,
            cell_height,
            value,
            slots,
            gap,
            lane_gap,
        }
    }

    /// So many sixteenths of the root font size, in px.
    #[inline(never)]
    pub(crate) fn em(&self, sixteenths: i32) -> i32 {
        self.font * sixteenths / 16
    }

    /// The left edge of a slot.
    #[inline(never)]
    pub(crate) fn slot(&self, index: i64) -> i32 {
        self.left + i32::try_from(index).unwrap_or(0) * (self.cell + self.gap)
    }

    /// The middle between a slot and the one before.
    pub(crate) fn before_slot(&self, index: i64) -> i32 {
        self.slot(index) - self.gap / 2
    }

    /// Which records of a lane are shown when the reader has gone back by `scroll` records.
    pub(crate) fn window(&self, lane: &Lane, scroll: i64) -> Window {
        Window::of(self.slots, (lane.start, lane.end), scroll)
    }

    /// Where the parts of a lane stand that begins at `top` and has so many rows under its strip.
    pub(crate) fn lane(&self, top: i32, rows: i32) -> LaneBox {
        let head = if self.narrow { self.em(17) } else { 0 };
        let offsets = top + head + self.em(12);
        let cells = offsets + self.em(5);
        let rule = cells + self.cell_height + self.em(5);
        let below = rule + rows * self.row();
        let label =
            if self.narrow { top + self.em(13) } else { cells + self.cell_height / 2 + self.em(5) };
        LaneBox { label, offsets, cells, rule, rows: rule, bottom: below + self.lane_gap }
    }

    /// The height of a row under a strip: what stands there can be pressed.
    pub(crate) fn row(&self) -> i32 {
        self.em(24).max(24)
    }

    /// The space under the last lane's bottom that is not needed.
    pub(crate) fn spare(&self) -> i32 {
        (self.lane_gap - self.em(6)).max(0)
    }
}

impl Window {
    /// Which of the offsets from `start` to `end` are shown in so many slots, `scroll` before the newest ones.
    pub(crate) fn of(slots: i64, (start, end): (i64, i64), scroll: i64) -> Self {
        let count = end - start;
        if count < slots {
            return Self { from: start, to: end, older: 0, newer: 0 };
        }
        // At the oldest end there is no button for older records, but one for newer.
        let scroll = scroll.clamp(0, count - (slots - 1));
        let to = end - scroll;
        let oldest = to - start < slots;
        let from = if oldest { start } else { to - (slots - 2) };
        Self { from, to, older: from - start, newer: scroll }
    }

    /// The slot of an offset that is shown, or of the next one.
    pub(crate) fn slot_of(&self, offset: i64) -> Option<i64> {
        let last = if self.newer > 0 { self.to - 1 } else { self.to };
        (self.from..=last).contains(&offset).then(|| offset - self.from + i64::from(self.older > 0))
    }
}
