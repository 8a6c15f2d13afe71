//! Tools that come from crates.io and are built here: trunk, wasm-bindgen's command line,
//! cargo-deny. They are built with little optimisation: the build is minutes shorter, and their
//! work is short.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::answers_version;
use super::stamp::{Slot, remove};
use crate::places;
use crate::process::{Job, on_path};
use crate::trouble::{OrSay, Outcome, Trouble};

/// One such tool.
pub(crate) struct CargoTool {
    krate: &'static str,
    version: String,
    /// The programs that must be there; the first one is asked for its version.
    programs: &'static [&'static str],
    /// Whether its own lock file can be used.
    locked: bool,
    opt_level: &'static str,
}

/// Builds the site. Newer versions want a newer compiler than the pinned one.
pub(crate) fn trunk() -> CargoTool {
    let version = "0.21.14".to_owned();
    CargoTool { krate: "trunk", version, programs: &["trunk"], locked: true, opt_level: "0" }
}

/// Judges licences and sources. Half a minute to build, so there is no need for a check of our own.
pub(crate) fn deny() -> CargoTool {
    let version = "0.20.2".to_owned();
    CargoTool {
        krate: "cargo-deny",
        version,
        programs: &["cargo-deny"],
        locked: true,
        opt_level: "0",
    }
}

/// Makes the glue and runs wasm tests. Its version is that of the library in Cargo.lock, as it must
/// be.
pub(crate) fn wasm_bindgen() -> Outcome<CargoTool> {
    let path = places::root().join("Cargo.lock");
    let lock = fs::read_to_string(&path).or_say(|| "read Cargo.lock".to_owned())?;
    let version = locked_version(&lock, "wasm-bindgen").ok_or_else(|| {
        Trouble::new("Cargo.lock does not name wasm-bindgen; run `cargo check` and try again.")
    })?;
    Ok(CargoTool {
        krate: "wasm-bindgen-cli",
        version,
        programs: &["wasm-bindgen", "wasm-bindgen-test-runner"],
        // A crate of its lock file is no longer in the registry.
        locked: false,
        opt_level: "1",
    })
}

fn locked_version(lock: &str, krate: &str) -> Option<String> {
    let mut lines = lock.lines();
    lines.find(|line| *line == format!("name = \"{krate}\""))?;
    let version = lines.next()?.strip_prefix("version = \"")?.strip_suffix('"')?;
    Some(version.to_owned())
}

/// The folder that holds the tool's programs.
pub(crate) fn ensure(tool: &CargoTool, cache: &Path) -> Outcome<PathBuf> {
    if let Some(folder) = on_path_at_version(tool) {
        return Ok(folder);
    }
    let slot = Slot::new(cache, tool.krate, &tool.version);
    let folder = slot.ensure(|into| install(tool, cache, into))?;
    Ok(folder.join("bin"))
}

fn on_path_at_version(tool: &CargoTool) -> Option<PathBuf> {
    let folder = on_path(tool.programs[0])?.parent()?.to_path_buf();
    let all_there = tool.programs.iter().all(|p| folder.join(p).is_file());
    let right = all_there && answers_version(&folder.join(tool.programs[0]), &tool.version);
    right.then_some(folder)
}

fn install(tool: &CargoTool, cache: &Path, into: &Path) -> Outcome {
    let CargoTool { krate, version, .. } = tool;
    println!(
        "  installing {krate} {version} into the cache (built from crates.io, a minute or two)"
    );
    let started = Instant::now();
    // Kept when the build is interrupted, so that the next try goes on from there.
    let target = cache.join("tools").join(format!("{krate}-{version}.build"));
    let mut args = vec!["install", krate, "--version", version, "--force", "--quiet"];
    if tool.locked {
        args.push("--locked");
    }
    Job::new(format!("Installing {krate} {version}"), "cargo")
        .args(args)
        .arg_pair("--root", into)
        .env("CARGO_TARGET_DIR", &target)
        .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", tool.opt_level)
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16")
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols")
        .without_env("RUSTFLAGS")
        .dir(places::root())
        .bound(Duration::from_secs(20 * 60))
        .must(&format!(
            "check that crates.io can be reached, or put {} {version} on PATH, and try again.",
            tool.programs[0]
        ))?;
    println!("  installed {krate} {version} in {} s", started.elapsed().as_secs());
    remove(&target)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_that_of_the_lock_file() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"9\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\nsource = \"x\"\n";
        assert_eq!(locked_version(lock, "wasm-bindgen").as_deref(), Some("0.2.130"));
        assert_eq!(locked_version(lock, "yew"), None);
    }
}
