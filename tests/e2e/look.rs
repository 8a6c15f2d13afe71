//! How it looks: at three widths, in both themes, at the usual font size and at twice that. What can be
//! measured is measured; the pictures in target/e2e/shots/ are for people.

use crate::browser::Visit;
use crate::page::{Page, key};

/// What is wrong with the layout, in words; a function that returns a list of them.
const MEASURE: &str = "\
    const wrong = []; const root = document.documentElement;\
    const seen = element => element.checkVisibility({ visibilityProperty: true, opacityProperty: true })\
      && !element.closest('.visually-hidden, [popover]:not(:popover-open), .skip')\
      && element.getClientRects().length;\
    const name = element => `${element.localName}.${element.className?.baseVal ?? element.className}`\
      + ` \"${(element.getAttribute('aria-label') ?? element.textContent).trim().slice(0, 40)}\"`;\
    if (document.scrollingElement.scrollWidth > root.clientWidth)\
      wrong.push(`the page scrolls sideways: ${document.scrollingElement.scrollWidth} in ${root.clientWidth}`);\
    for (const draw of document.querySelectorAll('[data-island=figure] .fig-draw')) {\
      const room = draw.getBoundingClientRect();\
      for (const svg of draw.querySelectorAll(':scope > svg, :scope > div > svg')) if (seen(svg)) {\
        const box = svg.getBoundingClientRect();\
        if (box.right > room.right + 1 || box.left < room.left - 1)\
          wrong.push(`the drawing leaves its box: ${box.left}..${box.right} in ${room.left}..${room.right}`);\
        const texts = [...svg.querySelectorAll('text')].map(text => [text, text.getBoundingClientRect()]);\
        for (const [text, at] of texts)\
          if (at.left < box.left - 1 || at.right > box.right + 1 || at.top < box.top - 1 || at.bottom > box.bottom + 3)\
            wrong.push(`cut off: ${name(text)}`);\
        texts.forEach(([one, a], index) => texts.slice(index + 1).forEach(([other, b]) => {\
          const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);\
          const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);\
          if (wide > 2 && high > 4) wrong.push(`words over words: ${name(one)} and ${name(other)}`);\
        }));\
        for (const cell of svg.querySelectorAll('.hw-cell')) {\
          const frame = cell.querySelector('.hw-box').getBoundingClientRect();\
          for (const text of cell.querySelectorAll('.hw-value, .hw-key-letter')) {\
            const at = text.getBoundingClientRect();\
            if (at.left < frame.left || at.right > frame.right + 1 || at.bottom > frame.bottom + 2)\
              wrong.push(`words leave their cell: ${name(text)}`);\
          }\
        }\
      }\
    }\
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);\
    while (walker.nextNode()) {\
      const element = walker.currentNode.parentElement;\
      if (!walker.currentNode.textContent.trim() || !element || !seen(element)) continue;\
      const size = parseFloat(getComputedStyle(element).fontSize);\
      if (size < 12) wrong.push(`${size} px: ${name(element)}`);\
    }\
    const targets = 'button, a[href], input, summary, [role=button]';\
    for (const target of document.querySelectorAll(targets)) {\
      if (!seen(target) || target.matches('.term, .tty-thing, p a, .lesson li a:not(.contents a)')) continue;\
      const box = (target.matches('[type=radio], [type=checkbox]') && target.closest('label') || target)\
        .getBoundingClientRect();\
      const least = target.matches('.bar button') ? 44 : 24;\
      if (box.width < least - 0.5 || box.height < least - 0.5)\
        wrong.push(`a target of ${box.width} x ${box.height}: ${name(target)}`);\
    }\
    for (const button of document.querySelectorAll('button, summary')) {\
      if (!seen(button) || button.matches('.term')) continue;\
      if (button.scrollWidth > button.clientWidth + 1) wrong.push(`words leave their button: ${name(button)}`);\
    }\
    return [...new Set(wrong)]";

pub(crate) fn measure(page: &Page, what: &str, wrong: &mut Vec<String>) {
    page.next_frame();
    wrong.extend(page.texts_of(MEASURE).into_iter().map(|words| format!("{what}: {words}")));
}

