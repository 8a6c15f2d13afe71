//! What nodes have put into their outboxes takes effect: events are noted, messages go on their way or are
//! lost, timers and replies are put into the queue.

use std::rc::Rc;

use crate::broker::Broker;
use crate::ids::{EventId, MessageId, NodeId};
use crate::net::message::{Body, Message};
use crate::net::rule::{Verdict, verdict};
use crate::scope;
use crate::time::{END_OF_TIME, SimDuration, SimTime};
use crate::world::cluster_event::ClusterEvent;
use crate::world::event::{Event, EventKind};
use crate::world::hazard::Unanswered;
use crate::world::outbox::{Outbox, Sending};
use crate::world::process::{Process, ProcessInput};
use crate::world::queue::Scheduled;
use crate::world::step::{Recipient, Step};
use crate::world::world::World;

impl<P: Process> World<P> {
    /// Carries out what a node has put into its outbox.
    pub(super) fn carry_out_of(&mut self, node: NodeId, cause: Option<EventId>, mut out: Outbox) {
        self.next_event = out.next_event;
        self.next_message = out.next_message;
        let last = out.events.last().map(|event| event.id).or(cause);
        for event in out.events.drain(..) {
            self.record(event);
        }
        for sending in out.sendings.drain(..) {
            self.send(node, sending);
        }
        let run = match node {
            NodeId::Broker(id) => self.brokers.get(&id).map_or(0, Broker::incarnation),
            NodeId::Controller | NodeId::Client(_) => 0,
        };
        for (after, timer) in out.timers.drain(..) {
            self.schedule(self.now + after, last, Step::FireTimer(node, run, timer));
        }
        if let NodeId::Client(client) = node {
            let tell = |reply| {
                let input = Rc::new(ProcessInput::Reply(client, reply));
                self.schedule(self.now, last, Step::Notify(Recipient::OwnerOf(client), input));
            };
            if scope::CLUSTER {
                out.replies.drain(..).for_each(tell);
            } else {
                std::mem::take(&mut out.replies).into_iter().for_each(tell);
            }
        }
        if scope::CLUSTER
            && let Some(room) = self.room.get_mut()
        {
            room.take_back(out);
        }
    }

    /// Puts a message on its way, unless the network loses it.
    fn send(&mut self, from: NodeId, sending: Sending) {
        let is_request = matches!(sending.body, Body::Request(_));
        let api = sending.body.api_name();
        let (message, to) = (sending.id, sending.to);
        let kind = EventKind::MessageSent { message, from, to, api, is_request };
        let cause = Some(self.emit(sending.cause, kind));
        let mut due = self.now + self.options.network_delay;
        if scope::CLUSTER {
            match verdict(&self.faults.rules, from, to) {
                Verdict::Drop(rule) => {
                    self.emit(cause, ClusterEvent::MessageDropped { message, rule });
                    let fault = self.faults.on_the_way(from, to);
                    self.note_unanswered(&sending.body, Unanswered::Dropped(message), fault);
                    return self.note_trouble((from, &sending.body), fault);
                }
                Verdict::Delay(longer) => {
                    if longer.0 > 0 {
                        let fault = self.faults.on_the_way(from, to);
                        self.note_trouble((from, &sending.body), fault);
                    }
                    due = self.in_order(from, to, longer, due + longer);
                }
            }
        }
        let message = Message {
            id: message,
            from,
            to,
            sent: self.now,
            due,
            cause,
            correlation: sending.correlation,
            body: sending.body,
        };
        self.schedule(due, cause, Step::Deliver(Rc::new(message)));
    }

    /// A message does not overtake one that was sent before it on the same link.
    fn in_order(&mut self, from: NodeId, to: NodeId, longer: SimDuration, due: SimTime) -> SimTime {
        if longer.0 == 0 && self.faults.slowed.is_empty() {
            return due;
        }
        let now = self.now;
        self.faults.slowed.retain(|_, last| *last > now);
        let link = (from, to);
        let due = self.faults.slowed.get(&link).map_or(due, |last| due.max(*last));
        if longer.0 > 0 {
            self.faults.slowed.insert(link, due);
        }
        due
    }

    /// Puts a step into the queue, behind all others that are due at the same moment. What is due after the
    /// end of time will never happen.
    pub(super) fn schedule(&mut self, due: SimTime, cause: Option<EventId>, step: Step) {
        if scope::CLUSTER && due > END_OF_TIME {
            return;
        }
        self.queue.push(self.now, Scheduled { due, cause, step });
    }

    /// Notes an event of the world's own.
    pub(super) fn emit(&mut self, cause: Option<EventId>, kind: impl Into<EventKind>) -> EventId {
        let id = self.next_event;
        self.next_event = EventId(id.0 + 1);
        let (step, at, kind) = (self.steps, self.now, kind.into());
        self.record(Event { id, step, at, cause, kind });
        id
    }

    fn record(&mut self, event: Event) {
        self.trace.add(&event);
        self.fresh_events.0.push(event);
    }

    /// Takes text that a terminal shows into the trace.
    pub(super) fn trace_output(&mut self, what: &impl std::hash::Hash) {
        self.trace.add(what);
    }

    /// Takes a message that is on its way out of the queue.
    pub(super) fn lose(&mut self, message: MessageId, fault: EventId) {
        let lost = self.pending().find_map(|(_, step)| match step {
            Step::Deliver(lost) if lost.id == message => Some(Rc::clone(lost)),
            _ => None,
        });
        self.queue.remove(message);
        if let Some(lost) = lost {
            self.note_unanswered(&lost.body, Unanswered::Dropped(message), Some(fault));
            self.note_trouble((lost.from, &lost.body), Some(fault));
        }
    }
}
