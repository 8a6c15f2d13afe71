//! A broker: keeps what the metadata log gives it to keep, copies or serves it, and answers clients.
//!
//! Each file decides one part: `lifecycle` its process, `metadata` what it holds and leads, `produce`
//! and `fetch` clients, `fetch_context` their fetch sessions, `leader` and `follower` the two sides of replication, `in_sync` the in-sync
//! replicas, `storage` old segments and compaction, `producer_ids` ids of producers, `disk` how long
//! a write takes, `admin` questions about the cluster, `configs` those about configuration, `log_dirs`
//! those about its folder, `data_dir` which files are in it, `group_coordinator` groups, `alarm` when periodic
//! tasks run, `waiting` which requests wait, `lull` what it becomes while nothing happens.

mod admin;
mod alarm;
pub mod configs;
pub mod data_dir;
mod disk;
mod fetch;
mod fetch_context;
mod follower;
pub mod group_coordinator;
mod in_sync;
mod leader;
pub mod lifecycle;
mod log_dirs;
pub(crate) mod lull;
mod metadata;
mod produce;
mod producer_ids;
mod storage;
pub mod waiting;

use std::rc::Rc;

use crate::broker::disk::{Disk, Produce};
use crate::broker::fetch::DelayedFetch;
use crate::broker::group_coordinator::GroupCoordinator;
use crate::broker::in_sync::AlterPartitionManager;
use crate::broker::lifecycle::{Lifecycle, Stage};
use crate::broker::produce::DelayedProduces;
use crate::broker::producer_ids::ProducerIdManager;
use crate::broker::storage::Maintenance;
use crate::controller::config_control::broker_entry;
use crate::controller::records::MetadataImage;
use crate::controller::server_config::{ServerConfig, line};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerId, MessageId, NodeId, TopicPartition};
use crate::net::internal::{InternalRequest, InternalResponse};
use crate::net::message::{Body, Message, Request, Response};
use crate::replication::fetch_session::FetchSession;
use crate::replication::fetch_session_cache::FetchSessionCache;
use crate::replication::partition::{Circumstances, Partition};
use crate::replication::replica_fetcher::ReplicaFetcher;
use crate::scope::{self, Always, Lab};
use crate::shared::Shared;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::options::ClusterOptions;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// A broker's state.
#[derive(Clone, Debug)]
pub struct Broker {
    id: BrokerId,
    port: u32,
    /// Its configuration file.
    settings: Rc<Vec<(String, String)>>,
    life: Lifecycle,
    image: MetadataImage,
    /// How much of the metadata log it has replayed.
    metadata_offset: u64,
    /// The fetch of the metadata log that waits for its answer, and when it was sent.
    metadata_fetch: Option<(MessageId, SimTime)>,
    /// Whether this run has taken up its partitions; before, it only replays.
    published: bool,
    /// The partitions it holds. Shared with snapshots: an unchanged one keeps its pointer.
    partitions: SortedMap<TopicPartition, Rc<Partition>>,
    delayed_fetches: SortedMap<MessageId, DelayedFetch>,
    /// Requests it handed on to the controller, with who asked.
    forwarded: SortedMap<MessageId, Option<(NodeId, MessageId)>>,
    /// What random draws are made from.
    seed: Always<u64>,
    replication: Shared<Replication>,
}

/// What a broker has to do with others.
#[derive(Clone, Debug, Default)]
struct Replication {
    /// Produce requests that wait for the in-sync replicas.
    delayed_produces: DelayedProduces,
    /// Leader: the sessions of followers.
    sessions: SortedMap<BrokerId, FetchSession>,
    /// Leader: those of consumers.
    fetch_sessions: FetchSessionCache,
    /// Follower: the fetches from leaders.
    fetchers: SortedMap<BrokerId, ReplicaFetcher>,
    /// Leader: proposals of other in-sync replicas.
    alter_partition: AlterPartitionManager,
    /// What the disk has not written yet.
    disk: Disk,
    /// Ids for producers.
    producer_ids: ProducerIdManager,
    /// What is done to logs without being asked.
    maintenance: Maintenance,
    /// The groups that it coordinates.
    groups: Shared<GroupCoordinator>,
}

