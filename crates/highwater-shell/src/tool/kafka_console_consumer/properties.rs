//! Settings of a consumer as people write them (`ConsumerConfig`): which names there are, which values
//! they take, and what Kafka says otherwise. A name that it does not know is left alone, as Kafka does.

use std::rc::Rc;

use highwater_core::client::kafka_consumer::config::{ConsumerConfig, IsolationLevel, OffsetReset};
use highwater_core::ids::GroupId;
use highwater_core::number;
use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::Ended;
use crate::tool::options::Problem;
use crate::tool::setting::{Checked, Takes, check};

/// Settings whose values Kafka checks, in the order of their names.
const CHECKED: &[Checked] = &[
    ("allow.auto.create.topics", Takes::Boolean),
    ("auto.commit.interval.ms", Takes::Int(0)),
    ("auto.offset.reset", Takes::Other(bad_reset)),
    ("check.crcs", Takes::Boolean),
    ("connections.max.idle.ms", Takes::Long(i64::MIN)),
    ("default.api.timeout.ms", Takes::Int(0)),
    ("enable.auto.commit", Takes::Boolean),
    ("enable.metrics.push", Takes::Boolean),
    ("exclude.internal.topics", Takes::Boolean),
    ("fetch.max.bytes", Takes::Int(0)),
    ("fetch.max.wait.ms", Takes::Int(0)),
    ("fetch.min.bytes", Takes::Int(0)),
    ("group.protocol", Takes::AnyCase(&["CONSUMER", "CLASSIC"])),
    ("heartbeat.interval.ms", Takes::Int(i32::MIN)),
    ("isolation.level", Takes::OneOf(&["read_committed", "read_uncommitted"])),
    ("max.partition.fetch.bytes", Takes::Int(0)),
    ("max.poll.interval.ms", Takes::Int(1)),
    ("max.poll.records", Takes::Int(1)),
    ("metadata.max.age.ms", Takes::Long(0)),
    ("receive.buffer.bytes", Takes::Int(-1)),
    ("reconnect.backoff.max.ms", Takes::Long(0)),
    ("reconnect.backoff.ms", Takes::Long(0)),
    ("request.timeout.ms", Takes::Int(0)),
    ("retry.backoff.max.ms", Takes::Long(0)),
    ("retry.backoff.ms", Takes::Long(0)),
    ("send.buffer.bytes", Takes::Int(-1)),
    ("session.timeout.ms", Takes::Int(i32::MIN)),
];

/// What was set; of two values the later one counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Properties {
    set: Vec<(String, String)>,
}

