//! Questions of a lesson's page: predictions that a figure decides, questions without an engine, cards, what is due.

use serde_json::json;

use crate::browser::{Visit, site};
use crate::lesson::{Figure, address, fits, open, program, wake_questions, widths};
use crate::page::{Page, key};

const KEY: &str = "highwater:progress";

/// A part of a prediction.
fn of(quiz: &str, rest: &str) -> String {
    format!("[data-island=quiz][data-quiz={quiz}] {rest}")
}

#[track_caller]
fn verdict(page: &Page, quiz: &str) -> String {
    page.text(&of(quiz, ".quiz-verdict"))
}

/// The value of the answer with this mark.
#[track_caller]
fn marked(page: &Page, quiz: &str, mark: &str) -> Vec<String> {
    let selector = of(quiz, &format!(".quiz-{mark} input"));
    page.texts_of(&format!(
        "return [...document.querySelectorAll({})].map(it => it.value)",
        json!(selector)
    ))
}

#[track_caller]
fn answer(figure: &Figure<'_>, quiz: &str, value: &str) {
    figure.press_on(&of(quiz, &format!("input[value={value}]")));
    figure.wait("Run it to wake up", || figure.exists(&of(quiz, "[data-quiz-run]:enabled")));
    figure.press_on(&of(quiz, "[data-quiz-run]"));
    figure.wait("a verdict", || !verdict(figure, quiz).is_empty());
}

/// A right answer: the figure plays to the moment that decides, the verdict is said once, and the option is marked.
#[test]
fn a_right_answer() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "copies");
            assert!(page.exists(&of("who-has-it", "[data-quiz-run]:disabled")), "answer first");
            page.listen();
            answer(&figure, "who-has-it", "two");
            let said = verdict(page, "who-has-it");
            assert!(said.starts_with("Right. An order with acks=1"), "{said}");
            assert_eq!(page.texts_of("return window.said"), [said.as_str()], "said once");
            assert_eq!(marked(page, "who-has-it", "right"), ["two"]);
            assert_eq!(marked(page, "who-has-it", "wrong"), [""; 0]);
            let focus = "return !!document.activeElement?.matches('[data-quiz=who-has-it] [data-quiz-again]')";
            assert_eq!(page.js(focus), true, "the focus stays on the button");
            let third = "orders-0 on broker 3: follower, in the ISR";
            assert!(figure.drawn().iter().any(|it| it.starts_with(third)), "{:?}", figure.drawn());
            fits(page, "an answer");
            figure.shot(&format!("answered-{width}"));
        });
    });
}

/// A wrong answer shows both; asked again, everything is as before.
#[test]
fn a_wrong_answer_and_again() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "copies");
            answer(&figure, "who-has-it", "three");
            let said = verdict(page, "who-has-it");
            assert!(said.starts_with("Not this time. "), "{said}");
            assert_eq!(marked(page, "who-has-it", "right"), ["two"]);
            assert_eq!(marked(page, "who-has-it", "wrong"), ["three"]);
            figure.shot(&format!("wrong-{width}"));
            figure.press_on(&of("who-has-it", "[data-quiz-again]"));
            figure.wait("it to be asked again", || verdict(page, "who-has-it").is_empty());
            assert_eq!(page.count(&of("who-has-it", "input:checked")), 0);
            assert_eq!(page.count(&of("who-has-it", ".quiz-right, .quiz-wrong")), 0);
            answer(&figure, "who-has-it", "two");
            assert!(verdict(page, "who-has-it").starts_with("Right. "));
        });
    });
}

/// "Show me without guessing" shows what happens, and counts as no attempt: nothing is called wrong.
#[test]
fn shown_without_guessing() {
    Visit::new().run(|page| {
        let figure = open(page, "replication", "copies");
        figure.press_on(&of("who-has-it", "input[value=three]"));
        figure.press_on(&of("who-has-it", "[data-quiz-skip]"));
        figure.wait("a verdict", || !verdict(page, "who-has-it").is_empty());
        let said = verdict(page, "who-has-it");
        assert!(said.starts_with("Here is what happens. "), "{said}");
        assert_eq!(marked(page, "who-has-it", "right"), ["two"]);
        assert_eq!(marked(page, "who-has-it", "wrong"), [""; 0]);
        let focus = "return document.activeElement?.closest('[data-quiz]')?.dataset.quiz";
        assert_eq!(page.js(focus), "who-has-it", "the button that was pressed is gone");
    });
}

