//! The world's state and its one way forward: take the next step from the queue, let the node it
//! concerns handle it, carry out what the node put into its outbox.
//!
//! Nothing in here knows a rule of Kafka. Processes and their streams are in `processes`.

use crate::sorted_map::SortedMap;

use std::rc::Rc;

use crate::broker::Broker;
use crate::client::{Bootstrap, Client, ClientCommand};
use crate::controller::quorum_controller::QuorumController;
use crate::controller::records::MetadataRecord;
use crate::error::CommandError;
use crate::ids::{BrokerId, ClientId, EventId, MessageId, NodeId, ProcessId, StreamId, TerminalId};
use crate::net::message::{Body, Message};
use crate::time::SimTime;
use crate::trace::TraceHash;
use crate::world::event::{Event, EventKind};
use crate::world::input::{Input, InputKind};
use crate::world::options::ClusterOptions;
use crate::world::outbox::Outbox;
use crate::world::process::{Process, ProcessInput};
use crate::world::processes::ProcessSlot;
use crate::world::step::{Recipient, Step, Timer};
use crate::world::stream::{Stream, Terminal};

/// The most bytes that a terminal takes at once.
const MOST_INPUT_BYTES: u64 = 1 << 20;

/// A client and the process that it belongs to. A reader may have no process at the moment.
#[derive(Clone, Debug)]
pub(super) struct ClientSlot {
    pub(super) client: Client,
    pub(super) owner: Option<ProcessId>,
}

