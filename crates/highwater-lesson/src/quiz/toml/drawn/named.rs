//! Names in braces, and what they stand for in one draw.

use highwater_lab::claim::quote;

use super::dice::Drawn;
use crate::quiz::fields::suggestion;

/// What the names stand for.
#[derive(Clone, Debug, Default)]
pub(super) struct Named(pub(super) Vec<(String, Drawn)>);

/// A name that stands for nothing: where in the text, and which.
#[derive(Debug)]
pub(super) struct Unknown {
    pub(super) problem: String,
    pub(super) remedy: String,
}

impl Named {
    pub(super) fn get(&self, name: &str) -> Option<&Drawn> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, drawn)| drawn)
    }

    /// A text of the page with the values in it.
    pub(super) fn fill(&self, text: &str) -> Result<String, Unknown> {
        self.fill_by(text, |drawn| match drawn {
            Drawn::Number(number) => number.to_string(),
            Drawn::Text(text) => text.clone(),
        })
    }

    /// An expression with the values in it, as it writes them.
    pub(super) fn fill_expression(&self, text: &str) -> Result<String, Unknown> {
        self.fill_by(text, |drawn| match drawn {
            Drawn::Number(number) if *number < 0 => format!("({number})"),
            Drawn::Number(number) => number.to_string(),
            Drawn::Text(text) => quote(text),
        })
    }

    fn fill_by(&self, text: &str, write: impl Fn(&Drawn) -> String) -> Result<String, Unknown> {
        let (mut out, mut end) = (String::new(), 0);
        for (at, name) in names_in(text) {
            let drawn = self.get(name).ok_or_else(|| self.unknown(name))?;
            out.push_str(&text[end..at]);
            out.push_str(&write(drawn));
            end = at + name.len() + 2;
        }
        out.push_str(&text[end..]);
        Ok(out)
    }

    fn unknown(&self, name: &str) -> Unknown {
        let known: Vec<&str> = self.0.iter().map(|(known, _)| known.as_str()).collect();
        Unknown {
            problem: format!("nothing is drawn or computed that is called `{name}`"),
            remedy: suggestion(name, &known),
        }
    }

    /// In words: `key = "locker-7", partitions = 3`.
    pub(super) fn words(&self) -> String {
        let one = |(name, drawn): &(String, Drawn)| match drawn {
            Drawn::Number(number) => format!("{name} = {number}"),
            Drawn::Text(text) => format!("{name} = {}", quote(text)),
        };
        self.0.iter().map(one).collect::<Vec<_>>().join(", ")
    }
}

/// Whether somebody can be called so.
pub(super) fn is_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

/// The names in a text, each with the place of its brace. `${name}` is a shell's, and none of them.
pub(super) fn names_in(text: &str) -> Vec<(usize, &str)> {
    let mut all = Vec::new();
    for (at, _) in text.match_indices('{') {
        let name = text[at + 1..].split_once('}').map_or("", |(name, _)| name);
        if is_name(name) && !text[..at].ends_with('$') {
            all.push((at, name));
        }
    }
    all
}
