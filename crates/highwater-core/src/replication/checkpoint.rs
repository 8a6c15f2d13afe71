//! Which high watermark survives a crash: the one that was last written to disk
//! (`replication-offset-checkpoint`, every `replica.high.watermark.checkpoint.interval.ms`).
//!
//! The writing is not played: what stands in the file follows from when the value changed.

use crate::ids::Offset;
use crate::time::{SimDuration, SimTime};

/// `replica.high.watermark.checkpoint.interval.ms`
const INTERVAL: SimDuration = SimDuration::from_millis(5_000);

/// The checkpoint of one replica.
#[derive(Clone, Copy, Debug, Default)]
pub struct HighWatermarkCheckpoint {
    /// What the file held when the value last changed.
    written: Offset,
    changed: SimTime,
}

impl HighWatermarkCheckpoint {
    /// A file that holds this.
    #[must_use]
    pub fn holding(offset: Offset, now: SimTime) -> Self {
        Self { written: offset, changed: now }
    }

    /// The high watermark was `before` until now. The broker's intervals count from `started`.
    pub fn note_change(&mut self, before: Offset, started: SimTime, now: SimTime) {
        *self = Self { written: self.read(before, started, now), changed: now };
    }

    /// What the file holds now, when the high watermark has been `current` since its last change.
    #[must_use]
    pub fn read(&self, current: Offset, started: SimTime, now: SimTime) -> Offset {
        let writes = |at: SimTime| at.0.saturating_sub(started.0) / INTERVAL.0;
        if writes(now) > writes(self.changed) { current } else { self.written }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// The same as a file that is written every five seconds.
    #[test]
    fn it_is_a_file_written_every_five_seconds() {
        let started = SimTime(1_300_000);
        let changes = [(2, 1), (3, 4), (8, 7), (9, 8), (27, 9), (28, 5)];
        let mut checkpoint = HighWatermarkCheckpoint::default();
        let (mut file, mut value) = (Offset(0), Offset(0));
        for second in 2..40u64 {
            let now = SimTime(second * 1_000_000);
            if (now.0 - started.0) / 5_000_000
                > (now.0 - 1_000_000).saturating_sub(started.0) / 5_000_000
            {
                file = value;
            }
            if let Some((_, next)) = changes.iter().find(|(at, _)| *at == second) {
                checkpoint.note_change(value, started, now);
                value = Offset(*next);
            }
            assert_eq!(checkpoint.read(value, started, now), file, "at {second} s");
        }
    }
}
