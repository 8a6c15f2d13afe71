//! Settings of a producer as people write them (Kafka's `ProducerConfig`): which values they take, what
//! follows from them, which exclude each other. A name that it does not know is left alone, as Kafka does.

use highwater_core::client::partitioner::ClientFamily;
use highwater_core::client::partitioner::catalogue::Partitioner;
use highwater_core::client::partitioner::rule::{BuiltIn, Rule};
use highwater_core::client::producer::{Asked, ConfigConflict, ProducerConfig};
use highwater_core::net::message::Acks;
use highwater_core::number;
use highwater_core::time::SimDuration;

use crate::tool::bootstrap::CONFIG_EXCEPTION;
use crate::tool::line_reader::KAFKA_EXCEPTION;
use crate::tool::options::Problem;
use crate::tool::setting::{Checked, Takes, check};

/// Settings whose values Kafka checks, in the order in which it does.
const CHECKED: &[Checked] = &[
    ("buffer.memory", Takes::Long(0)),
    ("retries", Takes::Int(0)),
    ("acks", Takes::OneOf(&["all", "-1", "0", "1"])),
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
    ("enable.metrics.push", Takes::Boolean),
    ("max.block.ms", Takes::Long(0)),
    ("request.timeout.ms", Takes::Int(0)),
    ("metadata.max.age.ms", Takes::Long(0)),
    ("metadata.max.idle.ms", Takes::Long(5_000)),
    ("max.in.flight.requests.per.connection", Takes::Int(1)),
    ("connections.max.idle.ms", Takes::Long(i64::MIN)),
    ("partitioner.class", Takes::Other(not_a_class)),
    ("enable.idempotence", Takes::Boolean),
    ("transaction.timeout.ms", Takes::Int(i32::MIN)),
];

/// A setting by name, and its value. Of several with one name the last counts.
pub(crate) type Property = (String, String);

/// Changes the producer as these settings say. Returns what it warns of.
///
/// # Errors
/// What Kafka's producer throws.
pub(crate) fn apply(
    config: &mut ProducerConfig,
    properties: &[Property],
) -> Result<Option<String>, Problem> {
    let get = |name: &str| {
        let mut newest_first = properties.iter().rev();
        newest_first.find(|(known, _)| known == name).map(|(_, value)| value.trim())
    };
    for (name, takes) in CHECKED {
        if let Some(value) = get(name) {
            check(name, value, *takes)?;
        }
    }
    let unsigned =
        |name: &str, otherwise: u64| get(name).and_then(number::unsigned).unwrap_or(otherwise);
    let short = |name: &str, otherwise: u32| {
        u32::try_from(unsigned(name, otherwise.into())).unwrap_or(u32::MAX)
    };
    if let Some(client_id) = get("client.id") {
        client_id.clone_into(&mut config.client_id);
    }
    match get("acks") {
        Some("0") => config.acks = Acks::None,
        Some("1") => config.acks = Acks::Leader,
        Some(_) => config.acks = Acks::All,
        None => {}
    }
    config.linger_ms = unsigned("linger.ms", config.linger_ms);
    config.batch_size = short("batch.size", config.batch_size);
    config.retries = short("retries", config.retries);
    let idempotence = get("enable.idempotence");
    if let Some(delivery) = config.delivery.get_mut() {
        let millis = |name: &str, otherwise: SimDuration| {
            get(name).and_then(number::unsigned).map_or(otherwise, SimDuration::from_millis)
        };
        delivery.request_timeout = millis("request.timeout.ms", delivery.request_timeout);
        delivery.delivery_timeout = millis("delivery.timeout.ms", delivery.delivery_timeout);
        delivery.retry_backoff = millis("retry.backoff.ms", delivery.retry_backoff);
        delivery.retry_backoff_max = millis("retry.backoff.max.ms", delivery.retry_backoff_max);
        delivery.max_in_flight =
            short("max.in.flight.requests.per.connection", delivery.max_in_flight);
        delivery.max_request_size = short("max.request.size", delivery.max_request_size);
        delivery.buffer_memory = unsigned("buffer.memory", delivery.buffer_memory);
        if let Some(wanted) = idempotence {
            delivery.enable_idempotence = wanted.eq_ignore_ascii_case("true");
        }
    }
    let delivery_timeout = get("delivery.timeout.ms").is_some();
    let asked = Asked { idempotence: idempotence.is_some(), delivery_timeout };
    // In the order in which Kafka notices.
    let (late, warning) = match config.settle(asked) {
        Ok(warning) => (None, warning),
        Err(ConfigConflict::Idempotence(text)) => {
            return Err(Problem::new(CONFIG_EXCEPTION, text));
        }
        Err(ConfigConflict::DeliveryTimeout(text)) => (Some(text), None),
    };
    check_class(get)?;
    if let Some(text) = late {
        return Err(not_made(CONFIG_EXCEPTION, text));
    }
    let partitioner = partitioner(get)?;
    if let Some(delivery) = config.delivery.get_mut() {
        delivery.partitioner = partitioner.unwrap_or(delivery.partitioner);
    }
    Ok(warning)
}

