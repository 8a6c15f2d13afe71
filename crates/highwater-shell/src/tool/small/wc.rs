//! `wc`: counts lines, words, bytes and characters.

use crate::process::Out;
use crate::tool::small::Started;
use crate::tool::small::getopt::Known;
use crate::tool::small::pump::{self, Filter, Flow};

const KNOWN: Known = Known {
    tool: "wc",
    short: "lwcm",
    long: &[("lines", b'l'), ("words", b'w'), ("bytes", b'c'), ("chars", b'm')],
    status: 1,
};

#[derive(Clone, Copy, Debug, Default)]
struct Counts {
    lines: u64,
    words: u64,
    characters: u64,
    bytes: u64,
}

#[derive(Clone, Debug)]
struct Wc {
    /// Which counts are shown: lines, words, characters, bytes.
    shown: [bool; 4],
    width: usize,
    /// Whether a line with the sums follows.
    has_total: bool,
    name: Vec<u8>,
    in_word: bool,
    counts: Counts,
    total: Counts,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let given = KNOWN.read(arguments, out)?;
    let mut shown = [b'l', b'w', b'm', b'c'].map(|letter| given.has(letter));
    if !shown.contains(&true) {
        shown = [true, true, false, true];
    }
    let files = &given.operands;
    let is_one = shown.iter().filter(|is_shown| **is_shown).count() == 1;
    let wc = Wc {
        shown,
        width: if files.len() < 2 && is_one { 1 } else { width(files, out) },
        has_total: files.len() > 1,
        name: Vec::new(),
        in_word: false,
        counts: Counts::default(),
        total: Counts::default(),
    };
    pump::start("wc", Box::new(wc), files, out)
}

/// GNU makes columns as wide as the bytes of all files together need; seven for other inputs.
fn width(files: &[Vec<u8>], out: &Out<'_>) -> usize {
    let mut total = 0;
    let mut least = if files.is_empty() { 7 } else { 1 };
    for (place, name) in files.iter().enumerate() {
        match out.read_file(name) {
            Ok(bytes) => total += bytes.len(),
            Err(highwater_core::world::files::FileError::NotFound) if name != b"-" => {
                // The first file decides whether sizes are known at all.
                if place == 0 {
                    return 1;
                }
            }
            Err(_) => least = 7,
        }
    }
    total.to_string().len().max(least)
}

impl Counts {
    fn numbers(self) -> [u64; 4] {
        [self.lines, self.words, self.characters, self.bytes]
    }
}

impl Wc {
    fn show(&self, counts: Counts, name: &[u8], out: &mut Vec<u8>) {
        let mut gap = "";
        for (number, _) in counts.numbers().iter().zip(self.shown).filter(|(_, shown)| *shown) {
            let width = self.width;
            out.extend(format!("{gap}{number:>width$}").into_bytes());
            gap = " ";
        }
        if !name.is_empty() {
            out.push(b' ');
            out.extend_from_slice(name);
        }
        out.push(b'\n');
    }
}

impl Filter for Wc {
    fn open(&mut self, name: &[u8], _out: &mut Vec<u8>) {
        self.counts = Counts::default();
        self.in_word = false;
        self.name = name.to_vec();
    }

    fn take(&mut self, bytes: &[u8], _out: &mut Vec<u8>) -> Flow {
        for byte in bytes {
            self.counts.bytes += 1;
            self.counts.characters += u64::from(byte & 0xc0 != 0x80);
            self.counts.lines += u64::from(*byte == b'\n');
            let is_blank = matches!(byte, b' ' | 0x09..=0x0d);
            let is_graphic = byte.is_ascii_graphic() || !byte.is_ascii();
            if is_blank {
                self.in_word = false;
            } else if is_graphic && !self.in_word {
                self.in_word = true;
                self.counts.words += 1;
            }
        }
        Flow::More
    }

    fn close(&mut self, out: &mut Vec<u8>) -> Flow {
        self.show(self.counts, &self.name, out);
        let Counts { lines, words, characters, bytes } = self.counts;
        self.total.lines += lines;
        self.total.words += words;
        self.total.characters += characters;
        self.total.bytes += bytes;
        Flow::More
    }

    fn finish(&mut self, status: u8, out: &mut Vec<u8>) -> u8 {
        if self.has_total {
            self.show(self.total, b"total", out);
        }
        status
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
