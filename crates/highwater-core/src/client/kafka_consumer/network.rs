//! Requests in flight, and what a consumer does when there is no answer: it waits, asks other brokers,
//! tries again (`ConsumerNetworkClient`).

use super::{InFlight, KafkaConsumer, Sent};
use crate::client::backoff::exponential_backoff;
use crate::client::cluster_connection_states::Node;
use crate::ids::{BrokerId, MessageId, NodeId};
use crate::net::message::Request;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

impl KafkaConsumer {
    /// A request was sent: it is waited for, but not forever.
    pub(super) fn note_request(
        &mut self,
        id: MessageId,
        what: InFlight,
        to: Node,
        out: &mut Outbox,
    ) {
        self.note_request_for(self.patience(), (id, what, to), out);
    }

    /// The same, for so long.
    pub(super) fn note_request_for(
        &mut self,
        patience: SimDuration,
        (id, what, to): (MessageId, InFlight, Node),
        out: &mut Outbox,
    ) {
        let deadline = out.now() + patience;
        self.in_flight.insert(id, (what, Sent { to, deadline }));
        if self.watches.is_none_or(|watches| watches > deadline) {
            self.watches = Some(deadline);
            out.timer(patience, Timer::InFlightExpiry);
        }
    }

    pub(super) fn expire_in_flight(&mut self, out: &mut Outbox) {
        let now = out.now();
        if self.watches.is_some_and(|watches| watches > now) {
            return;
        }
        self.watches = None;
        let late = self.in_flight.iter().filter(|(_, (_, sent))| sent.deadline <= now);
        let late: Vec<(MessageId, Node)> = late.map(|(id, (_, sent))| (*id, sent.to)).collect();
        for (id, to) in late {
            if let Some(request) = self.answered(id) {
                self.handle_closed(to, out);
                self.handle_disconnect(&request, out);
            }
        }
        let next = self.in_flight.values().map(|(_, sent)| sent.deadline).min();
        if let Some(next) = next.filter(|_| self.watches.is_none()) {
            self.watches = Some(next);
            out.timer(SimDuration(next.0.saturating_sub(now.0)), Timer::InFlightExpiry);
        }
        self.drive(out);
    }

    /// Sends something to any broker. Whether it was sent: all may be left alone for a while.
    pub(super) fn send_to_any(
        &mut self,
        request: Request,
        what: InFlight,
        out: &mut Outbox,
    ) -> bool {
        let (links, now) = (&self.links, out.now());
        let found = match what {
            InFlight::Metadata => self.connection.least_loaded_or_rebootstrap(links, now),
            _ => self.connection.least_loaded(links, now),
        };
        match found {
            Ok((node, Some(broker))) => {
                let id = out.request(NodeId::Broker(broker), request);
                self.note_request(id, what, node, out);
                true
            }
            Ok((node, None)) => {
                // Nobody listens at any of its addresses.
                self.handle_refused(node, out);
                self.wake_at(self.metadata.retry_at, out);
                false
            }
            Err(until) => {
                self.wake_at(until, out);
                false
            }
        }
    }

    /// Nobody takes connections there.
    pub(super) fn handle_refused(&mut self, node: Node, out: &mut Outbox) {
        if self.note_disconnected(node, out) {
            for line in self.connection.failures(node) {
                self.warn(&line, out);
            }
        }
    }

    /// The connection was closed, or an answer is late.
    pub(super) fn handle_closed(&mut self, node: Node, out: &mut Outbox) {
        if self.note_disconnected(node, out)
            && let Some(line) = self.connection.failures(node).into_iter().nth(1)
        {
            self.warn(&line, out);
        }
    }

    /// The broker's process has ended: all connections to it are closed.
    pub(super) fn handle_end(&mut self, node: Node, out: &mut Outbox) {
        self.handle_closed(node, out);
        let Some(broker) = self.connection.broker_of(node) else { return };
        for other in self.connection.nodes_of(broker) {
            if self.links.is_ready(other) {
                self.handle_closed(other, out);
            }
        }
        if self.coordinator.node == Some(broker) {
            self.mark_coordinator_unknown(out);
        }
    }