/// A question asks about the lesson's run, whatever the reader has done to the figure; the own run is kept.
#[test]
fn after_an_own_run() {
    Visit::new().run(|page| {
        let figure = open(page, "replication", "refused");
        figure.line("hw crash 1");
        figure.wait("the command", || figure.text(&figure.of(".did")).contains("$ hw crash 1"));
        let own = figure.moment();
        answer(&figure, "alone", "only-thirty");
        assert!(verdict(page, "alone").starts_with("Right. "), "{}", verdict(page, "alone"));
        assert_eq!(figure.text(&figure.of("[data-do=own-run]")), "Back to my run");
        figure.do_it("own-run");
        figure.wait("the own run", || figure.moment() == own);
        assert!(figure.screen().concat().contains("hw crash 1"));
        assert!(verdict(page, "alone").starts_with("Right. "), "the verdict stays");
    });
}

/// Each prediction of some lessons has exactly one right answer, and shows it.
#[test]
fn every_prediction_is_decided() {
    Visit::new().run(|page| {
        for (lesson, figure) in
            [("the-log", "storage"), ("retention", "by-time"), ("drill", "first")]
        {
            open(page, lesson, figure);
            let quizzes = page.texts_of(
                "return [...document.querySelectorAll('[data-island=quiz][data-program=lab]')]\
                 .map(it => it.dataset.quiz)",
            );
            assert!(quizzes.len() >= 2, "{lesson}: {quizzes:?}");
            for quiz in quizzes {
                let skip = of(&quiz, "[data-quiz-skip]");
                page.js_with("document.querySelector(arguments[0]).click()", &[json!(skip)]);
                page.wait("a verdict", || !verdict(page, &quiz).is_empty());
                let said = verdict(page, &quiz);
                assert!(said.starts_with("Here is what happens. "), "{lesson}, {quiz}: {said}");
                assert_eq!(marked(page, &quiz, "right").len(), 1, "{lesson}, {quiz}");
            }
        }
    });
}

/// A prediction that stands in a quiz is a prediction; the question behind it draws a key, and "Try another" the next.
/// Each answer is what the hash in the question leaves.
#[test]
fn a_prediction_in_a_quiz_and_drawn_keys() {
    widths(|width, visit| {
        visit.run(|page| {
            let figure = open(page, "six-clients", "grown");
            answer(&figure, "doubled", "zero");
            assert!(verdict(page, "doubled").starts_with("Not this time. "));
            assert_eq!(marked(page, "doubled", "right"), ["three"]);
            figure.press_on(&of("doubled", "[data-quiz-again]"));
            figure.wait("it to be asked again", || verdict(page, "doubled").is_empty());
            answer(&figure, "doubled", "three");
            assert!(verdict(page, "doubled").starts_with("Right. "));

            let drawn = |rest: &str| format!("[data-questions=doubling] [data-ask='0'] {rest}");
            figure.reveal(&drawn(""));
            page.wait("the questions", || page.exists(&drawn("[data-ask-do=check]:enabled")));
            let asked = || page.text(&drawn(".quiz-prompt")).replace('\u{2019}', "'");
            let mut prompts: Vec<String> = Vec::new();
            for _ in 0..4 {
                let prompt = asked();
                assert!(!prompts.contains(&prompt), "{prompt} comes twice: {prompts:?}");
                let number = |from: &str, to: &str| {
                    let rest = prompt.split(from).nth(1).unwrap_or_default();
                    rest.split(to).next().unwrap_or_default().parse::<u64>().expect("a number")
                };
                let left = number("Java's is ", ".") % number("now there are ", ".");
                page.focus(&drawn("input"));
                page.press(&left.to_string());
                page.press(key::ENTER);
                page.wait("a verdict", || !page.text(&drawn(".quiz-verdict")).is_empty());
                assert_eq!(page.text(&drawn(".quiz-verdict")), "Right.", "{prompt}");
                if prompts.is_empty() {
                    fits(page, "a drawn question");
                    page.picture(&format!("shots/lesson-drawn-{width}.png"), false);
                }
                prompts.push(prompt);
                figure.press_on(&drawn("[data-ask-do=another]"));
                page.next_frame();
            }
            assert_eq!(asked(), prompts[0], "and from the beginning");
        });
    });
}

/// A question of a block.
fn ask(question: usize, rest: &str) -> String {
    format!("[data-questions=check-replication] [data-ask='{}'] {rest}", question - 1)
}

