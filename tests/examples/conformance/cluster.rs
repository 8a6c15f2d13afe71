//! A real cluster on this machine: one controller and brokers 1 to N, each a JVM, in a folder of
//! its own, so that nothing else on the machine is disturbed.

use std::fs;
use std::io::ErrorKind;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use highwater_shell::transcript::Transcript;

use crate::addresses::{Addresses, BROKERS_MAX, Ports};
use crate::guardian::Guardian;
use crate::launchers;
use crate::settings::{self, CONTROLLER};

/// A busy machine with two cores took over a minute.
const UP_WITHIN: Duration = Duration::from_secs(240);
/// Lines of a broker's log that are shown when the cluster does not come up.
const LAST_WORDS: usize = 8;

/// A running cluster; it ends when dropped.
pub(crate) struct Cluster {
    home: PathBuf,
    addresses: Addresses,
    // In this order: the ports are given up when nobody listens to them any more.
    guardian: Guardian,
    ports: Ports,
}

impl Cluster {
    /// Formats, starts and waits until every broker answers.
    pub(crate) fn start(class_path: &str, transcript: &Transcript) -> Result<Self, String> {
        if transcript.brokers > BROKERS_MAX {
            return Err(format!("There are ports for at most {BROKERS_MAX} brokers."));
        }
        let home = new_folder()?;
        let guardian = Guardian::of(&home)?;
        let told = |e: std::io::Error| format!("Cannot write {}: {e}.", home.display());
        fs::create_dir_all(home.join("bin")).map_err(told)?;
        fs::create_dir_all(home.join("folder")).map_err(told)?;
        fs::write(home.join("class-path"), class_path).map_err(told)?;
        fs::write(home.join("tools.xml"), logging("WARN")).map_err(told)?;
        fs::write(home.join("server.xml"), logging("INFO")).map_err(told)?;
        launchers::write(&home.join("bin"), &home).map_err(told)?;
        let ports = Ports::claim()?;
        let addresses = Addresses::new(&ports, &home.display().to_string());
        let cluster = Self { home, addresses, guardian, ports };
        let nodes: Vec<u32> = [CONTROLLER].into_iter().chain(1..=transcript.brokers).collect();
        cluster.format(class_path, transcript, &nodes)?;
        for node in &nodes {
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

    /// How what the transcripts say leads here, and back.
    pub(crate) fn addresses(&self) -> &Addresses {
        &self.addresses
    }

    /// Sees to it that a process group ends with the cluster.
    pub(crate) fn keep_group(&self, name: &str, id: u32) -> Result<(), String> {
        self.guardian.note(name, id)
    }

    /// Gives each node its properties, and its log folder the id of the cluster.
    fn format(
        &self,
        class_path: &str,
        transcript: &Transcript,
        nodes: &[u32],
    ) -> Result<(), String> {
        let mut started = Vec::new();
        for &node in nodes {
            let file = self.home.join(format!("node-{node}.properties"));
            let text = settings::of_node(node, transcript, &self.ports, &self.addresses);
            fs::write(&file, text).map_err(|e| format!("Cannot write {}: {e}.", file.display()))?;
            let child = Command::new("java")
                .args(launchers::JVM)
                .arg(format!("-Dlog4j2.configurationFile={}/tools.xml", self.home.display()))
                .args(["-cp", class_path, "kafka.tools.StorageTool", "format"])
                .args(["--cluster-id", "aGlnaHdhdGVyLXdhdGVyMQ", "--config"])
                .arg(&file)
                .args((node == CONTROLLER).then_some("--standalone"))
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .process_group(0)
                .spawn()
                .map_err(|e| format!("Cannot start java: {e}; install a JDK."))?;
            self.keep_group(&format!("format-{node}"), child.id())?;
            started.push((node, child));
        }
        for (node, child) in started {
            let ended = child.wait_with_output().map_err(|e| format!("java: {e}."))?;
            let file = self.home.join(format!("format-{node}.{}", crate::guardian::GROUP));
            let _ = fs::remove_file(file);
            if !ended.status.success() {
                let said = String::from_utf8_lossy(&ended.stderr).into_owned();
                return Err(format!("Kafka cannot format the folder of node {node}: {said}"));
            }
        }
        Ok(())
    }

    fn wait_until_up(&self, brokers: u32) -> Result<(), String> {
        let until = Instant::now() + UP_WITHIN;
        let server = format!("localhost:{}", self.ports.broker(1));
        while Instant::now() < until {
            let asked = Command::new(self.bin().join("kafka-broker-api-versions.sh"))
                .args(["--bootstrap-server", &server])
                .stdin(Stdio::null())
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
        let lines: Vec<&str> = log.lines().collect();
        let last = lines[lines.len().saturating_sub(LAST_WORDS)..].join("\n");
        let seconds = UP_WITHIN.as_secs();
        Err(format!("The cluster is not up after {seconds} s; broker 1 said last:\n{last}"))
    }
}

/// A folder that nobody else has.
fn new_folder() -> Result<PathBuf, String> {
    let told = |e: std::io::Error| format!("Cannot make a folder for a cluster: {e}.");
    // The real name: tools print it, and it is looked for in what they print.
    let all = std::env::temp_dir().canonicalize().map_err(told)?;
    let mut number = 0;
    loop {
        let home = all.join(format!("highwater-kafka-{}-{number}", std::process::id()));
        match fs::create_dir(&home) {
            Ok(()) => return Ok(home),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => number += 1,
            Err(e) => return Err(told(e)),
        }
    }
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
