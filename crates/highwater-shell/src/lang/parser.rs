//! The grammar: which tokens make commands, pipelines, chains and lists.
//!
//! Decides what is a command, an assignment, a keyword. Loops, never recurses: a line of a million
//! pipes is as deep as one.

use super::ast::{
    AndOr, Assignment, Command, Connector, List, Part, Pipeline, Position, Redirect,
    RedirectTarget, Word,
};
use super::error::{Feature, Missing, ParseError, ParseErrorKind};
use super::lexer::{Lexed, Operator, Spanned, Token, Until, lex};
use std::iter::Peekable;
use std::mem::discriminant;
use std::vec::IntoIter;

/// Longest input in bytes, heredocs included.
pub const INPUT_BYTES_MAX: usize = 1 << 20;

/// What became of an input that is not wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    /// Commands to run; none for blanks and comments.
    Complete(List),
    /// Another line is needed first.
    Incomplete(Missing),
}

/// Where the first command of a text ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// It takes that many bytes; the line end after it is not among them.
    Complete {
        /// Heredocs and continued lines included.
        bytes: usize,
    },
    /// The text ends first.
    Incomplete(Missing),
}

/// Parses one or more whole lines, joined by line ends, without one after the last.
///
/// # Errors
/// What is wrong, or not understood here, with its place. Nothing is executed or half understood.
pub fn parse(input: &[u8]) -> Result<Parsed, ParseError> {
    if input.len() > INPUT_BYTES_MAX {
        let at = Position { line: 1, column: 1 };
        return Err(ParseError::new(at, ParseErrorKind::TooLong));
    }
    let lexed = lex(input, Until::End);
    match (lexed.refused, lexed.missing) {
        (None, Some(missing)) => Ok(Parsed::Incomplete(missing)),
        (refused, _) => match (refused, assemble(lexed)) {
            (None, Ok(list)) => Ok(Parsed::Complete(list)),
            (Some(refused), Ok(_)) => Err(refused),
            (None, Err(wrong)) => Err(wrong),
            (Some(refused), Err(wrong)) => {
                Err(if wrong.at() < refused.at() { wrong } else { refused })
            }
        },
    }
}

/// Finds the end of the first command of a text of many lines, also of one that `parse` refuses.
#[must_use]
pub fn first_command(text: &[u8]) -> Extent {
    let lexed = lex(text, Until::FirstCommand);
    match lexed.missing {
        Some(missing) => Extent::Incomplete(missing),
        None => Extent::Complete { bytes: lexed.end },
    }
}

struct Parser {
    tokens: Peekable<IntoIter<Spanned>>,
    bodies: Vec<Option<Word>>,
    /// Where the last token taken stands, for errors at the end.
    last_at: Position,
}

fn assemble(lexed: Lexed) -> Result<List, ParseError> {
    let mut parser = Parser {
        tokens: lexed.tokens.into_iter().peekable(),
        bodies: lexed.bodies.into_iter().map(Some).collect(),
        last_at: Position { line: 1, column: 1 },
    };
    parser.list()
}

impl Parser {
    fn peek(&mut self) -> Option<&Token> {
        self.tokens.peek().map(|spanned| &spanned.token)
    }

    fn take(&mut self) -> Option<Spanned> {
        let spanned = self.tokens.next()?;
        self.last_at = spanned.at;
        Some(spanned)
    }

    /// Takes the next token if it is of the kind of `token`.
    fn take_if(&mut self, token: &Token) -> bool {
        let wanted = discriminant(token);
        let found = self.peek().is_some_and(|next| discriminant(next) == wanted);
        if found {
            self.take();
        }
        found
    }

    fn list(&mut self) -> Result<List, ParseError> {
        let mut items = Vec::new();
        loop {
            while self.take_if(&Token::LineEnd) {}
            if self.peek().is_none() {
                return Ok(List { items });
            }
            items.push(self.and_or()?);
            match self.take() {
                None => return Ok(List { items }),
                Some(Spanned { token: Token::Semicolon | Token::LineEnd, .. }) => {}
                Some(Spanned { at, token: Token::Background }) => {
                    return Err(unsupported(at, Feature::Background));
                }
                Some(Spanned { at, token }) => return Err(misplaced(at, &token)),
            }
        }
    }

