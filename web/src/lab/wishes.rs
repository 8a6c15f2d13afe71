//! Grants what the Lab wishes. What cannot be granted is told to it in words, and never ends the page.

use highwater_lab::{Heard, Wish};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Element, HtmlDocument, HtmlElement, HtmlInputElement, HtmlScriptElement, HtmlTextAreaElement,
    ScrollIntoViewOptions, ScrollLogicalPosition, Window,
};

use super::app::Shared;
use super::files;
use super::places::{self, Kept};
use crate::island::{find, root};

/// Grants one wish.
pub(super) fn grant(app: Shared, wish: Wish) {
    let found = |selector: &str| {
        let app = app.borrow();
        find(&app.island, selector)
            .or_else(|| app.parts.iter().find_map(|part| find(part, selector)))
    };
    match wish {
        Wish::Focus(selector) => {
            if let Some(element) = found(&selector) {
                // Elements of SVG have `focus` too.
                let _ = element.unchecked_ref::<HtmlElement>().focus();
                // What stands in a field is an offer: typing replaces it.
                if let Some(input) = element.dyn_ref::<HtmlInputElement>() {
                    input.select();
                }
            }
        }
        Wish::Fill { field, value } => {
            if let Some(field) = found(&field) {
                fill(&field, &value);
            }
        }
        Wish::ScrollToEnd(selector) => {
            if let Some(element) = found(&selector) {
                element.set_scroll_top(element.scroll_height());
            }
        }
        Wish::Reveal(selector) => {
            if let Some(element) = found(&selector) {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Nearest);
                options.set_inline(ScrollLogicalPosition::Nearest);
                element.scroll_into_view_with_scroll_into_view_options(&options);
            }
        }
        Wish::Copy(text) => spawn_local(copy(app, text)),
        Wish::CopyLink(fragment) => spawn_local(copy(app, address(&fragment))),
        Wish::Download { name, media, text } => files::offer_text(app, &name, media, &text),
        Wish::DownloadPng { name, svg } => spawn_local(files::offer_png(app, name, svg)),
        Wish::ChooseFile => files::choose(app),
        Wish::Visit { page, fragment } => {
            if visit(page, &fragment).is_none() {
                fail(app, "The page could not be opened.");
            }
        }
        Wish::Fragment(fragment) => {
            if move_to(&fragment).is_none() {
                fail(app, "The address could not be changed.");
            }
        }
        Wish::Keep { key, text } => keep(app, key, text),
    }
}

/// Tells that something could not be done.
pub(super) fn fail(app: Shared, what: &str) {
    app.borrow_mut().tell(Heard::Failed(what.to_owned()));
}

fn fill(field: &Element, value: &str) {
    if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
        input.set_value(value);
    } else if let Some(area) = field.dyn_ref::<HtmlTextAreaElement>() {
        area.set_value(value);
    }
    // Both know it; a field without a cursor refuses.
    let field: &HtmlInputElement = field.unchecked_ref();
    let end = u32::try_from(value.encode_utf16().count()).unwrap_or(u32::MAX);
    let _ = field.set_selection_range(end, end);
}

async fn copy(app: Shared, text: String) {
    let copied = match web_sys::window() {
        Some(window) => copy_by_clipboard(&window, &text).await || copy_by_hand(&window, &text),
        None => false,
    };
    if !copied {
        fail(app, "The text could not be copied.");
    }
}

async fn copy_by_clipboard(window: &Window, text: &str) -> bool {
    let clipboard = window.navigator().clipboard();
    // There is none where the page came without encryption from another machine.
    let known: &JsValue = clipboard.as_ref();
    !known.is_undefined() && JsFuture::from(clipboard.write_text(text)).await.is_ok()
}

/// The old way: a field with the text selected in it.
fn copy_by_hand(window: &Window, text: &str) -> bool {
    let made = || -> Option<bool> {
        let document: HtmlDocument = window.document()?.dyn_into().ok()?;
        let before = document.active_element();
        let area: HtmlTextAreaElement =
            document.create_element("textarea").ok()?.dyn_into().ok()?;
        area.set_class_name("visually-hidden");
        area.set_read_only(true);
        area.set_value(text);
        document.body()?.append_child(&area).ok()?;
        area.select();
        let copied = document.exec_command("copy");
        area.remove();
        if let Some(before) = before {
            let _ = before.unchecked_ref::<HtmlElement>().focus();
        }
        copied.ok()
    };
    made().unwrap_or(false)
}

/// The whole address of the page with this behind its `#`.
fn address(fragment: &str) -> String {
    let page = web_sys::window().and_then(|window| window.location().href().ok());
    let page = page.unwrap_or_default();
    let page = page.split('#').next().unwrap_or_default();
    [page, "#", fragment].concat()
}

/// Opens another page of the site. Its root is where the page's script comes from.
fn visit(page: &str, fragment: &str) -> Option<()> {
    let script = find(&root()?, "script[data-wasm]")?;
    let script = script.dyn_ref::<HtmlScriptElement>()?.src();
    let (root, _) = script.rsplit_once('/')?;
    let address = [root, "/", page, "#", fragment].concat();
    web_sys::window()?.location().assign(&address).ok()
}

/// Puts this behind the `#` of the address; an empty one goes with its `#`.
fn move_to(fragment: &str) -> Option<()> {
    let window = web_sys::window()?;
    let location = window.location();
    let mut address = [location.pathname().ok()?, location.search().ok()?].concat();
    if !fragment.is_empty() {
        address.push('#');
        address.push_str(fragment);
    }
    let history = window.history().ok()?;
    history.replace_state_with_url(&JsValue::NULL, "", Some(&address)).ok()
}

/// Keeps for the next visit what is not kept yet.
pub(super) fn keep_now(app: Shared) {
    let keeping = app.borrow_mut().take_kept();
    for (key, text) in keeping.items {
        keep(app, key, text);
    }
    if let Some(trouble) = keeping.trouble {
        fail_to_keep(app, trouble);
    }
}

/// Keeps a text for the next visit, or forgets it.
pub(super) fn keep(app: Shared, key: &'static str, text: Option<String>) {
    let why = match places::keep(key, text) {
        Kept::Here => return,
        Kept::Full => {
            "This browser keeps nothing for the next visit: its storage is full or blocked."
        }
        Kept::Crowded => {
            "This window keeps nothing for the next visit: too many windows of the Lab are open."
        }
    };
    fail_to_keep(app, why);
}

/// That something is not kept is told once.
fn fail_to_keep(app: Shared, why: &str) {
    if !std::mem::replace(&mut app.borrow_mut().told_full, true) {
        fail(app, why);
    }
}
