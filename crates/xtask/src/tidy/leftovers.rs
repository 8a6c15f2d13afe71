//! What should not be left in a finished tree: unfinished code, and paths of someone's own machine.

use super::Finding;
use super::source::Tree;

/// Nothing half-done: no placeholder, no debug print, no test that is switched off, no `unwrap`
/// outside tests.
pub(crate) fn unfinished(tree: &Tree) -> Vec<Finding> {
    let everywhere: [(&str, &str); 4] = [
        ("todo!", "finish it or leave it out"),
        ("unimplemented!", "finish it or leave it out"),
        ("dbg!", "remove the debug print"),
        ("#[ignore", "make the test run or remove it"),
    ];
    // In remarks, where the code scan does not look. Spelled apart so that this file does not find
    // itself.
    let remarks = [concat!("FIX", "ME"), concat!("XX", "X"), concat!("TO", "DO")];
    let mut findings = Vec::new();
    for file in tree.rust() {
        for (i, line) in file.lines.iter().enumerate() {
            for (what, remedy) in everywhere {
                if line.code.contains(what) {
                    findings.push(Finding::at_line(
                        &file.path,
                        i + 1,
                        format!("`{what}`: {remedy}"),
                    ));
                }
            }
            if !line.is_test && line.code.contains(".unwrap()") {
                let message =
                    "`.unwrap()` outside tests: return an error, or `expect` with the reason";
                findings.push(Finding::at_line(&file.path, i + 1, message));
            }
        }
    }
    let with_remarks = [".rs", ".js", ".css", ".html", ".toml"];
    let remarked = |path: &str| with_remarks.iter().any(|end| path.ends_with(end));
    for file in tree.files.iter().filter(|file| remarked(&file.path)) {
        for (i, text) in file.text.lines().enumerate() {
            for word in remarks.iter().filter(|word| has_word(text, word)) {
                let message = format!("`{word}`: do it now, or open an issue");
                findings.push(Finding::at_line(&file.path, i + 1, message));
            }
        }
    }
    findings
}

fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let part = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(part) && !text[at + word.len()..].starts_with(part)
    })
}

/// No path that exists only on the machine of the person who wrote it.
pub(crate) fn private_paths(tree: &Tree) -> Vec<Finding> {
    let folders = [
        concat!("/ho", "me/"),
        concat!("/ro", "ot/"),
        concat!("/wo", "rk/"),
        concat!("/Use", "rs/"),
        concat!("C:\\Us", "ers\\"),
    ];
    let mut findings = Vec::new();
    for file in &tree.files {
        for (i, line) in file.text.lines().enumerate() {
            for folder in folders.iter().filter(|folder| names_folder(line, folder)) {
                let message = format!("`{folder}...` is a path of one machine; make it relative");
                findings.push(Finding::at_line(&file.path, i + 1, message));
            }
        }
    }
    findings
}

/// Whether the line has a path that begins there; `docs/work/` does not.
fn names_folder(line: &str, folder: &str) -> bool {
    line.match_indices(folder)
        .any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || "._-~/}".contains(c)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::source::SourceFile;

    fn tree(text: &str) -> Tree {
        Tree { files: vec![SourceFile::new("a.rs", text.to_owned())] }
    }

    #[test]
    fn unfinished_code_is_found() {
        let bad = [
            "fn a() { todo!() }".to_owned(),
            "fn a() { dbg!(1) }".to_owned(),
            "#[test]\n#[ignore = \"slow\"]\nfn a() {}".to_owned(),
            "fn a() { b().unwrap(); }".to_owned(),
            format!("// {}: later", concat!("FIX", "ME")),
        ];
        for text in &bad {
            assert_eq!(unfinished(&tree(text)).len(), 1, "{text}");
        }
        let good = "#[test]\nfn a() { b().unwrap(); }\n\
                    // says todo! and .unwrap() in words\nlet x = \"dbg!\";";
        assert_eq!(unfinished(&tree(good)), []);
        let style = format!("/* {} colours */", concat!("TO", "DO"));
        let style = Tree { files: vec![SourceFile::new("web/style/a.css", style)] };
        assert_eq!(unfinished(&style).len(), 1);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        let bad = format!("let x = \"{}someone/x\";", concat!("/ho", "me/"));
        assert_eq!(private_paths(&tree(&bad)).len(), 1);
        assert!(private_paths(&tree("see ./docs/work/x and /tmp/kafka-logs-1")).is_empty());
    }
}