/// Walks through the page's states, measures each and keeps pictures.
#[track_caller]
fn looks(width: u32, height: u32, font: u32) {
    for theme in ["light", "dark"] {
        Visit::new().at(width, height).font(font).theme(theme).live(|page| {
            let name = |state: &str| format!("shots/{state}-{width}-{font}px-{theme}.png");
            let mut wrong = Vec::new();
            measure(page, "first", &mut wrong);
            page.picture(&name("first"), false);
            page.click("[data-quiz=fifth-record] input[value=partition-2]");
            page.wait("Run it to wake up", || {
                page.exists("[data-quiz=fifth-record] [data-quiz-run]:not(:disabled)")
            });
            page.focus("[data-quiz=fifth-record] [data-quiz-run]");
            page.press(key::ENTER);
            page.wait("a verdict", || !page.text(".quiz-verdict").is_empty());
            measure(page, "answered", &mut wrong);
            page.click_button("Let analytics read everything");
            page.click_button("Let billing read one record");
            page.wait("readers", || page.readers().len() == 2);
            measure(page, "readers", &mut wrong);
            page.picture(&name("readers"), true);
            page.js("document.querySelector('.twin').open = true");
            page.open_terminal();
            page.run("kafka-topics.sh --bootstrap-server localhost:9092 --describe");
            measure(page, "unfolded", &mut wrong);
            page.picture(&name("unfolded"), true);
            page.click_button("Replay the six with librdkafka");
            page.wait_for_the_end();
            page.js("document.querySelector('.island').scrollIntoView({ block: 'start' })");
            page.focus(".hw-log [tabindex='0']");
            page.press(&[key::END, key::ENTER].concat());
            page.wait("a sum", || page.exists(".hw-chosen") && !page.sum().is_empty());
            measure(page, "replayed", &mut wrong);
            page.picture(&name("replayed"), false);
            assert!(wrong.is_empty(), "{theme}, {width} px, font {font}: {wrong:#?}");
        });
    }
}

/// A phone: 320 px.
#[test]
fn on_a_phone() {
    looks(320, 640, 16);
}

/// A tablet: 768 px.
#[test]
fn on_a_tablet() {
    looks(768, 1024, 16);
}

/// A desk: 1280 px.
#[test]
fn on_a_desk() {
    looks(1280, 800, 16);
}

/// A phone whose reader has set the font to twice its size.
#[test]
fn on_a_phone_with_large_type() {
    looks(320, 640, 32);
}

/// A tablet with large type.
#[test]
fn on_a_tablet_with_large_type() {
    looks(768, 1024, 32);
}

/// A desk with large type.
#[test]
fn on_a_desk_with_large_type() {
    looks(1280, 800, 32);
}

/// Many records: the strips show the newest end, the way to older ones, and the page does not widen.
#[track_caller]
fn many(width: u32) {
    Visit::new().at(width, 800).live(|page| {
        let mut wrong = Vec::new();
        page.open_terminal();
        for _ in 0..14 {
            page.run("hw produce --topic parcel-events --key locker-7 --value PARCEL_COLLECTED");
        }
        page.click_button("Terminal");
        page.wait("the way to older ones", || page.exists("[data-scroll=older]"));
        measure(page, "many", &mut wrong);
        let newest = page.cells();
        assert!(newest.iter().any(|cell| cell.starts_with("0/15 ")), "the newest: {newest:?}");
        page.picture(&format!("shots/many-{width}-16px-light.png"), false);
        page.click("[data-scroll=older]");
        page.wait("older ones", || page.cells() != newest);
        measure(page, "older", &mut wrong);
        page.click("[data-scroll=newer]");
        page.wait("the newest again", || page.cells() == newest);
        assert!(wrong.is_empty(), "{width} px: {wrong:#?}");
    });
}

/// On a phone.
#[test]
fn many_records_on_a_phone() {
    many(320);
}

/// On a desk.
#[test]
fn many_records_on_a_desk() {
    many(1280);
}

/// With scrollbars that take room, a narrow window still holds everything.
#[test]
fn with_scrollbars() {
    Visit::new().at(500, 640).with_scrollbars().live(|page| {
        let mut wrong = Vec::new();
        for width in [500, 800, 1280] {
            page.browser.resize(width, 640);
            measure(page, &width.to_string(), &mut wrong);
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    });
}

/// A drawing comes to rest in every window, also where a lower one takes away the scrollbar that made
/// it lower.
#[test]
fn a_drawing_comes_to_rest() {
    Visit::new().at(1230, 640).with_scrollbars().live(|page| {
        for width in (1230..=1290).step_by(6) {
            page.browser.resize(width, 640);
            page.wait("a rest", || {
                let widths = page.js_async(
                    "const done = arguments[0]; const widths = new Set();\
                     const look = frames => {\
                       widths.add(document.querySelector('.fig-draw svg').clientWidth);\
                       frames ? requestAnimationFrame(() => look(frames - 1)) : done(widths.size) };\
                     look(8)",
                );
                widths == 1
            });
        }
    });
}

/// A word that was opened stands inside the window, beside its word.
#[test]
fn words_open_inside_the_window() {
    for width in [320, 768, 1280] {
        Visit::new().at(width, 700).live(|page| {
            for word in ["record", "topic", "partition"] {
                page.click(&format!("[popovertarget=term-{word}]"));
                let card = format!("#term-{word}:popover-open");
                page.wait("the word", || page.exists(&card));
                let script = "const box = document.querySelector(arguments[0]).getBoundingClientRect();\
                     return box.left >= 0 && box.top >= 0 && box.right <= innerWidth\
                       && box.bottom <= innerHeight && box.width > 100";
                let inside = page.js_with(script, &[card.into()]);
                assert_eq!(inside, true, "{word} at {width} px");
                if word == "topic" {
                    page.picture(&format!("shots/word-{width}-16px-light.png"), false);
                }
                page.press(key::ESCAPE);
            }
        });
    }
}
