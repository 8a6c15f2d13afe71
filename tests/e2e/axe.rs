//! axe-core finds nothing in any state of the page, in both themes, on a phone and on a desk.

use std::fs;

use serde_json::{Value, json};

use crate::browser::{Visit, serve, site};
use crate::driver::from_env;
use crate::page::Page;
use crate::panic::panic_now;

/// Runs axe-core and adds what it finds.
pub(crate) fn check(page: &Page, state: &str, found: &mut Vec<String>) {
    if page.js("return !window.axe") == true {
        let source = fs::read_to_string(from_env("HIGHWATER_AXE")).expect("axe-core can be read");
        let source = json!({ "expression": source });
        page.browser.cdp("Runtime.evaluate", &source);
    }
    page.wait("motion to end", || page.js("return document.getAnimations().length") == 0);
    // As axe-core itself does by default: rules that are still experiments are left out.
    let script = "const done = arguments[arguments.length - 1];\
        const rules = Object.fromEntries(window.axe.getRules(['experimental'])\
          .map(rule => [rule.ruleId, { enabled: false }]));\
        window.axe.run(document, {\
          runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],\
          rules: { ...rules, 'target-size': { enabled: true } },\
          resultTypes: ['violations'],\
        }).then(result => done(result.violations.flatMap(rule => rule.nodes.map(node =>\
          `${rule.id} (${rule.impact}): ${node.target.join(' ')}: ${node.failureSummary}`))),\
          error => done([`axe failed: ${error}`]))";
    let result = page.js_async(script);
    let violations = result.as_array().cloned().unwrap_or_else(|| vec![result]);
    for violation in violations.iter().filter_map(Value::as_str) {
        // Once is enough: the first state in which it was seen.
        if !found.iter().any(|known| known.ends_with(violation)) {
            found.push(format!("{state}: {violation}"));
        }
    }
}

/// The page as it is used.
fn in_use(width: u32, theme: &'static str) {
    Visit::new().at(width, 800).theme(theme).live(|page| {
        let mut found = Vec::new();
        check(page, "first frame", &mut found);
        page.transport("step");
        page.wait("a step", || page.time() == "step 5 of 6");
        page.transport("back");
        page.wait("a step back", || page.time() == "step 4 of 6");
        check(page, "after steps", &mut found);
        page.js("document.querySelector('[popovertarget=term-record]').click()");
        page.wait("a word", || page.exists("#term-record:popover-open"));
        check(page, "a word open", &mut found);
        page.js("document.querySelector('#term-record').hidePopover()");
        page.click("[data-quiz=fifth-record] input[value=partition-2]");
        page.wait("Run it to wake up", || {
            page.exists("[data-quiz=fifth-record] [data-quiz-run]:not(:disabled)")
        });
        page.click("[data-quiz=fifth-record] [data-quiz-run]");
        page.wait("a verdict", || !page.text(".quiz-verdict").is_empty());
        check(page, "answered", &mut found);
        page.click_button("Let analytics read everything");
        page.click_button("Let billing read one record");
        page.wait("readers", || page.readers().len() == 2);
        check(page, "readers", &mut found);
        page.js("document.querySelector('.twin').open = true");
        check(page, "table open", &mut found);
        page.open_terminal();
        page.run("kafka-topics.sh --bootstrap-server localhost:9092 --describe");
        page.run("no-such-command");
        check(page, "terminal open", &mut found);
        assert!(found.is_empty(), "{width} px, {theme}: {found:#?}");
    });
}

/// On a desk, light.
#[test]
fn desk_light() {
    in_use(1280, "light");
}

/// On a desk, dark.
#[test]
fn desk_dark() {
    in_use(1280, "dark");
}

/// On a phone, light.
#[test]
fn phone_light() {
    in_use(320, "light");
}

/// On a phone, dark.
#[test]
fn phone_dark() {
    in_use(320, "dark");
}

/// The looks of the page when its engine could not load, or is still on its way.
#[test]
fn without_an_engine() {
    let server = serve(|options| options.without_wasm = true);
    for (width, theme) in [(1280, "light"), (1280, "dark"), (320, "light"), (320, "dark")] {
        Visit::new().at(width, 800).theme(theme).expecting("404").run(|page| {
            let mut found = Vec::new();
            page.open(&server.url());
            page.wait("the failure", || page.engine() == "failed");
            check(page, "engine failed", &mut found);
            assert!(found.is_empty(), "{width} px, {theme}: {found:#?}");
        });
        Visit::new().at(width, 800).theme(theme).run(|page| {
            let mut found = Vec::new();
            let held = json!({ "patterns": [{ "urlPattern": "*.wasm" }] });
            page.browser.cdp("Fetch.enable", &held);
            page.open(&site());
            page.wait("the engine to be on its way", || page.engine() == "loading");
            check(page, "engine loading", &mut found);
            assert!(found.is_empty(), "{width} px, {theme}: {found:#?}");
        });
    }
}

/// The panel after a panic.
#[test]
fn panel() {
    for (width, theme) in [(1280, "light"), (1280, "dark"), (320, "light"), (320, "dark")] {
        Visit::new().at(width, 800).theme(theme).live(|page| {
            let mut found = Vec::new();
            page.open_terminal();
            page.run("echo mine");
            panic_now(page);
            check(page, "panic panel", &mut found);
            page.picture(&format!("shots/panel-{width}-{theme}.png"), false);
            assert!(found.is_empty(), "{width} px, {theme}: {found:#?}");
        });
    }
}
