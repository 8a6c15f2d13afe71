//! The pages of a situation and of a challenge: complete without an engine, live with it, and a press away from the Lab.

use serde_json::json;

use crate::browser::{Visit, site};
use crate::page::Page;

const WIDTHS: [u32; 2] = [320, 1280];

fn fits(page: &Page) {
    assert_eq!(page.js("return document.documentElement.scrollWidth <= innerWidth"), true);
}

/// The link opens the Lab with this beginning.
fn leads_to_the_lab(page: &Page, id: &str, title: &str) {
    page.click(&format!("a[href$='lab/#start={id}']"));
    page.wait("the Lab", || page.exists(".lab-side-title"));
    page.wait("its beginning", || page.text(".lab-side-title") == title);
}

/// The picture that others show beside a link is there, as large as they want it.
fn has_a_picture(page: &Page) {
    let size = page.js_async(
        "const done = arguments[0];\
         const address = document.querySelector('meta[property=\"og:image\"]').content;\
         fetch(new URL(address, document.baseURI)).then(answer => answer.blob()).then(createImageBitmap)\
           .then(picture => done([picture.width, picture.height]), error => done(`${error}`))",
    );
    assert_eq!(size, json!([1200, 630]));
}

/// A situation's figure is live, and its step is told.
#[test]
fn a_situation() {
    for width in WIDTHS {
        Visit::new().at(width, 800).run(|page| {
            page.open(&format!("{}situations/leader-crash/", site()));
            fits(page);
            assert_eq!(page.text("h1"), "A leader crashes");
            page.js("document.querySelector('.island').scrollIntoView({ block: 'nearest' })");
            let live = ".bar [data-do=forward]:not(:disabled)";
            page.wait("the figure to be live", || page.exists(live));
            let (before, said) = (page.time(), page.say());
            page.click(live);
            page.wait("a step", || page.time() != before && page.say() != said);
            assert!(page.text(".exhibit-watch").contains("The leader of parcel-events-0"));
            fits(page);
            has_a_picture(page);
            page.picture(&format!("shots/situation-{width}-light.png"), true);
            leads_to_the_lab(page, "leader-crash", "A leader crashes");
        });
    }
}

/// A challenge says what is asked; no engine is fetched for that.
#[test]
fn a_challenge() {
    for width in WIDTHS {
        Visit::new().at(width, 800).run(|page| {
            page.open(&format!("{}challenges/read-twice/", site()));
            fits(page);
            assert!(page.text("main").contains("The best known solution has 2 commands."));
            assert_eq!(page.engine(), "idle");
            has_a_picture(page);
            page.picture(&format!("shots/challenge-{width}-light.png"), true);
            leads_to_the_lab(page, "read-twice", "Let a group get a record twice");
        });
    }
}

/// From a lesson to the list, to a situation and back to the course, all without scripts.
#[test]
fn the_ways_need_no_script() {
    Visit::new().without_script().run(|page| {
        page.open(&site());
        page.click("a[href$='situations/']");
        page.click("a[href$='situations/hot-key/']");
        assert_eq!(page.text("h1"), "One hot key");
        assert!(page.text(".fig-draw").contains("billing"), "the figure's first frame");
        page.click("nav.ways a");
        assert!(page.text(".kicker").starts_with("Lesson 1"));
    });
}
