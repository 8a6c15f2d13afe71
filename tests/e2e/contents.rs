//! The contents of the course: how much of each lesson was answered.

use serde_json::{Value, json};

use crate::axe;
use crate::browser::{Visit, site};
use crate::lesson::{address, fits, program, wake_questions, widths};
use crate::look;
use crate::page::Page;

const KEY: &str = "highwater:progress";

/// What the contents say of a lesson.
#[track_caller]
fn said(page: &Page, lesson: &str) -> String {
    page.text(&format!("[data-lesson={lesson}] [data-island=answered]"))
}

/// Opens the page with the contents, and waits until its program has looked.
#[track_caller]
fn open(page: &Page) {
    page.open(&format!("{}course/", site()));
    page.wait("the program", || page.engine() == "running");
    page.next_frame();
}

/// Where everything in the contents is.
fn places(page: &Page) -> Value {
    page.js(
        "return [...document.querySelectorAll('main, .contents li, .contents a, .contents-note, .quiz-data')].map(it => {\
           const box = it.getBoundingClientRect();\
           return [box.x, box.y + scrollY, box.width, box.height].map(Math.round) })",
    )
}

/// Keeps an answer to every question of a lesson, but to so many.
#[track_caller]
fn answer_all_but(page: &Page, lesson: &str, left: usize) {
    page.js_with(
        "const [key, lesson, left] = arguments;\
         const { asks, digits = 8 } = document.querySelector(`[data-lesson=${lesson}] [data-asks]`).dataset;\
         const all = asks.replaceAll(' ', '').match(new RegExp(`.{${digits}}`, 'g'));\
         const lines = all.slice(left).map(ask => `q ${ask.padEnd(16, '0')} 1 1 0 0 20000 right -`);\
         const kept = localStorage.getItem(key) ?? 'highwater-progress 1\\n';\
         localStorage.setItem(key, kept + lines.join('\\n') + '\\n')",
        &[json!(KEY), json!(lesson), json!(left)],
    );
}

/// Nothing is said to a new reader; then how much was answered, with a tick when all is; and nothing moves for it.
#[test]
fn contents_with_progress() {
    widths(|width, visit| {
        visit.run(|page| {
            open(page);
            let empty = places(page);
            assert_eq!(said(page, "replication"), "");
            page.open(&address("replication"));
            wake_questions(page);
            let ask =
                |rest: &str| format!("[data-questions=check-replication] [data-ask='0'] {rest}");
            page.click(&ask("input[value='0']"));
            page.click(&ask("[data-ask-do=check]"));
            page.wait("a verdict", || page.text(&ask(".quiz-verdict")) == "Right.");
            open(page);
            answer_all_but(page, "six-clients", 0);
            answer_all_but(page, "groups", 1);
            open(page);
            let one = said(page, "replication");
            assert!(one.starts_with("1 of ") && one.ends_with(" answered"), "{one}");
            let all = said(page, "six-clients");
            assert!(all.starts_with('\u{2713}'), "all are answered: {all}");
            let most = said(page, "groups");
            assert!(!most.contains('\u{2713}') && most.ends_with(" answered"), "{most}");
            assert_eq!(said(page, "drill"), "");
            assert_eq!(places(page), empty, "nothing has moved");
            let loaded = page
                .js("return performance.getEntriesByType('resource').map(it => it.name).join(' ')");
            assert!(!loaded.to_string().contains("course-"), "no engine is fetched: {loaded}");
            fits(page, "contents");
            let (mut found, mut wrong) = (Vec::new(), Vec::new());
            axe::check(page, "contents", &mut found);
            look::measure(page, "contents", &mut wrong);
            assert!(found.is_empty() && wrong.is_empty(), "{found:#?} {wrong:#?}");
            page.picture(&format!("shots/contents-{width}.png"), true);

            page.click("[data-ask-do=clear]");
            page.wait("nothing to be left", || said(page, "six-clients").is_empty());
        });
    });
}

/// In the dark there is a picture, too; with large letters nothing is cut off.
#[test]
fn contents_look_well() {
    for (width, font, theme) in
        [(1280, 16, "dark"), (320, 16, "dark"), (768, 16, "light"), (320, 32, "light")]
    {
        Visit::new().at(width, 800).font(font).theme(theme).run(|page| {
            open(page);
            let empty = places(page);
            answer_all_but(page, "six-clients", 0);
            answer_all_but(page, "partitions", 3);
            open(page);
            assert!(said(page, "six-clients").starts_with('\u{2713}'));
            // Where letters are so large that two words fill a line, what was answered may take a second one.
            assert!(font > 16 || places(page) == empty, "nothing has moved");
            let (mut found, mut wrong) = (Vec::new(), Vec::new());
            axe::check(page, "contents", &mut found);
            look::measure(page, "contents", &mut wrong);
            assert!(found.is_empty() && wrong.is_empty(), "{found:#?} {wrong:#?}");
            page.picture(&format!("shots/contents-{width}-{font}px-{theme}.png"), true);
        });
    }
}

/// With storage blocked nothing is shown, and nothing is missing.
#[test]
fn contents_without_storage() {
    Visit::new().without_storage().run(|page| {
        open(page);
        assert_eq!(page.text("[data-island=answered]"), "");
        assert_eq!(program(page, "quiz"), "idle", "the questions' program is this page's own");
        assert!(page.text(".contents").contains("Three copies of one log"));
    });
}
