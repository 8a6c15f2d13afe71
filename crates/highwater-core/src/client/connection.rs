//! Which broker a client asks: first those it was given, then those it has heard of
//! (Kafka's `NetworkClient`, as far as it chooses nodes).

use std::fmt::Display;

use crate::client::cluster_connection_states::{ClusterConnectionStates, Node};
use crate::ids::{BrokerId, Rack};
use crate::net::message;
use crate::number;
use crate::scope;
use crate::time::SimTime;

/// The port of broker 1; broker n listens n - 1 above it.
const FIRST_PORT: i32 = 9_092;

/// A client's way to the cluster.
#[derive(Clone, Debug)]
pub struct Connection {
    /// `bootstrap.servers`, as they were given.
    addresses: String,
    /// The brokers behind them.
    bootstrap: Vec<BrokerId>,
    /// All that it has heard of; empty before the first answer.
    known: Vec<BrokerId>,
    /// How many in a row could not be reached.
    failed: u32,
}

impl Connection {
    /// A client that was given these addresses.
    #[must_use]
    pub fn new(addresses: &str, bootstrap: Vec<BrokerId>) -> Self {
        Self { addresses: addresses.to_owned(), bootstrap, known: Vec::new(), failed: 0 }
    }

    fn nodes(&self) -> &[BrokerId] {
        if self.known.is_empty() { &self.bootstrap } else { &self.known }
    }

    /// Whom to ask next; `None`: nobody listens at any of the addresses.
    #[must_use]
    pub fn node(&self) -> Option<BrokerId> {
        if !scope::CLUSTER {
            // There is one broker, and it is there.
            return self.bootstrap.first().copied();
        }
        let nodes = self.nodes();
        let turn = usize::try_from(self.failed).unwrap_or(0);
        nodes.get(turn % nodes.len().max(1)).copied()
    }

    /// Whether some broker has answered.
    #[must_use]
    pub fn has_learned(&self) -> bool {
        !self.known.is_empty()
    }

    /// Whom to ask for metadata. If there is nobody among those it has heard of, it begins anew with its
    /// addresses (KIP-899).
    pub fn least_loaded_or_rebootstrap(
        &mut self,
        states: &ClusterConnectionStates,
        now: SimTime,
    ) -> Result<(Node, Option<BrokerId>), SimTime> {
        let found = self.least_loaded(states, now);
        if found.is_ok() || self.known.is_empty() {
            return found;
        }
        self.known.clear();
        self.failed = 0;
        self.least_loaded(states, now)
    }

    /// The first node that may be asked (`leastLoadedNode`), beginning with whose turn it is, or else when
    /// one may be. An address at which there is no broker is a node, too.
    pub fn least_loaded(
        &mut self,
        states: &ClusterConnectionStates,
        now: SimTime,
    ) -> Result<(Node, Option<BrokerId>), SimTime> {
        let count = u32::try_from(self.nodes().len()).unwrap_or(u32::MAX);
        let mut first: Option<SimTime> = None;
        for turn in 0..count.max(1) {
            let turn = self.failed.saturating_add(turn).checked_rem(count.max(1)).unwrap_or(0);
            let id = usize::try_from(turn).ok().and_then(|turn| self.nodes().get(turn)).copied();
            let node = match id {
                Some(id) if !self.known.is_empty() => Node::Broker(id),
                _ => Node::Bootstrap(turn),
            };
            match states.unavailable_until(node, now) {
                None => {
                    self.failed = turn;
                    return Ok((node, id));
                }
                Some(until) => first = Some(first.map_or(until, |first| first.min(until))),
            }
        }
        Err(first.unwrap_or(now))
    }

    /// Whose turn it is, as a node.
    #[must_use]
    pub fn current(&self) -> Node {
        match self.node() {
            Some(id) if !self.known.is_empty() => Node::Broker(id),
            _ => Node::Bootstrap(self.failed),
        }
    }

    /// Which broker a node is; `None`: nobody is there.
    #[must_use]
    pub fn broker_of(&self, node: Node) -> Option<BrokerId> {
        match node {
            Node::Broker(id) | Node::Coordinator(id) => Some(id),
            Node::Bootstrap(place) => self.bootstrap.get(usize::try_from(place).ok()?).copied(),
        }
    }

