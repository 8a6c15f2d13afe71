//! While fewer replicas are in sync than must be, nothing more is committed (strict min ISR, KIP-966).

use super::{Change, Violation};

pub(super) fn check(change: &Change<'_>, violations: &mut Vec<Violation>) {
    let Some(before) = change.before else { return };
    let leads = before.is_leader() && change.now.is_leader();
    let same_epoch = before.leader_epoch() == change.now.leader_epoch();
    let advanced = change.now.high_watermark() > before.high_watermark();
    if leads && same_epoch && advanced && before.is_under_min_isr() && change.now.is_under_min_isr()
    {
        violations.push(Violation {
            rule: "NothingCommittedBelowMinIsr",
            found: format!(
                "{} on broker {}: high watermark {} with {} in sync of {}",
                change.which,
                change.broker,
                change.now.high_watermark(),
                change.now.isr().committed.len(),
                change.now.effective_min_isr()
            ),
        });
    }
}
