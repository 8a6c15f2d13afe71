//! What differs on every run of a real cluster, replaced by a mark: the rules of
//! `compare.py`, one matcher each.
//!
//! Decides what of one line does not count. Rules that need the whole output (sorted rows, random
//! columns, dropped lines) are in `table` and `compare`. Works on bytes and knows ASCII digits and
//! letters only, where Python's `\d`, `\w` and `\s` know all of Unicode's; no tool prints others.

/// A place in a line where a rule matched.
struct Match {
    /// Where the match ends.
    end: usize,
    /// What replaces the bytes from `keep` to `tail`.
    mark: &'static str,
    /// Bytes before it stay.
    keep: usize,
    /// Bytes from here to `end` stay.
    tail: usize,
}

/// A rule of the form "this text, a number, that text".
struct Numbered {
    before: &'static str,
    mark: &'static str,
    after: &'static str,
    /// Whether a minus sign may stand before the digits.
    is_signed: bool,
}

const fn numbered(before: &'static str, mark: &'static str, after: &'static str) -> Numbered {
    Numbered { before, mark, after, is_signed: false }
}

/// Replaces what differs from run to run in one output line. In the order of `compare.py`, since
/// later rules see what earlier ones wrote.
#[must_use]
pub fn normalise(line: &str) -> String {
    let mut line = replace(line.to_owned(), timestamp);
    for (before, mark) in [("CreateTime:", " T"), ("LogAppendTime:", " T")] {
        line = replace(line, |bytes, at| record_time(bytes, at, before, mark));
    }
    line = replace(line, milliseconds);
    line = replace(line, uuid);
    line = replace(line, short_id);
    line = replace(line, directory_id);
    line = replace_number(line, &numbered("\"size\":", "N", ""));
    line = replace_number(
        line,
        &Numbered { before: "producerId: ", mark: "P", after: "", is_signed: true },
    );
    for codec in ["gzip", "snappy", "lz4", "zstd"] {
        line = replace(line, |bytes, at| compressed_size(bytes, at, codec));
    }
    line = batch_size(line);
    for rule in &LATER_RULES {
        line = replace_number(line, rule);
    }
    line = replace(line, host);
    line = replace_number(line, &numbered("took ", "N", " ms"));
    line = replace(line, |bytes, at| {
        number(bytes, at, &numbered("Epoch: ", "N", "")).filter(|found| found.end == bytes.len())
    });
    for name in ["deadlineMs=", "tries=", "nextAllowedTryMs="] {
        line = replace_number(line, &numbered(name, "N", ""));
    }
    timed_out(line)
}

const LATER_RULES: [Numbered; 5] = [
    numbered(" position: ", "N", " "),
    numbered("crc: ", "C", ""),
    numbered("console-consumer-", "N", ""),
    numbered("console-share-consumer-", "N", ""),
    numbered("correlation id ", "N", ""),
];

/// Replaces every match, from left to right, none inside another.
fn replace(line: String, rule: impl Fn(&[u8], usize) -> Option<Match>) -> String {
    let bytes = line.as_bytes();
    let mut out = String::new();
    let mut copied = 0;
    let mut at = 0;
    while at < bytes.len() {
        match rule(bytes, at) {
            Some(found) => {
                out.push_str(&line[copied..found.keep]);
                out.push_str(found.mark);
                out.push_str(&line[found.tail..found.end]);
                copied = found.end;
                at = found.end;
            }
            None => at += 1,
        }
    }
    if copied == 0 {
        return line;
    }
    out.push_str(&line[copied..]);
    out
}

fn replace_number(line: String, rule: &Numbered) -> String {
    // Most lines have none of most rules.
    if line.contains(rule.before) {
        replace(line, |bytes, at| number(bytes, at, rule))
    } else {
        line
    }
}

/// A numbered rule at this place.
fn number(bytes: &[u8], at: usize, rule: &Numbered) -> Option<Match> {
    let rest = bytes[at..].strip_prefix(rule.before.as_bytes())?;
    let sign = usize::from(rule.is_signed && rest.first() == Some(&b'-'));
    let digits = digit_count(&rest[sign..]);
    if digits == 0 || !rest[sign + digits..].starts_with(rule.after.as_bytes()) {
        return None;
    }
    let keep = at + rule.before.len();
    let tail = keep + sign + digits;
    Some(Match { end: tail + rule.after.len(), mark: rule.mark, keep, tail })
}

