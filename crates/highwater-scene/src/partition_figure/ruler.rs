//! Where the offsets and rows of a partition's replicas stand.

use crate::digits::int;
use crate::measure::Face;
use crate::words::replicas as says;

/// The measures that all rows share.
#[derive(Clone, Debug)]
pub(super) struct Ruler {
    pub(super) font: i32,
    pub(super) width: i32,
    /// Left edge of everything.
    pub(super) pad: i32,
    /// Left edge of the strips.
    pub(super) left: i32,
    /// Right edge of the strips.
    pub(super) right: i32,
    /// The height of the offsets above.
    pub(super) head: i32,
    /// The height of a row.
    pub(super) row: i32,
    /// The width and height of a cell.
    pub(super) cell: i32,
    pub(super) cell_height: i32,
    /// Names stand above the strips instead of left of them.
    pub(super) narrow: bool,
    /// How many cells fit side by side.
    pub(super) slots: i64,
    gap: i32,
}

impl Ruler {
    /// The ruler of a partition whose replicas have these roles, over these offsets.
    pub(super) fn new(width: i32, font: i32, roles: &[String], (low, high): (i64, i64)) -> Self {
        let font = font.clamp(16, 48);
        let width = width.max(200);
        let em = |sixteenths: i32| font * sixteenths / 16;
        let narrow = width < 40 * font;
        let pad = em(if narrow { 14 } else { 16 });
        let widest = roles.iter().map(|role| Face::Label.width(role, font)).max().unwrap_or(0);
        let name = Face::Label.width(&says::broker(100), font).max(widest);
        let note = Face::Small.width(&says::behind_leader(high - low), font);
        let (left, right) = if narrow {
            (pad, width - pad)
        } else {
            (pad + name + em(16), width - pad - note - em(10))
        };
        let gap = em(3);
        let room = (right - left).max(3);
        let wanted = i32::try_from(high - low + 1).unwrap_or(i32::MAX).max(1);
        let least = Face::Tiny.width(&int(high), font) + em(4);
        let most = em(if narrow { 52 } else { 66 });
        let cell = (room / wanted).saturating_sub(gap).clamp(em(40).max(least).min(most), most);
        // Three at least: a way to older ones, one record, the next slot.
        let cell = cell.min((room / 3 - gap).max(1));
        let slots = i64::from((room + gap) / (cell + gap));
        let (above, below) = (em(if narrow { 22 } else { 8 }), em(26));
        let cell_height = em(34);
        let row = above + cell_height + below;
        Self {
            font,
            width,
            pad,
            left,
            right,
            head: em(24),
            row,
            cell,
            cell_height,
            narrow,
            slots,
            gap,
        }
    }

    /// So many sixteenths of the root font size, in px.
    pub(super) fn em(&self, sixteenths: i32) -> i32 {
        self.font * sixteenths / 16
    }

    /// The left edge of a slot.
    pub(super) fn slot(&self, index: i64) -> i32 {
        self.left + i32::try_from(index).unwrap_or(0) * (self.cell + self.gap)
    }

    /// The middle between a slot and the one before.
    pub(super) fn before_slot(&self, index: i64) -> i32 {
        self.slot(index) - (self.gap + 1) / 2
    }

    /// The upper edge of a row's cells.
    pub(super) fn cells(&self, top: i32) -> i32 {
        top + self.em(if self.narrow { 22 } else { 8 })
    }
}
