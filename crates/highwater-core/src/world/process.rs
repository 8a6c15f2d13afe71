//! Processes: the shell and the tools, as the world sees them. They are written in
//! `highwater-shell`; here is what they can do and what can happen to them.

use std::fmt;
use std::rc::Rc;

use crate::broker::Broker;
use crate::client::kafka_consumer::config::ConsumerConfig;
use crate::client::producer::ProducerConfig;
use crate::client::{ClientCommand, ClientReply};
use crate::ids::{BrokerId, ClientId, ProcessId, StreamId, TerminalId};
use crate::scope::{Always, Lab};
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::fault::{Fault, Impossible};
use crate::world::files::FileId;
use crate::world::hazard::HazardCounts;
use crate::world::options::ClusterOptions;
use crate::world::place::Place;

/// A command that runs in virtual time: a plain value, cloned with the world.
pub trait Process: Clone {
    /// What it is called, for people.
    fn name(&self) -> &str;

    /// Whether it ends when nobody is left to read what it writes, as a program does that leaves
    /// SIGPIPE alone.
    fn ends_without_reader(&self) -> bool {
        false
    }

    /// Handles one thing that happened to it; what it does goes to `out`.
    fn handle(&mut self, input: &ProcessInput, out: &mut ProcessOutbox<'_, Self>);
}

/// A file descriptor of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fd {
    /// 0
    Stdin,
    /// 1
    Stdout,
    /// 2
    Stderr,
}

/// What a descriptor leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FdTarget {
    /// The terminal.
    Terminal(TerminalId),
    /// A pipe, or prepared input.
    Stream(StreamId),
    /// The end of a file.
    File(FileId),
    /// `/dev/null`.
    Null,
}

/// The three descriptors of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stdio {
    /// Where it reads.
    pub stdin: FdTarget,
    /// Where it writes.
    pub stdout: FdTarget,
    /// Where it complains.
    pub stderr: FdTarget,
}

/// What happens to a process.
#[derive(Debug)]
pub enum ProcessInput {
    /// It begins.
    Started {
        /// Its descriptors.
        stdio: Stdio,
    },
    /// Bytes it asked for; none: the end of the input.
    Read(Fd, Vec<u8>),
    /// A wait is over.
    Timer(u32),
    /// A process it started has ended.
    ChildExited(ProcessId, u8),
    /// A client of its own answers.
    Reply(ClientId, ClientReply),
    /// What it did to the cluster is done, or cannot be.
    FaultDone(Result<(), Impossible>),
    /// Somebody pressed Ctrl-C, or sent SIGINT.
    Interrupt,
    /// Somebody sent SIGTERM.
    Terminate,
    /// What it wrote there went nowhere.
    NotWritten(Fd, NotWritten),
}

/// Why written bytes went nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotWritten {
    /// Nobody will ever read from the pipe (SIGPIPE).
    NoReader,
    /// The files are full.
    NoSpace,
}

/// What one process can send to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT: the process hears of it.
    Interrupt,
    /// SIGTERM: the process hears of it.
    Terminate,
    /// SIGKILL: the process ends, whatever it does; its clients close nothing.
    Kill,
    /// SIGSTOP: the process and its clients do nothing until it is told to go on.
    Stop,
    /// SIGCONT: it goes on, with all that has come meanwhile.
    Continue,
}

/// The status of a process that SIGKILL has ended.
pub const STATUS_KILLED: u8 = 137;

impl ProcessInput {
    /// Whether it reaches a process that waits for room in a pipe, too.
    pub(super) fn is_signal(&self) -> bool {
        matches!(self, Self::Interrupt | Self::Terminate)
    }
}

/// A client to be made.
#[derive(Debug)]
pub enum ClientSpec {
    /// An admin client.
    Admin {
        /// `bootstrap.servers`.
        bootstrap: String,
        /// `client.id`.
        client_id: String,
    },
    /// A producer.
    Producer {
        /// `bootstrap.servers`.
        bootstrap: String,
        /// How it behaves.
        config: ProducerConfig,
    },
    /// A consumer: `bootstrap.servers`, and how it behaves.
    Consumer(Lab<(String, Rc<ConsumerConfig>)>),
    /// A consumer that outlives the process: the next process that asks for a reader of this name
    /// gets the same one, where it left off.
    Reader {
        /// `client.id`.
        name: String,
    },
}

/// What a process does.
#[derive(Debug)]
pub(super) enum ProcessEffect<P> {
    Write(Fd, Vec<u8>),
    Read(Fd),
    Wait(SimDuration, u32),
    Spawn(ProcessId, P, Stdio),
    Pipe(StreamId),
    Fill(StreamId, Vec<u8>),
    Open(ClientId, ClientSpec),
    Command(ClientId, ClientCommand),
    Foreground(Vec<ProcessId>),
    Fault(Fault),
    Listen(StreamId),
    Hear(StreamId),
    Forget(StreamId),
    Become(Lab<(P, Stdio)>),
    Signal(ProcessId, Signal),
    Exit(u8),
}

/// The outbox of a process.
#[derive(Debug)]
pub struct ProcessOutbox<'a, P> {
    now: SimTime,
    me: ProcessId,
    options: &'a ClusterOptions,
    reader_names: &'a [(String, ClientId)],
    pub(super) place: Lab<Place>,
    /// The brokers, whose folders are among the files.
    pub(super) brokers: Always<&'a SortedMap<BrokerId, Broker>>,
    hazards: Always<&'a HazardCounts>,
    pub(super) next_process: ProcessId,
    pub(super) next_stream: StreamId,
    pub(super) next_client: ClientId,
    pub(super) effects: Vec<ProcessEffect<P>>,
}

