//! The place in the browser's storage where this window keeps its run; which one, `highwater_lab::places` decides.
//!
//! A place belongs to the window that holds the browser's lock of its name, which goes with the window however it ends.
//! Where there are no such locks, as on a page without encryption, a window takes its own place out of its session while
//! it lives, so that a copy of it has none, and puts it back when it is left.

use std::cell::{Cell, RefCell};

use highwater_lab::lab::{KEPT, KEPT_RUN};
use highwater_lab::places;
use js_sys::{Date, Function, Number, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Storage;

use super::app::Shared;
use super::watch::DEAD;
use super::wishes;

/// The name in the window's own storage.
const OWN: &str = "highwater:lab-place";

/// What came of keeping something.
pub(super) enum Kept {
    /// It is kept, or will be as soon as this window has a place.
    Here,
    /// Storage is full or blocked.
    Full,
    /// Every place belongs to another window.
    Crowded,
}

/// Where this window keeps its run.
enum Place {
    /// Nobody was asked yet.
    Unknown,
    /// The browser was asked; these texts wait meanwhile, by name.
    Asked(Vec<(&'static str, Option<String>)>),
    /// There is nobody to ask, and others may begin to write before this window does: chosen when it does. What it
    /// wrote before is its own.
    Any(Option<u32>),
    /// Here.
    Is(u32),
    /// Nowhere.
    Nowhere,
}

thread_local! {
    /// A window has one place, however often something is mounted in it.
    static PLACE: RefCell<Place> = const { RefCell::new(Place::Unknown) };
    /// The place that it has read, which may be another window's.
    static READ: Cell<Option<u32>> = const { Cell::new(None) };
}

/// The browser's storage, unless it is blocked.
fn storage() -> Option<Storage> {
    web_sys::window()?.local_storage().ok().flatten()
}

fn read(name: &str) -> Option<String> {
    storage()?.get_item(name).ok().flatten()
}

fn session() -> Option<Storage> {
    web_sys::window()?.session_storage().ok().flatten()
}

/// The place that this window has written before.
fn own() -> Option<u32> {
    session()?.get_item(OWN).ok().flatten()?.parse().ok()
}

/// What was kept for this window, by name, as far as storage can be read.
pub(super) fn kept() -> Vec<(String, String)> {
    let place = places::to_read(own(), read);
    READ.set(place);
    // What was set aside belongs to no place.
    let item = |key: &&str| Some(((*key).to_owned(), read(&places::name(key, place?))?));
    KEPT.iter().filter_map(item).collect()
}

/// Keeps a text at this window's place, or forgets what is there.
pub(super) fn keep(key: &'static str, text: Option<String>) -> Kept {
    PLACE.with_borrow_mut(|place| {
        if let Place::Any(own) = place {
            let first = places::to_write(*own, read).first().copied().unwrap_or(1);
            let _ = remember(first);
            *place = Place::Is(first);
        }
        keep_at(place, key, text)
    })
}

fn keep_at(place: &mut Place, key: &'static str, text: Option<String>) -> Kept {
    match place {
        Place::Asked(waiting) => {
            waiting.retain(|(known, _)| *known != key);
            waiting.push((key, text));
            Kept::Here
        }
        Place::Is(place) => write(*place, key, text).map_or(Kept::Full, |()| Kept::Here),
        Place::Unknown | Place::Any(_) | Place::Nowhere => Kept::Crowded,
    }
}

fn write(place: u32, key: &str, text: Option<String>) -> Option<()> {
    let storage = storage()?;
    let Some(text) = text else {
        // A run that cannot be read is forgotten where it was read.
        let place = READ.take().filter(|_| key == KEPT_RUN).unwrap_or(place);
        return storage.remove_item(&places::name(key, place)).ok();
    };
    let text = if key == KEPT_RUN { places::written(&text, now()) } else { text };
    storage.set_item(&places::name(key, place), &text).ok()?;
    if key == KEPT_RUN {
        // Without it the next load reads the newest run, which may be another window's.
        let session = session().filter(|_| locks().is_some());
        let _ = session.and_then(|session| session.set_item(OWN, &place.to_string()).ok());
    }
    Some(())
}

/// The page is left: notes which place is its own, where that was not noted at once.
pub(super) fn leave() {
    let place = PLACE.with_borrow(|place| match place {
        Place::Is(place) => Some(*place),
        Place::Any(own) => *own,
        _ => None,
    });
    if let (None, Some(place), Some(session)) = (locks(), place, session()) {
        let _ = session.set_item(OWN, &place.to_string());
    }
}

/// Has it noted by the browser alone, when the engine has stopped.
fn remember(place: u32) -> Option<()> {
    let session = session()?;
    let set: Function = Reflect::get(&session, &"setItem".into()).ok()?.dyn_into().ok()?;
    let set = set.bind2(&session, &OWN.into(), &place.to_string().into());
    let set: Function = set.unchecked_into();
    web_sys::window()?.add_event_listener_with_callback(DEAD, &set).ok()
}

fn now() -> u64 {
    // By way of text: the engine itself counts no time, and has no floats to print.
    let text = Number::from(Date::now()).to_string_with_radix(10).ok().map(String::from);
    text.and_then(|text| text.parse().ok()).unwrap_or(0)
}

/// Looks for a place for this window, if it has none, or `again`.
pub(super) fn claim(app: Shared, again: bool) {
    if !app.borrow().lab.is_kept() {
        return;
    }
    let asks = PLACE.with_borrow_mut(|place| {
        let asks = matches!(place, Place::Unknown) || again && !matches!(place, Place::Asked(_));
        if asks {
            *place = Place::Asked(Vec::new());
        }
        asks
    });
    if asks {
        spawn_local(find(app));
    }
}

async fn find(app: Shared) {
    let own = own();
    let found = if let Some(locks) = locks() {
        let mut found = Place::Nowhere;
        for place in places::to_write(own, read) {
            if take(&locks, place).await {
                found = Place::Is(place);
                break;
            }
        }
        found
    } else {
        let _ = session().map(|session| session.remove_item(OWN));
        let _ = own.and_then(remember);
        Place::Any(own)
    };
    if let Place::Asked(waiting) = PLACE.replace(found) {
        for (key, text) in waiting {
            wishes::keep(app, key, text);
        }
    }
}

/// The browser's locks, if it has them.
fn locks() -> Option<JsValue> {
    let window = web_sys::window()?;
    Reflect::get(&window.navigator(), &"locks".into()).ok().filter(JsValue::is_object)
}

/// Whether the place of this number belongs to this window from now on.
async fn take(locks: &JsValue, place: u32) -> bool {
    let asked = Promise::new(&mut |answer, _| {
        // Refused altogether, as where storage is blocked: then there is nothing to share.
        let refused = answer.bind1(&JsValue::NULL, &JsValue::TRUE);
        let request = request(locks, place, answer).and_then(|request| {
            let catch: Function = Reflect::get(&request, &"catch".into())?.dyn_into()?;
            catch.call1(&request, &refused)
        });
        if request.is_err() {
            let _ = refused.call0(&JsValue::NULL);
        }
    });
    JsFuture::from(asked).await.is_ok_and(|answer| answer.is_truthy())
}

/// Asks for the lock of a place, if nobody has it, and holds it until this page is left or its engine stops.
fn request(locks: &JsValue, place: u32, answer: Function) -> Result<JsValue, JsValue> {
    let options = Object::new();
    Reflect::set(&options, &"ifAvailable".into(), &JsValue::TRUE)?;
    let granted = Closure::once_into_js(move |lock: JsValue| -> JsValue {
        let is_ours = lock.is_object();
        let _ = answer.call1(&JsValue::NULL, &is_ours.into());
        if is_ours { held().into() } else { JsValue::UNDEFINED }
    });
    let request: Function = Reflect::get(locks, &"request".into())?.dyn_into()?;
    request.call3(locks, &places::name(KEPT_RUN, place).into(), &options, &granted)
}

/// A promise that is kept when this page is left or its engine stops, by the browser alone.
fn held() -> Promise {
    Promise::new(&mut |done, _| {
        if let Some(window) = web_sys::window() {
            for event in ["pagehide", DEAD] {
                let _ = window.add_event_listener_with_callback(event, &done);
            }
        }
    })
}
