//! May a topic have this configuration? Keys, types and bounds of Kafka's `LogConfig`.
//!
//! Which of them the simulator obeys is in docs/FIDELITY.md; all are checked and described.

use crate::error::{ErrorCode, KafkaError};
use crate::number;
use crate::scope;

/// What a value must look like.
#[derive(Debug)]
pub(super) enum Kind {
    Int(i64, i64),
    Long(i64),
    Ratio,
    Boolean,
    OneOf(&'static [&'static str]),
    ListOf(&'static [&'static str]),
    GzipLevel,
    Replicas,
    Double,
    Text,
}

pub(super) const CODECS: &[&str] = &["uncompressed", "zstd", "lz4", "snappy", "gzip", "producer"];
pub(super) const POLICIES: &[&str] = &["compact", "delete"];
pub(super) const TIMESTAMPS: &[&str] = &["CreateTime", "LogAppendTime"];
pub(super) const INT_MAX: i64 = i32::MAX as i64;

/// Every topic-level key, in the order in which `kafka-topics.sh --describe` prints them: that of
/// a Java hash map of the names (printed from the classes of Kafka 4.4.0).
const KEYS: &[(&str, Kind)] = &[
    ("compression.type", Kind::OneOf(CODECS)),
    ("errors.deadletterqueue.group.enable", Kind::Boolean),
    ("remote.copy.lag.bytes", Kind::Long(-2)),
    ("remote.log.delete.on.disable", Kind::Boolean),
    ("leader.replication.throttled.replicas", Kind::Replicas),
    ("remote.storage.enable", Kind::Boolean),
    ("min.insync.replicas", Kind::Int(1, INT_MAX)),
    ("segment.jitter.ms", Kind::Long(0)),
    ("remote.log.copy.disable", Kind::Boolean),
    ("local.retention.ms", Kind::Long(-2)),
    ("cleanup.policy", Kind::ListOf(POLICIES)),
    ("flush.ms", Kind::Long(0)),
    ("follower.replication.throttled.replicas", Kind::Replicas),
    ("compression.lz4.level", Kind::Int(1, 17)),
    ("segment.bytes", Kind::Int(1_048_576, INT_MAX)),
    ("retention.ms", Kind::Long(-1)),
    ("compression.gzip.level", Kind::GzipLevel),
    ("remote.copy.lag.ms", Kind::Long(-2)),
    ("flush.messages", Kind::Long(1)),
    ("compression.zstd.level", Kind::Int(-131_072, 22)),
    ("max.compaction.lag.ms", Kind::Long(1)),
    ("file.delete.delay.ms", Kind::Long(0)),
    ("max.message.bytes", Kind::Int(0, INT_MAX)),
    ("min.compaction.lag.ms", Kind::Long(0)),
    ("message.timestamp.type", Kind::OneOf(TIMESTAMPS)),
    ("local.retention.bytes", Kind::Long(-2)),
    ("preallocate", Kind::Boolean),
    ("index.interval.bytes", Kind::Int(0, INT_MAX)),
    ("min.cleanable.dirty.ratio", Kind::Ratio),
    ("unclean.leader.election.enable", Kind::Boolean),
    ("retention.bytes", Kind::Long(i64::MIN)),
    ("delete.retention.ms", Kind::Long(0)),
    ("message.timestamp.after.max.ms", Kind::Long(0)),
    ("max.decompressed.message.bytes", Kind::Int(1, INT_MAX)),
    ("message.timestamp.before.max.ms", Kind::Long(0)),
    ("segment.ms", Kind::Long(1)),
    ("segment.index.bytes", Kind::Int(4, INT_MAX)),
];

/// The broker-level key that holds the default of a topic-level one
/// (`ServerTopicConfigSynonyms`).
#[must_use]
pub fn broker_synonym(name: &str) -> &str {
    match name {
        "cleanup.policy" => "log.cleanup.policy",
        "retention.ms" => "log.retention.ms",
        "retention.bytes" => "log.retention.bytes",
        "segment.bytes" => "log.segment.bytes",
        "segment.ms" => "log.roll.ms",
        "max.message.bytes" => "message.max.bytes",
        "delete.retention.ms" => "log.cleaner.delete.retention.ms",
        "min.cleanable.dirty.ratio" => "log.cleaner.min.cleanable.ratio",
        "file.delete.delay.ms" => "log.segment.delete.delay.ms",
        "message.timestamp.type" => "log.message.timestamp.type",
        _ if scope::CLUSTER => rarer_synonym(name),
        same => same,
    }
}

