//! The shell: reads lines, runs the pipelines in them one after the other, keeps variables and the
//! last exit status. What a command does is in `tool`.
//!
//! It waits by returning: what is left to do stands in `todo`, never on the host's stack.

use highwater_core::sorted_map::SortedMap;
use std::rc::Rc;

use highwater_core::ids::ProcessId;
use highwater_core::world::process::{Fd, FdTarget, ProcessInput, Stdio};

use crate::lang::{
    Command, Connector, List, Missing, Parsed, Pipeline, Redirect, RedirectTarget, Scope,
    expand_joined, expand_words, parse,
};
use crate::process::{Out, ShellProcess};
use crate::tool;

/// Exit status of a line that cannot be understood.
const STATUS_SYNTAX: u8 = 2;
/// Exit status of a command that does not exist.
pub(crate) const STATUS_NOT_FOUND: u8 = 127;
/// Exit status after Ctrl-C.
pub(crate) const STATUS_INTERRUPTED: u8 = 130;

/// A shell.
#[derive(Clone, Debug, Default)]
pub struct Shell {
    /// Lines of a command that is not complete yet.
    typed: Vec<u8>,
    missing: Option<Missing>,
    /// Pipelines still to run, each with what stood before it; the next one is the last.
    todo: Vec<(Option<Connector>, Rc<Pipeline>)>,
    /// The pipeline that runs: its commands, in order, with the exit status of those that ended.
    running: Vec<(ProcessId, Option<u8>)>,
    environment: Environment,
    here: Option<Stdio>,
}

/// What words expand to.
#[derive(Clone, Debug, Default)]
struct Environment {
    variables: SortedMap<String, Vec<u8>>,
    status: u8,
}

impl Scope for Environment {
    fn variable(&self, name: &str) -> Option<&[u8]> {
        self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_slice())
    }

    fn exit_status(&self) -> u8 {
        self.status
    }
}

