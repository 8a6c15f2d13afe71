//! What the controller says of a partition makes sense: the leader is in sync, in-sync replicas are
//! replicas and unfenced, eligible ones are others (`PartitionRegistration`, KIP-966).

use super::Violation;
use crate::controller::config_control;
use crate::controller::records::{PartitionImage, TopicImage};
use crate::ids::{BrokerId, TopicName};
use crate::world::process::Process;
use crate::world::world::World;

pub(super) fn check<P: Process>(
    world: &World<P>,
    name: &TopicName,
    topic: &TopicImage,
    violations: &mut Vec<Violation>,
) {
    let image = world.controller().image();
    let is_fenced = |id: &BrokerId| image.brokers.get(id).is_none_or(|broker| broker.fenced);
    let min_isr = usize::try_from(config_control::min_isr(image, topic)).unwrap_or(usize::MAX);
    for (number, partition) in topic.numbered() {
        let unclean = config_control::unclean_elections(image, topic);
        let broken = rules(partition, min_isr, unclean, is_fenced);
        for rule in broken {
            let found = format!("{name}-{number}: {partition:?}");
            violations.push(Violation { rule, found });
        }
    }
}

fn rules(
    partition: &PartitionImage,
    min_isr: usize,
    unclean: bool,
    is_fenced: impl Fn(&BrokerId) -> bool,
) -> Vec<&'static str> {
    let PartitionImage { replicas, adding, isr, elr, leader, .. } = partition;
    let mut broken = Vec::new();
    let mut demand = |holds: bool, rule| {
        if !holds {
            broken.push(rule);
        }
    };
    demand(leader.is_none_or(|leader| isr.contains(&leader)), "LeaderInIsr");
    demand(isr.iter().all(|id| replicas.contains(id)), "IsrAreReplicas");
    demand(!elr.iter().any(|id| isr.contains(id)), "ElrNotInIsr");
    // Where unclean elections are allowed, a reassignment that is called off takes the first of the old
    // replicas for in sync, also if it is not there (recorded/reassign-faults.console). The next move adds
    // its replicas in front of it.
    let old = replicas.iter().find(|id| !adding.contains(id));
    let forced = unclean && leader.is_none() && isr.len() == 1 && isr.first() == old;
    demand(forced || !isr.iter().any(&is_fenced), "IsrNotFenced");
    // The controller bounds the minimum by the replicas that the first partition had at the change.
    demand(isr.len() < min_isr || elr.is_empty(), "ElrOnlyBelowMinIsr");
    demand(leader.is_some() || isr.is_empty() || forced, "NoLeaderMeansNobodyInSync");
    broken
}
