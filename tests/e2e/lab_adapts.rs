//! The Lab under what readers set: large type and zoom, no motion, forced colours, a translator, paper.

use serde_json::{Value, json};

use crate::browser::Visit;
use crate::lab_desk::{Desk, at, visit};
use crate::look::measure;
use crate::page::key;

/// Something of everything: records, a reader, a broker that is down, a panel.
fn in_use(desk: &Desk<'_>) {
    desk.form("topic", &[]);
    desk.form("send", &[("count", "3")]);
    desk.form("read", &[]);
    desk.press("view:replicas");
    desk.press("ask:broker:2");
    desk.press("type:hw crash 2");
    desk.press("view:records");
}

/// What a translator does: every text stands in elements of its own.
const TRANSLATE: &str = "const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); const texts = [];\
    while (walker.nextNode()) if (walker.currentNode.textContent.trim()\
      && !walker.currentNode.parentElement.closest('font, script, style, select, textarea, svg'))\
      texts.push(walker.currentNode);\
    for (const text of texts) { const [outer, inner] = [0, 1].map(() => document.createElement('font'));\
      text.replaceWith(outer); outer.append(inner);\
      inner.textContent = text.textContent.toUpperCase() }\
    return texts.length";

/// The same with the text nodes themselves, moved into an element.
const WRAP: &str = "const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT); const texts = [];\
    while (walker.nextNode()) if (walker.currentNode.textContent.trim()\
      && !walker.currentNode.parentElement.closest('font, script, style, select, textarea, svg'))\
      texts.push(walker.currentNode);\
    for (const text of texts) { const font = document.createElement('font'); text.replaceWith(font); font.append(text) }\
    return texts.length";

/// At twice the zoom, and with twice the font, everything fits.
#[test]
fn zoom_and_large_type() {
    for (name, width, height, font) in
        [("zoom", 640, 400, 16), ("zoom-and-type", 640, 400, 32), ("type", 1280, 800, 32)]
    {
        visit(Visit::new().at(width, height).font(font), false, |desk| {
            let mut wrong = Vec::new();
            measure(desk, "start", &mut wrong);
            in_use(desk);
            for view in ["records", "replicas", "groups", "flight"] {
                desk.press(&format!("view:{view}"));
                measure(desk, view, &mut wrong);
            }
            desk.press("form:send");
            measure(desk, "a form", &mut wrong);
            desk.picture(&format!("shots/lab-{name}.png"), true);
            assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        });
    }
}

/// Who wants no motion gets none, neither when stepping nor when playing.
#[test]
fn reduced_motion() {
    visit(Visit::new().media("prefers-reduced-motion", "reduce"), false, |desk| {
        desk.open("start=the-log");
        desk.js("window.moved = []; for (const kind of ['animationstart', 'transitionrun'])\
               addEventListener(kind, event => window.moved.push(event.type + ' ' + event.target.className))");
        for _ in 0..6 {
            desk.press("forward");
        }
        desk.fill("[data-do=speed]", "fast");
        desk.press("play");
        let from = desk.step().0;
        desk.wait("it to play", || desk.step().0 > from + 3);
        assert_eq!(desk.js("return window.moved"), json!([]));
    });
}

/// Motion explains for 150 to 250 ms, and ends.
#[test]
fn motion_is_short() {
    visit(Visit::new().media("prefers-reduced-motion", "no-preference"), false, |desk| {
        desk.form("topic", &[]);
        desk.js(
            "window.moved = []; addEventListener('animationstart', event => window.moved.push(\
               event.target.getAnimations()[0]?.effect.getTiming().duration))",
        );
        desk.form("send", &[]);
        desk.press("back");
        desk.press("forward");
        desk.wait("motion to end", || desk.js("return document.getAnimations().length") == 0);
        let moved = desk.js("return window.moved");
        let moved: Vec<f64> =
            moved.as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
        assert!(moved.iter().all(|ms| (150.0..=250.0).contains(ms)), "{moved:?}");
    });
}

