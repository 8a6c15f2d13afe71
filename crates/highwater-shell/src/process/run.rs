//! How a shell runs commands: pipelines, brackets, loops, `$( )` and what stands in the background.

use std::rc::Rc;

use highwater_core::ids::{ProcessId, StreamId};
use highwater_core::scope::{self, Lab};
use highwater_core::world::process::{Fd, FdTarget, Stdio};

use crate::lang::{
    AndOr, Command, Compound, Connector, ExpandError, List, Part, Pipeline, RedirectTarget, Word,
    expand_joined, expand_words, print,
};
use crate::process::builtin;
use crate::process::jobs::MOST_JOBS;
use crate::process::redirect::Failure;
use crate::process::shell::{Frame, Loop, Place, STATUS_NO_READER, Shell};
use crate::process::{Out, ShellProcess};
use crate::tool::{self, Tool};

/// A `$( )` that runs.
#[derive(Clone, Debug)]
pub(super) struct Capture {
    /// For the command there.
    place: Place,
    list: Rc<List>,
    pub(super) process: ProcessId,
    stream: StreamId,
    bytes: Vec<u8>,
    is_read: bool,
    status: Option<u8>,
}

/// What became of a command that was to be started.
enum Started {
    Process(ProcessId),
    /// Nothing has to be waited for.
    Done,
}

impl Place {
    fn pipeline(&self) -> Option<(Option<Connector>, &Pipeline)> {
        let chain = self.list.items.get(self.item)?;
        match self.link.checked_sub(1) {
            None => Some((None, &chain.first)),
            Some(link) => chain.rest.get(link).map(|(how, pipeline)| (Some(*how), pipeline)),
        }
    }
}

impl Shell {
    /// Runs the pipeline at a place; what comes after it stays to be done.
    pub(super) fn next_of_list(&mut self, place: Place, out: &mut Out<'_>) {
        let Some(chain) = place.list.items.get(place.item) else { return };
        let in_background = scope::CLUSTER && chain.background;
        let is_last = in_background || place.link >= chain.rest.len();
        let (item, link) = if is_last { (place.item + 1, 0) } else { (place.item, place.link + 1) };
        self.todo.push(Frame::List(Place { list: Rc::clone(&place.list), item, link }));
        if in_background {
            return self.start_in_background(chain, out);
        }
        let Some((connector, pipeline)) = place.pipeline() else { return };
        let runs = match connector {
            None => true,
            Some(Connector::And) => self.environment.status == 0,
            Some(Connector::Or) => self.environment.status != 0,
        };
        if runs {
            if scope::CLUSTER {
                self.more.negated = pipeline.negated;
            }
            match pipeline.commands.as_slice() {
                [_] if scope::CLUSTER => self.run_alone(&place, out),
                commands => {
                    if let Some(here) = self.here {
                        self.running = self.start_pipeline(commands, here, out);
                    }
                }
            }
            if scope::CLUSTER && self.running.is_empty() && self.more.capture.is_none() {
                self.end_pipeline(out);
            }
            self.show_foreground(out);
        }
    }

    /// A pipeline has ended, and its status is known.
    pub(super) fn end_pipeline(&mut self, out: &mut Out<'_>) {
        if self.more.waiting.is_some() {
            return;
        }
        let status = &mut self.environment.status;
        // In bash `echo` is the shell itself, which ends when nobody reads what it writes.
        if std::mem::take(&mut self.more.runs_own)
            && *status == STATUS_NO_READER
            && self.more.is_child
        {
            self.give_up();
            return out.exit(STATUS_NO_READER);
        }
        if std::mem::take(&mut self.more.negated) {
            *status = u8::from(*status == 0);
        }
    }

    /// Starts the commands of a pipeline together.
    fn start_pipeline(
        &mut self,
        commands: &[Command],
        here: Stdio,
        out: &mut Out<'_>,
    ) -> Vec<(ProcessId, Option<u8>)> {
        let mut running = Vec::new();
        let mut stdin = here.stdin;
        let last = commands.len().saturating_sub(1);
        for (number, command) in commands.iter().enumerate() {
            let mut stdio = Stdio { stdin, ..here };
            if number < last {
                let pipe = FdTarget::Stream(out.pipe());
                stdio.stdout = pipe;
                stdin = pipe;
            }
            let started = if scope::CLUSTER && needs_shell(command) {
                Ok(Started::Process(self.start_child(alone(command), stdio, out)))
            } else {
                self.start_command(command, &mut stdio, last == 0, out)
            };
            match started {
                Ok(Started::Process(process)) => running.push((process, None)),
                Ok(Started::Done) => {}
                Err((status, message)) if scope::CLUSTER => {
                    let says = ShellProcess::Tool(tool::says(Vec::new(), message, status));
                    running.push((out.spawn(says, stdio), None));
                }
                Err((status, message)) => {
                    out.write(Fd::Stderr, message);
                    self.environment.status = status;
                }
            }
        }
        running
    }

