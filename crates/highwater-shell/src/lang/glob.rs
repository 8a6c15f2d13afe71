//! Patterns of file names: `*`, `?`, `[...]`.
//!
//! Decides whether a name fits a pattern, as bash's does in the locale C.UTF-8: a `?` and a set take
//! one character. A backslash takes its meaning from the next byte. Does not know which names exist.

/// Whether a whole name fits.
#[must_use]
pub fn fits(pattern: &[u8], name: &[u8]) -> bool {
    // A name that begins with a dot is hidden from what does not begin with one.
    if name.first() == Some(&b'.') && pattern.first() != Some(&b'.') {
        return false;
    }
    let (mut at, mut here) = (0, 0);
    // Where to go on when nothing fits: behind the last `*`, one byte of the name further.
    let mut again: Option<(usize, usize)> = None;
    while here < name.len() {
        if pattern.get(at) == Some(&b'*') {
            at += 1;
            again = Some((at, here));
            continue;
        }
        match one(&pattern[at..], &name[here..]) {
            Some((used, taken)) => {
                at += used;
                here += taken;
            }
            None => {
                let Some((behind, from)) = again else { return false };
                at = behind;
                here = from + 1;
                again = Some((behind, here));
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// What one element of a pattern takes: bytes of the pattern and of the name.
fn one(pattern: &[u8], name: &[u8]) -> Option<(usize, usize)> {
    let length = character_length(name);
    match *pattern.first()? {
        b'?' => Some((1, length)),
        b'[' => match set(pattern, &name[..length]) {
            Some((used, true)) => Some((used, length)),
            Some((_, false)) => None,
            None => (name.first() == Some(&b'[')).then_some((1, 1)),
        },
        b'\\' if pattern.len() > 1 => (pattern.get(1) == name.first()).then_some((2, 1)),
        byte => (name.first() == Some(&byte)).then_some((1, 1)),
    }
}

/// Bytes of the first character; one if it is no UTF-8.
fn character_length(bytes: &[u8]) -> usize {
    let first = bytes.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    first.map_or(1, char::len_utf8).min(bytes.len())
}

/// Reads `[...]`: its length and whether the character is in it; `None`: it is not closed.
fn set(pattern: &[u8], character: &[u8]) -> Option<(usize, bool)> {
    let mut at = 1;
    let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let first = at;
    let mut found = false;
    loop {
        if pattern.get(at)? == &b']' && at > first {
            return Some((at + 1, found != negated));
        }
        let (low, next) = member(pattern, at)?;
        at = next;
        let mut high = low;
        if pattern.get(at) == Some(&b'-') && pattern.get(at + 1).is_some_and(|byte| *byte != b']') {
            (high, at) = member(pattern, at + 1)?;
        }
        found |= low <= character && character <= high;
    }
}

/// One character of a set, and where the next one begins.
fn member(pattern: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let at = at + usize::from(pattern.get(at) == Some(&b'\\') && at + 1 < pattern.len());
    let rest = pattern.get(at..).filter(|rest| !rest.is_empty())?;
    let length = character_length(rest);
    Some((&rest[..length], at + length))
}

/// Whether a part of a path must be looked for: it has an element that is no plain character.
#[must_use]
pub fn is_pattern(part: &[u8]) -> bool {
    let mut bytes = part.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'*' | b'?' | b'[' => return true,
            _ => {}
        }
    }
    false
}

/// A part without its backslashes.
#[must_use]
pub fn plain(part: &[u8]) -> Vec<u8> {
    let mut plain = Vec::new();
    let mut bytes = part.iter();
    while let Some(byte) = bytes.next() {
        let byte = if *byte == b'\\' { bytes.next().unwrap_or(byte) } else { byte };
        plain.push(*byte);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// As bash's `[[ name == pattern ]]`, but for hidden names.
    #[test]
    fn patterns() {
        for (pattern, name, expected) in [
            ("*.log", "a.log", true),
            ("*.log", ".log", false),
            (".*", ".log", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "aXbY", false),
            ("?", "\u{fc}", true),
            ("??", "a", false),
            ("[a-c]1", "b1", true),
            ("[!a-c]1", "b1", false),
            ("[^a-c]1", "d1", true),
            ("[]a]", "]", true),
            ("[a", "[a", true),
            ("[a-]", "-", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("***", "", true),
            ("[\u{e0}-\u{fc}]", "\u{f6}", true),
        ] {
            assert_eq!(fits(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
        assert!(!fits(&b"*a".repeat(40), &b"a".repeat(39)));
        assert!(is_pattern(b"a*") && !is_pattern(b"a\\*") && plain(b"a\\*") == b"a*");
    }
}
