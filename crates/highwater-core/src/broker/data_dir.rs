//! Which files are in a broker's folder, and what stands in them? They are made when somebody looks, of the
//! logs and checkpoints that the broker keeps as values (`LogManager`, `LogFileUtils`, `OffsetCheckpointFile`,
//! `LeaderEpochCheckpointFile`, `PartitionMetadataFile`).
//!
//! The folder is there whether the broker's process runs or not. The metadata log has a folder in it that is
//! not filled: its records are kept in another shape (`controller/records`).

use std::rc::Rc;

use crate::broker::group_coordinator::OFFSETS_TOPIC;
use crate::broker::lifecycle::Stage;
use crate::broker::{Broker, at};
use crate::controller::quorum::{cluster_id, directory_of};
use crate::ids::{Offset, TopicPartition};
use crate::java::hash_map::{in_set_order, long_hash, partition_hash};
use crate::log::producer_state::{ProducerStateEntry, ProducerStateManager};
use crate::log::record_batch::NO_SEQUENCE;
use crate::log::record_format::{crc32c, encode};
use crate::log::segment::{IndexEntries, OFFSET_INDEX_ENTRY, Segment, TIME_INDEX_ENTRY};
use crate::log::unified_log::UnifiedLog;
use crate::net::log_dirs::path_of;
use crate::replication::partition::Partition;
use crate::time::SimTime;

/// The folder of the metadata log.
pub const METADATA_FOLDER: &str = "__cluster_metadata-0";

