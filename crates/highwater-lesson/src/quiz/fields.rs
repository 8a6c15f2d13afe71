//! Tables of a `quiz` block: values with the place where they stand, and faults that say what to do.

use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::markdown::{Names, blocks, inline};
use crate::{LessonError, Source};

/// A value and where it stands in the block.
pub(crate) type Value<'t> = &'t Spanned<DeValue<'t>>;

/// A text of the author's.
#[derive(Clone, Debug)]
pub(crate) struct Words {
    pub(crate) text: String,
    /// In the block, with its quotes.
    pub(crate) span: Range<usize>,
}

/// The block that is read.
pub(crate) struct Block<'a, 'n> {
    pub(crate) source: Source<'a>,
    /// Where the body starts in the source.
    pub(crate) base: usize,
    pub(crate) names: &'n mut Names,
}

impl Block<'_, '_> {
    pub(crate) fn error(
        &self,
        at: usize,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LessonError {
        self.source.error(self.base + at, problem, remedy)
    }

    /// Markdown of a sentence or two, as HTML.
    pub(crate) fn inline(&mut self, words: &Words) -> Result<String, LessonError> {
        self.render(words, inline)
    }

    /// Markdown of paragraphs, lists and listings, as HTML.
    pub(crate) fn blocks(&mut self, words: &Words) -> Result<String, LessonError> {
        self.render(words, blocks)
    }

    fn render(
        &mut self,
        words: &Words,
        by: fn(Source<'_>, &str, usize, &mut Names) -> Result<String, LessonError>,
    ) -> Result<String, LessonError> {
        let Words { text, span } = words;
        let (from, to) = (self.base + span.start, self.base + span.end);
        let raw = self.source.text.get(from..to).unwrap_or_default();
        if let Some(at) = raw.find(text.as_str()) {
            return by(self.source, text, from + at, self.names);
        }
        // With escapes in it the text stands nowhere as it is: faults are told where it begins.
        let own = Source { file: self.source.file, text };
        by(own, text, 0, self.names).map_err(|mut error| {
            (error.line, error.column) = self.source.position(from);
            error
        })
    }
}

/// A table, perhaps a variant's over that of its question.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'t> {
    own: &'t DeTable<'t>,
    base: Option<&'t DeTable<'t>>,
    /// Where it stands in the block.
    pub(crate) at: usize,
    /// What it is, in words: `a MultipleChoice question`.
    pub(crate) what: &'t str,
}

impl<'t> Fields<'t> {
    pub(crate) fn new(own: &'t DeTable<'t>, at: usize, what: &'t str) -> Self {
        Self { own, base: None, at, what }
    }

    /// The same table over another one, whose values count where it has none.
    pub(crate) fn over(self, base: Self) -> Self {
        Self { base: Some(base.own), ..self }
    }

    /// Refuses fields that nobody knows.
    pub(crate) fn know(&self, block: &Block<'_, '_>, known: &[&str]) -> Result<(), LessonError> {
        for key in self.own.keys() {
            let name: &str = key.get_ref();
            if !known.contains(&name) {
                let problem = format!("{} has no field `{name}`", self.what);
                return Err(block.error(key.span().start, problem, suggestion(name, known)));
            }
        }
        Ok(())
    }

    /// The table itself.
    pub(crate) fn own(&self) -> &'t DeTable<'t> {
        self.own
    }

    /// All that is in the table itself.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&'t str, Value<'t>)> {
        self.own.iter().map(|(name, value)| (&**name.get_ref(), value))
    }

