//! The shell: reads lines, runs the commands in them one after the other, keeps variables, jobs and
//! the last exit status. What a command does is in `tool`.
//!
//! It waits by returning: what is left to do stands in `todo`, never on the host's stack. A
//! subshell, a part of a pipeline that is more than a tool, and a `$( )` are shells of their own,
//! which begin with a copy of the environment.

use std::ops::{Deref, DerefMut};
use std::rc::Rc;

use highwater_core::ids::ProcessId;
use highwater_core::scope::{self, Lab};
use highwater_core::time::SimDuration;
use highwater_core::world::files::HOME;
use highwater_core::world::process::{Fd, ProcessInput, Signal, Stdio};

use crate::lang::{List, Missing, Parsed, parse};
use crate::process::Out;
use crate::process::environment::{Environment, Printed, View};
use crate::process::jobs::Jobs;
use crate::process::outside::Starter;
use crate::process::run::Capture;

/// Exit status of a line that cannot be understood.
const STATUS_SYNTAX: u8 = 2;
/// Exit status of a command that does not exist.
pub(crate) const STATUS_NOT_FOUND: u8 = 127;
/// Exit status after Ctrl-C.
pub(crate) const STATUS_INTERRUPTED: u8 = 130;
/// Exit status after SIGPIPE.
pub(crate) const STATUS_NO_READER: u8 = 141;
/// Exit status after SIGTERM.
pub(crate) const STATUS_TERMINATED: u8 = 143;
/// So much is done at once; then the world's other steps have their turn.
const AT_ONCE: u32 = 16;

/// A shell.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// Lines of a command that is not complete yet.
    typed: Vec<u8>,
    missing: Option<Missing>,
    /// What is left to do; the next thing is the last one.
    pub(super) todo: Vec<Frame>,
    /// The pipeline that runs: its commands, in order, with the exit status of those that ended.
    pub(super) running: Vec<(ProcessId, Option<u8>)>,
    pub(super) environment: Environment,
    pub(super) here: Option<Stdio>,
    /// What only a whole shell has.
    pub(super) more: Extra,
}

/// Something left to do.
#[derive(Clone, Debug)]
pub(super) enum Frame {
    /// The rest of a list.
    List(Place),
    /// The rest of a loop.
    Loop(Lab<Loop>),
    /// The end of a group with redirections of its own.
    Restore(Lab<Stdio>),
}

/// A loop at work.
#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) name: String,
    pub(super) values: Rc<Vec<Vec<u8>>>,
    pub(super) next: usize,
    pub(super) body: Rc<List>,
}

/// A pipeline of a list.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) list: Rc<List>,
    /// Which chain of it.
    pub(super) item: usize,
    /// Which pipeline of the chain.
    pub(super) link: usize,
}

/// What a lesson about one broker does not need of a shell.
#[derive(Clone, Debug, Default)]
pub(super) struct More {
    /// It runs one list and ends; nobody types to it.
    pub(super) is_child: bool,
    /// It may become the only command that it has.
    pub(super) may_become: bool,
    /// The pipeline that runs has a `!` before it.
    pub(super) negated: bool,
    /// The command that runs would be part of a real shell: what ends it ends that shell.
    pub(super) runs_own: bool,
    /// A `$( )` that runs, for the command at `Capture::place`.
    pub(super) capture: Option<Capture>,
    /// What the earlier ones of the same command have printed.
    pub(super) printed: Vec<Printed>,
    pub(super) jobs: Jobs,
    /// The processes that `wait` waits for.
    pub(super) waiting: Option<Vec<ProcessId>>,
    /// Who starts programs of the host.
    pub(super) starter: Option<Starter>,
}

/// `More`, in a build that has it.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra(Lab<More>);

impl Deref for Extra {
    type Target = More;

    fn deref(&self) -> &More {
        match self.0.get() {
            Some(more) => more,
            None => unreachable!("asked for only in a build that has it"),
        }
    }
}

