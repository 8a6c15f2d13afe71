//! What the page notices without the reader doing something in the Lab: the room, the address, whether
//! it is seen, on the page and in the window, whether things may move.
//!
//! What is watched here outlives the island, while an engine that has stopped must not be called again:
//! boot.js sends `highwater:dead` to the window when it has, and the browser's own functions then end it all.

use highwater_lab::Heard;
use js_sys::{Array, Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    AbortController, AbortSignal, AddEventListenerOptions, Element, EventTarget,
    IntersectionObserver, IntersectionObserverEntry, ResizeObserver,
};

use super::app::{DRAW, Shared, fragment};
use super::places;
use super::view::callback;
use super::wishes::keep_now;
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
            if hidden {
                // It may be the last that is heard of the page.
                keep_now(app);
            }
            let mut app = app.borrow_mut();
            app.is_page_hidden = hidden;
            app.look_seen();
        });
        listen(&document, "visibilitychange", &seen, &signal)?;
        let left = callback(app, |app, _| {
            keep_now(app);
            places::leave();
        });
        listen(&window, "pagehide", &left, &signal)?;
        watch_scrolling(app, &window);
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

/// Notices when the island leaves the window and when it comes back. A browser that cannot tell lets it play on.
fn watch_scrolling(app: Shared, window: &EventTarget) -> Option<()> {
    let passed = callback(app, |app, entries| {
        let entries: &Array = entries.unchecked_ref();
        // Several may have been gathered; the last one is how it is now.
        let entry: IntersectionObserverEntry = entries.at(-1).unchecked_into();
        let mut app = app.borrow_mut();
        if app.is_away == entry.is_intersecting() {
            app.is_away = !app.is_away;
            app.look_seen();
        }
    });
    let seen = IntersectionObserver::new(&passed).ok()?;
    when_dead(window, &seen, "disconnect")?;
    seen.observe(&app.borrow().island);
    // It watches as long as the page stands.
    std::mem::forget(seen);
    Some(())
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
