//! When does a task of a broker run next? It is woken by timers, of which none can be taken back.

use crate::time::{SimDuration, SimTime};
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// When a task runs next. An alarm that comes too early sets the next one, so there are never more than
/// two or three of them, however often the plan changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Task {
    planned: Option<SimTime>,
    /// Its alarms that are still to come.
    alarms: Vec<SimTime>,
}

impl Task {
    /// Whether what is wanted then, and not before, is planned already.
    pub(super) fn serves(&self, wanted: SimTime) -> bool {
        self.planned.is_some_and(|planned| planned <= wanted)
    }

    pub(super) fn is_planned(&self) -> bool {
        self.planned.is_some()
    }

    /// Plans a run, unless one is planned before it.
    pub(super) fn plan(&mut self, run: SimTime, timer: Timer, out: &mut Outbox) {
        if !self.serves(run) {
            self.planned = Some(run);
            self.set_alarm(timer, out);
        }
    }

    /// The plan is so much later, and so are its alarms; whoever calls moves these.
    pub(super) fn leap(&mut self, by: SimDuration) {
        self.planned = self.planned.map(|planned| planned + by);
        for alarm in &mut self.alarms {
            *alarm = *alarm + by;
        }
    }

    /// An alarm has come. Whether the task runs now.
    pub(super) fn begins(&mut self, timer: Timer, out: &mut Outbox) -> bool {
        let now = out.now();
        self.alarms.retain(|alarm| *alarm > now);
        let is_due = self.serves(now);
        if is_due {
            self.planned = None;
        }
        self.set_alarm(timer, out);
        is_due
    }

    fn set_alarm(&mut self, timer: Timer, out: &mut Outbox) {
        if let Some(planned) = self.planned
            && !self.alarms.iter().any(|alarm| *alarm <= planned)
        {
            self.alarms.push(planned);
            out.timer(SimDuration(planned.0.saturating_sub(out.now().0)), timer);
        }
    }
}