    /// Whether that is news. If metadata was wanted, it will come later (`handleServerDisconnect`). When that
    /// is, Kafka draws anew whenever it looks; so it may be wanted still at once, of another node.
    fn note_disconnected(&mut self, node: Node, out: &Outbox) -> bool {
        let now = out.now();
        let config = &self.config;
        let bounds = (config.reconnect_backoff_ms, config.reconnect_backoff_max_ms);
        let chance = (self.seed, self.who);
        let backoff = |failures| backoff(bounds, failures, chance);
        if !self.links.disconnected(node, now, backoff) {
            return false;
        }
        if self.metadata.is_stale && self.metadata_allowed() <= now {
            self.metadata.failed_at = now;
            self.metadata.attempts = self.metadata.attempts.saturating_add(1);
        }
        self.metadata.is_stale = true;
        self.metadata.retry_at = self.metadata_allowed();
        true
    }

    /// When metadata may be asked for again after what has failed so far.
    fn metadata_allowed(&mut self) -> SimTime {
        self.draws = self.draws.wrapping_add(1);
        let config = &self.config;
        let bounds = (config.retry_backoff_ms, config.retry_backoff_max_ms);
        let chance = (self.seed, self.who ^ (u64::from(self.draws) << 32));
        let failures = self.metadata.attempts.saturating_sub(1);
        self.metadata.failed_at + backoff(bounds, failures, chance)
    }

    /// There will be no answer: other brokers may know who leads now.
    pub(super) fn handle_disconnect(&mut self, request: &InFlight, out: &mut Outbox) {
        match request {
            InFlight::Group(call) => return self.handle_coordinator_lost(call, out),
            InFlight::Metadata => {
                self.metadata.is_stale = true;
                return self.wake_at(self.metadata.retry_at, out);
            }
            InFlight::Offsets(asked) => {
                for which in asked {
                    self.look_up_later(which, out);
                }
            }
            InFlight::Epochs(asked) => {
                for (which, _) in asked {
                    self.look_up_later(which, out);
                }
            }
            InFlight::FindCoordinator => self.handle_lookup_lost(out),
            InFlight::Fetch(broker) => {
                if let Some(handler) = self.sessions.get_mut(broker) {
                    handler.handle_error();
                }
            }
        }
        self.note_stale(out);
    }

    /// Asks a leader for no records for a while.
    pub(super) fn pause(&mut self, broker: BrokerId, out: &Outbox) {
        let until = out.now() + self.backoff(0);
        self.pauses.insert(broker, until);
    }

    /// Until when a broker is not asked for records.
    pub(super) fn paused_until(&self, broker: BrokerId, now: SimTime) -> Option<SimTime> {
        let pause = self.pauses.get(&broker).copied().filter(|until| *until > now);
        pause.max(self.links.unavailable_until(Node::Broker(broker), now))
    }

    /// How long it waits after so many failures in a row.
    pub(super) fn backoff(&self, failures: u32) -> SimDuration {
        let config = &self.config;
        let bounds = (config.retry_backoff_ms, config.retry_backoff_max_ms);
        backoff(bounds, failures, (self.seed, self.who))
    }

    /// Wakes up at that time, unless it does so before.
    pub(super) fn wake_at(&mut self, at: SimTime, out: &mut Outbox) {
        let now = out.now();
        if self.wakes.is_some_and(|wakes| wakes > now && wakes <= at) {
            return;
        }
        self.wakes = Some(at);
        out.timer(SimDuration(at.0.saturating_sub(now.0)), Timer::RetryBackoff);
    }
}

fn backoff((first, most): (u64, u64), failures: u32, chance: (u64, u64)) -> SimDuration {
    let (first, most) = (SimDuration::from_millis(first), SimDuration::from_millis(most));
    exponential_backoff((first, most), failures, chance)
}
