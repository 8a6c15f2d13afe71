//! `cargo xtask bench`: runs the measurements of the tests package, compiled as for release. What
//! is measured, and against which yardstick, is in tests/benches/figures.

use std::time::Duration;

use crate::places;
use crate::process::Job;
use crate::trouble::Outcome;

/// Runs all of them, or those whose name contains `only`.
pub(crate) fn run(only: Option<&str>) -> Outcome {
    Job::new("`cargo bench`", "cargo")
        .args(["bench", "--package", "highwater-tests", "--bench", "figures", "--locked", "--"])
        .args(only)
        .dir(places::root())
        .bound(Duration::from_secs(30 * 60))
        .must("the lines above say which measurement failed.")
        .map(drop)
}
