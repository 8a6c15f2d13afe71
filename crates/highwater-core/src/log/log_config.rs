//! Which configuration does a log have? Kafka's `LogConfig`: the defaults, and over them what was
//! set for the topic. Whether a value is allowed is decided by `controller::topic_config`.

use crate::log::compression::Codec;
use crate::log::record_batch::{Compression, TimestampType};
use crate::number;
use crate::scope;

/// A share of one, in billionths: fixed-point, because the core has no floats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ratio(pub u32);

impl Ratio {
    const ONE: u32 = 1_000_000_000;

    /// Reads a decimal number from 0 to 1; digits after the ninth are dropped.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if (whole.is_empty() && fraction.is_empty()) || !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let mut billionths = match whole.trim_start_matches('0') {
            "" => 0,
            "1" => Self::ONE,
            _ => return None,
        };
        let mut place = Self::ONE;
        for digit in fraction.bytes().take(9) {
            place /= 10;
            billionths += u32::from(digit - b'0') * place;
        }
        (billionths <= Self::ONE).then_some(Self(billionths))
    }

    /// Whether `part` is a larger share of `whole` than this; strictly.
    #[must_use]
    pub fn is_exceeded_by(self, part: u64, whole: u64) -> bool {
        u128::from(part) * u128::from(Self::ONE) > u128::from(self.0) * u128::from(whole)
    }
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The configuration of one log. Each field has the name of its key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LogConfig {
    /// `segment.bytes`: a batch that would make the active segment larger goes to a new one.
    pub segment_bytes: u64,
    /// `segment.ms`: between the first record of a segment and a record that opens the next.
    pub segment_ms: i64,
    /// `segment.index.bytes`: a segment whose index is full is closed.
    pub segment_index_bytes: u32,
    /// `index.interval.bytes`: how much data lies between two entries of an index.
    pub index_interval_bytes: u32,
    /// `max.message.bytes`: the largest batch that a broker takes.
    pub max_message_bytes: u32,
    /// `cleanup.policy` contains compact.
    pub compact: bool,
    /// `cleanup.policy` contains delete.
    pub delete: bool,
    /// `retention.ms`; negative is no limit.
    pub retention_ms: i64,
    /// `retention.bytes`; negative is no limit.
    pub retention_bytes: i64,
    /// `min.cleanable.dirty.ratio`
    pub min_cleanable_dirty_ratio: Ratio,
    /// `min.compaction.lag.ms`
    pub min_compaction_lag_ms: i64,
    /// `max.compaction.lag.ms`
    pub max_compaction_lag_ms: i64,
    /// `delete.retention.ms`: how long a tombstone stays after the pass that first sees it.
    pub delete_retention_ms: i64,
    /// `max.decompressed.message.bytes`: the most that one record of a compressed batch may have.
    pub max_decompressed_message_bytes: u32,
    /// `message.timestamp.type`
    pub message_timestamp_type: TimestampType,
    /// `message.timestamp.before.max.ms`
    pub message_timestamp_before_max_ms: i64,
    /// `message.timestamp.after.max.ms`
    pub message_timestamp_after_max_ms: i64,
    /// `min.insync.replicas`
    pub min_insync_replicas: u32,
    /// `unclean.leader.election.enable`
    pub unclean_leader_election_enable: bool,
    /// `compression.type`: how batches are compressed in the log; `None`: as their producers did.
    pub compression: Option<Compression>,
    /// `compression.gzip.level`
    pub gzip_level: i8,
}

/// The largest array in Java: no record has more bytes.
pub(super) const NO_LIMIT: u32 = 2_147_483_639;

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            segment_bytes: 1 << 30,
            segment_ms: 604_800_000,
            segment_index_bytes: 10_485_760,
            index_interval_bytes: 4_096,
            max_message_bytes: 1_048_588,
            compact: false,
            delete: true,
            retention_ms: 604_800_000,
            retention_bytes: -1,
            min_cleanable_dirty_ratio: Ratio(500_000_000),
            min_compaction_lag_ms: 0,
            max_compaction_lag_ms: i64::MAX,
            delete_retention_ms: 86_400_000,
            max_decompressed_message_bytes: NO_LIMIT,
            message_timestamp_type: TimestampType::CreateTime,
            message_timestamp_before_max_ms: i64::MAX,
            message_timestamp_after_max_ms: 3_600_000,
            min_insync_replicas: 1,
            unclean_leader_election_enable: false,
            compression: None,
            gzip_level: -1,
        }
    }
}

