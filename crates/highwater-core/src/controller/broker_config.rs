//! The settings of brokers: which there are, their defaults, which may be changed while a broker runs,
//! and to what (Kafka's `AbstractKafkaConfig`, `DynamicBrokerConfig`).
//!
//! Left out are security and the plug-ins of tiered storage. Which of them the simulator obeys is in
//! docs/FIDELITY.md.

use crate::controller::topic_config::{CODECS, INT_MAX, Kind, POLICIES, TIMESTAMPS, check};
use crate::error::{ErrorCode, KafkaError};
use crate::java::hash_map::{Made, iteration_order, string_hash};
use crate::number;

/// What a key has that has no value.
pub const NO_VALUE: &str = "null";

/// Keys that may be changed while brokers run, with their defaults, by name.
const CHANGEABLE: &[(&str, Kind, &str)] = &[
    ("background.threads", Kind::Int(1, INT_MAX), "10"),
    ("compression.gzip.level", Kind::GzipLevel, "-1"),
    ("compression.lz4.level", Kind::Int(1, 17), "9"),
    ("compression.type", Kind::OneOf(CODECS), "producer"),
    ("compression.zstd.level", Kind::Int(-131_072, 22), "3"),
    ("config.providers", Kind::Text, ""),
    ("cordoned.log.dirs", Kind::Text, ""),
    ("errors.deadletterqueue.auto.create.topics.enable", Kind::Boolean, "false"),
    ("errors.deadletterqueue.topic.name.prefix", Kind::Text, "dlq."),
    ("follower.fetch.last.tiered.offset.enable", Kind::Boolean, "false"),
    ("group.consumer.assignment.interval.ms", Kind::Int(0, INT_MAX), "1000"),
    ("group.consumer.assignor.offload.enable", Kind::Boolean, "true"),
    ("group.coordinator.cached.buffer.max.bytes", Kind::Int(524_288, INT_MAX), "1048588"),
    ("group.share.assignment.interval.ms", Kind::Int(0, INT_MAX), "1000"),
    ("group.share.assignor.offload.enable", Kind::Boolean, "true"),
    ("group.streams.assignment.interval.ms", Kind::Int(0, INT_MAX), "1000"),
    ("group.streams.assignor.offload.enable", Kind::Boolean, "true"),
    (
        "listener.security.protocol.map",
        Kind::Text,
        "SASL_SSL:SASL_SSL,PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_PLAINTEXT:SASL_PLAINTEXT",
    ),
    ("listeners", Kind::Text, "PLAINTEXT://:9092"),
    ("log.cleaner.backoff.ms", Kind::Long(0), "15000"),
    ("log.cleaner.dedupe.buffer.size", Kind::Long(i64::MIN), "134217728"),
    ("log.cleaner.delete.retention.ms", Kind::Long(0), "86400000"),
    ("log.cleaner.io.buffer.load.factor", Kind::Double, "0.9"),
    ("log.cleaner.io.buffer.size", Kind::Int(0, INT_MAX), "524288"),
    ("log.cleaner.io.max.bytes.per.second", Kind::Double, "1.7976931348623157E308"),
    ("log.cleaner.max.compaction.lag.ms", Kind::Long(1), "9223372036854775807"),
    ("log.cleaner.min.cleanable.ratio", Kind::Ratio, "0.5"),
    ("log.cleaner.min.compaction.lag.ms", Kind::Long(0), "0"),
    ("log.cleaner.threads", Kind::Int(0, INT_MAX), "1"),
    ("log.cleanup.policy", Kind::ListOf(POLICIES), "delete"),
    ("log.flush.interval.messages", Kind::Long(1), "9223372036854775807"),
    ("log.flush.interval.ms", Kind::Long(i64::MIN), "null"),
    ("log.index.interval.bytes", Kind::Int(0, INT_MAX), "4096"),
    ("log.index.size.max.bytes", Kind::Int(4, INT_MAX), "10485760"),
    ("log.local.retention.bytes", Kind::Long(-2), "-2"),
    ("log.local.retention.ms", Kind::Long(-2), "-2"),
    ("log.message.timestamp.after.max.ms", Kind::Long(0), "3600000"),
    ("log.message.timestamp.before.max.ms", Kind::Long(0), "9223372036854775807"),
    ("log.message.timestamp.type", Kind::OneOf(TIMESTAMPS), "CreateTime"),
    ("log.preallocate", Kind::Boolean, "false"),
    ("log.remote.copy.lag.bytes", Kind::Long(-1), "-1"),
    ("log.remote.copy.lag.ms", Kind::Long(-1), "0"),
    ("log.retention.bytes", Kind::Long(i64::MIN), "-1"),
    ("log.retention.ms", Kind::Long(i64::MIN), "null"),
    ("log.roll.jitter.ms", Kind::Long(i64::MIN), "null"),
    ("log.roll.ms", Kind::Long(i64::MIN), "null"),
    ("log.segment.bytes", Kind::Int(1_048_576, INT_MAX), "1073741824"),
    ("log.segment.delete.delay.ms", Kind::Long(0), "60000"),
    ("max.connection.creation.rate", Kind::Int(0, INT_MAX), "2147483647"),
    ("max.connections", Kind::Int(0, INT_MAX), "2147483647"),
    ("max.connections.per.ip", Kind::Int(0, INT_MAX), "2147483647"),
    ("max.connections.per.ip.overrides", Kind::Text, ""),
    ("max.decompressed.message.bytes", Kind::Int(1, 2_147_483_639), "2147483639"),
    ("message.max.bytes", Kind::Int(0, INT_MAX), "1048588"),
    ("metric.reporters", Kind::Text, "org.apache.kafka.common.metrics.JmxReporter"),
    ("min.insync.replicas", Kind::Int(1, INT_MAX), "1"),
    ("num.io.threads", Kind::Int(1, INT_MAX), "8"),
    ("num.network.threads", Kind::Int(1, INT_MAX), "3"),
    ("num.recovery.threads.per.data.dir", Kind::Int(1, INT_MAX), "2"),
    ("num.replica.fetchers", Kind::Int(1, INT_MAX), "1"),
    ("producer.id.expiration.ms", Kind::Int(1, INT_MAX), "86400000"),
    ("remote.fetch.max.wait.ms", Kind::Int(1, INT_MAX), "500"),
    ("remote.list.offsets.request.timeout.ms", Kind::Long(1), "30000"),
    ("remote.log.index.file.cache.total.size.bytes", Kind::Long(1), "1073741824"),
    ("remote.log.manager.copier.thread.pool.size", Kind::Int(1, INT_MAX), "10"),
    ("remote.log.manager.copy.max.bytes.per.second", Kind::Long(1), "9223372036854775807"),
    ("remote.log.manager.expiration.thread.pool.size", Kind::Int(1, INT_MAX), "10"),
    ("remote.log.manager.fetch.max.bytes.per.second", Kind::Long(1), "9223372036854775807"),
    ("remote.log.manager.follower.thread.pool.size", Kind::Int(1, INT_MAX), "2"),
    ("remote.log.reader.threads", Kind::Int(1, INT_MAX), "10"),
    ("share.coordinator.cached.buffer.max.bytes", Kind::Int(524_288, INT_MAX), "1048588"),
    ("transaction.partition.verification.enable", Kind::Boolean, "true"),
    ("unclean.leader.election.enable", Kind::Boolean, "false"),
];