    /// The nodes that a broker is.
    #[must_use]
    pub fn nodes_of(&self, broker: BrokerId) -> Vec<Node> {
        let mut nodes = vec![Node::Broker(broker), Node::Coordinator(broker)];
        for (place, id) in (0..).zip(&self.bootstrap) {
            if *id == broker {
                nodes.push(Node::Bootstrap(place));
            }
        }
        nodes
    }

    /// What a Kafka client logs about a node that it could not reach, and then about the address that it
    /// stands for, as long as it has not heard of the cluster.
    #[must_use]
    pub fn failures(&self, node: Node) -> Vec<String> {
        let address = self.broker_of(node).map_or_else(|| self.addresses.clone(), address_of);
        let mut lines = vec![unreachable(node.text(), &address)];
        if let Node::Bootstrap(_) = node
            && self.known.is_empty()
        {
            lines.push(disconnected(&node.text(), &address));
        }
        lines
    }

    /// Whether these are the brokers that it has heard of.
    pub(crate) fn knows(&self, brokers: impl Iterator<Item = BrokerId>) -> bool {
        self.known.iter().copied().eq(brokers)
    }

    /// The broker could not be reached. Returns whether another one can be asked at once: when all have
    /// failed in a row, it is time to wait.
    pub fn note_failure(&mut self) -> bool {
        self.failed = self.failed.saturating_add(1);
        let count = u32::try_from(self.nodes().len()).unwrap_or(u32::MAX);
        let is_left = !self.failed.is_multiple_of(count.max(1));
        if !is_left {
            // Nobody it has heard of is there: it begins anew (KIP-899).
            self.known.clear();
            self.failed = 0;
        }
        is_left
    }

    /// A broker has answered and named the others.
    pub fn learn(&mut self, brokers: &[message::Node]) {
        if !scope::CLUSTER {
            return;
        }
        let answered = self.node();
        self.known.clear();
        self.known.extend(brokers.iter().map(|node| node.id));
        let place = self.known.iter().position(|id| Some(*id) == answered);
        self.failed = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0);
    }

    /// What a Kafka client logs about the node that it could not reach. Without the cluster every broker
    /// can be reached; only addresses lead nowhere.
    #[must_use]
    pub fn failure(&self) -> String {
        let node = self.node().filter(|_| scope::CLUSTER);
        let place = self.bootstrap.iter().position(|id| Some(*id) == node);
        let (number, address) = match (node, place) {
            (Some(id), None) => (id.0, address_of(id)),
            (Some(id), Some(_)) if !self.known.is_empty() => (id.0, address_of(id)),
            (Some(id), Some(place)) => (-1 - i32::try_from(place).unwrap_or(0), address_of(id)),
            (None, _) => (-1, self.addresses.clone()),
        };
        unreachable(number, &address)
    }
}

fn disconnected(number: &str, address: &str) -> String {
    format!(
        "Bootstrap broker {address} (id: {number} rack: null isFenced: false) disconnected \
         (org.apache.kafka.clients.NetworkClient)"
    )
}

/// What a Kafka client logs about a broker that it knew and could not reach.
pub(super) fn failure_of(broker: BrokerId) -> String {
    unreachable(broker.0, &address_of(broker))
}

/// Where a broker listens, as its clients know it.
#[must_use]
pub fn address_of(broker: BrokerId) -> String {
    let port = FIRST_PORT + broker.0 - 1;
    number::join(&["localhost", &port.to_string()], ":")
}

/// A broker as Java prints it.
#[must_use]
pub fn node_text(broker: BrokerId, rack: &Rack) -> String {
    let rack = rack.get().map_or("null", |rack| rack);
    format!("{} (id: {broker} rack: {rack} isFenced: false)", address_of(broker))
}

/// What a Kafka client logs while nobody answers at an address (`NetworkClient`).
fn unreachable(number: impl Display, address: &str) -> String {
    let resolved = match address.rsplit_once(':') {
        Some(("localhost", port)) => format!("localhost/127.0.0.1:{port}"),
        _ => address.to_owned(),
    };
    format!(
        "Connection to node {number} ({resolved}) could not be established. Node may not be \
         available. (org.apache.kafka.clients.NetworkClient)"
    )
}
