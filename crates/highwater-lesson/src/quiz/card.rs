//! A recall card, and the file that takes cards to Anki.

use super::hash::Hash;

/// A card.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// What it is known by: a hash of both sides.
    pub hash: u64,
    /// The question, as HTML.
    pub front: String,
    /// The answer, as HTML.
    pub back: String,
}

/// The hash of a card with these words on it.
#[must_use]
pub fn hash_of(front: &str, back: &str) -> u64 {
    let mut hash = Hash::default();
    hash.text(front);
    hash.text(back);
    hash.end()
}

/// The cards as a text file that Anki imports. Its lines at the top are those of Anki's manual, "Text Files",
/// "File Headers"; the third column is the tags.
#[must_use]
pub fn to_anki(lesson: &str, cards: &[Card]) -> String {
    let mut out =
        "#separator:tab\n#html:true\n#columns:Front\tBack\tTags\n#tags column:3\n".to_owned();
    for card in cards {
        let row = [
            &field(&card.front),
            "\t",
            &field(&card.back),
            "\thighwater highwater::",
            lesson,
            "\n",
        ];
        out.push_str(&row.concat());
    }
    out
}

/// One field: in quotes, since a tab, a quote or a `#` may stand in it; on one line.
fn field(html: &str) -> String {
    let mut out = String::from("\"");
    for c in html.chars() {
        match c {
            '"' => out.push_str("\"\""),
            '\n' | '\r' | '\t' => out.push(' '),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
