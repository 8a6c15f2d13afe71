//! Pieces of a claim's text: names, numbers, texts, signs.

use super::error::ClaimError;

/// What a piece is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum What {
    Name(String),
    Number(i64),
    Text(String),
    /// A sign: `(`, `<=`, `+`.
    Sign(&'static str),
    End,
}

/// A piece, and where it begins.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) what: What,
}

/// The longer ones first.
const SIGNS: [&str; 17] =
    ["!=", "<=", ">=", "=", "<", ">", "+", "-", "*", "%", "(", ")", "[", "]", ",", ".", ":"];

/// Signs of other languages, and what they are here.
const FOREIGN: [(&str, &str); 6] = [
    ("==", "write `=`"),
    ("<>", "write `!=`"),
    ("&&", "write `and`"),
    ("||", "write `or`"),
    ("!", "write `not`"),
    ("/", "there is no division; multiply the other side"),
];

/// Cuts a text into pieces; the last one is its end.
pub(super) fn cut(text: &str) -> Result<Vec<Token>, ClaimError> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let Some(first) = rest.chars().next() else { break };
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (what, bytes) = one(rest, at)?;
        tokens.push(Token { at, what });
        at += bytes;
    }
    tokens.push(Token { at: text.len(), what: What::End });
    Ok(tokens)
}

/// The piece at the beginning, and how long it is.
fn one(rest: &str, at: usize) -> Result<(What, usize), ClaimError> {
    let first = rest.bytes().next().unwrap_or(0);
    let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let length = rest.bytes().take_while(|byte| is_name(byte)).count();
    if first.is_ascii_digit() {
        let digits = rest.get(..length).unwrap_or_default();
        let number = highwater_core::number::signed(digits).ok_or_else(|| {
            let what = format!("`{digits}` is no number");
            ClaimError::new(at, what, "write whole numbers in digits, below 2 to the power of 63")
        })?;
        return Ok((What::Number(number), length));
    }
    if length > 0 {
        return Ok((What::Name(rest.get(..length).unwrap_or_default().to_owned()), length));
    }
    if first == b'"' {
        return quoted(rest, at);
    }
    if let Some((sign, remedy)) = FOREIGN.iter().find(|(sign, _)| rest.starts_with(sign))
        && !rest.starts_with("!=")
    {
        return Err(ClaimError::new(at, format!("`{sign}` means nothing here"), *remedy));
    }
    match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => Ok((What::Sign(sign), sign.len())),
        None => {
            let sign = rest.chars().next().unwrap_or(' ');
            let remedy = if sign == '\'' || sign == '\u{201c}' {
                "put texts in \"straight double quotes\""
            } else {
                "take it out"
            };
            Err(ClaimError::new(at, format!("`{sign}` means nothing here"), remedy))
        }
    }
}

/// A text in double quotes. `\"`, `\\`, `\n` and `\t` stand for what they are elsewhere.
fn quoted(rest: &str, at: usize) -> Result<(What, usize), ClaimError> {
    let mut text = String::new();
    let mut chars = rest.char_indices().skip(1);
    while let Some((place, c)) = chars.next() {
        match c {
            '"' => return Ok((What::Text(text), place + 1)),
            '\\' => match chars.next() {
                Some((_, c @ ('"' | '\\'))) => text.push(c),
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                _ => {
                    let remedy = "there are \\\", \\\\, \\n and \\t; a backslash is \\\\";
                    return Err(ClaimError::new(at + place, "an unknown escape", remedy));
                }
            },
            c => text.push(c),
        }
    }
    Err(ClaimError::new(at, "this text does not end", "close it with \""))
}

/// A text as it is written in a claim.
#[must_use]
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
