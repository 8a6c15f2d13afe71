//! Proves that the lessons can be read by people whose first language is not English: short sentences.

use std::fs;
use std::path::Path;

const MEAN_MAX: f64 = 18.0;
const WORDS_MAX: usize = 30;

/// The prose of a lesson: no front matter, blocks or tables; a link is its words.
fn prose(lesson: &str) -> String {
    let body = lesson.splitn(3, "---\n").nth(2).expect("front matter");
    let outside = body.split("```").step_by(2).collect::<Vec<_>>().join("\n\n");
    let kept = outside.lines().filter(|line| !line.starts_with(['|', '#']));
    let mut text = kept.collect::<Vec<_>>().join("\n");
    while let Some((before, rest)) = text.split_once("](") {
        let end = rest.find("\")").map_or_else(
            || rest.find(')').expect("a link"),
            |at| {
                if rest[..at].contains(")") { rest.find(')').expect("a link") } else { at + 1 }
            },
        );
        text = format!("{before}{}", &rest[end + 1..]);
    }
    text
}

fn sentences(prose: &str) -> Vec<Vec<&str>> {
    let ends = |word: &str| word.trim_end_matches(['*', '”', '"', ')']).ends_with(['.', '?', '!']);
    let mut all = Vec::new();
    for paragraph in prose.split("\n\n") {
        let mut sentence = Vec::new();
        for word in paragraph.split_whitespace() {
            sentence.push(word);
            if ends(word) {
                all.push(std::mem::take(&mut sentence));
            }
        }
        if !sentence.is_empty() {
            all.push(sentence);
        }
    }
    all
}

/// No sentence above 30 words, and 18 or fewer on average.
#[test]
fn sentences_are_short() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../web/lessons");
    for entry in fs::read_dir(folder).expect("web/lessons") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            continue;
        }
        let prose = prose(&fs::read_to_string(&path).expect("a lesson"));
        let sentences = sentences(&prose);
        for sentence in &sentences {
            let count = sentence.len();
            assert!(count <= WORDS_MAX, "{}: {count}: {}", path.display(), sentence.join(" "));
        }
        let words: usize = sentences.iter().map(Vec::len).sum();
        let mean = words as f64 / sentences.len() as f64;
        println!("{}: {words} words, {mean:.1} a sentence", path.display());
        assert!(mean <= MEAN_MAX, "{}: {mean:.1} words a sentence", path.display());
    }
}