fn rarer_synonym(name: &str) -> &str {
    match name {
        "segment.jitter.ms" => "log.roll.jitter.ms",
        "segment.index.bytes" => "log.index.size.max.bytes",
        "index.interval.bytes" => "log.index.interval.bytes",
        "flush.messages" => "log.flush.interval.messages",
        "flush.ms" => "log.flush.interval.ms",
        "min.compaction.lag.ms" => "log.cleaner.min.compaction.lag.ms",
        "max.compaction.lag.ms" => "log.cleaner.max.compaction.lag.ms",
        "message.timestamp.before.max.ms" => "log.message.timestamp.before.max.ms",
        "message.timestamp.after.max.ms" => "log.message.timestamp.after.max.ms",
        "preallocate" => "log.preallocate",
        "local.retention.ms" => "log.local.retention.ms",
        "local.retention.bytes" => "log.local.retention.bytes",
        "remote.copy.lag.ms" => "log.remote.copy.lag.ms",
        "remote.copy.lag.bytes" => "log.remote.copy.lag.bytes",
        same => same,
    }
}

/// What a topic has that no broker-level key stands for; `None`: there is such a key.
#[must_use]
pub fn own_default(name: &str) -> Option<&'static str> {
    match name {
        "leader.replication.throttled.replicas" | "follower.replication.throttled.replicas" => {
            Some("")
        }
        "errors.deadletterqueue.group.enable"
        | "remote.storage.enable"
        | "remote.log.copy.disable"
        | "remote.log.delete.on.disable" => Some("false"),
        _ => None,
    }
}

/// Every topic-level key.
pub fn names() -> impl Iterator<Item = &'static str> {
    KEYS.iter().map(|(key, _)| *key)
}

/// Whether a broker-level key is the default of a topic-level one.
#[must_use]
pub fn is_broker_synonym(name: &str) -> bool {
    KEYS.iter().any(|(key, _)| broker_synonym(key) == name)
}

/// The place of a key among those that `--describe` prints; `None`: no such key.
#[must_use]
pub fn describe_order(name: &str) -> Option<u32> {
    KEYS.iter().zip(0u32..).find(|((key, _), _)| *key == name).map(|(_, place)| place)
}

/// Checks one entry for a topic; returns the value as Kafka shows it.
///
/// # Errors
/// `INVALID_CONFIG` with the text that Kafka's `ConfigDef` gives.
pub fn validate(name: &str, value: &str) -> Result<String, KafkaError> {
    let Some((_, kind)) = KEYS.iter().find(|(key, _)| *key == name) else {
        return Err(invalid(format!("Unknown topic config name: {name}")));
    };
    check(kind, name, value)
}

/// Checks what depends on more than one entry of a topic (`LogConfig.validateValues`).
///
/// # Errors
/// `INVALID_CONFIG` with Kafka's text.
pub fn validate_together(configs: &[(String, String)]) -> Result<(), KafkaError> {
    let lag = |name: &str, default| {
        let found = configs.iter().rfind(|(key, _)| key == name);
        found.and_then(|(_, value)| number::signed(value.trim())).unwrap_or(default)
    };
    let (least, most) = ("min.compaction.lag.ms", "max.compaction.lag.ms");
    let (min, max) = (lag(least, 0), lag(most, i64::MAX));
    if scope::CLUSTER && min > max {
        let text = format!("conflict topic config setting {least} ({min}) > {most} ({max})");
        return Err(invalid(text));
    }
    Ok(())
}

