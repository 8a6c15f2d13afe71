//! Words into arguments: variables, the exit status, and the splitting of unquoted values.
//!
//! Decides what bash's "word splitting" decides, with the default IFS (space, tab, line end). Does
//! not look for file names and does not know where variables are kept. Bounded like a real
//! command's arguments.

use super::ast::{Part, Word};
use std::fmt;

/// Most bytes that the arguments of one command may take together, each counted with 8 more, as
/// Linux bounds them.
pub const ARGUMENT_BYTES_MAX: usize = 2 << 20;

/// Where values come from.
pub trait Scope {
    /// The value of a variable; `None` if it is not set.
    fn variable(&self, name: &str) -> Option<&[u8]>;
    /// The exit status of the last pipeline.
    fn exit_status(&self) -> u8;
}

/// The words expand to more than [`ARGUMENT_BYTES_MAX`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentsTooLong;

impl fmt::Display for ArgumentsTooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Argument list too long")
    }
}

impl std::error::Error for ArgumentsTooLong {}

/// Fields in the making.
struct Fields {
    done: Vec<Vec<u8>>,
    open: Option<Vec<u8>>,
    budget: usize,
}

/// Expands the words of one command into its arguments.
///
/// # Errors
/// When they are longer than a command may have.
pub fn expand_words(words: &[Word], scope: &dyn Scope) -> Result<Vec<Vec<u8>>, ArgumentsTooLong> {
    let mut fields = Fields { done: Vec::new(), open: None, budget: ARGUMENT_BYTES_MAX };
    for word in words {
        fields.word(word, scope)?;
        fields.close()?;
    }
    Ok(fields.done)
}

/// Expands one word into fields: none for an unquoted empty variable, several for one with blanks.
///
/// # Errors
/// As [`expand_words`].
pub fn expand_word(word: &Word, scope: &dyn Scope) -> Result<Vec<Vec<u8>>, ArgumentsTooLong> {
    expand_words(std::slice::from_ref(word), scope)
}

/// Expands one word without splitting it: assignments, heredocs, files of redirections.
///
/// # Errors
/// As [`expand_words`].
pub fn expand_joined(word: &Word, scope: &dyn Scope) -> Result<Vec<u8>, ArgumentsTooLong> {
    let mut fields =
        Fields { done: Vec::new(), open: Some(Vec::new()), budget: ARGUMENT_BYTES_MAX };
    for part in &word.parts {
        match part {
            Part::Literal { bytes, .. } => fields.append(bytes)?,
            Part::Variable { name, .. } => fields.append(scope.variable(name).unwrap_or(b""))?,
            Part::ExitStatus { .. } => fields.append_number(scope.exit_status())?,
        }
    }
    Ok(fields.open.unwrap_or_default())
}

impl Fields {
    fn word(&mut self, word: &Word, scope: &dyn Scope) -> Result<(), ArgumentsTooLong> {
        for part in &word.parts {
            match part {
                Part::Literal { bytes, .. } => self.append(bytes)?,
                Part::ExitStatus { .. } => self.append_number(scope.exit_status())?,
                Part::Variable { name, quoted } => {
                    let value = scope.variable(name).unwrap_or(b"");
                    if *quoted {
                        self.append(value)?;
                    } else {
                        self.split(value)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds bytes to the open field; an empty addition opens one too.
    fn append(&mut self, bytes: &[u8]) -> Result<(), ArgumentsTooLong> {
        self.budget = self.budget.checked_sub(bytes.len()).ok_or(ArgumentsTooLong)?;
        self.open.get_or_insert_default().extend_from_slice(bytes);
        Ok(())
    }

    fn append_number(&mut self, number: u8) -> Result<(), ArgumentsTooLong> {
        let digits = [number / 100, number / 10 % 10, number % 10].map(|digit| digit + b'0');
        let zeros = usize::from(number < 10) + usize::from(number < 100);
        self.append(&digits[zeros..])
    }

    fn split(&mut self, value: &[u8]) -> Result<(), ArgumentsTooLong> {
        for (index, piece) in value.split(|byte| b" \t\n".contains(byte)).enumerate() {
            if index > 0 {
                self.close()?;
            }
            if !piece.is_empty() {
                self.append(piece)?;
            }
        }
        Ok(())
    }

    fn close(&mut self) -> Result<(), ArgumentsTooLong> {
        if let Some(field) = self.open.take() {
            self.budget = self.budget.checked_sub(8).ok_or(ArgumentsTooLong)?;
            self.done.push(field);
        }
        Ok(())
    }
}
