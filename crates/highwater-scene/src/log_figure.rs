//! The log figure: a topic's partitions as lanes of cells, with what readers have read.
//!
//! It is laid out for a given width and font. Only cells that are seen are in the tree, so that it
//! costs the same however many records a topic holds.

use std::ops::Range;
use std::rc::Rc;

use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::snapshot::{PartitionView, Snapshot};

pub use crate::layout::Rect;

use crate::digits::{int, number};
use crate::hit::{self, tab_stop};
use crate::keys::{Keys, Mark};
use crate::lanes::{Lane, Placed, lanes, learn, window};
use crate::layout::{Layout, Window};
use crate::measure::Face;
use crate::node::Node;
use crate::shapes;
use crate::template::{Hole, tree};
use crate::words;

mod cell;
mod lane;
mod reader;
mod table;
#[cfg(test)]
mod tests;

/// A place in the figure: a partition and an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CellId {
    /// The partition's number.
    pub partition: i32,
    /// The offset.
    pub offset: i64,
}

impl CellId {
    /// As it stands in the attribute `data-cell`: `0:2`.
    #[must_use]
    pub fn text(self) -> String {
        [&int(self.partition.into()), ":", &int(self.offset)].concat()
    }

    /// Reads what [`CellId::text`] has written.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (partition, offset) = text.split_once(':')?;
        Some(Self { partition: number(partition)?, offset: number(offset)? })
    }
}

/// Records that the last step has appended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fresh {
    /// The partition's number.
    pub partition: i32,
    /// Their offsets.
    pub offsets: Range<i64>,
}

/// What events have appended to a topic.
#[must_use]
pub fn fresh(topic: &str, events: &[Rc<Event>]) -> Vec<Fresh> {
    let mut appended = Vec::new();
    for event in events {
        if let EventKind::BatchAppended { partition, base_offset, count, .. } = &event.kind
            && partition.topic.as_str() == topic
        {
            let offsets = base_offset.0..base_offset.plus(*count).0;
            appended.push(Fresh { partition: partition.partition.0, offsets });
        }
    }
    appended
}

/// What to draw, and for which room.
#[derive(Clone, Debug)]
pub struct LogFigure<'a> {
    /// The moment.
    pub snapshot: &'a Snapshot,
    /// The topic's name.
    pub topic: &'a str,
    /// The width in px that there is.
    pub width: i32,
    /// The root font size in px.
    pub font: i32,
    /// Keys that have letters already.
    pub keys: Keys,
    /// The readers to show; `None` shows all that have a position in the topic.
    pub readers: Option<&'a [&'a str]>,
    /// The record that the reader has asked about.
    pub selected: Option<CellId>,
    /// What the last step has appended.
    pub fresh: &'a [Fresh],
    /// The cell that the keyboard is at; it gets a frame. `None`: the keyboard is elsewhere.
    pub focus: Option<CellId>,
    /// How many records the strips are moved back from the newest end.
    pub scroll: i64,
    /// Cells to make room for in each lane even while there are fewer.
    pub slots: i64,
    /// Whether the tide line is drawn even where readers see everything.
    pub tide: bool,
    /// Whether cells can be pressed; not in a page whose engine has not loaded.
    pub live: bool,
}

/// A drawn figure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The drawing: an `svg` of exactly `width` by `height`.
    pub svg: Node,
    /// The legend: `div.fig-legend`.
    pub legend: Node,
    /// The text twin: a `table`.
    pub table: Node,
    /// What can be pressed, from left to right and lane by lane.
    pub hits: Vec<Hit>,
    /// The width in px, that of the input.
    pub width: i32,
    /// The height in px.
    pub height: i32,
    /// The marks of the records that are shown, each as often as it is.
    pub marks: Vec<Mark>,
    /// The keys with their letters, the new ones too. Give them to the next figure.
    pub keys: Keys,
    /// The largest `scroll` that changes something.
    pub scroll_most: i64,
}

/// Something that can be pressed.
pub type Hit = hit::Hit<What>;

/// What can be pressed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A record. Attribute `data-cell="0:2"`.
    Cell(CellId),
    /// A reader. Attributes `data-reader`, `data-partition`.
    Reader {
        /// Its name.
        name: String,
        /// The partition's number.
        partition: i32,
    },
    /// The high watermark. Attributes `data-tide`: the partition's number.
    Tide(i32),
    /// Shows older records. Attribute `data-scroll="older"`.
    Older,
    /// Shows newer records. Attribute `data-scroll="newer"`.
    Newer,
}

impl What {
    /// What stands in `data-cell`, `data-scroll`, `data-reader`, `data-partition` and `data-tide`.
    fn attributes(&self) -> [Hole; 5] {
        let mut holes = [const { Hole::No }; 5];
        match self {
            Self::Cell(id) => holes[0] = id.text().into(),
            Self::Older => holes[1] = "older".into(),
            Self::Newer => holes[1] = "newer".into(),
            Self::Reader { name, partition } => {
                holes[2] = name.clone().into();
                holes[3] = (*partition).into();
            }
            Self::Tide(partition) => holes[4] = (*partition).into(),
        }
        holes
    }

    /// Its name among its siblings.
    fn key(&self) -> String {
        match self {
            Self::Cell(id) => id.text(),
            Self::Older => "older".to_owned(),
            Self::Newer => "newer".to_owned(),
            Self::Reader { name, .. } => ["reader ", name].concat(),
            Self::Tide(_) => "tide".to_owned(),
        }
    }
}

