//! `cat` and `head` in a page about one broker: standard input only, and `head -n LINES`. What reads
//! files and takes more options costs such a page too many bytes.

use highwater_core::number;
use highwater_core::world::process::{Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::{Ended, Next, refuse};

/// A running tool.
#[derive(Clone, Debug)]
pub(crate) enum Simple {
    Cat,
    /// With the lines that are still to be printed.
    Head(u64),
    Sleep,
}

pub(super) fn cat(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Simple, Ended> {
    match arguments.first() {
        Some(name) if name != b"-" => {
            let name = String::from_utf8_lossy(name);
            let message = format_args!("cat: {name}: files are not built yet; cat reads its input");
            Err(refuse(message, 1, out))
        }
        _ => {
            out.read(Fd::Stdin);
            Ok(Simple::Cat)
        }
    }
}

pub(super) fn head(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Simple, Ended> {
    let count = match arguments {
        [] => Some(b"10".as_slice()),
        [flag, count] if flag == b"-n" => Some(count.as_slice()),
        [one] => one.strip_prefix(b"-n").or_else(|| one.strip_prefix(b"-")),
        _ => None,
    };
    let count = count.and_then(|count| std::str::from_utf8(count).ok());
    match count.and_then(number::unsigned) {
        Some(0) => Err(Ended(0)),
        Some(left) => {
            out.read(Fd::Stdin);
            Ok(Simple::Head(left))
        }
        None => Err(refuse(format_args!("head: usage here: head [-n LINES]"), 1, out)),
    }
}

impl Simple {
    pub(crate) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        let bytes = match input {
            ProcessInput::Interrupt => return Next::Exit(STATUS_INTERRUPTED),
            ProcessInput::Timer(_) => return Next::Exit(0),
            ProcessInput::Read(_, bytes) => bytes,
            _ => return Next::Wait,
        };
        if bytes.is_empty() {
            return Next::Exit(0);
        }
        let mut end = bytes.len();
        if let Self::Head(left) = self {
            let lines = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
            for (place, _) in lines {
                *left -= 1;
                if *left == 0 {
                    end = place + 1;
                    break;
                }
            }
        }
        out.write(Fd::Stdout, &bytes[..end]);
        if matches!(self, Self::Head(0)) {
            return Next::Exit(0);
        }
        out.read(Fd::Stdin);
        Next::Wait
    }
}