impl LogConfig {
    /// The keys that it has.
    pub const KEYS: &'static [&'static str] = &[
        "segment.bytes",
        "segment.ms",
        "segment.index.bytes",
        "index.interval.bytes",
        "max.message.bytes",
        "cleanup.policy",
        "retention.ms",
        "retention.bytes",
        "min.cleanable.dirty.ratio",
        "min.compaction.lag.ms",
        "max.compaction.lag.ms",
        "delete.retention.ms",
        "max.decompressed.message.bytes",
        "message.timestamp.type",
        "message.timestamp.before.max.ms",
        "message.timestamp.after.max.ms",
        "min.insync.replicas",
        "unclean.leader.election.enable",
        "compression.type",
        "compression.gzip.level",
    ];

    /// This configuration with a topic's entries over it. Keys that no rule of the log needs are
    /// passed over; a value that cannot be read leaves what was there.
    #[must_use]
    pub fn with(&self, entries: &[(String, String)]) -> Self {
        let mut config = self.clone();
        for (key, value) in entries {
            config.set(key, value.trim());
        }
        config
    }

    fn set(&mut self, key: &str, value: &str) {
        match key {
            "segment.bytes" => set_u64(&mut self.segment_bytes, value),
            "segment.ms" => set_i64(&mut self.segment_ms, value),
            "max.message.bytes" => set_u32(&mut self.max_message_bytes, value),
            _ if scope::CLUSTER => self.set_rarer(key, value),
            _ => {}
        }
    }

    /// What a page about one broker does not show.
    fn set_rarer(&mut self, key: &str, value: &str) {
        match key {
            "min.insync.replicas" => set_u32(&mut self.min_insync_replicas, value),
            "segment.index.bytes" => set_u32(&mut self.segment_index_bytes, value),
            "index.interval.bytes" => set_u32(&mut self.index_interval_bytes, value),
            "cleanup.policy" => {
                self.compact = value.split(',').any(|word| word.trim() == "compact");
                self.delete = value.split(',').any(|word| word.trim() == "delete");
            }
            "retention.ms" => set_i64(&mut self.retention_ms, value),
            "retention.bytes" => set_i64(&mut self.retention_bytes, value),
            "min.cleanable.dirty.ratio" => {
                if let Some(ratio) = Ratio::parse(value) {
                    self.min_cleanable_dirty_ratio = ratio;
                }
            }
            "min.compaction.lag.ms" => set_i64(&mut self.min_compaction_lag_ms, value),
            "max.compaction.lag.ms" => set_i64(&mut self.max_compaction_lag_ms, value),
            "delete.retention.ms" => set_i64(&mut self.delete_retention_ms, value),
            "max.decompressed.message.bytes" => {
                set_u32(&mut self.max_decompressed_message_bytes, value);
            }
            "message.timestamp.type" => match value {
                "CreateTime" => self.message_timestamp_type = TimestampType::CreateTime,
                "LogAppendTime" => self.message_timestamp_type = TimestampType::LogAppendTime,
                _ => {}
            },
            "message.timestamp.before.max.ms" => {
                set_i64(&mut self.message_timestamp_before_max_ms, value);
            }
            "message.timestamp.after.max.ms" => {
                set_i64(&mut self.message_timestamp_after_max_ms, value);
            }
            "unclean.leader.election.enable" => {
                self.unclean_leader_election_enable = value.eq_ignore_ascii_case("true");
            }
            "compression.type" if scope::CLUSTER => match value {
                "uncompressed" => self.compression = Some(Compression::None),
                "producer" => self.compression = None,
                name => self.compression = Compression::from_name(name).or(self.compression),
            },
            "compression.gzip.level" if scope::CLUSTER => {
                let level = number::int(value).and_then(|level| i8::try_from(level).ok());
                self.gzip_level = level.unwrap_or(self.gzip_level);
            }
            _ => {}
        }
    }

    /// After how long a segment is closed: of a compacted topic no later than
    /// `max.compaction.lag.ms`, so that what must be cleaned by then is not in the active segment
    /// (`LogConfig.maxSegmentMs`).
    #[must_use]
    pub fn max_segment_ms(&self) -> i64 {
        if self.compact && self.max_compaction_lag_ms > 0 {
            self.max_compaction_lag_ms.min(self.segment_ms)
        } else {
            self.segment_ms
        }
    }

    /// How a batch that came compressed like this is to stand in the log, if otherwise
    /// (`BrokerCompressionType.targetCompression`).
    #[must_use]
    pub fn recompression(&self, source: Compression) -> Option<Codec> {
        let compression = self.compression.filter(|target| *target != source)?;
        Some(Codec { compression, gzip_level: self.gzip_level })
    }

    /// Whether a client may delete records of such a topic: not where compaction alone decides
    /// what goes (`ReplicaManager.deleteRecordsOnLocalLog`; else `POLICY_VIOLATION`).
    #[must_use]
    pub fn allows_delete_records(&self) -> bool {
        self.delete || !self.compact
    }
}

