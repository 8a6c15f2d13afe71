//! A folder for one test, gone when the test ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// Tests run side by side, so that each folder has its number.
static MADE: AtomicU32 = AtomicU32::new(0);

/// Removes its folder when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder whose name begins so, and that nobody else has.
    pub(crate) fn new(name: &str) -> Self {
        let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let at = std::env::temp_dir().join(format!("highwater-{name}-{process}-{number}"));
        let _ = fs::remove_dir_all(&at);
        fs::create_dir_all(&at).expect("the temporary folder can be written");
        Self(at)
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
