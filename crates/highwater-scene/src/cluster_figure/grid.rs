//! Where the columns and rows of the cluster figure stand.

use crate::measure::Face;
use crate::words;

/// Narrower columns than this have their words above the bar instead of beside it.
const WIDE_COLUMN: i32 = 150;
/// In narrower columns than this there is room for a letter and a short note.
const ROOMY_COLUMN: i32 = 96;

/// The measures that all rows share.
#[derive(Clone, Debug)]
pub(super) struct Grid {
    pub(super) font: i32,
    pub(super) width: i32,
    /// Left edge of everything.
    pub(super) pad: i32,
    /// Left edge of the columns.
    left: i32,
    /// The height of the brokers' names.
    pub(super) head: i32,
    /// The height of a row.
    pub(super) row: i32,
    /// The width of a column.
    pub(super) cell: i32,
    /// The baseline of a partition's name, from its row's upper edge.
    pub(super) name: i32,
    /// Partitions have their names above their rows instead of left of them.
    above: bool,
    /// How much is said beside a bar.
    pub(super) words: Words,
}

/// How much is said of a replica, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Words {
    Beside,
    Above,
    Short,
}

/// Where a replica stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) x: i32,
    pub(super) top: i32,
    pub(super) height: i32,
}

impl Grid {
    /// The grid of so many brokers; `longest` is the largest number of a partition.
    pub(super) fn new(width: i32, font: i32, brokers: usize, longest: i32) -> Self {
        let font = font.clamp(16, 48);
        let width = width.max(200);
        let em = |sixteenths: i32| font * sixteenths / 16;
        let columns = i32::try_from(brokers.max(1)).unwrap_or(i32::MAX);
        let above = width < 40 * font;
        let pad = em(if above { 14 } else { 16 });
        let label = Face::Label.width(&words::partition(longest), font);
        let left = if above { pad } else { pad + label + em(20) };
        let cell = (width - pad - left) / columns;
        let say = match cell {
            cell if cell >= em(WIDE_COLUMN) => Words::Beside,
            cell if cell >= em(ROOMY_COLUMN) => Words::Above,
            _ => Words::Short,
        };
        let bar = em(if say == Words::Beside { 32 } else { 40 });
        let (row, name) = if above { (bar + em(18), em(13)) } else { (bar, em(21)) };
        Self { font, width, pad, left, head: em(42), row, cell, name, above, words: say }
    }

    /// So many sixteenths of the root font size, in px.
    pub(super) fn em(&self, sixteenths: i32) -> i32 {
        self.font * sixteenths / 16
    }

    /// The left edge of a column.
    pub(super) fn column(&self, index: usize) -> i32 {
        self.left + i32::try_from(index).unwrap_or(0).saturating_mul(self.cell)
    }

    /// The room for a partition's name.
    pub(super) fn name_room(&self) -> i32 {
        if self.above { self.width - 2 * self.pad } else { self.left - self.pad - self.em(6) }
    }

    pub(super) fn place(&self, column: usize, top: i32) -> Place {
        let down = if self.above { self.em(18) } else { 0 };
        Place { x: self.column(column), top: top + down, height: self.row - down }
    }
}