/// Where the reader forces colours, all marks are still to be seen, and words are not in the colour of the page.
#[test]
fn forced_colours() {
    visit(Visit::new().media("forced-colors", "active").theme("dark"), false, |desk| {
        in_use(desk);
        for view in ["records", "replicas", "flight"] {
            desk.press(&format!("view:{view}"));
            let unseen = desk.texts_of(
                "const paper = getComputedStyle(document.body).backgroundColor;\
                 const parts = '.hw-box, .hw-mark, .hw-lane, .hw-next, .hw-position, .hw-bar, .hw-held, .hw-tide,'\
                   + '.track-line, .track-done, .track-mark, .lab-draw text, .lab-node rect, .lab-path, .lab-dot';\
                 return [...document.querySelectorAll(parts)].filter(part => {\
                   const style = getComputedStyle(part);\
                   const seen = colour => colour !== 'none' && colour !== paper && !/, 0\\)$/.test(colour);\
                   return !seen(style.fill) && !seen(style.stroke);\
                 }).map(part => part.className.baseVal || part.textContent)",
            );
            assert!(unseen.is_empty(), "{view}: not to be seen: {unseen:?}");
            let unread = desk.texts_of(
                "const paper = getComputedStyle(document.body).backgroundColor;\
                 return [...document.querySelectorAll('.lab-root :is(button, summary, label, p, td, th)')]\
                 .filter(part => { const style = getComputedStyle(part);\
                   return style.forcedColorAdjust !== 'none' && style.color === paper;\
                 }).map(part => part.textContent)",
            );
            assert!(unread.is_empty(), "{view}: words in the colour of the page: {unread:?}");
            desk.shot(&format!("forced-{view}"));
        }
    });
}

/// A translator that rewrites every text of the page does not break the Lab, which goes on and shows what is so.
#[test]
fn a_translator() {
    for (name, script) in [("moved", WRAP), ("replaced", TRANSLATE)] {
        at(1280, |desk| {
            in_use(desk);
            assert!(desk.js(script).as_u64() > Some(0), "{name}: nothing was rewritten");
            for _ in 0..4 {
                desk.js(script);
                desk.press("back");
                desk.js(script);
                desk.press("view:replicas");
                desk.js(script);
                desk.press("view:records");
                desk.js(script);
                desk.press("form:send");
                desk.js(script);
                desk.press("close-form");
            }
            desk.js(script);
            desk.line("echo still here");
            assert_eq!(desk.engine(), "running", "{name}");
            assert_eq!(desk.lines().last().map(String::as_str), Some("still here"), "{name}");
            assert_eq!(
                desk.attribute(".lab-root", "translate"),
                "no",
                "it asks not to be translated"
            );
        });
    }
}

/// Paper holds the figure and its words, in light colours, and no controls.
#[test]
fn print() {
    visit(Visit::new().theme("dark"), false, |desk| {
        in_use(desk);
        desk.browser.media("print", &[("prefers-color-scheme", "dark")]);
        desk.browser.resize(700, 1000);
        desk.next_frame();
        desk.picture("shots/lab-print-700.png", true);
        assert!(
            desk.js("return document.querySelector('.lab-draw svg').checkVisibility()") == true
        );
        let wide = desk
            .js("const box = document.querySelector('.lab-draw svg').getBoundingClientRect();\
             return box.left >= 0 && box.right <= innerWidth && box.width > 300");
        assert_eq!(wide, true, "the figure is on the sheet");
        let gone = desk.texts_of(
            "return [...document.querySelectorAll('.lab-deeds, .lab-side-deeds, .bar, .tty-form, .tty-chips, .top-nav')]\
             .filter(part => part.checkVisibility()).map(part => part.className)",
        );
        assert!(gone.is_empty(), "not on paper: {gone:?}");
        desk.browser.media("", &[("prefers-color-scheme", "light")]);
        desk.browser.resize(1280, 800);
        desk.press("back");
        assert_eq!(desk.engine(), "running");
        desk.keys(key::ESCAPE);
    });
}
