//! Questions that need no engine, and recall cards, as a reader meets them.

use serde_json::json;

use crate::axe;
use crate::browser::Visit;
use crate::look;
use crate::page::{Page, key};
use crate::quiz_site::QuizSite;

/// A part of a question, counted from 1.
fn of(question: usize, rest: &str) -> String {
    format!("[data-ask='{}'] {rest}", question - 1)
}

#[track_caller]
fn verdict(page: &Page, question: usize) -> String {
    page.text(&of(question, ".quiz-verdict"))
}

/// Goes on with Tab until something has the focus.
#[track_caller]
fn tab_to(page: &Page, selector: &str) {
    for _ in 0..80 {
        let there = "return !!document.activeElement?.matches(arguments[0])";
        if page.js_with(there, &[json!(selector)]) == true {
            return;
        }
        page.press(key::TAB);
    }
    panic!("Tab does not lead to {selector}, but to {}", page.focused());
}

/// Checks an answer with the keyboard.
#[track_caller]
fn check(page: &Page, question: usize, says: &str) {
    tab_to(page, &of(question, "[data-ask-do=check]"));
    page.press(key::ENTER);
    page.wait("a verdict", || !verdict(page, question).is_empty());
    assert_eq!(verdict(page, question), says);
    let focus = "return document.activeElement?.dataset.askDo";
    assert_eq!(page.js(focus), "again", "the focus stays on the button");
}

/// The questions that are traced, ordered and matched, with the keyboard alone.
#[track_caller]
fn trace_order_and_match(page: &Page) {
    let back = "document.querySelector(arguments[0]).focus()";
    tab_to(page, &of(5, "input"));
    page.press(key::SPACE);
    page.press(key::DOWN);
    page.wait("the field of the line", || page.exists(&of(5, "[data-ask-field=line]")));
    tab_to(page, &of(5, "[data-ask-field=line]"));
    page.press("2");
    check(page, 5, "Right.");

    // Until every item stands after what must be before it; the focus goes with the item.
    for _ in 0..12 {
        let place = page.js(
            "const ids = [...document.querySelectorAll(\"[data-ask='5'] .quiz-item-text\")]\
               .map(item => Number(item.id.split('-').pop()));\
             return ids.findIndex((id, at) => at && ids[at - 1] > id)",
        );
        let Some(place) = place.as_u64() else { break };
        tab_to(page, &of(6, &format!(".quiz-item:nth-child({}) [data-ask-do=up]", place + 1)));
        page.press(key::ENTER);
        page.next_frame();
        let name = page.js("return document.activeElement.getAttribute('aria-label')");
        let name = name.as_str().unwrap_or_default().to_owned();
        assert_eq!(name, format!("Move up, now {place} of 4"));
        page.js_with(back, &[json!(of(6, ".quiz-item button"))]);
    }
    check(page, 6, "Right.");

    for (row, partner) in ["in a partition", "in a cluster", "in a topic"].iter().enumerate() {
        tab_to(page, &of(7, &format!("[data-ask-at='{row}']")));
        page.press(partner);
    }
    check(page, 7, "Right.");
}

/// Every question from one end of the page to the other, with the keyboard alone.
#[test]
fn with_the_keyboard_alone() {
    let site = QuizSite::new("quiz-keyboard");
    Visit::new().run(|page| {
        site.open(page);
        // What is said by ear: every change of a live region.
        page.listen();
        tab_to(page, &of(1, "input"));
        page.press(key::SPACE);
        let place = page.js("return document.activeElement.value");
        // To the right one: its value is its place in the lesson.
        for _ in 0..3 {
            if page.js("return document.activeElement.value") == "0" {
                break;
            }
            page.press(key::DOWN);
        }
        assert_eq!(page.js("return document.activeElement.checked"), true, "from {place}");
        check(page, 1, "Right.");
        assert!(page.text(&of(1, ".quiz-right")).contains("computed"));

        tab_to(page, &of(2, "input[value='0']"));
        page.press(key::SPACE);
        check(page, 2, "Not this time. 1 missing.");
        page.press(key::ENTER);
        page.wait("it to be asked again", || verdict(page, 2).is_empty());
        let back = "document.querySelector(arguments[0]).focus()";
        page.js_with(back, &[json!(of(2, "input[value='1']"))]);
        page.press(key::SPACE);
        check(page, 2, "Right.");

        tab_to(page, &of(3, "input"));
        page.press(" The OFFSET ");
        page.press(key::ENTER);
        page.wait("a verdict", || verdict(page, 3) == "Right.");

        tab_to(page, &of(4, "input"));
        page.press("4");
        check(page, 4, "Not this time.");
        page.press(key::TAB);
        page.press(key::ENTER);
        page.wait("another variant", || page.text(&of(4, ".quiz-prompt")).contains("thousand"));
        page.js_with(back, &[json!(of(4, "input"))]);
        page.press("1,000");
        check(page, 4, "Right.");

        trace_order_and_match(page);
        assert_eq!(page.text(".quiz-score p"), "7 of 7 right.");

        // Each verdict was said once.
        let said = page.texts_of("return window.said");
        let expected = [
            "Right.",
            "Not this time. 1 missing.",
            "Right.",
            "Right.",
            "Not this time.",
            "Right.",
            "Right.",
            "Right.",
            "Right.",
        ];
        assert_eq!(said, expected);
    });
}