/// Of them those that only one broker can have, not all together.
const OF_ONE_BROKER: &[&str] =
    &["cordoned.log.dirs", "listener.security.protocol.map", "listeners"];

/// Of them those that no description shows.
const HIDDEN: &[&str] = &[
    "group.consumer.assignor.offload.enable",
    "group.share.assignor.offload.enable",
    "group.streams.assignor.offload.enable",
];

/// Keys that exist only while they are set: how fast replicas may be copied (`QuotaConfig`).
const THROTTLES: &[(&str, Kind)] = &[
    ("leader.replication.throttled.rate", Kind::Long(0)),
    ("follower.replication.throttled.rate", Kind::Long(0)),
    ("replica.alter.log.dirs.io.max.bytes.per.second", Kind::Long(0)),
];

/// Keys that only the file of a broker sets, with their defaults, by name.
const FIXED: &str = "\
    add.partitions.to.txn.retry.backoff.max.ms=100\n\
    add.partitions.to.txn.retry.backoff.ms=20\n\
    advertised.listeners=null\n\
    alter.config.policy.class.name=null\n\
    alter.log.dirs.replication.quota.window.num=11\n\
    alter.log.dirs.replication.quota.window.size.seconds=1\n\
    authorizer.class.name=\n\
    auto.create.topics.enable=true\n\
    auto.leader.rebalance.enable=true\n\
    broker.heartbeat.interval.ms=2000\n\
    broker.id=-1\n\
    broker.rack=null\n\
    broker.session.timeout.ms=9000\n\
    client.quota.callback.class=null\n\
    connection.failed.authentication.delay.ms=100\n\
    connections.max.idle.ms=600000\n\
    connections.max.reauth.ms=0\n\
    controlled.shutdown.enable=true\n\
    controller.listener.names=null\n\
    controller.quorum.append.linger.ms=25\n\
    controller.quorum.auto.join.enable=false\n\
    controller.quorum.bootstrap.servers=\n\
    controller.quorum.election.backoff.max.ms=1000\n\
    controller.quorum.election.timeout.ms=1000\n\
    controller.quorum.fetch.max.bytes=1048576\n\
    controller.quorum.fetch.snapshot.max.bytes=1048576\n\
    controller.quorum.fetch.timeout.ms=2000\n\
    controller.quorum.request.timeout.ms=2000\n\
    controller.quorum.retry.backoff.ms=20\n\
    controller.quorum.voters=\n\
    controller.quota.window.num=11\n\
    controller.quota.window.size.seconds=1\n\
    controller.socket.timeout.ms=30000\n\
    create.topic.policy.class.name=null\n\
    default.replication.factor=1\n\
    delete.records.purgatory.purge.interval.requests=1\n\
    delete.topic.enable=true\n\
    early.start.listeners=null\n\
    fetch.max.bytes=57671680\n\
    fetch.purgatory.purge.interval.requests=1000\n\
    group.consumer.assignors=uniform,range\n\
    group.consumer.heartbeat.interval.ms=5000\n\
    group.consumer.max.assignment.interval.ms=15000\n\
    group.consumer.max.heartbeat.interval.ms=15000\n\
    group.consumer.max.session.timeout.ms=60000\n\
    group.consumer.max.size=2147483647\n\
    group.consumer.migration.policy=bidirectional\n\
    group.consumer.min.assignment.interval.ms=0\n\
    group.consumer.min.heartbeat.interval.ms=5000\n\
    group.consumer.min.session.timeout.ms=45000\n\
    group.consumer.session.timeout.ms=45000\n\
    group.coordinator.append.linger.ms=-1\n\
    group.coordinator.background.threads=2\n\
    group.coordinator.rebalance.protocols=classic,consumer,streams\n\
    group.coordinator.threads=4\n\
    group.initial.rebalance.delay.ms=3000\n\
    group.max.session.timeout.ms=1800000\n\
    group.max.size=2147483647\n\
    group.min.session.timeout.ms=6000\n\
    group.share.assignors=simple\n\
    group.share.delivery.count.limit=5\n\
    group.share.heartbeat.interval.ms=5000\n\
    group.share.max.assignment.interval.ms=15000\n\
    group.share.max.delivery.count.limit=10\n\
    group.share.max.heartbeat.interval.ms=15000\n\
    group.share.max.partition.max.record.locks=4000\n\
    group.share.max.record.lock.duration.ms=60000\n\
    group.share.max.session.timeout.ms=60000\n\
    group.share.max.share.sessions=2000\n\
    group.share.max.size=200\n\
    group.share.min.assignment.interval.ms=0\n\
    group.share.min.delivery.count.limit=2\n\
    group.share.min.heartbeat.interval.ms=5000\n\
    group.share.min.partition.max.record.locks=100\n\
    group.share.min.record.lock.duration.ms=15000\n\
    group.share.min.session.timeout.ms=45000\n\
    group.share.partition.max.record.locks=2000\n\
    group.share.record.lock.duration.ms=30000\n\
    group.share.session.timeout.ms=45000\n\
    group.streams.assignors=sticky\n\
    group.streams.heartbeat.interval.ms=5000\n\
    group.streams.initial.rebalance.delay.ms=3000\n\
    group.streams.max.assignment.interval.ms=15000\n\
    group.streams.max.heartbeat.interval.ms=15000\n\
    group.streams.max.session.timeout.ms=60000\n\
    group.streams.max.size=2147483647\n\
    group.streams.max.standby.replicas=2\n\
    group.streams.min.assignment.interval.ms=0\n\
    group.streams.min.heartbeat.interval.ms=5000\n\
    group.streams.min.session.timeout.ms=45000\n\
    group.streams.num.standby.replicas=0\n\
    group.streams.rack.aware.assignment.tags=\n\
    group.streams.session.timeout.ms=45000\n\
    group.streams.topology.description.plugin.class=null\n\
    initial.broker.registration.timeout.ms=60000\n\
    inter.broker.listener.name=null\n\
    kafka.metrics.polling.interval.secs=10\n\
    kafka.metrics.reporters=\n\
    leader.imbalance.check.interval.seconds=300\n\
    log.cleaner.enable=true\n\
    log.dir=/tmp/kafka-logs\n\
    log.dir.failure.timeout.ms=30000\n\
    log.dirs=null\n\
    log.flush.offset.checkpoint.interval.ms=60000\n\
    log.flush.scheduler.interval.ms=9223372036854775807\n\
    log.flush.start.offset.checkpoint.interval.ms=60000\n\
    log.retention.check.interval.ms=300000\n\
    log.retention.hours=168\n\
    log.retention.minutes=null\n\
    log.roll.hours=168\n\
    log.roll.jitter.hours=0\n\
    max.incremental.fetch.session.cache.slots=1000\n\
    max.request.partition.size.limit=2000\n\
    metadata.log.dir=null\n\
    metadata.log.max.record.bytes.between.snapshots=20971520\n\
    metadata.log.max.snapshot.interval.ms=3600000\n\
    metadata.log.segment.bytes=1073741824\n\
    metadata.log.segment.ms=604800000\n\
    metadata.max.idle.interval.ms=500\n\
    metadata.max.retention.bytes=104857600\n\
    metadata.max.retention.ms=604800000\n\
    metrics.num.samples=2\n\
    metrics.recording.level=INFO\n\
    metrics.sample.window.ms=30000\n\
    node.id=null\n\
    num.partitions=1\n\
    num.replica.alter.log.dirs.threads=null\n\
    offset.metadata.max.bytes=4096\n\
    offsets.commit.timeout.ms=5000\n\
    offsets.load.buffer.size=5242880\n\
    offsets.retention.check.interval.ms=600000\n\
    offsets.retention.minutes=10080\n\
    offsets.topic.compression.codec=0\n\
    offsets.topic.num.partitions=50\n\
    offsets.topic.replication.factor=3\n\
    offsets.topic.segment.bytes=104857600\n\
    process.roles=null\n\
    producer.purgatory.purge.interval.requests=1000\n\
    queued.max.request.bytes=-1\n\
    queued.max.requests=500\n\
    quota.window.num=11\n\
    quota.window.size.seconds=1\n\
    remote.log.manager.copy.quota.window.num=11\n\
    remote.log.manager.copy.quota.window.size.seconds=1\n\
    remote.log.manager.fetch.quota.window.num=11\n\
    remote.log.manager.fetch.quota.window.size.seconds=1\n\
    remote.log.manager.task.interval.ms=30000\n\
    remote.log.manager.thread.pool.size=2\n\
    remote.log.reader.max.pending.tasks=100\n\
    replica.fetch.backoff.ms=1000\n\
    replica.fetch.max.bytes=1048576\n\
    replica.fetch.min.bytes=1\n\
    replica.fetch.response.max.bytes=10485760\n\
    replica.fetch.wait.max.ms=500\n\
    replica.high.watermark.checkpoint.interval.ms=5000\n\
    replica.lag.time.max.ms=30000\n\
    replica.selector.class=null\n\
    replica.socket.receive.buffer.bytes=65536\n\
    replica.socket.timeout.ms=30000\n\
    replication.quota.window.num=11\n\
    replication.quota.window.size.seconds=1\n\
    request.timeout.ms=30000\n\
    share.coordinator.append.linger.ms=-1\n\
    share.coordinator.load.buffer.size=5242880\n\
    share.coordinator.snapshot.update.records.per.snapshot=500\n\
    share.coordinator.state.topic.compression.codec=0\n\
    share.coordinator.state.topic.min.isr=2\n\
    share.coordinator.state.topic.num.partitions=50\n\
    share.coordinator.state.topic.replication.factor=3\n\
    share.coordinator.state.topic.segment.bytes=104857600\n\
    share.coordinator.threads=1\n\
    share.coordinator.write.timeout.ms=5000\n\
    share.fetch.purgatory.purge.interval.requests=1000\n\
    socket.connection.setup.timeout.max.ms=30000\n\
    socket.connection.setup.timeout.ms=10000\n\
    socket.listen.backlog.size=50\n\
    socket.receive.buffer.bytes=102400\n\
    socket.request.max.bytes=104857600\n\
    socket.send.buffer.bytes=102400\n\
    telemetry.max.bytes=1048576\n\
    transaction.abort.timed.out.transaction.cleanup.interval.ms=10000\n\
    transaction.max.timeout.ms=900000\n\
    transaction.remove.expired.transaction.cleanup.interval.ms=3600000\n\
    transaction.state.log.load.buffer.size=5242880\n\
    transaction.state.log.min.isr=2\n\
    transaction.state.log.num.partitions=50\n\
    transaction.state.log.replication.factor=3\n\
    transaction.state.log.segment.bytes=104857600\n\
    transaction.two.phase.commit.enable=false\n\
    transactional.id.expiration.ms=604800000";

