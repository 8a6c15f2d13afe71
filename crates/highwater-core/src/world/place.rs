//! Files as a process sees them: paths are taken from its folder.
//!
//! All ways of a command to a file go through here, and take effect at once. What is not kept as
//! bytes but made of a broker's log when somebody looks (`/tmp/kafka-logs-1`) joins in `read_file`,
//! `list_files` and `file_kind`.

use std::rc::Rc;

use crate::broker::data_dir::{OnDisk, folders, within};
use crate::ids::ProcessId;
use crate::scope::Lab;
use crate::world::files::{FileError, FileKind, Files, HOME, absolute};
use crate::world::process::{FdTarget, Process, ProcessOutbox};

/// The folder that brokers' folders are in.
const LOGS_ARE_IN: &[u8] = b"/tmp";

/// The files, and the folder of a process among them.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) files: Lab<Files>,
    /// `None`: where every process begins.
    pub(super) directory: Option<Rc<[u8]>>,
    /// Processes that run, but for the shells of terminals.
    pub(super) running: Rc<Vec<ProcessId>>,
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
    /// The files, and the absolute path that a path means.
    fn look(&self, path: &[u8]) -> Result<(&Files, Vec<u8>), FileError> {
        let place = self.place.get().ok_or(FileError::NotFound)?;
        Ok((place.files.get().ok_or(FileError::NotFound)?, place.path(path)?))
    }

    /// What a broker keeps under a path; `None`: it does not lie in a broker's folder.
    ///
    /// # Errors
    /// There is nothing.
    pub fn on_disk(&self, path: &[u8]) -> Option<Result<OnDisk<'_>, FileError>> {
        let path = self.place.get()?.path(path).ok()?;
        let (broker, inside) = within(self.brokers.get()?.values(), &path)?;
        Some(broker.on_disk(&inside, self.now()).ok_or(FileError::NotFound))
    }

    /// As `look`, to change them.
    fn change(&mut self, path: &[u8]) -> Result<(&mut Files, Vec<u8>), FileError> {
        if self.on_disk(path).is_some() {
            return Err(FileError::ReadOnly);
        }
        let place = self.place.get_mut().ok_or(FileError::NotFound)?;
        let path = place.path(path)?;
        Ok((place.files.get_mut().ok_or(FileError::NotFound)?, path))
    }

    /// Whether a process runs that somebody may stop: the shell of a terminal stays.
    #[must_use]
    pub fn is_running(&self, process: ProcessId) -> bool {
        self.place.get().is_some_and(|place| place.running.contains(&process))
    }

    /// The folder of this process.
    #[must_use]
    pub fn directory(&self) -> &[u8] {
        self.place.get().map_or(HOME, Place::directory)
    }

    /// Goes to another folder, with all processes that it starts from now on.
    ///
    /// # Errors
    /// There is no such folder.
    pub fn change_directory(&mut self, path: &[u8]) -> Result<(), FileError> {
        if self.file_kind(path)? != FileKind::Directory {
            return Err(FileError::NotDirectory);
        }
        let (_, path) = self.look(path)?;
        if let Some(place) = self.place.get_mut() {
            place.directory = Some(Rc::from(path));
        }
        Ok(())
    }

    /// What a path leads to.
    ///
    /// # Errors
    /// There is nothing.
    pub fn file_kind(&self, path: &[u8]) -> Result<FileKind, FileError> {
        if let Some(found) = self.on_disk(path) {
            return Ok(match found? {
                OnDisk::Folder(_) => FileKind::Directory,
                _ => FileKind::File,
            });
        }
        let (files, path) = self.look(path)?;
        files.kind(&path)
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// There is none, or it is a folder.
    pub fn read_file(&self, path: &[u8]) -> Result<Rc<Vec<u8>>, FileError> {
        if let Some(found) = self.on_disk(path) {
            return found?.bytes().map(Rc::new).ok_or(FileError::IsDirectory);
        }
        let (files, path) = self.look(path)?;
        files.read(&path)
    }

    /// The names in a folder, in the order of their bytes.
    ///
    /// # Errors
    /// There is none, or it is a file.
    pub fn list_files(&self, path: &[u8]) -> Result<Vec<Vec<u8>>, FileError> {
        if let Some(found) = self.on_disk(path) {
            let OnDisk::Folder(names) = found? else { return Err(FileError::NotDirectory) };
            return Ok(names.into_iter().map(String::into_bytes).collect());
        }
        let (files, path) = self.look(path)?;
        let mut names = files.list(&path)?;
        if path == LOGS_ARE_IN {
            names.extend(folders(self.brokers.known().values()));
            names.sort();
        }
        Ok(names)
    }

    /// Opens a file to write at its end, as a target for descriptors of processes.
    ///
    /// # Errors
    /// As [`Files::open`].
    pub fn open_file(&mut self, path: &[u8], empties: bool) -> Result<FdTarget, FileError> {
        if path.last() == Some(&b'/') {
            return Err(FileError::IsDirectory);
        }
        let (files, path) = self.change(path)?;
        Ok(files.open(&path, empties)?.map_or(FdTarget::Null, FdTarget::File))
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// As [`Files::open`] and [`Files::append`].
    pub fn write_file(&mut self, path: &[u8], bytes: &[u8]) -> Result<(), FileError> {
        match self.open_file(path, true)? {
            FdTarget::File(id) => self.change(path)?.0.append(id, bytes),
            _ => Ok(()),
        }
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// As [`Files::make_directory`].
    pub fn make_directory(&mut self, path: &[u8]) -> Result<(), FileError> {
        let (files, path) = self.change(path)?;
        files.make_directory(&path)
    }

    /// Removes a file or an empty folder.
    ///
    /// # Errors
    /// As [`Files::remove`].
    pub fn remove_file(&mut self, path: &[u8]) -> Result<(), FileError> {
        let (files, path) = self.change(path)?;
        files.remove(&path)
    }
}
