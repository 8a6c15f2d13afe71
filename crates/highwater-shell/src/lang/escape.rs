//! The escapes of `$'...'`, after bash's "ANSI-C Quoting".
//!
//! Decides what `\n`, `\x41` or `\u20ac` stand for. One difference to bash: a NUL byte is kept,
//! where bash ends the word.

use super::cursor::Cursor;

/// Reads one escape after its backslash and appends what it stands for.
pub(super) fn read(cursor: &mut Cursor<'_>, out: &mut Vec<u8>) {
    let Some(byte) = cursor.bump() else { return };
    match byte {
        b'a' => out.push(0x07),
        b'b' => out.push(0x08),
        b'e' | b'E' => out.push(0x1b),
        b'f' => out.push(0x0c),
        b'n' => out.push(b'\n'),
        b'r' => out.push(b'\r'),
        b't' => out.push(b'\t'),
        b'v' => out.push(0x0b),
        b'\\' | b'\'' | b'"' | b'?' => out.push(byte),
        b'0'..=b'7' => {
            let first = u32::from(byte - b'0');
            out.push((digits(cursor, first, 8, 2).0 & 0xff) as u8);
        }
        b'x' => match digits(cursor, 0, 16, 2) {
            (_, 0) => out.extend_from_slice(b"\\x"),
            (value, _) => out.push((value & 0xff) as u8),
        },
        b'u' => unicode(cursor, byte, 4, out),
        b'U' => unicode(cursor, byte, 8, out),
        b'c' if cursor.peek().is_some_and(|next| next != b'\'') => {
            let control = cursor.bump().map_or(0, |next| next & 0x1f);
            out.push(control);
        }
        other => out.extend_from_slice(&[b'\\', other]),
    }
}

/// A code point of up to `count_max` hex digits; what is no character stays as typed.
fn unicode(cursor: &mut Cursor<'_>, letter: u8, count_max: u32, out: &mut Vec<u8>) {
    let typed = cursor.rest();
    let (value, count) = digits(cursor, 0, 16, count_max);
    match char::from_u32(value) {
        Some(character) if count > 0 => {
            out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        }
        _ => {
            out.extend_from_slice(&[b'\\', letter]);
            out.extend_from_slice(&typed[..count as usize]);
        }
    }
}

/// Takes up to `count_max` digits; gives the number and how many digits there were.
fn digits(cursor: &mut Cursor<'_>, first: u32, radix: u32, count_max: u32) -> (u32, u32) {
    let mut value = first;
    let mut count = 0;
    while count < count_max {
        let Some(digit) = cursor.peek().and_then(|byte| char::from(byte).to_digit(radix)) else {
            break;
        };
        cursor.bump();
        value = value.wrapping_mul(radix).wrapping_add(digit);
        count += 1;
    }
    (value, count)
}