    fn start_child(&self, list: Rc<List>, stdio: Stdio, out: &mut Out<'_>) -> ProcessId {
        out.spawn(ShellProcess::Shell(self.child(list)), stdio)
    }

    fn start_in_background(&mut self, chain: &AndOr, out: &mut Out<'_>) {
        let Some(here) = self.here else { return };
        if self.more.jobs.running() >= MOST_JOBS {
            self.give_up();
            let message = "bash: fork: Resource temporarily unavailable\n".to_owned();
            return self.fail((254, message), here, out);
        }
        // Without job control a command in the background has nothing to read.
        let stdio = Stdio { stdin: FdTarget::Null, ..here };
        let chain = AndOr { background: false, ..chain.clone() };
        // Bash forgets a `!` here, too.
        let members = if chain.rest.is_empty() {
            let started = self.start_pipeline(&chain.first.commands, stdio, out);
            started.into_iter().map(|(process, _)| process).collect()
        } else {
            let list = Rc::new(List { items: vec![chain.clone()] });
            vec![self.start_child(list, stdio, out)]
        };
        let last = chain.first.commands.last().and_then(|command| command.words.first());
        let is_java = chain.rest.is_empty()
            && last.is_some_and(|word| tool::find(&literal(word), Vec::new()).is_java());
        let list = List { items: vec![chain] };
        self.environment.status = 0;
        if let Some(last) = members.last() {
            self.environment.variables.insert("!".to_owned(), last.0.to_string().into_bytes());
            let text = print(&list);
            self.more.jobs.add(members, text, is_java);
        }
    }

    /// Runs a command that is a pipeline of its own.
    fn run_alone(&mut self, place: &Place, out: &mut Out<'_>) {
        let (Some((_, pipeline)), Some(here)) = (place.pipeline(), self.here) else { return };
        let [command] = pipeline.commands.as_slice() else { return };
        let known = &self.more.printed;
        let missing = substitutions(command)
            .into_iter()
            .find(|list| !known.iter().any(|(printed, _)| Rc::ptr_eq(printed, list)));
        if let Some(list) = missing {
            return self.start_capture(place.clone(), list, here, out);
        }
        let mut stdio = here;
        let started = match command.compound.get() {
            Some(compound) => self.start_compound(compound, command, &mut stdio, here, out),
            None => self.start_command(command, &mut stdio, true, out),
        };
        self.more.printed.clear();
        match started {
            Ok(Started::Process(process)) => self.running.push((process, None)),
            Ok(Started::Done) => {}
            Err(failure) => self.fail(failure, stdio, out),
        }
    }

    fn start_compound(
        &mut self,
        compound: &Compound,
        command: &Command,
        stdio: &mut Stdio,
        here: Stdio,
        out: &mut Out<'_>,
    ) -> Result<Started, Failure> {
        for redirect in &command.redirects {
            self.redirect(redirect, stdio, out)?;
        }
        let (list, values) = match compound {
            // As in bash, a shell made for this alone needs no second one.
            Compound::Subshell(list) if self.more.is_child && self.has_done_the_rest() => {
                (list, None)
            }
            Compound::Subshell(list) => {
                return Ok(Started::Process(self.start_child(Rc::clone(list), *stdio, out)));
            }
            Compound::Group(list) => (list, None),
            Compound::For { name, words, body } => {
                let values = expand_words(words, &self.view(out));
                let values = values.map_err(|error| self.cannot_expand(&error))?;
                self.environment.status = 0;
                (body, Some((name.clone(), Rc::new(values))))
            }
        };
        if *stdio != here {
            self.todo.push(Frame::Restore(Lab::new(here)));
            self.here = Some(*stdio);
        }
        let list = Rc::clone(list);
        self.todo.push(match values {
            None => Frame::List(Place { list, item: 0, link: 0 }),
            Some((name, values)) => {
                Frame::Loop(Lab::new(Loop { name, values, next: 0, body: list }))
            }
        });
        Ok(Started::Done)
    }

    /// Whether nothing comes after what it runs now.
    fn has_done_the_rest(&self) -> bool {
        self.todo.iter().all(|frame| match frame {
            Frame::List(place) => place.pipeline().is_none(),
            _ => false,
        })
    }