/// Keys that are described only where a file sets them, with their defaults (`ConfigDef.defineInternal`).
const INTERNAL: &[(&str, &str)] = &[
    ("log.initial.task.delay.ms", "30000"),
    ("producer.id.expiration.check.interval.ms", "600000"),
];

/// The default of a key; `None`: it has none, or there is no such key.
#[must_use]
pub fn default_of(key: &str) -> Option<&'static str> {
    let changeable = CHANGEABLE.iter().find(|(name, ..)| *name == key);
    let default = match changeable {
        Some((_, _, default)) => *default,
        None => fixed().find(|(name, _)| *name == key)?.1,
    };
    Some(default).filter(|default| *default != NO_VALUE)
}

fn fixed() -> impl Iterator<Item = (&'static str, &'static str)> {
    described().chain(INTERNAL.iter().copied())
}

fn described() -> impl Iterator<Item = (&'static str, &'static str)> {
    FIXED.split('\n').filter_map(|line| line.split_once('='))
}

/// Every key that a description of a broker shows.
pub fn names() -> impl Iterator<Item = &'static str> {
    let changeable = CHANGEABLE.iter().map(|(name, ..)| *name);
    changeable.filter(|name| !HIDDEN.contains(name)).chain(described().map(|(name, _)| name))
}

