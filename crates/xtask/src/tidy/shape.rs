//! What a file looks like: it opens with words, it is short, and no blanks trail in it.
//! The length of functions is clippy's to tell (`too-many-lines-threshold` in clippy.toml).

use super::Finding;
use super::source::{SourceFile, Tree};

/// Lines of code in one file, tests apart.
const LINES_MAX: usize = 500;

/// Files that may be longer, each with its reason.
const LONGER: [(&str, &str); 0] = [];

/// Every module says first what it decides.
pub(crate) fn module_docs(tree: &Tree) -> Vec<Finding> {
    tree.rust()
        .filter(|file| {
            let mut lines =
                file.text.lines().map(str::trim).skip_while(|line| line.starts_with("#!["));
            !lines.next().is_some_and(|line| line.starts_with("//!") && line.len() > 4)
        })
        .map(|file| {
            Finding::at_line(
                &file.path,
                1,
                "open the file with a `//!` line: what it decides and what not",
            )
        })
        .collect()
}

/// Long files, tabs, and blanks at the ends of lines.
pub(crate) fn lengths_and_blanks(tree: &Tree) -> Vec<Finding> {
    tree.rust().flat_map(|file| too_long(file).into_iter().chain(blanks(file))).collect()
}

/// Every package takes the lints and the edition of the workspace.
pub(crate) fn manifests(tree: &Tree) -> Vec<Finding> {
    let needed =
        ["[lints]\nworkspace = true", "edition.workspace = true", "license.workspace = true"];
    let packages = tree
        .files
        .iter()
        .filter(|file| file.path.ends_with("/Cargo.toml") && file.text.contains("[package]"));
    packages
        .flat_map(|file| {
            let missing = needed.iter().filter(|line| !file.text.contains(**line));
            missing
                .map(|line| Finding::at(&file.path, format!("add `{}`", line.replace('\n', " "))))
        })
        .collect()
}

fn too_long(file: &SourceFile) -> Option<Finding> {
    let length = if file.is_only_for_tests() { file.lines.len() } else { file.code().count() };
    let may = LONGER.iter().any(|(path, _)| *path == file.path);
    (length > LINES_MAX && !may).then(|| {
        Finding::at(
            &file.path,
            format!("{length} lines without tests, more than {LINES_MAX}; split it by idea"),
        )
    })
}

fn blanks(file: &SourceFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (i, line) in file.text.lines().enumerate() {
        if line.ends_with([' ', '\t']) {
            findings.push(Finding::at_line(
                &file.path,
                i + 1,
                "remove the blanks at the end of the line",
            ));
        } else if line.trim_start_matches(' ').starts_with('\t') {
            findings.push(Finding::at_line(
                &file.path,
                i + 1,
                "indent with spaces, not with a tab",
            ));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(path: &str, text: &str) -> Tree {
        Tree { files: vec![SourceFile::new(path, text.to_owned())] }
    }

    #[test]
    fn a_module_without_words_is_found() {
        assert!(module_docs(&tree("a.rs", "//! Decides a.\nfn a() {}\n")).is_empty());
        assert!(module_docs(&tree("a.rs", "#![allow(x)]\n//! Decides a.\n")).is_empty());
        for bad in ["fn a() {}\n", "// a\n", "//!\nfn a() {}\n", ""] {
            assert_eq!(module_docs(&tree("a.rs", bad)).len(), 1, "{bad:?}");
        }
    }

    #[test]
    fn a_package_with_rules_of_its_own_is_found() {
        let good = "[package]\nedition.workspace = true\nlicense.workspace = true\n\n\
                    [lints]\nworkspace = true\n";
        assert!(manifests(&tree("a/Cargo.toml", good)).is_empty());
        assert_eq!(manifests(&tree("a/Cargo.toml", "[package]\nedition = \"2021\"\n")).len(), 3);
    }

    #[test]
    fn long_files_and_blanks_are_found() {
        let long = "fn a() {}\n".repeat(LINES_MAX + 1);
        assert_eq!(lengths_and_blanks(&tree("a.rs", &long)).len(), 1);
        let tests = format!("#[cfg(test)]\nmod tests {{\n{long}}}\n");
        assert!(lengths_and_blanks(&tree("a.rs", &tests)).is_empty());
        let found = lengths_and_blanks(&tree("a.rs", "a \n\tb\nc\n"));
        assert_eq!(found[0].place, "a.rs:1");
        assert_eq!(found[1].place, "a.rs:2");
        assert_eq!(found.len(), 2);
    }
}
