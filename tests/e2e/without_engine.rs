//! Without its engine the page keeps its words and first pictures, and says what is wrong.

use crate::browser::{Visit, dist, serve, site};
use crate::page::{Page, key};
use crate::puzzle::{JAVA, by_lane};

/// The words, the first picture and the table are there; no control pretends to work.
fn is_complete(page: &Page) {
    assert_eq!(page.cells(), by_lane(&JAVA[..4]));
    assert_eq!(page.say(), "Next: A is collected. Where will this record go?");
    assert_eq!(page.time(), "step 4 of 6");
    assert!(page.count("main h2") >= 4 && page.count("main p") > 20, "the words are there");
    assert_eq!(page.count(".bar button:not(:disabled), .bar input:not(:disabled)"), 0);
    assert_eq!(page.count("[data-action]:is(button):not(:disabled)"), 0);
    assert_eq!(page.count(".quiz-actions button:not(:disabled)"), 0);
    page.click(".twin summary");
    assert!(page.text(".twin[open] table").contains("PARCEL_DROPPED"));
    page.click("[data-quiz=fifth-record] .quiz-hint summary");
    assert!(page.exists("[data-quiz=fifth-record] .quiz-hint[open]"));
    page.click("[popovertarget=term-record]");
    page.wait("a word to open", || page.exists("#term-record:popover-open"));
    page.press(key::ESCAPE);
}

fn status(page: &Page) -> String {
    page.text("[data-engine-status]")
}

/// A server without the wasm file: cause and remedy in a sentence.
#[test]
fn wasm_not_found() {
    let server = serve(|options| options.without_wasm = true);
    Visit::new().expecting("404").run(|page| {
        page.open(&server.url());
        page.wait("the failure", || page.engine() == "failed");
        let expected = "The simulator could not load (the server answered 404 for a part of it). The \
                        text and this picture are complete without it. Reload to try again.";
        assert_eq!(status(page), expected);
        assert_eq!(page.attribute("[data-engine-status]", "role"), "status");
        is_complete(page);
        page.picture("shots/failed-1280-light.png", false);
    });
}

/// Opened from a file: the page is whole, styled, and says how to open it.
#[test]
fn from_a_file() {
    Visit::new().run(|page| {
        page.open(&format!("file://{}/index.html", dist().display()));
        page.wait("the failure", || page.engine() == "failed");
        let expected = "The simulator could not load (a page opened from a file may not load it). The \
                        text and this picture are complete without it. Open this page through a web \
                        server, for example `cargo xtask serve`.";
        assert_eq!(status(page), expected);
        is_complete(page);
        let styled = page.js("return getComputedStyle(document.querySelector('.fig')).borderTopWidth");
        assert_eq!(styled, "1px", "the style sheet has loaded");
        page.picture("shots/file-1280-light.png", false);
    });
}

/// With JavaScript off: the same, with a sentence about JavaScript.
#[test]
fn without_script() {
    Visit::new().without_script().run(|page| {
        page.open(&site());
        is_complete(page);
        assert_eq!(page.engine(), "idle");
        let says = status(page);
        assert!(says.ends_with("It needs JavaScript, which is off here."), "{says}");
        page.picture("shots/no-script-1280-light.png", false);
    });
}

/// Loading stays possible: once the file is there, a reload brings the engine.
#[test]
fn a_reload_brings_it() {
    let broken = serve(|options| options.without_wasm = true);
    Visit::new().expecting("404").run(|page| {
        page.open(&broken.url());
        page.wait("the failure", || page.engine() == "failed");
        page.open(&site());
        page.wait_until_live();
    });
}
