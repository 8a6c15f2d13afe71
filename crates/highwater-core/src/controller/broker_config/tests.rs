//! What may be changed, at its edges, and whether the table is sound.

use super::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn refused(key: &str, value: &str, of_one: bool) -> Option<String> {
    let current = |key: &str| default_of(key).map(str::to_owned);
    let change = (key.to_owned(), Some(value.to_owned()));
    check_changes(&[change], of_one, &current).err().map(|error| error.message)
}

/// Texts that real Kafka gave (recorded/broker-configs.console).
#[test]
fn what_may_not_be_changed() {
    for (key, value, text) in [
        ("broker.id", "7", "Cannot update these configs dynamically: [broker.id]"),
        ("log.cleaner.threads", "0", "/ by zero"),
        ("log.roll.ms", "0", "requirement failed: log.roll.ms must be greater than or equal to 1"),
        (
            "log.segment.bytes",
            "5",
            "Invalid value 5 for configuration log.segment.bytes: Value must be at least \
             1048576",
        ),
    ] {
        assert_eq!(refused(key, value, true).as_deref(), Some(text), "{key}={value}");
    }
    assert!(refused("listeners", "x", true).is_none());
    assert!(refused("listeners", "x", false).is_some());
}

/// Threads may be halved and doubled; values at the edges of their types, and keys that nobody
/// knows.
#[test]
fn edges() {
    for (key, value, fits) in [
        ("num.io.threads", "4", true),
        ("num.io.threads", "3", false),
        ("num.io.threads", "16", true),
        ("num.io.threads", "17", false),
        ("num.io.threads", "2147483648", false),
        ("log.retention.ms", "-5", true),
        ("log.retention.ms", "0", false),
        ("log.retention.bytes", "-9223372036854775808", true),
        ("log.retention.bytes", "9223372036854775808", false),
        ("log.cleaner.io.max.bytes.per.second", "1.7976931348623157E308", true),
        ("log.cleaner.io.max.bytes.per.second", "fast", false),
        ("no.such.key", "", true),
        ("", "", true),
    ] {
        assert_eq!(refused(key, value, true).is_none(), fits, "{key}={value}");
    }
}

/// Every default passes its own check, and every key is there once.
#[test]
fn the_table_is_sound() {
    for (key, kind, default) in CHANGEABLE {
        assert!(*default == NO_VALUE || check(kind, key, default).is_ok(), "{key}={default}");
    }
    let mut names: Vec<&str> = names().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    assert_eq!(default_of("log.retention.ms"), None);
    assert_eq!(default_of("config.providers"), Some(""));
}
