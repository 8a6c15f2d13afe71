//! A session's log as a script: the commands that do the same again, in this shell, in bash, in a transcript.
//!
//! What a person does while something else runs has no place in a script. Gaps become `sleep`; lines typed at a
//! tool become `(sleep 2; echo 'a') | tool`; a command during which anything else happened goes to the
//! background, and Ctrl-C becomes `kill`. It is told by the number of the process (`$!`), not of the job: that
//! one depends on which other jobs have ended.

use std::fmt::Write as _;

use highwater_core::error::CommandError;
use highwater_core::ids::TerminalId;
use highwater_core::time::{SimDuration, SimTime};
use highwater_core::world::input::{Input, InputKind};
use highwater_core::world::options::OwnSetting;
use highwater_core::world::stream::TerminalState;

use super::SessionLog;
use crate::session::{Session, session_of};
use crate::transcript::{BROKERS_DEFAULT, Transcript};

/// A command that was typed, and what became of it.
#[derive(Debug)]
struct Command {
    terminal: TerminalId,
    at: SimTime,
    text: String,
    /// What was typed at it while it read, and when.
    lines: Vec<(SimTime, String)>,
    /// When the end of its input was typed.
    closed: Option<SimTime>,
    interrupted: Option<SimTime>,
    ended: Option<SimTime>,
    /// Something else was done while it ran.
    is_overlapped: bool,
}

/// What stands in the script.
#[derive(Debug)]
enum Act {
    Command(Command),
    Fault(SimTime, String),
}

/// The script of a session, as the commands of a transcript without outputs. It is played to see what each input
/// meets; inputs that are refused, and presses that do nothing, are left out.
///
/// # Errors
/// An option of the cluster is out of range.
pub fn script(log: &SessionLog) -> Result<String, CommandError> {
    let mut session = Session::new(log.options.clone())?;
    let begin = session.timeline().world().now();
    let mut acts = Vec::new();
    for input in &log.inputs {
        run_until(&mut session, input.at, &mut acts);
        let before = session.timeline().world().terminal_state(input.terminal);
        // A terminal that this input opens has a prompt.
        let before = before.or(Some(TerminalState::Ready));
        let goes_on = session.missing_at(input.terminal).is_some();
        let timeline = session.timeline_mut();
        if timeline.input(input.terminal, input.kind.clone(), SimDuration(0)).is_ok() {
            note(&mut acts, input, before, goes_on);
        }
    }
    run_until(&mut session, log.until, &mut acts);
    Ok(write(log, begin, &acts))
}

/// The script of a session as a transcript, with what the simulator answers.
///
/// # Errors
/// An option of the cluster is out of range, or a command cannot stand in a transcript.
pub fn transcript(log: &SessionLog) -> Result<Transcript, String> {
    let text = script(log).map_err(|error| error.to_string())?;
    let mut transcript = Transcript::parse(&text).map_err(|error| error.to_string())?;
    let (_, outcomes) =
        session_of(&transcript, log.options.clone()).map_err(|error| error.to_string())?;
    for (block, outcome) in transcript.blocks.iter_mut().zip(outcomes) {
        block.set_outcome(outcome.output, outcome.exit);
    }
    Ok(transcript)
}

/// Lets time pass, and sees which commands end.
fn run_until(session: &mut Session, moment: SimTime, acts: &mut [Act]) {
    loop {
        let world = session.timeline().world();
        let now = world.now();
        for command in acts.iter_mut().filter_map(running) {
            if world.terminal_state(command.terminal) == Some(TerminalState::Ready) {
                command.ended = Some(now);
            }
        }
        let is_running = acts.iter_mut().any(|act| running(act).is_some());
        if !is_running || world.next_due().is_none_or(|due| due > moment) {
            break;
        }
        session.timeline_mut().step();
    }
    session.timeline_mut().run_until(moment);
}

fn running(act: &mut Act) -> Option<&mut Command> {
    match act {
        Act::Command(command) if command.ended.is_none() => Some(command),
        _ => None,
    }
}

/// Puts an input down, by what it met.
fn note(acts: &mut Vec<Act>, input: &Input, met: Option<TerminalState>, goes_on: bool) {
    let Input { at, terminal, kind } = input;
    let is_own = |command: &&mut Command| command.terminal == *terminal;
    for other in acts.iter_mut().filter_map(running) {
        let is_its_own = other.terminal == *terminal && !matches!(kind, InputKind::Fault(_));
        other.is_overlapped |= !is_its_own;
    }
    let mut own = acts.iter_mut().filter_map(running).find(is_own);
    match (kind, met) {
        (InputKind::Fault(fault), _) => {
            let text = fault.get().map(ToString::to_string).unwrap_or_default();
            acts.push(Act::Fault(*at, text));
        }
        (InputKind::Line(line), Some(TerminalState::Ready)) if goes_on => {
            let is_own =
                |act: &&mut Act| matches!(act, Act::Command(last) if last.terminal == *terminal);
            if let Some(Act::Command(last)) = acts.iter_mut().rev().find(is_own) {
                let _ = write!(last.text, "\n{line}");
                last.ended = None;
            }
        }
        (InputKind::Line(line), Some(TerminalState::Ready)) => {
            let text = line.clone();
            acts.push(Act::Command(Command {
                terminal: *terminal,
                at: *at,
                text,
                lines: Vec::new(),
                closed: None,
                interrupted: None,
                ended: None,
                is_overlapped: false,
            }));
        }
        (InputKind::Line(line), _) => {
            if let Some(command) = &mut own {
                command.lines.push((*at, line.clone()));
            }
        }
        (InputKind::EndOfInput, _) => {
            if let Some(command) = &mut own {
                command.closed.get_or_insert(*at);
            }
        }
        (InputKind::Interrupt, _) if goes_on => {
            // What had been typed of the command is forgotten.
            acts.pop();
        }
        (InputKind::Interrupt, _) => {
            if let Some(command) = &mut own {
                command.interrupted.get_or_insert(*at);
            }
        }
    }
}

