//! Where runs are kept: each window of the Lab has a place of its own in the browser's storage, of a few.
//!
//! A window that opens reads its own place, else the newest one, and writes only into a place that no living window
//! uses: an empty one, else the one that was written longest ago. Who lives is the browser's to say.

use highwater_core::sorted_map::sort_by_key;

use crate::lab::{KEPT_DAMAGED, KEPT_RUN};

/// How many places there are.
pub const MOST: u32 = 8;

/// What stands before the moment of writing.
const AT: &str = "at=";

/// The name in storage of something that is kept at a place. What is set aside belongs to nobody.
#[must_use]
pub fn name(key: &str, place: u32) -> String {
    if place <= 1 || key == KEPT_DAMAGED { key.to_owned() } else { format!("{key}-{place}") }
}

/// A text with the moment at which it is written, in ms.
#[must_use]
pub fn written(text: &str, ms: u64) -> String {
    format!("{AT}{ms}&{text}")
}

/// Every place with a run, and when that was written; an unknown moment is the oldest.
fn runs(read: impl Fn(&str) -> Option<String>) -> Vec<(u32, u64)> {
    let moment = |text: &str| text.strip_prefix(AT)?.split('&').next()?.parse().ok();
    let run = |place| Some((place, moment(&read(&name(KEPT_RUN, place))?).unwrap_or(0)));
    (1..=MOST).filter_map(run).collect()
}

/// The place that a window reads: its own if something is kept there, else the newest.
#[must_use]
pub fn to_read(own: Option<u32>, read: impl Fn(&str) -> Option<String>) -> Option<u32> {
    let runs = runs(read);
    let own = runs.iter().find(|(place, _)| Some(*place) == own);
    own.or_else(|| runs.iter().max_by_key(|(_, at)| *at)).map(|(place, _)| *place)
}

/// The places that a window may write, the best first: its own, then empty ones, then the oldest.
#[must_use]
pub fn to_write(own: Option<u32>, read: impl Fn(&str) -> Option<String>) -> Vec<u32> {
    let runs = runs(read);
    let mut places: Vec<u32> = (1..=MOST).collect();
    sort_by_key(&mut places, |place| {
        let at = runs.iter().find(|(known, _)| known == place).map(|(_, at)| *at);
        (Some(*place) != own, at)
    });
    places
}
