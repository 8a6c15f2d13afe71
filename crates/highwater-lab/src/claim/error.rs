//! What is wrong with a claim, for its author: where, what, and what to do.

use std::fmt;

/// What is wrong with an expression, or with what it asks at a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimError {
    /// Where in the expression: so many bytes from its beginning.
    pub at: usize,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl ClaimError {
    pub(super) fn new(at: usize, what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { at, what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for ClaimError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at {}: {}; {}", self.at, self.what, self.remedy)
    }
}

impl std::error::Error for ClaimError {}

/// What is wrong with something else that an author wrote: a moment, a law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub remedy: String,
}

impl Mistake {
    pub(crate) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: remedy.into() }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; {}", self.what, self.remedy)
    }
}

impl std::error::Error for Mistake {}

/// The known name that is most like what was written, if one is like it at all.
pub(crate) fn nearest<'a>(
    written: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    let allowed = 1 + written.chars().count() / 4;
    for name in known {
        let begins = written.len() >= 3 && name.starts_with(written);
        let distance = if begins { 1 } else { distance(written, name) };
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// What to do about an unknown name.
pub(super) fn choose(written: &str, known: &[&str]) -> String {
    let all = || highwater_core::number::join(known, ", ");
    match nearest(written, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? There is {}", all()),
        None => format!("there is {}", all()),
    }
}

/// How many characters must be put in, taken out or changed to make one of the other. Two that changed places
/// count as one.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    for (row, a) in one.iter().enumerate() {
        let mut next = vec![row + 1];
        for (column, b) in other.iter().enumerate() {
            let changed = last[column] + usize::from(a != b);
            let mut least = changed.min(last[column + 1] + 1).min(next[column] + 1);
            if row > 0 && column > 0 && *a == other[column - 1] && one[row - 1] == *b {
                least = least.min(before[column - 1] + 1);
            }
            next.push(least);
        }
        before = std::mem::replace(&mut last, next);
    }
    last.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest};

    #[test]
    fn a_typing_error_finds_its_name() {
        let known = ["leader", "replicas", "isr", "hw", "epoch"];
        for (written, expected) in [
            ("leadr", Some("leader")),
            ("laeder", Some("leader")),
            ("replica", Some("replicas")),
            ("irs", Some("isr")),
            ("rep", Some("replicas")),
            ("offset", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), expected, "{written}");
        }
        assert_eq!(
            [distance("", "abc"), distance("ab", "ba"), distance("kitten", "sitting")],
            [3, 1, 3]
        );
    }
}
