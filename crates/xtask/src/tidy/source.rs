//! The tree as the rules see it: every file that git knows or would take, and for Rust files what
//! is code on each line, without remarks and texts, and whether it is code of a test.

use std::fs;
use std::path::Path;

use crate::process::Job;
use crate::trouble::{Outcome, Trouble};

/// The files of the repository.
pub(crate) struct Tree {
    /// In the order of their paths.
    pub files: Vec<SourceFile>,
}

/// One text file.
pub(crate) struct SourceFile {
    /// From the root, with `/`.
    pub path: String,
    /// All of it.
    pub text: String,
    /// For a Rust file, one per line; else empty.
    pub lines: Vec<Line>,
}

/// One line of a Rust file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// The code; remarks are gone and texts are empty.
    pub code: String,
    /// Whether it belongs to a test.
    pub is_test: bool,
}

impl Tree {
    /// Reads what git tracks, and what it does not yet track but does not ignore either.
    pub(crate) fn read(root: &Path) -> Outcome<Self> {
        let listed = Job::new("`git ls-files`", "git")
            .args(["ls-files", "--cached", "--others", "--exclude-standard"])
            .dir(root)
            .quiet()
            .must("tidy needs a git clone.")?;
        let mut paths: Vec<&str> = listed.lines().collect();
        paths.sort_unstable();
        paths.dedup();
        // What is no text (a picture) is not for these rules; what is listed but deleted neither.
        let files: Vec<SourceFile> = paths
            .into_iter()
            .filter_map(|path| {
                Some(SourceFile::new(path, fs::read_to_string(root.join(path)).ok()?))
            })
            .collect();
        if files.is_empty() {
            return Err(Trouble::new("git lists no files here; run tidy inside a clone."));
        }
        Ok(Self { files })
    }

    /// The Rust files.
    pub(crate) fn rust(&self) -> impl Iterator<Item = &SourceFile> {
        self.files.iter().filter(|file| file.is_rust())
    }

    /// One file by its path.
    pub(crate) fn file(&self, path: &str) -> Option<&SourceFile> {
        self.files.iter().find(|file| file.path == path)
    }

    /// Whether a file or folder of that path is there.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.files.iter().any(|file| {
            file.path
                .strip_prefix(path)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

impl SourceFile {
    /// A file with its lines told apart.
    pub(crate) fn new(path: &str, text: String) -> Self {
        let mut file = Self { path: path.to_owned(), text, lines: Vec::new() };
        if file.is_rust() {
            let code = code_only(&file.text);
            let all = file.is_only_for_tests();
            let marked = mark_tests(&code).into_iter().zip(code);
            file.lines =
                marked.map(|(is_test, code)| Line { code, is_test: is_test || all }).collect();
        }
        file
    }

    /// Whether it is a Rust file.
    pub(crate) fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// Whether only tests use it: it lies in a `tests` folder or is called `tests.rs`.
    pub(crate) fn is_only_for_tests(&self) -> bool {
        self.path.split('/').any(|part| part == "tests" || part == "tests.rs")
    }

    /// Its code outside tests, with line numbers from 1.
    pub(crate) fn code(&self) -> impl Iterator<Item = (usize, &str)> {
        let numbered = self.lines.iter().enumerate().filter(|(_, line)| !line.is_test);
        numbered.map(|(i, line)| (i + 1, line.code.as_str()))
    }
}

/// Where the reader of a Rust file stands.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Code,
    /// With the depth of nesting.
    Remark(usize),
    Text,
    /// With the number of `#` that close it.
    RawText(usize),
}

/// The lines of a Rust file without remarks and without what stands in texts.
fn code_only(text: &str) -> Vec<String> {
    let mut inside = Inside::Code;
    text.lines()
        .map(|line| {
            let mut code = String::new();
            let mut rest = line;
            while !rest.is_empty() {
                let used = match inside {
                    Inside::Code => read_code(rest, &mut code, &mut inside),
                    Inside::Remark(depth) => read_remark(rest, depth, &mut inside),
                    Inside::Text => read_text(rest, &mut code, &mut inside),
                    Inside::RawText(marks) => {
                        let end = format!("\"{}", "#".repeat(marks));
                        rest.find(&end).map_or(rest.len(), |at| {
                            inside = Inside::Code;
                            code.push('"');
                            at + end.len()
                        })
                    }
                };
                rest = &rest[used.min(rest.len())..];
            }
            code
        })
        .collect()
}

