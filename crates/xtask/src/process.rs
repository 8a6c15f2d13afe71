//! Runs other programs: with a bound on time, a sign of life every 15 seconds, and their output
//! kept. It does not decide what a failure means; the caller does.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::trouble::{Outcome, Trouble};

const SIGN_OF_LIFE: Duration = Duration::from_secs(15);

/// What happens to the lines that a program prints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// Shown as they come, and kept.
    Show,
    /// Only kept; the caller shows them when something failed.
    Keep,
}

/// One program to run.
pub(crate) struct Job {
    label: String,
    command: Command,
    bound: Duration,
    output: Output,
    signs_of_life: bool,
}

/// How a program ended.
pub(crate) struct Ended {
    /// Its exit status; `None` when it was stopped at the bound.
    pub status: Option<ExitStatus>,
    /// What it printed, standard output and error in the order of arrival.
    pub text: String,
}

impl Ended {
    /// Whether it ended by itself and well.
    pub(crate) fn is_ok(&self) -> bool {
        self.status.is_some_and(|s| s.success())
    }

    /// The last lines of what it printed, for a message.
    pub(crate) fn tail(&self, lines: usize) -> String {
        let all: Vec<&str> = self.text.lines().collect();
        all[all.len().saturating_sub(lines)..].join("\n")
    }
}

impl Job {
    /// A program with a label for people.
    pub(crate) fn new(label: impl Into<String>, program: impl AsRef<OsStr>) -> Self {
        let mut command = Command::new(program);
        command.stdin(Stdio::null());
        let bound = Duration::from_secs(3600);
        Self { label: label.into(), command, bound, output: Output::Show, signs_of_life: true }
    }

    /// Its arguments.
    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.command.args(args);
        self
    }

    /// An option and its path.
    pub(crate) fn arg_pair(mut self, option: &str, path: &Path) -> Self {
        self.command.arg(option).arg(path);
        self
    }

    /// One environment variable.
    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    /// Takes a variable away, so that what the caller was given does not leak into the program.
    pub(crate) fn without_env(mut self, name: &str) -> Self {
        self.command.env_remove(name);
        self
    }

    /// The folder it runs in.
    pub(crate) fn dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.command.current_dir(dir);
        self
    }

    /// When it is stopped.
    pub(crate) fn bound(mut self, bound: Duration) -> Self {
        self.bound = bound;
        self
    }

    /// For what runs as long as a person wants.
    pub(crate) fn without_signs_of_life(mut self) -> Self {
        self.signs_of_life = false;
        self
    }

    /// Keeps the output instead of showing it.
    pub(crate) fn quiet(mut self) -> Self {
        self.output = Output::Keep;
        self
    }

    /// Runs it to its end. An error means that it could not even be started.
    pub(crate) fn run(mut self) -> Outcome<Ended> {
        let program = self.command.get_program().to_os_string();
        self.command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = self.command.spawn().map_err(|e| cannot_start(&program, &e))?;
        let lines = read_lines(&mut child);
        let mut text = String::new();
        let started = Instant::now();
        let mut last_sign = Instant::now();
        loop {
            let left = self.bound.saturating_sub(started.elapsed());
            if left.is_zero() {
                stop_tree(&mut child);
                return Ok(Ended { status: None, text });
            }
            match lines.recv_timeout(left.min(SIGN_OF_LIFE.saturating_sub(last_sign.elapsed()))) {
                Ok(line) => {
                    if self.output == Output::Show {
                        print!("{line}");
                        last_sign = Instant::now();
                    }
                    text.push_str(&line);
                }
                Err(RecvTimeoutError::Timeout) if last_sign.elapsed() >= SIGN_OF_LIFE => {
                    if self.signs_of_life {
                        println!("  ... {}, {} s so far", self.label, started.elapsed().as_secs());
                    }
                    last_sign = Instant::now();
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        let status = child.wait().map_err(|e| cannot_start(&program, &e))?;
        Ok(Ended { status: Some(status), text })
    }

    /// Runs it and takes anything but success as trouble, with `remedy` as the last sentence.
    pub(crate) fn must(self, remedy: &str) -> Outcome<String> {
        let (label, bound, output) = (self.label.clone(), self.bound, self.output);
        let ended = self.run()?;
        if ended.is_ok() {
            return Ok(ended.text);
        }
        if output == Output::Keep {
            eprintln!("{}", ended.tail(30));
        }
        let how = match ended.status.and_then(|s| s.code()) {
            Some(code) => format!("failed with exit code {code}"),
            None if ended.status.is_some() => "was stopped by a signal".to_owned(),
            None => format!("was stopped after {} s", bound.as_secs()),
        };
        Err(Trouble::new(format!("{label} {how}; {remedy}")))
    }
}

fn cannot_start(program: &OsStr, e: &std::io::Error) -> Trouble {
    let name = program.to_string_lossy();
    if e.kind() == std::io::ErrorKind::NotFound {
        Trouble::new(format!("`{name}` is not on PATH; install it and try again."))
    } else {
        Trouble::new(format!("Could not run `{name}`: {e}."))
    }
}

/// One channel with the lines of both streams; it closes when both have ended.
fn read_lines(child: &mut Child) -> mpsc::Receiver<String> {
    let (send, receive) = mpsc::channel();
    if let Some(stream) = child.stdout.take() {
        forward(stream, send.clone());
    }
    if let Some(stream) = child.stderr.take() {
        forward(stream, send);
    }
    receive
}

fn forward(stream: impl Read + Send + 'static, to: Sender<String>) {
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut line = Vec::new();
        while matches!(reader.read_until(b'\n', &mut line), Ok(n) if n > 0) {
            if to.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
            line.clear();
        }
    });
}