impl<'a, P: Process> ProcessOutbox<'a, P> {
    pub(super) fn new(
        (now, me): (SimTime, ProcessId),
        options: &'a ClusterOptions,
        reader_names: &'a [(String, ClientId)],
        (place, brokers): (Lab<Place>, Always<&'a SortedMap<BrokerId, Broker>>),
        hazards: Always<&'a HazardCounts>,
        (next_process, next_stream, next_client): (ProcessId, StreamId, ClientId),
    ) -> Self {
        Self {
            now,
            me,
            options,
            reader_names,
            place,
            brokers,
            hazards,
            next_process,
            next_stream,
            next_client,
            effects: Vec::new(),
        }
    }

    /// The present.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// The number of the process itself.
    #[must_use]
    pub fn me(&self) -> ProcessId {
        self.me
    }

    /// What went wrong so far, though it is allowed; `None`: this build does not count.
    #[must_use]
    pub fn hazards(&self) -> Option<&HazardCounts> {
        self.hazards.get().copied()
    }

    /// How the cluster was made.
    #[must_use]
    pub fn options(&self) -> &ClusterOptions {
        self.options
    }

    /// Writes bytes. A full pipe stops the process until somebody has read.
    pub fn write(&mut self, fd: Fd, bytes: impl Into<Vec<u8>>) {
        self.effects.push(ProcessEffect::Write(fd, bytes.into()));
    }

    /// Writes text, as `write` writes bytes.
    pub fn print(&mut self, fd: Fd, text: fmt::Arguments<'_>) {
        self.write(fd, fmt::format(text));
    }

    /// Asks for bytes; they come as `ProcessInput::Read`.
    pub fn read(&mut self, fd: Fd) {
        self.effects.push(ProcessEffect::Read(fd));
    }

    /// Asks to be woken with this number.
    pub fn wait(&mut self, span: SimDuration, token: u32) {
        self.effects.push(ProcessEffect::Wait(span, token));
    }

    /// Starts a child. It tells its parent when it ends.
    pub fn spawn(&mut self, process: P, stdio: Stdio) -> ProcessId {
        let id = self.next_process;
        self.next_process = ProcessId(id.0 + 1);
        self.effects.push(ProcessEffect::Spawn(id, process, stdio));
        id
    }

    /// Makes a pipe.
    pub fn pipe(&mut self) -> StreamId {
        let id = self.next_stream;
        self.next_stream = StreamId(id.0 + 1);
        self.effects.push(ProcessEffect::Pipe(id));
        id
    }

    /// Makes a stream that holds these bytes and then ends (a heredoc).
    pub fn prepared(&mut self, bytes: Vec<u8>) -> StreamId {
        let id = self.pipe();
        self.effects.push(ProcessEffect::Fill(id, bytes));
        id
    }

    /// Makes a pipe whose reader is this process itself, whatever its descriptors are.
    pub fn listen(&mut self) -> StreamId {
        let id = self.pipe();
        self.effects.push(ProcessEffect::Listen(id));
        id
    }

    /// Asks for bytes of a pipe that it listens to; they come as if read from standard input.
    pub fn hear(&mut self, stream: StreamId) {
        self.effects.push(ProcessEffect::Hear(stream));
    }

    /// Listens no longer.
    pub fn forget(&mut self, stream: StreamId) {
        self.effects.push(ProcessEffect::Forget(stream));
    }

    /// Becomes another program, with these descriptors, under the same number; it begins anew.
    pub fn become_program(&mut self, process: P, stdio: Stdio) {
        self.effects.push(ProcessEffect::Become(Lab::new((process, stdio))));
    }

    /// Sends a signal. A process that has ended does not hear it.
    pub fn signal(&mut self, process: ProcessId, signal: Signal) {
        self.effects.push(ProcessEffect::Signal(process, signal));
    }

    /// Makes a client, or finds the reader of that name.
    pub fn open(&mut self, spec: ClientSpec) -> ClientId {
        if let ClientSpec::Reader { name } = &spec
            && let Some((_, id)) = self.reader_names.iter().find(|(known, _)| known == name)
        {
            let id = *id;
            self.effects.push(ProcessEffect::Open(id, spec));
            return id;
        }
        let id = self.next_client;
        self.next_client = ClientId(id.0 + 1);
        self.effects.push(ProcessEffect::Open(id, spec));
        id
    }

    /// Asks something of a client of its own.
    pub fn command(&mut self, client: ClientId, command: ClientCommand) {
        self.effects.push(ProcessEffect::Command(client, command));
    }

    /// Shell: these processes get Ctrl-C; none: the shell reads commands again.
    pub fn foreground(&mut self, processes: Vec<ProcessId>) {
        self.effects.push(ProcessEffect::Foreground(processes));
    }

    /// Does something to the cluster; `ProcessInput::FaultDone` says when it is done.
    pub fn fault(&mut self, fault: Fault) {
        self.effects.push(ProcessEffect::Fault(fault));
    }

    /// Ends the process.
    pub fn exit(&mut self, status: u8) {
        self.effects.push(ProcessEffect::Exit(status));
    }
}
