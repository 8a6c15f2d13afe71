//! A real cluster on this machine: one controller (node 100) and brokers 1 to N, each a JVM, in a
//! folder of its own. Ports and log folders are not those of the transcripts, so that nothing else
//! on the machine is disturbed: they are translated on the way in and out.

use std::fs;
use std::net::TcpListener;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use highwater_core::world::options::OwnSetting;
use highwater_shell::transcript::Transcript;

use crate::launchers;

const CONTROLLER: u32 = 100;
/// Where the transcripts have the first broker and the controller.
const RECORDED_PORT: u16 = 9092;
const RECORDED_LOGS: &str = "/tmp/kafka-logs-";
const UP_WITHIN: Duration = Duration::from_secs(90);
/// Ports of one cluster: brokers from the first on, the controller at the tenth after it.
const PORTS: u16 = 11;

/// A running cluster; it ends when dropped, and also when this process is killed.
pub(crate) struct Cluster {
    home: PathBuf,
    port: u16,
    guardian: Child,
}

impl Cluster {
    /// Formats, starts and waits until every broker answers.
    pub(crate) fn start(class_path: &str, transcript: &Transcript) -> Result<Self, String> {
        let home = std::env::temp_dir().join(format!("highwater-kafka-{}", std::process::id()));
        let told = |e: std::io::Error| format!("Cannot write {}: {e}.", home.display());
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(home.join("bin")).map_err(told)?;
        fs::create_dir_all(home.join("folder")).map_err(told)?;
        fs::write(home.join("class-path"), class_path).map_err(told)?;
        fs::write(home.join("tools.xml"), logging("WARN")).map_err(told)?;
        fs::write(home.join("server.xml"), logging("INFO")).map_err(told)?;
        launchers::write(&home.join("bin"), &home).map_err(told)?;
        let guardian = guardian(&home)?;
        let cluster = Self { home, port: free_ports()?, guardian };
        let brokers = 1..=transcript.brokers;
        for node in brokers.clone().chain([CONTROLLER]) {
            fs::write(cluster.properties(node), cluster.describe(node, transcript))
                .map_err(|e| format!("Cannot write the properties of node {node}: {e}."))?;
        }
        cluster.format(brokers.clone().chain([CONTROLLER]))?;
        for node in [CONTROLLER].into_iter().chain(brokers) {
            run(Command::new(cluster.bin().join("start-node")).arg(node.to_string()))?;
        }
        cluster.wait_until_up(transcript.brokers)?;
        Ok(cluster)
    }

    /// The folder that the transcript's shell starts in.
    pub(crate) fn folder(&self) -> PathBuf {
        self.home.join("folder")
    }

    /// Where the tools are.
    pub(crate) fn bin(&self) -> PathBuf {
        self.home.join("bin")
    }

    /// Where everything of the cluster is.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Remembers a process group, so that it ends with the cluster.
    pub(crate) fn keep_group(&self, name: &str, id: u32) -> Result<(), String> {
        fs::write(self.home.join(format!("{name}.group")), format!("{id}\n"))
            .map_err(|e| format!("Cannot note a process: {e}."))
    }

    /// A command of a transcript with this cluster's ports and folders.
    pub(crate) fn to_real(&self, command: &str) -> String {
        let mut real = command.replace(RECORDED_LOGS, &self.logs());
        for n in 0..PORTS {
            let (recorded, own) = (RECORDED_PORT + n, self.port + n);
            real = real.replace(&format!("localhost:{recorded}"), &format!("localhost:{own}"));
        }
        real
    }

    /// A line of output with the ports and folders of the transcripts.
    pub(crate) fn to_recorded(&self, line: &str) -> String {
        let mut recorded = line.replace(&self.logs(), RECORDED_LOGS);
        for n in 0..PORTS {
            for host in ["localhost", "127.0.0.1"] {
                let (from, to) = (self.port + n, RECORDED_PORT + n);
                recorded = recorded.replace(&format!("{host}:{from}"), &format!("{host}:{to}"));
            }
        }
        recorded.replace(&self.home.display().to_string(), "[dir]")
    }

    fn logs(&self) -> String {
        format!("{}/kafka-logs-", self.home.display())
    }

    fn properties(&self, node: u32) -> PathBuf {
        self.home.join(format!("node-{node}.properties"))
    }

