//! Backslashes in the words of `echo -e` and `printf`, as bash reads them.

use highwater_core::scope;

/// Whose backslashes they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    /// `echo -e`: octal digits follow a 0.
    Echo,
    /// The format of `printf`: octal digits follow the backslash, and quotes may be escaped.
    Format,
    /// The word of `%b`: as `echo -e`, octal digits also without the 0.
    Word,
}

/// A text with its backslashes resolved; whether a `\c` has cut it.
pub(super) fn expand(text: &[u8], style: Style) -> (Vec<u8>, bool) {
    let mut expanded = Vec::new();
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte != b'\\' {
            expanded.push(*byte);
            continue;
        }
        match one(after, style, &mut expanded) {
            Some(taken) => rest = &after[taken..],
            None => return (expanded, true),
        }
    }
    (expanded, false)
}

/// What stands behind a backslash: appends what it means and gives the bytes that it takes. What
/// bash does not know stays as it is. `None`: nothing more is to be printed.
pub(super) fn one(rest: &[u8], style: Style, text: &mut Vec<u8>) -> Option<usize> {
    let Some(byte) = rest.first() else {
        text.push(b'\\');
        return Some(0);
    };
    match byte {
        b'n' => text.push(b'\n'),
        b't' => text.push(b'\t'),
        b'r' => text.push(b'\r'),
        b'\\' => text.push(b'\\'),
        b'"' if style == Style::Format => text.push(b'"'),
        b'0' if scope::CLUSTER && style != Style::Format => {
            return Some(1 + octal(&rest[1..], text));
        }
        b'0'..=b'7' if style != Style::Echo => {
            return Some(octal(rest, text));
        }
        _ if scope::CLUSTER => return rare(*byte, rest, style, text),
        other => text.extend([b'\\', *other]),
    }
    Some(1)
}

fn rare(byte: u8, rest: &[u8], style: Style, text: &mut Vec<u8>) -> Option<usize> {
    match byte {
        b'a' => text.push(0x07),
        b'b' => text.push(0x08),
        b'e' | b'E' => text.push(0x1b),
        b'f' => text.push(0x0c),
        b'v' => text.push(0x0b),
        b'\'' | b'?' if style == Style::Format => text.push(byte),
        b'c' if style != Style::Format => return None,
        b'x' => {
            let (value, count) = digits(&rest[1..], 16, 2);
            if count > 0 {
                text.push((value & 0xff) as u8);
                return Some(1 + count);
            }
            text.extend_from_slice(b"\\x");
        }
        b'u' | b'U' => {
            let (value, count) = digits(&rest[1..], 16, if byte == b'u' { 4 } else { 8 });
            match char::from_u32(value).filter(|_| count > 0) {
                Some(character) => {
                    text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                None => text.extend_from_slice(&[b"\\", &rest[..=count]].concat()),
            }
            return Some(1 + count);
        }
        other => text.extend([b'\\', other]),
    }
    Some(1)
}

/// Takes up to three octal digits; how many there were.
fn octal(rest: &[u8], text: &mut Vec<u8>) -> usize {
    let digits = rest.iter().take(3).take_while(|byte| matches!(byte, b'0'..=b'7'));
    let (mut value, mut count) = (0u8, 0);
    for digit in digits {
        value = value.wrapping_mul(8).wrapping_add(digit - b'0');
        count += 1;
    }
    text.push(value);
    count
}

/// Takes up to `most` digits; the number, and how many there were.
fn digits(rest: &[u8], radix: u32, most: usize) -> (u32, usize) {
    let mut value: u32 = 0;
    let mut count = 0;
    while count < most {
        let digit = rest.get(count).and_then(|byte| char::from(*byte).to_digit(radix));
        let Some(digit) = digit else { break };
        value = value.wrapping_mul(radix).wrapping_add(digit);
        count += 1;
    }
    (value, count)
}
