//! Questions, cards and the page about a key in a real DOM. What a reader does with the built page is tested
//! in tests/e2e.

#[path = "../helpers/mod.rs"]
mod helpers;

use helpers::{click, find, place, text, turn, until};
use highwater_web::quiz::mount;
use wasm_bindgen::JsCast;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{Element, Event, EventInit, HtmlElement, HtmlInputElement};

wasm_bindgen_test_configure!(run_in_browser);

/// The static page of a question of each kind, as the builder has written it.
const PAGE: &str =
    include_str!("../../../crates/highwater-lesson/tests/quiz/golden/everything.html");
const BESIDE: &str = include_str!("../../../crates/highwater-lesson/tests/quiz/golden/beside.html");

fn storage() -> web_sys::Storage {
    web_sys::window().and_then(|window| window.local_storage().ok().flatten()).expect("storage")
}

/// The page, live.
async fn page() -> Element {
    let host = place(&[PAGE, BESIDE].concat());
    mount(&host);
    // Until every island is live.
    for _ in 0..200 {
        let has = |selector: &str| host.query_selector(selector).expect("a selector").is_some();
        if has("[data-ask-do=check]") && has(".quiz-data") && has(".due") && !has("button:disabled")
        {
            return host;
        }
        turn().await;
    }
    panic!("it does not wake up: {}", host.inner_html());
}

fn fire(element: &Element, kind: &str) {
    let init = EventInit::new();
    init.set_bubbles(true);
    let event = Event::new_with_event_init_dict(kind, &init).expect("an event");
    element.dispatch_event(&event).expect("it is heard");
}

/// The first live view is the static one: nothing moves when the program takes over.
#[wasm_bindgen_test]
async fn the_first_view_is_the_static_one() {
    storage().clear().expect("it can be cleared");
    let strip = |host: &Element| {
        for told in ["template", ".quiz-told", ".cards > .quiz-actions", ".quiz-data .quiz-actions"]
        {
            while let Some(found) = host.query_selector(told).expect("a selector") {
                found.remove();
            }
        }
        let html = host.inner_html().replace(" disabled=\"\"", "").replace('\n', "");
        html.replace(" value=\"\"", "")
    };
    let quiet = place(&[PAGE, BESIDE].concat());
    let expected = strip(&quiet);
    let live = page().await;
    assert_eq!(strip(&live), expected);
}

/// Controls keep what the reader has done to them, and the verdict comes into the region that was there.
#[wasm_bindgen_test]
async fn controls_stay() {
    storage().clear().expect("it can be cleared");
    let host = page().await;
    let region = find(&host, "[data-ask='2'] [role=status]");
    let field: HtmlInputElement = find(&host, "[data-ask='2'] input").unchecked_into();
    field.set_value("offset");
    fire(&field, "input");
    click(&host, "[data-ask='2'] [data-ask-do=check]");
    until(&host, "[data-ask='2'] [role=status]", "Right.").await;
    assert!(region.is_connected() && field.is_connected(), "the same elements");
    assert!(field.read_only());
    assert_eq!(region.text_content().as_deref(), Some("Right."));
    // A list of choices shows what was chosen, also after other changes.
    let list: HtmlInputElement = find(&host, "[data-ask='6'] select").unchecked_into();
    list.set_value("1");
    fire(&list, "change");
    turn().await;
    click(&host, "[data-ask='0'] [data-ask-do=show]");
    until(&host, "[data-ask='0'] [role=status]", "Here").await;
    assert_eq!(list.value(), "1");
    assert!(list.is_connected());
}

/// An item that moves takes the focus along.
#[wasm_bindgen_test]
async fn the_focus_moves_with_an_item() {
    let host = page().await;
    let name = text(&host, "[data-ask='5'] .quiz-item:nth-child(2) .quiz-item-text");
    let up = find(&host, "[data-ask='5'] .quiz-item:nth-child(2) [data-ask-do=up]");
    up.unchecked_ref::<HtmlElement>().focus().expect("it takes the focus");
    click(&host, "[data-ask='5'] .quiz-item:nth-child(2) [data-ask-do=up]");
    until(&host, "[data-ask='5'] .quiz-item:nth-child(1) .quiz-item-text", &name).await;
    turn().await;
    let focused = web_sys::window().and_then(|it| it.document()?.active_element()).expect("focus");
    let shown =
        [focused.outer_html(), find(&host, "[data-ask='5'] .quiz-order").outer_html()].concat();
    assert_eq!(
        focused.get_attribute("aria-label").as_deref(),
        Some("Move up, now 1 of 4"),
        "{shown}"
    );
    assert!(host.contains(Some(&focused)));
}

/// An island that is damaged, or that nobody knows, stays as it is, and the others live.
#[wasm_bindgen_test]
async fn what_is_damaged_stays_static() {
    let broken = PAGE.replacen("data-k=\"kind\"", "data-k=\"knid\"", 1);
    let host = place(&[&broken, BESIDE, "<div data-island=\"unknown\"><p>mine</p></div>"].concat());
    mount(&host);
    until(&host, ".cards a[download]", "Export to Anki").await;
    assert!(find(&host, "[data-ask='0'] [data-ask-do=check]").has_attribute("disabled"));
    assert_eq!(text(&host, "[data-island=unknown]"), "mine");
}
