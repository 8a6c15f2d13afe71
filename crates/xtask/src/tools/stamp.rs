//! How a tool gets into the cache: built in a temporary folder, stamped, renamed into place under a
//! lock. A folder without its stamp is a half-finished install: it is noticed and done again.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::trouble::{OrSay, Outcome};

const STAMP: &str = ".installed";

/// A folder of the cache that holds one tool at one version.
pub(crate) struct Slot {
    tools: PathBuf,
    name: String,
    /// What exactly is in it: a version or a digest. Another content is another install.
    content: String,
}

impl Slot {
    /// The slot of `name` whose content is `content`.
    pub(crate) fn new(cache: &Path, name: &str, content: &str) -> Self {
        Self { tools: cache.join("tools"), name: name.to_owned(), content: content.to_owned() }
    }

    /// Where the tool stands once it is installed.
    pub(crate) fn folder(&self) -> PathBuf {
        self.tools.join(&self.name)
    }

    /// Whether a whole install of this very content stands there.
    pub(crate) fn is_ready(&self) -> bool {
        fs::read_to_string(self.folder().join(STAMP)).is_ok_and(|s| s == self.content)
    }

    /// Installs unless ready. `install` fills the folder it is given; that folder is renamed into
    /// place only when it succeeded, and only one install runs at a time on this cache.
    pub(crate) fn ensure(&self, install: impl FnOnce(&Path) -> Outcome) -> Outcome<PathBuf> {
        let folder = self.folder();
        if self.is_ready() {
            return Ok(folder);
        }
        fs::create_dir_all(&self.tools).or_say(|| format!("create {}", self.tools.display()))?;
        let _lock = self.lock()?;
        if self.is_ready() {
            return Ok(folder);
        }
        if folder.exists() {
            println!("  {}: an install that is old or was not finished is done again", self.name);
        }
        let partial = self.tools.join(format!("{}.partial", self.name));
        remove(&partial)?;
        fs::create_dir_all(&partial).or_say(|| format!("create {}", partial.display()))?;
        install(&partial)?;
        fs::write(partial.join(STAMP), &self.content)
            .or_say(|| format!("write into {}", partial.display()))?;
        remove(&folder)?;
        fs::rename(&partial, &folder).or_say(|| format!("move {} into place", self.name))?;
        Ok(folder)
    }

    /// Held while installing; the system lets go of it when the process ends, however it ends.
    fn lock(&self) -> Outcome<File> {
        let path = self.tools.join(".lock");
        let file = File::create(&path).or_say(|| format!("create {}", path.display()))?;
        if file.try_lock().is_err() {
            println!("  waiting for another xtask that is installing");
            file.lock().or_say(|| format!("lock {}", path.display()))?;
        }
        Ok(file)
    }
}

/// Removes a folder with all that is in it; a missing one is fine.
pub(crate) fn remove(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => {
            Err(e).or_say(|| format!("remove {}", folder.display()))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scratch::Scratch;
    use crate::trouble::Trouble;

    fn install_ok(into: &Path) -> Outcome {
        fs::write(into.join("tool"), "works").or_say(|| "write".to_owned())
    }

    #[test]
    fn a_half_finished_install_is_noticed_and_redone() {
        let cache = Scratch::new("stamp-half");
        let slot = Slot::new(cache.path(), "tool-1", "1");
        // Someone's install died: files but no stamp.
        fs::create_dir_all(slot.folder()).unwrap();
        fs::write(slot.folder().join("tool"), "half").unwrap();
        assert!(!slot.is_ready());
        let folder = slot.ensure(install_ok).unwrap();
        assert_eq!(fs::read_to_string(folder.join("tool")).unwrap(), "works");
        assert!(slot.is_ready());
    }

    #[test]
    fn a_failed_install_leaves_nothing_that_looks_ready() {
        let cache = Scratch::new("stamp-failed");
        let slot = Slot::new(cache.path(), "tool-1", "1");
        let failed = slot.ensure(|into| {
            install_ok(into)?;
            Err(Trouble::new("no network"))
        });
        assert!(failed.is_err());
        assert!(!slot.is_ready() && !slot.folder().exists());
        slot.ensure(install_ok).unwrap();
        assert!(slot.is_ready());
    }

    #[test]
    fn ready_is_not_installed_again_but_other_content_is() {
        let cache = Scratch::new("stamp-again");
        Slot::new(cache.path(), "tool", "1").ensure(install_ok).unwrap();
        let never = |_: &Path| -> Outcome { Err(Trouble::new("was called")) };
        Slot::new(cache.path(), "tool", "1").ensure(never).unwrap();
        assert!(Slot::new(cache.path(), "tool", "2").ensure(never).is_err());
    }
}
