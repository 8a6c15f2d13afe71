//! A cluster at one moment, as plain objects.

use std::collections::BTreeMap;

use serde::Serialize;
use tsify::Tsify;

/// How much of a snapshot.
#[derive(Clone, Debug, Default, Serialize, Tsify)]
pub struct SnapshotOptions {
    /// At most so many of the newest records of each partition. [default: all]
    #[tsify(optional)]
    pub(crate) records: Option<u32>,
}

/// A cluster at one moment.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints, hashmap_as_object)]
pub struct Snapshot {
    /// Microseconds since the cluster's first moment.
    pub(crate) time: f64,
    /// How many steps the world has taken.
    pub(crate) step: u64,
    /// Brokers, by their ids.
    pub(crate) brokers: Vec<BrokerInfo>,
    /// Topics, by their names; Kafka's own too.
    pub(crate) topics: Vec<TopicInfo>,
    /// Groups of consumers, by their ids.
    pub(crate) groups: Vec<GroupInfo>,
    /// Consumers, in the order in which they came.
    pub(crate) readers: Vec<ReaderInfo>,
    /// How often what is allowed to go wrong has done so.
    pub(crate) hazards: HazardInfo,
}

/// A broker.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct BrokerInfo {
    /// Its `node.id`.
    pub(crate) id: i32,
    /// How it is, the worst that can be said of it.
    #[tsify(type = "\"up\" | \"down\" | \"paused\" | \"starting\" | \"stopping\" | \"fenced\"")]
    pub(crate) state: &'static str,
    /// Whether the controller lets it lead nothing.
    pub(crate) fenced: bool,
    /// Where it stands (`broker.rack`).
    pub(crate) rack: Option<String>,
    /// Its port on localhost; `null`: it has never been registered.
    pub(crate) port: Option<u32>,
    /// The epoch of its registration.
    pub(crate) epoch: Option<u64>,
    /// How often its process was started.
    pub(crate) starts: u32,
}

/// A topic.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints, hashmap_as_object)]
pub struct TopicInfo {
    /// Its name.
    pub(crate) name: String,
    /// Its id, as Kafka prints it.
    pub(crate) id: String,
    /// What was set for it.
    pub(crate) configs: BTreeMap<String, String>,
    /// Its partitions, by their numbers.
    pub(crate) partitions: Vec<PartitionInfo>,
}

/// A partition. Offsets are those of its leader's log; `null` while no leader holds one.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct PartitionInfo {
    /// Its number.
    pub(crate) partition: i32,
    /// The broker that leads it; `null`: nobody does.
    pub(crate) leader: Option<i32>,
    /// How many leaders it has had, less one.
    pub(crate) leader_epoch: i32,
    /// The brokers that hold it, the preferred leader first.
    pub(crate) replica_ids: Vec<i32>,
    /// The in-sync replicas.
    pub(crate) isr: Vec<i32>,
    /// The eligible replicas: out of the ISR, though they hold all that is committed (KIP-966).
    pub(crate) elr: Vec<i32>,
    /// Its first offset.
    pub(crate) log_start_offset: Option<i64>,
    /// Up to here consumers may read (HW).
    pub(crate) high_watermark: Option<i64>,
    /// The offset that the next record gets (LEO).
    pub(crate) log_end_offset: Option<i64>,
    /// Its replicas, in the order of `replicaIds`.
    pub(crate) replicas: Vec<ReplicaInfo>,
    /// The records of the leader's log, those beyond the high watermark too.
    pub(crate) records: Vec<RecordInfo>,
    /// The idempotent producers that the leader's log knows.
    pub(crate) producers: Vec<ProducerInfo>,
}

/// What one broker holds of a partition. Numbers are `null` while its log is not there.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct ReplicaInfo {
    /// The broker.
    pub(crate) broker: i32,
    /// Whether it leads.
    pub(crate) leads: bool,
    /// Whether it is in sync, as the controller has it.
    pub(crate) in_sync: bool,
    /// Its first offset.
    pub(crate) log_start_offset: Option<i64>,
    /// The high watermark that it knows.
    pub(crate) high_watermark: Option<i64>,
    /// The offset that its next record gets.
    pub(crate) log_end_offset: Option<i64>,
    /// The leader epoch that it knows.
    pub(crate) leader_epoch: Option<i32>,
    /// The size of its log in bytes.
    pub(crate) size: Option<u64>,
}

