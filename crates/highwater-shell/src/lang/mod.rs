//! The shell language: bytes in, a tree out, and the words of the tree made into arguments.
//!
//! Decides what a line means in bash's terms. Does not decide what a command does, which commands
//! exist or where a redirected byte goes: that is the interpreter's. Whatever bash understands and
//! this module does not is refused by name, so that nothing is taken for something else.

mod arithmetic;
mod ast;
mod compound;
mod cursor;
mod error;
mod escape;
mod expand;
pub mod glob;
mod heredoc;
mod lexer;
mod nesting;
mod parser;
mod print;
mod quote;
mod word;

pub use ast::{
    AndOr, Assignment, Command, Compound, Connector, List, Part, Pipeline, Position, Redirect,
    RedirectTarget, Word,
};
pub use error::{Feature, Missing, ParseError, ParseErrorKind};
pub use expand::{
    ARGUMENT_BYTES_MAX, ExpandError, Scope, expand_joined, expand_word, expand_words,
};
pub use parser::{Extent, INPUT_BYTES_MAX, Parsed, first_command, parse};
pub use print::{print, print_word};
pub use quote::quote;
