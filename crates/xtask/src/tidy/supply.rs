//! What other people's crates bring along: licences, sources and doubles, judged by cargo-deny with
//! deny.toml. All of that works without network once the crates are there. Security advisories need
//! a database from GitHub: they are checked where the machine has it, and every run says whether
//! they were.

use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::Finding;
use crate::process::{Ended, Job, path_with};
use crate::tools::cargo_tool;
use crate::trouble::{Outcome, Trouble};

/// Licences and sources of every crate in Cargo.lock, and crates that must not be there twice.
pub(crate) fn check(root: &Path, cache: &Path) -> Outcome<Vec<Finding>> {
    fetch(root)?;
    let ended = deny(root, cache, &["licenses", "bans", "sources"])?;
    Ok(findings(&ended))
}

/// What to say of advisories where they cannot be checked.
pub(crate) const NO_DATABASE: &str = "security advisories were NOT checked: this machine has no database of them \
     (`cargo deny fetch` gets it from GitHub)";

/// Crates with a security advisory; nothing at all when the machine has no database to tell.
pub(crate) fn advisories(root: &Path, cache: &Path) -> Outcome<Option<Vec<Finding>>> {
    if !has_database() {
        return Ok(None);
    }
    Ok(Some(findings(&deny(root, cache, &["advisories"])?)))
}

/// Has every crate of Cargo.lock here. No build of ours fetches those of other systems, but cargo-deny
/// reads the licence of each, and nothing has been built yet when a fresh clone comes here.
fn fetch(root: &Path) -> Outcome {
    Job::new("Fetching crates", "cargo")
        .args(["fetch", "--locked"])
        .dir(root)
        .quiet()
        .bound(Duration::from_secs(10 * 60))
        .must("check the network and run the same command again.")
        .map(drop)
}

fn deny(root: &Path, cache: &Path, checks: &[&str]) -> Outcome<Ended> {
    let folder = cargo_tool::ensure(&cargo_tool::deny(), cache)?;
    let ended = Job::new("cargo-deny", "cargo")
        .args(["deny", "--offline", "--locked", "--color=never", "--log-level=error", "check"])
        .args(["--hide-inclusion-graph"])
        .args(checks)
        .env("PATH", path_with(&[folder])?)
        .dir(root)
        .quiet()
        .bound(Duration::from_secs(120))
        .run()?;
    if ended.status.is_none() {
        return Err(Trouble::new("cargo-deny did not end within 120 s; run it again."));
    }
    Ok(ended)
}

/// cargo-deny's own words, one finding per error.
fn findings(ended: &Ended) -> Vec<Finding> {
    if ended.is_ok() {
        return Vec::new();
    }
    let found: Vec<Finding> = ended
        .text
        .split("\n\n")
        .filter(|part| part.trim_start().starts_with("error["))
        .map(|part| Finding::at("deny.toml", part.trim().replace('\n', "\n         ")))
        .collect();
    if found.is_empty() { vec![Finding::at("deny.toml", ended.tail(10))] } else { found }
}

fn has_database() -> bool {
    let home = env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".cargo")));
    let databases = home.and_then(|home| home.join("advisory-dbs").read_dir().ok());
    databases
        .is_some_and(|entries| entries.flatten().any(|entry| entry.path().join(".git").exists()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_becomes_a_finding_and_is_never_lost() {
        let run = |text: &str| {
            let job = Job::new("x", "sh").args(["-c", "printf '%s' \"$1\"; exit 1", "x", text]);
            findings(&job.quiet().run().unwrap())
        };
        let found = run("warning[x]: y\n\nerror[rejected]: failed to satisfy\n  line\n\nbans ok\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].message.contains("failed to satisfy"), "{found:?}");
        assert_eq!(run("it crashed").len(), 1);
    }
}
