//! Lines, steps, moments, forks, links, transcripts.

use super::{CONSUME, CREATE, PRODUCE, after, assert_failure, number, object, text};
use crate::check::check;
use crate::engine::Engine;
use crate::value::Value;
use crate::wire::{Difference, Moment};

fn seek(engine: &mut Engine, name: &str, value: Value) -> Moment {
    engine.seek(object(&[(name, value)])).expect("it was played")
}

fn topics(engine: &Engine) -> usize {
    engine.snapshot().topics.len()
}

/// The hash of all that has happened, which tells two pasts apart.
fn here(engine: &Engine) -> String {
    format!("{:?} {}", engine.moment().time, engine.link().expect("a link"))
}

#[test]
fn a_line_has_its_output_and_events() {
    let mut engine = after(&[CREATE]);
    let outcome = engine.run(PRODUCE).expect("it is taken");
    assert_eq!(outcome.exit, 0);
    let appended = outcome.events.iter().find(|event| event.kind == "BatchAppended");
    let appended = appended.expect("it was appended");
    assert!(appended.is_story && appended.sentence.contains("t-1"), "{appended:?}");
    let cause = appended.cause.expect("it has a cause");
    assert!(outcome.events.iter().any(|event| event.id == cause), "its cause is of this line");
    assert!(outcome.events.is_sorted_by_key(|event| event.id));
    assert!(outcome.events.iter().all(|event| event.kind != "TopicCreated"), "that was before");
    assert_eq!(outcome.time, engine.moment().time);
    let failed = engine.run("kafka-topics.sh --describe --topic none").expect("it is taken");
    assert_eq!(failed.exit, 1);
    assert!(!failed.output.is_empty());
}

#[test]
fn steps_go_on_and_back() {
    let mut engine = after(&[CREATE]);
    let before = engine.moment();
    engine.run(PRODUCE).expect("it is taken");
    let end = here(&engine);
    let mut back = 0;
    while engine.moment().step > before.step {
        let moment = engine.back();
        assert!(moment.moved && moment.events.is_empty());
        back += 1;
    }
    assert_eq!(engine.moment().command, 1);
    assert_eq!(engine.moment().commands, 2, "the second lies in the future");
    let mut kinds = Vec::new();
    for _ in 0..back {
        let moment = engine.step();
        assert!(moment.moved);
        assert!(moment.events.iter().all(|event| event.step == moment.step));
        kinds.extend(moment.events.into_iter().map(|event| event.kind));
    }
    assert_eq!(here(&engine), end);
    assert!(kinds.contains(&"BatchAppended".to_owned()), "{kinds:?}");
    seek(&mut engine, "step", number(0));
    assert!(!engine.back().moved, "it is the beginning");
}

#[test]
fn it_goes_to_any_moment_that_was_played() {
    let mut engine = after(&[CREATE, PRODUCE, "sleep 5"]);
    let end = engine.moment();
    assert_eq!((end.command, end.commands), (3, 3));
    let beginning = seek(&mut engine, "command", number(0));
    assert!(beginning.moved);
    assert_eq!((beginning.command, topics(&engine)), (0, 0));
    let first = seek(&mut engine, "command", number(1));
    assert_eq!((first.command, topics(&engine)), (1, 1));
    assert_eq!(
        engine.snapshot().topics[0].partitions[1].replica.as_ref().unwrap().high_watermark().0,
        0
    );
    let time = seek(&mut engine, "time", Value::Number(first.time + 2_500_000.0));
    assert_eq!(time.time, first.time + 2_500_000.0);
    let step = seek(&mut engine, "step", Value::Big(i128::from(first.step) + 1));
    assert_eq!(step.step, first.step + 1);
    let last = seek(&mut engine, "command", Value::Big(3));
    assert_eq!((last.time, last.step), (end.time, end.step));
    assert!(!seek(&mut engine, "command", number(3)).moved, "it is there");
}

#[test]
fn where_to_go_must_be_said_once_and_have_been_played() {
    let mut engine = after(&[CREATE]);
    let moment = engine.moment();
    for (target, message, remedy) in [
        (Value::Missing, "where to go is an object, not nothing", "{ command }"),
        (number(3), "not the number 3", "{ command }"),
        (object(&[]), "nothing of where to go", "one of"),
        (object(&[("command", number(1)), ("step", number(1))]), "twice", "one of"),
        (object(&[("comand", number(1))]), "no option `comand`", "command, time, step"),
        (object(&[("command", text("1"))]), "the text \"1\"", "whole number"),
        (object(&[("command", Value::Number(-1.0))]), "-1", "from 0"),
        (object(&[("command", number(2))]), "no line 2, there are 1", "0 to 1"),
        (object(&[("time", Value::Number(1e15))]), "the furthest moment is", "sleep 5"),
        (object(&[("step", Value::Big(i128::from(moment.step) + 1))]), "the furthest is", "step()"),
    ] {
        assert_failure(engine.seek(target), "HighwaterError", message, remedy);
    }
    assert_eq!(engine.moment().step, moment.step, "nothing has changed");
}

#[test]
fn a_line_in_the_past_begins_another_future_and_a_fork_has_its_own() {
    let engine = after(&[CREATE, PRODUCE]);
    let end = engine.moment();
    let mut fork = engine.clone();
    seek(&mut fork, "command", number(1));
    fork.run("kafka-topics.sh --bootstrap-server localhost:9092 --delete --topic t").unwrap();
    assert_eq!((topics(&fork), topics(&engine)), (0, 1));
    assert_eq!(fork.moment().commands, 2);
    assert_eq!((engine.moment().step, engine.moment().commands), (end.step, 2));
    let far = object(&[("time", Value::Number(end.time + 60e6))]);
    assert_failure(fork.seek(far), "HighwaterError", "was not played", "sleep");
}