fn set_i64(field: &mut i64, value: &str) {
    if let Some(number) = number::signed(value) {
        *field = number;
    }
}

fn set_u64(field: &mut u64, value: &str) {
    if let Some(number) = number::unsigned(value) {
        *field = number;
    }
}

fn set_u32(field: &mut u32, value: &str) {
    if let Some(number) = number::unsigned(value).and_then(|number| u32::try_from(number).ok()) {
        *field = number;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn with(entries: &[(&str, &str)]) -> LogConfig {
        let entries: Vec<(String, String)> =
            entries.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        LogConfig::default().with(&entries)
    }

    /// What a topic sets stands over the default; what cannot be read does not.
    #[test]
    fn entries_stand_over_defaults() {
        let stock = LogConfig::default();
        assert_eq!(with(&[]), stock);
        let config = with(&[
            ("segment.bytes", " 1048576 "),
            ("cleanup.policy", "compact, delete"),
            ("min.cleanable.dirty.ratio", "0.01"),
            ("retention.ms", "-1"),
            ("message.timestamp.type", "LogAppendTime"),
            ("unclean.leader.election.enable", "TRUE"),
            ("remote.storage.enable", "true"),
        ]);
        assert_eq!(
            config,
            LogConfig {
                segment_bytes: 1 << 20,
                compact: true,
                min_cleanable_dirty_ratio: Ratio(10_000_000),
                retention_ms: -1,
                message_timestamp_type: TimestampType::LogAppendTime,
                unclean_leader_election_enable: true,
                ..stock.clone()
            }
        );
        let unreadable = with(&[
            ("segment.ms", "soon"),
            ("max.message.bytes", "4294967296"),
            ("min.cleanable.dirty.ratio", "half"),
            ("message.timestamp.type", "Now"),
        ]);
        assert_eq!(unreadable, stock);
        let neither = with(&[("cleanup.policy", "")]);
        assert!(!neither.compact && !neither.delete);
    }

    /// Ratios at their edges; "more than", not "as much as".
    #[test]
    fn ratios() {
        for (text, ratio) in
            [("0", Some(0)), ("1.0", Some(1_000_000_000)), (".5", Some(500_000_000))]
        {
            assert_eq!(Ratio::parse(text), ratio.map(Ratio), "{text}");
        }
        for text in ["", ".", "1.000000001", "2", "-1", "1e-3"] {
            assert_eq!(Ratio::parse(text), None, "{text}");
        }
        assert_eq!(Ratio::parse("0.00000000099"), Some(Ratio(0)));
        let half = Ratio(500_000_000);
        assert!(!half.is_exceeded_by(1, 2));
        assert!(half.is_exceeded_by(2, 3));
        assert!(Ratio(0).is_exceeded_by(1, u64::MAX));
        assert!(!Ratio(Ratio::ONE).is_exceeded_by(u64::MAX, u64::MAX));
        assert!(!Ratio(0).is_exceeded_by(0, 0));
    }

    /// A compacted topic closes segments early enough for `max.compaction.lag.ms`.
    #[test]
    fn segments_close_in_time_to_be_cleaned() {
        let lag = ("max.compaction.lag.ms", "5000");
        assert_eq!(with(&[lag]).max_segment_ms(), 604_800_000);
        assert_eq!(with(&[lag, ("cleanup.policy", "compact")]).max_segment_ms(), 5_000);
    }

    /// Only a policy of compaction alone refuses DeleteRecords.
    #[test]
    fn deleting_records() {
        let allows = |policy| with(&[("cleanup.policy", policy)]).allows_delete_records();
        assert_eq!(
            ["compact", "delete", "compact,delete", ""].map(allows),
            [false, true, true, true]
        );
    }
}