    fn and_or(&mut self) -> Result<AndOr, ParseError> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let connector = match self.peek() {
                Some(Token::AndIf) => Connector::And,
                Some(Token::OrIf) => Connector::Or,
                _ => return Ok(AndOr { first, rest }),
            };
            self.take();
            rest.push((connector, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline, ParseError> {
        let mut commands = Vec::new();
        loop {
            while self.take_if(&Token::LineEnd) {}
            commands.push(self.command()?);
            if !self.take_if(&Token::Pipe) {
                commands.shrink_to_fit();
                return Ok(Pipeline { commands });
            }
        }
    }

    fn command(&mut self) -> Result<Command, ParseError> {
        let at = self.tokens.peek().map_or(self.last_at, |spanned| spanned.at);
        let mut command =
            Command { at, assignments: Vec::new(), words: Vec::new(), redirects: Vec::new() };
        while let Some(Token::Word(_) | Token::Redirect { .. } | Token::HereDocument { .. }) =
            self.peek()
        {
            let Some(Spanned { at, token }) = self.take() else { break };
            match token {
                Token::Word(word) => command.take_word(word)?,
                Token::Redirect { fd, operator } => {
                    self.redirect(at, fd, operator, &mut command.redirects)?;
                }
                Token::HereDocument { fd, body } => {
                    let body = self.bodies.get_mut(body).and_then(Option::take);
                    // Only a refused command has a heredoc without lines.
                    let body = body.unwrap_or(Word { at, parts: Vec::new() });
                    let target = RedirectTarget::HereDocument(body);
                    command.redirects.push(Redirect { at, fd: fd.unwrap_or(0), target });
                }
                _ => {}
            }
        }
        if matches!(self.peek(), Some(Token::Open)) {
            let at = self.tokens.peek().map_or(at, |spanned| spanned.at);
            return Err(command.refuse_parenthesis(at));
        }
        if command.is_empty() {
            return Err(match self.take() {
                Some(Spanned { at, token: Token::Close }) => misplaced(at, &Token::Close),
                Some(Spanned { at, token }) => {
                    ParseError::new(at, ParseErrorKind::NoCommandBefore(token.as_str()))
                }
                None => ParseError::new(at, ParseErrorKind::Misplaced("line end")),
            });
        }
        Ok(command)
    }

    /// Takes the operand of a redirection; `&>` makes two of it.
    fn redirect(
        &mut self,
        at: Position,
        fd: Option<u8>,
        operator: Operator,
        redirects: &mut Vec<Redirect>,
    ) -> Result<(), ParseError> {
        let Some(Token::Word(_)) = self.peek() else {
            return Err(ParseError::new(at, ParseErrorKind::NoOperandAfter(operator.as_str())));
        };
        let Some(Spanned { token: Token::Word(word), .. }) = self.take() else {
            return Ok(());
        };
        let (target, is_both) = match operator {
            Operator::Read => (RedirectTarget::Read(word), false),
            Operator::Write => (RedirectTarget::Write(word), false),
            Operator::Append => (RedirectTarget::Append(word), false),
            Operator::WriteBoth => (RedirectTarget::Write(word), true),
            Operator::AppendBoth => (RedirectTarget::Append(word), true),
            Operator::Duplicate => match word.plain() {
                Some([digit @ b'0'..=b'9']) => (RedirectTarget::DuplicateOf(digit - b'0'), false),
                Some([b'-' | b'0'..=b'9', ..]) => {
                    return Err(unsupported(at, Feature::Descriptor));
                }
                _ if fd.is_some_and(|fd| fd != 1) || word.plain().is_none() => {
                    return Err(unsupported(at, Feature::Descriptor));
                }
                _ => (RedirectTarget::Write(word), true),
            },
        };
        let fd_default = u8::from(operator != Operator::Read);
        redirects.push(Redirect { at, fd: fd.unwrap_or(fd_default), target });
        if is_both {
            redirects.push(Redirect { at, fd: 2, target: RedirectTarget::DuplicateOf(1) });
        }
        Ok(())
    }
}

impl Command {
    fn is_empty(&self) -> bool {
        self.words.is_empty() && self.assignments.is_empty() && self.redirects.is_empty()
    }

    /// Adds the next word, as an assignment if it is one.
    fn take_word(&mut self, word: Word) -> Result<(), ParseError> {
        if self.words.is_empty() {
            if self.assignments.is_empty() && self.redirects.is_empty() {
                refuse_keyword(&word)?;
            }
            match assignment(word)? {
                Ok(assignment) => self.assignments.push(assignment),
                Err(word) => self.words.push(word),
            }
        } else {
            self.words.push(word);
        }
        Ok(())
    }

    /// What a `(` means after what was read of the command.
    fn refuse_parenthesis(&self, at: Position) -> ParseError {
        if self.is_empty() {
            unsupported(at, Feature::Subshell)
        } else if self.words.is_empty() && !self.assignments.is_empty() {
            unsupported(at, Feature::Array)
        } else if self.words.len() == 1 && self.redirects.is_empty() {
            unsupported(at, Feature::Function)
        } else {
            misplaced(at, &Token::Open)
        }
    }
}

/// Splits `NAME=value`; gives back a word that is none.
fn assignment(mut word: Word) -> Result<Result<Assignment, Word>, ParseError> {
    let Some(Part::Literal { bytes, quoted: false }) = word.parts.first_mut() else {
        return Ok(Err(word));
    };
    let length = bytes.iter().take_while(|byte| Part::is_name_byte(**byte)).count();
    if !bytes.first().is_some_and(|byte| Part::is_name_start(*byte)) {
        return Ok(Err(word));
    }
    if bytes[length..].starts_with(b"+=") {
        return Err(unsupported(word.at, Feature::AppendingAssignment));
    }
    if bytes.get(length) != Some(&b'=') {
        return Ok(Err(word));
    }
    let name = bytes[..length].iter().copied().map(char::from).collect();
    bytes.drain(..=length);
    if bytes.is_empty() {
        word.parts.remove(0);
    }
    Ok(Ok(Assignment { at: word.at, name, value: word }))
}

/// Whether this word means something else at the very beginning of a command.
pub(super) fn is_keyword(word: &Word) -> bool {
    refuse_keyword(word).is_err()
}

fn refuse_keyword(word: &Word) -> Result<(), ParseError> {
    let Some(text) = word.plain() else { return Ok(()) };
    let feature = match text {
        b"!" => Feature::Negation,
        b"[[" => Feature::Condition,
        b"case" => Feature::Case,
        b"coproc" => Feature::Coprocess,
        b"for" => Feature::For,
        b"function" => Feature::Function,
        b"if" => Feature::If,
        b"select" => Feature::Select,
        b"time" => Feature::Time,
        b"until" => Feature::Until,
        b"while" => Feature::While,
        b"{" => Feature::Group,
        _ => {
            const CLOSING: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];
            let closing = CLOSING.iter().find(|keyword| keyword.as_bytes() == text);
            return match closing {
                Some(keyword) => Err(ParseError::new(word.at, ParseErrorKind::Misplaced(keyword))),
                None => Ok(()),
            };
        }
    };
    Err(unsupported(word.at, feature))
}

fn unsupported(at: Position, feature: Feature) -> ParseError {
    ParseError::new(at, ParseErrorKind::Unsupported(feature))
}

fn misplaced(at: Position, token: &Token) -> ParseError {
    ParseError::new(at, ParseErrorKind::Misplaced(token.as_str()))
}

impl Token {
    fn as_str(&self) -> &'static str {
        match self {
            Self::Word(_) => "word",
            Self::Pipe => "|",
            Self::AndIf => "&&",
            Self::OrIf => "||",
            Self::Background => "&",
            Self::Semicolon => ";",
            Self::LineEnd => "line end",
            Self::Open => "(",
            Self::Close => ")",
            Self::Redirect { operator, .. } => operator.as_str(),
            Self::HereDocument { .. } => "<<",
        }
    }
}

impl Operator {
    fn as_str(self) -> &'static str {
        match self {
            Self::Read => "<",
            Self::Write => ">",
            Self::Append => ">>",
            Self::Duplicate => ">&",
            Self::WriteBoth => "&>",
            Self::AppendBoth => "&>>",
        }
    }
}
