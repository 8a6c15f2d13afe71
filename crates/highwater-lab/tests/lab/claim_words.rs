//! Random texts and random expressions: reading never panics, and what is printed says the same again.

use highwater_core::draw::{Purpose, draw_below};
use highwater_lab::claim::{Claim, Expression, State};
use highwater_lab::moment::Moments;
use highwater_lab::start::find;
use highwater_shell::transcript::Transcript;

/// Draws, one after the other.
struct Dice {
    seed: u64,
    count: u64,
}

impl Dice {
    fn below(&mut self, bound: u32) -> u32 {
        self.count += 1;
        draw_below(self.seed, Purpose::Placement, 0xc1a1, self.count, bound)
    }

    fn pick<'a>(&mut self, list: &[&'a str]) -> &'a str {
        let count = u32::try_from(list.len()).expect("a short list");
        list[self.below(count) as usize]
    }
}

const PIECES: &[&str] = &[
    "or",
    "and",
    "not",
    "in",
    "contains",
    "none",
    "true",
    "all",
    "any",
    "count",
    "each",
    "only",
    "sum",
    "x",
    "p",
    "=",
    "!=",
    "<",
    "<=",
    "+",
    "-",
    "*",
    "%",
    "(",
    ")",
    "[",
    "]",
    ",",
    ".",
    ":",
    "1",
    "0",
    "\"parcel-events-0\"",
    "\"a\"",
    "topic",
    "partition",
    "hw",
    "isr",
    "records",
    "output",
    "\"",
    "\\",
    "\u{e9}",
    "\u{1f600}",
    "\n",
    "99999999999999999999",
    "==",
    "'",
    "group",
    "members",
    "partition(\"parcel-events-0\")",
    "each x in",
    "brokers",
];

#[test]
fn no_text_makes_the_reader_panic() {
    let mut read = 0;
    for seed in 0..30_000 {
        let mut dice = Dice { seed, count: 0 };
        let mut text = String::new();
        for _ in 0..dice.below(14) {
            text.push_str(dice.pick(PIECES));
            text.push_str(dice.pick(&["", " ", " "]));
        }
        if let Err(error) = Claim::parse(&text) {
            assert!(error.at <= text.len() && text.is_char_boundary(error.at), "{text}: {error}");
            assert!(!error.what.is_empty() && !error.remedy.is_empty(), "{text}");
        }
        read += u32::from(Expression::parse(&text).is_ok());
    }
    assert!(read > 300, "only {read} texts say something");
}

/// Text of a random expression. Not every one can be found out, but each can be read.
fn number(dice: &mut Dice, depth: u32) -> String {
    if depth == 0 {
        let simple = [
            "1",
            "0",
            "17",
            "exit",
            "time",
            "hazards.lost",
            "partition(\"parcel-events-0\").hw",
            "-3",
        ];
        return dice.pick(&simple).to_owned();
    }
    match dice.below(6) {
        0 => format!(
            "({} {} {})",
            number(dice, depth - 1),
            dice.pick(&["+", "-", "*", "%"]),
            number(dice, depth - 1)
        ),
        1 => {
            format!("{} {} {}", number(dice, 0), dice.pick(&["+", "-", "*", "%"]), number(dice, 0))
        }
        2 => format!("length({})", list(dice, depth - 1)),
        3 => format!("-({})", number(dice, depth - 1)),
        4 => format!("(sum y in {}: y + {})", list(dice, depth - 1), number(dice, depth - 1)),
        _ => number(dice, 0),
    }
}

fn list(dice: &mut Dice, depth: u32) -> String {
    match dice.below(4) {
        0 if depth > 0 => format!("[{}, {}]", number(dice, depth - 1), number(dice, depth - 1)),
        1 if depth > 0 => format!("({} + {})", list(dice, depth - 1), list(dice, depth - 1)),
        2 if depth > 0 => {
            format!("(only z in {}: z != {})", list(dice, depth - 1), number(dice, depth - 1))
        }
        _ => dice.pick(&["[1, 2]", "[3]", "partition(\"parcel-events-0\").isr"]).to_owned(),
    }
}

