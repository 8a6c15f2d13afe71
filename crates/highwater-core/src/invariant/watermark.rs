//! log start <= high watermark <= log end, on every replica (02-log.md, 2.1).

use super::Violation;
use crate::ids::{BrokerId, TopicPartition};
use crate::replication::partition::Partition;

/// Log start <= high watermark <= log end.
pub(super) fn check(
    broker: BrokerId,
    which: &TopicPartition,
    replica: &Partition,
    violations: &mut Vec<Violation>,
) {
    let (log, watermark) = (replica.log(), replica.high_watermark());
    // A follower hears of the leader's log start before it hears of its high watermark.
    let below = replica.is_leader() && watermark < log.log_start_offset();
    if below || watermark > log.log_end_offset() {
        violations.push(Violation {
            rule: "HighWatermarkInLog",
            found: format!("{which} on broker {broker}: high watermark {watermark}"),
        });
    }
}
