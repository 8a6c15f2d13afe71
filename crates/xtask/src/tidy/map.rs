//! docs/ARCHITECTURE.md's table "Where is X decided?" against the tree: what it names is there, and
//! what is there in the core and the shell is named.
//!
//! The table's format: rows `| question | places |`. Each place stands in backticks, as a path from
//! the root of the repository or from `crates/`, with its `.rs`, or as a folder with a `/` at its
//! end, which covers all that is in it.

use std::collections::BTreeSet;

use super::Finding;
use super::source::Tree;

const DOCUMENT: &str = "docs/ARCHITECTURE.md";
const HEADING: &str = "Where is X decided?";

/// Where every module must be found by the table.
const MAPPED: [&str; 2] = ["crates/highwater-core/src/", "crates/highwater-shell/src/"];

/// One row of the table.
struct Row {
    line: usize,
    question: String,
    /// What stands in backticks in the second column.
    places: Vec<String>,
}

/// The whole rule.
pub(crate) fn agrees(tree: &Tree) -> Vec<Finding> {
    let Some(document) = tree.file(DOCUMENT) else {
        return vec![Finding::at(DOCUMENT, format!("write it, with the table \"{HEADING}\""))];
    };
    let rows = rows(&document.text);
    if rows.is_empty() {
        return vec![Finding::at(DOCUMENT, format!("add a heading \"{HEADING}\" with its table"))];
    }
    let mut findings = Vec::new();
    let mut named = BTreeSet::new();
    for row in &rows {
        if row.places.is_empty() {
            let message = format!("\"{}\" names no place in backticks", row.question);
            findings.push(Finding::at_line(DOCUMENT, row.line, message));
        }
        for place in &row.places {
            match resolve(tree, place) {
                Some(path) => drop(named.insert(path)),
                None => findings.push(Finding::at_line(
                    DOCUMENT,
                    row.line,
                    format!("`{place}` is not in the tree; correct the row or remove it"),
                )),
            }
        }
    }
    findings.extend(unnamed(tree, &named));
    findings
}

/// The rows of the first table below the heading.
fn rows(text: &str) -> Vec<Row> {
    let numbered = text.lines().enumerate().map(|(i, line)| (i + 1, line.trim()));
    numbered
        .skip_while(|(_, line)| !(line.starts_with('#') && line.contains(HEADING)))
        .skip(1)
        .skip_while(|(_, line)| !line.starts_with('|'))
        .take_while(|(_, line)| line.starts_with('|'))
        // The column names and the line below them.
        .skip(2)
        .map(|(line, text)| {
            let mut cells = text.trim_matches('|').split('|').map(str::trim);
            let question = cells.next().unwrap_or_default().to_owned();
            let places = cells.next().unwrap_or_default();
            let places = places.split('`').skip(1).step_by(2).map(str::to_owned).collect();
            Row { line, question, places }
        })
        .collect()
}

fn resolve(tree: &Tree, place: &str) -> Option<String> {
    [place.to_owned(), format!("crates/{place}")].into_iter().find(|path| tree.has(path))
}

/// Folders of modules, and files beside lib.rs, that no row leads to.
fn unnamed(tree: &Tree, named: &BTreeSet<String>) -> Vec<Finding> {
    let mut missing = BTreeSet::new();
    for file in tree.rust() {
        let Some(root) = MAPPED.iter().find(|root| file.path.starts_with(**root)) else { continue };
        let inside = &file.path[root.len()..];
        // A file with its module's name beside a folder of that name is the folder's front door.
        let front_door = tree.has(&format!("{}/", file.path.trim_end_matches(".rs")));
        if inside == "lib.rs" || file.is_only_for_tests() || front_door {
            continue;
        }
        let unit = match inside.rsplit_once('/') {
            Some((folder, _)) => format!("{root}{folder}/"),
            None => file.path.clone(),
        };
        if !is_named(&unit, named) {
            missing.insert(unit);
        }
    }
    let told =
        |unit: String| Finding::at(unit, format!("no row of {DOCUMENT} leads here; add one"));
    missing.into_iter().map(told).collect()
}

/// A unit is named by itself, by a folder above it, or by a file in it.
fn is_named(unit: &str, named: &BTreeSet<String>) -> bool {
    named.iter().any(|path| {
        let above = path.ends_with('/') && unit.starts_with(path.as_str());
        let inside = unit.ends_with('/') && path.starts_with(unit);
        path == unit || format!("{path}/") == unit || above || inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source::SourceFile;

    fn tree(table: &str) -> Tree {
        let file = |path: &str, text: &str| SourceFile::new(path, text.to_owned());
        let document =
            format!("# Map\n\n## {HEADING}\n\n| question | place |\n|---|---|\n{table}\n");
        Tree {
            files: vec![
                file("crates/highwater-core/src/lib.rs", "//! x"),
                file("crates/highwater-core/src/draw.rs", "fn a() {}"),
                file("crates/highwater-core/src/log.rs", "mod segment;"),
                file("crates/highwater-core/src/log/segment.rs", "fn a() {}"),
                file("crates/highwater-core/src/log/tests.rs", "fn a() {}"),
                file(DOCUMENT, &document),
            ],
        }
    }

    #[test]
    fn a_whole_map_has_no_findings() {
        let whole = "| which? | `highwater-core/src/log/segment.rs` |\n\
                     | who? | `crates/highwater-core/src/draw.rs` |";
        assert_eq!(agrees(&tree(whole)), []);
        assert_eq!(agrees(&tree("| all of it? | `highwater-core/src/` |")), []);
    }

    #[test]
    fn a_row_to_nowhere_and_a_module_without_a_row_are_found() {
        let found =
            agrees(&tree("| which? | `highwater-core/src/log/gone.rs` |\n| who? | nobody |"));
        let places: Vec<&str> = found.iter().map(|f| f.place.as_str()).collect();
        assert_eq!(
            places,
            [
                "docs/ARCHITECTURE.md:7",
                "docs/ARCHITECTURE.md:8",
                "crates/highwater-core/src/draw.rs",
                "crates/highwater-core/src/log/"
            ]
        );
    }

    #[test]
    fn no_document_is_found() {
        assert_eq!(agrees(&Tree { files: Vec::new() }).len(), 1);
    }
}
