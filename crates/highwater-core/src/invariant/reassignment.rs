//! A partition that moves never gives up what it had before the new place holds it, and arrives where it
//! was sent (KIP-455: `PartitionReassignmentReplicas`). Replicas that are taken away are heard no more.

use std::rc::Rc;

use super::Violation;
use crate::controller::records::{PartitionImage, TopicImage};
use crate::ids::{BrokerId, TopicName, TopicPartition};
use crate::net::admin::AdminRequest;
use crate::net::message::{Body, Message, Request};
use crate::sorted_map::SortedMap;

/// Where somebody has asked for each partition to be moved.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    targets: SortedMap<TopicPartition, Vec<Vec<BrokerId>>>,
}

impl Moves {
    /// Takes note of what these messages ask for.
    pub(super) fn observe(&mut self, messages: &[&Message]) {
        for message in messages {
            if let Body::Request(Request::Admin(request)) = &message.body
                && let AdminRequest::AlterPartitionReassignments(moves) = &**request
            {
                for (which, target) in &moves.known().partitions {
                    let Some(target) = target else { continue };
                    self.targets.get_or_insert_with(which.clone(), Vec::new).push(target.clone());
                }
            }
        }
    }

    fn is_target(&self, which: &TopicPartition, replicas: &[BrokerId]) -> bool {
        self.targets.get(which).is_some_and(|known| known.iter().any(|one| one == replicas))
    }
}

/// Looks at what has changed in a topic.
pub(super) fn check(
    name: &TopicName,
    before: Option<&Rc<TopicImage>>,
    topic: &TopicImage,
    moves: &Moves,
    violations: &mut Vec<Violation>,
) {
    // A topic that was made anew under the same name is another topic.
    let before = before.filter(|before| before.id == topic.id);
    for (number, now) in topic.numbered() {
        let old = before.and_then(|before| before.partition(number));
        let mut broken = shape(now);
        // Below the minimum of in-sync replicas, one that a reassignment took away stays eligible.
        let was_one = |broker: &BrokerId| {
            old.is_some_and(|old| old.replicas.contains(broker) || old.elr.contains(broker))
        };
        if !now.elr.iter().all(|broker| now.replicas.contains(broker) || was_one(broker)) {
            broken.push("ElrAreReplicas");
        }
        if let Some(old) = old.filter(|old| old.partition_epoch != now.partition_epoch) {
            let is_asked = moves.is_target(&TopicPartition::new(name, number), &now.replicas);
            broken.extend(change(old, now, is_asked));
        }
        for rule in broken {
            let found = format!("{name}-{number}: {now:?}, before {old:?}");
            violations.push(Violation { rule, found });
        }
    }
}

/// What must hold of a partition by itself.
fn shape(now: &PartitionImage) -> Vec<&'static str> {
    let PartitionImage { replicas, adding, removing, .. } = now;
    let mut broken = Vec::new();
    let is_twice =
        |(place, broker): (usize, &BrokerId)| replicas.iter().take(place).any(|it| it == broker);
    if replicas.is_empty() || replicas.iter().enumerate().any(is_twice) {
        broken.push("ReplicasAreASet");
    }
    if !adding.iter().chain(removing).all(|broker| replicas.contains(broker)) {
        broken.push("MovingReplicasAreReplicas");
    }
    broken
}

/// What must hold from one state to the next. A reassignment ends in one of three ways: it is complete, it
/// was called off, or another one took its place that was complete at once: what that needs is in sync
/// already. `is_asked`: somebody wanted just these replicas.
fn change(old: &PartitionImage, now: &PartitionImage, is_asked: bool) -> Vec<&'static str> {
    let mut broken = Vec::new();
    let without = |list: &[BrokerId], out: &[BrokerId]| {
        let mut list = list.to_vec();
        list.retain(|broker| !out.contains(broker));
        list
    };
    let taken = !without(&old.replicas, &now.replicas).is_empty();
    if taken && now.leader_epoch <= old.leader_epoch {
        broken.push("RemovedReplicasAreFenced");
    }
    if now.is_reassigning() {
        let new = without(&now.replicas, &old.replicas);
        if !new.iter().all(|broker| now.adding.contains(broker)) {
            broken.push("NewReplicasAreBeingAdded");
        }
        return broken;
    }
    if !without(&now.replicas, &old.replicas).is_empty() {
        broken.push("NewReplicasAreBeingAdded");
    }
    if !old.is_reassigning() {
        return broken;
    }
    let arrived = without(&old.adding, &without(&old.adding, &now.replicas));
    if !arrived.iter().all(|broker| now.isr.contains(broker)) {
        broken.push("AddedReplicasAreInSync");
    }
    let is_complete = now.replicas == without(&old.replicas, &old.removing);
    let is_cancelled = now.replicas == without(&old.replicas, &old.adding);
    // One that adds and removes the same replica has no target any more; a next one may need no copy.
    let is_stuck = old.adding.iter().any(|broker| old.removing.contains(broker));
    if !is_complete && !is_cancelled && !is_asked && !is_stuck && !old.adding.is_empty() {
        broken.push("ReassignmentEndsAtItsTarget");
    }
    broken
}
