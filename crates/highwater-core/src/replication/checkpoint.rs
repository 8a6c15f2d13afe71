//! Which high watermark survives a crash: the one that was last written to disk
//! (`replication-offset-checkpoint`, every `replica.high.watermark.checkpoint.interval.ms`).
//!
//! The writing is not played: what stands in the file follows from when the value changed.

use crate::ids::Offset;
use crate::time::{SimDuration, SimTime};

/// When the file is written: in even intervals from the start of the broker.
#[derive(Clone, Copy, Debug)]
pub struct CheckpointTimes {
    /// `replica.high.watermark.checkpoint.interval.ms`
    pub interval: SimDuration,
    /// When the broker's process started.
    pub started: SimTime,
    /// The present.
    pub now: SimTime,
}

impl CheckpointTimes {
    /// How often it had been written at that moment.
    fn writes(self, at: SimTime) -> u64 {
        at.0.saturating_sub(self.started.0) / self.interval.0.max(1)
    }
}

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

    /// The high watermark was `before` until now.
    pub fn note_change(&mut self, before: Offset, times: CheckpointTimes) {
        *self = Self { written: self.read(before, times), changed: times.now };
    }

    /// What has happened since that moment has happened again and again, until so much later and so many
    /// offsets further.
    pub(crate) fn leap(&mut self, since: SimTime, by: SimDuration, offsets: u32) {
        if self.changed >= since {
            *self = Self { written: self.written.plus(offsets), changed: self.changed + by };
        }
    }

    /// What the file holds now, when the high watermark has been `current` since its last change.
    #[must_use]
    pub fn read(&self, current: Offset, times: CheckpointTimes) -> Offset {
        let is_written = times.writes(times.now) > times.writes(self.changed);
        if is_written { current } else { self.written }
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
            let interval = SimDuration::from_millis(5_000);
            let times = CheckpointTimes { interval, started, now };
            if (now.0 - started.0) / 5_000_000
                > (now.0 - 1_000_000).saturating_sub(started.0) / 5_000_000
            {
                file = value;
            }
            if let Some((_, next)) = changes.iter().find(|(at, _)| *at == second) {
                checkpoint.note_change(value, times);
                value = Offset(*next);
            }
            assert_eq!(checkpoint.read(value, times), file, "at {second} s");
        }
    }
}
