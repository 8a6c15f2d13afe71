//! `tail`: the last lines or bytes of what it reads, or all from a place on.

use crate::process::Out;
use crate::tool::refuse;
use crate::tool::small::Started;
use crate::tool::small::getopt::{Known, quoted};
use crate::tool::small::head::{Headers, modern, size};
use crate::tool::small::pump::{self, Filter, Flow};

const KNOWN: Known = Known {
    tool: "tail",
    short: "n:c:qvf",
    long: &[("lines", b'n'), ("bytes", b'c'), ("quiet", b'q'), ("verbose", b'v'), ("follow", b'f')],
    status: 1,
};

#[derive(Clone, Debug)]
struct Tail {
    lines: bool,
    count: usize,
    /// `+N`: from the N-th on. What is still to be left out.
    skipped: Option<usize>,
    left: usize,
    held: Vec<u8>,
    headers: Headers,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let given = KNOWN.read(&modern(arguments), out)?;
    if given.has(b'f') {
        let message = format_args!("tail: -f exists in GNU tail, but Highwater does not have it");
        return Err(refuse(message, 1, out));
    }
    let headers = Headers::new(given.has(b'q'), given.has(b'v'), given.operands.len());
    let mut tail =
        Tail { lines: true, count: 10, skipped: None, left: 0, held: Vec::new(), headers };
    for (letter, value) in &given.options {
        tail.lines = match letter {
            b'n' => true,
            b'c' => false,
            _ => continue,
        };
        let from = value.strip_prefix(b"+");
        let digits = from.or(value.strip_prefix(b"-")).unwrap_or(value);
        let count = size(digits).ok_or_else(|| {
            let what = if tail.lines { "lines" } else { "bytes" };
            refuse(format_args!("tail: invalid number of {what}: {}", quoted(value)), 1, out)
        })?;
        tail.count = usize::try_from(count).unwrap_or(usize::MAX);
        tail.skipped = from.map(|_| tail.count.saturating_sub(1));
    }
    pump::start("tail", Box::new(tail), &given.operands, out)
}

impl Tail {
    /// Where the last lines or bytes of what is held begin.
    fn begin(&self) -> usize {
        if !self.lines {
            return self.held.len().saturating_sub(self.count);
        }
        let mut left = self.count;
        if left == 0 {
            return self.held.len();
        }
        let body = self.held.strip_suffix(b"\n").unwrap_or(&self.held);
        for (place, byte) in body.iter().enumerate().rev() {
            if *byte == b'\n' {
                left -= 1;
                if left == 0 {
                    return place + 1;
                }
            }
        }
        0
    }
}

impl Filter for Tail {
    fn open(&mut self, name: &[u8], out: &mut Vec<u8>) {
        self.left = self.skipped.unwrap_or(0);
        self.headers.show(name, out);
    }

    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow {
        if self.skipped.is_none() {
            self.held.extend_from_slice(bytes);
            // Only the end of it can be needed.
            if self.held.len() > 1 << 20 {
                let begin = self.begin();
                self.held.drain(..begin);
            }
            return Flow::More;
        }
        let mut rest = bytes;
        while self.left > 0 && !rest.is_empty() {
            let length = if self.lines {
                match rest.iter().position(|byte| *byte == b'\n') {
                    Some(end) => end + 1,
                    None => return Flow::More,
                }
            } else {
                1
            };
            rest = &rest[length..];
            self.left -= 1;
        }
        out.extend_from_slice(rest);
        Flow::More
    }

    fn close(&mut self, out: &mut Vec<u8>) -> Flow {
        out.extend_from_slice(&self.held[self.begin()..]);
        self.held.clear();
        Flow::More
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
