//! What is wrong with a lesson: where, what, and what to do about it.

use std::fmt;

/// A text with the name it goes by in errors.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The path as the author knows it.
    pub file: &'a str,
    /// Everything in it.
    pub text: &'a str,
}

impl<'a> Source<'a> {
    /// The line and column of a byte offset, both counted from 1, columns in characters.
    pub fn position(&self, offset: usize) -> (u32, u32) {
        let before = self.text.get(..offset).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        let column = before[line_start..].chars().count() + 1;
        (line as u32, column as u32)
    }

    /// An error at a byte offset of this text.
    pub fn error(
        &self,
        offset: usize,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LessonError {
        let (line, column) = self.position(offset);
        let (problem, remedy) = (problem.into(), remedy.into());
        LessonError { file: self.file.to_owned(), line, column, problem, remedy }
    }

    /// An error at the beginning of a line of this text, counted from 1.
    pub fn error_at_line(
        &self,
        line: u32,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> LessonError {
        LessonError { line, ..self.error(0, problem, remedy) }
    }
}

/// One fault in a lesson file or a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LessonError {
    /// The file, as it was named to the builder.
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    /// Counted from 1, in characters.
    pub column: u32,
    /// What is wrong, a clause without a full stop.
    pub problem: String,
    /// What to do about it, a clause without a full stop.
    pub remedy: String,
}

impl fmt::Display for LessonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, problem, remedy } = self;
        write!(f, "{file}:{line}:{column}: {problem}\n  remedy: {remedy}")
    }
}

impl std::error::Error for LessonError {}
