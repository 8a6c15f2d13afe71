//! `sleep`: lets virtual time pass.

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
        let for_ever = scope::CLUSTER && matches!(&*text, "infinity" | "inf");
        let span = if for_ever { Some(SimDuration(u64::MAX)) } else { SimDuration::parse(&text) };
        let Some(span) = span else {
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
