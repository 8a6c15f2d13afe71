//! What the metadata quorum says of itself: who leads it, how long its log is, and how far each reader
//! of the log has come (`KafkaRaftClient.handleDescribeQuorumRequest`, KIP-595). There is one voter.
//!
//! The active controller writes a record without effect every half second, so that readers can tell that
//! it is there. These records are not kept: their number follows from the time.

use crate::controller::quorum_controller::QuorumController;
use crate::controller::records::MetadataRecord;
use crate::draw::{Purpose, draw};
use crate::ids::TopicId;
use crate::java::hash_map::in_set_order;
use crate::time::{SimDuration, SimTime};

/// The controller's node id, as on the recorded machine.
pub const CONTROLLER_ID: i32 = 100;
/// Where it listens, as on the recorded machine.
pub const CONTROLLER_ENDPOINT: &str = "CONTROLLER://127.0.0.1:9102";
/// The quorum's first leader leads in this epoch, and here no other follows.
const LEADER_EPOCH: i32 = 1;
/// `metadata.max.idle.interval.ms`
const NO_OP_INTERVAL: SimDuration = SimDuration::from_millis(500);
/// What stands in the log of a new cluster before its brokers come, without the one setting that is kept:
/// 3 about the voters, 8 about features with the marks around them, 1 about the controller.
const BOOTSTRAP_RECORDS: u64 = 12;
/// Records without effect in the two seconds until the brokers of a new cluster are there.
const BOOTSTRAP_NO_OPS: u64 = 4;
/// After how long a reader that does not fetch is forgotten (`LeaderState`).
const OBSERVER_SESSION_TIMEOUT: SimDuration = SimDuration::from_millis(300_000);

/// A node of the quorum, or a reader of its log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuorumReplica {
    /// Its node id.
    pub id: i32,
    /// The id of the folder that holds its copy of the log.
    pub directory: TopicId,
    /// Where its copy ends.
    pub log_end_offset: u64,
    /// When it was heard of last. It had all then.
    pub last_fetch: SimTime,
}

/// The quorum (`QuorumInfo`).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct QuorumInfo {
    /// Who leads.
    pub leader_id: i32,
    /// In which epoch.
    pub leader_epoch: i32,
    /// The first offset that is not committed.
    pub high_watermark: u64,
    /// Those that vote; the leader is the first.
    pub voters: Vec<QuorumReplica>,
    /// Those that only read: the brokers, in the order of Java's map of them.
    pub observers: Vec<QuorumReplica>,
}

/// The id of the folder of a node's metadata log.
#[must_use]
pub fn directory_of(seed: u64, node: i32) -> TopicId {
    drawn_id(seed, Purpose::DirectoryId, u64::from(node.unsigned_abs()))
}

/// The id of the cluster.
#[must_use]
pub fn cluster_id(seed: u64) -> TopicId {
    drawn_id(seed, Purpose::ClusterId, 0)
}

fn drawn_id(seed: u64, purpose: Purpose, who: u64) -> TopicId {
    let half = |count| u128::from(draw(seed, purpose, who, count));
    // Kafka draws again when an id would begin with a dash, which tools take for an option.
    let id = (half(0) << 64) | half(1);
    let begins_with_dash = id >> 122 == 62;
    TopicId(if begins_with_dash { id ^ (1 << 127) } else { id })
}

impl QuorumController {
    /// Where the metadata log ends, as Kafka counts: with what came before the first broker, with what
    /// follows a registration, and with the records without effect.
    fn kafka_offset(&self, records: u64, at: SimTime) -> u64 {
        let mut offset = BOOTSTRAP_RECORDS + BOOTSTRAP_NO_OPS + records + at.0 / NO_OP_INTERVAL.0;
        for record in self.log().iter().take(usize::try_from(records).unwrap_or(usize::MAX)) {
            if let MetadataRecord::RegisterBroker { registration, .. } = &**record {
                // Its folders; and the brokers of a new cluster are registered before they are let in.
                offset += if registration.fenced { 1 } else { 2 };
            }
        }
        offset
    }

