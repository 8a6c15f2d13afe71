//! The shell's own commands: those that change the shell or look into it.
//!
//! Decides what they do and say. They take no time, but for `wait`.

use highwater_core::ids::ProcessId;
use highwater_core::number;
use highwater_core::world::files::HOME;
use highwater_core::world::process::Signal;

use crate::process::Out;
use crate::process::jobs::Job;
use crate::process::shell::{Frame, STATUS_NOT_FOUND, Shell};

/// What a command of the shell said, and its status.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
    pub(super) status: u8,
}

/// Names of signals, by number, as far as they are known here.
const SIGNALS: &[(u8, &str)] = &[
    (1, "HUP"),
    (2, "INT"),
    (3, "QUIT"),
    (9, "KILL"),
    (10, "USR1"),
    (12, "USR2"),
    (15, "TERM"),
    (18, "CONT"),
    (19, "STOP"),
    (20, "TSTP"),
];

const KILL_USAGE: &str = "kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... \
                          or kill -l [sigspec]\n";

impl Said {
    fn status(status: u8) -> Self {
        Self { status, ..Self::default() }
    }

    fn print(stdout: Vec<u8>) -> Self {
        Self { stdout, ..Self::default() }
    }

    fn complain(&mut self, message: &str, status: u8) {
        self.stderr.push_str(message);
        self.status = status;
    }

    fn error(message: &str, status: u8) -> Self {
        Self { stderr: message.to_owned(), status, ..Self::default() }
    }
}

/// Whether a command is the shell's own.
pub(super) fn is_known(name: &[u8]) -> bool {
    const NAMES: [&[u8]; 13] = [
        b":",
        b"break",
        b"cd",
        b"continue",
        b"exit",
        b"export",
        b"false",
        b"jobs",
        b"kill",
        b"pwd",
        b"true",
        b"unset",
        b"wait",
    ];
    NAMES.contains(&name)
}

impl Shell {
    /// Runs a command of the shell's own.
    pub(super) fn builtin(&mut self, name: &str, arguments: &[Vec<u8>], out: &mut Out<'_>) -> Said {
        let words: Vec<String> =
            arguments.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match name {
            "break" | "continue" => self.leave_loop(name, &words),
            "cd" => self.change_directory(arguments, out),
            "exit" => self.exit(&words),
            "export" => self.export(arguments),
            "jobs" => self.jobs(&words),
            "kill" => self.kill(&words, out),
            "pwd" => Said::print([out.directory(), b"\n"].concat()),
            "unset" => {
                for name in words {
                    self.environment.variables.remove(&name.to_owned());
                }
                Said::default()
            }
            "wait" => self.wait(&words),
            name => Said::status(u8::from(name == "false")),
        }
    }

    fn leave_loop(&mut self, name: &str, words: &[&str]) -> Said {
        let levels = words.first().map_or(Some(1), |word| number::unsigned(word));
        let Some(levels) = levels.filter(|levels| *levels > 0) else {
            return Said::error(
                &format!("bash: {name}: {}: loop count out of range\n", words[0]),
                1,
            );
        };
        let is_loop = |frame: &Frame| matches!(frame, Frame::Loop(_));
        let loops = self.todo.iter().filter(|frame| is_loop(frame)).count();
        if loops == 0 {
            let message =
                format!("bash: {name}: only meaningful in a `for', `while', or `until' loop\n");
            return Said { stderr: message, ..Said::default() };
        }
        let mut left = levels.min(loops as u64);
        while let Some(frame) = self.todo.pop() {
            if let Frame::Restore(stdio) = &frame {
                self.restore(stdio);
            } else if is_loop(&frame) {
                left -= 1;
                if left == 0 {
                    if name == "continue" {
                        self.todo.push(frame);
                    }
                    break;
                }
            }
        }
        Said::default()
    }

    fn change_directory(&mut self, arguments: &[Vec<u8>], out: &mut Out<'_>) -> Said {
        let path = arguments.first().map_or(HOME, Vec::as_slice);
        let is_back = path == b"-";
        let before = self.environment.variables.get(&"OLDPWD".to_owned()).cloned();
        let path = match before {
            None if is_back => return Said::error("bash: cd: OLDPWD not set\n", 1),
            Some(before) if is_back => before,
            _ => path.to_vec(),
        };
        let from = out.directory().to_vec();
        match out.change_directory(&path) {
            Ok(()) => {
                let here = out.directory().to_vec();
                let says = if is_back { [&here[..], b"\n"].concat() } else { Vec::new() };
                self.environment.variables.insert("OLDPWD".to_owned(), from);
                self.environment.variables.insert("PWD".to_owned(), here);
                if is_back { Said::print(says) } else { Said::default() }
            }
            Err(error) => {
                let path = String::from_utf8_lossy(&path);
                Said::error(&format!("bash: cd: {path}: {error}\n"), 1)
            }
        }
    }

