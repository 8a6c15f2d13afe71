//! What the page does when the Lab wishes it.

use highwater_lab::{Heard, Wish};
use highwater_web::lab::mount_into;
use js_sys::Promise;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::wasm_bindgen_test;

use crate::helpers::{click, find, place, text};
use crate::stand_in::{Shared, StandIn, field, heard, js, open, settle, wait, wish};

/// Focus, scrolling and filling happen after the drawing; what a reader has typed stays when it is drawn
/// again, and a list of choices shows what the tree says.
#[wasm_bindgen_test]
async fn wishes_about_elements() {
    let (host, told) = open().await;
    js("it.style.cssText = 'height: 2em; overflow: auto'", &find(&host, ".log"));
    field(&host, "[name=key]").set_value("typed");
    let area = "return it.value";
    assert_eq!(js(area, &find(&host, "textarea")).as_string().as_deref(), Some("first words"));
    js("it.value = 'mine'", &find(&host, "textarea"));
    js("it.value = 'librdkafka'", &find(&host, "select"));
    told.borrow_mut().word = "drawn";
    let fill = Wish::Fill { field: ".prompt".into(), value: "caf\u{e9} \u{1f980}".into() };
    let reveal = Wish::Reveal(".nobody".into());
    let scroll = Wish::ScrollToEnd(".log".into());
    wish(&host, &told, vec![fill, reveal, scroll, Wish::Focus(".cell".into())]).await;
    assert_eq!(text(&host, ".word"), "drawn");
    assert_eq!(field(&host, "[name=key]").value(), "typed");
    assert_eq!(js(area, &find(&host, "textarea")).as_string().as_deref(), Some("mine"));
    assert_eq!(js(area, &find(&host, "select")).as_string().as_deref(), Some("java"));
    let prompt = field(&host, ".prompt");
    assert_eq!(prompt.value(), "caf\u{e9} \u{1f980}");
    assert_eq!(prompt.selection_end().ok().flatten(), Some(7), "the cursor is at its end");
    let log = find(&host, ".log");
    assert!(log.scroll_top() > 0 && log.scroll_top() + log.client_height() >= log.scroll_height());
    let focused = host.owner_document().and_then(|document| document.active_element());
    assert!(find(&host, ".cell").is_same_node(focused.as_deref()));
    told.borrow_mut().chosen = "librdkafka";
    wish(&host, &told, Vec::new()).await;
    assert_eq!(js(area, &find(&host, "select")).as_string().as_deref(), Some("librdkafka"));
}

/// The address, without a new entry in the history; and what is kept for the next visit.
#[wasm_bindgen_test]
async fn wishes_about_address_and_storage() {
    let (host, told) = open().await;
    let length = || js("return history.length", &JsValue::NULL).as_f64();
    let hash = || js("return location.hash", &JsValue::NULL).as_string().unwrap_or_default();
    let before = length();
    wish(&host, &told, vec![Wish::Fragment("here".into())]).await;
    assert_eq!(hash(), "#here");
    wish(&host, &told, vec![Wish::Fragment(String::new())]).await;
    assert_eq!((hash().as_str(), length()), ("", before));
    let kept = || js("return localStorage.getItem('highwater:lab')", &JsValue::NULL).as_string();
    let keep = |text: Option<&str>| Wish::Keep { key: "highwater:lab", text: text.map(Into::into) };
    wish(&host, &told, vec![keep(Some("this"))]).await;
    let text = kept().unwrap_or_default();
    assert!(text.starts_with("at=") && text.ends_with("&this"), "{text}");
    let mut found = Vec::new();
    let again = place("<div data-island='lab'></div>");
    mount_into(find(&again, "[data-island]"), |opening, _| {
        found = opening.kept;
        Box::new(StandIn(Shared::default()))
    });
    assert_eq!(found, [("highwater:lab".to_owned(), text)]);
    let (host, told) = open().await;
    wish(&host, &told, vec![keep(None)]).await;
    assert_eq!(kept(), None);
}

/// What changes is kept once in a while, not at each press; and at once when the page is left or hidden.
#[wasm_bindgen_test]
async fn kept_in_time() {
    let (host, told) = open().await;
    let kept =
        || js("return localStorage.getItem('highwater:lab') ?? ''", &JsValue::NULL).as_string();
    let holds = |text: &str| kept().is_some_and(|kept| kept.ends_with(&format!("&{text}")));
    for _ in 0..50 {
        told.borrow_mut().unkept = Some("one");
        click(&host, "[data-do=inner]");
    }
    settle().await;
    assert_eq!(told.borrow().asked, 0, "not at each press");
    wait("it to be kept", || holds("one")).await;
    assert_eq!(told.borrow().asked, 1);
    for event in ["window.dispatchEvent(new Event('pagehide'))", HIDES] {
        told.borrow_mut().unkept = Some("two");
        click(&host, "[data-do=inner]");
        js(event, &JsValue::NULL);
        assert!(holds("two"), "at once: {event}");
        told.borrow_mut().unkept = Some("three");
        click(&host, "[data-do=inner]");
        wait("it to be kept again", || holds("three")).await;
    }
    js("delete document.hidden", &JsValue::NULL);
}

/// The page is hidden, as the browser says it.
const HIDES: &str = "Object.defineProperty(document, 'hidden', { configurable: true, value: true });\
                     document.dispatchEvent(new Event('visibilitychange'))";

