//! Builds the site into `dist/` with trunk. What the pages are made of is said by index.html and
//! Trunk.toml; what is done to the built files afterwards, by `post_build`.

use std::path::Path;
use std::time::Duration;

use crate::places;
use crate::process::Job;
use crate::tools::{self, npm};
use crate::trouble::Outcome;

/// How the site is built.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Small: the cargo profile `web`, then wasm-opt and a minified glue.
    Release,
    /// Quick to build, large to load.
    Dev,
}

/// Builds the whole site and says where it is.
pub(crate) fn build(cache: &Path, mode: Mode) -> Outcome {
    let mut job = trunk(cache, "build", mode)?.bound(Duration::from_secs(20 * 60));
    if mode == Mode::Release {
        job = job.args(["--release"]);
    }
    job.must("the lines above say which part of the site could not be built.")?;
    println!("The site is in {}", places::dist().display());
    Ok(())
}

/// A trunk command with all its tools in place: what is on PATH is what xtask put there, and trunk
/// fetches nothing.
pub(crate) fn trunk(cache: &Path, command: &str, mode: Mode) -> Outcome<Job> {
    let path = tools::path_for_site(cache)?;
    if mode == Mode::Release {
        npm::ensure(cache)?;
    }
    let job = Job::new(format!("`trunk {command}`"), "trunk").args([command]);
    Ok(job
        .env("PATH", path)
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        // Trunk takes NO_COLOR=1 for a malformed option of its own.
        .without_env("NO_COLOR")
        .dir(places::root()))
}
