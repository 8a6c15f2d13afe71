//! `ls`, `rm`, `touch`, `mkdir`: files and folders by name.

use highwater_core::world::files::{FileError, FileKind};
use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::Ended;
use crate::tool::small::getopt::{Known, quoted};
use crate::tool::small::lines::put;

/// What went wrong so far.
struct Complaints {
    text: String,
    status: u8,
}

impl Complaints {
    fn new() -> Self {
        Self { text: String::new(), status: 0 }
    }

    fn add(&mut self, status: u8, what: &str) {
        self.text.push_str(what);
        self.text.push('\n');
        self.status = self.status.max(status);
    }

    fn end(self, out: &mut Out<'_>) -> Ended {
        if !self.text.is_empty() {
            out.write(Fd::Stderr, self.text);
        }
        Ended(self.status)
    }
}

/// A name as GNU's `ls` and `rm` put it between quotes.
fn named(path: &[u8]) -> String {
    format!("'{}'", String::from_utf8_lossy(path))
}

pub(super) fn ls(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    const KNOWN: Known = Known {
        tool: "ls",
        short: "1aArdp",
        long: &[("all", b'a'), ("almost-all", b'A'), ("reverse", b'r'), ("directory", b'd')],
        status: 2,
    };
    let given = match KNOWN.read(arguments, out) {
        Ok(given) => given,
        Err(ended) => return ended,
    };
    let mut complaints = Complaints::new();
    let mut paths = given.operands.clone();
    if paths.is_empty() {
        paths.push(b".".to_vec());
    }
    paths.sort();
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for path in &paths {
        match out.file_kind(path) {
            Ok(FileKind::Directory) if !given.has(b'd') => folders.push(path.clone()),
            Ok(_) => files.push(path.clone()),
            Err(error) => {
                complaints.add(2, &format!("ls: cannot access {}: {error}", named(path)));
            }
        }
    }
    let mut text = Vec::new();
    let show = |mut names: Vec<Vec<u8>>, text: &mut Vec<u8>| {
        if given.has(b'r') {
            names.reverse();
        }
        names.iter().for_each(|name| put(name, text));
    };
    show(files, &mut text);
    let has_titles = paths.len() > 1;
    for folder in folders {
        let mut names = out.list_files(&folder).unwrap_or_default();
        if given.has(b'a') {
            names.extend([b".".to_vec(), b"..".to_vec()]);
            names.sort();
        } else if !given.has(b'A') {
            names.retain(|name| name.first() != Some(&b'.'));
        }
        if has_titles {
            let gap = if text.is_empty() { b"".as_slice() } else { b"\n" };
            put(&[gap, &folder, b":"].concat(), &mut text);
        }
        show(names, &mut text);
    }
    let ended = complaints.end(out);
    if !text.is_empty() {
        out.write(Fd::Stdout, text);
    }
    ended
}

pub(super) fn rm(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    const KNOWN: Known = Known {
        tool: "rm",
        short: "frRvdi",
        long: &[("force", b'f'), ("recursive", b'r')],
        status: 1,
    };
    let given = match KNOWN.read(arguments, out) {
        Ok(given) => given,
        Err(ended) => return ended,
    };
    let (force, recursive) = (given.has(b'f'), given.has(b'r') || given.has(b'R'));
    if given.operands.is_empty() && !force {
        return KNOWN.wrong(format_args!("missing operand"), out);
    }
    let mut complaints = Complaints::new();
    for path in &given.operands {
        let result = match out.file_kind(path) {
            Ok(FileKind::Directory) if !recursive => Err(FileError::IsDirectory),
            Ok(FileKind::Directory) => remove_all(path, out),
            Ok(_) => out.remove_file(path),
            Err(error) => Err(error),
        };
        match result {
            Err(FileError::NotFound) if force => {}
            Err(error) => complaints.add(1, &format!("rm: cannot remove {}: {error}", named(path))),
            Ok(()) => {}
        }
    }
    complaints.end(out)
}

/// Removes a folder with all that is in it.
fn remove_all(path: &[u8], out: &mut Out<'_>) -> Result<(), FileError> {
    let mut open = vec![path.to_vec()];
    while let Some(path) = open.last().cloned() {
        let inside = match out.file_kind(&path)? {
            FileKind::Directory => out.list_files(&path)?,
            _ => Vec::new(),
        };
        if inside.is_empty() {
            out.remove_file(&path)?;
            open.pop();
        }
        open.extend(inside.iter().map(|name| [path.as_slice(), b"/", name].concat()));
    }
    Ok(())
}

pub(super) fn touch(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    const KNOWN: Known = Known { tool: "touch", short: "c", long: &[], status: 1 };
    let given = match KNOWN.read(arguments, out) {
        Ok(given) => given,
        Err(ended) => return ended,
    };
    if given.operands.is_empty() {
        return KNOWN.wrong(format_args!("missing file operand"), out);
    }
    let mut complaints = Complaints::new();
    for path in &given.operands {
        let is_there = out.file_kind(path).is_ok();
        if !is_there
            && !given.has(b'c')
            && let Err(error) = out.open_file(path, false)
        {
            complaints.add(1, &format!("touch: cannot touch {}: {error}", named(path)));
        }
    }
    complaints.end(out)
}

pub(super) fn mkdir(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Ended {
    const KNOWN: Known = Known { tool: "mkdir", short: "p", long: &[("parents", b'p')], status: 1 };
    let given = match KNOWN.read(arguments, out) {
        Ok(given) => given,
        Err(ended) => return ended,
    };
    if given.operands.is_empty() {
        return KNOWN.wrong(format_args!("missing operand"), out);
    }
    let mut complaints = Complaints::new();
    for path in &given.operands {
        let result = if given.has(b'p') { make_all(path, out) } else { out.make_directory(path) };
        if let Err(error) = result {
            let path = quoted(path);
            complaints.add(1, &format!("mkdir: cannot create directory {path}: {error}"));
        }
    }
    complaints.end(out)
}

/// Makes a folder and those above it.
fn make_all(path: &[u8], out: &mut Out<'_>) -> Result<(), FileError> {
    let ends = path.iter().enumerate().filter(|(place, byte)| **byte == b'/' && *place > 0);
    let ends: Vec<usize> = ends.map(|(place, _)| place).chain([path.len()]).collect();
    for end in ends {
        match out.make_directory(&path[..end]) {
            Err(FileError::Exists) if out.file_kind(&path[..end]) == Ok(FileKind::Directory) => {}
            result => result?,
        }
    }
    Ok(())
}
