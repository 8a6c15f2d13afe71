//! What a view of a whole cluster needs beside its topics: brokers with their replicas, the controller,
//! the network, what waits and what is on its way.

use std::rc::Rc;

use crate::broker::configs::{Settings, file_of};
use crate::broker::group_coordinator::{GroupEntry, Shard};
use crate::broker::lifecycle::Stage;
use crate::broker::waiting::WaitsFor;
use crate::client::Client;
use crate::client::kafka_consumer::KafkaConsumer;
use crate::client::kafka_consumer::view::MemberView;
use crate::controller::quorum::QuorumInfo;
use crate::controller::records::{BrokerRegistration, ConfigResource};
use crate::ids::{
    BrokerId, EventId, GroupId, MessageId, NodeId, PartitionId, ProcessId, TopicPartition,
};
use crate::net::message::Message;
use crate::net::rule::Rule;
use crate::replication::partition::Partition;
use crate::time::{SimDuration, SimTime};
use crate::world::hazard::HazardCounts;
use crate::world::power::Power;
use crate::world::process::{Process, ProcessInput};
use crate::world::snapshot::ReaderView;
use crate::world::step::{Recipient, Step, Timer};
use crate::world::stream::TerminalView;
use crate::world::world::World;

/// A cluster at one moment.
#[derive(Clone, Debug)]
pub struct ClusterView {
    /// Brokers, by their numbers.
    pub brokers: Vec<BrokerView>,
    /// The controller.
    pub controller: ControllerView,
    /// Messages on their way, in the order of their arrival.
    pub in_flight: Vec<Rc<Message>>,
    /// Timers that will fire, in that order. Those of quiet traffic are not among them.
    pub timers: Vec<TimerView>,
    /// Commands that wait for time to pass: `sleep`, a tool that starts, in the order in which they go on.
    pub sleepers: Vec<SleeperView>,
    /// Consumers that read as members of groups, in the order in which they were made.
    pub members: Vec<MemberView>,
    /// The running processes of readers, by their names as in `Snapshot::readers`, and whether each is stopped
    /// in the middle of what it does (SIGSTOP).
    pub reader_processes: Vec<(String, ProcessId, bool)>,
    /// What the network does to messages.
    pub rules: Vec<Rule>,
    /// How often what is allowed to go wrong has done so.
    pub hazards: HazardCounts,
    /// Running commands with their names.
    pub processes: Vec<(ProcessId, String)>,
    /// Terminals.
    pub terminals: Vec<TerminalView>,
}

/// A broker: its process, what the controller thinks of it, and what it holds.
#[derive(Clone, Debug)]
pub struct BrokerView {
    /// Its id.
    pub id: BrokerId,
    /// How far its process has come.
    pub stage: Stage,
    /// While its process is stopped in the middle of what it does: so many steps wait for it.
    pub paused: Option<u64>,
    /// The messages among these, in the order in which they came.
    pub held: Vec<Rc<Message>>,
    /// How long each write to its disk takes; nothing, unless something is wrong with it.
    pub disk_delay: SimDuration,
    /// How often its process was started again.
    pub incarnation: u32,
    /// What the controller has written down of it, with its port, its epoch and whether it is fenced.
    pub registration: Option<BrokerRegistration>,
    /// When the controller has last heard of it, played or not.
    pub last_contact: Option<SimTime>,
    /// How much of the metadata log it has replayed.
    pub metadata_offset: u64,
    /// The replicas that it holds. An unchanged one keeps its pointer.
    pub replicas: Vec<(TopicPartition, Rc<Partition>)>,
    /// The groups that it coordinates, by the partitions of `__consumer_offsets`. An unchanged partition
    /// keeps its pointer, and within one so does an unchanged group.
    pub groups: Vec<(PartitionId, Rc<Shard>)>,
    /// The lines that its configuration file was given.
    pub file_lines: Rc<Vec<(String, String)>>,
    /// Its followers, each with when it has fetched last, played or not, as this broker knows.
    pub last_fetches: Vec<(BrokerId, SimTime)>,
    /// Requests that wait here for their answer, with who asked and what each waits for.
    pub waiting: Vec<(NodeId, MessageId, WaitsFor)>,
}

