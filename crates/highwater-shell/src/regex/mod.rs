//! Regular expressions: one small engine, and a front end for each language that people type.
//!
//! Decides what fits, never how long it takes: a text is read once, all ways through the expression
//! side by side (Thompson's construction), so no expression is slow. What cannot be done that way,
//! looking around and back-references, is refused by name.

mod gnu;
mod java;
mod parse;
mod program;

pub use parse::Problem;

use program::Program;

/// An expression, ready to be used.
#[derive(Clone, Debug)]
pub struct Regex {
    program: Program,
}

/// A language of GNU grep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gnu {
    /// `grep`: brackets and counts behind a backslash.
    Basic,
    /// `grep -E`.
    Extended,
    /// `grep -F`: characters that stand for themselves.
    Fixed,
}

/// Where an expression fits: from and to, in bytes.
pub type Span = (usize, usize);

impl Regex {
    /// Reads an expression of GNU grep; several are joined by line ends.
    ///
    /// # Errors
    /// It makes no sense, or it is not understood here.
    pub fn gnu(text: &[u8], language: Gnu, folds: bool) -> Result<Self, Problem> {
        Ok(Self { program: Program::new(&gnu::read(text, language)?, folds)? })
    }

    /// Reads an expression of `java.util.regex`.
    ///
    /// # Errors
    /// It makes no sense, or it is not understood here.
    pub fn java(text: &str) -> Result<Self, Problem> {
        let (node, folds) = java::read(text)?;
        Ok(Self { program: Program::new(&node, folds)? })
    }

    /// Whether the whole text fits, as `Pattern.matches` asks.
    #[must_use]
    pub fn fits(&self, text: &[u8]) -> bool {
        self.program.fits(text)
    }

    /// The first place from `from` on that fits, and there the longest one.
    #[must_use]
    pub fn find(&self, text: &[u8], from: usize) -> Option<Span> {
        self.program.find(text, from)
    }
}
