//! The tree that the parser builds: lists of and-or chains of pipelines of commands.
//!
//! Decides the shape only. Every node that an error may point at carries its position. What stands
//! in brackets is shared by `Rc`, so that a shell that waits in the middle of it copies a pointer.

use std::rc::Rc;

use highwater_core::scope::Lab;

/// Where something stands in the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

/// Commands one after the other, as separated by `;` and line ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct List {
    /// In the order in which they run.
    pub items: Vec<AndOr>,
}

/// Pipelines joined by `&&` and `||`, taken from left to right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AndOr {
    /// The pipeline that always runs.
    pub first: Pipeline,
    /// The others, each with what stands before it.
    pub rest: Vec<(Connector, Pipeline)>,
    /// Whether a `&` stands behind it: the shell does not wait for it.
    pub background: bool,
}

/// When the pipeline after it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connector {
    /// `&&`: after exit status 0.
    And,
    /// `||`: after any other exit status.
    Or,
}

/// Commands that start together, each reading what the one before it writes. Never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pipeline {
    /// Whether a `!` stands before it: failure becomes success, success 1.
    pub negated: bool,
    /// From the first writer to the last reader.
    pub commands: Vec<Command>,
}

/// One command: a compound one, which has no words and no assignments of its own, or a simple one,
/// of which at least one list is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// Where its first character stands.
    pub at: Position,
    /// `NAME=value` before the first word.
    pub assignments: Vec<Assignment>,
    /// The name of the command and its arguments, not yet expanded.
    pub words: Vec<Word>,
    /// In the order in which they apply.
    pub redirects: Vec<Redirect>,
    /// What is run, if it is more than a name with arguments.
    pub compound: Lab<Compound>,
}

/// A command made of commands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Compound {
    /// `( list )`: run by a copy of the shell.
    Subshell(Rc<List>),
    /// `{ list; }`: run by the shell itself.
    Group(Rc<List>),
    /// `for NAME in WORDS; do list; done`.
    For {
        /// The variable.
        name: String,
        /// Its values, to be expanded first; empty without `in`.
        words: Vec<Word>,
        /// What is run with each value.
        body: Rc<List>,
    },
}

/// `NAME=value`. The value is expanded without splitting it into fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Where the name begins.
    pub at: Position,
    /// Letters, digits and underscores.
    pub name: String,
    /// May have no parts: the empty value.
    pub value: Word,
}

/// Where a file descriptor of a command leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Redirect {
    /// Where the operator, or the number before it, begins.
    pub at: Position,
    /// The descriptor, 0 to 9.
    pub fd: u8,
    /// What it is joined to.
    pub target: RedirectTarget,
}

/// What a descriptor is joined to. `&>file` is read as `>file 2>&1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RedirectTarget {
    /// `<file`.
    Read(Word),
    /// `>file`.
    Write(Word),
    /// `>>file`.
    Append(Word),
    /// `>&1`: where that descriptor leads at this moment.
    DuplicateOf(u8),
    /// `<<X`: these bytes, to be expanded without splitting.
    HereDocument(Word),
}

/// One word as typed: its parts follow each other without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Where its first character stands.
    pub at: Position,
    /// Neighbouring literals differ in their quoting.
    pub parts: Vec<Part>,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Bytes that stand for themselves.
    Literal {
        /// Empty only for `''` and `""`.
        bytes: Vec<u8>,
        /// Whether any kind of quote or a backslash protected them.
        quoted: bool,
    },
    /// `$NAME` or `${NAME}`.
    Variable {
        /// Letters, digits and underscores; or one of `!`, `$`, `#` and `0`.
        name: String,
        /// Whether it stands in double quotes (or a heredoc), so that its value is not split.
        quoted: bool,
    },
    /// `$?`.
    ExitStatus {
        /// Whether it stands in double quotes (or a heredoc).
        quoted: bool,
    },
    /// `$( list )`: what the list prints, without the line ends at its end.
    Substitution {
        /// Run by a copy of the shell before the word is expanded.
        list: Lab<Rc<List>>,
        /// Whether it stands in double quotes (or a heredoc).
        quoted: bool,
    },
    /// `$(( ))`.
    Arithmetic {
        /// The text between the brackets, to be expanded without splitting.
        expression: Lab<Word>,
        /// Whether it stands in double quotes (or a heredoc).
        quoted: bool,
    },
}

impl Word {
    /// The bytes of a word that is one unquoted literal, as keywords and descriptors are.
    #[must_use]
    pub fn plain(&self) -> Option<&[u8]> {
        match self.parts.as_slice() {
            [Part::Literal { bytes, quoted: false }] => Some(bytes),
            _ => None,
        }
    }
}

impl Part {
    /// Whether a name may begin with this byte.
    pub(super) fn is_name_start(byte: u8) -> bool {
        byte == b'_' || byte.is_ascii_alphabetic()
    }

    /// Whether a name may go on with this byte.
    pub(super) fn is_name_byte(byte: u8) -> bool {
        byte == b'_' || byte.is_ascii_alphanumeric()
    }
}
