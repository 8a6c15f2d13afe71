//! The files that commands see: folders and bytes under absolute paths, in memory.
//!
//! Decides what a path means and what can go wrong with it, in the words of Linux. Shared by `Rc`, so
//! that a checkpoint copies one pointer. Who may touch which file is not asked: there is one user.

use std::fmt;
use std::rc::Rc;

use crate::sorted_map::SortedMap;

/// The folder in which a terminal's shell begins.
pub const HOME: &[u8] = b"/learner";

/// Bytes that all files may hold together.
const MOST_BYTES: u64 = 64 << 20;
/// Names that there may be.
const MOST_NAMES: usize = 10_000;

/// A file's number. It stays when the file gets another name, and ends with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// A folder.
    Directory,
    /// A file with bytes.
    File,
    /// `/dev/null`.
    Null,
}

/// Why a file cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    /// ENOENT
    NotFound,
    /// EISDIR
    IsDirectory,
    /// ENOTDIR
    NotDirectory,
    /// EEXIST
    Exists,
    /// ENOTEMPTY
    NotEmpty,
    /// ENOSPC
    NoSpace,
    /// EBUSY
    Busy,
    /// EROFS: brokers' folders are only looked at.
    ReadOnly,
}

/// All files.
#[derive(Clone, Debug)]
pub struct Files {
    names: Rc<SortedMap<Vec<u8>, Node>>,
    next: u32,
    bytes: u64,
}

#[derive(Clone, Debug)]
enum Node {
    Directory,
    Null,
    File(FileId, Rc<Vec<u8>>),
}

impl Default for Files {
    fn default() -> Self {
        let folders = [b"/".as_slice(), b"/dev", HOME, b"/tmp"];
        let names = folders.into_iter().map(|path| (path.to_vec(), Node::Directory));
        let null = std::iter::once((b"/dev/null".to_vec(), Node::Null));
        Self { names: Rc::new(names.chain(null).collect()), next: 1, bytes: 0 }
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NotFound => "No such file or directory",
            Self::IsDirectory => "Is a directory",
            Self::NotDirectory => "Not a directory",
            Self::Exists => "File exists",
            Self::NotEmpty => "Directory not empty",
            Self::NoSpace => "No space left on device",
            Self::Busy => "Device or resource busy",
            Self::ReadOnly => "Read-only file system",
        })
    }
}

impl std::error::Error for FileError {}

/// The absolute path that a path means in a folder: `.`, `..` and double slashes are resolved.
#[must_use]
pub fn absolute(directory: &[u8], path: &[u8]) -> Vec<u8> {
    let from = if path.first() == Some(&b'/') { b"".as_slice() } else { directory };
    let mut whole: Vec<u8> = Vec::new();
    let parts = from.split(|byte| *byte == b'/').chain(path.split(|byte| *byte == b'/'));
    for part in parts {
        match part {
            b"" | b"." => {}
            b".." => whole.truncate(parent(&whole).len()),
            name => {
                whole.push(b'/');
                whole.extend_from_slice(name);
            }
        }
    }
    if whole.is_empty() { b"/".to_vec() } else { whole }
}

/// What stands before the last slash.
fn parent(path: &[u8]) -> &[u8] {
    let slash = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
    &path[..slash]
}

/// The parent's own path; that of `/` is `/`.
fn parent_path(path: &[u8]) -> &[u8] {
    let parent = parent(path);
    if parent.is_empty() { b"/" } else { parent }
}

impl Files {
    fn node(&self, path: &[u8]) -> Result<&Node, FileError> {
        self.names.get_bytes(path).ok_or_else(|| self.missing(path))
    }

    /// Why there is nothing: a file where a folder is needed, or no such name.
    fn missing(&self, path: &[u8]) -> FileError {
        let mut above = parent_path(path);
        loop {
            match self.names.get_bytes(above) {
                Some(Node::Directory) => return FileError::NotFound,
                Some(_) => return FileError::NotDirectory,
                None => above = parent_path(above),
            }
        }
    }

