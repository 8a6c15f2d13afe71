//! Which brokers are there, and which of them may lead: registration, heartbeats, fencing after the
//! session timeout, controlled shutdown (`ClusterControlManager`, `BrokerHeartbeatManager`).

use crate::controller::leadership::{BrokerNews, leader_and_isr_updates};
use crate::controller::quorum_controller::QuorumController;
use crate::controller::records::{BrokerRegistration, ConfigResource, MetadataRecord};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerEpoch, BrokerId};
use crate::mutation::Mutation;
use crate::net::internal::{HeartbeatState, Joining};
use crate::scope;
use crate::sorted_map::sort_by_key;
use crate::time::{SimDuration, SimTime, last_of_row};
use crate::world::cluster_event::{ChangeReason, ClusterEvent};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// What the controller knows of a broker's process.
#[derive(Clone, Debug)]
pub struct BrokerSession {
    /// `broker.heartbeat.interval.ms` of the broker.
    interval: SimDuration,
    /// The last heartbeat that was handled.
    last_contact: SimTime,
    /// When its heartbeats were last not played: it was there.
    seen: SimTime,
    /// While heartbeats are not played: the first of them. The others follow in even steps.
    quiet_since: Option<SimTime>,
    /// How much of the metadata log the broker had replayed at its last heartbeat.
    metadata_offset: u64,
    /// How much of the log the others must have replayed before this broker may end.
    shutdown_offset: Option<u64>,
    /// Whether a timer for the end of the session is on its way.
    armed: bool,
}

/// From one heartbeat of a quiet broker to the next: the interval begins when the answer is there.
#[must_use]
pub fn heartbeat_period(interval: SimDuration, network_delay: SimDuration) -> SimDuration {
    SimDuration(interval.0 + 2 * network_delay.0)
}

impl BrokerSession {
    /// When it was surely there last.
    pub(super) fn seen(&self, now: SimTime, network_delay: SimDuration) -> SimTime {
        self.contact_at(now, network_delay).max(self.seen)
    }

    /// The last heartbeat up to now, played or not.
    fn contact(&self, out: &Outbox) -> SimTime {
        self.contact_at(out.now(), out.network_delay())
    }

    fn contact_at(&self, now: SimTime, network_delay: SimDuration) -> SimTime {
        let period = heartbeat_period(self.interval, network_delay);
        match self.quiet_since {
            Some(first) if now >= first => last_of_row(first, period, now),
            _ => self.last_contact,
        }
    }
}

impl QuorumController {
    /// The cluster as it has just been formatted and started: all brokers are there and unfenced.
    /// `first_heartbeat` says when each of them next sends one.
    pub fn bootstrap(
        &mut self,
        brokers: &[(BrokerId, Joining)],
        first_heartbeat: &dyn Fn(BrokerId) -> SimTime,
        out: &mut Outbox,
    ) {
        // A cluster formatted with eligible leader replicas (4.1 and later) has this entry.
        let mut records = vec![MetadataRecord::Config {
            resource: ConfigResource::BrokerDefault,
            name: "min.insync.replicas".to_owned(),
            value: Some(self.first_min_isr()),
        }];
        for (id, joining) in brokers {
            let registration = BrokerRegistration {
                port: joining.port,
                rack: joining.rack.clone(),
                epoch: BrokerEpoch(records.len() as u64),
                incarnation: 0,
                fenced: false,
                in_controlled_shutdown: false,
                cordoned: joining.cordoned,
            };
            records.push(MetadataRecord::RegisterBroker { id: *id, registration });
            if scope::CLUSTER {
                let session = BrokerSession {
                    interval: joining.heartbeat_interval,
                    last_contact: out.now(),
                    seen: out.now(),
                    quiet_since: out.is_quiet().then(|| first_heartbeat(*id) + out.network_delay()),
                    metadata_offset: 0,
                    shutdown_offset: None,
                    armed: false,
                };
                self.sessions.insert(*id, session);
                self.maybe_arm_session(*id, out);
            }
        }
        self.append(records, out);
    }

