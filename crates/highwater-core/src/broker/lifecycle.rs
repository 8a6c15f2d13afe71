//! A broker's life: it starts, registers, is unfenced, sends heartbeats, and leaves in order
//! (Kafka's `BrokerLifecycleManager`).

use std::rc::Rc;

use crate::broker::Broker;
use crate::controller::cluster_control::heartbeat_period;
use crate::controller::config_control::broker_entry;
use crate::controller::server_config::{ServerConfig, cordons_all};
use crate::error::KafkaError;
use crate::ids::{BrokerEpoch, BrokerId, MessageId, NodeId};
use crate::mutation::Mutation;
use crate::net::internal::{HeartbeatState, InternalRequest, Joining};
use crate::net::message::Request;
use crate::scope::{self, Always, Lab};
use crate::time::{SimDuration, SimTime, last_of_row};
use crate::world::options::ClusterOptions;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// From the start of the process to its registration, as on the recorded machine.
const BOOT: SimDuration = SimDuration::from_millis(1_500);
/// From SIGTERM to the first heartbeat that says so, as on the recorded machine.
const SHUTDOWN_HOOK: SimDuration = SimDuration::from_millis(200);
/// How long it waits for the controller to let it go (`BrokerServer.shutdown`).
const SHUTDOWN_PATIENCE: SimDuration = SimDuration::from_millis(300_000);
/// Between heartbeats until the broker is unfenced.
const SOON: SimDuration = SimDuration::from_millis(100);
/// How long an answer to a registration may take.
const REGISTRATION_TIMEOUT: SimDuration = SimDuration::from_millis(5_000);
/// `controller.quorum.fetch.timeout.ms`: how long an answer for the metadata log may take.
pub(crate) const METADATA_FETCH_TIMEOUT: SimDuration = SimDuration::from_millis(2_000);

/// How far a broker's process has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// There is no process.
    Down,
    /// It reads its logs.
    Booting,
    /// It has asked the controller to be registered.
    Registering,
    /// It is registered and replays the metadata log.
    CatchingUp,
    /// It serves.
    Running,
    /// It hands over and leaves.
    ShuttingDown,
}

/// What a broker knows of its own process.
#[derive(Clone, Debug)]
pub(super) struct Lifecycle {
    pub(super) stage: Stage,
    pub(super) mutation: Mutation,
    /// What its configuration file says.
    pub(super) config: Always<Rc<ServerConfig>>,
    /// How often its process was started before.
    pub(super) incarnation: u32,
    /// Whether the controller was told that its folder is cordoned.
    cordoned: bool,
    /// When this run began; its periodic tasks count from there.
    pub(super) started: SimTime,
    /// Its registration.
    pub(super) epoch: BrokerEpoch,
    /// On its disk: the registration of the last run, if that ended cleanly. It is there until the next
    /// run has registered and reads its logs.
    clean_epoch: Option<BrokerEpoch>,
    /// While heartbeats are not played: when the first of them was sent.
    quiet_since: Option<SimTime>,
    /// The registration that waits for its answer, and until when.
    registration: Option<(MessageId, SimTime)>,
    /// After it was refused: the earliest moment of the next attempt.
    refused: SimTime,
    heartbeat: Option<MessageId>,
    /// Whether nothing has disturbed it since it was sent, so that the controller takes it as the first
    /// of a row that is not played.
    undisturbed: bool,
    /// When the next heartbeat is sent; a timer for another moment has been overtaken.
    planned: Option<SimTime>,
    /// How long each write to its disk takes: nothing, unless something is wrong with it.
    pub(super) disk_delay: SimDuration,
}

impl Lifecycle {
    /// A process that runs since the beginning.
    pub(super) fn new(options: &ClusterOptions, settings: &[(String, String)]) -> Self {
        Self {
            mutation: options.mutation,
            config: Always::of(|| Rc::new(ServerConfig::of(settings))),
            stage: Stage::Running,
            incarnation: 0,
            cordoned: false,
            started: SimTime(0),
            epoch: BrokerEpoch(0),
            clean_epoch: None,
            quiet_since: None,
            registration: None,
            refused: SimTime(0),
            heartbeat: None,
            undisturbed: false,
            planned: None,
            disk_delay: SimDuration(0),
        }
    }
}

