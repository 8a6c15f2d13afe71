//! One bash for a whole transcript: it gets the commands one by one, and what comes out until the
//! next is theirs.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use highwater_shell::session::Outcome;

use crate::cluster::Cluster;

/// How long one command may take, beside what it sleeps.
const BOUND: Duration = Duration::from_secs(180);

/// A running bash.
pub(crate) struct Session<'a> {
    cluster: &'a Cluster,
    bash: Child,
    input: ChildStdin,
    lines: Receiver<Vec<u8>>,
    commands: u32,
}

impl<'a> Session<'a> {
    /// Starts it where the tools of this cluster are on PATH.
    pub(crate) fn start(cluster: &'a Cluster) -> Result<Self, String> {
        let told = |e: std::io::Error| format!("Cannot start bash: {e}.");
        // One pipe for both streams, so that lines stay in the order in which they were written.
        let (output, both) = std::io::pipe().map_err(told)?;
        let old_path = std::env::var("PATH").unwrap_or_default();
        let mut bash = Command::new("bash")
            .args(["--noprofile", "--norc"])
            .current_dir(cluster.folder())
            .env("PATH", format!("{}:{old_path}", cluster.bin().display()))
            .env("HOME", cluster.home())
            .env("LC_ALL", "C.UTF-8")
            .env("TZ", "UTC")
            .stdin(Stdio::piped())
            .stdout(both.try_clone().map_err(told)?)
            .stderr(both)
            .process_group(0)
            .spawn()
            .map_err(told)?;
        cluster.keep_group("session", bash.id())?;
        let input = bash.stdin.take().ok_or("Cannot write to bash.")?;
        let (send, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(output);
            let mut line = Vec::new();
            while matches!(reader.read_until(b'\n', &mut line), Ok(n) if n > 0) {
                if send.send(std::mem::take(&mut line)).is_err() {
                    return;
                }
            }
        });
        Ok(Self { cluster, bash, input, lines, commands: 0 })
    }

    /// Runs one command to its end.
    pub(crate) fn run(&mut self, command: &str) -> Result<Outcome, String> {
        self.commands += 1;
        let mark = format!("end-of-command-{}-{}", self.commands, self.bash.id());
        let real = self.cluster.addresses().to_real(command);
        writeln!(self.input, "{real}\n__status=$?; echo; echo {mark} $__status")
            .map_err(|_| format!("bash had ended before `{command}`; the rest is not played."))?;
        let bound = BOUND + asleep(command);
        let until = Instant::now() + bound;
        let mut output = Vec::new();
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left).map_err(|e| match e {
                RecvTimeoutError::Timeout => {
                    let seconds = bound.as_secs();
                    format!("`{command}` did not end in {seconds} s; the rest is not played.")
                }
                RecvTimeoutError::Disconnected => {
                    format!("bash ended at `{command}`; the rest is not played.")
                }
            })?;
            let line = String::from_utf8_lossy(&line).trim_end_matches('\n').to_owned();
            if let Some(status) = line.strip_prefix(&mark) {
                // The empty line of our own `echo`, unless it ended a line of the command's.
                if output.last().is_some_and(String::is_empty) {
                    output.pop();
                }
                let exit =
                    status.trim().parse().map_err(|_| "bash gave no exit status.".to_owned())?;
                return Ok(Outcome { output, exit });
            }
            output.push(self.cluster.addresses().to_recorded(&line));
        }
    }
}

/// How long a command says that it sleeps: all of its `sleep N` one after the other.
fn asleep(command: &str) -> Duration {
    let words: Vec<&str> =
        command.split(|c: char| c.is_whitespace() || ";&|()".contains(c)).collect();
    let sleeps = words.windows(2).filter(|pair| pair[0] == "sleep");
    sleeps.filter_map(|pair| pair[1].parse().ok()).map(Duration::from_secs).sum()
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        let _ = self.bash.kill();
        let _ = self.bash.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_may_sleep_as_long_as_it_says() {
        assert_eq!(asleep("sleep 330"), Duration::from_secs(330));
        assert_eq!(asleep("(echo a; sleep 8; echo b; sleep 20)&"), Duration::from_secs(28));
        assert_eq!(asleep("echo sleeps 5; sleep $N"), Duration::ZERO);
    }
}