impl DerefMut for Extra {
    fn deref_mut(&mut self) -> &mut More {
        match self.0.get_mut() {
            Some(more) => more,
            None => unreachable!("asked for only in a build that has it"),
        }
    }
}

impl Shell {
    /// A shell for a new terminal.
    pub(super) fn new() -> Self {
        let mut shell = Self::default();
        if scope::CLUSTER {
            shell.more = Extra(Lab::new(More::default()));
        }
        shell
    }

    /// A shell for a new terminal, for which programs of the host are started.
    pub(super) fn with_programs(starter: Starter) -> Self {
        let more = More { starter: Some(starter), ..More::default() };
        Self { more: Extra(Lab::new(more)), ..Self::default() }
    }

    /// A copy that runs a list and ends.
    pub(super) fn child(&self, list: Rc<List>) -> Self {
        let may_become = matches!(list.items.as_slice(), [one]
            if one.rest.is_empty() && one.first.commands.len() == 1 && !one.first.negated && !one.background);
        let more = More {
            is_child: true,
            may_become,
            jobs: self.more.jobs.clone(),
            starter: self.more.starter,
            ..More::default()
        };
        Self {
            todo: vec![Frame::List(Place { list, item: 0, link: 0 })],
            environment: self.environment.clone(),
            more: Extra(Lab::new(more)),
            ..Self::default()
        }
    }

    /// The exit status of the last command.
    #[must_use]
    pub fn status(&self) -> u8 {
        self.environment.status
    }

    /// What the line typed so far still lacks; `None` at the start of a command.
    #[must_use]
    pub fn missing(&self) -> Option<Missing> {
        self.missing
    }