impl Shell {
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
                out.read(Fd::Stdin);
            }
            ProcessInput::Read(_, bytes) => self.handle_line(bytes, out),
            ProcessInput::ChildExited(process, status) => self.handle_exit(*process, *status, out),
            // Nothing runs in the foreground: an unfinished line is given up.
            ProcessInput::Interrupt => {
                self.typed.clear();
                self.missing = None;
            }
            ProcessInput::Timer(_) | ProcessInput::Reply(..) | ProcessInput::FaultDone(_) => {}
        }
    }

    fn handle_line(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        // Ctrl-D at the prompt would close a real terminal; here it gives an unfinished line up.
        if bytes.is_empty() {
            self.typed.clear();
            self.missing = None;
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
            Ok(Parsed::Complete(list)) => self.enqueue(list),
            Err(error) => {
                self.environment.status = STATUS_SYNTAX;
                out.print(Fd::Stderr, format_args!("highwater: {error}\n"));
            }
        }
        self.typed.clear();
        self.missing = None;
        self.run_next(out);
    }

    fn enqueue(&mut self, list: List) {
        for item in list.items {
            self.todo.push((None, Rc::new(item.first)));
            for (how, pipeline) in item.rest {
                self.todo.push((Some(how), Rc::new(pipeline)));
            }
        }
        self.todo.reverse();
    }

    /// Starts pipelines until one of them has to be waited for, or none is left.
    fn run_next(&mut self, out: &mut Out<'_>) {
        while let Some((connector, pipeline)) = self.todo.pop() {
            let runs = match connector {
                None => true,
                Some(Connector::And) => self.environment.status == 0,
                Some(Connector::Or) => self.environment.status != 0,
            };
            if runs {
                self.start(&pipeline, out);
                if !self.running.is_empty() {
                    return;
                }
            }
        }
        out.foreground(Vec::new());
        out.read(Fd::Stdin);
    }

    fn start(&mut self, pipeline: &Pipeline, out: &mut Out<'_>) {
        let Some(here) = self.here else { return };
        let mut stdin = here.stdin;
        let last = pipeline.commands.len().saturating_sub(1);
        for (number, command) in pipeline.commands.iter().enumerate() {
            let mut stdio = Stdio { stdin, ..here };
            if number < last {
                let pipe = FdTarget::Stream(out.pipe());
                stdio.stdout = pipe;
                stdin = pipe;
            }
            match self.start_command(command, stdio, last == 0, out) {
                Ok(Some(process)) => self.running.push((process, None)),
                Ok(None) => {}
                Err((status, message)) => {
                    out.write(Fd::Stderr, message);
                    self.environment.status = status;
                }
            }
        }
        out.foreground(self.running.iter().map(|(process, _)| *process).collect());
    }

    /// Starts one command; `None` when it was only an assignment.
    fn start_command(
        &mut self,
        command: &Command,
        mut stdio: Stdio,
        alone: bool,
        out: &mut Out<'_>,
    ) -> Result<Option<ProcessId>, (u8, String)> {
        let too_long = |what: &str| (1, format!("highwater: {what}: Argument list too long\n"));
        for redirect in &command.redirects {
            self.redirect(redirect, &mut stdio, out)?;
        }
        let mut arguments = expand_words(&command.words, &self.environment)
            .map_err(|_| too_long("this command"))?;
        if arguments.is_empty() {
            // In a pipeline bash sets variables in a copy of the shell, so nothing changes here.
            if alone {
                self.environment.status = 0;
                for assignment in &command.assignments {
                    let value = expand_joined(&assignment.value, &self.environment)
                        .map_err(|_| too_long(&assignment.name))?;
                    self.environment.variables.insert(assignment.name.clone(), value);
                }
            }
            return Ok(None);
        }
        let name = arguments.remove(0);
        match name.as_slice() {
            b":" | b"true" => self.environment.status = 0,
            b"false" => self.environment.status = 1,
            _ => {
                let tool = ShellProcess::Tool(tool::find(&name, arguments));
                return Ok(Some(out.spawn(tool, stdio)));
            }
        }
        Ok(None)
    }

    fn redirect(
        &self,
        redirect: &Redirect,
        stdio: &mut Stdio,
        out: &mut Out<'_>,
    ) -> Result<(), (u8, String)> {
        let joined = |word| {
            expand_joined(word, &self.environment)
                .map_err(|_| (1, "highwater: a redirection is too long\n".to_owned()))
        };
        let target = match &redirect.target {
            RedirectTarget::HereDocument(word) => FdTarget::Stream(out.prepared(joined(word)?)),
            RedirectTarget::DuplicateOf(0) => stdio.stdin,
            RedirectTarget::DuplicateOf(1) => stdio.stdout,
            RedirectTarget::DuplicateOf(2) => stdio.stderr,
            RedirectTarget::DuplicateOf(n) => return Err(bad_descriptor(*n)),
            RedirectTarget::Read(word)
            | RedirectTarget::Write(word)
            | RedirectTarget::Append(word) => {
                let path = joined(word)?;
                if path != b"/dev/null" {
                    let path = String::from_utf8_lossy(&path);
                    let column = redirect.at.column;
                    let message = format!(
                        "highwater: column {column}: files are not built yet, so {path} cannot be \
                         opened; use a pipe, a heredoc or /dev/null\n"
                    );
                    return Err((1, message));
                }
                FdTarget::Null
            }
        };
        match redirect.fd {
            0 => stdio.stdin = target,
            1 => stdio.stdout = target,
            2 => stdio.stderr = target,
            n => return Err(bad_descriptor(n)),
        }
        Ok(())
    }

    fn handle_exit(&mut self, process: ProcessId, status: u8, out: &mut Out<'_>) {
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
                self.todo.clear();
            }
        }
        self.running.clear();
        self.run_next(out);
    }
}

fn bad_descriptor(n: u8) -> (u8, String) {
    (1, format!("highwater: {n}: Bad file descriptor; there are 0, 1 and 2\n"))
}
