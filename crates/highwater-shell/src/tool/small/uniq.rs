//! `uniq`: lines that follow each other and are alike become one.

use highwater_core::world::files::FileError;

use crate::process::Out;
use crate::tool::refuse;
use crate::tool::small::Started;
use crate::tool::small::getopt::{Known, quoted};
use crate::tool::small::lines::{Pieces, put};
use crate::tool::small::pump::{self, Filter, Flow};

const KNOWN: Known = Known {
    tool: "uniq",
    short: "cdui",
    long: &[("count", b'c'), ("repeated", b'd'), ("unique", b'u'), ("ignore-case", b'i')],
    status: 1,
};

#[derive(Clone, Debug)]
struct Uniq {
    counts: bool,
    only_repeated: bool,
    only_unique: bool,
    folds: bool,
    /// The line of the moment, and how often it came.
    line: Vec<u8>,
    count: u64,
    pieces: Pieces,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let given = KNOWN.read(arguments, out)?;
    if let Some(extra) = given.operands.get(2) {
        return Err(KNOWN.wrong(format_args!("extra operand {}", quoted(extra)), out));
    }
    if given.operands.len() == 2 {
        let text = "uniq: Highwater's uniq has no output file; use `>`";
        return Err(refuse(format_args!("{text}"), 1, out));
    }
    if let Some(name) = given.operands.first()
        && name != b"-"
        && out.read_file(name).err().is_some_and(|error| error != FileError::IsDirectory)
    {
        let text = String::from_utf8_lossy(name);
        return Err(refuse(format_args!("uniq: {text}: No such file or directory"), 1, out));
    }
    let uniq = Uniq {
        counts: given.has(b'c'),
        only_repeated: given.has(b'd'),
        only_unique: given.has(b'u'),
        folds: given.has(b'i'),
        line: Vec::new(),
        count: 0,
        pieces: Pieces::default(),
    };
    pump::start("uniq", Box::new(uniq), &given.operands, out)
}

impl Uniq {
    fn line(&mut self, line: &[u8], out: &mut Vec<u8>) {
        let is_same =
            if self.folds { line.eq_ignore_ascii_case(&self.line) } else { line == self.line };
        if self.count > 0 && is_same {
            self.count += 1;
            return;
        }
        self.show(out);
        self.line = line.to_vec();
        self.count = 1;
    }

    fn show(&mut self, out: &mut Vec<u8>) {
        let hidden = self.only_repeated && self.count == 1 || self.only_unique && self.count > 1;
        if self.count == 0 || hidden {
            return;
        }
        if self.counts {
            out.extend(format!("{:>7} ", self.count).into_bytes());
        }
        put(&self.line, out);
    }
}

impl Filter for Uniq {
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

    fn finish(&mut self, status: u8, out: &mut Vec<u8>) -> u8 {
        self.show(out);
        status
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
