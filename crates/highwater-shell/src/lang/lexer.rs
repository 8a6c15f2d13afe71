//! Tokens: operators, words, line ends and the bodies of heredocs.
//!
//! Decides where tokens and whole commands end. Which token may follow which is the parser's.

use std::rc::Rc;

use highwater_core::scope::{self, Lab};

use super::ast::{Part, Position, Word};
use super::error::{Feature, Missing, ParseError, ParseErrorKind};
use super::heredoc::Pending;
use super::nesting::Nesting;
use super::parser::assemble;
use super::word::{Builder, Scan, is_word_end};

/// What stands between blanks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Word(Word),
    Pipe,
    AndIf,
    OrIf,
    Background,
    Semicolon,
    LineEnd,
    Open,
    Close,
    /// An operator whose operand is the next word; `fd` as typed before it.
    Redirect {
        fd: Option<u8>,
        operator: Operator,
    },
    /// A heredoc, its body the one of that number in [`Lexed::bodies`].
    HereDocument {
        fd: Option<u8>,
        body: usize,
    },
}

/// Redirections that take a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Read,
    Write,
    Append,
    Duplicate,
    WriteBoth,
    AppendBoth,
}

/// A token and where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Spanned {
    pub(super) at: Position,
    pub(super) token: Token,
}

/// The whole answer of the lexer.
pub(super) struct Lexed {
    pub(super) tokens: Vec<Spanned>,
    pub(super) bodies: Vec<Word>,
    pub(super) refused: Option<ParseError>,
    pub(super) missing: Option<Missing>,
    /// Bytes read; the line end that stopped it is not among them.
    pub(super) end: usize,
}

/// How far to read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Until {
    End,
    /// The first line end at which nothing is open.
    FirstCommand,
    /// The `)` that ends a `$(`.
    Parenthesis,
}

struct Lexer<'s, 'a> {
    scan: &'s mut Scan<'a>,
    tokens: Vec<Spanned>,
    bodies: Vec<Word>,
    /// Heredocs whose operator was read and whose lines begin after this line.
    pending: Vec<Pending>,
    nesting: Lab<Nesting>,
}

/// Reads tokens.
pub(super) fn lex(input: &[u8], until: Until) -> Lexed {
    let mut scan = Scan::new(input);
    let (tokens, bodies) = Lexer::read(&mut scan, until);
    let end = scan.cursor.offset();
    Lexed { tokens, bodies, refused: scan.refused, missing: scan.missing, end }
}

impl Scan<'_> {
    /// `$( list )`, of which `$(` was taken.
    pub(super) fn substitution(&mut self, quoted: bool, builder: &mut Builder) {
        let (tokens, bodies) = Lexer::read(self, Until::Parenthesis);
        // What is not complete is read again with the next line.
        if self.missing.is_some() {
            return;
        }
        match assemble(tokens, bodies) {
            Ok(list) => builder.add(Part::Substitution { list: Lab::new(Rc::new(list)), quoted }),
            Err(wrong) => self.refuse(wrong.error.at(), wrong.error.what),
        }
    }
}

impl<'s, 'a> Lexer<'s, 'a> {
    fn read(scan: &'s mut Scan<'a>, until: Until) -> (Vec<Spanned>, Vec<Word>) {
        let mut lexer = Self {
            scan,
            tokens: Vec::new(),
            bodies: Vec::new(),
            pending: Vec::new(),
            nesting: Lab::default(),
        };
        if scope::CLUSTER {
            lexer.nesting = Lab::new(Nesting::new());
        }
        let is_closed = lexer.run(until);
        if !lexer.pending.is_empty() {
            lexer.scan.lacks(Missing::HereDocumentEnd);
        }
        if lexer.lacks_command() && !(scope::CLUSTER && is_closed) {
            lexer.scan.lacks(Missing::Command);
        }
        if let Some(missing) = lexer.nesting.get().and_then(Nesting::missing) {
            lexer.scan.lacks(missing);
        }
        if scope::CLUSTER && until == Until::Parenthesis && !is_closed {
            lexer.scan.lacks(Missing::Parenthesis);
        }
        (lexer.tokens, lexer.bodies)
    }

    /// Whether the end that it was to read to was found.
    fn run(&mut self, until: Until) -> bool {
        loop {
            self.scan.cursor.skip_blanks();
            let at = self.scan.cursor.position();
            let Some(byte) = self.scan.cursor.peek() else { return false };
            match byte {
                b'\n' => {
                    if self.line_end(at, until) {
                        return true;
                    }
                }
                b'#' => self.scan.cursor.skip_line_rest(),
                b')' if scope::CLUSTER && self.is_end(until) => {
                    self.scan.cursor.bump();
                    return true;
                }
                _ if is_word_end(byte) => {
                    self.scan.cursor.bump();
                    self.operator(at, byte, None);
                }
                _ => self.word(at),
            }
        }
    }

    /// Whether a `)` is the end.
    fn is_end(&self, until: Until) -> bool {
        let is_open = self.nesting.get().is_some_and(Nesting::has_parenthesis);
        until == Until::Parenthesis && !is_open
    }