/// The keys under which a value can be given, the finest unit first
/// (`DynamicBrokerConfig.brokerConfigSynonyms`).
#[must_use]
pub fn alternatives(key: &str) -> Vec<&str> {
    match key {
        "log.retention.ms" | "log.retention.minutes" | "log.retention.hours" => {
            vec!["log.retention.ms", "log.retention.minutes", "log.retention.hours"]
        }
        "log.roll.ms" | "log.roll.hours" => vec!["log.roll.ms", "log.roll.hours"],
        "log.roll.jitter.ms" | "log.roll.jitter.hours" => {
            vec!["log.roll.jitter.ms", "log.roll.jitter.hours"]
        }
        "log.flush.interval.ms" => vec!["log.flush.interval.ms", "log.flush.scheduler.interval.ms"],
        other => vec![other],
    }
}

/// What a value of one of these keys is for topics: times in milliseconds, and any negative time to keep
/// something is none (`AbstractKafkaConfig.logRetentionTimeMillis`).
#[must_use]
pub fn as_of_topics(key: &str, value: &str) -> String {
    let millis = match key {
        "log.retention.minutes" => 60_000,
        "log.retention.hours" | "log.roll.hours" | "log.roll.jitter.hours" => 3_600_000,
        "log.retention.ms" => 1,
        _ => return value.to_owned(),
    };
    let Some(number) = number::signed(value.trim()) else { return value.to_owned() };
    let is_endless = number < 0 && key.starts_with("log.retention.");
    if is_endless { -1 } else { number.saturating_mul(millis) }.to_string()
}