impl Properties {
    /// Sets one.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.set.retain(|(known, _)| known != name);
        self.set.push((name.to_owned(), value.to_owned()));
    }

    /// Takes `name=value`.
    pub(crate) fn add(&mut self, entry: &str) {
        let (name, value) = entry.split_once('=').unwrap_or((entry, ""));
        self.set(name, value);
    }

    /// What was set.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.set.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// Whether the consumer would join a group in the older way.
    pub(crate) fn is_classic(&self) -> bool {
        self.get("group.protocol").is_none_or(|protocol| protocol.eq_ignore_ascii_case("classic"))
    }

    /// Where to begin without a position, unless the settings say so already.
    pub(crate) fn set_reset(&mut self, earliest: bool, out: &mut Out<'_>) -> Result<(), Ended> {
        let wanted = if earliest { "earliest" } else { "latest" };
        match self.get("auto.offset.reset") {
            None => self.set("auto.offset.reset", wanted),
            Some(given) if earliest && given != wanted => {
                out.print(
                    Fd::Stderr,
                    format_args!(
                        "Can't simultaneously specify --from-beginning and \
                         'auto.offset.reset={given}', please remove one option\n"
                    ),
                );
                return Err(Ended(1));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// The consumer that these settings make.
    pub(crate) fn config(&self) -> Result<ConsumerConfig, Problem> {
        for (name, takes) in CHECKED {
            if let Some(value) = self.get(name) {
                check(name, value.trim(), *takes)?;
            }
        }
        let mut config = ConsumerConfig {
            client_id: self.get("client.id").unwrap_or("console-consumer").to_owned(),
            ..ConsumerConfig::default()
        };
        let number = |name: &str, into: &mut u64| {
            let given = self.get(name).and_then(|value| number::unsigned(value.trim()));
            *into = given.unwrap_or(*into);
        };
        number("fetch.max.bytes", &mut config.fetch_max_bytes);
        number("fetch.max.wait.ms", &mut config.fetch_max_wait_ms);
        number("fetch.min.bytes", &mut config.fetch_min_bytes);
        number("max.partition.fetch.bytes", &mut config.max_partition_fetch_bytes);
        number("metadata.max.age.ms", &mut config.metadata_max_age_ms);
        number("request.timeout.ms", &mut config.request_timeout_ms);
        number("retry.backoff.max.ms", &mut config.retry_backoff_max_ms);
        number("retry.backoff.ms", &mut config.retry_backoff_ms);
        number("auto.commit.interval.ms", &mut config.auto_commit_interval_ms);
        number("default.api.timeout.ms", &mut config.default_api_timeout_ms);
        number("heartbeat.interval.ms", &mut config.heartbeat_interval_ms);
        number("max.poll.interval.ms", &mut config.max_poll_interval_ms);
        number("session.timeout.ms", &mut config.session_timeout_ms);
        let mut most = u64::from(config.max_poll_records);
        number("max.poll.records", &mut most);
        config.max_poll_records = u32::try_from(most).unwrap_or(u32::MAX);
        let is_off = |name: &str| {
            self.get(name).is_some_and(|value| value.trim().eq_ignore_ascii_case("false"))
        };
        config.allow_auto_create_topics = !is_off("allow.auto.create.topics");
        config.exclude_internal_topics = !is_off("exclude.internal.topics");
        config.enable_auto_commit = !is_off("enable.auto.commit");
        if self.get("isolation.level").is_some_and(|level| level.trim() == "read_committed") {
            config.isolation_level = IsolationLevel::ReadCommitted;
        }
        config.group_id = self.get("group.id").map(|group| GroupId(Rc::from(group.trim())));
        config.group_instance_id = self.get("group.instance.id").map(|id| Rc::from(id.trim()));
        config.client_rack =
            self.get("client.rack").map(str::trim).filter(|rack| !rack.is_empty()).map(Rc::from);
        let reset = self.get("auto.offset.reset").and_then(|value| offset_reset(value.trim()));
        config.auto_offset_reset = reset.unwrap_or(config.auto_offset_reset);
        Ok(config)
    }
}

/// What Kafka says of a value of `auto.offset.reset` that is none.
fn bad_reset(value: &str) -> Option<String> {
    offset_reset(value).is_none().then(|| {
        format!(
            "Invalid value `{value}` for configuration auto.offset.reset. The value must be either \
             'earliest', 'latest', 'none' or of the format 'by_duration:<PnDTnHnMn.nS.>'."
        )
    })
}

fn offset_reset(value: &str) -> Option<OffsetReset> {
    match value {
        "earliest" => Some(OffsetReset::Earliest),
        "latest" => Some(OffsetReset::Latest),
        "none" => Some(OffsetReset::None),
        other => duration_ms(other.strip_prefix("by_duration:")?).map(OffsetReset::ByDuration),
    }
}

/// The milliseconds of an ISO-8601 duration such as `P1DT2H3M4.5S` (`java.time.Duration.parse`).
fn duration_ms(text: &str) -> Option<i64> {
    let upper = text.to_ascii_uppercase();
    let rest = upper.strip_prefix('P')?;
    let (days, time) = match rest.split_once('T') {
        Some((days, time)) => (days, Some(time)),
        None => (rest, None),
    };
    let mut total: i64 = 0;
    if !days.is_empty() {
        total = units(days.strip_suffix('D')?, 86_400_000)?;
    }
    let Some(mut time) = time else { return (!days.is_empty()).then_some(total) };
    if time.is_empty() {
        return None;
    }
    for (unit, millis) in [('H', 3_600_000), ('M', 60_000)] {
        if let Some((count, after)) = time.split_once(unit) {
            total = total.checked_add(units(count, millis)?)?;
            time = after;
        }
    }
    if !time.is_empty() {
        let seconds = time.strip_suffix('S')?;
        let (whole, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, ""));
        total = total.checked_add(units(whole, 1_000)?)?;
        if fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
        total = total.checked_add(number::signed(&thousandths)?)?;
    }
    Some(total)
}

/// So many units, in milliseconds.
fn units(count: &str, millis: i64) -> Option<i64> {
    let is_number = !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit());
    number::signed(count).filter(|_| is_number)?.checked_mul(millis)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Durations, and texts that are none.
    #[test]
    fn durations() {
        for (text, millis) in [
            ("PT1S", Some(1_000)),
            ("P1DT2H3M4.5S", Some(93_784_500)),
            ("P2D", Some(172_800_000)),
            ("pt0.001s", Some(1)),
            ("PT1M", Some(60_000)),
            ("P", None),
            ("PT", None),
            ("P1", None),
            ("PTS", None),
            ("PT-1S", None),
            ("PT1X", None),
            ("1S", None),
            ("P99999999999999999999D", None),
            ("P9223372036854775807D", None),
        ] {
            assert_eq!(duration_ms(text), millis, "{text}");
        }
    }

    /// Every checked setting refuses nonsense, and takes its smallest value.
    #[test]
    fn values() {
        for (name, takes) in CHECKED {
            let mut properties = Properties::default();
            properties.set(name, "nonsense");
            let problem = properties.config().expect_err("nonsense is no value");
            let start = format!("Invalid value nonsense for configuration {name}: ");
            assert!(problem.text.starts_with(&start), "{}", problem.text);
            if let Takes::Int(least @ 0..) = takes {
                properties.set(name, &least.to_string());
                properties.config().expect("the smallest value is one");
                properties.set(name, "2147483648");
                let problem = properties.config().expect_err("too large");
                assert!(problem.text.ends_with("Not a number of type INT"));
            }
        }
        let mut properties = Properties::default();
        properties.add("unknown=1");
        properties.add("max.poll.records");
        assert!(properties.config().is_err(), "an empty value is no number");
    }
}
