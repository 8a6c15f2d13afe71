//! The text twin and the live region: what the drawing shows, for whoever does not see it.

use crate::browser::Visit;
use crate::page::Page;
use crate::replay::watch_announcements;

/// The table's records, as `0/2 A PARCEL_COLLECTED`.
fn records(page: &Page) -> Vec<String> {
    page.texts_of(
        "return [...document.querySelectorAll('[data-island=figure] .twin tbody tr')].map(row => [...row.cells]\
           .map(cell => cell.textContent))\
         .filter(cells => cells.length > 5)\
         .map(cells => `${cells[0]}/${cells[1]} ${cells[2].split(' ')[0]} ${cells[3]}`)",
    )
}

/// Who reads on where, as `0/1 billing`.
fn readers(page: &Page) -> Vec<String> {
    page.texts_of(
        "return [...document.querySelectorAll('[data-island=figure] .twin tbody tr')].map(row => [row.cells[0],\
           row.cells[1], row.cells[row.cells.length - 2]].map(cell => cell.textContent))\
         .filter(cells => cells[2]).map(cells => `${cells[0]}/${cells[1]} ${cells[2]}`)",
    )
}

/// The table holds the records of the drawing at every step, with their places, letters and values.
#[test]
fn the_table_keeps_step() {
    Visit::new().live(|page| {
        page.click(".twin summary");
        for step in [0, 1, 2, 3, 4, 5, 6, 2] {
            page.seek(step);
            assert_eq!(records(page), page.cells(), "step {step}");
            assert_eq!(records(page).len(), step);
            let next = page.texts_of(
                "return [...document.querySelectorAll('[data-island=figure] .twin td[colspan]')]\
                 .map(cell => cell.textContent)",
            );
            assert_eq!(next, ["where the next record goes"; 3], "one for each partition");
        }
        assert!(page.exists(".twin[open]"), "it stays open through all of it");
        page.click_button("Replay the six with librdkafka");
        page.wait_for_the_end();
        assert_eq!(records(page), page.cells());
    });
}

/// The table shows the readers where the drawing shows their marks.
#[test]
fn the_table_shows_readers() {
    Visit::new().live(|page| {
        page.click_button("Let analytics read everything");
        page.wait("analytics", || readers(page) == ["0/3 analytics"]);
        page.click_button("Let billing read one record");
        page.wait("billing", || readers(page) == ["0/1 billing", "0/3 analytics"]);
    });
}

/// Numbers end where the heads of their columns end, so that they can be read down the column.
#[test]
fn offsets_stand_one_under_the_other() {
    Visit::new().live(|page| {
        page.click(".twin summary");
        let spread = page.js(
            "const end = cell => { const range = document.createRange();\
               range.selectNodeContents(cell); return range.getBoundingClientRect().right };\
             return [0, 1].map(column => {\
               const ends = [...document.querySelectorAll('[data-island=figure] .twin tr')].map(row => end(row.cells[column]));\
               return Math.max(...ends) - Math.min(...ends) })",
        );
        for column in spread.as_array().unwrap() {
            assert!(column.as_f64().unwrap() < 1.0, "partitions and offsets: {spread} px apart");
        }
        let words = page.js(
            "const line = cell => { const range = document.createRange();\
               range.selectNodeContents(cell); return range.getBoundingClientRect().bottom };\
             return [...document.querySelectorAll('[data-island=figure] .twin tbody tr')].map(row =>\
               Math.abs(line(row.cells[0]) - line(row.cells[1])))",
        );
        for row in words.as_array().unwrap() {
            assert!(row.as_f64().unwrap() < 3.0, "a row on two lines: {words}");
        }
    });
}

/// Beside the text the table is seen whole, its last column too.
#[test]
fn the_table_fits_a_figure_beside_the_text() {
    Visit::new().live(|page| {
        page.click(".twin summary");
        page.click_button("Let analytics read everything");
        page.wait("analytics", || readers(page) == ["0/3 analytics"]);
        let wider = page.js("const box = document.querySelector('.twin-scroll');\
             return box.scrollWidth - box.clientWidth");
        assert_eq!(wider, 0, "px too wide");
    });
}

/// The table carries the drawing's action: its button asks why.
#[test]
fn the_table_asks_why() {
    Visit::new().live(|page| {
        page.click(".twin summary");
        page.click(".twin [data-cell='2:0']");
        page.wait("the arithmetic", || page.sum().starts_with("\"locker-9\""));
        assert!(page.exists(".hw-chosen[data-cell='2:0']"));
        let why = "Why is there a record in partition 2 at offset 0?";
        assert_eq!(page.focused(), why, "the button keeps the focus");
    });
}

/// There is one polite live region; each step of the reader says exactly one sentence, the one above
/// the drawing.
#[test]
fn one_sentence_a_step() {
    Visit::new().live(|page| {
        assert_eq!(page.count("[data-island=figure] .fig > [role=status]"), 1);
        watch_announcements(page);
        let steps = ["step", "step", "back", "back", "back"];
        for (number, step) in (1..).zip(steps) {
            page.transport(step);
            page.wait("a sentence", || page.js("return window.said.length") == number);
            let said = page.texts_of("return window.said");
            assert_eq!(said.last(), Some(&page.say()));
            assert_eq!(page.say().matches(". ").count(), 0, "one sentence: {}", page.say());
        }
    });
}

/// A figure that plays is silent until its end.
#[test]
fn silent_while_playing() {
    Visit::new().live(|page| {
        page.seek(0);
        watch_announcements(page);
        page.transport("play");
        page.wait("the last but one step", || page.time() == "step 5 of 6");
        let said = page.texts_of("return window.said");
        assert!(said.len() <= 1, "only the press itself may say something: {said:?}");
        page.wait_for_the_end();
        let said = page.texts_of("return window.said");
        let last = "locker-2 hashes to partition 1; its record is now offset 1 there.";
        assert_eq!(said.last().map(String::as_str), Some(last));
        assert!(said.len() <= 2, "a flood: {said:?}");
    });
}

/// An answer is said once: by the question's verdict or by the figure, not by both.
#[test]
fn an_answer_is_said_once() {
    Visit::new().live(|page| {
        page.js(
            "window.said = []; for (const region of document.querySelectorAll(':is([data-island=figure], [data-island=quiz]) [role=status]'))\
               new MutationObserver(() => { if (region.textContent) window.said.push(region.textContent) })\
               .observe(region, { childList: true, characterData: true, subtree: true })",
        );
        page.click("[data-quiz=fifth-record] input[value=partition-0]");
        page.wait("Run it to wake up", || {
            page.exists("[data-quiz=fifth-record] [data-quiz-run]:not(:disabled)")
        });
        page.click("[data-quiz=fifth-record] [data-quiz-run]");
        page.wait("something to be said", || page.js("return window.said.length > 0") == true);
        page.next_frame();
        let said = page.texts_of("return window.said");
        assert_eq!(said.len(), 1, "said twice: {said:#?}");
    });
}
