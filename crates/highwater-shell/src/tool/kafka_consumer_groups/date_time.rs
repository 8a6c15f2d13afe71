//! Moments as `--to-datetime` takes them: `2026-01-31T23:59:59.999`, with a zone or in UTC
//! (`Utils.getDateTime`, which uses Java's `SimpleDateFormat`).

use highwater_core::number;

use crate::tool::options::{Problem, split};

const PARSE_EXCEPTION: &str = "java.text.ParseException";

/// The milliseconds since 1970 of a moment.
///
/// # Errors
/// What Java throws.
pub(super) fn millis(text: &str) -> Result<i64, Problem> {
    let Some(time) = split(text, 'T').nth(1) else {
        let text = "Error parsing timestamp. It does not contain a 'T' according to ISO8601 format";
        return Err(Problem::new(PARSE_EXCEPTION, text));
    };
    let mut text = text.to_owned();
    if !time.contains(['+', '-', 'Z']) {
        text.push('Z');
    }
    parse(&text)
        .ok_or_else(|| Problem::new(PARSE_EXCEPTION, format!("Unparseable date: \"{text}\"")))
}

/// Reads `yyyy-MM-dd'T'HH:mm:ss.SSS` and a zone. What follows that does not count.
fn parse(text: &str) -> Option<i64> {
    let mut rest = text;
    let mut fields = [0i64; 7];
    for (field, end) in fields.iter_mut().zip(["-", "-", "T", ":", ":", ".", ""]) {
        let start = rest.trim_start_matches([' ', '\t']);
        let digits = start.bytes().take_while(u8::is_ascii_digit).count();
        *field = number::signed(start.get(..digits)?).filter(|value| *value < 1_000_000)?;
        rest = start.get(digits..)?.strip_prefix(end)?;
    }
    let [year, month, day, hour, minute, second, milli] = fields;
    let fits = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60
        && milli < 1_000
        && year > 0;
    let minutes = (day_of(year, month, day) * 24 + hour) * 60 + minute - zone(rest)?;
    fits.then_some((minutes * 60 + second) * 1_000 + milli)
}

/// Minutes by which a zone is ahead of UTC: `Z`, `+01:00`, `+01`.
fn zone(text: &str) -> Option<i64> {
    if text.starts_with('Z') {
        return Some(0);
    }
    let sign = if text.starts_with('-') { -1 } else { 1 };
    let digits = text.strip_prefix(['+', '-'])?;
    let two = |text: Option<&str>| {
        let text = text.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))?;
        number::signed(text)
    };
    let hours = two(digits.get(..2)).filter(|hours| *hours < 24)?;
    let minutes = match digits.get(2..3) {
        Some(":") => two(digits.get(3..5)).filter(|minutes| *minutes < 60).unwrap_or(0),
        _ => 0,
    };
    Some(sign * (hours * 60 + minutes))
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since 1970-01-01, of the calendar that is used since 1582.
fn day_of(year: i64, month: i64, day: i64) -> i64 {
    let before = year - 1;
    let leaps = before / 4 - before / 100 + before / 400;
    let months: i64 = (1..month).map(|month| days_in(year, month)).sum();
    before * 365 + leaps + months + day - 1 - 719_162
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Moments around leap days, with zones and without.
    #[test]
    fn moments() {
        for (text, expected) in [
            ("1970-01-01T00:00:00.000", 0),
            ("1970-01-01T00:00:00.5", 5),
            ("2001-01-01T00:00:00.000Z", 978_307_200_000),
            ("2001-01-01T01:00:00.000+01:00", 978_307_200_000),
            ("2001-01-01T01:00:00.000+0100", 978_307_200_000),
            ("2000-12-31T19:00:00.000-05", 978_307_200_000),
            ("2000-02-29T23:59:59.999", 951_868_799_999),
            ("2026-11-30T04:00:00.000", 1_796_011_200_000),
            ("1969-12-31T23:59:59.999", -1),
        ] {
            assert_eq!(millis(text), Ok(expected), "{text}");
        }
    }

    /// Texts that are no moments, each with Kafka's words.
    #[test]
    fn nonsense() {
        for text in ["", "yesterday", "2001-01-01", "2001-01-01T"] {
            let problem = millis(text).expect_err("there is no time of day");
            assert!(problem.text.starts_with("Error parsing timestamp."), "{text}");
        }
        for text in [
            "2001-01-01T00:00:00",
            "2001-13-01T00:00:00.000",
            "2001-02-29T00:00:00.000",
            "2001-01-01T24:00:00.000",
            "2001-01-01T00:00:00.1000",
            "2001-01-01T00:00:00.000x",
        ] {
            let problem = millis(text).expect_err("it cannot be read");
            assert_eq!(problem.text, format!("Unparseable date: \"{text}Z\""));
        }
    }
}
