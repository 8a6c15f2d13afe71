//! Regular expressions against what real programs found with them.

use highwater_shell::regex::{Gnu, Regex};
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

/// The parts that `grep -o` prints: those that are not empty.
fn parts(regex: &Regex, line: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut from = 0;
    while let Some((begin, end)) = regex.find(line.as_bytes(), from) {
        if end > begin {
            parts.push(line[begin..end].to_owned());
        }
        from = if end > begin { end } else { end + 1 };
        if from > line.len() {
            break;
        }
    }
    parts
}

#[test]
fn grep_found_the_same() {
    let mut failed = 0;
    for row in include_str!("data/grep.txt").lines().filter(|row| !row.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [option, pattern, line, found, status] = fields[..] else { panic!("{row}") };
        let language = if option.contains('E') { Gnu::Extended } else { Gnu::Basic };
        let regex = match Regex::gnu(pattern.as_bytes(), language, option.contains('i')) {
            Ok(regex) => regex,
            Err(problem) => panic!("{pattern}: {problem}"),
        };
        let fits = regex.find(line.as_bytes(), 0).is_some();
        let same = parts(&regex, line).join("|") == found && fits == (status == "0");
        if !same {
            failed += 1;
            println!("{row}: {:?} {fits}", parts(&regex, line));
        }
    }
    assert_eq!(failed, 0);
}

/// Whole names, as `Pattern.matches` of Java 21 answered.
#[test]
fn java_answered_the_same() {
    for row in include_str!("data/java-patterns.txt").lines().filter(|row| !row.starts_with('#')) {
        let fields: Vec<&str> = row.split('\t').collect();
        let [pattern, text, answer] = fields[..] else { panic!("{row}") };
        let fits = Regex::java(pattern).map(|regex| regex.fits(text.as_bytes()));
        let same = match answer {
            "true" => fits == Ok(true),
            "false" => fits == Ok(false),
            words => fits.as_ref().is_err_and(|problem| words.starts_with(&problem.text)),
        };
        assert!(same, "{row}: {fits:?}");
    }
}

/// What cannot be matched in one pass is refused by name, and nothing takes long.
#[test]
fn refusals_and_bounds() {
    for (pattern, name) in [
        ("(?=a)", "look-ahead"),
        ("(?<!a)", "look-behind"),
        ("(a)\\1", "back-references"),
        ("a*+", "possessive"),
        ("[a&&b]", "intersections"),
        ("(?>a)", "independent"),
    ] {
        let problem = Regex::java(pattern).expect_err(pattern);
        assert!(problem.is_ours && problem.text.contains(name), "{pattern}: {problem}");
    }
    let problem = Regex::gnu(b"\\(a\\)\\1", Gnu::Basic, false).expect_err("refused");
    assert!(problem.text.contains("back-references"));
    let slow = Regex::java("(a*)*b").expect("it is read");
    assert!(!slow.fits(&[b'a'; 5_000]));
    assert!(Regex::java(&"(".repeat(10_000)).is_err());
    assert!(Regex::gnu(b"(((a{1,999}){1,999}){1,999})", Gnu::Extended, false).is_err());
    assert!(Regex::gnu(b"(){9999}{9999}{9999}", Gnu::Extended, false).is_ok());
}
