//! A panic of the engine: a readable panel with what the reader wrote, and a restart that works.

use serde_json::json;

use crate::browser::Visit;
use crate::page::{Page, key};
use crate::puzzle::{JAVA, by_lane};

/// Makes the engine panic. The trap goes to whoever called, and the page must show the panel by then.
pub(crate) fn panic_now(page: &Page) {
    let trapped = page.js(
        "try { window.highwater.provoke_panic(); return 'nothing' } catch (error) { return error.name }",
    );
    assert_eq!(trapped, "RuntimeError", "a panic traps");
    page.wait("the panel", || page.engine() == "panicked" && page.exists(".panel"));
}

/// The panel says what happened and keeps what the reader wrote.
#[test]
fn a_panel_takes_the_figures_place() {
    Visit::new().live(|page| {
        page.open_terminal();
        page.run("echo first of mine");
        page.run("hw produce --topic parcel-events --key locker-4 --value MINE");
        panic_now(page);
        assert_eq!(page.text(".panel-title"), "The simulator has stopped");
        assert!(page.text(".panel-cause").starts_with("a panic on purpose"));
        let commands = page.text(".panel-commands");
        assert!(commands.contains("echo first of mine\nhw produce"), "{commands}");
        assert_eq!(page.attribute(".panel", "role"), "alert");
        assert!(!page.exists("[data-island=figure] .bar"), "no dead controls");
        assert!(page.text("main").contains("A key leads to one partition."), "the words stay");
        assert_eq!(page.count("button[data-action]:not(:disabled)"), 0);
        page.picture("shots/panic-1280-light.png", false);
    });
}

/// Without commands of the reader's own the panel says so.
#[test]
fn a_panel_without_commands() {
    Visit::new().live(|page| {
        panic_now(page);
        assert!(!page.exists(".panel-commands"));
        assert!(page.text(".panel").contains("You had not written any commands"));
    });
}

/// Whoever was in the figure is taken to the panel; whoever was elsewhere is not moved.
#[test]
fn focus_goes_to_the_panel_only_from_the_figure() {
    Visit::new().live(|page| {
        page.focus("[data-do=step]");
        panic_now(page);
        assert_eq!(page.js("return document.activeElement.className"), "fig panel");
    });
    Visit::new().live(|page| {
        page.focus("[popovertarget=term-record]");
        panic_now(page);
        assert_eq!(page.focused(), "record");
    });
}

/// Restart, by keyboard, brings back the first picture and an engine that works: figure, questions
/// and the buttons in the text. It can be done again.
#[test]
fn restart_brings_it_back() {
    Visit::new().live(|page| {
        page.transport("step");
        for _ in 0..2 {
            panic_now(page);
            page.focus(".panel .btn-primary");
            page.press(key::ENTER);
            page.wait_until_live();
            assert_eq!(page.cells(), by_lane(&JAVA[..4]), "the first picture");
            assert_eq!(page.js("return document.activeElement.dataset.island"), json!("figure"));
            page.transport("step");
            page.wait("a step", || page.time() == "step 5 of 6");
            assert_eq!(page.fresh(), [JAVA[4]]);
        }
        page.click("[data-quiz=fifth-record] input[value=partition-0]");
        page.wait("Run it to wake up", || {
            page.exists("[data-quiz=fifth-record] [data-quiz-run]:not(:disabled)")
        });
        page.click_button("Let billing read one record");
        page.wait("a reader", || page.readers().len() == 1);
    });
}

/// A panic while the figure plays stops it; no timer calls the dead engine.
#[test]
fn a_panic_while_playing() {
    Visit::new().live(|page| {
        page.seek(0);
        page.transport("play");
        panic_now(page);
        page.stays("the panel", 1_500, || page.exists(".panel") && page.engine() == "panicked");
        page.browser.resize(900, 700);
        page.stays("the panel, also when the window changes", 300, || page.exists(".panel"));
    });
}

/// A trap that never reaches the panic hook, such as an overflown stack, shows the panel too.
#[test]
fn a_trap_without_a_message() {
    Visit::new().live(|page| {
        // As the browser tells it; an error thrown by a test's own script hides its kind.
        page.js("const error = new WebAssembly.RuntimeError('stack overflown');\
             dispatchEvent(new ErrorEvent('error', { error }))");
        page.wait("the panel", || page.text(".panel-cause") == "stack overflown");
    });
}
