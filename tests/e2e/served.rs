//! The page under any path, from the cache, and at any width of the window.

use serde_json::json;

use crate::browser::{Visit, serve, site};
use crate::page::{Page, key};

/// Everything that a recording visit has asked for was found, below that path; how many files.
#[track_caller]
pub(crate) fn found_below(page: &Page, path: &str) -> usize {
    let mut found = 0;
    for response in page.browser.recorded("Network.responseReceived") {
        let (url, status) = (&response["response"]["url"], &response["response"]["status"]);
        let url = url.as_str().unwrap_or_default();
        // A new browser shows an empty page of its own first.
        if url.starts_with("http") {
            assert_eq!(status, &json!(200), "{url}");
            assert!(url.contains(path), "{url}");
            found += 1;
        }
    }
    found
}

/// Under a path of a host everything loads, and every address in the page is relative.
#[test]
fn under_a_path() {
    let server = serve(|options| options.base = "/course/kafka".to_owned());
    Visit::new().recording().run(|page| {
        page.open(&server.url());
        page.wait_until_live();
        page.transport("step");
        page.wait("a step", || page.time() == "step 5 of 6");
        let bad = page.texts_of(
            "return [...document.querySelectorAll('*:not(a[href^=\"https:\"])')].flatMap(element => \
               ['href', 'src', 'data-js', 'data-wasm', 'action', 'srcset'].map(name => element.getAttribute(name)))\
             .filter(address => address && /^(\\/|[a-z]+:)/i.test(address))",
        );
        assert!(bad.is_empty(), "not relative: {bad:?}");
        found_below(page, "/course/kafka/");
    });
}

/// A second visit works from what the browser has kept, and so does going back to the page.
#[test]
fn again_from_the_cache() {
    Visit::new().run(|page| {
        for _ in 0..3 {
            page.open(&site());
            page.wait_until_live();
        }
        page.transport("step");
        page.wait("a step", || page.time() == "step 5 of 6");
        page.open("about:blank");
        page.browser.done("back", async |client| client.back().await);
        page.wait_until_live();
        page.transport("back");
        page.wait("the figure to answer", || page.time().starts_with("step "));
    });
}

/// The page adds nothing to the history, and a fragment leads to a heading.
#[test]
fn adds_no_history() {
    Visit::new().live(|page| {
        let before = page.js("return history.length");
        page.transport("step");
        page.open_terminal();
        page.run("echo hello");
        page.press(key::ESCAPE);
        page.click_button("Replay the six with librdkafka");
        page.wait_for_the_end();
        assert_eq!(page.js("return history.length"), before);
        assert_eq!(page.js("return location.search + location.hash"), "");
    });
}

/// When the window changes, the drawing follows its room; what the reader did stays.
#[test]
fn follows_the_window() {
    Visit::new().live(|page| {
        page.transport("step");
        page.wait("a step", || page.time() == "step 5 of 6");
        for width in [320, 1000, 600, 1280] {
            page.browser.resize(width, 800);
            page.wait("the drawing to fill its room", || {
                page.js(
                    "const draw = document.querySelector('.fig-draw');\
                     return Math.abs(draw.clientWidth - draw.querySelector('svg').getBoundingClientRect().width) <= 1",
                ) == true
            });
            assert_eq!((page.time().as_str(), page.cells().len()), ("step 5 of 6", 5));
        }
    });
}