/// Checks a value of that kind; returns it as Kafka shows it.
pub(super) fn check(kind: &Kind, name: &str, value: &str) -> Result<String, KafkaError> {
    let because = match kind {
        Kind::Int(least, most) => match number::int(value.trim()) {
            None => Some("Not a number of type INT".to_owned()),
            Some(number) => outside(i64::from(number), *least, *most),
        },
        Kind::Long(least) => match number::signed(value.trim()) {
            None => Some("Not a number of type LONG".to_owned()),
            Some(number) => outside(number, *least, i64::MAX),
        },
        Kind::GzipLevel => match number::int(value.trim()) {
            None => Some("Not a number of type INT".to_owned()),
            Some(-1 | 1..=9) => None,
            Some(_) => Some("Value must be between 1 and 9 or equal to -1".to_owned()),
        },
        Kind::Ratio => ratio_problem(value.trim()),
        Kind::Double if scope::CLUSTER && !is_double(value.trim()) => {
            Some("Not a number of type DOUBLE".to_owned())
        }
        Kind::Text | Kind::Double => None,
        Kind::Boolean => {
            let fits = ["true", "false"].iter().any(|word| value.trim().eq_ignore_ascii_case(word));
            (!fits).then(|| "Expected value to be either true or false".to_owned())
        }
        Kind::OneOf(words) => not_among(&[value.trim()], words),
        Kind::ListOf(_) if value.trim().is_empty() => None,
        Kind::ListOf(_) if value.split(',').any(|word| word.trim().is_empty()) => {
            return Err(invalid(format!("Configuration '{name}' values must not be empty.")));
        }
        Kind::ListOf(words) => not_among(&list(value), words),
        Kind::Replicas => list(value)
            .iter()
            .any(|pair| *pair != "*" && !is_replica_pair(pair))
            .then(|| replicas_wanted(name)),
    };
    let shown = shown(kind, value);
    match because {
        None => Ok(shown),
        Some(why) => {
            let shown = if matches!(kind, Kind::Replicas) {
                format!("[{shown}]").replace(',', ", ")
            } else {
                shown
            };
            Err(invalid(format!("Invalid value {shown} for configuration {name}: {why}")))
        }
    }
}

/// A value as Java prints what it was parsed to; as it stands if it cannot be parsed.
fn shown(kind: &Kind, value: &str) -> String {
    let value = value.trim();
    match kind {
        Kind::Int(..) | Kind::Long(_) | Kind::GzipLevel => {
            number::signed(value).map_or_else(|| value.to_owned(), |number| number.to_string())
        }
        Kind::Boolean => value.to_ascii_lowercase(),
        Kind::Ratio => {
            let (whole, fraction) = value.split_once('.').unwrap_or((value, ""));
            let (sign, whole) =
                if let Some(rest) = whole.strip_prefix('-') { ("-", rest) } else { ("", whole) };
            let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
            let whole = if whole.is_empty() { "0" } else { whole };
            let fraction = if fraction.is_empty() { "0" } else { fraction };
            if whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
                [sign, whole, ".", fraction].concat()
            } else {
                value.to_owned()
            }
        }
        Kind::OneOf(_) | Kind::Text | Kind::Double => value.to_owned(),
        Kind::Replicas => number::join(&list(value), ","),
        Kind::ListOf(_) => {
            let mut once = Vec::new();
            for word in list(value) {
                if !once.contains(&word) {
                    once.push(word);
                }
            }
            number::join(&once, ",")
        }
    }
}

fn replicas_wanted(name: &str) -> String {
    format!(
        "{name} must be the literal '*' or a list of replicas in the following format: \
         [partitionId]:[brokerId],[partitionId]:[brokerId],..."
    )
}

fn invalid(text: String) -> KafkaError {
    KafkaError::new(ErrorCode::InvalidConfig, text)
}

fn outside(number: i64, least: i64, most: i64) -> Option<String> {
    if number < least {
        Some(format!("Value must be at least {least}"))
    } else if number > most {
        Some(format!("Value must be no more than {most}"))
    } else {
        None
    }
}

/// A number from 0 to 1, without floating point: digits, a point, digits.
fn ratio_problem(value: &str) -> Option<String> {
    let (negative, digits) = match value.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, value),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !all_digits(whole) || !all_digits(fraction) {
        return Some("Not a number of type DOUBLE".to_owned());
    }
    let zero = |text: &str| text.bytes().all(|byte| byte == b'0');
    let whole = whole.trim_start_matches('0');
    if negative && !(whole.is_empty() && zero(fraction)) {
        Some("Value must be at least 0".to_owned())
    } else if !(whole.is_empty() || whole == "1" && zero(fraction)) {
        Some("Value must be no more than 1".to_owned())
    } else {
        None
    }
}

