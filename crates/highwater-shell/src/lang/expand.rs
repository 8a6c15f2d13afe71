//! Words into arguments: variables, the exit status, `$( )`, `$(( ))`, the splitting of unquoted
//! values, and which of them are patterns of file names.
//!
//! Decides what bash's "word splitting" decides, with the default IFS (space, tab, line end). Does
//! not know where variables and files are kept. Bounded like a real command's arguments.

use highwater_core::scope::{self, Lab};

use super::arithmetic;
use super::ast::{List, Part, Word};
use std::fmt;
use std::rc::Rc;

/// Most bytes that the arguments of one command may take together, each counted with 8 more, as
/// Linux bounds them.
pub const ARGUMENT_BYTES_MAX: usize = 2 << 20;

/// Where values come from.
pub trait Scope {
    /// The value of a variable; `None` if it is not set.
    fn variable(&self, name: &str) -> Option<&[u8]>;
    /// The exit status of the last pipeline.
    fn exit_status(&self) -> u8;
    /// What a `$( )` has printed, without the line ends at its end.
    fn substituted(&self, _list: &Rc<List>) -> &[u8] {
        b""
    }
    /// The paths that fit a pattern (see [`super::glob`]), in their order.
    fn paths(&self, _pattern: &[u8]) -> Vec<Vec<u8>> {
        Vec::new()
    }
}

/// Why words cannot be expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExpandError {
    /// They come to more than [`ARGUMENT_BYTES_MAX`] bytes.
    TooLong,
    /// A `$(( ))` cannot be computed: its text, and why.
    Arithmetic(Lab<String>),
}

impl fmt::Display for ExpandError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooLong => "Argument list too long",
            Self::Arithmetic(text) => text.get().map_or("", String::as_str),
        })
    }
}

impl std::error::Error for ExpandError {}

/// Fields in the making.
struct Fields {
    done: Vec<Vec<u8>>,
    open: Option<Vec<u8>>,
    pattern: Lab<Pattern>,
    budget: usize,
}

/// The open field as a pattern.
#[derive(Default)]
struct Pattern {
    /// What was quoted has a backslash before it.
    bytes: Vec<u8>,
    /// Whether anything else than plain characters is in it.
    is_one: bool,
}

/// Expands the words of one command into its arguments.
///
/// # Errors
/// When they are longer than a command may have, or arithmetic fails.
pub fn expand_words(words: &[Word], scope: &dyn Scope) -> Result<Vec<Vec<u8>>, ExpandError> {
    let mut fields = Fields::new(None);
    for word in words {
        fields.word(word, scope)?;
        fields.close(scope)?;
    }
    Ok(fields.done)
}

/// Expands one word into fields: none for an unquoted empty variable, several for one with blanks.
///
/// # Errors
/// As [`expand_words`].
pub fn expand_word(word: &Word, scope: &dyn Scope) -> Result<Vec<Vec<u8>>, ExpandError> {
    expand_words(std::slice::from_ref(word), scope)
}

/// Expands one word without splitting it: assignments, heredocs, files of redirections.
///
/// # Errors
/// As [`expand_words`].
pub fn expand_joined(word: &Word, scope: &dyn Scope) -> Result<Vec<u8>, ExpandError> {
    let mut fields = Fields::new(Some(Vec::new()));
    for part in &word.parts {
        fields.part(part, scope, true)?;
    }
    Ok(fields.open.unwrap_or_default())
}

impl Fields {
    fn new(open: Option<Vec<u8>>) -> Self {
        let pattern = if scope::CLUSTER { Lab::new(Pattern::default()) } else { Lab::default() };
        Self { done: Vec::new(), open, pattern, budget: ARGUMENT_BYTES_MAX }
    }

    fn word(&mut self, word: &Word, scope: &dyn Scope) -> Result<(), ExpandError> {
        for part in &word.parts {
            self.part(part, scope, false)?;
        }
        Ok(())
    }

    /// Adds one part; `joined`: as if all of it were quoted.
    fn part(&mut self, part: &Part, scope: &dyn Scope, joined: bool) -> Result<(), ExpandError> {
        let (digits, computed);
        let (value, quoted) = match part {
            Part::Literal { bytes, quoted } => return self.append(bytes, joined || *quoted),
            Part::ExitStatus { .. } => {
                digits = decimal(scope.exit_status());
                let zeros = digits.iter().take(2).take_while(|digit| **digit == b'0').count();
                (&digits[zeros..], true)
            }
            Part::Variable { name, quoted } => (scope.variable(name).unwrap_or(b""), *quoted),
            Part::Substitution { list, quoted } => {
                (list.get().map_or(b"".as_slice(), |list| scope.substituted(list)), *quoted)
            }
            Part::Arithmetic { expression, .. } => {
                let Some(expression) = expression.get() else { return Ok(()) };
                let text = expand_joined(expression, scope)?;
                let number = arithmetic::evaluate(&text, scope)
                    .map_err(|why| ExpandError::Arithmetic(Lab::new(why)))?;
                computed = number.to_string().into_bytes();
                (computed.as_slice(), true)
            }
        };
        if joined || quoted { self.append(value, true) } else { self.split(value, scope) }
    }

    /// Adds bytes to the open field; an empty addition opens one too.
    fn append(&mut self, bytes: &[u8], quoted: bool) -> Result<(), ExpandError> {
        self.budget = self.budget.checked_sub(bytes.len()).ok_or(ExpandError::TooLong)?;
        self.open.get_or_insert_default().extend_from_slice(bytes);
        if let Some(pattern) = self.pattern.get_mut() {
            for byte in bytes {
                if quoted && b"*?[]\\!-^".contains(byte) {
                    pattern.bytes.push(b'\\');
                }
                pattern.bytes.push(*byte);
                pattern.is_one |= !quoted && b"*?[".contains(byte);
            }
        }
        Ok(())
    }

    fn split(&mut self, value: &[u8], scope: &dyn Scope) -> Result<(), ExpandError> {
        for (index, piece) in value.split(|byte| b" \t\n".contains(byte)).enumerate() {
            if index > 0 {
                self.close(scope)?;
            }
            if !piece.is_empty() {
                self.append(piece, false)?;
            }
        }
        Ok(())
    }

    /// Ends the open field: one argument, or the paths that fit it as a pattern, if there are any.
    fn close(&mut self, scope: &dyn Scope) -> Result<(), ExpandError> {
        let Some(field) = self.open.take() else { return Ok(()) };
        if let Some(pattern) = self.pattern.get_mut().map(std::mem::take) {
            let paths = if pattern.is_one { scope.paths(&pattern.bytes) } else { Vec::new() };
            for path in &paths {
                self.budget = self.budget.checked_sub(path.len()).ok_or(ExpandError::TooLong)?;
            }
            if !paths.is_empty() {
                self.done.extend(paths);
                return Ok(());
            }
        }
        self.budget = self.budget.checked_sub(8).ok_or(ExpandError::TooLong)?;
        self.done.push(field);
        Ok(())
    }
}

/// An exit status in three digits.
fn decimal(number: u8) -> [u8; 3] {
    [number / 100, number / 10 % 10, number % 10].map(|digit| digit + b'0')
}
