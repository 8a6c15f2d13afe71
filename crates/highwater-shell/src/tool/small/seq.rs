//! `seq`: numbers in a row, a piece at a time, so that a reader may end it early.

use highwater_core::time::SimDuration;
use highwater_core::world::process::{Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::small::getopt::quoted;
use crate::tool::small::{Program, Started};
use crate::tool::{Ended, Next, refuse};

/// Numbers at once.
const PIECE: u64 = 2_000;
/// The most numbers that are printed.
const MOST: u64 = 1_000_000;
/// Decimals that a number may have.
const DECIMALS: usize = 9;

/// A number as a whole one and how many of its digits are decimals.
#[derive(Clone, Copy, Debug)]
struct Decimal {
    value: i128,
    decimals: usize,
    /// Characters it was written with.
    width: usize,
}

#[derive(Clone, Debug)]
struct Seq {
    next: i128,
    step: i128,
    last: i128,
    /// Decimals of `next`, `step` and `last`.
    decimals: usize,
    /// Decimals that are printed.
    shown: usize,
    separator: Vec<u8>,
    format: Option<Format>,
    /// `-w`.
    width: usize,
    printed: u64,
}

/// What stands around the number, and how it is written.
#[derive(Clone, Debug)]
struct Format {
    before: Vec<u8>,
    after: Vec<u8>,
    zero: bool,
    left: bool,
    width: usize,
    precision: Option<usize>,
    /// `g` or `f`.
    letter: u8,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let mut words = arguments.iter();
    let (mut equal, mut format, mut separator) = (false, None, b"\n".to_vec());
    let mut numbers = Vec::new();
    while let Some(word) = words.next() {
        match word.as_slice() {
            b"-w" | b"--equal-width" => equal = true,
            b"-f" | b"--format" => format = Some(value("f", words.next(), out)?),
            b"-s" | b"--separator" => separator = value("s", words.next(), out)?,
            b"--" => {}
            other => match (other.strip_prefix(b"-f"), other.strip_prefix(b"-s")) {
                (Some(text), _) => format = Some(text.to_vec()),
                (_, Some(text)) => separator = text.to_vec(),
                _ if is_option(other) => {
                    let letter = char::from(other[1]);
                    return Err(wrong(&format!("invalid option -- '{letter}'"), out));
                }
                _ => numbers.push(number(other, out)?),
            },
        }
    }
    let one = Decimal { value: 1, decimals: 0, width: 1 };
    let (first, step, last) = match numbers.as_slice() {
        [] => return Err(wrong("missing operand", out)),
        [last] => (one, one, *last),
        [first, last] => (*first, one, *last),
        [first, step, last] => (*first, *step, *last),
        [..] => {
            let extra = quoted(&arguments[arguments.len() - 1]);
            return Err(wrong(&format!("extra operand {extra}"), out));
        }
    };
    if step.value == 0 {
        return Err(wrong("invalid Zero increment value: \u{2018}0\u{2019}", out));
    }
    if equal && format.is_some() {
        let text = "format string may not be specified when printing equal width strings";
        return Err(wrong(text, out));
    }
    let format = match format {
        None => None,
        Some(text) => {
            Some(Format::read(&text).map_err(|why| refuse(format_args!("seq: {why}"), 1, out))?)
        }
    };
    let decimals = first.decimals.max(step.decimals).max(last.decimals);
    let scaled = |number: Decimal| number.value * 10i128.pow((decimals - number.decimals) as u32);
    let shown = first.decimals.max(step.decimals);
    let wide = |number: Decimal| {
        let point = usize::from(number.decimals == 0 && shown > 0);
        number.width + point + shown.saturating_sub(number.decimals)
    };
    let trimmed = last.width - last.decimals.saturating_sub(shown);
    let width = if equal { wide(first).max(wide(Decimal { width: trimmed, ..last })) } else { 0 };
    let mut seq = Seq {
        next: scaled(first),
        step: scaled(step),
        last: scaled(last),
        decimals,
        shown,
        separator,
        format,
        width,
        printed: 0,
    };
    match seq.print(out) {
        Next::Wait => Ok(Box::new(seq)),
        Next::Exit(status) => Err(Ended(status)),
    }
}

fn value(letter: &str, word: Option<&Vec<u8>>, out: &mut Out<'_>) -> Result<Vec<u8>, Ended> {
    match word {
        Some(word) => Ok(word.clone()),
        None => Err(wrong(&format!("option requires an argument -- '{letter}'"), out)),
    }
}

fn wrong(text: &str, out: &mut Out<'_>) -> Ended {
    let message = format_args!("seq: {text}\nTry 'seq --help' for more information.");
    refuse(message, 1, out)
}

/// A word with a dash that begins no number.
fn is_option(word: &[u8]) -> bool {
    word.len() > 1 && word[0] == b'-' && !word[1].is_ascii_digit() && word[1] != b'.'
}

fn number(word: &[u8], out: &mut Out<'_>) -> Result<Decimal, Ended> {
    let parsed = || {
        let text = std::str::from_utf8(word).ok()?;
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let digits = whole.trim_start_matches(['-', '+']);
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_empty = digits.is_empty() && fraction.is_empty();
        let signs = whole.len() - digits.len();
        if is_empty || signs > 1 || !is_digits(digits) || !is_digits(fraction) {
            return None;
        }
        if fraction.len() > DECIMALS || digits.len() > 18 {
            return None;
        }
        let value: i128 = [digits, fraction].concat().parse().ok()?;
        let value = if whole.starts_with('-') { -value } else { value };
        Some(Decimal { value, decimals: fraction.len(), width: text.trim_start_matches('+').len() })
    };
    parsed()
        .ok_or_else(|| wrong(&format!("invalid floating point argument: {}", quoted(word)), out))
}

impl Format {
    fn read(text: &[u8]) -> Result<Self, String> {
        let mut format = Self {
            before: Vec::new(),
            after: Vec::new(),
            zero: false,
            left: false,
            width: 0,
            precision: None,
            letter: b'g',
        };
        let mut at = 0;
        let mut found = false;
        while at < text.len() {
            let byte = text[at];
            at += 1;
            if byte != b'%' || text.get(at) == Some(&b'%') {
                at += usize::from(byte == b'%');
                if found { &mut format.after } else { &mut format.before }.push(byte);
                continue;
            }
            if found {
                return Err(format!("format {} has too many % directives", quoted(text)));
            }
            found = true;
            let digits = |at: &mut usize| {
                let mut value = 0usize;
                while let Some(digit) = text.get(*at).filter(|byte| byte.is_ascii_digit()) {
                    value = (value * 10 + usize::from(digit - b'0')).min(1_000);
                    *at += 1;
                }
                value
            };
            while let Some(flag @ (b'0' | b'-')) = text.get(at) {
                format.zero |= *flag == b'0';
                format.left |= *flag == b'-';
                at += 1;
            }
            format.width = digits(&mut at);
            if text.get(at) == Some(&b'.') {
                at += 1;
                format.precision = Some(digits(&mut at));
            }
            match text.get(at) {
                Some(letter @ (b'g' | b'f')) => format.letter = *letter,
                Some(other) => {
                    let other = char::from(*other);
                    return Err(format!("format {} has unknown %{other} directive", quoted(text)));
                }
                None => return Err(format!("format {} ends in %", quoted(text))),
            }
            at += 1;
        }
        if found { Ok(format) } else { Err(format!("format {} has no % directive", quoted(text))) }
    }

    fn show(&self, value: i128, decimals: usize, text: &mut Vec<u8>) {
        let mut number = match self.letter {
            b'f' => fixed(rounded(value, decimals, self.precision.unwrap_or(6))),
            _ => general(value, decimals, self.precision.unwrap_or(6).max(1)),
        };
        let gap = self.width.saturating_sub(number.len());
        if self.left {
            number.push_str(&" ".repeat(gap));
        } else if self.zero {
            number.insert_str(usize::from(number.starts_with('-')), &"0".repeat(gap));
        } else {
            number.insert_str(0, &" ".repeat(gap));
        }
        text.extend_from_slice(&self.before);
        text.extend_from_slice(number.as_bytes());
        text.extend_from_slice(&self.after);
    }
}

/// A number with so many decimals, halves away from zero.
fn rounded(value: i128, decimals: usize, wanted: usize) -> (i128, usize) {
    if wanted >= decimals {
        let zeros = (wanted - decimals).min(18);
        return (value * 10i128.pow(zeros as u32), decimals + zeros);
    }
    let unit = 10i128.pow((decimals - wanted) as u32);
    let half = if value < 0 { -unit / 2 } else { unit / 2 };
    ((value + half) / unit, wanted)
}

fn fixed((value, decimals): (i128, usize)) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let digits = value.unsigned_abs().to_string();
    let digits = format!("{digits:0>width$}", width = decimals + 1);
    let (whole, fraction) = digits.split_at(digits.len() - decimals);
    let point = if decimals > 0 { "." } else { "" };
    format!("{sign}{whole}{point}{fraction}")
}

