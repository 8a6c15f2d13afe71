//! Where a timeline goes back to: worlds that it has kept, or the beginning, which can be made again.
//!
//! The code that copies a whole world takes kilobytes of a page. A page about one broker does without:
//! its runs are short, so going back means to play again from the beginning.

use crate::error::CommandError;
use crate::ids::{EventId, TerminalId};
use crate::scope::{self, Lab};
use crate::time::SimTime;
use crate::world::options::ClusterOptions;
use crate::world::process::Process;
use crate::world::world::World;

/// Steps between two checkpoints.
const CHECKPOINT_EVERY: u64 = 2_000;
/// The most that are kept: each may hold logs that nobody else holds any more.
const MOST_KEPT: usize = 24;

/// The worlds that a timeline has kept, and how its first one was made.
#[derive(Clone, Debug)]
pub(super) struct Checkpoints<P: Process> {
    options: ClusterOptions,
    shell: fn() -> P,
    /// How many steps the first world has taken.
    first_step: u64,
    /// Oldest first.
    kept: Lab<Vec<World<P>>>,
}

impl<P: Process> Checkpoints<P> {
    /// Makes a cluster with one terminal, and remembers it as the beginning.
    pub(super) fn begin(
        options: ClusterOptions,
        shell: fn() -> P,
    ) -> Result<(Self, World<P>, TerminalId), CommandError> {
        options.validate()?;
        let (world, terminal) = World::begin(options.clone(), shell);
        let mut checkpoints =
            Self { options, shell, first_step: world.steps(), kept: Lab::new(Vec::new()) };
        checkpoints.keep(&world);
        Ok((checkpoints, world, terminal))
    }

    /// How many steps the first world has taken.
    pub(super) fn first_step(&self) -> u64 {
        self.first_step
    }

    fn keep(&mut self, world: &World<P>) {
        if scope::CLUSTER
            && let Some(kept) = self.kept.get_mut()
        {
            kept.push(world.clone());
        }
    }

    /// The worlds that are kept, oldest first.
    pub(super) fn kept(&self) -> &[World<P>] {
        self.kept.get().map_or(&[], Vec::as_slice)
    }

    /// The steps of the newest one that has taken at most so many.
    pub(super) fn before_step(&self, step: u64) -> u64 {
        let before = self.kept().iter().rev().find(|world| world.steps() <= step);
        before.map_or(self.first_step, World::steps)
    }

    /// The steps of the newest one that is not after a moment.
    pub(super) fn before_time(&self, at: SimTime) -> u64 {
        let before = self.kept().iter().rev().find(|world| world.now() <= at);
        before.map_or(self.first_step, World::steps)
    }

    /// The newest one that has taken at most so many steps.
    pub(super) fn at_step(&self, step: u64) -> World<P> {
        self.newest(|world| world.steps() <= step)
    }

    /// The newest one from before an event.
    pub(super) fn before_event(&self, id: EventId) -> World<P> {
        self.newest(|world| world.next_event() <= id)
    }

    fn newest(&self, fits: impl Fn(&World<P>) -> bool) -> World<P> {
        match self.kept().iter().rev().find(|world| fits(world)) {
            Some(world) if scope::CLUSTER => world.clone(),
            _ => World::begin(self.options.clone(), self.shell).0,
        }
    }

    /// Keeps the world if it is far enough from the last one.
    pub(super) fn note(&mut self, world: &World<P>) {
        if !scope::CLUSTER {
            return;
        }
        let newest = self.kept().last().map_or(0, World::steps);
        if world.steps() >= newest + CHECKPOINT_EVERY {
            self.keep(world);
            self.thin();
        }
    }

    /// Keeps few of the old ones: each gap may be as long as a quarter of its distance to the newest,
    /// or longer when there would be too many. The beginning stays.
    fn thin(&mut self) {
        let Some(kept) = self.kept.get_mut() else { return };
        let newest = kept.last().map_or(0, World::steps);
        let gap_and_age = |kept: &[World<P>], index: usize| {
            let gap = kept[index + 1].steps() - kept[index - 1].steps();
            (gap, newest - kept[index].steps())
        };
        let mut index = 1;
        while index + 1 < kept.len() {
            let (gap, age) = gap_and_age(kept, index);
            if gap * 4 <= age {
                kept.remove(index);
            } else {
                index += 1;
            }
        }
        while kept.len() > MOST_KEPT {
            // The gap that is the smallest for its age; ages are not zero, as the newest stays.
            let mut best = 1;
            for index in 2..kept.len() - 1 {
                let ((gap, age), (best_gap, best_age)) =
                    (gap_and_age(kept, index), gap_and_age(kept, best));
                if u128::from(gap) * u128::from(best_age) < u128::from(best_gap) * u128::from(age) {
                    best = index;
                }
            }
            kept.remove(best);
        }
    }

    /// What has taken more steps than that belongs to a future that will not be.
    pub(super) fn drop_after(&mut self, step: u64) {
        if let Some(kept) = self.kept.get_mut() {
            kept.retain(|world| world.steps() <= step);
        }
    }
}
