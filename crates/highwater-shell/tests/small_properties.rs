//! The small tools against simple models, and random lines that must neither panic nor hang.
#![cfg(not(target_arch = "wasm32"))]

use highwater_core::time::SimDuration;
use highwater_core::world::input::InputKind;
use highwater_core::world::options::ClusterOptions;
use highwater_core::world::stream::TerminalState;
use highwater_shell::lang::quote;
use highwater_shell::regex::{Gnu, Regex};
use highwater_shell::session::Session;
use proptest::prelude::{
    ProptestConfig, Strategy, any, prop, prop_assert, prop_assert_eq, proptest,
};

/// A cluster, made once for each thread of tests.
fn session() -> Session {
    thread_local! {
        static FRESH: Session = Session::new(ClusterOptions::default()).expect("a cluster");
    }
    FRESH.with(Clone::clone)
}

/// What a command prints of this input.
fn printed(input: &str, command: &str) -> String {
    let line = format!("printf %s {} | {command}", quote(input.as_bytes()));
    session().run(&line).expect("it is taken").output.join("\n")
}

/// Lines of few letters, so that they repeat.
fn lines() -> impl Strategy<Value = Vec<String>> {
    prop::collection::vec("[ab1 ]{0,4}", 1..12)
}

fn text(lines: &[String]) -> String {
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// The lines as `printed` gives them.
fn joined<T: AsRef<str>>(lines: &[T]) -> String {
    lines.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sort_and_uniq(lines in lines()) {
        let mut model = lines.clone();
        model.sort();
        prop_assert_eq!(printed(&text(&lines), "sort"), joined(&model));
        model.reverse();
        prop_assert_eq!(printed(&text(&lines), "sort -r"), joined(&model));
        let mut unique = lines.clone();
        unique.dedup();
        prop_assert_eq!(printed(&text(&lines), "uniq"), joined(&unique));
        model.reverse();
        model.dedup();
        prop_assert_eq!(printed(&text(&lines), "sort -u"), joined(&model));
    }

    #[test]
    fn tr_and_cut(lines in lines()) {
        let upper: Vec<_> = lines.iter().map(|line| line.to_ascii_uppercase()).collect();
        prop_assert_eq!(printed(&text(&lines), "tr a-z A-Z"), joined(&upper));
        let without: Vec<_> = lines.iter().map(|line| line.replace('a', "")).collect();
        prop_assert_eq!(printed(&text(&lines), "tr -d a"), joined(&without));
        let second = |line: &String| match line.split_once(' ') {
            None => line.clone(),
            Some((_, rest)) => rest.split(' ').next().unwrap_or_default().to_owned(),
        };
        let fields: Vec<_> = lines.iter().map(second).collect();
        prop_assert_eq!(printed(&text(&lines), "cut -d' ' -f2"), joined(&fields));
        let bytes: Vec<_> = lines.iter().map(|line| line.chars().skip(1).take(2).collect()).collect();
        let bytes: Vec<String> = bytes;
        prop_assert_eq!(printed(&text(&lines), "cut -c2-3"), joined(&bytes));
    }

    #[test]
    fn head_tail_grep_wc(lines in lines(), count in 0usize..14) {
        let some = |from: usize, to: usize| joined(&lines[from.min(lines.len())..to.min(lines.len())]);
        let all = text(&lines);
        prop_assert_eq!(printed(&all, &format!("head -n {count}")), some(0, count));
        let from = lines.len().saturating_sub(count);
        prop_assert_eq!(printed(&all, &format!("tail -n {count}")), some(from, lines.len()));
        prop_assert_eq!(printed(&all, &format!("tail -n +{count}")), some(count.saturating_sub(1), lines.len()));
        let found: Vec<_> = lines.iter().filter(|line| line.contains("ab")).collect();
        prop_assert_eq!(printed(&all, "grep ab"), joined(&found));
        prop_assert_eq!(printed(&all, "grep -c ab"), found.len().to_string());
        prop_assert_eq!(printed(&all, "wc -l"), lines.len().to_string());
    }

    /// Any expression is read or refused, and then used, in a moment.
    #[test]
    fn regular_expressions(
        pattern in "[ab.*+?|()\\[\\]{}^$\\\\1,-]{0,16}",
        subject in "[ab\\[1]{0,60}",
    ) {
        for language in [Gnu::Basic, Gnu::Extended, Gnu::Fixed] {
            if let Ok(regex) = Regex::gnu(pattern.as_bytes(), language, false) {
                let found = regex.find(subject.as_bytes(), 0);
                if regex.fits(subject.as_bytes()) {
                    prop_assert_eq!(found, Some((0, subject.len())));
                }
                prop_assert!(found.is_none_or(|(from, to)| from <= to && to <= subject.len()));
            }
        }
        if let Ok(regex) = Regex::java(&pattern) {
            let _ = regex.fits(subject.as_bytes());
        }
    }
}

/// Pieces of lines that start all kinds of things, but nothing that takes virtual hours.
fn line() -> impl Strategy<Value = String> {
    const PIECES: [&str; 48] = [
        "echo a",
        "cat",
        "sort -n",
        "head -1",
        "tail -n +2",
        "seq 3",
        "sleep 1",
        "wait",
        "jobs",
        "kill %1",
        "kill -9 $!",
        "wait $!",
        "cd /tmp",
        "ls",
        "rm -f f",
        "touch f g",
        "mkdir d",
        "exit 3",
        "break",
        "true",
        "false",
        "test a = a",
        "[ -f f ]",
        "grep -o '[a-z]*' f",
        "wc f",
        "printf '%s %d\\n' a 1",
        "tr a b",
        "uniq -c",
        "cut -f1",
        "X=1",
        "echo $X $? $!",
        "echo $(seq 2)",
        "echo $((X+1))",
        " | ",
        " | ",
        "; ",
        " && ",
        " || ",
        " & ",
        " > f",
        " >> f 2>&1",
        " < f",
        "(",
        ")",
        "{ ",
        "; }",
        "for i in 1 2; do ",
        "; done",
    ];
    prop::collection::vec(prop::sample::select(PIECES.to_vec()), 1..12)
        .prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        failure_persistence: None,
        cases: 400,
        ..ProptestConfig::default()
    })]

    /// After any lines, and Ctrl-C in the midst of them, the shell takes the next command.
    #[test]
    fn random_lines_end(lines in prop::collection::vec(line(), 1..4), cut in any::<bool>()) {
        let mut session = session();
        for line in &lines {
            let limit = if cut { 500 } else { 60_000 };
            let typed = session.type_line(line, SimDuration::from_millis(limit));
            prop_assert!(typed.is_ok());
            let terminal = session.terminal();
            for kind in [InputKind::EndOfInput, InputKind::Interrupt, InputKind::Interrupt] {
                if session.state() != TerminalState::Ready || session.missing().is_some() {
                    let limit = SimDuration::from_millis(60_000);
                    session.timeline_mut().input(terminal, kind, limit).expect("it is taken");
                }
            }
            prop_assert_eq!(session.state(), TerminalState::Ready, "{}", line);
        }
        session.run("cd").expect("it is taken");
        let outcome = session.run("echo ok").expect("it is taken");
        prop_assert!(outcome.output.iter().any(|line| line.ends_with("ok")));
    }
}
