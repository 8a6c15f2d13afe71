//! Requests that wait at a broker for their answer, and for what.

use super::Broker;
use crate::ids::{MessageId, NodeId};

/// What a request waits for at its broker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitsFor {
    /// A fetch: for records, or the end of its patience.
    Records,
    /// A producer's: that the in-sync replicas have what it brought.
    Replicas,
    /// That what it brought is written to the disk.
    Disk,
    /// That all live replicas have deleted what it names.
    Deletion,
    /// For other members of its group, or until what is kept of the group is written.
    Group,
    /// For the controller's answer.
    Controller,
}

impl Broker {
    /// Requests that wait here for their answer, with what each waits for.
    pub fn waiting_requests(&self) -> impl Iterator<Item = (NodeId, MessageId, WaitsFor)> {
        let of = |why: WaitsFor| move |(from, id): (NodeId, MessageId)| (from, id, why);
        let shared = &self.replication;
        let fetches = self.delayed_fetches.iter().map(|(id, fetch)| (fetch.from, *id));
        let parked = shared.sessions.iter().filter_map(|(follower, session)| {
            Some((NodeId::Broker(*follower), session.parked?.correlation))
        });
        fetches
            .map(of(WaitsFor::Records))
            .chain(shared.delayed_produces.held().map(of(WaitsFor::Replicas)))
            .chain(shared.disk.held().map(of(WaitsFor::Disk)))
            .chain(shared.maintenance.held().map(of(WaitsFor::Deletion)))
            .chain(shared.groups.held().into_iter().map(of(WaitsFor::Group)))
            .chain(self.forwarded.values().flatten().copied().map(of(WaitsFor::Controller)))
            .chain(parked.map(of(WaitsFor::Records)))
    }

    /// The same without the reason. When the process ends, their connections close.
    #[must_use]
    pub fn held_requests(&self) -> Vec<(NodeId, MessageId)> {
        self.waiting_requests().map(|(from, id, _)| (from, id)).collect()
    }
}
