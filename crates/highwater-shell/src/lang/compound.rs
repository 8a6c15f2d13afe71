//! The grammar of commands in brackets: `( )`, `{ }` and `for`.
//!
//! Decides which keyword must follow which. What is done with them is the interpreter's.

use std::rc::Rc;

use highwater_core::scope::Lab;

use super::ast::{Command, Compound, List, Part};
use super::error::{Feature, ParseErrorKind};
use super::lexer::Token;
use super::parser::{Parser, Wrong, unsupported};

impl Parser {
    /// The compound command that begins here, with its redirections; `None`: none does.
    pub(super) fn compound(&mut self) -> Result<Option<Command>, Wrong> {
        let mut command = Command::empty(self.here());
        let compound = if self.take_if(&Token::Open) {
            let inside = self.here();
            let is_next = inside.line == command.at.line && inside.column == command.at.column + 1;
            if is_next && matches!(self.peek(), Some(Token::Open)) {
                return Err(unsupported(command.at, Feature::Arithmetic).into());
            }
            Compound::Subshell(self.bracketed(")")?)
        } else if self.take_keyword(b"{") {
            Compound::Group(self.bracketed("}")?)
        } else if self.take_keyword(b"for") {
            self.for_loop()?
        } else {
            return Ok(None);
        };
        command.compound = Lab::new(compound);
        self.simple(&mut command)?;
        if matches!(self.peek(), Some(Token::Open)) {
            return Err(self.wrong(ParseErrorKind::Misplaced("(")));
        }
        Ok(Some(command))
    }

    /// A list that is not empty and what closes it.
    fn bracketed(&mut self, closing: &'static str) -> Result<Rc<List>, Wrong> {
        self.enter()?;
        let list = self.list(Some(closing))?;
        let is_closed = match closing {
            ")" => self.take_if(&Token::Close),
            keyword => self.take_keyword(keyword.as_bytes()),
        };
        if !is_closed {
            return Err(self.wrong(ParseErrorKind::Expected(closing)));
        }
        self.leave();
        Ok(Rc::new(list))
    }

    /// What follows `for`.
    fn for_loop(&mut self) -> Result<Compound, Wrong> {
        if matches!(self.peek(), Some(Token::Open)) {
            return Err(unsupported(self.here(), Feature::Arithmetic).into());
        }
        let name = match self.peek() {
            Some(Token::Word(word)) => word.plain().and_then(name),
            _ => None,
        };
        let Some(name) = name else { return Err(self.wrong(ParseErrorKind::BadName)) };
        self.take();
        let mut words = Vec::new();
        self.skip_line_ends();
        if self.take_keyword(b"in") {
            while let Some(Token::Word(_)) = self.peek() {
                if let Some(Token::Word(word)) = self.take().map(|spanned| spanned.token) {
                    words.push(word);
                }
            }
            if !self.take_if(&Token::Semicolon) && !matches!(self.peek(), Some(Token::LineEnd)) {
                return Err(self.wrong(ParseErrorKind::Expected(";")));
            }
        } else {
            self.take_if(&Token::Semicolon);
        }
        self.skip_line_ends();
        if !self.take_keyword(b"do") {
            return Err(self.wrong(ParseErrorKind::Expected("do")));
        }
        Ok(Compound::For { name, words, body: self.bracketed("done")? })
    }

    fn skip_line_ends(&mut self) {
        while self.take_if(&Token::LineEnd) {}
    }
}

/// The bytes as a variable's name, if they are one.
fn name(bytes: &[u8]) -> Option<String> {
    let is_name =
        Part::is_name_start(*bytes.first()?) && bytes.iter().all(|b| Part::is_name_byte(*b));
    is_name.then(|| bytes.iter().copied().map(char::from).collect())
}
