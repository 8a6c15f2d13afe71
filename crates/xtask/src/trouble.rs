//! The one error of xtask: a clear sentence that names the remedy. It decides how a failure reads,
//! not what failed.

use std::fmt;

/// What went wrong and what to do about it, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Trouble(String);

/// The result of every task.
pub(crate) type Outcome<T = ()> = Result<T, Trouble>;

impl Trouble {
    /// A failure in words.
    pub(crate) fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Turns a library's error into a sentence that says what we were doing.
pub(crate) trait OrSay<T> {
    /// `doing` completes "Could not ...".
    fn or_say(self, doing: impl FnOnce() -> String) -> Outcome<T>;
}

impl<T, E: fmt::Display> OrSay<T> for Result<T, E> {
    fn or_say(self, doing: impl FnOnce() -> String) -> Outcome<T> {
        self.map_err(|e| Trouble::new(format!("Could not {}: {e}.", doing())))
    }
}
