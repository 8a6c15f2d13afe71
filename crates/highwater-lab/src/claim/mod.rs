//! Claims: what an author says of a run at a moment, and whether it is so.
//!
//! `partition("orders-0").isr = [1, 2] and group("billing").lag > 0`: a small language of yes and no over what the
//! snapshot holds, in Kafka's words. A quiz option carries one, a task ticks itself off by one, a law is one that
//! is looked at after many random runs (`law`, with the feature `laws`). Everything is whole numbers and texts, so that it is the same natively
//! and in the page. The grammar is in docs/AUTHORS.md.
//!
//! `token` and `parse` read it, with `kind`, `names` and `check` for what can be asked and goes together; `state`,
//! `fields` and `run_fields` know where in a run it is found; `evaluate` finds it out, `explain` says why.

mod check;
mod error;
mod evaluate;
mod explain;
mod fields;
mod kind;
#[cfg(feature = "laws")]
pub mod law;
mod names;
mod parse;
mod run_fields;
mod state;
mod token;
mod tree;
mod value;

use std::fmt;

pub(crate) use self::error::nearest;
pub use self::error::{ClaimError, Mistake};
pub use self::explain::Explanation;
pub use self::names::reference;
pub use self::parse::TEXT_MAX;
pub use self::state::State;
pub use self::token::quote;
pub use self::value::{Thing, Value};

use self::evaluate::Evaluator;
use self::kind::Kind;
use self::tree::Node;
use crate::run::Run;

/// An expression of any kind: a number, a list, a claim.
#[derive(Clone, Debug)]
pub struct Expression(Node);

impl Expression {
    /// Reads one.
    ///
    /// # Errors
    /// Where it is wrong, and what to do.
    pub fn parse(text: &str) -> Result<Self, ClaimError> {
        parse::parse(text).map(Self)
    }

    /// What it is at a moment.
    ///
    /// # Errors
    /// It asks what has no answer there: whether `none` is less than 3.
    pub fn value<'a>(&'a self, state: &'a State<'a>) -> Result<Value<'a>, ClaimError> {
        Evaluator::new(state).value(&self.0)
    }
}

impl fmt::Display for Expression {
    /// As it was written, with the spaces and parentheses that it needs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An expression that holds at a moment, or does not.
#[derive(Clone, Debug)]
pub struct Claim(Node);

impl Claim {
    /// Reads one.
    ///
    /// # Errors
    /// Where it is wrong, and what to do; also when it is no yes or no.
    pub fn parse(text: &str) -> Result<Self, ClaimError> {
        let node = parse::parse(text)?;
        check::wants(&node, Kind::BOOL, "a claim")?;
        Ok(Self(node))
    }

    /// Whether it holds at the present moment of a run.
    ///
    /// # Errors
    /// As [`Claim::holds_at`].
    pub fn holds(&self, run: &Run) -> Result<bool, ClaimError> {
        self.holds_at(&State::new(run.session(), &run.snapshot()))
    }

    /// Whether it holds at a moment.
    ///
    /// # Errors
    /// It asks what has no answer there: whether `none` is less than 3.
    pub fn holds_at(&self, state: &State<'_>) -> Result<bool, ClaimError> {
        Evaluator::new(state).holds(&self.0)
    }

    /// Whether it holds at the present moment of a run, and why.
    ///
    /// # Errors
    /// As [`Claim::holds_at`].
    pub fn explain(&self, run: &Run) -> Result<Explanation, ClaimError> {
        self.explain_at(&State::new(run.session(), &run.snapshot()))
    }

    /// Whether it holds at a moment, and why.
    ///
    /// # Errors
    /// As [`Claim::holds_at`].
    pub fn explain_at(&self, state: &State<'_>) -> Result<Explanation, ClaimError> {
        let mut evaluator = Evaluator::new(state);
        let mut because = Vec::new();
        let holds = evaluator.explain(&self.0, &mut because)?;
        Ok(Explanation { holds, because, missing: evaluator.missing })
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
