//! The parts of the pinned Rust toolchain that a machine may lack: the wasm target, rustfmt,
//! clippy. Rustup does not fetch them by itself where its automatic install is off, so we ask for
//! them, with a bound.

use std::path::Path;
use std::time::Duration;

use crate::places;
use crate::process::Job;
use crate::trouble::{Outcome, Trouble};

/// The target that the page and the wasm tests are built for.
pub(crate) const WASM: &str = "wasm32-unknown-unknown";

const BOUND: Duration = Duration::from_secs(60);

/// The standard library for wasm.
pub(crate) fn ensure_target() -> Outcome {
    if has_target() {
        return Ok(());
    }
    add("target", WASM)?;
    if has_target() {
        return Ok(());
    }
    Err(Trouble::new(format!(
        "rustup added {WASM}, but the rustc on PATH has no standard library for it; \
         put rustup's own `cargo` and `rustc` first on PATH."
    )))
}

/// The sources of the standard library, of which the site's build makes a smaller one.
pub(crate) fn ensure_source() -> Outcome {
    if has_source() {
        return Ok(());
    }
    add("component", "rust-src")?;
    if has_source() {
        return Ok(());
    }
    Err(Trouble::new(
        "rustup added rust-src, but the rustc on PATH has no sources beside it; put rustup's own \
         `cargo` and `rustc` first on PATH.",
    ))
}

fn has_source() -> bool {
    let asked = Job::new("asking rustc", "rustc").args(["--print", "sysroot"]);
    asked.dir(places::root()).quiet().bound(BOUND).run().is_ok_and(|ended| {
        let sysroot = Path::new(ended.text.trim());
        ended.is_ok() && sysroot.join("lib/rustlib/src/rust/library/std").is_dir()
    })
}

/// What the formatting and clippy stages call.
pub(crate) fn ensure_components() -> Outcome {
    for (component, subcommand) in [("rustfmt", "fmt"), ("clippy", "clippy")] {
        let asked = Job::new("asking for a version", "cargo").args([subcommand, "--version"]);
        if !asked.dir(places::root()).quiet().bound(BOUND).run()?.is_ok() {
            add("component", component)?;
        }
    }
    Ok(())
}

fn has_target() -> bool {
    let asked =
        Job::new("asking rustc", "rustc").args(["--print", "target-libdir", "--target", WASM]);
    asked.dir(places::root()).quiet().bound(BOUND).run().is_ok_and(|e| {
        e.is_ok()
            && e.text
                .lines()
                .next()
                .and_then(|dir| Path::new(dir.trim()).read_dir().ok())
                .is_some_and(|mut files| files.next().is_some())
    })
}

fn add(kind: &str, name: &str) -> Outcome {
    println!("  adding the {kind} {name} to the Rust toolchain of this repository (rustup)");
    Job::new(format!("`rustup {kind} add {name}`"), "rustup")
        .args([kind, "add", name])
        .dir(places::root())
        .bound(BOUND)
        .must(&format!(
            "check the network and run `rustup {kind} add {name}` in this folder yourself."
        ))
        .map(drop)
}
