//! Files as a process sees them: paths are taken from its folder.
//!
//! All ways of a command to a file go through here, and take effect at once. What is not kept as
//! bytes but made of a broker's log when somebody looks (`/tmp/kafka-logs-1`) joins in `read_file`,
//! `list_files` and `file_kind`.

use std::rc::Rc;

use crate::world::files::{FileError, FileKind, Files, HOME, absolute};
use crate::world::process::{FdTarget, Process, ProcessOutbox};

/// The files, and the folder of a process among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) files: Files,
    /// `None`: where every process begins.
    pub(super) directory: Option<Rc<[u8]>>,
}

impl Place {
    fn directory(&self) -> &[u8] {
        self.directory.as_deref().unwrap_or(HOME)
    }

    fn path(&self, path: &[u8]) -> Result<Vec<u8>, FileError> {
        // An empty path means nothing, not the folder itself.
        if path.is_empty() {
            Err(FileError::NotFound)
        } else {
            Ok(absolute(self.directory(), path))
        }
    }
}

impl<P: Process> ProcessOutbox<'_, P> {
    /// The folder of this process.
    #[must_use]
    pub fn directory(&self) -> &[u8] {
        self.place.directory()
    }

    /// Goes to another folder, with all processes that it starts from now on.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn change_directory(&mut self, path: &[u8]) -> Result<(), FileError> {
        let path = self.place.path(path)?;
        if self.place.files.kind(&path)? != FileKind::Directory {
            return Err(FileError::NotDirectory);
        }
        self.place.directory = Some(Rc::from(path));
        Ok(())
    }

    /// What a path leads to.
    ///
    /// # Errors
    /// There is nothing.
    pub fn file_kind(&self, path: &[u8]) -> Result<FileKind, FileError> {
        self.place.files.kind(&self.place.path(path)?)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// There is none, or it is a folder.
    pub fn read_file(&self, path: &[u8]) -> Result<Rc<Vec<u8>>, FileError> {
        self.place.files.read(&self.place.path(path)?)
    }

    /// The names in a folder, in the order of their bytes.
    ///
    /// # Errors
    /// There is none, or it is a file.
    pub fn list_files(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, FileError> {
        self.place.files.list(&self.place.path(path)?)
    }

    /// Opens a file to write at its end, as a target for descriptors of processes.
    ///
    /// # Errors
    /// As [`Files::open`].
    pub fn open_file(&mut self, path: &[u8], empties: bool) -> Result<FdTarget, FileError> {
        if path.last() == Some(&b'/') {
            return Err(FileError::IsDirectory);
        }
        let path = self.place.path(path)?;
        Ok(self.place.files.open(&path, empties)?.map_or(FdTarget::Null, FdTarget::File))
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// As [`Files::open`] and [`Files::append`].
    pub fn write_file(&mut self, path: &[u8], bytes: &[u8]) -> Result<(), FileError> {
        match self.open_file(path, true)? {
            FdTarget::File(id) => self.place.files.append(id, bytes),
            _ => Ok(()),
        }
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// As [`Files::make_directory`].
    pub fn make_directory(&mut self, path: &[u8]) -> Result<(), FileError> {
        let path = self.place.path(path)?;
        self.place.files.make_directory(&path)
    }

    /// Removes a file or an empty folder.
    ///
    /// # Errors
    /// As [`Files::remove`].
    pub fn remove_file(&mut self, path: &[u8]) -> Result<(), FileError> {
        let path = self.place.path(path)?;
        self.place.files.remove(&path)
    }
}