    /// What an absolute path leads to.
    ///
    /// # Errors
    /// There is nothing.
    pub fn kind(&self, path: &[u8]) -> Result<FileKind, FileError> {
        Ok(match self.node(path)? {
            Node::Directory => FileKind::Directory,
            Node::Null => FileKind::Null,
            Node::File(..) => FileKind::File,
        })
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// There is none, or it is a folder.
    pub fn read(&self, path: &[u8]) -> Result<Rc<Vec<u8>>, FileError> {
        match self.node(path)? {
            Node::File(_, bytes) => Ok(Rc::clone(bytes)),
            Node::Null => Ok(Rc::default()),
            Node::Directory => Err(FileError::IsDirectory),
        }
    }

    /// The names in a folder, in the order of their bytes.
    ///
    /// # Errors
    /// There is none, or it is a file.
    pub fn list(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, FileError> {
        let Node::Directory = self.node(path)? else { return Err(FileError::NotDirectory) };
        let inside = |name: &&Vec<u8>| name.len() > 1 && parent_path(name) == path;
        let start = path.len() + usize::from(path.len() > 1);
        Ok(self.names.keys().filter(inside).map(|name| name[start..].to_vec()).collect())
    }

    /// Opens a file to write at its end; makes it if there is none. `None`: `/dev/null`.
    ///
    /// # Errors
    /// Its folder is missing, it is a folder, or there are too many files.
    pub fn open(&mut self, path: &[u8], empties: bool) -> Result<Option<FileId>, FileError> {
        match self.names.get_bytes(path) {
            Some(Node::Directory) => return Err(FileError::IsDirectory),
            Some(Node::Null) => return Ok(None),
            Some(Node::File(id, bytes)) => {
                let (id, length) = (*id, bytes.len());
                if empties && length > 0 {
                    self.bytes -= length as u64;
                    self.put(path, Node::File(id, Rc::default()));
                }
                return Ok(Some(id));
            }
            None => {}
        }
        self.make_room_for(path)?;
        let id = FileId(self.next);
        self.next += 1;
        self.put(path, Node::File(id, Rc::default()));
        Ok(Some(id))
    }

    /// Adds bytes at the end of an open file. A file that was removed takes them and forgets them.
    ///
    /// # Errors
    /// The files are full.
    pub fn append(&mut self, id: FileId, more: &[u8]) -> Result<(), FileError> {
        if self.bytes.saturating_add(more.len() as u64) > MOST_BYTES {
            return Err(FileError::NoSpace);
        }
        let of_file = |node: &&mut Node| matches!(node, Node::File(known, _) if *known == id);
        if let Some(Node::File(_, bytes)) = Rc::make_mut(&mut self.names).values_mut().find(of_file)
        {
            Rc::make_mut(bytes).extend_from_slice(more);
            self.bytes += more.len() as u64;
        }
        Ok(())
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// The name is taken, the folder above is missing, or there are too many names.
    pub fn make_directory(&mut self, path: &[u8]) -> Result<(), FileError> {
        if self.names.get_bytes(path).is_some() {
            return Err(FileError::Exists);
        }
        self.make_room_for(path)?;
        self.put(path, Node::Directory);
        Ok(())
    }

    /// Removes a file, or a folder with nothing in it.
    ///
    /// # Errors
    /// There is nothing of that name, it is not empty, or Highwater itself needs it.
    pub fn remove(&mut self, path: &[u8]) -> Result<(), FileError> {
        let bytes = match self.node(path)? {
            Node::File(_, bytes) => bytes.len(),
            Node::Null => return Err(FileError::Busy),
            Node::Directory if !self.list(path)?.is_empty() => return Err(FileError::NotEmpty),
            Node::Directory if path == HOME || parent_path(path) == b"/" => {
                return Err(FileError::Busy);
            }
            Node::Directory => 0,
        };
        self.bytes -= bytes as u64;
        Rc::make_mut(&mut self.names).remove(&path.to_vec());
        Ok(())
    }

    fn make_room_for(&self, path: &[u8]) -> Result<(), FileError> {
        match self.node(parent_path(path))? {
            Node::Directory if self.names.len() < MOST_NAMES => Ok(()),
            Node::Directory => Err(FileError::NoSpace),
            _ => Err(FileError::NotDirectory),
        }
    }

    fn put(&mut self, path: &[u8], node: Node) {
        Rc::make_mut(&mut self.names).insert(path.to_vec(), node);
    }
}

impl SortedMap<Vec<u8>, Node> {
    /// As `get`, without a vector to look with.
    fn get_bytes(&self, path: &[u8]) -> Option<&Node> {
        self.get(&path.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Paths as a kernel without links resolves them.
    #[test]
    fn paths() {
        for (directory, path, expected) in [
            ("/srv/a", "b", "/srv/a/b"),
            ("/srv/a", "/b", "/b"),
            ("/srv/a", "../b/./c//d/", "/srv/b/c/d"),
            ("/", "..", "/"),
            ("/", "../../x", "/x"),
            ("/", ".", "/"),
            ("/a", "", "/a"),
        ] {
            let whole = absolute(directory.as_bytes(), path.as_bytes());
            assert_eq!(whole, expected.as_bytes(), "{directory} {path}");
        }
    }

    /// What can be done with a name, and in which words it fails.
    #[test]
    fn files_and_folders() {
        let mut files = Files::default();
        let id = files.open(b"/tmp/a", false).unwrap().unwrap();
        files.append(id, b"one\n").unwrap();
        let before = files.clone();
        assert_eq!(files.open(b"/tmp/a", false), Ok(Some(id)));
        files.append(id, b"two\n").unwrap();
        assert_eq!(*files.read(b"/tmp/a").unwrap(), b"one\ntwo\n");
        assert_eq!(*before.read(b"/tmp/a").unwrap(), b"one\n");
        files.open(b"/tmp/a", true).unwrap();
        assert!(files.read(b"/tmp/a").unwrap().is_empty());
        assert_eq!(files.read(b"/tmp"), Err(FileError::IsDirectory));
        assert_eq!(files.read(b"/tmp/a/b"), Err(FileError::NotDirectory));
        assert_eq!(files.read(b"/tmp/x/b"), Err(FileError::NotFound));
        assert_eq!(files.open(b"/tmp/x/b", false), Err(FileError::NotFound));
        assert_eq!(files.open(b"/dev/null", true), Ok(None));
        files.make_directory(b"/tmp/d").unwrap();
        assert_eq!(files.make_directory(b"/tmp/d"), Err(FileError::Exists));
        files.open(b"/tmp/d/z", false).unwrap();
        assert_eq!(files.list(b"/tmp"), Ok(vec![b"a".to_vec(), b"d".to_vec()]));
        let top = [b"dev".to_vec(), b"learner".to_vec(), b"tmp".to_vec()];
        assert_eq!(files.list(b"/"), Ok(top.to_vec()));
        assert_eq!(files.list(b"/tmp/a"), Err(FileError::NotDirectory));
        assert_eq!(files.remove(b"/tmp/d"), Err(FileError::NotEmpty));
        files.remove(b"/tmp/d/z").unwrap();
        files.remove(b"/tmp/d").unwrap();
        assert_eq!(files.remove(b"/tmp"), Err(FileError::NotEmpty));
        files.remove(b"/tmp/a").unwrap();
        files.append(id, b"lost").unwrap();
        assert_eq!(files.remove(b"/tmp"), Err(FileError::Busy));
    }

    /// Files take a bounded amount of memory.
    #[test]
    fn they_are_bounded() {
        let mut files = Files::default();
        let id = files.open(b"/tmp/a", false).unwrap().unwrap();
        assert_eq!(files.append(id, &vec![0; MOST_BYTES as usize + 1]), Err(FileError::NoSpace));
        assert_eq!(files.append(id, &[0; 1000]), Ok(()));
        for number in 0..MOST_NAMES {
            let _ = files.make_directory(format!("/tmp/{number}").as_bytes());
        }
        assert_eq!(files.make_directory(b"/tmp/one-more"), Err(FileError::NoSpace));
    }
}
