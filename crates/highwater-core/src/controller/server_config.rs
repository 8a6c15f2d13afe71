//! What the lines of `server.properties` mean (Kafka's `KafkaConfig`): which of them the simulator obeys,
//! what they may say, and what counts where a line is missing.
//!
//! What all brokers have the controller has too; a broker may have lines of its own. Those about topics are defaults of
//! `LogConfig` (`broker::metadata`), those about tasks that run by themselves are read where the task is
//! (`broker::storage`). Those about groups are checked here and kept as they stand:
//! `Broker::setting` answers what one of them is, for whoever coordinates groups.

use std::rc::Rc;

use crate::controller::broker_config::{self, default_of};
use crate::controller::topic_config::{self, INT_MAX, Kind, check};
use crate::ids::{BrokerId, Rack};
use crate::net::log_dirs::path_of;
use crate::number;
use crate::time::SimDuration;
use crate::world::options::{ClusterOptions, OwnSetting};

/// A time in milliseconds that is no time at all would let a task run again and again at one moment.
const MILLIS: Kind = Kind::Int(1, INT_MAX);

/// Lines that are obeyed, beside those that may be changed while brokers run.
const OBEYED: &[(&str, Kind)] = &[
    ("auto.create.topics.enable", Kind::Boolean),
    ("auto.leader.rebalance.enable", Kind::Boolean),
    ("broker.heartbeat.interval.ms", MILLIS),
    ("broker.rack", Kind::Text),
    ("broker.session.timeout.ms", MILLIS),
    ("controller.socket.timeout.ms", MILLIS),
    ("default.replication.factor", Kind::Int(-1, 32_767)),
    ("delete.topic.enable", Kind::Boolean),
    ("leader.imbalance.check.interval.seconds", Kind::Long(1)),
    ("log.initial.task.delay.ms", Kind::Long(0)),
    ("log.retention.check.interval.ms", Kind::Long(1)),
    ("log.retention.hours", Kind::Int(-INT_MAX - 1, INT_MAX)),
    ("log.retention.minutes", Kind::Int(-INT_MAX - 1, INT_MAX)),
    ("log.roll.hours", Kind::Int(1, INT_MAX)),
    ("num.partitions", Kind::Int(1, INT_MAX)),
    ("producer.id.expiration.check.interval.ms", MILLIS),
    ("replica.fetch.backoff.ms", MILLIS),
    ("replica.fetch.max.bytes", Kind::Int(0, INT_MAX)),
    ("replica.fetch.response.max.bytes", Kind::Int(0, INT_MAX)),
    ("replica.fetch.wait.max.ms", MILLIS),
    ("replica.high.watermark.checkpoint.interval.ms", Kind::Long(1)),
    ("replica.lag.time.max.ms", Kind::Long(1)),
    ("replica.socket.timeout.ms", MILLIS),
    // Kafka 4 has it no more: it says nothing of lines that it does not know.
    ("leader.imbalance.per.broker.percentage", Kind::Text),
];

/// Lines about groups and their offsets, which `Broker::setting` hands out.
const OF_GROUPS: &[(&str, Kind)] = &[
    ("group.consumer.assignors", Kind::Text),
    ("group.consumer.heartbeat.interval.ms", MILLIS),
    ("group.consumer.max.assignment.interval.ms", Kind::Int(0, INT_MAX)),
    ("group.consumer.max.heartbeat.interval.ms", MILLIS),
    ("group.consumer.max.session.timeout.ms", MILLIS),
    ("group.consumer.max.size", Kind::Int(1, INT_MAX)),
    ("group.consumer.migration.policy", Kind::Text),
    ("group.consumer.min.assignment.interval.ms", Kind::Int(0, INT_MAX)),
    ("group.consumer.min.heartbeat.interval.ms", MILLIS),
    ("group.consumer.min.session.timeout.ms", MILLIS),
    ("group.consumer.session.timeout.ms", MILLIS),
    ("group.coordinator.rebalance.protocols", Kind::Text),
    ("group.initial.rebalance.delay.ms", Kind::Int(0, INT_MAX)),
    ("group.max.session.timeout.ms", MILLIS),
    ("group.max.size", Kind::Int(1, INT_MAX)),
    ("group.min.session.timeout.ms", MILLIS),
    ("offset.metadata.max.bytes", Kind::Int(0, INT_MAX)),
    ("offsets.commit.timeout.ms", MILLIS),
    ("offsets.retention.check.interval.ms", Kind::Long(1)),
    ("offsets.retention.minutes", Kind::Int(1, INT_MAX)),
    ("offsets.topic.num.partitions", Kind::Int(1, INT_MAX)),
    ("offsets.topic.replication.factor", Kind::Int(1, 32_767)),
    ("offsets.topic.segment.bytes", Kind::Int(1, INT_MAX)),
];

