//! What the tasks need beside Rust, at which version, and where it is. Each tool is looked for on
//! PATH at the right version, then in the cache, then installed there. Nothing outside the cache
//! changes without a line that says so.

pub(crate) mod browser;
pub(crate) mod cargo_tool;
pub(crate) mod kafka;
pub(crate) mod npm;
pub(crate) mod rust;
pub(crate) mod stamp;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::process::{Job, path_with};
use crate::trouble::Outcome;

/// The folders to put in front of PATH so that trunk, and what it calls, finds our tools.
pub(crate) fn path_for_site(cache: &Path) -> Outcome<OsString> {
    rust::ensure_target()?;
    let folders = [
        cargo_tool::ensure(&cargo_tool::trunk(), cache)?,
        cargo_tool::ensure(&cargo_tool::wasm_bindgen()?, cache)?,
    ];
    path_with(&folders)
}

/// Whether the program prints `version` as one of the words of `--version`.
fn answers_version(program: &Path, version: &str) -> bool {
    let asked = Job::new("asking for a version", program).args(["--version"]).quiet();
    asked
        .bound(std::time::Duration::from_secs(20))
        .run()
        .is_ok_and(|e| e.is_ok() && e.text.split_whitespace().any(|word| word == version))
}

/// Everything, for a machine that is to be ready before it goes offline.
pub(crate) fn ensure_all(cache: &Path) -> Outcome<Vec<(&'static str, PathBuf)>> {
    rust::ensure_components()?;
    rust::ensure_target()?;
    let browser = browser::ensure()?;
    Ok(vec![
        ("wasm-bindgen", cargo_tool::ensure(&cargo_tool::wasm_bindgen()?, cache)?),
        ("npm packages", npm::ensure(cache)?),
        ("trunk", cargo_tool::ensure(&cargo_tool::trunk(), cache)?),
        ("cargo-deny", cargo_tool::ensure(&cargo_tool::deny(), cache)?),
        ("Chromium", browser.chromium),
        ("chromedriver", browser.chromedriver),
    ])
}
