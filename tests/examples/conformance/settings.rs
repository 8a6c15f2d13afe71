//! The server.properties of each node: stock defaults, but for internal topics that fit the number
//! of brokers, and what the transcript asks for.

use highwater_core::world::options::OwnSetting;
use highwater_shell::transcript::Transcript;

use crate::addresses::{Addresses, Ports};

/// The controller's id; brokers are 1 to N.
pub(crate) const CONTROLLER: u32 = 100;

/// The text of the file of one node.
pub(crate) fn of_node(
    node: u32,
    transcript: &Transcript,
    ports: &Ports,
    addresses: &Addresses,
) -> String {
    let controller = ports.controller();
    let mut lines = vec![
        format!("node.id={node}"),
        format!("controller.quorum.bootstrap.servers=127.0.0.1:{controller}"),
        "controller.listener.names=CONTROLLER".to_owned(),
        "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT".to_owned(),
        format!("log.dirs={}{node}", addresses.logs()),
    ];
    if node == CONTROLLER {
        lines.push("process.roles=controller".to_owned());
        lines.push(format!("listeners=CONTROLLER://127.0.0.1:{controller}"));
        lines.push(format!("advertised.listeners=CONTROLLER://127.0.0.1:{controller}"));
    } else {
        let own = ports.broker(node);
        let copies = transcript.brokers.min(3);
        let in_sync = transcript.brokers.min(2);
        lines.extend([
            "process.roles=broker".to_owned(),
            format!("listeners=PLAINTEXT://127.0.0.1:{own}"),
            format!("advertised.listeners=PLAINTEXT://localhost:{own}"),
            "inter.broker.listener.name=PLAINTEXT".to_owned(),
            format!("offsets.topic.replication.factor={copies}"),
            format!("transaction.state.log.replication.factor={copies}"),
            format!("transaction.state.log.min.isr={in_sync}"),
            format!("share.coordinator.state.topic.replication.factor={copies}"),
            "share.coordinator.state.topic.min.isr=1".to_owned(),
        ]);
    }
    lines.extend(asked_for(node, transcript));
    lines.join("\n") + "\n"
}

/// The transcript's own lines for a node. Of two lines Java takes the last one, so that those of one
/// broker stand at the end.
fn asked_for(node: u32, transcript: &Transcript) -> impl Iterator<Item = String> {
    let all = transcript.broker_properties.iter().map(|(key, value)| format!("{key}={value}"));
    let own = transcript.own_properties.iter();
    let own = own.filter(move |line| line.broker.0.unsigned_abs() == node);
    all.chain(own.map(|OwnSetting { key, value, .. }| format!("{key}={value}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(node: u32, text: &str) -> Vec<String> {
        let transcript = Transcript::parse(text).unwrap();
        let ports = Ports::claim().unwrap();
        let addresses = Addresses::new(&ports, "/the-folder");
        let text = of_node(node, &transcript, &ports, &addresses);
        text.lines().map(str::to_owned).collect()
    }

    fn has(lines: &[String], line: &str) -> bool {
        lines.iter().any(|found| found == line)
    }

    /// A broker has its folder, and internal topics as large as the cluster allows.
    #[test]
    fn a_broker_of_two() {
        let lines = lines(2, "#! brokers 2\n#! broker log.retention.hours=1\n$ true\n");
        assert!(has(&lines, "node.id=2"));
        assert!(has(&lines, "process.roles=broker"));
        assert!(has(&lines, "log.dirs=/the-folder/kafka-logs-2"));
        assert!(has(&lines, "offsets.topic.replication.factor=2"));
        assert!(has(&lines, "transaction.state.log.min.isr=2"));
        // Last, so that it counts against a line above.
        assert_eq!(lines.last().map(String::as_str), Some("log.retention.hours=1"));
    }

    /// A line of one broker is in its file only, behind the one that all have.
    #[test]
    fn a_line_of_one_broker() {
        let text = "#! broker 2 broker.rack=b\n#! broker broker.rack=a\n$ true\n";
        assert_eq!(lines(2, text).last().map(String::as_str), Some("broker.rack=b"));
        assert_eq!(lines(3, text).last().map(String::as_str), Some("broker.rack=a"));
        assert!(!has(&lines(CONTROLLER, text), "broker.rack=b"));
    }

    /// The controller serves nobody else.
    #[test]
    fn the_controller() {
        let lines = lines(CONTROLLER, "$ true\n");
        assert!(has(&lines, "process.roles=controller"));
        assert!(!lines.iter().any(|line| line.contains("PLAINTEXT://")));
    }
}