/// Whether Kafka knows such a key. It shows no value of others, since it may be a secret.
#[must_use]
pub fn is_known(key: &str) -> bool {
    is_changeable(key) || fixed().any(|(name, _)| name == key)
}

/// Whether it may be changed while brokers run.
#[must_use]
pub fn is_changeable(key: &str) -> bool {
    kind_of(key).is_some()
}

/// What a key that may be changed may be changed to.
pub(super) fn kind_of(key: &str) -> Option<&'static Kind> {
    let changeable = CHANGEABLE.iter().map(|(name, kind, _)| (*name, kind));
    let mut all = changeable.chain(THROTTLES.iter().map(|(name, kind)| (*name, kind)));
    all.find(|(name, _)| *name == key).map(|(_, kind)| kind)
}

/// Whether these keys may be given these values while brokers run: of one broker, or of all.
/// `current` says which value counts at present. Taking a value away is always possible.
///
/// # Errors
/// Kafka's error and text.
pub fn check_changes(
    changes: &[(String, Option<String>)],
    of_one: bool,
    current: &dyn Fn(&str) -> Option<String>,
) -> Result<(), KafkaError> {
    let set: Vec<&str> =
        changes.iter().filter(|change| change.1.is_some()).map(|c| &*c.0).collect();
    let all = |wanted: &dyn Fn(&str) -> bool| {
        set.iter().copied().filter(|key| wanted(key)).collect::<Vec<&str>>()
    };
    let fixed = all(&|key| is_known(key) && !is_changeable(key));
    if !fixed.is_empty() {
        return Err(invalid(format!("Cannot update these configs dynamically: {}", list(&fixed))));
    }
    let not_here = all(&|key| !of_one && OF_ONE_BROKER.contains(&key));
    if !not_here.is_empty() {
        return Err(invalid(format!(
            "Cannot update these configs at default cluster level, broker id must be specified: {}",
            list(&not_here)
        )));
    }
    for (key, value) in changes {
        let Some(value) = value else { continue };
        let Some(kind) = kind_of(key) else { continue };
        let shown = check(kind, key, value).map_err(|error| invalid(error.message))?;
        if let (Some(new), Some(now)) = (number::signed(&shown), current(key)) {
            check_number(key, new, number::signed(now.trim()))?;
        }
        if let Some(new) = number::signed(&shown) {
            check_least(key, new)?;
        }
    }
    Ok(())
}

