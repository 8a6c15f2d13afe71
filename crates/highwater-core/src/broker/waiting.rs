//! Requests that wait at a broker for their answer, and for what.

use super::Broker;
use crate::ids::{BrokerId, MessageId, NodeId};
use crate::replication::fetch_session::FetchSession;

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

/// One that waits.
type Waiting = (NodeId, MessageId, WaitsFor);

impl Broker {
    /// Requests that wait here for their answer, with what each waits for.
    #[must_use]
    pub fn waiting_requests(&self) -> Vec<Waiting> {
        let mut all = Vec::new();
        let mut add = |why: WaitsFor, held: &mut dyn Iterator<Item = (NodeId, MessageId)>| {
            for (from, id) in held {
                all.push((from, id, why));
            }
        };
        let shared = &self.replication;
        add(
            WaitsFor::Records,
            &mut self.delayed_fetches.iter().map(|(id, fetch)| (fetch.from, *id)),
        );
        add(WaitsFor::Replicas, &mut shared.delayed_produces.held());
        add(WaitsFor::Disk, &mut shared.disk.held());
        add(WaitsFor::Deletion, &mut shared.maintenance.held());
        add(WaitsFor::Group, &mut shared.groups.held().into_iter());
        add(WaitsFor::Controller, &mut self.forwarded.values().flatten().copied());
        let parked = |(follower, session): (&BrokerId, &FetchSession)| {
            Some((NodeId::Broker(*follower), session.parked?.correlation))
        };
        add(WaitsFor::Records, &mut shared.sessions.iter().filter_map(parked));
        all
    }

    /// The same without the reason. When the process ends, their connections close.
    #[must_use]
    pub fn held_requests(&self) -> Vec<(NodeId, MessageId)> {
        self.waiting_requests().into_iter().map(|(from, id, _)| (from, id)).collect()
    }
}
