//! How a tool that reads texts gets them: files by name, `-` and no name for standard input, one
//! after the other. What it makes of them is its `Filter`.

use std::fmt;

use highwater_core::world::files::FileError;
use highwater_core::world::process::{Fd, ProcessInput};

use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::Ended;
use crate::tool::Next;
use crate::tool::small::{Program, Started};

/// Whether a filter wants to read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// It does.
    More,
    /// Not from this input.
    Skip,
    /// It has all it needs.
    Stop,
}

/// What a tool makes of its inputs.
pub(super) trait Filter: fmt::Debug {
    /// An input begins; `name` is empty for standard input that was not asked for by name.
    fn open(&mut self, _name: &[u8], _out: &mut Vec<u8>) {}
    /// Bytes of it.
    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Flow;
    /// It has ended.
    fn close(&mut self, _out: &mut Vec<u8>) -> Flow {
        Flow::More
    }
    /// There is no more. `status`: of what went wrong so far.
    fn finish(&mut self, status: u8, _out: &mut Vec<u8>) -> u8 {
        status
    }
    /// Whether files that cannot be read are passed over in silence.
    fn is_silent(&self) -> bool {
        false
    }
    /// The same once more.
    fn copy(&self) -> Box<dyn Filter>;
}

impl Clone for Box<dyn Filter> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

#[derive(Clone, Debug)]
struct Pump {
    tool: &'static str,
    filter: Box<dyn Filter>,
    /// Names of what is still to be read; the next one is the last.
    names: Vec<Vec<u8>>,
    status: u8,
}

/// Starts a filter on files, or on standard input if there are none.
pub(super) fn start(
    tool: &'static str,
    filter: Box<dyn Filter>,
    files: &[Vec<u8>],
    out: &mut Out<'_>,
) -> Started {
    let mut names: Vec<_> = files.iter().rev().cloned().collect();
    if names.is_empty() {
        names.push(Vec::new());
    }
    let mut pump = Pump { tool, filter, names, status: 0 };
    match pump.go_on(out) {
        Next::Wait => Ok(Box::new(pump)),
        Next::Exit(status) => Err(Ended(status)),
    }
}

impl Program for Pump {
    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        let mut text = Vec::new();
        let flow = match input {
            ProcessInput::Read(_, bytes) if bytes.is_empty() => {
                match self.filter.close(&mut text) {
                    Flow::More => Flow::Skip,
                    flow => flow,
                }
            }
            ProcessInput::Read(_, bytes) => self.filter.take(bytes, &mut text),
            ProcessInput::Interrupt => return Next::Exit(STATUS_INTERRUPTED),
            _ => return Next::Wait,
        };
        write(text, out);
        match flow {
            Flow::More => {
                out.read(Fd::Stdin);
                Next::Wait
            }
            Flow::Skip => self.go_on(out),
            Flow::Stop => self.finish(out),
        }
    }

    fn copy(&self) -> Box<dyn Program> {
        Box::new(self.clone())
    }
}

impl Pump {
    /// Reads the next files whole, or asks for standard input.
    fn go_on(&mut self, out: &mut Out<'_>) -> Next {
        while let Some(name) = self.names.pop() {
            let mut text = Vec::new();
            if matches!(name.as_slice(), b"" | b"-" | b"/dev/stdin") {
                self.filter.open(&name, &mut text);
                // A filter that wants nothing, as `head -n 0`, does not wait either.
                let flow = self.filter.take(b"", &mut text);
                write(text, out);
                match flow {
                    Flow::More => out.read(Fd::Stdin),
                    Flow::Skip => continue,
                    Flow::Stop => return self.finish(out),
                }
                return Next::Wait;
            }
            let flow = match out.read_file(&name) {
                Ok(bytes) => {
                    self.filter.open(&name, &mut text);
                    match self.filter.take(&bytes, &mut text) {
                        Flow::Stop => Flow::Stop,
                        _ => self.filter.close(&mut text),
                    }
                }
                Err(error) => self.complain(&name, error, out),
            };
            write(text, out);
            if flow == Flow::Stop {
                return self.finish(out);
            }
        }
        self.finish(out)
    }

    /// Says why a file cannot be read; whether the tool stops at that.
    fn complain(&mut self, name: &[u8], error: FileError, out: &mut Out<'_>) -> Flow {
        let tool = self.tool;
        let text = String::from_utf8_lossy(name);
        let is_folder = error == FileError::IsDirectory;
        self.status = 1;
        let message = match tool {
            "head" | "tail" if is_folder => format!("{tool}: error reading '{text}': {error}"),
            "head" | "tail" => format!("{tool}: cannot open '{text}' for reading: {error}"),
            "sort" if is_folder => format!("sort: read failed: {text}: {error}"),
            "sort" => format!("sort: cannot read: {text}: {error}"),
            "uniq" if is_folder => format!("uniq: error reading '{text}'"),
            _ => format!("{tool}: {text}: {error}"),
        };
        if !self.filter.is_silent() {
            out.print(Fd::Stderr, format_args!("{message}\n"));
        }
        match tool {
            "sort" => {
                // Nothing is sorted if something is missing.
                self.names.clear();
                self.filter = Box::new(Nothing);
                self.status = 2;
                Flow::Stop
            }
            "grep" => {
                self.status = 2;
                Flow::More
            }
            _ => Flow::More,
        }
    }

    fn finish(&mut self, out: &mut Out<'_>) -> Next {
        let mut text = Vec::new();
        let status = self.filter.finish(self.status, &mut text);
        write(text, out);
        Next::Exit(status)
    }
}

fn write(text: Vec<u8>, out: &mut Out<'_>) {
    if !text.is_empty() {
        out.write(Fd::Stdout, text);
    }
}

/// A filter that does nothing.
#[derive(Clone, Debug)]
struct Nothing;

impl Filter for Nothing {
    fn take(&mut self, _bytes: &[u8], _out: &mut Vec<u8>) -> Flow {
        Flow::Stop
    }

    fn copy(&self) -> Box<dyn Filter> {
        Box::new(self.clone())
    }
}
