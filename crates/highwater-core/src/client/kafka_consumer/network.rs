//! Requests in flight, and what a consumer does when there is no answer: it waits, asks other brokers,
//! tries again (`ConsumerNetworkClient`).

use super::{InFlight, KafkaConsumer, Sent};
use crate::client::backoff::exponential_backoff;
use crate::client::connection;
use crate::ids::{BrokerId, MessageId};
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

impl KafkaConsumer {
    /// A request was sent: it is waited for, but not forever.
    pub(super) fn note_request(
        &mut self,
        id: MessageId,
        what: InFlight,
        to: BrokerId,
        out: &mut Outbox,
    ) {
        self.note_request_for(self.patience(), (id, what, to), out);
    }

    /// The same, for so long.
    pub(super) fn note_request_for(
        &mut self,
        patience: SimDuration,
        (id, what, to): (MessageId, InFlight, BrokerId),
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
        let late: Vec<(MessageId, BrokerId)> = late.map(|(id, (_, sent))| (*id, sent.to)).collect();
        for (id, to) in late {
            if let Some(request) = self.answered(id) {
                self.handle_disconnect(&request, to, out);
            }
        }
        let next = self.in_flight.values().map(|(_, sent)| sent.deadline).min();
        if let Some(next) = next.filter(|_| self.watches.is_none()) {
            self.watches = Some(next);
            out.timer(SimDuration(next.0.saturating_sub(now.0)), Timer::InFlightExpiry);
        }
        self.drive(out);
    }

    /// There will be no answer: other brokers may know who leads now.
    pub(super) fn handle_disconnect(
        &mut self,
        request: &InFlight,
        from: BrokerId,
        out: &mut Outbox,
    ) {
        if let InFlight::Group(call) = request {
            return self.handle_coordinator_lost(call, out);
        }
        let was_connected = self.connected.contains(&from);
        self.connected.retain(|broker| *broker != from);
        // Only a connection that cannot be made is worth a warning; the others are Kafka's INFO.
        let is_first = !self.pauses.contains_key(&from);
        self.pause(from, out);
        match request {
            InFlight::Metadata => {
                if !was_connected && is_first {
                    self.warn(&self.connection.failure(), out);
                }
                let next = self.connection.note_failure();
                let pause = if next { SimDuration(0) } else { self.backoff(u32::MAX) };
                self.metadata.is_stale = true;
                self.metadata.retry_at = out.now() + pause;
                return;
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
            InFlight::FindCoordinator => {
                self.connection.note_failure();
                self.handle_lookup_lost(out);
            }
            InFlight::Fetch(..) | InFlight::Group(_) => {}
        }
        if !was_connected && is_first {
            self.warn(&connection::unreachable_broker(from), out);
        }
        self.note_stale(out);
    }

    /// Leaves a broker alone for a while.
    pub(super) fn pause(&mut self, broker: BrokerId, out: &Outbox) {
        let failures = self.pauses.get(&broker).map_or(0, |(_, failures)| *failures);
        let until = out.now() + self.backoff(failures);
        self.pauses.insert(broker, (until, failures.saturating_add(1)));
    }

    /// How long it waits after so many failures in a row.
    pub(super) fn backoff(&self, failures: u32) -> SimDuration {
        let millis = [self.config.retry_backoff_ms, self.config.retry_backoff_max_ms];
        let [first, most] = millis.map(SimDuration::from_millis);
        exponential_backoff((first, most), failures, (self.seed, self.who))
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
