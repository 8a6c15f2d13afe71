//! Which connections a client has, and how long it leaves alone a node that it could not reach
//! (`ClusterConnectionStates`, KIP-144). A broker may be known as several nodes, each with a connection of
//! its own: as an address that the client was given, as a broker of the cluster, as the coordinator.

use crate::ids::BrokerId;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};

/// A node, as a client tells connections apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node {
    /// The address at that place among those that it was given; -1 in its log is the first one.
    Bootstrap(u32),
    /// A broker that the metadata names.
    Broker(BrokerId),
    /// The coordinator of its group (`GroupCoordinatorNode`), +1 in its log.
    Coordinator(BrokerId),
}

impl Node {
    /// How a client's log names it.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            Self::Bootstrap(place) => format!("-{}", place.saturating_add(1)),
            Self::Broker(id) => id.to_string(),
            Self::Coordinator(id) => format!("+{id}"),
        }
    }
}

/// What is known of a connection (`NodeConnectionState`).
#[derive(Clone, Copy, Debug, Default)]
struct State {
    is_ready: bool,
    failures: u32,
    /// Until then nobody tries again.
    until: SimTime,
}

/// All of them.
#[derive(Clone, Debug, Default)]
pub struct ClusterConnectionStates {
    nodes: SortedMap<Node, State>,
}

impl ClusterConnectionStates {
    /// Until when a node is left alone; `None`: it may be asked.
    #[must_use]
    pub fn unavailable_until(&self, node: Node, now: SimTime) -> Option<SimTime> {
        let state = self.nodes.get(&node)?;
        (!state.is_ready && state.until > now).then_some(state.until)
    }

    /// Whether there is a connection.
    #[must_use]
    pub fn is_ready(&self, node: Node) -> bool {
        self.nodes.get(&node).is_some_and(|state| state.is_ready)
    }

    /// A node has answered.
    pub fn ready(&mut self, node: Node) {
        self.nodes.insert(node, State { is_ready: true, failures: 0, until: SimTime(0) });
    }

    /// A connection is closed, or was not made. Whether that is news: several requests may have been on
    /// their way. `backoff` tells how long to wait after so many failures.
    pub fn disconnected(
        &mut self,
        node: Node,
        now: SimTime,
        backoff: impl Fn(u32) -> SimDuration,
    ) -> bool {
        let state = self.nodes.get(&node).copied().unwrap_or_default();
        if !state.is_ready && state.until > now {
            return false;
        }
        let until = now + backoff(state.failures);
        let failures = state.failures.saturating_add(1);
        self.nodes.insert(node, State { is_ready: false, failures, until });
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A node that is not there is left alone for longer and longer; an answer begins anew.
    #[test]
    fn it_waits_longer_after_each_failure() {
        let node = Node::Coordinator(BrokerId(2));
        assert_eq!(node.text(), "+2");
        let backoff = |failures: u32| SimDuration(50 << failures);
        let mut states = ClusterConnectionStates::default();
        assert_eq!(states.unavailable_until(node, SimTime(0)), None);
        assert!(states.disconnected(node, SimTime(100), backoff));
        assert!(!states.disconnected(node, SimTime(100), backoff), "the same attempt");
        assert_eq!(states.unavailable_until(node, SimTime(149)), Some(SimTime(150)));
        assert_eq!(states.unavailable_until(node, SimTime(150)), None);
        assert!(states.disconnected(node, SimTime(150), backoff));
        assert_eq!(states.unavailable_until(node, SimTime(150)), Some(SimTime(250)));
        states.ready(node);
        assert!(states.is_ready(node));
        assert!(states.disconnected(node, SimTime(300), backoff));
        assert_eq!(states.unavailable_until(node, SimTime(300)), Some(SimTime(350)));
        let other = Node::Broker(BrokerId(2));
        assert_eq!(states.unavailable_until(other, SimTime(300)), None, "a connection of its own");
    }
}
