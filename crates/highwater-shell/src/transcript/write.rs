//! Transcript to text.
//!
//! Decides the spelling of what was changed; what was not comes back byte for byte.

use super::read::needs_escape;
use super::{Block, Transcript};

impl Transcript {
    /// Writes the transcript. What was parsed and not changed comes back as it was.
    #[must_use]
    pub fn write(&self) -> String {
        let mut out = String::new();
        for text in &self.preamble {
            line(&mut out, &[text]);
        }
        for block in &self.blocks {
            block.write(&mut out);
        }
        if !self.ends_with_line_end && out.ends_with('\n') {
            out.pop();
        }
        out
    }
}

impl Block {
    fn write(&self, out: &mut String) {
        line(out, &["$ ", &self.command]);
        let mut notes = self.notes.iter().peekable();
        for index in 0..=self.length() {
            while let Some(note) = notes.next_if(|note| note.after <= index) {
                line(out, &[&note.text]);
            }
            match self.output.get(index) {
                Some(text) if needs_escape(text) => line(out, &["\\", text]),
                Some(text) => line(out, &[text]),
                None if index < self.length() => {
                    line(out, &["[exit ", &self.exit.to_string(), "]"]);
                }
                None => {}
            }
        }
    }
}

fn line(out: &mut String, pieces: &[&str]) {
    for piece in pieces {
        out.push_str(piece);
    }
    out.push('\n');
}