/// Lines that may also be changed while brokers run, and that the simulator obeys.
const CHANGEABLE: &[&str] = &[
    "cordoned.log.dirs",
    "group.consumer.assignment.interval.ms",
    "log.cleaner.backoff.ms",
    "log.segment.delete.delay.ms",
    "producer.id.expiration.ms",
];

/// What the lines say that brokers and the controller look at again and again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerConfig {
    /// `num.partitions`: of a topic that does not say.
    pub num_partitions: i32,
    /// `default.replication.factor`: of a topic that does not say.
    pub default_replication_factor: i32,
    /// `min.insync.replicas`, as it stands: what a new cluster begins with.
    pub min_insync_replicas: String,
    /// `auto.create.topics.enable`
    pub auto_create_topics_enable: bool,
    /// `delete.topic.enable`
    pub delete_topic_enable: bool,
    /// `unclean.leader.election.enable`
    pub unclean_leader_election_enable: bool,
    /// `broker.session.timeout.ms`
    pub broker_session_timeout: SimDuration,
    /// `broker.heartbeat.interval.ms`
    pub broker_heartbeat_interval: SimDuration,
    /// `leader.imbalance.check.interval.seconds`; `None`: `auto.leader.rebalance.enable` is false.
    pub leader_imbalance_check_interval: Option<SimDuration>,
    /// `replica.lag.time.max.ms`
    pub replica_lag_time_max: SimDuration,
    /// `replica.fetch.wait.max.ms`
    pub replica_fetch_wait_max: SimDuration,
    /// `replica.fetch.backoff.ms`
    pub replica_fetch_backoff: SimDuration,
    /// `replica.fetch.max.bytes`: of one partition in one answer.
    pub replica_fetch_max_bytes: u64,
    /// `replica.fetch.response.max.bytes`: of all partitions in one answer.
    pub replica_fetch_response_max_bytes: u64,
    /// `replica.socket.timeout.ms`
    pub replica_socket_timeout: SimDuration,
    /// `replica.high.watermark.checkpoint.interval.ms`
    pub high_watermark_checkpoint_interval: SimDuration,
    /// `controller.socket.timeout.ms`
    pub controller_socket_timeout: SimDuration,
    /// `cordoned.log.dirs`, as it stands.
    pub cordoned_log_dirs: String,
    /// `broker.rack`
    pub rack: Rack,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self::of(&[])
    }
}

impl ServerConfig {
    /// What the lines of a file say. A value that cannot be read leaves Kafka's default, but
    /// `check_lines` refuses those before.
    #[must_use]
    pub fn of(lines: &[(String, String)]) -> Self {
        let text = |key: &str| property(lines, key).unwrap_or_default();
        let number = |key: &str| {
            let value = number::signed(text(key)).or_else(|| number::signed(default_of(key)?));
            u64::try_from(value.unwrap_or(0)).unwrap_or(0)
        };
        let millis = |key: &str| SimDuration::from_millis(number(key));
        let is_true = |key: &str| text(key).eq_ignore_ascii_case("true");
        let balance_ms = number("leader.imbalance.check.interval.seconds").saturating_mul(1_000);
        let balances = is_true("auto.leader.rebalance.enable");
        Self {
            num_partitions: number::int(text("num.partitions")).unwrap_or(1),
            default_replication_factor: number::int(text("default.replication.factor"))
                .unwrap_or(1),
            min_insync_replicas: text("min.insync.replicas").to_owned(),
            auto_create_topics_enable: is_true("auto.create.topics.enable"),
            delete_topic_enable: is_true("delete.topic.enable"),
            unclean_leader_election_enable: is_true("unclean.leader.election.enable"),
            broker_session_timeout: millis("broker.session.timeout.ms"),
            broker_heartbeat_interval: millis("broker.heartbeat.interval.ms"),
            leader_imbalance_check_interval: balances
                .then_some(SimDuration::from_millis(balance_ms)),
            replica_lag_time_max: millis("replica.lag.time.max.ms"),
            replica_fetch_wait_max: millis("replica.fetch.wait.max.ms"),
            replica_fetch_backoff: millis("replica.fetch.backoff.ms"),
            replica_fetch_max_bytes: number("replica.fetch.max.bytes"),
            replica_fetch_response_max_bytes: number("replica.fetch.response.max.bytes"),
            replica_socket_timeout: millis("replica.socket.timeout.ms"),
            high_watermark_checkpoint_interval: millis(
                "replica.high.watermark.checkpoint.interval.ms",
            ),
            controller_socket_timeout: millis("controller.socket.timeout.ms"),
            cordoned_log_dirs: text("cordoned.log.dirs").to_owned(),
            rack: line(lines, "broker.rack")
                .map_or_else(Rack::default, |rack| Rack::new(Rc::from(rack.trim()))),
        }
    }
}

