//! How far may consumers read? (Kafka's `Partition.maybeIncrementLeaderHW`)

use crate::ids::{BrokerId, Offset};

/// The high watermark and the replica that holds it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HighWatermark {
    /// The first offset that is not yet committed.
    pub offset: Offset,
    /// A replica whose log ends there.
    pub held_by: BrokerId,
}

/// The smallest log end among the in-sync replicas, never below what was already committed.
/// `log_ends` names each in-sync replica with its log end, the leader first.
#[must_use]
pub fn high_watermark(
    committed: Offset,
    leader: (BrokerId, Offset),
    in_sync_followers: impl IntoIterator<Item = (BrokerId, Offset)>,
) -> HighWatermark {
    let (held_by, smallest) = in_sync_followers
        .into_iter()
        .fold(leader, |best, next| if next.1 < best.1 { next } else { best });
    HighWatermark { offset: smallest.max(committed), held_by }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// The slowest in-sync replica decides; what is committed stays so.
    #[test]
    fn the_slowest_in_sync_replica_holds_it() {
        let leader = (BrokerId(1), Offset(7));
        assert_eq!(high_watermark(Offset(3), leader, []).offset, Offset(7));
        let followers = [(BrokerId(2), Offset(5)), (BrokerId(3), Offset(6))];
        let watermark = high_watermark(Offset(3), leader, followers);
        assert_eq!(watermark, HighWatermark { offset: Offset(5), held_by: BrokerId(2) });
        assert_eq!(high_watermark(Offset(6), leader, followers).offset, Offset(6));
    }
}
