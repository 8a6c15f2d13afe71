//! A session played again from its log.

use highwater_core::error::CommandError;
use highwater_core::time::SimDuration;
use highwater_core::world::input::Input;
use highwater_core::world::timeline::Timeline;

use super::{LinkNote, SessionLog};
use crate::process::ShellProcess;
use crate::session::Session;

/// A session that was played again.
#[derive(Clone, Debug)]
pub struct Replay {
    /// It, at the moment up to which it was played.
    pub session: Session,
    /// What went otherwise.
    pub notes: Vec<LinkNote>,
}

impl SessionLog {
    /// What happened up to now on this timeline, without the future that was left.
    #[must_use]
    pub fn of(timeline: &Timeline<ShellProcess>) -> Self {
        let until = timeline.world().now();
        // What is due at this very moment belongs to it.
        let mut there = timeline.clone();
        there.run_until(until);
        Self {
            engine: env!("CARGO_PKG_VERSION").to_owned(),
            options: there.world().options().clone(),
            inputs: there.inputs().filter(|input| input.at <= until).cloned().collect(),
            until,
            trace: there.world().trace_hash(),
        }
    }
}

/// Plays a session again. An input that is refused ends it; a note says so.
///
/// # Errors
/// An option of the cluster is out of range.
pub fn replay(log: &SessionLog) -> Result<Replay, CommandError> {
    let mut session = Session::new(log.options.clone())?;
    let mut notes = Vec::new();
    for (kept, input) in (0_u32..).zip(&log.inputs) {
        if let Err(why) = give(session.timeline_mut(), input) {
            let of = u32::try_from(log.inputs.len()).unwrap_or(u32::MAX);
            notes.push(LinkNote::Refused { kept, of, why });
            return Ok(Replay { session, notes });
        }
    }
    session.timeline_mut().run_until(log.until);
    if session.timeline().world().trace_hash() != log.trace {
        notes.push(LinkNote::WentAnotherWay { engine: log.engine.clone() });
    }
    Ok(Replay { session, notes })
}

/// Gives an input at its moment.
fn give(timeline: &mut Timeline<ShellProcess>, input: &Input) -> Result<(), String> {
    timeline.run_until(input.at);
    if timeline.world().now() != input.at {
        return Err("what comes before it is too much to be played at once".to_owned());
    }
    let kind = input.kind.clone();
    timeline.input(input.terminal, kind, SimDuration(0)).map_err(|why| why.to_string())
}
