//! `cargo xtask bench`: runs the measurements of the tests package, compiled as for release, natively
//! and as wasm in Node. What is measured, and against which yardstick, is in tests/benches/figures.

use std::path::Path;
use std::time::Duration;

use crate::places;
use crate::process::Job;
use crate::tools::{cargo_tool, rust};
use crate::trouble::Outcome;

/// Runs all of them, or those whose name contains `only`.
pub(crate) fn run(cache: &Path, only: Option<&str>) -> Outcome {
    println!("natively:");
    bench(&["bench"], &["--"]).args(only).must(REMEDY)?;
    println!("as wasm in Node:");
    rust::ensure_target()?;
    let bindgen = cargo_tool::ensure(&cargo_tool::wasm_bindgen()?, cache)?;
    // The runner knows tests; `cargo bench` would ask it for something else.
    bench(&["test", "--profile", "bench", "--target", rust::WASM], &["--", "--nocapture"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", bindgen.join("wasm-bindgen-test-runner"))
        .env("HIGHWATER_FIGURE", only.unwrap_or_default())
        .must(REMEDY)
        .map(drop)
}

const REMEDY: &str = "the lines above say which measurement failed.";

fn bench(first: &[&str], last: &[&str]) -> Job {
    Job::new("the measurements", "cargo")
        .args(first)
        .args(["--package", "highwater-tests", "--bench", "figures", "--locked"])
        .args(last)
        .dir(places::root())
        .bound(Duration::from_secs(30 * 60))
}
