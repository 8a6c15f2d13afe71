//! What the controller says of a partition makes sense: the leader is in sync, in-sync and eligible
//! replicas are replicas and unfenced, and nobody is both (`PartitionRegistration`, KIP-966).

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
        let broken = rules(partition, min_isr, is_fenced);
        for rule in broken {
            let found = format!("{name}-{number}: {partition:?}");
            violations.push(Violation { rule, found });
        }
    }
}

fn rules(
    partition: &PartitionImage,
    min_isr: usize,
    is_fenced: impl Fn(&BrokerId) -> bool,
) -> Vec<&'static str> {
    let PartitionImage { replicas, isr, elr, leader, .. } = partition;
    let mut broken = Vec::new();
    let mut demand = |holds: bool, rule| {
        if !holds {
            broken.push(rule);
        }
    };
    demand(leader.is_none_or(|leader| isr.contains(&leader)), "LeaderInIsr");
    demand(isr.iter().all(|id| replicas.contains(id)), "IsrAreReplicas");
    demand(elr.iter().all(|id| replicas.contains(id)), "ElrAreReplicas");
    demand(!elr.iter().any(|id| isr.contains(id)), "ElrNotInIsr");
    demand(!isr.iter().any(&is_fenced), "IsrNotFenced");
    let enough = isr.len() >= min_isr.min(replicas.len());
    demand(!enough || elr.is_empty(), "ElrOnlyBelowMinIsr");
    demand(leader.is_some() || isr.is_empty(), "NoLeaderMeansNobodyInSync");
    broken
}
