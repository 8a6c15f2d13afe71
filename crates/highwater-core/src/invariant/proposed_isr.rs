//! A replica that its leader proposes as in sync has all that is committed (`Partition.isFollowerInSync`).

use super::{Change, Violation};

pub(super) fn check(change: &Change<'_>, violations: &mut Vec<Violation>) {
    let replica = change.now;
    let Some(proposed) = &replica.isr().proposed else { return };
    for remote in replica.remotes() {
        let joins =
            proposed.contains(&remote.broker) && !replica.isr().committed.contains(&remote.broker);
        if joins && remote.log_end.is_none_or(|end| end < replica.high_watermark()) {
            violations.push(Violation {
                rule: "ProposedReplicasHaveCaughtUp",
                found: format!(
                    "{}: broker {} ends at {:?}, committed is {}",
                    change.which,
                    remote.broker,
                    remote.log_end,
                    replica.high_watermark()
                ),
            });
        }
    }
}