fn digit_count(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Everything from `at` to `end` becomes the mark.
fn whole(at: usize, end: usize, mark: &'static str) -> Match {
    Match { end, mark, keep: at, tail: end }
}

/// `[2026-01-01 00:00:00,000]`
fn timestamp(bytes: &[u8], at: usize) -> Option<Match> {
    const SHAPE: &[u8] = b"[0000-00-00 00:00:00,000]";
    let text = bytes.get(at..at + SHAPE.len())?;
    let fits = |(byte, shape): (&u8, &u8)| {
        if *shape == b'0' { byte.is_ascii_digit() } else { byte == shape }
    };
    text.iter().zip(SHAPE).all(fits).then(|| whole(at, at + SHAPE.len(), "[timestamp]"))
}

/// `CreateTime:1767225600000`, with or without a space.
fn record_time(bytes: &[u8], at: usize, before: &str, mark: &'static str) -> Option<Match> {
    let rest = bytes[at..].strip_prefix(before.as_bytes())?;
    let space = usize::from(rest.first() == Some(&b' '));
    let digits = digit_count(&rest[space..]);
    let keep = at + before.len();
    let end = keep + space + digits;
    (digits > 0).then_some(Match { end, mark, keep, tail: end })
}

/// A number of milliseconds since 1970 of this decade or the next, standing alone.
fn milliseconds(bytes: &[u8], at: usize) -> Option<Match> {
    const LENGTH: usize = 13;
    if at > 0 && is_name_byte(bytes[at - 1]) || digit_count(&bytes[at..]) != LENGTH {
        return None;
    }
    let is_alone = !bytes.get(at + LENGTH).is_some_and(|byte| is_name_byte(*byte));
    let is_recent = bytes[at] == b'1' && matches!(bytes[at + 1], b'7' | b'8');
    (is_alone && is_recent).then(|| whole(at, at + LENGTH, "MILLIS"))
}

fn is_name_byte(byte: u8) -> bool {
    byte == b'_' || byte.is_ascii_alphanumeric()
}

/// A UUID in lower case.
fn uuid(bytes: &[u8], at: usize) -> Option<Match> {
    const LENGTH: usize = 36;
    let text = bytes.get(at..at + LENGTH)?;
    let fits = text.iter().enumerate().all(|(index, byte)| match index {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
    });
    fits.then(|| whole(at, at + LENGTH, "[uuid-uuid-uuid-uuid-uuid-uuid-uuid-]"))
}

/// Kafka's own spelling of a UUID: 22 characters between blanks, `=` or `(` and a blank, `,` or
/// `)`. The names that `compare.py` lists before it all end in a blank, so this covers them.
fn short_id(bytes: &[u8], at: usize) -> Option<Match> {
    const LENGTH: usize = 22;
    if !is_blank(bytes[at]) && !matches!(bytes[at], b'=' | b'(') {
        return None;
    }
    let start = at + 1;
    let end = start + LENGTH;
    let text = bytes.get(start..end)?;
    let fits = text.iter().all(|byte| is_name_byte(*byte) || *byte == b'-');
    let is_closed =
        bytes.get(end).is_none_or(|byte| is_blank(*byte) || matches!(byte, b',' | b')'));
    (fits && is_closed).then_some(Match { end, mark: "[id]", keep: start, tail: end })
}

/// Python's `\s`, as far as it is ASCII.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r' | 0x1c..=0x1f)
}

/// `"directoryId": "..."`
fn directory_id(bytes: &[u8], at: usize) -> Option<Match> {
    const BEFORE: &[u8] = b"\"directoryId\": \"";
    let rest = bytes[at..].strip_prefix(BEFORE)?;
    let length = rest.iter().position(|byte| *byte == b'"').filter(|length| *length > 0)?;
    let keep = at + BEFORE.len();
    let tail = keep + length;
    Some(Match { end: tail + 1, mark: "[id]", keep, tail })
}

/// The size of a compressed batch in a dump.
fn compressed_size(bytes: &[u8], at: usize, codec: &str) -> Option<Match> {
    let found = number(bytes, at, &numbered(" size: ", "N", " "))?;
    let rest = bytes[found.end..].strip_prefix(b"magic: 2 compresscodec: ")?;
    rest.starts_with(codec.as_bytes()).then_some(found)
}

/// The size of a batch of several records in a dump: the last size in the line, if a position
/// stands between it and a `count: ` that is not 1.
fn batch_size(line: String) -> String {
    let bytes = line.as_bytes();
    let size = numbered(" size: ", "N", " ");
    let position = numbered(" position: ", "", " ");
    let counted = line.match_indices("count: ").map(|(at, text)| at + text.len());
    let Some(start) = counted.into_iter().find(|start| !bytes[*start..].starts_with(b"1 ")) else {
        return line;
    };
    let Some((at, found)) =
        (start..bytes.len()).rev().find_map(|at| Some((at, number(bytes, at, &size)?)))
    else {
        return line;
    };
    let has_position = (start..at)
        .filter_map(|place| number(bytes, place, &position))
        .any(|placed| placed.end <= at);
    if !has_position {
        return line;
    }
    let mut out = String::with_capacity(line.len());
    for piece in [&line[..found.keep], found.mark, &line[found.tail..]] {
        out.push_str(piece);
    }
    out
}

/// `localhost:9092  (1)`: the coordinator is random.
fn host(bytes: &[u8], at: usize) -> Option<Match> {
    let rest = bytes[at..].strip_prefix(b"localhost:909")?;
    match rest {
        [port, b' ', b' ', b'(', id, b')', ..] if port.is_ascii_digit() && id.is_ascii_digit() => {
            Some(whole(at, at + 19, "localhost:909x  (x)"))
        }
        _ => None,
    }
}

/// `timed out at 1767225600000 after 3 attempt`; the number may already be a mark.
fn timed_out(line: String) -> String {
    const BEFORE: &[u8] = b"timed out at ";
    replace(line, |bytes, at| {
        let rest = bytes[at..].strip_prefix(BEFORE)?;
        let word = rest.iter().take_while(|byte| is_name_byte(**byte)).count();
        let after = at + BEFORE.len() + word;
        let count = number(bytes, after, &numbered(" after ", "N", " attempt"))?;
        (word > 0).then(|| whole(at, count.end, "timed out at T after N attempt"))
    })
}
