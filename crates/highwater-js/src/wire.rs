//! What crosses to JavaScript, as plain objects.

use highwater_core::ids::Bytes;
use highwater_core::world::snapshot::{PartitionView, Snapshot};
use serde::Serialize;

/// What a command line printed, and its exit status.
#[derive(Serialize)]
pub(crate) struct OutcomeWire {
    pub(crate) output: Vec<String>,
    pub(crate) exit: u8,
}

/// A cluster at one moment.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SnapshotWire {
    /// Microseconds since the cluster's first moment.
    now: u64,
    brokers: Vec<i32>,
    topics: Vec<TopicWire>,
    readers: Vec<ReaderWire>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TopicWire {
    name: String,
    id: String,
    partitions: Vec<PartitionWire>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PartitionWire {
    partition: i32,
    leader: Option<i32>,
    log_start_offset: i64,
    high_watermark: i64,
    log_end_offset: i64,
    records: Vec<RecordWire>,
}

#[derive(Serialize)]
struct RecordWire {
    offset: i64,
    /// Text; U+FFFD stands for what is not UTF-8.
    key: Option<String>,
    value: Option<String>,
    /// Milliseconds since 1970.
    timestamp: i64,
}

#[derive(Serialize)]
struct ReaderWire {
    name: String,
    positions: Vec<PositionWire>,
}

#[derive(Serialize)]
struct PositionWire {
    topic: String,
    partition: i32,
    next: i64,
}

impl SnapshotWire {
    /// Everything of a snapshot that JavaScript sees.
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        let topics = snapshot.topics.iter().map(|topic| TopicWire {
            name: topic.name.to_string(),
            id: topic.image.id.to_string(),
            partitions: topic.partitions.iter().filter_map(partition).collect(),
        });
        let readers = snapshot.readers.iter().map(|reader| ReaderWire {
            name: reader.name.clone(),
            positions: reader
                .positions
                .iter()
                .map(|(at, next)| PositionWire {
                    topic: at.topic.to_string(),
                    partition: at.partition.0,
                    next: next.0,
                })
                .collect(),
        });
        Self {
            now: snapshot.now.0,
            brokers: snapshot.cluster.known().brokers.iter().map(|broker| broker.id.0).collect(),
            topics: topics.collect(),
            readers: readers.collect(),
        }
    }
}

fn partition(view: &PartitionView) -> Option<PartitionWire> {
    let replica = view.replica.as_ref()?;
    let log = replica.log();
    let records = log
        .read(log.log_start_offset(), log.log_end_offset(), u64::MAX)
        .flat_map(|batch| batch.iter())
        .map(|(offset, record)| RecordWire {
            offset: offset.0,
            key: record.key.as_ref().map(text),
            value: record.value.as_ref().map(text),
            timestamp: record.timestamp,
        })
        .collect();
    Some(PartitionWire {
        partition: view.id.0,
        leader: view.leader.map(|leader| leader.0),
        log_start_offset: log.log_start_offset().0,
        high_watermark: replica.high_watermark().0,
        log_end_offset: log.log_end_offset().0,
        records,
    })
}

fn text(bytes: &Bytes) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
