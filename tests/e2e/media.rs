//! Other media: paper, reduced motion, and colours that the reader forces.

use serde_json::{Value, json};

use crate::browser::Visit;
use crate::page::Page;
use crate::puzzle::{JAVA, by_lane};

/// Paper holds words, picture and definitions, and neither controls nor answers.
#[test]
fn print() {
    Visit::new().theme("dark").live(|page| {
        page.click("[data-quiz=fifth-record] [data-quiz-skip]");
        page.wait("a verdict", || !page.text(".quiz-verdict").is_empty());
        page.browser.media("print", &[("prefers-color-scheme", "dark")]);
        page.browser.resize(700, 1000);
        page.next_frame();
        page.picture("shots/print-700.png", true);
        let gone =
            ".bar, .did, .tty, .twin, .quiz-actions, .quiz-verdict, .quiz-feedback, .top-nav";
        let script = "return [...document.querySelectorAll(arguments[0])]\
             .filter(part => part.checkVisibility()).map(part => part.className)";
        assert_eq!(page.js_with(script, &[json!(gone)]), json!([]), "not on paper");
        let kept = ".fig-draw > svg, .fig-say, .quiz-prompt, .quiz-option, .term-card, h1, h2";
        let hidden = "return [...document.querySelectorAll(arguments[0])]\
             .filter(part => !part.checkVisibility()).map(part => part.outerHTML.slice(0, 80))";
        assert_eq!(page.js_with(hidden, &[json!(kept)]), json!([]), "on paper");
        let looks = page.js("const answer = document.querySelector('.quiz-right');\
             const other = document.querySelector('.quiz-option:not(.quiz-right)');\
             const look = element => { const style = getComputedStyle(element);\
               return [style.borderInlineStartStyle, style.backgroundColor, style.fontWeight,\
                 style.paddingInlineStart] };\
             return [look(answer), look(other), getComputedStyle(document.body).backgroundColor]");
        assert_eq!(looks[0], looks[1], "the right answer looks like any other");
        assert!(is_light(&looks[2]), "paper is light: {}", looks[2]);
    });
}

/// On paper a definition follows its word in brackets, after one space, which is its own.
#[test]
fn definitions_on_paper() {
    Visit::new().live(|page| {
        page.browser.media("print", &[]);
        page.next_frame();
        let gaps = page.js(
            "return [...document.querySelectorAll('.term-card')].map(card =>\
               [[...card.previousElementSibling.getClientRects()].at(-1), card.getClientRects()[0]])\
             .filter(([word, card]) => Math.abs(word.bottom - card.bottom) < 6)\
             .map(([word, card]) => card.left - word.right)",
        );
        let gaps = gaps.as_array().unwrap();
        assert!(gaps.len() > 3, "definitions on the line of their word: {gaps:?}");
        for gap in gaps {
            assert!(gap.as_f64().unwrap().abs() < 1.0, "a space too many: {gaps:?}");
        }
    });
}

fn is_light(colour: &Value) -> bool {
    let digits = |c: char| c.is_ascii_digit();
    let text = colour.as_str().unwrap_or_default();
    text.split(|c| !digits(c)).filter_map(|n| n.parse::<u32>().ok()).take(3).all(|n| n > 240)
        || text == "rgba(0, 0, 0, 0)"
}

fn animations(page: &Page) -> Value {
    page.js("return document.getAnimations().map(a => a.effect.getTiming().duration)")
}

/// Motion explains for 150 to 250 ms, in the record that has come and nowhere else.
#[test]
fn motion_is_short() {
    Visit::new().media("prefers-reduced-motion", "no-preference").live(|page| {
        page.js(
            "window.moved = []; addEventListener('animationstart', event => window.moved.push(\
             [event.target.closest('[data-cell]')?.dataset.cell, \
              event.target.getAnimations()[0]?.effect.getTiming().duration]))",
        );
        page.transport("step");
        page.wait("something to move", || page.js("return window.moved.length") == 1);
        let moved = page.js("return window.moved[0]");
        assert_eq!(moved[0], "0:2");
        let duration = moved[1].as_f64().unwrap();
        assert!((150.0..=250.0).contains(&duration), "{duration} ms");
        page.wait("it to end", || animations(page) == json!([]));
    });
}

/// Who wants no motion gets none: no animation, and a replay is at its end at once.
#[test]
fn reduced_motion() {
    Visit::new().media("prefers-reduced-motion", "reduce").live(|page| {
        page.js(
            "window.moved = []; for (const kind of ['animationstart', 'transitionrun'])\
               addEventListener(kind, event => window.moved.push(event.type + ' ' + event.target.className))",
        );
        page.transport("step");
        page.wait("a step", || page.time() == "step 5 of 6");
        let times = "const region = document.querySelector('.bar-time'); window.times = [];\
             new MutationObserver(() => window.times.push(region.textContent))\
             .observe(region, { childList: true, characterData: true, subtree: true })";
        page.js(times);
        page.click_button("Replay the six with librdkafka");
        page.wait("the end", || page.time() == "step 6 of 6");
        assert_eq!(page.js("return window.times"), json!(["step 6 of 6"]), "at once");
        assert!(page.exists("[data-do=play][aria-label=Play]"));
        page.click_button("Back to the Java client");
        page.wait("the Java run", || page.cells() == by_lane(&JAVA));
        page.next_frame();
        assert_eq!(page.js("return window.moved"), json!([]));
    });
}

/// Where the reader forces colours, cells, marks, rules and the timeline are still to be seen.
#[test]
fn forced_colours() {
    Visit::new().media("forced-colors", "active").theme("dark").live(|page| {
        page.transport("step");
        page.click_button("Let billing read one record");
        page.wait("a reader", || page.readers().len() == 1);
        page.next_frame();
        page.picture("shots/forced-colours-1280.png", false);
        let unseen = page.texts_of(
            "const paper = getComputedStyle(document.body).backgroundColor;\
             const parts = '.hw-box, .hw-mark, .hw-lane, .hw-next, .hw-position, .hw-lag, .track-line,'\
               + '.track-done, .track-mark, .fig-draw text, .btn:not(.btn-primary) .icon';\
             return [...document.querySelectorAll(parts)].filter(part => {\
               const style = getComputedStyle(part);\
               const seen = colour => colour !== 'none' && colour !== paper && !/, 0\\)$/.test(colour);\
               return !seen(style.fill) && !seen(style.stroke);\
             }).map(part => part.className.baseVal)",
        );
        assert!(unseen.is_empty(), "not to be seen: {unseen:?}");
        let words = page.texts_of(
            "const same = []; for (const text of document.querySelectorAll('.hw-cell text')) {\
               const box = text.closest('.hw-cell').querySelector('.hw-box');\
               if (getComputedStyle(text).fill === getComputedStyle(box).fill) same.push(text.textContent);\
             } return same",
        );
        assert!(words.is_empty(), "words in the colour of their cell: {words:?}");
        // Behind words the browser then paints the colour of the page.
        let unread = page.texts_of(
            "const paper = getComputedStyle(document.body).backgroundColor;\
             return [...document.querySelectorAll('button, summary, label')].filter(part => {\
               const style = getComputedStyle(part);\
               return style.forcedColorAdjust !== 'none' && style.color === paper;\
             }).map(part => part.textContent)",
        );
        assert!(unread.is_empty(), "words in the colour of the page: {unread:?}");
    });
}
