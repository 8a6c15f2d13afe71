//! A panic is told to the page, which shows it and offers a restart (`web/static/boot.js`).

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use web_sys::{CustomEvent, CustomEventInit};

/// The event on `window` that boot.js listens for, of a program with figures.
pub const FIGURES: &str = "highwater:panic";
/// The one of the program for questions.
pub const QUESTIONS: &str = "highwater:panic-quiz";

/// Makes every panic known to the page, by an event of this name.
pub fn install(event: &'static str) {
    yew::set_custom_panic_hook(Box::new(move |info| {
        // The site's build leaves out where a panic was (`crates/xtask/src/site.rs`).
        tell(event, info.payload_as_str().unwrap_or("no message"));
    }));
}

fn tell(event: &str, message: &str) {
    let init = CustomEventInit::new();
    init.set_detail(&JsValue::from_str(message));
    if let Some(window) = web_sys::window()
        && let Ok(event) = CustomEvent::new_with_event_init_dict(event, &init)
    {
        // Nobody is left to handle an error here.
        let _ = window.dispatch_event(&event);
    }
}

/// Panics on purpose, so that tests can see what a reader would see then.
///
/// # Panics
/// Always.
#[wasm_bindgen]
pub fn provoke_panic() {
    panic!("a panic on purpose");
}
