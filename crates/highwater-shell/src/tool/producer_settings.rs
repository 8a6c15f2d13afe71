//! Settings of a producer as people write them (Kafka's `ProducerConfig`): which values they take, what
//! follows from them, which exclude each other. A name that it does not know is left alone, as Kafka does.

use std::rc::Rc;

use highwater_core::client::producer::{Asked, ConfigConflict, Delivery, ProducerConfig};
use highwater_core::log::record_batch::Compression;
use highwater_core::net::message::Acks;
use highwater_core::number;
use highwater_core::time::SimDuration;

use crate::tool::bootstrap::CONFIG_EXCEPTION;
use crate::tool::line_reader::KAFKA_EXCEPTION;
use crate::tool::options::Problem;
use crate::tool::partitioner_settings;
use crate::tool::setting::{Checked, Property, Takes, backoff_warnings, check, newest};

/// Settings whose values Kafka checks, in the order in which it does.
const CHECKED: &[Checked] = &[
    (
        "client.dns.lookup",
        Takes::OneOf(&["use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"]),
    ),
    ("buffer.memory", Takes::Long(0)),
    ("buffer.memory.allocation.strategy", Takes::AnyCase(&["FULL", "INCREMENTAL"])),
    ("retries", Takes::Int(0)),
    ("acks", Takes::OneOf(&["all", "-1", "0", "1"])),
    ("compression.type", Takes::OneOf(&["none", "gzip", "snappy", "lz4", "zstd"])),
    ("compression.gzip.level", Takes::Other(bad_gzip_level)),
    ("compression.lz4.level", Takes::IntWithin(1, 17)),
    ("compression.zstd.level", Takes::IntWithin(-131_072, 22)),
    ("batch.size", Takes::Int(0)),
    ("partitioner.adaptive.partitioning.enable", Takes::Boolean),
    ("partitioner.availability.timeout.ms", Takes::Long(0)),
    ("partitioner.ignore.keys", Takes::Boolean),
    ("partitioner.rack.aware", Takes::Boolean),
    ("linger.ms", Takes::Long(0)),
    ("delivery.timeout.ms", Takes::Int(0)),
    ("send.buffer.bytes", Takes::Int(-1)),
    ("receive.buffer.bytes", Takes::Int(-1)),
    ("max.request.size", Takes::Int(0)),
    ("reconnect.backoff.ms", Takes::Long(0)),
    ("reconnect.backoff.max.ms", Takes::Long(0)),
    ("retry.backoff.ms", Takes::Long(0)),
    ("retry.backoff.max.ms", Takes::Long(0)),
    ("bootstrap.resolve.timeout.ms", Takes::Long(0)),
    ("enable.metrics.push", Takes::Boolean),
    ("max.block.ms", Takes::Long(0)),
    ("request.timeout.ms", Takes::Int(0)),
    ("metadata.max.age.ms", Takes::Long(0)),
    ("metadata.max.idle.ms", Takes::Long(5_000)),
    ("metrics.sample.window.ms", Takes::Long(0)),
    ("metrics.num.samples", Takes::Int(1)),
    ("metrics.recording.level", Takes::OneOf(&["INFO", "DEBUG", "TRACE"])),
    ("max.in.flight.requests.per.connection", Takes::Int(1)),
    ("socket.connection.setup.timeout.ms", Takes::Long(i64::MIN)),
    ("socket.connection.setup.timeout.max.ms", Takes::Long(i64::MIN)),
    ("connections.max.idle.ms", Takes::Long(i64::MIN)),
    ("partitioner.class", Takes::Other(partitioner_settings::not_a_class)),
    ("security.protocol", Takes::AnyCase(&["SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT"])),
    ("enable.idempotence", Takes::Boolean),
    ("transaction.timeout.ms", Takes::Int(i32::MIN)),
    ("transactional.id", Takes::Other(empty)),
    ("transaction.two.phase.commit.enable", Takes::Boolean),
    ("metadata.recovery.strategy", Takes::AnyCase(&["REBOOTSTRAP", "NONE"])),
    ("metadata.recovery.rebootstrap.trigger.ms", Takes::Long(0)),
    ("metadata.cluster.check.enable", Takes::Boolean),
];

/// What Kafka says of a level of gzip that is none.
fn bad_gzip_level(value: &str) -> Option<String> {
    match number::int(value) {
        None => Some("Not a number of type INT".to_owned()),
        Some(-1 | 1..=9) => None,
        Some(_) => Some("Value must be between 1 and 9 or equal to -1".to_owned()),
    }
}

fn empty(value: &str) -> Option<String> {
    value.is_empty().then(|| "String must be non-empty".to_owned())
}

/// What was set.
struct Settings<'a>(&'a [Property]);

impl Settings<'_> {
    fn get(&self, name: &str) -> Option<&str> {
        newest(self.0, name)
    }

    fn unsigned(&self, name: &str, otherwise: u64) -> u64 {
        self.get(name).and_then(number::unsigned).unwrap_or(otherwise)
    }

    fn short(&self, name: &str, otherwise: u32) -> u32 {
        u32::try_from(self.unsigned(name, otherwise.into())).unwrap_or(u32::MAX)
    }

    fn allocates_in_chunks(&self) -> bool {
        let strategy = self.get("buffer.memory.allocation.strategy");
        strategy.is_some_and(|strategy| strategy.eq_ignore_ascii_case("incremental"))
    }

    fn millis(&self, name: &str, into: &mut SimDuration) {
        if let Some(millis) = self.get(name).and_then(number::unsigned) {
            *into = SimDuration(millis.saturating_mul(1_000));
        }
    }
}

