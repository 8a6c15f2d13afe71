//! The keyboard alone: where Tab leads, what keys do inside the drawing, and that they do nothing
//! outside of it.

use serde_json::json;

use crate::browser::Visit;
use crate::page::{Page, key};

/// Whether the element with the focus shows it: an outline, or the figure's own frame; and whether it
/// is in the window with nothing over it.
const SHOWN: &str = "const it = document.activeElement; const style = getComputedStyle(it);\
    const outlined = style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2;\
    const host = it.matches('input[type=range], input[type=radio]') ? it.parentElement : it;\
    const box = it.getClientRects()[0] ?? it.getBoundingClientRect();\
    const x = box.x + box.width / 2, y = Math.min(box.y + box.height / 2, box.y + 40);\
    const over = document.elementFromPoint(x, y);\
    const seen = !!over && (it.contains(over) || host.contains(over) || over.contains(it));\
    return [outlined || !!it.querySelector('.hw-cursor'), seen]";

/// Sees that the focus is seen, and that nothing lies over it.
#[track_caller]
pub(crate) fn must_show_focus(page: &Page) {
    let shown = page.js(SHOWN);
    let name = page.focused();
    assert_eq!(shown[0], true, "the focus is not to be seen on {name:?}");
    assert_eq!(shown[1], true, "{name:?} has the focus outside the window, or under something");
}

/// Presses Tab from the skip link, which is called `first`, until it leaves the page; the names of all stops.
#[track_caller]
pub(crate) fn walk(page: &Page, first: &str) -> Vec<String> {
    page.focus(".skip");
    let mut stops = vec![page.focused()];
    for _ in 0..500 {
        page.press(key::TAB);
        let stop = page.focused();
        if stop.is_empty() || stop == first {
            return stops;
        }
        page.next_frame();
        must_show_focus(page);
        stops.push(stop);
    }
    panic!("Tab never leaves the page: {stops:#?}");
}

/// Tab leads through the page in the order of reading; the drawing is one stop; every stop is to be
/// seen.
#[test]
fn tab_leads_through_the_page() {
    Visit::new().live(|page| {
        let stops = walk(page, "Skip to the lesson");
        let first = [
            "Skip to the lesson",
            "Highwater",
            "Learn",
            "Lab",
            "record",
            "topic",
            "partitions",
            "cell 0:0",
            "Step back",
            "Play",
            "Step",
            "Timeline",
            "Terminal",
            "Show as table",
            "radio partition-0",
            "Show me without guessing",
            "Hint",
        ];
        assert_eq!(stops[..first.len()], first);
        let first = stops.iter().take_while(|stop| *stop != "Let billing read one record");
        let cells = first.filter(|stop| stop.starts_with("cell ")).count();
        assert_eq!(cells, 1, "a drawing is one stop: {stops:#?}");
        // The last of a page are its answers: where they are kept.
        assert!(
            stops.last().is_some_and(|stop| stop.starts_with("Clear") || stop.starts_with("Load")),
            "{stops:#?}"
        );
    });
}

/// With terminal and table unfolded, and on a phone's width, Tab is never trapped and always seen.
#[test]
fn tab_is_never_trapped() {
    Visit::new().at(320, 640).live(|page| {
        page.open_terminal();
        page.click(".twin summary");
        let stops = walk(page, "Skip to the lesson");
        for stop in ["Commands and their output", "Command", "Run", "all commands"] {
            assert!(stops.iter().any(|known| known == stop), "{stop:?} is no stop: {stops:#?}");
        }
    });
}

/// Shift and Tab lead back the same way.
#[test]
fn shift_tab_leads_back() {
    Visit::new().live(|page| {
        page.focus("[data-do=back]");
        page.press_with(key::SHIFT, key::TAB);
        assert!(page.focused().starts_with("cell "), "{}", page.focused());
        page.press_with(key::SHIFT, key::TAB);
        assert_eq!(page.focused(), "partitions");
    });
}

/// Arrows, Home and End go from cell to cell, and no further than there are cells.
#[test]
fn arrows_move_between_cells() {
    Visit::new().live(|page| {
        page.seek(6);
        page.focus(".hw-log [tabindex='0']");
        page.press(&key::HOME.repeat(2));
        page.wait("the first cell", || page.focused() == "cell 0:0");
        let walk = [
            (key::RIGHT, "0:1"),
            (key::RIGHT, "0:2"),
            (key::RIGHT, "0:2"),
            (key::DOWN, "1:1"),
            (key::HOME, "1:0"),
            (key::END, "1:1"),
            (key::LEFT, "1:0"),
            (key::LEFT, "1:0"),
            (key::DOWN, "2:0"),
            (key::DOWN, "2:0"),
            (key::UP, "1:0"),
            (key::UP, "0:0"),
            (key::END, "0:2"),
            (key::HOME, "0:0"),
        ];
        for (press, cell) in walk {
            page.press(press);
            page.wait(cell, || page.focused() == format!("cell {cell}"));
            must_show_focus(page);
            let stops = page.count("[data-island=figure] .hw-log [tabindex='0']");
            assert_eq!(stops, 1, "the drawing stays one stop");
        }
        assert_eq!(page.js("return scrollY"), json!(0), "the page does not move under the keys");
    });
}