/// Without an answer nothing is judged; "Show me" shows, and what was wrong can be asked again.
#[test]
fn shown_and_asked_again() {
    let site = QuizSite::new("quiz-shown");
    Visit::new().run(|page| {
        site.open(page);
        page.click(&of(1, "[data-ask-do=check]"));
        page.wait("a word", || verdict(page, 1) == "Choose an answer first.");
        page.click(&of(1, "[data-ask-do=show]"));
        page.wait("the answer", || verdict(page, 1).starts_with("Here is the answer."));
        let focus = "return document.activeElement?.dataset.askDo";
        assert_eq!(page.js(focus), "again", "the button that was pressed is gone");
        assert_eq!(page.text(".quiz-score p"), "0 of 7 right, 1 shown.");
        page.click(&of(2, "input[value='2']"));
        page.click(&of(2, "[data-ask-do=check]"));
        page.wait("a verdict", || verdict(page, 2) == "Not this time. 2 missing, 1 too many.");
        assert!(page.text(&of(2, ".quiz-wrong")).contains("That is a queue. explained"));
        page.click("[data-ask-do=all-wrong]");
        page.wait("it to be asked again", || verdict(page, 2).is_empty());
        let focus = "return document.activeElement?.closest('[data-ask]')?.dataset.ask";
        assert_eq!(page.js(focus), "1", "the focus goes to what is asked again");
        assert!(verdict(page, 1).starts_with("Here"), "only what was wrong");
    });
}

/// Walks through the states of the page, and lets each be looked at.
fn through(page: &Page, mut look: impl FnMut(&str)) {
    look("first");
    page.js("document.querySelectorAll('.quiz-hint').forEach(hint => { hint.open = true })");
    for question in 1..=7 {
        page.js_with(
            "document.querySelector(arguments[0]).click()",
            &[json!(of(
                question,
                if question == 1 { "input[value='1']" } else { "[data-ask-do=show]" }
            ))],
        );
    }
    page.js_with(
        "document.querySelector(arguments[0]).click()",
        &[json!(of(1, "[data-ask-do=check]"))],
    );
    page.js("document.querySelectorAll('.card').forEach(card => { card.open = true })");
    page.js("document.querySelector('.card [data-ask-at=\"2\"]').click()");
    page.wait("the last verdict", || page.text(".card-said").starts_with("It comes back"));
    look("told");
    for question in 1..=7 {
        page.js_with(
            "document.querySelector(arguments[0]).click()",
            &[json!(of(question, "[data-ask-do=again]"))],
        );
    }
    page.wait("all to be asked again", || !page.exists("[data-ask-do=again]"));
    look("again");
}

/// Nothing is found wrong by axe-core, nothing is cut off, and there are pictures to look at.
#[test]
fn looks_well() {
    let site = QuizSite::new("quiz-looks");
    for (width, font, theme) in [
        (320, 16, "light"),
        (320, 16, "dark"),
        (1280, 16, "light"),
        (1280, 16, "dark"),
        (320, 32, "light"),
    ] {
        Visit::new().at(width, 800).font(font).theme(theme).run(|page| {
            let (mut found, mut wrong) = (Vec::new(), Vec::new());
            site.open(page);
            through(page, |state| {
                axe::check(page, state, &mut found);
                look::measure(page, state, &mut wrong);
                page.picture(&format!("shots/quiz-{state}-{width}-{font}px-{theme}.png"), true);
            });
            assert!(found.is_empty(), "{width} px, {theme}: {found:#?}");
            assert!(wrong.is_empty(), "{width} px, font {font}, {theme}: {wrong:#?}");
        });
    }
    Visit::new().media("forced-colors", "active").run(|page| {
        site.open(page);
        through(page, |state| page.picture(&format!("shots/quiz-{state}-forced.png"), true));
    });
}

/// On paper nothing gives an answer away, whatever the reader has opened.
#[test]
fn on_paper_answers_are_hidden() {
    let site = QuizSite::new("quiz-paper");
    Visit::new().run(|page| {
        site.open(page);
        through(page, |state| {
            page.browser.cdp("Emulation.setEmulatedMedia", &json!({ "media": "print" }));
            let text = page.js("return document.querySelector('main').innerText");
            let text = text.as_str().unwrap_or_default().to_owned();
            page.browser.cdp("Emulation.setEmulatedMedia", &json!({ "media": "" }));
            assert!(text.contains("Who decides where a record with a key goes?"), "{state}");
            for answer in
                ["Right answer", "The client hashes the key.", "one partition", "Fits", "line 2"]
            {
                assert!(!text.contains(answer), "{state}: {answer} on paper: {text}");
            }
        });
    });
}

/// Without scripts the page is readable, and each answer is one press away.
#[test]
fn without_script() {
    let site = QuizSite::new("quiz-without");
    Visit::new().without_script().run(|page| {
        page.open(&site.url());
        let seen = |selector: &str| {
            let script = "return document.querySelector(arguments[0])?.checkVisibility() ?? false";
            page.js_with(script, &[json!(selector)]) == true
        };
        assert!(seen(&of(1, ".quiz-told > summary")));
        assert!(!seen(&of(1, ".quiz-told .quiz-why")), "closed at first");
        page.click(&of(1, ".quiz-told > summary"));
        assert!(seen(&of(1, ".quiz-told .quiz-why")));
        page.click(".card > summary");
        assert!(seen(".card-back"));
    });
}
