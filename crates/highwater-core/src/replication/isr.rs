//! The in-sync replicas as their leader sees them: those that the controller has confirmed, and those
//! that the leader has proposed (Kafka's `PartitionState`; KIP-497).

use crate::ids::{BrokerId, PartitionEpoch};
use crate::sorted_map::sort_by_key;

/// In-sync replicas.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Isr {
    /// Confirmed by the controller.
    pub committed: Vec<BrokerId>,
    /// Proposed, not yet answered.
    pub proposed: Option<Vec<BrokerId>>,
    /// The state of the partition that this belongs to.
    pub partition_epoch: PartitionEpoch,
}

impl Isr {
    /// Whether a replica must be waited for: it is in sync, or will be if the proposal is accepted, or
    /// still is if the proposal is refused.
    #[must_use]
    pub fn is_in_maximal(&self, broker: BrokerId) -> bool {
        self.committed.contains(&broker)
            || self.proposed.as_ref().is_some_and(|proposed| proposed.contains(&broker))
    }

    /// How many replicas must be waited for.
    #[must_use]
    pub fn maximal_len(&self) -> usize {
        let added = self.proposed.iter().flatten();
        self.committed.len() + added.filter(|id| !self.committed.contains(id)).count()
    }

    /// With one more; in the order of a Java hash set of small numbers, as the leader sends it.
    #[must_use]
    pub fn with(&self, broker: BrokerId) -> Vec<BrokerId> {
        let mut isr = self.committed.clone();
        isr.push(broker);
        sort_by_key(&mut isr, |id| *id);
        isr
    }

    /// Without these.
    #[must_use]
    pub fn without(&self, gone: impl Fn(BrokerId) -> bool) -> Vec<BrokerId> {
        let mut isr = self.committed.clone();
        isr.retain(|id| !gone(*id));
        sort_by_key(&mut isr, |id| *id);
        isr
    }
}
