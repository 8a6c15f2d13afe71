//! A card: the picture that other sites and programs show beside a link to a page. A title in large letters, and
//! below or beside it a figure, as large as it can be.

use super::{Picture, style};
use crate::digits::int;
use crate::measure::Face;
use crate::node::{Node, Text};
use crate::template::tree;

/// The size that most programs show uncut.
pub const WIDTH: i32 = 1200;
/// Its height.
pub const HEIGHT: i32 = 630;

/// What is left free on all sides.
const PAD: i32 = 56;
/// Root font sizes of the line above the title, the title, and words in place of a figure.
const KICKER: i32 = 32;
const TITLE: i32 = 62;
const WORDS: i32 = 46;
/// The title is cut behind this line.
const TITLE_LINES: usize = 3;
/// The same of a title that stands beside a figure.
const SIDE_TITLE: i32 = 50;
const SIDE_LINES: usize = 8;
const WORDS_LINES: usize = 6;
/// The widths that a figure is tried at, in its own px: the one that lets it be largest is taken.
const WIDTHS: [i32; 8] = [420, 480, 540, 600, 680, 760, 860, 960];
/// The column of the title that stands beside a figure.
const COLUMN: i32 = 400;

/// A card.
#[derive(Clone, Debug)]
pub struct Card<'a> {
    /// What kind of page it is.
    pub kicker: &'a str,
    /// Its title.
    pub title: &'a str,
    /// What else is on it.
    pub body: Body<'a>,
}

/// What is on a card below its title.
#[derive(Clone, Debug)]
pub enum Body<'a> {
    /// A figure. Its width is chosen here.
    Figure(Picture<'a>),
    /// Some words.
    Words(&'a str),
}

/// A place on the card.
#[derive(Clone, Copy)]
struct Place {
    x: i32,
    y: i32,
    width: i32,
    height: i32,
}

impl Card<'_> {
    /// The card as an SVG that needs no page, in the light colours.
    #[must_use]
    pub fn svg(&self) -> Node {
        let sheet = style::PAGE.style(style::Theme::Light, 16);
        let below = self.heading(WIDTH - 2 * PAD, TITLE, TITLE_LINES);
        let free =
            |x: i32, y: i32| Place { x, y, width: WIDTH - PAD - x, height: HEIGHT - PAD / 2 - y };
        let (heading, body) = match &self.body {
            Body::Words(words) => {
                let place = free(PAD, below.bottom + WORDS / 2);
                let lines = Face::Small.wrap(words, WORDS_LINES, place.width, WORDS);
                let (lines, _) = written(&lines, "card-words", Face::Small, place.y, WORDS);
                (below, lines)
            }
            Body::Figure(picture) => {
                let beside = self.heading(COLUMN, SIDE_TITLE, SIDE_LINES);
                let under = free(PAD, below.bottom);
                let next_to = free(PAD + COLUMN + PAD / 2, 2 * PAD);
                let (one, other) = (best(picture, under), best(picture, next_to));
                let (scale, width, place, heading) = if other.0 > one.0 * 5 / 4 && !beside.is_cut {
                    (other.0, other.1, next_to, beside)
                } else {
                    (one.0, one.1, under, below)
                };
                let figure = Picture { width, ..picture.clone() }.svg(&sheet);
                (heading, vec![put(figure, place, scale)])
            }
        };
        tree(
            "<svg xmlns='http://www.w3.org/2000/svg' width='{}' height='{}' viewBox='{}'>\
             <style>{}</style><rect class='card-paper' width='{}' height='{}'/>{}{}{}</svg>",
            vec![
                WIDTH.into(),
                HEIGHT.into(),
                ["0 0 ", &int(WIDTH.into()), " ", &int(HEIGHT.into())].concat().into(),
                style::PAGE.resolved(STYLE).into(),
                WIDTH.into(),
                HEIGHT.into(),
                brand().into(),
                heading.lines.into(),
                body.into(),
            ],
        )
    }

    /// Kicker and title in a column of this width.
    fn heading(&self, width: i32, font: i32, most: usize) -> Heading {
        let lines = Face::Label.wrap(self.title, most, width, font);
        let whole = Face::Label.wrap(self.title, usize::MAX, width, font);
        let kicker = vec![self.kicker.to_owned()];
        let (mut nodes, top) =
            written(&kicker, "card-kicker", Face::Small, PAD - KICKER / 2, KICKER);
        let (title, bottom) = written(&lines, "card-title", Face::Label, top + font / 8, font);
        nodes.extend(title);
        Heading { lines: nodes, bottom: bottom + font / 4, is_cut: lines != whole }
    }
}

