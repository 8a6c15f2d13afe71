//! How the world runs processes: what they do to streams, terminals, clients and each other.

use std::rc::Rc;

use crate::client::Client;
use crate::client::admin::Admin;
use crate::client::consumer::Consumer;
use crate::client::kafka_consumer::KafkaConsumer;
use crate::client::producer::Producer;
use crate::ids::{ClientId, EventId, ProcessId, StreamId, TerminalId};
use crate::scope::{self, Always, Lab};
use crate::world::event::EventKind;
use crate::world::files::Files;
use crate::world::input::{Input, InputKind};
use crate::world::place::Place;
use crate::world::process::{
    ClientSpec, Fd, FdTarget, Process, ProcessEffect, ProcessInput, ProcessOutbox, STATUS_KILLED,
    Signal, Stdio,
};
use crate::world::step::{Recipient, Step};
use crate::world::stream::{
    FILES, MOST_TERMINALS, OutputChunk, OutputKind, Stream, Terminal, TerminalState, TerminalView,
};
use crate::world::world::{ClientSlot, World};

/// A running process.
#[derive(Clone, Debug)]
pub(super) struct ProcessSlot<P> {
    pub(super) process: P,
    pub(super) parent: Option<ProcessId>,
    pub(super) stdio: Stdio,
    /// A full pipe that it has written to. Until there is room, nothing happens to it.
    pub(super) blocked_on: Option<StreamId>,
    /// What would have happened to it meanwhile.
    pub(super) held: Vec<(Option<EventId>, Rc<ProcessInput>)>,
    /// Its folder; `None`: where every process begins.
    pub(super) directory: Lab<Rc<[u8]>>,
}

impl<P: Process> World<P> {
    /// Opens a terminal with this shell in it.
    pub fn open_terminal(&mut self, shell: P) -> TerminalId {
        if scope::CLUSTER {
            self.wake_for(self.now());
        }
        let id = self.next_terminal();
        self.add_terminal(id, shell, None);
        while self.next_due().is_some_and(|due| due <= self.now()) {
            self.step();
        }
        id
    }

    /// The number of the terminal that is opened next.
    fn next_terminal(&self) -> TerminalId {
        TerminalId(self.terminals.keys().next_back().map_or(1, |last| last.0 + 1))
    }

    /// Whether an input at this terminal opens it: it is the next one, and there are not too many.
    pub(super) fn can_open(&self, id: TerminalId) -> bool {
        scope::CLUSTER
            && self.shell_of_new.is_some()
            && id.0 <= MOST_TERMINALS
            && id == self.next_terminal()
    }

    /// A new terminal whose shell has not come to its prompt yet.
    fn add_terminal(&mut self, id: TerminalId, shell: P, cause: Option<EventId>) {
        let here = FdTarget::Terminal(id);
        let process = self.next_process;
        self.next_process = ProcessId(process.0 + 1);
        let terminal = Terminal { shell: Some(process), ..Terminal::default() };
        self.terminals.insert(id, terminal);
        let stdio = Stdio { stdin: here, stdout: here, stderr: here };
        self.start(process, shell, None, stdio, cause);
    }

    /// What a terminal waits for; `None`: there is no such terminal.
    #[must_use]
    pub fn terminal_state(&self, id: TerminalId) -> Option<TerminalState> {
        let terminal = self.terminals.get(&id)?;
        let reading = terminal.reading.last().map(|(process, _)| *process);
        Some(match reading {
            Some(process) if Some(process) == terminal.shell => TerminalState::Ready,
            Some(_) => TerminalState::ToolReads,
            None => TerminalState::Busy,
        })
    }

    /// The shell of a terminal.
    #[must_use]
    pub fn shell(&self, id: TerminalId) -> Option<&P> {
        let shell = self.terminals.get(&id)?.shell?;
        self.processes.get(&shell).map(|slot| &slot.process)
    }

    /// Everything that a terminal shows, oldest first.
    #[must_use]
    pub fn output(&self, id: TerminalId) -> &[Rc<OutputChunk>] {
        self.terminals.get(&id).map_or(&[], |terminal| &terminal.output)
    }

    /// Running processes, with their names.
    #[must_use]
    pub fn process_names(&self) -> Vec<(ProcessId, String)> {
        self.processes.iter().map(|(id, slot)| (*id, slot.process.name().to_owned())).collect()
    }

    /// All terminals.
    #[must_use]
    pub fn terminal_views(&self) -> Vec<TerminalView> {
        self.terminals
            .iter()
            .map(|(id, terminal)| TerminalView {
                id: *id,
                output: terminal.output.clone(),
                state: self.terminal_state(*id).unwrap_or(TerminalState::Busy),
            })
            .collect()
    }