    /// The node's server.properties: stock defaults, but for internal topics that fit the number of
    /// brokers.
    fn describe(&self, node: u32, transcript: &Transcript) -> String {
        let (port, logs) = (self.port, self.logs());
        let controller = port + 10;
        let mut lines = vec![
            format!("node.id={node}"),
            format!("controller.quorum.bootstrap.servers=127.0.0.1:{controller}"),
            "controller.listener.names=CONTROLLER".to_owned(),
            "listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT".to_owned(),
            format!("log.dirs={logs}{node}"),
        ];
        if node == CONTROLLER {
            lines.push("process.roles=controller".to_owned());
            lines.push(format!("listeners=CONTROLLER://127.0.0.1:{controller}"));
            lines.push(format!("advertised.listeners=CONTROLLER://127.0.0.1:{controller}"));
        } else {
            let own = u32::from(port) + node - 1;
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
        lines.extend(
            transcript.broker_properties.iter().map(|(key, value)| format!("{key}={value}")),
        );
        // Of two lines Java takes the last one.
        let own = transcript.own_properties.iter();
        let own = own.filter(|line| line.broker.0.unsigned_abs() == node);
        lines.extend(own.map(|OwnSetting { key, value, .. }| format!("{key}={value}")));
        lines.join("\n") + "\n"
    }

    /// Gives each node's log folder the id of the cluster.
    fn format(&self, nodes: impl Iterator<Item = u32>) -> Result<(), String> {
        let class_path = fs::read_to_string(self.home.join("class-path")).unwrap_or_default();
        let mut started = Vec::new();
        for node in nodes {
            let mut command = Command::new("java");
            command
                .args(launchers::JVM)
                .arg(format!("-Dlog4j2.configurationFile={}/tools.xml", self.home.display()))
                .args(["-cp", &class_path, "kafka.tools.StorageTool", "format"])
                .args(["--cluster-id", "aGlnaHdhdGVyLXdhdGVyMQ", "--config"])
                .arg(self.properties(node))
                .args((node == CONTROLLER).then_some("--standalone"))
                .stdout(Stdio::piped())
                .stderr(Stdio::piped());
            let child =
                command.spawn().map_err(|e| format!("Cannot start java: {e}; install a JDK."))?;
            started.push((node, child));
        }
        for (node, child) in started {
            let ended = child.wait_with_output().map_err(|e| format!("java: {e}."))?;
            if !ended.status.success() {
                let said = String::from_utf8_lossy(&ended.stderr).into_owned();
                return Err(format!("Kafka cannot format the folder of node {node}: {said}"));
            }
        }
        Ok(())
    }

    fn wait_until_up(&self, brokers: u32) -> Result<(), String> {
        let until = Instant::now() + UP_WITHIN;
        while Instant::now() < until {
            let asked = Command::new(self.bin().join("kafka-broker-api-versions.sh"))
                .args(["--bootstrap-server", &format!("localhost:{}", self.port)])
                .stderr(Stdio::null())
                .output();
            let answers =
                asked.map_or(0, |a| String::from_utf8_lossy(&a.stdout).matches("(id: ").count());
            if answers >= brokers as usize {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(500));
        }
        let log = fs::read_to_string(self.home.join("node-1.log")).unwrap_or_default();
        let last: Vec<&str> = log.lines().rev().take(5).collect();
        let seconds = UP_WITHIN.as_secs();
        Err(format!(
            "The cluster is not up after {seconds} s; broker 1 said last: {}",
            last.join(" / ")
        ))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = Command::new(self.bin().join("end")).stderr(Stdio::null()).status();
        let _ = self.guardian.kill();
        let _ = self.guardian.wait();
    }
}

/// Ends the cluster also when this process is killed or interrupted: a script that waits for that.
fn guardian(home: &Path) -> Result<Child, String> {
    let told = |e: std::io::Error| format!("Cannot start the cluster's guardian: {e}.");
    let at = home.display();
    let end = format!(
        "#!/bin/bash\n\
         for group in {at}/*.group; do kill -9 -- -\"$(cat \"$group\")\"; done\n\
         for node in {at}/*.pid; do kill -9 \"$(cat \"$node\")\"; done\n\
         sleep 0.2\n\
         rm -rf {at}\n"
    );
    launchers::write_script(&home.join("bin/end"), &end).map_err(told)?;
    let watch = format!(
        "while kill -0 {} 2>/dev/null; do sleep 1; done; exec {at}/bin/end 2>/dev/null",
        std::process::id()
    );
    let mut command = Command::new("bash");
    command.args(["-c", &watch]).stdin(Stdio::null()).process_group(0);
    command.spawn().map_err(told)
}

/// The first run of free ports that is long enough.
fn free_ports() -> Result<u16, String> {
    let free = |port: u16| TcpListener::bind(("127.0.0.1", port)).is_ok();
    (19_092..29_092).step_by(100).find(|first| (*first..*first + PORTS).all(free)).ok_or_else(
        || "No free ports for a cluster were found; stop what listens there.".to_owned(),
    )
}

fn logging(level: &str) -> String {
    format!(
        "<Configuration><Appenders><Console name=\"E\" target=\"SYSTEM_ERR\">\
         <PatternLayout pattern=\"[%d] %p %m (%c)%n\"/></Console></Appenders>\
         <Loggers><Root level=\"{level}\"><AppenderRef ref=\"E\"/></Root></Loggers>\
         </Configuration>\n"
    )
}

fn run(command: &mut Command) -> Result<(), String> {
    let ended = command.status().map_err(|e| format!("Cannot start a node: {e}."))?;
    if ended.success() { Ok(()) } else { Err("A node could not be started.".to_owned()) }
}