    /// What the file says, since a cluster always has a value for all brokers
    /// (`ConfigurationControlManager.maybeGenerateElrSafetyRecords`).
    fn first_min_isr(&self) -> String {
        self.config.get().map_or("1", |config| &config.min_insync_replicas).to_owned()
    }

    /// The last heartbeat of a broker up to now, played or not; `None`: it has no session.
    #[must_use]
    pub fn last_contact(
        &self,
        broker: BrokerId,
        now: SimTime,
        network_delay: SimDuration,
    ) -> Option<SimTime> {
        Some(self.sessions.get(&broker)?.contact_at(now, network_delay))
    }

    /// A broker's process asks to join.
    pub(super) fn handle_registration(
        &mut self,
        broker: BrokerId,
        (incarnation, joining): (u32, &Joining),
        previous_epoch: Option<BrokerEpoch>,
        out: &mut Outbox,
    ) -> Result<BrokerEpoch, KafkaError> {
        let known = self.image.brokers.get(&broker).cloned();
        if let Some(known) = known.as_ref().filter(|known| known.incarnation == incarnation) {
            // The answer to its first request was lost.
            return Ok(known.epoch);
        }
        let has_session = self.sessions.get(&broker).is_some_and(|session| {
            session.contact(out) + self.config().broker_session_timeout > out.now()
        });
        // Also after it has ended in order (recorded/lagging.console).
        if known.is_some() && has_session {
            return Err(KafkaError::new(
                ErrorCode::DuplicateBrokerRegistration,
                format!("Another broker is registered with that broker id {broker}."),
            ));
        }
        let clean = known.as_ref().map(|known| known.epoch) == previous_epoch
            || self.mutation.is(Mutation::UncleanShutdownIgnored);
        out.emit(ClusterEvent::BrokerRegistered { broker, clean });
        if !clean {
            // Whatever was not on its disk may be lost: it must not lead because of what it held.
            let news = BrokerNews { unclean_shutdown: Some(broker), ..BrokerNews::default() };
            let changes = leader_and_isr_updates(&self.image, self.mutation, news, |partition| {
                partition.isr.contains(&broker) || partition.elr.contains(&broker)
            });
            self.append_changes(changes, ChangeReason::UncleanShutdown(broker), Vec::new(), out);
        }
        let epoch = BrokerEpoch(self.log_end());
        let registration = BrokerRegistration {
            port: joining.port,
            rack: joining.rack.clone(),
            epoch,
            incarnation,
            fenced: true,
            in_controlled_shutdown: false,
            cordoned: joining.cordoned,
        };
        let session = BrokerSession {
            interval: joining.heartbeat_interval,
            last_contact: out.now(),
            seen: out.now(),
            quiet_since: None,
            metadata_offset: 0,
            shutdown_offset: None,
            armed: self.sessions.get(&broker).is_some_and(|session| session.armed),
        };
        self.sessions.insert(broker, session);
        self.append(vec![MetadataRecord::RegisterBroker { id: broker, registration }], out);
        Ok(epoch)
    }

    /// A broker says that it is alive, and perhaps that it wants to leave.
    pub(super) fn handle_heartbeat(
        &mut self,
        (broker, epoch): (BrokerId, BrokerEpoch),
        metadata_offset: u64,
        (want_shut_down, cordoned): (bool, bool),
        out: &mut Outbox,
    ) -> Result<HeartbeatState, KafkaError> {
        let known = self.image.brokers.get(&broker).filter(|known| known.epoch == epoch);
        let Some(known) = known.cloned() else {
            return Err(KafkaError::plain(ErrorCode::StaleBrokerEpoch));
        };
        let mut should_shut_down = false;
        if known.fenced {
            if want_shut_down {
                should_shut_down = true;
            } else if metadata_offset > epoch.0 {
                self.unfence(broker, out);
            }
        } else if want_shut_down {
            should_shut_down = self.advance_controlled_shutdown(broker, out);
            if should_shut_down {
                self.fence(broker, None, out);
            }
        }
        self.note_cordoned(broker, cordoned, out);
        let is_fenced = self.image.brokers.get(&broker).is_none_or(|known| known.fenced);
        let quiet = out.is_quiet() && !is_fenced && !want_shut_down;
        if let Some(session) = self.sessions.get_mut(&broker) {
            session.last_contact = out.now();
            session.metadata_offset = metadata_offset;
            session.quiet_since = quiet.then_some(out.now());
        }
        self.maybe_arm_session(broker, out);
        Ok(HeartbeatState { is_fenced, should_shut_down })
    }