/// The controller.
#[derive(Clone, Debug)]
pub struct ControllerView {
    /// How many records the metadata log has.
    pub log_end: u64,
    /// When the newest of them was appended.
    pub last_append: SimTime,
    /// Who leads the metadata quorum, in which epoch, and how far each reader of its log has come.
    pub quorum: QuorumInfo,
    /// The lines that its configuration file was given.
    pub file_lines: Rc<Vec<(String, String)>>,
    /// Settings of brokers that were made while they run.
    pub broker_configs: Vec<(ConfigResource, Vec<(String, String)>)>,
    /// The first producer id that no broker was given.
    pub next_producer_id: i64,
}

/// A command that waits for time to pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SleeperView {
    /// Until when.
    pub due: SimTime,
    /// Its process.
    pub process: ProcessId,
    /// The event since which it waits.
    pub cause: Option<EventId>,
}

/// A timer that will fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimerView {
    /// When.
    pub due: SimTime,
    /// Whose.
    pub node: NodeId,
    /// What for.
    pub timer: Timer,
    /// The event that set it.
    pub cause: Option<EventId>,
}

impl ClusterView {
    /// The groups of all coordinators, each with who coordinates it, by coordinator and partition.
    pub fn groups(&self) -> impl Iterator<Item = (BrokerId, &GroupId, &GroupEntry)> {
        let shards = self
            .brokers
            .iter()
            .flat_map(|broker| broker.groups.iter().map(|(_, shard)| (broker.id, shard)));
        shards
            .flat_map(|(broker, shard)| shard.groups().map(move |(id, entry)| (broker, id, entry)))
    }
}

impl ClusterView {
    /// A broker.
    #[must_use]
    pub fn broker(&self, id: BrokerId) -> Option<&BrokerView> {
        self.brokers.iter().find(|broker| broker.id == id)
    }

    /// The settings of a broker: its file, and what the controller has written down of it since.
    #[must_use]
    pub fn settings_of(&self, id: BrokerId) -> Option<Settings<'_>> {
        let view = self.broker(id)?;
        let registered = self.brokers.iter().filter(|broker| broker.registration.is_some());
        let port = view.registration.as_ref().map_or(0, |known| known.port);
        let file = file_of(id, port, registered.count(), &view.file_lines);
        let own = self.set_while_running(&ConfigResource::Broker(id));
        Some(Settings::new(file, own, self.set_while_running(&ConfigResource::BrokerDefault)))
    }

    /// The settings that the controller goes by.
    #[must_use]
    pub fn settings_of_controller(&self) -> Settings<'_> {
        // Of two lines the last one counts.
        let file = self.controller.file_lines.iter().rev().cloned().collect();
        Settings::new(file, &[], self.set_while_running(&ConfigResource::BrokerDefault))
    }

    fn set_while_running(&self, resource: &ConfigResource) -> &[(String, String)] {
        let found = self.controller.broker_configs.iter().find(|(known, _)| known == resource);
        found.map_or(&[], |(_, entries)| entries)
    }
}

impl BrokerView {
    /// Its replica of that partition.
    #[must_use]
    pub fn replica(&self, which: &TopicPartition) -> Option<&Rc<Partition>> {
        let found = self.replicas.binary_search_by(|(held, _)| held.cmp(which));
        found.ok().and_then(|place| self.replicas.get(place)).map(|(_, replica)| replica)
    }
}

