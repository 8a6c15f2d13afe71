//! The component that draws the Lab into its island, and the listeners on it.

use std::cell::RefCell;

use highwater_lab::{Lab, Opening, Room};
use js_sys::Function;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event};
use yew::{Component, Context, Html, Properties};

use super::app::{App, Shared};
use super::desk::Desk;
use super::files;
use super::hearing::hear;
use super::places;
use super::watch::Watch;
use super::wishes::grant;
use crate::adapter::html;
use crate::island::{find, root};

/// What a reader can do, as events of the DOM.
const EVENTS: [&str; 4] = ["click", "input", "submit", "keydown"];

/// Mounts the Lab into the page, if it has a place for it.
pub fn mount() {
    if let Some(island) = root().and_then(|root| find(&root, "[data-island=lab]")) {
        mount_into(island, |opening, room| Box::new(Lab::new(&opening, room)));
    }
}

/// Mounts what `open` makes of what the page knows.
pub fn mount_into(island: Element, open: impl FnOnce(Opening, Room) -> Box<dyn Desk>) {
    let app = Box::leak(Box::new(RefCell::new(App::new(island.clone(), open))));
    yew::Renderer::<View>::with_root_and_props(island, Of { app }).render();
}

/// The app that the component draws.
#[derive(Clone, Copy, Properties)]
pub(super) struct Of {
    app: Shared,
}

impl PartialEq for Of {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.app, other.app)
    }
}

/// The component.
pub(super) struct View {
    app: Shared,
    watch: Option<Watch>,
}

impl Component for View {
    /// The Lab has changed.
    type Message = ();
    type Properties = Of;

    fn create(ctx: &Context<Self>) -> Self {
        let app = ctx.props().app;
        app.borrow_mut().link = Some(ctx.link().clone());
        // Before the first drawing: what the reader presses then is not lost.
        listen(app);
        places::claim(app, false);
        Self { app, watch: Watch::begin(app) }
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        html(self.app.borrow_mut().lab.view())
    }

    fn rendered(&mut self, _ctx: &Context<Self>, _first: bool) {
        let wishes = self.app.borrow_mut().drawn();
        if let Some(watch) = &mut self.watch {
            watch.drawing(&self.app.borrow().island);
        }
        // The app is free by now: what is granted may call a listener at once.
        for wish in wishes {
            grant(self.app, wish);
        }
    }
}

/// Hears what the reader does in the island, and when a tick is due.
fn listen(app: Shared) {
    let tick = callback(app, |app, _| app.borrow_mut().tick());
    let island = {
        let mut app = app.borrow_mut();
        app.on_tick = Some(tick);
        app.island.clone()
    };
    let handler = callback(app, |app, event| {
        let event: &Event = event.unchecked_ref();
        if let Some(heard) = hear(event)
            && app.borrow_mut().tell(heard)
        {
            event.prevent_default();
        }
    });
    let dropped = callback(app, |app, event| files::dragged(app, event.unchecked_ref()));
    // It fails for no element.
    for event in EVENTS {
        let _ = island.add_event_listener_with_callback(event, &handler);
    }
    for event in ["dragover", "drop"] {
        let _ = island.add_event_listener_with_callback(event, &dropped);
    }
}

/// A function of the page that does something with the app.
pub(super) fn callback(app: Shared, does: fn(Shared, &JsValue)) -> Function {
    let closure = Closure::<dyn FnMut(JsValue)>::new(move |value: JsValue| does(app, &value));
    closure.into_js_value().unchecked_into()
}
