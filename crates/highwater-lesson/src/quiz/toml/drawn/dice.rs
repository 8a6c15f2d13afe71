//! What a name of a question can stand for, and how it is drawn: a seed has a name, so a draw can be asked for again.

use highwater_core::draw::{Purpose, draw_below, who};

use crate::LessonError;
use crate::quiz::fields::{Block, Value, number, text};

/// What a name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Drawn {
    Number(i64),
    Text(String),
}

/// What can be drawn.
pub(super) enum Source {
    /// One of these.
    OneOf(Vec<Drawn>),
    /// A text with numbers in it; a number alone is a number.
    Pattern(Vec<Part>),
}

pub(super) enum Part {
    Text(String),
    /// A number from here to there, both counted.
    Range(u32, u32),
}

const REMEDY: &str =
    "write a list as in `[3, 4, 6]`, or a text with a range in it as in `\"locker-{1..99}\"`";

impl Source {
    pub(super) fn read(
        block: &Block<'_, '_>,
        name: &str,
        value: Value<'_>,
    ) -> Result<Self, LessonError> {
        let at = value.span().start;
        if let Some(list) = value.get_ref().as_array() {
            let mut all: Vec<Drawn> = Vec::new();
            for one in list.iter() {
                let drawn = if one.get_ref().is_integer() {
                    Drawn::Number(i64::try_from(number(block, one, name)?).unwrap_or(i64::MAX))
                } else {
                    Drawn::Text(text(block, one, name)?.text)
                };
                if all.contains(&drawn) {
                    let problem = format!("`{name}` has this twice");
                    return Err(block.error(one.span().start, problem, "take one out"));
                }
                all.push(drawn);
            }
            if all.len() < 2 {
                let problem = format!("`{name}` has nothing to draw from");
                return Err(block.error(at, problem, "list two things or more"));
            }
            return Ok(Self::OneOf(all));
        }
        if value.get_ref().is_str() {
            let pattern = pattern(&text(block, value, name)?.text);
            let parts = pattern.map_err(|problem| block.error(at, problem, REMEDY))?;
            if !parts.iter().any(|part| matches!(part, Part::Range(..))) {
                let problem = format!("`{name}` is the same in every draw");
                return Err(block.error(at, problem, REMEDY));
            }
            return Ok(Self::Pattern(parts));
        }
        Err(block.error(at, format!("from this `{name}` cannot be drawn"), REMEDY))
    }

    /// What a seed gives to a name.
    pub(super) fn draw(&self, seed: &str, name: &str) -> Drawn {
        let below = |count: usize, bound: u32| {
            draw_below(who(seed), Purpose::Question, who(name), count as u64, bound)
        };
        match self {
            Self::OneOf(all) => {
                let bound = u32::try_from(all.len()).unwrap_or(u32::MAX);
                all[below(0, bound) as usize].clone()
            }
            Self::Pattern(parts) => {
                let number = |count, (from, to): (u32, u32)| from + below(count, to - from + 1);
                if let [Part::Range(from, to)] = parts[..] {
                    return Drawn::Number(number(0, (from, to)).into());
                }
                let part = |(count, part): (usize, &Part)| match part {
                    Part::Text(text) => text.clone(),
                    Part::Range(from, to) => number(count, (*from, *to)).to_string(),
                };
                Drawn::Text(parts.iter().enumerate().map(part).collect())
            }
        }
    }
}

/// The parts of `locker-{1..99}`.
fn pattern(text: &str) -> Result<Vec<Part>, String> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (range, behind) = after.split_once('}').ok_or("this range does not end")?;
        let ends = range
            .split_once("..")
            .and_then(|(from, to)| Some((from.parse::<u32>().ok()?, to.parse::<u32>().ok()?)));
        let (from, to) = ends
            .filter(|(from, to)| from < to && *to < u32::MAX)
            .ok_or_else(|| format!("`{{{range}}}` is no range of whole numbers"))?;
        if !before.is_empty() {
            parts.push(Part::Text(before.to_owned()));
        }
        parts.push(Part::Range(from, to));
        rest = behind;
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest.to_owned()));
    }
    Ok(parts)
}
