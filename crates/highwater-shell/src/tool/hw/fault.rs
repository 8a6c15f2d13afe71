//! `hw crash`, `stop`, `start`, `pause`, `resume`, `cut`, `slow`, `heal`, `drop`: what can be done to the
//! cluster.

use highwater_core::ids::{BrokerId, MessageId};
use highwater_core::net::rule::{Effect, Party, Rule};
use highwater_core::number;
use highwater_core::time::SimDuration;
use highwater_core::world::fault::{Fault, MOST_DELAY};
use highwater_core::world::process::ProcessInput;

use super::FAULT_FORMS;
use crate::process::Out;
use crate::process::shell::STATUS_INTERRUPTED;
use crate::tool::{Ended, Next, refuse};

/// How long `hw start` takes, as on the recorded machine.
const START: SimDuration = SimDuration::from_millis(8_000);

/// Something is being done.
#[derive(Clone, Debug)]
pub(crate) struct Done {
    form: &'static str,
    /// What is still to be done after it.
    next: Option<Fault>,
    /// How long to wait afterwards.
    then: Option<SimDuration>,
}

impl Done {
    pub(super) fn handle(&mut self, input: &ProcessInput, out: &mut Out<'_>) -> Next {
        match input {
            ProcessInput::FaultDone(Err(why)) => {
                Next::Exit(refuse(format_args!("{}: {why}", self.form), 1, out).0)
            }
            ProcessInput::FaultDone(Ok(())) => {
                if let Some(next) = self.next.take() {
                    out.fault(next);
                    return Next::Wait;
                }
                match self.then.take() {
                    Some(span) => {
                        out.wait(span, 0);
                        Next::Wait
                    }
                    None => Next::Exit(0),
                }
            }
            ProcessInput::Timer(_) => Next::Exit(0),
            ProcessInput::Interrupt => Next::Exit(STATUS_INTERRUPTED),
            _ => Next::Wait,
        }
    }
}

/// The forms in the table that begin with that word.
fn usages(word: &[u8]) -> impl Iterator<Item = &'static str> {
    let forms = FAULT_FORMS.iter().map(|(usage, _)| *usage);
    forms.filter(move |usage| usage.split(' ').nth(1).is_some_and(|name| name.as_bytes() == word))
}

/// What they have in common.
fn form_of(word: &[u8]) -> Option<&'static str> {
    usages(word).next()?.get(..3 + word.len())
}

/// Whether there is such a form.
pub(super) fn is_form(word: &[u8]) -> bool {
    form_of(word).is_some()
}

/// Reads the arguments and begins.
pub(super) fn begin(word: &[u8], rest: &[Vec<u8>], out: &mut Out<'_>) -> Result<Done, Ended> {
    let Some(form) = form_of(word) else { return Err(Ended(2)) };
    let words: Vec<String> =
        rest.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (fault, next) = parse(form, &words).map_err(|why| {
        let usages: Vec<&str> = usages(word).collect();
        let usages = number::join(&usages, "\n       ");
        refuse(format_args!("{form}: {why}\nusage: {usages}"), 2, out)
    })?;
    out.fault(fault);
    let then = matches!(fault, Fault::Start(_)).then_some(START);
    Ok(Done { form, next, then })
}

/// The one fault that a line of `hw` stands for: the text form of an input that is a fault.
#[cfg(feature = "cluster")]
pub(crate) fn read_fault(line: &str) -> Option<Fault> {
    let mut words = line.split(' ');
    let form = form_of(words.nth(1)?.as_bytes())?;
    let words: Vec<&str> = words.collect();
    let (fault, next) = parse(form, &words).ok()?;
    (next.is_none() && fault.to_string() == line).then_some(fault)
}

/// What is meant; both directions of a link are two faults.
fn parse(form: &str, words: &[&str]) -> Result<(Fault, Option<Fault>), String> {
    let one = |fault| Ok((fault, None));
    match (form, words) {
        ("hw crash", [id]) => one(Fault::Crash(broker(id)?)),
        ("hw crash", [id, "--power-loss"]) => one(Fault::PowerLoss(broker(id)?)),
        ("hw stop", [id]) => one(Fault::Stop(broker(id)?)),
        ("hw start", [id]) => one(Fault::Start(broker(id)?)),
        ("hw pause", [id]) => one(Fault::Pause(broker(id)?)),
        ("hw resume", [id]) => one(Fault::Resume(broker(id)?)),
        ("hw cut", [from, to]) => both(from, to, Effect::Cut, false),
        ("hw cut", [from, to, "--one-way"]) => both(from, to, Effect::Cut, true),
        ("hw slow", ["--disk", id, millis]) => one(Fault::SlowDisk(broker(id)?, delay(millis)?)),
        ("hw slow", [from, to, millis]) => both(from, to, Effect::Slow(delay(millis)?), false),
        ("hw slow", [from, to, millis, "--one-way"]) => {
            both(from, to, Effect::Slow(delay(millis)?), true)
        }
        ("hw heal", ["--disk", id]) => one(Fault::HealDisk(broker(id)?)),
        ("hw heal", []) => one(Fault::HealAll),
        ("hw heal", [from, to]) => one(Fault::Heal(party(from)?, party(to)?)),
        ("hw heal", [from, to, "--one-way"]) => one(Fault::HealOneWay(party(from)?, party(to)?)),
        ("hw drop", [id]) => match number::unsigned(id) {
            Some(id) => one(Fault::Drop(MessageId(id))),
            None => Err(format!("`{id}` is not the number of a message")),
        },
        (_, []) => Err("something is missing".to_owned()),
        _ => Err(format!("`{}` is not understood", words.join(" "))),
    }
}

fn both(
    from: &str,
    to: &str,
    effect: Effect,
    one_way: bool,
) -> Result<(Fault, Option<Fault>), String> {
    let (from, to) = (party(from)?, party(to)?);
    if from == to {
        return Err("a link has two different ends".to_owned());
    }
    let rule = |from, to| Fault::AddRule(Rule { from, to, effect });
    Ok((rule(from, to), (!one_way).then(|| rule(to, from))))
}

fn broker(text: &str) -> Result<BrokerId, String> {
    let id = number::int(text).filter(|id| *id > 0);
    id.map(BrokerId).ok_or_else(|| format!("`{text}` is not the number of a broker"))
}

fn party(text: &str) -> Result<Party, String> {
    match text {
        "controller" => Ok(Party::Controller),
        "clients" => Ok(Party::Clients),
        id => broker(id)
            .map(Party::Broker)
            .map_err(|_| format!("`{text}` is not a broker's number, controller or clients")),
    }
}

fn delay(text: &str) -> Result<SimDuration, String> {
    micros(text).filter(|micros| (1..=MOST_DELAY.0).contains(micros)).map(SimDuration).ok_or_else(
        || {
            let most = MOST_DELAY.0 / 1_000;
            format!("`{text}` is not a number of milliseconds from 0.001 to {most}")
        },
    )
}

/// Microseconds from milliseconds with up to three decimals.
fn micros(text: &str) -> Option<u64> {
    let (whole, decimals) = text.split_once('.').unwrap_or((text, "0"));
    let has_digits = decimals.bytes().all(|byte| byte.is_ascii_digit());
    if !has_digits || !(1..=3).contains(&decimals.len()) {
        return None;
    }
    let micros = number::unsigned(&format!("{decimals:0<3}"))?;
    number::unsigned(whole)?.checked_mul(1_000)?.checked_add(micros)
}
