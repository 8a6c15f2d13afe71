//! A folder for one test, gone when the test ends.

use std::fs;
use std::path::{Path, PathBuf};

/// Removes its folder when dropped.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// An empty folder of that name for this process.
    pub(crate) fn new(name: &str) -> Self {
        let at = std::env::temp_dir().join(format!("highwater-{name}-{}", std::process::id()));
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
