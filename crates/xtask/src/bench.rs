//! `cargo xtask bench`: runs the measurements of the tests package, compiled as for release, natively
//! and as wasm in Node, and those of the built site in Chromium (tests/e2e/speeds.rs). What is measured, and against which yardstick, is in tests/benches/figures.

use std::path::Path;
use std::time::Duration;

use crate::places;
use crate::process::Job;
use crate::site::{self, Mode};
use crate::test_run::stages::on_the_site;
use crate::tools::{cargo_tool, rust};
use crate::trouble::Outcome;

/// Runs all of them, or those whose name contains `only`.
pub(crate) fn run(cache: &Path, only: Option<&str>) -> Outcome {
    if only.is_none_or(|only| only != IN_CHROMIUM) {
        println!("natively:");
        bench(&["bench"], &["--"]).args(only).must(REMEDY)?;
        println!("as wasm in Node:");
        in_node(cache, only.unwrap_or_default())?;
    }
    if only.is_none_or(|only| only == IN_CHROMIUM) {
        site::build(cache, Mode::Release)?;
        println!("the built site {IN_CHROMIUM}:");
        let chosen = ["--nocapture", "speeds::"];
        on_the_site(cache, "the measurements", &chosen)?.must(REMEDY)?;
    }
    Ok(())
}

fn in_node(cache: &Path, only: &str) -> Outcome {
    rust::ensure_target()?;
    let bindgen = cargo_tool::ensure(&cargo_tool::wasm_bindgen()?, cache)?;
    // The runner knows tests; `cargo bench` would ask it for something else.
    bench(&["test", "--profile", "bench", "--target", rust::WASM], &["--", "--nocapture"])
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", bindgen.join("wasm-bindgen-test-runner"))
        .env("HIGHWATER_FIGURE", only)
        .must(REMEDY)
        .map(drop)
}

/// The last part, by the words that choose it.
const IN_CHROMIUM: &str = "in Chromium";

const REMEDY: &str = "the lines above say which measurement failed.";

fn bench(first: &[&str], last: &[&str]) -> Job {
    Job::new("the measurements", "cargo")
        .args(first)
        .args(["--package", "highwater-tests", "--bench", "figures", "--locked"])
        .args(last)
        .dir(places::root())
        .bound(Duration::from_secs(30 * 60))
}