impl Broker {
    /// How far its process has come.
    #[must_use]
    pub fn stage(&self) -> Stage {
        self.life.stage
    }

    /// Whether its last run ended in order, as a file in its folder says.
    pub(super) fn has_ended_cleanly(&self) -> bool {
        self.life.clean_epoch.is_some()
    }

    /// How often its process was started again.
    #[must_use]
    pub fn incarnation(&self) -> u32 {
        self.life.incarnation
    }

    /// Its registration.
    #[must_use]
    pub fn epoch(&self) -> BrokerEpoch {
        self.life.epoch
    }

    /// What it says of itself when it registers. What was set while it ran it learns with the metadata.
    #[must_use]
    pub fn joining(&self) -> Joining {
        let config = self.life.config.get();
        let stock = SimDuration::from_millis(2_000);
        Joining {
            port: self.port,
            rack: config.map(|config| config.rack.clone()).unwrap_or_default(),
            cordoned: config.is_some_and(|config| config.is_cordoned(self.id)),
            heartbeat_interval: config.map_or(stock, |config| config.broker_heartbeat_interval),
        }
    }

    /// The cluster has been running for a moment: the broker is registered and unfenced.
    pub fn join_running(
        &mut self,
        epoch: BrokerEpoch,
        first_heartbeat: &dyn Fn(BrokerId) -> SimTime,
        out: &mut Outbox,
    ) {
        self.life.epoch = epoch;
        if scope::CLUSTER {
            self.life.cordoned = self.config().is_cordoned(self.id);
            let first = first_heartbeat(self.id);
            if out.is_quiet() {
                self.life.quiet_since = Some(first);
            } else {
                self.arm_heartbeat(SimDuration(first.0), out);
            }
        }
        self.fetch_metadata(out);
    }

    /// The process starts.
    pub fn start(&mut self, out: &mut Outbox) {
        self.life.stage = Stage::Booting;
        self.life.incarnation += 1;
        self.life.started = out.now();
        self.life.quiet_since = None;
        self.life.registration = None;
        self.life.refused = SimTime(0);
        self.life.heartbeat = None;
        self.life.planned = None;
        let clean = self.life.clean_epoch.is_some();
        for partition in self.partitions.values_mut() {
            Rc::make_mut(partition).log_mut().load_snapshots(clean);
        }
        out.timer(BOOT, Timer::Boot);
    }

    /// The process is asked to end.
    pub fn begin_shutdown(&mut self, out: &mut Outbox) {
        match self.life.stage {
            Stage::Down | Stage::ShuttingDown => {}
            Stage::Booting | Stage::Registering | Stage::CatchingUp => self.abandon_start(out),
            Stage::Running => out.timer(SHUTDOWN_HOOK, Timer::ShutdownHook),
        }
    }

    /// It says so at once, whenever its next heartbeat would have been due.
    pub(super) fn handle_shutdown_hook(&mut self, out: &mut Outbox) {
        if self.life.stage == Stage::Running {
            self.life.stage = Stage::ShuttingDown;
            self.life.quiet_since = None;
            self.life.planned = None;
            self.send_heartbeat(out);
            out.timer(SHUTDOWN_PATIENCE, Timer::ShutdownDeadline);
        }
    }

    pub(super) fn handle_shutdown_deadline(&mut self, out: &mut Outbox) {
        if self.life.stage == Stage::ShuttingDown {
            self.finish_shutdown(out);
        }
    }

    /// The process ends before it has begun to serve. It has nothing to hand over, and leaves its disk as
    /// it found it: whether that was shut down cleanly is decided by the run before
    /// (`BrokerServer.shutdown` does nothing before the broker is `STARTED`; recorded/stop-early.console).
    fn abandon_start(&mut self, out: &mut Outbox) {
        for (asker, correlation) in self.held_requests() {
            out.disconnect(asker, correlation, false);
        }
        self.note_unwritten(out);
        self.forget(out.now(), false);
        out.halt();
    }

    /// The process ends in order: all is on disk.
    fn finish_shutdown(&mut self, out: &mut Outbox) {
        self.life.clean_epoch = Some(self.life.epoch);
        self.note_unwritten(out);
        let waiting = self.replication.groups.held();
        for (asker, correlation) in self.replication.disk.held().chain(waiting) {
            out.disconnect(asker, correlation, false);
        }
        self.forget(out.now(), true);
        out.halt();
    }