    /// A broker says whether its folders take new replicas
    /// (`ReplicationControlManager.handleDirectoriesCordoned`).
    fn note_cordoned(&mut self, id: BrokerId, cordoned: bool, out: &mut Outbox) {
        let known = self.image.brokers.get(&id).filter(|known| known.cordoned != cordoned);
        let Some(known) = known else { return };
        let record = MetadataRecord::BrokerRegistrationChange {
            id,
            fenced: known.fenced,
            in_controlled_shutdown: known.in_controlled_shutdown,
            cordoned: Some(cordoned),
        };
        out.emit(ClusterEvent::BrokerCordoned { broker: id, cordoned });
        self.append(vec![record], out);
    }

    /// Whether a broker that wants to leave may end now: it leads nothing, and all others know it.
    fn advance_controlled_shutdown(&mut self, broker: BrokerId, out: &mut Outbox) -> bool {
        let known = self.image.brokers.get(&broker);
        let leaving = known.is_some_and(|known| known.in_controlled_shutdown);
        let leads = || {
            let mut partitions = self.image.topics.values().flat_map(|topic| &topic.partitions);
            partitions.any(|partition| partition.leader == Some(broker))
        };
        if !leads() {
            let needed = self.sessions.get(&broker).and_then(|session| session.shutdown_offset);
            return !leaving
                || needed.is_none_or(|needed| needed <= self.lowest_active_offset(out));
        }
        if !leaving {
            out.emit(ClusterEvent::ControlledShutdownStarted { broker });
            let news = BrokerNews { removed: Some(broker), ..BrokerNews::default() };
            let changes = leader_and_isr_updates(&self.image, self.mutation, news, |partition| {
                partition.isr.contains(&broker)
            });
            let change = MetadataRecord::BrokerRegistrationChange {
                id: broker,
                fenced: false,
                in_controlled_shutdown: true,
                cordoned: None,
            };
            let reason = ChangeReason::ControlledShutdown(broker);
            self.append_changes(changes, reason, vec![change], out);
            let needed = Some(self.log_end());
            if let Some(session) = self.sessions.get_mut(&broker) {
                session.shutdown_offset = needed;
            }
        }
        false
    }

    /// How much of the log every unfenced broker has replayed, as its heartbeats said.
    fn lowest_active_offset(&self, out: &Outbox) -> u64 {
        let mut lowest = u64::MAX;
        for (id, session) in self.sessions.iter() {
            if self.image.brokers.get(id).is_some_and(|known| !known.fenced) {
                lowest = lowest.min(self.reported_offset(session, out));
            }
        }
        lowest
    }

    /// How much of the log a broker had replayed when it sent its last heartbeat. If that was not played,
    /// it follows from when the log grew: the broker's fetch waits for more, and after each answer it
    /// takes the way there and back until the next one waits.
    fn reported_offset(&self, session: &BrokerSession, out: &Outbox) -> u64 {
        let delay = out.network_delay();
        let Some(first) = session.quiet_since.filter(|first| *first <= out.now()) else {
            return session.metadata_offset;
        };
        let contact = last_of_row(first, heartbeat_period(session.interval, delay), out.now());
        let (mut replayed, mut answered, mut waits_from) =
            (session.metadata_offset, None, SimTime(0));
        let first = self.appends.partition_point(|(_, end)| *end <= replayed);
        for (at, end) in self.appends.get(first..).unwrap_or_default() {
            if answered.is_none_or(|answered| *at > answered) {
                answered = Some(waits_from.max(*at));
            }
            let arrived = answered.unwrap_or(*at) + delay;
            if arrived + delay >= contact {
                break;
            }
            replayed = *end;
            waits_from = arrived + delay;
        }
        replayed
    }

