//! `--command-config`: a file of settings for a tool's admin client (`AdminClientConfig`). They are checked
//! as Kafka does; only the client's name has an effect.

use highwater_core::world::process::ProcessOutbox;

use crate::process::ShellProcess;
use crate::tool::options::{Options, Problem};
use crate::tool::properties_file;
use crate::tool::setting::{Checked, Property, Takes, check, newest};

/// Settings whose values Kafka checks, in the order of their names.
const CHECKED: &[Checked] = &[
    ("connections.max.idle.ms", Takes::Long(i64::MIN)),
    ("default.api.timeout.ms", Takes::Int(0)),
    ("enable.metrics.push", Takes::Boolean),
    ("metadata.max.age.ms", Takes::Long(0)),
    ("receive.buffer.bytes", Takes::Int(-1)),
    ("reconnect.backoff.max.ms", Takes::Long(0)),
    ("reconnect.backoff.ms", Takes::Long(0)),
    ("request.timeout.ms", Takes::Int(0)),
    ("retries", Takes::Int(0)),
    ("retry.backoff.max.ms", Takes::Long(0)),
    ("retry.backoff.ms", Takes::Long(0)),
    ("send.buffer.bytes", Takes::Int(-1)),
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

/// The name of the client that these settings make.
///
/// # Errors
/// One of them has a value that it does not take.
pub(crate) fn client_id(settings: &Settings) -> Result<String, Problem> {
    let get = |name: &str| newest(settings, name);
    for (name, takes) in CHECKED {
        if let Some(value) = get(name) {
            check(name, value, *takes)?;
        }
    }
    Ok(get("client.id").unwrap_or("adminclient-1").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Values that fit and that do not; of two the later one counts.
    #[test]
    fn values() {
        let name = |text: &str| client_id(&properties_file::settings(text));
        assert_eq!(name("client.id=a\nclient.id=b\nno.such=1").as_deref(), Ok("b"));
        assert_eq!(name("request.timeout.ms = 0").as_deref(), Ok("adminclient-1"));
        for (setting, _) in CHECKED {
            let problem = name(&format!("{setting}=nonsense")).expect_err("it is no value");
            let start = format!("Invalid value nonsense for configuration {setting}: ");
            assert!(problem.text.starts_with(&start), "{}", problem.text);
        }
    }
}
