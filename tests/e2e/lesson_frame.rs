//! Before a lesson's engine: the words, the first pictures, what is loaded when, and that nothing moves.

use serde_json::json;

use crate::browser::{Visit, serve};
use crate::first_frame::moved;
use crate::lesson::{LESSONS, address, drawn_in, fits, program, widths};
use crate::page::Page;
use crate::served::found_below;

/// What stands where in figures of clusters, in what follows them, and the headings.
const PARTS: &str = "\
    const parts = []; const seen = new Map();\
    const add = (element, name) => {\
      if (!element.getClientRects().length) return;\
      const count = seen.get(name) ?? 0; seen.set(name, count + 1);\
      const box = element.getBoundingClientRect();\
      parts.push([`${name} #${count}`, box.x, box.y + scrollY, box.width, box.height]);\
    };\
    for (const element of document.querySelectorAll('h1, h2, .fig, .quiz, .listing, .island, .foot'))\
      add(element, element.classList[0] ?? element.localName);\
    for (const island of document.querySelectorAll('[data-island=exhibit]'))\
      for (const element of island.querySelectorAll('.fig-say, .fig-draw, .fig-draw svg, .exhibit-legend, .bar,'\
        + '.bar .btn, .track, .bar-time, .did, .did .btn, .twin, .tty, .tty-line, .tty-input, .exhibit-watch,'\
        + '.lab-table, .fig-draw text'))\
        add(element, `${island.dataset.figure} ${element.localName} ${element.classList[0] ?? ''}`);\
    return parts";

/// The parts of a page before its engine for clusters and after it: the request for it is held back meanwhile.
#[track_caller]
fn before_and_after<T>(page: &Page, lesson: &str, look: impl Fn(&Page) -> T) -> (T, T) {
    let held = json!({ "patterns": [{ "urlPattern": "*course-*.wasm" }] });
    page.browser.cdp("Fetch.enable", &held);
    page.open(&address(lesson));
    page.js("document.querySelector('[data-island=exhibit]').scrollIntoView({ block: 'center' })");
    page.wait("the engine to be on its way", || program(page, "lab") == "loading");
    page.wait("the page's other engines", || {
        page.engine() != "loading" && program(page, "quiz") != "loading"
    });
    page.next_frame();
    let before = look(page);
    assert_eq!(program(page, "lab"), "loading", "the engine was held back");
    page.browser.cdp("Fetch.disable", &json!({}));
    page.wait("the figures to wake up", || {
        program(page, "lab") == "running"
            && page.count("[data-island=exhibit]")
                == page.count("[data-island=exhibit] [data-do=play]:enabled")
    });
    page.next_frame();
    (before, look(page))
}

#[track_caller]
fn stands_still(width: u32) {
    let mut wrong = Vec::new();
    for lesson in LESSONS {
        Visit::new().at(width, 800).run(|page| {
            let (before, after) = before_and_after(page, lesson, |page| page.js(PARTS));
            assert!(before.as_array().is_some_and(|parts| parts.len() > 60), "{lesson}: {before}");
            let moved = moved(&before, &after);
            wrong.extend(moved.first().map(|first| format!("{lesson}, {}: {first}", moved.len())));
        });
    }
    assert!(wrong.is_empty(), "{width} px, the first part that has moved: {wrong:#?}");
}

/// No part of any lesson moves by more than a pixel when the engine takes over, on a desk.
#[test]
fn nothing_moves_on_a_desk() {
    stands_still(1280);
}

/// Nor on a phone.
#[test]
fn nothing_moves_on_a_phone() {
    stands_still(320);
}

/// The picture says the same before and after.
#[test]
fn shows_the_same() {
    widths(|width, visit| {
        visit.run(|page| {
            for lesson in LESSONS {
                let (before, after) = before_and_after(page, lesson, |page| {
                    let words = page.texts_of(
                        "return [...document.querySelectorAll('.exhibit .fig-say, .exhibit .bar-time')]\
                         .map(part => part.textContent)",
                    );
                    (drawn_in(page, ".exhibit .lab-draw"), words)
                });
                assert!(!before.0.is_empty() && !before.1.is_empty(), "{lesson} at {width} px");
                assert_eq!(before, after, "{lesson} at {width} px");
            }
        });
    });
}

/// The addresses of the wasm files that were asked for since the last time.
#[track_caller]
fn asked(page: &Page) -> Vec<String> {
    let sent = page.browser.recorded("Network.requestWillBeSent");
    let urls = sent.iter().filter_map(|request| request["request"]["url"].as_str());
    let names = urls.filter(|url| url.ends_with(".wasm")).filter_map(|url| url.rsplit('/').next());
    names.map(|name| name.split('-').next().unwrap_or_default().to_owned()).collect()
}

/// Each of the three programs is fetched when something of it comes near the window, and not before.
#[test]
fn nothing_loads_before_it_is_near() {
    widths(|width, visit| {
        visit.recording().run(|page| {
            page.open(&address("the-log"));
            page.wait("the first figure", || page.engine() == "running");
            page.stays("the others asleep", 700, || {
                program(page, "lab") == "idle" && program(page, "quiz") == "idle"
            });
            assert_eq!(asked(page), ["reader"], "at {width} px");
            page.js("document.querySelector('[data-island=exhibit]').scrollIntoView()");
            page.wait("the figure of a cluster", || program(page, "lab") == "running");
            assert!(asked(page).contains(&"course".to_owned()));
            // A page without a figure of one broker never asks for that program.
            page.open(&address("replication"));
            page.wait("the figure", || program(page, "lab") == "running");
            page.stays("the others asleep", 700, || {
                page.engine() == "idle" && program(page, "quiz") == "idle"
            });
            page.js("document.querySelector('[data-island=questions]').scrollIntoView()");
            page.wait("the questions", || program(page, "quiz") == "running");
            assert_eq!(page.engine(), "idle", "nothing on this page needs it");
            let names = asked(page);
            assert!(!names.contains(&"reader".to_owned()), "{names:?}");
        });
    });
}

