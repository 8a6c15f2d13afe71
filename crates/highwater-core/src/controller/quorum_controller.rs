//! The active controller: takes requests, decides by appending to the metadata log, and serves that
//! log to the brokers (Kafka's `QuorumController`, one voter).

use std::rc::Rc;

use crate::broker::lifecycle::METADATA_FETCH_TIMEOUT;
use crate::controller::alter_partition::{alter_partition, check_broker};
use crate::controller::cluster_control::BrokerSession;
use crate::controller::config_control::alter_configs;
use crate::controller::leadership::{self, Changed};
use crate::controller::reassignment::{self, Wanted};
use crate::controller::records::{MetadataImage, MetadataRecord, PartitionImage};
use crate::controller::replication_control::{create_partitions, create_topic};
use crate::controller::server_config::ServerConfig;
use crate::draw::{Purpose, draw, who};
use crate::error::{ErrorCode, KafkaError};
use crate::ids::{BrokerEpoch, BrokerId, MessageId, NodeId, TopicId, TopicName, TopicPartition};
use crate::mutation::Mutation;
use crate::net::admin::{
    AdminAnswer, AdminRequest, ConfigChanges, CreatableTopic, ElectionType, MorePartitions,
    Reassignments,
};
use crate::net::internal::{AlteredPartition, InternalRequest, InternalResponse, IsrProposal};
use crate::net::message::{Body, Message, PartitionOutcomes, Request, Response};
use crate::scope::{self, Always, Lab};
use crate::shared::Shared;
use crate::sorted_map::SortedMap;
use crate::time::{SimDuration, SimTime};
use crate::world::cluster_event::{ChangeReason, ClusterEvent};
use crate::world::event::EventKind;
use crate::world::options::ClusterOptions;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// The controller's state: the log, what it amounts to, and who waits for more of it.
#[derive(Clone, Debug)]
pub struct QuorumController {
    pub(super) seed: u64,
    pub(super) mutation: Mutation,
    /// What its configuration file says.
    pub(super) config: Always<Rc<ServerConfig>>,
    log: Rc<Vec<Rc<MetadataRecord>>>,
    pub(super) image: MetadataImage,
    /// Parked fetches of brokers, with the offset that each asks for.
    parked: SortedMap<NodeId, ParkedFetch>,
    topics_made: u64,
    pub(super) sessions: Shared<SortedMap<BrokerId, BrokerSession>>,
    /// When the newest record was appended.
    last_append: SimTime,
    /// When the log has grown, each time with its end after that.
    pub(super) appends: Shared<Vec<(SimTime, u64)>>,
    /// Whether a look for leaders that are not preferred is planned.
    pub(super) balancing: bool,
    /// Whether one for partitions without a leader is.
    pub(super) electing_unclean: bool,
}

/// A fetch of the metadata log that waits for news.
#[derive(Clone, Copy, Debug)]
struct ParkedFetch {
    correlation: MessageId,
    from: u64,
    since: SimTime,
}

impl ParkedFetch {
    /// A broker that has waited for long asks again and takes no answer to the fetch before. While that is
    /// on its way, played or not: how long until it is here.
    fn until_next_arrives(&self, out: &Outbox) -> Option<SimDuration> {
        let delay = out.network_delay().0;
        let waited = (out.now().0 + 2 * delay).saturating_sub(self.since.0);
        let into = waited % METADATA_FETCH_TIMEOUT.0;
        let is_under_way = waited >= METADATA_FETCH_TIMEOUT.0 && into < 2 * delay;
        is_under_way.then(|| SimDuration(2 * delay - into))
    }
}

impl QuorumController {
    /// A controller that has made no decision.
    #[must_use]
    pub fn new(options: &ClusterOptions) -> Self {
        let config = Always::of(|| Rc::new(ServerConfig::of(&options.broker_settings)));
        let unclean_elections =
            config.get().is_some_and(|config| config.unclean_leader_election_enable);
        Self {
            seed: options.seed,
            mutation: options.mutation,
            config,
            log: Rc::default(),
            image: MetadataImage { unclean_elections, ..MetadataImage::default() },
            parked: SortedMap::new(),
            topics_made: 0,
            sessions: Shared::default(),
            last_append: SimTime(0),
            appends: Shared::default(),
            balancing: false,
            electing_unclean: false,
        }
    }

    /// What the controller knows of the cluster.
    #[must_use]
    pub fn image(&self) -> &MetadataImage {
        &self.image
    }

    /// What its configuration file says.
    pub(super) fn config(&self) -> &ServerConfig {
        self.config.known()
    }

    /// The metadata log.
    pub(super) fn log(&self) -> &[Rc<MetadataRecord>] {
        &self.log
    }

