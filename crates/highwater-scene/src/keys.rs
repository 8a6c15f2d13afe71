//! The marks of keys: a letter that always comes with one shape and one colour class.
//!
//! Letters are given in the order in which keys first appear, or in an order that a figure has set
//! before, so that a letter does not change when another client places the records.

use highwater_core::ids::Bytes;

use crate::fill::path;
use crate::node::Node;
use crate::template::tree;
use crate::words;

/// The keys of a figure, in the order of their letters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keys {
    known: Vec<Bytes>,
}

/// How a key is marked. `None` stands for a record without key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(Option<usize>);

/// Shapes in the order of the letters; after four they come again, hollow and without a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A disc.
    Disc,
    /// A square.
    Square,
    /// A triangle.
    Triangle,
    /// A square on its tip.
    Diamond,
    /// A dash: there is no key.
    Dash,
}

const SHAPES: [Shape; 4] = [Shape::Disc, Shape::Square, Shape::Triangle, Shape::Diamond];
const CLASSES: [&str; 4] = ["hw-key-a", "hw-key-b", "hw-key-c", "hw-key-d"];

impl Keys {
    /// These keys have the letters A, B, C and so on.
    #[must_use]
    pub fn of(names: &[&str]) -> Self {
        Self { known: names.iter().map(|name| Bytes::from(name.as_bytes())).collect() }
    }

    /// The mark of a key; a key that is new gets the next letter.
    pub fn learn(&mut self, key: Option<&Bytes>) -> Mark {
        let Some(key) = key else { return Mark(None) };
        let found = self.known.iter().position(|known| known == key);
        Mark(Some(found.unwrap_or_else(|| {
            self.known.push(Bytes::clone(key));
            self.known.len() - 1
        })))
    }

    /// The mark of a key that has a letter.
    #[must_use]
    pub fn mark(&self, key: Option<&[u8]>) -> Option<Mark> {
        match key {
            None => Some(Mark(None)),
            Some(key) => self.known.iter().position(|known| **known == *key).map(Some).map(Mark),
        }
    }

    /// What each of these marks stands for, in the order of the letters, once each.
    #[must_use]
    pub fn meanings(&self, shown: &[Mark]) -> Vec<(Mark, String)> {
        let mut meanings = Vec::new();
        // A record without key comes last.
        for place in 0..=self.known.len() {
            let key = self.known.get(place);
            let mark = Mark(key.map(|_| place));
            if shown.contains(&mark) {
                let meaning = match key {
                    Some(key) => words::legend(&mark.letter(), &words::shown(key)),
                    None => words::no_key().to_owned(),
                };
                meanings.push((mark, meaning));
            }
        }
        meanings
    }

    /// The legend of these marks, in the order of the letters: `div.fig-legend` with an item each.
    #[must_use]
    pub fn legend(&self, shown: &[Mark]) -> Node {
        let mut items = Vec::new();
        for (mark, meaning) in self.meanings(shown) {
            items.push(tree(
                "<span class='fig-legend-item'><svg class='{}' viewBox='0 0 14 14' width='14' \
                 height='14' aria-hidden='true'>{}</svg>{}</span>",
                vec![mark.class().into(), mark.draw(7, 7, 16).into(), meaning.into()],
            ));
        }
        tree("<div class='fig-legend' key='legend'>{}</div>", vec![items.into()])
    }
}

impl Mark {
    /// The mark of a record without key.
    pub(crate) const NONE: Self = Self(None);

    /// A to Z, then AA, AB and so on; nothing without a key.
    #[must_use]
    pub fn letter(self) -> String {
        let mut letters = String::new();
        let mut rest = self.0.map_or(0, |place| place + 1);
        while rest > 0 {
            rest -= 1;
            letters.insert(0, char::from(b'A' + u8::try_from(rest % 26).unwrap_or(0)));
            rest /= 26;
        }
        letters
    }