    pub(crate) fn get(&self, name: &str) -> Option<Value<'t>> {
        self.own.get(name).or_else(|| self.base?.get(name))
    }

    /// Where a field stands, or the table.
    pub(crate) fn place(&self, name: &str) -> usize {
        self.get(name).map_or(self.at, |value| value.span().start)
    }

    pub(crate) fn need(&self, block: &Block<'_, '_>, name: &str) -> Result<Value<'t>, LessonError> {
        self.get(name).ok_or_else(|| {
            let problem = format!("{} needs `{name}`", self.what);
            block.error(self.at, problem, format!("add `{name} = ...`"))
        })
    }

    /// A table in it, over that of the question.
    pub(crate) fn table(
        &self,
        block: &Block<'_, '_>,
        name: &str,
        what: &'t str,
    ) -> Result<Option<Self>, LessonError> {
        let own = self.own.get(name).map(|value| table(block, value, what)).transpose()?;
        let base = self.base.and_then(|base| base.get(name));
        let base = base.map(|value| table(block, value, what)).transpose()?;
        Ok(match (own, base) {
            (Some(own), Some(base)) => Some(own.over(base)),
            (own, base) => own.or(base),
        })
    }

    pub(crate) fn text(
        &self,
        block: &Block<'_, '_>,
        name: &str,
    ) -> Result<Option<Words>, LessonError> {
        self.get(name).map(|value| text(block, value, name)).transpose()
    }

    pub(crate) fn texts(
        &self,
        block: &Block<'_, '_>,
        name: &str,
    ) -> Result<Vec<Words>, LessonError> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        list(block, value, name)?.iter().map(|one| text(block, one, name)).collect()
    }

    pub(crate) fn flag(
        &self,
        block: &Block<'_, '_>,
        name: &str,
    ) -> Result<Option<bool>, LessonError> {
        let Some(value) = self.get(name) else { return Ok(None) };
        value.get_ref().as_bool().map(Some).ok_or_else(|| {
            let problem = format!("`{name}` is true or false, not {}", kind(value));
            block.error(value.span().start, problem, format!("write `{name} = true`"))
        })
    }

    pub(crate) fn number(
        &self,
        block: &Block<'_, '_>,
        name: &str,
    ) -> Result<Option<usize>, LessonError> {
        self.get(name).map(|value| number(block, value, name)).transpose()
    }
}

pub(crate) fn table<'t>(
    block: &Block<'_, '_>,
    value: Value<'t>,
    what: &'t str,
) -> Result<Fields<'t>, LessonError> {
    let at = value.span().start;
    value.get_ref().as_table().map(|own| Fields::new(own, at, what)).ok_or_else(|| {
        let problem = format!("{what} has fields of its own; this is {}", kind(value));
        block.error(at, problem, "write for example `prompt.prompt = \"...\"`")
    })
}

pub(crate) fn list<'t>(
    block: &Block<'_, '_>,
    value: Value<'t>,
    name: &str,
) -> Result<&'t [Spanned<DeValue<'t>>], LessonError> {
    value.get_ref().as_array().map(|array| &array[..]).ok_or_else(|| {
        let problem = format!("`{name}` is a list, not {}", kind(value));
        block.error(value.span().start, problem, "put it between `[` and `]`")
    })
}

pub(crate) fn text(
    block: &Block<'_, '_>,
    value: Value<'_>,
    name: &str,
) -> Result<Words, LessonError> {
    let found = value.get_ref().as_str().ok_or_else(|| {
        let problem = format!("`{name}` is a text, not {}", kind(value));
        block.error(value.span().start, problem, "put it between quotes")
    })?;
    if found.trim().is_empty() {
        let remedy = "write something, or take the field out";
        return Err(block.error(value.span().start, format!("`{name}` is empty"), remedy));
    }
    Ok(Words { text: found.to_owned(), span: value.span() })
}

pub(crate) fn number(
    block: &Block<'_, '_>,
    value: Value<'_>,
    name: &str,
) -> Result<usize, LessonError> {
    let digits = value.get_ref().as_integer().filter(|number| number.radix() == 10);
    digits.and_then(|digits| digits.as_str().parse().ok()).ok_or_else(|| {
        let problem = format!("`{name}` is a whole number from 0 on");
        block.error(value.span().start, problem, "write its digits without quotes")
    })
}

fn kind(value: Value<'_>) -> &'static str {
    match value.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// What somebody may have meant who wrote `name`.
pub(crate) fn suggestion(name: &str, known: &[&str]) -> String {
    let lower = name.to_lowercase();
    let near = |other: &&&str| distance(&lower, &other.to_lowercase());
    match known.iter().min_by_key(near) {
        Some(best) if near(&best) <= 1 + name.chars().count() / 3 => {
            format!("did you mean `{best}`?")
        }
        _ => format!("use {}", known.join(", ")),
    }
}

/// How many letters have to be changed, put in or left out.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (i, c) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, d) in other.iter().enumerate() {
            let kept = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = kept.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[other.len()]
}
