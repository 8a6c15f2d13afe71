//! `echo`: prints its words, with `-n`, `-e` and `-E` as bash's own.

use highwater_core::scope;
use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::small::escape::{self, Style};
use crate::tool::{Ended, refuse};

pub(super) fn run(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    let mut words = arguments;
    let (mut newline, mut escapes) = (true, false);
    while let Some((flags, rest)) = words.split_first() {
        let [b'-', letters @ ..] = flags.as_slice() else { break };
        if letters.is_empty() || !letters.iter().all(|letter| b"neE".contains(letter)) {
            break;
        }
        for letter in letters {
            match letter {
                b'n' => newline = false,
                letter => escapes = *letter == b'e',
            }
        }
        words = rest;
    }
    let mut line = words.join(&b' ');
    if escapes {
        if !scope::CLUSTER {
            let message = "echo: -e is not built here; use printf, which knows \\n and \\t";
            return refuse(format_args!("{message}"), 1, out);
        }
        let (text, is_cut) = escape::expand(&line, Style::Echo);
        line = text;
        newline &= !is_cut;
    }
    if newline {
        line.push(b'\n');
    }
    out.write(Fd::Stdout, line);
    Ended(0)
}
