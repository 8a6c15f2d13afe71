//! What a change means for a partition: its leader, in-sync and eligible replicas
//! (Kafka's `PartitionChangeBuilder`; KIP-966 for eligible leader replicas, KIP-455 for reassignment).

use crate::controller::records::{PartitionChange, PartitionImage};
use crate::ids::BrokerId;
use crate::mutation::Mutation;
use crate::sorted_map::sort_by_key;

/// Who may be elected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Election {
    /// The first replica of the assignment, else whoever leads now.
    Preferred,
    /// Whoever leads now, else the first that is in sync or eligible.
    Online,
    /// As `Online`; if there is nobody, the first that is there.
    Unclean,
}

/// A change in the making.
pub struct PartitionChangeBuilder<'a> {
    partition: &'a PartitionImage,
    /// Whether a broker may lead: it is active, as far as this change is concerned.
    is_acceptable_leader: &'a dyn Fn(BrokerId) -> bool,
    /// `min.insync.replicas` of the topic, bounded by its replicas.
    min_isr: u32,
    /// Who may be elected.
    pub election: Election,
    /// The in-sync replicas after the change.
    pub target_isr: Vec<BrokerId>,
    /// The assignment after the change.
    pub target_replicas: Vec<BrokerId>,
    /// Replicas that are being added after the change.
    pub target_adding: Vec<BrokerId>,
    /// Replicas that are being removed after the change.
    pub target_removing: Vec<BrokerId>,
    /// Replicas that may have lost the tail of their log: they are not eligible.
    pub unclean_shutdown: Option<BrokerId>,
    /// Whether the leader says that it has settled.
    pub recovered: bool,
    /// A rule that is broken on purpose.
    pub mutation: Mutation,
    target_elr: Vec<BrokerId>,
}

/// Who was elected, and whether committed records may be lost by it.
struct Elected {
    leader: Option<BrokerId>,
    unclean: bool,
}

impl<'a> PartitionChangeBuilder<'a> {
    /// Begins with the partition as it is.
    pub fn new(
        partition: &'a PartitionImage,
        is_acceptable_leader: &'a dyn Fn(BrokerId) -> bool,
        min_isr: u32,
    ) -> Self {
        Self {
            partition,
            is_acceptable_leader,
            min_isr,
            election: Election::Online,
            target_isr: partition.isr.clone(),
            target_replicas: partition.replicas.clone(),
            target_adding: partition.adding.clone(),
            target_removing: partition.removing.clone(),
            unclean_shutdown: None,
            recovered: false,
            mutation: Mutation::None,
            target_elr: partition.elr.clone(),
        }
    }

    /// Whether the election would come to a replica that is only being added. That can only be one that
    /// an earlier move took away while it was eligible. Kafka looks for its folder among the replicas as
    /// they are, and fails (`LeaderAcceptor`; recorded/reassign-stranger.console).
    #[must_use]
    pub fn meets_stranger(&self) -> bool {
        let is_valid = |replica: &&BrokerId| self.is_valid_new_leader(**replica);
        if self.partition.leader.as_ref().filter(is_valid).is_some() {
            return false;
        }
        let first = self.target_replicas.iter().find(is_valid);
        first.is_some_and(|first| !self.partition.replicas.contains(first))
    }

    /// What changes; `None`: nothing does.
    #[must_use]
    pub fn build(mut self) -> Option<PartitionChange> {
        let mut change = PartitionChange::default();
        self.maybe_complete_reassignment();
        self.maybe_populate_target_elr();
        self.try_election(&mut change);
        self.maybe_bump_leader_epoch(&mut change);
        self.maybe_update_elr(&mut change);
        if change.isr.is_none() && self.target_isr != self.partition.isr {
            change.isr = Some(self.target_isr.clone());
        }
        let differs =
            |target: &Vec<BrokerId>, now: &Vec<BrokerId>| (target != now).then(|| target.clone());
        change.replicas = differs(&self.target_replicas, &self.partition.replicas);
        change.adding = differs(&self.target_adding, &self.partition.adding);
        change.removing = differs(&self.target_removing, &self.partition.removing);
        if self.recovered && self.partition.recovering && change.recovering.is_none() {
            change.recovering = Some(false);
        }
        self.maybe_update_last_known_leader(&mut change);
        (change != PartitionChange::default()).then_some(change)
    }

    /// A reassignment is complete when all added replicas are in sync; when it removes more than it
    /// adds, all of its target must be (4.3 and later). A second reassignment may leave a replica both
    /// added and removed: that one completes never, and can only be called off.
    fn maybe_complete_reassignment(&mut self) {
        if self.target_adding.is_empty() && self.target_removing.is_empty() {
            return;
        }
        let mut replicas = self.target_replicas.clone();
        replicas.retain(|replica| !self.target_removing.contains(replica));
        let mut isr = self.target_isr.clone();
        isr.retain(|replica| !self.target_removing.contains(replica));
        let all_in_sync = |of: &[BrokerId]| of.iter().all(|replica| isr.contains(replica));
        let removes_more = self.target_removing.len() > self.target_adding.len();
        let is_early = self.mutation.is(Mutation::ReassignmentCompletesEarly);
        let is_ready =
            all_in_sync(&self.target_adding) && (!removes_more || all_in_sync(&replicas));
        if isr.is_empty() || replicas.is_empty() || !is_ready && !is_early {
            return;
        }
        self.target_isr = isr;
        self.target_replicas = replicas;
        self.target_adding.clear();
        self.target_removing.clear();
    }