/// Stops a program and all that it started, so that no compiler or browser is left behind.
pub(crate) fn stop_tree(child: &mut Child) {
    for pid in descendants(child.id()) {
        let _ = Command::new("kill").args(["-9", &pid.to_string()]).stderr(Stdio::null()).status();
    }
    let _ = child.kill();
    let _ = child.wait();
}

fn descendants(of: u32) -> Vec<u32> {
    let Ok(listed) = Command::new("ps").args(["-A", "-o", "pid=,ppid="]).output() else {
        return Vec::new();
    };
    let pairs: Vec<(u32, u32)> = String::from_utf8_lossy(&listed.stdout)
        .lines()
        .filter_map(|line| {
            let mut numbers = line.split_whitespace().filter_map(|n| n.parse().ok());
            Some((numbers.next()?, numbers.next()?))
        })
        .collect();
    let mut found = vec![of];
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        found.extend(pairs.iter().filter(|(_, p)| *p == parent).map(|(pid, _)| *pid));
        next += 1;
    }
    found.split_off(1)
}

/// The first file of that name on a PATH-like list that can be run.
pub(crate) fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| is_runnable(file))
}

fn is_runnable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// PATH with these folders in front.
pub(crate) fn path_with(folders: &[PathBuf]) -> Outcome<OsString> {
    let old = std::env::var_os("PATH").unwrap_or_default();
    let all = folders.iter().cloned().chain(std::env::split_paths(&old));
    std::env::join_paths(all)
        .map_err(|e| Trouble::new(format!("A folder of the tool cache cannot be on PATH: {e}.")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_over_its_bound_is_stopped_with_its_children() {
        let mark = format!("31{}", std::process::id());
        let job = Job::new("sleeping", "sh").args(["-c", &format!("sleep {mark}; true")]);
        let ended = job.bound(Duration::from_millis(300)).quiet().run().unwrap();
        assert!(ended.status.is_none());
        thread::sleep(Duration::from_millis(100));
        let listed = Command::new("ps").args(["-A", "-o", "args="]).output().unwrap();
        let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
        assert!(!listed.lines().any(|l| l.trim() == format!("sleep {mark}")), "{listed}");
    }

    #[test]
    fn a_failure_names_the_label_and_the_remedy() {
        let job = Job::new("Counting", "sh").args(["-c", "exit 3"]).quiet();
        let said = job.must("count again.").unwrap_err().to_string();
        assert_eq!(said, "Counting failed with exit code 3; count again.");
        let said = Job::new("x", "no-such-program-here").run().err().map(|e| e.to_string());
        assert_eq!(
            said.as_deref(),
            Some("`no-such-program-here` is not on PATH; install it and try again.")
        );
    }
}