/// Whether a text is a decimal number, such as `-1.5E3`.
fn is_double(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (digits, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_missing = exponent.is_empty() || whole.is_empty() && fraction.is_empty();
    !is_missing && all_digits(whole) && all_digits(fraction) && all_digits(exponent)
}

fn list(value: &str) -> Vec<&str> {
    value.split(',').map(str::trim).filter(|word| !word.is_empty()).collect()
}

fn not_among(values: &[&str], words: &[&str]) -> Option<String> {
    let all = values.iter().all(|value| words.contains(value));
    (!all).then(|| format!("String must be one of: {}", number::join(words, ", ")))
}

fn is_replica_pair(text: &str) -> bool {
    text.split_once(':').is_some_and(|(partition, broker)| {
        let is_id = |text| number::unsigned(text).is_some_and(|id| u32::try_from(id).is_ok());
        is_id(partition) && is_id(broker)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Texts that real Kafka gave (02-topic-errors.console and the facts).
    #[test]
    fn texts_are_kafkas() {
        for (name, value, text) in [
            ("retention.mss", "1", "Unknown topic config name: retention.mss"),
            (
                "cleanup.policy",
                "shred",
                "Invalid value shred for configuration cleanup.policy: String must be one of: \
                 compact, delete",
            ),
            (
                "min.insync.replicas",
                "0",
                "Invalid value 0 for configuration min.insync.replicas: Value must be at least 1",
            ),
            (
                "segment.bytes",
                "1000",
                "Invalid value 1000 for configuration segment.bytes: Value must be at least \
                 1048576",
            ),
        ] {
            assert_eq!(validate(name, value).map_err(|error| error.message), Err(text.to_owned()));
        }
    }

    /// The least lag of compaction may be the greatest, but not more.
    #[test]
    fn lags_fit_together() {
        let check = |min: &str, max: &str| {
            let entry = |name: &str, value: &str| (name.to_owned(), value.to_owned());
            let min = entry("min.compaction.lag.ms", min);
            validate_together(&[min, entry("max.compaction.lag.ms", max)]).map_err(|e| e.message)
        };
        assert_eq!(check("5", "5"), Ok(()));
        let text = "conflict topic config setting min.compaction.lag.ms (5) > \
                    max.compaction.lag.ms (1)";
        assert_eq!(check("5", "1"), Err(text.to_owned()));
        assert_eq!(validate_together(&[]), Ok(()));
    }

    /// Values at the edges, also at those of the number types.
    #[test]
    fn edges() {
        for (name, value, shown) in [
            ("retention.ms", "-1", "-1"),
            ("retention.bytes", "-9223372036854775808", "-9223372036854775808"),
            ("flush.ms", "9223372036854775807", "9223372036854775807"),
            ("max.message.bytes", "+0100", "100"),
            ("min.cleanable.dirty.ratio", "1.", "1.0"),
            ("min.cleanable.dirty.ratio", "00.250", "0.25"),
            ("min.cleanable.dirty.ratio", "-0", "-0.0"),
            ("cleanup.policy", "compact , delete,compact", "compact,delete"),
            ("preallocate", "TRUE", "true"),
            ("compression.gzip.level", "-1", "-1"),
            ("leader.replication.throttled.replicas", "0:1, 1:2", "0:1,1:2"),
        ] {
            assert_eq!(validate(name, value).as_deref(), Ok(shown), "{name}={value}");
        }
        for (name, value) in [
            ("retention.ms", "-2"),
            ("retention.ms", "9223372036854775808"),
            ("retention.ms", ""),
            ("segment.bytes", "2147483648"),
            ("min.cleanable.dirty.ratio", "1.01"),
            ("min.cleanable.dirty.ratio", "."),
            ("compression.gzip.level", "0"),
            ("preallocate", "yes"),
            ("cleanup.policy", "compact,,delete"),
        ] {
            assert!(validate(name, value).is_err(), "{name}={value}");
        }
    }
}
