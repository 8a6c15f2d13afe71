//! What a leader knows of a follower (Kafka's `Replica`, `ReplicaState`).

use crate::ids::{BrokerId, Offset};
use crate::time::{SimDuration, SimTime};

/// A follower, as its fetches show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replica {
    /// The follower.
    pub broker: BrokerId,
    /// Its log end; `None`: it has not fetched from this leader yet.
    pub log_end: Option<Offset>,
    /// Its log start.
    pub log_start: Offset,
    /// The leader's log end at its last fetch.
    last_fetch_leader_end: Offset,
    last_fetch: SimTime,
    /// The last moment at which it had all that the leader had; `None`: that is not known of it.
    pub last_caught_up: Option<SimTime>,
}

impl Replica {
    /// A follower of a new leader, which gives it time if it is in sync.
    #[must_use]
    pub fn new(broker: BrokerId, in_sync: bool, now: SimTime) -> Self {
        Self {
            broker,
            log_end: None,
            log_start: Offset(0),
            last_fetch_leader_end: Offset(0),
            last_fetch: SimTime(0),
            last_caught_up: in_sync.then_some(now),
        }
    }

    /// It fetched from `offset` on, when the leader's log ended at `leader_end`.
    pub fn update_fetch_state(
        &mut self,
        offset: Offset,
        log_start: Offset,
        leader_end: Offset,
        now: SimTime,
    ) {
        if offset >= leader_end {
            self.last_caught_up = self.last_caught_up.max(Some(now));
        } else if self.log_end.is_some() && offset >= self.last_fetch_leader_end {
            self.last_caught_up = self.last_caught_up.max(Some(self.last_fetch));
        }
        self.log_end = Some(offset);
        self.log_start = log_start;
        self.last_fetch_leader_end = leader_end;
        self.last_fetch = now;
    }

    /// The leader's log is about to grow beyond `leader_end`. A follower that had it all has said so
    /// again and again until `contact`, its last fetch.
    pub fn note_append(&mut self, leader_end: Offset, contact: SimTime) {
        if self.log_end == Some(leader_end) && contact > self.last_fetch {
            self.update_fetch_state(leader_end, self.log_start, leader_end, contact);
        }
    }

    /// What it did since that moment it has done again and again, until so much later and so many offsets
    /// further.
    pub(crate) fn leap(&mut self, since: SimTime, by: SimDuration, offsets: u32) {
        self.log_end = self.log_end.map(|end| end.plus(offsets));
        self.last_fetch_leader_end = self.last_fetch_leader_end.plus(offsets);
        let caught_up = self.last_caught_up.iter_mut();
        for moment in caught_up.chain([&mut self.last_fetch]) {
            if *moment >= since {
                *moment = *moment + by;
            }
        }
    }

    /// Whether it has all, or had it no longer than `replica.lag.time.max.ms` ago.
    #[must_use]
    pub fn is_caught_up(&self, leader_end: Offset, now: SimTime, lag_max: SimDuration) -> bool {
        self.log_end == Some(leader_end)
            || self.last_caught_up.is_some_and(|moment| now <= moment + lag_max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    const LAG: SimDuration = SimDuration::from_millis(30_000);

    fn seconds(count: u64) -> SimTime {
        SimTime(count * 1_000_000)
    }

    /// The rules of 03-replication.md, 3.2.
    #[test]
    fn caught_up() {
        let mut replica = Replica::new(BrokerId(2), true, seconds(100));
        assert!(replica.is_caught_up(Offset(9), seconds(130), LAG));
        assert!(!replica.is_caught_up(Offset(9), SimTime(130_000_001), LAG));
        // Behind, and the fetch before shows nothing.
        replica.update_fetch_state(Offset(3), Offset(0), Offset(9), seconds(110));
        assert_eq!(replica.last_caught_up, Some(seconds(100)));
        // It has what the leader had at the fetch before.
        replica.update_fetch_state(Offset(9), Offset(0), Offset(12), seconds(120));
        assert_eq!(replica.last_caught_up, Some(seconds(110)));
        // It has all.
        replica.update_fetch_state(Offset(12), Offset(0), Offset(12), seconds(125));
        assert_eq!(replica.last_caught_up, Some(seconds(125)));
        // An idle partition never lags; when it grows, the time counts from the last fetch.
        assert!(replica.is_caught_up(Offset(12), seconds(999), LAG));
        replica.note_append(Offset(12), seconds(998));
        assert!(replica.is_caught_up(Offset(13), seconds(1_028), LAG));
        assert!(!replica.is_caught_up(Offset(13), seconds(1_029), LAG));
    }

    /// Who is not in sync and never had all is not caught up, however young the cluster is: nobody waits
    /// for it.
    #[test]
    fn never_caught_up() {
        let mut replica = Replica::new(BrokerId(3), false, seconds(5));
        assert!(!replica.is_caught_up(Offset(9), seconds(5), LAG));
        replica.update_fetch_state(Offset(0), Offset(0), Offset(9), seconds(6));
        assert!(!replica.is_caught_up(Offset(9), seconds(6), LAG));
        replica.update_fetch_state(Offset(9), Offset(0), Offset(12), seconds(7));
        assert!(replica.is_caught_up(Offset(12), seconds(36), LAG));
        assert!(!replica.is_caught_up(Offset(12), seconds(37), LAG));
    }
}