impl ServerConfig {
    /// Whether the file says that a broker takes no new replicas.
    #[must_use]
    pub fn is_cordoned(&self, broker: BrokerId) -> bool {
        cordons_all(&self.cordoned_log_dirs, broker)
    }
}

/// Whether a value of `cordoned.log.dirs` cordons all folders of a broker. It has one.
#[must_use]
pub fn cordons_all(value: &str, broker: BrokerId) -> bool {
    let path = path_of(broker);
    value.split(',').any(|dir| dir.trim() == "*" || dir.trim() == path)
}

/// Whether a broker can have that value of `cordoned.log.dirs` (`KafkaConfig.validateCordonedLogDirs`).
///
/// # Errors
/// Kafka's text.
pub fn check_cordoned(value: &str, broker: BrokerId) -> Result<(), String> {
    let dirs: Vec<&str> = value.split(',').map(str::trim).filter(|dir| !dir.is_empty()).collect();
    if (1..dirs.len()).any(|place| dirs[..place].contains(&dirs[place])) {
        return Err("Configuration 'cordoned.log.dirs' values must not be duplicated.".to_owned());
    }
    if dirs.contains(&"*") {
        let text = "requirement failed: When cordoned.log.dirs is set to *, it must not contain other \
                    values";
        return if dirs.len() == 1 { Ok(()) } else { Err(text.to_owned()) };
    }
    let path = path_of(broker);
    let missing: Vec<&str> = dirs.into_iter().filter(|dir| *dir != path).collect();
    if missing.is_empty() {
        return Ok(());
    }
    Err(format!(
        "requirement failed: All entries in cordoned.log.dirs must be present in log.dirs or log.dir. \
         Missing entries : {}",
        number::join(&missing, ",")
    ))
}

/// What the lines say of a key. Of two lines the last one counts.
#[must_use]
pub fn line<'a>(lines: &'a [(String, String)], key: &str) -> Option<&'a str> {
    lines.iter().rfind(|(known, _)| known == key).map(|(_, value)| value.as_str())
}

/// The same, or Kafka's default.
#[must_use]
pub fn property<'a>(lines: &'a [(String, String)], key: &str) -> Option<&'a str> {
    line(lines, key).map_or_else(|| default_of(key), |value| Some(value.trim()))
}

/// Whether the simulator can obey all lines, and Kafka would start with them
/// (`ConfigDef`, `KafkaConfig.validateValues`).
///
/// # Errors
/// What is wrong, in Kafka's words, or that a line is not modelled.
pub fn check_lines(options: &ClusterOptions) -> Result<(), String> {
    for (key, value) in options.broker_settings.iter() {
        check_line(key, value)?;
    }
    let mut seen: Vec<&OwnSetting> = Vec::new();
    for own in options.own_settings() {
        let OwnSetting { broker, key, value } = own;
        if !options.listeners().any(|(id, _)| id == *broker) {
            let last = options.brokers;
            return Err(format!(
                "there is no broker {broker} for its `{key}`: they are 1 to {last}"
            ));
        }
        if seen.iter().any(|other| other.broker == *broker && other.key == *key && *other != own) {
            return Err(format!("broker {broker} has two values for `{key}`; take one out"));
        }
        check_line(key, value).map_err(|why| format!("broker {broker}: {why}"))?;
        seen.push(own);
    }
    for (broker, _) in options.listeners() {
        let config = ServerConfig::of(&options.settings_of(broker));
        let has_own = seen.iter().any(|own| own.broker == broker);
        let named = |why| if has_own { format!("broker {broker}: {why}") } else { why };
        check_cordoned(&config.cordoned_log_dirs, broker).map_err(named)?;
        check_together(&config).map_err(named)?;
    }
    check_together(&ServerConfig::of(&options.broker_settings))
}

