//! Proves the house rules of the page's own files: tokens for values, nothing inline, nothing forced.

use std::fs;
use std::path::Path;

const TEMPLATE: &str = include_str!("../../../index.html");
/// The page of the program of questions.
const KEY: &str = include_str!("../../../key.html");

/// What only figures of a whole cluster need; a lesson about one broker does not fetch it.
const LAB: &str = "lab/";
/// What questions and cards need, and pages that have some fetch.
const QUIZ: &str = "quiz/";

fn style_files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/style");
    let mut files = Vec::new();
    for inside in ["", LAB, QUIZ] {
        for entry in fs::read_dir(folder.join(inside)).expect("web/style") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let name = path.file_name().expect("a name").to_string_lossy();
                let css = fs::read_to_string(&path).expect("a style file");
                files.push((format!("{inside}{name}"), css));
            }
        }
    }
    files
}

/// The rules of a style sheet: no comments, no conditions (they cannot use custom properties).
fn rules(css: &str) -> String {
    let mut out = String::new();
    let mut rest = css;
    while let Some((before, after)) = rest.split_once("/*") {
        out.push_str(before);
        rest = after.split_once("*/").expect("a comment that ends").1;
    }
    out.push_str(rest);
    let kept = out.lines().filter(|line| !line.trim_start().starts_with('@'));
    kept.collect::<Vec<_>>().join("\n")
}

/// A number with an absolute unit: a size or a duration that should be a token.
fn literals(rules: &str) -> Vec<&str> {
    let words = rules.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'));
    let is_literal = |word: &&str| {
        let number = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let starts = number.trim_start_matches('-').starts_with(|c: char| c.is_ascii_digit());
        starts && ["px", "rem", "ms", "s", "pt"].contains(&&word[number.len()..])
    };
    words.filter(is_literal).collect()
}

/// Colours, sizes and durations are named once, in tokens.css; those that only the Lab has in its own.
#[test]
fn values_are_tokens() {
    for (name, css) in style_files() {
        let rules = rules(&css);
        assert!(!rules.contains("!important"), "{name}: !important");
        if name.ends_with("tokens.css") {
            continue;
        }
        let colours = ["#", "rgb(", "hsl(", "oklch("].iter().filter(|sign| rules.contains(**sign));
        assert_eq!(colours.count(), 0, "{name}: a colour of its own");
        assert_eq!(literals(&rules), Vec::<&str>::new(), "{name}: sizes of its own");
    }
}

/// Sides are logical, so that the page can be turned round for other scripts.
#[test]
fn sides_are_logical() {
    let physical =
        ["left", "right", "margin-top", "margin-bottom", "padding-top", "padding-bottom"];
    for (name, css) in style_files() {
        for declaration in rules(&css).split([';', '{', '}']) {
            let property = declaration.split(':').next().unwrap_or_default().trim();
            let bad = physical.iter().any(|side| property == *side || property.ends_with("-left"));
            assert!(!bad && !property.ends_with("-right"), "{name}: {property}");
        }
    }
}

/// Every style sheet says at its top what its classes are for, and the template links it if it is not the Lab's.
#[test]
fn every_style_sheet_is_documented_and_linked() {
    for (name, css) in style_files() {
        assert!(css.starts_with("/*\n * "), "{name} does not say what it is for");
        let link = format!("<link data-trunk rel=\"css\" href=\"web/style/{name}\">");
        let is_elsewhere = name.starts_with(LAB) || name.starts_with(QUIZ);
        assert_eq!(TEMPLATE.contains(&link), !is_elsewhere, "index.html links {name}, or does not");
        assert!(KEY.contains(&link) || !name.starts_with(QUIZ), "key.html does not link {name}");
    }
}

/// The policy that the page promises, and nothing that it would refuse.
#[test]
fn the_template_keeps_its_own_policy() {
    let policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
                  img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'";
    for page in [TEMPLATE, KEY] {
        assert!(page.contains(policy));
        for refused in ["style=", "<style", "<script", " onclick", "javascript:"] {
            assert!(!page.contains(refused), "a page holds {refused}");
        }
    }
}
