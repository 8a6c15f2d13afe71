//! A session: a cluster, one terminal, and lines typed at it. Transcripts are played by it.

use std::rc::Rc;

use highwater_core::error::CommandError;
use highwater_core::ids::TerminalId;
use highwater_core::time::SimDuration;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::stream::{OutputKind, TerminalState};
use highwater_core::world::timeline::Timeline;

use crate::lang::Missing;
use crate::process::ShellProcess;
use crate::transcript::Transcript;

/// How long a transcript's command may run before it is stopped (`[exit 124]`).
pub const RUN_LIMIT: SimDuration = SimDuration::from_millis(600_000);
/// How long a command typed while the page is paused may run.
pub const ENTER_LIMIT: SimDuration = SimDuration::from_millis(60_000);
/// Exit status of a command that was stopped because it ran too long.
const STATUS_TIMED_OUT: u8 = 124;

/// A cluster with a terminal, and its timeline.
#[derive(Clone, Debug)]
pub struct Session {
    timeline: Timeline<ShellProcess>,
    terminal: TerminalId,
}

/// What a command printed and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Lines of standard output and standard error, as they came.
    pub output: Vec<String>,
    /// Its exit status.
    pub exit: u8,
}

impl Session {
    /// A new cluster.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn new(options: ClusterOptions) -> Result<Self, CommandError> {
        Self::with_shell(options, ShellProcess::shell)
    }

    /// A new cluster whose terminal runs a shell of this kind.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn with_shell(
        options: ClusterOptions,
        shell: fn() -> ShellProcess,
    ) -> Result<Self, CommandError> {
        let (timeline, terminal) = Timeline::begin(options, shell)?;
        Ok(Self { timeline, terminal })
    }

    /// The timeline.
    #[must_use]
    pub fn timeline(&self) -> &Timeline<ShellProcess> {
        &self.timeline
    }

    /// The timeline, to move in it.
    pub fn timeline_mut(&mut self) -> &mut Timeline<ShellProcess> {
        &mut self.timeline
    }

    /// The terminal.
    #[must_use]
    pub fn terminal(&self) -> TerminalId {
        self.terminal
    }

    /// What the terminal waits for.
    #[must_use]
    pub fn state(&self) -> TerminalState {
        self.timeline.world().terminal_state(self.terminal).unwrap_or(TerminalState::Busy)
    }

    /// What the command typed so far still lacks, in words; `None` at the start of a command.
    #[must_use]
    pub fn missing(&self) -> Option<&'static str> {
        self.missing_at(self.terminal)
    }

    /// The same of another terminal.
    #[must_use]
    pub fn missing_at(&self, terminal: TerminalId) -> Option<&'static str> {
        match self.timeline.world().shell(terminal)? {
            ShellProcess::Shell(shell) => shell.missing().map(Missing::as_str),
            ShellProcess::Tool(_) => None,
        }
    }

    /// The exit status of the last command.
    #[must_use]
    pub fn status(&self) -> u8 {
        match self.timeline.world().shell(self.terminal) {
            Some(ShellProcess::Shell(shell)) => shell.status(),
            _ => 0,
        }
    }

    /// Types a line and runs until the terminal waits again, `limit` at most.
    ///
    /// # Errors
    /// The line is refused; nothing changes.
    pub fn type_line(&mut self, line: &str, limit: SimDuration) -> Result<(), CommandError> {
        self.timeline.input(self.terminal, InputKind::Line(line.to_owned()), limit)
    }

    /// Runs one command of a transcript to its end.
    ///
    /// # Errors
    /// The command is refused; nothing changes.
    pub fn run(&mut self, command: &str) -> Result<Outcome, CommandError> {
        let before = self.output_length();
        self.type_line(command, RUN_LIMIT)?;
        // A transcript has nobody at the terminal: what reads from it gets the end of the input.
        while self.state() == TerminalState::ToolReads {
            self.timeline.input(self.terminal, InputKind::EndOfInput, RUN_LIMIT)?;
        }
        let mut exit = None;
        if self.state() == TerminalState::Busy {
            self.timeline.input(self.terminal, InputKind::Interrupt, RUN_LIMIT)?;
            exit = Some(STATUS_TIMED_OUT);
        }
        if self.missing().is_some() {
            self.timeline.input(self.terminal, InputKind::EndOfInput, RUN_LIMIT)?;
        }
        Ok(Outcome { output: self.output_since(before), exit: exit.unwrap_or(self.status()) })
    }

    /// How many pieces of output there are; for [`Session::output_since`].
    #[must_use]
    pub fn output_length(&self) -> usize {
        self.timeline.world().output(self.terminal).len()
    }

    /// Lines of standard output and standard error, from a piece on.
    #[must_use]
    pub fn output_since(&self, first: usize) -> Vec<String> {
        let chunks = self.timeline.world().output(self.terminal);
        let mut bytes = Vec::new();
        for chunk in chunks.iter().skip(first) {
            if matches!(chunk.kind, OutputKind::Stdout | OutputKind::Stderr) {
                bytes.extend_from_slice(&chunk.bytes);
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let text = text.strip_suffix('\n').unwrap_or(&text);
        if bytes.is_empty() { Vec::new() } else { text.split('\n').map(str::to_owned).collect() }
    }
}

/// The cluster that a transcript asks for.
#[must_use]
pub fn options_of(transcript: &Transcript, base: &ClusterOptions) -> ClusterOptions {
    let broker_settings = Rc::new(transcript.broker_properties.clone());
    ClusterOptions { brokers: transcript.brokers, broker_settings, ..base.clone() }
        .with_own_settings(transcript.own_properties.clone())
}

/// Plays a transcript: the outcome of each of its commands.
///
/// # Errors
/// The cluster cannot be made, or a command is refused.
pub fn play(transcript: &Transcript, base: &ClusterOptions) -> Result<Vec<Outcome>, CommandError> {
    session_of(transcript, options_of(transcript, base)).map(|(_, outcomes)| outcomes)
}

/// Plays a transcript on a cluster of this kind: the session at its end, and the outcome of each command.
///
/// # Errors
/// The cluster cannot be made, or a command is refused.
pub fn session_of(
    transcript: &Transcript,
    options: ClusterOptions,
) -> Result<(Session, Vec<Outcome>), CommandError> {
    let mut session = Session::new(options)?;
    let outcomes = transcript.blocks.iter().map(|block| session.run(&block.command));
    let outcomes = outcomes.collect::<Result<_, _>>()?;
    Ok((session, outcomes))
}
