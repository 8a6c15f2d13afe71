//! The shell language under random input.
#![cfg(not(target_arch = "wasm32"))]

use highwater_shell::lang::{
    List, Parsed, Scope, expand_words, first_command, parse, print, quote,
};
use proptest::prelude::{
    ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
};

struct Nothing;

impl Scope for Nothing {
    fn variable(&self, _name: &str) -> Option<&[u8]> {
        None
    }
    fn exit_status(&self) -> u8 {
        0
    }
}

/// Pieces that lie on the borders of the grammar.
fn shell_like() -> impl Strategy<Value = Vec<u8>> {
    const PIECES: [&str; 61] = [
        "a",
        "b1",
        "_X",
        "$",
        "$X",
        "${X}",
        "${",
        "$?",
        "'",
        "\"",
        "\\",
        "\\\n",
        "\n",
        " ",
        "\t",
        "|",
        "||",
        "&&",
        "&",
        ";",
        "<",
        ">",
        ">>",
        "2>&1",
        "&>",
        ">&",
        "<<X\n",
        "<<'X'\n",
        "<<-X\n",
        "\nX\n",
        "\tX\n",
        "X",
        "=",
        "A=",
        "#",
        "*",
        "{",
        "}",
        ",",
        "~",
        "(",
        ")",
        "`",
        "$'",
        "\u{fc}",
        "/dev/null",
        "for i in a; do ",
        "; done",
        "\ndo\n",
        " in ",
        "$(",
        "$((",
        "))",
        "$!",
        "${#}",
        "! ",
        "{ ",
        "; }",
        "( ",
        " )",
        "?[a]",
    ];
    let piece = prop_oneof![
        8 => prop::sample::select(PIECES.to_vec()).prop_map(|text| text.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// Text of which nearly everything parses.
fn understood() -> impl Strategy<Value = Vec<u8>> {
    const WORDS: [&str; 34] = [
        "a",
        "$X",
        "${X}",
        "\"$X\"",
        "\"a $X?\"",
        "$?",
        "'x y'",
        "''",
        "\\;",
        "A=b",
        "B=$X'c'",
        "$'\\xff\\n'",
        "2>&1",
        ">/dev/null",
        "&>b",
        ">>'c d'",
        "<e",
        "1",
        "2 >f",
        "x$X'y'z",
        "${X}y",
        "$'a'$",
        "\u{20ac}",
        "'#'",
        "$(a; b)",
        "\"x$(a \"$(b)\")y\"",
        "$((1 + $X * (2 - 1)))",
        "\"$((X))\"z",
        "$!",
        "$$x",
        "*.[ch]?",
        "$( (a) )",
        "$(cat <<X\nin $Y\nX\n)",
        "$(for i in 1; do a & done)",
    ];
    const JOINS: [&str; 20] = [
        " ",
        " ",
        " ",
        " ",
        " | a ",
        " && a ",
        " || a ",
        "; a ",
        "\na ",
        " <<X\n$X `\\`\\$\nX\na ",
        " <<'E' | b\n$X\\\nEOF\nE\na ",
        "",
        " & a ",
        "; (b; c) ",
        " | { b; } | a ",
        "; for i in x y; do b <<X\nq\nX\ndone; a ",
        "; ! a ",
        " && (b <<X) | a\nq$(r)\nX\na ",
        "; { a & } >f; a ",
        "\nfor j in $X\ndo\n(a\nb) &\ndone\na ",
    ];
    let pair = (prop::sample::select(WORDS.to_vec()), prop::sample::select(JOINS.to_vec()));
    prop::collection::vec(pair, 0..12).prop_map(|pairs| {
        pairs.into_iter().fold(Vec::new(), |mut text, (word, join)| {
            text.extend_from_slice(word.as_bytes());
            text.extend_from_slice(join.as_bytes());
            text
        })
    })
}

/// The tree as text with every position left out, since printing moves things.
fn without_positions(list: &List) -> String {
    let text = format!("{list:?}");
    let mut kept = String::new();
    let mut rest = text.as_str();
    while let Some(begin) = rest.find("Position {") {
        kept.push_str(&rest[..begin]);
        rest = &rest[begin..];
        rest = rest.find('}').map_or("", |end| &rest[end + 1..]);
    }
    kept + rest
}

/// If it parses, its print parses to the same tree.
fn prints_back(input: &[u8]) -> Result<(), proptest::test_runner::TestCaseError> {
    let Ok(Parsed::Complete(list)) = parse(input) else { return Ok(()) };
    let printed = print(&list);
    match parse(&printed) {
        Ok(Parsed::Complete(again)) => {
            prop_assert_eq!(without_positions(&again), without_positions(&list));
        }
        other => {
            let text = String::from_utf8_lossy(&printed).into_owned();
            prop_assert!(false, "{text:?}: {other:?}");
        }
    }
    Ok(())
}

proptest! {
    // A failing input belongs into a table of tests/lang.rs, not into a file of seeds.
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// No input makes the parser panic; an error points into the input and says something.
    #[test]
    fn arbitrary_bytes_never_panic(input in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = first_command(&input);
        if let Err(error) = parse(&input) {
            prop_assert!(error.line >= 1 && error.column >= 1);
            prop_assert!(error.to_string().len() > 20);
        }
        prints_back(&input)?;
    }

    #[test]
    fn shell_like_text_never_panics_and_prints_back(input in shell_like()) {
        let _ = first_command(&input);
        prints_back(&input)?;
    }

    #[test]
    fn understood_text_prints_back(input in understood()) {
        prints_back(&input)?;
    }

    /// A quoted argument is one argument and comes back as it was.
    #[test]
    fn quoted_bytes_come_back(
        argument in prop_oneof![prop::collection::vec(any::<u8>(), 0..60), shell_like()],
    ) {
        let line = ["echo ", &quote(&argument)].concat();
        let Ok(Parsed::Complete(list)) = parse(line.as_bytes()) else {
            panic!("{line:?}");
        };
        let fields = expand_words(&list.items[0].first.commands[0].words, &Nothing).unwrap();
        prop_assert_eq!(fields, vec![b"echo".to_vec(), argument]);
        prop_assert!(!line.contains('\n'));
    }
}
