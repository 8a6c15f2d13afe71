//! Which `.snapshot` files of producers are there, beside the segments of a log? Those of segments are kept with
//! them, the others here (`ProducerStateManager`, `LogLoader`).

use crate::ids::Offset;
use crate::log::producer_state::ProducerStateManager;
use crate::log::unified_log::UnifiedLog;

impl UnifiedLog {
    /// Writes down what is known of producers, unless that has been done for this end
    /// (`ProducerStateManager.takeSnapshot`).
    pub(super) fn take_snapshot(&mut self) {
        let end = self.log_end_offset();
        let newest = self.snapshots().map(|(offset, _)| offset).max();
        if end > newest.unwrap_or(Offset(0)) {
            let known = self.producer_state.clone();
            self.stray_snapshots.push((end, known));
        }
    }

    /// What is written down of producers, each at the offset in its file's name: where a segment begins, and
    /// where the log ended when its broker stopped.
    pub fn snapshots(&self) -> impl Iterator<Item = (Offset, &ProducerStateManager)> {
        let of_segments = self.segments().filter(|segment| segment.base_offset() > Offset(0));
        let of_segments = of_segments.map(|segment| (segment.base_offset(), segment.snapshot()));
        let strays = self
            .stray_snapshots
            .iter()
            .filter(|(offset, _)| !self.segments().any(|segment| segment.base_offset() == *offset));
        of_segments.chain(strays.map(|(offset, known)| (*offset, &**known)))
    }

    /// Its broker starts again: of the snapshots that belong to no segment the last one stays
    /// (`removeStraySnapshots`); if the broker had not stopped in order, one is made of what the log says.
    pub fn load_snapshots(&mut self, after_clean_end: bool) {
        let newest = self.active.base_offset();
        let last = self.stray_snapshots.pop().filter(|(offset, _)| *offset > newest);
        self.stray_snapshots.clear();
        if after_clean_end {
            self.stray_snapshots.extend(last);
        } else {
            self.take_snapshot();
        }
    }
}
