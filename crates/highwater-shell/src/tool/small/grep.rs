//! `grep`: lines that an expression fits.

use crate::process::Out;
use crate::regex::{Gnu, Regex};
use crate::tool::small::Started;
use crate::tool::small::getopt::Known;
use crate::tool::small::lines::{Pieces, put};
use crate::tool::small::pump::{self, Filter, Flow};
use crate::tool::{Ended, refuse};
use highwater_core::number;

use std::rc::Rc;

const KNOWN: Known = Known {
    tool: "grep",
    short: "EFGPvincoqhHlLswxe:m:",
    long: &[
        ("extended-regexp", b'E'),
        ("fixed-strings", b'F'),
        ("basic-regexp", b'G'),
        ("perl-regexp", b'P'),
        ("invert-match", b'v'),
        ("ignore-case", b'i'),
        ("line-number", b'n'),
        ("count", b'c'),
        ("only-matching", b'o'),
        ("quiet", b'q'),
        ("silent", b'q'),
        ("no-filename", b'h'),
        ("with-filename", b'H'),
        ("files-with-matches", b'l'),
        ("files-without-match", b'L'),
        ("no-messages", b's'),
        ("word-regexp", b'w'),
        ("line-regexp", b'x'),
        ("regexp", b'e'),
        ("max-count", b'm'),
    ],
    status: 2,
};

/// What is shown of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Show {
    Lines,
    Parts,
    Count,
    NameIfFound,
    NameIfNot,
    Nothing,
}

#[derive(Clone, Debug)]
struct Grep {
    regex: Rc<Regex>,
    show: Show,
    inverted: bool,
    whole_words: bool,
    whole_lines: bool,
    numbered: bool,
    named: bool,
    silent: bool,
    most: u64,
    name: Vec<u8>,
    /// Of the line before.
    line: u64,
    found: u64,
    found_any: bool,
    pieces: Pieces,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let given = KNOWN.read(arguments, out)?;
    let mut operands = given.operands.clone();
    let mut patterns: Vec<&[u8]> = Vec::new();
    let options = given.options.iter();
    patterns.extend(options.filter(|(letter, _)| *letter == b'e').map(|(_, value)| &value[..]));
    let first;
    if patterns.is_empty() {
        if operands.is_empty() {
            let text = "Usage: grep [OPTION]... PATTERNS [FILE]...\nTry 'grep --help' for more \
                        information.";
            return Err(refuse(format_args!("{text}"), 2, out));
        }
        first = operands.remove(0);
        patterns.push(&first);
    }
    let mut language = Gnu::Basic;
    for (letter, _) in &given.options {
        language = match letter {
            b'E' => Gnu::Extended,
            b'F' => Gnu::Fixed,
            b'G' => Gnu::Basic,
            b'P' => {
                let text = "grep: -P exists in GNU grep, but Highwater does not have it; use -E";
                return Err(refuse(format_args!("{text}"), 2, out));
            }
            _ => language,
        };
    }
    let most = match given.value(b'm') {
        None => u64::MAX,
        Some(value) => std::str::from_utf8(value)
            .ok()
            .and_then(number::unsigned)
            .ok_or_else(|| refuse(format_args!("grep: invalid max count"), 2, out))?,
    };
    let regex = Regex::gnu(&patterns.join(&b'\n'), language, given.has(b'i'))
        .map_err(|problem| refuse(format_args!("grep: {problem}"), 2, out))?;
    let show = [
        (b'q', Show::Nothing),
        (b'l', Show::NameIfFound),
        (b'L', Show::NameIfNot),
        (b'c', Show::Count),
        (b'o', Show::Parts),
    ];
    let show = show.iter().find(|(letter, _)| given.has(*letter)).map_or(Show::Lines, |of| of.1);
    let grep = Grep {
        regex: Rc::new(regex),
        show,
        inverted: given.has(b'v'),
        whole_words: given.has(b'w'),
        whole_lines: given.has(b'x'),
        numbered: given.has(b'n'),
        named: given.has(b'H') || operands.len() > 1 && !given.has(b'h'),
        silent: given.has(b's'),
        most,
        name: Vec::new(),
        line: 0,
        found: 0,
        found_any: false,
        pieces: Pieces::default(),
    };
    if most == 0 {
        return Err(Ended(1));
    }
    pump::start("grep", Box::new(grep), &operands, out)
}