/// Storage that is full or blocked is told once, and nothing else happens.
#[wasm_bindgen_test]
async fn storage_that_keeps_nothing() {
    let (host, told) = open().await;
    let keep = || Wish::Keep { key: "highwater:lab", text: Some("this".into()) };
    let block = "window.realSetItem = Storage.prototype.setItem;\
        Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') }";
    js(block, &JsValue::NULL);
    told.borrow_mut().wishes = vec![keep(), keep()];
    click(&host, "[data-do=inner]");
    settle().await;
    told.borrow_mut().wishes = vec![keep()];
    click(&host, "[data-do=inner]");
    settle().await;
    js("Storage.prototype.setItem = window.realSetItem", &JsValue::NULL);
    let failed = |it: &Heard| matches!(it, Heard::Failed(_));
    assert_eq!(heard(&told).into_iter().filter(failed).count(), 1, "once is enough");
    // Blocked altogether: the browser throws when it is only looked at.
    let block = "window.realStorage = Object.getOwnPropertyDescriptor(window, 'localStorage');\
        Object.defineProperty(window, 'localStorage', { configurable: true,\
        get() { throw new DOMException('blocked', 'SecurityError') } })";
    js(block, &JsValue::NULL);
    let (host, told) = open().await;
    told.borrow_mut().wishes = vec![keep()];
    click(&host, "[data-do=inner]");
    settle().await;
    // It is the window's own: deleted, it would be gone for the tests that follow.
    let give_back = "Object.defineProperty(window, 'localStorage', window.realStorage)";
    js(give_back, &JsValue::NULL);
    assert_eq!(heard(&told).into_iter().filter(failed).count(), 1);
}

/// Texts go to the clipboard, by hand where there is none; what cannot be copied is told.
#[wasm_bindgen_test]
async fn copies() {
    let (host, told) = open().await;
    let failed = |it: &Heard| matches!(it, Heard::Failed(_));
    let clipboard = |value: &str| {
        let script = format!(
            "Object.defineProperty(navigator, 'clipboard', {{ configurable: true, value: {value} }})"
        );
        js(&script, &JsValue::NULL);
    };
    let copied = || js("return window.copied", &JsValue::NULL).as_string().unwrap_or_default();
    clipboard("{ writeText: async text => { window.copied = text } }");
    wish(&host, &told, vec![Wish::Copy("one".into())]).await;
    assert_eq!(copied(), "one");
    js(
        "document.execCommand = () => {\
          window.copied = document.activeElement.value + ' by hand'; return !window.refuse }",
        &JsValue::NULL,
    );
    for value in ["undefined", "{ writeText: async () => { throw new Error('no') } }"] {
        clipboard(value);
        js("window.copied = ''", &JsValue::NULL);
        wish(&host, &told, vec![Wish::Copy("two\nlines".into())]).await;
        assert_eq!(copied(), "two\nlines by hand", "{value}");
    }
    js("window.refuse = true", &JsValue::NULL);
    told.borrow_mut().wishes = vec![Wish::Copy("three".into())];
    click(&host, "[data-do=inner]");
    settle().await;
    assert_eq!(heard(&told).into_iter().filter(failed).count(), 1);
    js("delete document.execCommand; delete navigator.clipboard", &JsValue::NULL);
}

/// Texts and pictures are offered as files.
#[wasm_bindgen_test]
async fn offered_files() {
    let (host, told) = open().await;
    js(
        "window.offered = []; window.realClick = HTMLAnchorElement.prototype.click;\
        HTMLAnchorElement.prototype.click = function () {\
          if (this.download) window.offered.push([this.download, fetch(this.href)]) }",
        &JsValue::NULL,
    );
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'>\
               <rect width='30' height='20' fill='#a0c'/></svg>";
    let text = Wish::Download {
        name: "a.console".into(),
        media: "text/plain",
        text: "$ echo \u{e9}\n".into(),
    };
    let picture = Wish::DownloadPng { name: "a.png".into(), svg: svg.into() };
    wish(&host, &told, vec![text, picture]).await;
    let count = || js("return window.offered.length", &JsValue::NULL).as_f64();
    wait("two files", || count() == Some(2.0)).await;
    let look = "return Promise.all(window.offered.map(async ([name, fetched]) => {\
          const blob = await (await fetched).blob();\
          if (!name.endsWith('.png')) return [name, blob.type, await blob.text()].join();\
          const bitmap = await createImageBitmap(blob);\
          return [name, blob.type, bitmap.width, bitmap.height].join() })).then(all => all.join('|'))";
    let seen = JsFuture::from(js(look, &JsValue::NULL).unchecked_into::<Promise>()).await;
    let seen = seen.expect("both can be read").as_string().unwrap_or_default();
    assert_eq!(seen, "a.console,text/plain,$ echo \u{e9}\n|a.png,image/png,60,40");
    js("HTMLAnchorElement.prototype.click = window.realClick", &JsValue::NULL);
    told.borrow_mut().wishes = vec![Wish::DownloadPng { name: "b.png".into(), svg: "<p>".into() }];
    click(&host, "[data-do=inner]");
    let failed = Heard::Failed("b.png could not be made.".into());
    wait("the failure", || told.borrow().heard.contains(&failed)).await;
}

/// The reader's commands are kept for the panel that is shown if the engine stops.
#[wasm_bindgen_test]
async fn commands_are_kept() {
    let (host, told) = open().await;
    told.borrow_mut().commands = "echo one\necho two";
    click(&host, "[data-do=inner]");
    let kept = js("return sessionStorage.getItem('highwater:commands')", &JsValue::NULL);
    assert_eq!(kept.as_string().as_deref(), Some("echo one\necho two"));
}
