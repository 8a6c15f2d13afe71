//! How tools complain that read their options with argparse4j: their usage, then the complaint, broken
//! into lines.

use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::Ended;

/// Columns of a line of a complaint.
const WIDTH: usize = 75;

/// Says what is wrong, exit 1.
pub(crate) fn complain(name: &str, usage: &str, text: &str, out: &mut Out<'_>) -> Ended {
    let lines = justified(&[name, ": error: ", text].concat());
    out.print(Fd::Stderr, format_args!("{usage}{lines}"));
    Ended(1)
}

/// The text in lines of one width: all but the last are filled up with blanks between the words in
/// the middle. A line may also end after a hyphen.
fn justified(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for piece in pieces(text) {
        if !line.is_empty() && line.len() + piece.trim_end().len() >= WIDTH {
            lines.push_str(&filled(line.trim_end()));
            lines.push('\n');
            line.clear();
        }
        line.push_str(piece);
    }
    lines.push_str(line.trim_end());
    lines.push('\n');
    lines
}

/// A text cut where a line may end: after blanks, and after hyphens before a letter.
fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let ends = |at: &usize| {
            let next = bytes.get(*at).copied().unwrap_or(b' ');
            match bytes[*at - 1] {
                b' ' => next != b' ',
                b'-' => next.is_ascii_alphabetic(),
                _ => false,
            }
        };
        let end = (1..bytes.len()).find(ends).unwrap_or(bytes.len());
        let (piece, after) = rest.split_at(end);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

fn filled(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let gaps = words.len().saturating_sub(1);
    let missing = WIDTH.saturating_sub(line.len());
    if gaps == 0 || missing == 0 {
        return line.to_owned();
    }
    let (each, extra) = (missing / gaps, missing % gaps);
    let first = (gaps - extra).div_ceil(2);
    let mut text = String::new();
    for (number, word) in words.iter().enumerate() {
        if number > 0 {
            let is_wider = (first..first + extra).contains(&(number - 1));
            text.push_str(&" ".repeat(1 + each + usize::from(is_wider)));
        }
        text.push_str(word);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Complaints are broken and filled as real Kafka's were (recorded: perf-test.console).
    #[test]
    fn lines() {
        for (text, lines) in [
            (
                "kafka-producer-perf-test: error: At least one of --bootstrap-server, \
                 --command-property, --producer-props, --producer.config or --command-config must \
                 be specified.",
                "kafka-producer-perf-test: error: At  least  one  of  --bootstrap-server, --\n\
                 command-property, --producer-props,  --producer.config  or --command-config\n\
                 must be specified.\n",
            ),
            (
                "kafka-producer-perf-test: error: argument --payload-file: not allowed with \
                 argument --record-size",
                "kafka-producer-perf-test: error: argument --payload-file:  not allowed with\n\
                 argument --record-size\n",
            ),
            ("", "\n"),
            ("one", "one\n"),
        ] {
            assert_eq!(justified(text), lines);
        }
        assert_eq!(justified(&"x".repeat(200)).len(), 201);
    }
}
