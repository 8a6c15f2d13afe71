//! What a cluster figure needs of a snapshot: brokers with their state in a word, and each partition's replicas.

use highwater_core::broker::lifecycle::Stage;
use highwater_core::controller::records::PartitionImage;
use highwater_core::ids::{BrokerId, TopicPartition};
use highwater_core::world::cluster_view::{BrokerView, ClusterView};
use highwater_core::world::snapshot::{PartitionView, Snapshot, TopicView};

/// A broker, as a column of the figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrokerState {
    /// Its id.
    pub(crate) id: i32,
    /// How it is.
    pub(crate) health: Health,
}

/// How a broker is, the worst that can be said of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// It serves.
    Up,
    /// There is no process.
    Down,
    /// Its process is stopped in the middle of what it does.
    Paused,
    /// It is on its way up.
    Starting,
    /// It hands over and leaves.
    Stopping,
    /// It serves, but the controller has fenced it.
    Fenced,
}

/// A partition with its replicas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PartitionState {
    /// Its number.
    pub(crate) partition: i32,
    /// Who leads it.
    pub(crate) leader: Option<i32>,
    /// Its replicas, in the order of the assignment: the preferred leader first.
    pub(crate) replicas: Vec<ReplicaState>,
}

/// A replica.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReplicaState {
    /// The broker that holds it, or is to hold it.
    pub(crate) broker: i32,
    /// Whether it leads.
    pub(crate) leads: bool,
    /// Whether it is in sync, as the controller has it.
    pub(crate) in_isr: bool,
    /// Out of the ISR, though it holds all that is committed (KIP-966).
    pub(crate) eligible: bool,
    /// A reassignment adds it, or removes it.
    pub(crate) moving: Moving,
    /// Its log; `None`: the broker has none yet.
    pub(crate) log: Option<LogState>,
    /// How many records the leader has that it has not; `None`: nobody leads, or there is no log.
    pub(crate) behind: Option<i64>,
}

/// What a reassignment does to a replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moving {
    No,
    Joins,
    Leaves,
}

/// A replica's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LogState {
    /// Its first offset.
    pub(crate) start: i64,
    /// The high watermark that its broker knows; `None`: the broker is down.
    pub(crate) high_watermark: Option<i64>,
    /// The offset that its next record gets.
    pub(crate) end: i64,
}

impl PartitionState {
    /// The replica on a broker.
    pub(crate) fn on(&self, broker: i32) -> Option<&ReplicaState> {
        self.replicas.iter().find(|replica| replica.broker == broker)
    }

    /// The offsets that its logs span together.
    pub(crate) fn span(&self) -> (i64, i64) {
        let logs = || self.replicas.iter().filter_map(|replica| replica.log);
        let start = logs().map(|log| log.start).min().unwrap_or(0);
        (start, logs().map(|log| log.end).max().unwrap_or(0))
    }
}

/// The brokers of a snapshot, by their ids.
pub(crate) fn brokers(snapshot: &Snapshot) -> Vec<BrokerState> {
    let cluster = snapshot.cluster.get();
    let views = cluster.map(|cluster| cluster.brokers.as_slice()).unwrap_or_default();
    views.iter().map(|view| BrokerState { id: view.id.0, health: health(view) }).collect()
}

/// How a broker is.
#[must_use]
pub fn health(broker: &BrokerView) -> Health {
    match broker.stage {
        _ if broker.paused.is_some() => Health::Paused,
        Stage::Down => Health::Down,
        Stage::Booting | Stage::Registering | Stage::CatchingUp => Health::Starting,
        Stage::ShuttingDown => Health::Stopping,
        Stage::Running if broker.registration.as_ref().is_some_and(|is| is.fenced) => {
            Health::Fenced
        }
        Stage::Running => Health::Up,
    }
}

/// A topic's partitions with their replicas.
pub(crate) fn partitions(snapshot: &Snapshot, topic: &TopicView) -> Vec<PartitionState> {
    let cluster = snapshot.cluster.get();
    let images = topic.image.partitions.iter().zip(&topic.partitions);
    images.map(|(image, view)| state_of(cluster, topic, image, view)).collect()
}

/// One of them, if it is there.
pub(crate) fn partition(
    snapshot: &Snapshot,
    topic: &TopicView,
    number: i32,
) -> Option<PartitionState> {
    let index = usize::try_from(number).ok()?;
    let (image, view) = (topic.image.partitions.get(index)?, topic.partitions.get(index)?);
    Some(state_of(snapshot.cluster.get(), topic, image, view))
}

fn state_of(
    cluster: Option<&ClusterView>,
    topic: &TopicView,
    image: &PartitionImage,
    view: &PartitionView,
) -> PartitionState {
    let which = TopicPartition::new(&topic.name, view.id);
    let leader = image.leader.map(|leader| leader.0);
    let log_of = |broker: BrokerId| {
        let broker = cluster?.brokers.iter().find(|view| view.id == broker)?;
        let replica = broker.replica(&which)?;
        let knows = broker.stage != Stage::Down;
        let log = replica.log();
        Some(LogState {
            start: log.log_start_offset().0,
            high_watermark: knows.then(|| replica.high_watermark().0),
            end: log.log_end_offset().0,
        })
    };
    let leaders = image.leader.and_then(log_of);
    let replica = |broker: &BrokerId| {
        let log = log_of(*broker);
        let moving = match () {
            () if image.adding.contains(broker) => Moving::Joins,
            () if image.removing.contains(broker) => Moving::Leaves,
            () => Moving::No,
        };
        ReplicaState {
            broker: broker.0,
            leads: image.leader == Some(*broker),
            in_isr: image.isr.contains(broker),
            eligible: image.elr.contains(broker),
            moving,
            behind: leaders.zip(log).map(|(first, log)| (first.end - log.end).max(0)),
            log,
        }
    };
    PartitionState {
        partition: view.id.0,
        leader,
        replicas: image.replicas.iter().map(replica).collect(),
    }
}