    /// A person's input takes effect.
    pub(super) fn take_input(&mut self, input: &Input) {
        let Input { terminal: id, kind, .. } = input;
        let id = *id;
        let event = EventKind::InputApplied { terminal: id, input: kind.clone() };
        let cause = Some(self.emit(None, event));
        let is_new = scope::CLUSTER && !self.terminals.contains_key(&id);
        if is_new && let Some(shell) = self.shell_of_new.get().copied() {
            self.add_terminal(id, shell(), cause);
        }
        let at_prompt = is_new || self.terminal_state(id) == Some(TerminalState::Ready);
        match kind {
            InputKind::Line(line) => {
                let shown = if at_prompt { OutputKind::Command } else { OutputKind::Typed };
                let bytes = [line.as_bytes(), b"\n"].concat();
                self.show(id, shown, bytes.clone(), cause);
                self.type_at(id, bytes, cause);
            }
            InputKind::EndOfInput => {
                self.show(id, OutputKind::Typed, b"^D\n".to_vec(), cause);
                self.type_at(id, Vec::new(), cause);
            }
            InputKind::Fault(fault) => {
                if let Some(fault) = fault.get() {
                    self.inject(*fault, None, cause);
                }
            }
            InputKind::Interrupt => {
                self.show(id, OutputKind::Typed, b"^C\n".to_vec(), cause);
                // With nothing in the foreground the shell hears it.
                let Some(terminal) = self.terminals.get(&id) else { return };
                let mut hearers = terminal.foreground.clone();
                if hearers.is_empty() {
                    hearers.extend(terminal.shell);
                }
                for process in hearers {
                    self.later(process, ProcessInput::Interrupt, cause);
                }
            }
        }
    }

    fn type_at(&mut self, id: TerminalId, typed: Vec<u8>, cause: Option<EventId>) {
        if let Some(terminal) = self.terminals.get_mut(&id) {
            terminal.typed.push(typed);
        }
        self.serve_terminal(id, cause);
    }

    /// Gives the oldest typed line to the process that asked last.
    pub(super) fn serve_terminal(&mut self, id: TerminalId, cause: Option<EventId>) {
        let Some(terminal) = self.terminals.get_mut(&id) else { return };
        if terminal.typed.is_empty() {
            return;
        }
        let Some((process, fd)) = terminal.reading.pop() else { return };
        let bytes = terminal.typed.remove(0);
        self.later(process, ProcessInput::Read(fd, bytes), cause);
    }

    pub(super) fn later(
        &mut self,
        process: ProcessId,
        input: ProcessInput,
        cause: Option<EventId>,
    ) {
        self.hand_on(process, Rc::new(input), cause);
    }

    pub(super) fn hand_on(
        &mut self,
        process: ProcessId,
        input: Rc<ProcessInput>,
        cause: Option<EventId>,
    ) {
        self.schedule(self.now(), cause, Step::Notify(Recipient::Process(process), input));
    }

    fn start(
        &mut self,
        id: ProcessId,
        process: P,
        parent: Option<ProcessId>,
        stdio: Stdio,
        cause: Option<EventId>,
    ) {
        let kind = EventKind::ProcessStarted { process: id, name: process.name().to_owned() };
        let cause = Some(self.emit(cause, kind));
        self.open_descriptors(stdio);
        let above = parent.filter(|_| scope::CLUSTER);
        let above = above.and_then(|parent| self.processes.get(&parent));
        let directory = above.map(|above| above.directory.clone()).unwrap_or_default();
        let slot =
            ProcessSlot { process, parent, stdio, blocked_on: None, held: Vec::new(), directory };
        self.processes.insert(id, slot);
        self.note_running();
        self.later(id, ProcessInput::Started { stdio }, cause);
    }

    /// Something happens to a process.
    pub(super) fn notify(
        &mut self,
        id: ProcessId,
        input: &Rc<ProcessInput>,
        cause: Option<EventId>,
    ) {
        let now = self.now();
        let next = (self.next_process, self.next_stream, self.next_client);
        let place = if scope::CLUSTER { self.place_of(id) } else { Lab::default() };
        let place = (place, Always::of(|| &self.brokers));
        let hazards = Always::of(|| &self.hazards.counts);
        let names = &self.reader_names;
        let mut out = ProcessOutbox::new((now, id), &self.options, names, place, hazards, next);
        if let Some(slot) = self.processes.get_mut(&id) {
            if slot.blocked_on.is_some() && !(scope::CLUSTER && input.is_signal()) {
                slot.held.push((cause, Rc::clone(input)));
            } else {
                slot.process.handle(input, &mut out);
                if scope::CLUSTER
                    && let Some(directory) = out.place.get_mut().and_then(|p| p.directory.take())
                {
                    slot.directory = Lab::new(directory);
                }
            }
        }
        let ProcessOutbox { next_process, next_stream, next_client, mut place, effects, .. } = out;
        if scope::CLUSTER
            && let Some(place) = place.get_mut()
        {
            *self.files_slot() = std::mem::take(&mut place.files);
        }
        self.next_process = next_process;
        self.next_stream = next_stream;
        self.next_client = next_client;
        for effect in effects {
            self.carry_out(id, effect, cause);
        }
    }