/// What Kafka throws when settings by themselves are good, but no producer can be made of them.
fn not_made(class: &str, text: &str) -> Problem {
    let text = format!("Failed to construct kafka producer\nCaused by: {class}: {text}");
    Problem::new(KAFKA_EXCEPTION, text)
}

/// Classes that a Java program with Kafka's client has, and that partition nothing.
const OTHER_CLASSES: &[&str] = &[
    "java.lang.Object",
    "java.lang.String",
    "org.apache.kafka.clients.producer.KafkaProducer",
    "org.apache.kafka.common.serialization.ByteArraySerializer",
    "org.apache.kafka.common.serialization.StringSerializer",
];

/// The partitioner that is a class; the others of Java are settings.
fn round_robin() -> Option<&'static Partitioner> {
    let mut partitioners = ClientFamily::Java.partitioners().iter();
    partitioners.find(|partitioner| partitioner.name == "round-robin")
}

fn not_a_class(name: &str) -> Option<String> {
    let is_known = OTHER_CLASSES.contains(&name)
        || round_robin().is_some_and(|partitioner| partitioner.spelled == name);
    (!is_known).then(|| format!("Class {name} could not be found."))
}

fn check_class<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Result<(), Problem> {
    match get("partitioner.class").filter(|class| OTHER_CLASSES.contains(class)) {
        None => Ok(()),
        Some(other) => {
            let wanted = "org.apache.kafka.clients.producer.Partitioner";
            let text = format!("class {other} is not an instance of {wanted}");
            Err(not_made(KAFKA_EXCEPTION, &text))
        }
    }
}

/// How the settings let it give partitions to records; `None`: as it is. Those of the built-in partitioner
/// have no effect beside a class, but they are checked.
fn partitioner<'a>(get: impl Fn(&str) -> Option<&'a str>) -> Result<Option<Rule>, Problem> {
    let flag = |name: &str, otherwise: bool| {
        get(name).map_or(otherwise, |value| value.eq_ignore_ascii_case("true"))
    };
    let rack_aware = flag("partitioner.rack.aware", false);
    if rack_aware && get("client.rack").is_none_or(str::is_empty) {
        let text = "client.rack must be provided if partitioner.rack.aware is enabled";
        return Err(not_made(CONFIG_EXCEPTION, text));
    }
    if get("partitioner.class").is_some() {
        return Ok(round_robin().map(|partitioner| partitioner.rule));
    }
    let millis = get("partitioner.availability.timeout.ms").and_then(number::unsigned).unwrap_or(0);
    let built_in = BuiltIn {
        adaptive: flag("partitioner.adaptive.partitioning.enable", true),
        availability_timeout: SimDuration::from_millis(millis),
        rack_aware,
    };
    Ok(Some(Rule::java(flag("partitioner.ignore.keys", false), built_in)))
}
