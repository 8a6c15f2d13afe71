//! What follows when an answer is late: the connection is given up, and on the new one a broker must first say that
//! it is there (`ApiVersions`; Kafka's `NetworkClient.handleTimedOutRequests`, `ready`). One that hangs gets no
//! second copy of what it was sent before it does.

use super::Producer;
use crate::ids::{BrokerId, MessageId, NodeId, TopicPartition};
use crate::net::message::Request;
use crate::sorted_map::SortedMap;
use crate::time::SimTime;
use crate::world::outbox::Outbox;

/// The brokers to which there is no connection any more; of those that are connected to again, the request that
/// waits for its answer, and until when.
pub(super) type Lost = SortedMap<BrokerId, Option<(MessageId, SimTime)>>;

impl Producer {
    /// Its connections to these brokers are given up, and new ones on which they have not said in time that they
    /// are there. Others may know by now who leads: it asks (`handleServerDisconnect`).
    pub(super) fn give_up_connections(&mut self, silent: &[BrokerId], out: &mut Outbox) {
        let (now, mut is_any) = (out.now(), !silent.is_empty());
        for connecting in self.accumulator.lost.values_mut() {
            is_any |= connecting.take_if(|(_, deadline)| *deadline <= now).is_some();
        }
        for broker in silent {
            self.accumulator.lost.insert(*broker, None);
        }
        if is_any && self.accumulator.refresh_at.is_some() {
            self.accumulator.refresh_at = Some(now);
            self.refresh(out);
        }
    }

    /// Connects to brokers for which something is ready.
    pub(super) fn connect_anew(&mut self, ready: &[TopicPartition], out: &mut Outbox) {
        if self.accumulator.lost.is_empty() {
            return;
        }
        let deadline = self.deadline(out);
        for to in ready {
            let Some(leader) = self.leader(to) else { continue };
            let Some(connecting) = self.accumulator.lost.get_mut(&leader) else { continue };
            if connecting.is_none() {
                let id = out.request(NodeId::Broker(leader), Request::ApiVersions);
                *connecting = Some((id, deadline));
            }
        }
    }

    /// The broker has answered on its new connection, or closed it: what comes next may be sent. Whether this
    /// was such a request.
    pub(super) fn end_connecting(&mut self, request: MessageId) -> bool {
        let lost = &mut self.accumulator.lost;
        let before = lost.len();
        lost.retain(|_, connecting| connecting.is_none_or(|(id, _)| id != request));
        lost.len() < before
    }

    /// When it gives up connections that it makes.
    pub(super) fn connecting_deadlines(&self) -> impl Iterator<Item = SimTime> {
        self.accumulator.lost.values().filter_map(|connecting| Some((*connecting)?.1))
    }
}