    fn carry_out(&mut self, id: ProcessId, effect: ProcessEffect<P>, cause: Option<EventId>) {
        match effect {
            ProcessEffect::Write(fd, bytes) => self.write(id, fd, bytes, cause),
            ProcessEffect::Read(fd) => self.read(id, fd, cause),
            ProcessEffect::Wait(span, token) => {
                let due = self.now() + span;
                let input = Rc::new(ProcessInput::Timer(token));
                self.schedule(due, cause, Step::Notify(Recipient::Process(id), input));
            }
            ProcessEffect::Spawn(child, process, stdio) => {
                self.start(child, process, Some(id), stdio, cause);
            }
            ProcessEffect::Pipe(stream) => {
                self.streams.insert(stream, Stream::default());
            }
            ProcessEffect::Fill(stream, bytes) => {
                if let Some(stream) = self.streams.get_mut(&stream) {
                    stream.bytes = bytes;
                }
            }
            ProcessEffect::Open(client, spec) => self.open_client(client, id, spec),
            ProcessEffect::Command(client, command) => {
                self.schedule(self.now(), cause, Step::Command(client, Rc::new(command)));
            }
            ProcessEffect::Foreground(processes) => {
                let terminal =
                    self.terminals.values_mut().find(|terminal| terminal.shell == Some(id));
                if let Some(terminal) = terminal {
                    terminal.foreground = processes;
                }
            }
            ProcessEffect::Fault(fault) => {
                if scope::CLUSTER {
                    self.inject(fault, Some(id), cause);
                }
            }
            ProcessEffect::Listen(stream) => {
                if scope::CLUSTER
                    && let Some(stream) = self.streams.get_mut(&stream)
                {
                    stream.readers = 1;
                }
            }
            ProcessEffect::Hear(key) => {
                if scope::CLUSTER {
                    self.read_stream(key, (id, Fd::Stdin), cause);
                }
            }
            ProcessEffect::Forget(stream) => {
                if scope::CLUSTER {
                    self.streams.remove(&stream);
                }
            }
            ProcessEffect::Become(other) => {
                if scope::CLUSTER
                    && let Some((process, stdio)) = other.get()
                {
                    self.turn_into(id, process.clone(), *stdio, cause);
                }
            }
            ProcessEffect::Signal(process, signal) => {
                if scope::CLUSTER {
                    self.signal(process, signal, cause);
                }
            }
            ProcessEffect::Exit(status) => self.end(id, status, cause),
        }
    }

    /// Where the files are, unless a process has them at this moment.
    pub(super) fn files_slot(&mut self) -> &mut Lab<Files> {
        &mut self.streams.get_or_insert_with(FILES, Stream::default).files
    }

    /// The files, and a process's folder. The files are with the process until it has been handled.
    fn place_of(&mut self, id: ProcessId) -> Lab<Place> {
        let mut files = std::mem::take(self.files_slot());
        if !files.is_some() {
            files = Lab::new(Files::default());
        }
        let slot = self.processes.get(&id);
        let directory = slot.and_then(|slot| slot.directory.get().cloned());
        let running = self.running.get().cloned().unwrap_or_default();
        Lab::new(Place { files, directory, running })
    }

    fn turn_into(&mut self, id: ProcessId, process: P, stdio: Stdio, cause: Option<EventId>) {
        let Some(slot) = self.processes.get_mut(&id) else { return };
        let kind = EventKind::ProcessStarted { process: id, name: process.name().to_owned() };
        slot.process = process;
        let old = std::mem::replace(&mut slot.stdio, stdio);
        let cause = Some(self.emit(cause, kind));
        self.open_descriptors(stdio);
        self.close_descriptors(old, cause);
        self.later(id, ProcessInput::Started { stdio }, cause);
    }

