//! `cat`: prints what it reads; `-n` numbers the lines.

use crate::process::Out;
use crate::tool::small::Started;
use crate::tool::small::getopt::Known;
use crate::tool::small::pump::{self, Filter, Flow};

const KNOWN: Known = Known { tool: "cat", short: "nu", long: &[("number", b'n')], status: 1 };

#[derive(Clone, Debug)]
struct Cat {
    /// The number of the line before, if lines are numbered.
    number: Option<u64>,
    in_line: bool,
}

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Started {
    let given = KNOWN.read(arguments, out)?;
    let cat = Cat { number: given.has(b'n').then_some(0), in_line: false };
    pump::start("cat", Box::new(cat), &given.operands, out)
}

impl Filter for Cat {
    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow {
        let Some(number) = self.number.as_mut() else {
            out.extend_from_slice(bytes);
            return Flow::More;
        };
        for line in bytes.split_inclusive(|byte| *byte == b'\n') {
            if !self.in_line {
                *number += 1;
                out.extend(format!("{number:>6}\t").into_bytes());
            }
            out.extend_from_slice(line);
            self.in_line = line.last() != Some(&b'\n');
        }
        Flow::More
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
