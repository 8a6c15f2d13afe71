//! `--command-config`: a file of settings for a tool's admin client (`AdminClientConfig`). They are checked
//! as Kafka does; only the client's name has an effect.

use highwater_core::number;
use highwater_core::world::process::ProcessOutbox;

use crate::process::{Out, ShellProcess};
use crate::tool::bootstrap;
use crate::tool::log_line;
use crate::tool::options::{Options, Problem};
use crate::tool::properties_file;
use crate::tool::setting::{
    Checked, DNS_LOOKUPS, METRICS_LEVELS, Property, RECOVERIES, SECURITY_PROTOCOLS, Takes,
    backoff_warnings, check_all, newest,
};

const REQUEST_TIMEOUT: &str = "request.timeout.ms";
const DEFAULT_API_TIMEOUT: &str = "default.api.timeout.ms";

/// Settings whose values Kafka checks, in the order in which it does.
const CHECKED: &[Checked] = &[
    ("metadata.max.age.ms", Takes::Long(0)),
    ("send.buffer.bytes", Takes::Int(-1)),
    ("receive.buffer.bytes", Takes::Int(-1)),
    ("reconnect.backoff.ms", Takes::Long(0)),
    ("reconnect.backoff.max.ms", Takes::Long(0)),
    ("retry.backoff.ms", Takes::Long(0)),
    ("retry.backoff.max.ms", Takes::Long(0)),
    ("bootstrap.resolve.timeout.ms", Takes::Long(0)),
    ("enable.metrics.push", Takes::Boolean),
    (REQUEST_TIMEOUT, Takes::Int(0)),
    ("socket.connection.setup.timeout.ms", Takes::Long(i64::MIN)),
    ("socket.connection.setup.timeout.max.ms", Takes::Long(i64::MIN)),
    ("connections.max.idle.ms", Takes::Long(i64::MIN)),
    ("retries", Takes::Int(0)),
    (DEFAULT_API_TIMEOUT, Takes::Int(0)),
    ("metrics.sample.window.ms", Takes::Long(0)),
    ("metrics.num.samples", Takes::Int(1)),
    ("metrics.recording.level", METRICS_LEVELS),
    ("client.dns.lookup", DNS_LOOKUPS),
    ("security.protocol", SECURITY_PROTOCOLS),
    ("metadata.recovery.strategy", RECOVERIES),
    ("metadata.recovery.rebootstrap.trigger.ms", Takes::Long(0)),
    ("metadata.cluster.check.enable", Takes::Boolean),
];

/// The settings of a file.
pub(crate) type Settings = Vec<Property>;

/// Reads the file, if one is given.
///
/// # Errors
/// There is none.
pub(crate) fn read(
    options: &Options,
    out: &ProcessOutbox<'_, ShellProcess>,
) -> Result<Settings, Problem> {
    let Some(path) = options.one("command-config")? else { return Ok(Vec::new()) };
    properties_file::load(path, out)
}

/// An admin client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Made {
    /// Its name.
    pub(crate) client_id: String,
    /// What Kafka warns of.
    pub(crate) warnings: Vec<String>,
}

impl Made {
    /// Says what there is to warn of.
    pub(crate) fn said(self, out: &mut Out<'_>) -> String {
        for warning in self.warnings {
            log_line("WARN", format_args!("{warning}"), out);
        }
        self.client_id
    }
}

/// The client that these settings make.
///
/// # Errors
/// One of them has a value that it does not take, or two do not go together.
pub(crate) fn client(settings: &Settings) -> Result<Made, Problem> {
    let get = |name: &str| newest(settings, name);
    check_all(CHECKED, settings)?;
    let client_id = get("client.id").unwrap_or("adminclient-1").to_owned();
    let mut warnings = backoff_warnings(settings);
    let time = |name: &str| get(name).and_then(number::signed);
    let request = time(REQUEST_TIMEOUT).unwrap_or(30_000);
    match time(DEFAULT_API_TIMEOUT) {
        Some(time) if time < request => {
            let text = "The specified value of default.api.timeout.ms must be no smaller than the value of \
                        request.timeout.ms.";
            return Err(bootstrap::no_admin_client(text));
        }
        None if request > API_TIMEOUT_MS => warnings.push(format!(
            "[AdminClient clientId={client_id}] Overriding the default value for default.api.timeout.ms \
             ({API_TIMEOUT_MS}) with the explicitly configured request timeout {request} \
             (org.apache.kafka.clients.admin.KafkaAdminClient)"
        )),
        _ => {}
    }
    Ok(Made { client_id, warnings })
}

/// `default.api.timeout.ms` unless it is set.
const API_TIMEOUT_MS: i64 = 60_000;

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Values that fit and that do not; of two the later one counts.
    #[test]
    fn values() {
        let name = |text: &str| client(&properties_file::settings(text)).map(|made| made.client_id);
        assert_eq!(name("client.id=a\nclient.id=b\nno.such=1").as_deref(), Ok("b"));
        assert_eq!(name("request.timeout.ms = 0").as_deref(), Ok("adminclient-1"));
        for (setting, _) in CHECKED {
            let problem = name(&format!("{setting}=nonsense")).expect_err("it is no value");
            let start = format!("Invalid value nonsense for configuration {setting}: ");
            assert!(problem.text.starts_with(&start), "{}", problem.text);
        }
    }
}