/// What is found under a path.
#[derive(Clone, Debug)]
pub enum OnDisk<'a> {
    /// A folder with these names in it.
    Folder(Vec<String>),
    /// Lines.
    Text(String),
    /// Batches, and what stands in the place of the first sequence number in those of nobody.
    Log(&'a Rc<Segment>, i32),
    /// `.index`, with how many entries there is room for.
    OffsetIndex(Index<'a>),
    /// `.timeindex`, with how many entries there is room for.
    TimeIndex(Index<'a>),
    /// `.snapshot`: what was known of producers.
    Snapshot(&'a ProducerStateManager),
    /// Nothing.
    Empty,
}

/// An index of a segment.
#[derive(Clone, Debug)]
pub struct Index<'a> {
    /// The segment.
    pub segment: &'a Rc<Segment>,
    /// What stands in both its indexes.
    pub entries: IndexEntries,
    /// How many entries the file holds. That of the segment that is written to is as long as it may become,
    /// and filled up with zeros.
    pub room: u32,
}

impl Broker {
    /// What is in its folder under a path, which begins behind the folder's own. `None`: nothing.
    #[must_use]
    pub fn on_disk(&self, path: &str, now: SimTime) -> Option<OnDisk<'_>> {
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        let (first, second) = (parts.next(), parts.next());
        if parts.next().is_some() {
            return None;
        }
        match (first, second) {
            (None, _) => Some(OnDisk::Folder(self.names())),
            (Some(METADATA_FOLDER), None) => Some(OnDisk::Folder(Vec::new())),
            (Some(name), None) => self.top_file(name, now).or_else(|| {
                let names = file_names(self.in_folder(name)?.1.log());
                Some(OnDisk::Folder(names))
            }),
            (Some(folder), Some(name)) => {
                let (which, held) = self.in_folder(folder)?;
                self.partition_file(which, held, name)
            }
        }
    }

    fn in_folder(&self, name: &str) -> Option<(&TopicPartition, &Partition)> {
        let mut all = self.partitions.iter();
        let found = all.find(|(which, _)| which.to_string() == name);
        found.map(|(which, held)| (which, &**held))
    }

    fn is_running(&self) -> bool {
        self.stage() != Stage::Down
    }

    /// What is in the folder itself, in the order of bytes.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = TOP_FILES.iter().map(|name| (*name).to_owned()).collect();
        if self.is_running() {
            names.push(LOCK.to_owned());
        }
        if self.has_ended_cleanly() {
            names.push(CLEAN_SHUTDOWN.to_owned());
        }
        names.push(METADATA_FOLDER.to_owned());
        names.extend(self.partitions.keys().map(ToString::to_string));
        names.sort();
        names
    }

    fn top_file(&self, name: &str, now: SimTime) -> Option<OnDisk<'_>> {
        let nobody = |_| false;
        let here = at(now, &self.life, &nobody);
        Some(match name {
            META_PROPERTIES => OnDisk::Text(self.meta_properties()),
            RECOVERY_POINT => {
                OnDisk::Text(self.checkpoint(|held| Some(held.log().recovery_point())))
            }
            REPLICATION => {
                OnDisk::Text(self.checkpoint(|held| Some(held.checkpointed_high_watermark(here))))
            }
            LOG_START => OnDisk::Text(self.checkpoint(|held| {
                let first = held.log().segments().next().map(|segment| segment.base_offset());
                let start = held.log().log_start_offset();
                first.is_some_and(|first| start > first).then_some(start)
            })),
            CLEANER
                if !self.partitions.values().any(|held| held.log().clean_offset().is_some()) =>
            {
                OnDisk::Empty
            }
            CLEANER => OnDisk::Text(self.checkpoint(|held| held.log().clean_offset())),
            LOCK if self.is_running() => OnDisk::Empty,
            CLEAN_SHUTDOWN if self.has_ended_cleanly() => {
                let epoch = self.epoch().0;
                OnDisk::Text(format!("{{\"version\":0,\"brokerEpoch\":{epoch}}}"))
            }
            _ => return None,
        })
    }

    fn meta_properties(&self) -> String {
        let (id, seed) = (self.id, *self.seed.known());
        let (directory, cluster) = (directory_of(seed, id.0), cluster_id(seed));
        // Written at the cluster's first moment.
        format!(
            "#\n#Thu Jan 01 00:00:00 UTC 2026\nnode.id={id}\ndirectory.id={directory}\nversion=1\n\
             cluster.id={cluster}\n"
        )
    }

    /// A file with one offset for each partition that has one.
    fn checkpoint(&self, offset: impl Fn(&Partition) -> Option<Offset>) -> String {
        let mut lines = Vec::new();
        let all: Vec<&TopicPartition> = self.partitions.keys().collect();
        for which in in_set_order(&all, |which| partition_hash(which)) {
            if let Some(offset) = self.partitions.get(which).and_then(|held| offset(held)) {
                lines.push(format!("{} {} {offset}\n", which.topic, which.partition));
            }
        }
        format!("0\n{}\n{}", lines.len(), lines.concat())
    }

    fn partition_file<'a>(
        &'a self,
        which: &TopicPartition,
        held: &'a Partition,
        name: &str,
    ) -> Option<OnDisk<'a>> {
        let log = held.log();
        match name {
            LEADER_EPOCHS => return Some(OnDisk::Text(leader_epochs(log))),
            PARTITION_METADATA => {
                let text = format!("version: 0\ntopic_id: {}", held.topic_id());
                return Some(OnDisk::Text(text));
            }
            _ => {}
        }
        if !file_names(log).iter().any(|known| known == name) {
            return None;
        }
        let (stem, kind) = name.split_once('.')?;
        let base = Offset(stem.parse().ok()?);
        if kind == "snapshot" {
            let found = log.snapshots().find(|(offset, _)| *offset == base);
            return found.map(|(_, known)| OnDisk::Snapshot(known));
        }
        let segment = log.segments().find(|segment| segment.base_offset() == base)?;
        let is_active = log.segments().next_back().is_some_and(|last| Rc::ptr_eq(last, segment));
        let is_closed = !is_active || !self.is_running();
        let config = log.config();
        let entries = segment.index_entries(config.index_interval_bytes, is_closed);
        let room = |count: usize, size: u32| {
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            if is_closed { count } else { config.segment_index_bytes / size }
        };
        Some(match kind {
            "index" => {
                let room = room(entries.offsets.len(), OFFSET_INDEX_ENTRY);
                OnDisk::OffsetIndex(Index { segment, entries, room })
            }
            "timeindex" => {
                let room = room(entries.times.len(), TIME_INDEX_ENTRY);
                OnDisk::TimeIndex(Index { segment, entries, room })
            }
            // A group's coordinator numbers the records of its batches, though nobody reads that.
            _ if which.topic.as_str() == OFFSETS_TOPIC => OnDisk::Log(segment, 0),
            _ => OnDisk::Log(segment, NO_SEQUENCE),
        })
    }
}

const META_PROPERTIES: &str = "meta.properties";
const RECOVERY_POINT: &str = "recovery-point-offset-checkpoint";
const REPLICATION: &str = "replication-offset-checkpoint";
const LOG_START: &str = "log-start-offset-checkpoint";
const CLEANER: &str = "cleaner-offset-checkpoint";
const LOCK: &str = ".lock";
const CLEAN_SHUTDOWN: &str = ".kafka_cleanshutdown";
const TOP_FILES: [&str; 5] = [CLEANER, LOG_START, META_PROPERTIES, RECOVERY_POINT, REPLICATION];
const LEADER_EPOCHS: &str = "leader-epoch-checkpoint";
const PARTITION_METADATA: &str = "partition.metadata";

/// The names in the folder of a log.
fn file_names(log: &UnifiedLog) -> Vec<String> {
    let named = |offset: Offset, kind: &str| format!("{:020}.{kind}", offset.0);
    let mut names = vec![LEADER_EPOCHS.to_owned(), PARTITION_METADATA.to_owned()];
    for segment in log.segments() {
        let of_segment = |kind| named(segment.base_offset(), kind);
        names.extend(["index", "log", "timeindex"].map(of_segment));
    }
    names.extend(log.snapshots().map(|(offset, _)| named(offset, "snapshot")));
    names.sort();
    names
}

