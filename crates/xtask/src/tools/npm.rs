//! Tools that come from npm: wasm-opt, a minifier for the glue, axe-core. Their versions are those
//! of the committed `crates/xtask/npm/package-lock.json`; another lock file is another install.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::stamp::Slot;
use crate::places;
use crate::process::Job;
use crate::trouble::{OrSay, Outcome};

/// The folder with `node_modules` in it.
pub(crate) fn ensure(cache: &Path) -> Outcome<PathBuf> {
    let pinned = places::root().join("crates/xtask/npm");
    let lock = fs::read_to_string(pinned.join("package-lock.json"))
        .or_say(|| "read crates/xtask/npm/package-lock.json".to_owned())?;
    // One folder per lock file, so that two clones at different commits do not undo each other's
    // install.
    let content = format!("{:016x}", fnv1a(&lock));
    let slot = Slot::new(cache, "npm", &content);
    slot.ensure(|into| install(&pinned, cache, into))
}

/// The program of that name among the npm tools.
pub(crate) fn program(cache: &Path, name: &str) -> Outcome<PathBuf> {
    Ok(ensure(cache)?.join("node_modules/.bin").join(name))
}

/// The accessibility checker's script, for the end-to-end tests.
pub(crate) fn axe(cache: &Path) -> Outcome<PathBuf> {
    Ok(ensure(cache)?.join("node_modules/axe-core/axe.min.js"))
}

fn install(pinned: &Path, cache: &Path, into: &Path) -> Outcome {
    println!("  installing the npm packages of crates/xtask/npm into the cache (seconds)");
    for file in ["package.json", "package-lock.json"] {
        fs::copy(pinned.join(file), into.join(file)).or_say(|| format!("copy {file}"))?;
    }
    Job::new("Installing the npm packages", "npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=silent"])
        .args(["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=60000"])
        // npm's own cache too stays inside ours.
        .env("npm_config_cache", cache.join("npm-cache"))
        .env("npm_config_update_notifier", "false")
        .dir(into)
        .bound(Duration::from_secs(180))
        .must("check that the npm registry can be reached (`npm ping`) and try again.")
        .map(drop)
}

/// Names the content of a file; not for security, npm itself checks the digests in the lock file.
fn fnv1a(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
