//! What the simulator's crates must not contain. Types and methods that clippy can tell apart are
//! in the core's own clippy.toml with their reasons; here is what clippy cannot see, and a check
//! that the clippy.toml is still there.

use super::Finding;
use super::source::{SourceFile, Tree};

const CORE: &str = "crates/highwater-core/";

/// The crates that know neither files nor processes nor the network.
const WITHOUT_OS: [&str; 6] = [
    "crates/highwater-core/",
    "crates/highwater-shell/",
    "crates/highwater-scene/",
    "crates/highwater-lesson/",
    "crates/highwater-js/",
    "web/",
];

/// All bans.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in tree.rust() {
        if WITHOUT_OS.iter().any(|folder| file.path.starts_with(folder)) {
            findings.extend(operating_system(file));
        }
        if file.path.starts_with(CORE) {
            findings.extend(words(file));
            findings.extend(stored_usize(file));
        }
    }
    findings.extend(clippy_file(tree));
    findings
}

/// Only the command line and xtask know files and processes.
fn operating_system(file: &SourceFile) -> Vec<Finding> {
    let banned = ["std::fs", "std::process", "std::net", "std::env", "std::thread"];
    let why = "only highwater-cli and xtask know the operating system";
    let mut found = find_words(file, &banned, why);
    // The same in a list: `use std::{env, fs};`.
    for (number, code) in file.code().filter(|(_, code)| code.contains("use std::{")) {
        for name in banned.iter().map(|path| &path["std::".len()..]).filter(|n| has_path(code, n)) {
            found.push(Finding::at_line(&file.path, number, format!("`std::{name}`: {why}")));
        }
    }
    found
}

fn words(file: &SourceFile) -> Vec<Finding> {
    let unordered = ["HashMap", "HashSet"];
    let clocks = ["Instant", "SystemTime"];
    let floats = ["f32", "f64"];
    let random = ["rand", "getrandom", "RandomState"];
    let mut found =
        find_words(file, &unordered, "its order differs from run to run; take BTreeMap or a Vec");
    found.extend(find_words(file, &clocks, "the core has no clock; take the world's `now`"));
    found.extend(find_words(file, &floats, "no floats in the core; take a fixed-point number"));
    found.extend(find_words(file, &random, "draws are hashes of (seed, purpose, who, count)"));
    found.extend(find_words(file, &["async", "await"], "the core is sans-IO; return an effect"));
    found
}

fn find_words(file: &SourceFile, words: &[&str], why: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, code) in file.code() {
        for word in words.iter().filter(|word| has_path(code, word)) {
            findings.push(Finding::at_line(&file.path, number, format!("`{word}`: {why}")));
        }
    }
    findings
}

/// Whether the code uses that name, and not one that only contains it.
fn has_path(code: &str, name: &str) -> bool {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name)
        .any(|(at, _)| !code[..at].ends_with(part) && !code[at + name.len()..].starts_with(part))
}

/// `usize` is 32 bits in the browser and 64 natively: no field of a struct or of an enum's variant
/// may be one.
fn stored_usize(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    // The depth of braces at which each open struct or enum began.
    let mut open: Vec<usize> = Vec::new();
    let mut depth = 0_usize;
    let mut pending = false;
    for (number, code) in file.code() {
        let head = code.split("where").next().unwrap_or(code);
        pending |= has_path(head, "struct") || has_path(head, "enum");
        let tuple = pending && code.contains('(') && !code.contains('{');
        if (tuple || !open.is_empty()) && has_path(code, "usize") {
            let message = "a stored `usize` differs between native and wasm; take u32 or u64";
            findings.push(Finding::at_line(&file.path, number, message));
        }
        for c in code.chars() {
            match c {
                '{' => {
                    if pending {
                        open.push(depth);
                        pending = false;
                    }
                    depth += 1;
                }
                '}' => {
                    depth = depth.saturating_sub(1);
                    open.retain(|began| *began < depth);
                }
                ';' => pending = false,
                _ => {}
            }
        }
    }
    findings
}

/// The core's clippy.toml is what bans types by their real paths.
fn clippy_file(tree: &Tree) -> Option<Finding> {
    let path = format!("{CORE}clippy.toml");
    let whole = tree.file(&path).is_some_and(|file| {
        ["HashMap", "HashSet", "Instant", "SystemTime"].iter().all(|name| file.text.contains(name))
    });
    (!whole)
        .then(|| Finding::at(path, "keep the list of disallowed types here, each with its reason"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn core(text: &str) -> SourceFile {
        SourceFile::new("crates/highwater-core/src/a.rs", text.to_owned())
    }

    fn tree(path: &str, text: &str) -> Tree {
        let clippy = "HashMap HashSet Instant SystemTime".to_owned();
        Tree {
            files: vec![
                SourceFile::new("crates/highwater-core/clippy.toml", clippy),
                SourceFile::new(path, text.to_owned()),
            ],
        }
    }

    #[test]
    fn each_ban_finds_its_bad_example() {
        let bad = [
            "use std::collections::HashMap;",
            "let now = Instant::now();",
            "let ratio: f64 = 0.5;",
            "std::thread::spawn(f);",
            "use std::{env, fmt};",
            "let x = rand::random();",
            "async fn f() {}",
            "struct A {\n    at: usize,\n}",
            "struct A(usize);",
            "enum A {\n    B { at: usize },\n}",
        ];
        for text in bad {
            let found = check(&tree("crates/highwater-core/src/a.rs", text));
            assert_eq!(found.len(), 1, "{text}: {found:?}");
        }
    }

    #[test]
    fn what_only_looks_like_a_ban_is_left_alone() {
        let good = "// no HashMap here\nstruct Instants { n: u32 }\n\
                    fn f(i: usize) -> usize { i }\nlet x = 1;\n\
                    fn g(x: &[u8]) {\n    let n: usize = x.len();\n}\n\
                    #[cfg(test)]\nmod tests { use std::fs; }\n";
        assert_eq!(words(&core(good)), []);
        assert_eq!(stored_usize(&core(good)), []);
        assert_eq!(check(&tree("crates/xtask/src/a.rs", "use std::fs;")), []);
    }

    #[test]
    fn files_and_processes_are_for_the_command_line_only() {
        for path in
            ["crates/highwater-scene/src/a.rs", "crates/highwater-lesson/src/a.rs", "web/src/a.rs"]
        {
            assert_eq!(check(&tree(path, "std::fs::read(x);")).len(), 1, "{path}");
        }
    }

    #[test]
    fn a_core_without_its_clippy_file_is_found() {
        let tree = Tree { files: vec![core("//! a\n")] };
        assert_eq!(check(&tree).len(), 1);
    }
}
