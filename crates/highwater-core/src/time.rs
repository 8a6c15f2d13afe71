//! Virtual time: whole microseconds since the cluster's first moment, 2026-01-01T00:00:00Z.

use std::ops::Add;

use crate::number;

/// Milliseconds from 1970 to the first moment of every cluster.
const FIRST_MOMENT_EPOCH_MS: i64 = 1_767_225_600_000;

/// A moment, in microseconds since the cluster's first moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(pub u64);

/// The end of time, a thousand years after its beginning: no moment lies behind it, and what is wanted later
/// never happens. It leaves room for every span that is added to a moment.
pub const END_OF_TIME: SimTime = SimTime(1_000 * 365 * 86_400_000_000);

/// A span, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimDuration(pub u64);

impl SimDuration {
    /// A span of so many milliseconds; the longest span when that is too many.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis.saturating_mul(1_000))
    }

    /// Reads a number of seconds with at most six decimals that count, and `s`, `m`, `h` or `d` behind it, as the
    /// command `sleep` does; `None`: it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let units = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400)];
        let found = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(*name)?, *unit)));
        let (number, unit) = found.unwrap_or((text, 1));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
            return None;
        }
        let whole: u64 =
            if whole.is_empty() { 0 } else { number::unsigned(whole).unwrap_or(u64::MAX) };
        let micros = fraction.bytes().chain(std::iter::repeat(b'0')).take(6);
        let micros = micros.fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
        Some(Self(whole.saturating_mul(1_000_000).saturating_add(micros).saturating_mul(unit)))
    }
}

impl SimTime {
    /// What a Kafka timestamp says at this moment: milliseconds since 1970.
    #[must_use]
    pub fn epoch_millis(self) -> i64 {
        FIRST_MOMENT_EPOCH_MS.saturating_add(i64::try_from(self.0 / 1_000).unwrap_or(i64::MAX))
    }
}

impl SimTime {
    /// The moment of a Kafka timestamp; the first moment, when that lies before it.
    #[must_use]
    pub fn from_epoch_millis(millis: i64) -> Self {
        let since = millis.saturating_sub(FIRST_MOMENT_EPOCH_MS);
        Self(u64::try_from(since).unwrap_or(0).saturating_mul(1_000))
    }
}

impl Add<SimDuration> for SimTime {
    type Output = Self;

    fn add(self, span: SimDuration) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

/// The last of a row of moments, `period` apart, up to `now`.
#[must_use]
pub fn last_of_row(first: SimTime, period: SimDuration, now: SimTime) -> SimTime {
    let gone = now.0.saturating_sub(first.0) / period.0.max(1);
    SimTime(first.0 + gone * period.0)
}

/// The first of a row of moments, `period` apart, that is not before `moment`.
#[must_use]
pub(crate) fn next_of_row(first: SimTime, period: SimDuration, moment: SimTime) -> SimTime {
    let missing = moment.0.saturating_sub(first.0).div_ceil(period.0.max(1));
    SimTime(first.0 + missing * period.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Spans as GNU sleep takes them, and what it refuses.
    #[test]
    fn spans() {
        for (text, micros) in [
            ("2", 2_000_000),
            ("0.5", 500_000),
            (".25", 250_000),
            ("1m", 60_000_000),
            ("5.", 5_000_000),
        ] {
            assert_eq!(SimDuration::parse(text), Some(SimDuration(micros)), "{text}");
        }
        for text in ["", "s", ".", "-1", "1x", "1e3", "one"] {
            assert_eq!(SimDuration::parse(text), None, "{text}");
        }
        assert_eq!(SimDuration::parse("99999999999999999999d"), Some(SimDuration(u64::MAX)));
    }
}
