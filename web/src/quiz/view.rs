//! The component that draws one island, and the listeners on it.

use std::cell::RefCell;

use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event, File, HtmlElement};
use yew::{Component, Context, Html, Properties};

use super::app::App;
use super::hearing::{Heard, hear};
use super::read;
use crate::adapter::html;
use crate::island::{all, root};

type Shared = &'static RefCell<App>;

/// What a reader can do, as events of the DOM.
const EVENTS: [&str; 4] = ["click", "input", "change", "keydown"];

/// Mounts all islands of the page that this program knows.
pub fn mount_all() {
    if let Some(root) = root() {
        mount(&root);
    }
}

/// Mounts the islands below an element.
pub fn mount(place: &Element) {
    let mut islands = Vec::new();
    for host in all(place, "[data-island]") {
        if let Some(what) = read::island(&host) {
            islands.push((host, what));
        }
    }
    let app: Shared = Box::leak(Box::new(RefCell::new(App::new(islands))));
    let hosts: Vec<Element> = app.borrow().parts.iter().map(|part| part.host.clone()).collect();
    for (part, host) in hosts.into_iter().enumerate() {
        yew::Renderer::<View>::with_root_and_props(host, Of { app, part }).render();
    }
    let follow = callback(move |_| app.borrow_mut().follow_address());
    let look = callback(move |_| app.borrow_mut().look_again());
    if let Some(window) = web_sys::window() {
        let _ = window.add_event_listener_with_callback("pageshow", look.unchecked_ref());
        let _ = window.add_event_listener_with_callback("hashchange", follow.unchecked_ref());
    }
}

/// The island that the component draws.
#[derive(Clone, Copy, Properties)]
pub(super) struct Of {
    app: Shared,
    part: usize,
}

impl PartialEq for Of {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.app, other.app) && self.part == other.part
    }
}

/// The component.
pub(super) struct View(Of);

impl Component for View {
    /// The app has changed.
    type Message = ();
    type Properties = Of;

    fn create(ctx: &Context<Self>) -> Self {
        let of = *ctx.props();
        let mut app = of.app.borrow_mut();
        app.parts[of.part].link = Some(ctx.link().clone());
        let handler = callback(move |event| heard(of, event));
        for event in EVENTS {
            // It fails for no element.
            let host = &app.parts[of.part].host;
            let _ = host.add_event_listener_with_callback(event, handler.unchecked_ref());
        }
        Self(of)
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        html(self.0.app.borrow().tree(self.0.part))
    }

    fn rendered(&mut self, _ctx: &Context<Self>, _first: bool) {
        let focused = self.0.app.borrow_mut().drawn(self.0.part);
        // The app is free by now: what loses the focus may say that it has changed.
        if let Some(focused) = focused {
            let _ = focused.unchecked_ref::<HtmlElement>().focus();
        }
    }
}

fn heard(of: Of, event: &JsValue) {
    let event: &Event = event.unchecked_ref();
    match hear(event) {
        Some(Heard::File(file)) => take_file(of, &file),
        Some(heard) => of.app.borrow_mut().tell(of.part, heard),
        None => {}
    }
}

/// Reads a file, and takes in what it says.
fn take_file(of: Of, file: &File) {
    let done = Closure::once(move |text: JsValue| {
        of.app.borrow_mut().import(text.as_string().as_deref());
    });
    let failed = Closure::once(move |_: JsValue| of.app.borrow_mut().import(None));
    let _ = file.text().then2(&done, &failed);
    done.forget();
    failed.forget();
}

/// A function of the page.
fn callback(does: impl Fn(&JsValue) + 'static) -> JsValue {
    Closure::<dyn FnMut(JsValue)>::new(move |value: JsValue| does(&value)).into_js_value()
}
