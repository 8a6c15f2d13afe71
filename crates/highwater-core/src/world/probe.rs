//! A cluster for unit tests, whose brokers are asked by hand: each request is sent by a client that is
//! nothing but a number, and all answers are kept.

use std::rc::Rc;

use crate::ids::{BrokerId, ClientId, MessageId, NodeId};
use crate::net::message::{Body, Message, Request, Response};
use crate::time::{SimDuration, SimTime};
use crate::world::event::Event;
use crate::world::fault::Fault;
use crate::world::options::ClusterOptions;
use crate::world::process::{Process, ProcessInput, ProcessOutbox};
use crate::world::step::Step;
use crate::world::world::World;

/// There are no processes.
#[derive(Clone, Debug)]
pub(crate) struct NoProcess;

impl Process for NoProcess {
    fn name(&self) -> &'static str {
        ""
    }

    fn handle(&mut self, _input: &ProcessInput, _out: &mut ProcessOutbox<'_, Self>) {}
}

/// The cluster, the answers that have come, and the events.
#[derive(Clone)]
pub(crate) struct Probe {
    pub(crate) world: World<NoProcess>,
    answers: Vec<(SimTime, Rc<Message>)>,
    pub(crate) events: Vec<Rc<Event>>,
}

impl Probe {
    pub(crate) fn new(options: ClusterOptions) -> Self {
        let world = World::new(options).expect("valid options");
        Self { world, answers: Vec::new(), events: Vec::new() }
    }

    /// Takes all steps that are due within that time.
    pub(crate) fn run(&mut self, millis: u64) {
        let end = self.world.now() + SimDuration::from_millis(millis);
        while let Some((due, step)) = self.world.next().filter(|(due, _)| *due <= end) {
            if let Step::Deliver(message) = step
                && matches!(message.to, NodeId::Client(_))
            {
                self.answers.push((due, Rc::clone(message)));
            }
            self.world.step();
            self.events.extend(self.world.take_events());
        }
        self.world.wait_until(end);
    }

    /// Sends a request.
    pub(crate) fn send(&mut self, client: u32, broker: BrokerId, request: Request) -> MessageId {
        let client = NodeId::Client(ClientId(1_000 + client));
        let mut out = self.world.outbox(None);
        let id = out.request(NodeId::Broker(broker), request);
        self.world.carry_out_of(client, None, out);
        id
    }

    /// The answer to a request, and when it came.
    pub(crate) fn answer(&self, request: MessageId) -> Option<(SimTime, &Response)> {
        let found = self.answers.iter().find(|(_, message)| message.correlation == request);
        found.and_then(|(at, message)| match &message.body {
            Body::Response(response) => Some((*at, response)),
            _ => None,
        })
    }

    /// Whether the connection was closed instead.
    pub(crate) fn is_disconnected(&self, request: MessageId) -> bool {
        let mut answers = self.answers.iter();
        answers.any(|(_, message)| {
            message.correlation == request && matches!(message.body, Body::Disconnect { .. })
        })
    }

    /// Does something to the cluster.
    pub(crate) fn inject(&mut self, fault: Fault) {
        self.world.inject(fault, None, None);
    }
}
