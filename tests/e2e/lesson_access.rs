//! Lessons for everybody: axe-core, the keyboard alone, small windows, large type and paper.

use serde_json::json;

use crate::axe::check;
use crate::browser::Visit;
use crate::lesson::{Figure, LESSONS, address, fits, looks, open, wake_questions, widths};
use crate::look::measure;
use crate::page::{Page, key};

/// Uses whatever a lesson has once: a step, a thing of the picture, a command, a prediction, a question, a card.
#[track_caller]
fn use_once(page: &Page, figure: &Figure<'_>) {
    figure.do_it("forward");
    let thing = figure.of(".lab-draw [tabindex='0']");
    if figure.exists(&thing) {
        figure.press_on(&thing);
    }
    figure.line("kafka-topics.sh --bootstrap-server localhost:9092 --describe");
    figure.line("no-such-command");
    page.js(
        "document.querySelector('[data-island=quiz][data-program=lab] [data-quiz-skip]').click()",
    );
    page.wait("a verdict", || {
        !page.text("[data-island=quiz][data-program=lab] .quiz-verdict").is_empty()
    });
    page.js("document.querySelector('[data-island=task] [data-do]')?.click()");
    wake_questions(page);
    page.js("document.querySelector('[data-ask-do=show]').click()");
    page.js(
        "document.querySelectorAll('.twin, .card, .quiz-hint').forEach(it => { it.open = true })",
    );
    page.js("document.querySelector('[data-ask-do=grade]').click()");
    page.wait("a word", || !page.text(".card-said").is_empty());
    page.next_frame();
}

/// axe-core finds nothing, nothing is cut off, and no page scrolls sideways, before and after it was used.
#[track_caller]
fn looks_well(lesson: &str, id: &'static str) {
    let wrong = std::cell::RefCell::new(Vec::new());
    looks(|width, theme, visit| {
        visit.run(|page| {
            let (mut found, mut bad) = (Vec::new(), Vec::new());
            let figure = open(page, lesson, id);
            wake_questions(page);
            check(page, "first", &mut found);
            measure(page, "first", &mut bad);
            fits(page, lesson);
            figure.reveal(&figure.of(""));
            figure.shot(&format!("{lesson}-first-{width}-{theme}"));
            use_once(page, &figure);
            check(page, "used", &mut found);
            measure(page, "used", &mut bad);
            fits(page, lesson);
            page.picture(&format!("shots/lesson-{lesson}-used-{width}-{theme}.png"), true);
            found.extend(bad);
            wrong
                .borrow_mut()
                .extend(found.into_iter().map(|it| format!("{width}, {theme}: {it}")));
        });
    });
    let wrong = wrong.into_inner();
    assert!(wrong.is_empty(), "{lesson}: {wrong:#?}");
}

/// A lesson with figures of both kinds.
#[test]
fn the_log_looks_well() {
    looks_well("the-log", "storage");
}

/// Replicas.
#[test]
fn replication_looks_well() {
    looks_well("replication", "copies");
}

/// Open terminals and tasks.
#[test]
fn the_drill_looks_well() {
    looks_well("drill", "first");
}