/// The first arrow key goes on from the cell that Tab has come to.
#[test]
fn the_first_arrow_goes_on_from_the_focus() {
    Visit::new().live(|page| {
        page.seek(6);
        page.focus(".hw-log [tabindex='0']");
        assert_eq!(page.focused(), "cell 0:0");
        page.press(key::DOWN);
        page.wait("the cell below", || page.focused() == "cell 1:0");
    });
}

/// Enter asks why: the arithmetic of the cell; Escape lets go. The cell keeps the focus.
#[test]
fn enter_asks_why_and_escape_lets_go() {
    Visit::new().live(|page| {
        page.focus(".hw-log [tabindex='0']");
        page.press(key::ENTER);
        page.wait("the arithmetic", || page.sum().starts_with("\"locker-7\" → 8 bytes → murmur2"));
        assert!(page.exists(".hw-chosen[data-cell='0:0']"));
        assert_eq!(page.focused(), "cell 0:0");
        page.press(key::ESCAPE);
        page.wait("it to be let go", || !page.exists(".hw-chosen") && page.sum().is_empty());
        assert_eq!(page.focused(), "cell 0:0");
        page.press(key::SPACE);
        page.wait("Space to ask too", || page.exists(".hw-chosen[data-cell='0:0']"));
        assert_eq!(page.js("return scrollY"), json!(0));
    });
}

/// Outside the drawing single keys are the browser's: nothing in the figure moves.
#[test]
fn keys_do_nothing_outside() {
    Visit::new().live(|page| {
        let keys = [key::RIGHT, key::LEFT, key::DOWN, key::END, key::HOME, "s", "p", "k", "1", "?"];
        for place in ["#lesson", "[data-do=back]", "[data-do=terminal]", ".twin summary"] {
            page.focus(place);
            for press in keys {
                page.press(press);
            }
            assert_eq!(page.time(), "step 4 of 6", "{place}");
            let changed = ":is(.hw-cursor, .hw-chosen, .tty)";
            assert!(!page.exists(&format!("[data-island=figure] {changed}")), "{place}");
        }
        page.focus("#lesson");
        page.press(key::END);
        page.wait("End to scroll the page", || page.js("return scrollY > 0") == true);
    });
}

/// The transport by keyboard: Enter and Space press its buttons, and the focus stays there.
#[test]
fn the_transport_by_keyboard() {
    Visit::new().live(|page| {
        page.focus("[data-do=step]");
        page.press(key::ENTER);
        page.wait("a step", || page.time() == "step 5 of 6");
        assert_eq!(page.focused(), "Step");
        page.focus("[data-do=back]");
        page.press(key::SPACE);
        page.wait("a step back", || page.time() == "step 4 of 6");
        assert_eq!(page.focused(), "Step back");
        page.focus("[data-do=step]");
        page.press(&key::ENTER.repeat(2));
        page.wait("the end", || page.time() == "step 6 of 6");
        page.press(key::TAB);
        assert_eq!(page.focused(), "Timeline", "whoever came to the end has not lost the place");
    });
}

/// The skip link leads to the lesson, and Escape closes the word that was opened.
#[test]
fn skip_link_and_terms() {
    Visit::new().live(|page| {
        page.press(key::TAB);
        page.press(key::ENTER);
        page.wait("the lesson", || page.js("return document.activeElement.id") == "lesson");
        page.press(key::TAB);
        assert_eq!(page.focused(), "record");
        page.press(key::ENTER);
        page.wait("the word", || page.exists("#term-record:popover-open"));
        page.press(key::ESCAPE);
        page.wait("it to close", || !page.exists("#term-record:popover-open"));
        assert_eq!(page.focused(), "record");
    });
}

/// The terminal by keyboard: opened with Enter, the prompt has the focus; Tab leaves it.
#[test]
fn the_terminal_by_keyboard() {
    Visit::new().live(|page| {
        page.focus("[data-do=terminal]");
        page.press(key::ENTER);
        page.wait("the prompt", || page.focused() == "Command");
        page.press("echo");
        page.press(key::TAB);
        assert_eq!(page.focused(), "Run");
        page.press(key::ENTER);
        page.wait("the command to run", || page.prompt_text().is_empty());
    });
}