    /// Takes a line end and the heredocs after it; whether that was the last one to read.
    fn line_end(&mut self, at: Position, until: Until) -> bool {
        for pending in std::mem::take(&mut self.pending) {
            self.scan.cursor.bump();
            let body = self.scan.body(&pending);
            self.bodies.push(body);
        }
        let is_open =
            self.lacks_command() || self.nesting.get().is_some_and(|of| of.missing().is_some());
        if until == Until::FirstCommand && !is_open {
            return true;
        }
        self.scan.cursor.bump();
        // One line end is as good as many, and none is needed after an operator.
        let last = self.tokens.last().map(|spanned| &spanned.token);
        if !matches!(last, None | Some(Token::LineEnd)) && !self.lacks_command() {
            self.push(at, Token::LineEnd);
        }
        false
    }

    /// Whether the last token on a line asks for a command on the next one.
    fn lacks_command(&self) -> bool {
        let last = self.tokens.last().map(|spanned| &spanned.token);
        matches!(last, Some(Token::Pipe | Token::AndIf | Token::OrIf))
    }

    fn push(&mut self, at: Position, token: Token) {
        if scope::CLUSTER
            && let Some(feature) = self.nesting.get_mut().and_then(|of| of.take(&token))
        {
            self.scan.unsupported(at, feature);
        }
        self.tokens.push(Spanned { at, token });
    }

    /// A word, or the descriptor before a redirection.
    fn word(&mut self, at: Position) {
        let word = self.scan.word();
        let next = self.scan.cursor.peek();
        let digits = word.plain().filter(|text| text.iter().all(u8::is_ascii_digit));
        match (digits, next) {
            (Some(digits), Some(operator @ (b'<' | b'>'))) => {
                let fd = match digits {
                    [digit] => digit - b'0',
                    _ => {
                        self.scan.refuse(at, ParseErrorKind::DescriptorTooLarge);
                        0
                    }
                };
                self.scan.cursor.bump();
                self.operator(at, operator, Some(fd));
            }
            // A lone joined line end leaves nothing.
            _ if word.parts.is_empty() => {}
            _ => self.push(at, Token::Word(word)),
        }
    }

    /// The operator that begins with `byte`, which was taken.
    fn operator(&mut self, at: Position, byte: u8, fd: Option<u8>) {
        let cursor = &mut self.scan.cursor;
        let token = match byte {
            b'|' if cursor.eat(b'|') => Token::OrIf,
            b'|' if cursor.eat(b'&') => {
                self.scan.unsupported(at, Feature::PipeBoth);
                Token::Pipe
            }
            b'|' => Token::Pipe,
            b'&' if cursor.eat(b'&') => Token::AndIf,
            b'&' if cursor.eat(b'>') => {
                let appends = cursor.eat(b'>');
                let operator = if appends { Operator::AppendBoth } else { Operator::WriteBoth };
                Token::Redirect { fd, operator }
            }
            b'&' => Token::Background,
            b';' => Token::Semicolon,
            b'(' => Token::Open,
            b')' => Token::Close,
            b'<' => self.input(at, fd),
            _ => self.output(at, fd),
        };
        self.push(at, token);
    }

    fn input(&mut self, at: Position, fd: Option<u8>) -> Token {
        let cursor = &mut self.scan.cursor;
        if cursor.eat(b'<') {
            if cursor.eat(b'<') {
                self.scan.unsupported(at, Feature::HereString);
            } else {
                return self.here_document(at, fd);
            }
        } else if cursor.eat(b'&') {
            self.scan.unsupported(at, Feature::Descriptor);
        } else if cursor.eat(b'>') {
            self.scan.unsupported(at, Feature::ReadWrite);
        } else if cursor.peek() == Some(b'(') {
            self.scan.unsupported(at, Feature::ProcessSubstitution);
        }
        Token::Redirect { fd, operator: Operator::Read }
    }

    fn here_document(&mut self, at: Position, fd: Option<u8>) -> Token {
        let drops_tabs = self.scan.cursor.eat(b'-');
        match self.scan.delimiter(at, drops_tabs) {
            Some(pending) => {
                self.pending.push(pending);
                Token::HereDocument { fd, body: self.bodies.len() + self.pending.len() - 1 }
            }
            None => {
                self.scan.refuse(at, ParseErrorKind::NoOperandAfter("<<"));
                Token::Redirect { fd, operator: Operator::Read }
            }
        }
    }

    fn output(&mut self, at: Position, fd: Option<u8>) -> Token {
        let cursor = &mut self.scan.cursor;
        let operator = if cursor.eat(b'>') {
            Operator::Append
        } else if cursor.eat(b'&') {
            Operator::Duplicate
        } else {
            if cursor.eat(b'|') {
                self.scan.unsupported(at, Feature::Overwrite);
            } else if cursor.peek() == Some(b'(') {
                self.scan.unsupported(at, Feature::ProcessSubstitution);
            }
            Operator::Write
        };
        Token::Redirect { fd, operator }
    }
}
