//! The Lab's page around the Lab: where it is, what it may do, what it says when its engine is not there.

use crate::axe::check;
use crate::browser::{Visit, dist, serve, site};
use crate::look::measure;
use crate::page::{Page, key};
use crate::panic::panic_now;
use crate::security::{POLICY, inline};
use crate::served::found_below;

/// The address of the Lab on a server.
fn lab(site: &str) -> String {
    format!("{site}lab/")
}

/// Opens the Lab and waits until it stands.
fn open(page: &Page, url: &str) {
    page.open(url);
    wait_until_live(page);
}

fn wait_until_live(page: &Page) {
    page.wait("the Lab to run", || {
        page.engine() == "running" && page.exists("[data-island=lab] > :not(.lab-wait)")
    });
}

/// Every look of the page, in both themes, on a phone and on a desk.
fn looks(look: impl Fn(u32, &'static str, Visit)) {
    for (width, theme) in [(1280, "light"), (1280, "dark"), (320, "light"), (320, "dark")] {
        look(width, theme, Visit::new().at(width, 800).theme(theme));
    }
}

/// From the lesson to the Lab and back, by the links of the header; the skip link leads into the Lab.
#[test]
fn is_found() {
    Visit::new().run(|page| {
        page.open(&site());
        page.click(".top-nav a[href='./lab/']");
        wait_until_live(page);
        assert_eq!(page.js("return location.pathname"), "/lab/");
        assert_eq!(page.js("return document.title"), "The Lab \u{b7} Highwater");
        assert_eq!(page.text(".top-nav [aria-current=page]"), "Lab");
        assert_eq!(page.count("main h1"), 1);
        page.press(&[key::TAB, key::ENTER].concat());
        assert_eq!(page.js("return document.activeElement.id"), "lab");
        page.click(".top-nav a:not([aria-current])");
        page.wait("the lesson", || page.exists(".lesson"));
        assert_eq!(page.js("return location.pathname"), "/");
    });
}

/// The policy is that of a lesson, nothing is inline, and nobody else is asked for anything.
#[test]
fn does_no_more_than_a_lesson() {
    Visit::new().recording().run(|page| {
        open(page, &lab(&site()));
        let selector = "meta[http-equiv=Content-Security-Policy]";
        assert_eq!(page.attribute(selector, "content"), POLICY);
        assert!(inline(page).is_empty(), "{:#?}", inline(page));
        let mut urls: Vec<String> = Vec::new();
        for request in page.browser.recorded("Network.requestWillBeSent") {
            let url = request["request"]["url"].as_str().unwrap_or_default();
            assert!(url.starts_with(&site()), "asked elsewhere: {url}");
            assert!(!urls.iter().any(|known| known == url), "asked for twice: {url}");
            assert!(!url.contains("reader-"), "the engine of a lesson: {url}");
            urls.push(url.to_owned());
        }
        assert!(urls.iter().any(|url| url.ends_with(".wasm")), "{urls:?}");
    });
}

/// Under a path of a host everything loads, and every address in the page is relative.
#[test]
fn under_a_path() {
    let server = serve(|options| options.base = "/course/kafka".to_owned());
    Visit::new().recording().run(|page| {
        open(page, &lab(&server.url()));
        let bad = page.texts_of(
            "return [...document.querySelectorAll('*')].flatMap(element => \
               ['href', 'src', 'data-js', 'data-wasm'].map(name => element.getAttribute(name)))\
             .filter(address => address && /^(\\/|[a-z]+:)/i.test(address))",
        );
        assert!(bad.is_empty(), "not relative: {bad:?}");
        found_below(page, "/course/kafka/");
    });
}

/// The words that are there before the engine, and instead of it.
fn says_what_it_is(page: &Page) {
    assert!(page.text(".lab-wait .fig-say").starts_with("A whole Kafka cluster, in this page."));
    assert_eq!(page.attribute(".lab-wait [data-engine-status]", "role"), "status");
    assert_eq!(page.count("main button, main input"), 0, "nothing pretends to work");
}

fn status(page: &Page) -> String {
    page.text("[data-engine-status]")
}

/// Opened from a file it is styled, and says how to open it.
#[test]
fn from_a_file() {
    Visit::new().run(|page| {
        page.open(&format!("file://{}/lab/index.html", dist().display()));
        page.wait("the failure", || page.engine() == "failed");
        let expected = "The simulator could not load (a page opened from a file may not load it). \
                        Without it there is nothing to play with here; the lessons have words and \
                        pictures of their own. Open this page through a web server, for example \
                        `cargo xtask serve`.";
        assert_eq!(status(page), expected);
        says_what_it_is(page);
        let styled =
            page.js("return getComputedStyle(document.querySelector('.fig')).borderTopWidth");
        assert_eq!(styled, "1px", "the style sheet has loaded");
    });
}

/// Without JavaScript, and without the wasm file, it says so.
#[test]
fn without_its_engine() {
    Visit::new().without_script().run(|page| {
        page.open(&lab(&site()));
        says_what_it_is(page);
        assert!(status(page).ends_with("It needs JavaScript, which is off here."));
    });
    let server = serve(|options| options.without_wasm = true);
    looks(|width, theme, visit| {
        visit.expecting("404").run(|page| {
            page.open(&lab(&server.url()));
            page.wait("the failure", || page.engine() == "failed");
            assert!(status(page).contains("(the server answered 404 for a part of it)"));
            says_what_it_is(page);
            let (mut found, mut wrong) = (Vec::new(), Vec::new());
            check(page, "engine failed", &mut found);
            measure(page, "engine failed", &mut wrong);
            page.picture(&format!("shots/lab-failed-{width}-{theme}.png"), false);
            assert!(
                found.is_empty() && wrong.is_empty(),
                "{width}, {theme}: {found:#?} {wrong:#?}"
            );
        });
    });
}

/// When the engine stops, the panel shows the commands so far; Restart opens the Lab again, as often as it
/// is needed, and what happens to the page meanwhile does not reach the engine that has stopped.
#[test]
fn a_panic() {
    looks(|width, theme, visit| {
        visit.run(|page| {
            open(page, &lab(&site()));
            for command in ["echo mine", "echo again"] {
                page.focus(".tty-input");
                page.press(&[command, key::ENTER].concat());
                page.wait("the line to be run", || page.prompt_text().is_empty());
                panic_now(page);
                assert_eq!(page.js("return document.activeElement.className"), "fig panel");
                assert_eq!(page.attribute(".panel", "aria-label"), "The Lab");
                let commands = page.text(".panel-commands");
                assert!(commands.ends_with(command), "{commands}");
                assert!(page.text(".panel").contains("Restart opens the Lab again."));
                page.js("location.hash = 'elsewhere'; document.dispatchEvent(new Event('visibilitychange'))");
                page.browser.resize(width - 10, 700);
                page.stays("the panel", 300, || page.exists(".panel") && page.engine() == "panicked");
                page.browser.resize(width, 800);
                page.focus(".panel .btn-primary");
                let mut found = Vec::new();
                check(page, "panel", &mut found);
                assert!(found.is_empty(), "{width}, {theme}: {found:#?}");
                page.press(key::ENTER);
                wait_until_live(page);
                assert_eq!(page.js("return document.activeElement.dataset.island"), "lab");
                page.js("location.hash = 'again'; document.dispatchEvent(new Event('visibilitychange'))");
                page.browser.resize(width - 10, 700);
                page.stays("the Lab", 300, || page.engine() == "running" && !page.exists(".panel"));
                page.browser.resize(width, 800);
            }
        });
    });
}

/// axe-core finds nothing on the page as it opens, and nothing is cut off or too small.
#[test]
fn as_it_opens() {
    looks(|width, theme, visit| {
        visit.run(|page| {
            open(page, &lab(&site()));
            let (mut found, mut wrong) = (Vec::new(), Vec::new());
            check(page, "open", &mut found);
            measure(page, "open", &mut wrong);
            page.picture(&format!("shots/lab-open-{width}-{theme}.png"), false);
            assert!(
                found.is_empty() && wrong.is_empty(),
                "{width}, {theme}: {found:#?} {wrong:#?}"
            );
        });
    });
}