    /// Ends a copy of the shell. The shell of a terminal stays, and gives the rest of its line up.
    fn exit(&mut self, words: &[&str]) -> Said {
        self.give_up();
        match words.first() {
            None => Said::status(self.environment.status),
            Some(word) => match number::signed(word) {
                Some(status) => Said::status((status & 0xff) as u8),
                None => Said::error(&format!("bash: exit: {word}: numeric argument required\n"), 2),
            },
        }
    }

    /// `export NAME=value`: as the assignment alone, since commands here see no environment.
    fn export(&mut self, arguments: &[Vec<u8>]) -> Said {
        for argument in arguments {
            let Some(place) = argument.iter().position(|byte| *byte == b'=') else { continue };
            let name = String::from_utf8_lossy(&argument[..place]).into_owned();
            self.environment.variables.insert(name, argument[place + 1..].to_vec());
        }
        Said::default()
    }

    fn jobs(&mut self, words: &[&str]) -> Said {
        let mut said = Said::default();
        let (flags, names): (Vec<&str>, Vec<&str>) =
            words.iter().partition(|word| word.starts_with('-'));
        let flags = flags.concat();
        if let Some(flag) = flags.chars().find(|flag| !"-lprs".contains(*flag)) {
            let message = format!(
                "bash: jobs: -{flag}: invalid option\njobs: usage: jobs [-lnprs] [jobspec ...] or \
                 jobs -x command [args]\n"
            );
            return Said::error(&message, 2);
        }
        let with_process = flags.contains('l');
        if flags.contains('p') {
            for process in self.more.jobs.processes() {
                said.stdout.extend(format!("{process}\n").into_bytes());
            }
            return said;
        }
        if flags.contains('s') {
            // To a shell that runs a script a stopped job is a running one.
            return said;
        }
        for name in &names {
            match self.more.jobs.by_name(name) {
                Some(job) => said.stdout.extend(self.more.jobs.show(Some(job), with_process)),
                None => said.complain(&format!("bash: jobs: {name}: no such job\n"), 1),
            }
        }
        if names.is_empty() {
            said.stdout = self.more.jobs.show(None, with_process);
            self.more.jobs.forget(None);
        }
        said
    }

    fn kill(&mut self, words: &[&str], out: &mut Out<'_>) -> Said {
        let mut words = words;
        let mut signal = "TERM";
        if let Some(flag) = words.first().and_then(|word| word.strip_prefix('-')) {
            words = &words[1..];
            match flag {
                "l" | "L" => return list_signals(words),
                "-" => {}
                "s" | "n" => match words.split_first() {
                    Some((name, rest)) => (signal, words) = (name, rest),
                    None => {
                        let message = format!("bash: kill: -{flag}: option requires an argument\n");
                        return Said::error(&message, 1);
                    }
                },
                name => signal = name,
            }
            if words.first() == Some(&"--") {
                words = &words[1..];
            }
        }
        if words.is_empty() {
            return Said::error(KILL_USAGE, 2);
        }
        let Some(signal) = signal_number(signal) else {
            return Said::error(
                &format!("bash: kill: {signal}: invalid signal specification\n"),
                1,
            );
        };
        let mut said = Said::default();
        for word in words {
            match self.targets(word, out) {
                Ok(processes) => send(signal, &processes, &mut said, out),
                Err(message) => said.complain(&message, 1),
            }
        }
        said
    }

    /// The processes that a word of `kill` means and that still run.
    fn targets(&self, word: &str, out: &Out<'_>) -> Result<Vec<ProcessId>, String> {
        if word.starts_with('%') {
            let job = self.more.jobs.by_name(word);
            let job = job.ok_or_else(|| format!("bash: kill: {word}: no such job\n"))?;
            let alive = job.members.iter().filter(|(_, status)| status.is_none());
            let alive: Vec<_> = alive.map(|(process, _)| *process).collect();
            if alive.is_empty() {
                let process = job.process().map_or(0, |process| process.0);
                return Err(format!("bash: kill: ({process}) - No such process\n"));
            }
            return Ok(alive);
        }
        let process = number::unsigned(word)
            .and_then(|process| u32::try_from(process).ok())
            .ok_or_else(|| format!("bash: kill: {word}: arguments must be process or job IDs\n"))?;
        let process = ProcessId(process);
        let own = self.environment.variables.get(&"$".to_owned());
        if own.is_some_and(|own| own.as_slice() == word.as_bytes()) {
            return Err(format!("bash: kill: ({word}) - the shell of a terminal stays\n"));
        }
        // Those of other terminals, too: they are the same person's.
        if self.more.jobs.is_alive(process) || out.is_running(process) {
            Ok(vec![process])
        } else {
            Err(format!("bash: kill: ({word}) - No such process\n"))
        }
    }

