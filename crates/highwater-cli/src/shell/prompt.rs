//! What a person types: with editing, history and completion at a terminal, line by line from a file or pipe.

use std::env;
use std::fs;
use std::io::{self, BufRead, StdinLock};
use std::path::PathBuf;

use highwater_core::world::snapshot::Snapshot;
use highwater_shell::complete::complete;
use highwater_shell::lang::{Extent, first_command};
use rustyline::completion::{Completer, Pair};
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::FileHistory;
use rustyline::validate::Validator;
use rustyline::{CompletionType, Config, Context, Editor, Helper};

/// One thing that was typed.
pub(super) enum Key {
    Line(String),
    /// Ctrl-D, or the end of the file.
    End,
    /// Ctrl-C.
    Interrupt,
}

/// What is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    /// The shell's commands.
    Commands,
    /// Lines for a tool.
    Lines,
}

/// Where it comes from.
pub(super) enum Keyboard {
    Person(Box<Editor<Names, FileHistory>>),
    File(StdinLock<'static>),
}

impl Keyboard {
    pub(super) fn open(is_person: bool) -> Result<Self, ReadlineError> {
        if !is_person {
            return Ok(Self::File(io::stdin().lock()));
        }
        let config = Config::builder().completion_type(CompletionType::List).build();
        let mut editor = Editor::with_config(config)?;
        editor.set_helper(Some(Names::default()));
        if let Some(path) = history_path() {
            // The first time there is none.
            let _ = editor.load_history(&path);
        }
        Ok(Self::Person(Box::new(editor)))
    }

    pub(super) fn is_person(&self) -> bool {
        matches!(self, Self::Person(_))
    }

    /// Waits for the next thing.
    pub(super) fn read(
        &mut self,
        prompt: &str,
        takes: Takes,
        now: &Snapshot,
    ) -> Result<Key, ReadlineError> {
        let editor = match self {
            Self::Person(editor) => editor,
            Self::File(lines) => return Ok(from_file(lines, takes)?),
        };
        if let Some(names) = editor.helper_mut() {
            names.now = Some(now.clone());
        }
        match editor.readline(prompt) {
            Ok(line) => {
                editor.add_history_entry(&line)?;
                Ok(Key::Line(line))
            }
            Err(ReadlineError::Interrupted) => Ok(Key::Interrupt),
            Err(ReadlineError::Eof) => Ok(Key::End),
            Err(why) => Err(why),
        }
    }

    /// Keeps the history for the next time; a session is not lost because that cannot be written.
    pub(super) fn close(&mut self) {
        if let (Self::Person(editor), Some(path)) = (self, history_path())
            && path.parent().is_some_and(|folder| fs::create_dir_all(folder).is_ok())
            && let Err(why) = editor.save_history(&path)
        {
            eprintln!("the history was not kept: cannot write {}: {why}", path.display());
        }
    }
}

/// The next line; of a command all lines, so that the shell does not ask a file for the rest.
fn from_file(lines: &mut StdinLock<'static>, takes: Takes) -> io::Result<Key> {
    let mut text = Vec::new();
    loop {
        let before = text.len();
        if lines.read_until(b'\n', &mut text)? == 0 && before == 0 {
            return Ok(Key::End);
        }
        let is_over = text.len() == before;
        let line = text.strip_suffix(b"\n").unwrap_or(&text);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let is_whole =
            takes == Takes::Lines || matches!(first_command(line), Extent::Complete { .. });
        if is_over || is_whole {
            return Ok(Key::Line(String::from_utf8_lossy(line).into_owned()));
        }
    }
}

/// Where the history is kept (XDG's folder for what a program remembers).
fn history_path() -> Option<PathBuf> {
    let state = env::var_os("XDG_STATE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let state = state.or_else(|| Some(env::home_dir()?.join(".local/state")))?;
    Some(state.join("highwater/history"))
}

/// What is there now, for completion.
#[derive(Default)]
pub(super) struct Names {
    now: Option<Snapshot>,
}

impl Completer for Names {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        at: usize,
        _context: &Context<'_>,
    ) -> Result<(usize, Vec<Pair>), ReadlineError> {
        let (Some(now), Some(line)) = (&self.now, line.get(..at)) else {
            return Ok((at, Vec::new()));
        };
        let found = complete(line, now);
        let pair = |text: String| {
            let is_whole = !text.ends_with('=');
            let replacement = if is_whole { format!("{text} ") } else { text.clone() };
            Pair { display: text, replacement }
        };
        let pairs = found.candidates.into_iter().map(|candidate| pair(candidate.text));
        Ok((found.start, pairs.collect()))
    }
}

impl Hinter for Names {
    type Hint = String;
}
impl Highlighter for Names {}
impl Validator for Names {}
impl Helper for Names {}
