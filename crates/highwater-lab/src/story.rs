//! The story of a run: the moments at which a reader wants to stop, each with its kind.
//!
//! A stop is a step of the world in which a command was given, something was appended, copied, committed or read, the
//! ISR, a leader or an assignment changed, or something went wrong. Messages, heartbeats and Kafka's own topics are
//! detail.

use highwater_core::controller::topic_name::is_internal;
use highwater_core::ids::{EventId, TopicPartition};
use highwater_core::time::SimTime;
use highwater_core::world::cluster_event::ClusterEvent;
use highwater_core::world::event::{Event, EventKind};
use highwater_core::world::fault::Fault;
use highwater_core::world::group_event::GroupEvent;
use highwater_core::world::snapshot::Snapshot;

use crate::totals::{Sample, Totals};

/// What kind of stop it is. The greater one counts where several fall together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StopKind {
    /// Something was copied, committed or read, or became known.
    Change,
    /// Records were appended.
    Append,
    /// A command of the reader.
    Command,
    /// An election, another ISR, a rebalance.
    Election,
    /// Something failed, or was lost.
    Failure,
}

impl StopKind {
    /// All, in the order in which a reader chooses among them.
    pub const ALL: [Self; 5] =
        [Self::Command, Self::Append, Self::Change, Self::Election, Self::Failure];

    /// Its name in `data-do`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Append => "append",
            Self::Command => "command",
            Self::Election => "election",
            Self::Failure => "failure",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }

    /// The kind of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

/// A moment of the story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The world has taken so many steps.
    pub step: u64,
    /// When.
    pub at: SimTime,
    /// What kind: the greatest of all that fall together there.
    pub kind: StopKind,
    /// All of them, a bit each.
    kinds: u8,
    /// Its first event that counts.
    pub first: EventId,
    /// Its last one.
    pub last: EventId,
}

impl Stop {
    /// Whether something of this kind happens there.
    #[must_use]
    pub fn has(&self, kind: StopKind) -> bool {
        self.kinds & kind.bit() != 0
    }
}

/// The stops of a run, the future ones too.
#[derive(Clone, Debug, Default)]
pub struct Story {
    stops: Vec<Stop>,
    /// Events from this one on are not looked at yet.
    next: Option<EventId>,
    /// What went wrong with records though it is allowed, with the steps.
    hazards: Vec<(u64, EventId)>,
    totals: Totals,
    /// The totals at each stop.
    samples: Vec<Sample>,
}

impl Story {
    /// All stops, oldest first.
    #[must_use]
    pub fn stops(&self) -> &[Stop] {
        &self.stops
    }

    /// The totals at each stop.
    #[must_use]
    pub fn samples(&self) -> &[Sample] {
        &self.samples
    }

    /// The first event that was not looked at.
    #[must_use]
    pub fn next(&self) -> EventId {
        self.next.unwrap_or(EventId(0))
    }

    /// How many stops have happened when the world has taken so many steps.
    #[must_use]
    pub fn passed(&self, steps: u64) -> usize {
        self.stops.partition_point(|stop| stop.step <= steps)
    }

    /// What went wrong with records up to so many steps, oldest first.
    pub fn hazards(&self, steps: u64) -> impl DoubleEndedIterator<Item = EventId> {
        let past = self.hazards.iter().filter(move |(step, _)| *step <= steps);
        past.map(|(_, event)| *event)
    }

    /// Looks at an event; they come in their order.
    pub fn note(&mut self, event: &Event) {
        if event.id < self.next() {
            return;
        }
        self.next = Some(EventId(event.id.0 + 1));
        let kind = self.kind_of(&event.kind);
        self.totals.count(&event.kind);
        let Some(kind) = kind else { return };
        if is_hazard(&event.kind) {
            self.hazards.push((event.step, event.id));
        }
        match self.stops.last_mut() {
            Some(stop) if stop.step == event.step => {
                stop.kind = stop.kind.max(kind);
                stop.kinds |= kind.bit();
                stop.last = event.id;
            }
            _ => self.stops.push(Stop {
                step: event.step,
                at: event.at,
                kind,
                kinds: kind.bit(),
                first: event.id,
                last: event.id,
            }),
        }
        self.samples.resize(self.stops.len(), Sample::default());
        if let Some(sample) = self.samples.last_mut() {
            *sample = self.totals.sample();
        }
    }

    /// What comes after this moment, which has taken so many steps, and from that event on, will not happen.
    pub fn forget_after(&mut self, steps: u64, next: EventId, moment: impl FnOnce() -> Snapshot) {
        let passed = self.passed(steps);
        if passed < self.stops.len() {
            self.samples.truncate(passed);
            let sample = self.samples.last().copied().unwrap_or_default();
            self.totals = Totals::at(&moment(), sample);
        }
        self.stops.truncate(passed);
        self.hazards.retain(|(step, _)| *step <= steps);
        if self.next() > next {
            self.next = Some(next);
        }
    }

