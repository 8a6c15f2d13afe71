//! The grammar: which tokens make commands, pipelines, chains and lists.
//!
//! Decides what is a command, an assignment, a keyword. A line of a million pipes is as deep as one;
//! only brackets recurse, and so many are refused. What stands in brackets is in `compound`.

use highwater_core::scope::{self, Lab};

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

/// So many brackets may be open at once.
const DEPTH_MAX: usize = 40;

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
    let Lexed { tokens, bodies, refused, missing, .. } = lexed;
    match (refused, missing) {
        // Another line cannot mend what is wrong before the end of this one.
        (None, Some(missing)) => {
            if scope::CLUSTER
                && let Err(wrong) = assemble(tokens, bodies)
                && !wrong.at_end.is_some()
            {
                return Err(wrong.error);
            }
            Ok(Parsed::Incomplete(missing))
        }
        (refused, _) => match (refused, assemble(tokens, bodies)) {
            (None, Ok(list)) => Ok(Parsed::Complete(list)),
            (Some(refused), Ok(_)) => Err(refused),
            (None, Err(wrong)) => Err(wrong.error),
            (Some(refused), Err(wrong)) => {
                Err(if wrong.error.at() < refused.at() { wrong.error } else { refused })
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

pub(super) struct Parser {
    tokens: Peekable<IntoIter<Spanned>>,
    bodies: Vec<Option<Word>>,
    /// Where the last token taken stands, for errors at the end.
    last_at: Position,
    depth: usize,
}

/// What is wrong with tokens.
pub(super) struct Wrong {
    pub(super) error: ParseError,
    /// Whether they only end too early.
    pub(super) at_end: Lab<()>,
}

impl From<ParseError> for Wrong {
    fn from(error: ParseError) -> Self {
        Self { error, at_end: Lab::default() }
    }
}

/// Makes a tree of tokens and the bodies of the heredocs among them.
pub(super) fn assemble(tokens: Vec<Spanned>, bodies: Vec<Word>) -> Result<List, Wrong> {
    let mut parser = Parser {
        tokens: tokens.into_iter().peekable(),
        bodies: bodies.into_iter().map(Some).collect(),
        last_at: Position { line: 1, column: 1 },
        depth: 0,
    };
    parser.list(None)
}

impl Parser {
    pub(super) fn peek(&mut self) -> Option<&Token> {
        self.tokens.peek().map(|spanned| &spanned.token)
    }

    pub(super) fn take(&mut self) -> Option<Spanned> {
        let spanned = self.tokens.next()?;
        self.last_at = spanned.at;
        Some(spanned)
    }

    /// Takes the next token if it is of the kind of `token`.
    pub(super) fn take_if(&mut self, token: &Token) -> bool {
        let wanted = discriminant(token);
        let found = self.peek().is_some_and(|next| discriminant(next) == wanted);
        if found {
            self.take();
        }
        found
    }

    /// Where the next token stands, or the last one.
    pub(super) fn here(&mut self) -> Position {
        self.tokens.peek().map_or(self.last_at, |spanned| spanned.at)
    }

    /// Takes the next token if it is this word.
    pub(super) fn take_keyword(&mut self, keyword: &[u8]) -> bool {
        let found = matches!(self.peek(), Some(Token::Word(w)) if w.plain() == Some(keyword));
        if found {
            self.take();
        }
        found
    }

    /// Whether nothing follows.
    fn at_end(&mut self) -> Lab<()> {
        if scope::CLUSTER && self.peek().is_none() { Lab::new(()) } else { Lab::default() }
    }

    /// An error about the next token, or about there being none.
    pub(super) fn wrong(&mut self, what: ParseErrorKind) -> Wrong {
        let at_end = self.at_end();
        Wrong { error: ParseError::new(self.here(), what), at_end }
    }

    /// Goes into brackets, as deep as they may be.
    pub(super) fn enter(&mut self) -> Result<(), Wrong> {
        self.depth += 1;
        if self.depth > DEPTH_MAX { Err(self.wrong(ParseErrorKind::TooDeep)) } else { Ok(()) }
    }

    pub(super) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// Commands up to the end, or in brackets up to what closes them, which stays.
    pub(super) fn list(&mut self, closing: Option<&'static str>) -> Result<List, Wrong> {
        let mut items: Vec<AndOr> = Vec::new();
        loop {
            while self.take_if(&Token::LineEnd) {}
            let is_closed = scope::CLUSTER && !items.is_empty() && self.is_at(closing);
            if is_closed || self.peek().is_none() {
                return Ok(List { items });
            }
            let item = self.and_or()?;
            items.push(item);
            if scope::CLUSTER && closing == Some(")") && self.is_at(closing) {
                return Ok(List { items });
            }
            match self.take() {
                None => return Ok(List { items }),
                Some(Spanned { token: Token::Semicolon | Token::LineEnd, .. }) => {}
                Some(Spanned { at, token: Token::Background }) => {
                    if !scope::CLUSTER {
                        return Err(unsupported(at, Feature::Background).into());
                    }
                    if let Some(last) = items.last_mut() {
                        last.background = true;
                    }
                }
                Some(Spanned { at, token }) => return Err(misplaced(at, &token).into()),
            }
        }
    }

    fn is_at(&mut self, closing: Option<&str>) -> bool {
        match (closing, self.peek()) {
            (Some(")"), Some(Token::Close)) => true,
            (Some(word), Some(Token::Word(next))) => next.plain() == Some(word.as_bytes()),
            _ => false,
        }
    }

    fn and_or(&mut self) -> Result<AndOr, Wrong> {
        let first = self.pipeline()?;
        let mut rest = Vec::new();
        loop {
            let connector = match self.peek() {
                Some(Token::AndIf) => Connector::And,
                Some(Token::OrIf) => Connector::Or,
                _ => return Ok(AndOr { first, rest, background: false }),
            };
            self.take();
            rest.push((connector, self.pipeline()?));
        }
    }

    fn pipeline(&mut self) -> Result<Pipeline, Wrong> {
        let mut commands = Vec::new();
        let mut negated = false;
        while scope::CLUSTER && self.take_keyword(b"!") {
            negated = !negated;
        }
        loop {
            while self.take_if(&Token::LineEnd) {}
            commands.push(self.command()?);
            if !self.take_if(&Token::Pipe) {
                commands.shrink_to_fit();
                return Ok(Pipeline { negated, commands });
            }
        }
    }

    fn command(&mut self) -> Result<Command, Wrong> {
        if scope::CLUSTER
            && let Some(command) = self.compound()?
        {
            return Ok(command);
        }
        let mut command = Command::empty(self.here());
        self.simple(&mut command)?;
        if matches!(self.peek(), Some(Token::Open)) {
            let at = self.here();
            return Err(command.refuse_parenthesis(at).into());
        }
        if command.is_empty() {
            let at_end = self.at_end();
            let error = match self.take() {
                Some(Spanned { at, token: Token::Close }) => misplaced(at, &Token::Close),
                Some(Spanned { at, token }) => {
                    ParseError::new(at, ParseErrorKind::NoCommandBefore(token.as_str()))
                }
                None => ParseError::new(command.at, ParseErrorKind::Misplaced("line end")),
            };
            return Err(Wrong { error, at_end });
        }
        Ok(command)
    }

    /// Words and redirections as far as they go. A compound command has no words.
    pub(super) fn simple(&mut self, command: &mut Command) -> Result<(), Wrong> {
        while let Some(Token::Word(_) | Token::Redirect { .. } | Token::HereDocument { .. }) =
            self.peek()
        {
            if command.compound.is_some() && matches!(self.peek(), Some(Token::Word(_))) {
                return Err(self.wrong(ParseErrorKind::Misplaced("word")));
            }
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
        Ok(())
    }

    /// Takes the operand of a redirection; `&>` makes two of it.
    fn redirect(
        &mut self,
        at: Position,
        fd: Option<u8>,
        operator: Operator,
        redirects: &mut Vec<Redirect>,
    ) -> Result<(), Wrong> {
        let Some(Token::Word(_)) = self.peek() else {
            let error = ParseError::new(at, ParseErrorKind::NoOperandAfter(operator.as_str()));
            return Err(Wrong { error, at_end: self.at_end() });
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
                    return Err(unsupported(at, Feature::Descriptor).into());
                }
                _ if fd.is_some_and(|fd| fd != 1) || word.plain().is_none() => {
                    return Err(unsupported(at, Feature::Descriptor).into());
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
    pub(super) fn empty(at: Position) -> Self {
        Self {
            at,
            assignments: Vec::new(),
            words: Vec::new(),
            redirects: Vec::new(),
            compound: Lab::default(),
        }
    }

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
    word.plain().is_some_and(|text| reserved(text).is_some())
}

/// What a keyword is: one that this shell understands, or what it stands for and is refused.
pub(super) fn reserved(text: &[u8]) -> Option<Result<&'static str, Feature>> {
    Some(Err(match text {
        b"!" if scope::CLUSTER => return Some(Ok("!")),
        b"{" if scope::CLUSTER => return Some(Ok("{")),
        b"for" if scope::CLUSTER => return Some(Ok("for")),
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
            const OTHERS: [&str; 8] = ["then", "else", "elif", "fi", "do", "done", "esac", "}"];
            return OTHERS.into_iter().find(|keyword| keyword.as_bytes() == text).map(Ok);
        }
    }))
}

/// A word that begins a command must be no keyword.
fn refuse_keyword(word: &Word) -> Result<(), ParseError> {
    match word.plain().and_then(reserved) {
        None => Ok(()),
        Some(Ok(keyword)) => Err(ParseError::new(word.at, ParseErrorKind::Misplaced(keyword))),
        Some(Err(feature)) => Err(unsupported(word.at, feature)),
    }
}

pub(super) fn unsupported(at: Position, feature: Feature) -> ParseError {
    ParseError::new(at, ParseErrorKind::Unsupported(feature))
}

fn misplaced(at: Position, token: &Token) -> ParseError {
    ParseError::new(at, ParseErrorKind::Misplaced(token.as_str()))
}

impl Token {
    pub(super) fn as_str(&self) -> &'static str {
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
