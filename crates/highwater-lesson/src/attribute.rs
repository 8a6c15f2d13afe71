//! The opening line of a fenced block: `figure id=parcels label="Three partitions"`.

use std::collections::BTreeMap;

use crate::html::is_name;
use crate::{LessonError, Source};

/// The attributes of one block, each with the offset of its value.
pub(crate) struct Attributes<'a> {
    source: Source<'a>,
    kind: &'a str,
    offset: usize,
    values: BTreeMap<&'a str, (usize, &'a str)>,
}

impl<'a> Attributes<'a> {
    /// Reads what follows the kind of the block; `offset` is where `text` starts in the source.
    pub(crate) fn read(
        source: Source<'a>,
        kind: &'a str,
        text: &'a str,
        offset: usize,
        known: &[&str],
    ) -> Result<Self, LessonError> {
        let mut values = BTreeMap::new();
        let mut rest = text;
        loop {
            let at = offset + text.len() - rest.trim_start().len();
            rest = rest.trim_start();
            if rest.is_empty() {
                break;
            }
            let Some((name, after)) = rest.split_once('=').filter(|(name, _)| is_name(name)) else {
                let remedy = format!("write `name=value` after `{kind}`, quoted if it has spaces");
                return Err(source.error(at, "this is no attribute", remedy));
            };
            if !known.contains(&name) {
                let problem = format!("a `{kind}` block has no attribute `{name}`");
                return Err(source.error(at, problem, format!("use {}", known.join(", "))));
            }
            let value_at = at + name.len() + 1;
            let (value, left) = read_value(&source, after, value_at)?;
            let value_at = value_at + usize::from(after.starts_with('"'));
            if values.insert(name, (value_at, value)).is_some() {
                return Err(source.error(at, format!("`{name}` is there twice"), "keep one"));
            }
            rest = left;
        }
        Ok(Self { source, kind, offset, values })
    }

    /// The value as it stands, or an error that asks for it.
    pub(crate) fn text(&self, name: &str) -> Result<&'a str, LessonError> {
        self.values.get(name).map(|(_, value)| *value).ok_or_else(|| {
            let kind = self.kind;
            let remedy = format!("add `{name}=...` to the opening line");
            self.source.error(self.offset, format!("this `{kind}` block has no `{name}`"), remedy)
        })
    }

    /// Whether it is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// The value as it stands, if the attribute is there.
    pub(crate) fn optional(&self, name: &str) -> Option<&'a str> {
        self.values.get(name).map(|(_, value)| *value)
    }

    /// A name: lower-case letters, digits and dashes.
    pub(crate) fn name(&self, name: &str) -> Result<&'a str, LessonError> {
        let value = self.text(name)?;
        if is_name(value) {
            return Ok(value);
        }
        let remedy = "use lower-case letters, digits and dashes";
        Err(self.source.error(self.at(name), format!("`{value}` cannot be a name"), remedy))
    }

    /// A name, if the attribute is there.
    pub(crate) fn optional_name(&self, name: &str) -> Result<Option<&'a str>, LessonError> {
        if self.has(name) { self.name(name).map(Some) } else { Ok(None) }
    }

    /// A whole number, if the attribute is there.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u32>, LessonError> {
        let Some((at, value)) = self.values.get(name) else { return Ok(None) };
        value.parse().map(Some).map_err(|_| {
            let remedy = format!("write for example `{name}=4`");
            self.source.error(*at, format!("`{name}` must be a whole number"), remedy)
        })
    }

    /// Where the value of `name` stands, or the block's opening line.
    pub(crate) fn at(&self, name: &str) -> usize {
        self.values.get(name).map_or(self.offset, |(at, _)| *at)
    }
}

/// Splits one value, quoted or not, from what follows it.
fn read_value<'a>(
    source: &Source<'_>,
    text: &'a str,
    at: usize,
) -> Result<(&'a str, &'a str), LessonError> {
    if let Some(quoted) = text.strip_prefix('"') {
        return quoted.split_once('"').ok_or_else(|| {
            source.error(at, "this quote never closes", "add `\"` at the end of the value")
        });
    }
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    if end == 0 {
        return Err(source.error(at, "this attribute has no value", "write `name=value`"));
    }
    Ok(text.split_at(end))
}
