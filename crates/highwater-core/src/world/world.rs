//! The world's state and its one way forward: take the next step from the queue, let the node it
//! concerns handle it, carry out what the node put into its outbox.
//!
//! Nothing in here knows a rule of Kafka. Processes and their streams are in `processes`.

use crate::sorted_map::SortedMap;

use std::rc::Rc;

use crate::broker::Broker;
use crate::client::connection::Connection;
use crate::client::producer::Producer;
use crate::client::{Client, ClientCommand};
use crate::controller::quorum_controller::QuorumController;
use crate::draw::{Purpose, draw_below};
use crate::error::CommandError;
use crate::ids::{
    BrokerEpoch, BrokerId, ClientId, EventId, MessageId, NodeId, ProcessId, StreamId, TerminalId,
};
use crate::net::internal::Joining;
use crate::net::message::{Body, Message};
use crate::scope::{self, Lab};
use crate::shared::Shared;
use crate::time::SimTime;
use crate::trace::TraceHash;
use crate::world::event::Event;
use crate::world::hazard::{HazardLog, Unanswered};
use crate::world::input::Input;
use crate::world::lull::Lulls;
use crate::world::options::ClusterOptions;
use crate::world::outbox::{Outbox, Room, Setting};
use crate::world::power::Faults;
use crate::world::process::Process;
use crate::world::processes::ProcessSlot;
use crate::world::queue::{Queue, Scheduled};
use crate::world::step::{Step, Timer};
use crate::world::stream::{Stream, Terminal};

/// A client and the process that it belongs to. A reader may have no process at the moment.
#[derive(Clone, Debug)]
pub(super) struct ClientSlot {
    pub(super) client: Client,
    pub(super) owner: Option<ProcessId>,
    /// Tells a consumer from others with its `client.id`, as long as it lives: 1, 2 and so on.
    pub(super) number: u32,
}

/// Events that nobody has taken yet. A copy of a world has none: what happened before, the original tells.
#[derive(Debug, Default)]
pub(super) struct FreshEvents(pub(super) Vec<Event>);

