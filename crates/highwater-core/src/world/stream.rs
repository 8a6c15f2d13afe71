//! Byte streams between processes, and terminals.

use std::rc::Rc;

use crate::ids::{EventId, ProcessId, StreamId, TerminalId};
use crate::scope::Lab;
use crate::time::SimTime;
use crate::world::files::Files;
use crate::world::process::Fd;

/// What a pipe holds before its writers must wait, as on Linux.
pub(super) const PIPE_CAPACITY: usize = 65_536;

/// The most terminals that inputs open.
pub const MOST_TERMINALS: u32 = 12;

/// A pipe, or prepared input.
#[derive(Clone, Debug, Default)]
pub(super) struct Stream {
    pub(super) bytes: Vec<u8>,
    pub(super) writers: u32,
    pub(super) readers: u32,
    /// A process that waits for bytes.
    pub(super) reading: Option<(ProcessId, Fd)>,
    /// Processes that wait for room.
    pub(super) blocked: Vec<ProcessId>,
    /// The files, in the one stream that is no pipe (`FILES`).
    pub(super) files: Lab<Files>,
}

/// The number under which the files are kept among the streams; no pipe gets it.
pub(super) const FILES: StreamId = StreamId(0);

impl Stream {
    /// Takes out at most a pipe's capacity.
    pub(super) fn take(&mut self) -> Vec<u8> {
        let count = self.bytes.len().min(PIPE_CAPACITY);
        self.bytes.drain(..count).collect()
    }
}

/// A terminal's screen and keyboard.
#[derive(Clone, Debug, Default)]
pub(super) struct Terminal {
    /// Everything shown, oldest first. Shared with snapshots.
    pub(super) output: Vec<Rc<OutputChunk>>,
    /// Lines typed, but not yet read, oldest first; an empty one is Ctrl-D.
    pub(super) typed: Vec<Vec<u8>>,
    /// Processes that wait for a line; the last one to ask gets it.
    pub(super) reading: Vec<(ProcessId, Fd)>,
    /// Who gets Ctrl-C.
    pub(super) foreground: Vec<ProcessId>,
    /// The shell.
    pub(super) shell: Option<ProcessId>,
}

/// A piece of what a terminal shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OutputChunk {
    /// What kind of text it is.
    pub kind: OutputKind,
    /// The text; tools may write any bytes.
    pub bytes: Vec<u8>,
    /// When it appeared.
    pub at: SimTime,
    /// The event that led to it.
    pub cause: Option<EventId>,
}

/// Where text on a terminal comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OutputKind {
    /// A command line that a person typed to the shell.
    Command,
    /// A line that a person typed to a tool.
    Typed,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// What a terminal waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TerminalState {
    /// The shell waits for a command.
    Ready,
    /// A tool in the foreground waits for a line.
    ToolReads,
    /// A tool in the foreground runs.
    Busy,
}

/// What a view needs of a terminal.
#[derive(Clone, Debug)]
pub struct TerminalView {
    /// Which one.
    pub id: TerminalId,
    /// Everything shown, oldest first.
    pub output: Vec<Rc<OutputChunk>>,
    /// What it waits for.
    pub state: TerminalState,
}