/// Numbers of threads change by no more than a factor of two at once.
fn check_number(key: &str, new: i64, now: Option<i64>) -> Result<(), KafkaError> {
    let Some(now) = now.filter(|now| *now != new) else { return Ok(()) };
    let (too_few, too_many) = (new < now / 2, new > now.saturating_mul(2));
    let why = match key {
        "log.cleaner.threads" if new == 0 => return Err(invalid("/ by zero".to_owned())),
        "log.cleaner.threads" if too_few => {
            format!(
                "Log cleaner threads cannot be reduced to less than half the current value {now}"
            )
        }
        "log.cleaner.threads" if too_many => {
            format!(
                "Log cleaner threads cannot be increased to more than double the current value {now}"
            )
        }
        "background.threads"
        | "num.io.threads"
        | "num.network.threads"
        | "num.recovery.threads.per.data.dir"
        | "num.replica.fetchers"
            if too_few || too_many =>
        {
            let bound = if too_few { "be at least half" } else { "not be greater than double" };
            format!(
                "Dynamic thread count update validation failed for {key}={new}, value should \
                 {bound} the current value {now}"
            )
        }
        _ => return Ok(()),
    };
    Err(invalid(format!(
        "Invalid value org.apache.kafka.common.config.ConfigException: {why} for configuration \
         Invalid dynamic configuration"
    )))
}

/// What Kafka asks of values beyond their type.
///
/// # Errors
/// Kafka's text.
pub(super) fn check_least(key: &str, new: i64) -> Result<(), KafkaError> {
    let wanted = match key {
        "log.roll.ms" if new < 1 => "greater than or equal to 1",
        "log.roll.jitter.ms" if new < 0 => "greater than or equal to 0",
        "log.retention.ms" if new == 0 => "unlimited (-1) or, equal or greater than 1",
        _ => return Ok(()),
    };
    Err(invalid(format!("requirement failed: {key} must be {wanted}")))
}

fn invalid(text: String) -> KafkaError {
    KafkaError::new(ErrorCode::InvalidRequest, text)
}

/// Keys as Java prints a set of them.
fn list(keys: &[&str]) -> String {
    let hashes: Vec<i32> = keys.iter().map(|key| string_hash(key)).collect();
    let order = iteration_order(&hashes, Made::Empty);
    let keys: Vec<&str> = order.iter().filter_map(|at| keys.get(*at as usize).copied()).collect();
    format!("[{}]", number::join(&keys, ", "))
}

#[cfg(test)]
mod tests;