    /// Whether the story stops at an event that comes next, and as what.
    #[must_use]
    pub fn kind_of(&self, event: &EventKind) -> Option<StopKind> {
        Some(match event {
            EventKind::InputApplied { .. } => StopKind::Command,
            EventKind::TopicCreated { topic, .. } if !is_internal(topic.as_str()) => {
                StopKind::Change
            }
            EventKind::TopicRefused { .. } | EventKind::AppendRefused { .. } => StopKind::Failure,
            EventKind::BatchAppended { partition, .. } => own(partition, StopKind::Append)?,
            EventKind::HighWatermarkAdvanced { partition, .. }
            | EventKind::PositionMoved { partition, .. } => own(partition, StopKind::Change)?,
            EventKind::Cluster(news) => match news.event()? {
                ClusterEvent::Group(GroupEvent::OffsetsCommitted { group, offsets, .. }) => {
                    return self.totals.is_new(group, offsets).then_some(StopKind::Change);
                }
                ClusterEvent::Group(event) => return of_group(event),
                event => return of_cluster(event),
            },
            _ => return None,
        })
    }
}

fn of_cluster(event: &ClusterEvent) -> Option<StopKind> {
    Some(match event {
        ClusterEvent::PartitionChanged { partition, .. } => own(partition, StopKind::Election)?,
        ClusterEvent::AssignmentChanged { .. } => StopKind::Election,
        ClusterEvent::BrokerFenced { .. }
        | ClusterEvent::BrokerStopped { .. }
        | ClusterEvent::DuplicateAppended { .. }
        | ClusterEvent::OrderChanged { .. }
        | ClusterEvent::UnansweredLost { .. }
        | ClusterEvent::RecordsLost { .. } => StopKind::Failure,
        ClusterEvent::FaultInjected { fault } if is_harm(*fault) => StopKind::Failure,
        ClusterEvent::LogTruncated { partition, .. } => own(partition, StopKind::Failure)?,
        ClusterEvent::ReplicaAppended { partition, .. }
        | ClusterEvent::SegmentDeleted { partition, .. }
        | ClusterEvent::LogCleaned { partition, .. }
        | ClusterEvent::LogStartMoved { partition, .. }
        | ClusterEvent::IsrProposed { partition, .. } => own(partition, StopKind::Change)?,
        ClusterEvent::TopicDeleted { .. }
        | ClusterEvent::PartitionsAdded { .. }
        | ClusterEvent::ConfigsAltered { .. }
        | ClusterEvent::FaultInjected { .. }
        | ClusterEvent::BrokerRegistered { .. }
        | ClusterEvent::BrokerUnfenced { .. }
        | ClusterEvent::BrokerCordoned { .. }
        | ClusterEvent::ControlledShutdownStarted { .. } => StopKind::Change,
        ClusterEvent::Group(_)
        | ClusterEvent::ProducersExpired { .. }
        | ClusterEvent::DuplicateFound { .. }
        | ClusterEvent::MessageDropped { .. } => return None,
    })
}

fn of_group(event: &GroupEvent) -> Option<StopKind> {
    Some(match event {
        GroupEvent::RebalanceStarted { .. } | GroupEvent::GenerationBegan { .. } => {
            StopKind::Election
        }
        GroupEvent::MemberExpired { .. }
        | GroupEvent::MemberFenced { .. }
        | GroupEvent::RecordsRedelivered { .. }
        | GroupEvent::RecordsSkipped { .. }
        | GroupEvent::WorkedTooLate { .. } => StopKind::Failure,
        GroupEvent::MemberJoined { .. }
        | GroupEvent::MemberLeft { .. }
        | GroupEvent::StaticMemberReplaced { .. }
        | GroupEvent::OffsetsRemoved { .. }
        | GroupEvent::GroupRemoved { .. } => StopKind::Change,
        GroupEvent::CoordinatorLoading { .. }
        | GroupEvent::CoordinatorLoaded { .. }
        | GroupEvent::CoordinatorUnloaded { .. }
        | GroupEvent::MemberIdGiven { .. }
        | GroupEvent::StateChanged { .. }
        | GroupEvent::OffsetsCommitted { .. } => return None,
    })
}

/// Whether it is a loss, a copy, another order, or what a group got twice or not at all.
fn is_hazard(event: &EventKind) -> bool {
    let EventKind::Cluster(news) = event else { return false };
    match news.event() {
        Some(
            ClusterEvent::RecordsLost { .. }
            | ClusterEvent::UnansweredLost { .. }
            | ClusterEvent::DuplicateAppended { .. }
            | ClusterEvent::OrderChanged { .. },
        ) => true,
        Some(ClusterEvent::Group(event)) => matches!(
            event,
            GroupEvent::RecordsRedelivered { .. }
                | GroupEvent::RecordsSkipped { .. }
                | GroupEvent::WorkedTooLate { .. }
        ),
        _ => false,
    }
}

/// The kind, if the partition is one of the reader's topics.
fn own(partition: &TopicPartition, kind: StopKind) -> Option<StopKind> {
    (!is_internal(partition.topic.as_str())).then_some(kind)
}

/// Whether a deed breaks something, rather than mends it.
fn is_harm(fault: Fault) -> bool {
    match fault {
        Fault::Crash(_)
        | Fault::PowerLoss(_)
        | Fault::Stop(_)
        | Fault::Pause(_)
        | Fault::AddRule(_)
        | Fault::SlowDisk(..)
        | Fault::Drop(_) => true,
        Fault::Start(_)
        | Fault::Resume(_)
        | Fault::Heal(..)
        | Fault::HealOneWay(..)
        | Fault::HealDisk(_)
        | Fault::HealAll => false,
    }
}
