//! Which topics an option like `--topic 'a.*'` means.
//!
//! Kafka takes it as a Java regular expression over whole names, with commas for `|`. A page about one
//! broker understands plain characters, `.`, `x*` and `|`.

use highwater_core::scope::{self, Lab};

use crate::regex::Regex;

/// A pattern over topic names.
#[derive(Debug)]
pub(crate) struct TopicPattern {
    /// What a page about one broker understands.
    alternatives: Vec<Vec<Atom>>,
    java: Lab<Regex>,
}

/// One character to match, and whether any number of it.
#[derive(Clone, Copy, Debug)]
struct Atom {
    /// `None`: any character.
    byte: Option<u8>,
    repeats: bool,
}

impl TopicPattern {
    /// Reads a pattern as `TopicFilter.IncludeList` does: quotes and blanks at the ends go.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut kept = text.trim().as_bytes().to_vec();
        kept.retain(|byte| *byte != b' ');
        let mut rest = kept.as_slice();
        while let [b'"' | b'\'', inner @ ..] | [inner @ .., b'"' | b'\''] = rest {
            rest = inner;
        }
        if scope::CLUSTER {
            // A comma is `|` before anything else.
            let text = String::from_utf8_lossy(rest).replace(',', "|");
            let regex = Regex::java(&text).map_err(|problem| problem.to_string())?;
            return Ok(Self { alternatives: Vec::new(), java: Lab::new(regex) });
        }
        let mut alternatives = vec![Vec::new()];
        while let Some((&byte, after)) = rest.split_first() {
            rest = after;
            if matches!(byte, b'|' | b',') {
                alternatives.push(Vec::new());
                continue;
            }
            let atom = match byte {
                b'.' => None,
                b'\\' => {
                    let (&escaped, after) =
                        rest.split_first().ok_or_else(|| not_understood('\\', text))?;
                    rest = after;
                    // A comma is `|` before anything else.
                    Some(if escaped == b',' { b'|' } else { escaped })
                }
                b'*' | b'[' | b']' | b'(' | b')' | b'+' | b'?' | b'{' | b'}' | b'^' | b'$' => {
                    return Err(not_understood(char::from(byte), text));
                }
                byte => Some(byte),
            };
            let repeats = rest.first() == Some(&b'*');
            rest = &rest[usize::from(repeats)..];
            if let Some(last) = alternatives.last_mut() {
                last.push(Atom { byte: atom, repeats });
            }
        }
        Ok(Self { alternatives, java: Lab::default() })
    }

    /// Whether the whole name fits.
    pub(crate) fn matches(&self, name: &str) -> bool {
        match self.java.get() {
            Some(regex) => regex.fits(name.as_bytes()),
            None => self.alternatives.iter().any(|atoms| matches(atoms, name.as_bytes())),
        }
    }
}

fn not_understood(character: char, pattern: &str) -> String {
    format!(
        "Highwater does not understand `{character}` in the topic pattern '{pattern}' yet: use a \
         name, `.`, `.*`, or several joined by `|`"
    )
}

/// Whether the atoms take all of the name: the set of places reached so far, moved atom by atom,
/// so that no pattern takes long.
fn matches(atoms: &[Atom], name: &[u8]) -> bool {
    let mut reached = vec![false; name.len() + 1];
    reached[0] = true;
    for atom in atoms {
        let fits = |byte: u8| atom.byte.is_none_or(|wanted| wanted == byte);
        let mut next = if atom.repeats { reached.clone() } else { vec![false; name.len() + 1] };
        for (place, &byte) in name.iter().enumerate() {
            let from_here = if atom.repeats { next[place] } else { reached[place] };
            if from_here && fits(byte) {
                next[place + 1] = true;
            }
        }
        reached = next;
    }
    reached[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Whole names are matched, as Java's `matches` does.
    #[test]
    fn patterns() {
        for (pattern, name, fits) in [
            ("orders", "orders", true),
            ("orders", "orders2", false),
            ("a.*", "audit", true),
            ("a.*", "parcel", false),
            (".*t.*", "audit", true),
            ("x|audit", "audit", true),
            ("x,audit", "audit", true),
            ("a\\.b", "axb", false),
            ("a.b", "axb", true),
            ("ab*c", "ac", true),
            ("ab*c", "abbbc", true),
            (".*.*.*.*.*.*.*.*z", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false),
        ] {
            assert_eq!(
                TopicPattern::parse(pattern).unwrap().matches(name),
                fits,
                "{pattern} {name}"
            );
        }
        assert!(TopicPattern::parse("c[cd]").unwrap().matches("cd"));
    }
}
