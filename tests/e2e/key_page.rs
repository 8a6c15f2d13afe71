//! The page about one key.

use crate::axe;
use crate::browser::{Visit, site};
use crate::look;
use crate::page::{Page, key};

fn url(fragment: &str) -> String {
    format!("{}key/{fragment}", site())
}

#[track_caller]
fn awake(page: &Page) {
    page.wait("the program to run", || {
        page.engine() == "running" && page.exists("[data-ask-field=key]:not([readonly])")
    });
}

/// The partitions by client.
#[track_caller]
fn places(page: &Page) -> Vec<String> {
    page.texts_of(
        "return [...document.querySelectorAll('.key-table tbody tr')].map(row =>\
           row.querySelector('th').firstChild.textContent.trim() + ' ' + row.querySelector('.key-place').textContent)",
    )
}

/// A key is typed; its link leads to the same page, and says what it contains.
#[test]
fn a_key_and_its_link() {
    Visit::new().run(|page| {
        page.open(&url(""));
        awake(page);
        assert!(page.text(".key-sum").starts_with("murmur2 = 704557963"));
        page.focus("[data-ask-field=key]");
        page.press_with(key::CTRL, "a");
        page.press("locker-2");
        page.wait("its places", || places(page)[..3] == ["java 1", "librdkafka 0", "kafka-go 1"]);
        page.focus("[data-ask-field=partitions]");
        page.press_with(key::CTRL, "a");
        page.press("12");
        page.wait("the link to follow", || {
            page.attribute(".key-link a", "href") == "#key=locker-2&partitions=12"
        });
        let expected = places(page);
        assert!(page.text(".key-link").contains("contains the text that you typed"));
        assert_eq!(page.js("return location.hash"), "", "nothing is put into the address unasked");
        page.open("about:blank");
        page.open(&url("#key=locker-2&partitions=12"));
        awake(page);
        page.wait("the same", || places(page) == expected);
        assert_eq!(
            page.js("return document.querySelector('[data-ask-field=key]').value"),
            "locker-2"
        );
        page.js("location.hash = '#key=%F0%9F%97%9D&partitions=3'");
        page.wait("another link", || {
            page.js("return document.querySelector('[data-ask-field=key]').value") == "\u{1f5dd}"
        });
        page.focus("[data-ask-field=partitions]");
        page.press_with(key::CTRL, "a");
        page.press("0");
        page.wait("a word", || page.text(".key-says").starts_with("Type a number of partitions"));
    });
}

/// On one screen, at every width and in both themes, and in words without a program.
#[test]
fn looks_well() {
    for (width, theme) in [(320, "light"), (320, "dark"), (1280, "light"), (1280, "dark")] {
        Visit::new().at(width, 800).theme(theme).run(|page| {
            let (mut found, mut wrong) = (Vec::new(), Vec::new());
            page.open(&url(""));
            awake(page);
            axe::check(page, "key", &mut found);
            look::measure(page, "key", &mut wrong);
            page.picture(&format!("shots/key-{width}-{theme}.png"), true);
            assert!(found.is_empty(), "{width} px, {theme}: {found:#?}");
            assert!(wrong.is_empty(), "{width} px, {theme}: {wrong:#?}");
            if width == 1280 {
                let high = page.js(
                    "return document.querySelector('.key-link').getBoundingClientRect().bottom",
                );
                assert!(
                    high.as_f64().is_some_and(|high| high <= 800.0),
                    "all on one screen: {high}"
                );
            }
        });
    }
    Visit::new().without_script().run(|page| {
        page.open(&url(""));
        assert_eq!(places(page)[0], "java 1");
    });
}
