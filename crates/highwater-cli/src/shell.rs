//! `highwater shell`: a prompt over a new cluster.
//!
//! Virtual time passes while a command runs and stands still while the person types.

mod prompt;

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use highwater_core::error::CommandError;
use highwater_core::time::SimDuration;
use highwater_core::world::input::InputKind;
use highwater_core::world::stream::{OutputKind, TerminalState};
use highwater_shell::link::{SessionLog, decode, replay, script};
use highwater_shell::session::{ENTER_LIMIT, Session};

use self::prompt::{Key, Keyboard, Takes};
use crate::play::ClusterArgs;

/// What `highwater shell` is asked for.
#[derive(Debug, clap::Args)]
pub(crate) struct ShellArgs {
    /// How many brokers
    #[arg(long, default_value_t = 3)]
    brokers: u32,
    /// Go on with the session of a link
    #[arg(long, value_name = "URL")]
    link: Option<String>,
    /// At the end, write what was done as a transcript
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    #[command(flatten)]
    cluster: ClusterArgs,
}

/// Lets a person type until the shell ends; what is to be printed then.
pub(crate) fn shell(args: &ShellArgs) -> Result<String, String> {
    let mut keyboard = Keyboard::open(io::stdin().is_terminal()).map_err(|why| why.to_string())?;
    let session = begin(args)?;
    let has_prompts = keyboard.is_person();
    let mut console = Console { session, shown: 0, tail: String::new(), has_prompts };
    if keyboard.is_person() {
        println!(
            "A Kafka cluster of {} brokers at localhost:9092. `hw help` tells what there is; Ctrl-D ends.",
            console.session.timeline().world().options().brokers
        );
    }
    console.show();
    loop {
        let key = keyboard
            .read(&console.prompt(), console.takes(), &console.session.timeline().snapshot())
            .map_err(|why| format!("cannot read what is typed: {why}"))?;
        if !console.press(key) {
            break;
        }
    }
    keyboard.close();
    let Some(path) = &args.save else { return Ok(String::new()) };
    let log = SessionLog::of(console.session.timeline());
    let text = script(&log).map_err(|why| why.to_string())?;
    fs::write(path, text).map_err(|why| format!("cannot write {}: {why}", path.display()))?;
    Ok(format!("wrote {}\n", path.display()))
}

fn begin(args: &ShellArgs) -> Result<Session, String> {
    let Some(link) = &args.link else {
        let mut options = args.cluster.first();
        options.brokers = args.brokers;
        return Session::new(options).map_err(|why| why.to_string());
    };
    let opened = decode(link).map_err(|why| why.to_string())?;
    let played = replay(&opened.log).map_err(|why| why.to_string())?;
    for note in opened.notes.iter().chain(&played.notes) {
        eprintln!("{note}");
    }
    Ok(played.session)
}

/// The session and what of it has been shown.
struct Console {
    session: Session,
    shown: usize,
    /// The line that a tool has begun: its prompt.
    tail: String,
    has_prompts: bool,
}

impl Console {
    /// What the next thing typed is for.
    fn takes(&self) -> Takes {
        if self.session.state() == TerminalState::Ready { Takes::Commands } else { Takes::Lines }
    }

    /// What stands before the place where the person types.
    fn prompt(&self) -> String {
        let own = match self.session.state() {
            TerminalState::Ready if self.session.missing().is_none() => "$ ",
            // The shell and the tool have said what they want.
            TerminalState::Ready | TerminalState::ToolReads => "",
            TerminalState::Busy => "(still running: Enter lets 60 s pass, Ctrl-C ends it) ",
        };
        format!("{}{own}", self.tail)
    }

    /// Does what was typed; whether to go on.
    fn press(&mut self, key: Key) -> bool {
        let is_fresh = self.session.missing().is_none();
        let done = match (key, self.session.state()) {
            (Key::End, TerminalState::Ready) if is_fresh => return false,
            (Key::Interrupt, TerminalState::Ready) if is_fresh => Ok(()),
            (Key::Line(line), TerminalState::Busy) if line.is_empty() => {
                self.pass(ENTER_LIMIT);
                Ok(())
            }
            (Key::Line(line), TerminalState::Ready) if is_fresh && is_exit(&line) => return false,
            (Key::Line(line), _) => self.give(InputKind::Line(line)),
            (Key::End, _) => self.give(InputKind::EndOfInput),
            (Key::Interrupt, _) => self.give(InputKind::Interrupt),
        };
        if let Err(why) = done {
            eprintln!("{why}");
        }
        self.show();
        true
    }

    fn give(&mut self, kind: InputKind) -> Result<(), CommandError> {
        let terminal = self.session.terminal();
        self.session.timeline_mut().input(terminal, kind, ENTER_LIMIT)
    }

    /// Lets time pass until the terminal waits, so long at most.
    fn pass(&mut self, span: SimDuration) {
        let end = self.session.timeline().world().now() + span;
        while self.session.state() == TerminalState::Busy {
            let due = self.session.timeline().world().next_due();
            if due.is_none_or(|due| due > end) || !self.session.timeline_mut().step() {
                self.session.timeline_mut().run_until(end);
                break;
            }
        }
    }

    /// Prints what has come since the last time. Of a person's the last line, if it has no end, becomes the prompt.
    fn show(&mut self) {
        let output = self.session.timeline().world().output(self.session.terminal());
        let mut bytes = Vec::new();
        for chunk in output.iter().skip(self.shown) {
            if matches!(chunk.kind, OutputKind::Stdout | OutputKind::Stderr) {
                bytes.extend_from_slice(&chunk.bytes);
            }
        }
        self.shown = output.len();
        let lines = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let tail = if self.has_prompts { bytes.split_off(lines) } else { Vec::new() };
        self.tail = String::from_utf8_lossy(&tail).into_owned();
        let mut stdout = io::stdout().lock();
        // A reader that has gone needs no more.
        let _ = stdout.write_all(&bytes).and_then(|()| stdout.flush());
    }
}

/// `exit`, with or without a status: the person has enough. A terminal of the cluster's never ends.
fn is_exit(line: &str) -> bool {
    line.split_whitespace().next() == Some("exit") && !line.contains([';', '|', '&'])
}
