//! `sleep`: lets virtual time pass.

use highwater_core::number;
use highwater_core::scope;
use highwater_core::time::SimDuration;

use crate::process::Out;
use crate::tool::small::getopt::{Known, quoted};
use crate::tool::small::simple::Simple;
use crate::tool::{Ended, refuse};

/// The longest sleep: a thousand years of virtual time would only run into odd ends.
const MOST_SLEEP_S: u64 = 366 * 86_400;

const KNOWN: Known = Known { tool: "sleep", short: "", long: &[], status: 1 };

pub(super) fn start(arguments: &[Vec<u8>], out: &mut Out<'_>) -> Result<Simple, Ended> {
    let given;
    let mut words = arguments;
    if scope::CLUSTER {
        given = KNOWN.read(arguments, out)?;
        words = &given.operands;
    }
    let Some(first) = words.first() else {
        return Err(if scope::CLUSTER {
            KNOWN.wrong(format_args!("missing operand"), out)
        } else {
            refuse(format_args!("sleep: missing operand"), 1, out)
        });
    };
    let mut total = SimDuration(0);
    for word in words {
        let text = String::from_utf8_lossy(word);
        let Some(span) = seconds(&text) else {
            return Err(if scope::CLUSTER {
                KNOWN.wrong(format_args!("invalid time interval {}", quoted(word)), out)
            } else {
                refuse(format_args!("sleep: invalid time interval '{text}'"), 1, out)
            });
        };
        total = SimDuration(total.0.saturating_add(span.0));
    }
    if total > SimDuration::from_millis(MOST_SLEEP_S * 1_000) {
        let text = String::from_utf8_lossy(first);
        let message = format_args!("sleep: '{text}' is more than a year; Highwater sleeps less");
        return Err(refuse(message, 1, out));
    }
    out.wait(total, 1);
    Ok(Simple::Sleep)
}

/// A number of seconds with at most six decimals that count, and s, m, h or d behind it.
fn seconds(text: &str) -> Option<SimDuration> {
    let units = [('s', 1), ('m', 60), ('h', 3_600), ('d', 86_400)];
    let found = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(*name)?, *unit)));
    let (number, unit) = found.unwrap_or((text, 1));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if (whole.is_empty() && fraction.is_empty()) || !digits(whole) || !digits(fraction) {
        return None;
    }
    let whole: u64 = if whole.is_empty() { 0 } else { number::unsigned(whole).unwrap_or(u64::MAX) };
    let micros = fraction.bytes().chain(std::iter::repeat(b'0')).take(6);
    let micros = micros.fold(0u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    Some(SimDuration(whole.saturating_mul(1_000_000).saturating_add(micros).saturating_mul(unit)))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    /// Intervals as GNU sleep takes them, and what it refuses.
    #[test]
    fn intervals() {
        for (text, micros) in [
            ("2", 2_000_000),
            ("0.5", 500_000),
            (".25", 250_000),
            ("1m", 60_000_000),
            ("5.", 5_000_000),
        ] {
            assert_eq!(seconds(text), Some(SimDuration(micros)), "{text}");
        }
        for text in ["", "s", ".", "-1", "1x", "1e3", "one"] {
            assert_eq!(seconds(text), None, "{text}");
        }
        assert_eq!(seconds("99999999999999999999d"), Some(SimDuration(u64::MAX)));
    }
}