    /// What a broker that was there at that moment had fetched last, and when: it fetches again after each
    /// new record, so its last fetch was under way when the newest record was written of which the answer
    /// could be there.
    fn fetched_by(&self, at: SimTime, round_trip: u64) -> (u64, SimTime) {
        let heard = SimTime(at.0.saturating_sub(round_trip));
        let grown = self.appends.partition_point(|(when, _)| *when <= heard);
        let last = self.appends.get(grown.wrapping_sub(1)).copied();
        let (appended, records) = last.unwrap_or((SimTime(0), 0));
        let no_op = SimTime(heard.0 - heard.0 % NO_OP_INTERVAL.0);
        (self.kafka_offset(records, heard), SimTime(no_op.max(appended).0 + round_trip))
    }

    /// The quorum at this moment, where a message takes so long one way.
    #[must_use]
    pub fn describe_quorum(&self, now: SimTime, network_delay: SimDuration) -> QuorumInfo {
        let end = self.kafka_offset(self.log_end(), now);
        let leader = QuorumReplica {
            id: CONTROLLER_ID,
            directory: directory_of(self.seed, CONTROLLER_ID),
            log_end_offset: end,
            last_fetch: now,
        };
        let round_trip = 2 * network_delay.0;
        let mut observers = Vec::new();
        for (broker, session) in self.sessions.iter() {
            // Heartbeats and fetches come from one process over one wire: whoever sends the ones in time
            // sends the others.
            let seen = session.seen(now, network_delay);
            let is_there = now.0 - seen.0 <= self.config().broker_heartbeat_interval.0 + round_trip;
            let last = if is_there { now } else { seen };
            let (log_end_offset, last_fetch) = self.fetched_by(last, round_trip);
            if now.0 - last_fetch.0.min(now.0) < OBSERVER_SESSION_TIMEOUT.0 {
                let directory = directory_of(self.seed, broker.0);
                observers.push(QuorumReplica {
                    id: broker.0,
                    directory,
                    log_end_offset,
                    last_fetch,
                });
            }
        }
        QuorumInfo {
            leader_id: CONTROLLER_ID,
            leader_epoch: LEADER_EPOCH,
            high_watermark: end,
            voters: vec![leader],
            observers: in_set_order(&observers, replica_key_hash),
        }
    }
}

/// `ReplicaKey.hashCode()`.
fn replica_key_hash(replica: &QuorumReplica) -> i32 {
    let id = 31i32.wrapping_add(replica.id).wrapping_mul(31);
    let bytes = replica.directory.0.to_be_bytes();
    let folded = bytes.chunks(4).fold(0, |folded, word| {
        folded ^ word.iter().fold(0u32, |word, byte| (word << 8) | u32::from(*byte))
    });
    id.wrapping_add(folded.cast_signed())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// The number that an id's text stands for (base64).
    fn id(text: &str) -> TopicId {
        const DIGITS: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let digit = |letter| DIGITS.find(letter).map_or(0, |place| place as u128);
        let (first, last) = text.split_at(21);
        let number = first.chars().fold(0u128, |number, letter| (number << 6) | digit(letter));
        let last = last.chars().next().map_or(0, digit);
        let id = TopicId((number << 2) | (last >> 4));
        assert_eq!(id.to_string(), text);
        id
    }

    /// Observers stand in the order of Java's map of them, as recorded (21-quorum-and-logs.console and
    /// two more).
    #[test]
    fn order_of_observers() {
        for (recorded, known) in [
            (
                [
                    (1, "3voziqxVQu582H01Jy3ySQ"),
                    (3, "1JNS4SwrORxIYxSvnOc3qw"),
                    (2, "wbXLXwZcnG2qZF6BOpuDvw"),
                ],
                [1, 3, 2],
            ),
            (
                [
                    (2, "auV_-hy492JsiwxN9uKjpQ"),
                    (1, "MHQPJAkyGo_p7AWP1gXyQA"),
                    (3, "3aPoHeZPwILAMJ5hrIVEzA"),
                ],
                [3, 2, 1],
            ),
        ] {
            let replicas = recorded.map(|(id_of, directory)| QuorumReplica {
                id: id_of,
                directory: id(directory),
                log_end_offset: 0,
                last_fetch: SimTime(0),
            });
            let order = in_set_order(&replicas, replica_key_hash);
            assert!(order.iter().map(|replica| replica.id).eq(known));
        }
    }
}
