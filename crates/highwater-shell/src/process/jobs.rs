//! Jobs: what a shell has started and does not wait for.
//!
//! Decides their numbers, which one `%1` means, and how `jobs` shows them.

use highwater_core::ids::ProcessId;
use highwater_core::world::process::STATUS_KILLED;

use crate::process::shell::{STATUS_INTERRUPTED, STATUS_TERMINATED};

/// So many processes may run in the background of one shell.
pub(super) const MOST_JOBS: usize = 500;

/// A job.
#[derive(Clone, Debug)]
pub(super) struct Job {
    number: u32,
    /// The processes of its pipeline, with the status of those that have ended.
    pub(super) members: Vec<(ProcessId, Option<u8>)>,
    text: Vec<u8>,
    /// Whether its last process is a Java program: told to end, that ends by itself, with a status.
    is_java: bool,
}

/// All jobs of a shell.
#[derive(Clone, Debug, Default)]
pub(super) struct Jobs {
    /// In the order of their numbers.
    list: Vec<Job>,
    /// Ended ones that are in the list no longer.
    ended: Vec<(ProcessId, u8)>,
}

impl Job {
    /// Whether a signal has ended it.
    fn was_killed(&self) -> bool {
        match self.status() {
            Some(STATUS_KILLED) => true,
            Some(STATUS_INTERRUPTED | STATUS_TERMINATED) => !self.is_java,
            _ => false,
        }
    }

    /// What `$!` says of it.
    pub(super) fn process(&self) -> Option<ProcessId> {
        self.members.last().map(|(process, _)| *process)
    }

    /// The status of its last process, when all have ended.
    fn status(&self) -> Option<u8> {
        let (_, last) = self.members.last()?;
        self.members.iter().all(|(_, status)| status.is_some()).then_some(*last)?
    }
}

impl Jobs {
    /// Takes a new job.
    pub(super) fn add(&mut self, members: Vec<ProcessId>, text: Vec<u8>, is_java: bool) {
        let number = self.list.last().map_or(1, |last| last.number + 1);
        let members = members.into_iter().map(|process| (process, None)).collect();
        self.list.push(Job { number, members, text, is_java });
    }

    /// How many of them run.
    pub(super) fn running(&self) -> usize {
        self.list.iter().filter(|job| job.status().is_none()).count()
    }

    /// A process has ended.
    pub(super) fn note_exit(&mut self, process: ProcessId, status: u8) {
        for (member, ended) in self.list.iter_mut().flat_map(|job| &mut job.members) {
            if *member == process {
                *ended = Some(status);
            }
        }
        // What a signal has ended a shell that runs a script drops from its list by itself.
        let job = self.list.iter().find(|job| job.members.iter().any(|(it, _)| *it == process));
        if job.is_some_and(Job::was_killed) {
            let last = job.and_then(Job::process);
            self.forget(last);
        }
    }

    /// The job that `%1`, `%%`, `%+` or `%-` means; text without `%` is no job.
    pub(super) fn by_name(&self, name: &str) -> Option<&Job> {
        let count = self.list.len();
        match name.strip_prefix('%')? {
            "" | "%" | "+" => self.list.last(),
            "-" => self.list.get(count.saturating_sub(2)),
            text => {
                let number: u32 = text.parse().ok()?;
                self.list.iter().find(|job| job.number == number)
            }
        }
    }

    /// The status of a process that was in the background; `Some(None)`: it still runs.
    pub(super) fn status_of(&self, process: ProcessId) -> Option<Option<u8>> {
        let mut jobs = self.list.iter();
        if let Some(job) = jobs.find(|job| job.process() == Some(process)) {
            return Some(job.status());
        }
        self.ended
            .iter()
            .rev()
            .find(|(ended, _)| *ended == process)
            .map(|(_, status)| Some(*status))
    }

    /// Whether a process of some job still runs.
    pub(super) fn is_alive(&self, process: ProcessId) -> bool {
        let mut members = self.list.iter().flat_map(|job| &job.members);
        members.any(|(member, status)| *member == process && status.is_none())
    }

    /// Some job that has ended and was not asked for yet.
    pub(super) fn any_ended(&self) -> Option<ProcessId> {
        self.list.iter().find(|job| job.status().is_some()).and_then(Job::process)
    }

    /// Takes ended jobs out of the list: all of them, or that of one process.
    pub(super) fn forget(&mut self, only: Option<ProcessId>) {
        let Self { list, ended } = self;
        list.retain(|job| {
            let (Some(status), Some(process)) = (job.status(), job.process()) else { return true };
            if only.is_some_and(|only| only != process) {
                return true;
            }
            ended.push((process, status));
            false
        });
        let surplus = ended.len().saturating_sub(2 * MOST_JOBS);
        ended.drain(..surplus);
    }

    /// The lines of `jobs`. Those that have ended are shown for the last time.
    pub(super) fn show(&self, only: Option<&Job>, with_process: bool) -> Vec<u8> {
        let mut text = Vec::new();
        let count = self.list.len();
        for (place, job) in self.list.iter().enumerate() {
            if only.is_some_and(|only| only.number != job.number) {
                continue;
            }
            let mark = match count - place {
                1 => '+',
                2 => '-',
                _ => ' ',
            };
            let state = match job.status() {
                None => "Running".to_owned(),
                Some(0) => "Done".to_owned(),
                Some(status) => format!("Exit {status}"),
            };
            let process = match (with_process, job.process()) {
                (true, Some(process)) => format!("{:>5} ", process.0),
                _ => " ".to_owned(),
            };
            text.extend(format!("[{}]{mark} {process}{state:<24}", job.number).into_bytes());
            text.extend_from_slice(&job.text);
            text.extend_from_slice(if job.status().is_none() { b" &\n" } else { b"\n" });
        }
        text
    }

    /// The numbers that `jobs -p` prints.
    pub(super) fn processes(&self) -> impl Iterator<Item = ProcessId> {
        self.list.iter().filter_map(|job| job.members.first()).map(|(process, _)| *process)
    }
}