    pub(super) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) {
        match input {
            ProcessInput::Started { stdio } => {
                self.here = Some(*stdio);
                if scope::CLUSTER {
                    return self.begin(out);
                }
                out.read(Fd::Stdin);
            }
            ProcessInput::Read(_, bytes) if scope::CLUSTER && self.more.capture.is_some() => {
                self.take_printed(bytes, out);
            }
            ProcessInput::Read(_, bytes) => self.handle_line(bytes, out),
            ProcessInput::ChildExited(process, status) => self.handle_exit(*process, *status, out),
            ProcessInput::Interrupt if scope::CLUSTER => self.interrupt(out),
            // Nothing runs in the foreground: an unfinished line is given up.
            ProcessInput::Interrupt => self.forget_line(),
            ProcessInput::Timer(_) if scope::CLUSTER => self.advance(out),
            ProcessInput::Terminate if scope::CLUSTER && self.more.is_child => {
                out.exit(STATUS_TERMINATED);
            }
            _ => {}
        }
    }

    fn begin(&mut self, out: &mut Out<'_>) {
        if self.more.is_child {
            return self.advance(out);
        }
        let home = String::from_utf8_lossy(HOME);
        for (name, value) in [
            ("$", out.me().0.to_string()),
            ("#", "0".into()),
            ("0", "bash".into()),
            ("HOME", home.clone().into_owned()),
            ("PWD", home.into_owned()),
        ] {
            self.environment.variables.insert(name.to_owned(), value.into_bytes());
        }
        out.read(Fd::Stdin);
    }

    fn forget_line(&mut self) {
        self.typed.clear();
        self.missing = None;
    }

    /// SIGINT, in a shell of which no command is in the foreground, or in a child.
    fn interrupt(&mut self, out: &mut Out<'_>) {
        self.forget_line();
        let capture = self.more.capture.as_ref().map(|capture| capture.process);
        if self.more.is_child {
            let running = self.running.iter().map(|(process, _)| *process).chain(capture);
            let running: Vec<_> = running.collect();
            if running.is_empty() {
                return out.exit(STATUS_INTERRUPTED);
            }
            for process in running {
                out.signal(process, Signal::Interrupt);
            }
        } else if self.more.waiting.take().is_some() || !self.todo.is_empty() {
            self.give_up();
            self.environment.status = STATUS_INTERRUPTED;
            self.advance(out);
        }
    }

    fn handle_line(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        // Ctrl-D at the prompt would close a real terminal; here it gives an unfinished line up.
        if bytes.is_empty() {
            self.forget_line();
            return out.read(Fd::Stdin);
        }
        if !self.typed.is_empty() {
            self.typed.push(b'\n');
        }
        self.typed.extend(bytes.strip_suffix(b"\n").unwrap_or(bytes));
        match parse(&self.typed) {
            Ok(Parsed::Incomplete(missing)) => {
                self.missing = Some(missing);
                out.write(Fd::Stderr, "> ");
                return out.read(Fd::Stdin);
            }
            Ok(Parsed::Complete(list)) => {
                self.todo.push(Frame::List(Place { list: Rc::new(list), item: 0, link: 0 }));
            }
            Err(error) => {
                self.environment.status = STATUS_SYNTAX;
                out.print(Fd::Stderr, format_args!("highwater: {error}\n"));
            }
        }
        self.forget_line();
        self.advance(out);
    }

    /// Whether something has to end first.
    fn is_busy(&self) -> bool {
        !self.running.is_empty()
            || scope::CLUSTER && (self.more.capture.is_some() || self.more.waiting.is_some())
    }

    /// Goes on until something has to be waited for, or nothing is left.
    pub(super) fn advance(&mut self, out: &mut Out<'_>) {
        let mut done = 0;
        while !self.is_busy() {
            done += 1;
            if scope::CLUSTER && done > AT_ONCE {
                return out.wait(SimDuration(0), 0);
            }
            match self.todo.pop() {
                Some(Frame::List(place)) => self.next_of_list(place, out),
                Some(Frame::Loop(again)) => self.next_of_loop(again),
                Some(Frame::Restore(stdio)) => self.restore(&stdio),
                None if scope::CLUSTER && self.more.is_child => {
                    return out.exit(self.environment.status);
                }
                None => {
                    out.foreground(Vec::new());
                    return out.read(Fd::Stdin);
                }
            }
        }
    }

    fn next_of_loop(&mut self, mut again: Lab<Loop>) {
        let Some(Loop { name, values, next, body }) = again.get_mut() else { return };
        let Some(value) = values.get(*next) else { return };
        self.environment.variables.insert(name.clone(), value.clone());
        *next += 1;
        let list = Rc::clone(body);
        self.todo.push(Frame::Loop(again));
        self.todo.push(Frame::List(Place { list, item: 0, link: 0 }));
    }

    fn handle_exit(&mut self, process: ProcessId, status: u8, out: &mut Out<'_>) {
        if scope::CLUSTER && self.take_other_exit(process, status, out) {
            return;
        }
        for (member, ended) in &mut self.running {
            if *member == process {
                *ended = Some(status);
            }
        }
        if self.running.iter().any(|(_, ended)| ended.is_none()) {
            return;
        }
        // The status of a pipeline is that of its last command.
        if let Some((_, Some(status))) = self.running.pop() {
            self.environment.status = status;
            if status == STATUS_INTERRUPTED {
                self.give_up();
            }
            if scope::CLUSTER {
                self.end_pipeline(out);
            }
        }
        self.running.clear();
        self.advance(out);
    }

    pub(super) fn restore(&mut self, stdio: &Lab<Stdio>) {
        self.here = stdio.get().copied().or(self.here);
    }

    /// Leaves out what is left to do.
    pub(super) fn give_up(&mut self) {
        while let Some(frame) = self.todo.pop() {
            if let Frame::Restore(stdio) = frame {
                self.restore(&stdio);
            }
        }
    }

    /// What the words of a command see.
    pub(super) fn view<'a, 'w>(&'a self, out: &'a Out<'w>) -> View<'a, 'w> {
        View { shell: self, out }
    }
}
