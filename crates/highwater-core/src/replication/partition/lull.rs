//! A replica to which the same is appended again and again (`world/lull.rs`).

use std::rc::Rc;

use super::Partition;
use crate::log::record_batch::RecordBatch;
use crate::time::{SimDuration, SimTime};

impl Partition {
    /// Whether all have all, and know that it is committed.
    pub(crate) fn is_at_rest(&self) -> bool {
        let end = self.log.log_end_offset();
        self.high_watermark == end
            && self.isr.proposed.is_none()
            && self.remotes.iter().all(|remote| remote.log_end == Some(end))
    }

    /// What was appended and copied since that moment is so again and again, until so much later: these
    /// batches, with so many offsets.
    pub(crate) fn leap(
        &mut self,
        since: SimTime,
        by: SimDuration,
        (batches, offsets): (&[Rc<RecordBatch>], u32),
    ) {
        for batch in batches {
            let appended = self.log.append_as_follower(Rc::clone(batch), batch.max_timestamp_ms());
            debug_assert!(appended.is_ok_and(|info| info.rolled.is_none()), "there was room");
        }
        self.high_watermark = self.high_watermark.plus(offsets);
        self.checkpoint.leap(since, by, offsets);
        for remote in &mut *self.remotes {
            remote.leap(since, by, offsets);
        }
    }
}