    /// The process is gone, whatever it was doing.
    pub fn crash(&mut self, power_loss: bool, now: SimTime, out: &mut Outbox) {
        self.note_unwritten(out);
        self.forget(now, false);
        if power_loss {
            self.lose_unflushed(now);
        }
    }

    pub(super) fn handle_boot(&mut self, out: &mut Outbox) {
        let waits = self.life.registration.is_some_and(|(_, until)| out.now() < until);
        let is_early = out.now() < self.life.refused;
        if waits || is_early || !matches!(self.life.stage, Stage::Booting | Stage::Registering) {
            return;
        }
        self.life.stage = Stage::Registering;
        let request = InternalRequest::BrokerRegistration {
            broker: self.id,
            incarnation: self.life.incarnation,
            previous_epoch: self.life.clean_epoch,
            joining: Lab::new(self.joining()),
        };
        let id = self.ask_controller(request, out);
        // The answer may be lost.
        self.life.registration = Some((id, out.now() + REGISTRATION_TIMEOUT));
        out.timer(REGISTRATION_TIMEOUT, Timer::Boot);
    }

    pub(super) fn handle_registered(
        &mut self,
        correlation: MessageId,
        result: &Result<BrokerEpoch, KafkaError>,
        out: &mut Outbox,
    ) {
        let is_awaited = self.life.registration.take_if(|(id, _)| *id == correlation).is_some();
        if !is_awaited || self.life.stage != Stage::Registering {
            return;
        }
        let Ok(epoch) = result else {
            // The last run still counts as alive: it is tried again until its session ends.
            let pause = self.config().broker_heartbeat_interval;
            self.life.refused = out.now() + pause;
            return out.timer(pause, Timer::Boot);
        };
        self.life.stage = Stage::CatchingUp;
        self.life.epoch = *epoch;
        self.life.clean_epoch = None;
        self.fetch_metadata(out);
        self.send_heartbeat(out);
    }

    pub(super) fn handle_heartbeat_answer(
        &mut self,
        correlation: MessageId,
        result: &Result<HeartbeatState, KafkaError>,
        out: &mut Outbox,
    ) {
        if self.life.heartbeat != Some(correlation) {
            return;
        }
        self.life.heartbeat = None;
        // The next one counts from this answer, not from what was planned in case it is lost.
        self.life.planned = None;
        let Ok(state) = result else {
            return self.arm_heartbeat(self.config().broker_heartbeat_interval, out);
        };
        match self.life.stage {
            Stage::CatchingUp if state.is_fenced => self.arm_heartbeat(SOON, out),
            Stage::ShuttingDown if state.should_shut_down => self.finish_shutdown(out),
            Stage::CatchingUp | Stage::Running => {
                self.life.stage = Stage::Running;
                if self.life.undisturbed && out.is_quiet() && !state.is_fenced {
                    // The one that was answered now was sent then.
                    let sent = out.now().0.saturating_sub(2 * out.network_delay().0);
                    self.life.quiet_since = Some(SimTime(sent));
                } else {
                    self.arm_heartbeat(self.config().broker_heartbeat_interval, out);
                }
            }
            Stage::ShuttingDown => self.arm_heartbeat(self.config().broker_heartbeat_interval, out),
            Stage::Down | Stage::Booting | Stage::Registering => {}
        }
    }

    fn arm_heartbeat(&mut self, after: SimDuration, out: &mut Outbox) {
        let at = out.now() + after;
        if self.life.planned.is_none_or(|planned| at < planned) {
            self.life.planned = Some(at);
            out.timer(after, Timer::Heartbeat);
        }
    }

    pub(super) fn handle_heartbeat_timer(&mut self, out: &mut Outbox) {
        if self.life.planned.is_some_and(|planned| planned <= out.now()) {
            self.life.planned = None;
            self.send_heartbeat(out);
        }
    }

    /// The answer to a heartbeat that was not played arrives.
    pub(super) fn handle_quiet_answer(&mut self, out: &mut Outbox) {
        if self.life.stage == Stage::Running && self.life.heartbeat.is_none() {
            self.life.planned = None;
            self.arm_heartbeat(self.config().broker_heartbeat_interval, out);
        }
    }