impl Command {
    /// Whether it can stand in the script as it was typed: nothing else happens until it ends by itself.
    fn is_plain(&self) -> bool {
        !self.is_overlapped && self.interrupted.is_none() && self.ended.is_some()
    }

    /// The command with what was typed at it in front.
    fn with_lines(&self) -> String {
        // In a script a reading tool finds the end of its input at once.
        let closed_late = self.closed.is_some_and(|closed| closed > self.at) && !self.is_plain();
        if self.lines.is_empty() && !closed_late {
            return self.text.clone();
        }
        let (mut typed, mut now) = (String::new(), self.at);
        for (at, line) in &self.lines {
            typed.push_str(&pause(now, *at));
            let _ = write!(typed, "echo {}; ", quoted(line));
            now = *at;
        }
        // Until it was closed or stopped, its input stays open.
        let end = self.closed.or(self.interrupted).filter(|end| *end > now);
        typed.push_str(&end.map(|end| pause(now, end)).unwrap_or_default());
        let typed = typed.trim_end_matches("; ");
        format!("({typed}) | {}", self.text)
    }
}

/// `sleep` for the time between two moments, if there is any.
fn pause(from: SimTime, to: SimTime) -> String {
    let span = to.0.saturating_sub(from.0);
    if span == 0 {
        return String::new();
    }
    let (seconds, micros) = (span / 1_000_000, span % 1_000_000);
    let decimals = format!(".{micros:06}");
    let decimals = decimals.trim_end_matches('0').trim_end_matches('.');
    format!("sleep {seconds}{decimals}; ")
}

/// A word in single quotes, as bash reads it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Commands in the order of what happens, each behind the time that passes before it.
fn write(log: &SessionLog, begin: SimTime, acts: &[Act]) -> String {
    let mut moments: Vec<(SimTime, String, SimTime)> = Vec::new();
    for (number, act) in acts.iter().enumerate() {
        match act {
            Act::Fault(at, text) => moments.push((*at, text.clone(), *at)),
            Act::Command(command) => add(&mut moments, command, number + 1),
        }
    }
    // Stable: what happens at one moment stays in its order.
    moments.sort_by_key(|(at, ..)| *at);
    let mut out = preamble(log);
    let mut now = begin;
    for (at, line, ended) in moments {
        let wait = pause(now, at);
        if !wait.is_empty() {
            let _ = writeln!(out, "$ {}", wait.trim_end_matches("; "));
        }
        let _ = writeln!(out, "$ {line}");
        now = ended.max(now).max(at);
    }
    let rest = pause(now, log.until);
    if !rest.is_empty() {
        let _ = writeln!(out, "$ {}", rest.trim_end_matches("; "));
    }
    out
}

/// One command: as it is, or in the background with the line that stops it.
fn add(moments: &mut Vec<(SimTime, String, SimTime)>, command: &Command, number: usize) {
    let text = command.with_lines();
    if command.is_plain() {
        moments.push((command.at, text, command.ended.unwrap_or(command.at)));
        return;
    }
    // Behind a heredoc no `&` may stand; it belongs to the first line.
    let (first, rest) = text.split_once('\n').map_or((&*text, None), |(a, b)| (a, Some(b)));
    let first =
        if first.trim_end().ends_with('&') { first.to_owned() } else { format!("{first} &") };
    let in_background = rest.map_or(first.clone(), |rest| format!("{first}\n{rest}"));
    moments.push((command.at, in_background, command.at));
    if let Some(stopped) = command.interrupted {
        moments.push((command.at, format!("p{number}=$!"), command.at));
        moments.push((stopped, format!("kill $p{number}"), stopped));
    }
}

/// What a transcript says of the cluster, and what it cannot say.
fn preamble(log: &SessionLog) -> String {
    let options = &log.options;
    let mut out = String::new();
    if options.brokers != BROKERS_DEFAULT {
        let _ = writeln!(out, "#! brokers {}", options.brokers);
    }
    for (key, value) in options.broker_settings.iter() {
        let _ = writeln!(out, "#! broker {key}={value}");
    }
    for OwnSetting { broker, key, value } in options.own_settings() {
        let _ = writeln!(out, "#! broker {broker} {key}={value}");
    }
    let tool_start = options.tool_start.0 / 1_000;
    let _ = writeln!(out, "# played with --seed {} --tool-start {tool_start}", options.seed);
    out
}
