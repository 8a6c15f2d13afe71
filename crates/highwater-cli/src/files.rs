//! The files that a person means: folders and patterns of names become transcripts and lessons, and a transcript is
//! read with those that it continues.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use highwater_shell::lang::glob;
use highwater_shell::transcript::{Continued, Transcript};

/// A transcript as it was read.
#[derive(Debug)]
pub(crate) struct Read {
    /// By itself, as its file has it.
    pub(crate) own: Transcript,
    /// Behind those that it continues.
    pub(crate) continued: Continued,
}

/// Reads a transcript. What it continues lies beside it, with the same ending.
pub(crate) fn read(file: &Path) -> Result<Read, String> {
    let text = fs::read_to_string(file)
        .map_err(|error| format!("cannot read {}: {error}", file.display()))?;
    let named = |error: String| format!("{}: {error}", file.display());
    let own = Transcript::parse(&text).map_err(|error| named(error.to_string()))?;
    let beside = |name: &str| {
        let path = file.with_file_name(format!("{name}.console"));
        fs::read_to_string(&path).map_err(|error| {
            let path = path.display();
            format!(
                "it continues {name}, and {path} cannot be read: {error}; name a file beside it"
            )
        })
    };
    let continued = Continued::read(&text, &beside).map_err(named)?;
    Ok(Read { own, continued })
}

/// Whether a file is a lesson.
pub(crate) fn is_lesson(file: &Path) -> bool {
    file.extension().is_some_and(|ending| ending == "md")
}

fn is_lesson_or_transcript(path: &Path) -> bool {
    let is_prose = path.file_name().is_some_and(|name| name == "README.md");
    !is_prose && path.extension().is_some_and(|ending| ending == "console" || ending == "md")
}

/// The transcripts and lessons that are meant, each once, in the order in which they were named.
pub(crate) fn to_check(named: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut files: Vec<PathBuf> = Vec::new();
    for name in named {
        let mut found = Vec::new();
        for path in places(name)? {
            if path.is_dir() {
                add_below(&path, &mut found)?;
            } else {
                found.push(path);
            }
        }
        if found.is_empty() {
            return Err(format!("there is no .console file in {}", name.display()));
        }
        for file in found {
            if !files.contains(&file) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// Adds what is to be checked in a folder and in those below it, in the order of their names.
fn add_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), String> {
    for path in inside(folder)? {
        if is_folder(&path) {
            add_below(&path, files)?;
        } else if is_lesson_or_transcript(&path) {
            files.push(path);
        }
    }
    Ok(())
}

/// A folder of its own: a link to one may lead back up, without an end.
fn is_folder(path: &Path) -> bool {
    path.is_dir() && !path.is_symlink()
}

/// What is in a folder, by name.
fn inside(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder)
        .map_err(|error| format!("cannot read the folder {}: {error}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|it| Some(it.ok()?.path())).collect();
    paths.sort();
    Ok(paths)
}

/// What a name stands for: itself, or all that fit it as a pattern.
fn places(name: &Path) -> Result<Vec<PathBuf>, String> {
    let is_pattern = glob::is_pattern(name.as_os_str().as_encoded_bytes());
    if name.exists() || !is_pattern {
        return Ok(vec![name.to_owned()]);
    }
    let mut found = vec![PathBuf::new()];
    for part in name {
        let bytes = part.as_encoded_bytes();
        let mut next = Vec::new();
        for place in found {
            if bytes == b"**" {
                next.push(place.clone());
                add_folders_below(&place, &mut next)?;
            } else if glob::is_pattern(bytes) {
                let fits = |path: &PathBuf| {
                    let name = path.file_name().map(OsStr::as_encoded_bytes);
                    name.is_some_and(|name| glob::fits(bytes, name))
                };
                next.extend(within(&place)?.into_iter().filter(fits));
            } else {
                next.push(place.join(part));
            }
        }
        next.retain(|place| place.as_os_str().is_empty() || place.exists());
        found = next;
    }
    found.retain(|place| place.is_dir() || is_lesson_or_transcript(place));
    if found.is_empty() {
        return Err(format!("no file fits {}", name.display()));
    }
    Ok(found)
}

fn add_folders_below(folder: &Path, folders: &mut Vec<PathBuf>) -> Result<(), String> {
    for path in within(folder)?.into_iter().filter(|path| is_folder(path)) {
        folders.push(path.clone());
        add_folders_below(&path, folders)?;
    }
    Ok(())
}

/// What is in a place of a pattern: nothing, if it is a file; the working folder, if it has no name yet.
fn within(place: &Path) -> Result<Vec<PathBuf>, String> {
    if place.as_os_str().is_empty() {
        let bare = |path: PathBuf| path.strip_prefix(".").map(Path::to_owned).unwrap_or(path);
        return Ok(inside(Path::new("."))?.into_iter().map(bare).collect());
    }
    if place.is_dir() { inside(place) } else { Ok(Vec::new()) }
}