/// Takes one piece of code and says how many bytes it was.
fn read_code(rest: &str, code: &mut String, inside: &mut Inside) -> usize {
    if rest.starts_with("//") {
        return rest.len();
    }
    if rest.starts_with("/*") {
        *inside = Inside::Remark(1);
        return 2;
    }
    let after_word = code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    if let Some(raw) = rest.strip_prefix('r').filter(|_| !after_word || code.ends_with('b')) {
        let marks = raw.len() - raw.trim_start_matches('#').len();
        if raw[marks..].starts_with('"') {
            code.push('"');
            *inside = Inside::RawText(marks);
            return 1 + marks + 1;
        }
    }
    if rest.starts_with('"') {
        code.push('"');
        *inside = Inside::Text;
        return 1;
    }
    if let Some(length) = character(rest) {
        code.push_str("' '");
        return length;
    }
    let first = rest.chars().next().map_or(1, char::len_utf8);
    code.push_str(&rest[..first]);
    first
}

/// The length of a character literal, which a lifetime is not.
fn character(rest: &str) -> Option<usize> {
    let body = rest.strip_prefix('\'')?;
    if let Some(escaped) = body.strip_prefix('\\') {
        let skip = escaped.chars().next()?.len_utf8();
        return Some(1 + 1 + skip + escaped[skip..].find('\'')? + 1);
    }
    let length = body.chars().next()?.len_utf8();
    body[length..].starts_with('\'').then_some(1 + length + 1)
}

fn read_remark(rest: &str, depth: usize, inside: &mut Inside) -> usize {
    let step = |depth: usize| if depth == 0 { Inside::Code } else { Inside::Remark(depth) };
    let (open, close) = (rest.find("/*"), rest.find("*/"));
    match (open, close) {
        (Some(open), Some(close)) if open < close => {
            *inside = step(depth + 1);
            open + 2
        }
        (_, Some(close)) => {
            *inside = step(depth - 1);
            close + 2
        }
        (Some(open), None) => {
            *inside = step(depth + 1);
            open + 2
        }
        (None, None) => rest.len(),
    }
}

fn read_text(rest: &str, code: &mut String, inside: &mut Inside) -> usize {
    match rest.find(['"', '\\']) {
        Some(at) if rest[at..].starts_with('\\') => {
            at + 1 + rest[at + 1..].chars().next().map_or(0, char::len_utf8)
        }
        Some(at) => {
            code.push('"');
            *inside = Inside::Code;
            at + 1
        }
        None => rest.len(),
    }
}

/// Which lines belong to an item for tests: from the attribute to the item's closing brace.
fn mark_tests(code: &[String]) -> Vec<bool> {
    let mut marks = vec![false; code.len()];
    let mut line = 0;
    while line < code.len() {
        let start = code[line].trim_start();
        let opens = ["#[cfg(test)]", "#[cfg(all(test", "#[test]", "#[wasm_bindgen_test]"];
        if opens.iter().any(|attribute| start.starts_with(attribute)) {
            let end = end_of_item(code, line);
            marks[line..=end].fill(true);
            line = end;
        }
        line += 1;
    }
    marks
}

fn end_of_item(code: &[String], start: usize) -> usize {
    let mut depth = 0_i32;
    for (i, line) in code.iter().enumerate().skip(start) {
        for c in line.chars() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            let closed = (c == '}' || c == ';') && depth == 0;
            if closed {
                return i;
            }
        }
    }
    code.len() - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> String {
        code_only(text).join("\n")
    }

    #[test]
    fn remarks_and_texts_are_not_code() {
        assert_eq!(code("a(); // b()"), "a(); ");
        assert_eq!(code("a /* b /* c */\nd */ e"), "a \n e");
        assert_eq!(code(r#"x("a \" b", 'c', '\'', b"d")"#), r#"x("", ' ', ' ', b"")"#);
        assert_eq!(code("x(r#\"a \" b\"#, y)"), "x(\"\", y)");
        assert_eq!(code("x(\"a\nb\nc\") + d"), "x(\"\n\n\") + d");
        assert_eq!(code("fn f<'a>(x: &'a str) {} // '"), "fn f<'a>(x: &'a str) {} ");
    }

    #[test]
    fn test_items_are_told_from_the_rest() {
        let file = SourceFile::new(
            "a.rs",
            "fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() {}\n}\n\
             fn c() {}\n#[cfg(test)]\nmod d;\nfn e() {}\n"
                .to_owned(),
        );
        let left: Vec<usize> = file.code().map(|(line, _)| line).collect();
        assert_eq!(left, [1, 6, 9]);
        let file = SourceFile::new("crates/x/tests/y.rs", "fn a() {}\n".to_owned());
        assert_eq!(file.code().count(), 0);
    }
}
