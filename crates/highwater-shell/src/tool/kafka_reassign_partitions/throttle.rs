//! Throttles of moves: which replicas copy from which, and the settings that say so of topics and
//! brokers (`calculateProposedMoveMap`, `modifyReassignmentThrottle`, `clearAllThrottles`).

use std::rc::Rc;

use highwater_core::controller::records::{ConfigResource, PartitionImage};
use highwater_core::ids::{BrokerId, TopicName, TopicPartition};
use highwater_core::net::admin::ConfigChanges;
use highwater_core::sorted_map::SortedMap;

const LEADERS: &str = "leader.replication.throttled.replicas";
const FOLLOWERS: &str = "follower.replication.throttled.replicas";
const LEADER_RATE: &str = "leader.replication.throttled.rate";
const FOLLOWER_RATE: &str = "follower.replication.throttled.rate";
const FOLDERS_RATE: &str = "replica.alter.log.dirs.io.max.bytes.per.second";

/// What copies of a partition come from where.
#[derive(Clone, Debug, Default)]
pub(super) struct Move {
    sources: Vec<BrokerId>,
    destinations: Vec<BrokerId>,
}

/// The moves of all partitions that move.
pub(super) type Moves = SortedMap<TopicPartition, Move>;

/// Moves that are under way, and those that are planned.
pub(super) fn moves(
    ongoing: &[(TopicPartition, Rc<PartitionImage>)],
    planned: &[(TopicPartition, Vec<BrokerId>)],
    current: &[(TopicPartition, Vec<BrokerId>)],
) -> Moves {
    let mut moves = Moves::new();
    for (which, partition) in ongoing {
        let mut sources = partition.replicas.clone();
        sources.retain(|replica| !partition.adding.contains(replica));
        moves.insert(which.clone(), Move { sources, destinations: partition.adding.clone() });
    }
    for (which, replicas) in planned {
        let known = current.iter().find(|(known, _)| known == which);
        let sources = match (moves.get(which), known) {
            (Some(earlier), _) => earlier.sources.clone(),
            (None, Some((_, replicas))) => replicas.clone(),
            (None, None) => continue,
        };
        let mut destinations = replicas.clone();
        destinations.retain(|replica| !sources.contains(replica));
        moves.insert(which.clone(), Move { sources, destinations });
    }
    moves
}

fn set(name: &str, value: String) -> (String, Option<String>) {
    (name.to_owned(), Some(value))
}

/// Which replicas of topics are throttled.
pub(super) fn of_topics(moves: &Moves) -> Vec<ConfigChanges> {
    let mut topics: SortedMap<TopicName, (Vec<String>, Vec<String>)> = SortedMap::new();
    for (which, replicas) in moves.iter() {
        let (leaders, followers) = topics.get_or_insert_with(which.topic.clone(), Default::default);
        let name = |broker: &BrokerId| format!("{}:{broker}", which.partition);
        leaders.extend(replicas.sources.iter().map(name));
        followers.extend(replicas.destinations.iter().map(name));
    }
    let mut changes = Vec::new();
    for (topic, (mut leaders, mut followers)) in topics {
        leaders.sort();
        followers.sort();
        let (leaders, followers) = (leaders.join(","), followers.join(","));
        changes.push(ConfigChanges {
            resource: ConfigResource::Topic(topic),
            changes: vec![set(LEADERS, leaders), set(FOLLOWERS, followers)],
        });
    }
    changes
}

/// How fast the brokers of moves may copy.
pub(super) fn of_brokers(moves: &Moves, limit: i64) -> Vec<ConfigChanges> {
    let mut brokers: SortedMap<BrokerId, ()> = SortedMap::new();
    for replicas in moves.values() {
        for broker in replicas.sources.iter().chain(&replicas.destinations) {
            brokers.insert(*broker, ());
        }
    }
    let changes = |broker: &BrokerId| ConfigChanges {
        resource: ConfigResource::Broker(*broker),
        changes: vec![set(LEADER_RATE, limit.to_string()), set(FOLLOWER_RATE, limit.to_string())],
    };
    brokers.keys().map(changes).collect()
}

/// How fast these brokers may move replicas between folders.
pub(super) fn of_folders(brokers: &[BrokerId], limit: i64) -> Vec<ConfigChanges> {
    let changes = |broker: &BrokerId| ConfigChanges {
        resource: ConfigResource::Broker(*broker),
        changes: vec![set(FOLDERS_RATE, limit.to_string())],
    };
    brokers.iter().map(changes).collect()
}

fn cleared(resource: ConfigResource, keys: &[&str]) -> ConfigChanges {
    let changes = keys.iter().map(|key| ((*key).to_owned(), None)).collect();
    ConfigChanges { resource, changes }
}

/// No throttles of brokers any more.
pub(super) fn cleared_of_brokers(brokers: &[BrokerId]) -> Vec<ConfigChanges> {
    let keys = [LEADER_RATE, FOLLOWER_RATE, FOLDERS_RATE];
    let clear = |broker: &BrokerId| cleared(ConfigResource::Broker(*broker), &keys);
    brokers.iter().map(clear).collect()
}

/// No throttles of topics any more.
pub(super) fn cleared_of_topics(topics: &[TopicName]) -> Vec<ConfigChanges> {
    let keys = [LEADERS, FOLLOWERS];
    let clear = |topic: &TopicName| cleared(ConfigResource::Topic(topic.clone()), &keys);
    topics.iter().map(clear).collect()
}
