//! A picture to put anywhere: the log figures of some topics as one SVG that needs no page, with a heading,
//! legends and its own styles. [`style`] makes the styles of the page's own sheets.

use highwater_core::world::snapshot::Snapshot;

use crate::cluster_figure::ClusterFigure;
use crate::digits::int;
use crate::keys::{Keys, Mark};
use crate::layout::Layout;
use crate::log_figure::LogFigure;
use crate::measure::Face;
use crate::node::{Node, Text};
use crate::partition_figure::PartitionFigure;
use crate::shapes::text;
use crate::template::tree;
use crate::words;

pub mod style;

/// Records in a line of the text twin: as many as a narrow drawing shows, and some.
const TEXT_RECORDS: u32 = 8;
/// Lines that the words under the matrix may take.
const LEGEND_LINES: usize = 8;

/// Which figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Each topic's partitions as strips of records.
    Log,
    /// Partitions and brokers, a bar for each replica.
    Cluster,
    /// The replicas of each topic's partition of this number, record by record.
    Partition(i32),
}

/// What to draw, and for which room.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The moment.
    pub snapshot: &'a Snapshot,
    /// Which figure of them.
    pub view: View,
    /// The topics, one below the other.
    pub topics: &'a [&'a str],
    /// The width in px.
    pub width: i32,
    /// The font size in px that all sizes follow.
    pub font: i32,
    /// Keys that have letters already.
    pub keys: Keys,
}

