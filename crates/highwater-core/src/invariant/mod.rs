//! What must hold after every step, one file per family. Tests check all of it after each step.

use crate::world::process::Process;
use crate::world::world::World;

mod log_order;
mod reader_in_log;
mod watermark;

/// A guarantee that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule's name.
    pub rule: &'static str,
    /// What was found, in words.
    pub found: String,
}

/// Everything that does not hold in this world; nothing, if all is well.
#[must_use]
pub fn check<P: Process>(world: &World<P>) -> Vec<Violation> {
    let mut violations = Vec::new();
    log_order::check(world, &mut violations);
    watermark::check(world, &mut violations);
    reader_in_log::check(world, &mut violations);
    violations
}