fn claim(dice: &mut Dice, depth: u32) -> String {
    let below = depth.saturating_sub(1);
    match dice.below(if depth == 0 { 3 } else { 8 }) {
        0 => format!(
            "{} {} {}",
            number(dice, below),
            dice.pick(&["=", "!=", "<", "<=", ">", ">="]),
            number(dice, below)
        ),
        1 => format!("{} in {}", number(dice, below), list(dice, below)),
        2 => dice
            .pick(&["true", "broker(2).up", "output contains \"a\\\"b\"", "in_order([1, 2])"])
            .to_owned(),
        3 => format!("{} and {}", claim(dice, below), claim(dice, below)),
        4 => format!("({} or {})", claim(dice, below), claim(dice, below)),
        5 => format!("not ({})", claim(dice, below)),
        6 => format!("not {}", claim(dice, 0)),
        _ => format!(
            "({} x in {}: x > 1 and ({}))",
            dice.pick(&["all", "any"]),
            list(dice, below),
            claim(dice, below)
        ),
    }
}

#[test]
fn what_is_printed_is_the_same_again() {
    let run = find("leader-crash").expect("a situation").play().expect("it plays");
    let snapshot = run.snapshot();
    let state = State::new(run.session(), &snapshot);
    let (mut held, mut failed) = (0, 0);
    for seed in 0..4_000 {
        let text = claim(&mut Dice { seed, count: 0 }, 4);
        let read = match Claim::parse(&text) {
            Ok(read) => read,
            Err(error) => panic!("{text}: {error}"),
        };
        let printed = read.to_string();
        let again =
            Claim::parse(&printed).unwrap_or_else(|error| panic!("{text}\n{printed}\n{error}"));
        assert_eq!(again.to_string(), printed, "{text}");
        let (one, other) = (read.holds_at(&state), again.holds_at(&state));
        match (&one, &other) {
            (Ok(one), Ok(other)) => {
                held += 1;
                assert_eq!(one, other, "{text}\n{printed}");
            }
            (Err(one), Err(other)) => {
                failed += 1;
                assert_eq!(one.what, other.what, "{text}\n{printed}");
            }
            _ => panic!("{text}\n{printed}\n{one:?}\n{other:?}"),
        }
        // Whoever explains it comes to the same end.
        assert_eq!(read.explain_at(&state).map(|told| told.holds).ok(), one.ok(), "{text}");
    }
    assert!(held > 2_000 && failed > 10, "{held} were found out, {failed} were not");
}

/// The examples that authors read are true where the text says so, and false somewhere else.
#[test]
fn the_examples_of_the_authors_guide_hold() {
    let guide = include_str!("../../../../docs/AUTHORS.md");
    let (_, block) = guide.split_once("```claims\n").expect("the examples");
    let (block, _) = block.split_once("```").expect("their end");
    assert_eq!(block.lines().count(), 10);
    for line in block.lines() {
        let (place, text) = line.split_once(": ").expect("a place and a claim");
        let (scene, moment) = place.split_once(' ').expect("a situation and a moment");
        let claim = Claim::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let scene = find(scene).expect("a situation");
        let transcript = Transcript::parse(&scene.text).expect("it can be read");
        let moments = Moments::of(&transcript).expect("its moments");
        let mut run = scene.play().expect("it plays");
        let after = moment.strip_prefix("after ").and_then(|number| number.parse().ok());
        let found = match after {
            Some(commands) => run.seek_after(&moments, commands),
            None => run.seek_to_moment(&moments, moment.trim_start_matches("at ")),
        };
        found.expect("the moment");
        let told = claim.explain(&run).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert!(told.holds, "{text}: {:?}", told.because);
        assert_eq!(told.missing, [""; 0], "{text}");
        // What is true from the beginning on says nothing about the moment, unless it is about no moment.
        run.seek(0);
        assert_eq!(claim.holds(&run).unwrap_or(false), moment == "at start", "{text}");
    }
}