    /// Starts one simple command.
    fn start_command(
        &mut self,
        command: &Command,
        stdio: &mut Stdio,
        alone: bool,
        out: &mut Out<'_>,
    ) -> Result<Started, Failure> {
        let too_long = |what: &str| (1, format!("highwater: {what}: Argument list too long\n"));
        for redirect in &command.redirects {
            self.redirect(redirect, stdio, out)?;
        }
        let arguments = expand_words(&command.words, &self.view(out));
        let mut arguments = arguments.map_err(|error| {
            if scope::CLUSTER { self.cannot_expand(&error) } else { too_long("this command") }
        })?;
        if arguments.is_empty() {
            // In a pipeline bash sets variables in a copy of the shell, so nothing changes here.
            if alone {
                if !scope::CLUSTER || self.more.printed.is_empty() {
                    self.environment.status = 0;
                }
                for assignment in &command.assignments {
                    let value = expand_joined(&assignment.value, &self.view(out));
                    let value = value.map_err(|error| {
                        if scope::CLUSTER {
                            self.cannot_expand(&error)
                        } else {
                            too_long(&assignment.name)
                        }
                    })?;
                    self.environment.variables.insert(assignment.name.clone(), value);
                }
            }
            return Ok(Started::Done);
        }
        let name = arguments.remove(0);
        match name.as_slice() {
            b":" | b"true" => self.environment.status = 0,
            b"false" => self.environment.status = 1,
            name if scope::CLUSTER && builtin::is_known(name) => {
                let name = String::from_utf8_lossy(name).into_owned();
                let said = self.builtin(&name, &arguments, out);
                if said.stdout.is_empty() && said.stderr.is_empty() {
                    self.environment.status = said.status;
                    return Ok(Started::Done);
                }
                let says = tool::says(said.stdout, said.stderr, said.status);
                return Ok(Started::Process(out.spawn(ShellProcess::Tool(says), *stdio)));
            }
            _ => {
                let found = self.find(&name, arguments);
                if scope::CLUSTER {
                    self.more.runs_own = alone && matches!(found.name(), "echo" | "printf");
                }
                let tool = ShellProcess::Tool(found);
                if scope::CLUSTER && alone && self.more.may_become && self.is_last() {
                    out.become_program(tool, *stdio);
                    // The one that is no more waits for itself.
                    return Ok(Started::Process(out.me()));
                }
                return Ok(Started::Process(out.spawn(tool, *stdio)));
            }
        }
        Ok(Started::Done)
    }

    /// The command of a name: one of the host's, if this shell uses them, or our own.
    fn find(&self, name: &[u8], arguments: Vec<Vec<u8>>) -> Tool {
        if scope::CLUSTER
            && let Some(starter) = self.more.starter
        {
            let text = String::from_utf8_lossy(name);
            if let Some(program) = starter(&text, &arguments) {
                return tool::outside(program);
            }
        }
        tool::find(name, arguments)
    }

    /// Whether nothing is left to do after the command that runs.
    fn is_last(&self) -> bool {
        self.todo.iter().all(|frame| match frame {
            Frame::List(place) => place.item >= place.list.items.len(),
            Frame::Loop(_) => false,
            Frame::Restore(_) => true,
        })
    }

    /// Why a command cannot run. Bash leaves the rest of the line out after a wrong `$(( ))`.
    pub(super) fn cannot_expand(&mut self, error: &ExpandError) -> Failure {
        if matches!(error, ExpandError::Arithmetic(_)) {
            self.give_up();
        }
        (1, format!("bash: {error}\n"))
    }

    /// Says why a command cannot run.
    fn fail(&mut self, (status, message): Failure, stdio: Stdio, out: &mut Out<'_>) {
        let says = tool::says(Vec::new(), message, status);
        self.running.push((out.spawn(ShellProcess::Tool(says), stdio), None));
    }

    fn start_capture(&mut self, place: Place, list: Rc<List>, here: Stdio, out: &mut Out<'_>) {
        let stream = out.listen();
        let stdio = Stdio { stdout: FdTarget::Stream(stream), ..here };
        let process = self.start_child(Rc::clone(&list), stdio, out);
        out.hear(stream);
        let (bytes, is_read, status) = (Vec::new(), false, None);
        self.more.capture = Some(Capture { place, list, process, stream, bytes, is_read, status });
    }

