//! `CooperativeStickyAssignor`: what `sticky` decides, but a partition that changes hands is given to
//! nobody this time. Who loses it gives it up and joins again, and the next round finds it free.

use crate::client::assignor::group::{Group, Held};
use crate::client::assignor::sticky::{self, Moved};

/// Assigns.
pub(super) fn assign(group: &Group<'_>) -> Held {
    let sticky::Outcome { mut held, moved } = sticky::assign(group);
    match moved {
        Moved::Known(moved) => {
            for (partition, member) in moved {
                held[member as usize].retain(|&other| other != partition);
            }
        }
        Moved::FindOut => withhold_what_others_lose(group, &mut held),
    }
    held
}

/// Takes away what a member gets and another one owned and does not keep
/// (`computePartitionsTransferringOwnership`).
fn withhold_what_others_lose(group: &Group<'_>, held: &mut Held) {
    let mut holder = vec![None; group.partitions().len()];
    for (member, held) in (0..).zip(held.iter()) {
        for &partition in held {
            holder[partition as usize] = Some(member);
        }
    }
    let mut is_lost = vec![false; holder.len()];
    let mut is_kept = vec![false; holder.len()];
    for (member, subscription) in (0..).zip(&group.members) {
        for partition in subscription.owned.iter().filter_map(|which| group.find(which)) {
            let keeps = holder[partition as usize] == Some(member);
            is_kept[partition as usize] |= keeps;
            is_lost[partition as usize] |= !keeps;
        }
    }
    for held in held {
        held.retain(|&partition| is_kept[partition as usize] || !is_lost[partition as usize]);
    }
}
