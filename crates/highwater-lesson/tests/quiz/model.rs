//! Which answers are right, and what a question is known by.

use highwater_lesson::quiz::hash::hex;
use highwater_lesson::quiz::model::{
    Answer, Badge, End, Item, Kind, ProofKind, Response, keeps_to, shuffled,
};
use highwater_lesson::quiz::wire;
use proptest::prelude::*;

use crate::{everything, question, quiz};

/// What an author has written for mdbook-quiz loads as it is.
#[test]
fn files_of_mdbook_quiz_load() {
    let text = r#"
[multipart]
shop = "A shop has two doors."

[[questions]]
id = "a1b2"
type = "MultipleChoice"
multipart = "shop"
prompt.prompt = """
How many doors?
"""
prompt.distractors = ["1", "3"]
answer.answer = "2"
context = "Count them."

[[questions]]
type = "MultipleChoice"
prompt.prompt = "Which are even?"
prompt.distractors = ["1", "3"]
prompt.sortAnswers = true
answer.answer = ["2", "0"]
promptExplanation = true

[[questions]]
type = "MultipleChoice"
prompt.prompt = "Which is last?"
prompt.distractors = ["1", "3"]
prompt.answerIndex = 2
answer.answer = "2"

[[questions]]
type = "ShortAnswer"
prompt.prompt = "Say it."
prompt.response = "long"
answer.answer = "it"
answer.alternatives = ["that"]

[[questions]]
type = "Tracing"
prompt.program = """
let x = 1;
print(x);
"""
answer.doesCompile = true
answer.stdout = """
1
"""
"#;
    let quiz = quiz(text);
    let kinds: Vec<&Kind> = quiz.items.iter().map(|item| &item.variants[0].kind).collect();
    let Kind::Choice { several: false, shuffle: true, options } = kinds[0] else {
        panic!("{:?}", kinds[0]);
    };
    assert_eq!(options.iter().filter(|option| option.right).count(), 1);
    assert_eq!(quiz.items[0].id(), "a1b2");
    assert_eq!(quiz.items[0].variants[0].shared, "<p>A shop has two doors.</p>");
    let texts = |kind: &Kind| match kind {
        Kind::Choice { options, shuffle: false, several } => {
            let texts: Vec<&str> = options.iter().map(|option| option.text.as_str()).collect();
            (texts.join(" "), *several)
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(texts(kinds[1]), ("0 1 2 3".to_owned(), true));
    assert!(quiz.items[1].variants[0].ask_why);
    assert_eq!(texts(kinds[2]), ("1 3 2".to_owned(), false));
    assert!(matches!(kinds[3], Kind::Short { response: Response::Long, .. }));
    assert!(
        matches!(kinds[4], Kind::Tracing { end: End::Succeeds(Some(out)), .. } if out == "1\n")
    );
}

#[test]
fn badges_say_what_stands_behind_an_option() {
    let quiz = quiz(everything());
    let Kind::Choice { options, .. } = &quiz.items[0].variants[0].kind else { panic!() };
    let badges: Vec<Badge> = options.iter().map(|option| option.badge).collect();
    assert_eq!(badges, [Badge::Computed, Badge::Counterexample, Badge::Explained]);
    assert_eq!(
        Badge::ALL.map(Badge::words),
        ["explained", "computed", "counterexample found"],
        "and never `proved`"
    );
    let proof = options[0].proof.as_ref().expect("the claim");
    assert_eq!((proof.kind, proof.at.as_str()), (ProofKind::Claim, "3"));
    assert_eq!(&everything()[proof.offset + 1..][..proof.text.len()], proof.text);
    let held = question(
        "type = \"MultipleChoice\"\nprompt.prompt = \"?\"\n\
         options = [{ text = \"a\", right = true, law = \"order\" }, { text = \"b\" }]",
    );
    let Kind::Choice { options, .. } = held.kind else { panic!() };
    assert_eq!(options[0].badge, Badge::Explained, "a law that held is not computed for all runs");
}

/// The right answer is right, and the one that nobody has given is not, for every kind.
#[test]
fn right_answers_are_right() {
    for item in quiz(everything()).items {
        for variant in &item.variants {
            assert!(variant.is_right(&variant.right_answer()), "{variant:?}");
            assert!(!variant.is_right(&variant.unanswered()), "{variant:?}");
            assert!(variant.is_complete(&variant.right_answer()), "{variant:?}");
        }
    }
}

#[test]
fn texts_are_compared_by_their_rules() {
    let same = |response: Response, case, one, other| response.is_same(case, one, other);
    assert!(same(Response::Short, false, "The  Offset", " the offset\n"));
    assert!(!same(Response::Short, true, "The Offset", "the offset"));
    assert!(
        same(Response::Long, false, "Größe", "GRÖSSE") || !"Größe".to_lowercase().contains("ss")
    );
    assert!(same(Response::Code, false, "a {\n  b\n}\n", "\na {  \n  b\n}"));
    assert!(!same(Response::Code, false, "a\n  b", "a\nb"), "indentation counts");
    assert!(!same(Response::Code, false, "A", "a"));
    for equal in ["1000", "1,000", "1 000", "+1000.0", "01000", "1_000", " 1000 "] {
        assert!(same(Response::Numeric, false, "1000", equal), "{equal}");
    }
    for other in ["100", "1000.5", "-1000", "", "ten", "1e3", "1000 records", "."] {
        assert!(!same(Response::Numeric, false, "1000", other), "{other}");
    }
    assert!(same(Response::Numeric, false, "-0.50", "\u{2212}.5"));
    assert!(same(Response::Numeric, false, "0", "-0.0"));
}

#[test]
fn a_traced_program_is_judged_by_its_end() {
    let fails = question(
        "type = \"Tracing\"\nprompt.program = \"a\\nb\"\nanswer.doesCompile = false\nanswer.lineNumber = 2",
    );
    let traced = |succeeds, prints: &str, line: &str| Answer::Traced {
        succeeds,
        prints: prints.to_owned(),
        line: line.to_owned(),
    };
    assert!(fails.is_right(&traced(Some(false), "", " 2 ")));
    assert!(!fails.is_right(&traced(Some(false), "", "1")));
    assert!(!fails.is_right(&traced(Some(true), "", "2")));
    assert!(!fails.is_complete(&traced(Some(false), "", "")));
    assert!(!fails.is_complete(&traced(None, "", "2")));
    let prints = question(
        "type = \"Tracing\"\nprompt.program = \"a\"\nanswer.doesCompile = true\nanswer.stdout = \"1\\n2\"",
    );
    assert!(prints.is_right(&traced(Some(true), "1  \n2\n\n", "")));
    assert!(!prints.is_right(&traced(Some(true), "1 2", "")));
    let silent = question(
        "type = \"Tracing\"\nprompt.program = \"a\"\nanswer.doesCompile = true\nanswer.stdout = \"\"",
    );
    assert!(silent.is_right(&traced(Some(true), "", "")));
}

/// Only what decides an answer is hashed, so that an author can mend the rest.
#[test]
fn the_hash_is_of_what_matters() {
    let base = "type = \"MultipleChoice\"\nprompt.prompt = \"Q?\"\n";
    let of = |rest: &str| question(&format!("{base}{rest}")).hash;
    let first = of("options = [{ text = \"a\", right = true }, { text = \"b\" }]");
    assert_eq!(hex(first), "86ad3c0d017a7376", "it never changes: progress depends on it");
    for same in [
        "options = [{ text = \"b\" }, { text = \"a\", right = true }]",
        "context = \"New.\"\noptions = [{ text = \"a\", right = true, feedback = \"Yes.\" }, { text = \"b\" }]",
        "hints = [\"h\"]\nprompt.keepOrder = true\noptions = [{ text = \" a\", right = true }, { text = \"b\" }]",
    ] {
        assert_eq!(of(same), first, "{same}");
    }
    for other in [
        "options = [{ text = \"a\" }, { text = \"b\", right = true }]",
        "options = [{ text = \"a\", right = true }, { text = \"c\" }]",
        "options = [{ text = \"a\", right = true }, { text = \"b\", right = true }]",
    ] {
        assert_ne!(of(other), first, "{other}");
    }
}

/// No two questions of the fixture have one hash, and a question with variants has one of its own.
#[test]
fn hashes_differ() {
    let quiz = quiz(everything());
    let mut hashes: Vec<u64> = quiz.items.iter().map(Item::hash).collect();
    hashes.extend(quiz.items.iter().flat_map(|item| &item.variants).map(|variant| variant.hash));
    hashes.sort_unstable();
    hashes.dedup();
    assert_eq!(hashes.len(), 7 + 2, "one more for each variant of the question with two");
}

/// What the page carries is all that the program needs.
#[test]
fn questions_go_through_the_page() {
    for item in quiz(everything()).items {
        let mut expected = item.clone();
        for variant in &mut expected.variants {
            if let Kind::Choice { options, .. } = &mut variant.kind {
                options.iter_mut().for_each(|option| option.proof = None);
            }
        }
        assert_eq!(wire::read(wire::entries(&item)), Some(expected));
    }
}

/// Rules among `count` items that list order keeps to.
fn rules(count: usize) -> impl Strategy<Value = Vec<(usize, usize)>> {
    let pair = (0..count, 0..count).prop_filter_map("two items", |(one, other)| {
        (one != other).then(|| (one.min(other), one.max(other)))
    });
    prop::collection::vec(pair, 1..8)
}

fn permutation(count: usize) -> impl Strategy<Value = Vec<usize>> {
    Just((0..count).collect::<Vec<_>>()).prop_shuffle()
}

proptest! {
    /// Every order that keeps to the rules is right, and no other.
    #[test]
    fn every_valid_order_is_right(
        (before, order) in (2_usize..7).prop_flat_map(|count| (rules(count), permutation(count)))
    ) {
        let items: Vec<String> = (0..order.len()).map(|item| format!("\"i{item}\"")).collect();
        let written: Vec<String> =
            before.iter().map(|(one, other)| format!("[{}, {}]", one + 1, other + 1)).collect();
        let order_question = question(&format!(
            "type = \"Order\"\nprompt.prompt = \"?\"\nitems = [{}]\nbefore = [{}]",
            items.join(", "),
            written.join(", ")
        ));
        let valid = before.iter().all(|(first, then)| {
            let at = |item| order.iter().position(|other| *other == item);
            at(*first) < at(*then)
        });
        prop_assert_eq!(order_question.is_right(&Answer::Ordered(order.clone())), valid);
        // What is no order of these items is never right.
        let mut doubled = order.clone();
        doubled[0] = doubled[1];
        prop_assert!(!order_question.is_right(&Answer::Ordered(doubled)));
        prop_assert!(!order_question.is_right(&Answer::Ordered(order[1..].to_vec())));
        // The reader begins with an order that is wrong.
        let Answer::Ordered(first) = order_question.unanswered() else { panic!() };
        prop_assert!(!keeps_to(&first, &before));
    }

    /// A shuffle loses nothing, and the seed alone decides.
    #[test]
    fn a_shuffle_is_an_order(count in 0_usize..40, seed: u64) {
        let order = shuffled(count, seed);
        prop_assert_eq!(&order, &shuffled(count, seed));
        let mut sorted = order;
        sorted.sort_unstable();
        prop_assert_eq!(sorted, (0..count).collect::<Vec<_>>());
    }

    /// Numbers are the same however they are written.
    #[test]
    fn numbers_are_compared_by_value(value in -1_000_000_000_i64..1_000_000_000, other: i32) {
        let grouped = format!("{value}.000");
        prop_assert!(Response::Numeric.is_same(false, &value.to_string(), &grouped));
        let is_same = Response::Numeric.is_same(false, &value.to_string(), &other.to_string());
        prop_assert_eq!(is_same, value == i64::from(other));
    }

    /// Whatever stands in a page, reading it does not panic.
    #[test]
    fn reading_a_page_never_panics(
        entries in prop::collection::vec(("[a-z-]{0,8}|variant|kind|option|right|before|fits|line", ".{0,20}|one|order|match|tracing|0000000000000000"), 0..20)
    ) {
        let entries = entries
            .into_iter()
            .map(|(name, value)| wire::Entry { name, value, is_html: false })
            .collect();
        let _ = wire::read(entries);
    }
}