/// Every figure has its picture and its words, and no control pretends to work.
#[track_caller]
fn is_whole(page: &Page, lesson: &str) {
    let wrong = page.texts_of(
        "const wrong = [];\
         for (const figure of document.querySelectorAll('[data-island=exhibit]')) {\
           const name = figure.dataset.figure;\
           const drawings = [...figure.querySelectorAll('.lab-draw :is(svg, table, .lab-empty)')];\
           if (!drawings.some(it => it.getClientRects().length)) wrong.push(`${name}: no picture`);\
           if (!figure.querySelector('.fig-say').textContent.trim()) wrong.push(`${name}: no words`);\
           const twin = figure.querySelector('.twin-scroll');\
           if (!twin.querySelector('table') && !twin.textContent.includes('a table already')) wrong.push(`${name}: no table`);\
         }\
         for (const off of document.querySelectorAll('[data-island=exhibit] :is(button, input, textarea),'\
           + '[data-island=quiz] button, [data-island=task] button, button[data-action]'))\
           if (!off.disabled && !off.matches('.term')) wrong.push(`on: ${off.outerHTML.slice(0, 120)}`);\
         return wrong",
    );
    assert!(wrong.is_empty(), "{lesson}: {wrong:#?}");
    assert!(
        page.count("main h2") >= 4 && page.count("main p") > 20,
        "{lesson}: the words are there"
    );
    assert!(page.count("[data-island=exhibit]") >= 1, "{lesson} has figures");
}

#[track_caller]
fn statuses(page: &Page) -> Vec<String> {
    page.texts_of(
        "return [...document.querySelectorAll('[data-island=exhibit] [data-engine-status]')]\
         .map(it => it.textContent)",
    )
}

/// Without script every lesson is whole, and each figure says what it lacks.
#[test]
fn without_script() {
    widths(|width, visit| {
        visit.without_script().run(|page| {
            for lesson in LESSONS {
                page.open(&address(lesson));
                is_whole(page, lesson);
                fits(page, lesson);
                let says = statuses(page);
                assert_eq!(says.len() as u64, page.count("[data-island=exhibit]"));
                for says in says {
                    assert!(says.ends_with("It needs JavaScript, which is off here."), "{says}");
                }
            }
            page.open(&address("replication"));
            page.picture(&format!("shots/lesson-no-script-{width}.png"), false);
        });
    });
}

/// Without the wasm files the words stay: each figure says so, and how to go on.
#[test]
fn wasm_not_found() {
    let server = serve(|options| options.without_wasm = true);
    widths(|width, visit| {
        visit.expecting("404").run(|page| {
            for lesson in ["the-log", "replication", "drill"] {
                page.open("about:blank");
                page.open(&format!("{}{lesson}/", server.url()));
                page.js("document.querySelector('[data-island=exhibit]').scrollIntoView()");
                page.wait("the failure", || program(page, "lab") == "failed");
                is_whole(page, lesson);
                fits(page, lesson);
                let says = statuses(page);
                assert_eq!(says.len() as u64, page.count("[data-island=exhibit]"));
                for says in says {
                    let expected = "The simulator could not load (the server answered 404 for a part of it). \
                                    The text and this picture are complete without it. Reload to try again.";
                    assert_eq!(says, expected, "{lesson}");
                }
                page.js("document.querySelector('[data-island=questions]').scrollIntoView()");
                page.wait("the failure", || program(page, "quiz") == "failed");
                page.js("document.querySelector('.quiz-told > summary').click()");
                let open = "return document.querySelector('.quiz-told').open\
                     && document.querySelector('.quiz-told .quiz-why').checkVisibility()";
                assert_eq!(page.js(open), true, "an answer is one press away in {lesson}");
                page.js("document.querySelector('[data-island=exhibit]').scrollIntoView({ block: 'center' })");
                page.picture(&format!("shots/lesson-failed-{lesson}-{width}.png"), false);
            }
        });
    });
}

/// Under a path of a host every address of a lesson is relative, and everything is found.
#[test]
fn under_a_path() {
    let server = serve(|options| options.base = "/course/kafka".to_owned());
    Visit::new().recording().run(|page| {
        page.open(&format!("{}replication/", server.url()));
        page.wait("the figure", || program(page, "lab") == "running");
        page.js("document.querySelector('[data-island=questions]').scrollIntoView()");
        page.wait("the questions", || program(page, "quiz") == "running");
        let found = found_below(page, "/course/kafka/");
        assert!(found > 8, "only {found} files");
        let lab = format!("{}lab/", server.url());
        let links = page.texts_of(
            "return [...document.querySelectorAll('main a[href*=\"lab/\"]')].map(it => it.href)",
        );
        assert!(links.len() >= 3 && links.iter().all(|link| link.starts_with(&lab)), "{links:?}");
    });
}