impl Broker {
    /// A broker that knows nothing yet, whose process runs.
    #[must_use]
    pub fn new(id: BrokerId, port: u32, options: &ClusterOptions) -> Self {
        let settings = options.settings_of(id);
        Self {
            id,
            port,
            life: Lifecycle::new(options, &settings),
            settings,
            image: MetadataImage::default(),
            metadata_offset: 0,
            metadata_fetch: None,
            published: true,
            partitions: SortedMap::new(),
            delayed_fetches: SortedMap::new(),
            forwarded: SortedMap::new(),
            seed: Always::new(options.seed),
            replication: Shared::default(),
        }
    }

    /// What its configuration file says.
    pub(super) fn config(&self) -> &ServerConfig {
        self.life.config.known()
    }

    /// What is set for this broker or for all of them while they run, or else in its configuration file;
    /// `None`: Kafka's default counts.
    pub(super) fn setting(&self, key: &str) -> Option<&str> {
        broker_entry(&self.image, self.id, key).or_else(|| line(&self.settings, key))
    }

    /// The partitions it holds.
    #[must_use]
    pub fn partitions(&self) -> &SortedMap<TopicPartition, Rc<Partition>> {
        &self.partitions
    }

    /// What it knows of the cluster.
    #[must_use]
    pub fn image(&self) -> &MetadataImage {
        &self.image
    }

    /// How much of the metadata log it has replayed.
    #[must_use]
    pub fn metadata_offset(&self) -> u64 {
        self.metadata_offset
    }

    /// The lines that its configuration file was given.
    #[must_use]
    pub fn file_lines(&self) -> &Rc<Vec<(String, String)>> {
        &self.settings
    }

    /// When each follower has fetched from it last, played or not, as it knows.
    pub fn last_fetches(
        &self,
        network_delay: SimDuration,
        now: SimTime,
    ) -> impl Iterator<Item = (BrokerId, SimTime)> {
        let sessions = self.replication.sessions.iter();
        sessions.map(move |(follower, session)| (*follower, session.contact(network_delay, now)))
    }

    /// Whether its process takes connections.
    #[must_use]
    pub fn is_listening(&self) -> bool {
        matches!(self.life.stage, Stage::CatchingUp | Stage::Running | Stage::ShuttingDown)
    }

