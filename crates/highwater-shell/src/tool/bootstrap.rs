//! `--bootstrap-server`: whether an address can be one (Kafka's `Utils.getHost` and `getPort`).

use highwater_core::number;

use super::line_reader::KAFKA_EXCEPTION;
use super::options::{Problem, split};

/// Whether each of the addresses, separated by commas, has a host and a port.
#[must_use]
pub(crate) fn is_valid(addresses: &str) -> bool {
    split(addresses, ',').all(|address| {
        address.trim().rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && number::unsigned(port).is_some_and(|port| port <= 65_535)
        })
    })
}

/// A list with a gap in it, which the client refuses.
pub(crate) fn gap(addresses: &str) -> Option<Problem> {
    let has_gap = addresses.as_bytes().contains(&b',')
        && addresses.split(',').any(|one| one.trim().is_empty());
    has_gap.then(|| {
        Problem::new(
            CONFIG_EXCEPTION,
            "Configuration 'bootstrap.servers' values must not be empty.".to_owned(),
        )
    })
}

/// No addresses at all.
pub(crate) fn missing() -> Problem {
    Problem::new(
        CONFIG_EXCEPTION,
        "Missing required configuration \"bootstrap.servers\" which has no default value.",
    )
}

/// What Java throws for a setting that it cannot use.
pub(crate) const CONFIG_EXCEPTION: &str = "org.apache.kafka.common.config.ConfigException";

/// What tools say that check the address themselves (`ToolsUtils.validateBootstrapServer`).
pub(crate) const INVALID: &str = "Please provide valid host:port like host1:9091,host2:9092\n";

/// Whether a client can be made with these addresses.
///
/// # Errors
/// What Java throws when it cannot.
pub(crate) fn usable(addresses: &str) -> Result<(), Problem> {
    match gap(addresses) {
        Some(problem) => Err(problem),
        None if is_valid(addresses) => Ok(()),
        None => Err(Problem::new(KAFKA_EXCEPTION, "Failed to create new KafkaAdminClient")),
    }
}

/// An admin client that cannot be made because of its settings.
pub(crate) fn no_admin_client(why: &str) -> Problem {
    Problem {
        causes: vec![[CONFIG_EXCEPTION, ": ", why].concat()],
        ..Problem::new(KAFKA_EXCEPTION, "Failed to create new KafkaAdminClient")
    }
}

/// Whether a client can be made with these addresses, with what led to it.
///
/// # Errors
/// As before.
pub(crate) fn usable_or_why(addresses: &str) -> Result<(), Problem> {
    usable(addresses).map_err(|mut problem| {
        if problem.class == KAFKA_EXCEPTION {
            problem.causes.push(cause(addresses));
        }
        problem
    })
}

/// What is wrong with addresses of which one has no host or no port.
fn cause(addresses: &str) -> String {
    let bad = split(addresses, ',').find(|address| !is_valid(address)).unwrap_or_default();
    if bad.is_empty() {
        return format!(
            "{CONFIG_EXCEPTION}: You must set either bootstrap.servers or bootstrap.controllers"
        );
    }
    format!("{CONFIG_EXCEPTION}: Invalid url in bootstrap.servers: {bad}")
}
