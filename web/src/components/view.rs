//! The component that mounts into a figure's island, and through portals into the islands of its
//! questions, so that all of them share one state: an [`App`].
//!
//! Events are listened for once on each island and decided by the app; Yew only draws. An app stays
//! as long as the page.

use std::cell::RefCell;

use highwater_lesson::Figure;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::ResizeObserver;
use yew::virtual_dom::VList;
use yew::{Component, Context, Html, Properties, create_portal};

use super::app::App;
use crate::adapter::html;
use crate::island::{all, find, read_figure, root};

/// What a reader can do, as events of the DOM, and what a button in the text sends (boot.js).
const EVENTS: [&str; 6] = ["click", "input", "change", "submit", "keydown", "highwater:action"];

/// Mounts an app into every figure of the page.
pub fn mount_all() {
    let Some(root) = root() else { return };
    for island in all(&root, "[data-island=figure]") {
        match Figure::new(read_figure(&island), true) {
            Ok(figure) => {
                let app = Box::leak(Box::new(RefCell::new(App::new(island.clone(), figure))));
                yew::Renderer::<View>::with_root_and_props(island, Shared { app }).render();
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

/// The app that a component draws.
#[derive(Clone, Copy, Debug, Properties)]
pub struct Shared {
    /// Shared with the listeners.
    pub app: &'static RefCell<App>,
}

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.app, other.app)
    }
}

/// The component.
#[derive(Debug)]
pub struct View {
    app: &'static RefCell<App>,
}

impl Component for View {
    /// The app has changed.
    type Message = ();
    type Properties = Shared;

    fn create(ctx: &Context<Self>) -> Self {
        let app = ctx.props().app;
        app.borrow_mut().link = Some(ctx.link().clone());
        // Before the first drawing: what the reader presses then is not lost.
        listen(app);
        Self { app }
    }

    fn view(&self, _ctx: &Context<Self>) -> Html {
        let app = self.app.borrow();
        let mut nodes = vec![html(app.figure.view(&[app.room.width], app.room.font))];
        for quiz in &app.quizzes {
            nodes.push(create_portal(html(quiz.question.view(true)), quiz.host.clone()));
        }
        VList::with_children(nodes, None).into()
    }

    fn rendered(&mut self, _ctx: &Context<Self>, first_render: bool) {
        if first_render {
            watch(self.app);
        }
        self.app.borrow_mut().drawn();
    }
}

/// Hears what the reader does to an app, and when its next step is due.
fn listen(shared: &'static RefCell<App>) {
    let tick = callback(shared, |app, _| app.tick());
    let mut app = shared.borrow_mut();
    app.on_tick = Some(tick.unchecked_into());
    let handler = callback(shared, App::hear);
    for place in [&app.island].into_iter().chain(app.quizzes.iter().map(|quiz| &quiz.host)) {
        for event in EVENTS {
            // It fails for no element.
            let _ = place.add_event_listener_with_callback(event, handler.unchecked_ref());
        }
    }
}

/// Notices when the drawing's room changes.
fn watch(shared: &'static RefCell<App>) {
    let resized = callback(shared, |app, _| app.resize());
    if let Some(draw) = find(&shared.borrow().island, ".fig-draw")
        && let Ok(observer) = ResizeObserver::new(resized.unchecked_ref())
    {
        observer.observe(&draw);
    }
}

/// A function of the page that tells the app, and lets it be drawn if something has changed.
fn callback(app: &'static RefCell<App>, tell: fn(&mut App, &JsValue) -> bool) -> JsValue {
    Closure::<dyn FnMut(JsValue)>::new(move |value: JsValue| {
        let mut app = app.borrow_mut();
        if tell(&mut app, &value)
            && let Some(link) = &app.link
        {
            link.send_message(());
        }
    })
    .into_js_value()
}
