//! Which brackets and keywords are still open: where a command of several lines ends.
//!
//! Decides it from the tokens alone, also for commands that the parser refuses. What may stand inside
//! is the parser's.

use super::error::{Feature, Missing};
use super::lexer::Token;
use super::parser::reserved;

/// What is open, and whether the next word may be a keyword.
pub(super) struct Nesting {
    open: Vec<Missing>,
    at_command: bool,
}

impl Nesting {
    pub(super) fn new() -> Self {
        Self { open: Vec::new(), at_command: true }
    }

    /// What the innermost open construct lacks.
    pub(super) fn missing(&self) -> Option<Missing> {
        self.open.last().copied()
    }

    /// Whether a `)` would close something that was opened here.
    pub(super) fn has_parenthesis(&self) -> bool {
        self.open.contains(&Missing::Parenthesis)
    }

    /// Takes note of a token; says what of it this shell does not understand though it opens something.
    pub(super) fn take(&mut self, token: &Token) -> Option<Feature> {
        let was_at_command = std::mem::replace(&mut self.at_command, true);
        match token {
            Token::Open => self.open.push(Missing::Parenthesis),
            Token::Close => {
                self.close(Missing::Parenthesis);
                self.at_command = false;
            }
            Token::Word(word) if was_at_command => {
                let text = word.plain().unwrap_or_default();
                self.at_command = matches!(
                    text,
                    b"do" | b"then" | b"else" | b"elif" | b"{" | b"!" | b"if" | b"while" | b"until"
                );
                match text {
                    b"{" => self.open.push(Missing::Brace),
                    b"for" | b"while" | b"until" | b"select" => self.open.push(Missing::Done),
                    b"if" => self.open.push(Missing::Fi),
                    b"case" => self.open.push(Missing::Esac),
                    b"}" => self.close(Missing::Brace),
                    b"done" => self.close(Missing::Done),
                    b"fi" => self.close(Missing::Fi),
                    b"esac" => self.close(Missing::Esac),
                    _ => {}
                }
                return reserved(text).and_then(Result::err);
            }
            Token::Word(_) | Token::Redirect { .. } | Token::HereDocument { .. } => {
                self.at_command = false;
            }
            _ => {}
        }
        None
    }

    /// Closes the innermost construct, if this is its end.
    fn close(&mut self, missing: Missing) {
        if self.open.last() == Some(&missing) {
            self.open.pop();
        }
    }
}