    fn unfence(&mut self, broker: BrokerId, out: &mut Outbox) {
        out.emit(ClusterEvent::BrokerUnfenced { broker });
        let record = MetadataRecord::BrokerRegistrationChange {
            id: broker,
            fenced: false,
            in_controlled_shutdown: false,
            cordoned: None,
        };
        let news = BrokerNews { added: Some(broker), ..BrokerNews::default() };
        let leaderless = leader_and_isr_updates(&self.image, self.mutation, news, |partition| {
            partition.leader.is_none()
        });
        self.append_changes(leaderless, ChangeReason::Unfenced(broker), vec![record], out);
    }

    /// A broker may not lead any more: it has gone silent since `last_contact`, or has left.
    fn fence(&mut self, broker: BrokerId, last_contact: Option<SimTime>, out: &mut Outbox) {
        out.emit(ClusterEvent::BrokerFenced { broker, last_contact });
        let news = BrokerNews { removed: Some(broker), ..BrokerNews::default() };
        let changes = leader_and_isr_updates(&self.image, self.mutation, news, |partition| {
            partition.isr.contains(&broker)
        });
        // All in one: a leader that drops it from its in-sync replicas knows that it is fenced.
        let record = MetadataRecord::BrokerRegistrationChange {
            id: broker,
            fenced: true,
            in_controlled_shutdown: false,
            cordoned: None,
        };
        self.append_changes(changes, ChangeReason::Fenced(broker), vec![record], out);
    }

    /// The end of a session may have come.
    pub(super) fn handle_session_timer(&mut self, broker: BrokerId, out: &mut Outbox) {
        let Some(session) = self.sessions.get_mut(&broker) else { return };
        session.armed = false;
        for (contact, silent) in self.silent_brokers(out) {
            self.fence(silent, Some(contact), out);
        }
        self.maybe_arm_session(broker, out);
    }

    /// Brokers whose sessions are over: who was heard of longest ago comes first, then the smaller id
    /// (`BrokerHeartbeatTracker`).
    fn silent_brokers(&self, out: &Outbox) -> Vec<(SimTime, BrokerId)> {
        let mut silent = Vec::new();
        for (id, session) in self.sessions.iter() {
            let contact = session.contact(out);
            let is_fenced = self.image.brokers.get(id).is_none_or(|known| known.fenced);
            if !is_fenced && contact + self.config().broker_session_timeout <= out.now() {
                silent.push((contact, *id));
            }
        }
        sort_by_key(&mut silent, |it| *it);
        silent
    }

    /// From now on the heartbeats of this broker are played: something has happened to it, or to the
    /// network.
    pub fn end_quiet(&mut self, broker: BrokerId, out: &mut Outbox) {
        if let Some(session) = self.sessions.get_mut(&broker) {
            session.last_contact = session.contact(out);
            if let Some(first) = session.quiet_since.take() {
                session.seen = out.now();
                let (now, delay) = (out.now(), out.network_delay());
                let last = session.last_contact;
                let next = if now < first {
                    first
                } else {
                    last + heartbeat_period(session.interval, delay)
                };
                // One that is on its way arrives in any case.
                if next.0 <= now.0 + delay.0 {
                    session.last_contact = next;
                }
            }
        }
        self.maybe_arm_session(broker, out);
    }

    fn maybe_arm_session(&mut self, broker: BrokerId, out: &mut Outbox) {
        let is_fenced = self.image.brokers.get(&broker).is_some_and(|known| known.fenced);
        let timeout = self.config().broker_session_timeout;
        let Some(session) = self.sessions.get_mut(&broker) else { return };
        if session.armed || session.quiet_since.is_some() || is_fenced {
            return;
        }
        session.armed = true;
        let end = session.last_contact + timeout;
        let left = SimDuration(end.0.saturating_sub(out.now().0));
        out.timer(left, Timer::BrokerSession(broker));
    }
}
