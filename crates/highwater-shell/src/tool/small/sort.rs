//! `sort`: lines in the order of their bytes (the locale is C.UTF-8), of numbers, or of keys.

use std::cmp::Ordering;

use crate::process::Out;
use crate::tool::refuse;
use crate::tool::small::Started;
use crate::tool::small::getopt::{Known, quoted};
use crate::tool::small::lines::{Pieces, put};
use crate::tool::small::pump::{self, Filter, Flow};
use highwater_core::number;

const KNOWN: Known = Known {
    tool: "sort",
    short: "nrufbsk:t:",
    long: &[
        ("numeric-sort", b'n'),
        ("reverse", b'r'),
        ("unique", b'u'),
        ("ignore-case", b'f'),
        ("ignore-leading-blanks", b'b'),
        ("stable", b's'),
        ("key", b'k'),
        ("field-separator", b't'),
    ],
    status: 2,
};

/// How a key is compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct How {
    numeric: bool,
    reverse: bool,
    fold: bool,
    blanks: bool,
}

/// `-k F.C,F.C`. Fields and characters count from 1; an end of 0 is the end of the line.
#[derive(Clone, Copy, Debug)]
struct Key {
    start: (usize, usize),
    end: (usize, usize),
    how: Option<How>,
}

#[derive(Clone, Debug)]
struct Sort {
    how: How,
    keys: Vec<Key>,
    separator: Option<u8>,
    unique: bool,
    stable: bool,
    pieces: Pieces,
    lines: Vec<Vec<u8>>,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let given = KNOWN.read(arguments, out)?;
    let mut sort = Sort {
        how: How::default(),
        keys: Vec::new(),
        separator: None,
        unique: given.has(b'u'),
        stable: given.has(b's'),
        pieces: Pieces::default(),
        lines: Vec::new(),
    };
    for (letter, value) in &given.options {
        match letter {
            b'k' => sort
                .keys
                .push(key(value).map_err(|why| {
                    refuse(format_args!("sort: {why} {}", quoted(value)), 2, out)
                })?),
            b't' => {
                sort.separator = match value.as_slice() {
                    [byte] => Some(*byte),
                    b"\\0" => Some(0),
                    b"" => return Err(refuse(format_args!("sort: empty tab"), 2, out)),
                    more => {
                        let text = format_args!("sort: multi-character tab {}", quoted(more));
                        return Err(refuse(text, 2, out));
                    }
                };
            }
            letter => drop(sort.how.set(*letter)),
        }
    }
    pump::start("sort", Box::new(sort), &given.operands, out)
}

impl How {
    /// Takes one letter; whether it is one.
    fn set(&mut self, letter: u8) -> bool {
        match letter {
            b'n' => self.numeric = true,
            b'r' => self.reverse = true,
            b'f' => self.fold = true,
            b'b' => self.blanks = true,
            _ => return false,
        }
        true
    }

    fn compare(self, one: &[u8], other: &[u8]) -> Ordering {
        let order = if self.numeric {
            numbers(one, other)
        } else if self.fold {
            one.to_ascii_uppercase().cmp(&other.to_ascii_uppercase())
        } else {
            one.cmp(other)
        };
        if self.reverse { order.reverse() } else { order }
    }
}

/// Reads the value of `-k`.
fn key(text: &[u8]) -> Result<Key, &'static str> {
    let mut parts = text.splitn(2, |byte| *byte == b',');
    let mut how = How::default();
    let start = position(parts.next().unwrap_or_default(), &mut how)?;
    if start.0 == 0 {
        return Err("field number is zero: invalid field specification");
    }
    let end = parts.next().map_or(Ok((0, 0)), |end| position(end, &mut how))?;
    let how = Some(how).filter(|how| *how != How::default());
    Ok(Key { start: (start.0, start.1.max(1)), end, how })
}

/// `F.C` and letters.
fn position(text: &[u8], how: &mut How) -> Result<(usize, usize), &'static str> {
    const WRONG: &str = "invalid number at field start: invalid count at start of";
    let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let parsed = |text: &[u8]| {
        let count = std::str::from_utf8(text).ok().and_then(number::unsigned);
        count.and_then(|count| usize::try_from(count).ok())
    };
    let (field, mut rest) = text.split_at(digits(text));
    let field = parsed(field).ok_or(WRONG)?;
    let mut character = 0;
    if let Some(after) = rest.strip_prefix(b".") {
        let (number, letters) = after.split_at(digits(after));
        character = parsed(number).ok_or("invalid number after '.': invalid count at start of")?;
        rest = letters;
    }
    if rest.iter().all(|letter| how.set(*letter)) {
        Ok((field, character))
    } else {
        Err("stray character in field spec: invalid field specification")
    }
}

