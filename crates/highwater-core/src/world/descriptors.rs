//! What descriptors do: bytes into pipes, terminals and files, and out of them.
//!
//! Decides when a writer waits, what a reader gets, and who hears that nobody reads any more.

use crate::ids::{EventId, ProcessId, StreamId};
use crate::scope;
use crate::world::files::{FileError, FileId};
use crate::world::process::{Fd, FdTarget, NotWritten, Process, ProcessInput, Stdio};
use crate::world::stream::{OutputKind, PIPE_CAPACITY};
use crate::world::world::World;

/// The status of a process that SIGPIPE has ended.
const STATUS_NO_READER: u8 = 141;

impl<P: Process> World<P> {
    fn target(&self, id: ProcessId, fd: Fd) -> FdTarget {
        self.processes.get(&id).map_or(FdTarget::Null, |slot| match fd {
            Fd::Stdin => slot.stdio.stdin,
            Fd::Stdout => slot.stdio.stdout,
            Fd::Stderr => slot.stdio.stderr,
        })
    }

    pub(super) fn write(&mut self, id: ProcessId, fd: Fd, bytes: Vec<u8>, cause: Option<EventId>) {
        match self.target(id, fd) {
            FdTarget::Terminal(terminal) => {
                let kind = if fd == Fd::Stderr { OutputKind::Stderr } else { OutputKind::Stdout };
                self.show(terminal, kind, bytes, cause);
            }
            FdTarget::Stream(key) => {
                let Some(stream) = self.streams.get_mut(&key) else { return };
                if stream.readers == 0 {
                    if scope::CLUSTER {
                        self.write_without_reader(id, fd, cause);
                    }
                    return;
                }
                stream.bytes.extend(bytes);
                if stream.bytes.len() > PIPE_CAPACITY {
                    stream.blocked.push(id);
                    if let Some(slot) = self.processes.get_mut(&id) {
                        slot.blocked_on = Some(key);
                    }
                }
                self.serve_stream(key, cause);
            }
            FdTarget::File(file) => {
                if scope::CLUSTER && self.append(file, &bytes).is_err() {
                    self.not_written(id, fd, NotWritten::NoSpace, cause);
                }
            }
            FdTarget::Null => {}
        }
    }

    fn write_without_reader(&mut self, id: ProcessId, fd: Fd, cause: Option<EventId>) {
        if self.processes.get(&id).is_some_and(|slot| slot.process.ends_without_reader()) {
            self.end(id, STATUS_NO_READER, cause);
        } else {
            self.not_written(id, fd, NotWritten::NoReader, cause);
        }
    }

    fn append(&mut self, file: FileId, bytes: &[u8]) -> Result<(), FileError> {
        self.files_slot().get_mut().map_or(Ok(()), |files| files.append(file, bytes))
    }

    fn not_written(&mut self, id: ProcessId, fd: Fd, why: NotWritten, cause: Option<EventId>) {
        self.later(id, ProcessInput::NotWritten(fd, why), cause);
    }

    pub(super) fn read(&mut self, id: ProcessId, fd: Fd, cause: Option<EventId>) {
        match self.target(id, fd) {
            FdTarget::Terminal(terminal) => {
                if let Some(terminal) = self.terminals.get_mut(&terminal) {
                    terminal.reading.push((id, fd));
                }
                self.serve_terminal(terminal, cause);
            }
            FdTarget::Stream(key) => self.read_stream(key, (id, fd), cause),
            // Only ends of files are open, so there is nothing behind them.
            FdTarget::File(_) | FdTarget::Null => {
                self.later(id, ProcessInput::Read(fd, Vec::new()), cause);
            }
        }
    }

    pub(super) fn read_stream(
        &mut self,
        key: StreamId,
        reader: (ProcessId, Fd),
        cause: Option<EventId>,
    ) {
        if let Some(stream) = self.streams.get_mut(&key) {
            stream.reading = Some(reader);
        }
        self.serve_stream(key, cause);
    }

    /// Gives a waiting reader what there is, or the end; wakes writers that waited for room.
    fn serve_stream(&mut self, key: StreamId, cause: Option<EventId>) {
        let Some(stream) = self.streams.get_mut(&key) else { return };
        if stream.bytes.is_empty() && stream.writers > 0 {
            return;
        }
        let Some((process, fd)) = stream.reading.take() else { return };
        let bytes = stream.take();
        let woken = if stream.bytes.len() <= PIPE_CAPACITY {
            std::mem::take(&mut stream.blocked)
        } else {
            Vec::new()
        };
        self.later(process, ProcessInput::Read(fd, bytes), cause);
        for writer in woken {
            self.unblock(writer);
        }
    }

    pub(super) fn open_descriptors(&mut self, stdio: Stdio) {
        for (fd, target) in descriptors(stdio) {
            if let FdTarget::Stream(stream) = target
                && let Some(stream) = self.streams.get_mut(&stream)
            {
                match fd {
                    Fd::Stdin => stream.readers += 1,
                    Fd::Stdout | Fd::Stderr => stream.writers += 1,
                }
            }
        }
    }

    pub(super) fn close_descriptors(&mut self, stdio: Stdio, cause: Option<EventId>) {
        for (fd, target) in descriptors(stdio) {
            let FdTarget::Stream(key) = target else { continue };
            let Some(stream) = self.streams.get_mut(&key) else { continue };
            match fd {
                Fd::Stdin => stream.readers = stream.readers.saturating_sub(1),
                Fd::Stdout | Fd::Stderr => stream.writers = stream.writers.saturating_sub(1),
            }
            if stream.readers == 0 {
                stream.bytes.clear();
                for writer in std::mem::take(&mut stream.blocked) {
                    self.unblock(writer);
                }
            }
            self.serve_stream(key, cause);
            if self.streams.get(&key).is_some_and(|s| s.readers == 0 && s.writers == 0) {
                self.streams.remove(&key);
            }
        }
    }

    fn unblock(&mut self, writer: ProcessId) {
        if let Some(slot) = self.processes.get_mut(&writer) {
            slot.blocked_on = None;
            for (cause, input) in std::mem::take(&mut slot.held) {
                self.hand_on(writer, input, cause);
            }
        }
    }
}

fn descriptors(stdio: Stdio) -> [(Fd, FdTarget); 3] {
    [(Fd::Stdin, stdio.stdin), (Fd::Stdout, stdio.stdout), (Fd::Stderr, stdio.stderr)]
}
