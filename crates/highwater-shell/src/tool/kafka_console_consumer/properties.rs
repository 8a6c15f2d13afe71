//! Settings of a consumer as people write them (`ConsumerConfig`): which names there are, which values
//! they take, and what Kafka says otherwise. A name that it does not know is left alone, as Kafka does.

use std::rc::Rc;

use highwater_core::client::assignor::AssignorKind;
use highwater_core::client::kafka_consumer::config::{ConsumerConfig, IsolationLevel, OffsetReset};
use highwater_core::controller::topic_name::problem_with;
use highwater_core::ids::GroupId;
use highwater_core::number;
use highwater_core::world::process::Fd;

use crate::process::Out;
use crate::tool::Ended;
use crate::tool::bootstrap::CONFIG_EXCEPTION;
use crate::tool::duration;
use crate::tool::line_reader::KAFKA_EXCEPTION;
use crate::tool::options::Problem;
use crate::tool::setting::{
    Checked, DNS_LOOKUPS, METRICS_LEVELS, OTHER_CLASSES, RECOVERIES, SECURITY_PROTOCOLS, Takes,
    backoff_warnings, check_all,
};

/// Settings whose values Kafka checks, in the order in which it does.
const CHECKED: &[Checked] = &[
    ("client.dns.lookup", DNS_LOOKUPS),
    ("bootstrap.resolve.timeout.ms", Takes::Long(0)),
    ("group.instance.id", Takes::Other(empty)),
    (SESSION_TIMEOUT, Takes::Int(i32::MIN)),
    (HEARTBEAT_INTERVAL, Takes::Int(i32::MIN)),
    (STRATEGY, Takes::List),
    ("metadata.max.age.ms", Takes::Long(0)),
    ("enable.auto.commit", Takes::Boolean),
    ("auto.commit.interval.ms", Takes::Int(0)),
    ("max.partition.fetch.bytes", Takes::Int(0)),
    ("send.buffer.bytes", Takes::Int(-1)),
    ("receive.buffer.bytes", Takes::Int(-1)),
    ("fetch.min.bytes", Takes::Int(0)),
    ("fetch.max.bytes", Takes::Int(0)),
    ("fetch.max.wait.ms", Takes::Int(0)),
    ("reconnect.backoff.ms", Takes::Long(0)),
    ("reconnect.backoff.max.ms", Takes::Long(0)),
    ("retry.backoff.ms", Takes::Long(0)),
    ("retry.backoff.max.ms", Takes::Long(0)),
    ("enable.metrics.push", Takes::Boolean),
    ("auto.offset.reset", Takes::Other(bad_reset)),
    ("check.crcs", Takes::Boolean),
    ("metrics.sample.window.ms", Takes::Long(0)),
    ("metrics.num.samples", Takes::Int(1)),
    ("metrics.recording.level", METRICS_LEVELS),
    ("request.timeout.ms", Takes::Int(0)),
    ("default.api.timeout.ms", Takes::Int(0)),
    ("socket.connection.setup.timeout.ms", Takes::Long(i64::MIN)),
    ("socket.connection.setup.timeout.max.ms", Takes::Long(i64::MIN)),
    (MAX_IDLE, Takes::Long(i64::MIN)),
    ("max.poll.records", Takes::Int(1)),
    ("max.poll.interval.ms", Takes::Int(1)),
    ("exclude.internal.topics", Takes::Boolean),
    ("isolation.level", Takes::OneOf(&["read_committed", "read_uncommitted"])),
    ("allow.auto.create.topics", Takes::Boolean),
    ("group.protocol", Takes::AnyCase(&["CONSUMER", "CLASSIC"])),
    ("security.protocol", SECURITY_PROTOCOLS),
    ("metadata.recovery.strategy", RECOVERIES),
    ("metadata.recovery.rebootstrap.trigger.ms", Takes::Long(0)),
    ("metadata.cluster.check.enable", Takes::Boolean),
    (ACKNOWLEDGEMENT_MODE, Takes::Other(bad_acknowledgement_mode)),
    (ACQUIRE_MODE, Takes::Other(bad_acquire_mode)),
];

