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

impl Pending {
    /// Bytes of the line that ends the heredoc, if this is it. Lines are joined before they are
    /// compared, unless the body is literal.
    fn ends_at(&self, text: &[u8]) -> Option<usize> {
        let mut rest = self.skip_joins(text);
        for byte in &self.delimiter {
            rest = self.skip_joins(rest.strip_prefix(std::slice::from_ref(byte))?);
        }
        matches!(rest.first(), None | Some(b'\n')).then(|| text.len() - rest.len())
    }

    fn skip_joins<'a>(&self, mut text: &'a [u8]) -> &'a [u8] {
        while let Some(rest) = text.strip_prefix(b"\\\n").filter(|_| !self.is_literal) {
            text = rest;
        }
        text
    }
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
            if pending.drops_tabs {
                self.skip_tabs(pending.is_literal);
            }
            if let Some(length) = pending.ends_at(self.cursor.rest()) {
                self.cursor.skip(length);
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

    fn skip_tabs(&mut self, is_literal: bool) {
        loop {
            let next = if is_literal { self.cursor.peek() } else { self.cursor.joined() };
            if next != Some(b'\t') {
                break;
            }
            self.cursor.bump();
        }
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
