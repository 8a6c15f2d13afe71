//! What the page notices without the reader doing something in the Lab: the room, the address, whether
//! it is seen, whether things may move.
//!
//! What is watched here outlives the island, while an engine that has stopped must not be called again:
//! boot.js sends `highwater:dead` to the window when it has, and the browser's own functions then end it all.

use highwater_lab::Heard;
use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    AbortController, AbortSignal, AddEventListenerOptions, Element, EventTarget, ResizeObserver,
};

use super::app::{DRAW, Shared, fragment};
use super::places;
use super::view::callback;
use crate::island::{find, root};

/// What boot.js sends when the engine has stopped.
pub(super) const DEAD: &str = "highwater:dead";

/// What is watched.
pub(super) struct Watch {
    room: ResizeObserver,
    /// The drawing whose room is watched.
    drawing: Option<Element>,
}

impl Watch {
    /// Begins to watch; an old browser may know no such thing, then nothing is noticed.
    pub(super) fn begin(app: Shared) -> Option<Self> {
        let window = web_sys::window()?;
        let document = window.document()?;
        let life = AbortController::new().ok()?;
        let signal = life.signal();
        let around = callback(app, |app, _| app.borrow_mut().look_around());
        let room = ResizeObserver::new(&around).ok()?;
        when_dead(&window, &life, "abort")?;
        when_dead(&window, &room, "disconnect")?;
        if let Some(root) = root() {
            // Its height follows the font.
            room.observe(&root);
        }
        if let Ok(Some(motion)) = window.match_media("(prefers-reduced-motion: reduce)") {
            listen(&motion, "change", &around, &signal)?;
            // A browser may forget a query that nobody holds.
            std::mem::forget(motion);
        }
        let moved = callback(app, |app, _| {
            app.borrow_mut().tell(Heard::Fragment(fragment()));
        });
        listen(&window, "hashchange", &moved, &signal)?;
        let back = callback(app, |app, event| {
            // Out of the browser's memory of pages: its place was given away when it was left.
            let kept = Reflect::get(event, &"persisted".into());
            if kept.is_ok_and(|kept| kept.is_truthy()) {
                places::claim(app, true);
            }
        });
        listen(&window, "pageshow", &back, &signal)?;
        let seen = callback(app, |app, _| {
            let hidden =
                root().and_then(|root| root.owner_document()).is_some_and(|it| it.hidden());
            app.borrow_mut().tell(Heard::Hidden(hidden));
        });
        listen(&document, "visibilitychange", &seen, &signal)?;
        Some(Self { room, drawing: None })
    }

    /// The Lab was drawn: watches the room of its drawing, which may be another element now.
    pub(super) fn drawing(&mut self, island: &Element) {
        let drawing = find(island, DRAW);
        if self.drawing != drawing {
            if let Some(gone) = &self.drawing {
                self.room.unobserve(gone);
            }
            if let Some(new) = &drawing {
                self.room.observe(new);
            }
            self.drawing = drawing;
        }
    }
}

fn listen(
    target: &EventTarget,
    event: &str,
    handler: &Function,
    signal: &AbortSignal,
) -> Option<()> {
    let options = AddEventListenerOptions::new();
    options.set_signal(signal);
    let added = target
        .add_event_listener_with_callback_and_add_event_listener_options(event, handler, &options);
    added.ok()
}

/// Has a method of a browser's object called when the engine has stopped, without the engine.
fn when_dead(window: &EventTarget, object: &JsValue, method: &str) -> Option<()> {
    let method: Function = Reflect::get(object, &method.into()).ok()?.dyn_into().ok()?;
    window.add_event_listener_with_callback(DEAD, &method.bind0(object)).ok()
}
