//! When worlds that sleep were woken, for a timeline that plays them again.

use crate::scope;
use crate::shared::Shared;
use crate::time::SimTime;

/// When worlds that slept were woken although nothing was due, each with the number of steps that it had
/// taken before: part of what a timeline records.
#[derive(Clone, Debug, Default)]
pub(in crate::world) struct Wakes(Shared<Vec<(u64, SimTime)>>);

impl Wakes {
    /// A world was woken after so many steps.
    pub(in crate::world) fn note(&mut self, steps: u64, at: SimTime) {
        if scope::CLUSTER {
            self.0.push((steps, at));
        }
    }

    /// Takes out those from so many steps on.
    pub(in crate::world) fn split_off(&mut self, steps: u64) -> Self {
        let mut later = Self::default();
        if scope::CLUSTER && !self.0.is_empty() {
            let first = self.0.partition_point(|(before, _)| *before < steps);
            *later.0 = self.0.split_off(first);
        }
        later
    }

    /// Those of the first steps, and others after them.
    pub(in crate::world) fn with(&self, steps: u64, later: &Self) -> Self {
        let mut all = self.clone();
        if scope::CLUSTER && !(self.0.is_empty() && later.0.is_empty()) {
            all.split_off(steps);
            all.0.extend(later.0.iter().copied());
        }
        all
    }

    pub(super) fn after(&self, steps: u64) -> Option<SimTime> {
        let place = self.0.partition_point(|(before, _)| *before < steps);
        self.0.get(place).filter(|(before, _)| *before == steps).map(|(_, at)| *at)
    }
}