    /// How many records the metadata log has.
    #[must_use]
    pub fn log_end(&self) -> u64 {
        self.log.len() as u64
    }

    /// When the newest record was appended.
    #[must_use]
    pub fn last_append(&self) -> SimTime {
        self.last_append
    }

    /// Appends records and replays them; parked brokers get them at once.
    pub fn append(&mut self, records: Vec<MetadataRecord>, out: &mut Outbox) {
        if records.is_empty() {
            return;
        }
        let log = Rc::make_mut(&mut self.log);
        for record in records {
            self.image.replay(&record);
            log.push(Rc::new(record));
        }
        self.last_append = out.now();
        if scope::CLUSTER {
            let grown = (out.now(), self.log_end());
            self.appends.push(grown);
        }
        for (broker, fetch) in std::mem::take(&mut self.parked) {
            if scope::CLUSTER
                && let Some(left) = fetch.until_next_arrives(out)
            {
                out.timer(left, Timer::MetadataFetchArrival(broker, fetch.correlation));
                self.parked.insert(broker, fetch);
            } else {
                self.answer_fetch(broker, fetch.correlation, fetch.from, out);
            }
        }
        if scope::CLUSTER {
            self.maybe_plan_balancing(out);
        }
    }

    /// Appends changes of partitions, each with its event.
    pub(super) fn append_changes(
        &mut self,
        changes: Vec<Changed>,
        reason: ChangeReason,
        mut records: Vec<MetadataRecord>,
        out: &mut Outbox,
    ) {
        for (which, change) in changes {
            let Some(before) = self.image.partition(&which.topic, which.partition).cloned() else {
                continue;
            };
            let cause = Some(out.next_event());
            let mut after = PartitionImage::clone(&before);
            after.merge(&change, cause);
            let change = Lab::new(change);
            let (topic, partition) = (which.topic.clone(), which.partition);
            records.push(MetadataRecord::PartitionChange { topic, partition, change, cause });
            let after = Rc::new(after);
            let partition = which;
            out.emit_beside(ClusterEvent::PartitionChanged { partition, before, after, reason });
        }
        self.append(records, out);
    }

