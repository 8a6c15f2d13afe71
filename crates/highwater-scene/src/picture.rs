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

pub mod card;
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

/// The figure of one topic, and what its legend needs.
struct Drawn {
    svg: Node,
    height: i32,
    /// The room between the topic's name and the figure.
    gap: i32,
    marks: Vec<Mark>,
    keys: Keys,
}

impl Picture<'_> {
    /// The SVG; `style` is what [`style::Sheet`] has made.
    #[must_use]
    pub fn svg(&self, style: &str) -> Node {
        let mut top = self.pad() + Face::Label.size(self.font);
        let heading = words::picture_heading(self.snapshot.now);
        let mut parts = vec![text("hw-sub", self.pad(), top, heading.clone().into())];
        match self.view {
            View::Cluster => self.cluster(&mut top, &mut parts),
            View::Log | View::Partition(_) => self.strips(&mut top, &mut parts),
        }
        self.sheet(top + self.pad(), heading, style, parts)
    }

    /// A figure for each topic, with its legend. Letters of keys go on from one to the next.
    fn strips(&self, top: &mut i32, parts: &mut Vec<Node>) {
        let mut keys = self.keys.clone();
        for topic in self.topics {
            *top += 2 * self.font;
            parts.push(self.title(topic, *top));
            let Some(drawn) = self.drawn(topic, &keys) else {
                *top += 2 * self.font;
                let missing = self.missing().into();
                parts.push(text("hw-sub", self.pad(), *top, missing));
                continue;
            };
            *top += drawn.gap;
            let (legend, below) = self.legend(&drawn, *top + drawn.height + self.pad());
            keys = drawn.keys;
            parts.push(placed(drawn.svg, *top));
            parts.push(legend);
            *top = below;
        }
        if self.topics.is_empty() {
            *top += 2 * self.font;
            parts.push(text("hw-sub", self.pad(), *top, words::no_topics().into()));
        }
    }

    /// The figure of one topic; `None`: it has no such partition.
    fn drawn(&self, topic: &str, keys: &Keys) -> Option<Drawn> {
        if let View::Partition(number) = self.view {
            let figure = self.partition_figure(topic, number);
            let scene = PartitionFigure { keys: keys.clone(), ..figure }.scene()?;
            let (svg, height, marks, keys) = (scene.svg, scene.height, scene.marks, scene.keys);
            return Some(Drawn { svg, height, gap: 0, marks, keys });
        }
        let figure = LogFigure {
            font: self.font,
            keys: keys.clone(),
            live: false,
            ..LogFigure::new(self.snapshot, topic, self.width)
        };
        let scene = figure.scene();
        let (svg, height, marks, keys) = (scene.svg, scene.height, scene.marks, scene.keys);
        Some(Drawn { svg, height, gap: self.font / 2, marks, keys })
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
        if self.view == View::Cluster {
            return out + "\n" + &self.cluster_figure().text();
        }
        for topic in self.topics {
            let says = match self.view {
                View::Partition(number) => self.partition_figure(topic, number).text(TEXT_RECORDS),
                _ => Some(crate::text::render(self.snapshot, topic, &self.keys, TEXT_RECORDS)),
            };
            let says = says.unwrap_or_else(|| self.missing() + "\n");
            out.push_str(&["\n", topic, &self.suffix(), "\n", &says].concat());
        }
        if self.topics.is_empty() {
            out.push_str(&["\n", words::no_topics(), "\n"].concat());
        }
        out
    }

    /// What stands behind a topic's name: a partition's number as Kafka writes it.
    fn suffix(&self) -> String {
        match self.view {
            View::Partition(number) => ["-", &int(number.into())].concat(),
            View::Log | View::Cluster => String::new(),
        }
    }

    /// What is said where a topic has no such partition.
    fn missing(&self) -> String {
        match self.view {
            View::Partition(number) => words::no_partition(number),
            View::Log | View::Cluster => String::new(),
        }
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
    fn title(&self, topic: &str, top: i32) -> Node {
        let end = self.suffix();
        let room = self.width - 2 * self.pad() - Face::Label.width(&end, self.font);
        let name = Face::Label.fit(topic, room, self.font).unwrap_or_default();
        text("hw-label", self.pad(), top, [name, end].concat().into())
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
    fn legend(&self, drawn: &Drawn, top: i32) -> (Node, i32) {
        let (font, pad) = (self.font, self.pad());
        let line = font * 24 / 16;
        let (mut x, mut y) = (pad, top);
        let mut items = Vec::new();
        for (mark, meaning) in drawn.keys.meanings(&drawn.marks) {
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