    fn wait(&mut self, words: &[&str]) -> Said {
        let mut said = Said::default();
        if words.first() == Some(&"-n") {
            match self.more.jobs.any_ended() {
                Some(process) => return self.end_wait(process),
                None if self.more.jobs.running() == 0 => return Said::status(STATUS_NOT_FOUND),
                None => self.more.waiting = Some(Vec::new()),
            }
            return said;
        }
        let mut processes = Vec::new();
        for word in words {
            let process = if word.starts_with('%') {
                self.more.jobs.by_name(word).and_then(Job::process)
            } else {
                number::unsigned(word).and_then(|word| u32::try_from(word).ok()).map(ProcessId)
            };
            match process {
                Some(process) if self.more.jobs.status_of(process).is_some() => {
                    processes.push(process);
                    said.status = 0;
                }
                _ if word.starts_with('%') => {
                    said.complain(&format!("bash: wait: {word}: no such job\n"), STATUS_NOT_FOUND);
                }
                Some(_) => {
                    let message = format!("bash: wait: pid {word} is not a child of this shell\n");
                    said.complain(&message, STATUS_NOT_FOUND);
                }
                None => {
                    let message = format!("bash: wait: `{word}': not a pid or valid job spec\n");
                    said.complain(&message, 1);
                }
            }
        }
        if words.is_empty() {
            if self.more.jobs.running() > 0 {
                self.more.waiting = Some(vec![ProcessId(0)]);
            } else {
                self.more.jobs.forget(None);
            }
            return said;
        }
        if said.status == 0 && processes.iter().any(|process| self.still_runs(*process)) {
            self.more.waiting = Some(processes);
        } else if said.status == 0
            && let Some(last) = processes.last()
        {
            let (last, stderr) = (*last, said.stderr);
            said = Said { stderr, ..self.end_wait(last) };
        }
        said
    }

    fn still_runs(&self, process: ProcessId) -> bool {
        self.more.jobs.status_of(process) == Some(None)
    }

    fn end_wait(&mut self, process: ProcessId) -> Said {
        let status = self.more.jobs.status_of(process).flatten().unwrap_or(0);
        self.more.jobs.forget(Some(process));
        Said::status(status)
    }

    /// Something has ended while `wait` waits.
    pub(super) fn go_on_waiting(&mut self, out: &mut Out<'_>) {
        let Some(processes) = &self.more.waiting else { return };
        let status = match processes.as_slice() {
            // `wait -n`.
            [] => match self.more.jobs.any_ended() {
                Some(process) => self.end_wait(process).status,
                None => return,
            },
            // `wait` for everything.
            [ProcessId(0)] => {
                if self.more.jobs.running() > 0 {
                    return;
                }
                self.more.jobs.forget(None);
                0
            }
            processes => {
                if processes.iter().any(|process| self.still_runs(*process)) {
                    return;
                }
                let processes = processes.to_vec();
                processes.into_iter().fold(0, |_, process| self.end_wait(process).status)
            }
        };
        self.more.waiting = None;
        self.environment.status = status;
        self.end_pipeline(out);
        self.advance(out);
    }
}

/// `kill -l`: a name for a number, a number for a name, or all.
fn list_signals(words: &[&str]) -> Said {
    let mut said = Said::default();
    if words.is_empty() {
        let all: Vec<String> =
            SIGNALS.iter().map(|(number, name)| format!("{number:>2}) SIG{name}")).collect();
        said.stdout = (all.join("\t") + "\n").into_bytes();
    }
    for word in words {
        let number =
            number::unsigned(word).map(|number| if number > 128 { number - 128 } else { number });
        let known =
            SIGNALS.iter().find(|(of, name)| number == Some(u64::from(*of)) || name == word);
        match (known, number) {
            (Some((_, name)), Some(_)) => said.stdout.extend(format!("{name}\n").into_bytes()),
            (Some((number, _)), None) => said.stdout.extend(format!("{number}\n").into_bytes()),
            (None, _) => {
                said.complain(&format!("bash: kill: {word}: invalid signal specification\n"), 1);
            }
        }
    }
    said
}

/// The number of a signal given by name, with or without SIG, or by number.
fn signal_number(text: &str) -> Option<u8> {
    if let Some(number) = number::unsigned(text) {
        return u8::try_from(number).ok().filter(|number| *number < 65);
    }
    let upper = text.to_ascii_uppercase();
    let name = upper.strip_prefix("SIG").unwrap_or(&upper);
    SIGNALS.iter().find(|(_, known)| *known == name).map(|(number, _)| *number)
}

fn send(signal: u8, processes: &[ProcessId], said: &mut Said, out: &mut Out<'_>) {
    let signal = match signal {
        0 => return,
        2 => Signal::Interrupt,
        9 => Signal::Kill,
        15 => Signal::Terminate,
        18 => Signal::Continue,
        19 | 20 => Signal::Stop,
        _ => {
            let message = "bash: kill: Highwater sends TERM, KILL, INT, STOP, TSTP and CONT; it has no \
                           other signals\n";
            return said.complain(message, 1);
        }
    };
    for process in processes {
        out.signal(*process, signal);
    }
}
