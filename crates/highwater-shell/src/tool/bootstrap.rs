//! `--bootstrap-server`: whether an address can be one (Kafka's `Utils.getHost` and `getPort`).

use highwater_core::number;

/// Whether one of the addresses, separated by commas, has a host and a port.
#[must_use]
pub(crate) fn is_valid(addresses: &str) -> bool {
    addresses.split(',').any(|address| {
        address.trim().rsplit_once(':').is_some_and(|(host, port)| {
            !host.is_empty() && number::unsigned(port).is_some_and(|port| port <= 65_535)
        })
    })
}

/// What tools say that check the address themselves (`ToolsUtils.validateBootstrapServer`).
pub(crate) const INVALID: &str = "Please provide valid host:port like host1:9091,host2:9092\n";
