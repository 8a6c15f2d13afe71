//! Words of the controls around a drawing.

use crate::digits::int;

/// The transport, by ear.
pub const TIME: &str = "Time";
/// A button of the transport.
pub const STEP_BACK: &str = "Step back";
/// A button of the transport.
pub const PLAY: &str = "Play";
/// A button of the transport.
pub const PAUSE: &str = "Pause";
/// A button of the transport.
pub const STEP: &str = "Step";
/// The timeline, by ear.
pub const TIMELINE: &str = "Timeline";
/// Goes back to the run that an own command has replaced.
pub const BACK_TO_MY_RUN: &str = "Other run";
/// Before the engine has loaded.
pub const WAKING_UP: &str = "The buttons wake up as soon as the simulator has loaded.";
/// Where there is no script.
pub const NO_SCRIPT: &str = " It needs JavaScript, which is off here.";
/// Nothing was typed so far.
pub const NOTHING_TYPED: &str = "Each step here is a command. Open the terminal to type your own.";
/// Folds and unfolds the terminal.
pub const TERMINAL: &str = "Terminal";
/// The terminal's screen, by ear.
pub const TERMINAL_OUTPUT: &str = "Commands and their output";
/// The terminal's prompt, by ear.
pub const COMMAND: &str = "Command";
/// Runs the command.
pub const RUN: &str = "Run";
/// A key that phones lack.
pub const CTRL_C: &str = "Ctrl-C";
/// A key that phones lack.
pub const CTRL_D: &str = "Ctrl-D";
/// Unfolds the text twin.
pub const SHOW_AS_TABLE: &str = "Show as table";

/// Where in time.
#[must_use]
pub fn step_of(at: u32, count: u32) -> String {
    ["step ", &int(i64::from(at)), " of ", &int(i64::from(count))].concat()
}

/// The text twin, by ear.
#[must_use]
pub fn as_table(label: &str) -> String {
    [label, ", as a table"].concat()
}

/// What the figure says before its first step.
pub const BEFORE_THE_FIRST_STEP: &str =
    "The log is empty. Press step, and the first record goes in.";

/// In place of the oldest lines of a long terminal.
#[must_use]
pub fn lines_left_out(count: usize) -> String {
    ["(", &int(i64::try_from(count).unwrap_or(i64::MAX)), " older lines are not shown)"].concat()
}

/// What came out at the terminal, by ear: one line as it is, of several how many and the first.
#[must_use]
pub fn output(lines: usize, first: &str) -> String {
    let first: String = first.chars().take(120).collect();
    if lines == 1 {
        return first;
    }
    [&int(i64::try_from(lines).unwrap_or(i64::MAX)), " lines: ", &first].concat()
}
