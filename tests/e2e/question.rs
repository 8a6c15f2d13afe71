//! The questions: a prediction before the run, what the engine says, and asking again.

use crate::browser::Visit;
use crate::page::{Page, key};
use crate::puzzle::{JAVA, by_lane};

const FIFTH: &str = "[data-quiz=fifth-record]";
const FOURTH_KEY: &str = "[data-quiz=fourth-key]";

fn at(quiz: &str, inside: &str) -> String {
    format!("{quiz} {inside}")
}

fn choose(page: &Page, quiz: &str, value: &str) {
    page.click(&at(quiz, &format!("input[value={value}]")));
    page.wait("the choice to count", || page.exists(&at(quiz, "[data-quiz-run]:not(:disabled)")));
}

fn run(page: &Page, quiz: &str) -> String {
    page.click(&at(quiz, "[data-quiz-run]"));
    page.wait("a verdict", || !page.text(&at(quiz, ".quiz-verdict")).is_empty());
    page.text(&at(quiz, ".quiz-verdict"))
}

/// The words of the options with a mark, as `quiz-right partition-0: This is what happened.`
fn marks(page: &Page, quiz: &str) -> Vec<String> {
    page.texts_of(&format!(
        "return [...document.querySelectorAll('{quiz} :is(.quiz-right, .quiz-wrong)')].map(option => \
         option.classList[1] + ' ' + option.querySelector('input').value + ': ' \
         + option.querySelector('.quiz-feedback').textContent)"
    ))
}

/// `Run it` sleeps until something is chosen; nothing tells the answer before.
#[test]
fn asks_before_it_runs() {
    Visit::new().live(|page| {
        for quiz in [FIFTH, FOURTH_KEY] {
            assert!(page.exists(&at(quiz, "[data-quiz-run]:disabled")));
            assert!(page.exists(&at(quiz, "[data-quiz-skip]:not(:disabled)")));
            assert!(page.text(&at(quiz, ".quiz-verdict")).is_empty());
            assert!(!page.exists(&at(quiz, ".quiz-feedback")));
        }
        choose(page, FIFTH, "partition-1");
        assert_eq!(page.time(), "step 4 of 6", "a choice alone runs nothing");
    });
}

/// Marks of right and wrong come and go without moving an option.
#[test]
fn marks_move_nothing() {
    Visit::new().live(|page| {
        let lefts = || {
            page.js("return [...document.querySelectorAll('[data-quiz=fifth-record] input')]\
                     .map(input => input.getBoundingClientRect().left)")
        };
        let before = lefts();
        choose(page, FIFTH, "partition-1");
        run(page, FIFTH);
        assert_eq!(marks(page, FIFTH).len(), 2);
        assert_eq!(lefts(), before);
    });
}

/// A right prediction is called right; the figure has run to the moment that decides, no further.
#[test]
fn a_right_choice() {
    Visit::new().live(|page| {
        choose(page, FIFTH, "partition-0");
        let verdict = run(page, FIFTH);
        let because = "locker-7 hashes to partition 0; its record is now offset 2 there.";
        assert_eq!(verdict, format!("Right. {because}"));
        assert_eq!(page.time(), "step 5 of 6");
        assert_eq!(page.cells(), by_lane(&JAVA[..5]));
        assert_eq!(marks(page, FIFTH), ["quiz-right partition-0: This is what happened."]);
        assert_eq!(page.count(&at(FIFTH, "input:disabled")), 3, "the answer is given");
    });
}

/// A wrong prediction is told apart from what happened, which is told too; asking again forgets it.
#[test]
fn a_wrong_choice_and_asking_again() {
    Visit::new().live(|page| {
        choose(page, FIFTH, "partition-2");
        assert!(run(page, FIFTH).starts_with("Not this time. locker-7 hashes to partition 0"));
        let expected = [
            "quiz-right partition-0: This is what happened.",
            "quiz-wrong partition-2: This did not happen.",
        ];
        assert_eq!(marks(page, FIFTH), expected);
        page.click(&at(FIFTH, "[data-quiz-again]"));
        page.wait("a new question", || page.exists(&at(FIFTH, "[data-quiz-run]:disabled")));
        assert!(marks(page, FIFTH).is_empty());
        assert_eq!(page.count(&at(FIFTH, "input:checked")), 0);
        assert!(page.text(&at(FIFTH, ".quiz-verdict")).is_empty());
        choose(page, FIFTH, "partition-0");
        assert!(run(page, FIFTH).starts_with("Right."));
    });
}

