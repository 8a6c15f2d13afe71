//! How a tool gets into the cache: built in a temporary folder, stamped, renamed into place under a
//! lock. A folder without its stamp is a half-finished install: it is noticed and done again. A new
//! install takes the place of older ones.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::trouble::{OrSay, Outcome};

const STAMP: &str = ".installed";

/// Contents without an order, the digests of lock files, are old after this time. Until then two
/// clones at different commits must not take turns in undoing each other's install.
const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder of the cache that holds one tool at one version.
pub(crate) struct Slot {
    tools: PathBuf,
    tool: String,
    /// What exactly is in it: a version or a digest. Another content is another install.
    content: String,
}

impl Slot {
    /// The slot of a tool whose content is `content`.
    pub(crate) fn new(cache: &Path, tool: &str, content: &str) -> Self {
        Self { tools: cache.join("tools"), tool: tool.to_owned(), content: content.to_owned() }
    }

    fn name(&self) -> String {
        format!("{}-{}", self.tool, self.content)
    }

    /// Where the tool stands once it is installed.
    pub(crate) fn folder(&self) -> PathBuf {
        self.tools.join(self.name())
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
            println!("  {}: an install that was not finished is done again", self.name());
        }
        let partial = self.tools.join(format!("{}.partial", self.name()));
        remove(&partial)?;
        fs::create_dir_all(&partial).or_say(|| format!("create {}", partial.display()))?;
        install(&partial)?;
        fs::write(partial.join(STAMP), &self.content)
            .or_say(|| format!("write into {}", partial.display()))?;
        remove(&folder)?;
        fs::rename(&partial, &folder).or_say(|| format!("move {} into place", self.name()))?;
        self.remove_older()?;
        Ok(folder)
    }

    /// Called under the lock, so that nobody is installing what is removed.
    fn remove_older(&self) -> Outcome {
        let listing = || format!("list {}", self.tools.display());
        for entry in fs::read_dir(&self.tools).or_say(listing)? {
            let folder = entry.or_say(listing)?.path();
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let of_tool = name.strip_prefix(&self.tool).and_then(|rest| rest.strip_prefix('-'));
            if of_tool.is_some_and(|content| self.is_older(content, &folder)) {
                println!("  removing {name} from the cache: {} has taken its place", self.name());
                remove(&folder)?;
            }
        }
        Ok(())
    }

    /// A version is older than ours by its numbers: who goes back to an older commit for a while
    /// keeps the newer tool. What is left of an install that was not finished counts as its version.
    fn is_older(&self, content: &str, folder: &Path) -> bool {
        let version = content.trim_end_matches(".build").trim_end_matches(".partial");
        match (numbers(version), numbers(&self.content)) {
            (Some(theirs), Some(ours)) => theirs < ours,
            (None, None) => {
                let is_digest = content.len() == self.content.len() && content != self.content;
                is_digest && age(&folder.join(STAMP)).is_some_and(|age| age > A_DAY)
            }
            _ => false,
        }
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

/// The numbers of a version such as `0.21.14`.
fn numbers(version: &str) -> Option<Vec<u32>> {
    version.split('.').map(|part| part.parse().ok()).collect()
}

fn age(file: &Path) -> Option<Duration> {
    SystemTime::now().duration_since(fs::metadata(file).ok()?.modified().ok()?).ok()
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
        let slot = Slot::new(cache.path(), "tool", "1");
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
        let slot = Slot::new(cache.path(), "tool", "1");
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
    /// The folders of a cache, as their names, without the lock.
    fn names(cache: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(cache.join("tools"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != ".lock")
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_version_takes_the_place_of_older_ones() {
        let cache = Scratch::new("stamp-older");
        for (tool, version) in [("trunk", "0.9.2"), ("trunk", "0.30.0"), ("trunk-extra", "0.1.0")] {
            Slot::new(cache.path(), tool, version).ensure(install_ok).unwrap();
        }
        // An install of an older version that was stopped in the middle.
        fs::create_dir_all(cache.path().join("tools/trunk-0.10.1.build")).unwrap();
        Slot::new(cache.path(), "trunk", "0.21.14").ensure(install_ok).unwrap();
        assert_eq!(names(cache.path()), ["trunk-0.21.14", "trunk-0.30.0", "trunk-extra-0.1.0"]);
    }

    #[test]
    fn an_older_version_stays_while_a_newer_one_cannot_be_installed() {
        let cache = Scratch::new("stamp-kept");
        Slot::new(cache.path(), "trunk", "1.0.0").ensure(install_ok).unwrap();
        let fails = |_: &Path| -> Outcome { Err(Trouble::new("no network")) };
        assert!(Slot::new(cache.path(), "trunk", "1.0.1").ensure(fails).is_err());
        assert!(Slot::new(cache.path(), "trunk", "1.0.0").is_ready());
    }

    #[test]
    fn packages_of_another_lock_file_go_after_a_day() {
        let cache = Scratch::new("stamp-digests");
        let slot = |digest| Slot::new(cache.path(), "npm", digest);
        for digest in ["00000000aaaaaaaa", "00000000bbbbbbbb"] {
            slot(digest).ensure(install_ok).unwrap();
        }
        assert_eq!(names(cache.path()).len(), 2, "both clones are at work");
        let stamp =
            File::options().append(true).open(slot("00000000aaaaaaaa").folder().join(STAMP));
        stamp.unwrap().set_modified(SystemTime::now() - 2 * A_DAY).unwrap();
        slot("00000000cccccccc").ensure(install_ok).unwrap();
        assert_eq!(names(cache.path()), ["npm-00000000bbbbbbbb", "npm-00000000cccccccc"]);
    }
}