/// Answers the first question of the block.
#[track_caller]
fn answer_first(page: &Page) {
    page.click(&ask(1, "input[value='0']"));
    page.click(&ask(1, "[data-ask-do=check]"));
    page.wait("a verdict", || page.text(&ask(1, ".quiz-verdict")) == "Right.");
}

/// What was answered is known after a reload, and the questions need no figure for it.
#[test]
fn answered_after_a_reload() {
    widths(|width, visit| {
        visit.run(|page| {
            page.open(&address("replication"));
            wake_questions(page);
            answer_first(page);
            assert!(page.text(&ask(1, ".quiz-right")).contains("explained"));
            assert_eq!(
                page.text("[data-questions=check-replication] .quiz-score p"),
                "1 of 6 right."
            );
            says_how_it_is_known(page);
            fits(page, "questions");
            page.picture(&format!("shots/lesson-questions-{width}.png"), false);
            page.open("about:blank");
            page.open(&address("replication"));
            wake_questions(page);
            assert_eq!(page.text(&ask(1, "legend")), "Question 1 of 6 \u{b7} right last time");
            assert_eq!(page.text(&ask(2, "legend")), "Question 2 of 6 \u{b7} not right last time");
            assert_eq!(page.text(&ask(4, "legend")), "Question 4 of 6");
        });
    });
}

/// A wrong option whose law was tried says that a counterexample was found; one whose claim was decided, that it was
/// computed.
#[track_caller]
fn says_how_it_is_known(page: &Page) {
    page.click(&ask(2, "input[value='1']"));
    page.click(&ask(2, "[data-ask-do=check]"));
    page.wait("a verdict", || page.text(&ask(2, ".quiz-verdict")) == "Not this time.");
    let wrong = page.text(&ask(2, ".quiz-wrong"));
    assert!(wrong.contains("counterexample found"), "{wrong}");
    page.click(&ask(3, "[data-ask-do=show]"));
    page.wait("the answer", || !page.text(&ask(3, ".quiz-verdict")).is_empty());
    assert!(page.text(&ask(3, ".quiz-right")).contains("computed"));
}

/// Cards are opened and graded; days later the start page says what is due, and leads there.
#[test]
fn cards_come_back_on_the_start_page() {
    widths(|width, visit| {
        visit.run(|page| {
            page.open(&site());
            page.js("document.querySelector('[data-island=due]').scrollIntoView()");
            page.wait("the list", || program(page, "quiz") == "running");
            assert_eq!(page.text(".due"), "", "nothing is due for a new reader");

            page.open(&address("replication"));
            page.js("document.querySelector('[data-island=cards]').scrollIntoView()");
            page.wait("the cards", || {
                program(page, "quiz") == "running"
                    && page.exists(".card [data-ask-do=grade]:enabled")
            });
            assert_eq!(page.count(".card"), 4);
            for card in 1..=2 {
                let of = |rest: &str| format!(".card:nth-of-type({card}) {rest}");
                page.click(&of("summary"));
                page.click(&of("[data-ask-at='2']"));
                page.wait("a word", || page.text(&of(".card-said")) == "It comes back tomorrow.");
            }
            fits(page, "cards");
            page.picture(&format!("shots/lesson-cards-{width}.png"), false);
            // Three days later, as far as storage knows.
            page.js_with(
                "localStorage.setItem(arguments[0], localStorage.getItem(arguments[0])\
                   .replace(/^(c [^ ]+) (\\d+)/gm, (_, head, due) => `${head} ${due - 3}`))",
                &[json!(KEY)],
            );
            page.open(&site());
            page.js("document.querySelector('[data-island=due]').scrollIntoView()");
            page.wait("the list", || {
                program(page, "quiz") == "running" && !page.text(".due").is_empty()
            });
            let due = page.text(".due");
            assert!(due.starts_with("2 cards are due for review."), "{due}");
            assert!(due.contains("Three copies of one log") && due.contains("2 cards"), "{due}");
            fits(page, "what is due");
            page.picture(&format!("shots/lesson-due-{width}.png"), false);
            page.focus(".due a");
            page.press(key::ENTER);
            page.wait("the lesson", || page.exists("[data-lesson=replication]"));
            page.js("document.querySelector('[data-island=cards]').scrollIntoView()");
            page.wait("the cards", || page.text(".card-when") == "due");
        });
    });
}
