//! What the metadata quorum says of itself: who leads it, how long its log is, and how far each reader
//! of the log has come (`KafkaRaftClient.handleDescribeQuorumRequest`, KIP-595). There is one voter.
//!
//! The active controller writes a record without effect every half second, so that readers can tell that
//! it is there. These records are not kept: their number follows from the time.

use crate::controller::cluster_control::HEARTBEAT_INTERVAL;
use crate::controller::quorum_controller::QuorumController;
use crate::draw::{Purpose, draw};
use crate::ids::TopicId;
use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;

/// The controller's node id, as on the recorded machine.
pub const CONTROLLER_ID: i32 = 100;
/// Where it listens, as on the recorded machine.
pub const CONTROLLER_ENDPOINT: &str = "CONTROLLER://127.0.0.1:9102";
/// The quorum's first leader leads in this epoch, and here no other follows.
const LEADER_EPOCH: i32 = 1;
/// `metadata.max.idle.interval.ms`
const NO_OP_INTERVAL: SimDuration = SimDuration::from_millis(500);
/// What stands in the log of a new cluster before its brokers come: voters, features, marks around them.
const BOOTSTRAP_RECORDS: u64 = 14;
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
    /// Those that only read: the brokers, by id.
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
    /// Where the metadata log ends, as Kafka counts: with what came before the first broker, and with the
    /// records without effect.
    fn kafka_offset(records: u64, at: SimTime) -> u64 {
        BOOTSTRAP_RECORDS + records + at.0 / NO_OP_INTERVAL.0
    }

    /// The quorum at this moment.
    pub(super) fn describe_quorum(&self, out: &Outbox) -> QuorumInfo {
        let now = out.now();
        let end = Self::kafka_offset(self.log_end(), now);
        let leader = QuorumReplica {
            id: CONTROLLER_ID,
            directory: directory_of(self.seed, CONTROLLER_ID),
            log_end_offset: end,
            last_fetch: now,
        };
        let mut observers = Vec::new();
        for (broker, session) in self.sessions.iter() {
            let contact = session.contact(out);
            let silent = SimDuration(now.0 - contact.0);
            let directory = directory_of(self.seed, broker.0);
            // Heartbeats and fetches come from one process over one wire: whoever sends the ones in time
            // sends the others, one after each new record.
            let round_trip = 2 * out.network_delay().0;
            let (log_end_offset, last_fetch) = if silent.0 <= HEARTBEAT_INTERVAL.0 + round_trip {
                let no_op = SimTime(now.0 - now.0 % NO_OP_INTERVAL.0);
                let newest = no_op.max(self.last_append());
                (end, SimTime((newest.0 + round_trip).min(now.0)))
            } else {
                (Self::kafka_offset(session.replayed(), contact), contact)
            };
            if silent < OBSERVER_SESSION_TIMEOUT {
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
            observers,
        }
    }
}
