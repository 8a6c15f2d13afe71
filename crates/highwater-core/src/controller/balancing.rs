//! When does the controller look at the leaders by itself? In even intervals from its start, and at once again
//! after a round that was full (`QuorumController.registerElectPreferred`, `registerElectUnclean`,
//! `PeriodicTaskControlManager`). Who is elected is decided in `leadership`.

use crate::controller::leadership::{self, Changed};
use crate::controller::quorum_controller::QuorumController;
use crate::controller::records::PartitionImage;
use crate::time::SimDuration;
use crate::world::cluster_event::ChangeReason;
use crate::world::outbox::Outbox;
use crate::world::step::Timer;

/// `unclean.leader.election.interval.ms`
const UNCLEAN_CHECK: SimDuration = SimDuration::from_millis(300_000);

/// The most elections of one round (`MAX_ELECTIONS_PER_IMBALANCE`).
const MOST_ELECTIONS: usize = 1_000;
/// The next round comes so soon when there may be more to do (`PeriodicTask`).
const NEXT_ROUND: SimDuration = SimDuration::from_millis(10);

/// Whether a round of elections was full, so that another follows at once.
fn ask_again(changes: &[Changed], timer: Timer, out: &mut Outbox) -> bool {
    let is_full = changes.len() >= MOST_ELECTIONS;
    if is_full {
        out.timer(NEXT_ROUND, timer);
    }
    is_full
}

impl QuorumController {
    /// Gives leadership back to preferred replicas.
    pub(super) fn handle_rebalance(&mut self, out: &mut Outbox) {
        let changes = leadership::balance_leaders(&self.image, MOST_ELECTIONS);
        self.balancing = ask_again(&changes, Timer::LeaderRebalance, out);
        self.append_changes(changes, ChangeReason::Rebalance, Vec::new(), out);
        self.maybe_plan_balancing(out);
    }

    /// Elects leaders that may lack records, where nobody else can lead and the topic allows it.
    pub(super) fn handle_unclean_election(&mut self, out: &mut Outbox) {
        let changes = leadership::elect_unclean_leaders(&self.image, MOST_ELECTIONS);
        self.electing_unclean = ask_again(&changes, Timer::UncleanElection, out);
        self.append_changes(changes, ChangeReason::UncleanAllowed, Vec::new(), out);
        self.maybe_plan_balancing(out);
    }

    /// Looks at the leaders when the next interval since the start ends, if there is anything to do
    /// then.
    pub(super) fn maybe_plan_balancing(&mut self, out: &mut Outbox) {
        let is_any = |wanted: &dyn Fn(&PartitionImage) -> bool| {
            let mut partitions = self.image.topics.values().flat_map(|topic| &topic.partitions);
            partitions.any(|partition| wanted(partition))
        };
        let now = out.now().0;
        let until = |interval: SimDuration| SimDuration(interval.0 - now % interval.0);
        if !self.balancing
            && let Some(interval) = self.config().leader_imbalance_check_interval
            && is_any(&|partition| !partition.has_preferred_leader())
        {
            out.timer(until(interval), Timer::LeaderRebalance);
            self.balancing = true;
        }
        if !self.electing_unclean && is_any(&|partition| partition.leader.is_none()) {
            out.timer(until(UNCLEAN_CHECK), Timer::UncleanElection);
            self.electing_unclean = true;
        }
    }
}
