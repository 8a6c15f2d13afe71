//! A panic of the program for clusters on a lesson's page: panels in its figures, and everything else goes on.

use crate::axe::check;
use crate::browser::Visit;
use crate::lesson::{fits, looks, open, program, wake_questions, widths};
use crate::page::{Page, key};

/// Makes the program of the clusters panic.
#[track_caller]
fn panic_now(page: &Page) {
    let trapped = page.js(
        "try { window.highwaterLab.provoke_panic(); return 'nothing' } catch (error) { return error.name }",
    );
    assert_eq!(trapped, "RuntimeError", "a panic traps");
    page.wait("the panels", || program(page, "lab") == "panicked" && page.exists(".panel"));
}

/// Each of its figures has a panel with what the reader wrote; questions without an engine go on; Restart brings
/// back every figure.
#[test]
fn panels_in_its_figures_only() {
    looks(|width, theme, visit| {
        visit.run(|page| {
            let figure = open(page, "replication", "copies");
            wake_questions(page);
            figure.line("echo first of mine");
            let other = figure.other("refused");
            other.line("echo second of mine");
            // What the reader wrote is kept also when the lesson's run is shown.
            other.show("accepted");
            panic_now(page);
            assert_eq!(page.count(".panel"), 2, "one for each figure");
            assert_eq!(page.count("[data-island=exhibit] .bar"), 0, "no dead controls");
            let commands = page.text(".panel-commands");
            assert!(commands.contains("echo first of mine"), "{commands}");
            assert!(commands.contains("echo second of mine"), "{commands}");
            assert_eq!(page.count("button[data-action]:enabled"), 0);
            assert_eq!(page.count("[data-island=quiz] button:enabled"), 0, "predictions wait");
            fits(page, "panels");
            let mut found = Vec::new();
            check(page, "panels", &mut found);
            assert!(found.is_empty(), "{width}, {theme}: {found:#?}");
            page.js("document.querySelector('.panel').scrollIntoView({ block: 'center' })");
            page.picture(&format!("shots/lesson-panic-{width}-{theme}.png"), false);

            // Questions go on.
            assert_eq!(program(page, "quiz"), "running");
            page.click("[data-ask='0'] input[value='0']");
            page.click("[data-ask='0'] [data-ask-do=check]");
            page.wait("a verdict", || page.text("[data-ask='0'] .quiz-verdict") == "Right.");

            page.focus(".panel .btn-primary");
            page.press(key::ENTER);
            page.wait("the figures", || {
                program(page, "lab") == "running" && !page.exists(".panel")
            });
            figure.wake();
            other.wake();
            let (at, _) = figure.step();
            figure.do_it("forward");
            figure.wait("a step", || figure.step().0 == at + 1);
            assert_eq!(page.text("[data-ask='0'] .quiz-verdict"), "Right.", "the answer stays");
            figure.press_on("[data-quiz=who-has-it] [data-quiz-skip]");
            figure.wait("a verdict", || {
                !page.text("[data-quiz=who-has-it] .quiz-verdict").is_empty()
            });
        });
    });
}

/// On a page with a figure of one broker, whose program shares the page's timers, both kinds of figures have panels;
/// Restart brings both back, and models and questions go on.
#[test]
fn beside_a_figure_of_one_broker() {
    widths(|_, visit| {
        visit.run(|page| {
            let figure = open(page, "the-log", "storage");
            page.wait("the first figure", || page.engine() == "running");
            wake_questions(page);
            panic_now(page);
            assert_eq!(page.engine(), "panicked");
            assert_eq!(
                page.count(".panel"),
                page.count("[data-island=exhibit], [data-island=figure]")
            );
            assert_eq!(program(page, "quiz"), "running");
            page.click("[data-ask='0'] [data-ask-do=show]");
            page.wait("the answer", || !page.text("[data-ask='0'] .quiz-verdict").is_empty());
            page.focus(".panel .btn-primary");
            page.press(key::ENTER);
            page.wait("both", || {
                page.engine() == "running"
                    && program(page, "lab") == "running"
                    && !page.exists(".panel")
            });
            figure.wake();
            figure.do_it("forward");
        });
    });
}

/// While a figure plays: no timer calls the engine that has stopped. Whoever was in a figure is taken to a panel.
#[test]
fn while_it_plays() {
    Visit::new().run(|page| {
        let figure = open(page, "replication", "copies");
        figure.do_it("play");
        figure.focus(&figure.of("[data-do=play]"));
        panic_now(page);
        assert_eq!(page.js("return document.activeElement.className"), "fig panel");
        page.js("scrollTo({ top: document.body.scrollHeight, behavior: 'instant' })");
        page.js("scrollTo({ top: 0, behavior: 'instant' })");
        page.browser.resize(900, 700);
        page.stays("the panels", 1_500, || {
            page.count(".panel") == 2 && program(page, "lab") == "panicked"
        });
    });
}