    /// A timer has fired.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        match timer {
            Timer::FetchWait(correlation) => self.handle_fetch_wait(*correlation, out),
            _ if !scope::CLUSTER => {}
            Timer::Boot => self.handle_boot(out),
            Timer::HeartbeatAnswer => self.handle_quiet_answer(out),
            Timer::ShutdownHook => self.handle_shutdown_hook(out),
            Timer::ShutdownDeadline => self.handle_shutdown_deadline(out),
            Timer::Heartbeat => self.handle_heartbeat_timer(out),
            Timer::MetadataFetch(waiting) => self.handle_metadata_timer(*waiting, out),
            Timer::ReplicaFetchWait(follower, correlation) => {
                self.handle_replica_fetch_wait(*follower, *correlation, out);
            }
            Timer::ReplicaFetchArrival(follower, correlation) => {
                self.handle_fetch_arrival(*follower, *correlation, out);
            }
            Timer::ReplicaFetchRetry(leader) => self.handle_fetch_retry(*leader, out),
            Timer::RequestTimeout(request) => {
                self.handle_fetch_disconnect(*request, out);
                self.maybe_retry_alter_partition(*request, out);
                self.maybe_forget_allocation(*request);
            }
            Timer::Retention => self.handle_retention(out),
            Timer::Cleaning => self.handle_cleaning(out),
            Timer::DeletionExpiry => self.complete_deletions(out),
            Timer::DiskWrite => self.handle_disk_write(out),
            Timer::ProducerExpiration => self.handle_producer_expiration(out),
            Timer::ProduceExpiry => self.handle_produce_expiry(out),
            Timer::IsrCheck => self.handle_isr_check(out),
            Timer::AlterPartitionRetry => self.send_alter_partition(out),
            Timer::GroupDeadline(partition, number) => {
                self.handle_group_deadline(*partition, *number, out);
            }
            Timer::GroupsLoaded(partition) => self.handle_groups_loaded(*partition, out),
            Timer::GroupWriteExpiry(partition) => self.handle_group_write_expiry(*partition, out),
            Timer::OffsetsExpiration(partition) => self.handle_offsets_expiration(*partition, out),
            _ => {}
        }
    }

    /// Handles a message.
    pub fn handle(&mut self, message: &Message, out: &mut Outbox) {
        match &message.body {
            Body::Request(request) => self.handle_request(message, request, out),
            Body::Response(Response::Admin(answer)) => {
                if let Some(Some((client, correlation))) =
                    self.forwarded.remove(&message.correlation)
                {
                    out.respond_to(client, correlation, Response::Admin(Rc::clone(answer)));
                }
                if scope::CLUSTER {
                    self.note_topic_creation(message.correlation);
                }
            }
            Body::Response(Response::Internal(response)) => {
                self.handle_internal_response(message, response, out);
            }
            Body::Response(_) => {}
            Body::Disconnect { .. } if scope::CLUSTER => {
                self.handle_fetch_disconnect(message.correlation, out);
            }
            Body::Disconnect { .. } => {}
        }
    }

    fn handle_internal_response(
        &mut self,
        message: &Message,
        response: &InternalResponse,
        out: &mut Outbox,
    ) {
        match response {
            InternalResponse::MetadataLog { from, records } => {
                if self.fetches_metadata_with(message.correlation) {
                    self.replay(*from, records, out);
                    self.fetch_metadata(out);
                }
            }
            _ if !scope::CLUSTER => {}
            InternalResponse::BrokerRegistration(result) => {
                self.handle_registered(message.correlation, result.known(), out);
            }
            InternalResponse::BrokerHeartbeat(result) => {
                self.handle_heartbeat_answer(message.correlation, result.known(), out);
            }
            InternalResponse::AlterPartition(result) => {
                self.handle_altered(message.correlation, result.known(), out);
            }
            InternalResponse::AllocateProducerIds(result) => {
                self.handle_allocated(message.correlation, result.known());
            }
            InternalResponse::Fetch(found) => {
                let found = found.known().as_ref();
                self.handle_fetched(message.from, message.correlation, found, out);
            }
        }
    }

    fn handle_request(&mut self, message: &Message, request: &Request, out: &mut Outbox) {
        match request {
            Request::Metadata { topics, allow_auto_topic_creation } => {
                let answer =
                    self.handle_metadata(topics.as_deref(), *allow_auto_topic_creation, out);
                out.respond(message, answer);
            }
            Request::Admin(request) => {
                let asked = Some((message.from, message.correlation));
                self.forward(Rc::clone(request), asked, out);
            }
            Request::DescribeConfigs { resources } => {
                let mut answer = Vec::new();
                for resource in resources.iter() {
                    let entries = if scope::CLUSTER {
                        self.configs(resource)
                    } else {
                        self.own_configs(resource)
                    };
                    answer.push((resource.clone(), entries));
                }
                out.respond(message, Response::DescribeConfigs(Rc::new(answer)));
            }
            Request::ListOffsets { partitions } => {
                let mut answer = Vec::new();
                for (partition, spec) in partitions {
                    answer.push((partition.clone(), self.list_offset(partition, *spec)));
                }
                out.respond(message, Response::ListOffsets(Rc::new(answer)));
            }
            Request::Produce { acks, timeout_ms, batches } => {
                let produce = Produce {
                    from: message.from,
                    correlation: message.correlation,
                    acks: *acks,
                    timeout_ms: *timeout_ms,
                    batches: Rc::clone(batches),
                };
                if !(scope::CLUSTER && self.maybe_delay_produce(&produce, out)) {
                    self.take_produce(&produce, out);
                }
            }
            Request::Fetch(request) => self.handle_fetch(message, request, out),
            Request::DeleteRecords { partitions } if scope::CLUSTER => {
                self.handle_delete_records(message, partitions.known(), out);
            }
            Request::DeleteRecords { .. } => {}
            Request::InitProducerId if scope::CLUSTER => self.handle_init_producer_id(message, out),
            Request::ApiVersions if scope::CLUSTER => out.respond(message, Response::ApiVersions),
            Request::InitProducerId | Request::ApiVersions => {}
            Request::LogDirs(request) if scope::CLUSTER => {
                let answer = self.handle_log_dirs(request.known());
                out.respond(message, Response::LogDirs(Lab::new(answer)));
            }
            Request::Group(request) if scope::CLUSTER => {
                self.handle_group_request(message, request.known(), out);
            }
            Request::OffsetsForLeaderEpoch(questions) if scope::CLUSTER => {
                let answer = self.end_offsets_of_epochs(questions.known());
                out.respond(message, Response::OffsetsForLeaderEpoch(Lab::new(answer)));
            }
            Request::LogDirs(_) | Request::Group(_) | Request::OffsetsForLeaderEpoch(_) => {}
            Request::Internal(InternalRequest::Fetch(fetch)) if scope::CLUSTER => {
                self.handle_replica_fetch(message, fetch.known(), out);
            }
            Request::Internal(_) => {}
        }
    }

    fn leading(&self, partition: &TopicPartition) -> Result<&Rc<Partition>, KafkaError> {
        leading(&self.partitions, &self.image, partition)
    }

    /// A partition that it holds, to be changed, and what counts at this moment.
    fn holding<'a>(
        partitions: &'a mut SortedMap<TopicPartition, Rc<Partition>>,
        partition: &TopicPartition,
    ) -> Option<&'a mut Partition> {
        partitions.get_mut(partition).map(Rc::make_mut)
    }

    /// Lets a partition change; `change` says whether it has. One that has not keeps its pointer, whoever
    /// shares it.
    fn change<T>(
        partitions: &mut SortedMap<TopicPartition, Rc<Partition>>,
        which: &TopicPartition,
        change: impl FnOnce(&mut Partition) -> (bool, T),
    ) -> Option<T> {
        let held = partitions.get_mut(which)?;
        if scope::CLUSTER && Rc::strong_count(held) > 1 {
            let mut copy = Partition::clone(held);
            let (has_changed, outcome) = change(&mut copy);
            if has_changed {
                *held = Rc::new(copy);
            }
            return Some(outcome);
        }
        Some(change(Rc::make_mut(held)).1)
    }

    /// The process has ended: what it had in memory is gone. After a clean end all is on disk.
    fn forget(&mut self, now: SimTime, clean: bool) {
        let nobody = |_| false;
        let here = at(now, &self.life, &nobody);
        for partition in self.partitions.values_mut() {
            let partition = Rc::make_mut(partition);
            let mut kept = partition.checkpointed_high_watermark(here);
            if clean {
                partition.log_mut().flush();
                kept = partition.high_watermark();
            }
            partition.forget_role(now, kept);
        }
        self.life.stage = Stage::Down;
        self.published = false;
        self.metadata_fetch = None;
        self.delayed_fetches = SortedMap::new();
        self.forwarded = SortedMap::new();
        self.replication = Shared::default();
    }

    /// Traffic with this broker, or with all, is played from now on.
    pub fn end_quiet(&mut self, with: Option<BrokerId>, out: &mut Outbox) {
        let (now, delay) = (out.now(), out.network_delay());
        let mut waiting = Vec::new();
        for (follower, session) in self.replication.sessions.iter_mut() {
            if with.is_none_or(|with| with == *follower) {
                session.end_quiet(delay, now);
                waiting.push(*follower);
            }
        }
        for follower in waiting {
            self.arm_parked(follower, out);
        }
        if with.is_none() {
            self.watch_fetches(out);
            self.watch_alter_partition(out);
            self.watch_allocation(out);
        }
    }
}

/// What counts at this moment on a broker with that metadata.
fn at<'a>(
    now: SimTime,
    life: &Lifecycle,
    is_eligible: &'a dyn Fn(BrokerId) -> bool,
) -> Circumstances<'a> {
    let config = life.config.get();
    Circumstances {
        now,
        started: life.started,
        mutation: life.mutation,
        lag_time_max: config.map_or(SimDuration(0), |config| config.replica_lag_time_max),
        checkpoint_interval: config
            .map_or(SimDuration(0), |config| config.high_watermark_checkpoint_interval),
        is_eligible,
    }
}

/// A partition that a broker leads who holds these and knows that.
fn leading<'a>(
    partitions: &'a SortedMap<TopicPartition, Rc<Partition>>,
    image: &MetadataImage,
    partition: &TopicPartition,
) -> Result<&'a Rc<Partition>, KafkaError> {
    let held = partitions.get(partition).filter(|held| held.is_leader());
    held.ok_or_else(|| match image.partition(&partition.topic, partition.partition) {
        Some(_) => KafkaError::plain(ErrorCode::NotLeaderOrFollower),
        None => KafkaError::plain(ErrorCode::UnknownTopicOrPartition),
    })
}