/// Showing without guessing is no answer: nobody is told to be right or wrong, even with a choice.
#[test]
fn showing_without_guessing() {
    Visit::new().live(|page| {
        choose(page, FIFTH, "partition-2");
        page.click(&at(FIFTH, "[data-quiz-skip]"));
        page.wait("a verdict", || !page.text(&at(FIFTH, ".quiz-verdict")).is_empty());
        assert!(page.text(&at(FIFTH, ".quiz-verdict")).starts_with("Here is what happens. "));
        assert!(page.exists(&at(FIFTH, ".quiz-right input[value=partition-0]")));
        assert!(
            !page.exists(&at(FIFTH, ".quiz-wrong")),
            "nothing was guessed, so nothing is wrong"
        );
    });
}

/// The question of the fourth key is decided by sending its record.
#[test]
fn the_fourth_key() {
    Visit::new().live(|page| {
        choose(page, FOURTH_KEY, "own");
        let verdict = run(page, FOURTH_KEY);
        let because = "locker-4 hashes to partition 0; its record is now offset 3 there.";
        assert_eq!(verdict, format!("Not this time. {because}"));
        assert_eq!(page.fresh(), ["0/3 D PARCEL_DROPPED"]);
        assert!(page.exists(&at(FOURTH_KEY, ".quiz-right input[value=shares]")));
        page.click(&at(FOURTH_KEY, "[data-quiz-again]"));
        choose(page, FOURTH_KEY, "shares");
        assert!(run(page, FOURTH_KEY).starts_with("Right."));
    });
}

/// The radios are native: Tab comes to them once, arrows choose, and Enter on the button runs.
#[test]
fn radios_by_keyboard() {
    Visit::new().live(|page| {
        page.focus(&at(FIFTH, "input"));
        page.press(key::SPACE);
        page.wait("the first choice", || {
            page.exists(&at(FIFTH, "input[value=partition-0]:checked"))
        });
        page.press(key::DOWN);
        page.wait("the next one", || page.exists(&at(FIFTH, "input[value=partition-1]:checked")));
        assert_eq!(page.focused(), "radio partition-1");
        page.press(key::UP);
        page.press(key::TAB);
        assert_eq!(page.focused(), "Run it");
        page.press(key::ENTER);
        page.wait("a verdict", || page.text(&at(FIFTH, ".quiz-verdict")).starts_with("Right."));
        assert_ne!(page.focused(), "", "whoever answered by keyboard is still somewhere");
    });
}

/// A choice that was made before the engine had loaded counts, also in its looks.
#[test]
fn a_choice_before_the_engine_counts() {
    Visit::new().run(|page| {
        let held = serde_json::json!({ "patterns": [{ "urlPattern": "*.wasm" }] });
        page.browser.cdp("Fetch.enable", &held);
        page.open(&crate::browser::site());
        page.wait("the engine to be on its way", || page.engine() == "loading");
        page.click(&at(FIFTH, "input[value=partition-1]"));
        assert!(page.exists(&at(FIFTH, "[data-quiz-run]:disabled")), "nothing runs yet");
        page.browser.cdp("Fetch.disable", &serde_json::json!({}));
        page.wait_until_live();
        page.wait("Run it to wake up", || {
            page.exists(&at(FIFTH, "[data-quiz-run]:not(:disabled)"))
        });
        assert!(page.exists(&at(FIFTH, "input[value=partition-1]:checked")));
    });
}

/// The hint opens without running anything.
#[test]
fn the_hint() {
    Visit::new().live(|page| {
        page.click(&at(FIFTH, ".quiz-hint summary"));
        page.wait("the hint", || page.exists(&at(FIFTH, ".quiz-hint[open]")));
        assert!(page.text(&at(FIFTH, ".quiz-hint p")).starts_with("Step back to the start"));
        assert_eq!(page.time(), "step 4 of 6");
    });
}
