//! Small tools that scenarios need beside Kafka's: echo, printf, cat, head, sleep.

use highwater_core::number;
use highwater_core::time::SimDuration;
use highwater_core::world::process::{Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::{Ended, Next, refuse};

/// The longest sleep: a thousand years of virtual time would only run into odd ends.
const MOST_SLEEP_S: u64 = 366 * 86_400;

/// `echo`, with `-n`. What `-e` does, `printf` does here.
pub(crate) fn echo(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    let mut words = arguments;
    let mut newline = true;
    while let Some((flags, rest)) = words.split_first() {
        match flags.as_slice() {
            b"-n" => newline = false,
            b"-e" | b"-ne" | b"-en" => {
                let message = "echo: -e is not built here; use printf, which knows \\n and \\t";
                return refuse(format_args!("{message}"), 1, out);
            }
            _ => break,
        }
        words = rest;
    }
    let mut line = words.join(&b' ');
    if newline {
        line.push(b'\n');
    }
    out.write(Fd::Stdout, line);
    Ended(0)
}

/// What stands behind a backslash; what bash does not know either stays as it is.
fn escape(
    bytes: &mut (impl Iterator<Item = u8> + Clone),
    text: &mut Vec<u8>,
) -> Result<(), String> {
    match bytes.next() {
        Some(b'n') => text.push(b'\n'),
        Some(b't') => text.push(b'\t'),
        Some(b'r') => text.push(b'\r'),
        Some(other @ (b'\\' | b'"')) => text.push(other),
        Some(digit @ b'0'..=b'7') => {
            let mut octal = digit - b'0';
            for _ in 0..2 {
                let mut ahead = bytes.clone();
                let Some(digit @ b'0'..=b'7') = ahead.next() else { break };
                octal = octal.wrapping_mul(8).wrapping_add(digit - b'0');
                *bytes = ahead;
            }
            text.push(octal);
        }
        Some(other) if b"abcefvxuU".contains(&other) => {
            return Err(format!("\\{}", char::from(other)));
        }
        Some(other) => text.extend([b'\\', other]),
        None => text.push(b'\\'),
    }
    Ok(())
}

/// `cat` of standard input.
#[derive(Clone, Debug)]
pub(crate) struct Cat;

impl Cat {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        match arguments.first() {
            Some(name) if name != b"-" => {
                let name = String::from_utf8_lossy(name);
                let message =
                    format_args!("cat: {name}: files are not built yet; cat reads its input");
                Err(refuse(message, 1, out))
            }
            _ => {
                out.read(Fd::Stdin);
                Ok(Self)
            }
        }
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Read(_, bytes) if bytes.is_empty() => Next::Exit(0),
            ProcessInput::Read(_, bytes) => {
                out.write(Fd::Stdout, bytes.as_slice());
                out.read(Fd::Stdin);
                Next::Wait
            }
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }
}

/// `head`: the first lines of what it reads.
#[derive(Clone, Debug)]
pub(crate) struct Head {
    left: u64,
}

impl Head {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let count = match arguments {
            [] => Some(b"10".as_slice()),
            [flag, count] if flag == b"-n" => Some(count.as_slice()),
            [one] => one.strip_prefix(b"-n").or_else(|| one.strip_prefix(b"-")),
            _ => None,
        };
        let count = count.and_then(|count| std::str::from_utf8(count).ok());
        match count.and_then(number::unsigned) {
            Some(0) => Err(Ended(0)),
            Some(left) => {
                out.read(Fd::Stdin);
                Ok(Self { left })
            }
            None => Err(refuse(format_args!("head: usage here: head [-n LINES]"), 1, out)),
        }
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::Read(_, bytes) if bytes.is_empty() => Next::Exit(0),
            ProcessInput::Read(_, bytes) => {
                let ends = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
                let mut taken = 0;
                let mut cut = None;
                for (place, _) in ends {
                    taken += 1;
                    if taken == self.left {
                        cut = Some(place + 1);
                        break;
                    }
                }
                self.left -= taken;
                out.write(Fd::Stdout, &bytes[..cut.unwrap_or(bytes.len())]);
                if cut.is_some() {
                    return Next::Exit(0);
                }
                out.read(Fd::Stdin);
                Next::Wait
            }
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }
}

