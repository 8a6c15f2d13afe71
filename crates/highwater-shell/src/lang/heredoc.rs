//! Heredocs: the delimiter after `<<` and the lines up to it.
//!
//! Decides where a heredoc ends and what of it is expanded. Where it is read in relation to the
//! rest of the line is the lexer's.

use super::ast::{Position, Word};
use super::error::{Feature, Missing};
use super::word::{Builder, Scan, is_word_end};

/// A heredoc whose lines are still to come.
pub(super) struct Pending {
    at: Position,
    delimiter: Vec<u8>,
    /// Any quoting of the delimiter makes the whole body literal.
    is_literal: bool,
    /// `<<-`: tabs at the beginning of its lines do not count.
    drops_tabs: bool,
}

impl Scan<'_> {
    /// Reads the delimiter; `None` when there is none.
    pub(super) fn delimiter(&mut self, at: Position, drops_tabs: bool) -> Option<Pending> {
        self.cursor.skip_blanks();
        let mut delimiter = Vec::new();
        let mut is_literal = false;
        while let Some(byte) = self.cursor.joined() {
            if is_word_end(byte) {
                break;
            }
            self.cursor.bump();
            match byte {
                b'\'' | b'"' => {
                    is_literal = true;
                    self.quoted_delimiter(byte, &mut delimiter);
                }
                b'\\' => {
                    is_literal = true;
                    match self.cursor.bump() {
                        Some(next) => delimiter.push(next),
                        None => self.lacks(Missing::NextLine),
                    }
                }
                _ => delimiter.push(byte),
            }
        }
        (is_literal || !delimiter.is_empty()).then_some(Pending {
            at,
            delimiter,
            is_literal,
            drops_tabs,
        })
    }

    fn quoted_delimiter(&mut self, quote: u8, delimiter: &mut Vec<u8>) {
        while let Some(byte) = self.cursor.bump() {
            if byte == quote {
                return;
            }
            delimiter.push(byte);
        }
        let missing = if quote == b'"' { Missing::DoubleQuote } else { Missing::SingleQuote };
        self.lacks(missing);
    }

    /// Reads the lines of a heredoc and the delimiter's line, without the line end after it.
    pub(super) fn body(&mut self, pending: &Pending) -> Word {
        let mut builder = Builder::default();
        loop {
            if self.cursor.peek().is_none() {
                self.lacks(Missing::HereDocumentEnd);
                break;
            }
            while pending.drops_tabs && self.cursor.peek() == Some(b'\t') {
                self.cursor.bump();
            }
            if self.cursor.line_rest() == pending.delimiter {
                self.cursor.skip_line_rest();
                break;
            }
            if pending.is_literal {
                self.literal_line(&mut builder);
            } else {
                self.expanded_line(&mut builder);
            }
        }
        builder.finish(pending.at)
    }

    fn literal_line(&mut self, builder: &mut Builder) {
        while let Some(byte) = self.cursor.bump() {
            builder.push(byte, true);
            if byte == b'\n' {
                break;
            }
        }
    }

    /// One line, with those that a backslash joins to it.
    fn expanded_line(&mut self, builder: &mut Builder) {
        while let Some(byte) = self.cursor.joined() {
            let at = self.cursor.position();
            self.cursor.bump();
            match byte {
                b'\\' => self.backslash(b"$`\\", builder),
                b'$' => self.dollar(at, true, builder),
                b'`' => {
                    self.unsupported(at, Feature::Backquotes);
                    builder.push(byte, true);
                }
                _ => builder.push(byte, true),
            }
            if byte == b'\n' {
                break;
            }
        }
    }
}
