//! Where transcripts have a cluster, and where one really is: ports and folders of log files are
//! moved on the way in and back on the way out. Decides what counts as an address in a text.

use std::net::TcpListener;

/// Ports of one cluster: brokers from the first on, the controller at the tenth after it.
const PORTS: u16 = 11;
/// How far the controller's port is from the first broker's.
const CONTROLLER: u16 = PORTS - 1;
/// As many brokers as fit before the controller.
pub(crate) const BROKERS_MAX: u32 = CONTROLLER as u32;
/// Where the transcripts have the first broker, and the folders.
const RECORDED_PORT: u16 = 9092;
const RECORDED_LOGS: &str = "/tmp/kafka-logs-";
const HOSTS: [&str; 2] = ["localhost", "127.0.0.1"];

/// Ports in a row that are this process's alone as long as the value lives.
///
/// They have four digits, as in the transcripts: tools fill columns of tables up to a width.
#[derive(Debug)]
pub(crate) struct Ports {
    first: u16,
    /// One more port, which is listened to: who has it has the row. Another run cannot take the
    /// row between our look at its ports and the start of the brokers.
    _claim: TcpListener,
}

impl Ports {
    /// The first row that nobody uses and nobody else has claimed.
    pub(crate) fn claim() -> Result<Self, String> {
        let listen = |port: u16| TcpListener::bind(("127.0.0.1", port));
        for first in (7_000..8_900).step_by(20) {
            let Ok(claim) = listen(first + PORTS) else { continue };
            if (first..first + PORTS).all(|port| listen(port).is_ok()) {
                return Ok(Self { first, _claim: claim });
            }
        }
        Err("No free ports for a cluster from 7000 to 8900; stop what listens there.".to_owned())
    }

    /// That of a broker, from 1 on.
    pub(crate) fn broker(&self, number: u32) -> u32 {
        u32::from(self.first) + number - 1
    }

    /// That of the controller.
    pub(crate) fn controller(&self) -> u16 {
        self.first + CONTROLLER
    }
}

/// What is moved: ports, the folders of log files, and the name of the cluster's own folder.
pub(crate) struct Addresses {
    first_port: u16,
    home: String,
}

impl Addresses {
    /// Those of a cluster with these ports in this folder.
    pub(crate) fn new(ports: &Ports, home: &str) -> Self {
        Self { first_port: ports.first, home: home.to_owned() }
    }

    /// How the folders of log files begin; the number of the node follows.
    pub(crate) fn logs(&self) -> String {
        format!("{}/kafka-logs-", self.home)
    }

    /// A command of a transcript as this cluster needs it.
    pub(crate) fn to_real(&self, command: &str) -> String {
        let command = command.replace(RECORDED_LOGS, &self.logs());
        move_ports(&command, RECORDED_PORT, self.first_port)
    }

    /// A line of output as the transcripts would have it.
    pub(crate) fn to_recorded(&self, line: &str) -> String {
        let line = line.replace(&self.logs(), RECORDED_LOGS).replace(&self.home, "[dir]");
        move_ports(&line, self.first_port, RECORDED_PORT)
    }
}

/// Moves every port that stands after a host: behind a colon, or in the next column of a table.
/// A number alone is not touched, it may be a record.
fn move_ports(text: &str, from: u16, to: u16) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let next =
        |rest: &str| HOSTS.iter().filter_map(|host| Some(rest.find(host)? + host.len())).min();
    while let Some(end) = next(rest) {
        let (before, after) = rest.split_at(end);
        out.push_str(before);
        rest = after;
        let gap = match after.as_bytes() {
            [b':', ..] => 1,
            bytes => bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count(),
        };
        let digits = after[gap..].bytes().take_while(u8::is_ascii_digit).count();
        let port: Option<u16> = after[gap..gap + digits].parse().ok();
        let number = port.and_then(|port| port.checked_sub(from)).filter(|n| *n < PORTS);
        if let Some(number) = number.filter(|_| gap > 0) {
            out.push_str(&after[..gap]);
            out.push_str(&(to + number).to_string());
            rest = &after[gap + digits..];
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn addresses() -> Addresses {
        Addresses { first_port: 7_040, home: "/tmp/highwater-kafka-1".to_owned() }
    }

    /// Servers, several of them, the controller, and folders.
    #[test]
    fn a_command_goes_to_the_real_cluster() {
        let real = |command: &str| addresses().to_real(command);
        assert_eq!(
            real("kafka-topics.sh --bootstrap-server localhost:9092,localhost:9094 --list"),
            "kafka-topics.sh --bootstrap-server localhost:7040,localhost:7042 --list"
        );
        assert_eq!(real("x -C 127.0.0.1:9102"), "x -C 127.0.0.1:7050");
        assert_eq!(real("ls /tmp/kafka-logs-2/t-0"), "ls /tmp/highwater-kafka-1/kafka-logs-2/t-0");
    }

    /// What only looks like a port of the cluster stays.
    #[test]
    fn other_numbers_stay() {
        for command in [
            "seq 9092 9094",
            "x localhost:90921",
            "x localhost:9103 localhost:9091",
            "x localhost",
            "x localhost: 9092",
            "x localhost9092",
            "x otherhost:9092 localhost:99999999999999999999",
            "",
        ] {
            assert_eq!(addresses().to_real(command), command);
        }
    }

    /// Answers name servers, endpoints in columns, addresses and folders.
    #[test]
    fn a_line_comes_back() {
        let recorded = |line: &str| addresses().to_recorded(line);
        assert_eq!(
            recorded("node 2 (localhost/127.0.0.1:7041) gone, localhost:7041"),
            "node 2 (localhost/127.0.0.1:9093) gone, localhost:9093"
        );
        assert_eq!(recorded("1     localhost  7040   null"), "1     localhost  9092   null");
        assert_eq!(
            recorded("Dumping /tmp/highwater-kafka-1/kafka-logs-3/t-0/0.log"),
            "Dumping /tmp/kafka-logs-3/t-0/0.log"
        );
        assert_eq!(recorded("in /tmp/highwater-kafka-1/folder"), "in [dir]/folder");
        assert_eq!(recorded("7040\t7041"), "7040\t7041");
    }

    /// A way there and back changes nothing.
    #[test]
    fn there_and_back_is_the_same() {
        for port in 9092..9092 + PORTS {
            let text = format!("ü localhost:{port} /tmp/kafka-logs-1 127.0.0.1:{port}/");
            let moved = addresses().to_real(&text);
            assert!(!moved.contains(&format!(":{port}")), "{moved}");
            assert_eq!(addresses().to_recorded(&moved), text);
        }
    }

    /// Two runs at the same time have ports of their own; a used port is left alone.
    #[test]
    fn rows_of_ports_do_not_overlap() {
        let one = Ports::claim().unwrap();
        let two = Ports::claim().unwrap();
        assert!(one.first.abs_diff(two.first) > PORTS);
        let taken = two.first;
        drop(two);
        let in_use = TcpListener::bind(("127.0.0.1", taken + 3)).unwrap();
        assert_ne!(Ports::claim().unwrap().first, taken);
        drop(in_use);
    }
}