    /// Handles a message from a broker.
    pub fn handle(&mut self, message: &Message, out: &mut Outbox) {
        let Body::Request(request) = &message.body else { return };
        match request {
            Request::Admin(request) => {
                let answer = self.handle_admin(request, out);
                out.respond(message, Response::Admin(Rc::new(answer)));
            }
            Request::Internal(request) => match request {
                InternalRequest::FetchMetadataLog { from } => {
                    self.answer_fetch(message.from, message.correlation, *from, out);
                }
                InternalRequest::BrokerRegistration {
                    broker,
                    incarnation,
                    previous_epoch,
                    joining,
                } if scope::CLUSTER => {
                    let run = (*incarnation, joining.known());
                    let result = self.handle_registration(*broker, run, *previous_epoch, out);
                    let answer = InternalResponse::BrokerRegistration(Lab::new(result));
                    out.respond(message, Response::Internal(answer));
                }
                InternalRequest::BrokerHeartbeat {
                    broker,
                    epoch,
                    metadata_offset,
                    want_shut_down,
                    cordoned,
                } if scope::CLUSTER => {
                    let result = self.handle_heartbeat(
                        (*broker, *epoch),
                        *metadata_offset,
                        (*want_shut_down, *cordoned),
                        out,
                    );
                    let answer = InternalResponse::BrokerHeartbeat(Lab::new(result));
                    out.respond(message, Response::Internal(answer));
                }
                InternalRequest::AlterPartition { broker, epoch, partitions } if scope::CLUSTER => {
                    let result =
                        self.handle_alter_partition(*broker, *epoch, partitions.known(), out);
                    let answer = InternalResponse::AlterPartition(Lab::new(result));
                    out.respond(message, Response::Internal(answer));
                }
                InternalRequest::AllocateProducerIds { broker, epoch } if scope::CLUSTER => {
                    let result = self.handle_allocate_producer_ids(*broker, *epoch, out);
                    let answer = InternalResponse::AllocateProducerIds(Lab::new(result));
                    out.respond(message, Response::Internal(answer));
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// A session may be over, or it is time to look at the leaders.
    pub fn handle_timer(&mut self, timer: &Timer, out: &mut Outbox) {
        match timer {
            Timer::BrokerSession(broker) => self.handle_session_timer(*broker, out),
            Timer::MetadataFetchArrival(broker, correlation) => {
                if let Some(fetch) = self.parked.get(broker).copied()
                    && fetch.correlation == *correlation
                {
                    self.answer_fetch(*broker, fetch.correlation, fetch.from, out);
                }
            }
            Timer::LeaderRebalance => self.handle_rebalance(out),
            Timer::UncleanElection => self.handle_unclean_election(out),
            _ => {}
        }
    }

    fn handle_admin(&mut self, request: &AdminRequest, out: &mut Outbox) -> AdminAnswer {
        match request {
            AdminRequest::CreateTopic(topic) => {
                let result = self.handle_create_topic(topic, out);
                AdminAnswer::TopicCreated(result.map(|()| topic.name.clone()))
            }
            AdminRequest::DeleteTopics(names) if scope::CLUSTER => {
                let mut outcomes = Vec::new();
                for name in names.known() {
                    outcomes.push((name.clone(), self.handle_delete_topic(name, out)));
                }
                AdminAnswer::TopicsDeleted(Lab::new(outcomes))
            }
            AdminRequest::CreatePartitions(more) if scope::CLUSTER => {
                let MorePartitions { topic, count, assignment } = more.known();
                let cause = Some(out.next_event());
                let made =
                    create_partitions(&self.image, topic, *count, assignment, self.seed, cause);
                AdminAnswer::PartitionsCreated(Lab::new(made.map(|records| {
                    let (topic, count) = (topic.clone(), count.unsigned_abs());
                    out.emit(ClusterEvent::PartitionsAdded { topic, count });
                    self.append(records, out);
                })))
            }
            AdminRequest::AlterConfigs(asked) if scope::CLUSTER => {
                let ConfigChanges { resource, changes } = asked.known();
                let records = alter_configs(&self.image, resource, changes);
                AdminAnswer::ConfigsAltered(Lab::new(records.map(|records| {
                    let (resource, changes) = (resource.clone(), changes.clone());
                    out.emit(ClusterEvent::ConfigsAltered { resource, changes });
                    self.append(records, out);
                })))
            }
            AdminRequest::ElectLeaders { kind, partitions } if scope::CLUSTER => {
                let outcomes = self.handle_elect_leaders(*kind, partitions.known().as_deref(), out);
                AdminAnswer::LeadersElected(Lab::new(outcomes))
            }
            AdminRequest::AlterPartitionReassignments(moves) if scope::CLUSTER => {
                let outcomes = self.handle_alter_reassignments(moves.known(), out);
                AdminAnswer::ReassignmentsAltered(Lab::new(outcomes))
            }
            AdminRequest::ListPartitionReassignments(wanted) if scope::CLUSTER => {
                let ongoing = reassignment::list(&self.image, wanted.known().as_deref());
                AdminAnswer::ReassignmentsListed(Lab::new(Ok(Rc::new(ongoing))))
            }
            AdminRequest::DescribeQuorum if scope::CLUSTER => AdminAnswer::QuorumDescribed(
                Lab::new(Ok(self.describe_quorum(out.now(), out.network_delay()))),
            ),
            _ => request.failed(&KafkaError::plain(ErrorCode::NotModelled)),
        }
    }

    fn handle_create_topic(
        &mut self,
        topic: &CreatableTopic,
        out: &mut Outbox,
    ) -> Result<(), KafkaError> {
        let id = self.next_topic_id(topic);
        let cause = Some(out.next_event());
        let defaults = self
            .config
            .get()
            .map_or((1, 1), |config| (config.num_partitions, config.default_replication_factor));
        let created = create_topic(&self.image, topic, id, (self.seed, defaults), cause);
        match created {
            Ok(records) => {
                let mut partitions = 0;
                for record in &records {
                    partitions += u32::from(matches!(record, MetadataRecord::Partition { .. }));
                }
                out.emit(EventKind::TopicCreated { topic: topic.name.clone(), id, partitions });
                self.topics_made += 1;
                self.append(records, out);
                Ok(())
            }
            Err(error) => {
                out.emit(EventKind::TopicRefused {
                    topic: topic.name.clone(),
                    error: error.clone(),
                });
                Err(error)
            }
        }
    }

    fn handle_delete_topic(
        &mut self,
        name: &TopicName,
        out: &mut Outbox,
    ) -> Result<(), KafkaError> {
        if !self.config().delete_topic_enable {
            return Err(KafkaError::plain(ErrorCode::TopicDeletionDisabled));
        }
        if !self.image.topics.contains_key(name) {
            return Err(KafkaError::plain(ErrorCode::UnknownTopicOrPartition));
        }
        out.emit(ClusterEvent::TopicDeleted { topic: name.clone() });
        self.append(vec![MetadataRecord::RemoveTopic { name: name.clone() }], out);
        Ok(())
    }

    /// Without a list, partitions that need no election are not mentioned.
    fn handle_elect_leaders(
        &mut self,
        kind: ElectionType,
        partitions: Option<&[TopicPartition]>,
        out: &mut Outbox,
    ) -> PartitionOutcomes {
        let all: Vec<TopicPartition>;
        let wanted = match partitions {
            Some(partitions) => partitions,
            None => {
                let topics = self.image.topics.iter();
                let numbered = topics.flat_map(|(name, topic)| {
                    topic.numbered().map(move |(number, _)| TopicPartition::new(name, number))
                });
                all = numbered.collect();
                &all
            }
        };
        let (mut changes, mut outcomes) = (Vec::new(), Vec::new());
        for which in wanted {
            let outcome = match leadership::elect(&self.image, which, kind) {
                Ok(change) => {
                    changes.push((which.clone(), change));
                    Ok(())
                }
                Err(error) => Err(error),
            };
            let needless = matches!(&outcome, Err(e) if e.code == ErrorCode::ElectionNotNeeded);
            if partitions.is_some() || !needless {
                outcomes.push((which.clone(), outcome));
            }
        }
        self.append_changes(changes, ChangeReason::Election(kind), Vec::new(), out);
        Rc::new(outcomes)
    }

    /// Each move counts for itself. All are decided on before the first is carried out, as in Kafka.
    fn handle_alter_reassignments(
        &mut self,
        moves: &Reassignments,
        out: &mut Outbox,
    ) -> PartitionOutcomes {
        let allow_replication_factor_change = moves.allow_replication_factor_change;
        let (mut begun, mut cancelled) = (Vec::new(), Vec::new());
        let mut outcomes = Vec::new();
        for (which, replicas) in &moves.partitions {
            let replicas = replicas.as_deref();
            let wanted = Wanted { replicas, allow_replication_factor_change };
            let decided = reassignment::alter(&self.image, self.mutation, which, wanted);
            let list = if replicas.is_some() { &mut begun } else { &mut cancelled };
            outcomes.push((
                which.clone(),
                decided.map(|change| list.extend(change.map(|change| (which.clone(), change)))),
            ));
        }
        self.append_changes(begun, ChangeReason::Reassignment, Vec::new(), out);
        self.append_changes(cancelled, ChangeReason::ReassignmentCancelled, Vec::new(), out);
        Rc::new(outcomes)
    }

    fn handle_alter_partition(
        &mut self,
        broker: BrokerId,
        epoch: BrokerEpoch,
        proposals: &[IsrProposal],
        out: &mut Outbox,
    ) -> Result<Vec<AlteredPartition>, KafkaError> {
        check_broker(&self.image, broker, epoch)?;
        let mut decided = Vec::new();
        let mut changes = Vec::new();
        for proposal in proposals {
            let change = alter_partition(&self.image, self.mutation, broker, proposal);
            let which = proposal.partition.clone();
            decided.push((which.clone(), change.as_ref().map(|_| ()).map_err(Clone::clone)));
            if let Ok(Some(change)) = change {
                changes.push((which, change));
            }
        }
        self.append_changes(changes, ChangeReason::IsrProposal(broker), Vec::new(), out);
        let mut answers = Vec::new();
        for (which, outcome) in decided {
            let image = self.image.partition(&which.topic, which.partition).cloned();
            let answer = outcome.and_then(|()| match image {
                None => Err(KafkaError::plain(ErrorCode::UnknownTopicOrPartition)),
                // A reassignment was complete by it, and took the leader away.
                Some(image) if image.leader != Some(broker) => {
                    Err(KafkaError::plain(ErrorCode::NewLeaderElected))
                }
                Some(image) => Ok(image),
            });
            answers.push((which, answer));
        }
        Ok(answers)
    }

    fn next_topic_id(&self, topic: &CreatableTopic) -> TopicId {
        let name = who(topic.name.as_str());
        let half =
            |n: u64| u128::from(draw(self.seed, Purpose::TopicId, name, self.topics_made * 2 + n));
        TopicId((half(0) << 64) | half(1))
    }

    fn answer_fetch(
        &mut self,
        broker: NodeId,
        correlation: MessageId,
        from: u64,
        out: &mut Outbox,
    ) {
        let records = self.log.get(usize::try_from(from).unwrap_or(usize::MAX)..).unwrap_or(&[]);
        if records.is_empty() {
            self.parked.insert(broker, ParkedFetch { correlation, from, since: out.now() });
        } else {
            let records = records.to_vec();
            let answer = InternalResponse::MetadataLog { from, records };
            out.respond_to(broker, correlation, Response::Internal(answer));
        }
    }
}