/// A lane with what is shown of it.
struct Strip {
    lane: Lane,
    window: Window,
    cells: Vec<Placed>,
}

/// A drawing in the making.
struct Canvas<'a> {
    figure: &'a LogFigure<'a>,
    layout: Layout,
    /// The cell that Tab reaches.
    stop: Option<CellId>,
    hits: Vec<Hit>,
}

impl<'a> LogFigure<'a> {
    /// The figure of a topic at a moment, in its simplest form.
    #[must_use]
    pub fn new(snapshot: &'a Snapshot, topic: &'a str, width: i32) -> Self {
        Self {
            snapshot,
            topic,
            width,
            font: 16,
            keys: Keys::default(),
            readers: None,
            selected: None,
            fresh: &[],
            focus: None,
            scroll: 0,
            slots: 4,
            tide: false,
            live: true,
        }
    }

    /// Draws it.
    #[must_use]
    pub fn scene(&self) -> Scene {
        let Some(topic) = self.snapshot.topic(self.topic) else { return self.nothing() };
        self.draw(lanes(self.snapshot, topic, self.readers), &topic.partitions)
    }

    fn draw(&self, lanes: Vec<Lane>, views: &[PartitionView]) -> Scene {
        // Nothing below 12 px, and nothing so large that not even one cell would fit.
        let font = self.font.clamp(16, 48);
        let layout = Layout::new(self.width.max(200), font, &lanes, self.slots);
        let mut keys = self.keys.clone();
        let strips = strips(lanes, views, &layout, self.scroll, &mut keys);
        let (mut hidden, mut scroll_most, mut marks) = (0, 0, Vec::new());
        for strip in &strips {
            hidden += strip.window.older + strip.window.newer;
            scroll_most = strip.lane.count().saturating_sub(layout.slots - 1).max(scroll_most);
            for record in &strip.cells {
                marks.push(record.mark);
            }
        }
        let mut canvas =
            Canvas { figure: self, layout, stop: self.tab_stop(&strips), hits: Vec::new() };
        let mut top = canvas.layout.em(6);
        let mut groups = Vec::new();
        for strip in &strips {
            let (group, bottom) = canvas.lane(strip, top);
            groups.push(group);
            top = bottom;
        }
        let height = top - canvas.layout.spare();
        let count = i64::try_from(strips.len()).unwrap_or(i64::MAX);
        let label = words::figure_label(self.topic, count);
        Scene {
            svg: svg(canvas.layout.width, height, label, groups),
            legend: keys.legend(&marks),
            marks,
            table: table::table(self, &strips, hidden),
            hits: canvas.hits,
            width: canvas.layout.width,
            height,
            keys,
            scroll_most,
        }
    }

    /// A figure of a topic that does not exist.
    fn nothing(&self) -> Scene {
        let (font, width) = (self.font.clamp(16, 48), self.width.max(200));
        let says = words::no_topic(self.topic);
        let (pad, height) = (font * 14 / 16, font * 4);
        let lines = Face::Small.wrap(&says, 2, width - 2 * pad, font);
        let mut text = Vec::new();
        let mut y = font * 2;
        for line in lines {
            text.push(shapes::text("hw-sub", pad, y, line.into()));
            y += font * 20 / 16;
        }
        Scene {
            svg: svg(width, height, says.clone(), text),
            legend: self.keys.legend(&[]),
            marks: Vec::new(),
            table: tree("<table><caption>{}</caption></table>", vec![says.into()]),
            hits: Vec::new(),
            width,
            height,
            keys: self.keys.clone(),
            scroll_most: 0,
        }
    }

    /// Where Tab leads: the cell that had the focus, else the first one.
    fn tab_stop(&self, strips: &[Strip]) -> Option<CellId> {
        let cells = strips
            .iter()
            .flat_map(|strip| strip.cells.iter().map(|record| strip.id(record.offset)));
        tab_stop(cells, self.focus.as_ref())
    }

    fn is_fresh(&self, id: CellId) -> bool {
        let covers =
            |fresh: &Fresh| fresh.partition == id.partition && fresh.offsets.contains(&id.offset);
        self.fresh.iter().any(covers)
    }
}

/// What is shown of each lane. New keys get letters in the order in which their records came.
fn strips(
    lanes: Vec<Lane>,
    views: &[PartitionView],
    layout: &Layout,
    scroll: i64,
    keys: &mut Keys,
) -> Vec<Strip> {
    let mut strips = Vec::with_capacity(lanes.len());
    for (lane, view) in lanes.into_iter().zip(views) {
        let shown = layout.window(&lane, scroll);
        let cells = window(view, shown.from, shown.to);
        strips.push(Strip { lane, window: shown, cells });
    }
    let mut all = Vec::new();
    for strip in &mut strips {
        all.extend(&mut strip.cells);
    }
    learn(&mut all, keys);
    strips
}

impl Strip {
    fn id(&self, offset: i64) -> CellId {
        CellId { partition: self.lane.partition, offset }
    }

    /// The readers whose next record is at this offset.
    fn readers_at(&self, offset: i64) -> Vec<String> {
        let mut here = Vec::new();
        for reader in &self.lane.readers {
            if reader.next == Some(offset) {
                here.push(reader.shown.clone());
            }
        }
        here
    }
}

fn svg(width: i32, height: i32, label: String, children: Vec<Node>) -> Node {
    tree(
        "<svg class='hw-log' width='{}' height='{}' role='group' aria-label='{}'>{}</svg>",
        vec![width.into(), height.into(), label.into(), children.into()],
    )
}