const SESSION_TIMEOUT: &str = "session.timeout.ms";
const HEARTBEAT_INTERVAL: &str = "heartbeat.interval.ms";
const MAX_IDLE: &str = "connections.max.idle.ms";
const STRATEGY: &str = "partition.assignment.strategy";
const REMOTE_ASSIGNOR: &str = "group.remote.assignor";
const ACKNOWLEDGEMENT_MODE: &str = "share.acknowledgement.mode";
const ACQUIRE_MODE: &str = "share.acquire.mode";

/// What may not be set with the classic protocol, and what with the newer one.
const NOT_CLASSIC: &[&str] = &[REMOTE_ASSIGNOR, ACKNOWLEDGEMENT_MODE, ACQUIRE_MODE];
const ONLY_CLASSIC: &[&str] =
    &[STRATEGY, HEARTBEAT_INTERVAL, SESSION_TIMEOUT, ACKNOWLEDGEMENT_MODE, ACQUIRE_MODE];

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
        check_all(CHECKED, &self.set)?;
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
        let (names, protocol) =
            if self.is_classic() { (NOT_CLASSIC, "CLASSIC") } else { (ONLY_CLASSIC, "CONSUMER") };
        let mut misplaced = Vec::new();
        for name in names {
            if self.get(name).is_some_and(|value| !value.trim().is_empty()) {
                misplaced.push(*name);
            }
        }
        if !misplaced.is_empty() {
            let names = misplaced.join(", ");
            let text = format!("{names} cannot be set when group.protocol={protocol}");
            return Err(Problem::new(CONFIG_EXCEPTION, text));
        }
        // A group with a random name has one member and commits nothing: there the classic protocol
        // stands in for it.
        if !self.is_classic() && self.is_named_group {
            let text = "Highwater does not model the consumer rebalance protocol (KIP-848, \
                group.protocol=consumer) yet; without the setting the console consumer uses the \
                classic one.";
            return Err(Problem::new("", text));
        }
        Ok(())
    }

    /// What goes wrong when the consumer is made of settings that are all right one by one, before it looks
    /// for its assignors (`GroupRebalanceConfig`, `ClassicKafkaConsumer`).
    fn check_names(&self, config: &ConsumerConfig) -> Result<(), Problem> {
        if let Some(text) = self
            .get("group.instance.id")
            .and_then(|id| problem_with("Group instance id", id.trim()))
        {
            return Err(failed(&[INVALID_CONFIGURATION, &text].concat()));
        }
        if config.group_id.as_ref().is_some_and(|group| group.0.is_empty()) {
            return Err(failed(
                "org.apache.kafka.common.errors.InvalidGroupIdException: The configured group.id \
                 should not be an empty string or whitespace.",
            ));
        }
        Ok(())
    }

    /// The same, after it has found them (`Heartbeat`).
    fn check_heartbeat(&self, config: &ConsumerConfig) -> Result<(), Problem> {
        if !self.is_classic() {
            return Ok(());
        }
        let time = |name: &str, otherwise: u64| {
            let set = self.get(name).and_then(|value| number::signed(value.trim()));
            set.unwrap_or(i64::try_from(otherwise).unwrap_or(i64::MAX))
        };
        let heartbeat = time(HEARTBEAT_INTERVAL, config.heartbeat_interval_ms);
        let text = if heartbeat >= time(SESSION_TIMEOUT, config.session_timeout_ms) {
            "Heartbeat must be set lower than the session timeout".to_owned()
        } else if heartbeat < 0 {
            format!("Invalid negative timeout {heartbeat}")
        } else {
            return Ok(());
        };
        Err(failed(&["java.lang.IllegalArgumentException: ", &text].concat()))
    }

    /// The consumer with its assignors, and what is warned of.
    ///
    /// # Errors
    /// What Kafka's consumer throws.
    pub(crate) fn construct(&self) -> Result<(ConsumerConfig, Vec<String>), Problem> {
        let mut config = self.config()?;
        let mut warnings = Vec::from_iter(self.repeated_assignors());
        warnings.extend(self.backoffs(&mut config));
        self.check_names(&config)?;
        self.set_assignors(&mut config)?;
        self.check_heartbeat(&config)?;
        Ok((config, warnings))
    }

    /// Pauses that do not grow, and what is said of them.
    fn backoffs(&self, config: &mut ConsumerConfig) -> Vec<String> {
        let is_static = self.get("reconnect.backoff.ms").is_some()
            && self.get("reconnect.backoff.max.ms").is_none();
        if is_static {
            config.reconnect_backoff_max_ms = config.reconnect_backoff_ms;
        }
        let mut warnings = backoff_warnings(&self.set);
        warnings.extend(self.short_idle(config));
        warnings
    }

    /// What is said when a connection to the coordinator may be closed while a rebalance waits.
    fn short_idle(&self, config: &ConsumerConfig) -> Option<String> {
        let set = self.get(MAX_IDLE).and_then(|value| number::signed(value.trim()));
        let idle = set.map_or(Some(540_000), |idle| u64::try_from(idle).ok())?;
        let interval = config.max_poll_interval_ms;
        (self.is_classic() && idle < interval).then(|| {
            format!(
                "Configuration '{MAX_IDLE}' with value '{idle}' is lower than configuration \
                 'max.poll.interval.ms' with value '{interval}'. This may cause the connection to the group \
                 coordinator to be closed during an ongoing rebalance, which can prolong or disrupt group \
                 rejoin. (org.apache.kafka.clients.consumer.ConsumerConfig)"
            )
        })
    }

    /// The classes of assignors that were set.
    fn strategy(&self) -> Option<Vec<&str>> {
        let value = self.get(STRATEGY)?.trim();
        let list = value.split(',').map(str::trim);
        Some(list.filter(|_| !value.is_empty()).collect())
    }

    /// What is said of assignors that come twice.
    fn repeated_assignors(&self) -> Option<String> {
        let given = self.strategy()?;
        let classes = distinct(&given);
        (classes.len() < given.len()).then(|| {
            format!(
                "Configuration key \"{STRATEGY}\" contains duplicate values. Duplicates will be \
                 removed. The original value is: [{}], the updated value is: [{}] \
                 (org.apache.kafka.common.config.ConfigDef)",
                given.join(", "),
                classes.join(", ")
            )
        })
    }

    /// The assignors (`partition.assignment.strategy`).
    fn set_assignors(&self, config: &mut ConsumerConfig) -> Result<(), Problem> {
        let Some(given) = self.strategy() else { return Ok(()) };
        config.assignors.clear();
        for class in distinct(&given) {
            match AssignorKind::from_class(class) {
                Some(kind) => config.assignors.push(kind),
                None => return Err(no_assignor(class)),
            }
        }
        Ok(())
    }
}