impl Picture<'_> {
    /// The SVG; `style` is what [`style::Sheet`] has made.
    #[must_use]
    pub fn svg(&self, style: &str) -> Node {
        let mut top = self.pad() + Face::Label.size(self.font);
        let heading = words::picture_heading(self.snapshot.now);
        let mut parts = vec![text("hw-sub", self.pad(), top, heading.clone().into())];
        match self.view {
            View::Log => self.logs(&mut top, &mut parts),
            View::Cluster => self.cluster(&mut top, &mut parts),
            View::Partition(number) => self.partition(number, &mut top, &mut parts),
        }
        self.sheet(top + self.pad(), heading, style, parts)
    }

    /// The figures of the topics, with their legends.
    fn logs(&self, top: &mut i32, parts: &mut Vec<Node>) {
        let pad = self.pad();
        let mut keys = self.keys.clone();
        for topic in self.topics {
            *top += 2 * self.font;
            parts.push(self.title(topic, "", *top));
            let figure = LogFigure {
                font: self.font,
                keys,
                live: false,
                ..LogFigure::new(self.snapshot, topic, self.width)
            };
            let scene = figure.scene();
            *top += self.font / 2;
            let shown = (&scene.keys, scene.marks.as_slice());
            let (legend, below) = self.legend(shown, *top + scene.height + pad);
            keys = scene.keys;
            parts.push(placed(scene.svg, *top));
            parts.push(legend);
            *top = below;
        }
        if self.topics.is_empty() {
            *top += 2 * self.font;
            parts.push(text("hw-sub", pad, *top, words::no_topics().into()));
        }
    }

    /// One partition of each topic, with its replicas.
    fn partition(&self, number: i32, top: &mut i32, parts: &mut Vec<Node>) {
        let mut keys = self.keys.clone();
        for topic in self.topics {
            *top += 2 * self.font;
            parts.push(self.title(topic, &["-", &int(number.into())].concat(), *top));
            let figure =
                PartitionFigure { keys: keys.clone(), ..self.partition_figure(topic, number) };
            let Some(scene) = figure.scene() else {
                *top += 2 * self.font;
                parts.push(text("hw-sub", self.pad(), *top, words::no_partition(number).into()));
                continue;
            };
            let shown = (&scene.keys, scene.marks.as_slice());
            let (legend, below) = self.legend(shown, *top + scene.height + self.pad());
            parts.push(placed(scene.svg, *top));
            parts.push(legend);
            keys = scene.keys;
            *top = below;
        }
    }

    /// The matrix of replicas, with what its marks mean.
    fn cluster(&self, top: &mut i32, parts: &mut Vec<Node>) {
        let figure = self.cluster_figure();
        let scene = figure.scene();
        *top += self.font / 2;
        parts.push(placed(scene.svg, *top));
        *top += scene.height;
        let room = self.width - 2 * self.pad();
        for line in Face::Small.wrap(scene.legend, LEGEND_LINES, room, self.font) {
            *top += self.font * 20 / 16;
            parts.push(text("hw-sub", self.pad(), *top, line.into()));
        }
    }

    fn cluster_figure(&self) -> ClusterFigure<'_> {
        ClusterFigure {
            font: self.font,
            live: false,
            ..ClusterFigure::new(self.snapshot, self.topics, self.width)
        }
    }

    /// The text twin: the same topics and moment, a line for each partition and reader.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = [&words::picture_heading(self.snapshot.now), "\n"].concat();
        match self.view {
            View::Log => {}
            View::Cluster => return out + "\n" + &self.cluster_figure().text(),
            View::Partition(number) => return out + &self.partition_text(number),
        }
        for topic in self.topics {
            out.push_str(&["\n", topic, "\n"].concat());
            out.push_str(&crate::text::render(self.snapshot, topic, &self.keys, TEXT_RECORDS));
        }
        if self.topics.is_empty() {
            out.push_str(&["\n", words::no_topics(), "\n"].concat());
        }
        out
    }

    fn partition_text(&self, number: i32) -> String {
        let mut out = String::new();
        for topic in self.topics {
            let name = words::partition_name(topic, number);
            let figure = self.partition_figure(topic, number);
            let says =
                figure.text(TEXT_RECORDS).unwrap_or_else(|| words::no_partition(number) + "\n");
            out.push_str(&["\n", &name, "\n", &says].concat());
        }
        if self.topics.is_empty() {
            out.push_str(&["\n", words::no_topics(), "\n"].concat());
        }
        out
    }

    fn partition_figure<'a>(&'a self, topic: &'a str, number: i32) -> PartitionFigure<'a> {
        PartitionFigure {
            font: self.font,
            keys: self.keys.clone(),
            live: false,
            ..PartitionFigure::new(self.snapshot, topic, number, self.width)
        }
    }

    /// A topic's name, cut where it is too long, and what belongs to it.
    fn title(&self, topic: &str, end: &str, top: i32) -> Node {
        let room = self.width - 2 * self.pad() - Face::Label.width(end, self.font);
        let name = Face::Label.fit(topic, room, self.font).unwrap_or_default();
        text("hw-label", self.pad(), top, [&name, end].concat().into())
    }

    /// What a log figure leaves free at the sides of a room that is not tight.
    fn pad(&self) -> i32 {
        Layout::new(self.width, self.font, &[], 0).pad
    }

    /// The outermost element. A height of its own keeps a page from jumping while the picture loads.
    fn sheet(&self, height: i32, title: String, style: &str, parts: Vec<Node>) -> Node {
        let width = self.width;
        let view = ["0 0 ", &int(width.into()), " ", &int(height.into())].concat();
        tree(
            "<svg xmlns='http://www.w3.org/2000/svg' class='hw-picture' width='{}' height='{}' viewBox='{}' \
             role='img'><title>{}</title><style>{}</style><rect class='hw-paper' width='{}' height='{}'/>\
             <g class='fig-draw'>{}</g></svg>",
            vec![
                width.into(),
                height.into(),
                view.into(),
                title.into(),
                style.to_owned().into(),
                width.into(),
                height.into(),
                parts.into(),
            ],
        )
    }

    /// The keys with their letters, in rows from `top` on, and where they end.
    fn legend(&self, (keys, marks): (&Keys, &[Mark]), top: i32) -> (Node, i32) {
        let (font, pad) = (self.font, self.pad());
        let line = font * 24 / 16;
        let (mut x, mut y) = (pad, top);
        let mut items = Vec::new();
        for (mark, meaning) in keys.meanings(marks) {
            let wide = font * 22 / 16 + Face::Small.width(&meaning, font);
            if x > pad && x + wide > self.width - pad {
                (x, y) = (pad, y + line);
            }
            let room = (self.width - pad - x - font * 22 / 16).max(font);
            let meaning = Face::Small.fit(&meaning, room, font).unwrap_or_default();
            let shape = mark.draw(x + font * 7 / 16, y - font * 5 / 16, font);
            let words = text("hw-sub", x + font * 22 / 16, y, meaning.into());
            items.push(tree(
                "<g class='{}'>{}{}</g>",
                vec![mark.class().into(), shape.into(), words.into()],
            ));
            x += wide + font;
        }
        let below = if items.is_empty() { top - pad } else { y };
        (tree("<g class='hw-legend'>{}</g>", vec![items.into()]), below)
    }
}

/// A drawing of its own, moved down.
fn placed(mut drawing: Node, top: i32) -> Node {
    if let Node::Element(element) = &mut drawing {
        element.attributes.push(("y", Text::Owned(int(top.into()))));
    }
    drawing
}
