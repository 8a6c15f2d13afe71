//! The port of compare.py against what compare.py itself made of the same lines.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

mod golden;

use golden::GOLDEN;
use highwater_shell::transcript::{Transcript, comparable_lines, normalise_output};

const DATA: &str = include_str!("data/compare-norm.txt");

/// Every line of the data file, in groups that begin with a line of one of these letters.
fn groups(starts: &str) -> Vec<Vec<&'static str>> {
    let mut groups: Vec<Vec<&str>> = Vec::new();
    for line in DATA.split_terminator('\n').filter(|line| !line.starts_with('#')) {
        if line.starts_with(|first: char| starts.contains(first)) {
            groups.push(vec![line]);
        } else if let Some(group) = groups.last_mut() {
            group.push(line);
        }
    }
    groups
}

fn lines_with(group: &[&'static str], mark: char) -> Vec<&'static str> {
    group.iter().filter_map(|line| line.strip_prefix(mark)).collect()
}

/// All blocks of all golden transcripts.
#[test]
fn golden_blocks_as_compare_py_normalises_them() {
    let groups = groups("@=!$");
    let mut groups = groups.iter();
    let mut count = 0;
    for (name, text) in GOLDEN {
        assert_eq!(groups.next().map(|group| group[0]), Some(["@ ", name].concat().as_str()));
        for block in Transcript::parse(text).expect("valid").blocks {
            let output = comparable_lines(&block.output, block.exit);
            let found = normalise_output(&block.command, &output);
            let group = groups.next().expect("valid");
            if group[0] == "=" {
                assert_eq!(found, output, "{name} line {}", block.line);
            } else {
                assert_eq!(found, lines_with(group, '>'), "{name} line {}", block.line);
            }
            count += 1;
        }
    }
    assert!(count > 300, "{count}");
}

/// Lines for every rule, tables, and mutations of both.
#[test]
fn made_up_lines_as_compare_py_normalises_them() {
    let groups = groups("@$");
    let cases = groups.iter().filter(|group| group[0].starts_with("$ "));
    let mut count = 0;
    for case in cases {
        let found = normalise_output(case[0], &lines_with(case, '<'));
        assert_eq!(found, lines_with(case, '>'), "{case:?}");
        count += 1;
    }
    assert!(count > 120, "{count}");
}
