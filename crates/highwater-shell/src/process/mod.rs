//! What runs at a terminal: the shell itself, and the commands that it starts.

use highwater_core::world::process::{Process, ProcessInput, ProcessOutbox};

use crate::tool::Tool;

mod builtin;
mod environment;
mod jobs;
pub mod outside;
mod redirect;
mod run;
pub mod shell;

/// Any process of this crate: what a `World` of Highwater runs.
#[derive(Clone, Debug)]
pub enum ShellProcess {
    /// The shell of a terminal.
    Shell(shell::Shell),
    /// A command.
    Tool(Tool),
}

/// The outbox of our processes.
pub type Out<'a> = ProcessOutbox<'a, ShellProcess>;

impl ShellProcess {
    /// A shell for a new terminal.
    #[must_use]
    pub fn shell() -> Self {
        Self::Shell(shell::Shell::new())
    }

    /// A shell that has programs of the host started for it, where the starter has one for a name.
    #[must_use]
    pub fn shell_with_programs(starter: outside::Starter) -> Self {
        Self::Shell(shell::Shell::with_programs(starter))
    }
}

impl Process for ShellProcess {
    fn name(&self) -> &str {
        match self {
            Self::Shell(_) => "shell",
            Self::Tool(tool) => tool.name(),
        }
    }

    fn ends_without_reader(&self) -> bool {
        match self {
            Self::Shell(_) => false,
            Self::Tool(tool) => !tool.is_java(),
        }
    }

    fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) {
        match self {
            Self::Shell(shell) => shell.handle(input, out),
            Self::Tool(tool) => tool.handle(input, out),
        }
    }
}
