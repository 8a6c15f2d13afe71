//! `head`: the first lines or bytes of what it reads.

use highwater_core::number;

use crate::process::Out;
use crate::tool::refuse;
use crate::tool::small::Started;
use crate::tool::small::getopt::{Known, quoted};
use crate::tool::small::pump::{self, Filter, Flow};

const KNOWN: Known = Known {
    tool: "head",
    short: "n:c:qv",
    long: &[("lines", b'n'), ("bytes", b'c'), ("quiet", b'q'), ("verbose", b'v')],
    status: 1,
};

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unit {
    Lines,
    Bytes,
}

#[derive(Clone, Debug)]
struct Head {
    unit: Unit,
    count: u64,
    left: u64,
    /// All but the last ones: what may still be among them.
    held: Option<Vec<u8>>,
    headers: Headers,
}

/// The `==> name <==` between files.
#[derive(Clone, Debug)]
pub(super) struct Headers {
    shown: bool,
    is_first: bool,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let mut head = Head {
        unit: Unit::Lines,
        count: 10,
        left: 0,
        held: None,
        headers: Headers::new(false, false, 0),
    };
    let given = KNOWN.read(&modern(arguments), out)?;
    for (letter, value) in &given.options {
        head.unit = match letter {
            b'n' => Unit::Lines,
            b'c' => Unit::Bytes,
            _ => continue,
        };
        let all_but = value.strip_prefix(b"-");
        head.held = all_but.map(|_| Vec::new());
        head.count = size(all_but.unwrap_or(value)).ok_or_else(|| {
            let what = if *letter == b'n' { "lines" } else { "bytes" };
            refuse(format_args!("head: invalid number of {what}: {}", quoted(value)), 1, out)
        })?;
    }
    head.headers = Headers::new(given.has(b'q'), given.has(b'v'), given.operands.len());
    pump::start("head", Box::new(head), &given.operands, out)
}

/// `head -5` and `tail -5` as `-n 5`.
pub(super) fn modern(arguments: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut arguments = arguments.to_vec();
    if let Some(first) = arguments.first_mut()
        && let Some(digits) = first.strip_prefix(b"-")
        && !digits.is_empty()
        && digits.iter().all(u8::is_ascii_digit)
    {
        *first = [b"-n", digits].concat();
    }
    arguments
}

/// A number with one of GNU's units behind it.
pub(super) fn size(text: &[u8]) -> Option<u64> {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let count = number::unsigned(std::str::from_utf8(&text[..end]).ok()?)?;
    let unit = match &text[end..] {
        b"" => 1,
        b"b" => 512,
        b"kB" => 1_000,
        b"K" | b"k" | b"KiB" => 1 << 10,
        b"MB" => 1_000_000,
        b"M" | b"m" | b"MiB" => 1 << 20,
        _ => return None,
    };
    count.checked_mul(unit)
}

impl Headers {
    pub(super) fn new(quiet: bool, verbose: bool, files: usize) -> Self {
        Self { shown: verbose || files > 1 && !quiet, is_first: true }
    }

    pub(super) fn show(&mut self, name: &[u8], out: &mut Vec<u8>) {
        if self.shown {
            let gap = if self.is_first { "" } else { "\n" };
            self.is_first = false;
            let is_input = matches!(name, b"" | b"-");
            let name = if is_input { b"standard input" } else { name };
            let name = String::from_utf8_lossy(name);
            out.extend(format!("{gap}==> {name} <==\n").into_bytes());
        }
    }
}

impl Filter for Head {
    fn open(&mut self, name: &[u8], out: &mut Vec<u8>) {
        self.left = self.count;
        self.headers.show(name, out);
    }

    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow {
        if let Some(held) = &mut self.held {
            held.extend_from_slice(bytes);
            return Flow::More;
        }
        let mut end = bytes.len();
        if self.unit == Unit::Lines {
            if self.left == 0 {
                return Flow::Skip;
            }
            for (place, byte) in bytes.iter().enumerate() {
                if *byte == b'\n' {
                    self.left -= 1;
                    if self.left == 0 {
                        end = place + 1;
                        break;
                    }
                }
            }
        } else {
            end = end.min(usize::try_from(self.left).unwrap_or(usize::MAX));
            self.left -= end as u64;
        }
        out.extend_from_slice(&bytes[..end]);
        if self.left == 0 { Flow::Skip } else { Flow::More }
    }

    fn close(&mut self, out: &mut Vec<u8>) -> Flow {
        if let Some(held) = self.held.as_mut().map(std::mem::take) {
            let dropped = usize::try_from(self.count).unwrap_or(usize::MAX);
            let end = match self.unit {
                Unit::Bytes => held.len().saturating_sub(dropped),
                Unit::Lines => {
                    let lines = held.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::len);
                    let lines: Vec<_> = lines.collect();
                    lines.iter().take(lines.len().saturating_sub(dropped)).sum()
                }
            };
            out.extend_from_slice(&held[..end]);
        }
        Flow::More
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