impl<P: Process> World<P> {
    pub(super) fn cluster_view(&self, readers: &[ReaderView]) -> ClusterView {
        let (mut in_flight, mut timers, mut sleepers) = (Vec::new(), Vec::new(), Vec::new());
        for (due, cause, step) in self.queued() {
            match step {
                Step::Deliver(message) => in_flight.push(Rc::clone(message)),
                Step::FireTimer(node, _, timer) => {
                    timers.push(TimerView { due, node: *node, timer: *timer, cause });
                }
                Step::Notify(Recipient::Process(process), input) => {
                    if matches!(**input, ProcessInput::Timer(_)) {
                        sleepers.push(SleeperView { due, process: *process, cause });
                    }
                }
                Step::Notify(..) | Step::Command(..) => {}
            }
        }
        ClusterView {
            brokers: self.brokers().keys().filter_map(|id| self.broker_view(*id)).collect(),
            controller: self.controller_view(),
            in_flight,
            timers,
            sleepers,
            members: self.member_views(readers),
            reader_processes: self.reader_processes(readers),
            rules: self.rules().to_vec(),
            hazards: self.hazards(),
            processes: self.process_names(),
            terminals: self.terminal_views(),
        }
    }

    fn controller_view(&self) -> ControllerView {
        let controller = self.controller();
        let mut broker_configs = Vec::new();
        for (resource, entries) in controller.image().broker_configs.iter() {
            broker_configs.push((resource.clone(), entries.clone()));
        }
        ControllerView {
            log_end: controller.log_end(),
            last_append: controller.last_append(),
            file_lines: Rc::clone(&self.options().broker_settings),
            quorum: controller.describe_quorum(self.now(), self.options().network_delay),
            broker_configs,
            next_producer_id: controller.image().next_producer_id,
        }
    }

    /// The members among the readers, which are all consumers in the same order.
    fn member_views(&self, readers: &[ReaderView]) -> Vec<MemberView> {
        let consumers = self.clients().filter_map(|client| match client {
            Client::Consumer(_) => Some(None),
            Client::KafkaConsumer(consumer) => consumer.get().map(Some),
            _ => None,
        });
        let named = consumers.zip(readers);
        let member = |(consumer, reader): (Option<&KafkaConsumer>, &ReaderView)| {
            Some(MemberView { reader: reader.name.clone(), ..consumer?.member_view()? })
        };
        named.filter_map(member).collect()
    }

    /// Whose the readers are, which are all consumers in the same order.
    fn reader_processes(&self, readers: &[ReaderView]) -> Vec<(String, ProcessId, bool)> {
        let consumers = self.clients.values().filter(|slot| match &slot.client {
            Client::Consumer(_) => true,
            Client::KafkaConsumer(consumer) => consumer.get().is_some(),
            _ => false,
        });
        let runs = |process: &ProcessId| self.processes.contains_key(process);
        let named = consumers.zip(readers);
        named
            .filter_map(|(slot, reader)| {
                let process = slot.owner.filter(runs)?;
                Some((reader.name.clone(), process, self.is_suspended(process)))
            })
            .collect()
    }

    fn broker_view(&self, id: BrokerId) -> Option<BrokerView> {
        let broker = self.brokers().get(&id)?;
        let (mut paused, mut held) = (None, Vec::new());
        if let Some(Power::Paused(steps)) = self.power(id) {
            paused = Some(steps.len() as u64);
            held.extend(steps.iter().filter_map(|(_, step)| match step {
                Step::Deliver(message) => Some(Rc::clone(message)),
                _ => None,
            }));
        }
        let mut replicas = Vec::new();
        for (which, replica) in broker.partitions().iter() {
            replicas.push((which.clone(), Rc::clone(replica)));
        }
        let controller = self.controller();
        let delay = self.options().network_delay;
        Some(BrokerView {
            id,
            stage: broker.stage(),
            paused,
            held,
            disk_delay: self.slow_disks().get(&id).copied().unwrap_or(SimDuration(0)),
            incarnation: broker.incarnation(),
            registration: controller.image().brokers.get(&id).cloned(),
            last_contact: controller.last_contact(id, self.now(), delay),
            metadata_offset: broker.metadata_offset(),
            replicas,
            groups: broker.group_shards().map(|(which, shard)| (which, Rc::clone(shard))).collect(),
            file_lines: Rc::clone(broker.file_lines()),
            last_fetches: broker.last_fetches(delay, self.now()).collect(),
            waiting: broker.waiting_requests(),
        })
    }
}
