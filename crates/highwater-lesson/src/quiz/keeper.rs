//! Where progress is kept, and what happens when that goes wrong: storage that is blocked or full, a text that was
//! damaged, another window that has written meanwhile.

use super::progress::{Ending, Progress};
use super::schedule::Schedule;

/// Where progress is kept.
pub const KEY: &str = "highwater:progress";
/// Where lines are set aside that could not be read.
pub const ASIDE: &str = "highwater:progress:aside";

/// A storage of texts, such as the browser's.
pub trait Store {
    /// The text of that name; `Err`: it cannot be read.
    ///
    /// # Errors
    /// Storage is blocked.
    fn get(&self, key: &str) -> Result<Option<String>, Blocked>;

    /// Keeps a text.
    ///
    /// # Errors
    /// Storage is blocked or full.
    fn set(&mut self, key: &str, text: &str) -> Result<(), Blocked>;
}

/// Storage does not do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Blocked;

/// Progress, and where it is kept.
#[derive(Debug)]
pub struct Keeper<S> {
    store: S,
    progress: Progress,
    /// Whether what is here is in storage too.
    is_kept: bool,
    /// Whether lines of it could not be read.
    was_damaged: bool,
    /// What was there before it was cleared.
    cleared: Option<Progress>,
    /// What the last file brought, in words.
    imported: Option<String>,
}

impl<S: Store> Keeper<S> {
    /// Opens what was kept. Lines that cannot be read are set aside first; where that cannot be done,
    /// nothing is written, so that nothing is lost.
    pub fn open(mut store: S) -> Self {
        let text = store.get(KEY);
        let found = text.as_ref().ok().and_then(Option::as_deref).unwrap_or_default();
        let (progress, strange) = Progress::read(found);
        let was_damaged = !strange.is_empty();
        let is_kept = if was_damaged {
            set_aside(&mut store, &strange).is_ok() && store.set(KEY, &progress.write()).is_ok()
        } else {
            text.is_ok()
        };
        Self { store, progress, is_kept, was_damaged, cleared: None, imported: None }
    }

    /// What is kept.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Notes how a question ended.
    pub fn note(&mut self, hash: u64, id: &str, ending: Ending, day: u32) {
        self.look_again();
        self.progress.note(hash, id, ending, day);
        self.keep();
    }

    /// Notes when a card comes back.
    pub fn note_card(&mut self, hash: u64, lesson: &str, schedule: Schedule, day: u32) {
        self.look_again();
        self.progress.note_card(hash, lesson, schedule, day);
        self.keep();
    }

    /// Takes along what was kept under older hashes of a question.
    pub fn rename(&mut self, was: &[u64], hash: u64) {
        let before = self.progress.question(hash).is_some();
        was.iter().for_each(|was| self.progress.rename(*was, hash));
        if before != self.progress.question(hash).is_some() {
            self.keep();
        }
    }

    /// Forgets everything, until [`Keeper::undo`].
    pub fn clear(&mut self) {
        self.look_again();
        self.cleared = Some(std::mem::take(&mut self.progress));
        self.keep();
    }

    /// Whether there is something to be undone.
    pub fn can_undo(&self) -> bool {
        self.cleared.is_some()
    }

    /// Brings back what was cleared.
    pub fn undo(&mut self) {
        if let Some(before) = self.cleared.take() {
            self.look_again();
            self.progress.merge(before);
            self.keep();
        }
    }

    /// The file that takes progress elsewhere.
    pub fn export(&self) -> String {
        self.progress.write()
    }

    /// Takes a file in.
    pub fn import(&mut self, text: &str) {
        let (other, strange) = Progress::read(text);
        let said = match (other.is_empty(), strange.len()) {
            (true, _) => "There is no progress in this file. Nothing has changed.".to_owned(),
            (false, 0) => "The answers of the file are here now.".to_owned(),
            (false, _) => {
                "The answers of the file are here now. Some of its lines could not be read \
                           and were left out; the file itself has not changed."
                    .to_owned()
            }
        };
        (self.imported, self.cleared) = (Some(said), None);
        self.look_again();
        self.progress.merge(other);
        self.keep();
    }

    /// A file could not be opened.
    pub fn import_failed(&mut self) {
        self.imported = Some("This file could not be read. Nothing has changed.".to_owned());
    }

    /// Where the answers are, in a sentence or two.
    pub fn says(&self) -> &'static str {
        match (self.is_kept, self.was_damaged) {
            (true, false) => "Your answers are kept in this browser and nowhere else.",
            (true, true) => {
                "Part of what was kept here could not be read. It is set aside in this browser; \
                 what could be read is here."
            }
            (false, _) => {
                "This browser lets the page keep nothing, so your answers are gone when you leave it. \
                 You can save them to a file."
            }
        }
    }

    /// What the last file brought, or that all was cleared.
    pub fn news(&self) -> &str {
        match (&self.imported, &self.cleared) {
            (_, Some(_)) => "Your answers are cleared.",
            (Some(said), None) => said,
            (None, None) => "",
        }
    }

    /// Another page may have written while this one waited to be gone back to.
    pub fn refresh(&mut self) {
        self.look_again();
    }

    /// Another window may have written.
    fn look_again(&mut self) {
        let Ok(Some(text)) = self.store.get(KEY) else { return };
        let (other, strange) = Progress::read(&text);
        self.progress.merge(other);
        if !strange.is_empty() {
            self.was_damaged = true;
            self.is_kept = set_aside(&mut self.store, &strange).is_ok();
        }
    }

    fn keep(&mut self) {
        // What could not be set aside must stay where it is.
        if self.is_kept || !self.was_damaged {
            self.is_kept = self.store.set(KEY, &self.progress.write()).is_ok();
        }
    }
}

/// Adds lines to what was set aside before.
fn set_aside(store: &mut impl Store, strange: &[String]) -> Result<(), Blocked> {
    let mut aside = store.get(ASIDE)?.unwrap_or_default();
    for line in strange {
        if !aside.lines().any(|known| known == line) {
            aside.push_str(line);
            aside.push('\n');
        }
    }
    store.set(ASIDE, &aside)
}
