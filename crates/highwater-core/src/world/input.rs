//! Inputs: the only way in which anything enters the world.

use crate::ids::TerminalId;
use crate::scope::Lab;
use crate::time::SimTime;
use crate::world::fault::Fault;

/// Something a person did, and when.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Input {
    /// When it was done. It takes effect after everything that is due until then.
    pub at: SimTime,
    /// At which terminal. The one behind the last is opened by its first input, with a shell like the others'.
    pub terminal: TerminalId,
    /// What was done.
    pub kind: InputKind,
}

/// What a person can do at a terminal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum InputKind {
    /// Type a line and press Enter. A command with a heredoc is one line with line breaks in it.
    Line(String),
    /// Press Ctrl-D: the end of what the reading process gets.
    EndOfInput,
    /// Press Ctrl-C: interrupts the processes in the foreground.
    Interrupt,
    /// Do something to the cluster, whatever the terminal is busy with. Its text form is the line of
    /// `hw` that does the same.
    Fault(Lab<Fault>),
}

impl InputKind {
    /// Something that is done to the cluster.
    #[must_use]
    pub fn fault(fault: Fault) -> Self {
        Self::Fault(Lab::new(fault))
    }
}
