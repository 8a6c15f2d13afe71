//! What a browser has and may refuse: storage, the reader's calendar, the address.

use highwater_lesson::quiz::keeper::{Blocked, Store};
use js_sys::Date;
use web_sys::Storage;

/// The browser's storage.
#[derive(Debug)]
pub(super) struct Browser;

fn storage() -> Result<Storage, Blocked> {
    let window = web_sys::window().ok_or(Blocked)?;
    // It throws where storage is blocked, and is not there where a page has no origin.
    window.local_storage().ok().flatten().ok_or(Blocked)
}

impl Store for Browser {
    fn get(&self, key: &str) -> Result<Option<String>, Blocked> {
        storage()?.get_item(key).map_err(|_| Blocked)
    }

    fn set(&mut self, key: &str, text: &str) -> Result<(), Blocked> {
        storage()?.set_item(key, text).map_err(|_| Blocked)
    }
}

/// The day of the reader's calendar, counted from 1970.
pub(super) fn today() -> u32 {
    let now = Date::new_0();
    // Whole numbers below 2^53 are exact.
    let minutes = now.get_time() / 60_000.0 - now.get_timezone_offset();
    (minutes / 1440.0) as u32
}

/// What stands behind the `#` of the address.
pub(super) fn fragment() -> String {
    let hash = web_sys::window().and_then(|window| window.location().hash().ok());
    hash.unwrap_or_default().trim_start_matches('#').to_owned()
}
