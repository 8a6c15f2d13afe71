//! One word: quotes, backslashes and `$`, made into parts.
//!
//! Decides what is literal and what is expanded, and notes what bash would expand and this shell
//! does not. What stands in `$( )` is read by the lexer. A refused piece is noted and read on as
//! literal text, so that the end of the command is still found.

use highwater_core::scope::{self, Lab};

use super::ast::{Part, Position, Word};
use super::cursor::Cursor;
use super::error::{Feature, Missing, ParseError, ParseErrorKind};
use super::escape;

/// The cursor, with what was found wrong or missing so far.
pub(super) struct Scan<'a> {
    pub(super) cursor: Cursor<'a>,
    /// The first thing that is not understood.
    pub(super) refused: Option<ParseError>,
    /// What the end of the input left open.
    pub(super) missing: Option<Missing>,
    /// How many `$(` and `$((` are open.
    depth: usize,
}

/// So many `$(` may be open at once.
const DEPTH_MAX: usize = 40;

/// Parts in the making.
#[derive(Default)]
pub(super) struct Builder {
    parts: Vec<Part>,
    /// Counts what was added, so that an empty pair of quotes is noticed.
    added: usize,
}

/// Openings of patterns seen in one word, outside quotes.
#[derive(Default)]
struct Patterns {
    bracket: Option<Position>,
    brace: Option<Position>,
    brace_is_list: bool,
}

impl Builder {
    pub(super) fn push(&mut self, byte: u8, quoted: bool) {
        self.literal(quoted).push(byte);
        self.added += 1;
    }

    pub(super) fn add(&mut self, part: Part) {
        self.parts.push(part);
        self.added += 1;
    }

    /// The literal at the end with this quoting; begins one if there is none.
    fn literal(&mut self, quoted: bool) -> &mut Vec<u8> {
        if !matches!(self.parts.last(), Some(Part::Literal { quoted: q, .. }) if *q == quoted) {
            self.parts.push(Part::Literal { bytes: Vec::new(), quoted });
        }
        match self.parts.last_mut() {
            Some(Part::Literal { bytes, .. }) => bytes,
            _ => unreachable!("a literal was just added"),
        }
    }

    pub(super) fn finish(mut self, at: Position) -> Word {
        self.parts.shrink_to_fit();
        Word { at, parts: self.parts }
    }
}

impl<'a> Scan<'a> {
    pub(super) fn new(input: &'a [u8]) -> Self {
        Self { cursor: Cursor::new(input), refused: None, missing: None, depth: 0 }
    }

    /// Notes what is wrong; the first one is kept.
    pub(super) fn refuse(&mut self, at: Position, what: ParseErrorKind) {
        self.refused.get_or_insert(ParseError::new(at, what));
    }

    pub(super) fn unsupported(&mut self, at: Position, feature: Feature) {
        self.refuse(at, ParseErrorKind::Unsupported(feature));
    }

    /// Notes what is missing; the first one is kept.
    pub(super) fn lacks(&mut self, missing: Missing) {
        self.missing.get_or_insert(missing);
    }

    /// Reads the word at the cursor.
    pub(super) fn word(&mut self) -> Word {
        let start = self.cursor.position();
        let mut builder = Builder::default();
        let mut patterns = Patterns::default();
        while let Some(byte) = self.cursor.joined() {
            if is_word_end(byte) {
                break;
            }
            let at = self.cursor.position();
            self.cursor.bump();
            match byte {
                b'\\' => match self.cursor.bump() {
                    Some(next) => builder.push(next, true),
                    None => self.lacks(Missing::NextLine),
                },
                b'\'' => self.single_quoted(&mut builder),
                b'"' => self.double_quoted(&mut builder),
                b'$' => self.dollar(at, false, &mut builder),
                b'`' => {
                    self.unsupported(at, Feature::Backquotes);
                    builder.push(byte, true);
                }
                b'~' if builder.added == 0 => {
                    self.unsupported(at, Feature::Tilde);
                    builder.push(byte, false);
                }
                _ => {
                    if let Some(feature) = patterns.closes(byte, at, self.cursor.peek()) {
                        self.unsupported(feature.1, feature.0);
                    }
                    builder.push(byte, false);
                }
            }
        }
        builder.finish(start)
    }

