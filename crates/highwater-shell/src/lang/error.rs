//! What may be wrong with a line, and what it may still lack.
//!
//! Decides the words in which a learner reads it. Finds nothing itself.

use highwater_core::scope;

use super::ast::Position;
use std::fmt;

/// Why a line was refused. Nothing of it has run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Line within the input, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// What is wrong there.
    pub what: ParseErrorKind,
}

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseErrorKind {
    /// Bash understands it, this shell does not.
    Unsupported(Feature),
    /// An operator stands where a command should begin.
    NoCommandBefore(&'static str),
    /// A redirection lacks its file, descriptor or delimiter.
    NoOperandAfter(&'static str),
    /// A token has no place here.
    Misplaced(&'static str),
    /// A file descriptor above 9.
    DescriptorTooLarge,
    /// The input is longer than [`super::INPUT_BYTES_MAX`].
    TooLong,
    /// Too many brackets are open at once.
    TooDeep,
    /// The name after `for` is none.
    BadName,
    /// Something must stand here.
    Expected(&'static str),
}

/// What bash has and this shell has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// `NAME+=value`
    AppendingAssignment,
    /// `$(( ))`
    Arithmetic,
    /// `NAME=( )`
    Array,
    /// `&`
    Background,
    /// `` ` ` ``
    Backquotes,
    /// `{a,b}`
    BraceExpansion,
    /// `case`
    Case,
    /// `$( )`
    CommandSubstitution,
    /// `[[ ]]`
    Condition,
    /// `coproc`
    Coprocess,
    /// `<&`, `>&-`
    Descriptor,
    /// `for`
    For,
    /// `f()`, `function`
    Function,
    /// `*`, `?`, `[ ]`
    Glob,
    /// `{ }`
    Group,
    /// `<<<`
    HereString,
    /// `if`
    If,
    /// `!`
    Negation,
    /// `>|`
    Overwrite,
    /// `${NAME...}`
    ParameterExpansion,
    /// `|&`
    PipeBoth,
    /// `<( )`, `>( )`
    ProcessSubstitution,
    /// `<>`
    ReadWrite,
    /// `select`
    Select,
    /// `$1`, `$@`, `$#`, `$$`, `$!`
    SpecialParameter,
    /// `( )`
    Subshell,
    /// `~`
    Tilde,
    /// `time`
    Time,
    /// `until`
    Until,
    /// `while`
    While,
}

/// What a line still lacks: the terminal asks for another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The closing `'`.
    SingleQuote,
    /// The closing `"`.
    DoubleQuote,
    /// The line that ends a heredoc.
    HereDocumentEnd,
    /// A command after `|`, `&&` or `||`.
    Command,
    /// The line that a backslash at the end promises.
    NextLine,
    /// The `)` of a `(` or a `$(`.
    Parenthesis,
    /// The `))` of a `$((`.
    Arithmetic,
    /// The `}` of a group.
    Brace,
    /// The `done` of a loop.
    Done,
    /// The `fi` of an `if`.
    Fi,
    /// The `esac` of a `case`.
    Esac,
}

impl ParseError {
    pub(super) fn new(at: Position, what: ParseErrorKind) -> Self {
        Self { line: at.line, column: at.column, what }
    }

    /// Where it stands.
    #[must_use]
    pub fn at(&self) -> Position {
        Position { line: self.line, column: self.column }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 1 {
            f.write_str("line ")?;
            fmt::Display::fmt(&self.line, f)?;
            f.write_str(", ")?;
        }
        f.write_str("column ")?;
        fmt::Display::fmt(&self.column, f)?;
        let (open, token, close) = match self.what {
            ParseErrorKind::Unsupported(feature) => {
                let (token, remedy) = feature.words();
                for text in [": `", token, "` is not understood here yet; ", remedy] {
                    f.write_str(text)?;
                }
                return Ok(());
            }
            ParseErrorKind::NoCommandBefore(token) => {
                (": `", token, "` has no command before it; write one, or take it away")
            }
            ParseErrorKind::NoOperandAfter("<<") => {
                (": `", "<<", "` needs the word that ends the heredoc, such as EOF")
            }
            ParseErrorKind::NoOperandAfter(token) => {
                (": `", token, "` needs a word after it, such as /dev/null")
            }
            ParseErrorKind::Misplaced(token) => {
                (": `", token, "` does not fit here; quote it if it is meant as it stands")
            }
            ParseErrorKind::DescriptorTooLarge => {
                (": a file descriptor is one digit, such as the 2 in ", "`2>&1`", "")
            }
            ParseErrorKind::TooLong => {
                (": the input is longer than 1 MiB", "", "; give it in smaller pieces")
            }
            kind if scope::CLUSTER => kind.words_of_brackets(),
            _ => return Ok(()),
        };
        f.write_str(open)?;
        f.write_str(token)?;
        f.write_str(close)
    }
}

impl std::error::Error for ParseError {}

impl ParseErrorKind {
    /// What is wrong with commands in brackets: what stands before the token, the token, and behind it.
    fn words_of_brackets(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::BadName => {
                (": `", "for", "` needs a name of letters, digits and underscores after it")
            }
            Self::Expected(token) => (": `", token, "` is missing here"),
            _ => {
                (": more brackets are open here than Highwater follows", "", "; write it in steps")
            }
        }
    }
}

impl Feature {
    /// How it is typed, and what to do instead.
    fn words(self) -> (&'static str, &'static str) {
        const QUOTE: &str = "quote it if it is meant as it stands";
        const ONE_BY_ONE: &str = "write the commands one by one";
        const PLAIN: &str = "write the value itself";
        const RESULT: &str = "run that command by itself and write its output here";
        match self {
            Self::AppendingAssignment => ("+=", "use NAME=value"),
            Self::Arithmetic => ("$((", "write the result itself"),
            Self::Array => ("=(", "use NAME=value"),
            Self::Background => ("&", "run the command by itself"),
            Self::Backquotes => ("`", RESULT),
            Self::BraceExpansion => ("{,}", QUOTE),
            Self::Case => ("case", ONE_BY_ONE),
            Self::CommandSubstitution => ("$(", RESULT),
            Self::Condition => ("[[", "use `&&` and `||` after a command"),
            Self::Coprocess => ("coproc", "use a pipe"),
            Self::Descriptor => (">&", "use `2>&1` or `>/dev/null`"),
            Self::For => ("for", ONE_BY_ONE),
            Self::Function => ("()", ONE_BY_ONE),
            Self::Glob => ("*", QUOTE),
            Self::Group => ("{", ONE_BY_ONE),
            Self::HereString => ("<<<", "use `echo text |` before the command"),
            Self::If => ("if", "use `&&` and `||`"),
            Self::Negation => ("!", "use `||`"),
            Self::Overwrite => (">|", "use `>`"),
            Self::ParameterExpansion => ("${", "use `$NAME` or `${NAME}`"),
            Self::PipeBoth => ("|&", "use `2>&1 |`"),
            Self::ProcessSubstitution => ("<(", "use a pipe or a file"),
            Self::ReadWrite => ("<>", "use `<` or `>`"),
            Self::Select => ("select", ONE_BY_ONE),
            Self::SpecialParameter => ("$", PLAIN),
            Self::Subshell => ("(", ONE_BY_ONE),
            Self::Tilde => ("~", QUOTE),
            Self::Time => ("time", "run the command by itself"),
            Self::Until => ("until", ONE_BY_ONE),
            Self::While => ("while", ONE_BY_ONE),
        }
    }
}

impl Missing {
    /// What is missing, in words that follow "waiting for".
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::SingleQuote => "the closing single quote",
            Self::DoubleQuote => "the closing double quote",
            Self::HereDocumentEnd => "the line that ends the heredoc",
            Self::Command => "a command after `|`, `&&` or `||`",
            Self::NextLine => "the line after a `\\` at the end",
            missing if scope::CLUSTER => missing.of_brackets(),
            _ => "",
        }
    }

    fn of_brackets(self) -> &'static str {
        match self {
            Self::Parenthesis => "the closing `)`",
            Self::Arithmetic => "the closing `))`",
            Self::Brace => "the closing `}`",
            Self::Fi => "the `fi` that ends the `if`",
            Self::Esac => "the `esac` that ends the `case`",
            _ => "the `done` that ends the loop",
        }
    }
}
