//! Why did a batch come again, or late? Of batches whose requests or answers something was done to, it is
//! remembered what that was. The last few are enough: nobody sends a batch again for ever.

use crate::ids::{BrokerId, ClientId, EventId, NodeId};
use crate::log::record_batch::Origin;
use crate::net::message::{Acks, Body, Message, Request, Response};
use crate::world::hazard::batch_at;
use crate::world::process::Process;
use crate::world::world::World;

/// The most that are remembered.
const MOST: usize = 128;

/// Batches with the events that kept them, or the answers to them, from arriving in time; newest last.
#[derive(Clone, Debug, Default)]
pub(super) struct Troubles(Vec<(ClientId, (u32, u32), EventId)>);

impl Troubles {
    fn note(&mut self, origin: Origin, event: EventId) {
        let Origin { client, number, .. } = origin;
        self.0.retain(|(known, of, _)| (*known, *of) != (client, number));
        if self.0.len() >= MOST {
            self.0.remove(0);
        }
        self.0.push((client, number, event));
    }

    /// What was done to a batch.
    pub(super) fn of(&self, origin: Origin) -> Option<EventId> {
        let Origin { client, number, .. } = origin;
        let mut known = self.0.iter().rev();
        known.find(|(id, of, _)| (*id, *of) == (client, number)).map(|(_, _, event)| *event)
    }
}

impl<P: Process> World<P> {
    /// A message does not arrive in time, or not at all, because of that event.
    pub(in crate::world) fn note_trouble(
        &mut self,
        (from, body): (NodeId, &Body),
        event: Option<EventId>,
    ) {
        let Some(event) = event else { return };
        match (body, from) {
            (Body::Request(Request::Produce { acks, batches, .. }), _) if *acks != Acks::None => {
                for (_, proposal) in batches.iter() {
                    if let Some(origin) = proposal.origin.known() {
                        self.hazards.troubles.note(*origin, event);
                    }
                }
            }
            (Body::Response(Response::Produce(outcomes, _)), NodeId::Broker(broker)) => {
                for (which, outcome) in outcomes {
                    let held = self.replica(broker, which);
                    let batch = held.zip(outcome.as_ref().ok());
                    let batch = batch.and_then(|(held, base)| batch_at(held.log(), *base));
                    if let Some(origin) = batch.and_then(|batch| batch.origin()) {
                        self.hazards.troubles.note(origin, event);
                    }
                }
            }
            _ => {}
        }
    }

    /// The same of one that waits for a process that does not run.
    pub(in crate::world) fn note_waiting(&mut self, message: &Message, broker: BrokerId) {
        self.note_trouble((message.from, &message.body), self.faults.ended(broker));
    }
}