/// C's `%g`: as many digits as are significant, with an exponent where that is shorter.
fn general(value: i128, decimals: usize, digits: usize) -> String {
    let length = value.unsigned_abs().to_string().len();
    let size = length as i64 - decimals as i64;
    if value == 0 {
        return "0".to_owned();
    }
    let excess = length.saturating_sub(digits);
    let unit = 10i128.pow(excess as u32);
    let half = if value < 0 { -unit / 2 } else { unit / 2 };
    let kept = (value + half) / unit;
    let grown = kept.unsigned_abs().to_string().len() > length - excess;
    let exponent = size - 1 + i64::from(grown);
    let trim = |text: String| {
        if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        }
    };
    if exponent >= digits as i64 || exponent < -4 {
        let mantissa = kept.unsigned_abs().to_string();
        let sign = if value < 0 { "-" } else { "" };
        let (first, rest) = mantissa.split_at(1);
        let mantissa = trim(format!("{sign}{first}.{rest}"));
        let mark = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{mark}{:02}", exponent.abs());
    }
    if excess > decimals {
        return (kept * unit / 10i128.pow(decimals as u32)).to_string();
    }
    trim(fixed((kept, decimals - excess)))
}

impl Seq {
    /// Prints the next piece.
    fn print(&mut self, out: &mut Out<'_>) -> Next {
        let mut text = Vec::new();
        let mut left = PIECE;
        while left > 0 && self.has_next() {
            if self.printed == MOST {
                let message = "seq: Highwater prints a million numbers at most";
                text.push(b'\n');
                out.write(Fd::Stdout, text);
                return Next::Exit(refuse(format_args!("{message}"), 1, out).0);
            }
            if self.printed > 0 {
                text.extend_from_slice(&self.separator);
            }
            match &self.format {
                Some(format) => format.show(self.next, self.decimals, &mut text),
                None => {
                    let unit = 10i128.pow((self.decimals - self.shown) as u32);
                    let mut number = fixed((self.next / unit, self.shown));
                    let gap = self.width.saturating_sub(number.len());
                    number.insert_str(usize::from(number.starts_with('-')), &"0".repeat(gap));
                    text.extend_from_slice(number.as_bytes());
                }
            }
            self.next += self.step;
            self.printed += 1;
            left -= 1;
        }
        let is_over = !self.has_next();
        if is_over && self.printed > 0 {
            text.push(b'\n');
        }
        if !text.is_empty() {
            out.write(Fd::Stdout, text);
        }
        if is_over {
            return Next::Exit(0);
        }
        out.wait(SimDuration(0), 1);
        Next::Wait
    }

    fn has_next(&self) -> bool {
        if self.step > 0 { self.next <= self.last } else { self.next >= self.last }
    }
}

impl Program for Seq {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Timer(_) => self.print(out),
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}
