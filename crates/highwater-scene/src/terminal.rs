//! What a terminal shows, line by line.

use std::rc::Rc;

use highwater_core::world::stream::{OutputChunk, OutputKind};

use crate::frame::{Line, LineKind};
use crate::words::chrome;

/// The lines so far.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    /// Oldest first.
    pub lines: Vec<Line>,
    /// Whether the last one has no end yet: a prompt of a tool has none, and what is typed then goes on in its line.
    pub is_open: bool,
}

impl Shown {
    /// Adds what comes next.
    pub fn push(&mut self, chunk: &OutputChunk) {
        let mut kind = match chunk.kind {
            OutputKind::Command => LineKind::Command,
            OutputKind::Typed => LineKind::Typed,
            OutputKind::Stdout => LineKind::Out,
            OutputKind::Stderr => LineKind::Err,
        };
        let text = String::from_utf8_lossy(&chunk.bytes);
        for line in text.split_inclusive('\n') {
            let shown = line.strip_suffix('\n').unwrap_or(line);
            match self.lines.last_mut() {
                Some(last) if self.is_open => last.text.push_str(shown),
                _ => self.lines.push(Line { kind, text: shown.to_owned() }),
            }
            self.is_open = shown.len() == line.len();
            if kind == LineKind::Command {
                kind = LineKind::Typed;
            }
        }
    }
}

/// What these pieces of output say, by ear: how many lines, and the first of them; `None`: nothing.
#[must_use]
pub fn heard(chunks: &[Rc<OutputChunk>]) -> Option<String> {
    let mut bytes = Vec::new();
    for chunk in chunks {
        if matches!(chunk.kind, OutputKind::Stdout | OutputKind::Stderr) {
            bytes.extend_from_slice(&chunk.bytes);
        }
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut lines = text.lines();
    let first = lines.next()?;
    Some(chrome::output(lines.count() + 1, first))
}
