//! The static first frame and the live one: nothing may move when the engine takes over.

use serde_json::{Value, json};

use crate::browser::{Visit, site};
use crate::page::Page;
use crate::puzzle::{JAVA, by_lane};

/// What stands where: a name and a box for each part of figures and questions, and for every heading.
const PARTS: &str = "\
    const parts = []; const seen = new Map();\
    const add = (element, name) => {\
      if (!element.getClientRects().length) return;\
      const count = seen.get(name) ?? 0; seen.set(name, count + 1);\
      const box = element.getBoundingClientRect();\
      parts.push([`${name} #${count}`, box.x, box.y + scrollY, box.width, box.height]);\
    };\
    const parts_of = '.fig-say, .fig-draw, .fig-draw svg, .hw-box, .hw-next, .hw-lane, .fig-legend,'\
      + '.fig-legend-item, .bar, .bar .btn, .track, .bar-time, .did, .did .btn, .twin, .twin summary,'\
      + '.quiz, .quiz-option, .quiz-actions .btn, .quiz-hint, .fig, h1, h2, p.kicker, .show, .foot';\
    for (const element of document.querySelectorAll(parts_of))\
      add(element, element.classList[0] ?? element.localName);\
    for (const text of document.querySelectorAll('.hw-log text'))\
      add(text, `text ${text.textContent}`);\
    return parts";

/// The page before its engine: the request for the wasm file is held back while `test` looks, and
/// then let go.
fn before_and_after<T>(page: &Page, look: impl Fn(&Page) -> T) -> (T, T) {
    page.browser.cdp("Fetch.enable", &json!({ "patterns": [{ "urlPattern": "*.wasm" }] }));
    page.open(&site());
    page.wait("the engine to be on its way", || page.engine() == "loading");
    page.next_frame();
    let before = look(page);
    assert_eq!(page.engine(), "loading", "the engine was held back");
    page.browser.cdp("Fetch.disable", &json!({}));
    page.wait_until_live();
    page.next_frame();
    (before, look(page))
}

/// Records, letters, labels, words and legend are the same before and after.
#[test]
fn shows_the_same() {
    for width in [1280, 320] {
        Visit::new().at(width, 800).run(|page| {
            let look = |page: &Page| {
                let labels = page.texts_of(
                    "return [...document.querySelectorAll('.fig-draw [aria-label]')]\
                     .filter(part => part.getClientRects().length)\
                     .map(part => part.getAttribute('aria-label'))",
                );
                (page.cells(), labels, page.say(), page.time(), page.text(".fig-legend"))
            };
            let (before, after) = before_and_after(page, look);
            assert_eq!(before.0, by_lane(&JAVA[..4]));
            assert_eq!(before, after, "at {width} px");
        });
    }
}

pub(crate) fn moved(before: &Value, after: &Value) -> Vec<String> {
    let list = |parts: &Value| parts.as_array().cloned().unwrap_or_default();
    let after = list(after);
    let mut moved = Vec::new();
    for part in list(before) {
        let Some(now) = after.iter().find(|now| now[0] == part[0]) else {
            moved.push(format!("{} is gone", part[0]));
            continue;
        };
        let far = (1..=4).any(|i| {
            let number = |part: &Value| part[i].as_f64().unwrap_or(f64::NAN);
            (number(&part) - number(now)).abs() > 1.0
        });
        if far {
            moved.push(format!("{part} is now {now}"));
        }
    }
    moved
}

/// No part of the page moves by more than a pixel when the engine takes over.
#[test]
fn nothing_moves_on_a_desk() {
    stands_still(Visit::new());
}

/// Nor on a phone.
#[test]
fn nothing_moves_on_a_phone() {
    stands_still(Visit::new().at(320, 640));
}

/// In a window in between the drawing may fill its room, but nothing around it moves.
#[test]
fn nothing_moves_around_the_drawing_on_a_tablet() {
    stands_still_but_for(Visit::new().at(768, 1024), &["\"hw-", "\"text "]);
}

#[track_caller]
fn stands_still(visit: Visit) {
    stands_still_but_for(visit, &[]);
}

#[track_caller]
fn stands_still_but_for(visit: Visit, free: &[&str]) {
    visit.run(|page| {
        let (before, after) = before_and_after(page, |page| page.js(PARTS));
        assert!(before.as_array().is_some_and(|parts| parts.len() > 60), "{before}");
        let mut moved = moved(&before, &after);
        moved
            .retain(|part| !free.iter().any(|free| part.trim_start_matches('[').starts_with(free)));
        assert!(moved.is_empty(), "these parts have moved: {moved:#?}");
    });
}
