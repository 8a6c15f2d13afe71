//! `cargo xtask conformance`: plays transcripts against a real Kafka and compares. This finds the
//! jars; the playing is done by an example of the tests package, which knows transcripts, so that
//! xtask itself stays quick to compile.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::places;
use crate::process::Job;
use crate::tools::kafka;
use crate::trouble::{Outcome, Trouble};

/// Plays these files; says whether the real Kafka printed what they say.
pub(crate) fn run(cache: &Path, files: &[PathBuf]) -> Outcome<bool> {
    // The example runs at the root; the files were named from where the user is.
    let mut whole = Vec::new();
    for file in files {
        let path = file.canonicalize().map_err(|_| {
            Trouble::new(format!(
                "There is no transcript {}; name a file that exists.",
                file.display()
            ))
        })?;
        whole.push(path);
    }
    let class_path = kafka::class_path(cache)?;
    let ended = Job::new("playing against a real Kafka", "cargo")
        .args([
            "run",
            "--quiet",
            "--locked",
            "--package",
            "highwater-tests",
            "--example",
            "conformance",
            "--",
        ])
        .args([class_path])
        .args(&whole)
        .dir(places::root())
        .bound(Duration::from_secs(3600))
        .run()?;
    Ok(ended.is_ok())
}