    fn signal(&mut self, process: ProcessId, signal: Signal, cause: Option<EventId>) {
        match signal {
            Signal::Interrupt => self.later(process, ProcessInput::Interrupt, cause),
            Signal::Terminate => self.later(process, ProcessInput::Terminate, cause),
            Signal::Kill => self.end(process, STATUS_KILLED, cause),
            Signal::Stop => self.suspend(process),
            Signal::Continue => self.go_on(process),
        }
    }

    /// Shows text on a terminal; text of one kind and cause goes into one piece.
    pub(super) fn show(
        &mut self,
        id: TerminalId,
        kind: OutputKind,
        bytes: Vec<u8>,
        cause: Option<EventId>,
    ) {
        let chunk = OutputChunk { kind, bytes, at: self.now(), cause };
        self.trace_output(&chunk);
        if let Some(terminal) = self.terminals.get_mut(&id) {
            terminal.output.push(Rc::new(chunk));
        }
    }

    fn open_client(&mut self, id: ClientId, owner: ProcessId, spec: ClientSpec) {
        let client = match spec {
            ClientSpec::Admin { bootstrap, client_id } => {
                Client::Admin(Admin::new(client_id, self.connection(&bootstrap)))
            }
            ClientSpec::Producer { bootstrap, config } => {
                let (connection, seed) = (self.connection(&bootstrap), self.options().seed);
                let mutation = self.options().mutation;
                let who = u64::from(id.0);
                let producer = Producer::new(config, connection, (seed, who), mutation);
                Client::Producer(producer)
            }
            ClientSpec::Consumer(spec) => {
                let mut consumer = Lab::default();
                if let Some((bootstrap, config)) = spec.get() {
                    let (connection, seed) = (self.connection(bootstrap), self.options().seed);
                    let (config, who) = (Rc::clone(config), u64::from(id.0));
                    let mutation = self.options().mutation;
                    let made = KafkaConsumer::new(config, connection, (seed, who), mutation);
                    consumer = Lab::new(made);
                }
                Client::KafkaConsumer(consumer)
            }
            ClientSpec::Reader { name } => {
                if let Some(slot) = self.clients.get_mut(&id) {
                    slot.owner = Some(owner);
                    return;
                }
                self.reader_names.push((name.clone(), id));
                let connection = self.connection("localhost:9092");
                Client::Consumer(Consumer::new(name, connection))
            }
        };
        let number = self.number_for(&client);
        self.clients.insert(id, ClientSlot { client, owner: Some(owner), number });
    }

    /// The number of a new consumer: one more than those of the others with its `client.id`.
    fn number_for(&self, client: &Client) -> u32 {
        let Some(client_id) = consumer_id(client) else { return 1 };
        let same =
            self.clients.values().filter(|slot| consumer_id(&slot.client) == Some(client_id));
        same.map(|slot| slot.number.saturating_add(1)).max().unwrap_or(1)
    }

    /// The process that a step is for, as things are now.
    pub(super) fn process_of(&self, recipient: Recipient) -> Option<ProcessId> {
        match recipient {
            Recipient::Process(process) => Some(process),
            Recipient::OwnerOf(client) => self.clients.get(&client)?.owner,
        }
    }

    /// Which processes run, for whoever wants to stop one.
    fn note_running(&mut self) {
        if scope::CLUSTER {
            let shells: Vec<ProcessId> =
                self.terminals.values().filter_map(|terminal| terminal.shell).collect();
            let others = self.processes.keys().filter(|process| !shells.contains(process));
            self.running = Lab::new(Rc::new(others.copied().collect()));
        }
    }

    /// A process ends: its descriptors are closed, its clients go, its parent hears of it.
    pub(super) fn end(&mut self, id: ProcessId, status: u8, cause: Option<EventId>) {
        let Some(slot) = self.processes.remove(&id) else { return };
        self.note_running();
        if scope::CLUSTER {
            self.faults.suspended.remove(&id);
        }
        let cause = Some(self.emit(cause, EventKind::ProcessExited { process: id, status }));
        for terminal in self.terminals.values_mut() {
            terminal.reading.retain(|(reader, _)| *reader != id);
        }
        self.clients.retain(|_, client| {
            if client.owner == Some(id) {
                client.owner = None;
            }
            client.owner.is_some() || matches!(client.client, Client::Consumer(_))
        });
        self.close_descriptors(slot.stdio, cause);
        if let Some(parent) = slot.parent {
            self.later(parent, ProcessInput::ChildExited(id, status), cause);
        }
    }
}

/// The `client.id` of a consumer with all its settings.
fn consumer_id(client: &Client) -> Option<&str> {
    match client {
        Client::KafkaConsumer(consumer) if scope::CLUSTER => {
            consumer.get().map(KafkaConsumer::client_id)
        }
        _ => None,
    }
}
