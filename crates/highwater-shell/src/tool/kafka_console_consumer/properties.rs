//! Settings of a consumer as people write them (`ConsumerConfig`): which names there are, which values
//! they take, and what Kafka says otherwise. A name that it does not know is left alone, as Kafka does.

use std::rc::Rc;

use highwater_core::client::assignor::AssignorKind;
use highwater_core::client::kafka_consumer::config::{ConsumerConfig, IsolationLevel, OffsetReset};
use highwater_core::ids::GroupId;
use highwater_core::number;
use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::Ended;
use crate::tool::bootstrap::CONFIG_EXCEPTION;
use crate::tool::duration;
use crate::tool::line_reader::KAFKA_EXCEPTION;
use crate::tool::options::Problem;
use crate::tool::setting::{Checked, Takes, backoff_warnings, check};

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
    ("group.instance.id", Takes::Other(empty)),
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
    /// Whether somebody named the group.
    pub(super) is_named_group: bool,
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
        self.check_protocol()?;
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
        number("reconnect.backoff.ms", &mut config.reconnect_backoff_ms);
        number("reconnect.backoff.max.ms", &mut config.reconnect_backoff_max_ms);
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

    /// Settings that do not go with the protocol, and the one that is not here yet.
    fn check_protocol(&self) -> Result<(), Problem> {
        if !self.is_classic() {
            // A group with a random name has one member and commits nothing: there the classic protocol
            // stands in for it.
            if self.is_named_group {
                let text = "Highwater does not model the consumer rebalance protocol (KIP-848, \
                    group.protocol=consumer) yet; without the setting the console consumer uses the \
                    classic one.";
                return Err(Problem::new("", text));
            }
            return Ok(());
        }
        if self.get("group.remote.assignor").is_some() {
            let text = "group.remote.assignor cannot be set when group.protocol=CLASSIC";
            return Err(Problem::new(CONFIG_EXCEPTION, text));
        }
        Ok(())
    }

    /// What goes wrong when the consumer is made of settings that are all right one by one
    /// (`ClassicKafkaConsumer`).
    pub(crate) fn check_together(&self, config: &ConsumerConfig) -> Result<(), Problem> {
        if config.group_id.as_ref().is_some_and(|group| group.0.is_empty()) {
            return Err(failed(
                "org.apache.kafka.common.errors.InvalidGroupIdException: The configured group.id \
                 should not be an empty string or whitespace.",
            ));
        }
        if config.heartbeat_interval_ms >= config.session_timeout_ms {
            return Err(failed(
                "java.lang.IllegalArgumentException: Heartbeat must be set lower than the session \
                 timeout",
            ));
        }
        Ok(())
    }

    /// Pauses that do not grow, and what is said of them.
    pub(crate) fn backoffs(&self, config: &mut ConsumerConfig) -> Vec<String> {
        let is_static = self.get("reconnect.backoff.ms").is_some()
            && self.get("reconnect.backoff.max.ms").is_none();
        if is_static {
            config.reconnect_backoff_max_ms = config.reconnect_backoff_ms;
        }
        backoff_warnings((config.retry_backoff_ms, config.retry_backoff_max_ms), is_static)
    }

    /// The assignors (`partition.assignment.strategy`), and what is said of those that come twice.
    pub(crate) fn assignors(&self, config: &mut ConsumerConfig) -> Result<Option<String>, Problem> {
        let Some(value) = self.get(STRATEGY) else { return Ok(None) };
        let given: Vec<&str> = match value.trim() {
            "" => Vec::new(),
            list => list.split(',').map(str::trim).collect(),
        };
        let mut classes: Vec<&str> = Vec::new();
        for class in &given {
            if !classes.contains(class) {
                classes.push(class);
            }
        }
        let warning = (classes.len() < given.len()).then(|| {
            format!(
                "Configuration key \"{STRATEGY}\" contains duplicate values. Duplicates will be \
                 removed. The original value is: [{}], the updated value is: [{}] \
                 (org.apache.kafka.common.config.ConfigDef)",
                given.join(", "),
                classes.join(", ")
            )
        });
        config.assignors.clear();
        for class in classes {
            match AssignorKind::from_class(class) {
                Some(kind) => config.assignors.push(kind),
                None => return Err(no_assignor(class)),
            }
        }
        Ok(warning)
    }
}

/// `partition.assignment.strategy`
const STRATEGY: &str = "partition.assignment.strategy";

/// A consumer that cannot be made, for this reason.
fn failed(cause: &str) -> Problem {
    let mut problem = Problem::new(KAFKA_EXCEPTION, "Failed to construct kafka consumer");
    problem.causes.push(cause.to_owned());
    problem
}

/// What Kafka says of a class that is not there, or assigns nothing.
fn no_assignor(class: &str) -> Problem {
    if class.starts_with("org.apache.kafka.") {
        return failed(&format!(
            "{KAFKA_EXCEPTION}: class {class} is not an instance of \
             org.apache.kafka.clients.consumer.ConsumerPartitionAssignor"
        ));
    }
    let mut problem =
        failed(&format!("{KAFKA_EXCEPTION}: {class} ClassNotFoundException exception occurred"));
    problem.causes.push(format!("java.lang.ClassNotFoundException: {class}"));
    problem
}

/// What Kafka says of an empty text where one is needed.
fn empty(value: &str) -> Option<String> {
    value.is_empty().then(|| "String must be non-empty".to_owned())
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
        other => {
            let span = duration::millis(other.strip_prefix("by_duration:")?)?;
            (span >= 0).then_some(OffsetReset::ByDuration(span))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// A span to go back by is not negative.
    #[test]
    fn spans() {
        assert_eq!(offset_reset("by_duration:PT1S"), Some(OffsetReset::ByDuration(1_000)));
        assert_eq!(offset_reset("by_duration:-PT1S"), None);
        assert_eq!(offset_reset("by_duration:1S"), None);
    }

    /// Every checked setting refuses nonsense, and takes its smallest value.
    #[test]
    fn values() {
        for (name, takes) in CHECKED {
            let mut properties = Properties::default();
            // Any name is good, but there must be one.
            let wrong = if *name == "group.instance.id" { "" } else { "nonsense" };
            properties.set(name, wrong);
            let problem = properties.config().expect_err("nonsense is no value");
            let start = format!("Invalid value {wrong} for configuration {name}: ");
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
