//! docs/FIDELITY.md against the tree: every proof that it names is there, and every transcript is named.
//!
//! Names stand in backticks: a transcript (`recorded/lines.console`, `lines.console`, or `01-topics` for one of the
//! given ones), a file of tests or a folder of them, from the root or from any folder on.

use super::Finding;
use super::source::Tree;

const DOCUMENT: &str = "docs/FIDELITY.md";
const TRANSCRIPTS: &str = "tests/transcripts/";
const ENDING: &str = ".console";

/// The whole rule.
pub(crate) fn are_there(tree: &Tree) -> Vec<Finding> {
    let Some(document) = tree.file(DOCUMENT) else {
        return vec![Finding::at(DOCUMENT, "write it: what is modelled, and what proves it")];
    };
    let mut findings = Vec::new();
    let mut named = Vec::new();
    for (index, line) in document.text.lines().enumerate() {
        for name in line.split('`').skip(1).step_by(2) {
            let Some(place) = place_of(name) else { continue };
            if !is_there(tree, &place) {
                let message = format!("`{name}` is not in the tree; correct the name or record it");
                findings.push(Finding::at_line(DOCUMENT, index + 1, message));
            }
            named.push(place);
        }
    }
    let transcripts = tree.files.iter().map(|file| file.path.as_str());
    for path in transcripts.filter(|p| p.starts_with(TRANSCRIPTS) && p.ends_with(ENDING)) {
        if !named.iter().any(|place| ends_with_path(path, place)) {
            findings.push(Finding::at(path, format!("no row of {DOCUMENT} names it; add one")));
        }
    }
    findings
}

/// The end of a path that a name in backticks stands for; `None`: it names no proof.
fn place_of(name: &str) -> Option<String> {
    if name.contains(|c: char| c.is_whitespace() || "$*<>=".contains(c)) {
        return None;
    }
    let numbered = name.len() > 3
        && name.as_bytes()[..2].iter().all(u8::is_ascii_digit)
        && name.as_bytes()[2] == b'-';
    if numbered && !name.contains('.') {
        return Some([name, ENDING].concat());
    }
    let is_test =
        name.contains('/') && [".rs", ".txt", "/"].iter().any(|ending| name.ends_with(ending));
    (name.ends_with(ENDING) || is_test).then(|| name.to_owned())
}

fn is_there(tree: &Tree, place: &str) -> bool {
    let inside = place.trim_end_matches('/');
    tree.files.iter().any(|file| {
        let folders = file.path.match_indices('/').map(|(at, _)| &file.path[..at]);
        folders.chain([file.path.as_str()]).any(|path| ends_with_path(path, inside))
    })
}

/// Whether these are the last names of a path.
fn ends_with_path(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source::SourceFile;

    fn found(document: &str) -> Vec<String> {
        let file = |path: &str, text: &str| SourceFile::new(path, text.to_owned());
        let tree = Tree {
            files: vec![
                file("crates/highwater-core/src/log/tests.rs", "//! x"),
                file(DOCUMENT, document),
                file("tests/transcripts/kafka/01-topics.console", "$ true"),
                file("tests/transcripts/recorded/lines.console", "$ true"),
            ],
        };
        are_there(&tree).into_iter().map(|finding| finding.place).collect()
    }

    /// By the end of a path, and what is a name of something else.
    #[test]
    fn all_of_it_is_there() {
        let whole = "`01-topics`, `recorded/lines.console`, `log/tests.rs`, `crates/highwater-core/src/log/`\n\
                     `kafka-topics.sh`, `--from-beginning`, `/tmp/kafka-logs-1`, `a / b.rs`, `3-4`";
        assert_eq!(found(whole), [""; 0]);
    }

    /// What is named and missing, and what is there and not named.
    #[test]
    fn what_is_missing() {
        let gone = "`02-gone`\n`lines.console`, `ines.console`\n`tests/gone/`, `og/tests.rs`";
        let expected = [
            "docs/FIDELITY.md:1",
            "docs/FIDELITY.md:2",
            "docs/FIDELITY.md:3",
            "docs/FIDELITY.md:3",
        ];
        assert_eq!(
            found(gone),
            [&expected[..], &["tests/transcripts/kafka/01-topics.console"]].concat()
        );
    }
}
