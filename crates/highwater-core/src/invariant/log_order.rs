//! A log is a row of batches without overlap, in segments that begin where the one before ends or
//! later, with leader epochs that only grow (Kafka's `LogValidator` and `LeaderEpochFileCache`).

use super::Violation;
use crate::ids::{BrokerId, LeaderEpoch, Offset, TopicPartition};
use crate::replication::partition::Partition;

/// Where nothing is compacted, every offset is there.
pub(super) fn check(
    broker: BrokerId,
    which: &TopicPartition,
    replica: &Partition,
    violations: &mut Vec<Violation>,
) {
    let log = replica.log();
    let is_dense = !log.config().compact && log.clean_offset().is_none();
    let fits = |next: Option<Offset>, at: Offset| {
        next.is_none_or(|next| if is_dense { at == next } else { at >= next })
    };
    let mut next: Option<Offset> = None;
    let mut epoch = LeaderEpoch(0);
    for segment in log.segments() {
        if !fits(next, segment.base_offset()) {
            violations.push(Violation {
                rule: "SegmentsFollowEachOther",
                found: format!("{which} on broker {broker}: {}", segment.base_offset()),
            });
        }
        next = Some(segment.base_offset());
        for batch in segment.batches() {
            let follows = fits(next, batch.base_offset) && batch.leader_epoch >= epoch;
            if !follows || (is_dense && batch.records.is_empty()) {
                violations.push(Violation {
                    rule: "OffsetsFollowEachOther",
                    found: format!("{which} on broker {broker}: {}", batch.base_offset),
                });
            }
            next = Some(batch.next_offset());
            epoch = batch.leader_epoch;
        }
    }
    if !fits(next, log.log_end_offset()) {
        violations.push(Violation {
            rule: "LogEndsAfterLastRecord",
            found: format!("{which} on broker {broker}: {}", log.log_end_offset()),
        });
    }
}
