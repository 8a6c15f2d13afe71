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
    /// What this has nothing to say about.
    Other(fn(&str) -> Option<String>),
}

/// A setting by name, with what it takes.
pub(crate) type Checked = (&'static str, Takes);

/// A setting by name, and its value.
pub(crate) type Property = (String, String);

/// The value of a setting, without the blanks around it. Of several with one name the last counts.
pub(crate) fn newest<'a>(settings: &'a [Property], name: &str) -> Option<&'a str> {
    let mut newest_first = settings.iter().rev();
    newest_first.find(|(known, _)| known == name).map(|(_, value)| value.trim())
}

/// Checks the value of a setting.
///
/// # Errors
/// What Kafka says of it.
pub(crate) fn check(name: &str, value: &str, takes: Takes) -> Result<(), Problem> {
    let at_least = |least: &dyn std::fmt::Display| format!("Value must be at least {least}");
    let complaint = match takes {
        Takes::Boolean => {
            let fits = value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false");
            (!fits).then(|| "Expected value to be either true or false".to_owned())
        }
        Takes::Int(least) => match number::int(value) {
            None => Some("Not a number of type INT".to_owned()),
            Some(given) => (given < least).then(|| at_least(&least)),
        },
        Takes::IntWithin(least, most) => match number::int(value) {
            None => Some("Not a number of type INT".to_owned()),
            Some(given) if given < least => Some(at_least(&least)),
            Some(given) => (given > most).then(|| format!("Value must be no more than {most}")),
        },
        Takes::Long(least) => match number::signed(value) {
            None => Some("Not a number of type LONG".to_owned()),
            Some(given) => (given < least).then(|| at_least(&least)),
        },
        Takes::OneOf(values) => (!values.contains(&value))
            .then(|| format!("String must be one of: {}", values.join(", "))),
        Takes::AnyCase(values) => (!values.iter().any(|known| known.eq_ignore_ascii_case(value)))
            .then(|| format!("String must be one of (case insensitive): {}", values.join(", "))),
        Takes::Other(complaint) => complaint(value),
    };
    match complaint {
        None => Ok(()),
        Some(complaint) => {
            let text = format!("Invalid value {value} for configuration {name}: {complaint}");
            Err(Problem::new(CONFIG_EXCEPTION, text))
        }
    }
}

/// What a client says of pauses that do not grow (`CommonClientConfigs`): between tries, because the first
/// is longer than the longest; and before it connects again, because only the first is set.
pub(crate) fn backoff_warnings((first, most): (u64, u64), is_static: bool) -> Vec<String> {
    const COMMON: &str = "(org.apache.kafka.clients.CommonClientConfigs)";
    let mut warnings = Vec::new();
    if first > most {
        warnings.push(format!(
            "Configuration 'retry.backoff.ms' with value '{first}' is greater than configuration \
             'retry.backoff.max.ms' with value '{most}'. A static backoff with value '{most}' will be \
             applied. {COMMON}"
        ));
    }
    if is_static {
        warnings.push(format!(
            "Disabling exponential reconnect backoff because reconnect.backoff.ms is set, but \
             reconnect.backoff.max.ms is not. {COMMON}"
        ));
    }
    warnings
}