#[test]
fn a_link_leads_to_the_same_moment() {
    let engine = after(&[CREATE, PRODUCE, CONSUME]);
    let link = engine.link().expect("a link");
    for form in
        [link.clone(), format!("#{link}"), format!("https://example.org/lab/#stop=3&{link}")]
    {
        let mut again = Engine::from_link(&form).expect("it can be read");
        assert_eq!(here(&again), here(&engine));
        assert!(again.notes().is_empty(), "{:?}", again.notes());
        assert_eq!(again.moment().commands, 3);
        let first = seek(&mut again, "command", number(1));
        assert_eq!((first.command, topics(&again)), (1, 1));
        assert!(again.snapshot().topics[0].partitions.iter().all(|partition| {
            partition.replica.as_ref().is_some_and(|held| held.high_watermark().0 == 0)
        }));
        again.run("echo again").expect("it goes on from there");
        assert_eq!(again.moment().commands, 2);
    }
}

/// Between two steps of one moment the link says how far.
#[test]
fn a_link_leads_between_two_steps() {
    let mut engine = after(&[CREATE, PRODUCE]);
    let end = engine.moment().step;
    while engine.moment().step + 12 > end {
        engine.back();
    }
    let again = Engine::from_link(&engine.link().expect("a link")).expect("it can be read");
    assert_eq!(again.moment().step, engine.moment().step);
    assert_eq!(again.moment().time, engine.moment().time);
}

#[test]
fn a_damaged_link_gives_what_is_sound_and_says_so() {
    let lines: Vec<String> = (0..12).map(|n| format!("echo line {n} {}", n * 7919)).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let link = after(&lines).link().expect("a link");
    let cut = Engine::from_link(&link[..link.len() - 12]).expect("the first part is sound");
    assert!(cut.notes().iter().any(|note| note.contains("damaged")), "{:?}", cut.notes());
    assert!((1..12).contains(&cut.moment().commands), "{}", cut.moment().commands);
    for (link, message, remedy) in [
        ("", "no session", "whole link"),
        ("https://example.org/#", "no session", "whole link"),
        ("play=1.@@@@", "damaged", "whole link"),
        ("play=99.ABCD", "newer version", "newer version of the package"),
    ] {
        assert_failure(Engine::from_link(link), "HighwaterError", message, remedy);
    }
    let long = format!("play=1.{}", "A".repeat(200_000));
    assert_failure(Engine::from_link(&long), "HighwaterError", "at most", "transcript()");
}

#[test]
fn a_transcript_comes_out_and_goes_in() {
    let engine = after(&[CREATE, PRODUCE]);
    let written = engine.transcript().expect("it can be written");
    assert!(
        written.contains("$ kafka-topics.sh") && written.contains("Created topic t."),
        "{written}"
    );
    let again = Engine::from_transcript(&written, Value::Missing).expect("it can be read");
    assert_eq!(here(&again), here(&engine));
    assert!(check(&written, Value::Missing).expect("it can be played").differences.is_empty());
    let seeded = Engine::from_transcript(&written, object(&[("seed", number(7))])).unwrap();
    assert_ne!(here(&seeded), here(&engine));
}

#[test]
fn a_transcript_is_checked() {
    let script = "#! brokers 1\n$ echo a\nb\n$ echo c\nc\n$ false\n[exit 2]\n";
    let report = check(script, Value::Missing).expect("it can be played");
    assert_eq!((report.passed, report.failed), (1, 2));
    let wanted = Difference {
        line: 2,
        command: "echo a".to_owned(),
        expected: vec!["b".to_owned()],
        actual: vec!["a".to_owned()],
        diff: "--- expected\n+++ actual\n-b\n+a\n".to_owned(),
    };
    assert_eq!(report.differences[0], wanted);
    assert_eq!(report.differences[1].actual, ["[exit 1]"]);
    for (bad, message, remedy) in [
        ("", "no command in this transcript", "$ "),
        ("hello", "line 1", "line 1"),
        ("#! brokers 99\n$ echo\n", "from 1 to 9", "line 1"),
        ("$ echo '", "line 1", "line 1"),
    ] {
        assert_failure(check(bad, Value::Missing), "HighwaterError", message, remedy);
        assert_failure(
            Engine::from_transcript(bad, Value::Missing),
            "HighwaterError",
            message,
            remedy,
        );
    }
}

#[test]
fn what_is_too_long_or_strange_changes_nothing() {
    let mut engine = after(&[CREATE]);
    let before = here(&engine);
    let long = engine.run(&"x".repeat(2 << 20));
    assert_failure(long, "HighwaterError", "bytes", "at most");
    assert_eq!(here(&engine), before);
    for strange in
        ["", "\0", "'", "<script>alert(1)</script>", "\u{202e}\u{fffd}", "$(", "((((", "a\r\nb"]
    {
        engine.run(strange).expect("it is typed, and the shell says what it thinks of it");
    }
    let name = "kafka-topics.sh --bootstrap-server localhost:9092 --create --topic '<img src=x>'";
    assert_eq!(engine.run(name).expect("it is typed").exit, 1);
    assert_eq!(topics(&engine), 1);
}
