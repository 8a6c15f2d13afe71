//! How long a client waits before it tries again (Kafka's `ExponentialBackoff`, KIP-580).

use crate::draw::{Purpose, draw_below};
use crate::time::SimDuration;

/// Twice as long after each failure, within a fifth more or less, and never longer than the longest. If the
/// first time is as long as that, it is always that.
pub(super) fn exponential_backoff(
    (first, most): (SimDuration, SimDuration),
    failures: u32,
    (seed, who): (u64, u64),
) -> SimDuration {
    if first >= most {
        return most;
    }
    let base = first.0.saturating_mul(1 << failures.min(16)).min(most.0);
    let jitter = draw_below(seed, Purpose::RetryJitter, who, failures.into(), 401);
    SimDuration(base.saturating_mul(800 + u64::from(jitter)) / 1_000).min(most)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    const FIRST: SimDuration = SimDuration::from_millis(100);
    const MOST: SimDuration = SimDuration::from_millis(1_000);

    /// It doubles, a fifth more or less, up to the longest, which it never passes.
    #[test]
    fn it_doubles_up_to_the_longest() {
        let mut has_reached = false;
        for who in 0..200 {
            for failures in 0..40 {
                let pause = exponential_backoff((FIRST, MOST), failures, (1, who));
                let base = (100_000u64 << failures.min(20)).min(MOST.0);
                assert!(pause.0 >= base * 8 / 10, "{failures}: {pause:?}");
                assert!(pause.0 <= (base * 12 / 10).min(MOST.0), "{failures}: {pause:?}");
                has_reached |= pause == MOST;
            }
        }
        assert!(has_reached);
    }

    /// Without room to grow there is no chance in it.
    #[test]
    fn the_longest_is_exact() {
        for failures in 0..5 {
            assert_eq!(exponential_backoff((MOST, MOST), failures, (1, 2)), MOST);
            assert_eq!(exponential_backoff((MOST, FIRST), failures, (1, 2)), FIRST);
        }
    }
}
