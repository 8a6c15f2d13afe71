//! How wide is a text? An estimate that errs on the wide side, since no DOM is asked.
//!
//! The table holds the advance widths of DejaVu Sans, the widest sans-serif that systems use by
//! default; whatever fits by it fits in the others.

/// Advance widths of the characters from space to `~`, in hundredths of the font size.
const WIDTHS: [u8; 95] = [
    32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37, 32, 34, 64, 64, 64, 64, 64, 64, 64, 64,
    64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64, 58, 78, 76, 30, 30, 66, 56, 87, 75,
    79, 61, 79, 70, 64, 62, 74, 69, 99, 69, 62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36,
    64, 64, 28, 28, 58, 28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60, 53, 64, 34, 64, 84,
];
/// The ellipsis.
const ELLIPSIS: &str = "\u{2026}";

/// The kinds of text in a drawing, with the sizes that marks.css gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Face {
    /// A lane's name: small and strong.
    Label,
    /// Everything that has no size of its own.
    Small,
    /// A record's value.
    Value,
    /// Offsets and "next".
    Tiny,
}

impl Face {
    /// 32nds of the root font size, and per cent of the regular width.
    const fn numbers(self) -> (i32, i32) {
        match self {
            Self::Label => (27, 115),
            Self::Small => (27, 100),
            Self::Value => (26, 100),
            Self::Tiny => (24, 100),
        }
    }

    /// The font size in px.
    #[must_use]
    pub const fn size(self, font: i32) -> i32 {
        font * self.numbers().0 / 32
    }

    /// The width of a text in px, rounded up. `font` is the root font size in px.
    #[must_use]
    pub fn width(self, text: &str, font: i32) -> i32 {
        let (size, percent) = self.numbers();
        let mut hundredths = 0;
        for c in text.chars() {
            hundredths += advance(c);
        }
        // A long text in large letters leaves the range of an i32 on the way.
        let wide = i64::from(hundredths) * i64::from(size * percent) * i64::from(font);
        ((wide / 100 + 3_199) / 3_200) as i32
    }

    /// The text, cut with an ellipsis if it is wider than `room`. `None`: not even two letters fit.
    #[must_use]
    pub fn fit(self, text: &str, room: i32, font: i32) -> Option<String> {
        if self.width(text, font) <= room {
            return Some(text.to_owned());
        }
        let mut cut = String::new();
        for c in text.chars() {
            cut.push(c);
            if self.width(&[&cut, ELLIPSIS].concat(), font) > room {
                cut.pop();
                break;
            }
        }
        let cut = cut.trim_end();
        (cut.chars().count() >= 2).then(|| [cut, ELLIPSIS].concat())
    }

    /// The text in at most `lines` lines, broken between words, the last one cut where needed.
    #[must_use]
    pub fn wrap(self, text: &str, lines: usize, room: i32, font: i32) -> Vec<String> {
        let mut done: Vec<String> = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() && done.len() < lines {
            let last = done.len() + 1 == lines;
            let end = if last { rest.len() } else { self.break_at(rest, room, font) };
            // Not by index: what a panic would say of a wrong one takes room in the page.
            let (line, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
            match self.fit(line.trim_end(), room, font) {
                Some(line) => done.push(line),
                None => break,
            }
            rest = after.trim_start();
        }
        done
    }

    /// Where a line of this width ends: after as many words as fit, after one at least.
    fn break_at(self, text: &str, room: i32, font: i32) -> usize {
        let mut best = 0;
        for (end, byte) in text.bytes().chain([b' ']).enumerate() {
            if byte == b' ' {
                if best > 0 && self.width(text.get(..end).unwrap_or(text), font) > room {
                    break;
                }
                best = end;
            }
        }
        best
    }
}

fn advance(c: char) -> i32 {
    let code = u32::from(c);
    match code.checked_sub(32).and_then(|index| WIDTHS.get(index as usize)) {
        Some(width) => i32::from(*width),
        // Latin, Greek and Cyrillic letters are at most as wide as W; ideographs fill a square.
        None if code < 0x1100 => 99,
        None if code == 0x2026 || (0x3000..0xffdd).contains(&code) => 100,
        None if (0x2010..0x2040).contains(&code) => 64,
        None if code == 0x2212 => 84,
        None => 120,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Widths grow with the text and the font; 13 px of "collected" take 59 px in DejaVu Sans.
    #[test]
    fn widths() {
        assert_eq!(Face::Value.width("collected", 16), 60);
        assert_eq!(Face::Value.width("collected", 32), 119);
        assert_eq!(Face::Small.width("", 16), 0);
        assert!(Face::Label.width("partition 0", 16) > Face::Small.width("partition 0", 16));
    }

    /// What does not fit is cut; what cannot be cut sensibly is left out.
    #[test]
    fn fitting() {
        let fit = |text, room| Face::Value.fit(text, room, 16);
        assert_eq!(fit("dropped", 60).as_deref(), Some("dropped"));
        assert_eq!(fit("collected today", 60).as_deref(), Some("collect\u{2026}"));
        assert_eq!(fit("dropped", 20), None);
    }

    /// Lines break between words.
    #[test]
    fn wrapping() {
        let wrap = |text, room| Face::Value.wrap(text, 2, room, 16);
        assert_eq!(wrap("parcel collected", 61), ["parcel", "collected"]);
        assert_eq!(wrap("code sent", 200), ["code sent"]);
        assert_eq!(wrap("a door jammed again", 61), ["a door", "jamme\u{2026}"]);
        assert_eq!(wrap("x", 1), Vec::<String>::new());
    }
}
