//! `cut`: fields or bytes of each line.

use highwater_core::number;

use crate::process::Out;
use crate::tool::small::Started;
use crate::tool::small::getopt::{Known, quoted};
use crate::tool::small::lines::{Pieces, put};
use crate::tool::small::pump::{self, Filter, Flow};

const KNOWN: Known = Known {
    tool: "cut",
    short: "d:f:c:b:so:",
    long: &[
        ("delimiter", b'd'),
        ("fields", b'f'),
        ("characters", b'c'),
        ("bytes", b'b'),
        ("only-delimited", b's'),
        ("output-delimiter", b'o'),
    ],
    status: 1,
};

#[derive(Clone, Debug)]
struct Cut {
    /// From and to, both counted from 1 and included.
    ranges: Vec<(usize, usize)>,
    /// Between fields; `None`: bytes are cut.
    delimiter: Option<u8>,
    only_delimited: bool,
    joint: Vec<u8>,
    pieces: Pieces,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let given = KNOWN.read(arguments, out)?;
    let lists: Vec<_> =
        given.options.iter().filter(|(letter, _)| b"fcb".contains(letter)).collect();
    let list = match lists.as_slice() {
        [] => {
            let text = "you must specify a list of bytes, characters, or fields";
            return Err(KNOWN.wrong(format_args!("{text}"), out));
        }
        [list] => list,
        _ => return Err(KNOWN.wrong(format_args!("only one list may be specified"), out)),
    };
    let fields = list.0 == b'f';
    let delimiter = match given.value(b'd') {
        Some(_) if !fields => {
            let text = "an input delimiter may be specified only when operating on fields";
            return Err(KNOWN.wrong(format_args!("{text}"), out));
        }
        Some([byte]) => *byte,
        Some([]) => 0,
        Some(_) => {
            return Err(KNOWN.wrong(format_args!("the delimiter must be a single character"), out));
        }
        None => b'\t',
    };
    if given.has(b's') && !fields {
        let text = "suppressing non-delimited lines makes sense\n\tonly when operating on fields";
        return Err(KNOWN.wrong(format_args!("{text}"), out));
    }
    let ranges = ranges(&list.1, fields).map_err(|why| KNOWN.wrong(format_args!("{why}"), out))?;
    let joint = if fields { vec![delimiter] } else { Vec::new() };
    let cut = Cut {
        ranges,
        delimiter: fields.then_some(delimiter),
        only_delimited: given.has(b's'),
        joint: given.value(b'o').map_or(joint, <[u8]>::to_vec),
        pieces: Pieces::default(),
    };
    pump::start("cut", Box::new(cut), &given.operands, out)
}

/// Reads a list such as `1,3-5,7-`, sorted and joined.
fn ranges(list: &[u8], fields: bool) -> Result<Vec<(usize, usize)>, String> {
    let (of, kind) =
        if fields { ("fields", "field") } else { ("byte/character positions", "byte/character") };
    let number = |text: &[u8]| {
        let wrong = || {
            let kind = if fields { "field value" } else { "byte/character position" };
            format!("invalid {kind} {}", quoted(text))
        };
        let number = std::str::from_utf8(text).ok().and_then(number::unsigned);
        let number = number.and_then(|number| usize::try_from(number).ok());
        if text.first() == Some(&b'+') { Err(wrong()) } else { number.ok_or_else(wrong) }
    };
    let mut ranges = Vec::new();
    for part in list.split(|byte| matches!(byte, b',' | b' ' | b'\t')) {
        let range = match part.iter().position(|byte| *byte == b'-') {
            Some(_) if part.len() == 1 => {
                return Err("invalid range with no endpoint: -".to_owned());
            }
            Some(0) => (1, number(&part[1..])?),
            Some(dash) if dash + 1 == part.len() => (number(&part[..dash])?, usize::MAX),
            Some(dash) => (number(&part[..dash])?, number(&part[dash + 1..])?),
            None => {
                let number = number(part)?;
                (number, number)
            }
        };
        if range.0 == 0 || range.1 == 0 {
            return Err(format!("{of} are numbered from 1"));
        }
        if range.0 > range.1 {
            return Err("invalid decreasing range".to_owned());
        }
        ranges.push(range);
    }
    let _ = kind;
    ranges.sort_unstable();
    let mut joined: Vec<(usize, usize)> = Vec::new();
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.0 <= last.1 => last.1 = last.1.max(range.1),
            _ => joined.push(range),
        }
    }
    Ok(joined)
}

impl Cut {
    fn line(&self, line: &[u8], out: &mut Vec<u8>) {
        let Some(delimiter) = self.delimiter else {
            let mut is_first = true;
            for &(from, to) in &self.ranges {
                let from = (from - 1).min(line.len());
                if from == line.len() {
                    continue;
                }
                if !is_first {
                    out.extend_from_slice(&self.joint);
                }
                is_first = false;
                out.extend_from_slice(&line[from..to.min(line.len())]);
            }
            out.push(b'\n');
            return;
        };
        if !line.contains(&delimiter) {
            if !self.only_delimited {
                put(line, out);
            }
            return;
        }
        let fits =
            |place: usize| self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&place));
        let fields = line.split(|byte| *byte == delimiter).enumerate();
        let chosen = fields.filter(|(place, _)| fits(place + 1)).map(|(_, field)| field);
        put(&chosen.collect::<Vec<_>>().join(self.joint.as_slice()), out);
    }
}

impl Filter for Cut {
    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow {
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.take(bytes, |line| {
            self.line(line, out);
            true
        });
        self.pieces = pieces;
        Flow::More
    }

    fn close(&mut self, out: &mut Vec<u8>) -> Flow {
        if let Some(line) = self.pieces.last() {
            self.line(&line, out);
        }
        Flow::More
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