    /// Replicas that leave the ISR while it is below its minimum hold all that is committed: they stay
    /// eligible, unless they were shut down uncleanly.
    fn maybe_populate_target_elr(&mut self) {
        let min_isr = usize::try_from(self.min_isr).unwrap_or(usize::MAX);
        if self.target_isr.len() >= min_isr {
            if !self.mutation.is(Mutation::ElrNotCleared) {
                self.target_elr.clear();
            }
            return;
        }
        for member in &self.partition.isr {
            if !self.target_elr.contains(member) {
                self.target_elr.push(*member);
            }
        }
        let (isr, unclean) = (&self.target_isr, self.unclean_shutdown);
        self.target_elr.retain(|replica| !isr.contains(replica) && Some(*replica) != unclean);
        sort_by_key(&mut self.target_elr, |replica| *replica);
    }

    fn try_election(&mut self, change: &mut PartitionChange) {
        let elected = self.elect();
        if elected.leader == self.partition.leader {
            return;
        }
        change.leader = Some(elected.leader);
        let Some(leader) = elected.leader else { return };
        if self.target_elr.contains(&leader) {
            self.target_isr = vec![leader];
            self.target_elr.retain(|replica| *replica != leader);
        }
        if elected.unclean {
            // Whatever the others hold may differ from now on.
            change.isr = Some(vec![leader]);
            if !self.partition.recovering {
                change.recovering = Some(true);
            }
        }
    }

    fn elect(&self) -> Elected {
        let clean = |leader| Elected { leader: Some(leader), unclean: false };
        let preferred = self.target_replicas.first().copied();
        if self.election == Election::Preferred
            && let Some(preferred) = preferred.filter(|first| self.is_valid_new_leader(*first))
        {
            return clean(preferred);
        }
        if let Some(now) = self.partition.leader.filter(|now| self.is_valid_new_leader(*now)) {
            return clean(now);
        }
        let mut replicas = self.target_replicas.iter().copied();
        if let Some(first) = replicas.find(|replica| self.is_valid_new_leader(*replica)) {
            return clean(first);
        }
        let mut unclean = self.last_known_leader().filter(|_| self.election != Election::Preferred);
        if unclean.is_none() && self.election == Election::Unclean {
            let mut replicas = self.target_replicas.iter().copied();
            unclean = replicas.find(|replica| (self.is_acceptable_leader)(*replica));
        }
        Elected { leader: unclean, unclean: unclean.is_some() }
    }

    fn is_valid_new_leader(&self, replica: BrokerId) -> bool {
        let holds_all = self.target_isr.contains(&replica)
            || self.target_isr.is_empty() && self.target_elr.contains(&replica)
            || self.mutation.is(Mutation::ElectionIgnoresIsr);
        holds_all && (self.is_acceptable_leader)(replica)
    }

    /// With nobody in sync and nobody eligible, whoever led last is the best there is, if it is a replica.
    fn last_known_leader(&self) -> Option<BrokerId> {
        let nobody = self.target_isr.is_empty() && self.target_elr.is_empty();
        let is_replica = |last| self.target_replicas.contains(last);
        match self.partition.last_known_elr.as_slice() {
            [last] if nobody && is_replica(last) && (self.is_acceptable_leader)(*last) => {
                Some(*last)
            }
            _ => None,
        }
    }

    /// A reassignment that takes replicas away begins a new epoch, so that they are heard no more.
    fn maybe_bump_leader_epoch(&self, change: &mut PartitionChange) {
        let gone = |replica| !self.target_replicas.contains(replica);
        let bumps = !self.mutation.is(Mutation::RemovedReplicaKeepsEpoch);
        if bumps && change.leader.is_none() && self.partition.replicas.iter().any(gone) {
            change.leader = Some(self.partition.leader);
        }
    }

    fn maybe_update_elr(&mut self, change: &mut PartitionChange) {
        if change.isr.is_some() {
            self.target_elr.clear();
        }
        if self.target_elr != self.partition.elr {
            change.elr = Some(self.target_elr.clone());
        }
    }

    fn maybe_update_last_known_leader(&self, change: &mut PartitionChange) {
        let known = &self.partition.last_known_elr;
        match (change.leader, self.partition.leader) {
            (Some(None), Some(last)) if known.is_empty() => {
                change.last_known_elr = Some(vec![last]);
            }
            (Some(Some(_)), _) if !known.is_empty() => change.last_known_elr = Some(Vec::new()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests;