/// A record.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct RecordInfo {
    /// Its offset.
    pub(crate) offset: i64,
    /// Its key as text; U+FFFD stands for what is not UTF-8. `null`: it has none.
    pub(crate) key: Option<String>,
    /// Its value, likewise. `null`: it deletes its key (a tombstone).
    pub(crate) value: Option<String>,
    /// Its headers.
    pub(crate) headers: Vec<HeaderInfo>,
    /// Milliseconds since 1970.
    pub(crate) timestamp: f64,
    /// The leader epoch in which it was appended.
    pub(crate) leader_epoch: i32,
}

/// A header of a record.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null)]
pub struct HeaderInfo {
    /// Its name.
    pub(crate) key: String,
    /// Its value, as text.
    pub(crate) value: Option<String>,
}

/// What a log knows of an idempotent producer.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct ProducerInfo {
    /// Its id.
    pub(crate) producer_id: i64,
    /// Its epoch.
    pub(crate) epoch: i16,
    /// The sequence number of its last record.
    pub(crate) last_sequence: Option<i32>,
    /// The offset of its last record.
    pub(crate) last_offset: Option<i64>,
    /// Milliseconds since 1970: the largest timestamp of its last batch.
    pub(crate) last_timestamp: f64,
}

/// A group of consumers, as its coordinator knows it.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct GroupInfo {
    /// Its id.
    pub(crate) id: String,
    /// Its state, in Kafka's words: `Stable`, `Empty`, `PreparingRebalance`.
    pub(crate) state: String,
    /// Its generation.
    pub(crate) generation: i32,
    /// The assignor that its members have agreed on.
    pub(crate) assignor: Option<String>,
    /// The broker that coordinates it.
    pub(crate) coordinator: i32,
    /// Its members.
    pub(crate) members: Vec<MemberInfo>,
    /// How far it is in each partition that it has committed or was given.
    pub(crate) offsets: Vec<CommittedInfo>,
}

/// A member of a group.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct MemberInfo {
    /// What its coordinator calls it.
    pub(crate) id: String,
    /// Its `client.id`.
    pub(crate) client_id: String,
    /// Its `group.instance.id`.
    pub(crate) instance_id: Option<String>,
    /// Its name among `readers`; `null`: its process is gone.
    pub(crate) reader: Option<String>,
    /// Whether it assigns.
    pub(crate) leads: bool,
    /// The partitions that it was given.
    pub(crate) partitions: Vec<PositionInfo>,
}

/// How far a group is in a partition.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct CommittedInfo {
    /// The topic.
    pub(crate) topic: String,
    /// The partition.
    pub(crate) partition: i32,
    /// The next offset that it will read, as it has committed; `null`: it has committed nothing there.
    pub(crate) committed: Option<i64>,
    /// Up to where the partition can be read; `null`: nobody leads it.
    pub(crate) end: Option<i64>,
    /// How many records it is behind; `null`: one of both is not known.
    pub(crate) lag: Option<i64>,
}

/// A consumer.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct ReaderInfo {
    /// Its `client.id`, with a number where several have one.
    pub(crate) name: String,
    /// Where it stands in each of its partitions.
    pub(crate) positions: Vec<PositionInfo>,
}

/// Where a consumer stands in a partition.
#[derive(Debug, Serialize, Tsify)]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct PositionInfo {
    /// The topic.
    pub(crate) topic: String,
    /// The partition.
    pub(crate) partition: i32,
    /// The next offset that it will read; `null`: it is being looked up.
    pub(crate) next: Option<i64>,
}

/// How often what is allowed to go wrong has done so.
#[derive(Debug, Serialize, Tsify)]
#[serde(rename_all = "camelCase")]
#[tsify(missing_as_null, large_number_types_as_bigints)]
pub struct HazardInfo {
    /// Records that the leader alone had, as their producer was told (acks=1), and that are lost.
    pub(crate) acknowledged_records_lost: u64,
    /// Records of which an overtaken leader told their producer that all in-sync replicas have them, and that are lost.
    pub(crate) overtaken_records_lost: u64,
    /// Records that were sent with acks=0 and are lost.
    pub(crate) unanswered_records_lost: u64,
    /// Committed records that are lost.
    pub(crate) committed_records_lost: u64,
    /// Records that stand in a log twice.
    pub(crate) duplicate_records: u64,
    /// Records that stand behind others which their producer sent later.
    pub(crate) reordered_records: u64,
    /// Records that a group got again.
    pub(crate) records_redelivered: u64,
    /// Records that a group has left behind without having worked on them.
    pub(crate) records_skipped: u64,
    /// Records that a member worked on when they were another one's already.
    pub(crate) records_worked_too_late: u64,
}
