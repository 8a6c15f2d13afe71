//! Which broker a client asks: first those it was given, then those it has heard of
//! (Kafka's `NetworkClient`, as far as it chooses nodes).

use crate::ids::BrokerId;
use crate::number;
use crate::scope;

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
    pub fn learn(&mut self, brokers: &[(BrokerId, u32)]) {
        if !scope::CLUSTER {
            return;
        }
        let answered = self.node();
        self.known.clear();
        self.known.extend(brokers.iter().map(|(id, _)| *id));
        let place = self.known.iter().position(|id| Some(*id) == answered);
        self.failed = place.and_then(|place| u32::try_from(place).ok()).unwrap_or(0);
    }

    /// What a Kafka client logs about the node that has closed the connection, or has not answered in
    /// time. Once it knows the cluster, it does not.
    #[must_use]
    pub fn disconnection(&self) -> Option<String> {
        let id = self.node().filter(|_| self.known.is_empty())?;
        let place = self.bootstrap.iter().position(|known| *known == id)?;
        Some(disconnected(-1 - i32::try_from(place).unwrap_or(0), &address_of(id)))
    }

    /// The same about an address at which there is nobody.
    #[must_use]
    pub fn bootstrap_disconnection(&self) -> String {
        disconnected(-1, &self.addresses)
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

fn disconnected(number: i32, address: &str) -> String {
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

/// What a Kafka client logs about a broker that it could not reach.
#[must_use]
pub fn unreachable_broker(broker: BrokerId) -> String {
    unreachable(broker.0, &address_of(broker))
}

/// A broker as Java prints it.
#[must_use]
pub fn node_text(broker: BrokerId) -> String {
    format!("{} (id: {broker} rack: null isFenced: false)", address_of(broker))
}

/// What a Kafka client logs while nobody answers at an address (`NetworkClient`).
fn unreachable(number: i32, address: &str) -> String {
    let resolved = match address.rsplit_once(':') {
        Some(("localhost", port)) => format!("localhost/127.0.0.1:{port}"),
        _ => address.to_owned(),
    };
    format!(
        "Connection to node {number} ({resolved}) could not be established. Node may not be \
         available. (org.apache.kafka.clients.NetworkClient)"
    )
}

/// What a consumer logs about the coordinator of its group that it could not reach: the connection is one
/// of its own, with a number counted from the largest one down.
#[must_use]
pub fn unreachable_coordinator(broker: BrokerId) -> String {
    unreachable(i32::MAX - broker.0, &address_of(broker))
}