/// GNU's numbers: blanks, a sign, digits, a point, digits; anything else is 0.
fn numbers(one: &[u8], other: &[u8]) -> Ordering {
    let (one, other) = (Number::read(one), Number::read(other));
    match (one.negative, other.negative) {
        (false, true) => Ordering::Greater,
        (true, false) => Ordering::Less,
        (false, false) => one.size(&other),
        (true, true) => other.size(&one),
    }
}

struct Number<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
}

impl<'a> Number<'a> {
    fn read(text: &'a [u8]) -> Self {
        let text = trim_blanks(text);
        let (negative, text) = match text.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let digits = |text: &[u8]| text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (mut whole, rest) = text.split_at(digits(text));
        while let Some(rest) = whole.strip_prefix(b"0") {
            whole = rest;
        }
        let rest = rest.strip_prefix(b".").unwrap_or_default();
        let mut fraction = &rest[..digits(rest)];
        while let Some(rest) = fraction.strip_suffix(b"0") {
            fraction = rest;
        }
        let negative = negative && !(whole.is_empty() && fraction.is_empty());
        Self { negative, whole, fraction }
    }

    fn size(&self, other: &Self) -> Ordering {
        let whole = self.whole.len().cmp(&other.whole.len()).then(self.whole.cmp(other.whole));
        whole.then(self.fraction.cmp(other.fraction))
    }
}

fn trim_blanks(text: &[u8]) -> &[u8] {
    let blanks = text.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &text[blanks..]
}

impl Sort {
    /// Where the n-th field (from 1) begins and ends.
    fn field(&self, line: &[u8], number: usize) -> (usize, usize) {
        let mut begin = 0;
        let mut left = number;
        loop {
            let end = begin + self.field_length(&line[begin..]);
            left -= 1;
            if left == 0 {
                return (begin, end);
            }
            if end >= line.len() {
                return (line.len(), line.len());
            }
            begin = end + usize::from(self.separator.is_some());
        }
    }

    /// Without a separator, blanks belong to the field behind them.
    fn field_length(&self, text: &[u8]) -> usize {
        match self.separator {
            Some(separator) => {
                text.iter().position(|byte| *byte == separator).unwrap_or(text.len())
            }
            None => {
                let blanks = text.len() - trim_blanks(text).len();
                let word = text[blanks..].iter().position(|byte| matches!(byte, b' ' | b'\t'));
                word.map_or(text.len(), |length| blanks + length)
            }
        }
    }

    fn part<'a>(&self, line: &'a [u8], key: &Key) -> &'a [u8] {
        let how = key.how.unwrap_or(self.how);
        let skip = |at: usize| {
            if how.blanks { line.len() - trim_blanks(&line[at..]).len() } else { at }
        };
        let begin = skip(self.field(line, key.start.0).0);
        let begin = begin.saturating_add(key.start.1 - 1).min(line.len());
        let end = match key.end {
            (0, _) => line.len(),
            (field, 0) => self.field(line, field).1,
            (field, character) => {
                let end = skip(self.field(line, field).0).saturating_add(character);
                end.min(line.len())
            }
        };
        &line[begin..end.max(begin)]
    }

    fn by_keys(&self, one: &[u8], other: &[u8]) -> Ordering {
        if self.keys.is_empty() {
            let skip = |line| if self.how.blanks { trim_blanks(line) } else { line };
            return self.how.compare(skip(one), skip(other));
        }
        let mut keys = self.keys.iter().map(|key| {
            let how = key.how.unwrap_or(self.how);
            how.compare(self.part(one, key), self.part(other, key))
        });
        keys.find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn compare(&self, one: &[u8], other: &[u8]) -> Ordering {
        let order = self.by_keys(one, other);
        if order.is_ne() || self.unique || self.stable {
            return order;
        }
        // Lines that are alike by their keys stand in the order of their bytes.
        if self.how.reverse { other.cmp(one) } else { one.cmp(other) }
    }
}

impl Filter for Sort {
    fn take(&mut self, bytes: &[u8], _out: &mut Vec<u8>) -> Flow {
        let Self { pieces, lines, .. } = self;
        pieces.take(bytes, |line| {
            lines.push(line.to_vec());
            true
        });
        Flow::More
    }

    fn close(&mut self, _out: &mut Vec<u8>) -> Flow {
        self.lines.extend(self.pieces.last());
        Flow::More
    }

    fn finish(&mut self, status: u8, out: &mut Vec<u8>) -> u8 {
        let mut lines = std::mem::take(&mut self.lines);
        lines.sort_by(|one, other| self.compare(one, other));
        if self.unique {
            lines.dedup_by(|one, other| self.by_keys(one, other).is_eq());
        }
        for line in lines {
            put(&line, out);
        }
        status
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
