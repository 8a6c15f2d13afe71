//! A picture to put anywhere: the log figures of some topics as one SVG that needs no page, with a heading,
//! legends and its own styles. [`style`] makes the styles of the page's own sheets.

use highwater_core::world::snapshot::Snapshot;

use crate::digits::int;
use crate::keys::Keys;
use crate::layout::Layout;
use crate::log_figure::{LogFigure, Scene};
use crate::measure::Face;
use crate::node::{Node, Text};
use crate::template::{Hole, tree};
use crate::{text, words};

pub mod style;

/// Records in a line of the text twin: as many as a narrow drawing shows, and some.
const TEXT_RECORDS: u32 = 8;

/// What to draw, and for which room.
#[derive(Clone, Debug)]
pub struct Picture<'a> {
    /// The moment.
    pub snapshot: &'a Snapshot,
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
        let pad = self.pad();
        let mut keys = self.keys.clone();
        let mut top = pad + Face::Label.size(self.font);
        let heading = words::picture_heading(self.snapshot.now);
        let mut parts = vec![words_at("hw-sub", pad, top, heading.clone())];
        for topic in self.topics {
            top += 2 * self.font;
            parts.push(words_at("hw-label", pad, top, (*topic).to_owned()));
            let figure = LogFigure {
                font: self.font,
                keys,
                live: false,
                ..LogFigure::new(self.snapshot, topic, self.width)
            };
            let scene = figure.scene();
            let height = scene.height;
            top += self.font / 2;
            let (legend, below) = self.legend(&scene, top + height + pad);
            keys = scene.keys;
            parts.push(placed(scene.svg, top));
            parts.push(legend);
            top = below;
        }
        if self.topics.is_empty() {
            top += 2 * self.font;
            parts.push(words_at("hw-sub", pad, top, words::no_topics().to_owned()));
        }
        self.sheet(top + pad, heading, style, parts)
    }

    /// The text twin: the same topics and moment, a line for each partition and reader.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = [&words::picture_heading(self.snapshot.now), "\n"].concat();
        for topic in self.topics {
            out.push_str(&["\n", topic, "\n"].concat());
            out.push_str(&text::render(self.snapshot, topic, &self.keys, TEXT_RECORDS));
        }
        if self.topics.is_empty() {
            out.push_str(&["\n", words::no_topics(), "\n"].concat());
        }
        out
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
    fn legend(&self, scene: &Scene, top: i32) -> (Node, i32) {
        let (font, pad) = (self.font, self.pad());
        let line = font * 24 / 16;
        let (mut x, mut y) = (pad, top);
        let mut items = Vec::new();
        for (mark, meaning) in scene.keys.meanings(&scene.marks) {
            let wide = font * 22 / 16 + Face::Small.width(&meaning, font);
            if x > pad && x + wide > self.width - pad {
                (x, y) = (pad, y + line);
            }
            let room = (self.width - pad - x - font * 22 / 16).max(font);
            let meaning = Face::Small.fit(&meaning, room, font).unwrap_or_default();
            let shape = mark.draw(x + font * 7 / 16, y - font * 5 / 16, font);
            let words = words_at("hw-sub", x + font * 22 / 16, y, meaning);
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

fn words_at(class: &'static str, x: i32, y: i32, says: String) -> Node {
    let holes: Vec<Hole> = vec![class.into(), x.into(), y.into(), says.into()];
    tree("<text class='{}' x='{}' y='{}'>{}</text>", holes)
}
