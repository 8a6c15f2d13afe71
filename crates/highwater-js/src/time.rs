//! Moments as JavaScript has them: a number of microseconds, or of milliseconds since 1970 for what Kafka stamps.

use highwater_core::time::SimTime;

/// Microseconds since the cluster's first moment. A `Number` is exact for 285 years.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53 microseconds")]
pub(crate) fn micros(at: SimTime) -> f64 {
    at.0 as f64
}

/// Milliseconds since 1970. A `Number` is exact for 285,000 years.
#[expect(clippy::cast_precision_loss, reason = "exact below 2^53 milliseconds")]
pub(crate) fn millis(at: i64) -> f64 {
    at as f64
}