impl Grep {
    /// The next part of a line that fits.
    fn part(&self, line: &[u8], from: usize) -> Option<(usize, usize)> {
        if self.whole_lines {
            return (from == 0 && self.regex.fits(line)).then_some((0, line.len()));
        }
        let mut from = from;
        loop {
            let (begin, mut end) = self.regex.find(line, from)?;
            if !self.whole_words {
                return Some((begin, end));
            }
            let is_word = |byte: Option<&u8>| {
                byte.is_some_and(|byte| *byte == b'_' || byte.is_ascii_alphanumeric())
            };
            // A shorter text at the same place may be a word.
            loop {
                let before = begin.checked_sub(1).and_then(|place| line.get(place));
                if !is_word(before) && !is_word(line.get(end)) {
                    return Some((begin, end));
                }
                let shorter = (begin..end).rev().find(|shorter| {
                    self.regex.find(&line[..*shorter], begin) == Some((begin, *shorter))
                });
                match shorter {
                    Some(shorter) => end = shorter,
                    None => break,
                }
            }
            from = begin + 1;
            if from > line.len() {
                return None;
            }
        }
    }

    fn line(&mut self, line: &[u8], out: &mut Vec<u8>) -> Flow {
        self.line += 1;
        let part = self.part(line, 0);
        if part.is_some() == self.inverted {
            return Flow::More;
        }
        self.found += 1;
        self.found_any = true;
        match self.show {
            Show::Nothing => return Flow::Stop,
            Show::NameIfFound | Show::NameIfNot => return Flow::Skip,
            Show::Count => {}
            Show::Lines => {
                self.prefix(b':', out);
                put(line, out);
            }
            Show::Parts => self.parts(line, part, out),
        }
        if self.found >= self.most { Flow::Skip } else { Flow::More }
    }

    fn parts(&self, line: &[u8], first: Option<(usize, usize)>, out: &mut Vec<u8>) {
        let mut part = first.filter(|_| !self.inverted);
        while let Some((begin, end)) = part {
            if end > begin {
                self.prefix(b':', out);
                put(&line[begin..end], out);
            }
            let next = if end > begin { end } else { end + 1 };
            part = if next > line.len() { None } else { self.part(line, next) };
        }
    }

    fn prefix(&self, separator: u8, out: &mut Vec<u8>) {
        if self.named {
            out.extend_from_slice(self.shown_name());
            out.push(separator);
        }
        if self.numbered && self.show != Show::Count {
            out.extend(self.line.to_string().into_bytes());
            out.push(separator);
        }
    }

    fn shown_name(&self) -> &[u8] {
        if matches!(self.name.as_slice(), b"" | b"-") { b"(standard input)" } else { &self.name }
    }
}

impl Filter for Grep {
    fn open(&mut self, name: &[u8], _out: &mut Vec<u8>) {
        self.name = name.to_vec();
        self.line = 0;
        self.found = 0;
    }

    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow {
        let mut pieces = std::mem::take(&mut self.pieces);
        let mut flow = Flow::More;
        pieces.take(bytes, |line| {
            flow = self.line(line, out);
            flow == Flow::More
        });
        self.pieces = pieces;
        if flow != Flow::More {
            self.pieces = Pieces::default();
            // What is known of this input is shown at once; standard input is not read on.
            if flow == Flow::Skip {
                self.summary(out);
                self.found = 0;
                self.name.clear();
                self.line = u64::MAX;
            }
        }
        flow
    }

    fn close(&mut self, out: &mut Vec<u8>) -> Flow {
        if self.line == u64::MAX {
            return Flow::More;
        }
        if let Some(line) = self.pieces.last()
            && self.line(&line, out) == Flow::Stop
        {
            return Flow::Stop;
        }
        self.summary(out);
        Flow::More
    }

    fn finish(&mut self, status: u8, _out: &mut Vec<u8>) -> u8 {
        match (self.found_any, self.show, status) {
            (true, Show::Nothing, _) => 0,
            (_, _, 2..) => 2,
            (found, _, _) => u8::from(!found),
        }
    }

    fn is_silent(&self) -> bool {
        self.silent
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}

impl Grep {
    /// What is said of an input at its end.
    fn summary(&mut self, out: &mut Vec<u8>) {
        match self.show {
            Show::Count => {
                self.prefix(b':', out);
                put(self.found.to_string().as_bytes(), out);
            }
            Show::NameIfFound if self.found > 0 => put(self.shown_name(), out),
            Show::NameIfNot if self.found == 0 => {
                self.found_any = true;
                put(self.shown_name(), out);
            }
            _ => {}
        }
    }
}
