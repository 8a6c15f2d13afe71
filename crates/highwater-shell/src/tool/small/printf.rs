//! `printf`: words in a format, which is used again while words are left, as bash's own.

use highwater_core::world::process::Fd;
use highwater_core::{number, scope};

use crate::process::Out;
use crate::tool::small::escape::{self, Style};
use crate::tool::{Ended, refuse};

/// The widest that a conversion is made.
const MOST_WIDTH: usize = 10_000;
/// The most that one command prints.
const MOST_BYTES: usize = 16 << 20;

const TOO_WIDE: Stop = Stop::TooMuch("wider than 10000 characters");

/// `%-5.3d`: what stands between the `%` and the letter.
#[derive(Default)]
struct Spec {
    left: bool,
    zero: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
}

struct Printer<'a> {
    words: std::slice::Iter<'a, Vec<u8>>,
    text: Vec<u8>,
    complaints: String,
}

/// Why printing stops.
enum Stop {
    /// A `\c`.
    Cut,
    Unknown(String),
    /// More than is printed here; bash would.
    TooMuch(&'static str),
}

pub(super) fn run(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    let dashes = arguments.first().is_some_and(|first| first == b"--");
    let Some((format, words)) = arguments[usize::from(dashes)..].split_first() else {
        return refuse(format_args!("printf: usage: printf [-v var] format [arguments]"), 2, out);
    };
    let mut printer = Printer { words: words.iter(), text: Vec::new(), complaints: String::new() };
    loop {
        let left = printer.words.len();
        match printer.once(format) {
            Ok(()) => {}
            Err(Stop::Cut) => break,
            Err(Stop::Unknown(what)) => {
                let message = format_args!(
                    "printf: `{what}` is not understood here; use %s, or %d with a number"
                );
                return refuse(message, 1, out);
            }
            Err(Stop::TooMuch(what)) => {
                return refuse(format_args!("printf: {what}; Highwater prints less"), 1, out);
            }
        }
        let now = printer.words.len();
        if now == 0 || now == left {
            break;
        }
    }
    // What bash prints leaves its buffer at the end only.
    let status = u8::from(scope::CLUSTER && !printer.complaints.is_empty());
    if status > 0 {
        out.write(Fd::Stderr, printer.complaints);
    }
    out.write(Fd::Stdout, printer.text);
    Ended(status)
}

impl Printer<'_> {
    fn once(&mut self, format: &[u8]) -> Result<(), Stop> {
        let mut rest = format;
        if self.text.len() > MOST_BYTES {
            return Err(Stop::TooMuch("more than 16 MiB"));
        }
        while let Some((byte, after)) = rest.split_first() {
            rest = after;
            match byte {
                b'%' => self.conversion(&mut rest)?,
                b'\\' => {
                    let taken = escape::one(rest, Style::Format, &mut self.text);
                    rest = &rest[taken.ok_or(Stop::Cut)?..];
                }
                byte => self.text.push(*byte),
            }
        }
        Ok(())
    }

    fn conversion(&mut self, rest: &mut &[u8]) -> Result<(), Stop> {
        let spec = if scope::CLUSTER { self.spec(rest)? } else { Spec::default() };
        let letter = rest.split_first().map(|(letter, after)| {
            *rest = after;
            *letter
        });
        match letter {
            Some(b'%') => self.text.push(b'%'),
            Some(b's') => {
                let word = self.words.next().map_or(b"".as_slice(), Vec::as_slice);
                self.pad(word, &spec);
            }
            Some(b'd') if !scope::CLUSTER => {
                let word = self.words.next().map_or(b"0".as_slice(), Vec::as_slice);
                let word = String::from_utf8_lossy(word);
                let number =
                    number::signed(&word).ok_or_else(|| Stop::Unknown(format!("%d {word}")))?;
                self.text.extend(number.to_string().into_bytes());
            }
            Some(letter @ (b'd' | b'i' | b'o' | b'u' | b'x' | b'X')) if scope::CLUSTER => {
                let value = self.number();
                if spec.precision.is_some_and(|digits| digits > MOST_WIDTH) {
                    return Err(TOO_WIDE);
                }
                self.integer(letter, value, &spec);
            }
            Some(b'c') if scope::CLUSTER => {
                let first = self.words.next().and_then(|word| word.first()).copied();
                self.pad(&[first.unwrap_or(0)], &Spec { precision: None, ..spec });
            }
            Some(b'b') if scope::CLUSTER => {
                let word = self.words.next().map_or(b"".as_slice(), Vec::as_slice);
                let (word, is_cut) = escape::expand(word, Style::Word);
                self.pad(&word, &spec);
                if is_cut {
                    return Err(Stop::Cut);
                }
            }
            other => {
                let letter = other.map_or(' ', char::from);
                return Err(Stop::Unknown(format!("%{letter}")));
            }
        }
        Ok(())
    }

