//! The run that an input in the past has replaced: back to it, its world at a moment, what differs from it.

use super::{Stop, Timeline, advance, recorded_at};
use crate::time::SimTime;
use crate::world::compare::{Difference, differences};
use crate::world::input::Input;
use crate::world::lull::Wakes;
use crate::world::process::Process;
use crate::world::world::World;

/// A run that was left behind by an input in the past.
#[derive(Clone, Debug)]
pub struct Branch {
    /// What both runs share is not in it.
    pub(super) inputs: Vec<(u64, Input)>,
    pub(super) wakes: Wakes,
    pub(super) stops: Vec<Stop>,
    pub(super) head: u64,
    /// The steps that both runs share.
    pub shared_steps: u64,
}

impl<P: Process> Timeline<P> {
    /// The run that the last input in the past has replaced.
    #[must_use]
    pub fn left_branch(&self) -> Option<&Branch> {
        self.left.as_ref()
    }

    /// Goes back to the run that the last input in the past has replaced; that input is what is
    /// left behind now.
    pub fn return_to_left_branch(&mut self) {
        let Some(branch) = self.left.take() else { return };
        // Time may have passed here without a step, beyond the next input of that run.
        self.begin_at(branch.shared_steps);
        self.seek(branch.shared_steps);
        let mine = self.leave_future();
        self.wakes = self.wakes.with(branch.shared_steps, &branch.wakes);
        self.inputs.extend(branch.inputs);
        self.stops.extend(branch.stops);
        self.head = branch.head;
        self.left = Some(mine);
        self.seek(self.head);
    }

    /// The world of the run that was left behind, at a moment; `None`: no run was.
    #[must_use]
    pub fn left_branch_at(&self, at: SimTime) -> Option<World<P>> {
        let branch = self.left.as_ref()?;
        let shared = self.inputs.partition_point(|(step, _)| *step < branch.shared_steps);
        let mut inputs = self.inputs.get(..shared)?.to_vec();
        inputs.extend(branch.inputs.iter().cloned());
        let wakes = self.wakes.with(branch.shared_steps, &branch.wakes);
        let kept = self.checkpoints.before_time(at).min(branch.shared_steps);
        let mut world = self.checkpoints.at_step(kept);
        while world.steps() < branch.head {
            let recorded = recorded_at(&inputs, world.steps()).map(|input| input.at);
            let woken = recorded.or_else(|| world.woken_at(&wakes));
            if woken.or_else(|| world.next_due()).is_none_or(|next| next > at) {
                break;
            }
            world.wake_as_recorded(&wakes);
            advance(&mut world, &inputs);
            world.forget_events();
        }
        Some(world)
    }

    /// What is different between this run (here) and the one that was left behind (there), at the
    /// present moment; `None`: no run was.
    #[must_use]
    pub fn compare_with_left_branch(&self) -> Option<Vec<Difference>> {
        let there = self.left_branch_at(self.world.now())?;
        Some(differences(&self.world.snapshot(), &there.snapshot()))
    }
}
