//! `cargo xtask tidy`: the rules of the house. Each rule is a function from the tree to findings;
//! this file only reads the tree, runs the rules and prints.

pub(crate) mod core_bans;
pub(crate) mod dependencies;
pub(crate) mod leftovers;
pub(crate) mod map;
pub(crate) mod proofs;
pub(crate) mod shape;
pub(crate) mod source;
pub(crate) mod supply;

use std::fmt;
use std::fs;
use std::path::Path;

use crate::places;
use crate::process::Job;
use crate::size::budget;
use crate::trouble::{OrSay, Outcome};
use source::Tree;

/// Something that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    /// File, or file and line.
    place: String,
    /// What is wrong and what to do.
    message: String,
}

impl Finding {
    /// At a file, or at what is not a file, such as a package.
    pub(crate) fn at(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// At a line, counted from 1.
    pub(crate) fn at_line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self::at(format!("{path}:{line}"), message)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// Runs every rule; says whether all are kept.
pub(crate) fn run(cache: &Path) -> Outcome<bool> {
    let root = places::root();
    let tree = Tree::read(&root)?;
    let metadata = cargo_metadata(&root)?;
    let mut checked: Vec<(&str, Vec<Finding>)> = vec![
        ("dependencies point one way", dependencies::direction(&metadata)),
        ("licences and sources are on the list of deny.toml", supply::check(&root, cache)?),
        ("docs/ARCHITECTURE.md agrees with the tree", map::agrees(&tree)),
        (
            "docs/FIDELITY.md names proofs that are there, and every transcript",
            proofs::are_there(&tree),
        ),
        ("every module opens with //!", shape::module_docs(&tree)),
        ("files are short and clean", shape::lengths_and_blanks(&tree)),
        ("every package follows the workspace", shape::manifests(&tree)),
        ("the core's bans", core_bans::check(&tree)),
        ("no leftovers", leftovers::unfinished(&tree)),
        ("no paths of someone's machine", leftovers::private_paths(&tree)),
        ("budgets only go down", budgets_only_go_down(&root)?),
    ];
    match supply::advisories(&root, cache)? {
        Some(findings) => checked.push(("no crate has a security advisory", findings)),
        None => println!("  .. {}", supply::NO_DATABASE),
    }
    for (rule, findings) in &checked {
        println!("{} {rule}", if findings.is_empty() { "  ok" } else { "FAIL" });
        for finding in findings {
            println!("       {finding}");
        }
    }
    Ok(checked.iter().all(|(_, findings)| findings.is_empty()))
}

fn cargo_metadata(root: &Path) -> Outcome<serde_json::Value> {
    let text = Job::new("`cargo metadata`", "cargo")
        .args(["metadata", "--format-version", "1", "--locked", "--quiet"])
        .dir(root)
        .quiet()
        .must("run `cargo check` once so that Cargo.lock is up to date.")?;
    // A note of cargo's may stand before the one line of JSON.
    let json = text.lines().find(|line| line.starts_with('{')).unwrap_or_default();
    serde_json::from_str(json).or_say(|| "read what `cargo metadata` prints".to_owned())
}

/// Compares the budgets with those of every commit that this clone knows.
fn budgets_only_go_down(root: &Path) -> Outcome<Vec<Finding>> {
    let text =
        fs::read_to_string(root.join(budget::FILE)).or_say(|| format!("read {}", budget::FILE))?;
    let (now, raised) = (budget::parse(&text)?, budget::raised(&text));
    let git = |args: &[&str]| Job::new("git", "git").args(args).dir(root).quiet().run();
    let commits = git(&["log", "--format=%H", "--", budget::FILE])?;
    let mut findings = Vec::new();
    for commit in commits.text.lines().filter(|_| commits.is_ok()) {
        let old = git(&["show", &format!("{commit}:{}", budget::FILE)])?;
        if let (true, Ok(old)) = (old.is_ok(), budget::parse(&old.text)) {
            findings.extend(budget::loosened(&old, &now, &raised).into_iter().map(|what| {
                Finding::at(budget::FILE, format!("{what}; make the page lighter instead"))
            }));
        }
    }
    findings.dedup();
    Ok(findings)
}