    fn send_heartbeat(&mut self, out: &mut Outbox) {
        let request = InternalRequest::BrokerHeartbeat {
            broker: self.id,
            epoch: self.life.epoch,
            metadata_offset: self.metadata_offset,
            want_shut_down: self.life.stage == Stage::ShuttingDown,
            cordoned: self.is_cordoned(),
        };
        self.life.cordoned = self.is_cordoned();
        let id = out.request(NodeId::Controller, Request::Internal(request));
        self.life.heartbeat = Some(id);
        self.life.undisturbed = out.is_quiet();
        if !out.is_quiet() {
            // The answer may be lost.
            self.arm_heartbeat(self.config().broker_heartbeat_interval, out);
        }
    }

    /// Whether its folder takes no new replicas: set while it runs, or in its file.
    fn is_cordoned(&self) -> bool {
        let set = broker_entry(&self.image, self.id, "cordoned.log.dirs");
        set.map_or_else(|| self.config().is_cordoned(self.id), |set| cordons_all(set, self.id))
    }

    /// The controller is told at once when the folder takes no new replicas any more, or does again
    /// (`BrokerLifecycleManager.propagateDirectoryCordoned`).
    pub(super) fn maybe_tell_cordoned(&mut self, out: &mut Outbox) {
        let is_there = matches!(self.life.stage, Stage::CatchingUp | Stage::Running);
        if is_there && self.is_cordoned() != self.life.cordoned {
            self.life.quiet_since = None;
            self.life.planned = None;
            self.send_heartbeat(out);
        }
    }

    /// Heartbeats and metadata fetches are played from now on.
    pub fn end_quiet_lifecycle(&mut self, out: &mut Outbox) {
        self.life.undisturbed = false;
        if let Some(first) = self.life.quiet_since.take() {
            let (now, delay) = (out.now(), out.network_delay());
            let period = heartbeat_period(self.config().broker_heartbeat_interval, delay);
            let sent = last_of_row(first, period, now);
            let answered = sent + delay + delay;
            if now < first {
                self.arm_heartbeat(SimDuration(first.0 - now.0), out);
            } else if now < answered {
                // One is under way: the next counts from its answer.
                out.timer(SimDuration(answered.0 - now.0), Timer::HeartbeatAnswer);
                let late = sent + self.config().broker_heartbeat_interval;
                self.arm_heartbeat(SimDuration(late.0.saturating_sub(now.0)), out);
            } else {
                self.arm_heartbeat(SimDuration((sent + period).0 - now.0), out);
            }
        }
        if self.life.heartbeat.is_some() {
            // The answer to the one on its way may be lost.
            self.arm_heartbeat(self.config().broker_heartbeat_interval, out);
        }
        if let Some((waiting, sent)) = self.metadata_fetch {
            let last = last_of_row(sent, METADATA_FETCH_TIMEOUT, out.now());
            let left = SimDuration((last + METADATA_FETCH_TIMEOUT).0 - out.now().0);
            out.timer(left, Timer::MetadataFetch(waiting));
        }
    }

    /// Asks for what follows in the metadata log; the controller answers once there is something.
    pub(super) fn fetch_metadata(&mut self, out: &mut Outbox) {
        let from = self.metadata_offset;
        let id = self.ask_controller(InternalRequest::FetchMetadataLog { from }, out);
        self.metadata_fetch = Some((id, out.now()));
        if !out.is_quiet() {
            out.timer(METADATA_FETCH_TIMEOUT, Timer::MetadataFetch(id));
        }
    }

    pub(super) fn fetches_metadata_with(&self, request: MessageId) -> bool {
        self.metadata_fetch.is_some_and(|(id, _)| id == request)
    }

    pub(super) fn handle_metadata_timer(&mut self, waiting: MessageId, out: &mut Outbox) {
        if self.fetches_metadata_with(waiting) && self.life.stage != Stage::Down {
            self.fetch_metadata(out);
        }
    }

    pub(super) fn ask_controller(&self, request: InternalRequest, out: &mut Outbox) -> MessageId {
        out.request(NodeId::Controller, Request::Internal(request))
    }
}
