//! A place in the input that knows its line and column.
//!
//! Decides how positions are counted (columns in characters, also in bytes that are no UTF-8) and
//! that a backslash before a line end joins two lines. Knows no other syntax.

use super::ast::Position;

/// Walks over the input byte by byte.
pub(super) struct Cursor<'a> {
    bytes: &'a [u8],
    offset: usize,
    at: Position,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, offset: 0, at: Position { line: 1, column: 1 } }
    }

    /// Bytes before the cursor.
    pub(super) fn offset(&self) -> usize {
        self.offset
    }

    /// Position of the next byte.
    pub(super) fn position(&self) -> Position {
        self.at
    }

    /// What is left.
    pub(super) fn rest(&self) -> &'a [u8] {
        &self.bytes[self.offset..]
    }

    /// The next byte as it stands.
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.offset).copied()
    }

    /// Takes the next byte as it stands.
    pub(super) fn bump(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.offset += 1;
        if byte == b'\n' {
            self.at = Position { line: self.at.line + 1, column: 1 };
        } else if byte & 0xc0 != 0x80 {
            self.at.column += 1;
        }
        Some(byte)
    }

    /// The next byte after any joined line ends, which are taken.
    pub(super) fn joined(&mut self) -> Option<u8> {
        while self.rest().starts_with(b"\\\n") {
            self.bump();
            self.bump();
        }
        self.peek()
    }

    /// Takes the next byte if it is this one; joins lines.
    pub(super) fn eat(&mut self, byte: u8) -> bool {
        let found = self.joined() == Some(byte);
        if found {
            self.bump();
        }
        found
    }

    /// Takes blanks and joined line ends.
    pub(super) fn skip_blanks(&mut self) {
        while matches!(self.joined(), Some(b' ' | b'\t')) {
            self.bump();
        }
    }

    /// Takes that many bytes as they stand.
    pub(super) fn skip(&mut self, count: usize) {
        for _ in 0..count {
            self.bump();
        }
    }

    /// Takes everything up to the next line end, which stays.
    pub(super) fn skip_line_rest(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.bump();
        }
    }
}
