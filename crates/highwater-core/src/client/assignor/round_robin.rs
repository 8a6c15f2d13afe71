//! `RoundRobinAssignor`: all partitions in a row, dealt to the members in turn; who does not want a topic
//! is passed over.

use crate::client::assignor::group::{Group, Held};

/// Assigns.
pub(super) fn assign(group: &Group<'_>) -> Held {
    let mut held = group.nothing_held();
    let mut ring = group.static_members_first().into_iter().cycle();
    for topic in group.topics() {
        let mut wants = vec![false; held.len()];
        for &member in group.subscribers(topic) {
            wants[member as usize] = true;
        }
        for partition in group.partitions_of(topic) {
            // Somebody wants it, or it would not be here.
            if let Some(member) = ring.find(|&member| wants[member as usize]) {
                held[member as usize].push(partition);
            }
        }
    }
    held
}
