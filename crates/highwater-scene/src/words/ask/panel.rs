//! Words around an answer: headings, buttons, what is folded.

use crate::words::counted;

/// The heading of the reasons.
pub const WHY: &str = "Why?";
/// In place of reasons, where nothing has happened.
pub const NO_REASON: &str = "It has been so since the cluster began, or since before what is kept.";
/// The heading of what to ask about next.
pub const SEE_ALSO: &str = "See also";
/// Gives a setting the value that was typed.
pub const SET: &str = "Set";
/// Takes a setting's value away.
pub const DEFAULT: &str = "Default";

/// The button of a reason.
#[must_use]
pub fn go_to(at: &str) -> String {
    format!("Go to {at}")
}

/// That button, by ear.
#[must_use]
pub fn go_to_label(at: &str, sentence: &str) -> String {
    format!("Go to {at}: {sentence}")
}

/// What is folded.
#[must_use]
pub fn more_steps(count: usize, is_between: bool) -> String {
    let steps = counted(i64::try_from(count).unwrap_or(i64::MAX), "more step");
    if is_between { format!("{steps} in between") } else { steps }
}

/// The heading of the settings.
#[must_use]
pub fn settings(count: usize) -> String {
    counted(i64::try_from(count).unwrap_or(i64::MAX), "setting")
}

/// The table of the settings, by ear.
#[must_use]
pub fn settings_of(title: &str) -> String {
    format!("Settings that govern {title}")
}

/// Its columns.
#[must_use]
pub fn columns() -> [&'static str; 5] {
    ["key", "value", "default", "source", "change"]
}

/// A setting that is not changed here.
pub const FIXED: &str = "only before it starts";

/// The same, behind a line of the text twin.
pub const FIXED_NOTE: &str = ", only before it starts";

/// A button of a setting, by ear.
#[must_use]
pub fn set_label(key: &str) -> String {
    format!("Set {key}")
}

/// The same.
#[must_use]
pub fn default_label(key: &str) -> String {
    format!("Default of {key}")
}

/// A value that can be pressed, by ear.
#[must_use]
pub fn spoken(name: &str, value: &str) -> String {
    format!("{name}: {value}")
}

/// What to ask about, by ear.
#[must_use]
pub fn ask_about(what: &str) -> String {
    format!("Ask about {what}")
}