    pub(super) fn single_quoted(&mut self, builder: &mut Builder) {
        let before = builder.added;
        loop {
            match self.cursor.bump() {
                Some(b'\'') => break,
                Some(byte) => builder.push(byte, true),
                None => {
                    self.lacks(Missing::SingleQuote);
                    break;
                }
            }
        }
        if builder.added == before {
            builder.literal(true);
            builder.added += 1;
        }
    }

    pub(super) fn double_quoted(&mut self, builder: &mut Builder) {
        let before = builder.added;
        loop {
            let Some(byte) = self.cursor.joined() else {
                self.lacks(Missing::DoubleQuote);
                break;
            };
            let at = self.cursor.position();
            self.cursor.bump();
            match byte {
                b'"' => break,
                b'\\' => self.backslash(br#"$`"\"#, builder),
                b'$' => self.dollar(at, true, builder),
                b'`' => {
                    self.unsupported(at, Feature::Backquotes);
                    builder.push(byte, true);
                }
                _ => builder.push(byte, true),
            }
        }
        if builder.added == before {
            builder.literal(true);
            builder.added += 1;
        }
    }

    /// A backslash inside quotes: it protects only some bytes and stays before the others.
    pub(super) fn backslash(&mut self, protects: &[u8], builder: &mut Builder) {
        match self.cursor.peek() {
            Some(next) if protects.contains(&next) => {
                self.cursor.bump();
                builder.push(next, true);
            }
            _ => builder.push(b'\\', true),
        }
    }

    /// What follows a `$`, which was taken and stands at `at`.
    pub(super) fn dollar(&mut self, at: Position, quoted: bool, builder: &mut Builder) {
        match self.cursor.joined() {
            Some(b'?') => {
                self.cursor.bump();
                builder.add(Part::ExitStatus { quoted });
            }
            Some(byte) if Part::is_name_start(byte) => {
                let name = self.name();
                builder.add(Part::Variable { name, quoted });
            }
            Some(b'{') => self.braced(at, quoted, builder),
            Some(b'(') if scope::CLUSTER => self.bracketed(at, quoted, builder),
            Some(byte) if scope::CLUSTER && is_special(byte) => {
                self.cursor.bump();
                builder.add(Part::Variable { name: char::from(byte).to_string(), quoted });
            }
            Some(b'\'') if !quoted => {
                self.cursor.bump();
                self.ansi_quoted(builder);
            }
            Some(b'"') if !quoted => {
                self.cursor.bump();
                self.double_quoted(builder);
            }
            Some(next) => {
                let second = self.cursor.rest().get(1).copied();
                if let Some(feature) = refused_after_dollar(next, second) {
                    self.unsupported(at, feature);
                }
                builder.push(b'$', true);
            }
            None => builder.push(b'$', true),
        }
    }

    /// `$( )` and `$(( ))`, whose first bracket is next.
    fn bracketed(&mut self, at: Position, quoted: bool, builder: &mut Builder) {
        if self.depth == DEPTH_MAX {
            self.refuse(at, ParseErrorKind::TooDeep);
            return builder.push(b'$', true);
        }
        self.depth += 1;
        self.cursor.bump();
        if self.cursor.eat(b'(') {
            let expression = Lab::new(self.expression());
            builder.add(Part::Arithmetic { expression, quoted });
        } else {
            self.substitution(quoted, builder);
        }
        self.depth -= 1;
    }

    /// What stands between `$((` and `))`, which is taken; as typed, but for what `$` begins.
    fn expression(&mut self) -> Word {
        let start = self.cursor.position();
        let mut builder = Builder::default();
        let mut open = 0;
        while let Some(byte) = self.cursor.joined() {
            let at = self.cursor.position();
            self.cursor.bump();
            match byte {
                b')' if open == 0 => {
                    if !self.cursor.eat(b')') {
                        self.unsupported(at, Feature::Subshell);
                    }
                    return builder.finish(start);
                }
                b'$' => {
                    self.dollar(at, true, &mut builder);
                    continue;
                }
                b'(' => open += 1,
                b')' => open -= 1,
                b'`' => self.unsupported(at, Feature::Backquotes),
                _ => {}
            }
            builder.push(byte, true);
        }
        self.lacks(Missing::Arithmetic);
        builder.finish(start)
    }

    /// `${NAME}` and `${?}`; anything else in the braces is refused.
    fn braced(&mut self, at: Position, quoted: bool, builder: &mut Builder) {
        self.cursor.bump();
        let next = self.cursor.joined().filter(|byte| scope::CLUSTER && is_special(*byte));
        let part = if self.cursor.eat(b'?') {
            Part::ExitStatus { quoted }
        } else if let Some(byte) = next {
            self.cursor.bump();
            Part::Variable { name: char::from(byte).to_string(), quoted }
        } else {
            Part::Variable { name: self.name(), quoted }
        };
        let is_named = !matches!(&part, Part::Variable { name, .. } if name.is_empty());
        if self.cursor.eat(b'}') && is_named {
            builder.add(part);
        } else {
            self.unsupported(at, Feature::ParameterExpansion);
            builder.push(b'$', true);
        }
    }

    /// The name at the cursor; empty if there is none.
    fn name(&mut self) -> String {
        let mut name = String::new();
        while let Some(byte) = self.cursor.joined() {
            let fits = Part::is_name_byte(byte) && (!name.is_empty() || Part::is_name_start(byte));
            if !fits {
                break;
            }
            self.cursor.bump();
            name.push(char::from(byte));
        }
        name
    }

    fn ansi_quoted(&mut self, builder: &mut Builder) {
        let bytes = builder.literal(true);
        let mut is_closed = false;
        while let Some(byte) = self.cursor.bump() {
            match byte {
                b'\'' => {
                    is_closed = true;
                    break;
                }
                b'\\' => escape::read(&mut self.cursor, bytes),
                _ => bytes.push(byte),
            }
        }
        builder.added += 1;
        if !is_closed {
            self.lacks(Missing::SingleQuote);
        }
    }
}

impl Patterns {
    /// Notes an unquoted byte; says which pattern, opened where, it makes complete.
    fn closes(&mut self, byte: u8, at: Position, next: Option<u8>) -> Option<(Feature, Position)> {
        match byte {
            b'*' | b'?' if !scope::CLUSTER => return Some((Feature::Glob, at)),
            b'[' if self.bracket.is_none() => self.bracket = Some(at),
            // `[]` alone is no pattern: the first `]` belongs to the set.
            b']' if !scope::CLUSTER => {
                let open = self.bracket?;
                if at.line != open.line || at.column > open.column + 1 {
                    return Some((Feature::Glob, open));
                }
            }
            b'{' => {
                self.brace.get_or_insert(at);
            }
            b',' => self.brace_is_list |= self.brace.is_some(),
            b'.' => self.brace_is_list |= self.brace.is_some() && next == Some(b'.'),
            b'}' if self.brace_is_list => {
                return self.brace.map(|at| (Feature::BraceExpansion, at));
            }
            _ => {}
        }
        None
    }
}

/// The parameters beside `$?` that the shell sets itself.
fn is_special(byte: u8) -> bool {
    matches!(byte, b'!' | b'$' | b'#' | b'0')
}

/// What bash would expand after a `$` and this shell does not.
fn refused_after_dollar(next: u8, second: Option<u8>) -> Option<Feature> {
    match next {
        b'(' if second == Some(b'(') => Some(Feature::Arithmetic),
        b'(' => Some(Feature::CommandSubstitution),
        b'[' => Some(Feature::Arithmetic),
        b'0'..=b'9' | b'@' | b'*' | b'#' | b'$' | b'!' | b'-' => Some(Feature::SpecialParameter),
        _ => None,
    }
}

/// Whether an unquoted byte ends a word.
pub(super) fn is_word_end(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'|' | b'&' | b';' | b'(' | b')' | b'<' | b'>')
}