/// No lesson scrolls sideways or cuts something off on a phone, also with large type.
#[test]
fn every_lesson_on_a_phone() {
    let mut wrong = Vec::new();
    for font in [16, 32] {
        for lesson in LESSONS {
            Visit::new().at(320, 640).font(font).run(|page| {
                page.open(&address(lesson));
                page.js("document.querySelector('[data-island=exhibit]').scrollIntoView()");
                page.wait("the figures", || {
                    page.count("[data-island=exhibit]")
                        == page.count("[data-island=exhibit] [data-do=play]:enabled")
                });
                if page.exists("[data-island=figure]") {
                    page.js("document.querySelector('[data-island=figure]').scrollIntoView()");
                    page.wait_until_live();
                }
                wake_questions(page);
                let mut bad = Vec::new();
                measure(page, lesson, &mut bad);
                wrong.extend(bad.into_iter().map(|it| format!("{font} px: {it}")));
                if font == 32 {
                    page.picture(&format!("shots/lesson-{lesson}-320-32px.png"), false);
                }
            });
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Goes on with Tab until something has the focus; everything on the way must show where the focus is.
#[track_caller]
fn tab_to(page: &Page, selector: &str) {
    for _ in 0..120 {
        let there = "return !!document.activeElement?.matches(arguments[0])";
        if page.js_with(there, &[json!(selector)]) == true {
            return;
        }
        page.press(key::TAB);
        let seen = page.js(
            "const it = document.activeElement; if (!it || it === document.body) return '';\
             const box = it.getBoundingClientRect();\
             const inside = box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth;\
             const style = getComputedStyle(it);\
             const ring = it.closest('svg') || it.matches('input') || parseFloat(style.outlineWidth) >= 1\
               && style.outlineStyle !== 'none' || style.boxShadow !== 'none' || it.closest('.tty-form');\
             return inside ? ring ? '' : `no ring: ${it.outerHTML.slice(0, 100)}` : `outside: ${it.outerHTML.slice(0, 100)}`",
        );
        assert_eq!(seen, "", "on the way to {selector}");
    }
    panic!("Tab does not lead to {selector}, but to {}", page.focused());
}

/// A lesson from its figure to its questions with the keyboard alone: step, ask a thing, predict, follow a button of
/// the text, type a command, answer, grade a card.
#[test]
fn with_the_keyboard_alone() {
    widths(|_, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "copies");
            page.js("scrollTo(0, 0); document.activeElement.blur()");
            let (at, _) = figure.step();
            tab_to(page, &figure.of(".lab-draw [tabindex='0']"));
            page.press(key::RIGHT);
            page.press(key::ENTER);
            page.wait("a panel", || page.exists(&figure.of(".exhibit-asked")));
            figure.focus(&figure.of(".lab-draw [tabindex='0']"));
            tab_to(page, &figure.of("[data-do=forward]"));
            page.press(key::ENTER);
            page.wait("a step", || figure.step().0 == at + 1);
            assert!(
                page.js("return document.activeElement.dataset.do") == "forward",
                "the focus stays"
            );
            tab_to(page, &figure.of(".track-input"));
            page.press(key::LEFT);
            page.wait("a step back", || figure.step().0 == at);
            tab_to(page, &figure.of("[data-do=terminal]"));
            page.press(key::ENTER);
            page.wait("the prompt", || page.focused() == "Command");
            page.press("hw stop 4");
            page.press(key::ENTER);
            page.wait("the command", || figure.screen().concat().contains("hw stop 4"));
            assert_eq!(page.focused(), "Command", "the focus stays at the prompt");
            // The prompt lets Tab out again, or Escape does.
            page.press(key::ESCAPE);
            tab_to(page, "[data-quiz=who-has-it] input");
            page.press(key::SPACE);
            page.press(key::DOWN);
            page.wait("an answer", || {
                page.exists("[data-quiz=who-has-it] [data-quiz-run]:enabled")
            });
            tab_to(page, "[data-quiz=who-has-it] [data-quiz-run]");
            page.press(key::ENTER);
            page.wait("a verdict", || {
                page.text("[data-quiz=who-has-it] .quiz-verdict").starts_with("Right. ")
            });
            tab_to(page, "button[data-action='show:shrunk']");
            page.press(key::ENTER);
            page.wait("the moment", || figure.says().starts_with("Broker 3 has been behind"));
            assert!(
                page.js("return document.activeElement.dataset.action") == "show:shrunk",
                "the focus stays"
            );
            tab_to(page, "[data-quiz=alone] [data-quiz-skip]");
            page.press(key::ENTER);
            page.wait("a verdict", || !page.text("[data-quiz=alone] .quiz-verdict").is_empty());
            wake_questions(page);
            tab_to(page, "[data-ask='0'] [data-ask-do=show]");
            page.press(key::ENTER);
            page.wait("the answer", || !page.text("[data-ask='0'] .quiz-verdict").is_empty());
            tab_to(page, ".card summary");
            page.press(key::ENTER);
            tab_to(page, ".card [data-ask-at='2']");
            page.press(key::ENTER);
            page.wait("a word", || !page.text(".card-said").is_empty());
        });
    });
}

/// On paper there are words, pictures and definitions, and neither controls nor answers, also after they were opened.
#[test]
fn on_paper() {
    for (lesson, id) in [("replication", "copies"), ("drill", "first"), ("the-log", "storage")] {
        Visit::new().theme("dark").run(|page| {
            let figure = open(page, lesson, id);
            use_once(page, &figure);
            page.js("document.querySelectorAll('[data-ask-do=show], [data-quiz-skip]').forEach(it => it.click())");
            page.next_frame();
            page.browser.media("print", &[("prefers-color-scheme", "dark")]);
            page.browser.resize(700, 1000);
            page.next_frame();
            page.picture(&format!("shots/lesson-{lesson}-print.png"), true);
            let seen = page.texts_of(
                "const gone = '.bar, .did, .tty, .twin, .quiz-actions, .quiz-verdict, .quiz-feedback, .quiz-told,'\
                   + '.quiz-why, .quiz-hint, .card-back, .card-grades, .top-nav, .task-tick, .exhibit-asked,'\
                   + 'button:not(.term, .show, .lab-thing), input:not([type=radio], [type=checkbox], [data-ask-field]), textarea:not(.quiz-field *)';\
                 return [...document.querySelectorAll(gone)].filter(it => it.checkVisibility())\
                   .map(it => it.outerHTML.slice(0, 120))",
            );
            assert!(seen.is_empty(), "{lesson}: on paper: {seen:#?}");
            let hidden = page.texts_of(
                "return [...document.querySelectorAll('.fig-say, .quiz-prompt, .quiz-option, .task-words,'\
                   + '.listing, h1, h2, .card-front')].filter(it => !it.checkVisibility() && !it.closest('.exhibit-asked, .exhibit-setup'))\
                   .map(it => it.outerHTML.slice(0, 120))",
            );
            assert!(hidden.is_empty(), "{lesson}: not on paper: {hidden:#?}");
            let marks = page.texts_of(
                "const look = it => { const style = getComputedStyle(it); return [style.borderInlineStartStyle,\
                   style.backgroundColor, style.fontWeight, style.paddingInlineStart].join(' ') };\
                 return [...document.querySelectorAll('.quiz-option, .quiz-row')].filter(it =>\
                   look(it) !== look(it.closest('fieldset').querySelector('.' + it.classList[0])))\
                   .map(it => it.outerHTML.slice(0, 120))",
            );
            assert!(marks.is_empty(), "{lesson}: an answer looks unlike the others: {marks:#?}");
            fits(page, lesson);
        });
    }
}
