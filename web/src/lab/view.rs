//! The component that draws the Lab into its island, and the listeners on it.

use std::cell::RefCell;

use highwater_lab::{Lab, Opening, Room};
use highwater_lesson::Model;
use js_sys::Function;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Event};
use yew::virtual_dom::VList;
use yew::{Component, Context, Html, Properties, create_portal};

use super::app::{App, DRAW, Shared};
use super::desk::Desk;
use super::files;
use super::hearing::hear;
use super::lesson;
use super::places;
use super::watch::Watch;
use super::wishes::{grant, keep_now};
use crate::adapter::html;
use crate::island::{all, find, root, root_font, value, wants_motion};

/// What a reader can do, as events of the DOM, and what a button in the text sends (boot.js).
const EVENTS: [&str; 5] = ["click", "input", "submit", "keydown", "highwater:action"];

/// Mounts the Lab into the page, if it has a place for it.
pub fn mount() {
    if let Some(island) = root().and_then(|root| find(&root, "[data-island=lab]")) {
        mount_into(island, |opening, room| Box::new(Lab::new(&opening, room)));
    }
}

/// Mounts every figure of a lesson that shows a whole cluster, and the models that read as its tools do.
pub fn mount_all() {
    let Some(root) = root() else { return };
    for island in all(&root, "[data-island=model][data-program=lab]") {
        let model = value(&island, "data-model").and_then(|name| Model::new(&name));
        if let Some(model) = model {
            mount_into(island, |_, _| Box::new(model));
        }
    }
    for island in all(&root, "[data-island=exhibit]") {
        let width = find(&island, DRAW).map_or(0, |draw| draw.client_width());
        let room = Room { width, font: root_font(), motion: wants_motion() };
        match lesson::open(&island, room) {
            Ok((figure, parts)) => {
                for part in &parts {
                    part.set_inner_html("");
                }
                begin(App::new(island, parts, |_, _| Box::new(figure)));
            }
            // The static picture stays; its status line says why it does not move.
            Err(trouble) => {
                if let Some(status) = find(&island, "[data-engine-status]") {
                    status.set_text_content(Some(&trouble));
                }
            }
        }
    }
}

/// Mounts what `open` makes of what the page knows.
pub fn mount_into(island: Element, open: impl FnOnce(Opening, Room) -> Box<dyn Desk>) {
    begin(App::new(island, Vec::new(), open));
}

fn begin(app: App) {
    let island = app.island.clone();
    let app = Box::leak(Box::new(RefCell::new(app)));
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
        let mut app = self.app.borrow_mut();
        let mut nodes = vec![html(app.lab.view())];
        for (part, host) in app.lab.parts().into_iter().zip(&app.parts) {
            nodes.push(create_portal(html(part), host.clone()));
        }
        VList::with_children(nodes, None).into()
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
    let keep = callback(app, |app, _| keep_now(app));
    let (island, parts) = {
        let mut app = app.borrow_mut();
        app.on_tick = Some(tick);
        app.on_keep = Some(keep);
        (app.island.clone(), app.parts.clone())
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
    for place in [&island].into_iter().chain(&parts) {
        for event in EVENTS {
            let _ = place.add_event_listener_with_callback(event, &handler);
        }
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