/// Changes the producer as these settings say. Returns what it warns of.
///
/// # Errors
/// What Kafka's producer throws.
pub(crate) fn apply(
    config: &mut ProducerConfig,
    properties: &[Property],
) -> Result<Vec<String>, Problem> {
    let set = Settings(properties);
    for (name, takes) in CHECKED {
        if let Some(value) = set.get(name) {
            check(name, value, *takes)?;
        }
    }
    if let Some(client_id) = set.get("client.id") {
        client_id.clone_into(&mut config.client_id);
    }
    match set.get("acks") {
        Some("0") => config.acks = Acks::None,
        Some("1") => config.acks = Acks::Leader,
        Some(_) => config.acks = Acks::All,
        None => {}
    }
    config.linger_ms = set.unsigned("linger.ms", config.linger_ms);
    config.batch_size = set.short("batch.size", config.batch_size);
    config.retries = set.short("retries", config.retries);
    let mut warnings = Vec::new();
    if let Some(delivery) = config.delivery.get_mut() {
        warnings = deliver(delivery, &set);
        if set.allocates_in_chunks() && delivery.codec.compression != Compression::None {
            let text = "The incremental buffer.memory.allocation.strategy does not support compression \
                        yet. compression.type must be set to none.";
            return Err(not_constructed(CONFIG_EXCEPTION, text));
        }
    }
    let idempotence = set.get("enable.idempotence");
    if set.get("transactional.id").is_some()
        && idempotence.is_some_and(|wanted| wanted.eq_ignore_ascii_case("false"))
    {
        let text = "Cannot set a transactional.id without also enabling idempotence.";
        return Err(Problem::new(CONFIG_EXCEPTION, text));
    }
    let delivery_timeout = set.get("delivery.timeout.ms").is_some();
    let asked = Asked { idempotence: idempotence.is_some(), delivery_timeout };
    // In the order in which Kafka notices.
    let late = match config.settle(asked) {
        Ok(warning) => {
            warnings.extend(warning);
            None
        }
        Err(ConfigConflict::Idempotence(text)) => {
            return Err(Problem::new(CONFIG_EXCEPTION, text));
        }
        Err(ConfigConflict::DeliveryTimeout(text)) => Some(text),
    };
    partitioner_settings::check_class(|name| set.get(name))?;
    if let Some(text) = late {
        return Err(not_constructed(CONFIG_EXCEPTION, text));
    }
    let partitioner = partitioner_settings::partitioner(|name| set.get(name))?;
    if let Some(delivery) = config.delivery.get_mut() {
        delivery.partitioner = partitioner.unwrap_or(delivery.partitioner);
        delivery.client_rack = set.get("client.rack").map(|rack| Rc::from(rack.trim()));
    }
    if set.allocates_in_chunks() && config.batch_size < CHUNK {
        let (client_id, batch_size) = (&config.client_id, config.batch_size);
        warnings.push(format!(
            "[Producer clientId={client_id}] Ignoring buffer.memory.allocation.strategy=incremental and \
             falling back to full: batch.size is {batch_size} bytes, below the {CHUNK} byte chunk size, so \
             a batch cannot fill a single chunk. (org.apache.kafka.clients.producer.KafkaProducer)"
        ));
    }
    Ok(warnings)
}

/// The parts that an incremental producer takes its memory in.
const CHUNK: u32 = 16_384;

/// What Kafka throws when settings by themselves are good, but no producer can be made of them.
pub(super) fn not_constructed(class: &str, text: &str) -> Problem {
    let cause = [class, ": ", text].concat();
    Problem {
        causes: vec![cause],
        ..Problem::new(KAFKA_EXCEPTION, "Failed to construct kafka producer")
    }
}

/// What is set of how batches are delivered. Returns what Kafka warns of (`CommonClientConfigs`).
fn deliver(delivery: &mut Delivery, set: &Settings<'_>) -> Vec<String> {
    set.millis("request.timeout.ms", &mut delivery.request_timeout);
    set.millis("delivery.timeout.ms", &mut delivery.delivery_timeout);
    set.millis("retry.backoff.ms", &mut delivery.retry_backoff);
    set.millis("retry.backoff.max.ms", &mut delivery.retry_backoff_max);
    set.millis("reconnect.backoff.ms", &mut delivery.reconnect_backoff);
    set.millis("reconnect.backoff.max.ms", &mut delivery.reconnect_backoff_max);
    set.millis("max.block.ms", &mut delivery.max_block);
    set.millis("metadata.max.age.ms", &mut delivery.metadata_max_age);
    set.millis("metadata.max.idle.ms", &mut delivery.metadata_max_idle);
    delivery.max_in_flight =
        set.short("max.in.flight.requests.per.connection", delivery.max_in_flight);
    delivery.max_request_size = set.short("max.request.size", delivery.max_request_size);
    delivery.buffer_memory = set.unsigned("buffer.memory", delivery.buffer_memory);
    if let Some(compression) = set.get("compression.type").and_then(Compression::from_name) {
        delivery.codec.compression = compression;
    }
    let level = set.get("compression.gzip.level").and_then(number::int);
    if let Some(level) = level.and_then(|level| i8::try_from(level).ok()) {
        delivery.codec.gzip_level = level;
    }
    if let Some(wanted) = set.get("enable.idempotence") {
        delivery.enable_idempotence = wanted.eq_ignore_ascii_case("true");
    }
    let is_static =
        set.get("reconnect.backoff.ms").is_some() && set.get("reconnect.backoff.max.ms").is_none();
    if is_static {
        delivery.reconnect_backoff_max = delivery.reconnect_backoff;
    }
    let [first, most] = [delivery.retry_backoff, delivery.retry_backoff_max].map(|it| it.0 / 1_000);
    backoff_warnings((first, most), is_static)
}