    /// The class that carries the colours; empty for a neutral mark.
    #[must_use]
    pub fn class(self) -> &'static str {
        self.0.and_then(|place| CLASSES.get(place)).copied().unwrap_or_default()
    }

    /// The shape, and whether it is hollow.
    #[must_use]
    pub fn shape(self) -> (Shape, bool) {
        self.0.map_or((Shape::Dash, false), |place| (SHAPES[place % 4], place >= 4))
    }

    /// The shape around a point, for a root font size.
    #[must_use]
    pub fn draw(self, x: i32, y: i32, font: i32) -> Node {
        let (shape, hollow) = self.shape();
        let r = font * 5 / 16;
        let outer = outline(shape, x, y, r);
        if !hollow && shape == Shape::Disc {
            return tree(
                "<circle class='hw-mark' cx='{}' cy='{}' r='{}'/>",
                vec![x.into(), y.into(), (font * 11 / 32).into()],
            );
        }
        let (rule, hole) = if hollow {
            // The hole of a triangle sits lower, where it is wide.
            let y = y + i32::from(shape == Shape::Triangle);
            (Some("evenodd"), outline(shape, x, y, r / 2))
        } else {
            (None, String::new())
        };
        tree(
            "<path fill-rule='{}' d='{}' class='hw-mark'/>",
            vec![rule.into(), (outer + &hole).into()],
        )
    }
}

/// A closed path around (x, y); all shapes have about the same weight.
fn outline(shape: Shape, x: i32, y: i32, r: i32) -> String {
    match shape {
        Shape::Disc => {
            path("M# #m-# 0a# # 0 1 0 # 0a# # 0 1 0 -# 0z", &[x, y, r, r, r, 2 * r, r, r, 2 * r])
        }
        Shape::Square => path("M# #h#v#h-#z", &[x - r, y - r, 2 * r, 2 * r, 2 * r]),
        Shape::Triangle => path("M# #l# #h-#z", &[x, y - r - 1, r + 1, 2 * r + 1, 2 * (r + 1)]),
        Shape::Diamond => {
            let r = r + 1;
            path("M# #l# #l-# #l-# -#z", &[x, y - r, r, r, r, r, r, r])
        }
        Shape::Dash => path("M# #h#v2h-#z", &[x - r, y - 1, 2 * r, 2 * r]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Letters follow the order that was set; new keys come behind them; no key has no letter.
    #[test]
    fn letters() {
        let mut keys = Keys::of(&["locker-7", "locker-2"]);
        let mut learn = |key: &str| keys.learn(Some(&Bytes::from(key.as_bytes())));
        assert_eq!(learn("locker-9").letter(), "C");
        assert_eq!(learn("locker-2").letter(), "B");
        assert_eq!(learn("locker-2").class(), "hw-key-b");
        assert_eq!(learn("locker-4").shape(), (Shape::Diamond, false));
        let fifth = learn("locker-5");
        assert_eq!((fifth.letter().as_str(), fifth.class()), ("E", ""));
        assert_eq!(fifth.shape(), (Shape::Disc, true));
        let nothing = keys.learn(None);
        assert_eq!((nothing.letter().as_str(), nothing.class()), ("", ""));
        assert_eq!(Mark(Some(25)).letter(), "Z");
        assert_eq!(Mark(Some(26)).letter(), "AA");
        assert_eq!(Mark(Some(701)).letter(), "ZZ");
        assert_eq!(Mark(Some(702)).letter(), "AAA");
    }

    /// The legend names what is shown, once, in the order of the letters.
    #[test]
    fn legends() {
        let keys = Keys::of(&["locker-7", "locker-2", "locker-9"]);
        let mark = |key: &str| keys.mark(Some(key.as_bytes())).unwrap();
        let legend = keys.legend(&[mark("locker-9"), Mark(None), mark("locker-7"), Mark(None)]);
        assert_eq!(legend.text_content(), "A = locker-7C = locker-9no key");
        assert!(keys.mark(Some(b"other")).is_none());
    }
}
