//! The `recall` block: cards, each a line `Q:` and a line `A:`, both Markdown. What follows belongs to them until the
//! next of these lines.

use super::card::{Card, hash_of};
use crate::LessonError;
use crate::fence::Fence;
use crate::markdown::{Names, blocks, inline};

/// A side of a card under construction: its text and where that starts in the source.
struct Side<'a> {
    text: &'a str,
    at: usize,
}

/// Reads one `recall` block.
pub(crate) fn read_recall(fence: &Fence<'_>, names: &mut Names) -> Result<Vec<Card>, LessonError> {
    fence.attributes(&[])?;
    let source = fence.source;
    let mut cards: Vec<Card> = Vec::new();
    let mut question: Option<Side<'_>> = None;
    for (mark, side) in sides(fence)? {
        match (mark, question.take()) {
            ('Q', None) => question = Some(side),
            ('A', Some(front)) => {
                let card = Card {
                    hash: hash_of(front.text, side.text),
                    front: inline(source, front.text, front.at, names)?,
                    back: blocks(source, side.text, side.at, names)?,
                };
                if cards.iter().any(|other| other.front == card.front) {
                    let remedy = "take one out, or ask something else";
                    return Err(source.error(front.at, "this card is there twice", remedy));
                }
                cards.push(card);
            }
            ('Q', Some(front)) => {
                let remedy = "add a line `A: ...` after it";
                return Err(source.error(front.at, "this card has no answer", remedy));
            }
            (_, _) => {
                let remedy = "add a line `Q: ...` before it";
                return Err(source.error(side.at, "this answer has no question", remedy));
            }
        }
    }
    if let Some(front) = question {
        let remedy = "add a line `A: ...` after it";
        return Err(source.error(front.at, "this card has no answer", remedy));
    }
    if cards.is_empty() {
        let remedy = "write a line `Q: ...` and a line `A: ...`";
        return Err(source.error(fence.offset, "there is no card in this block", remedy));
    }
    Ok(cards)
}

/// The texts behind each `Q:` and `A:`.
fn sides<'a>(fence: &Fence<'a>) -> Result<Vec<(char, Side<'a>)>, LessonError> {
    let mut starts: Vec<(char, usize)> = Vec::new();
    let mut at = 0;
    for line in fence.body.split_inclusive('\n') {
        match line.get(..2) {
            Some("Q:") => starts.push(('Q', at)),
            Some("A:") => starts.push(('A', at)),
            _ if starts.is_empty() && !line.trim().is_empty() => {
                let remedy = "begin with `Q: `";
                let place = fence.body_offset + at;
                return Err(fence.source.error(place, "this belongs to no card", remedy));
            }
            _ => {}
        }
        at += line.len();
    }
    let ends = starts.iter().skip(1).map(|(_, at)| *at).chain([fence.body.len()]);
    let mut sides = Vec::with_capacity(starts.len());
    for ((mark, start), end) in starts.iter().zip(ends) {
        let text = &fence.body[start + 2..end];
        let blank = text.len() - text.trim_start().len();
        let at = fence.body_offset + start + 2 + blank;
        if text.trim().is_empty() {
            let place = fence.body_offset + start;
            let problem = "there is nothing on this side of the card";
            return Err(fence.source.error(place, problem, "write it after the colon"));
        }
        sides.push((*mark, Side { text: text.trim(), at }));
    }
    Ok(sides)
}
