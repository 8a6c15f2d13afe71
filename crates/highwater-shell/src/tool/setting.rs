//! Which values does a setting of a client take, and what does Kafka say of others (`ConfigDef`)?

use highwater_core::number;

use crate::tool::bootstrap::CONFIG_EXCEPTION;
use crate::tool::options::Problem;

/// What a setting takes.
#[derive(Clone, Copy)]
pub(crate) enum Takes {
    /// true or false, in capitals or not.
    Boolean,
    /// At least this.
    Int(i32),
    /// At least this, and no more than that.
    IntWithin(i32, i32),
    /// At least this.
    Long(i64),
    /// One of these.
    OneOf(&'static [&'static str]),
    /// The same, in capitals or not.
    AnyCase(&'static [&'static str]),
    /// Numbers that this has nothing to say about.
    IntThat(fn(i32) -> Option<String>),
    /// Several, with commas between them, none of them empty.
    List,
    /// What this has nothing to say about.
    Other(fn(&str) -> Option<String>),
}

/// `client.dns.lookup`
pub(crate) const DNS_LOOKUPS: Takes =
    Takes::OneOf(&["use_all_dns_ips", "resolve_canonical_bootstrap_servers_only"]);

/// `metrics.recording.level`
pub(crate) const METRICS_LEVELS: Takes = Takes::OneOf(&["INFO", "DEBUG", "TRACE"]);

/// `security.protocol`
pub(crate) const SECURITY_PROTOCOLS: Takes =
    Takes::AnyCase(&["SASL_SSL", "PLAINTEXT", "SSL", "SASL_PLAINTEXT"]);

/// `metadata.recovery.strategy`
pub(crate) const RECOVERIES: Takes = Takes::AnyCase(&["REBOOTSTRAP", "NONE"]);

/// Classes that a Java program with Kafka's client has, and that neither partition nor assign.
pub(crate) const OTHER_CLASSES: &[&str] = &[
    "java.lang.Object",
    "java.lang.String",
    "org.apache.kafka.clients.consumer.KafkaConsumer",
    "org.apache.kafka.clients.producer.KafkaProducer",
    "org.apache.kafka.common.serialization.ByteArrayDeserializer",
    "org.apache.kafka.common.serialization.ByteArraySerializer",
    "org.apache.kafka.common.serialization.StringDeserializer",
    "org.apache.kafka.common.serialization.StringSerializer",
];

/// A setting by name, with what it takes.
pub(crate) type Checked = (&'static str, Takes);

/// A setting by name, and its value.
pub(crate) type Property = (String, String);

/// The value of a setting, without the blanks around it. Of several with one name the last counts.
pub(crate) fn newest<'a>(settings: &'a [Property], name: &str) -> Option<&'a str> {
    as_typed(settings, name).map(str::trim)
}

/// The same with the blanks around it.
fn as_typed<'a>(settings: &'a [Property], name: &str) -> Option<&'a str> {
    let mut newest_first = settings.iter().rev();
    newest_first.find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}

/// Checks all settings of a client, in the order of its definition.
///
/// # Errors
/// What Kafka says of the first that is wrong.
pub(crate) fn check_all(checked: &[Checked], settings: &[Property]) -> Result<(), Problem> {
    for (name, takes) in checked {
        if let Some(value) = as_typed(settings, name) {
            check(name, value, *takes)?;
        }
    }
    Ok(())
}

/// A value that is refused, as Kafka repeats it, and why.
type Complaint = (String, String);

