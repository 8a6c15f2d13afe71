//! Console transcripts: a session as text, read, written and compared.
//!
//! Decides the format of `tests/transcripts/kafka/README.md` and when two outputs of one command
//! count as alike. Does not run commands and opens no files.

mod compare;
mod continued;
mod diff;
mod error;
mod normalise;
mod read;
mod table;
mod write;

use highwater_core::world::options::OwnSetting;

pub use compare::{comparable_lines, compare, normalise_output};
pub use continued::{Continued, continues};
pub use diff::{Diff, DiffLine, Side};
pub use error::{TranscriptError, TranscriptErrorKind};
pub use normalise::normalise;

/// Longest transcript in bytes.
pub const TRANSCRIPT_BYTES_MAX: usize = 16 << 20;
/// Most brokers that `#! brokers N` may ask for.
pub const BROKERS_MAX: u32 = 9;
/// Brokers without `#! brokers N`.
pub const BROKERS_DEFAULT: u32 = 3;

/// A session: what the cluster is, what was typed and what came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// `#! brokers N`.
    pub brokers: u32,
    /// `#! broker key=value`, in order: lines of every broker's server.properties.
    pub broker_properties: Vec<(String, String)>,
    /// `#! broker N key=value`, in order: lines of one broker's server.properties. They count before those.
    pub own_properties: Vec<OwnSetting>,
    /// The commands.
    pub blocks: Vec<Block>,
    /// The lines before the first command as they stand: comments, directives, empty lines.
    preamble: Vec<String>,
    /// Whether a line end closes the last line.
    ends_with_line_end: bool,
}

/// One command and its outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Line of the file on which the command begins, from 1.
    pub line: usize,
    /// What was typed, without `$ `; continued lines and heredocs included, joined by line ends.
    pub command: String,
    /// Expected output lines, unescaped, without the empty ones at the end.
    pub output: Vec<String>,
    /// Expected exit status of the command.
    pub exit: u8,
    notes: Vec<Note>,
}

/// A comment or an empty line that means nothing, kept where it stood.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Note {
    /// Output lines before it; the exit line counts as one more.
    after: usize,
    text: String,
}

impl Transcript {
    /// The comments before the first command, without `# `.
    pub fn head(&self) -> impl Iterator<Item = &str> {
        comments(self.preamble.iter().map(String::as_str))
    }
}

/// What comments say; directives and empty lines are none.
fn comments<'a>(lines: impl Iterator<Item = &'a str>) -> impl Iterator<Item = &'a str> {
    lines.filter_map(|line| line.strip_prefix("# ")).map(str::trim).filter(|text| !text.is_empty())
}

impl Block {
    /// The comments between this command and the next one, without `# `.
    pub fn comments(&self) -> impl Iterator<Item = &str> {
        comments(self.notes.iter().map(|note| note.text.as_str()))
    }

    /// Puts another outcome in place. Comments between output lines stay at their line number,
    /// those after the output stay after it.
    pub fn set_outcome(&mut self, mut output: Vec<String>, exit: u8) {
        while exit == 0 && output.last().is_some_and(String::is_empty) {
            output.pop();
        }
        let length_before = self.length();
        let length = output.len() + usize::from(exit != 0);
        for note in &mut self.notes {
            note.after =
                if note.after >= length_before { length } else { note.after.min(output.len()) };
        }
        self.output = output;
        self.exit = exit;
    }

    /// Lines of the outcome, the exit line included.
    fn length(&self) -> usize {
        self.output.len() + usize::from(self.exit != 0)
    }
}