fn check_line(key: &str, value: &str) -> Result<(), String> {
    let Some(kind) = kind_of(key) else {
        return Err(format!("the broker setting `{key}` is not modelled; take the line out"));
    };
    check(kind, key, value).map_err(|error| error.message)?;
    match number::signed(value.trim()) {
        Some(number) => broker_config::check_least(key, number).map_err(|error| error.message),
        None => Ok(()),
    }
}

/// Whether the lines of one file fit together (`KafkaConfig.validateValues`).
fn check_together(config: &ServerConfig) -> Result<(), String> {
    let (wait, lag) = (config.replica_fetch_wait_max, config.replica_lag_time_max);
    let text = if config.replica_socket_timeout < wait {
        "replica.socket.timeout.ms should always be at least replica.fetch.wait.max.ms to prevent \
         unnecessary socket timeouts"
    } else if wait > lag {
        "replica.fetch.wait.max.ms should always be less than or equal to replica.lag.time.max.ms to \
         prevent frequent changes in ISR"
    } else {
        return Ok(());
    };
    Err(format!("requirement failed: {text}"))
}

/// What a line must look like; `None`: it is not obeyed.
fn kind_of(key: &str) -> Option<&'static Kind> {
    let mut obeyed = OBEYED.iter().chain(OF_GROUPS);
    if let Some((_, kind)) = obeyed.find(|(known, _)| *known == key) {
        return Some(kind);
    }
    let is_obeyed = CHANGEABLE.contains(&key) || topic_config::is_broker_synonym(key);
    broker_config::kind_of(key).filter(|_| is_obeyed)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn options(lines: &[(&str, &str)]) -> ClusterOptions {
        let lines = lines.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
        let broker_settings = Rc::new(lines.collect());
        ClusterOptions { broker_settings, ..ClusterOptions::default() }
    }

    /// Every line that is obeyed is one that Kafka has, or had.
    #[test]
    fn lines_are_kafkas() {
        for (key, kind) in OBEYED.iter().chain(OF_GROUPS) {
            let is_gone = *key == "leader.imbalance.per.broker.percentage";
            assert!(broker_config::is_known(key) || is_gone, "{key}");
            if let Some(default) = default_of(key) {
                assert!(check(kind, key, default).is_ok(), "{key}={default}");
            }
        }
        for key in CHANGEABLE {
            assert!(kind_of(key).is_some(), "{key}");
        }
    }

    /// Without lines Kafka's defaults count; of two lines the last one does.
    #[test]
    fn what_counts() {
        let stock = ServerConfig::default();
        assert_eq!((stock.num_partitions, stock.default_replication_factor), (1, 1));
        assert_eq!(stock.broker_session_timeout, SimDuration::from_millis(9_000));
        assert_eq!(stock.broker_heartbeat_interval, SimDuration::from_millis(2_000));
        assert_eq!(stock.replica_lag_time_max, SimDuration::from_millis(30_000));
        let five_minutes = Some(SimDuration::from_millis(300_000));
        assert_eq!(stock.leader_imbalance_check_interval, five_minutes);
        assert_eq!(stock.replica_fetch_response_max_bytes, 10_485_760);
        assert!(stock.auto_create_topics_enable && stock.delete_topic_enable);
        assert!(!stock.unclean_leader_election_enable);
        let set = options(&[
            ("num.partitions", "2"),
            ("num.partitions", " 3 "),
            ("auto.leader.rebalance.enable", "FALSE"),
            ("delete.topic.enable", "false"),
            ("replica.lag.time.max.ms", "9223372036854775807"),
        ]);
        let set = ServerConfig::of(&set.broker_settings);
        assert_eq!(set.num_partitions, 3);
        assert_eq!(set.leader_imbalance_check_interval, None);
        assert!(!set.delete_topic_enable);
        assert_eq!(set.replica_lag_time_max, SimDuration(u64::MAX));
    }

    /// One broker's own lines count before those of all, and are checked with them.
    #[test]
    fn own_lines() {
        let own = |lines: &[(i32, &str, &str)]| {
            let own = lines.iter().map(|(id, key, value)| OwnSetting {
                broker: BrokerId(*id),
                key: (*key).to_owned(),
                value: (*value).to_owned(),
            });
            options(&[("num.partitions", "2"), ("replica.lag.time.max.ms", "600")])
                .with_own_settings(own.collect())
        };
        let good =
            own(&[(2, "num.partitions", "3"), (2, "broker.rack", " a "), (3, "broker.rack", "")]);
        assert_eq!(check_lines(&good), Ok(()));
        let of = |id| ServerConfig::of(&good.settings_of(BrokerId(id)));
        let rack = |id| of(id).rack.get().map(ToString::to_string);
        assert_eq!([1, 2, 3].map(|id| of(id).num_partitions), [2, 3, 2]);
        assert_eq!([1, 2, 3].map(rack), [None, Some("a".to_owned()), Some(String::new())]);
        assert!(Rc::ptr_eq(&good.settings_of(BrokerId(1)), &good.broker_settings));
        for (lines, text) in [
            (
                &[(4, "num.partitions", "1")][..],
                "there is no broker 4 for its `num.partitions`: they are 1 to 3",
            ),
            (
                &[
                    (2, "num.partitions", "1"),
                    (1, "num.partitions", "3"),
                    (2, "num.partitions", "3"),
                ],
                "broker 2 has two values for `num.partitions`; take one out",
            ),
            (
                &[(1, "num.io.threads", "8")],
                "broker 1: the broker setting `num.io.threads` is not modelled; take the line out",
            ),
            (
                &[(3, "num.partitions", "0")],
                "broker 3: Invalid value 0 for configuration num.partitions: Value must be at least 1",
            ),
            (
                &[(2, "replica.fetch.wait.max.ms", "601")],
                "broker 2: requirement failed: replica.fetch.wait.max.ms should always be less than or \
                 equal to replica.lag.time.max.ms to prevent frequent changes in ISR",
            ),
            (
                &[(2, "cordoned.log.dirs", "/tmp/kafka-logs-1")],
                "broker 2: requirement failed: All entries in cordoned.log.dirs must be present in \
                 log.dirs or log.dir. Missing entries : /tmp/kafka-logs-1",
            ),
        ] {
            assert_eq!(check_lines(&own(lines)), Err(text.to_owned()), "{lines:?}");
        }
        // Each broker may name its own folder.
        assert_eq!(check_lines(&own(&[(2, "cordoned.log.dirs", "/tmp/kafka-logs-2")])), Ok(()));
    }

    /// Lines with which Kafka would not start, or that nobody here obeys.
    #[test]
    fn wrong_lines() {
        for (lines, text) in [
            (
                &[("num.partitions", "0")][..],
                "Invalid value 0 for configuration num.partitions: Value must be at least 1",
            ),
            (
                &[("delete.topic.enable", "no")],
                "Invalid value no for configuration delete.topic.enable: Expected value to be \
                 either true or false",
            ),
            (
                &[("log.retention.hours", "7d")],
                "Invalid value 7d for configuration log.retention.hours: Not a number of type INT",
            ),
            (
                &[("log.retention.ms", "0")],
                "requirement failed: log.retention.ms must be unlimited (-1) or, equal or greater \
                 than 1",
            ),
            (
                &[("replica.lag.time.max.ms", "400")],
                "requirement failed: replica.fetch.wait.max.ms should always be less than or equal \
                 to replica.lag.time.max.ms to prevent frequent changes in ISR",
            ),
            (
                &[("replica.socket.timeout.ms", "499")],
                "requirement failed: replica.socket.timeout.ms should always be at least \
                 replica.fetch.wait.max.ms to prevent unnecessary socket timeouts",
            ),
            (
                &[("num.io.threads", "8")],
                "the broker setting `num.io.threads` is not modelled; take the line out",
            ),
            (
                &[("group.share.max.size", "8")],
                "the broker setting `group.share.max.size` is not modelled; take the line out",
            ),
        ] {
            let refused = check_lines(&options(lines));
            assert_eq!(refused, Err(text.to_owned()), "{lines:?}");
        }
        assert_eq!(check_lines(&options(&[("broker.rack", "a b")])), Ok(()));
        assert_eq!(check_lines(&options(&[("broker.session.timeout.ms", "3000")])), Ok(()));
        assert_eq!(check_lines(&options(&[("offsets.retention.minutes", "1")])), Ok(()));
    }
}