fn leader_epochs(log: &UnifiedLog) -> String {
    let entries = log.leader_epoch_cache().entries();
    let mut text = format!("0\n{}\n", entries.len());
    for entry in entries {
        text.push_str(&format!("{} {}\n", entry.epoch, entry.start_offset));
    }
    text
}

impl OnDisk<'_> {
    /// What the file holds; `None`: it is a folder.
    #[must_use]
    pub fn bytes(&self) -> Option<Vec<u8>> {
        Some(match self {
            Self::Folder(_) => return None,
            Self::Text(text) => text.clone().into_bytes(),
            Self::Log(segment, unstamped) => {
                segment.batches().flat_map(|batch| encode(batch, *unstamped)).collect()
            }
            Self::OffsetIndex(index) => {
                let base = index.segment.base_offset().0;
                let entry = |(offset, position): &(Offset, u64)| {
                    let relative = u32::try_from(offset.0 - base).unwrap_or(u32::MAX);
                    let position = u32::try_from(*position).unwrap_or(u32::MAX);
                    [relative.to_be_bytes(), position.to_be_bytes()].concat()
                };
                let bytes = index.entries.offsets.iter().flat_map(entry).collect();
                filled(bytes, index.room, OFFSET_INDEX_ENTRY)
            }
            Self::TimeIndex(index) => {
                let base = index.segment.base_offset().0;
                let entry = |(timestamp, offset): &(i64, Offset)| {
                    let relative = u32::try_from(offset.0 - base).unwrap_or(u32::MAX);
                    [timestamp.to_be_bytes().as_slice(), &relative.to_be_bytes()].concat()
                };
                let bytes = index.entries.times.iter().flat_map(entry).collect();
                filled(bytes, index.room, TIME_INDEX_ENTRY)
            }
            Self::Snapshot(known) => snapshot_bytes(known),
            Self::Empty => Vec::new(),
        })
    }
}

fn filled(mut bytes: Vec<u8>, room: u32, entry: u32) -> Vec<u8> {
    let size = usize::try_from(room.saturating_mul(entry)).unwrap_or(0);
    bytes.resize(size.max(bytes.len()), 0);
    bytes
}

/// Producers in the order of Java's map of them.
#[must_use]
pub fn producers_in_order(known: &ProducerStateManager) -> Vec<(i64, &ProducerStateEntry)> {
    let all: Vec<(i64, &ProducerStateEntry)> = known.producers().collect();
    in_set_order(&all, |(id, _)| long_hash(*id))
}

/// `ProducerStateManager.writeSnapshot`: version, checksum, and of each producer its last batch.
fn snapshot_bytes(known: &ProducerStateManager) -> Vec<u8> {
    let mut body = Vec::new();
    let count = u32::try_from(known.producers().count()).unwrap_or(u32::MAX);
    body.extend(count.to_be_bytes());
    for (id, entry) in producers_in_order(known) {
        let last = entry.batches().last();
        let delta = last.map_or(0, |batch| batch.last_offset.0 - batch.first_offset.0);
        body.extend(id.to_be_bytes());
        body.extend(entry.producer_epoch.to_be_bytes());
        body.extend(last.map_or(-1, |batch| batch.last_sequence).to_be_bytes());
        body.extend(last.map_or(-1, |batch| batch.last_offset.0).to_be_bytes());
        body.extend(i32::try_from(delta).unwrap_or(i32::MAX).to_be_bytes());
        body.extend(entry.last_timestamp.to_be_bytes());
        body.extend((-1i32).to_be_bytes());
        body.extend((-1i64).to_be_bytes());
    }
    [1i16.to_be_bytes().as_slice(), &crc32c(&body).to_be_bytes(), &body].concat()
}

/// The broker whose folder an absolute path lies in, and the path behind the folder's own.
pub(crate) fn within<'p>(
    brokers: impl Iterator<Item = &'p Broker>,
    path: &[u8],
) -> Option<(&'p Broker, String)> {
    let path = String::from_utf8_lossy(path);
    for broker in brokers {
        if let Some(rest) = path.strip_prefix(&path_of(broker.id))
            && (rest.is_empty() || rest.starts_with('/'))
        {
            return Some((broker, rest.to_owned()));
        }
    }
    None
}

/// The names of brokers' folders, beside those of the files.
pub(crate) fn folders<'p>(
    brokers: impl Iterator<Item = &'p Broker>,
) -> impl Iterator<Item = Vec<u8>> {
    let name = |broker: &Broker| path_of(broker.id).trim_start_matches("/tmp/").to_owned();
    brokers.map(move |broker| name(broker).into_bytes())
}