/// Kicker and title, and where they end.
struct Heading {
    lines: Vec<Node>,
    bottom: i32,
    is_cut: bool,
}

/// Rules of the card itself; the figure brings its own.
const STYLE: &str = ".card-paper{fill:var(--paper)}text{font-family:var(--sans)}\
    .card-kicker{fill:var(--soft)}.card-title{fill:var(--ink);font-weight:var(--weight-strong)}\
    .card-words{fill:var(--ink)}.card-tide{fill:none;stroke:var(--tide);stroke-width:2.4;stroke-linecap:round}\
    .card-log{fill:var(--ink)}";

/// Lines of text from `top` on, and where they end.
fn written(
    lines: &[String],
    class: &'static str,
    face: Face,
    top: i32,
    font: i32,
) -> (Vec<Node>, i32) {
    let size = face.size(font);
    let mut y = top;
    let mut nodes = Vec::new();
    for line in lines {
        y += size * 5 / 4;
        nodes.push(tree(
            "<text class='{}' x='{}' y='{}' font-size='{}'>{}</text>",
            vec![class.into(), PAD.into(), y.into(), size.into(), line.clone().into()],
        ));
    }
    (nodes, y)
}

/// The sign of the site, in the upper right corner.
fn brand() -> Node {
    let name = "Highwater";
    let size = Face::Small.size(KICKER);
    let x = WIDTH - PAD - Face::Label.width(name, KICKER);
    let y = PAD - KICKER / 2 + size * 5 / 4;
    let mark =
        ["translate(", &int((x - 52).into()), " ", &int((y - 30).into()), ") scale(1.6)"].concat();
    tree(
        "<g><g transform='{}'><path class='card-tide' d='M2 9q2.5-3.6 5 0t5 0 5 0 5 0'/>\
         <path class='card-log' d='M3 15h4.5v5H3zM9.75 15h4.5v5h-4.5zM16.5 15H21v5h-4.5z'/></g>\
         <text class='card-title' x='{}' y='{}' font-size='{}'>{}</text></g>",
        vec![mark.into(), x.into(), y.into(), size.into(), name.into()],
    )
}

/// The largest that a figure can be in this place, in thousandths of its own size, and its width then.
fn best(picture: &Picture<'_>, place: Place) -> (i32, i32) {
    let tried = WIDTHS.map(|width| {
        let height = size(&Picture { width, ..picture.clone() }.svg(""), "height").max(1);
        ((place.width * 1000 / width).min(place.height * 1000 / height), width)
    });
    tried.into_iter().max_by_key(|(scale, _)| *scale).unwrap_or((1000, WIDTHS[0]))
}

fn size(drawing: &Node, name: &str) -> i32 {
    let value = drawing.as_element().and_then(|element| element.get(name));
    value.and_then(|value| value.parse().ok()).unwrap_or(0)
}

/// A figure at its place; its `viewBox` scales it.
fn put(mut drawing: Node, place: Place, scale: i32) -> Node {
    let scaled = |name: &str| size(&drawing, name) * scale / 1000;
    let (width, height) = (scaled("width"), scaled("height"));
    if let Node::Element(element) = &mut drawing {
        element.attributes.retain(|(name, _)| !matches!(*name, "width" | "height" | "role"));
        // What is left of the height is shared out above and below.
        let y = place.y + (place.height - height) / 2;
        let x = place.x + (place.width - width) / 2;
        for (name, value) in [("x", x), ("y", y), ("width", width), ("height", height)] {
            element.attributes.push((name, Text::Owned(int(value.into()))));
        }
    }
    drawing
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::to_string;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Words stay on the card, and a title that is too long is cut with an ellipsis.
    #[test]
    fn words_stay_on_the_card() {
        let title =
            "A title that is much longer than anybody would give to a page of ours ".repeat(4);
        let words = "Words in place of a figure. ".repeat(40);
        let card = Card { kicker: "Challenge", title: &title, body: Body::Words(&words) };
        let svg = to_string(&card.svg());
        let ys = svg.split(" y=\"").skip(1).map(|rest| {
            rest.split('"').next().and_then(|y| y.parse::<i32>().ok()).expect("a number")
        });
        let lowest = ys.max().expect("there are lines");
        assert!(lowest > HEIGHT / 2 && lowest < HEIGHT - PAD / 2, "{lowest}");
        assert_eq!(svg.matches('\u{2026}').count(), 2, "{svg}");
        assert!(!svg.contains("var("), "{svg}");
    }
}