    fn spec(&mut self, rest: &mut &[u8]) -> Result<Spec, Stop> {
        let mut spec = Spec::default();
        while let Some((flag, after)) = rest.split_first() {
            match flag {
                b'-' => spec.left = true,
                b'0' => spec.zero = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternate = true,
                _ => break,
            }
            *rest = after;
        }
        let width = self.measure(rest).unwrap_or(0);
        spec.left |= width < 0;
        spec.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
        if spec.width > MOST_WIDTH {
            return Err(TOO_WIDE);
        }
        if let Some(after) = rest.strip_prefix(b".") {
            *rest = after;
            let precision = self.measure(rest).unwrap_or(0);
            spec.precision = usize::try_from(precision).ok();
        }
        Ok(spec)
    }

    /// Digits, or `*` for the next word.
    fn measure(&mut self, rest: &mut &[u8]) -> Option<i64> {
        if let Some(after) = rest.strip_prefix(b"*") {
            *rest = after;
            return Some(self.number());
        }
        let end = rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        *rest = after;
        number::signed(std::str::from_utf8(digits).ok()?)
    }

    /// The next word as a number: decimal, octal, hexadecimal, or a quote and a character.
    fn number(&mut self) -> i64 {
        let Some(word) = self.words.next() else { return 0 };
        let text = String::from_utf8_lossy(word);
        if let Some(rest) = text.strip_prefix(['\'', '"']) {
            return rest.chars().next().map_or(0, |first| i64::from(u32::from(first)));
        }
        let trimmed = text.trim_start_matches([' ', '\t', '\n']);
        let (sign, digits) = match trimmed.strip_prefix('-') {
            Some(digits) => (-1, digits),
            None => (1, trimmed.strip_prefix('+').unwrap_or(trimmed)),
        };
        let (radix, digits) =
            if let Some(digits) = digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
                (16, digits)
            } else if digits.len() > 1 && digits.starts_with('0') {
                (8, &digits[1..])
            } else {
                (10, digits)
            };
        let end = digits.find(|letter: char| !letter.is_digit(radix)).unwrap_or(digits.len());
        let value = i64::from_str_radix(&digits[..end], radix).unwrap_or(0).wrapping_mul(sign);
        if end < digits.len() || digits.is_empty() && !word.is_empty() {
            let message = format!("bash: printf: {text}: invalid number\n");
            self.complaints.push_str(&message);
        }
        value
    }

    fn integer(&mut self, letter: u8, value: i64, spec: &Spec) {
        let is_signed = matches!(letter, b'd' | b'i');
        let mut digits = match letter {
            b'o' => format!("{value:o}"),
            b'x' => format!("{value:x}"),
            b'X' => format!("{value:X}"),
            b'u' => value.cast_unsigned().to_string(),
            _ => value.unsigned_abs().to_string(),
        };
        let precision = spec.precision.unwrap_or(1);
        if value == 0 && spec.precision == Some(0) {
            digits.clear();
        }
        while digits.len() < precision {
            digits.insert(0, '0');
        }
        let sign = match letter {
            _ if is_signed && value < 0 => "-",
            _ if is_signed && spec.plus => "+",
            _ if is_signed && spec.space => " ",
            b'x' if spec.alternate && value != 0 => "0x",
            b'X' if spec.alternate && value != 0 => "0X",
            b'o' if spec.alternate && !digits.starts_with('0') => "0",
            _ => "",
        };
        if spec.zero && !spec.left && spec.precision.is_none() {
            while sign.len() + digits.len() < spec.width {
                digits.insert(0, '0');
            }
        }
        let whole = [sign, &digits].concat();
        self.pad(whole.as_bytes(), &Spec { precision: None, left: spec.left, ..*spec });
    }

    /// A word in the width of a conversion.
    fn pad(&mut self, word: &[u8], spec: &Spec) {
        let word = &word[..word.len().min(spec.precision.unwrap_or(usize::MAX))];
        let gap = spec.width.saturating_sub(word.len());
        if !spec.left {
            self.text.resize(self.text.len() + gap, b' ');
        }
        self.text.extend_from_slice(word);
        if spec.left {
            self.text.resize(self.text.len() + gap, b' ');
        }
    }
}