/// What a node is to handle.
enum Stimulus<'a> {
    Message(&'a Message),
    Timer(&'a Timer),
    Command(&'a ClientCommand),
}

/// A step that will be taken. Shared between a world and its checkpoints.
#[derive(Clone, Debug)]
struct Scheduled {
    due: SimTime,
    cause: Option<EventId>,
    step: Rc<Step>,
}

/// A cluster, its clients and its terminals at one moment of virtual time.
#[derive(Clone, Debug)]
pub struct World<P: Process> {
    options: ClusterOptions,
    now: SimTime,
    steps: u64,
    /// What will happen; the next step is the last one.
    queue: Vec<Scheduled>,
    controller: QuorumController,
    brokers: SortedMap<BrokerId, Broker>,
    pub(super) clients: SortedMap<ClientId, ClientSlot>,
    /// Readers by name; they outlive the processes that use them.
    pub(super) reader_names: Vec<(String, ClientId)>,
    pub(super) processes: SortedMap<ProcessId, ProcessSlot<P>>,
    pub(super) streams: SortedMap<StreamId, Stream>,
    pub(super) terminals: SortedMap<TerminalId, Terminal>,
    pub(super) next_process: ProcessId,
    pub(super) next_stream: StreamId,
    pub(super) next_client: ClientId,
    next_event: EventId,
    next_message: MessageId,
    trace: TraceHash,
    fresh_events: Vec<Rc<Event>>,
}

impl<P: Process> World<P> {
    /// A cluster whose brokers have just started and know each other.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn new(options: ClusterOptions) -> Result<Self, CommandError> {
        options.validate()?;
        let mut world = Self {
            now: SimTime(0),
            steps: 0,
            queue: Vec::new(),
            controller: QuorumController::new(options.seed),
            brokers: options.listeners().map(|(id, _)| (id, Broker::new(id))).collect(),
            clients: SortedMap::new(),
            reader_names: Vec::new(),
            processes: SortedMap::new(),
            streams: SortedMap::new(),
            terminals: SortedMap::new(),
            next_process: ProcessId(1),
            next_stream: StreamId(1),
            next_client: ClientId(1),
            next_event: EventId(1),
            next_message: MessageId(1),
            trace: TraceHash::default(),
            fresh_events: Vec::new(),
            options,
        };
        let registrations = world
            .options
            .listeners()
            .map(|(id, port)| MetadataRecord::RegisterBroker { id, port })
            .collect();
        let mut out = world.outbox(None);
        world.controller.append(registrations, &mut out);
        world.carry_out_of(NodeId::Controller, None, out);
        let ids: Vec<BrokerId> = world.brokers.keys().copied().collect();
        for id in ids {
            let mut out = world.outbox(None);
            if let Some(broker) = world.brokers.get_mut(&id) {
                broker.start(&mut out);
            }
            world.carry_out_of(NodeId::Broker(id), None, out);
        }
        while world.step() {}
        Ok(world)
    }

    /// The options it was made with.
    #[must_use]
    pub fn options(&self) -> &ClusterOptions {
        &self.options
    }

    /// The present.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.now
    }

    /// How many steps have been taken.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// The hash of all that has happened.
    #[must_use]
    pub fn trace_hash(&self) -> u64 {
        self.trace.value()
    }

    /// The number that the next event will get.
    #[must_use]
    pub fn next_event(&self) -> EventId {
        self.next_event
    }

    /// The controller.
    #[must_use]
    pub fn controller(&self) -> &QuorumController {
        &self.controller
    }

    /// The brokers.
    #[must_use]
    pub fn brokers(&self) -> &SortedMap<BrokerId, Broker> {
        &self.brokers
    }

    /// All clients, in the order in which they came.
    pub fn clients(&self) -> impl Iterator<Item = &Client> {
        self.clients.values().map(|slot| &slot.client)
    }

    /// What will happen, in order, as far as it is decided.
    pub fn pending(&self) -> impl Iterator<Item = (SimTime, &Step)> {
        self.queue.iter().rev().map(|scheduled| (scheduled.due, &*scheduled.step))
    }

    /// When the next step is due.
    #[must_use]
    pub fn next_due(&self) -> Option<SimTime> {
        self.queue.last().map(|scheduled| scheduled.due)
    }

    /// Events since the last call. Whoever drives the world keeps them.
    pub fn take_events(&mut self) -> Vec<Rc<Event>> {
        std::mem::take(&mut self.fresh_events)
    }

    /// Takes an input. It is one step; what was due until its moment must have been taken before.
    ///
    /// # Errors
    /// The input is malformed or comes too late; nothing changes.
    pub fn apply(&mut self, input: &Input) -> Result<(), CommandError> {
        if input.at < self.now || self.next_due().is_some_and(|due| due <= input.at) {
            return Err(CommandError::InputInThePast);
        }
        if !self.terminals.contains_key(&input.terminal) {
            return Err(CommandError::NoSuchTerminal(input.terminal.0));
        }
        if let InputKind::Line(line) = &input.kind
            && line.len() as u64 > MOST_INPUT_BYTES
        {
            let bytes = line.len() as u64;
            return Err(CommandError::InputTooLong { bytes, most: MOST_INPUT_BYTES });
        }
        self.now = input.at;
        self.steps += 1;
        self.take_input(input);
        Ok(())
    }

    /// Takes the next step. Returns whether there was one.
    pub fn step(&mut self) -> bool {
        let Some(Scheduled { due, cause, step, .. }) = self.queue.pop() else { return false };
        self.now = due;
        self.steps += 1;
        match &*step {
            Step::Deliver(message) => {
                self.act(message.to, message.cause, Stimulus::Message(message));
            }
            Step::FireTimer(node, timer) => self.act(*node, cause, Stimulus::Timer(timer)),
            Step::Notify(recipient, input) => {
                if let Some(process) = self.process_of(*recipient) {
                    self.notify(process, input, cause);
                }
            }
            Step::Command(client, command) => {
                self.act(NodeId::Client(*client), cause, Stimulus::Command(command));
            }
        }
        true
    }

    /// Lets a node handle something and carries out its effects.
    fn act(&mut self, node: NodeId, cause: Option<EventId>, stimulus: Stimulus<'_>) {
        let mut out = self.outbox(cause);
        match node {
            NodeId::Controller => {
                if let Stimulus::Message(message) = stimulus {
                    self.controller.handle(message, &mut out);
                }
            }
            NodeId::Broker(id) => match (self.brokers.get_mut(&id), stimulus) {
                (Some(broker), Stimulus::Message(message)) => broker.handle(message, &mut out),
                (Some(broker), Stimulus::Timer(timer)) => broker.handle_timer(timer, &mut out),
                _ => {}
            },
            NodeId::Client(id) => {
                let Some(ClientSlot { client, .. }) = self.clients.get_mut(&id) else { return };
                match stimulus {
                    Stimulus::Message(message) => client.handle_message(message, &mut out),
                    Stimulus::Timer(timer) => client.handle_timer(timer, &mut out),
                    Stimulus::Command(command) => client.handle_command(command, &mut out),
                }
            }
        }
        self.carry_out_of(node, cause, out);
    }

    fn outbox(&self, cause: Option<EventId>) -> Outbox {
        Outbox::new(self.now, cause, self.next_event, self.next_message)
    }

    /// Carries out what a node has put into its outbox.
    fn carry_out_of(&mut self, node: NodeId, cause: Option<EventId>, mut out: Outbox) {
        self.next_event = out.next_event;
        self.next_message = out.next_message;
        let last = out.events.last().map(|(id, ..)| *id).or(cause);
        for (id, cause, kind) in std::mem::take(&mut out.events) {
            self.record(id, cause, kind);
        }
        for sending in out.sendings {
            let due = self.now + self.options.network_delay;
            let is_request = matches!(sending.body, Body::Request(_));
            let api = sending.body.api_name();
            let (message, to) = (sending.id, sending.to);
            let cause = sending.cause;
            let kind = EventKind::MessageSent { message, from: node, to, api, is_request };
            let cause = Some(self.emit(cause, kind));
            let message = Message {
                id: message,
                from: node,
                to,
                sent: self.now,
                due,
                cause,
                correlation: sending.correlation,
                body: sending.body,
            };
            self.schedule(due, cause, Step::Deliver(Rc::new(message)));
        }
        for (after, timer) in out.timers {
            self.schedule(self.now + after, last, Step::FireTimer(node, timer));
        }
        if let NodeId::Client(client) = node {
            for reply in out.replies {
                let input = Rc::new(ProcessInput::Reply(client, reply));
                self.schedule(self.now, last, Step::Notify(Recipient::OwnerOf(client), input));
            }
        }
    }

    /// Puts a step into the queue, behind all others that are due at the same moment.
    pub(super) fn schedule(&mut self, due: SimTime, cause: Option<EventId>, step: Step) {
        let place = self.queue.partition_point(|later| later.due > due);
        self.queue.insert(place, Scheduled { due, cause, step: Rc::new(step) });
    }

    /// Notes an event of the world's own.
    pub(super) fn emit(&mut self, cause: Option<EventId>, kind: EventKind) -> EventId {
        let id = self.next_event;
        self.next_event = EventId(id.0 + 1);
        self.record(id, cause, kind);
        id
    }

    fn record(&mut self, id: EventId, cause: Option<EventId>, kind: EventKind) {
        let event = Event { id, step: self.steps, at: self.now, cause, kind };
        self.trace.add(&event);
        self.fresh_events.push(Rc::new(event));
    }

    /// Takes text that a terminal shows into the trace.
    pub(super) fn trace_output(&mut self, what: &impl std::hash::Hash) {
        self.trace.add(what);
    }

    /// Where a client begins that was given these addresses.
    pub(super) fn bootstrap(&self, addresses: &str) -> Bootstrap {
        match self.options.resolve(addresses) {
            Some(broker) => Bootstrap::Broker(broker),
            None => Bootstrap::Nobody(addresses.to_owned()),
        }
    }
}
