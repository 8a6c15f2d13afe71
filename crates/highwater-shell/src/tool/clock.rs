//! Virtual time as Kafka's log prints it.

use highwater_core::time::SimTime;

/// `2026-01-01 00:00:01,234`, in UTC.
#[must_use]
pub fn log_stamp(now: SimTime) -> String {
    let millis = now.epoch_millis();
    let (days, of_day) = (millis.div_euclid(86_400_000), millis.rem_euclid(86_400_000));
    let (year, month, day) = civil(days);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1_000 % 60, of_day % 1_000);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02},{milli:03}")
}

/// The Gregorian date of a number of days since 1970-01-01: whole cycles of 400 years first, then
/// years and months by going through them, which is at most 400 steps.
fn civil(days: i64) -> (i64, i64, i64) {
    const CYCLE: i64 = 146_097;
    let mut year = 1970 + days.div_euclid(CYCLE) * 400;
    let mut rest = days.rem_euclid(CYCLE);
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    loop {
        let length = if leap(year) { 366 } else { 365 };
        if rest < length {
            break;
        }
        rest -= length;
        year += 1;
    }
    let february = if leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if rest < length {
            break;
        }
        rest -= length;
        month += 1;
    }
    (year, month, rest + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// The first moment, and days around leap days and year ends.
    #[test]
    fn stamps() {
        assert_eq!(log_stamp(SimTime(1_234_567)), "2026-01-01 00:00:01,234");
        let day = 86_400_000_000;
        assert_eq!(log_stamp(SimTime(364 * day)), "2026-12-31 00:00:00,000");
        assert_eq!(log_stamp(SimTime(789 * day)), "2028-02-29 00:00:00,000");
        assert_eq!(log_stamp(SimTime(790 * day - 1_000)), "2028-02-29 23:59:59,999");
        assert_eq!(log_stamp(SimTime(790 * day)), "2028-03-01 00:00:00,000");
        assert_eq!(civil(-1), (1969, 12, 31));
        assert_eq!(civil(11_016), (2000, 2, 29));
    }
}