/// `printf`: a format with `%s`, `%d`, `%%` and backslash escapes, used again while words are left.
pub(crate) fn printf(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    let dashes = arguments.first().is_some_and(|first| first == b"--");
    let Some((format, words)) = arguments[usize::from(dashes)..].split_first() else {
        return refuse(format_args!("printf: usage: printf format [arguments]"), 2, out);
    };
    let mut words = words.iter();
    let mut text = Vec::new();
    loop {
        let left = words.len();
        if let Err(unknown) = print_once(format, &mut words, &mut text) {
            let message = format_args!(
                "printf: `{unknown}` is not understood here; use %s, or %d with a number"
            );
            return refuse(message, 1, out);
        }
        if words.len() == 0 || words.len() == left {
            break;
        }
    }
    out.write(Fd::Stdout, text);
    Ended(0)
}

fn print_once<'a>(
    format: &[u8],
    words: &mut impl Iterator<Item = &'a Vec<u8>>,
    text: &mut Vec<u8>,
) -> Result<(), String> {
    let mut bytes = format.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b'%' => match bytes.next() {
                Some(b'%') => text.push(b'%'),
                Some(b's') => text.extend(words.next().map(Vec::as_slice).unwrap_or_default()),
                Some(b'd') => {
                    let word = words.next().map_or(b"0".as_slice(), Vec::as_slice);
                    let word = String::from_utf8_lossy(word);
                    let number = number::signed(&word).ok_or_else(|| format!("%d {word}"))?;
                    text.extend(number.to_string().into_bytes());
                }
                other => return Err(format!("%{}", other.map_or(' ', char::from))),
            },
            b'\\' => escape(&mut bytes, text)?,
            byte => text.push(byte),
        }
    }
    Ok(())
}

/// `sleep`.
#[derive(Clone, Debug)]
pub(crate) struct Sleep;

impl Sleep {
    pub(crate) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Self, Ended> {
        let Some(first) = arguments.first() else {
            return Err(refuse(format_args!("sleep: missing operand"), 1, out));
        };
        let mut total = SimDuration(0);
        for argument in arguments {
            let text = String::from_utf8_lossy(argument);
            match seconds(&text) {
                Some(span) => total = SimDuration(total.0.saturating_add(span.0)),
                None => {
                    return Err(refuse(
                        format_args!("sleep: invalid time interval '{text}'"),
                        1,
                        out,
                    ));
                }
            }
        }
        if total > SimDuration::from_millis(MOST_SLEEP_S * 1_000) {
            let text = String::from_utf8_lossy(first);
            let message =
                format_args!("sleep: '{text}' is more than a year; Highwater sleeps less");
            return Err(refuse(message, 1, out));
        }
        out.wait(total, 1);
        Ok(Self)
    }

    pub(crate) fn handle(&mut self, input: &ProcessInput) -> Next {
        match input {
            ProcessInput::Timer(_) => Next::Exit(0),
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }
}

/// A number of seconds with at most six decimals that count, and s, m, h or d behind it.
fn seconds(text: &str) -> Option<SimDuration> {
    let (number, unit) = match text.char_indices().last()? {
        (end, 's') => (&text[..end], 1),
        (end, 'm') => (&text[..end], 60),
        (end, 'h') => (&text[..end], 3_600),
        (end, 'd') => (&text[..end], 86_400),
        _ => (text, 1),
    };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { number::unsigned(whole).unwrap_or(u64::MAX) };
    let micros = fraction.bytes().chain(std::iter::repeat(b'0')).take(6);
    let micros = micros.fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    Some(SimDuration(whole.saturating_mul(1_000_000).saturating_add(micros).saturating_mul(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Intervals as GNU sleep takes them, and what it refuses.
    #[test]
    fn intervals() {
        for (text, micros) in [
            ("2", 2_000_000),
            ("0.5", 500_000),
            (".25", 250_000),
            ("1m", 60_000_000),
            ("5.", 5_000_000),
        ] {
            assert_eq!(seconds(text), Some(SimDuration(micros)), "{text}");
        }
        for text in ["", "s", ".", "-1", "1x", "1e3", "one"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(seconds("99999999999999999999d"), Some(SimDuration(u64::MAX)));
    }
}
