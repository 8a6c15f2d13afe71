//! The outbox of a node: effects that the world carries out. Nodes touch nothing else.

use crate::client::ClientReply;
use crate::ids::{EventId, MessageId, NodeId};
use crate::net::message::{Body, Message, Request, Response};
use crate::scope::{self, Lab};
use crate::time::{SimDuration, SimTime};
use crate::world::event::{Event, EventKind};
use crate::world::hazard::Note;
use crate::world::step::Timer;

/// A message to be sent.
#[derive(Debug)]
pub(crate) struct Sending {
    pub(crate) id: MessageId,
    pub(super) correlation: MessageId,
    pub(crate) to: NodeId,
    pub(super) cause: Option<EventId>,
    pub(crate) body: Body,
}

/// What a node may know of the world around it.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// The present.
    pub now: SimTime,
    /// The number of the step.
    pub step: u64,
    /// One way over the network, when nothing slows it down.
    pub network_delay: SimDuration,
    /// Whether traffic that changes nothing may be left out: nothing is wrong with the network, and
    /// nobody asked to see it.
    pub is_quiet: bool,
}

/// What a node wants done, with the numbers that it will get.
#[derive(Debug)]
pub struct Outbox {
    setting: Setting,
    cause: Option<EventId>,
    pub(super) next_event: EventId,
    pub(crate) next_message: MessageId,
    pub(super) halted: bool,
    pub(crate) events: Vec<Event>,
    pub(crate) sendings: Vec<Sending>,
    pub(crate) timers: Vec<(SimDuration, Timer)>,
    pub(crate) replies: Vec<ClientReply>,
    pub(super) notes: Vec<(Option<EventId>, Lab<Note>)>,
}

/// Room that outboxes have left: the next one need not ask for it anew.
#[derive(Debug, Default)]
pub(super) struct Room {
    events: Vec<Event>,
    sendings: Vec<Sending>,
    timers: Vec<(SimDuration, Timer)>,
    replies: Vec<ClientReply>,
}

impl Clone for Room {
    /// Nothing is in it.
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Room {
    /// Gives its room to an outbox that has none.
    pub(super) fn furnish(&mut self, out: &mut Outbox) {
        out.events = std::mem::take(&mut self.events);
        out.sendings = std::mem::take(&mut self.sendings);
        out.timers = std::mem::take(&mut self.timers);
        out.replies = std::mem::take(&mut self.replies);
    }

    /// Takes the room of an outbox that has been carried out.
    pub(super) fn take_back(&mut self, out: Outbox) {
        let Outbox { mut events, mut sendings, mut timers, mut replies, .. } = out;
        events.clear();
        sendings.clear();
        timers.clear();
        replies.clear();
        *self = Self { events, sendings, timers, replies };
    }
}

impl Outbox {
    /// An empty outbox. `cause` is the event that led to what the node now handles.
    #[must_use]
    pub(crate) fn new(
        setting: Setting,
        cause: Option<EventId>,
        next_event: EventId,
        next_message: MessageId,
    ) -> Self {
        Self {
            setting,
            cause,
            next_event,
            next_message,
            halted: false,
            events: Vec::new(),
            sendings: Vec::new(),
            timers: Vec::new(),
            replies: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// The present.
    #[must_use]
    pub fn now(&self) -> SimTime {
        self.setting.now
    }

    /// One way over the network, when nothing slows it down.
    #[must_use]
    pub fn network_delay(&self) -> SimDuration {
        self.setting.network_delay
    }

    /// Whether traffic that changes nothing may be left out.
    #[must_use]
    pub fn is_quiet(&self) -> bool {
        !scope::CLUSTER || self.setting.is_quiet
    }

    /// The number that the next event will get.
    #[must_use]
    pub fn next_event(&self) -> EventId {
        self.next_event
    }

    /// All traffic that follows from this must be played.
    pub(super) fn play_all(&mut self) {
        self.setting.is_quiet = false;
    }

    /// Says what happened. It becomes the cause of what the node does after it.
    pub fn emit(&mut self, kind: impl Into<EventKind>) -> EventId {
        let id = self.emit_as(self.cause, kind.into());
        self.cause = Some(id);
        id
    }

    /// Says what happened, without becoming the cause of what follows.
    pub fn emit_beside(&mut self, kind: impl Into<EventKind>) -> EventId {
        self.emit_as(self.cause, kind.into())
    }

    /// Says what happened because of that event, without becoming the cause of what follows.
    pub fn emit_because(&mut self, cause: EventId, kind: impl Into<EventKind>) -> EventId {
        self.emit_as(Some(cause), kind.into())
    }

    fn emit_as(&mut self, cause: Option<EventId>, kind: EventKind) -> EventId {
        let id = self.next_event;
        self.next_event = EventId(id.0 + 1);
        let Setting { now: at, step, .. } = self.setting;
        self.events.push(Event { id, step, at, cause, kind });
        id
    }

    /// Sends a request; the answer will carry its number.
    pub fn request(&mut self, to: NodeId, request: Request) -> MessageId {
        let id = self.next_message;
        self.send(to, id, Body::Request(request))
    }

    /// Answers a request.
    pub fn respond(&mut self, request: &Message, response: Response) {
        self.respond_to(request.from, request.correlation, response);
    }

    /// Answers a request that is kept by its number only.
    pub fn respond_to(&mut self, to: NodeId, correlation: MessageId, response: Response) {
        self.send(to, correlation, Body::Response(response));
    }

    fn send(&mut self, to: NodeId, correlation: MessageId, body: Body) -> MessageId {
        let id = self.next_message;
        self.next_message = MessageId(id.0 + 1);
        self.sendings.push(Sending { id, correlation, to, cause: self.cause, body });
        id
    }

    /// Tells whoever asked that there will be no answer.
    pub fn disconnect(&mut self, to: NodeId, correlation: MessageId, refused: bool) {
        self.send(to, correlation, Body::Disconnect { refused });
    }

    /// What follows has this cause.
    pub fn because(&mut self, cause: Option<EventId>) {
        if cause.is_some() {
            self.cause = cause;
        }
    }

    /// Broker: tells the world what the next leader will be measured by.
    pub fn note(&mut self, note: Note) {
        self.notes.push((self.cause, Lab::new(note)));
    }

    /// The same because of that event; without one, because of what happens now.
    pub fn note_because(&mut self, cause: Option<EventId>, note: Note) {
        self.notes.push((cause.or(self.cause), Lab::new(note)));
    }

    /// Broker: its process ends.
    pub fn halt(&mut self) {
        self.halted = true;
    }

    /// Asks to be woken.
    pub fn timer(&mut self, after: SimDuration, timer: Timer) {
        self.timers.push((after, timer));
    }

    /// Client: tells the process that owns it.
    pub fn reply(&mut self, reply: ClientReply) {
        self.replies.push(reply);
    }
}
