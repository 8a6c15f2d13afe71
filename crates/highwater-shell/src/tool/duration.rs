//! Spans of time as Java writes them (`java.time.Duration.parse`, ISO 8601).

use highwater_core::number;

/// The milliseconds of a span such as `P1DT2H3M4.5S` or `-PT1H`, rounded down; `None`: it is none.
pub(crate) fn millis(text: &str) -> Option<i64> {
    let upper = text.to_ascii_uppercase();
    let (sign, rest) = signed(&upper);
    let rest = rest.strip_prefix('P')?;
    let (days, time) = match rest.split_once('T') {
        Some((days, time)) => (days, Some(time)),
        None => (rest, None),
    };
    let mut total: i64 = 0;
    if !days.is_empty() {
        total = units(days.strip_suffix('D')?, 86_400_000)?;
    }
    let Some(mut time) = time else {
        return (!days.is_empty()).then_some(total)?.checked_mul(sign);
    };
    if time.is_empty() {
        return None;
    }
    for (unit, millis) in [('H', 3_600_000), ('M', 60_000)] {
        if let Some((count, after)) = time.split_once(unit) {
            total = total.checked_add(units(count, millis)?)?;
            time = after;
        }
    }
    if !time.is_empty() {
        total = total.checked_add(seconds(time.strip_suffix('S')?)?)?;
    }
    total.checked_mul(sign)
}

/// Whether it is a span, though perhaps too long a one to be counted.
pub(crate) fn is_span(text: &str) -> bool {
    let mut short = String::new();
    for character in text.chars() {
        if !(character.is_ascii_digit() && short.ends_with(|last: char| last.is_ascii_digit())) {
            short.push(character);
        }
    }
    millis(&short).is_some()
}

fn seconds(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, ""));
    if fraction.len() > 9 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let thousandths: String = fraction.chars().chain("000".chars()).take(3).collect();
    let sign = signed(whole).0;
    units(whole, 1_000)?.checked_add(number::signed(&thousandths)?.checked_mul(sign)?)
}

/// A sign, if there is one, and what follows.
fn signed(text: &str) -> (i64, &str) {
    match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    }
}

/// So many units, in milliseconds.
fn units(count: &str, millis: i64) -> Option<i64> {
    let (sign, digits) = signed(count);
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    number::signed(digits).filter(|_| is_number)?.checked_mul(millis)?.checked_mul(sign)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Spans, signs, and texts that are none.
    #[test]
    fn spans() {
        for (text, expected) in [
            ("PT1H", Some(3_600_000)),
            ("P1DT2H3M4.5S", Some(93_784_500)),
            ("p1dt1s", Some(86_401_000)),
            ("PT0.0019S", Some(1)),
            ("-PT1H", Some(-3_600_000)),
            ("PT-1H", Some(-3_600_000)),
            ("-PT-1H", Some(3_600_000)),
            ("PT-1.5S", Some(-1_500)),
            ("+PT+1M", Some(60_000)),
            ("P2D", Some(172_800_000)),
            ("PT1M", Some(60_000)),
            ("P", None),
            ("P1", None),
            ("PTS", None),
            ("PT1X", None),
            ("P99999999999999999999D", None),
            ("PT", None),
            ("P1Y", None),
            ("1h", None),
            ("", None),
            ("PT1.0000000001S", None),
            ("PT1H1", None),
            ("P365000000000000D", None),
        ] {
            assert_eq!(millis(text), expected, "{text}");
        }
        assert!(is_span("P365000000000000D") && !is_span("365000000000000D"));
    }
}