    /// Bytes of the `$( )` that runs; none: it will print no more.
    pub(super) fn take_printed(&mut self, bytes: &[u8], out: &mut Out<'_>) {
        let Some(capture) = &mut self.more.capture else { return };
        if bytes.is_empty() {
            capture.is_read = true;
            out.forget(capture.stream);
            return self.end_capture(out);
        }
        // More than a command can take is not kept.
        if capture.bytes.len() <= crate::lang::ARGUMENT_BYTES_MAX {
            // Bash leaves bytes out that no argument can hold.
            capture.bytes.extend(bytes.iter().filter(|byte| **byte != 0));
        }
        out.hear(capture.stream);
    }

    /// Takes the exit of what is not in the foreground pipeline; whether it was that.
    pub(super) fn take_other_exit(
        &mut self,
        process: ProcessId,
        status: u8,
        out: &mut Out<'_>,
    ) -> bool {
        self.more.jobs.note_exit(process, status);
        if let Some(capture) = &mut self.more.capture {
            if capture.process == process {
                capture.status = Some(status);
                self.end_capture(out);
            }
            return true;
        }
        if self.more.waiting.is_some() {
            // What `wait` has said is over, too.
            self.running.retain(|(member, _)| *member != process);
            self.go_on_waiting(out);
            return true;
        }
        !self.running.iter().any(|(member, _)| *member == process)
    }

    /// Goes on with the command whose `$( )` has ended.
    fn end_capture(&mut self, out: &mut Out<'_>) {
        let ended = |capture: &mut Capture| capture.is_read && capture.status.is_some();
        let Some(mut capture) = self.more.capture.take_if(ended) else { return };
        while capture.bytes.last() == Some(&b'\n') {
            capture.bytes.pop();
        }
        self.environment.status = capture.status.unwrap_or(0);
        if self.environment.status == crate::process::shell::STATUS_INTERRUPTED {
            self.give_up();
            self.more.printed.clear();
            return self.advance(out);
        }
        self.more.printed.push((capture.list, capture.bytes));
        self.run_alone(&capture.place, out);
        self.settle(out);
        self.advance(out);
    }

    /// Who gets Ctrl-C.
    fn show_foreground(&self, out: &mut Out<'_>) {
        let mut running: Vec<_> = self.running.iter().map(|(process, _)| *process).collect();
        if scope::CLUSTER {
            if self.more.is_child {
                return;
            }
            running.extend(self.more.capture.as_ref().map(|capture| capture.process));
        }
        out.foreground(running);
    }

    /// What is done once a command was started or is over already.
    fn settle(&mut self, out: &mut Out<'_>) {
        if self.running.is_empty() && self.more.capture.is_none() {
            self.end_pipeline(out);
        }
        self.show_foreground(out);
    }
}

/// A list of this one command.
fn alone(command: &Command) -> Rc<List> {
    let first = Pipeline { negated: false, commands: vec![command.clone()] };
    Rc::new(List { items: vec![AndOr { first, rest: Vec::new(), background: false }] })
}

/// Whether only a shell can run this command, when it is part of a pipeline or in the background.
fn needs_shell(command: &Command) -> bool {
    let is_tool = command.words.first().is_some_and(|word| {
        word.parts.iter().all(|part| matches!(part, Part::Literal { .. }))
            && !builtin::is_known(&literal(word))
    });
    command.compound.is_some() || !is_tool || !substitutions(command).is_empty()
}

fn literal(word: &Word) -> Vec<u8> {
    let bytes = word.parts.iter().map(|part| match part {
        Part::Literal { bytes, .. } => bytes.as_slice(),
        _ => b"",
    });
    bytes.collect::<Vec<_>>().concat()
}

/// Every `$( )` that must have run before this command can, in order.
fn substitutions(command: &Command) -> Vec<Rc<List>> {
    let mut found = Vec::new();
    let mut words: Vec<&Word> = command.words.iter().collect();
    if let Some(Compound::For { words: values, .. }) = command.compound.get() {
        words.extend(values);
    }
    for redirect in &command.redirects {
        match &redirect.target {
            RedirectTarget::Read(word)
            | RedirectTarget::Write(word)
            | RedirectTarget::Append(word)
            | RedirectTarget::HereDocument(word) => words.push(word),
            RedirectTarget::DuplicateOf(_) => {}
        }
    }
    words.extend(command.assignments.iter().map(|assignment| &assignment.value));
    // Words inside of words: what `$(( ))` holds.
    words.reverse();
    while let Some(word) = words.pop() {
        for part in &word.parts {
            match part {
                Part::Substitution { list, .. } => found.extend(list.get().cloned()),
                Part::Arithmetic { expression, .. } => words.extend(expression.get()),
                _ => {}
            }
        }
    }
    found
}