/// Checks the value of a setting.
fn check(name: &str, typed: &str, takes: Takes) -> Result<(), Problem> {
    let value = typed.trim();
    let complaint = match takes {
        Takes::Boolean => {
            let fits = value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false");
            let text = "Expected value to be either true or false";
            (!fits).then(|| (typed.to_owned(), text.to_owned()))
        }
        Takes::Int(least) => int(typed, |given| below(given.into(), least.into())),
        Takes::IntWithin(least, most) => int(typed, |given| {
            let above = || (given > most).then(|| format!("Value must be no more than {most}"));
            below(given.into(), least.into()).or_else(above)
        }),
        Takes::IntThat(complaint) => int(typed, complaint),
        Takes::Long(least) => {
            let given = number::signed(value);
            number_of("LONG", typed, given, |given| below(given, least))
        }
        Takes::OneOf(values) => (!values.contains(&value))
            .then(|| (value.to_owned(), format!("String must be one of: {}", values.join(", ")))),
        Takes::AnyCase(values) => {
            let fits = values.iter().any(|known| known.eq_ignore_ascii_case(value));
            let text =
                || format!("String must be one of (case insensitive): {}", values.join(", "));
            (!fits).then(|| (value.to_owned(), text()))
        }
        Takes::Other(complaint) => complaint(value).map(|text| (value.to_owned(), text)),
        Takes::List => {
            let is_whole = value.is_empty() || value.split(',').all(|one| !one.trim().is_empty());
            let text = format!("Configuration '{name}' values must not be empty.");
            return is_whole.then_some(()).ok_or_else(|| Problem::new(CONFIG_EXCEPTION, text));
        }
    };
    match complaint {
        None => Ok(()),
        Some((shown, complaint)) => {
            let text = format!("Invalid value {shown} for configuration {name}: {complaint}");
            Err(Problem::new(CONFIG_EXCEPTION, text))
        }
    }
}

fn below(given: i64, least: i64) -> Option<String> {
    (given < least).then(|| format!("Value must be at least {least}"))
}

fn int(typed: &str, complaint: impl Fn(i32) -> Option<String>) -> Option<Complaint> {
    number_of("INT", typed, number::int(typed.trim()), complaint)
}

/// A number is repeated as it was understood; what is none, as it was typed.
fn number_of<T: Copy + std::fmt::Display>(
    kind: &str,
    typed: &str,
    given: Option<T>,
    complaint: impl Fn(T) -> Option<String>,
) -> Option<Complaint> {
    match given {
        None => Some((typed.to_owned(), format!("Not a number of type {kind}"))),
        Some(given) => complaint(given).map(|text| (given.to_string(), text)),
    }
}

/// The value of a setting that is a number.
fn millis(settings: &[Property], name: &str, otherwise: i64) -> i64 {
    newest(settings, name).and_then(number::signed).unwrap_or(otherwise)
}

/// What a client says of pauses that do not grow (`CommonClientConfigs`): between tries, because the first
/// is longer than the longest; while it connects, for the same reason; and before it connects again, because
/// only the first is set.
pub(crate) fn backoff_warnings(settings: &[Property]) -> Vec<String> {
    const COMMON: &str = "(org.apache.kafka.clients.CommonClientConfigs)";
    let mut warnings = Vec::new();
    let is_set = |name: &str| newest(settings, name).is_some();
    let pairs = [
        ("retry.backoff.ms", 100, "retry.backoff.max.ms", 1_000, "backoff"),
        (
            "socket.connection.setup.timeout.ms",
            10_000,
            "socket.connection.setup.timeout.max.ms",
            30_000,
            "connection setup timeout",
        ),
    ];
    for (name, otherwise, longest, most, what) in pairs {
        let (first, most) = (millis(settings, name, otherwise), millis(settings, longest, most));
        if first > most {
            warnings.push(format!(
                "Configuration '{name}' with value '{first}' is greater than configuration '{longest}' \
                 with value '{most}'. A static {what} with value '{most}' will be applied. {COMMON}"
            ));
        }
    }
    if is_set("reconnect.backoff.ms") && !is_set("reconnect.backoff.max.ms") {
        warnings.push(format!(
            "Disabling exponential reconnect backoff because reconnect.backoff.ms is set, but \
             reconnect.backoff.max.ms is not. {COMMON}"
        ));
    }
    warnings
}

#[cfg(test)]
mod tests;
