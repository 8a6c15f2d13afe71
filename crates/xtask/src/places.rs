//! Where things are: the repository, the site, the cache. Nothing here creates or changes a file.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::trouble::{OrSay, Outcome, Trouble};

/// The root of the repository that this xtask was built from.
pub(crate) fn root() -> PathBuf {
    let here = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    // crates/xtask is two folders below the root; trunk's hook runs us with the root as its own.
    here.ancestors()
        .find(|at| at.join("rust-toolchain.toml").is_file())
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), Path::to_path_buf)
}

/// Where the built site stands.
pub(crate) fn dist() -> PathBuf {
    root().join("dist")
}

/// The folder outside the repository that keeps installed tools: `$HIGHWATER_CACHE`, else
/// `highwater` in the user's cache folder.
pub(crate) fn cache() -> Outcome<PathBuf> {
    let var = |name: &str| env::var_os(name).filter(|v| !v.is_empty()).map(PathBuf::from);
    if let Some(own) = var("HIGHWATER_CACHE") {
        return std::path::absolute(own)
            .map_err(|e| Trouble::new(format!("HIGHWATER_CACHE is not a usable path: {e}.")));
    }
    var("XDG_CACHE_HOME")
        .filter(|at| at.is_absolute())
        .or_else(|| var("HOME").map(|home| home.join(".cache")))
        .map(|at| at.join("highwater"))
        .ok_or_else(|| {
            Trouble::new(
                "There is no home folder to keep tools in; set HIGHWATER_CACHE to a folder.",
            )
        })
}

/// Every file in a folder and in the folders below it, in order.
pub(crate) fn files_below(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    let entries = fs::read_dir(folder).or_say(|| format!("list {}", folder.display()))?;
    for entry in entries {
        let path = entry.or_say(|| format!("list {}", folder.display()))?.path();
        if path.is_dir() {
            files.extend(files_below(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
