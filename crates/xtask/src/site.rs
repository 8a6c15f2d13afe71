//! Builds the site into `dist/` with trunk. What the pages are made of is said by index.html, lab.html,
//! course.html, key.html and Trunk.toml; what is done to the built files afterwards, by `post_build`.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::places;
use crate::process::Job;
use crate::tools::{self, npm, rust};
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

/// The pages beside the first one that have a program of their own: as trunk knows them, and their folders.
pub(crate) const BESIDE: [(&str, &str); 3] =
    [("lab.html", "lab"), ("course.html", "course"), ("key.html", "key")];

/// Builds one of them and all that belongs to it into a folder of its own: trunk builds one page at a
/// time, and empties the folder that it builds into.
pub(crate) fn build_beside(cache: &Path, mode: Mode, page: &str, into: &Path) -> Outcome {
    let mut job = trunk(cache, "build", mode)?
        .args([page, "--html-output", "index.html"])
        .arg_pair("--dist", into)
        .bound(Duration::from_secs(20 * 60));
    if mode == Mode::Release {
        job = job.args(["--release"]);
    }
    job.must("the lines above say which part of this page could not be built.").map(drop)
}

/// A trunk command with all its tools in place: what is on PATH is what xtask put there, and trunk
/// fetches nothing.
pub(crate) fn trunk(cache: &Path, command: &str, mode: Mode) -> Outcome<Job> {
    let path = tools::path_for_site(cache)?;
    if mode == Mode::Release {
        npm::ensure(cache)?;
    }
    if mode == Mode::Release {
        rust::ensure_source()?;
    }
    fetch(mode)?;
    let mut job = Job::new(format!("`trunk {command}`"), "trunk").args([command]);
    if mode == Mode::Release {
        job = smaller(job);
    }
    Ok(job
        .env("PATH", path)
        .env("TRUNK_SKIP_VERSION_CHECK", "true")
        // Trunk takes NO_COLOR=1 for a malformed option of its own.
        .without_env("NO_COLOR")
        .dir(places::root()))
}

/// Has all crates here, those of the standard library too: trunk builds without network.
fn fetch(mode: Mode) -> Outcome {
    let mut job = Job::new("Fetching crates", "cargo")
        .args(["fetch", "--locked", "--target", rust::WASM])
        .dir(places::root())
        .bound(Duration::from_secs(10 * 60));
    if mode == Mode::Release {
        job = smaller(job);
    }
    job.must("check the network and run the same command again.").map(drop)
}

/// Lets cargo build the standard library too, for size, and leave out what a page has no use for:
/// the places of panics and the text of `{:?}`. It makes the page about 10 kB smaller (brotli).
///
/// These switches are not stable; the toolchain is pinned, so they do what they did when they were
/// tried. Trunk.toml takes them away again for its hook, which builds for this machine.
fn smaller(job: Job) -> Job {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo")));
    let mut flags = vec!["-Zlocation-detail=none".to_owned(), "-Zfmt-debug=none".to_owned()];
    // Of what LLVM does at each level of optimisation, this alone makes the page larger, by half a kB:
    // it copies code to spare a load.
    flags.push("-Cllvm-args=-enable-load-pre=false".to_owned());
    // Nobody's folders in what readers download.
    for (from, to) in [(home, "cargo"), (Some(places::root().to_path_buf()), "highwater")] {
        if let Some(from) = from {
            flags.push(format!("--remap-path-prefix={}={to}", from.display()));
        }
    }
    job.env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort")
        .env("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size")
        // Separated by 0x1f, so that a folder may have a space in its name.
        .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"))
}
