//! Where does each leader's part of a log begin, and where does it end? Kafka's
//! `LeaderEpochFileCache`; replicas compare these to find where they diverge.

use std::rc::Rc;

use crate::ids::{LeaderEpoch, Offset};

/// An epoch and the offset of its first record: a line of the file `leader-epoch-checkpoint`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EpochEntry {
    /// The epoch.
    pub epoch: LeaderEpoch,
    /// The offset at which it begins.
    pub start_offset: Offset,
}

/// The epochs of one log; epochs and offsets both grow from entry to entry.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct LeaderEpochFileCache {
    entries: Rc<Vec<EpochEntry>>,
}

impl LeaderEpochFileCache {
    /// Its entries, oldest first.
    #[must_use]
    pub fn entries(&self) -> &[EpochEntry] {
        &self.entries
    }

    /// The newest entry.
    #[must_use]
    pub fn latest_entry(&self) -> Option<EpochEntry> {
        self.entries.last().copied()
    }

    /// The newest epoch that has records or was led by this replica.
    #[must_use]
    pub fn latest_epoch(&self) -> Option<LeaderEpoch> {
        self.latest_entry().map(|entry| entry.epoch)
    }

    /// Notes that an epoch begins at an offset, unless that is known. Entries that would not come
    /// before it go. Returns whether something changed.
    pub fn assign(&mut self, epoch: LeaderEpoch, start_offset: Offset) -> bool {
        let is_known = self
            .latest_entry()
            .is_some_and(|last| last.epoch == epoch && last.start_offset <= start_offset);
        if is_known || epoch.0 < 0 || start_offset.0 < 0 {
            return false;
        }
        let entries = Rc::make_mut(&mut self.entries);
        while entries
            .last()
            .is_some_and(|last| last.epoch >= epoch || last.start_offset >= start_offset)
        {
            entries.pop();
        }
        entries.push(EpochEntry { epoch, start_offset });
        true
    }

    /// The largest epoch up to the requested one, and the offset at which it ends: where the next
    /// larger one begins, or the log's end for the newest. `None` where Kafka answers `UNDEFINED`:
    /// the requested epoch is larger than any known, or is itself undefined (-1).
    #[must_use]
    pub fn end_offset_for(
        &self,
        requested: LeaderEpoch,
        log_end_offset: Offset,
    ) -> Option<(LeaderEpoch, Offset)> {
        if requested.0 < 0 {
            return None;
        }
        if self.latest_epoch() == Some(requested) {
            return Some((requested, log_end_offset));
        }
        let next = self.entries.partition_point(|entry| entry.epoch <= requested);
        let higher = self.entries.get(next)?;
        // Older than everything kept: as if it had ended where the log now begins.
        let floor = next.checked_sub(1).map_or(requested, |last| self.entries[last].epoch);
        Some((floor, higher.start_offset))
    }

    /// The epoch in which the record at `offset` was appended.
    #[must_use]
    pub fn epoch_for_offset(&self, offset: Offset) -> Option<LeaderEpoch> {
        let next = self.entries.partition_point(|entry| entry.start_offset <= offset);
        self.entries.get(next.checked_sub(1)?).map(|entry| entry.epoch)
    }

    /// The log now ends at `end_offset`: epochs that begin there or later go.
    pub fn truncate_from_end(&mut self, end_offset: Offset) {
        let kept = self.entries.partition_point(|entry| entry.start_offset < end_offset);
        if end_offset.0 >= 0 && kept < self.entries.len() {
            Rc::make_mut(&mut self.entries).truncate(kept);
        }
    }

    /// The log now begins at `start_offset`: of the epochs that begin there or before, only the
    /// newest stays, and begins there.
    pub fn truncate_from_start(&mut self, start_offset: Offset) {
        let gone = self.entries.partition_point(|entry| entry.start_offset <= start_offset);
        let Some(last) = gone.checked_sub(1) else { return };
        let entries = Rc::make_mut(&mut self.entries);
        entries.drain(..last);
        entries[0].start_offset = start_offset;
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.entries = Rc::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn cache(entries: &[(i32, i64)]) -> LeaderEpochFileCache {
        let mut cache = LeaderEpochFileCache::default();
        for (epoch, start) in entries {
            cache.assign(LeaderEpoch(*epoch), Offset(*start));
        }
        cache
    }

    fn listed(cache: &LeaderEpochFileCache) -> Vec<(i32, i64)> {
        cache.entries().iter().map(|entry| (entry.epoch.0, entry.start_offset.0)).collect()
    }

    /// Every branch of `endOffsetFor`.
    #[test]
    fn end_offsets_of_epochs() {
        let epochs = cache(&[(2, 10), (5, 20), (7, 30)]);
        let end = |epoch| {
            epochs.end_offset_for(LeaderEpoch(epoch), Offset(44)).map(|(e, end)| (e.0, end.0))
        };
        assert_eq!(end(-1), None, "undefined");
        assert_eq!(end(0), Some((0, 10)), "older than all that is kept");
        assert_eq!(end(2), Some((2, 20)));
        assert_eq!(end(4), Some((2, 20)), "between two");
        assert_eq!(end(5), Some((5, 30)));
        assert_eq!(end(7), Some((7, 44)), "the newest ends with the log");
        assert_eq!(end(8), None, "larger than any");
        assert_eq!(cache(&[]).end_offset_for(LeaderEpoch(0), Offset(0)), None);
        assert_eq!(epochs.epoch_for_offset(Offset(9)), None);
        assert_eq!(epochs.epoch_for_offset(Offset(29)), Some(LeaderEpoch(5)));
        assert_eq!(epochs.epoch_for_offset(Offset(30)), Some(LeaderEpoch(7)));
    }

    /// Both columns only grow; what is known is not assigned again.
    #[test]
    fn assigning() {
        let mut epochs = cache(&[(0, 0), (1, 5), (2, 5)]);
        assert_eq!(listed(&epochs), [(0, 0), (2, 5)]);
        assert!(!epochs.assign(LeaderEpoch(2), Offset(9)));
        assert!(epochs.assign(LeaderEpoch(2), Offset(4)));
        assert_eq!(listed(&epochs), [(0, 0), (2, 4)]);
        assert!(epochs.assign(LeaderEpoch(1), Offset(8)));
        assert_eq!(listed(&epochs), [(0, 0), (1, 8)]);
        assert!(!epochs.assign(LeaderEpoch(-1), Offset(9)));
        assert!(!epochs.assign(LeaderEpoch(3), Offset(-1)));
    }

    /// Truncation from both ends.
    #[test]
    fn truncating() {
        let whole = cache(&[(0, 0), (2, 10), (3, 20)]);
        for (end, left) in [
            (25, &[(0, 0), (2, 10), (3, 20)][..]),
            (20, &[(0, 0), (2, 10)]),
            (1, &[(0, 0)]),
            (0, &[]),
            (i64::MIN, &[(0, 0), (2, 10), (3, 20)]),
        ] {
            let mut epochs = whole.clone();
            epochs.truncate_from_end(Offset(end));
            assert_eq!(listed(&epochs), left, "end {end}");
        }
        for (start, left) in [
            (0, &[(0, 0), (2, 10), (3, 20)][..]),
            (9, &[(0, 9), (2, 10), (3, 20)]),
            (10, &[(2, 10), (3, 20)]),
            (i64::MAX, &[(3, i64::MAX)]),
        ] {
            let mut epochs = whole.clone();
            epochs.truncate_from_start(Offset(start));
            assert_eq!(listed(&epochs), left, "start {start}");
        }
    }
}