impl Clone for FreshEvents {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// What a node is to handle.
#[derive(Clone, Copy)]
enum Stimulus<'a> {
    Message(&'a Message),
    /// With the run of the process that set it.
    Timer(u32, &'a Timer),
    Command(&'a ClientCommand),
}

/// A cluster, its clients and its terminals at one moment of virtual time.
#[derive(Clone, Debug)]
pub struct World<P: Process> {
    pub(super) options: ClusterOptions,
    pub(super) now: SimTime,
    pub(super) steps: u64,
    /// What will happen.
    pub(super) queue: Queue,
    pub(super) room: Lab<Room>,
    pub(super) controller: QuorumController,
    pub(super) brokers: SortedMap<BrokerId, Broker>,
    pub(super) faults: Shared<Faults>,
    pub(super) hazards: Shared<HazardLog>,
    pub(super) lulls: Shared<Lulls>,
    pub(super) clients: SortedMap<ClientId, ClientSlot>,
    /// Readers by name; they outlive the processes that use them.
    pub(super) reader_names: Vec<(String, ClientId)>,
    pub(super) processes: SortedMap<ProcessId, ProcessSlot<P>>,
    /// Those of them that are no shell of a terminal.
    pub(super) running: Lab<Rc<Vec<ProcessId>>>,
    pub(super) streams: SortedMap<StreamId, Stream>,
    pub(super) terminals: SortedMap<TerminalId, Terminal>,
    /// What runs in a terminal that an input opens.
    pub(super) shell_of_new: Lab<fn() -> P>,
    pub(super) next_process: ProcessId,
    pub(super) next_stream: StreamId,
    pub(super) next_client: ClientId,
    pub(super) next_event: EventId,
    pub(super) next_message: MessageId,
    pub(super) trace: TraceHash,
    pub(super) fresh_events: FreshEvents,
}

impl<P: Process> World<P> {
    /// A cluster whose brokers have just started and know each other.
    ///
    /// # Errors
    /// An option is out of range.
    pub fn new(options: ClusterOptions) -> Result<Self, CommandError> {
        options.validate()?;
        Ok(Self::of_valid(options))
    }

    fn of_valid(options: ClusterOptions) -> Self {
        let mut world = Self {
            now: SimTime(0),
            steps: 0,
            queue: Queue::new(),
            room: if scope::CLUSTER { Lab::new(Room::default()) } else { Lab::default() },
            controller: QuorumController::new(&options),
            brokers: options
                .listeners()
                .map(|(id, port)| (id, Broker::new(id, port, &options)))
                .collect(),
            faults: Shared::default(),
            hazards: Shared::default(),
            lulls: Shared::default(),
            clients: SortedMap::new(),
            reader_names: Vec::new(),
            processes: SortedMap::new(),
            running: Lab::default(),
            streams: SortedMap::new(),
            terminals: SortedMap::new(),
            shell_of_new: Lab::default(),
            next_process: ProcessId(1),
            next_stream: StreamId(1),
            next_client: ClientId(1),
            next_event: EventId(1),
            next_message: MessageId(1),
            trace: TraceHash::default(),
            fresh_events: FreshEvents::default(),
            options,
        };
        world.bootstrap();
        world
    }

    /// All brokers are registered and know each other. Their heartbeats come at their own moments.
    fn bootstrap(&mut self) {
        let seed = self.options.seed;
        let joining: Vec<(BrokerId, Joining)> =
            self.brokers.iter().map(|(id, broker)| (*id, broker.joining())).collect();
        let first_heartbeat = |id: BrokerId| {
            let own = joining.iter().find(|(joining, _)| *joining == id);
            let interval = own.map_or(0, |(_, joining)| joining.heartbeat_interval.0);
            let interval = u32::try_from(interval).unwrap_or(u32::MAX);
            let who = u64::from(id.0.unsigned_abs());
            let after = draw_below(seed, Purpose::HeartbeatPhase, who, 0, interval);
            SimTime(u64::from(after))
        };
        let mut out = self.outbox(None);
        self.controller.bootstrap(&joining, &first_heartbeat, &mut out);
        self.carry_out_of(NodeId::Controller, None, out);
        // The first record is the cluster's own configuration.
        for (epoch, (id, _)) in (1..).zip(&joining) {
            self.let_broker(*id, None, |broker, out| {
                broker.join_running(BrokerEpoch(epoch), &first_heartbeat, out);
            });
        }
        let settled = SimTime(3 * self.options.network_delay.0);
        while self.next_due().is_some_and(|due| due <= settled) {
            self.step();
        }
        self.wait_until(settled);
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

    /// The producers among them.
    pub fn producers(&self) -> impl Iterator<Item = (ClientId, &Producer)> {
        self.clients.iter().filter_map(|(id, slot)| match &slot.client {
            Client::Producer(producer) => Some((*id, producer)),
            _ => None,
        })
    }

    /// What will happen, in order, as far as it is decided.
    pub fn pending(&self) -> impl Iterator<Item = (SimTime, &Step)> {
        self.queue.in_order().into_iter().map(|scheduled| (scheduled.due, &scheduled.step))
    }

    /// The next step.
    #[must_use]
    pub fn next_step(&self) -> Option<&Step> {
        self.queue.next().map(|scheduled| &scheduled.step)
    }

    /// The next step, and when it is due.
    #[must_use]
    pub fn next(&self) -> Option<(SimTime, &Step)> {
        self.queue.next().map(|scheduled| (scheduled.due, &scheduled.step))
    }

    /// What will happen, in order, each with the event that led to it.
    pub(super) fn queued(&self) -> impl Iterator<Item = (SimTime, Option<EventId>, &Step)> {
        let in_order = self.queue.in_order().into_iter();
        in_order.map(|scheduled| (scheduled.due, scheduled.cause, &scheduled.step))
    }

    /// When the next step is due.
    #[must_use]
    pub fn next_due(&self) -> Option<SimTime> {
        let due = self.queue.next().map(|scheduled| scheduled.due);
        if scope::CLUSTER
            && let Some(wakes) = self.sleeps_until()
        {
            return Some(due.map_or(wakes, |due| due.min(wakes)));
        }
        due
    }

    /// Events since the last call. Whoever drives the world keeps them.
    pub fn take_events(&mut self) -> Vec<Rc<Event>> {
        self.drain_events().map(Rc::new).collect()
    }

    /// As `take_events`, one after another.
    pub fn drain_events(&mut self) -> impl Iterator<Item = Event> {
        self.fresh_events.0.drain(..)
    }

    /// Nobody keeps the events since the last call.
    pub(super) fn forget_events(&mut self) {
        self.fresh_events.0.clear();
    }

    /// A cluster with a terminal in it, at its beginning: what has happened so far is nobody's
    /// history. The options must be valid.
    pub(super) fn begin(options: ClusterOptions, shell: fn() -> P) -> (Self, TerminalId) {
        let mut world = Self::of_valid(options);
        let terminal = world.open_terminal(shell());
        if scope::CLUSTER {
            world.shell_of_new = Lab::new(shell);
        }
        world.forget_events();
        (world, terminal)
    }

    /// Takes an input. It is one step; what was due until its moment must have been taken before.
    ///
    /// # Errors
    /// The input is malformed or comes too late; nothing changes.
    pub fn apply(&mut self, input: &Input) -> Result<(), CommandError> {
        if scope::CLUSTER {
            self.wake_for(input.at);
        }
        if input.at < self.now || self.next_due().is_some_and(|due| due <= input.at) {
            return Err(CommandError::InputInThePast);
        }
        self.accepts(input)?;
        self.now = input.at;
        self.steps += 1;
        self.take_input(input);
        Ok(())
    }

    /// Takes the next step. Returns whether there was one.
    pub fn step(&mut self) -> bool {
        if scope::CLUSTER
            && self.sleeps_until().is_some()
            && let Some(next) = self.next_due()
        {
            self.wake_for(next);
        }
        let Some(Scheduled { due, cause, step }) = self.queue.pop() else { return false };
        self.now = due;
        self.steps += 1;
        if scope::CLUSTER {
            if self.hold_if_paused(&step, cause) || self.hold_if_suspended(&step, cause) {
                return true;
            }
            self.note_round(&step);
        }
        match &step {
            Step::Deliver(message) => {
                self.act(message.to, message.cause, Stimulus::Message(message));
            }
            Step::FireTimer(node, run, timer) => {
                self.act(*node, cause, Stimulus::Timer(*run, timer));
            }
            Step::Notify(recipient, input) => {
                if let Some(process) = self.process_of(*recipient) {
                    self.notify(process, input, cause);
                }
            }
            Step::Command(client, command) => {
                self.act(NodeId::Client(*client), cause, Stimulus::Command(command));
            }
        }
        if scope::CLUSTER {
            self.maybe_sleep();
        }
        true
    }

    /// Lets a node handle something and carries out its effects.
    fn act(&mut self, node: NodeId, cause: Option<EventId>, stimulus: Stimulus<'_>) {
        if let NodeId::Broker(id) = node {
            return self.act_on_broker(id, cause, stimulus);
        }
        let mut out = self.outbox_for(stimulus, cause);
        match node {
            NodeId::Controller => match stimulus {
                Stimulus::Message(message) => self.controller.handle(message, &mut out),
                Stimulus::Timer(_, timer) if scope::CLUSTER => {
                    self.controller.handle_timer(timer, &mut out);
                }
                _ => {}
            },
            NodeId::Client(id) => {
                let Some(ClientSlot { client, .. }) = self.clients.get_mut(&id) else { return };
                match stimulus {
                    Stimulus::Message(message) => client.handle_message(message, &mut out),
                    Stimulus::Timer(_, timer) => client.handle_timer(timer, &mut out),
                    Stimulus::Command(command) => client.handle_command(command, &mut out),
                }
            }
            NodeId::Broker(_) => {}
        }
        if scope::CLUSTER
            && !out.notes.is_empty()
            && let NodeId::Client(id) = node
        {
            self.take_client_notes(id, &mut out);
        }
        self.carry_out_of(node, cause, out);
    }

    fn act_on_broker(&mut self, id: BrokerId, cause: Option<EventId>, stimulus: Stimulus<'_>) {
        let Some(broker) = self.brokers.get(&id) else { return };
        let (listens, run) = (broker.is_listening(), broker.incarnation());
        match stimulus {
            Stimulus::Message(message) => {
                let asks = matches!(message.body, Body::Request(_));
                if scope::CLUSTER && asks && !listens {
                    // Nobody takes the connection.
                    let ended = self.faults.ended(id).or(cause);
                    self.note_unanswered(&message.body, Unanswered::NobodyListened(id), ended);
                    self.note_waiting(message, id);
                    let mut out = self.outbox(cause);
                    out.disconnect(message.from, message.correlation, true);
                    return self.carry_out_of(NodeId::Broker(id), cause, out);
                }
                let out = self.outbox_for(stimulus, cause);
                self.let_broker_with(id, cause, out, |broker, out| broker.handle(message, out));
            }
            Stimulus::Timer(of_run, timer) if of_run == run => {
                self.let_broker(id, cause, |broker, out| broker.handle_timer(timer, out));
            }
            _ => {}
        }
    }

    /// Lets a broker do something and carries out its effects.
    pub(super) fn let_broker(
        &mut self,
        id: BrokerId,
        cause: Option<EventId>,
        act: impl FnOnce(&mut Broker, &mut Outbox),
    ) {
        let out = self.outbox(cause);
        self.let_broker_with(id, cause, out, act);
    }

    fn let_broker_with(
        &mut self,
        id: BrokerId,
        cause: Option<EventId>,
        mut out: Outbox,
        act: impl FnOnce(&mut Broker, &mut Outbox),
    ) {
        if let Some(broker) = self.brokers.get_mut(&id) {
            act(broker, &mut out);
        }
        if scope::CLUSTER && !out.notes.is_empty() {
            self.take_notes(id, &mut out);
        }
        if scope::CLUSTER {
            self.look_at_answers(id, &mut out);
        }
        let halted = out.halted;
        self.carry_out_of(NodeId::Broker(id), cause, out);
        if scope::CLUSTER && halted {
            self.note_stopped(id, cause);
        }
    }

    /// The outbox for what a node does about something. The last words of a broker that has died or was
    /// paused since are not the first of a quiet row.
    fn outbox_for(&mut self, stimulus: Stimulus<'_>, cause: Option<EventId>) -> Outbox {
        let mut out = self.outbox(cause);
        if scope::CLUSTER
            && let Stimulus::Message(message) = stimulus
            && let NodeId::Broker(sender) = message.from
            && !self.is_serving(sender)
        {
            out.play_all();
        }
        out
    }

    pub(super) fn outbox(&mut self, cause: Option<EventId>) -> Outbox {
        let setting = Setting {
            now: self.now,
            step: self.steps,
            network_delay: self.options.network_delay,
            is_quiet: scope::CLUSTER
                && self.faults.rules.is_empty()
                && !self.options.show_quiet_traffic,
        };
        let mut out = Outbox::new(setting, cause, self.next_event, self.next_message);
        if scope::CLUSTER
            && let Some(room) = self.room.get_mut()
        {
            room.furnish(&mut out);
        }
        out
    }

    /// How a client reaches the cluster that was given these addresses.
    pub(super) fn connection(&self, addresses: &str) -> Connection {
        Connection::new(addresses, self.options.resolve(addresses))
    }
}
