//! How bytes are written so that the shell reads them back as one argument.
//!
//! Decides the spelling a person would choose: bare if that is safe, else single quotes, else
//! double quotes where those are shorter, `$'...'` where something could not be seen otherwise.

/// Writes bytes as one argument: the shortest of the readable spellings, on one line.
///
/// What it gives is meant for an argument; as the first word of a command `for` or `a=1` would
/// mean something else. A NUL byte comes back here, but no argument of a real bash can hold one.
#[must_use]
pub fn quote(bytes: &[u8]) -> String {
    if let Some(text) = visible(bytes) {
        if is_bare(text) {
            return text.to_owned();
        }
        let single_quotes = text.matches('\'').count();
        let protected = text.matches(['\\', '"', '$', '`']).count();
        // Interactive bash expands `!` in double quotes.
        if single_quotes * 3 > protected && !text.as_bytes().contains(&b'!') {
            return surrounded(text, '"');
        }
        return surrounded(text, '\'');
    }
    ansi(bytes)
}

/// Writes bytes as one quoted word, never bare.
pub(super) fn quote_always(bytes: &[u8]) -> String {
    let quoted = quote(bytes);
    if quoted.starts_with(['\'', '"', '$']) {
        return quoted;
    }
    let mut text = String::with_capacity(quoted.len() + 2);
    text.push('\'');
    text.push_str(&quoted);
    text.push('\'');
    text
}

/// The text, if there is nothing in it that would not show.
fn visible(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let is_visible = |character: char| !character.is_control() && !is_invisible(character);
    text.chars().all(is_visible).then_some(text)
}

/// Blanks other than the space, marks of direction, joiners and the like.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{a0}' | '\u{ad}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}'
        | '\u{205f}'..='\u{206f}' | '\u{3000}' | '\u{feff}')
}

fn is_bare(text: &str) -> bool {
    let is_safe = |character: char| {
        character.is_ascii_alphanumeric()
            || !character.is_ascii()
            || "_-./:,+@%=".contains(character)
    };
    !text.is_empty() && text.chars().all(is_safe)
}

fn surrounded(text: &str, mark: char) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push(mark);
    for character in text.chars() {
        match (mark, character) {
            ('\'', '\'') => quoted.push_str("'\\'"),
            ('"', '\\' | '"' | '$' | '`') => quoted.push('\\'),
            _ => {}
        }
        quoted.push(character);
    }
    quoted.push(mark);
    quoted
}

fn ansi(bytes: &[u8]) -> String {
    let mut quoted = String::with_capacity(bytes.len() + 3);
    quoted.push_str("$'");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            ansi_character(character, &mut quoted);
        }
        for byte in chunk.invalid() {
            push_hex(*byte, &mut quoted);
        }
    }
    quoted.push('\'');
    quoted
}

fn ansi_character(character: char, quoted: &mut String) {
    match character {
        '\n' => quoted.push_str("\\n"),
        '\t' => quoted.push_str("\\t"),
        '\r' => quoted.push_str("\\r"),
        '\'' | '\\' => {
            quoted.push('\\');
            quoted.push(character);
        }
        _ if character.is_control() || is_invisible(character) => {
            for byte in character.encode_utf8(&mut [0; 4]).bytes() {
                push_hex(byte, quoted);
            }
        }
        _ => quoted.push(character),
    }
}

fn push_hex(byte: u8, quoted: &mut String) {
    quoted.push_str("\\x");
    for nibble in [byte >> 4, byte & 0xf] {
        quoted.extend(char::from_digit(u32::from(nibble), 16));
    }
}