/// Each of them once.
fn distinct<'a>(given: &[&'a str]) -> Vec<&'a str> {
    let mut classes: Vec<&str> = Vec::new();
    for class in given {
        if !classes.contains(class) {
            classes.push(class);
        }
    }
    classes
}

const INVALID_CONFIGURATION: &str =
    "org.apache.kafka.common.errors.InvalidConfigurationException: ";

/// A consumer that cannot be made, for this reason.
fn failed(cause: &str) -> Problem {
    let mut problem = Problem::new(KAFKA_EXCEPTION, "Failed to construct kafka consumer");
    problem.causes.push(cause.to_owned());
    problem
}

const ROUND_ROBIN_PARTITIONER: &str = "org.apache.kafka.clients.producer.RoundRobinPartitioner";

/// What Kafka says of a class that is not there, or assigns nothing.
fn no_assignor(class: &str) -> Problem {
    if OTHER_CLASSES.contains(&class) || class == ROUND_ROBIN_PARTITIONER {
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

fn bad_acknowledgement_mode(value: &str) -> Option<String> {
    (!matches!(value, "implicit" | "explicit"))
        .then(|| not_a_mode(ACKNOWLEDGEMENT_MODE, value, "'implicit' or 'explicit'"))
}

fn bad_acquire_mode(value: &str) -> Option<String> {
    let fits =
        ["batch_optimized", "record_limit"].iter().any(|one| one.eq_ignore_ascii_case(value));
    (!fits).then(|| not_a_mode(ACQUIRE_MODE, value, "'batch_optimized' or 'record_limit'"))
}

/// What Kafka says of modes of share consumers that are none.
fn not_a_mode(name: &str, value: &str, modes: &str) -> String {
    format!("Invalid value `{value}` for configuration {name}. The value must either be {modes}.")
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
            if *name == STRATEGY {
                continue;
            }
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
